/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "guard/guard.h"
#include "guard/sinks.h"
#include "tap.h"

/*
 * Each row of sinks.def against t/data/sinks.tsv: a source that the row
 * refuses, under strict options where it only warns without them, and one
 * much like it that passes without a finding. A line of the file is a row's
 * id, the rule ("-" for the row's own), and the two sources, in which \n and
 * \t are what they are in C.
 */
struct known {
	const char *id, *rule;
	bool note; /* only ever warns */
	unsigned seen;
};

#define NOTE true
#define HARD false
#define SOFT false
#define OVERWRITE false
#define RISK false
#define REJECT false
#define SINK(name, receiver, argument, keyword, mode, when, level, rule)     \
	{ "call " name " " receiver " " #argument " " #mode " " #when, rule, \
		level, 0 },
#define OPTION(key, mode, level, rule) { "option " key, rule, level, 0 },
#define ATTRIBUTE(name, level, rule) { "attribute " name, rule, level, 0 },
#define COMMON_ATTRIBUTE ATTRIBUTE
#define IMPORT(module, level, rule) { "import " module, rule, level, 0 },
#define TYPE(name, how, receiver, result)
static struct known known[] = {
#include "guard/sinks.def"
};
#define COUNT (sizeof(known) / sizeof(known[0]))

static struct known *
find(const char *id)
{
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp(known[i].id, id) == 0)
			return &known[i];
	return NULL;
}

/* \n and \t in place. */
static void
unescape(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++) {
		if (s[0] == '\\' && (s[1] == 'n' || s[1] == 't'))
			*to++ = *++s == 'n' ? '\n' : '\t';
		else
			*to++ = *s;
	}
	*to = '\0';
}

/* The report of a source, whether it is evaluated at all or not. */
static json_t *
judge(const char *source)
{
	struct sa_guard_options strict = { .strict = true,
		.strict_insert = true };
	json_t *report[2] = { NULL, NULL };
	struct sa_err e = SA_ERR_INIT;

	for (int i = 0; i < 2; i++) {
		strict.thorough = i == 1;
		if (sa_guard_python(source, strlen(source), "x.py", &strict,
			&report[i], &e) < 0)
			errx(1, "a source is not read");
	}
	if (!json_equal(report[0], report[1]))
		errx(1, "an evaluation finds something else: %s", source);
	json_decref(report[1]);
	return report[0];
}

static const char *
string(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Whether a finding of that rule refuses, or only warns. */
static bool
refused(const json_t *report, const char *rule, bool note)
{
	size_t i;
	json_t *f;

	json_array_foreach (json_object_get(report, "findings"), i, f) {
		bool warns = strcmp(string(f, "severity"), "warn") == 0;
		if (strcmp(string(f, "rule"), rule) == 0 && warns == note)
			return true;
	}
	return false;
}

static void
explain(const json_t *report)
{
	size_t i;
	json_t *f;

	json_array_foreach (json_object_get(report, "findings"), i, f)
		printf("# %s: %s\n", string(f, "rule"), string(f, "message"));
}

static void
line(char *s)
{
	char *field[4];

	for (int i = 0; i < 4; i++)
		if ((field[i] = strsep(&s, "\t")) == NULL)
			errx(1, "sinks.tsv: a line lacks a field");
	struct known *k = find(field[0]);
	ok(k != NULL && k->seen++ == 0, field[0]);
	if (k == NULL)
		return;
	unescape(field[2]);
	unescape(field[3]);
	const char *rule = strcmp(field[1], "-") == 0 ? k->rule : field[1];
	json_auto_t *bad = judge(field[2]), *good = judge(field[3]);
	if (!ok(refused(bad, rule, k->note), "is found"))
		explain(bad);
	if (!ok(sa_guard_verdict(good) == SA_VERDICT_ALLOW, "no more than it"))
		explain(good);
}

int
main(int argc, char *argv[])
{
	const char *dir = getenv("SA_SRCDIR");
	cleanup_free char *path =
	    sa_xasprintf("%s/t/data/sinks.tsv", dir == NULL ? "." : dir);
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);
	struct sa_err e = SA_ERR_INIT;

	if (argc == 2 && strcmp(argv[1], "-l") == 0) {
		for (size_t i = 0; i < COUNT; i++)
			printf("%s\n", known[i].id);
		return 0;
	}
	if (sa_io_read_file(AT_FDCWD, path, &b, path, &e) < 0)
		errx(1, "%s", e.msg);
	for (char *s = b.s, *next; s != NULL && *s != '\0'; s = next) {
		next = strchr(s, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (*s != '#')
			line(s);
	}
	for (size_t i = 0; i < COUNT; i++)
		if (known[i].seen != 1)
			ok(false, known[i].id);
	return tap_done();
}
