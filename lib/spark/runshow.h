/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNSHOW_H
#define SA_RUNSHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "spark/logsink.h"
#include "spark/runlog.h"

/* Which part of the output is wanted; -1: not given. */
struct sa_run_part {
	long long tail, head; /* lines */
	long long bytes;      /* the newest; the first ones of head, offset */
	long long offset;     /* from this byte on */
	bool agent;	      /* a record is for a model */
};
#define SA_RUN_PART_INIT                                           \
	{                                                          \
		.tail = -1, .head = -1, .bytes = -1, .offset = -1, \
		.agent = false                                     \
	}

/* Copies a driver's output, as sa-supervise keeps it, to a sink, once or as it
 * grows. */
struct sa_run_show {
	struct sa_runlog log;
	struct sa_logsink sink;
	off_t from; /* where it began */
};

/* max: bytes that are written at most, the newest unless the first are asked
 * for. */
int sa_run_show_open(struct sa_run_show *s, const struct sa_store *st,
    const char *id, const char *stream, const struct sa_run_part *part,
    long long max, FILE *out, struct sa_err *err);
void sa_run_show_close(struct sa_run_show *s);

/* Copies what is there by now and flushes. ended: no more comes. A write that
 * fails is left to ferror(out). */
int sa_run_show_more(struct sa_run_show *s, bool ended, struct sa_err *err);

/* The job_log record of a part; job is its job record. What a model gets is
 * visible, SA_LOG_AGENT_MAX characters at most, and called data. */
int sa_run_log_record(const struct sa_store *st, const json_t *job,
    const char *stream, const struct sa_run_part *part, json_t **out,
    struct sa_err *err);

#endif
