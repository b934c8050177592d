/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNLOG_H
#define SA_RUNLOG_H

#include <stddef.h>
#include <sys/types.h>

#include "base/record.h"

/*
 * Reads a driver's output while it grows at its end and is cut at its head.
 * Offsets count from what the driver wrote first, whatever was cut. What is
 * read was written by the driver, never the zeros of a hole: bytes that were
 * cut before they were read are counted in lost.
 */
struct sa_runlog {
	int dir, fd; /* fd -1: the file is not there yet */
	const char *stream;
	off_t at;   /* the next byte to read */
	off_t lost; /* bytes that were passed over */
};

/* stream: "stdout" or "stderr", borrowed. SA_NOT_FOUND: no such run. */
int sa_runlog_open(struct sa_runlog *l, const struct sa_store *st,
    const char *id, const char *stream, struct sa_err *err);
void sa_runlog_close(struct sa_runlog *l);

/* How far the driver has written, and the first byte that is left. */
off_t sa_runlog_end(struct sa_runlog *l);
off_t sa_runlog_start(struct sa_runlog *l);

/*
 * Sets at to where the last so many lines begin (a line break at the very end
 * ends the last line), but not more than bytes before the end; lines -1 for
 * bytes alone. lost is 0 afterwards.
 */
int sa_runlog_tail(struct sa_runlog *l, long long lines, off_t bytes,
    struct sa_err *err);

/* Reads at most n bytes and goes on: 0 at the end of what is there by now. */
ssize_t sa_runlog_read(struct sa_runlog *l, char *buf, size_t n,
    struct sa_err *err);

#endif
