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
#include "base/fan.h"
#include "base/io.h"
#include "base/json.h"
#include "base/text.h"
#include "guard/format.h"
#include "guard/guard.h"
#include "guard/policy.h"
#include "guard/tree.h"

#define NAME "sa-sqlguard"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_SARIF, FORMAT_GITHUB };
static const char *const formats[] = { "text", "json", "sarif", "github" };

/* One run: what is asked, and the answer so far. */
struct job {
	struct sa_cli *cli;
	struct sa_policy policy;
	struct sa_guard_options options;
	struct sa_tree files;
	enum format format;
	bool sql, quiet;
	bool written;  /* an answer went out: later failures exit by code */
	bool begun;    /* the log of SARIF */
	bool results;  /* and there is a result in it */
	json_t *notes; /* of SARIF: what could not be judged */
	size_t nitem, failures;
	struct sa_err *err; /* gets the failure of a single item */
	int code;
};

static void
worse(struct job *j, int code)
{
	if (code > j->code)
		j->code = code;
}

/* A failure that is not all there is to say: told on stderr, and it counts in
 * the exit code. */
static void
note_failure(struct job *j, struct sa_err *err)
{
	worse(j, sa_kind_info(err->kind)->code);
	if (j->notes == NULL)
		j->notes = json_array();
	json_array_append_new(j->notes, sa_format_sarif_note(err));
	/* one object goes to SA_ERROR_FD, whatever the number of failures */
	if (j->failures++ == 0)
		sa_report(NAME, err);
	else
		sa_cli_say(j->cli, "%s%s%s", err->msg, *err->hint ? "; " : "",
		    err->hint);
	sa_err_clear(err);
}

static char *
as_text(const json_t *report, const char *path, const char *text, size_t len)
{
	cleanup_free char *findings = sa_guard_text(report, text, len);
	cleanup_free char *shown = sa_text_visible(path);

	return sa_xasprintf("%s%s: %s\n", findings, shown,
	    sa_verdict_name(sa_guard_verdict(report)));
}

/* Judges one text: whether it is refused, and the answer in out. path is NULL
 * for an operand's or a stream's statement. */
static int
examine(const struct job *j, const char *text, size_t len, const char *path,
    struct sa_buf *out, struct sa_err *err)
{
	json_auto_t *report = NULL;
	cleanup_free char *name =
	    path != NULL ? sa_text_utf8(path, strlen(path)) : NULL;

	if (j->quiet && !j->sql) {
		enum sa_verdict v;
		return sa_guard_python_verdict(text, len, name, &j->options, &v,
			   err) < 0
		    ? -1
		    : !sa_verdict_passes(v);
	}
	int r = j->sql
	    ? sa_guard_sql(text, len, name, &j->options, &report, err)
	    : sa_guard_python(text, len, name, &j->options, &report, err);

	if (r < 0)
		return -1;
	cleanup_free char *answer = j->quiet ? sa_xstrdup("")
	    : j->format == FORMAT_TEXT
	    ? as_text(report, path != NULL ? path : "-", text, len)
	    : j->format == FORMAT_SARIF	 ? sa_format_sarif(report)
	    : j->format == FORMAT_GITHUB ? sa_format_github(report)
					 : sa_json_text(report);
	sa_buf_adds(out, answer);
	return !sa_guard_passes(report);
}

static void
begin_sarif(struct job *j)
{
	cleanup_free char *begin = j->begun ? NULL : sa_format_sarif_begin();

	if (begin != NULL)
		fputs(begin, stdout);
	j->begun = true;
}

static void
answer_json(const struct job *j, const struct sa_buf *out)
{
	json_auto_t *report = NULL;

	/* what a terminal would act on is escaped there */
	if (isatty(STDOUT_FILENO) &&
	    sa_json_parse(sa_buf_str(out), out->len, "report", &report, NULL) ==
		0) {
		sa_cli_answer(j->cli, report, NULL);
		return;
	}
	fwrite(sa_buf_str(out), 1, out->len, stdout);
	putchar('\n');
}

/* An answer that examine() gave goes out. */
static void
answer(struct job *j, bool refused, const struct sa_buf *out)
{
	if (refused)
		worse(j, sa_kind_info(SA_NO)->code);
	if (j->quiet)
		return;
	if (j->format == FORMAT_JSON) {
		answer_json(j, out);
	} else {
		if (j->format == FORMAT_SARIF) {
			begin_sarif(j);
			if (j->results && out->len > 0)
				putchar(',');
			j->results = j->results || out->len > 0;
		}
		fwrite(sa_buf_str(out), 1, out->len, stdout);
	}
	fflush(stdout);
	j->written = true;
}

static int
judge(struct job *j, const char *text, size_t len, const char *path,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf out = SA_BUF_INIT(SA_BUF_NOMAX);
	int r = examine(j, text, len, path, &out, err);

	if (r >= 0)
		answer(j, r > 0, &out);
	return r < 0 ? -1 : 0;
}

static int
examine_file(const struct job *j, const char *path, struct sa_buf *out,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX);
	cleanup_free char *shown = sa_text_visible(path);
	cleanup_free char *name = sa_xasprintf("'%s'", shown);

	if (sa_io_read_file(AT_FDCWD, path, &b, name, err) < 0)
		return -1;
	return examine(j, sa_buf_str(&b), b.len, path, out, err);
}

static int
nothing_came(struct sa_err *err)
{
	sa_err_set(err, SA_INVALID,
	    "nothing came on stdin: the stage before failed");
	return sa_err_hint(err, "pipe the text in or name a file");
}

static int
examine_stdin(const struct job *j, struct sa_buf *out, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX);

	if (isatty(STDIN_FILENO))
		sa_cli_say(j->cli, "reading from the terminal, end with ^D");
	if (sa_io_read_fd(STDIN_FILENO, &b, "stdin", err) < 0)
		return -1;
	if (b.len == 0)
		return nothing_came(err);
	return examine(j, sa_buf_str(&b), b.len, "-", out, err);
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

/* Item i: a file, stdin, or with --sql a statement. */
static int
work(void *arg, size_t i, struct sa_buf *out, struct sa_err *err)
{
	const struct job *j = arg;
	const char *s =
	    j->sql ? sa_cli_operands(j->cli)->v[i] : j->files.path[i];

	if (strcmp(s, "-") == 0)
		return examine_stdin(j, out, err);
	if (j->sql)
		return examine(j, s, strlen(s), NULL, out, err);
	return examine_file(j, s, out, err);
}

static void
take(void *arg, size_t i, int rc, const struct sa_buf *out, struct sa_err *err)
{
	struct job *j = arg;

	if (rc >= 0) {
		answer(j, rc > 0, out);
		return;
	}
	if (err->kind == SA_INTERNAL && !j->sql) {
		cleanup_free char *shown = sa_text_visible(j->files.path[i]);
		sa_err_prefix(err, "'%s'", shown);
	}
	if (j->nitem > 1 || j->failures > 0) {
		note_failure(j, err);
		return;
	}
	*j->err = *err;
	err->detail = NULL;
}

/* The items in n, in as many processes as --jobs says. */
static int
judge_items(struct job *j, size_t n, struct sa_err *err)
{
	unsigned jobs = (unsigned)sa_cli_int(j->cli, "jobs", 1);

	j->nitem = n;
	j->err = err;
	if (sa_fan_run(n, jobs, work, take, j, err) < 0)
		return -1;
	return err->kind == SA_OK ? 0 : -1;
}

static int
judge_files(struct job *j, const struct sa_strings *o, struct sa_err *err)
{
	for (size_t i = 0; i < o->n; i++) {
		if (sa_tree_add(&j->files, o->v[i], err) == 0)
			continue;
		if (o->n == 1)
			return -1;
		note_failure(j, err);
	}
	return judge_items(j, j->files.n, err);
}

/* One file, or stdin where path is NULL. */
static int
judge_one(struct job *j, const char *path, struct sa_err *err)
{
	cleanup_buf struct sa_buf out = SA_BUF_INIT(SA_BUF_NOMAX);
	int r = path != NULL ? examine_file(j, path, &out, err)
			     : examine_stdin(j, &out, err);

	if (r >= 0)
		answer(j, r > 0, &out);
	return r < 0 ? -1 : 0;
}

static int
judge_request(struct job *j, struct sa_err *err)
{
	const json_t *code = json_object_get(sa_cli_request(j->cli), "code");
	const struct sa_strings *operands = sa_cli_operands(j->cli);

	if (json_is_string(code) && operands->n == 0)
		return judge(j, json_string_value(code),
		    json_string_length(code), NULL, err);
	/* one answer for a request: a directory is refused */
	if (code == NULL && operands->n == 1 && !j->sql)
		return judge_one(j, operands->v[0], err);
	return sa_err_set(err, SA_INVALID,
	    "request: one of the members code and path is needed, and a path "
	    "is no SQL");
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
get_format(struct job *j, struct sa_err *err)
{
	const char *name = sa_cli_str(j->cli, "format");

	j->format = sa_cli_human(j->cli) ? FORMAT_TEXT : FORMAT_JSON;
	if (name == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(name, formats[i]) == 0) {
			j->format = (enum format)i;
			if (j->format != FORMAT_JSON &&
			    sa_cli_flag(j->cli, "json"))
				break;
			return 0;
		}
	return sa_err_set(err, SA_USAGE,
	    "--format takes 'text', 'json', 'sarif' or 'github', and with "
	    "--json only 'json'");
}

static int
get_options(struct job *j, struct sa_err *err)
{
	const char *unresolved = sa_cli_str(j->cli, "unresolved");
	const struct sa_strings *o = sa_cli_operands(j->cli);

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
	if (sa_cli_flag(j->cli, "null") && (!j->sql || o->n > 0))
		return sa_err_set(err, SA_USAGE,
		    "-0 goes with --sql and without operands");
	for (size_t i = 0; i < o->n && sa_cli_int(j->cli, "jobs", 1) > 1; i++)
		if (strcmp(o->v[i], "-") == 0)
			return sa_err_set(err, SA_USAGE,
			    "--jobs does not share stdin");
	return get_format(j, err);
}

static int
judge_all(struct job *j, struct sa_err *err)
{
	const struct sa_strings *operands = sa_cli_operands(j->cli);

	if (sa_cli_request(j->cli) != NULL)
		return judge_request(j, err);
	if (operands->n > 0)
		return j->sql ? judge_items(j, operands->n, err)
			      : judge_files(j, operands, err);
	if (isatty(STDIN_FILENO))
		return sa_err_set(err, SA_USAGE,
		    "no file is named and stdin is a terminal");
	return sa_cli_flag(j->cli, "null") ? judge_stream(j, err)
					   : judge_one(j, NULL, err);
}

/* Everything was judged, or as much as there could be. */
static int
finish(struct job *j)
{
	if (j->format == FORMAT_SARIF && !j->quiet) {
		begin_sarif(j);
		cleanup_free char *end = sa_format_sarif_end(j->notes, j->code);
		fputs(end, stdout);
	}
	return j->code;
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
	r = judge_all(&j, err);
	if (r < 0 && j.written)
		note_failure(&j, err);
	r = r < 0 && !j.written ? -1 : finish(&j);
	sa_tree_release(&j.files);
	json_decref(j.notes);
	return r;
}

static const struct sa_verb verbs[] = {
	{ "check", "[FILE|DIRECTORY...]", 0, -1, SA_VERB_REQUEST, "path",
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
	{ "format", 0, SA_OPT_STRING, 0, "check", "text|json|sarif|github",
	    "how the answer is written", 0, 0 },
	{ "jobs", 0, SA_OPT_INT, 0, "check", "N",
	    "judge in N processes at once", 1, SA_FAN_JOBS_MAX },
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
