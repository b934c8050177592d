/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pytell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "guard/hash.h"
#include "guard/pystr.h"
#include "guard/pyval.h"
#include "guard/sinks.h"
#include "guard/sql.h"

/* What was met so far. */
struct tell {
	const struct sa_py_program *p;
	uint64_t brings, wants, given; /* as in struct sa_sink_hint */
	uint32_t open; /* names that are used but in calls with too little */
	bool trusts;   /* a module is named that is trusted */
	bool stores;   /* something gets an attribute */
	struct sa_buf text;
};

static const struct sa_sink_hint *
hint(const struct sa_py_program *p, uint32_t symbol)
{
	const struct sa_py_symbol *s = &p->symbol[symbol];

	return sa_sink_hint(s->s, s->len, sa_hash_upper(s->hash));
}

static void
meet(struct tell *t, const char *s, uint32_t len, uint32_t hash)
{
	const struct sa_sink_hint *h = sa_sink_hint(s, len, hash);

	if (h != NULL) {
		t->brings |= h->brings;
		t->wants |= h->wants;
		t->given |= h->given;
		t->trusts = t->trusts || h->trusted;
	}
	/* random._os is os */
	if (len > 1 && s[0] == '_' &&
	    (h = sa_sink_hint(s + 1, len - 1, sa_hash(s + 1, len - 1))) != NULL)
		t->brings |= h->brings;
}

/* Whether a name that was met counts by itself. */
static bool
counts(const struct tell *t)
{
	return (t->wants & t->brings) != 0 || t->open > 0;
}

/* The path of what is imported: its parts are modules, and the last one is a
 * name that the program uses as it likes. */
static bool
imports_tell(struct tell *t, const struct sa_py_node *n)
{
	if (n->kind != SA_PY_N_IMPORT)
		return n->kind == SA_PY_N_STARRED;
	const struct sa_py_symbol *path = &t->p->symbol[n->c];
	uint32_t from = 0;

	if (sa_sink_import(path->s, path->len) != NULL)
		return true;
	for (uint32_t i = 0; i <= path->len; i++) {
		const struct sa_sink_hint *h;
		uint32_t len = i - from;
		if (i < path->len && path->s[i] != '.')
			continue;
		const char *part = path->s + from;
		h = sa_sink_hint(part, len, sa_hash(part, len));
		from = i + 1;
		if (h == NULL)
			continue;
		t->brings |= h->brings;
		if (i == path->len)
			t->wants |= h->wants | h->given;
	}
	return false;
}

/* Where a literal's text is in the source; or it is put behind t->text, and
 * that is false. */
static bool
literal(struct tell *t, const struct sa_py_node *n, struct sa_py_literal *l)
{
	const char *text = t->p->text;
	struct sa_py_runs runs = { 0 };

	sa_py_literal(text, &t->p->tokens.t[n->a], l);
	if (n->op != 0)
		l->raw = n->op == 3;
	if (sa_py_plain(text, l))
		return true;
	sa_py_decode(text, l, &t->text, &runs);
	free(runs.r);
	return false;
}

/* The text of a literal that is all of a value. */
static const char *
text_of(struct tell *t, const struct sa_py_node *n, size_t *len)
{
	struct sa_py_literal l;

	t->text.len = 0;
	bool plain = literal(t, n, &l);
	*len = plain ? l.end - l.start : t->text.len;
	return plain ? t->p->text + l.start : sa_buf_str(&t->text);
}

/* Whether the first of one or two arguments may be a finding. */
static bool
first_tells(struct tell *t, const struct sa_py_node *call, uint8_t first)
{
	const struct sa_py_node *x = &t->p->node[t->p->pool[call->first]];
	const char *s;
	size_t len;

	switch (first) {
	case SA_SINK_FIRST_KEY:
		if (x->kind != SA_PY_N_STRING)
			return true;
		s = text_of(t, x, &len);
		return sa_sink_option(s, len) != NULL;
	case SA_SINK_FIRST_SOFT:
		return call->count > 2 ||
		    (x->kind != SA_PY_N_LAMBDA && x->kind != SA_PY_N_COMPARE);
	default:
		return true;
	}
}

/* Whether a call may give a function what counts: more arguments than least,
 * or one by its keyword. */
static bool
gives(struct tell *t, const struct sa_py_node *call,
    const struct sa_sink_hint *h)
{
	const uint32_t *arg = &t->p->pool[call->first];

	for (uint32_t i = 0; i + 1 < call->count; i += 2)
		if (arg[i + 1] != SA_PY_NOTHING ||
		    t->p->node[arg[i]].kind == SA_PY_N_STAR)
			return true;
	return call->count / 2 > h->least &&
	    (call->count > 4 || first_tells(t, call, h->first));
}

/* x.name(...), of which x.name itself was counted. */
static void
meet_call(struct tell *t, const struct sa_py_node *n)
{
	const struct sa_py_node *f = &t->p->node[n->c];
	const struct sa_sink_hint *h;

	if (f->kind == SA_PY_N_ATTR && (h = hint(t->p, f->b)) != NULL &&
	    (h->given & t->brings) != 0 && !gives(t, n, h))
		t->open--;
}

static void
meet_attribute(struct tell *t, const struct sa_py_node *n)
{
	const struct sa_sink_hint *h;

	t->stores = t->stores || (n->flags & SA_PY_F_TARGET) != 0;
	if ((t->given & t->brings) != 0 && (h = hint(t->p, n->b)) != NULL &&
	    (h->given & t->brings) != 0)
		t->open++;
}

/* Whether an index that is assigned to may be an option's key: not what is
 * seen to be no text, nor a text in the source, which is looked at itself. */
static bool
index_tells(const struct sa_py_program *p, const struct sa_py_node *n)
{
	const uint64_t plain = 1ULL << SA_PY_N_NUMBER | 1ULL << SA_PY_N_STRING |
	    1ULL << SA_PY_N_CONST | 1ULL << SA_PY_N_SLICE |
	    1ULL << SA_PY_N_LIST | 1ULL << SA_PY_N_COMPARE;

	return (n->flags & SA_PY_F_TARGET) != 0 &&
	    (plain >> p->node[n->b].kind & 1) == 0;
}

/* Whether a text is a finding by itself, or an option's key. */
static bool
text_tells(const char *s, size_t len)
{
	/* the shortest keys that count, and what they begin with */
	if (len >= 10 && strchr("pPsS", s[0]) != NULL &&
	    sa_sink_option(s, len) != NULL)
		return true;
	return sa_sql_forbidden_literal(s, len, NULL, NULL);
}

/* The same of a text of which only the beginning is known. */
static bool
beginning_tells(const char *s, size_t len)
{
	size_t blank = strspn(s, " \t\r\n"), word = blank;

	while (word < len && isalpha((unsigned char)s[word]))
		word++;
	/* no key has a blank, and the first word is all there */
	return word == blank || word == len || memchr(s, ' ', len) == NULL ||
	    sa_sql_may_be_statement(s, len);
}

static bool
string_tells(struct tell *t, const struct sa_py_node *n)
{
	size_t len;
	const char *s = text_of(t, n, &len);

	return text_tells(s, len);
}

/* Literals side by side, and the fields of a format string. */
static bool
join_tells(struct tell *t, const struct sa_py_node *n)
{
	const uint32_t *part = &t->p->pool[n->first];
	struct sa_py_literal l;
	uint32_t i = 0;

	t->text.len = 0;
	for (; i < n->count && t->text.len <= SA_PY_MAX_TEXT; i++) {
		const struct sa_py_node *x = &t->p->node[part[i]];
		if (x->kind != SA_PY_N_STRING)
			break;
		if (literal(t, x, &l))
			sa_buf_add(&t->text, t->p->text + l.start,
			    l.end - l.start);
	}
	const char *s = sa_buf_str(&t->text);
	if (t->text.len > SA_PY_MAX_TEXT)
		return true;
	return i == n->count ? text_tells(s, t->text.len)
			     : beginning_tells(s, t->text.len);
}

static bool
node_tells(struct tell *t, const struct sa_py_node *n)
{
	switch (n->kind) {
	case SA_PY_N_STRING:
	case SA_PY_N_JOIN:
		if ((n->flags & (SA_PY_F_DOC | SA_PY_F_PART)) != 0)
			return false;
		return n->kind == SA_PY_N_STRING ? string_tells(t, n)
						 : join_tells(t, n);
	case SA_PY_N_ATTR:
		meet_attribute(t, n);
		return false;
	case SA_PY_N_CALL:
		if ((t->given & t->brings) != 0)
			meet_call(t, n);
		return false;
	case SA_PY_N_INDEX:
		return index_tells(t->p, n);
	default:
		return false;
	}
}

/* Whether a module that is trusted may get an attribute: it is met by itself,
 * and not as where another name is from. */
static bool
changes_trusted(const struct tell *t)
{
	const struct sa_py_program *p = t->p;

	for (uint32_t i = 0; t->trusts && t->stores && i < p->nnode; i++) {
		const struct sa_py_node *n = &p->node[i];
		const struct sa_sink_hint *h = NULL;
		if (n->kind == SA_PY_N_NAME)
			h = hint(p, n->a);
		else if (n->kind == SA_PY_N_IMPORT)
			h = hint(p, n->b);
		if (h != NULL && h->trusted)
			return true;
	}
	return false;
}

bool
sa_py_tells(const struct sa_py_program *p)
{
	struct tell t = { .p = p,
		.brings = SA_SINK_ANY,
		.text = SA_BUF_INIT(SA_BUF_NOMAX) };
	bool tells = p->captures;

	for (uint32_t i = 0; i < p->nsymbol; i++)
		meet(&t, p->symbol[i].s, p->symbol[i].len,
		    sa_hash_upper(p->symbol[i].hash));
	for (uint32_t i = 0; !tells && i < p->nlisted; i++)
		tells = imports_tell(&t, &p->node[p->listed[i]]);
	tells = tells || counts(&t);
	for (uint32_t i = 0; !tells && i < p->nlisted; i++)
		tells = node_tells(&t, &p->node[p->listed[i]]);
	sa_buf_release(&t.text);
	return tells || counts(&t) || changes_trusted(&t);
}
