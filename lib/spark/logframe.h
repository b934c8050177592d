/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LOGFRAME_H
#define SA_LOGFRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The framed text in which YARN's NodeManager and log servers answer with a
 * container's file: a head of lines up to "LogContents:", as many bytes as the
 * head's LogLength or the size that was asked for says, a tail that tells
 * whether the container still runs. What is within a frame is counted, never
 * looked at. A file that was aggregated in pieces comes as several frames.
 * Memory is that of one line.
 */

/* Gets bytes of the file with the offset of the first one. Other than 0 ends
 * the reading. Called with n 0 as soon as length is known. */
typedef int sa_logframe_fn(void *arg, long long offset, const char *bytes,
    size_t n);

#define SA_LOGFRAME_ALL 0x7fffffffffffffffLL

struct sa_logframe {
	const char *file; /* frames of another file are passed over */
	long long size;	  /* as it was asked for: the first so many bytes;
			   * negative: the last; SA_LOGFRAME_ALL */
	sa_logframe_fn *take;
	void *arg;

	long long length; /* of the file, all frames so far; -1: no frame */
	bool running;	  /* the container was running */
	bool ended;	  /* the last frame came with its end */
	bool pieces;	  /* several frames where only a part was asked for:
			   * which part it is cannot be told */
	char said[512];	  /* the answer's own words where it is no frame */

	/* of the parser */
	struct sa_buf line;
	size_t head;		 /* bytes of this head */
	long long at, left, len; /* of this frame; len -1: not said */
	bool ours, behind;
};

/* file is borrowed. */
void sa_logframe_init(struct sa_logframe *f, const char *file, long long size,
    sa_logframe_fn *take, void *arg);
void sa_logframe_release(struct sa_logframe *f);

/* The next bytes of an answer. Other than 0: nothing more is wanted, or it is
 * no log (length -1, said tells). */
int sa_logframe_feed(struct sa_logframe *f, const char *p, size_t n);

/* At the end of the answer; true where a frame lacks bytes. */
bool sa_logframe_end(struct sa_logframe *f);

#endif
