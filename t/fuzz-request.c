/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/cliopt.h"

/*
 * A command line, a word a line up to an empty line, and behind that what is
 * on stdin: the object of --request.
 */
#define FUZZ_NAME "fuzz-request"
#include "fuzz.h"

#define WORDS 32

static const struct sa_verb verbs[] = {
	{ "save", "NAME", 1, 1, SA_VERB_REQUEST, "name|other_name", "", NULL },
	{ "run", "SCRIPT [ARG...]", 1, -1, SA_VERB_STOP, NULL, "", NULL },
	{ "pair", "A B", 0, 2, SA_VERB_REQUEST, "a,b", "", NULL },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "master", 'm', SA_OPT_STRING, SA_OPT_REQUEST, "save", "M", "", 0, 0 },
	{ "conf", 'c', SA_OPT_MAP, SA_OPT_REQUEST, NULL, "K=V", "", 0, 0 },
	{ "file", 0, SA_OPT_LIST, SA_OPT_REQUEST, "save", "FILE", "", 0, 0 },
	{ "count", 'k', SA_OPT_INT, SA_OPT_REQUEST, NULL, "N", "", -5, 100 },
	{ "dry-run", 'f', SA_OPT_FLAG, SA_OPT_REQUEST, NULL, NULL, "", 0, 0 },
	{ "note", 0, SA_OPT_STRING, SA_OPT_MEMBER, "save", NULL, "", 0, 0 },
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = { "fuzz", "", verbs, opts, NULL,
	"save" };

/* What a verb may rely on. */
static void
check(const struct sa_cli *cli)
{
	const struct sa_verb *v = cli->verb;
	struct sa_strings conf = sa_cli_list(cli, "conf");
	long long n = sa_cli_int(cli, "count", 0);

	require(cli->operands.n >= (size_t)v->min &&
		(v->max < 0 || cli->operands.n <= (size_t)v->max),
	    "the wrong number of operands");
	require(n >= -5 && n <= 100, "a number out of its range");
	for (size_t i = 0; i < conf.n; i++)
		require(conf.v[i][0] != '=' && conf.v[i][0] != '\0',
		    "a pair without a key");
	require(sa_cli_request(cli) == NULL || (v->flags & SA_VERB_REQUEST),
	    "a request to a verb that has none");
}

static void
parse(int argc, char *argv[])
{
	struct sa_cli cli = { .command = &command };
	struct sa_err err = SA_ERR_INIT;
	int rc = sa_cliopt_parse(&cli, argc, argv, &err);

	if (rc == SA_CLIOPT_RUN)
		check(&cli);
	else if (rc < 0)
		require((err.kind == SA_USAGE || err.kind == SA_INVALID) &&
			*err.msg != '\0',
		    "a refusal without a reason");
	sa_cliopt_release(&cli);
	sa_err_clear(&err);
}

/* stdin is the rest of the input, and help goes nowhere. */
static void
with_stdin(const char *text, size_t size, int argc, char *argv[])
{
	int in = memfd_create("stdin", MFD_CLOEXEC);
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int old_in = dup(STDIN_FILENO), old_out = dup(STDOUT_FILENO);

	require(in >= 0 && out >= 0 && old_out >= 0, "no descriptors");
	require(sa_io_write_fd(in, text, size, "memory", NULL) == 0, "no room");
	lseek(in, 0, SEEK_SET);
	fflush(stdout);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	parse(argc, argv);
	fflush(stdout);
	dup2(old_out, STDOUT_FILENO);
	if (old_in >= 0)
		dup2(old_in, STDIN_FILENO);
	int all[] = { in, out, old_in, old_out };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i] >= 0)
			close(all[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = sa_xmalloc(size + 1);
	char name[] = "fuzz", *argv[WORDS + 2] = { name };
	int argc = 1;

	memcpy(text, data, size);
	text[size] = '\0';
	char *p = text, *end = text + size;
	while (p < end && *p != '\n' && argc <= WORDS) {
		char *eol = memchr(p, '\n', (size_t)(end - p));
		argv[argc++] = p;
		p = eol != NULL ? eol + 1 : end;
		if (eol != NULL)
			*eol = '\0';
	}
	if (p < end && *p == '\n')
		p++;
	with_stdin(p, (size_t)(end - p), argc, argv);
	return 0;
}
