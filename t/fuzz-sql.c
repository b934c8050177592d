/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "guard/rules.h"
#include "guard/sql.h"

/*
 * The SQL half of the guard under any bytes. With -DSA_LIBFUZZER it is a
 * target of libFuzzer; else a program that runs the files given, stdin for
 * "-", or without operands the seeds in t/data/fuzz-sql.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const char *text;
	size_t len, end;
	enum sa_verdict worst;
};

static void
require(bool c, const char *what)
{
	if (c)
		return;
	fprintf(stderr, "fuzz-sql: %s\n", what);
	abort();
}

static void
on_hit(void *arg, const struct sa_sql_hit *hit)
{
	struct seen *s = arg;

	require(sa_rule_find(hit->rule) != NULL, "a hit of no rule");
	require(hit->offset <= hit->end && hit->end <= s->len,
	    "a hit outside of the text");
	require(memchr(hit->head, '\0', sizeof(hit->head)) != NULL,
	    "a head without end");
	require(hit->verdict != SA_VERDICT_ALLOW, "a hit that allows");
	s->worst = sa_verdict_worse(s->worst, hit->verdict);
}

static void
on_statement(void *arg, const struct sa_sql_statement *st)
{
	struct seen *s = arg;

	require(st->offset < st->end && st->end <= s->len,
	    "a statement outside of the text");
	require(st->offset >= s->end, "statements out of order");
	s->end = st->end;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	for (int mode = SA_SQL_STATEMENT; mode <= SA_SQL_FOREIGN; mode++) {
		struct seen s = { .text = text, .len = size };
		enum sa_verdict v = sa_sql_check(text, size,
		    (enum sa_sql_mode)mode, on_hit, on_statement, &s);

		require(v == s.worst, "a verdict without a hit");
	}
	struct seen s = { .text = text, .len = size };
	bool found = sa_sql_forbidden_literal(text, size, on_hit, &s);
	require(found == (s.worst == SA_VERDICT_REJECT),
	    "a forbidden literal without a hit");
	/* what is forbidden as a string is never allowed as SQL */
	if (found)
		require(sa_sql_check(text, size, SA_SQL_STATEMENT, NULL, NULL,
			    NULL) > SA_VERDICT_WARN,
		    "a forbidden literal that may run");
	return 0;
}

#ifndef SA_LIBFUZZER
static bool
run_stream(FILE *f)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_SQL_MAX + 4096);
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		if (sa_buf_add(&b, part, n) == -1)
			break;
	if (ferror(f))
		return false;
	/* a copy of its own size: reading past it is seen by a sanitizer */
	cleanup_free char *text = sa_xmalloc(b.len + 1);
	memcpy(text, sa_buf_str(&b), b.len);
	LLVMFuzzerTestOneInput((const uint8_t *)text, b.len);
	return true;
}

static bool
run_file(const char *path)
{
	if (strcmp(path, "-") == 0)
		return run_stream(stdin);
	cleanup_file FILE *f = fopen(path, "re");
	return f != NULL && run_stream(f);
}

static int
run_seeds(void)
{
	const char *dir = getenv("SA_SRCDIR");
	cleanup_free char *path =
	    sa_xasprintf("%s/t/data/fuzz-sql", dir == NULL ? "." : dir);
	cleanup_dir DIR *d = opendir(path);
	int n = 0;

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		cleanup_free char *seed =
		    sa_xasprintf("%s/%s", path, e->d_name);
		bool ok = run_file(seed);

		printf("%sok %d - %s\n", ok ? "" : "not ", ++n, e->d_name);
	}
	printf("1..%d\n", n);
	return n == 0;
}

int
main(int argc, char *argv[])
{
	if (argc < 2)
		return run_seeds();
	for (int i = 1; i < argc; i++) {
		if (!run_file(argv[i])) {
			fprintf(stderr, "fuzz-sql: cannot read '%s'\n",
			    argv[i]);
			return 1;
		}
	}
	return 0;
}
#endif
