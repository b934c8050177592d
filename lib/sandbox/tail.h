/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_TAIL_H
#define SA_TAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The newest bytes of a stream in bounded memory, whatever its length. What
 * is given at the end begins with a whole line where there is a line break to
 * begin behind: a cut that falls right behind one drops nothing, one whose
 * only line break is its last byte keeps the cut, and half characters of
 * UTF-8 are dropped, never replaced.
 */
struct sa_tail {
	char *ring;		  /* one byte more than is kept */
	size_t max;		  /* bytes that are kept */
	unsigned long long total; /* bytes that came */
};

int sa_tail_init(struct sa_tail *t, size_t max); /* -1: no memory */
void sa_tail_free(struct sa_tail *t);
void sa_tail_add(struct sa_tail *t, const void *p, size_t len);

/* The tail by that rule; whether something is missing before it. */
bool sa_tail_get(const struct sa_tail *t, struct sa_buf *out);

/* The rule itself for text that holds the last bytes of a longer one: where
 * its kept part begins. before is the byte in front of text, or -1. */
size_t sa_tail_begin(const char *text, size_t len, size_t max, int before);

/* Where the last so many lines of text begin; a last one without a line break
 * is a line. */
size_t sa_tail_lines(const char *text, size_t len, size_t lines);

#endif
