/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_KUBELINES_H
#define SA_KUBELINES_H

#include <stdbool.h>
#include <stddef.h>

#include "spark/joblog.h"

/*
 * The log of a container as Kubernetes gives it with timestamps=true, each
 * line behind the time of its writing, read by offsets of what was written.
 * To go on, only lines since some seconds ago are asked for: lines are filtered
 * by their times one by one and stay in their order, so that as many as were
 * seen since then are left out. Times need not ascend strictly: two streams
 * are written to one log.
 */
#define SA_KUBELINES_SECONDS 4
struct sa_kubelines_mark {
	bool valid;
	long long offset; /* behind the last whole line */
	char last[64];	  /* the time of that line */
	/* the last seconds in which lines were written, and how many each has;
	 * sec is "2026-11-29T21:18:00" */
	struct {
		char sec[20];
		long long lines;
	} at[SA_KUBELINES_SECONDS];
	size_t n;
	char zone[8]; /* "Z", "+02:00" */
};

/* "2026-11-29T21:18:00Z", from when lines are to be asked for; "" for all. */
void sa_kubelines_since(const struct sa_kubelines_mark *m, char out[32]);

/*
 * One reading: bytes from the mark on (an empty one: from the beginning) go
 * in, and what of them lies in the part goes to take. The mark moves on.
 */
struct sa_kubelines {
	struct sa_kubelines_mark *mark;
	long long from, left; /* left -1: all */
	sa_joblog_fn *take;
	void *arg;
	long long at;	 /* the offset of the next byte of content */
	long long given; /* bytes to take */
	long long skip;	 /* lines that were seen before */
	bool later;	 /* instead: leave out what is not later than last */
	bool broken;	 /* what was left out is not what was seen before: the
			  * log begins later now, and is to be read by later */
	bool skipping;	 /* in a line that is left out */
	bool stamped;	 /* the line's time is known */
	size_t nhead;
	char head[64]; /* the beginning of a line, as long as it may be a
			* time */
	bool text;     /* behind it */
};
void sa_kubelines_begin(struct sa_kubelines *l, struct sa_kubelines_mark *mark,
    bool later, long long from, long long max, sa_joblog_fn *take, void *arg);

/* Not 0: enough, or broken. */
int sa_kubelines_add(struct sa_kubelines *l, const char *bytes, size_t n);

/* All is in: a beginning that waits for more is content. */
int sa_kubelines_end(struct sa_kubelines *l);

#endif
