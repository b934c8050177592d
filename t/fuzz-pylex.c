/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The lexer of Python, and what its strings are decoded to, on any bytes. */
#include "config.h"

#include "guard/pylex.h"
#include "guard/pystr.h"
#include "guard/rules.h"

#define FUZZ_NAME "fuzz-pylex"
#include "fuzz.h"

/* Between two tokens nothing stands that Python would read. */
static void
look_between(const char *text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (text[i] != '#') {
			require(strchr(" \t\f\r\n\\", text[i]) != NULL,
			    "text that is no token");
			continue;
		}
		while (i < to && text[i] != '\n' && text[i] != '\r')
			i++;
	}
}

static void
look_inside(const char *text, const struct sa_py_token *t)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_py_runs runs = { 0 };
	struct sa_py_literal l;

	sa_py_literal(text, t, &l);
	require(t->offset <= l.start && l.start <= l.end &&
		l.end <= t->offset + t->len,
	    "a literal outside of its token");
	sa_py_decode(text, &l, &b, &runs);
	require(b.len <= 2 * (l.end - l.start), "a value that grew");
	for (uint32_t i = 0; i < runs.n; i++)
		require(runs.r[i].at <= b.len && runs.r[i].src >= l.start &&
			runs.r[i].src < l.end &&
			(i == 0 || runs.r[i].at >= runs.r[i - 1].at),
		    "a run outside of its literal");
	if (sa_py_plain(text, &l))
		require(b.len == l.end - l.start &&
			memcmp(sa_buf_str(&b), text + l.start, b.len) == 0,
		    "a plain literal that is not its own value");
	free(runs.r);
}

/* How much deeper a token leads into something that has to end. */
static int
step(unsigned kind)
{
	switch (kind) {
	case '(':
	case '[':
	case '{':
	case SA_PY_INDENT:
	case SA_PY_FSTART:
		return 1;
	case ')':
	case ']':
	case '}':
	case SA_PY_DEDENT:
	case SA_PY_FEND:
		return -1;
	default:
		return 0;
	}
}

static void
look(const char *text, size_t size, const struct sa_py_tokens *tokens)
{
	size_t end = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	int depth = 0;

	for (uint32_t i = 0; i < tokens->n; i++) {
		const struct sa_py_token *t = &tokens->t[i];

		require(t->offset >= end && t->offset + t->len <= size,
		    "tokens out of order");
		look_between(text, end, t->offset);
		end = t->offset + t->len;
		depth += step(t->kind);
		require(depth >= 0, "an end without a beginning");
		if (t->kind == SA_PY_STRING || t->kind == SA_PY_FTEXT)
			look_inside(text, t);
	}
	require(depth == 0, "a beginning without an end");
	require(end == size && tokens->t[tokens->n - 1].kind == SA_PY_END,
	    "a text that is not read to its end");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct sa_py_slab slab;
	struct sa_py_tokens tokens;
	struct sa_py_error why = { 0 };

	sa_py_slab_init(&slab, size + 16);
	if (sa_py_lex(text, size, &slab, &tokens, &why) == 0)
		look(text, size, &tokens);
	else
		require(why.offset <= size && why.message[0] != '\0' &&
			sa_rule_find(why.rule) != NULL,
		    "a refusal that does not say why");
	sa_py_tokens_release(&tokens);
	sa_py_slab_release(&slab);
	return 0;
}
