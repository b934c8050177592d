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
#include "base/http.h"
#include "base/json.h"
#include "spark/cluster.h"
#include "spark/run.h"
#include "spark/runwatch.h"

/* As long as a lost application may still turn up by itself. */
#define GRACE_SECONDS 60

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

	if (id != NULL)
		snprintf(parting, sizeof(parting),
		    "sa-yarn: the job goes on; sa-yarn wait %s or sa-yarn "
		    "kill %s\n",
		    id, id);
	else
		strlcpy(parting, "sa-yarn: the jobs go on; see sa-yarn list\n",
		    sizeof(parting));
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
	cleanup_free char *one = sa_cli_called(cli, a);
	cleanup_free char *other = sa_cli_called(cli, b);
	return sa_err_set(err,
	    sa_cli_request(cli) != NULL ? SA_INVALID : SA_USAGE,
	    "%s and %s exclude each other", one, other);
}

void
yarn_warn(json_t *record, const char *why)
{
	cleanup_free char *text =
	    sa_xasprintf("%s; the state is as last seen", why);
	json_t *warnings = json_array();

	json_array_append_new(warnings, json_string(text));
	json_object_set_new(record, "warnings", warnings);
}

/* The record, once it is final or the time is over. */
static int
look_until(struct sa_cli *cli, const struct sa_store *st, char *id,
    long long ms, json_t **out, struct sa_err *err)
{
	long long deadline = sa_clock_ms() + ms;
	struct sa_run_watch watch;
	struct yarn_poll poll;
	int rc;

	sa_run_watch_open(&watch);
	yarn_poll_open(&poll, st, sa_cli_settings(cli));
	if (ms > 0)
		sa_run_watch_add(&watch, st, id, false);
	while ((rc = yarn_poll_look(&poll, cli, &id, 1, out, err)) == 0 &&
	    !yarn_is_final(*out) && deadline > sa_clock_ms())
		sa_run_watch_wait(&watch, deadline - sa_clock_ms());
	/* what is told after a while to those who wait is told at once */
	if (rc == 0 && poll.away != 0 && !poll.told)
		sa_cli_say(cli, "%s; the state is as last seen", poll.why);
	if (rc == 0 && poll.away != 0)
		yarn_warn(*out, poll.why);
	yarn_poll_close(&poll);
	sa_run_watch_close(&watch);
	return rc;
}

static int
reconcile(struct sa_cli *cli, const struct sa_store *st, const char *id,
    json_t **out, struct sa_err *err)
{
	struct sa_follow *f = sa_follow_new(st, sa_cli_settings(cli));
	long long grace = sa_cli_int(cli, "grace-seconds", GRACE_SECONDS);
	int rc = sa_follow_reconcile(f, id, grace * 1000, out, err);

	sa_follow_free(f);
	return rc;
}

int
yarn_status(struct sa_cli *cli, struct sa_err *err)
{
	long long ms = sa_cli_int(cli, "wait-seconds", 0) * 1000;
	bool lost = sa_cli_flag(cli, "reconcile");
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;

	if (yarn_excluded(cli, "reconcile", "wait-seconds", err) < 0)
		return -1;
	if (!lost && sa_cli_given(cli, "grace-seconds"))
		return sa_err_set(err, SA_USAGE,
		    "--grace-seconds needs --reconcile");
	if (yarn_job(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	if (ms > 0)
		sa_http_be_back(sa_clock_ms() + ms);
	int rc = lost ? reconcile(cli, st, id, &record, err)
		      : look_until(cli, st, id, ms, &record, err);
	sa_store_free(st);
	return rc < 0 ? -1 : sa_cli_answer(cli, record, sa_run_text);
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

/* Jobs that are waited for. */
struct waiting {
	size_t n;
	char **ids;
	json_t **records; /* as they were last seen */
	bool *ended;	  /* and said */
	enum sa_kind worst;
};

static void
waiting_free(struct waiting *w)
{
	for (size_t i = 0; i < w->n; i++) {
		free(w->ids[i]);
		json_decref(w->records[i]);
	}
	free(w->ids);
	free(w->records);
	free(w->ended);
}

static void
answer_ended(struct sa_cli *cli, const char *id, const json_t *record)
{
	cleanup_free char *text = yarn_verdict(record);

	sa_cli_answer(cli, record, sa_run_text);
	fflush(stdout);
	if (!sa_cli_human(cli) && yarn_kind(record) != SA_OK)
		sa_cli_say(cli, "%s %s", id, text);
}

/* Answers for those that have ended since then. How many are left. */
static size_t
answer(struct sa_cli *cli, struct waiting *w)
{
	size_t left = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (w->ended[i])
			continue;
		if (!yarn_is_final(w->records[i])) {
			left++;
			continue;
		}
		w->ended[i] = true;
		w->worst = worse(w->worst, yarn_kind(w->records[i]));
		answer_ended(cli, w->ids[i], w->records[i]);
	}
	return left;
}

/* The time is over: a failure where nothing was said yet. */
static int
give_up(const struct sa_cli *cli, const struct waiting *w, long long timeout,
    struct sa_err *err)
{
	if (w->n == 1)
		return not_ended(w->ids[0], w->records[0], timeout, err);
	for (size_t i = 0; i < w->n; i++)
		if (!w->ended[i])
			sa_cli_say(cli, "%s has not ended after %lld s: %s",
			    w->ids[i], timeout,
			    sa_json_str(w->records[i], "state"));
	return sa_kind_info(worse(w->worst, SA_BUSY))->code;
}

static int
wait_jobs(struct sa_cli *cli, const struct sa_store *st, struct waiting *w,
    long long timeout, struct sa_err *err)
{
	long long deadline =
	    timeout < 0 ? LLONG_MAX : sa_clock_ms() + timeout * 1000;
	struct sa_run_watch watch;
	struct yarn_poll poll;
	size_t left = 0;
	int rc;

	sa_run_watch_open(&watch);
	yarn_poll_open(&poll, st, sa_cli_settings(cli));
	yarn_part(w->n == 1 ? w->ids[0] : NULL);
	for (size_t i = 0; i < w->n; i++)
		sa_run_watch_add(&watch, st, w->ids[i], false);
	/* an unknown one fails before anything is written */
	while ((rc = yarn_poll_look(&poll, cli, w->ids, w->n, w->records,
		    err)) == 0 &&
	    (left = answer(cli, w)) > 0 && !ferror(stdout) &&
	    deadline > sa_clock_ms())
		sa_run_watch_wait(&watch, deadline - sa_clock_ms());
	yarn_poll_close(&poll);
	sa_run_watch_close(&watch);
	if (rc < 0)
		return -1;
	return left > 0 && !ferror(stdout) ? give_up(cli, w, timeout, err)
					   : sa_kind_info(w->worst)->code;
}

static int
wait_operands(struct sa_cli *cli, const struct sa_store *st, const char *id,
    long long timeout, struct sa_err *err)
{
	const struct sa_strings *operands = sa_cli_operands(cli);
	struct waiting w = { .n = operands->n > 1 ? operands->n : 1 };

	w.ids = sa_xcalloc(w.n, sizeof(*w.ids));
	w.records = sa_xcalloc(w.n, sizeof(json_t *));
	w.ended = sa_xcalloc(w.n, sizeof(*w.ended));
	w.ids[0] = sa_xstrdup(id);
	for (size_t i = 1; i < w.n; i++)
		w.ids[i] = sa_xstrdup(operands->v[i]);
	int rc = wait_jobs(cli, st, &w, timeout, err);
	waiting_free(&w);
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
	if (timeout >= 0)
		sa_http_be_back(sa_clock_ms() + timeout * 1000);
	int rc = sa_run_refresh(st, id, &record, err);
	if (rc == 0)
		rc = logs ? yarn_wait_logs(cli, st, id, timeout, err)
			  : wait_operands(cli, st, id, timeout, err);
	sa_store_free(st);
	return rc;
}
