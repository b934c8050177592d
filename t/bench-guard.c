/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * usage: bench-guard python FILE...
 *        bench-guard sql FILE...	texts with a NUL behind each, no reports
 *        bench-guard shapes [NAME...]
 *
 * How fast the guard is in one thread, of processor time, without reading
 * files or starting a program: the bytes of one round and the megabytes a
 * second. Of each hostile shape: nanoseconds a byte at 10 KB and at 1 MiB,
 * their ratio, and the most memory that judging 1 MiB of it took, in MiB.
 */
#include "config.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "guard/guard.h"
#include "guard/sql.h"

#define SMALL 10240
#define ENOUGH 0.5 /* seconds of work that a rate is taken from */
#define TURNS 8	   /* of three rounds, for each size of a shape */

struct text {
	const char *s;
	size_t len;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

typedef void judge_fn(const struct text *t);

static void
report_python(const struct text *t)
{
	json_t *report = NULL;
	struct sa_err e = SA_ERR_INIT;

	if (sa_guard_python(t->s, t->len, NULL, NULL, &report, &e) < 0)
		errx(1, "%s", e.msg);
	json_decref(report);
}

/* The verdict alone, which is what other parsers are compared with. */
static void
judge_sql(const struct text *t)
{
	sa_sql_check(t->s, t->len, SA_SQL_STATEMENT, NULL, NULL, NULL);
}

static void
report_sql(const struct text *t)
{
	json_t *report = NULL;
	struct sa_err e = SA_ERR_INIT;

	if (sa_guard_sql(t->s, t->len, NULL, NULL, &report, &e) < 0)
		errx(1, "%s", e.msg);
	json_decref(report);
}

/* Seconds that one round over the texts takes: the best of a few. */
static double
measure(const struct text *text, size_t n, judge_fn *judge, double enough)
{
	double best = 1e9, spent = 0;

	for (int round = 0; round < 3 || spent < enough; round++) {
		double begin = now();
		for (size_t i = 0; i < n; i++)
			judge(&text[i]);
		double took = now() - begin;
		best = took < best ? took : best;
		spent += took;
	}
	return best;
}

static void
rate(char **path, judge_fn *judge, bool many)
{
	struct text *text = NULL;
	size_t n = 0, bytes = 0;

	for (; *path != NULL; path++) {
		struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
		struct sa_err e = SA_ERR_INIT;
		if (sa_io_read_file(AT_FDCWD, *path, &b, *path, &e) < 0)
			errx(1, "%s", e.msg);
		const char *s = sa_buf_str(&b), *end = s + b.len;
		while (s < end) {
			size_t len = many ? strlen(s) : b.len;
			text = sa_xrealloc(text, n + 1, sizeof(*text));
			text[n++] = (struct text){ s, len };
			bytes += len;
			s += len + 1;
		}
	}
	double best = measure(text, n, judge, ENOUGH);
	printf("%zu\t%.1f\n", bytes, (double)bytes / best / 1e6);
	free(text);
}

/* A shape is head, then part over and over with "%" as one of NAMES numbers,
 * then tail. */
#define NAMES 10000
static const struct shape {
	const char *name;
	bool sql;
	const char *head, *part, *tail;
} shapes[] = {
	{ "python (", false, "", "(", "" },
	{ "python {", false, "", "{", "" },
	{ "python f'{", false, "", "f'{", "" },
	{ "python []", false, "x = [", "[],", "]\n" },
	{ "python '", false, "", "'", "" },
	{ "python ''", false, "x = (", "'' ", ")\n" },
	{ "python \"\"\"", false, "", "\"\"\"", "" },
	{ "python +", false, "spark.sql('a'", " + 'b'", ")\n" },
	{ "python x = x +", false, "x = 'a'\n", "x = x + 'b'\n",
	    "spark.sql(x)\n" },
	{ "python names", false, "", "name%\n", "" },
	{ "python assignments", false, "", "a% = b\n", "" },
	{ "python statements", false, "", "a = 1\n", "" },
	{ "python calls", false, "", "f(x)\n", "" },
	{ "python arguments", false, "f(", "a,", ")\n" },
	{ "python functions", false, "", "def f%(): pass\n", "" },
	{ "python literals", false, "", "x = 'abc'\n", "" },
	{ "python spark.sql", false, "", "spark.sql('SELECT 1')\n", "" },
	{ "python text", false, "spark.sql('SELECT ", "a, ", "b')\n" },
	{ "sql (", true, "SELECT ", "(", "" },
	{ "sql /*", true, "SELECT ", "/*", "" },
	{ "sql '", true, "SELECT ", "'", "" },
	{ "sql `", true, "SELECT ", "`", "" },
	{ "sql +", true, "SELECT 1", "+1", "" },
	{ "sql names", true, "SELECT 1", ", n%", "" },
	{ "sql ;", true, "SELECT 1", ";SELECT 1", "" },
	{ "sql WITH", true, "WITH a AS (SELECT 1)", ", a AS (SELECT 1)",
	    " SELECT 1" },
};

static void
build(const struct shape *s, size_t size, struct sa_buf *b)
{
	size_t room = size - strlen(s->tail) - 12;

	sa_buf_adds(b, s->head);
	for (unsigned i = 0; b->len + strlen(s->part) < room; i++)
		for (const char *p = s->part; *p != '\0'; p++)
			if (*p == '%')
				sa_buf_addf(b, "%u", i % NAMES);
			else
				sa_buf_addch(b, *p);
	sa_buf_adds(b, s->tail);
}

/* What a shape costs at SMALL and at the most that is read. */
struct cost {
	double small, large; /* nanoseconds a byte */
	double mib;	     /* the peak of a process that does only this */
};

/* In turns, so that what else runs here weighs on both. */
static void
measure_shape(const struct shape *s, struct cost *c)
{
	judge_fn *judge = s->sql ? report_sql : report_python;
	struct sa_buf small = SA_BUF_INIT(SA_GUARD_MAX);
	struct sa_buf large = SA_BUF_INIT(SA_GUARD_MAX);
	struct rusage use;

	build(s, SMALL, &small);
	build(s, SA_GUARD_MAX, &large);
	struct text a = { sa_buf_str(&small), small.len };
	struct text b = { sa_buf_str(&large), large.len };
	judge(&b);
	getrusage(RUSAGE_SELF, &use);
	*c = (struct cost){ .small = 1e9,
		.large = 1e9,
		.mib = (double)use.ru_maxrss / 1024 };
	for (int turn = 0; turn < TURNS; turn++) {
		double t = measure(&a, 1, judge, 0) / (double)a.len * 1e9;
		c->small = t < c->small ? t : c->small;
		t = measure(&b, 1, judge, 0) / (double)b.len * 1e9;
		c->large = t < c->large ? t : c->large;
	}
}

static void
judge_shape(const struct shape *s, struct cost *c)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		err(1, "pipe2");
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		measure_shape(s, c);
		_exit(write(fd[1], c, sizeof(*c)) != sizeof(*c));
	}
	close(fd[1]);
	if (read(fd[0], c, sizeof(*c)) != sizeof(*c))
		errx(1, "%s: no answer", s->name);
	close(fd[0]);
	waitpid(pid, NULL, 0);
}

static bool
is_one_of(const char *name, char **list)
{
	if (*list == NULL)
		return true;
	for (; *list != NULL; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static void
judge_shapes(char **name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct cost c;
		if (!is_one_of(shapes[i].name, name))
			continue;
		judge_shape(&shapes[i], &c);
		printf("%s\t%.1f\t%.1f\t%.2f\t%.1f\n", shapes[i].name, c.small,
		    c.large, c.large / c.small, c.mib);
	}
}

int
main(int argc, char *argv[])
{
	if (argc > 1 && strcmp(argv[1], "shapes") == 0)
		judge_shapes(argv + 2);
	else if (argc > 2 && strcmp(argv[1], "python") == 0)
		rate(argv + 2, report_python, false);
	else if (argc > 2 && strcmp(argv[1], "sql") == 0)
		rate(argv + 2, judge_sql, true);
	else
		errx(64,
		    "usage: bench-guard python|sql FILE..., or shapes "
		    "[NAME...]");
	return 0;
}
