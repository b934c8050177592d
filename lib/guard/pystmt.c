/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "guard/pyexpr.h"

#define BAD SA_PY_NOTHING
#define MAX_BLOCKS 256

struct block {
	uint32_t node;	  /* its BLOCK */
	uint32_t scope;	  /* to go back to */
	bool match;	  /* holds cases */
	uint32_t subject; /* of them */
};

struct reader {
	struct sa_py_parser ps;
	struct block block[MAX_BLOCKS];
	unsigned nblock;
	struct sa_buf path; /* a dotted path in the making */
};

static int simple_line(struct reader *r);

static unsigned
next(const struct reader *r)
{
	return r->ps.t->kind;
}

static uint32_t
here(const struct reader *r)
{
	return r->ps.t->offset;
}

static inline bool
is_word(const struct reader *r, const struct sa_py_token *t, const char *s)
{
	return t->kind == SA_PY_NAME && t->len == strlen(s) &&
	    memcmp(r->ps.p->text + t->offset, s, t->len) == 0;
}

static inline bool
word(const struct reader *r, uint32_t ahead, const char *s)
{
	return is_word(r, sa_py_peek(&r->ps, ahead), s);
}

static uint32_t
make(struct reader *r, unsigned kind, uint32_t at, uint32_t a, uint32_t b)
{
	struct sa_py_node n = { .kind = kind & 0xff,
		.offset = at,
		.a = a,
		.b = b };

	return sa_py_node(&r->ps, &n);
}

static int
open_block(struct reader *r, unsigned op, uint32_t scope, bool match)
{
	struct sa_py_node n = { .kind = SA_PY_N_BLOCK,
		.op = op & 0xff,
		.offset = here(r) };

	if (r->nblock == MAX_BLOCKS)
		return sa_py_fail(r->ps.e, here(r), "python-limit",
		    "blocks nested more than %d deep", MAX_BLOCKS);
	r->block[r->nblock].scope = r->ps.scope;
	r->block[r->nblock].match = match;
	r->ps.scope = scope;
	r->block[r->nblock++].node = sa_py_node(&r->ps, &n);
	return 0;
}

static void
close_block(struct reader *r)
{
	struct block *b = &r->block[--r->nblock];
	struct sa_py_node n = { .kind = SA_PY_N_END,
		.op = r->ps.p->node[b->node].op,
		.offset = here(r),
		.c = b->node };
	uint32_t end = sa_py_node(&r->ps, &n);

	r->ps.p->node[b->node].c = end;
	r->ps.scope = b->scope;
}

/* What follows the ':' of a block that is open: the rest of the line, or the
 * lines that are indented, which close it themselves. */
static int
body(struct reader *r)
{
	if (sa_py_accept(&r->ps, SA_PY_NEWLINE))
		return sa_py_expect(&r->ps, SA_PY_INDENT);
	if (simple_line(r) < 0)
		return -1;
	close_block(r);
	return 0;
}

/* ":" and what belongs to it: an indented block, which the main loop reads
 * on, or the rest of the line. */
static int
suite(struct reader *r, unsigned op, uint32_t scope, bool match)
{
	if (sa_py_expect(&r->ps, ':') < 0 ||
	    open_block(r, op, scope, match) < 0)
		return -1;
	return body(r);
}

/* The symbol of the source that the tokens from first on to the next one
 * have between them. */
static uint32_t
joined(struct reader *r, const struct sa_py_token *first)
{
	struct sa_py_program *p = r->ps.p;

	r->path.len = 0;
	for (const struct sa_py_token *t = first; t < r->ps.t; t++)
		sa_buf_add(&r->path, p->text + t->offset, t->len);
	return sa_py_symbol(p, sa_buf_str(&r->path), r->path.len, true);
}

/* "a.b.c" with leading dots: its symbol, and that of the first part. */
static int
dotted(struct reader *r, uint32_t *path, uint32_t *head)
{
	struct sa_py_program *p = r->ps.p;
	const struct sa_py_token *first = r->ps.t, *t;
	uint32_t begin = here(r), end = begin, len = 0;
	bool name = false; /* what the last one was */

	*head = BAD;
	for (;; r->ps.t++) {
		t = sa_py_peek(&r->ps, 0);
		if (t->kind != '.' && t->kind != SA_PY_ELLIPSIS &&
		    (t->kind != SA_PY_NAME || name))
			break;
		name = t->kind == SA_PY_NAME;
		end = t->offset + t->len;
		len += t->len;
		if (name && *head == BAD)
			*head = sa_py_token_symbol(&r->ps, t);
	}
	if (len == 0) {
		sa_py_unexpected(&r->ps);
		return -1;
	}
	*path = end - begin == len
	    ? sa_py_symbol(p, p->text + begin, len, false)
	    : joined(r, first);
	return 0;
}

/* A NAME node for the symbol, bound by the node made next. */
static uint32_t
bound_name(struct reader *r, uint32_t at, uint32_t symbol)
{
	uint32_t n = make(r, SA_PY_N_NAME, at, symbol, SA_PY_NOTHING);

	return sa_py_bind(&r->ps, n) < 0 ? BAD : n;
}

/* "as name" or nothing: symbol is changed. */
static int
as_name(struct reader *r, uint32_t *symbol)
{
	const struct sa_py_token *t;

	if (!sa_py_accept(&r->ps, SA_PY_AS))
		return 0;
	t = sa_py_peek(&r->ps, 0);
	if (t->kind != SA_PY_NAME) {
		sa_py_unexpected(&r->ps);
		return -1;
	}
	r->ps.t++;
	*symbol = sa_py_token_symbol(&r->ps, t);
	return 1;
}

static int
import(struct reader *r)
{
	do {
		uint32_t at = here(r), path, name;
		if (dotted(r, &path, &name) < 0)
			return -1;
		if (name == BAD)
			name = path;
		uint32_t head = name;
		int as = as_name(r, &name);
		if (as < 0)
			return -1;
		uint32_t n = bound_name(r, at, name);
		n = make(r, SA_PY_N_IMPORT, at, n, as ? path : head);
		r->ps.p->node[n].c = path;
	} while (sa_py_accept(&r->ps, ','));
	return 0;
}

/* The symbol of the module's member that token t names. */
static uint32_t
member(struct reader *r, uint32_t module, const struct sa_py_token *t)
{
	struct sa_py_program *p = r->ps.p;

	r->path.len = 0;
	sa_buf_add(&r->path, p->symbol[module].s, p->symbol[module].len);
	sa_buf_addch(&r->path, '.');
	sa_buf_add(&r->path, p->text + t->offset, t->len);
	return sa_py_symbol(p, sa_buf_str(&r->path), r->path.len, true);
}

static int
import_from(struct reader *r)
{
	struct sa_py_program *p = r->ps.p;
	uint32_t at = here(r), module, head;

	if (dotted(r, &module, &head) < 0 ||
	    sa_py_expect(&r->ps, SA_PY_IMPORT) < 0)
		return -1;
	if (sa_py_accept(&r->ps, '*')) {
		make(r, SA_PY_N_STARRED, at, module, 0);
		return 0;
	}
	bool paren = sa_py_accept(&r->ps, '(');
	do {
		const struct sa_py_token *t = sa_py_peek(&r->ps, 0);
		if (paren && t->kind == ')')
			break;
		if (t->kind != SA_PY_NAME) {
			sa_py_unexpected(&r->ps);
			return -1;
		}
		r->ps.t++;
		uint32_t name = sa_py_token_symbol(&r->ps, t);
		uint32_t path = member(r, module, t);
		if (as_name(r, &name) < 0)
			return -1;
		uint32_t n = bound_name(r, t->offset, name);
		n = make(r, SA_PY_N_IMPORT, t->offset, n, path);
		p->node[n].c = path;
	} while (sa_py_accept(&r->ps, ','));
	return paren ? sa_py_expect(&r->ps, ')') : 0;
}

/* Where a name that is declared nonlocal lives: the nearest function around
 * that has it. */
static uint32_t
nonlocal_scope(const struct reader *r, uint32_t symbol)
{
	const struct sa_py_program *p = r->ps.p;
	uint32_t s = r->ps.scope, nearest = BAD;

	while (s != 0) {
		s = p->scope[s].parent;
		if (p->scope[s].kind != SA_PY_S_FUNCTION)
			continue;
		if (sa_py_var(p, s, symbol) != SA_PY_NOTHING)
			return s;
		if (nearest == BAD)
			nearest = s;
	}
	return nearest == BAD ? 0 : nearest;
}

static int
global(struct reader *r, bool module)
{
	do {
		const struct sa_py_token *t = sa_py_peek(&r->ps, 0);
		if (sa_py_expect(&r->ps, SA_PY_NAME) < 0)
			return -1;
		uint32_t symbol = sa_py_token_symbol(&r->ps, t);
		uint32_t scope = module ? 0 : nonlocal_scope(r, symbol);
		sa_py_var_alias(r->ps.p, r->ps.scope, symbol,
		    sa_py_var_make(r->ps.p, scope, symbol));
	} while (sa_py_accept(&r->ps, ','));
	return 0;
}

/* Expressions with commas that are only evaluated. */
static int
evaluated(struct reader *r)
{
	do {
		unsigned k = next(r);
		if (k == SA_PY_NEWLINE || k == ';')
			break;
		uint32_t at = here(r), n = sa_py_expr(&r->ps);
		if (n == BAD)
			return -1;
		make(r, SA_PY_N_EXPR, at, n, 0);
	} while (sa_py_accept(&r->ps, ',') || sa_py_accept(&r->ps, SA_PY_FROM));
	return 0;
}

static int
forget(struct reader *r)
{
	uint32_t at = here(r), t = sa_py_targets(&r->ps);

	if (t == BAD || sa_py_bind(&r->ps, t) < 0)
		return -1;
	make(r, SA_PY_N_FORGET, at, t, SA_PY_NOTHING);
	return 0;
}

static int
return_(struct reader *r)
{
	struct sa_py_node n = { .kind = SA_PY_N_RETURN,
		.offset = here(r),
		.a = SA_PY_NOTHING,
		.c = r->ps.scope };

	if (next(r) != SA_PY_NEWLINE && next(r) != ';') {
		n.a = sa_py_exprs(&r->ps);
		if (n.a == BAD)
			return -1;
	}
	sa_py_node(&r->ps, &n);
	return 0;
}

/* A statement that is a string says nothing to Spark. */
static void
mark_doc(struct sa_py_program *p, uint32_t n)
{
	struct sa_py_node *s = &p->node[n];

	if (s->kind == SA_PY_N_STRING)
		s->flags |= SA_PY_F_DOC;
	if (s->kind == SA_PY_N_JOIN) {
		s->flags |= SA_PY_F_DOC;
		for (uint32_t i = 0; i < s->count; i++)
			p->node[p->pool[s->first + i]].flags |= SA_PY_F_DOC;
	}
}

/* "= value", perhaps more targets before it. */
static int
assign(struct reader *r, uint32_t at, uint32_t first)
{
	struct sa_py_parser *ps = &r->ps;
	uint32_t mark = ps->ntmp, value = first;

	while (sa_py_accept(ps, '=')) {
		sa_py_push(ps, value);
		value = sa_py_exprs(ps);
		if (value == BAD)
			return -1;
	}
	struct sa_py_scope *s = &ps->p->scope[ps->scope];
	/* field(init=False): its place is not the next one's */
	s->odd = s->odd || ps->p->node[value].kind == SA_PY_N_CALL;
	for (uint32_t i = mark; i < ps->ntmp; i++) {
		if (sa_py_bind(ps, ps->tmp[i]) < 0)
			return -1;
		make(r, SA_PY_N_ASSIGN, at, ps->tmp[i], value);
	}
	ps->ntmp = mark;
	return 0;
}

/* A class's "name: type", of which a constructor's parameters are made. */
static void
annotated(struct reader *r, uint32_t name)
{
	struct sa_py_program *p = r->ps.p;
	struct sa_py_scope *s = &p->scope[r->ps.scope];

	if (s->kind != SA_PY_S_CLASS || p->node[name].kind != SA_PY_N_NAME)
		return;
	for (uint32_t i = 0; i < 3; i += 2)
		s->odd = s->odd || word(r, i, "ClassVar") ||
		    word(r, i, "KW_ONLY") || next(r) == SA_PY_STRING;
	sa_py_field_add(p, r->ps.scope, p->node[name].a);
}

static int
expression(struct reader *r)
{
	uint32_t at = here(r), a = sa_py_exprs(&r->ps);
	unsigned k = next(r);

	if (a == BAD)
		return -1;
	if (sa_py_accept(&r->ps, ':')) {
		annotated(r, a);
		uint32_t first = r->ps.p->nnode;
		if (sa_py_expr(&r->ps) == BAD)
			return -1;
		sa_py_keep(&r->ps, first);
		k = next(r);
		if (k != '=')
			return 0;
	}
	if (k == '=')
		return assign(r, at, a);
	if (k == SA_PY_AUG || k == SA_PY_AUGADD || k == SA_PY_AUGMOD) {
		r->ps.t++;
		uint32_t b = sa_py_exprs(&r->ps);
		if (b == BAD || sa_py_bind(&r->ps, a) < 0)
			return -1;
		r->ps.p->node[a].flags |= SA_PY_F_READ;
		r->ps.p->augments |= k == SA_PY_AUGADD;
		struct sa_py_node n = { .kind = SA_PY_N_AUGMENT,
			.op = k == SA_PY_AUGADD ? '+'
			    : k == SA_PY_AUGMOD ? '%'
						: 0,
			.offset = at,
			.a = a,
			.b = b };
		sa_py_node(&r->ps, &n);
		return 0;
	}
	mark_doc(r->ps.p, a);
	make(r, SA_PY_N_EXPR, at, a, 0);
	return 0;
}

/* "[T: int, *Ts, **P = ...]" after a function's or class's name. */
static int
type_parameters(struct reader *r)
{
	struct sa_py_parser *ps = &r->ps;
	uint32_t first = ps->p->nnode;

	if (!sa_py_accept(ps, '['))
		return 0;
	while (next(r) != ']') {
		if (!sa_py_accept(ps, '*'))
			sa_py_accept(ps, SA_PY_POW);
		if (sa_py_expect(ps, SA_PY_NAME) < 0)
			return -1;
		if (sa_py_accept(ps, ':') && sa_py_expr(ps) == BAD)
			return -1;
		if (sa_py_accept(ps, '=')) {
			sa_py_accept(ps, '*');
			if (sa_py_expr(ps) == BAD)
				return -1;
		}
		if (!sa_py_accept(ps, ','))
			break;
	}
	sa_py_keep(ps, first);
	return sa_py_expect(ps, ']');
}

/* "type X[T] = value": an alias that only annotations use. */
static int
type_alias(struct reader *r)
{
	const struct sa_py_token *t = sa_py_peek(&r->ps, 1);

	r->ps.t += 2;
	if (type_parameters(r) < 0 || sa_py_expect(&r->ps, '=') < 0)
		return -1;
	uint32_t first = r->ps.p->nnode;
	if (sa_py_expr(&r->ps) == BAD)
		return -1;
	sa_py_keep(&r->ps, first);
	uint32_t n = bound_name(r, t->offset, sa_py_token_symbol(&r->ps, t));
	make(r, SA_PY_N_FORGET, t->offset, n, SA_PY_NOTHING);
	return 0;
}

static int
simple(struct reader *r)
{
	struct sa_py_parser *ps = &r->ps;

	switch (next(r)) {
	case SA_PY_PASS:
	case SA_PY_BREAK:
	case SA_PY_CONTINUE:
		ps->t++;
		return 0;
	case SA_PY_IMPORT:
		ps->t++;
		return import(r);
	case SA_PY_FROM:
		ps->t++;
		return import_from(r);
	case SA_PY_GLOBAL:
		ps->t++;
		return global(r, true);
	case SA_PY_NONLOCAL:
		ps->t++;
		return global(r, false);
	case SA_PY_ASSERT:
	case SA_PY_RAISE:
		ps->t++;
		return evaluated(r);
	case SA_PY_DEL:
		ps->t++;
		return forget(r);
	case SA_PY_RETURN:
		ps->t++;
		return return_(r);
	default:
		if (word(r, 0, "type") && sa_py_peek(ps, 1)->kind == SA_PY_NAME)
			return type_alias(r);
		return expression(r);
	}
}

/* Simple statements up to the end of the line. */
static int
simple_line(struct reader *r)
{
	do {
		if (next(r) == SA_PY_NEWLINE)
			break;
		if (simple(r) < 0)
			return -1;
	} while (sa_py_accept(&r->ps, ';'));
	return sa_py_expect(&r->ps, SA_PY_NEWLINE);
}

/* The n decorators pushed last are called, each with what the one below it
 * gave. */
static void
decorate(struct reader *r, uint32_t at, uint32_t symbol, uint32_t n)
{
	struct sa_py_parser *ps = &r->ps;

	if (n == 0)
		return;
	uint32_t arg = make(r, SA_PY_N_NAME, at, symbol, SA_PY_NOTHING);
	while (n-- > 0) {
		uint32_t f = ps->tmp[--ps->ntmp], mark = ps->ntmp;
		struct sa_py_node call = { .kind = SA_PY_N_CALL,
			.flags = SA_PY_F_DECORATES,
			.offset = ps->p->node[f].offset,
			.a = ps->p->nsite++,
			.c = f };
		sa_py_push(ps, arg);
		sa_py_push(ps, SA_PY_NOTHING);
		sa_py_list(ps, mark, &call.first, &call.count);
		arg = sa_py_node(ps, &call);
	}
	at = make(r, SA_PY_N_EXPR, at, arg, 0);
	ps->p->node[at].op = 1;
}

static int
def(struct reader *r, uint32_t decorators, unsigned op)
{
	struct sa_py_parser *ps = &r->ps;
	const struct sa_py_token *t = sa_py_peek(ps, 0);

	if (sa_py_expect(ps, SA_PY_NAME) < 0 || type_parameters(r) < 0)
		return -1;
	uint32_t symbol = sa_py_token_symbol(ps, t);
	uint32_t scope = sa_py_scope_new(ps, SA_PY_S_FUNCTION, symbol);
	if (sa_py_expect(ps, '(') < 0 || sa_py_parameters(ps, scope, ')') < 0 ||
	    sa_py_expect(ps, ')') < 0)
		return -1;
	uint32_t first = ps->p->nnode;
	if (sa_py_accept(ps, SA_PY_ARROW) && sa_py_exprs(ps) == BAD)
		return -1;
	sa_py_keep(ps, first);
	uint32_t name = bound_name(r, t->offset, symbol);
	struct sa_py_node n = { .kind = SA_PY_N_DEF,
		.op = op & 0xff,
		.offset = t->offset,
		.a = name,
		.b = decorators,
		.c = scope };
	sa_py_node(ps, &n);
	decorate(r, t->offset, symbol, decorators);
	return suite(r, SA_PY_B_SCOPE, scope, false);
}

static int class(struct reader *r, uint32_t decorators)
{
	struct sa_py_parser *ps = &r->ps;
	const struct sa_py_token *t = sa_py_peek(ps, 0);
	struct sa_py_node n = { .kind = SA_PY_N_CLASSDEF,
		.offset = t->offset,
		.b = decorators };

	if (sa_py_expect(ps, SA_PY_NAME) < 0 || type_parameters(r) < 0)
		return -1;
	if (sa_py_accept(ps, '(') &&
	    sa_py_arguments(ps, &n.first, &n.count) < 0)
		return -1;
	uint32_t symbol = sa_py_token_symbol(ps, t);
	n.a = bound_name(r, t->offset, symbol);
	n.c = sa_py_scope_new(ps, SA_PY_S_CLASS, symbol);
	sa_py_node(ps, &n);
	decorate(r, t->offset, symbol, decorators);
	return suite(r, SA_PY_B_SCOPE, n.c, false);
}

static int
condition(struct reader *r, unsigned op)
{
	if (sa_py_expr(&r->ps) == BAD)
		return -1;
	return suite(r, op, r->ps.scope, false);
}

static int
for_(struct reader *r)
{
	uint32_t at = here(r), t = sa_py_targets(&r->ps);

	if (t == BAD || sa_py_expect(&r->ps, SA_PY_IN) < 0)
		return -1;
	uint32_t iter = sa_py_exprs(&r->ps);
	if (iter == BAD || sa_py_expect(&r->ps, ':') < 0 ||
	    open_block(r, SA_PY_B_LOOP, r->ps.scope, false) < 0)
		return -1;
	if (sa_py_bind(&r->ps, t) < 0)
		return -1;
	make(r, SA_PY_N_EACH, at, t, iter);
	return body(r);
}

/* while: the condition is inside of the loop. */
static int
while_(struct reader *r)
{
	if (open_block(r, SA_PY_B_LOOP, r->ps.scope, false) < 0 ||
	    sa_py_expr(&r->ps) == BAD || sa_py_expect(&r->ps, ':') < 0)
		return -1;
	return body(r);
}

/* Whether "(" at the next token closes right before the ":" of a with. */
static bool
with_parentheses(const struct reader *r)
{
	unsigned depth = 0;

	if (next(r) != '(')
		return false;
	for (const struct sa_py_token *t = r->ps.t;; t++) {
		unsigned k = t->kind;
		if (k == SA_PY_END)
			return false;
		if (strchr("([{", (int)k) != NULL)
			depth++;
		else if (strchr(")]}", (int)k) != NULL && --depth == 0)
			return t[1].kind == ':';
	}
}

static int
with(struct reader *r)
{
	struct sa_py_parser *ps = &r->ps;
	bool paren = with_parentheses(r);

	if (paren)
		ps->t++;
	do {
		if (paren && next(r) == ')')
			break;
		uint32_t at = here(r), t, v = sa_py_expr(ps);
		if (v == BAD)
			return -1;
		if (!sa_py_accept(ps, SA_PY_AS)) {
			make(r, SA_PY_N_EXPR, at, v, 0);
			continue;
		}
		t = sa_py_target(ps);
		if (t == BAD || sa_py_bind(ps, t) < 0)
			return -1;
		make(r, SA_PY_N_WITH, at, t, v);
	} while (sa_py_accept(ps, ','));
	if (paren && sa_py_expect(ps, ')') < 0)
		return -1;
	return suite(r, SA_PY_B_TRY, ps->scope, false);
}

/* except [*] [A[, B]] [as name] */
static int
except(struct reader *r)
{
	struct sa_py_parser *ps = &r->ps;
	uint32_t at = here(r), symbol;

	sa_py_accept(ps, '*');
	if (next(r) != ':') {
		if (sa_py_exprs(ps) == BAD)
			return -1;
		int as = as_name(r, &symbol);
		if (as < 0)
			return -1;
		if (as > 0) {
			uint32_t n = bound_name(r, at, symbol);
			make(r, SA_PY_N_FORGET, at, n, SA_PY_NOTHING);
		}
	}
	return suite(r, SA_PY_B_TRY, ps->scope, false);
}

/* "match x:" opens a block of cases; anything else that begins with that word
 * does not. */
static bool
is_match(const struct reader *r)
{
	const struct sa_py_token *t = r->ps.t;

	if (!is_word(r, t, "match"))
		return false;
	while (t->kind != SA_PY_NEWLINE && t->kind != SA_PY_END)
		t++;
	return t->kind == SA_PY_NEWLINE && t > r->ps.t + 1 &&
	    t[-1].kind == ':' && t[1].kind == SA_PY_INDENT &&
	    is_word(r, t + 2, "case");
}

/* A name in a pattern that may be a capture: of the subject, of what it holds
 * or of its attribute. */
static void
capture(struct reader *r, uint32_t name, uint32_t of, unsigned op)
{
	if (r->ps.p->node[name].kind != SA_PY_N_NAME)
		return;
	sa_py_bind(&r->ps, name);
	r->ps.p->node[name].flags |= SA_PY_F_READ;
	uint32_t n = make(r, SA_PY_N_FORGET, here(r), name, of);
	r->ps.p->node[n].op = op & 0xff;
	r->ps.p->captures = r->ps.p->captures || op == 3;
}

/* Class(attribute=pattern), and "as name" behind that; Class(pattern), where
 * the class says which attribute it is of. */
static void
capture_attributes(struct reader *r, uint32_t call, uint32_t subject)
{
	struct sa_py_program *p = r->ps.p;
	uint32_t first = p->node[call].first, end = first + p->node[call].count;

	for (uint32_t i = first; i + 1 < end; i += 2) {
		uint32_t v = p->pool[i], name = p->pool[i + 1], of = subject;
		unsigned op = name < SA_PY_DOUBLE_STAR ? 2 : 3;
		if (op == 2)
			of = make(r, SA_PY_N_ATTR, p->node[v].offset, subject,
			    name);
		if (v + 1 < call)
			capture(r, v + 1, of, op);
		for (; p->node[v].kind == SA_PY_N_BINARY; v = p->node[v].a)
			capture(r, p->node[v].b, of, op);
		capture(r, v, of, op);
	}
}

static int
case_(struct reader *r)
{
	struct sa_py_program *p = r->ps.p;
	uint32_t from, subject = r->block[r->nblock - 1].subject;

	r->ps.t++;
	from = p->nnode;
	r->ps.pattern = true;
	uint32_t n = sa_py_exprs(&r->ps);
	r->ps.pattern = false;
	if (n == BAD)
		return -1;
	uint32_t to = p->nnode;
	for (uint32_t i = from; i < to; i++)
		capture(r, i, subject, 1);
	for (uint32_t i = from; i < to; i++)
		if (p->node[i].kind == SA_PY_N_CALL)
			capture_attributes(r, i, subject);
	if (sa_py_accept(&r->ps, SA_PY_IF) && sa_py_expr(&r->ps) == BAD)
		return -1;
	return suite(r, SA_PY_B_MAYBE, r->ps.scope, false);
}

static int
decorated(struct reader *r)
{
	uint32_t n = 0;
	unsigned op = SA_PY_D_NONE;

	while (sa_py_accept(&r->ps, '@')) {
		unsigned d = word(r, 0, "staticmethod") ? SA_PY_D_STATIC
		    : word(r, 0, "classmethod")		? SA_PY_D_CLASS
		    : word(r, 0, "property")		? SA_PY_D_PROPERTY
							: SA_PY_D_NONE;
		uint32_t at = here(r), v = sa_py_expr(&r->ps);
		if (v == BAD || sa_py_expect(&r->ps, SA_PY_NEWLINE) < 0)
			return -1;
		make(r, SA_PY_N_EXPR, at, v, 0);
		if (d == SA_PY_D_NONE) {
			sa_py_push(&r->ps, v);
			n++;
		} else {
			op = d;
		}
	}
	sa_py_accept(&r->ps, SA_PY_ASYNC);
	if (sa_py_accept(&r->ps, SA_PY_DEF))
		return def(r, n, op);
	if (sa_py_accept(&r->ps, SA_PY_CLASS))
		return class(r, n);
	sa_py_unexpected(&r->ps);
	return -1;
}

static int
match(struct reader *r)
{
	r->ps.t++;
	uint32_t at = here(r), n = sa_py_exprs(&r->ps);

	if (n == BAD)
		return -1;
	make(r, SA_PY_N_EXPR, at, n, 0);
	if (suite(r, SA_PY_B_PLAIN, r->ps.scope, true) < 0)
		return -1;
	r->block[r->nblock - 1].subject = n;
	return 0;
}

static int
statement(struct reader *r)
{
	struct sa_py_parser *ps = &r->ps;
	uint32_t scope = ps->scope;

	if (next(r) == SA_PY_ASYNC)
		ps->t++;
	switch (next(r)) {
	case '@':
		return decorated(r);
	case SA_PY_DEF:
		ps->t++;
		return def(r, 0, SA_PY_D_NONE);
	case SA_PY_CLASS:
		ps->t++;
		return class(r, 0);
	case SA_PY_IF:
	case SA_PY_ELIF:
		ps->t++;
		return condition(r, SA_PY_B_MAYBE);
	case SA_PY_ELSE:
		ps->t++;
		return suite(r, SA_PY_B_MAYBE, scope, false);
	case SA_PY_TRY:
	case SA_PY_FINALLY:
		ps->t++;
		return suite(r, SA_PY_B_TRY, scope, false);
	case SA_PY_EXCEPT:
		ps->t++;
		return except(r);
	case SA_PY_WHILE:
		ps->t++;
		return while_(r);
	case SA_PY_FOR:
		ps->t++;
		return for_(r);
	case SA_PY_WITH:
		ps->t++;
		return with(r);
	default:
		if (is_match(r))
			return match(r);
		if (r->nblock > 0 && r->block[r->nblock - 1].match &&
		    word(r, 0, "case"))
			return case_(r);
		return simple_line(r);
	}
}

static int
module(struct reader *r)
{
	for (;;) {
		if (next(r) == SA_PY_END)
			return 0;
		if (sa_py_accept(&r->ps, SA_PY_DEDENT)) {
			if (r->nblock > 0)
				close_block(r);
			continue;
		}
		r->ps.depth = 0;
		if (statement(r) < 0)
			return -1;
	}
}

/* What each name that is read means, now that all bindings are known. */
static void
resolve(struct sa_py_program *p)
{
	for (uint32_t i = 0; i < p->nnode; i++) {
		struct sa_py_node *n = &p->node[i];
		if (n->kind == SA_PY_N_NAME && !(n->flags & SA_PY_F_TARGET))
			n->b = sa_py_var_find(p, n->scope, n->a);
	}
}

/* What a program has more of than is kept, or NULL. */
static const char *
too_much(const struct sa_py_program *p)
{
	if (p->full)
		return "too many expressions";
	if (p->nsymbol > SA_PY_MAX_NAMES || p->nvar > SA_PY_MAX_NAMES)
		return "too many names";
	return p->nscope > SA_PY_MAX_SCOPES ? "too many functions" : NULL;
}

static int
read_tokens(struct reader *r, struct sa_py_program *p, struct sa_py_error *e)
{
	int ret;

	r->ps = (struct sa_py_parser){ .p = p, .e = e, .t = p->tokens.t };
	r->nblock = 0;
	r->path = (struct sa_buf)SA_BUF_INIT(SA_BUF_NOMAX);
	sa_py_program_reserve(p, p->tokens.n);
	sa_py_scope_new(&r->ps, SA_PY_S_MODULE, SA_PY_NOTHING);
	ret = module(r);
	sa_py_slab_free(&p->slab, r->ps.tmp);
	sa_buf_release(&r->path);
	if (too_much(p))
		return sa_py_fail(e, here(r), "python-work", "%s", too_much(p));
	return ret;
}

int
sa_py_parse(const char *text, size_t len, struct sa_py_program *p,
    struct sa_py_error *e)
{
	sa_py_program_init(p, text, len);
	if (sa_py_lex(text, len, &p->slab, &p->tokens, e) < 0)
		return -1;
	/* too large for the stack, which a build may fill with zeros first */
	struct reader *r = sa_py_slab_alloc(&p->slab, 1, sizeof(*r));
	int ret = read_tokens(r, p, e);
	sa_py_slab_free(&p->slab, r);
	if (ret == 0)
		resolve(p);
	return ret;
}
