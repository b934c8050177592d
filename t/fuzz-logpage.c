/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A web page with a container's file. Of the first byte the lowest bit says
 * whose, the next where it was asked to begin, the others how many bytes come
 * at once. */
#include "config.h"

#include "spark/logpage.h"

#define FUZZ_NAME "fuzz-logpage"
#include "fuzz.h"

struct seen {
	long long next, bytes;
	uint64_t sum;
};

static int
take(void *arg, long long offset, const char *p, size_t n)
{
	struct seen *s = arg;

	require(offset >= 0, "an offset before the file");
	require(n == 0 || s->next == offset, "bytes out of order");
	s->next = offset + (long long)n;
	s->bytes += (long long)n;
	for (size_t i = 0; i < n; i++)
		s->sum = (s->sum ^ (unsigned char)p[i]) * 1099511628211u;
	return 0;
}

static struct seen
run(const char *text, size_t size, size_t step, unsigned how,
    struct sa_logpage *p)
{
	struct seen s = { .next = -1 };
	int rc = 0;

	sa_logpage_init(p, "stdout", how & 1, how & 2 ? -9 : 0, take, &s);
	for (size_t at = 0; at < size && rc == 0; at += step)
		rc = sa_logpage_feed(p, text + at,
		    size - at < step ? size - at : step);
	require(p->text.cap <= 16384 && p->tag.cap <= 16384 &&
		p->out.cap <= 65536,
	    "memory that grows with the page");
	require(p->length >= -1, "a length below none");
	/* no name is shorter than what it stands for */
	require(s.bytes <= (long long)size, "more bytes than came");
	return s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sa_logpage whole, parts;

	if (size == 0)
		return 0;
	const char *text = (const char *)data + 1;
	struct seen a = run(text, size - 1, size, data[0], &whole);
	struct seen b =
	    run(text, size - 1, 1 + (data[0] >> 2), data[0], &parts);
	if (whole.ended)
		require(a.bytes == b.bytes && a.sum == b.sum,
		    "it depends on how the bytes came");
	require(whole.length == parts.length && whole.shown == parts.shown &&
		whole.ended == parts.ended && whole.pieces == parts.pieces &&
		strcmp(whole.said, parts.said) == 0,
	    "what is known depends on how the bytes came");
	sa_logpage_release(&whole);
	sa_logpage_release(&parts);
	return 0;
}
