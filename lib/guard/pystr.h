/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYSTR_H
#define SA_PYSTR_H

#include "base/buf.h"
#include "guard/pylex.h"

/* The value of Python's string literals, and where each byte came from. */

/* The literal's kind and the bounds of its body. */
struct sa_py_literal {
	size_t start, end;
	bool raw, bytes, format;
};
void sa_py_literal(const char *text, const struct sa_py_token *t,
    struct sa_py_literal *l);

/* A run of a decoded value in which each byte has one byte of source, from
 * src on; the next run begins where that is no longer so. */
struct sa_py_run {
	uint32_t at, src;
};
struct sa_py_runs {
	struct sa_py_run *r;
	uint32_t n, cap;
};

/*
 * Appends the value of text[l->start, l->end) to out and its runs to runs
 * (positions count from out's start). Characters that are known only by a
 * Unicode name become SA_SQL_HOLE. A byte of a bytes literal over 0x7f
 * becomes the code point of that number.
 */
void sa_py_decode(const char *text, const struct sa_py_literal *l,
    struct sa_buf *out, struct sa_py_runs *runs);

/*
 * Appends what a field with "=" repeats of its source, text[start, end): no
 * comments, and \n at the end of each line. false where Python's versions
 * differ on it: what a '#' means beside quotes.
 */
bool sa_py_repeat(const char *text, size_t start, size_t end,
    struct sa_buf *out, struct sa_py_runs *runs);

/* Whether the value is the source itself, byte for byte. */
bool sa_py_plain(const char *text, const struct sa_py_literal *l);

#endif
