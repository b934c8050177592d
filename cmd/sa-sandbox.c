/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "base/text.h"
#include "sandbox/attach.h"

void
sandbox_members(FILE *f, const json_t *record, const char *const *members)
{
	for (; *members != NULL; members++) {
		const char *value = sa_json_str(record, *members);
		if (value == NULL)
			continue;
		cleanup_free char *shown = sa_text_visible(value);
		fprintf(f, "%-11s %s\n", *members, shown);
	}
}

static void
sandbox_text(FILE *f, const json_t *record)
{
	static const char *const members[] = { "sandbox", "backend", "state",
		"owner", "holder", "workdir", "created_at", "expires_at",
		NULL };

	sandbox_members(f, record, members);
}

static int
answer_record(struct sa_cli *cli, const struct sandbox *s, struct sa_err *err)
{
	json_auto_t *record = s->b->record(s->box, err);

	if (record == NULL)
		return -1;
	return sa_cli_answer(cli, record, sandbox_text);
}

static int
create(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	struct sa_spec spec;

	if (sandbox_spec(cli, &spec, err) < 0)
		return -1;
	int rc = sandbox_create(cli, &spec, &s, err);
	sa_spec_free(&spec);
	return rc < 0 ? -1 : answer_record(cli, &s, err);
}

struct listing {
	struct sa_lister *list;
	const char *after;
	bool full;
};

static bool
list_one(const json_t *record, void *ctx)
{
	struct listing *l = ctx;
	const char *name = sa_json_str(record, "sandbox");

	if (name != NULL && (l->after == NULL || strcmp(name, l->after) > 0))
		l->full = !sa_list_add(l->list, name, record, NULL, 0);
	return !l->full;
}

/* Those that are of no use any more are not listed, and are still there. */
static void
say_ended(struct sa_cli *cli)
{
	json_auto_t *items = json_array();
	struct sa_err err = SA_ERR_INIT;

	for (const struct sa_backend *const *b = sa_backends(); *b != NULL; b++)
		if ((*b)->gc != NULL)
			(void)(*b)->gc(sa_cli_settings(cli), true, items, &err);
	sa_err_clear(&err);
	if (json_array_size(items) > 0)
		sa_cli_say(cli,
		    "%zu that expired or are broken are not listed; "
		    "'sa-sandbox gc' removes them",
		    json_array_size(items));
}

static int
list(struct sa_cli *cli, struct sa_err *err)
{
	static const struct sa_column columns[] = { { "SANDBOX", "sandbox" },
		{ "BACKEND", "backend" }, { "STATE", "state" },
		{ "OWNER", "owner" }, { "HOLDER", "holder" },
		{ "CREATED", "created_at" }, { "EXPIRES", "expires_at" },
		{ NULL, NULL } };
	struct listing l = { .after = sa_cli_str(cli, "after") };
	struct sa_err failure = SA_ERR_INIT;

	if (sa_cli_operands(cli)->n > 0)
		return sandbox_list_execs(cli, err);
	l.list = sa_list_begin(cli, "sandbox", columns);
	for (const struct sa_backend *const *b = sa_backends();
	     *b != NULL && !l.full; b++)
		if ((*b)->each != NULL &&
		    (*b)->each(sa_cli_settings(cli), list_one, &l, &failure) <
			0) {
			sa_cli_say(cli, "those of '%s' are not listed: %s",
			    (*b)->name, failure.msg);
			sa_err_clear(&failure);
		}
	(void)err;
	say_ended(cli);
	return sa_list_end(l.list);
}

/* Who asks for a claim has to say who it is. */
static int
holder_of(const struct sa_cli *cli, const char **holder, struct sa_err *err)
{
	*holder = sa_cli_str(cli, "holder");
	if (*holder != NULL && **holder != '\0' && strlen(*holder) <= 256)
		return 0;
	cleanup_free char *called = sa_cli_called(cli, "holder");
	return sa_err_set(err, SA_USAGE,
	    "%s is missing: who holds the sandbox, in 1 to 256 bytes", called);
}

/* The sandbox, whoever holds it. */
static int
find_any(struct sa_cli *cli, struct sandbox *s, struct sa_err *err)
{
	cleanup_free char *name = NULL;

	if (sa_cli_subject(cli, SANDBOX_RECORDS, "sandbox", &name, NULL, err) <
		0 ||
	    sa_attach_check_name(name, err) < 0)
		return -1;
	return sandbox_find(cli, name, s, err);
}

static int
attach(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	cleanup_tags struct sa_box_tags tags = { .owner = NULL };
	const char *holder;

	if (holder_of(cli, &holder, err) < 0 || find_any(cli, &s, err) < 0 ||
	    sa_attach(s.b, s.box, sa_cli_str(cli, "owner"), holder, &tags,
		err) < 0)
		return -1;
	return answer_record(cli, &s, err);
}

static int
release(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	const char *holder;

	if (holder_of(cli, &holder, err) < 0 || find_any(cli, &s, err) < 0 ||
	    sa_release(s.b, s.box, holder, err) < 0)
		return -1;
	return answer_record(cli, &s, err);
}

/* What of one that cannot be used any more is left. */
static int
discard(const struct sa_cli *cli, const char *name, struct sa_err *err)
{
	for (const struct sa_backend *const *b = sa_backends(); *b != NULL; b++)
		if ((*b)->discard != NULL &&
		    (*b)->discard(sa_cli_settings(cli), name, err) < 0)
			return -1;
	return 0;
}

/* One that is gone already is no failure. */
static int
destroy_one(struct sa_cli *cli, const char *name, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	struct sa_err why = SA_ERR_INIT;
	json_auto_t *record = sa_json_record("sandbox");

	if (sa_attach_check_name(name, err) < 0)
		return -1;
	int rc = sandbox_find(cli, name, &s, &why);
	if (rc < 0 && why.kind != SA_REFUSED) {
		sa_err_clear(&why);
		if (discard(cli, name, err) < 0)
			return -1;
		rc = sandbox_find(cli, name, &s, &why);
	}
	if (rc < 0 && why.kind != SA_NOT_FOUND) {
		*err = why;
		return -1;
	}
	sa_err_clear(&why);
	if (s.box != NULL) {
		json_t *found = s.b->record(s.box, NULL);
		json_object_update_missing(record, found);
		json_decref(found);
		if (s.b->destroy(s.box, err) < 0)
			return -1;
	}
	sa_json_set_str(record, "sandbox", name);
	sa_json_set_str(record, "state", "destroyed");
	return sa_cli_answer(cli, record, sandbox_text);
}

static int
destroy(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_strings *words = sa_cli_operands(cli);
	cleanup_free char *name = NULL;

	if (words->n < 2) {
		if (sa_cli_subject(cli, SANDBOX_RECORDS, "sandbox", &name, NULL,
			err) < 0)
			return -1;
		return destroy_one(cli, name, err);
	}
	for (size_t i = 0; i < words->n; i++)
		if (sa_attach_check_name(words->v[i], err) < 0)
			return -1;
	for (size_t i = 0; i < words->n; i++)
		if (destroy_one(cli, words->v[i], err) < 0)
			return -1;
	return 0;
}

static void
gc_text(FILE *f, const json_t *record)
{
	const json_t *items = json_object_get(record, "items"), *item;
	size_t i;

	if (json_array_size(items) == 0)
		fprintf(f, "Nothing is left over.\n");
	json_array_foreach (items, i, item) {
		cleanup_free char *name =
		    sa_text_visible(sa_json_str(item, "sandbox"));
		cleanup_free char *why =
		    sa_text_visible(sa_json_str(item, "why"));
		fprintf(f, "%s: %s\n", name, why);
	}
}

static int
gc(struct sa_cli *cli, struct sa_err *err)
{
	bool dry_run = sa_cli_flag(cli, "dry-run");
	json_auto_t *record = sa_json_record("gc_report");
	json_t *items = json_array();

	json_object_set_new(record, "dry_run", json_boolean(dry_run));
	json_object_set_new(record, "items", items);
	if (sa_session_gc(sa_cli_settings(cli), dry_run, items, err) < 0)
		return -1;
	for (const struct sa_backend *const *b = sa_backends(); *b != NULL; b++)
		if ((*b)->gc != NULL &&
		    (*b)->gc(sa_cli_settings(cli), dry_run, items, err) < 0)
			return -1;
	return sa_cli_answer(cli, record, gc_text);
}

static int
check(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *record = sa_check_new("sandbox");

	(void)err;
	for (const struct sa_backend *const *b = sa_backends(); *b != NULL; b++)
		if ((*b)->check != NULL)
			(*b)->check(sa_cli_settings(cli), record);
	sa_cli_answer(cli, record, sa_check_text);
	return sa_check_ok(record) ? 0 : sa_kind_info(SA_NO)->code;
}

static const struct sa_verb verbs[] = {
	{ "create", "", 0, 0, SA_VERB_REQUEST, NULL, "make a sandbox", create },
	{ "exec", "CMD [ARG...]", 1, -1, SA_VERB_STOP | SA_VERB_REQUEST,
	    "command", "run a command, in a new sandbox unless one is given",
	    sandbox_exec },
	{ "read", "SANDBOX PATH", 2, 2, SA_VERB_REQUEST | SA_VERB_GAPS,
	    "sandbox,path", "print a file of a sandbox", sandbox_read },
	{ "write", "SANDBOX PATH", 2, 2, SA_VERB_REQUEST | SA_VERB_GAPS,
	    "sandbox,path",
	    "put stdin into a file of a sandbox, whole or not at all",
	    sandbox_write },
	{ "ls", "[SANDBOX [PATH]]", 0, 2, SA_VERB_REQUEST | SA_VERB_GAPS,
	    "sandbox,path", "the entries of a directory", sandbox_ls },
	{ "logs", "[SANDBOX [EXEC]]", 0, 2, SA_VERB_REQUEST, "sandbox,exec",
	    "what a detached command wrote", sandbox_logs },
	{ "wait", "[SANDBOX [EXEC]]", 0, 2, SA_VERB_REQUEST, "sandbox,exec",
	    "wait for the end of a detached command; exits with its status",
	    sandbox_wait },
	{ "kill", "[SANDBOX EXEC]", 0, 2, SA_VERB_REQUEST, "sandbox,exec",
	    "end a detached command, with all that it left", sandbox_kill },
	{ "list", "[SANDBOX]", 0, 1, SA_VERB_REQUEST, "sandbox",
	    "all sandboxes, or the detached commands of one", list },
	{ "attach", "[SANDBOX]", 0, 1, SA_VERB_REQUEST, "sandbox",
	    "have a sandbox of one's owner to oneself", attach },
	{ "release", "[SANDBOX]", 0, 1, SA_VERB_REQUEST, "sandbox",
	    "let go of it", release },
	{ "destroy", "[SANDBOX...]", 0, -1, SA_VERB_REQUEST, "sandbox",
	    "end what runs in a sandbox, and remove it", destroy },
	{ "tools", "", 0, 0, SA_VERB_HIDDEN, NULL,
	    "what sa-mcp is to offer models, as a catalogue", sandbox_tools },
	{ "gc", "", 0, 0, 0, NULL,
	    "remove what has expired, and what was left by an accident", gc },
	{ "check", "", 0, 0, 0, NULL,
	    "what this host can enforce, and what not", check },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

#define MAKES "create,exec"
#define USES "exec,read,write,ls,logs,wait,kill,list,attach,release"
static const struct sa_opt opts[] = {
	{ "in", 0, SA_OPT_STRING, 0, "exec", "SANDBOX",
	    "run in this sandbox, which stays", 0, 0 },
	{ "sandbox", 0, SA_OPT_STRING, SA_OPT_MEMBER, "exec", "SANDBOX",
	    "the same, of a request", 0, 0 },
	{ "session", 0, SA_OPT_FLAG, 0, "exec,read,write,ls", NULL,
	    "in the sandbox of a model's session, which sa-mcp sets", 0, 0 },
	{ "timeout", 't', SA_OPT_STRING, 0, "exec,wait,kill", "TIME",
	    "end it after so many seconds, or 15m, 24h (60); wait, kill: wait "
	    "so long at most, then exit 75",
	    0, 0 },
	{ "timeout-seconds", 0, SA_OPT_NUMBER, SA_OPT_MEMBER, "exec,wait,kill",
	    "N", "the same, of a request", 0, 0 },
	{ "interactive", 'i', SA_OPT_FLAG, 0, "exec", NULL,
	    "the command reads our stdin, which is no record then", 0, 0 },
	{ "pty", 0, SA_OPT_FLAG, 0, "exec", NULL,
	    "the command runs on a terminal of its own, and reads our stdin", 0,
	    0 },
	{ "detach", 'd', SA_OPT_FLAG, SA_OPT_REQUEST, "exec", NULL,
	    "return once the command runs; see logs, wait and kill", 0, 0 },
	{ "follow", 'f', SA_OPT_FLAG, 0, "logs", NULL,
	    "go on until the command has ended", 0, 0 },
	{ "text", 0, SA_OPT_FLAG, 0, "exec,read,write,ls,logs,wait,kill", NULL,
	    "the answer as the text that models read", 0, 0 },
	{ "env", 'e', SA_OPT_MAP, SA_OPT_REQUEST, MAKES, "NAME=VALUE",
	    "a variable of every command; may be repeated", 0, 0 },
	{ "env-file", 0, SA_OPT_STRING, 0, MAKES, "FILE",
	    "variables, one NAME=VALUE a line", 0, 0 },
	{ "open-network", 0, SA_OPT_FLAG, 0, MAKES, NULL,
	    "let it reach any network; none by default", 0, 0 },
	{ "allow-egress", 0, SA_OPT_LIST, 0, MAKES, "HOST",
	    "let it reach this host[:PORT]; may be repeated", 0, 0 },
	{ "allow-cidr", 0, SA_OPT_LIST, 0, MAKES, "RANGE",
	    "let it reach these IPv4 addresses; may be repeated", 0, 0 },
	{ "memory", 'm', SA_OPT_STRING, SA_OPT_REQUEST, MAKES, "SIZE",
	    "at most so much memory, such as 512M", 0, 0 },
	{ "cpus", 0, SA_OPT_NUMBER, SA_OPT_REQUEST, MAKES, "N",
	    "at most so many processors, such as 1.5", 0, 0 },
	{ "pids", 0, SA_OPT_NUMBER, SA_OPT_REQUEST, MAKES, "N",
	    "at most so many processes", 0, 0 },
	{ "disk", 0, SA_OPT_STRING, SA_OPT_REQUEST, MAKES, "SIZE",
	    "at most so much in its files", 0, 0 },
	{ "expires", 0, SA_OPT_STRING, SA_OPT_REQUEST, MAKES, "TIME",
	    "end it after this time, such as 15m or 24h", 0, 0 },
	{ "workdir", 'w', SA_OPT_STRING, SA_OPT_REQUEST, MAKES, "DIR",
	    "where commands start and relative paths begin", 0, 0 },
	{ "ro", 0, SA_OPT_LIST, 0, MAKES, "PATH",
	    "a path of this host to be seen there, read only; may be repeated",
	    0, 0 },
	{ "root", 0, SA_OPT_STRING, 0, MAKES, "DIR",
	    "a root tree in place of this host's /usr", 0, 0 },
	{ "backend", 0, SA_OPT_STRING, 0, MAKES, "NAME",
	    "what makes the sandbox; local by default", 0, 0 },
	{ "owner", 0, SA_OPT_STRING, SA_OPT_REQUEST, MAKES ",attach", "WHO",
	    "who may attach to it", 0, 0 },
	{ "holder", 0, SA_OPT_STRING, SA_OPT_REQUEST, USES, "WHO",
	    "who has it now", 0, 0 },
	{ "content", 0, SA_OPT_STRING, SA_OPT_MEMBER, "write", "TEXT",
	    "what a request writes", 0, 0 },
	{ "max-size", 0, SA_OPT_STRING, 0, "read", "SIZE",
	    "of a file of at most so much, 5M by default", 0, 0 },
	{ "offset", 0, SA_OPT_INT, SA_OPT_REQUEST, "read", "LINE",
	    "from this line on, in --json and --text", 1, 1000000000 },
	{ "dry-run", 0, SA_OPT_FLAG, 0, "gc", NULL,
	    "only tell what would be removed", 0, 0 },
	{ "after", 0, SA_OPT_STRING, SA_OPT_REQUEST, "list", "TOKEN",
	    "go on behind this item, the \"next\" of a list", 0, 0 },
	{ "limit", 'n', SA_OPT_INT, SA_OPT_REQUEST, "list,read,logs", "N",
	    "at most N items, or lines; of logs the last", 1, 1000000 },
	{ "jsonl", 0, SA_OPT_FLAG, 0, "list", NULL,
	    "one item a line instead of one list", 0, 0 },
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = "sa-sandbox",
	.summary = "Sandboxes: run commands that nobody has read.",
	.verbs = verbs,
	.opts = opts,
	.at_terminal = "list",
	.otherwise = "exec",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
