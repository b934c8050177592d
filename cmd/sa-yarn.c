/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/run.h"
#include "spark/runkill.h"
#include "spark/runwatch.h"
#include "yarn.h"

#define WAIT_SECONDS_MAX 45
#define GRACE_SECONDS 10

int
yarn_job(struct sa_cli *cli, char **id, struct sa_err *err)
{
	const struct sa_strings *operands = sa_cli_operands(cli);
	json_auto_t *record = NULL;

	if (operands->n > 0 && strcmp(operands->v[0], "-") != 0) {
		*id = sa_xstrdup(operands->v[0]);
		return 0;
	}
	if (sa_cli_request(cli) != NULL)
		return sa_err_set(err, SA_INVALID,
		    "request: the member job_id is missing");
	if (sa_cli_record(cli, "job,pending", &record, err) < 0)
		return -1;
	const char *job = sa_json_str(record, "job_id");
	const char *pending = sa_json_str(record, "pending_id");
	if (job == NULL) {
		sa_err_set(err, SA_INVALID, "stdin: the record has no job_id");
		return pending == NULL
		    ? -1
		    : sa_err_hint(err, "submit it first: sa-confirm %s",
			  pending);
	}
	*id = sa_xstrdup(job);
	return 0;
}

/* The record, once it is final or the time is over. */
static int
refresh_until(const struct sa_store *st, const char *id, long long ms,
    json_t **out, struct sa_err *err)
{
	long long deadline = sa_clock_ms() + ms, left;
	struct sa_run_watch w;
	int rc;

	sa_run_watch_open(&w);
	if (ms > 0)
		sa_run_watch_add(&w, st, id, false);
	while ((rc = sa_run_refresh(st, id, out, err)) == 0 &&
	    !sa_run_is_final(sa_json_str(*out, "state")) &&
	    (left = deadline - sa_clock_ms()) > 0) {
		json_decref(*out);
		*out = NULL;
		sa_run_watch_wait(&w, left);
	}
	sa_run_watch_close(&w);
	return rc;
}

static int
status(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;

	if (yarn_job(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = refresh_until(st, id,
	    sa_cli_int(cli, "wait-seconds", 0) * 1000, &record, err);
	sa_store_free(st);
	return rc < 0 ? -1 : sa_cli_answer(cli, record, sa_run_text);
}

/* Records that are final stand as they are; the others are looked after. */
static bool
fix(void *arg, const char *name, json_t *record, bool *changed)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *fresh = NULL;

	if (sa_run_is_final(sa_json_str(record, "state")))
		return true;
	if (sa_run_refresh(arg, name, &fresh, &err) < 0) {
		sa_warn("not refreshed: %s", err.msg);
		sa_err_clear(&err);
		return true;
	}
	json_object_update(record, fresh);
	*changed = true;
	return true;
}

static int
list(struct sa_cli *cli, struct sa_err *err)
{
	static const struct sa_column columns[] = { { "JOB", "job_id" },
		{ "STATE", "state" }, { "NAME", "name" },
		{ "CONNECTION", "connection" }, { "SUBMITTED", "submitted_at" },
		{ "FINISHED", "finished_at" }, { "EXIT", "exit_code" },
		{ NULL, NULL } };
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	struct sa_record_list l = { .dir = "runs",
		.descending = true,
		.types = "job",
		.type = "job",
		.columns = columns,
		.fix = fix,
		.arg = st };

	if (st == NULL)
		return -1;
	int rc = sa_record_list(st, cli, &l, err);
	sa_store_free(st);
	return rc;
}

static int
kill_(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;
	bool ended;

	if (yarn_job(cli, &id, err) < 0)
		return -1;
	const struct sa_settings *settings = sa_cli_settings(cli);
	struct sa_store *st = sa_store_open(settings, false, err);
	if (st == NULL)
		return -1;
	int grace_ms = (int)sa_cli_int(cli, "grace", GRACE_SECONDS) * 1000;
	int rc = sa_run_kill(st, settings, id, grace_ms, &record, &ended, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	const char *state = sa_json_str(record, "state");
	if (ended)
		sa_cli_say(cli, "%s had ended before: %s", id, state);
	else if (strcmp(state, "KILLED") != 0)
		sa_cli_say(cli, "%s ended by itself: %s", id, state);
	return sa_cli_answer(cli, record, sa_run_text);
}

static const struct sa_verb verbs[] = {
	{ "status", "[JOB]", 0, 1, SA_VERB_REQUEST, "job_id",
	    "a job's record, as things stand now", status },
	{ "list", "", 0, 0, SA_VERB_REQUEST, NULL, "all jobs, the newest first",
	    list },
	{ "wait", "[JOB...]", 0, -1, SA_VERB_REQUEST, "job_id",
	    "wait for the end of jobs; exits with their verdict", yarn_wait },
	{ "logs", "[JOB]", 0, 1, SA_VERB_REQUEST, "job_id",
	    "what a job's driver wrote", yarn_logs },
	{ "kill", "[JOB]", 0, 1, SA_VERB_REQUEST, "job_id",
	    "end a job's driver with all its processes", kill_ },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "wait-seconds", 0, SA_OPT_INT, SA_OPT_REQUEST, "status", "N",
	    "wait so long for the job's end; 0 whether it came or not", 0,
	    WAIT_SECONDS_MAX },
	{ "timeout", 't', SA_OPT_INT, SA_OPT_REQUEST, "wait", "SECONDS",
	    "wait so long at most; then exit 75", 0, 31536000 },
	{ "logs", 'l', SA_OPT_FLAG, 0, "wait", NULL,
	    "the driver's output on stdout as it comes, the verdict on stderr",
	    0, 0 },
	{ "stream", 's', SA_OPT_STRING, SA_OPT_REQUEST, "wait,logs", "NAME",
	    "stdout (the default: the program's output and Python's errors), "
	    "stderr (Spark's log) or all",
	    0, 0 },
	{ "follow", 'f', SA_OPT_FLAG, 0, "logs", NULL,
	    "go on until the job has ended", 0, 0 },
	{ "tail", 'n', SA_OPT_INT, SA_OPT_REQUEST, "logs", "N",
	    "the last N lines only", 0, 1000000000 },
	{ "head", 0, SA_OPT_INT, SA_OPT_REQUEST, "logs", "N",
	    "the first N lines only", 0, 1000000000 },
	{ "bytes", 0, SA_OPT_INT, SA_OPT_REQUEST, "logs", "N",
	    "N bytes at most: the newest, or the first of --head or --offset",
	    1, 64 * 1024 * 1024 },
	{ "offset", 0, SA_OPT_INT, SA_OPT_REQUEST, "logs", "N",
	    "go on from this byte, the \"next\" of a job_log", 0, 1LL << 53 },
	{ "grace", 0, SA_OPT_INT, SA_OPT_REQUEST, "kill", "SECONDS",
	    "time between TERM and KILL (10)", 0, 3600 },
	SA_CLI_LIST_OPTS("list"),
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = "sa-yarn",
	.summary = "Jobs that sa-confirm started: their state, their end, "
		   "their output.",
	.verbs = verbs,
	.opts = opts,
	.at_terminal = "list",
	.otherwise = "status",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
