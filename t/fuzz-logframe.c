/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * Framed text of a container's file. Of the first byte the low bits say which
 * part was asked for, the others how many bytes come at once. */
#include "config.h"

#include "spark/logframe.h"

#define FUZZ_NAME "fuzz-logframe"
#include "fuzz.h"

struct seen {
	const struct sa_logframe *frame;
	long long next, bytes; /* next -1: nothing yet */
	uint64_t sum;
};

static int
take(void *arg, long long offset, const char *p, size_t n)
{
	struct seen *s = arg;

	require(offset >= 0 && offset + (long long)n <= s->frame->length,
	    "bytes outside of the file");
	require(n == 0 || s->next == offset, "bytes out of order");
	if (n == 0)
		require(s->next <= offset, "a frame that goes back");
	s->next = offset + (long long)n;
	s->bytes += (long long)n;
	for (size_t i = 0; i < n; i++)
		s->sum = (s->sum ^ (unsigned char)p[i]) * 1099511628211u;
	return 0;
}

static struct seen
run(const char *text, size_t size, size_t step, long long asked,
    struct sa_logframe *f)
{
	struct seen s = { .frame = f, .next = -1 };
	int rc = 0;

	sa_logframe_init(f, "stdout", asked, take, &s);
	for (size_t at = 0; at < size && rc == 0; at += step)
		rc = sa_logframe_feed(f, text + at,
		    size - at < step ? size - at : step);
	require(f->line.cap <= 16384, "memory that grows with the answer");
	require(f->length >= -1, "a length below none");
	require(s.bytes <= (long long)size, "more bytes than came");
	sa_logframe_end(f);
	return s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const long long sizes[] = { SA_LOGFRAME_ALL, 0, 7, -7 };
	struct sa_logframe whole, parts;

	if (size == 0)
		return 0;
	const char *text = (const char *)data + 1;
	long long asked = sizes[data[0] & 3];
	struct seen a = run(text, size - 1, size, asked, &whole);
	struct seen b = run(text, size - 1, 1 + (data[0] >> 2), asked, &parts);
	require(a.bytes == b.bytes && a.sum == b.sum,
	    "it depends on how the bytes came");
	require(whole.length == parts.length && whole.ended == parts.ended &&
		whole.running == parts.running &&
		whole.pieces == parts.pieces &&
		strcmp(whole.said, parts.said) == 0,
	    "what is known depends on how the bytes came");
	sa_logframe_release(&whole);
	sa_logframe_release(&parts);
	return 0;
}
