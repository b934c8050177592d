/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYEXPR_H
#define SA_PYEXPR_H

#include "guard/pyprog.h"

/*
 * Python's expressions, by operator precedence. What the statement parser
 * (pystmt.c) needs of it, and the front door of both.
 *
 * The parser takes more than Python does where Python itself would refuse to
 * run (an elif without an if), never less: text that it cannot take is an
 * error. Nesting is bounded; time is linear.
 */

/* 0, or -1 with *e; either way sa_py_program_release() frees. */
int sa_py_parse(const char *text, size_t len, struct sa_py_program *p,
    struct sa_py_error *e);

struct sa_py_parser {
	struct sa_py_program *p;
	struct sa_py_error *e;
	struct sa_py_token *t; /* the next one */
	uint32_t scope;	       /* the one that names are read in */
	unsigned depth;
	bool pattern;  /* in a case: "as NAME" may follow anything */
	uint32_t *tmp; /* list elements in the making */
	uint32_t ntmp, captmp;
};

/* The nodes below return their index, or NOTHING after a failure. */

/* One expression: a ternary, lambda, yield or less; no commas. */
uint32_t sa_py_expr(struct sa_py_parser *ps);
/* Expressions with commas between them; more than one is a tuple. */
uint32_t sa_py_exprs(struct sa_py_parser *ps);
/* What can be assigned to, up to "in" or "="; one, or with commas. */
uint32_t sa_py_target(struct sa_py_parser *ps);
uint32_t sa_py_targets(struct sa_py_parser *ps);
/* The arguments of a call or class after "(", to ")" included, into the list
 * of node n. */
int sa_py_arguments(struct sa_py_parser *ps, uint32_t *first, uint32_t *count);
/* "a: x = 1, *b" up to close, not included; the parameters of scope. */
int sa_py_parameters(struct sa_py_parser *ps, uint32_t scope, unsigned close);

/* Makes what node target names variables that node binder, the next one to be
 * made, binds. */
int sa_py_bind(struct sa_py_parser *ps, uint32_t target);

/* Notes that Python keeps what the nodes from first on give. */
void sa_py_keep(struct sa_py_parser *ps, uint32_t first);

/* Makes room for one more node. Where there are as many as there may be, it
 * ends all that reads on. */
void sa_py_node_room(struct sa_py_parser *ps);

/* Notes a node of a kind that is looked for. */
static inline void
sa_py_node_list(struct sa_py_program *p)
{
	p->listed = sa_py_grow(&p->slab, p->listed, p->nlisted, &p->caplisted,
	    sizeof(*p->listed));
	p->listed[p->nlisted++] = p->nnode - 1;
}

/* A new node like n, in the scope that names are read in. Member by member,
 * since n need not be in memory then. */
static inline uint32_t
sa_py_node(struct sa_py_parser *ps, const struct sa_py_node *n)
{
	struct sa_py_program *p = ps->p;

	if (p->nnode == p->capnode)
		sa_py_node_room(ps);
	struct sa_py_node *to = &p->node[p->nnode++];
	to->kind = n->kind;
	to->op = n->op;
	to->flags = n->flags;
	to->scope = ps->scope;
	to->offset = n->offset;
	to->a = n->a;
	to->b = n->b;
	to->c = n->c;
	to->first = n->first;
	to->count = n->count;
	if ((SA_PY_LISTED >> n->kind & 1) != 0)
		sa_py_node_list(p);
	return p->nnode - 1;
}

uint32_t sa_py_scope_new(struct sa_py_parser *ps, unsigned kind, uint32_t name);
static inline void
sa_py_push(struct sa_py_parser *ps, uint32_t value)
{
	ps->tmp = sa_py_grow(&ps->p->slab, ps->tmp, ps->ntmp, &ps->captmp,
	    sizeof(*ps->tmp));
	ps->tmp[ps->ntmp++] = value;
}

/* Moves what was pushed since mark to the pool. */
void sa_py_list(struct sa_py_parser *ps, uint32_t mark, uint32_t *first,
    uint32_t *count);

/* The token so many behind the next one, at most two. */
static inline const struct sa_py_token *
sa_py_peek(const struct sa_py_parser *ps, uint32_t ahead)
{
	return ps->t + ahead;
}

static inline bool
sa_py_accept(struct sa_py_parser *ps, unsigned kind)
{
	if (ps->t->kind != kind)
		return false;
	ps->t++;
	return true;
}

int sa_py_expect(struct sa_py_parser *ps, unsigned kind);
uint32_t sa_py_token_symbol(struct sa_py_parser *ps,
    const struct sa_py_token *t);
/* NOTHING, with the failure "unexpected ..." at the next token. */
uint32_t sa_py_unexpected(struct sa_py_parser *ps);

#endif
