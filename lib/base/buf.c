/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
no_memory(void)
{
	static const char text[] = "sa: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	_exit(70);
}

void *
sa_xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (p == NULL)
		no_memory();
	return p;
}

void *
sa_xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (p == NULL)
		no_memory();
	return p;
}

void *
sa_xrealloc(void *old, size_t n, size_t size)
{
	void *p = reallocarray(old, n ? n : 1, size ? size : 1);

	if (p == NULL)
		no_memory();
	return p;
}

char *
sa_xstrdup(const char *s)
{
	return sa_xstrndup(s, strlen(s));
}

char *
sa_xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = sa_xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *
sa_xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p = NULL;

	va_start(ap, fmt);
	if (vasprintf(&p, fmt, ap) < 0)
		no_memory();
	va_end(ap);
	return p;
}

void
sa_buf_init(struct sa_buf *b, size_t max)
{
	*b = (struct sa_buf)SA_BUF_INIT(max);
}

/* Room for n more bytes and the NUL. */
static int
grow(struct sa_buf *b, size_t n)
{
	if (n > b->max || b->len > b->max - n) {
		errno = EFBIG;
		return -1;
	}
	if (b->s != NULL && b->len + n < b->cap)
		return 0;
	size_t cap = b->cap < 64 ? 64 : b->cap;
	while (cap <= b->len + n)
		cap += cap / 2;
	b->s = sa_xrealloc(b->s, cap, 1);
	b->cap = cap;
	return 0;
}

int
sa_buf_add(struct sa_buf *b, const void *p, size_t n)
{
	if (grow(b, n) < 0)
		return -1;
	if (n > 0)
		memcpy(b->s + b->len, p, n);
	b->len += n;
	b->s[b->len] = '\0';
	return 0;
}

int
sa_buf_addch(struct sa_buf *b, char c)
{
	return sa_buf_add(b, &c, 1);
}

int
sa_buf_adds(struct sa_buf *b, const char *s)
{
	return sa_buf_add(b, s, strlen(s));
}

int
sa_buf_addf(struct sa_buf *b, const char *fmt, ...)
{
	va_list ap;
	cleanup_free char *p = NULL;

	va_start(ap, fmt);
	int n = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (n < 0)
		no_memory();
	return sa_buf_add(b, p, (size_t)n);
}

int
sa_buf_addu(struct sa_buf *b, unsigned int cp)
{
	char u[4];
	size_t n;

	if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		cp = 0xfffd;
	if (cp < 0x80) {
		u[0] = (char)cp;
		n = 1;
	} else if (cp < 0x800) {
		u[0] = (char)(0xc0 | cp >> 6);
		u[1] = (char)(0x80 | (cp & 0x3f));
		n = 2;
	} else if (cp < 0x10000) {
		u[0] = (char)(0xe0 | cp >> 12);
		u[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		u[2] = (char)(0x80 | (cp & 0x3f));
		n = 3;
	} else {
		u[0] = (char)(0xf0 | cp >> 18);
		u[1] = (char)(0x80 | (cp >> 12 & 0x3f));
		u[2] = (char)(0x80 | (cp >> 6 & 0x3f));
		u[3] = (char)(0x80 | (cp & 0x3f));
		n = 4;
	}
	return sa_buf_add(b, u, n);
}

void
sa_buf_cut(struct sa_buf *b, size_t n)
{
	if (b->s == NULL || n > b->len)
		return;
	b->len = n;
	b->s[n] = '\0';
}

const char *
sa_buf_str(const struct sa_buf *b)
{
	return b->s != NULL ? b->s : "";
}

char *
sa_buf_steal(struct sa_buf *b)
{
	char *s = b->s != NULL ? b->s : sa_xstrdup("");

	sa_buf_init(b, b->max);
	return s;
}

void
sa_buf_release(struct sa_buf *b)
{
	free(b->s);
	sa_buf_init(b, b->max);
}

void
sa_cleanup_free_p(void *p)
{
	int saved = errno;

	free(*(void **)p);
	errno = saved;
}

void
sa_cleanup_fd_p(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

void
sa_cleanup_file_p(void *fp)
{
	FILE **f = fp;
	int saved = errno;

	if (*f != NULL)
		fclose(*f);
	errno = saved;
}

void
sa_cleanup_dir_p(void *dp)
{
	DIR **d = dp;
	int saved = errno;

	if (*d != NULL)
		closedir(*d);
	errno = saved;
}
