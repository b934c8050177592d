/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_JOBLOG_H
#define SA_JOBLOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * What the processes of one application wrote, wherever its cluster keeps it.
 * A kind of cluster is a table of operations; sa_cluster_ops.logs opens one.
 * Offsets count from the first byte that a process wrote.
 */
struct sa_joblog;

/* Which bytes of a file. */
struct sa_joblog_part {
	long long from; /* the first one; negative: so many before the end */
	long long max;	/* so many at most; -1: all to the end */
};

/* Gets the bytes in order, what a server puts around them taken off. Other
 * than 0 ends the reading, which is no failure. */
typedef int sa_joblog_fn(void *arg, const char *bytes, size_t n);

struct sa_joblog_result {
	char source[300]; /* "NodeManager host:8042" */
	long long length; /* of the file, as the source says; -1: unknown */
	long long start;  /* the offset of the first byte that was given */
	long long given;  /* bytes */
	bool complete;	  /* nobody writes to it any more */
	bool cut;	  /* the source broke off before its end */
};

struct sa_joblog_ops {
	/* The containers: driver first, that of the newest attempt before
	 * older ones; with executors all others that are known, too. An array
	 * of {"container","role" ("driver", "executor"),"attempt"}. */
	int (*containers)(struct sa_joblog *l, bool executors, json_t **out,
	    struct sa_err *err);
	/* SA_NOT_FOUND: no source has it; tried and hint tell why. part.from
	 * beyond the end gives nothing. Where no source has it: SA_NOT_FOUND,
	 * or SA_REMOTE where the cluster itself did not answer. Asks anew each
	 * time: sources change while an application runs and ends. */
	int (*read)(struct sa_joblog *l, const char *container,
	    const char *file, const struct sa_joblog_part *part,
	    sa_joblog_fn *take, void *arg, struct sa_joblog_result *out,
	    struct sa_err *err);
	void (*close)(struct sa_joblog *l);
};

struct sa_joblog {
	const struct sa_joblog_ops *ops;
	json_t *tried;	/* of the last read: [{"source","why"}] */
	char hint[400]; /* what a person can do about it; "" for nothing */
	bool later;	/* it is on its way: another try may find it */
};

/*
 * Reads a part whole: where a source broke off, what is missing is read from
 * there on, from whatever source has it. out is about all of it; cut: nobody
 * had the rest. Errors of read.
 */
int sa_joblog_copy(struct sa_joblog *l, const char *container, const char *file,
    const struct sa_joblog_part *part, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err);

/*
 * Where the last so many lines begin (a line break at the very end ends the
 * last line), but not more than bytes before the end; lines -1: bytes alone.
 */
int sa_joblog_tail(struct sa_joblog *l, const char *container, const char *file,
    long long lines, long long bytes, long long *from, struct sa_err *err);

/* For those who implement a kind. */
void sa_joblog_init(struct sa_joblog *l, const struct sa_joblog_ops *ops);
void sa_joblog_failed(struct sa_joblog *l, const char *source, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));
void sa_joblog_forget(struct sa_joblog *l); /* tried, hint and later */

/* Closes and frees; NULL is allowed. */
void sa_joblog_close(struct sa_joblog *l);

#endif
