/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A log with times. It is read whole, and in two readings between which a
 * server leaves out what is older than it was asked for: they must give the
 * same. The first byte says where the first one ends, and in what pieces the
 * bytes come. */
#include "config.h"

#include "spark/kubelines.h"

#define FUZZ_NAME "fuzz-kubelines"
#include "fuzz.h"

static int
add(void *arg, const char *bytes, size_t n)
{
	sa_buf_add(arg, bytes, n);
	return 0;
}

static void
feed(struct sa_kubelines *l, const char *s, size_t n, size_t step)
{
	for (size_t i = 0; i < n; i += step)
		if (sa_kubelines_add(l, s + i, n - i < step ? n - i : step) !=
		    0)
			return;
}

/* Whether each line has a time in the form of a kubelet, and they ascend. */
static bool
is_sound(const char *s, size_t n)
{
	const char *before = NULL;

	if (n == 0 || s[n - 1] != '\n' || memchr(s, '\0', n) != NULL)
		return false;
	for (const char *end = s + n; s < end;) {
		static const char form[] = "2026-11-29T21:18:dd.ddddddddZ ";
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		if ((size_t)(nl - s) < sizeof(form) - 1)
			return false;
		for (size_t i = 0; form[i] != '\0'; i++)
			if (form[i] == 'd' ? s[i] < '0' || s[i] > '9'
					   : s[i] != form[i])
				return false;
		if (before != NULL && strncmp(before, s, 29) > 0)
			return false;
		before = s;
		s = nl + 1;
	}
	return true;
}

/* What a server gives that was asked for lines since then. */
static size_t
since(const char *s, size_t n, const char *when)
{
	size_t i = 0;

	while (*when != '\0' && i < n && strncmp(s + i, when, 19) < 0)
		i = (size_t)((const char *)memchr(s + i, '\n', n - i) - s) + 1;
	return i;
}

static void
in_two(const char *s, size_t n, size_t cut, size_t step,
    const struct sa_buf *whole)
{
	cleanup_buf struct sa_buf parts = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_kubelines_mark mark = { .valid = false };
	struct sa_kubelines l;
	char when[32];

	while (cut < n && cut > 0 && s[cut - 1] != '\n')
		cut++;
	sa_kubelines_begin(&l, &mark, false, 0, -1, add, &parts);
	feed(&l, s, cut, step);
	sa_kubelines_end(&l);
	sa_kubelines_since(&mark, when);
	size_t i = since(s, n, when);
	sa_kubelines_begin(&l, &mark, false, (long long)parts.len, -1, add,
	    &parts);
	feed(&l, s + i, n - i, step);
	sa_kubelines_end(&l);
	require(!l.broken, "a log that went on is taken for another");
	require(parts.len == whole->len &&
		memcmp(sa_buf_str(&parts), sa_buf_str(whole), parts.len) == 0,
	    "a line was lost, or came twice");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct sa_buf whole = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_kubelines_mark mark = { .valid = false };
	struct sa_kubelines l;

	if (size < 2)
		return 0;
	size_t step = data[0] % 16 + 1, n = size - 1;
	const char *s = (const char *)data + 1;
	size_t cut = n * (data[0] >> 4) / 15;
	sa_kubelines_begin(&l, &mark, false, 0, -1, add, &whole);
	feed(&l, s, n, step);
	sa_kubelines_end(&l);
	require(whole.len <= n && l.given == (long long)whole.len,
	    "more than there was");
	if (is_sound(s, n))
		in_two(s, n, cut, step, &whole);
	return 0;
}
