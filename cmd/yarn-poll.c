/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "spark/cluster.h"
#include "spark/run.h"
#include "yarn.h"

#define STEP_MS 1000
#define STEP_MAX_MS 15000
/* A failover takes less. */
#define TELL_AFTER_MS 10000

void
yarn_poll_open(struct yarn_poll *p, const struct sa_store *st,
    const struct sa_settings *s)
{
	*p = (struct yarn_poll){ .store = st,
		.follow = sa_follow_new(st, s),
		.step_ms = STEP_MS };
}

void
yarn_poll_close(struct yarn_poll *p)
{
	sa_follow_free(p->follow);
	p->follow = NULL;
}

/* A number for how far jobs are: another one when something has changed. */
static size_t
progress(json_t *const records[], size_t n)
{
	size_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++) {
		const char *state = sa_json_str(records[i], "state");
		bool id = sa_json_str(records[i], "application_id") != NULL;
		for (; state != NULL && *state != '\0'; state++)
			h = (h ^ (unsigned char)*state) * 1099511628211u;
		h = (h ^ (id ? 1 : 2)) * 1099511628211u;
	}
	return h;
}

/* The next time: soon after a change, and not when all others ask. */
static void
plan_next(struct yarn_poll *p, bool changed)
{
	if (changed)
		p->step_ms = STEP_MS;
	int spread = p->step_ms / 5;
	p->next = sa_clock_ms() + p->step_ms - spread +
	    (int)arc4random_uniform(2 * (unsigned int)spread);
	p->step_ms = p->step_ms / 2 * 3;
	if (p->step_ms > STEP_MAX_MS)
		p->step_ms = STEP_MAX_MS;
}

/* Tells once of an outage, and once of its end. */
static void
tell(struct yarn_poll *p, const struct sa_cli *cli, const char *why)
{
	long long now = sa_clock_ms();

	if (why == NULL) {
		if (p->told)
			sa_cli_say(cli, "the cluster answers again");
		p->away = 0;
		p->told = false;
		return;
	}
	if (p->away == 0)
		p->away = now;
	strlcpy(p->why, why, sizeof(p->why));
	if (p->told || now - p->away < TELL_AFTER_MS)
		return;
	sa_cli_say(cli, "%s; it is asked again, and the state is as last seen",
	    why);
	p->told = true;
}

static int
ask(struct yarn_poll *p, const struct sa_cli *cli, char *const ids[], size_t n,
    json_t *records[], struct sa_err *err)
{
	char **why = sa_xcalloc(n + 1, sizeof(*why));
	const char *first = NULL;
	int rc = sa_follow_refresh(p->follow, ids, n, records, why, err);

	for (size_t i = 0; i < n; i++)
		first = first != NULL ? first : why[i];
	if (rc == 0)
		tell(p, cli, first);
	for (size_t i = 0; i < n; i++)
		free(why[i]);
	free(why);
	return rc;
}

static int
look_here(const struct sa_store *st, char *const ids[], size_t n,
    json_t *records[], struct sa_err *err)
{
	for (size_t i = 0; i < n; i++) {
		json_t *now = NULL;
		if (records[i] != NULL && yarn_is_final(records[i]))
			continue;
		if (sa_run_refresh(st, ids[i], &now, err) < 0)
			return -1;
		json_decref(records[i]);
		records[i] = now;
	}
	return 0;
}

int
yarn_poll_look(struct yarn_poll *p, const struct sa_cli *cli, char *const ids[],
    size_t n, json_t *records[], struct sa_err *err)
{
	bool asking = sa_clock_ms() >= p->next;
	size_t before = progress(records, n);
	int rc = asking ? ask(p, cli, ids, n, records, err)
			: look_here(p->store, ids, n, records, err);
	bool changed = before != progress(records, n);

	if (rc == 0 && (asking || changed))
		plan_next(p, changed);
	return rc;
}
