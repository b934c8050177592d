/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sql.h"

#include <ctype.h>
#include <string.h>

#include "guard/sqlhead.h"
#include "guard/sqllex.h"

static const struct pattern {
	enum sa_sql_word verb;
	const char *rest;
} patterns[] = {
#define SA_SQL_PATTERN(verb, rest) { SA_W_##verb, rest },
#include "guard/sqlliteral.def"
#undef SA_SQL_PATTERN
};

/* A statement [i, to) that is compared with a pattern. */
struct match {
	const struct sa_sql_lex *lx;
	size_t i, to;
	bool capitals; /* the first two words are in capitals */
};

static const struct sa_sql_token *
token(const struct match *m, size_t i)
{
	return i < m->to ? &m->lx->tokens[i] : NULL;
}

static bool
is_op(const struct match *m, size_t i, uint8_t code)
{
	return sa_sql_is_op(m->lx, i, m->to, code);
}

static bool
glued(const struct match *m, size_t i)
{
	return i < m->to && (m->lx->tokens[i].flags & SA_SQL_GLUED) != 0;
}

/* Tokens of what a program fills in later at i: {}, {name}, %s, %(name)s. */
static size_t
placeholder(const struct match *m, size_t i)
{
	size_t n = 1;

	if (is_op(m, i, '{')) {
		if (token(m, i + 1) != NULL &&
		    token(m, i + 1)->kind == SA_SQL_NAME)
			n++;
		return is_op(m, i + n, '}') ? n + 1 : 0;
	}
	if (!is_op(m, i, '%'))
		return 0;
	if (is_op(m, i + 1, '(') && is_op(m, i + 3, ')'))
		n = 4;
	const struct sa_sql_token *t = token(m, i + n);
	return t != NULL && glued(m, i + n) && t->kind == SA_SQL_NAME &&
		t->end - t->start == 1 && m->lx->text[t->start] == 's'
	    ? n + 1
	    : 0;
}

/* Past a name; how many dots it has, or -1 where there is none. */
static int
name(struct match *m)
{
	int dots = 0;
	bool part = false;

	for (;;) {
		const struct sa_sql_token *t = token(m, m->i);
		size_t n = placeholder(m, m->i);

		if (t == NULL || (part && !glued(m, m->i)))
			break;
		if (t->kind == SA_SQL_OP && n == 0) {
			if (t->code != '.' || !part ||
			    token(m, m->i + 1) == NULL)
				break;
			dots++;
			part = false;
			m->i++;
			continue;
		}
		if (t->kind == SA_SQL_STRING)
			break;
		part = true;
		m->i += n == 0 ? 1 : n;
	}
	return part ? dots : -1;
}

static bool
is_plain(const struct sa_sql_lex *lx, const struct sa_sql_token *t)
{
	char c = lx->text[t->start];

	return t->kind == SA_SQL_NAME && t->code == SA_W_NONE &&
	    !(c >= '0' && c <= '9');
}

/* Prose has words next to words that mean nothing; statements have names,
 * and punctuation between them. */
static bool
is_prose(const struct match *m, size_t i)
{
	size_t pairs = 0, marks = 0;
	bool before = false;

	for (; i < m->to; i++) {
		const struct sa_sql_token *t = &m->lx->tokens[i];
		bool plain = is_plain(m->lx, t);

		pairs += plain && before;
		marks += t->kind != SA_SQL_NAME || t->code != SA_W_NONE;
		before = plain;
	}
	return pairs > marks + (m->capitals ? 3 : 0);
}

static bool
is_word(const struct match *m, const char *w, size_t n)
{
	const struct sa_sql_token *t = token(m, m->i);

	if (t == NULL)
		return false;
	if (n == 1)
		return t->kind == SA_SQL_OP && t->code == (uint8_t)*w;
	return t->kind == SA_SQL_NAME && t->code == sa_sql_word(w, n);
}

/* One of the words of "A|B|C". */
static bool
one_of(struct match *m, const char *p, size_t n)
{
	while (n > 0) {
		const char *bar = memchr(p, '|', n);
		size_t len = bar == NULL ? n : (size_t)(bar - p);

		if (is_word(m, p, len)) {
			m->i++;
			return true;
		}
		p += len + (bar != NULL);
		n -= len + (bar != NULL);
	}
	return false;
}

static bool
until(struct match *m, const char *p, size_t n)
{
	while (m->i < m->to && !is_word(m, p, n))
		m->i++;
	return one_of(m, p, n);
}

static bool
operand(struct match *m, const char *p, size_t n)
{
	const struct sa_sql_token *t = token(m, m->i);
	size_t start = m->i;

	switch (p[1]) {
	case 'n': /* @name */
		return name(m) >= 0;
	case 'p': /* @path */
		return name(m) > 0;
	case 'a': /* @alias */
		m->i += t != NULL && is_plain(m->lx, t);
		return m->i > start;
	case 's': /* @string */
		m->i += t != NULL &&
		    (t->kind == SA_SQL_STRING || t->kind == SA_SQL_DQUOTE);
		return m->i > start;
	case 'g': /* @group */
		if (t == NULL || !is_op(m, m->i, '(') ||
		    t->match == SA_SQL_NO_MATCH || t->match >= m->to)
			return false;
		m->i = (size_t)t->match + 1;
		return true;
	default: /* @tail, @rest */
		m->i = m->to;
		return (n == 5 && p[1] == 'r') ||
		    (start < m->to && !is_prose(m, start));
	}
}

static bool
element(struct match *m, const char *p, size_t n)
{
	size_t start = m->i;

	if (*p == '?') {
		if (!element(m, p + 1, n - 1))
			m->i = start;
		return true;
	}
	if (*p == '~')
		return until(m, p + 1, n - 1);
	return *p == '@' ? operand(m, p, n) : one_of(m, p, n);
}

static bool
is_upper(const struct sa_sql_lex *lx, size_t at)
{
	const struct sa_sql_token *t = &lx->tokens[at];

	for (size_t i = t->start; i < t->end; i++)
		if (lx->text[i] < 'A' || lx->text[i] > 'Z')
			return false;
	return true;
}

static bool
matches(const struct sa_sql_lex *lx, size_t from, size_t to,
    const struct pattern *pattern)
{
	const char *p = pattern->rest;
	struct match m = {
		.lx = lx,
		.i = from + 1,
		.to = to,
		.capitals = from + 1 < to && is_upper(lx, from) &&
		    is_upper(lx, from + 1),
	};

	if (!sa_sql_is_word(lx, from, to, pattern->verb))
		return false;
	while (*p != '\0') {
		size_t n = strcspn(p, " ");

		if (!element(&m, p, n))
			return false;
		p += n + strspn(p + n, " ");
	}
	return m.i == to;
}

/* Whether it looks written for a machine: keywords in capitals, or marks that
 * prose does not have. */
static bool
looks_like_code(const struct sa_sql_lex *lx, size_t from, size_t to)
{
	const struct sa_sql_token *t = &lx->tokens[from];
	bool lower = lx->text[t->start] >= 'a';

	if (is_upper(lx, from) || (from + 1 < to && is_upper(lx, from + 1)))
		return true;
	if (lower && sa_sql_is_word(lx, from + 1, to, SA_W_TABLE))
		return true;
	if (sa_sql_is_op(lx, to, lx->count, ';'))
		return true;
	for (size_t i = from; i < to; i++) {
		t = &lx->tokens[i];
		if (t->kind == SA_SQL_BACKQ || t->kind == SA_SQL_STRING)
			return true;
		if (t->kind == SA_SQL_OP && strchr("(=.*", t->code) != NULL)
			return true;
	}
	return false;
}

enum literal { L_NONE, L_ALLOWED, L_FORBIDDEN };

/* What may stand around the statements of a script or a transaction. */
static bool
is_bracket(const struct sa_sql_lex *lx, size_t from, size_t to)
{
	return to - from == 1 &&
	    (sa_sql_is_word(lx, from, to, SA_W_BEGIN) ||
		sa_sql_is_word(lx, from, to, SA_W_END) ||
		sa_sql_is_word(lx, from, to, SA_W_COMMIT));
}

/* What the statement [from, to) is. */
static enum literal
literal(const struct sa_sql_lex *lx, size_t from, size_t to,
    struct sa_sql_head *head)
{
	struct match m = { .lx = lx, .i = from, .to = to };

	sa_sql_head(lx, from, to, head);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		if (!matches(lx, head->verb, to, &patterns[i]))
			continue;
		if (looks_like_code(lx, head->verb, to))
			return L_FORBIDDEN;
		return L_NONE;
	}
	if (head->class != SA_SQL_OTHER && !is_prose(&m, from))
		return L_ALLOWED;
	return is_bracket(lx, from, to) ? L_ALLOWED : L_NONE;
}

/* Whether the text is statements to its end, one of them forbidden: the first
 * of these is the hit. */
static bool
statements(const struct sa_sql_lex *lx, struct sa_sql_hit *hit)
{
	size_t from = 0;
	bool forbidden = false;

	for (size_t i = 0; i <= lx->count; i++) {
		struct sa_sql_head head;
		enum literal l = L_ALLOWED;

		if (i < lx->count && !sa_sql_is_op(lx, i, lx->count, ';'))
			continue;
		/* the first statement of a script */
		if (sa_sql_is_word(lx, from, i, SA_W_BEGIN) && from + 1 < i)
			from++;
		if (from < i)
			l = literal(lx, from, i, &head);
		if (l == L_NONE)
			return false;
		if (l == L_FORBIDDEN && !forbidden) {
			forbidden = true;
			hit->offset = lx->tokens[from].start;
			hit->end = lx->tokens[i - 1].end;
			sa_sql_head_text(lx, i, &head, hit->head,
			    sizeof(hit->head));
		}
		from = i + 1;
	}
	return forbidden;
}

bool
sa_sql_may_be_statement(const char *s, size_t len)
{
	size_t from = 0, to;

	if (len > SA_SQL_MAX)
		return false;
	while (from < len &&
	    (s[from] == ' ' || s[from] == '\t' || s[from] == '\r' ||
		s[from] == '\n' || s[from] == '\0'))
		from++;
	for (to = from; to < len && isalpha((unsigned char)s[to]);)
		to++;
	if (to > from && (to == len || (unsigned char)s[to] < 0x80))
		/* none is a single word */
		return to < len &&
		    sa_sql_word(s + from, to - from) != SA_W_NONE;
	while (to < len && (isalnum((unsigned char)s[to]) || s[to] == '_'))
		to++;
	return to < len;
}

bool
sa_sql_forbidden_literal(const char *text, size_t len, sa_sql_hit_fn *hit,
    void *arg)
{
	struct sa_sql_hit h = {
		.rule = "sql-literal",
		.verdict = SA_VERDICT_REJECT,
	};
	struct sa_sql_lex lx;

	if (!sa_sql_may_be_statement(text, len))
		return false;
	bool found = sa_sql_lex(&lx, text, len, false) == 0 &&
	    lx.trouble == NULL && statements(&lx, &h);
	sa_sql_lex_release(&lx);
	if (found && hit != NULL)
		hit(arg, &h);
	return found;
}
