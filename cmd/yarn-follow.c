/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "yarn.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "spark/run.h"
#include "spark/runwatch.h"

/* What a person who goes away is told; written from a signal handler. */
static char parting[256];

static void
leave(int sig)
{
	if (write(STDERR_FILENO, parting, strlen(parting)) < 0)
		_exit(128 + sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

void
yarn_part(const char *id)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction now, then = { .sa_handler = leave };

	snprintf(parting, sizeof(parting),
	    "sa-yarn: the job goes on; sa-yarn wait %s or sa-yarn kill %s\n",
	    id, id);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &now) == 0 &&
		    now.sa_handler == SIG_DFL)
			sigaction(signals[i], &then, NULL);
}

bool
yarn_is_final(const json_t *record)
{
	return sa_run_is_final(sa_json_str(record, "state"));
}

char *
yarn_verdict(const json_t *record)
{
	const char *state = sa_json_str(record, "state");
	const char *why = sa_json_str(record, "diagnostics");

	if (why == NULL)
		return sa_xstrdup(state);
	return sa_xasprintf("%s: %.*s", state, (int)strcspn(why, "\n"), why);
}

int
yarn_excluded(const struct sa_cli *cli, const char *a, const char *b,
    struct sa_err *err)
{
	if (!sa_cli_given(cli, a) || !sa_cli_given(cli, b))
		return 0;
	return sa_err_set(err,
	    sa_cli_request(cli) != NULL ? SA_INVALID : SA_USAGE,
	    "--%s and --%s exclude each other", a, b);
}

/* The worst of several: LOST, time-out, no, yes. */
static enum sa_kind
worse(enum sa_kind a, enum sa_kind b)
{
	static const enum sa_kind order[] = { SA_REMOTE, SA_BUSY, SA_NO };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return SA_OK;
}

enum sa_kind
yarn_kind(const json_t *record)
{
	const char *state = sa_json_str(record, "state");

	if (strcmp(state, "SUCCEEDED") == 0)
		return SA_OK;
	return strcmp(state, "LOST") == 0 ? SA_REMOTE : SA_NO;
}

static int
not_ended(const char *id, json_t *record, long long seconds, struct sa_err *err)
{
	sa_err_set(err, SA_BUSY, "job '%s' has not ended after %lld s: %s", id,
	    seconds, sa_json_str(record, "state"));
	sa_err_hint(err, "it goes on; sa-yarn wait %s", id);
	return sa_err_detail(err, json_incref(record));
}

struct waiting {
	char *id;
	json_t *record; /* as it was last seen */
	bool ended;	/* and said */
};

static void
answer_ended(struct sa_cli *cli, const struct waiting *j)
{
	cleanup_free char *text = yarn_verdict(j->record);

	sa_cli_answer(cli, j->record, sa_run_text);
	fflush(stdout);
	if (!sa_cli_human(cli) && yarn_kind(j->record) != SA_OK)
		sa_cli_say(cli, "%s %s", j->id, text);
}

/* Looks at those that have not ended. How many are left, or -1. */
static int
look(struct sa_cli *cli, const struct sa_store *st, struct waiting *jobs,
    size_t n, bool silent, enum sa_kind *worst, struct sa_err *err)
{
	int left = 0;

	for (size_t i = 0; i < n; i++) {
		json_t *now = NULL;
		if (jobs[i].ended)
			continue;
		if (sa_run_refresh(st, jobs[i].id, &now, err) < 0)
			return -1;
		json_decref(jobs[i].record);
		jobs[i].record = now;
		if (silent || !yarn_is_final(now)) {
			left++;
			continue;
		}
		jobs[i].ended = true;
		*worst = worse(*worst, yarn_kind(now));
		answer_ended(cli, &jobs[i]);
	}
	return left;
}

/* The time is over: a failure where nothing was said yet. */
static int
give_up(const struct sa_cli *cli, const struct waiting *jobs, size_t n,
    long long timeout, enum sa_kind worst, struct sa_err *err)
{
	if (n == 1)
		return not_ended(jobs[0].id, jobs[0].record, timeout, err);
	for (size_t i = 0; i < n; i++)
		if (!jobs[i].ended)
			sa_cli_say(cli, "%s has not ended after %lld s: %s",
			    jobs[i].id, timeout,
			    sa_json_str(jobs[i].record, "state"));
	return sa_kind_info(worse(worst, SA_BUSY))->code;
}

static int
wait_jobs(struct sa_cli *cli, const struct sa_store *st, struct waiting *jobs,
    size_t n, long long timeout, struct sa_err *err)
{
	long long deadline =
	    timeout < 0 ? LLONG_MAX : sa_clock_ms() + timeout * 1000;
	enum sa_kind worst = SA_OK;
	struct sa_run_watch w;
	int left;

	/* an unknown one fails before anything is written */
	if (look(cli, st, jobs, n, true, &worst, err) < 0)
		return -1;
	yarn_part(jobs[0].id);
	sa_run_watch_open(&w);
	for (size_t i = 0; i < n; i++)
		sa_run_watch_add(&w, st, jobs[i].id, false);
	while ((left = look(cli, st, jobs, n, false, &worst, err)) > 0 &&
	    !ferror(stdout) && deadline > sa_clock_ms())
		sa_run_watch_wait(&w, deadline - sa_clock_ms());
	sa_run_watch_close(&w);
	if (left < 0)
		return -1;
	return left > 0 && !ferror(stdout)
	    ? give_up(cli, jobs, n, timeout, worst, err)
	    : sa_kind_info(worst)->code;
}

static int
wait_operands(struct sa_cli *cli, const struct sa_store *st, const char *id,
    long long timeout, struct sa_err *err)
{
	const struct sa_strings *operands = sa_cli_operands(cli);
	size_t n = operands->n > 1 ? operands->n : 1;
	struct waiting *jobs = sa_xcalloc(n, sizeof(*jobs));

	jobs[0].id = sa_xstrdup(id);
	for (size_t i = 1; i < n; i++)
		jobs[i].id = sa_xstrdup(operands->v[i]);
	int rc = wait_jobs(cli, st, jobs, n, timeout, err);
	for (size_t i = 0; i < n; i++) {
		free(jobs[i].id);
		json_decref(jobs[i].record);
	}
	free(jobs);
	return rc;
}

int
yarn_wait(struct sa_cli *cli, struct sa_err *err)
{
	long long timeout = sa_cli_int(cli, "timeout", -1);
	bool logs = sa_cli_flag(cli, "logs");
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;

	if (yarn_excluded(cli, "logs", "json", err) < 0)
		return -1;
	if (logs && sa_cli_operands(cli)->n > 1)
		return sa_err_set(err, SA_USAGE, "--logs is for one job");
	if (!logs && sa_cli_given(cli, "stream"))
		return sa_err_set(err, SA_USAGE, "--stream needs --logs");
	if (yarn_job(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = sa_run_refresh(st, id, &record, err);
	if (rc == 0)
		rc = logs ? yarn_wait_logs(cli, st, id, timeout, err)
			  : wait_operands(cli, st, id, timeout, err);
	sa_store_free(st);
	return rc;
}
