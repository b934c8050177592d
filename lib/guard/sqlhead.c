/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sqlhead.h"

#include <string.h>

#include "guard/sql.h"

/* A statement on the way through its head. */
struct walk {
	const struct sa_sql_lex *lx;
	size_t i, to;
	struct sa_sql_head *head;
};

static bool
op(const struct walk *w, uint8_t code)
{
	return sa_sql_is_op(w->lx, w->i, w->to, code);
}

static bool
word(const struct walk *w, enum sa_sql_word word_)
{
	return sa_sql_is_word(w->lx, w->i, w->to, word_);
}

static bool
begins_query(const struct sa_sql_lex *lx, size_t i, size_t to)
{
	if (i >= to || lx->tokens[i].kind != SA_SQL_NAME)
		return false;
	switch (lx->tokens[i].code) {
	case SA_W_SELECT:
	case SA_W_TABLE:
	case SA_W_VALUES:
		return true;
	case SA_W_MAP:
	case SA_W_REDUCE:
	case SA_W_FROM:
		return !lx->foreign;
	default:
		return false;
	}
}

bool
sa_sql_opens_query(const struct sa_sql_lex *lx, size_t i, size_t to)
{
	while (sa_sql_is_op(lx, i, to, '('))
		i++;
	return begins_query(lx, i, to) || sa_sql_is_hole(lx, i, to) ||
	    sa_sql_is_word(lx, i, to, SA_W_WITH);
}

bool
sa_sql_is_insert(const struct sa_sql_lex *lx, size_t i, size_t to)
{
	if (!sa_sql_is_word(lx, i, to, SA_W_INSERT))
		return false;
	if (sa_sql_is_word(lx, i + 1, to, SA_W_WITH))
		return sa_sql_is_word(lx, i + 2, to, SA_W_SCHEMA) &&
		    sa_sql_is_word(lx, i + 3, to, SA_W_EVOLUTION) &&
		    (sa_sql_is_word(lx, i + 4, to, SA_W_INTO) ||
			sa_sql_is_word(lx, i + 4, to, SA_W_OVERWRITE));
	return sa_sql_is_word(lx, i + 1, to, SA_W_INTO) ||
	    sa_sql_is_word(lx, i + 1, to, SA_W_OVERWRITE);
}

/* Only the worst is kept, of equals the first. */
static void
breaks(struct walk *w, const char *rule, enum sa_verdict verdict, size_t at,
    size_t at_end)
{
	if (verdict <= w->head->verdict)
		return;
	if (verdict == SA_VERDICT_REJECT)
		w->head->class = SA_SQL_OTHER;
	w->head->rule = rule;
	w->head->verdict = verdict;
	w->head->at = at;
	w->head->at_end = at_end > at ? at_end : at + 1;
}

static void
is_insert(struct walk *w)
{
	if (w->head->verdict < SA_VERDICT_REJECT)
		w->head->class = SA_SQL_INSERT;
}

/* Past the group that opens at i; false where it is not closed. */
static bool
skip_group(struct walk *w)
{
	uint32_t match = w->lx->tokens[w->i].match;

	if (match == SA_SQL_NO_MATCH || match >= w->to)
		return false;
	w->i = match + 1;
	return true;
}

/* Whether RECURSIVE is the keyword, not the name of the table. */
static bool
is_recursive(const struct walk *w)
{
	if (!word(w, SA_W_RECURSIVE) ||
	    sa_sql_is_op(w->lx, w->i + 1, w->to, '('))
		return false;
	return !sa_sql_is_word(w->lx, w->i + 1, w->to, SA_W_AS) ||
	    !sa_sql_is_op(w->lx, w->i + 2, w->to, '(');
}

/* The name of a common table: IDENTIFIER(...) too. */
static bool
cte_name(struct walk *w)
{
	w->i += is_recursive(w);
	if (w->i >= w->to || w->lx->tokens[w->i].kind == SA_SQL_OP)
		return false;
	bool clause = word(w, SA_W_IDENTIFIER);
	w->i++;
	/* IDENTIFIER('x') AS (...), but identifier AS (...) */
	if (clause && op(w, '(') && !sa_sql_opens_query(w->lx, w->i, w->to))
		return skip_group(w);
	return true;
}

/* AS, and what stands between a table's columns and its body. */
static void
cte_as(struct walk *w)
{
	if (word(w, SA_W_MAX))
		w->i += 4; /* MAX RECURSION LEVEL n */
	if (!word(w, SA_W_AS))
		return;
	w->i++;
	if (!w->lx->foreign)
		return;
	if (word(w, SA_W_NOT))
		w->i++;
	if (word(w, SA_W_MATERIALIZED))
		w->i++;
}

/* One table of a WITH list. A group may be its columns or its body; the body
 * is the last before the next table or the statement. */
static bool
cte(struct walk *w)
{
	size_t body;

	if (!cte_name(w))
		return false;
	for (;;) {
		cte_as(w);
		if (!op(w, '('))
			return false;
		body = w->i;
		if (!skip_group(w))
			return false;
		if (word(w, SA_W_AS) || word(w, SA_W_MAX))
			continue;
		if (op(w, '(') && sa_sql_opens_query(w->lx, w->i, w->to) &&
		    !sa_sql_opens_query(w->lx, body, w->to))
			continue;
		break;
	}
	if (!sa_sql_opens_query(w->lx, body, w->to))
		breaks(w, "sql-cte-body", SA_VERDICT_REJECT, body, body + 2);
	return true;
}

/* What may follow a parenthesised query. */
static bool
continues_query(const struct walk *w)
{
	if (w->i >= w->to || op(w, SA_SQL_PIPE) || op(w, '|'))
		return true;
	if (w->lx->tokens[w->i].kind != SA_SQL_NAME)
		return false;
	switch (w->lx->tokens[w->i].code) {
	case SA_W_UNION:
	case SA_W_EXCEPT:
	case SA_W_INTERSECT:
	case SA_W_MINUS:
	case SA_W_ORDER:
	case SA_W_SORT:
	case SA_W_CLUSTER:
	case SA_W_DISTRIBUTE:
	case SA_W_LIMIT:
	case SA_W_OFFSET:
	case SA_W_WINDOW:
		return true;
	default:
		return false;
	}
}

/* Past a WITH list. 1: at a verb, 0: the statement is a query, or breaks a
 * rule, and is done, -1: it is no WITH list. */
static int
with_list(struct walk *w)
{
	for (;;) {
		size_t group = 0;

		w->i++; /* WITH or ',' */
		if (!cte(w))
			return -1;
		/* a query in parentheses; or the columns were taken for the
		 * body, so that what follows decides */
		while (op(w, '(')) {
			if (!sa_sql_opens_query(w->lx, w->i, w->to))
				breaks(w, "sql-cte-body", SA_VERDICT_REJECT,
				    w->i, w->i + 2);
			group = w->i;
			if (!skip_group(w))
				return -1;
		}
		if (op(w, ','))
			continue;
		if (group > 0 && continues_query(w)) {
			w->head->verb = group;
			w->head->verb_end = group + 1;
			return 0;
		}
		return w->i < w->to ? 1 : -1;
	}
}

/* A FROM-first statement: where its first INSERT is, or to. */
static size_t
find_branch(const struct walk *w)
{
	for (size_t i = w->i; i < w->to; i++) {
		const struct sa_sql_token *t = &w->lx->tokens[i];

		if (t->kind == SA_SQL_OP && t->code == '(' &&
		    t->match != SA_SQL_NO_MATCH && t->match < w->to)
			i = t->match;
		else if (sa_sql_is_insert(w->lx, i, w->to))
			return i;
	}
	return w->to;
}

/* The first hole in the tokens [i, to), or to. */
static size_t
find_hole(const struct sa_sql_lex *lx, size_t i, size_t to)
{
	while (i < to && lx->tokens[i].kind != SA_SQL_UNKNOWN &&
	    (lx->tokens[i].flags & (SA_SQL_HOLED | SA_SQL_COMMENT)) == 0)
		i++;
	return i;
}

/* Up to where a hole of a FROM-first query could add an INSERT to it. */
static size_t
end_of_from(const struct walk *w)
{
	for (size_t i = w->i; i < w->to; i++) {
		const struct sa_sql_token *t = &w->lx->tokens[i];

		if (t->kind != SA_SQL_OP)
			continue;
		if (t->code == '(' && t->match != SA_SQL_NO_MATCH &&
		    t->match < w->to)
			i = t->match;
		else if (t->code == SA_SQL_PIPE)
			return i + 1; /* the comment before it counts */
	}
	return w->to;
}

/* Whether a comment with a hole stands behind the last word. */
static bool
comment_behind(const struct walk *w)
{
	if (w->to == w->lx->count)
		return w->lx->comment;
	return (w->lx->tokens[w->to].flags & SA_SQL_COMMENT) != 0;
}

static void
from_first(struct walk *w)
{
	size_t branch = find_branch(w), end = w->to;

	if (branch == w->to) {
		end = end_of_from(w);
	} else {
		is_insert(w);
		w->head->verb = branch;
		w->head->verb_end = branch + 2;
	}
	size_t hole = find_hole(w->lx, w->i, end);
	if (hole == w->to && comment_behind(w))
		hole = w->to - 1;
	if (hole < end)
		breaks(w, "sql-hole-before-verb", SA_VERDICT_UNRESOLVED, hole,
		    hole + 1);
}

/* Other databases are only read from. */
static const char *
not_allowed(const struct walk *w)
{
	return w->lx->foreign ? "sql-foreign-statement" : "sql-statement";
}

static void
other(struct walk *w)
{
	const struct sa_sql_token *t = &w->lx->tokens[w->i];
	const char *rule = not_allowed(w);

	if (t->kind == SA_SQL_NAME) {
		if (t->code == SA_W_BEGIN)
			rule = "sql-script";
		else if (t->code == SA_W_EXECUTE || t->code == SA_W_CALL)
			rule = "sql-dynamic";
		if (w->i + 1 < w->to &&
		    w->lx->tokens[w->i + 1].kind == SA_SQL_NAME &&
		    w->lx->tokens[w->i + 1].code != SA_W_NONE)
			w->head->verb_end = w->i + 2;
	}
	breaks(w, rule, SA_VERDICT_REJECT, w->i, w->head->verb_end);
}

static void
insert(struct walk *w)
{
	if (w->lx->foreign) {
		w->head->verb_end = w->i + 2 <= w->to ? w->i + 2 : w->to;
		breaks(w, not_allowed(w), SA_VERDICT_REJECT, w->i,
		    w->head->verb_end);
		return;
	}
	bool known = sa_sql_is_insert(w->lx, w->i, w->to);
	/* INSERT INTO, INSERT WITH SCHEMA EVOLUTION INTO */
	bool two = known && !sa_sql_is_word(w->lx, w->i + 1, w->to, SA_W_WITH);
	size_t end = w->i + (two ? 2 : 5);

	if (known) {
		is_insert(w);
		w->head->verb_end = w->i + 2;
	}
	if (end > w->to)
		end = w->to;
	size_t hole = find_hole(w->lx, w->i, end);
	if (hole < end)
		breaks(w, "sql-hole-at-head", SA_VERDICT_UNRESOLVED, w->i,
		    hole + 1);
	else if (!known)
		breaks(w, "sql-insert-form", SA_VERDICT_REJECT, w->i, w->i + 2);
}

/* The verb at i, or the hole where it should be. */
static void
verb(struct walk *w)
{
	w->head->verb = w->i;
	w->head->verb_end = w->i + 1;
	/* one in a comment could end it, and begin another statement */
	if ((w->lx->tokens[w->i].flags & SA_SQL_COMMENT) != 0)
		breaks(w, "sql-hole-at-head", SA_VERDICT_UNRESOLVED, w->i,
		    w->i + 1);
	/* a hole that touches the word could make another one of it */
	if (sa_sql_is_hole(w->lx, w->i, w->to) ||
	    (sa_sql_is_hole(w->lx, w->i + 1, w->to) &&
		(w->lx->tokens[w->i + 1].flags & SA_SQL_GLUED) != 0)) {
		w->head->verb_end += !sa_sql_is_hole(w->lx, w->i, w->to);
		breaks(w, "sql-hole-at-head", SA_VERDICT_UNRESOLVED, w->i,
		    w->head->verb_end);
	} else if (word(w, SA_W_INSERT)) {
		insert(w);
	} else if (!begins_query(w->lx, w->i, w->to)) {
		other(w);
	} else if (word(w, SA_W_FROM)) {
		from_first(w);
	}
}

static void
with(struct walk *w)
{
	size_t start = w->i;
	int r = with_list(w);
	/* a hole can close the list, whatever it stands in; where the walk
	 * failed, one further on may be what it failed for */
	size_t end = r == -1 || w->i > w->to ? w->to : w->i;
	size_t hole = find_hole(w->lx, start, end);

	if (hole < end)
		breaks(w, "sql-hole-before-verb", SA_VERDICT_UNRESOLVED, hole,
		    hole + 1);
	else if (r == -1)
		breaks(w, not_allowed(w), SA_VERDICT_REJECT, start, start + 1);
	if (r == 1)
		verb(w);
}

static void
parenthesis(struct walk *w)
{
	size_t i = w->i;

	while (sa_sql_is_op(w->lx, i, w->to, '('))
		i++;
	if (!sa_sql_opens_query(w->lx, i, w->to))
		breaks(w, "sql-cte-body", SA_VERDICT_REJECT, w->i, i + 1);
	/* what Spark takes in parentheses is a query, whatever a hole holds;
	 * others are freer */
	size_t end = w->lx->foreign && i < w->to ? i + 1 : w->i;
	if ((w->lx->tokens[w->i].flags & SA_SQL_COMMENT) != 0 ||
	    find_hole(w->lx, w->i, end) < end)
		breaks(w, "sql-hole-at-head", SA_VERDICT_UNRESOLVED, w->i,
		    i + 1);
}

void
sa_sql_head(const struct sa_sql_lex *lx, size_t from, size_t to,
    struct sa_sql_head *head)
{
	struct walk w = {
		.lx = lx,
		.i = from,
		.to = to,
		.head = head,
	};

	*head = (struct sa_sql_head){ .class = SA_SQL_QUERY,
		.verb = from,
		.verb_end = from + 1 };
	if (op(&w, '('))
		parenthesis(&w);
	else if (word(&w, SA_W_WITH))
		with(&w);
	else
		verb(&w);
}

/* Appends n bytes in upper case, a hole as {}; cut at a character's end. */
static size_t
add_upper(char *buf, size_t size, size_t len, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (len + 6 > size && (c & 0xc0U) != 0x80)
			break;
		if (c == SA_SQL_HOLE) {
			buf[len++] = '{';
			c = '}';
		} else if (c >= 'a' && c <= 'z') {
			c = (unsigned char)(c - 'a' + 'A');
		}
		buf[len++] = (char)c;
	}
	return len;
}

void
sa_sql_head_text(const struct sa_sql_lex *lx, size_t to,
    const struct sa_sql_head *head, char *buf, size_t size)
{
	size_t len = 0;
	bool hole = false;

	for (size_t i = head->verb; i < to; i++) {
		const struct sa_sql_token *t = &lx->tokens[i];
		bool glued = i > head->verb && (t->flags & SA_SQL_GLUED) != 0;

		hole = hole || t->kind == SA_SQL_UNKNOWN;
		/* what touches a hole belongs to its word */
		if (i >= head->verb_end && !(hole && glued))
			break;
		if (len > 0 && !glued && len + 6 <= size)
			buf[len++] = ' ';
		const char *name = t->kind == SA_SQL_NAME
		    ? sa_sql_word_name((enum sa_sql_word)t->code)
		    : "";
		if (name[0] != '\0')
			len = add_upper(buf, size, len, name, strlen(name));
		else
			len = add_upper(buf, size, len, lx->text + t->start,
			    t->end - t->start);
	}
	buf[len] = '\0';
}
