/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cliopt.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"

void
sa_init(void)
{
	/* A closed standard descriptor would be taken by the next open. What
	 * goes to a stdout that was closed is lost: let writing fail there. */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null",
			fd == 0 || fd == 1 ? O_RDONLY : O_WRONLY) < 0)
			_exit(sa_kind_info(SA_IO)->code);
	signal(SIGPIPE, SIG_DFL);
	/* ignored by a parent, it would take the statuses of our children */
	signal(SIGCHLD, SIG_DFL);
	setlocale(LC_CTYPE, "");
}

/* One line for people, in one write: those of a pipeline's stages do not
 * mix. Its control characters are made visible. */
__attribute__((format(printf, 2, 0))) static void
vsay(const char *name, const char *fmt, va_list ap)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	cleanup_free char *clean = sa_text_visible(text);
	sa_buf_addf(&b, "%s: %s\n", name, clean);
	fwrite(b.s, 1, b.len, stderr);
}

__attribute__((format(printf, 2, 3))) static void
say(const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(name, fmt, ap);
	va_end(ap);
}

int
sa_finish(const char *name, int code)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	/* the reason of an earlier failure is gone by now */
	say(name, "cannot write to stdout: %s",
	    errno != 0 ? strerror(errno) : "a part of it was lost");
	return sa_kind_info(SA_IO)->code;
}

/* Also of an error before there are settings. */
static bool
agent_asks(void)
{
	const char *origin = getenv("SA_ORIGIN");

	return origin != NULL && strcmp(origin, "agent") == 0;
}

static const char *
hint_of(const struct sa_err *err)
{
	return agent_asks() && *err->agent_hint != '\0' ? err->agent_hint
							: err->hint;
}

/* The error as an object on the descriptor that SA_ERROR_FD names. */
static void
report_object(const struct sa_err *err, const struct sa_kind_info *kind)
{
	const char *number = getenv("SA_ERROR_FD"), *why;

	if (number == NULL || *number == '\0')
		return;
	long long fd = strtonum(number, 2, INT_MAX, &why);
	if (why != NULL)
		return;
	json_auto_t *root = json_object();
	json_t *e = json_object();
	json_object_set_new(root, "error", e);
	sa_json_set_str(e, "kind", kind->name);
	json_object_set_new(e, "http",
	    kind->http > 0 ? json_integer(kind->http) : json_null());
	json_object_set_new(e, "code", json_integer(kind->code));
	sa_json_set_str(e, "message", err->msg);
	sa_json_set_str(e, "hint", *hint_of(err) ? hint_of(err) : NULL);
	json_object_set_new(e, "retryable", json_boolean(kind->retryable));
	if (err->detail != NULL && agent_asks())
		json_object_set_new(e, "detail",
		    sa_json_for_agent(err->detail));
	else if (err->detail != NULL)
		json_object_set(e, "detail", err->detail);
	else
		json_object_set_new(e, "detail", json_null());
	cleanup_free char *text = sa_json_text(root);
	cleanup_free char *line = sa_xasprintf("%s\n", text);
	sa_io_write_fd((int)fd, line, strlen(line), "SA_ERROR_FD", NULL);
}

int
sa_report(const char *name, struct sa_err *err)
{
	/* a failure that nobody filled in must not look like success */
	if (err->kind == SA_OK)
		sa_err_set(err, SA_INTERNAL,
		    "failed without saying why: a bug");
	const struct sa_kind_info *kind = sa_kind_info(err->kind);

	sa_debug("exit %d: %s", kind->code, err->msg);
	const char *hint = hint_of(err);
	say(name, "%s%s%s", err->msg, *hint ? "; " : "", hint);
	report_object(err, kind);
	sa_err_clear(err);
	return kind->code;
}

/* The row of an option that was given; a name that is in no table is ours. */
static const struct sa_given *
given(const struct sa_cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->nopts; i++)
		if (strcmp(cli->opts[i].name, name) == 0)
			return &cli->given[i];
	fprintf(stderr, "%s: bug: no option '%s'\n", cli->command->name, name);
	exit(sa_kind_info(SA_INTERNAL)->code);
}

const char *
sa_cli_str(const struct sa_cli *cli, const char *name)
{
	const struct sa_given *g = given(cli, name);

	return g->values.n > 0 ? g->values.v[g->values.n - 1] : NULL;
}

bool
sa_cli_flag(const struct sa_cli *cli, const char *name)
{
	return given(cli, name)->flag;
}

long long
sa_cli_int(const struct sa_cli *cli, const char *name, long long none)
{
	const struct sa_given *g = given(cli, name);

	return g->values.n > 0 ? g->number : none;
}

struct sa_strings
sa_cli_list(const struct sa_cli *cli, const char *name)
{
	return given(cli, name)->values;
}

bool
sa_cli_given(const struct sa_cli *cli, const char *name)
{
	const struct sa_given *g = given(cli, name);

	return g->flag || g->values.n > 0 || g->empty;
}

const struct sa_strings *
sa_cli_operands(const struct sa_cli *cli)
{
	return &cli->operands;
}

const struct sa_verb *
sa_cli_verb(const struct sa_cli *cli)
{
	return cli->verb;
}

const struct sa_settings *
sa_cli_settings(const struct sa_cli *cli)
{
	return cli->settings;
}

const json_t *
sa_cli_request(const struct sa_cli *cli)
{
	return cli->request;
}

int
sa_cli_record(struct sa_cli *cli, const char *types, json_t **out,
    struct sa_err *err)
{
	json_t *record;

	if (cli->request != NULL)
		return sa_err_set(err, SA_INVALID,
		    "request: a member is missing, expected: %s",
		    cli->verb->member != NULL ? cli->verb->member : types);
	if (isatty(STDIN_FILENO)) {
		sa_err_set(err, SA_USAGE, "%s %s: an operand is missing",
		    cli->command->name, cli->verb->name);
		return sa_err_hint(err, "give %s, or pipe a record of type %s",
		    *cli->verb->operands ? cli->verb->operands : "one", types);
	}
	if (sa_json_read_fd(STDIN_FILENO, SA_RECORD_MAX, "stdin", &record,
		err) < 0)
		return -1;
	if (sa_json_check_record(record, types, false, "stdin", err) < 0) {
		json_decref(record);
		return -1;
	}
	*out = record;
	return 0;
}

/* The first of the members that the record has as text. */
static const char *
member_of(const json_t *record, const char *members)
{
	while (*members != '\0') {
		size_t n = strcspn(members, ",");
		cleanup_free char *key = sa_xstrndup(members, n);
		const char *text = sa_json_str(record, key);
		if (text != NULL)
			return text;
		members += n + (members[n] == ',');
	}
	return NULL;
}

int
sa_cli_subject(struct sa_cli *cli, const char *types, const char *members,
    char **id, json_t **record, struct sa_err *err)
{
	json_auto_t *r = NULL;

	if (record != NULL)
		*record = NULL;
	if (cli->operands.n > 0 && strcmp(cli->operands.v[0], "-") != 0) {
		*id = sa_xstrdup(cli->operands.v[0]);
		return 0;
	}
	if (sa_cli_record(cli, types, &r, err) < 0)
		return -1;
	const char *text = member_of(r, members);
	if (text == NULL)
		return sa_err_set(err, SA_INVALID,
		    "stdin: the record has no %s", members);
	*id = sa_xstrdup(text);
	if (record != NULL)
		*record = sa_steal(&r);
	return 0;
}

bool
sa_cli_agent(const struct sa_cli *cli)
{
	return sa_settings_origin(cli->settings) == SA_ORIGIN_AGENT;
}

char *
sa_cli_called(const struct sa_cli *cli, const char *name)
{
	if (cli->request == NULL)
		return sa_xasprintf("--%s", name);
	char *member = sa_xstrdup(name);
	for (char *p = member; *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	return member;
}

bool
sa_cli_human(const struct sa_cli *cli)
{
	return isatty(STDOUT_FILENO) && !sa_cli_flag(cli, "json");
}

/* JSON for a terminal: what it would act on or hide stands only inside
 * strings, where an escape means the same. */
static void
put_escaped(const char *s)
{
	unsigned int cp;

	for (size_t left = strlen(s); left > 0;) {
		size_t n = sa_text_decode(s, left, &cp);
		if (n < 2 && *s != 0x7f)
			putchar(*s);
		else if (!sa_text_hidden(cp))
			fwrite(s, 1, n, stdout);
		else if (cp < 0x10000)
			printf("\\u%04x", cp);
		else
			printf("\\u%04x\\u%04x", 0xd7c0 + (cp >> 10),
			    0xdc00 + (cp & 0x3ff));
		s += n > 0 ? n : 1;
		left -= n > 0 ? n : 1;
	}
}

int
sa_cli_answer(const struct sa_cli *cli, const json_t *record, sa_text_fn *text)
{
	bool human = sa_cli_human(cli);
	json_auto_t *tidied = NULL;

	if (human && text != NULL) {
		text(stdout, record);
		return 0;
	}
	if (sa_cli_agent(cli))
		record = tidied = sa_json_for_agent(record);
	if (isatty(STDOUT_FILENO)) {
		char *s =
		    json_dumps(record, human ? JSON_INDENT(2) : JSON_COMPACT);
		put_escaped(s != NULL ? s : "null");
		free(s);
	} else
		json_dumpf(record, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	return 0;
}

void
sa_cli_say(const struct sa_cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(cli->command->name, fmt, ap);
	va_end(ap);
}

static const char *
setting_option(void *arg, const char *option)
{
	return sa_cli_str(arg, option);
}

/* Everything between the tables and run(): -1 with err, or an exit code. */
static int
run(struct sa_cli *cli, int argc, char *argv[], struct sa_err *err)
{
	int done = sa_cliopt_parse(cli, argc, argv, err);

	if (done != SA_CLIOPT_RUN)
		return done;
	cli->settings = sa_settings_load(setting_option, cli, err);
	if (cli->settings == NULL)
		return -1;
	sa_log_start(cli->command->name, cli->settings);
	sa_debug("%s %s, %zu operands", cli->command->name, cli->verb->name,
	    cli->operands.n);
	return cli->verb->run(cli, err);
}

int
sa_cli_main(const struct sa_command *command, int argc, char *argv[])
{
	struct sa_cli cli = { .command = command };
	struct sa_err err = SA_ERR_INIT;

	sa_init();
	int code = run(&cli, argc, argv, &err);
	if (code < 0) {
		bool usage = err.kind == SA_USAGE;
		code = sa_report(command->name, &err);
		if (usage)
			sa_cliopt_usage(stderr, &cli);
	}
	sa_cliopt_release(&cli);
	sa_settings_free(cli.settings);
	return sa_finish(command->name, code);
}
