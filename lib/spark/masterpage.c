/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/masterpage.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/sighting.h"

/* The class that a driver runs where it is a Python program. */
#define PYTHON_CLASS "org.apache.spark.deploy.SparkSubmit"

const char *
sa_masterpage_app_state(const char *word)
{
	static const struct sa_state_word words[] = { { "WAITING", "ACCEPTED" },
		{ "RUNNING", "RUNNING" }, { "FINISHED", "SUCCEEDED" },
		{ "FAILED", "FAILED" }, { "KILLED", "KILLED" },
		{ NULL, NULL } };

	return sa_sighting_word(words, word);
}

/* UNKNOWN is for a while: its worker was lost, or the master recovers. */
const char *
sa_masterpage_driver_state(const char *word)
{
	static const struct sa_state_word words[] = { { "SUBMITTED",
							  "SUBMITTED" },
		{ "RUNNING", "RUNNING" }, { "FINISHED", "SUCCEEDED" },
		{ "RELAUNCHING", "ACCEPTED" }, { "KILLED", "KILLED" },
		{ "FAILED", "FAILED" }, { "ERROR", "FAILED" }, { NULL, NULL } };

	return sa_sighting_word(words, word);
}

bool
sa_masterpage_alive(const json_t *page)
{
	const char *status = sa_json_str(page, "status");

	return status != NULL && strcmp(status, "ALIVE") == 0;
}

/* Milliseconds; drivers have them as text. */
static long long
time_of(const json_t *of, const char *member)
{
	const char *text = sa_json_str(of, member);
	char *end;

	if (text == NULL)
		return sa_json_int(of, member, 0);
	long long ms = strtoll(text, &end, 10);
	return *text != '\0' && *end == '\0' && ms > 0 ? ms : 0;
}

static void
sight(const json_t *of, bool driver, struct sa_sighting *out)
{
	const char *id = sa_json_str(of, "id");
	const char *word = sa_json_str(of, "state");

	*out = (struct sa_sighting)SA_SIGHTING_INIT;
	out->application_id = id != NULL ? sa_xstrdup(id) : NULL;
	out->cluster_state = word != NULL ? sa_xstrdup(word) : NULL;
	out->state = driver ? sa_masterpage_driver_state(word)
			    : sa_masterpage_app_state(word);
	out->started_ms = time_of(of, "starttime");
	json_int_t duration = sa_json_int(of, "duration", 0);
	bool ended = word != NULL && strcmp(word, "WAITING") != 0 &&
	    strcmp(word, "RUNNING") != 0;
	if (ended && out->started_ms > 0 && duration > 0 &&
	    duration < LLONG_MAX / 4 && out->started_ms < LLONG_MAX / 4)
		out->finished_ms = out->started_ms + duration;
}

static const json_t *
entry(const json_t *page, const char *list, const char *id)
{
	const json_t *e;
	size_t i;

	json_array_foreach (json_object_get(page, list), i, e) {
		const char *its = sa_json_str(e, "id");
		if (its != NULL && strcmp(its, id) == 0)
			return e;
	}
	return NULL;
}

static const json_t *
driver_entry(const json_t *page, const char *id)
{
	const json_t *e = entry(page, "activedrivers", id);

	return e != NULL ? e : entry(page, "completeddrivers", id);
}

bool
sa_masterpage_find(const json_t *page, const char *id, struct sa_sighting *out)
{
	const json_t *e = driver_entry(page, id);
	bool driver = e != NULL;

	if (e == NULL)
		e = entry(page, "activeapps", id);
	if (e == NULL)
		e = entry(page, "completedapps", id);
	if (e == NULL)
		return false;
	sight(e, driver, out);
	return true;
}

const char *
sa_masterpage_worker(const json_t *page, const char *driver)
{
	const char *worker = sa_json_str(driver_entry(page, driver), "worker");

	return worker == NULL ? NULL : sa_masterpage_worker_url(page, worker);
}

const char *
sa_masterpage_worker_url(const json_t *page, const char *worker)
{
	return sa_json_str(entry(page, "workers", worker), "webuiaddress");
}

static int
newest_first(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;
	long long p = time_of(*x, "starttime"), q = time_of(*y, "starttime");

	return (p < q) - (p > q);
}

static void
collect(const json_t *list, long long since_ms, const json_t ***v, size_t *n)
{
	const json_t *e;
	size_t i;

	json_array_foreach (list, i, e) {
		const char *class = sa_json_str(e, "mainclass");
		if (class == NULL || strcmp(class, PYTHON_CLASS) != 0 ||
		    time_of(e, "starttime") < since_ms)
			continue;
		*v = sa_xrealloc(*v, *n + 1, sizeof(**v));
		(*v)[(*n)++] = e;
	}
}

void
sa_masterpage_drivers(const json_t *page, long long since_ms, size_t max,
    void (*each)(void *arg, struct sa_sighting *seen), void *arg)
{
	const json_t **v = NULL;
	size_t n = 0;

	collect(json_object_get(page, "activedrivers"), since_ms, &v, &n);
	collect(json_object_get(page, "completeddrivers"), since_ms, &v, &n);
	if (n > 0)
		qsort(v, n, sizeof(*v), newest_first);
	for (size_t i = 0; i < n && i < max; i++) {
		struct sa_sighting seen;
		sight(v[i], true, &seen);
		each(arg, &seen);
		sa_sighting_release(&seen);
	}
	free(v);
}

void
sa_masterpage_status(const json_t *answer, const char *driver,
    struct sa_sighting *out)
{
	const char *word = sa_json_str(answer, "driverState");
	const char *why = sa_json_str(answer, "message");

	*out = (struct sa_sighting)SA_SIGHTING_INIT;
	out->application_id = sa_xstrdup(driver);
	out->cluster_state = word != NULL ? sa_xstrdup(word) : NULL;
	out->state = sa_masterpage_driver_state(word);
	if (why != NULL && *why != '\0')
		out->diagnostics = sa_xstrdup(why);
}

bool
sa_masterpage_standby(const json_t *answer)
{
	static const char *const words[] = { "not alive", "STANDBY",
		"RECOVERING" };
	const char *why = sa_json_str(answer, "message");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (why != NULL && strstr(why, words[i]) != NULL)
			return true;
	return false;
}

/* The value of an attribute of the tag at s, which ends at end. */
static const char *
attribute(const char *s, const char *end, const char *name, size_t *len)
{
	cleanup_free char *head = sa_xasprintf("%s=\"", name);
	size_t n = strlen(head);
	const char *at = memmem(s, (size_t)(end - s), head, n);

	if (at == NULL || (at > s && !isspace((unsigned char)at[-1])))
		return NULL;
	const char *close = memchr(at + n, '"', (size_t)(end - (at + n)));
	if (close == NULL)
		return NULL;
	*len = (size_t)(close - (at + n));
	return at + n;
}

bool
sa_masterpage_csrf(const char *html, size_t len, char out[SA_CSRF_SIZE])
{
	static const char tag[] = "<input";
	const char *s = html, *end = html + len, *value;
	size_t n;

	while (
	    (s = memmem(s, (size_t)(end - s), tag, sizeof(tag) - 1)) != NULL) {
		const char *close = memchr(s, '>', (size_t)(end - s));
		if (close == NULL)
			return false;
		const char *name = attribute(s, close, "name", &n);
		bool its = name != NULL && n == 9 &&
		    strncmp(name, "csrfToken", 9) == 0;
		value = its ? attribute(s, close, "value", &n) : NULL;
		s = close;
		if (value == NULL || n == 0 || n >= SA_CSRF_SIZE)
			continue;
		memcpy(out, value, n);
		out[n] = '\0';
		if (strspn(out, "0123456789abcdefABCDEF-") == n)
			return true;
	}
	return false;
}

/* A whole number and what stands behind it; NULL: not there. */
static const char *
number(const char *s, const char *end, const char *behind, long long *out)
{
	size_t n = strlen(behind);
	long long v = 0;

	if (s == NULL || s == end || !isdigit((unsigned char)*s))
		return NULL;
	for (; s < end && isdigit((unsigned char)*s); s++) {
		if (v > (1LL << 53))
			return NULL;
		v = v * 10 + (*s - '0');
	}
	*out = v;
	return (size_t)(end - s) >= n && memcmp(s, behind, n) == 0 ? s + n
								   : NULL;
}

/* The text of the first link; NULL where it is no worker's id. Caller frees. */
static char *
link_text(const char *s, const char *end)
{
	const char *tag = memmem(s, (size_t)(end - s), "<a ", 3);
	const char *text =
	    tag != NULL ? memchr(tag, '>', (size_t)(end - tag)) : NULL;
	const char *close =
	    text != NULL ? memchr(text, '<', (size_t)(end - text)) : NULL;

	if (close == NULL || close == text + 1 || close - text > 255)
		return NULL;
	for (const char *c = ++text; c < close; c++)
		if (!isgraph((unsigned char)*c) || *c == '&')
			return NULL;
	return sa_xstrndup(text, (size_t)(close - text));
}

size_t
sa_masterpage_executors(const char *html, size_t len, const char *app,
    size_t max, sa_masterpage_executor_fn *each, void *arg)
{
	cleanup_free char *head =
	    sa_xasprintf("?appId=%s&amp;executorId=", app);
	const char *s = html, *end = html + len, *close;
	size_t n = 0;

	while ((s = memmem(s, (size_t)(end - s), "<tr", 3)) != NULL &&
	    (close = memmem(s, (size_t)(end - s), "</tr>", 5)) != NULL) {
		const char *row = s, *at;
		long long executor;
		s = close;
		at = memmem(row, (size_t)(close - row), head, strlen(head));
		if (at == NULL ||
		    number(at + strlen(head), close, "&", &executor) == NULL)
			continue;
		cleanup_free char *worker = link_text(row, close);
		if (worker == NULL)
			continue;
		if (n++ < max)
			each(arg, executor, worker);
	}
	return n;
}

bool
sa_workerlog_parse(const char *body, size_t len, struct sa_workerlog *out)
{
	static const char head[] = "==== Bytes ";
	const char *nl = memchr(body, '\n', len), *s = body;

	if (nl == NULL || (size_t)(nl - body) < sizeof(head) ||
	    memcmp(body, head, sizeof(head) - 1) != 0)
		return false;
	s = number(s + sizeof(head) - 1, nl, "-", &out->from);
	s = number(s, nl, " of ", &out->to);
	s = number(s, nl, " of ", &out->length);
	if (s == NULL || out->from > out->to || out->to > out->length)
		return false;
	out->text = nl + 1;
	out->len = len - (size_t)(nl + 1 - body);
	return true;
}
