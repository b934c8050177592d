/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * What a standalone master or a worker says: JSON, its page, a log. */
#include "config.h"

#include "base/json.h"
#include "spark/masterpage.h"

#define FUZZ_NAME "fuzz-masterpage"
#include "fuzz.h"

static void
each(void *arg, struct sa_sighting *seen)
{
	(void)seen;
	++*(size_t *)arg;
}

static void
executor(void *arg, long long number, const char *worker)
{
	require(number >= 0 && *worker != '\0', "no executor");
	++*(size_t *)arg;
}

static void
as_html(const char *text, size_t size)
{
	char token[SA_CSRF_SIZE];
	size_t n = 0;

	if (sa_masterpage_csrf(text, size, token))
		require(*token != '\0' && strlen(token) < SA_CSRF_SIZE,
		    "no token");
	size_t all = sa_masterpage_executors(text, size,
	    "app-20261130083024-0000", 2, executor, &n);
	require(n == (all < 2 ? all : 2), "other executors than counted");
}

static void
as_json(const json_t *j)
{
	struct sa_sighting s;
	size_t n = 0;

	sa_masterpage_alive(j);
	sa_masterpage_standby(j);
	sa_masterpage_drivers(j, 1, 3, each, &n);
	require(n <= 3, "more drivers than asked for");
	if (sa_masterpage_find(j, "driver-20261129205934-0000", &s)) {
		require(s.application_id != NULL, "no id");
		sa_sighting_release(&s);
	}
	if (sa_masterpage_find(j, "app-20261129205835-0000", &s))
		sa_sighting_release(&s);
	sa_masterpage_worker(j, "driver-20261129205934-0000");
	sa_masterpage_status(j, "driver-1", &s);
	sa_sighting_release(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct sa_workerlog log;
	json_auto_t *j = NULL;

	as_html(text, size);
	if (sa_workerlog_parse(text, size, &log))
		require(log.text + log.len == text + size &&
			log.from <= log.to && log.to <= log.length,
		    "a log that is none");
	if (sa_json_parse(text, size, "answer", &j, NULL) == 0)
		as_json(j);
	return 0;
}
