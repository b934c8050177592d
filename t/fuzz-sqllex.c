/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The lexer of SQL on any bytes, as Spark and as other databases read them. */
#include "config.h"

#include "guard/rules.h"
#include "guard/sql.h"
#include "guard/sqllex.h"

#define FUZZ_NAME "fuzz-sqllex"
#include "fuzz.h"

/* Between two tokens there are blanks and comments only. */
static void
look_between(const char *text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		unsigned char c = (unsigned char)text[i];

		if (to - i >= 2 &&
		    (memcmp(text + i, "--", 2) == 0 ||
			memcmp(text + i, "/*", 2) == 0))
			return;
		require(c == ' ' || (c >= '\t' && c <= '\r') ||
			(c >= 0x80 && c != SA_SQL_HOLE),
		    "text that is no token");
	}
}

static void
look_at(const struct sa_sql_lex *lx, size_t i)
{
	const struct sa_sql_token *t = &lx->tokens[i];
	char first = lx->text[t->start], last = lx->text[t->end - 1];
	bool raw = first == 'r' || first == 'R';
	bool glued = i > 0 && t[-1].end == t->start;

	require(glued == ((t->flags & SA_SQL_GLUED) != 0),
	    "a token that is not glued as it says");
	if (t->match != SA_SQL_NO_MATCH)
		require(t->match < lx->count && t->match != i &&
			lx->tokens[t->match].match == i &&
			(first == '(') == (t->match > i),
		    "parentheses that are no pair");
	switch (t->kind) {
	case SA_SQL_BACKQ:
	case SA_SQL_STRING:
	case SA_SQL_DQUOTE:
		if (raw)
			first = lx->text[t->start + 1];
		require(first == last && t->end - t->start >= (raw ? 3 : 2) &&
			strchr("`'\"", last) != NULL,
		    "quotes that are no pair");
		break;
	case SA_SQL_UNKNOWN:
		require((unsigned char)first == SA_SQL_HOLE &&
			t->end - t->start == 1,
		    "a hole that is none");
		break;
	default:
		require(t->kind == SA_SQL_OP ||
			(t->kind == SA_SQL_NAME && t->code < SA_W_COUNT),
		    "a token of no kind");
	}
}

static void
look(const char *text, size_t size, bool foreign)
{
	struct sa_sql_lex lx;
	int rc = sa_sql_lex(&lx, text, size, foreign);
	size_t end = 0;

	for (size_t i = 0; i < lx.count; i++) {
		const struct sa_sql_token *t = &lx.tokens[i];

		require(t->start >= end && t->start < t->end && t->end <= size,
		    "tokens out of order");
		look_between(text, end, t->start);
		end = t->end;
		if (rc == 0)
			look_at(&lx, i);
	}
	if (rc == 0)
		look_between(text, end, size);
	require(rc == 0 || lx.trouble != NULL, "a refusal without a reason");
	if (lx.trouble != NULL)
		require(sa_rule_find(lx.trouble) != NULL &&
			lx.trouble_at <= lx.trouble_end &&
			lx.trouble_end <= size,
		    "a trouble of no rule or place");
	sa_sql_lex_release(&lx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	look(text, size, false);
	look(text, size, true);
	return 0;
}
