/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNSHOW_H
#define SA_RUNSHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "spark/runlog.h"

/* What a command prints of one stream, at most. */
#define SA_RUN_SHOW_MAX ((off_t)64 * 1024 * 1024)
/* Bytes of output in a job_log; JSON's escapes make up to six of one. */
#define SA_RUN_LOG_MAX ((off_t)10 * 1024 * 1024)

/* Which part of the output is wanted; -1: not given. */
struct sa_run_part {
	long long tail, head; /* lines */
	long long bytes;      /* the newest; the first ones of head, offset */
	long long offset;     /* from this byte on */
};
#define SA_RUN_PART_INIT                                          \
	{                                                         \
		.tail = -1, .head = -1, .bytes = -1, .offset = -1 \
	}

/*
 * Copies a driver's output to a stream, once or as it grows: the bytes as
 * they are, or, to a terminal, masked and with control characters visible.
 * With whole_lines a line that the driver has not ended yet waits.
 */
struct sa_run_show {
	struct sa_runlog log;
	FILE *out;
	bool whole_lines;
	off_t from;	 /* where it began */
	off_t left;	 /* bytes that may still be written */
	long long lines; /* lines that may still be written; -1: all */
	off_t over;	 /* bytes that were not written for want of left */
	bool open_line;	 /* the last byte written was no line break */
	struct sa_buf line;
};

int sa_run_show_open(struct sa_run_show *s, const struct sa_store *st,
    const char *id, const char *stream, const struct sa_run_part *part,
    FILE *out, struct sa_err *err);
void sa_run_show_close(struct sa_run_show *s);

/* Copies what is there by now and flushes. ended: no more comes. A write that
 * fails is left to ferror(out). */
int sa_run_show_more(struct sa_run_show *s, bool ended, struct sa_err *err);

/* The job_log record of a part; job is its job record. */
int sa_run_log_record(const struct sa_store *st, const json_t *job,
    const char *stream, const struct sa_run_part *part, json_t **out,
    struct sa_err *err);

#endif
