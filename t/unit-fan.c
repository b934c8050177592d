/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fan.h"
#include "tap.h"

#define ITEMS 40
#define LARGE 200000 /* more than a pipe holds */

struct seen {
	pid_t parent;
	size_t n, failed, died;
	bool order, same;
	size_t dies; /* the item whose worker ends */
};

/* "item I" and, for some, much behind it; every 7th fails. */
static int
work(void *arg, size_t i, struct sa_buf *out, struct sa_err *err)
{
	const struct seen *s = arg;

	if (i == s->dies && getpid() != s->parent)
		_exit(3);
	sa_buf_addf(out, "item %zu", i);
	for (size_t k = 0; i % 5 == 0 && k < LARGE; k++)
		sa_buf_addch(out, 'x');
	if (i % 7 == 3) {
		sa_err_set(err, SA_NOT_FOUND, "no item %zu", i);
		return sa_err_hint(err, "look for it");
	}
	return (int)i;
}

static void
take(void *arg, size_t i, int rc, const struct sa_buf *out, struct sa_err *err)
{
	cleanup_free char *text = sa_xasprintf("item %zu", i);
	cleanup_free char *no = sa_xasprintf("no item %zu", i);
	struct seen *s = arg;
	size_t len = strlen(text) + (i % 5 == 0 ? LARGE : 0);

	s->order = s->order && i == s->n;
	s->n++;
	if (rc < 0 && err->kind == SA_INTERNAL) {
		s->died++;
		s->same = s->same && out->len == 0;
		return;
	}
	s->same = s->same && out->len == len &&
	    strncmp(sa_buf_str(out), text, strlen(text)) == 0;
	if (rc < 0) {
		s->failed++;
		s->same = s->same && err->kind == SA_NOT_FOUND &&
		    strcmp(err->msg, no) == 0 &&
		    strcmp(err->hint, "look for it") == 0;
	} else {
		s->same = s->same && rc == (int)i;
	}
}

static struct seen
run(size_t n, unsigned jobs, size_t dies)
{
	struct seen s = { .parent = getpid(),
		.order = true,
		.same = true,
		.dies = dies };

	if (sa_fan_run(n, jobs, work, take, &s, NULL) < 0)
		s.order = false;
	return s;
}

int
main(void)
{
	static const unsigned jobs[] = { 1, 2, 3, 7, ITEMS, 64 };
	struct seen s;

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		s = run(ITEMS, jobs[i], ITEMS);
		ok(s.n == ITEMS && s.order, "all, in order");
		ok(s.same && s.died == 0, "what each gave");
		is_int(s.failed, 6, "those that failed");
	}
	s = run(0, 4, 0);
	ok(s.n == 0 && s.order, "no items");
	for (size_t dies = 0; dies < ITEMS; dies += 13) {
		s = run(ITEMS, 4, dies);
		ok(s.n == ITEMS && s.order && s.same && s.died == 1,
		    "the death of one costs its item alone");
	}
	s = run(2, 2, 1);
	ok(s.n == 2 && s.died == 1, "the last one dies");
	return tap_done();
}
