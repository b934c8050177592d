/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/cluster.h"
#include "spark/pending.h"
#include "spark/run.h"
#include "yarn.h"

#define WAIT_SECONDS_MAX 45
#define GRACE_SECONDS 10
#define KILL_SECONDS 60

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

static int
milliseconds(const struct sa_cli *cli, const char *option, int seconds)
{
	long long ms = sa_cli_int(cli, option, seconds) * 1000;

	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* One application beside the job's own. */
static int
kill_one(struct sa_cli *cli, struct sa_follow *f, const char *id, json_t **out,
    struct sa_err *err)
{
	const char *application = sa_cli_str(cli, "application");
	cleanup_free char *state = NULL;

	if (sa_follow_kill_one(f, id, application, sa_cli_flag(cli, "force"),
		milliseconds(cli, "timeout", KILL_SECONDS), out, &state,
		err) < 0)
		return -1;
	sa_cli_say(cli, "%s is %s; the job goes on", application, state);
	return 0;
}

static int
kill_job(struct sa_cli *cli, struct sa_follow *f, const char *id, json_t **out,
    struct sa_err *err)
{
	bool ended;

	if (sa_follow_kill(f, id, sa_cli_flag(cli, "force"),
		milliseconds(cli, "grace", GRACE_SECONDS),
		milliseconds(cli, "timeout", KILL_SECONDS), out, &ended,
		err) < 0)
		return -1;
	const char *state = sa_json_str(*out, "state");
	if (ended)
		sa_cli_say(cli, "%s had ended before: %s", id, state);
	else if (strcmp(state, "KILLED") != 0)
		sa_cli_say(cli, "%s ended by itself: %s", id, state);
	return 0;
}

static int
kill_(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;

	if (yarn_excluded(cli, "application", "grace", err) < 0 ||
	    yarn_job(cli, &id, err) < 0)
		return -1;
	const struct sa_settings *settings = sa_cli_settings(cli);
	struct sa_store *st = sa_store_open(settings, false, err);
	if (st == NULL)
		return -1;
	struct sa_follow *f = sa_follow_new(st, settings);
	int rc = sa_cli_given(cli, "application")
	    ? kill_one(cli, f, id, &record, err)
	    : kill_job(cli, f, id, &record, err);
	sa_follow_free(f);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	return sa_cli_answer(cli, record, sa_run_text);
}

/* What sa-supervise executes in place of spark-submit where a launch needs the
 * network. */
static int
launch(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_settings *settings = sa_cli_settings(cli);
	const char *id = sa_cli_operands(cli)->v[0];
	json_auto_t *job = NULL, *pending = NULL;
	struct sa_cluster *c = NULL;

	struct sa_store *st = sa_store_open(settings, false, err);
	if (st == NULL)
		return -1;
	int rc = sa_run_read(st, id, &job, err);
	if (rc == 0)
		rc = sa_pending_read(st, sa_json_str(job, "pending_id"),
		    &pending, err);
	if (rc == 0)
		rc = sa_cluster_open(st, settings, job, &c, err);
	if (rc == 0 && (c == NULL || c->ops->launch == NULL))
		rc = sa_err_set(err, SA_INVALID,
		    "job '%s' is launched by spark-submit alone", id);
	else if (rc == 0)
		rc = c->ops->launch(c, pending, job, err);
	sa_cluster_close(c);
	sa_store_free(st);
	return rc;
}

static const struct sa_verb verbs[] = {
	{ "status", "[JOB]", 0, 1, SA_VERB_REQUEST, "job_id",
	    "a job's record, as things stand now", yarn_status },
	{ "list", "", 0, 0, SA_VERB_REQUEST, NULL, "all jobs, the newest first",
	    yarn_list },
	{ "wait", "[JOB...]", 0, -1, SA_VERB_REQUEST, "job_id",
	    "wait for the end of jobs; exits with their verdict", yarn_wait },
	{ "logs", "[JOB]", 0, 1, SA_VERB_REQUEST, "job_id",
	    "what a job's driver wrote", yarn_logs },
	{ "kill", "[JOB]", 0, 1, SA_VERB_REQUEST, "job_id",
	    "end a job, on its cluster and with all its processes", kill_ },
	{ "check", "", 0, 0, SA_VERB_REQUEST, NULL,
	    "whether ResourceManagers can be reached, and how they are",
	    yarn_check },
	{ "hosts", "URL", 1, 1, SA_VERB_HIDDEN, NULL,
	    "whether an agent may name these ResourceManagers, or this master",
	    yarn_hosts },
	{ "launch", "JOB", 1, 1, SA_VERB_HIDDEN, NULL,
	    "what a launch needs of the network", launch },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "wait-seconds", 0, SA_OPT_INT, SA_OPT_REQUEST, "status", "N",
	    "wait so long for the job's end; 0 whether it came or not", 0,
	    WAIT_SECONDS_MAX },
	{ "reconcile", 0, SA_OPT_FLAG, 0, "status", NULL,
	    "find the application of a job whose id was lost", 0, 0 },
	{ "grace-seconds", 0, SA_OPT_INT, 0, "status", "N",
	    "with --reconcile: until what is not found is LOST (60)", 0, 3600 },
	{ "timeout", 't', SA_OPT_INT, SA_OPT_REQUEST, "wait,kill,list",
	    "SECONDS",
	    "wait so long at most; then exit 75 (kill: 60), list: show what "
	    "was seen before (15)",
	    0, 31536000 },
	{ "logs", 'l', SA_OPT_FLAG, 0, "wait", NULL,
	    "the driver's output on stdout as it comes, the verdict on stderr",
	    0, 0 },
	{ "stream", 's', SA_OPT_STRING, SA_OPT_REQUEST, "wait,logs", "NAME",
	    "stdout (the default: the program's output and Python's errors), "
	    "stderr (Spark's log), all, submit (what spark-submit said) or "
	    "prelaunch (a container's start)",
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
	{ "executors", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "logs", NULL,
	    "the executors' logs too, each behind a heading", 0, 0 },
	{ "all", 0, SA_OPT_FLAG, 0, "logs", NULL,
	    "both streams of all containers of all attempts", 0, 0 },
	{ "output", 'o', SA_OPT_STRING, 0, "logs", "FILE",
	    "into a file, which is there whole or not at all", 0, 0 },
	{ "max-bytes", 0, SA_OPT_INT, 0, "logs", "N",
	    "write so many bytes of a stream to the file, the newest "
	    "(268435456)",
	    1, 1LL << 50 },
	{ "grace", 0, SA_OPT_INT, SA_OPT_REQUEST, "kill", "SECONDS",
	    "time between TERM and KILL (10)", 0, 3600 },
	{ "application", 0, SA_OPT_STRING, SA_OPT_REQUEST, "kill", "ID",
	    "only this one of several that carry the job's tag, and not the "
	    "job's own",
	    0, 0 },
	{ "force", 0, SA_OPT_FLAG, 0, "kill", NULL,
	    "also an application that does not carry the job's tag", 0, 0 },
	{ "connection", 'c', SA_OPT_STRING, SA_OPT_REQUEST, "check", "NAME",
	    "the cluster of this connection", 0, 0 },
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
