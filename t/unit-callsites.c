/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * Real calls of spark.sql(), each written as a script that makes its text in
 * the same way, with what is known at run time only left open. */
#include "config.h"
#include "guard/guard.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tap.h"

#define VALUE '\001'

/* How a text is made: what stands for a value in the literal, what is doubled
 * in the rest, and what comes around. */
static const struct shape {
	const char *name, *before, *value, *doubled, *after, *argument, *end;
} shapes[] = {
	{ "literal", " spark.sql(", "", "", "", "", ")" },
	{ "name", " q = f", "{a}", "{}", "\n spark.sql(q", "", ")" },
	{ "fstring", " spark.sql(f", "{a}", "{}", "", "", ")" },
	{ "percent", " spark.sql(", "%s", "%", " % (", "a, ", "))" },
	{ "call.format", " spark.sql(", "{}", "{}", ".format(", "a, ", "))" },
	{ "concat", " spark.sql(", "\" + a + \"", "", "", "", ")" },
	{ "attr", " q = object()\n spark.sql(q.text", "", "", "", "", ")" },
};

static const struct shape *
find_shape(const char *name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (strcmp(shapes[i].name, name) == 0)
			return &shapes[i];
	return NULL;
}

/* text is a JSON string in its quotes, which Python reads in the same way. */
static void
add_literal(struct sa_buf *b, const struct shape *s, const char *text)
{
	static const char value[] = "\\u0001";

	while (*text != '\0') {
		if (strncmp(text, value, sizeof(value) - 1) == 0) {
			sa_buf_adds(b, s->value);
			text += sizeof(value) - 1;
			continue;
		}
		if (strchr(s->doubled, *text) != NULL)
			sa_buf_addch(b, *text);
		sa_buf_addch(b, *text++);
	}
}

static enum sa_verdict
judge(const struct shape *s, const char *text)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 16);
	struct sa_err err = SA_ERR_INIT;
	json_t *report = NULL;

	sa_buf_adds(&b, "def f(a):\n");
	if (strcmp(text, "null") == 0) {
		sa_buf_adds(&b, " spark.sql(a)\n");
	} else {
		sa_buf_adds(&b, s->before);
		add_literal(&b, s, text);
		sa_buf_adds(&b, s->after);
		for (const char *v = text; (v = strstr(v, "\\u0001")) != NULL;)
			v++, sa_buf_adds(&b, s->argument);
		sa_buf_adds(&b, s->end);
	}
	if (sa_guard_python(sa_buf_str(&b), b.len, NULL, NULL, &report, &err) <
	    0)
		return SA_VERDICT_REJECT;
	enum sa_verdict verdict = sa_guard_verdict(report);
	json_decref(report);
	return verdict;
}

enum { SHAPE, IMPLIED, VERDICT, WHY, TEXT, FIELDS };

/* Whether a row's verdict is the guard's, and where it is not the one that
 * Spark's parser implies, the reason stands there. */
static bool
check_row(char *line, int *known)
{
	char *field[FIELDS];

	for (int i = 0; i < FIELDS; i++)
		if ((field[i] = strsep(&line, "\t\n")) == NULL)
			return false;
	const struct shape *s = find_shape(field[SHAPE]);
	if (s == NULL)
		return false;
	const char *got = sa_verdict_name(judge(s, field[TEXT]));
	bool same = strcmp(field[IMPLIED], field[VERDICT]) == 0;
	*known += !same;
	if (strcmp(got, field[VERDICT]) == 0 && same == (*field[WHY] == '\0'))
		return true;
	printf("# %s, not %s: %s: %s\n", got, field[VERDICT], field[SHAPE],
	    field[TEXT]);
	return false;
}

int
main(void)
{
	const char *dir = getenv("SA_SRCDIR");
	cleanup_free char *path = sa_xasprintf("%s/t/data/sql-call-sites.tsv",
	    dir == NULL ? "." : dir);
	cleanup_file FILE *f = fopen(path, "re");
	cleanup_free char *line = NULL;
	size_t cap = 0;
	int total = 0, bad = 0, known = 0;

	while (f != NULL && getline(&line, &cap, f) >= 0)
		if (line[0] != '#') {
			total++;
			bad += !check_row(line, &known);
		}
	is_int(total, 541, "all calls are there");
	is_int(bad, 0, "each has its verdict");
	is_int(known, 27, "those that differ from Spark say why");
	return tap_done();
}
