/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/tail.h"

#include <stdlib.h>
#include <string.h>

/* The byte in front of what is kept tells whether the cut is at a line's
 * beginning: the ring has room for it. */
int
sa_tail_init(struct sa_tail *t, size_t max)
{
	*t = (struct sa_tail){ .ring = malloc(max + 1), .max = max };
	return t->ring != NULL ? 0 : -1;
}

void
sa_tail_free(struct sa_tail *t)
{
	free(t->ring);
	t->ring = NULL;
}

void
sa_tail_add(struct sa_tail *t, const void *p, size_t len)
{
	const char *from = p;
	size_t size = t->max + 1;

	if (len > size) {
		from += len - size;
		t->total += len - size;
		len = size;
	}
	size_t at = (size_t)(t->total % size);
	size_t first = len < size - at ? len : size - at;
	memcpy(t->ring + at, from, first);
	memcpy(t->ring, from + first, len - first);
	t->total += len;
}

size_t
sa_tail_begin(const char *text, size_t len, size_t max, int before)
{
	size_t start = len > max ? len - max : 0, half = 0;

	if (start > 0)
		before = (unsigned char)text[start - 1];
	if (before < 0 || before == '\n')
		return start;
	const char *line = memchr(text + start, '\n', len - start);
	if (line != NULL && line + 1 < text + len)
		return (size_t)(line + 1 - text);
	while (start + half < len &&
	    ((unsigned char)text[start + half] & 0xc0) == 0x80)
		half++;
	return start + (half < 4 ? half : 0);
}

size_t
sa_tail_lines(const char *text, size_t len, size_t lines)
{
	size_t at = len > 0 && text[len - 1] == '\n' ? len - 1 : len;

	while (lines > 0 && at > 0) {
		if (text[at - 1] == '\n' && --lines == 0)
			return at;
		at--;
	}
	return at;
}

bool
sa_tail_get(const struct sa_tail *t, struct sa_buf *out)
{
	size_t size = t->max + 1;
	bool wrapped = t->total > t->max;
	size_t have = wrapped ? t->max : (size_t)t->total;
	size_t at = (size_t)((t->total - have) % size);
	int before = -1;

	if (wrapped)
		before = (unsigned char)
			     t->ring[(size_t)((t->total - have - 1) % size)];
	size_t first = have < size - at ? have : size - at;
	cleanup_free char *text = sa_xmalloc(have + 1);
	memcpy(text, t->ring + at, first);
	memcpy(text + first, t->ring, have - first);
	size_t begin = sa_tail_begin(text, have, t->max, before);
	sa_buf_add(out, text + begin, have - begin);
	return wrapped;
}
