/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYLEX_H
#define SA_PYLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard/pyslab.h"

/*
 * Python source to tokens: the literal forms of 3.8 to 3.14, so that the text
 * that Python would build is the text that is judged. Strict: what CPython's
 * tokenizer refuses, or what it may read differently from us (another
 * encoding, identifiers that fold to ASCII), is an error.
 *
 * A format string is several tokens, as in CPython 3.12: FSTART, then FTEXT
 * and the tokens of its fields between '{' and '}', then FEND. Positions are
 * bytes from the start of the source; a source is at most 16 MiB.
 */
enum sa_py_kind {
	SA_PY_END,
	SA_PY_NEWLINE,
	SA_PY_INDENT,
	SA_PY_DEDENT,
	SA_PY_NAME,
	SA_PY_NUMBER,
	SA_PY_STRING,
	SA_PY_FSTART,
	SA_PY_FTEXT,
	SA_PY_FEND,

	/* An operator of one character is its own code, 33 to 126. */

	SA_PY_EQ = 128, /* == */
	SA_PY_NE,	/* != <> */
	SA_PY_LE,
	SA_PY_GE,
	SA_PY_POW,
	SA_PY_IDIV,
	SA_PY_SHL,
	SA_PY_SHR,
	SA_PY_ARROW,
	SA_PY_WALRUS,
	SA_PY_ELLIPSIS,
	SA_PY_AUGADD, /* += */
	SA_PY_AUGMOD, /* %= */
	SA_PY_AUG,    /* every other op= */

	SA_PY_AND = 160,
	SA_PY_AS,
	SA_PY_ASSERT,
	SA_PY_ASYNC,
	SA_PY_AWAIT,
	SA_PY_BREAK,
	SA_PY_CLASS,
	SA_PY_CONTINUE,
	SA_PY_DEF,
	SA_PY_DEL,
	SA_PY_ELIF,
	SA_PY_ELSE,
	SA_PY_EXCEPT,
	SA_PY_FALSE,
	SA_PY_FINALLY,
	SA_PY_FOR,
	SA_PY_FROM,
	SA_PY_GLOBAL,
	SA_PY_IF,
	SA_PY_IMPORT,
	SA_PY_IN,
	SA_PY_IS,
	SA_PY_LAMBDA,
	SA_PY_NONE,
	SA_PY_NONLOCAL,
	SA_PY_NOT,
	SA_PY_OR,
	SA_PY_PASS,
	SA_PY_RAISE,
	SA_PY_RETURN,
	SA_PY_TRUE,
	SA_PY_TRY,
	SA_PY_WHILE,
	SA_PY_WITH,
	SA_PY_YIELD
};

struct sa_py_token {
	uint32_t offset;
	uint32_t kind : 8, len : 24;
};

struct sa_py_tokens {
	/* The last one is SA_PY_END, with two more behind it, so that there are
	 * always two to look at. */
	struct sa_py_token *t;
	uint32_t n, cap;
	struct sa_py_slab *slab;
};

/* The most that are kept: one for every two bytes of the longest source. */
#define SA_PY_MAX_TOKENS (1U << 19)

/* Why a text is not taken: rule is the id of a row of the rule table. */
struct sa_py_error {
	size_t offset;
	const char *rule;
	char message[160];
};

/* Always -1, so that a caller can return it. */
int sa_py_fail(struct sa_py_error *e, size_t offset, const char *rule,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* 0, or -1 with *e. Either way sa_py_tokens_release() frees; slab must outlive
 * it. */
int sa_py_lex(const char *text, size_t len, struct sa_py_slab *slab,
    struct sa_py_tokens *out, struct sa_py_error *e);
void sa_py_tokens_release(struct sa_py_tokens *t);

#endif
