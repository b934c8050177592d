/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_GUARD_SQL_H
#define SA_GUARD_SQL_H

#include <stdbool.h>
#include <stddef.h>

#include "guard/verdict.h"

/*
 * The SQL half of the guard: Spark's own lexical rules, statement split,
 * heads, CTE walk. It knows nothing of Python. Time and memory are linear in
 * the length of the text; nothing recurses on its nesting.
 *
 * A text is UTF-8 in which the byte 0xff, which UTF-8 never holds, stands for
 * a hole: a piece that is known at run time only.
 */
#define SA_SQL_HOLE 0xffU

enum sa_sql_mode {
	SA_SQL_STATEMENT,  /* what spark.sql() takes */
	SA_SQL_EXPRESSION, /* what expr() and selectExpr() take */
	SA_SQL_FOREIGN	   /* text for another database (JDBC) */
};

/* One thing found. offset and end are bytes into the text; rule is the id of
 * a row of the rule table, static. head is the statement's upper-case head
 * ("DROP TABLE"), cut to fit, with holes shown as {}. */
struct sa_sql_hit {
	const char *rule;
	enum sa_verdict verdict;
	size_t offset, end;
	char head[48];
};
typedef void sa_sql_hit_fn(void *arg, const struct sa_sql_hit *hit);

/* Statements as they are met, allowed ones too; a text that cannot be split
 * into words, and an expression, has none. */
struct sa_sql_statement {
	size_t offset, end;
	enum sa_verdict verdict;
	char head[48];
};
typedef void sa_sql_statement_fn(void *arg, const struct sa_sql_statement *st);

/* Judges a text: the worst verdict of its statements. Either function may be
 * NULL. hit is called once at most for each rule and statement. A text over
 * SA_SQL_MAX bytes is rejected.
 *
 * A hole behind the head of a statement is allowed; where it could make
 * another statement of it, name a function or a program, it is unresolved. */
#define SA_SQL_MAX (1024 * 1024)
enum sa_verdict sa_sql_check(const char *text, size_t len,
    enum sa_sql_mode mode, sa_sql_hit_fn *hit, sa_sql_statement_fn *statement,
    void *arg);

/* Whether a text may begin with a statement: most literals do not, and are
 * none of what follows. */
bool sa_sql_may_be_statement(const char *text, size_t len);

/*
 * Whether a literal that reaches no sink is, to the end, one or more complete
 * statements of which one is forbidden (SG-5), and not prose: a verb, its
 * second word and operands of the right shape. hit gets the statement.
 */
bool sa_sql_forbidden_literal(const char *text, size_t len, sa_sql_hit_fn *hit,
    void *arg);

#endif
