/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BUF_H
#define SA_BUF_H

#include <stddef.h>

/*
 * A growing byte buffer with a hard limit. s is always NUL-terminated once
 * something was added and NULL before (sa_buf_str() hides that); len does not
 * count the NUL and may hold NULs inside. Growing is amortised linear.
 *
 * An add past max fails with errno EFBIG and leaves the buffer as it was; out
 * of memory ends the process (sa_xmalloc).
 */
struct sa_buf {
	char *s;
	size_t len, cap, max;
};

/* max: the most bytes that len may reach; SA_BUF_NOMAX for no limit. */
#define SA_BUF_NOMAX ((size_t)-1 / 4)
void sa_buf_init(struct sa_buf *b, size_t max);
#define SA_BUF_INIT(m)                                    \
	{                                                 \
		.s = NULL, .len = 0, .cap = 0, .max = (m) \
	}

/* 0, or -1 with errno EFBIG. */
int sa_buf_add(struct sa_buf *b, const void *p, size_t n);
int sa_buf_addch(struct sa_buf *b, char c);
int sa_buf_adds(struct sa_buf *b, const char *s);
int sa_buf_addf(struct sa_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A Unicode code point as UTF-8 (surrogates and > U+10FFFF as U+FFFD). */
int sa_buf_addu(struct sa_buf *b, unsigned int cp);

/* Cuts to n bytes; n must not exceed len. */
void sa_buf_cut(struct sa_buf *b, size_t n);

/* "" where nothing was added; borrowed until the next change. */
const char *sa_buf_str(const struct sa_buf *b);

/* Hands the bytes over (never NULL; caller frees) and empties b. */
char *sa_buf_steal(struct sa_buf *b);

/* Frees; the buffer is empty and usable again, with the same max. */
void sa_buf_release(struct sa_buf *b);

/* malloc family that ends the process with SA_INTERNAL's code (70) and a line
 * on stderr when there is no memory. Products of n and size are checked. */
void *sa_xmalloc(size_t size);
void *sa_xcalloc(size_t n, size_t size);
void *sa_xrealloc(void *p, size_t n, size_t size);
char *sa_xstrdup(const char *s);
char *sa_xstrndup(const char *s, size_t n);
char *sa_xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Scoped clean-up: __attribute__ shorthands for locals. */
void sa_cleanup_free_p(void *p);
void sa_cleanup_fd_p(int *fd);
void sa_cleanup_file_p(void *fp);
void sa_cleanup_dir_p(void *dp);
#define cleanup_free __attribute__((cleanup(sa_cleanup_free_p)))
#define cleanup_fd __attribute__((cleanup(sa_cleanup_fd_p)))
#define cleanup_file __attribute__((cleanup(sa_cleanup_file_p)))
#define cleanup_dir __attribute__((cleanup(sa_cleanup_dir_p)))
#define cleanup_buf __attribute__((cleanup(sa_buf_release)))

/* Reads *pp and sets it to NULL: hands a cleanup_free local over. */
#define sa_steal(pp)                                  \
	__extension__({                               \
		__typeof__(*(pp)) sa_stolen_ = *(pp); \
		*(pp) = NULL;                         \
		sa_stolen_;                           \
	})

#endif
