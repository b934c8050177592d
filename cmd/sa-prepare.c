/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/record.h"
#include "base/text.h"
#include "guard/guard.h"
#include "spark/audit.h"
#include "spark/pending.h"
#include "spark/prepare.h"
#include "spark/prune.h"

static void
line(FILE *f, const char *title, const char *text)
{
	cleanup_free char *visible = sa_text_visible(text ? text : "-");

	fprintf(f, "%-12s %s\n", title, visible);
}

static void
pending_text(FILE *f, const json_t *r)
{
	const json_t *plan = sa_json_obj(r, "plan");
	const char *status = sa_json_str(r, "status");
	const char *id = sa_json_str(r, "pending_id");
	json_t *warning;
	size_t i;

	line(f, "pending", id);
	line(f, "status", status);
	line(f, "name", sa_json_str(r, "name"));
	line(f, "connection", sa_json_str(r, "connection"));
	line(f, "master", sa_json_str(plan, "master"));
	line(f, "script", sa_json_str(r, "script_path"));
	line(f, "sha256", sa_json_str(r, "script_sha256"));
	line(f, "plan", sa_json_str(r, "plan_sha256"));
	line(f, "guard", sa_json_str(sa_json_obj(r, "guard"), "verdict"));
	line(f, "created", sa_json_str(r, "created_at"));
	line(f, "expires", sa_json_str(r, "expires_at"));
	if (sa_json_str(r, "job_id") != NULL)
		line(f, "job", sa_json_str(r, "job_id"));
	if (sa_json_str(r, "reason") != NULL)
		line(f, "reason", sa_json_str(r, "reason"));
	json_array_foreach (json_object_get(r, "warnings"), i, warning)
		line(f, "warning", json_string_value(warning));
	if (status != NULL && strcmp(status, "PENDING") == 0)
		fprintf(f, "%-12s sa-confirm %s\n", "next", id);
}

static int
answer(const struct sa_cli *cli, const json_t *record)
{
	json_auto_t *shown = sa_pending_masked(record);

	return sa_cli_answer(cli, shown, pending_text);
}

/* prepare */

static int
connection(const struct sa_cli *cli, json_t **out, struct sa_err *err)
{
	const char *name = sa_cli_str(cli, "connection");

	if (name == NULL && sa_cli_request(cli) != NULL)
		return sa_err_set(err, SA_INVALID,
		    "request: the member connection is missing");
	if (name == NULL) {
		sa_err_set(err, SA_USAGE, "prepare: no connection is given");
		return sa_err_hint(err,
		    "give -c CONNECTION; sa-conn list shows them");
	}
	return sa_prepare_connection(sa_cli_settings(cli), name, out, err);
}

static int
ttl(const struct sa_cli *cli, long long *out, struct sa_err *err)
{
	const char *text = sa_cli_str(cli, "expires");

	*out = text != NULL
	    ? sa_clock_duration(text)
	    : sa_settings_number(sa_cli_settings(cli), SA_SET_PENDING_TTL);
	if (*out > 0)
		return 0;
	cleanup_free char *shown = sa_text_visible(text);
	cleanup_free char *name = sa_cli_called(cli, "expires");
	sa_err_set(err, SA_INVALID, "%s '%s' is no duration", name, shown);
	return sa_err_hint(err, "give one such as 90s, 15m, 24h or 7d");
}

/* The operand, or the script_path of a job_file record with its hash. */
static int
script(struct sa_cli *cli, char **path, json_t **record, struct sa_err *err)
{
	if (sa_cli_request(cli) != NULL && sa_cli_operands(cli)->n == 0)
		return sa_err_set(err, SA_INVALID,
		    "request: the member script_path is missing");
	if (sa_cli_subject(cli, "job_file", "script_path", path, record, err) <
	    0)
		return -1;
	if (*record != NULL && sa_json_str(*record, "sha256") == NULL)
		return sa_err_set(err, SA_INVALID,
		    "stdin: the job_file record has no sha256");
	return 0;
}

/* What the guard found, a line each; a summary is in the error or record. */
static void
explain(const json_t *report)
{
	if (json_array_size(json_object_get(report, "findings")) == 0)
		return;
	cleanup_free char *text = sa_guard_text(report, NULL, 0);
	fputs(text, stderr);
}

static void
warn(const struct sa_cli *cli, const json_t *record)
{
	json_t *warning;
	size_t i;

	explain(sa_json_obj(record, "guard"));
	json_array_foreach (json_object_get(record, "warnings"), i, warning)
		sa_cli_say(cli, "warning: %s; --with-siblings pins it",
		    json_string_value(warning));
}

/* --conf, or a request's spark_conf: one call has one of them. */
static struct sa_strings
conf(const struct sa_cli *cli)
{
	return sa_cli_list(cli,
	    sa_cli_request(cli) != NULL ? "spark-conf" : "conf");
}

static int
prepare(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_settings *s = sa_cli_settings(cli);
	const struct sa_strings *operands = sa_cli_operands(cli);
	json_auto_t *conn = NULL, *file = NULL, *pending = NULL;
	cleanup_free char *path = NULL;
	long long seconds;

	if (connection(cli, &conn, err) < 0 || ttl(cli, &seconds, err) < 0 ||
	    script(cli, &path, &file, err) < 0)
		return -1;
	struct sa_prepare p = {
		.connection = conn,
		.script = path,
		.sha256 = sa_json_str(file, "sha256"),
		.name = sa_cli_str(cli, "name"),
		.args = sa_cli_list(cli,
		    sa_cli_request(cli) != NULL ? "args" : "arg"),
		.conf = conf(cli),
		.py_files = sa_cli_list(cli, "py-files"),
		.files = sa_cli_list(cli, "files"),
		.waive = sa_cli_list(cli, "waive"),
		.workdir = sa_cli_str(cli, "workdir"),
		.key = sa_cli_str(cli, "key"),
		.ttl = seconds,
		.with_siblings = sa_cli_flag(cli, "with-siblings"),
		.strict = sa_cli_flag(cli, "strict"),
		.strict_insert = sa_cli_flag(cli, "strict-insert"),
		.unresolved = sa_cli_flag(cli, "unresolved"),
		.runtime_guard = sa_cli_flag(cli, "runtime-guard"),
	};
	if (operands->n > 1)
		p.more_args =
		    (struct sa_strings){ operands->v + 1, operands->n - 1 };
	if (sa_prepare(s, &p, &pending, err) < 0) {
		explain(err->detail);
		return -1;
	}
	sa_info("prepared %s on %s", sa_json_str(pending, "pending_id"),
	    sa_json_str(pending, "connection"));
	warn(cli, pending);
	return answer(cli, pending);
}

/* list, show */

/* arg: whether the list is brief. */
static bool
fix(void *arg, const char *name, json_t *record, bool *changed)
{
	const bool *brief = arg;

	(void)name;
	*changed = sa_pending_expire(record);
	if (*brief) {
		json_object_del(record, "plan");
		*changed = true;
		json_t *guard = sa_json_obj(record, "guard");
		json_object_del(guard, "findings");
		json_object_del(guard, "statements");
	}
	if (!sa_json_bool(record, "secret", false))
		return true;
	json_auto_t *shown = sa_pending_masked(record);
	json_object_update(record, shown);
	*changed = true;
	return true;
}

static bool
plain(void *arg, const char *text, size_t len)
{
	(void)arg;
	return sa_pending_is_plain(text, len);
}

static int
list(struct sa_cli *cli, struct sa_err *err)
{
	static const struct sa_column columns[] = { { "PENDING", "pending_id" },
		{ "STATUS", "status" }, { "CONNECTION", "connection" },
		{ "NAME", "name" }, { "GUARD", "guard.verdict" },
		{ "CREATED", "created_at" }, { "JOB", "job_id" },
		{ NULL, NULL } };
	bool brief = sa_cli_flag(cli, "brief");
	const struct sa_record_list l = { .dir = "pending",
		.descending = true,
		.types = "pending",
		.type = "pending",
		.columns = columns,
		.fix = fix,
		.plain = brief ? NULL : plain,
		.arg = &brief };
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);

	if (st == NULL)
		return -1;
	int rc = sa_record_list(st, cli, &l, err);
	sa_store_free(st);
	return rc;
}

/* The id of an operand, a request or a piped record. */
static int
subject(struct sa_cli *cli, char **id, struct sa_err *err)
{
	if (sa_cli_request(cli) != NULL && sa_cli_operands(cli)->n == 0)
		return sa_err_set(err, SA_INVALID,
		    "request: the member pending_id is missing");
	return sa_cli_subject(cli, "pending,approval,job", "pending_id", id,
	    NULL, err);
}

static int
show(struct sa_cli *cli, struct sa_err *err)
{
	bool reveal = sa_cli_flag(cli, "reveal");
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;

	if (reveal && !isatty(STDOUT_FILENO))
		return sa_err_set(err, SA_USAGE,
		    "--reveal shows secrets at a terminal only");
	if (subject(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = sa_pending_read(st, id, &record, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	/* the text for people has no secrets: they want the record */
	return reveal ? sa_cli_answer(cli, record, NULL) : answer(cli, record);
}

/* cancel */

static int
cancel_locked(const struct sa_store *st, const struct sa_settings *s,
    json_t *record, const char *why, struct sa_err *err)
{
	const char *id = sa_json_str(record, "pending_id");
	const char *plan = sa_json_str(record, "plan_sha256");

	if (sa_pending_must_be_open(record, err) < 0 ||
	    sa_audit_add(st, s, "cancel", id, plan, why, err) < 0)
		return -1;
	sa_json_set_str(record, "status", "CANCELLED");
	sa_json_set_str(record, "reason", why != NULL ? why : "cancelled");
	if (sa_pending_write(st, record, err) < 0)
		return -1;
	return sa_audit_add(st, s, "cancelled", id, plan, why, err);
}

static int
cancel(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_settings *s = sa_cli_settings(cli);
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;
	cleanup_fd int lock = -1;

	if (subject(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(s, false, err);
	if (st == NULL)
		return -1;
	int rc = sa_pending_lock(st, id, &lock, &record, err);
	if (rc == 0)
		rc = cancel_locked(st, s, record, sa_cli_str(cli, "reason"),
		    err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	sa_info("cancelled %s", id);
	json_auto_t *shown = sa_pending_masked(record);
	sa_event(s, "cancelled", shown);
	return sa_cli_answer(cli, shown, pending_text);
}

/* prune */

static void
prune_text(FILE *f, const json_t *r)
{
	bool dry_run = sa_json_bool(r, "dry_run", false);
	json_t *item;
	size_t i;

	json_array_foreach (json_object_get(r, "items"), i, item)
		fprintf(f, "%s %s %s (%s)\n",
		    dry_run ? "would remove" : "removed",
		    sa_json_str(item, "what"), sa_json_str(item, "id"),
		    sa_json_str(item, "reason"));
}

static int
prune(struct sa_cli *cli, struct sa_err *err)
{
	const char *text = sa_cli_str(cli, "older-than");
	long long age = sa_clock_duration(text != NULL ? text : "30d");
	json_auto_t *report = NULL;

	if (age < 0) {
		cleanup_free char *shown = sa_text_visible(text);
		sa_err_set(err, SA_INVALID, "--older-than '%s' is no duration",
		    shown);
		return sa_err_hint(err, "give one such as 15m, 24h or 30d");
	}
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = sa_prune(st, sa_cli_settings(cli), age,
	    sa_cli_flag(cli, "dry-run"), &report, err);
	sa_store_free(st);
	return rc < 0 ? -1 : sa_cli_answer(cli, report, prune_text);
}

static const struct sa_verb verbs[] = {
	{ "prepare", "[SCRIPT [ARG...]]", 0, -1, SA_VERB_STOP | SA_VERB_REQUEST,
	    "script_path",
	    "check a script and pin it with all that it runs on, to be "
	    "confirmed by sa-confirm; a script comes from sa-genjob or is a "
	    "file of this host",
	    prepare },
	{ "list", "", 0, 0, SA_VERB_REQUEST, NULL, "the pendings, newest first",
	    list },
	{ "show", "[ID]", 0, 1, SA_VERB_REQUEST, "pending_id",
	    "one pending, secrets masked", show },
	{ "cancel", "[ID]", 0, 1, SA_VERB_REQUEST, "pending_id",
	    "make a PENDING one impossible to confirm", cancel },
	{ "prune", "", 0, 0, 0, NULL,
	    "remove ended pendings and runs, and what was left half made",
	    prune },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "connection", 'c', SA_OPT_STRING, SA_OPT_REQUEST, "prepare", "NAME",
	    "the connection to run on, saved by sa-conn", 0, 0 },
	{ "name", 'n', SA_OPT_STRING, SA_OPT_REQUEST, "prepare", "NAME",
	    "name of the application; default the script's", 0, 0 },
	{ "arg", 'a', SA_OPT_LIST, 0, "prepare", "ARG",
	    "an argument of the script, before those behind SCRIPT; may be "
	    "repeated",
	    0, 0 },
	{ "args", 0, SA_OPT_LIST, SA_OPT_MEMBER, "prepare", "ARG",
	    "arguments of the script", 0, 0 },
	{ "py-files", 0, SA_OPT_LIST, 0, "prepare", "FILE",
	    "a .py, .zip or .egg that the script imports from; may be repeated",
	    0, 0 },
	{ "files", 0, SA_OPT_LIST, 0, "prepare", "FILE",
	    "a file that the script reads; may be repeated", 0, 0 },
	{ "conf", 0, SA_OPT_MAP, 0, "prepare", "KEY=VALUE",
	    "a Spark property, over the connection's; may be repeated", 0, 0 },
	{ "spark-conf", 0, SA_OPT_MAP, SA_OPT_MEMBER, "prepare", "KEY=VALUE",
	    "Spark properties, over the connection's", 0, 0 },
	{ "workdir", 0, SA_OPT_STRING, 0, "prepare", "DIR",
	    "directory to run in; default the current one", 0, 0 },
	{ "with-siblings", 0, SA_OPT_FLAG, 0, "prepare", NULL,
	    "pin the modules beside the script that it imports", 0, 0 },
	{ "key", 'k', SA_OPT_STRING, SA_OPT_REQUEST, "prepare", "KEY",
	    "the same key and plan give the same pending again", 0, 0 },
	{ "expires", 0, SA_OPT_STRING, SA_OPT_REQUEST, "prepare", "DURATION",
	    "how long it may be confirmed, such as 90s, 15m, 24h", 0, 0 },
	{ "strict", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "prepare", NULL,
	    "the guard refuses what it would warn of", 0, 0 },
	{ "strict-insert", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "prepare", NULL,
	    "the guard refuses INSERT OVERWRITE", 0, 0 },
	{ "unresolved", 0, SA_OPT_FLAG, 0, "prepare", NULL,
	    "the guard only warns of SQL that it cannot resolve", 0, 0 },
	{ "runtime-guard", 0, SA_OPT_FLAG, 0, "prepare", NULL,
	    "Spark's own parser judges each SQL text as it is executed", 0, 0 },
	{ "waive", 0, SA_OPT_LIST, 0, "prepare", "RULE:LINE",
	    "let a finding of the guard pass, or forced:KEY a property that "
	    "it sets; may be repeated",
	    0, 0 },
	{ "brief", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "list", NULL,
	    "without plans, and without what the guard said of each statement",
	    0, 0 },
	{ "reveal", 0, SA_OPT_FLAG, 0, "show", NULL,
	    "the record with its secrets, at a terminal only", 0, 0 },
	{ "reason", 0, SA_OPT_STRING, SA_OPT_REQUEST, "cancel", "TEXT",
	    "why, for the record", 0, 0 },
	{ "older-than", 0, SA_OPT_STRING, 0, "prune", "DURATION",
	    "what ended so long ago; default 30d", 0, 0 },
	{ "dry-run", 0, SA_OPT_FLAG, 0, "prune", NULL,
	    "say what would go, and leave it", 0, 0 },
	SA_CLI_LIST_OPTS("list"),
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = "sa-prepare",
	.summary = "Makes a script ready to be confirmed: checked, pinned, "
		   "hashed, not run.",
	.verbs = verbs,
	.opts = opts,
	.at_terminal = NULL,
	.otherwise = "prepare",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
