/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/io.h"
#include "base/text.h"
#include "guard/guard.h"
#include "guard/policy.h"

#define NAME "sa-sqlguard"

/* One run: what is asked, and the answer so far. */
struct job {
	struct sa_cli *cli;
	struct sa_policy policy;
	struct sa_guard_options options;
	bool sql, quiet;
	bool written; /* an answer went out: later failures exit by code */
	int code;
};

/* A failure after the first answer: told on stderr, and the exit code. */
static int
failed(const struct job *j, struct sa_err *err)
{
	return j->written ? sa_report(NAME, err) : -1;
}

static void
print_text(const json_t *report, const char *path, const char *text, size_t len)
{
	cleanup_free char *findings = sa_guard_text(report, text, len);
	cleanup_free char *shown = sa_text_visible(path);

	printf("%s%s: %s\n", findings, shown,
	    sa_verdict_name(sa_guard_verdict(report)));
}

/* Judges one text and answers. path is NULL for an operand's or a stream's
 * statement. */
static int
judge(struct job *j, const char *text, size_t len, const char *path,
    struct sa_err *err)
{
	json_auto_t *report = NULL;
	int r = j->sql
	    ? sa_guard_sql(text, len, path, &j->options, &report, err)
	    : sa_guard_python(text, len, path, &j->options, &report, err);

	if (r < 0)
		return -1;
	if (!sa_guard_passes(report))
		j->code = sa_kind_info(SA_NO)->code;
	if (j->quiet)
		return 0;
	if (sa_cli_human(j->cli))
		print_text(report, path != NULL ? path : "-", text, len);
	else
		sa_cli_answer(j->cli, report, NULL);
	j->written = true;
	return 0;
}

static int
judge_file(struct job *j, const char *path, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX);
	cleanup_free char *shown = sa_text_visible(path);
	cleanup_free char *name = sa_xasprintf("'%s'", shown);

	if (sa_io_read_file(AT_FDCWD, path, &b, name, err) < 0)
		return -1;
	return judge(j, sa_buf_str(&b), b.len, path, err);
}

static int
nothing_came(struct sa_err *err)
{
	sa_err_set(err, SA_INVALID,
	    "nothing came on stdin: the stage before failed");
	return sa_err_hint(err, "pipe the text in or name a file");
}

static int
judge_stdin(struct job *j, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX);

	if (isatty(STDIN_FILENO))
		sa_cli_say(j->cli, "reading from the terminal, end with ^D");
	if (sa_io_read_fd(STDIN_FILENO, &b, "stdin", err) < 0)
		return -1;
	if (b.len == 0)
		return nothing_came(err);
	return judge(j, sa_buf_str(&b), b.len, "-", err);
}

/* A few bytes of stdin: their number, 0 at its end, -1 with err. */
static ssize_t
some_input(char *p, size_t size, struct sa_err *err)
{
	for (;;) {
		ssize_t n = read(STDIN_FILENO, p, size);
		struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };
		if (n >= 0)
			return n;
		if (errno == EAGAIN)
			poll(&wait, 1, -1);
		else if (errno != EINTR)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot read stdin");
	}
}

/* More of a statement that may not be complete yet. */
static int
gather(struct sa_buf *b, const char *p, size_t n, struct sa_err *err)
{
	if (sa_buf_add(b, p, n) == 0)
		return 0;
	sa_err_set(err, SA_INVALID,
	    "a statement on stdin is over %d bytes, which is the most",
	    SA_GUARD_MAX);
	return sa_err_hint(err, "split it; data belongs into tables");
}

/* Statements with a NUL behind each; the last one may lack it. Each is
 * answered as soon as it is there. */
static int
judge_stream(struct job *j, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX);
	cleanup_free char *part = sa_xmalloc(65536);
	bool any = false;
	ssize_t n;

	while ((n = some_input(part, 65536, err)) > 0) {
		const char *p = part, *end = part + n, *stop;
		any = true;
		while ((stop = memchr(p, '\0', (size_t)(end - p))) != NULL) {
			if (gather(&b, p, (size_t)(stop - p), err) < 0 ||
			    judge(j, sa_buf_str(&b), b.len, NULL, err) < 0)
				return -1;
			sa_buf_cut(&b, 0);
			p = stop + 1;
		}
		if (gather(&b, p, (size_t)(end - p), err) < 0)
			return -1;
	}
	if (n < 0)
		return -1;
	if (!any)
		return nothing_came(err);
	return b.len > 0 ? judge(j, sa_buf_str(&b), b.len, NULL, err) : 0;
}

static int
judge_request(struct job *j, struct sa_err *err)
{
	const json_t *code = json_object_get(sa_cli_request(j->cli), "code");
	const struct sa_strings *operands = sa_cli_operands(j->cli);

	if (json_is_string(code) && operands->n == 0)
		return judge(j, json_string_value(code),
		    json_string_length(code), NULL, err);
	if (code == NULL && operands->n == 1 && !j->sql)
		return judge_file(j, operands->v[0], err);
	return sa_err_set(err, SA_INVALID,
	    "request: one of the members code and path is needed, and a path "
	    "is no SQL");
}

static int
judge_operands(struct job *j, struct sa_err *err)
{
	const struct sa_strings *o = sa_cli_operands(j->cli);

	for (size_t i = 0; i < o->n; i++) {
		bool standard = strcmp(o->v[i], "-") == 0;
		int r = standard ? judge_stdin(j, err)
		    : j->sql	 ? judge(j, o->v[i], strlen(o->v[i]), NULL, err)
				 : judge_file(j, o->v[i], err);
		if (r < 0)
			return -1;
	}
	return 0;
}

/* The policy in force, tightened by each --policy. */
static int
get_policy(struct job *j, struct sa_err *err)
{
	struct sa_strings files = sa_cli_list(j->cli, "policy");

	if (sa_policy_settings(&j->policy, sa_cli_settings(j->cli), err) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++)
		if (sa_policy_load(&j->policy, files.v[i], false, err) < 0)
			return -1;
	j->options.policy = &j->policy;
	return 0;
}

/* What there is to know of a rule. */
static int
explain(const struct job *j, const char *id, struct sa_err *err)
{
	const struct sa_rule *rule = sa_rule_find(id);

	if (rule == NULL) {
		cleanup_free char *shown = sa_text_visible(id);
		cleanup_free char *near = sa_rule_near(id);
		sa_err_set(err, SA_NOT_FOUND, "there is no rule '%s'", shown);
		return sa_err_hint(err,
		    "near it are %s; --print-policy lists all", near);
	}
	const unsigned char *v = j->policy.verdict[sa_rule_index(rule)];
	printf("%s: %s\n\n    why: %s\n    rewrite: %s\n"
	       "    verdict: %s, for an agent %s%s\n",
	    rule->id, rule->message, rule->why, rule->hint,
	    sa_verdict_name((enum sa_verdict)v[0]),
	    sa_verdict_name((enum sa_verdict)v[1]),
	    rule->fixed ? "; no policy loosens it" : "");
	return 0;
}

static int
print_policy(const struct job *j)
{
	cleanup_free char *text = sa_policy_text(&j->policy);

	fputs(text, stdout);
	return 0;
}

static int
get_options(struct job *j, struct sa_err *err)
{
	const char *unresolved = sa_cli_str(j->cli, "unresolved");

	j->sql = sa_cli_flag(j->cli, "sql");
	j->quiet = sa_cli_flag(j->cli, "quiet");
	j->options.strict = sa_cli_flag(j->cli, "strict") ||
	    sa_settings_origin(sa_cli_settings(j->cli)) == SA_ORIGIN_AGENT;
	j->options.strict_insert = sa_cli_flag(j->cli, "strict-insert");
	if (unresolved != NULL && strcmp(unresolved, "warn") == 0)
		j->options.unresolved_warn = true;
	else if (unresolved != NULL && strcmp(unresolved, "reject") != 0)
		return sa_err_set(err, SA_USAGE,
		    "--unresolved takes 'reject' or 'warn'");
	if (sa_cli_flag(j->cli, "null") &&
	    (!j->sql || sa_cli_operands(j->cli)->n > 0))
		return sa_err_set(err, SA_USAGE,
		    "-0 goes with --sql and without operands");
	return 0;
}

static int
check(struct sa_cli *cli, struct sa_err *err)
{
	struct job j = { .cli = cli };
	int r;

	if (get_policy(&j, err) < 0)
		return -1;
	if (sa_cli_str(cli, "explain") != NULL)
		return explain(&j, sa_cli_str(cli, "explain"), err);
	if (sa_cli_flag(cli, "print-policy"))
		return print_policy(&j);
	if (get_options(&j, err) < 0)
		return -1;
	if (sa_cli_request(cli) != NULL)
		r = judge_request(&j, err);
	else if (sa_cli_operands(cli)->n > 0)
		r = judge_operands(&j, err);
	else if (isatty(STDIN_FILENO))
		r = sa_err_set(err, SA_USAGE,
		    "no file is named and stdin is a terminal");
	else if (sa_cli_flag(cli, "null"))
		r = judge_stream(&j, err);
	else
		r = judge_stdin(&j, err);
	return r < 0 ? failed(&j, err) : j.code;
}

static const struct sa_verb verbs[] = {
	{ "check", "[FILE...]", 0, -1, SA_VERB_REQUEST, "path",
	    "judge Python sources, or with --sql the SQL texts given", check },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "sql", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "check", NULL,
	    "operands and stdin are SQL texts, not Python", 0, 0 },
	{ "null", '0', SA_OPT_FLAG, 0, "check", NULL,
	    "with --sql: statements on stdin end with a NUL", 0, 0 },
	{ "strict", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "check", NULL,
	    "refuse what runs other code or destroys data", 0, 0 },
	{ "strict-insert", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "check", NULL,
	    "refuse INSERT OVERWRITE and its like", 0, 0 },
	{ "unresolved", 0, SA_OPT_STRING, 0, "check", "reject|warn",
	    "what becomes of SQL text that cannot be known", 0, 0 },
	{ "policy", 0, SA_OPT_LIST, 0, "check", "FILE",
	    "a policy that tightens the one in force", 0, 0 },
	{ "explain", 0, SA_OPT_STRING, 0, "check", "RULE",
	    "tell what a rule is about and stop", 0, 0 },
	{ "print-policy", 0, SA_OPT_FLAG, 0, "check", NULL,
	    "print the policy in force as a file and stop", 0, 0 },
	{ "quiet", 'q', SA_OPT_FLAG, 0, "check", NULL,
	    "write nothing; the exit status is the answer", 0, 0 },
	{ "code", 0, SA_OPT_STRING, SA_OPT_MEMBER, "check", "TEXT",
	    "the text of a request", 0, 0 },
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = NAME,
	.summary = "Tells whether a script only reads and inserts.",
	.verbs = verbs,
	.opts = opts,
	.at_terminal = "check",
	.otherwise = "check",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
