/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A command that uses all of base/cli.h and the store, and nothing else: what
 * is the same in all commands is tested with it.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/json.h"
#include "base/log.h"
#include "base/record.h"
#include "base/term.h"

/* What was given, as a record. */
static json_t *
given(const struct sa_cli *cli)
{
	json_t *j = sa_json_record("sample"), *list = json_array();
	const struct sa_strings *operands = sa_cli_operands(cli);

	sa_json_set_str(j, "verb", sa_cli_verb(cli)->name);
	for (size_t i = 0; i < operands->n; i++)
		json_array_append_new(list, json_string(operands->v[i]));
	json_object_set_new(j, "operands", list);
	return j;
}

static void
add_list(json_t *j, const struct sa_cli *cli, const char *name)
{
	struct sa_strings s = sa_cli_list(cli, name);
	json_t *list = json_array();

	for (size_t i = 0; i < s.n; i++)
		json_array_append_new(list, json_string(s.v[i]));
	json_object_set_new(j, name, list);
}

static int
save(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *j = given(cli);
	const char *name = sa_cli_operands(cli)->v[0];
	cleanup_free char *rel = sa_xasprintf("samples/%s.json", name);
	cleanup_free char *what = sa_xasprintf("sample '%s'", name);

	sa_json_set_str(j, "name", name);
	sa_json_set_str(j, "master", sa_cli_str(cli, "master"));
	json_object_set_new(j, "master_given",
	    json_boolean(sa_cli_given(cli, "master")));
	json_object_set_new(j, "count",
	    json_integer(sa_cli_int(cli, "count", -1)));
	json_object_set_new(j, "force",
	    json_boolean(sa_cli_flag(cli, "force")));
	json_object_set_new(j, "conf_given",
	    json_boolean(sa_cli_given(cli, "conf")));
	add_list(j, cli, "conf");
	add_list(j, cli, "file");
	sa_json_set_str(j, "note", sa_cli_str(cli, "note"));
	json_object_set_new(j, "request",
	    json_boolean(sa_cli_request(cli) != NULL));
	if (sa_cli_flag(cli, "dry-run"))
		return sa_cli_answer(cli, j, NULL);
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), true, err);
	if (st == NULL)
		return -1;
	cleanup_fd int dir = sa_store_dir(st, "samples", true, err);
	cleanup_fd int lock = dir < 0
	    ? -1
	    : sa_store_lock(st, "samples/.lock", "the samples", err);
	int rc = lock < 0 ? -1 : sa_record_write(st, rel, j, what, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	sa_info("saved %s", name);
	return sa_cli_answer(cli, j, NULL);
}

static const struct sa_column columns[] = { { "NAME", "name" },
	{ "MASTER", "master" }, { "DEEP", "a.b" }, { NULL, NULL } };

static bool
fix(void *arg, const char *name, json_t *record, bool *changed)
{
	(void)arg;
	if (json_is_true(json_object_get(record, "force")))
		return false;
	if (sa_json_str(record, "name") == NULL) {
		sa_json_set_str(record, "name", name);
		*changed = true;
	}
	return true;
}

static int
list(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_record_list l = {
		.dir = "samples",
		.flat = true,
		.descending = sa_cli_flag(cli, "down"),
		.types = "sample",
		.legacy = true,
		.type = "sample",
		.columns = columns,
		.fix = sa_cli_flag(cli, "raw") ? NULL : fix,
	};
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);

	if (st == NULL)
		return -1;
	int rc = sa_record_list(st, cli, &l, err);
	sa_store_free(st);
	return rc;
}

static void
text(FILE *f, const json_t *record)
{
	fprintf(f, "the text of %s\n", sa_json_str(record, "name"));
}

static int
show(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_free char *id = NULL;
	json_auto_t *piped = NULL, *record = NULL;

	if (sa_cli_subject(cli, "sample,other", "name,id", &id, &piped, err) <
	    0)
		return -1;
	if (piped != NULL)
		return sa_cli_answer(cli, piped, NULL);
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	cleanup_free char *rel = sa_xasprintf("samples/%s.json", id);
	cleanup_free char *what = sa_xasprintf("sample '%s'", id);
	int rc = sa_record_read(st, rel, "sample", true, what, &record, err);
	sa_store_free(st);
	return rc < 0 ? -1 : sa_cli_answer(cli, record, text);
}

static int
run(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *j = given(cli);

	(void)err;
	return sa_cli_answer(cli, j, NULL);
}

static int
fail(struct sa_cli *cli, struct sa_err *err)
{
	const char *kind = sa_cli_operands(cli)->v[0];

	if (strcmp(kind, "none") == 0)
		return -1;
	if (strcmp(kind, "bug") == 0)
		return sa_cli_flag(cli, "no-such-option");
	for (int k = 0; k < SA_KIND_COUNT; k++)
		if (strcmp(sa_kind_info((enum sa_kind)k)->name, kind) == 0)
			sa_err_set(err, (enum sa_kind)k, "it is\n%s", kind);
	sa_err_hint(err, "do this");
	sa_err_agent_hint(err, "have this done");
	if (sa_cli_flag(cli, "detail"))
		sa_err_detail(err, sa_json_record("sample"));
	return -1;
}

/* Many lines through the pager, then a question. */
static int
page(struct sa_cli *cli, struct sa_err *err)
{
	struct sa_pager p;
	char answer[8];

	sa_term_page(&p);
	for (long long i = 0; i < sa_cli_int(cli, "count", 3); i++) {
		cleanup_free char *line = sa_xasprintf("line %lld\x1b\n", i);
		sa_term_put(p.stream, line, strlen(line));
	}
	sa_term_page_end(&p);
	sa_cli_say(cli, "paged, %d columns, %s, %s", sa_term_columns(1),
	    sa_term_colour(1) ? "colour" : "plain",
	    sa_term_can_ask() ? "can ask" : "cannot ask");
	if (!sa_cli_flag(cli, "ask"))
		return 0;
	if (sa_term_ask("which? ", answer, sizeof(answer), err) < 0)
		return -1;
	sa_cli_say(cli, "answer '%s'", answer);
	return strcmp(answer, "yes") == 0 ? 0 : 1;
}

static const struct sa_verb verbs[] = {
	{ "save", "NAME", 1, 1, SA_VERB_REQUEST, "name|sample_name",
	    "save a sample", save },
	{ "list", "", 0, 0, SA_VERB_REQUEST, NULL, "list the samples", list },
	{ "show", "[NAME]", 0, 1, SA_VERB_REQUEST, "name", "show it's all",
	    show },
	{ "run", "SCRIPT [ARG...]", 1, -1, SA_VERB_STOP, NULL,
	    "show what a script would get", run },
	{ "pair", "A B", 0, 2, SA_VERB_REQUEST, "a,b", "two operands", run },
	{ "fail", "KIND", 1, 1, 0, NULL, "fail", fail },
	{ "page", "", 0, 0, 0, NULL, "page and ask", page },
	{ "hidden", "", 0, 0, SA_VERB_HIDDEN, NULL, "not shown", run },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "master", 'm', SA_OPT_STRING, SA_OPT_REQUEST, "save", "MASTER",
	    "the master [it's: one]", 0, 0 },
	{ "conf", 'c', SA_OPT_MAP, SA_OPT_REQUEST, "save", "KEY=VALUE",
	    "a setting, with a help text that is long enough to be broken "
	    "into more than one line",
	    0, 0 },
	{ "file", 0, SA_OPT_LIST, SA_OPT_REQUEST, "save", "FILE", "a file", 0,
	    0 },
	{ "count", 'k', SA_OPT_INT, SA_OPT_REQUEST, "save,page", "N",
	    "how many", 0, 100000 },
	{ "force", 'f', SA_OPT_FLAG, SA_OPT_REQUEST, "save", NULL, "force it",
	    0, 0 },
	{ "dry-run", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "save", NULL,
	    "show only what was given", 0, 0 },
	{ "note", 0, SA_OPT_STRING, SA_OPT_MEMBER, "save", NULL,
	    "what a request alone may say", 0, 0 },
	{ "detail", 0, SA_OPT_FLAG, 0, "fail", NULL, "with a record", 0, 0 },
	{ "ask", 0, SA_OPT_FLAG, 0, "page", NULL, "ask", 0, 0 },
	{ "down", 0, SA_OPT_FLAG, 0, "list", NULL, "the last first", 0, 0 },
	{ "raw", 0, SA_OPT_FLAG, 0, "list", NULL, "all as they are", 0, 0 },
	SA_CLI_LIST_OPTS("list"),
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

int
main(int argc, char *argv[])
{
	/* as cli-bare it has no verb that a call without one means */
	bool bare = argc > 0 && strstr(argv[0], "bare") != NULL;
	const struct sa_command command = { "cli-sample", "a command for tests",
		verbs, opts, bare ? NULL : "list", bare ? NULL : "show" };

	return sa_cli_main(&command, argc, argv);
}
