/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SQLHEAD_H
#define SA_SQLHEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "guard/sqllex.h"
#include "guard/verdict.h"

enum sa_sql_class {
	SA_SQL_QUERY,
	SA_SQL_INSERT,
	SA_SQL_OTHER /* what the policy refuses, known or not */
};

/* What a statement is. The verb is the token that decides: behind a WITH
 * list, not WITH; the first INSERT of a FROM ... INSERT. */
struct sa_sql_head {
	enum sa_sql_class class;
	size_t verb, verb_end;	 /* tokens */
	const char *rule;	 /* NULL: nothing is wrong with the head */
	enum sa_verdict verdict; /* of the rule */
	size_t at, at_end;	 /* tokens that break it */
};

/* Reads the head of the statement [from, to), tokens without a ';' of which
 * at least one is there. One pass over them. */
void sa_sql_head(const struct sa_sql_lex *lx, size_t from, size_t to,
    struct sa_sql_head *head);

/* The head as people read it, in upper case and cut to fit ("DELETE FROM"),
 * with {} for a hole. size is at least 16. */
void sa_sql_head_text(const struct sa_sql_lex *lx, size_t to,
    const struct sa_sql_head *head, char *buf, size_t size);

/* What a token is, false past the end. */
static inline bool
sa_sql_is_op(const struct sa_sql_lex *lx, size_t i, size_t to, uint8_t code)
{
	return i < to && lx->tokens[i].kind == SA_SQL_OP &&
	    lx->tokens[i].code == code;
}

static inline bool
sa_sql_is_word(const struct sa_sql_lex *lx, size_t i, size_t to,
    enum sa_sql_word w)
{
	return i < to && lx->tokens[i].kind == SA_SQL_NAME &&
	    lx->tokens[i].code == (uint8_t)w;
}

static inline bool
sa_sql_is_hole(const struct sa_sql_lex *lx, size_t i, size_t to)
{
	return i < to && lx->tokens[i].kind == SA_SQL_UNKNOWN;
}

/* Whether the '(' at i begins as a query does; what is not known counts. */
bool sa_sql_opens_query(const struct sa_sql_lex *lx, size_t i, size_t to);

/* Whether an INSERT with INTO, OVERWRITE or WITH SCHEMA EVOLUTION is at i. */
bool sa_sql_is_insert(const struct sa_sql_lex *lx, size_t i, size_t to);

#endif
