/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pyexpr.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MAX_DEPTH 600
#define BAD SA_PY_NOTHING

enum precedence {
	P_OR = 1,
	P_AND,
	P_NOT,
	P_COMPARE,
	P_BITOR,
	P_XOR,
	P_BITAND,
	P_SHIFT,
	P_SUM,
	P_PRODUCT,
	P_UNARY,
	P_POWER
};

/* What a token may be in an expression, besides its precedence as an operator
 * between two, which is 0 for what is none. */
enum {
	BEGINS = 1 << 4,  /* an expression can begin with it */
	OPERAND = 1 << 5, /* it is one by itself */
	PREFIX = 1 << 6,  /* an operator before one */
	ENDS = 1 << 7	  /* it goes on with none */
};
#define PRECEDENCE 15

static const uint8_t traits[256] = {
	[SA_PY_NAME] = BEGINS | OPERAND,
	[SA_PY_NUMBER] = BEGINS | OPERAND,
	[SA_PY_STRING] = BEGINS | OPERAND,
	[SA_PY_NONE] = BEGINS | OPERAND,
	[SA_PY_TRUE] = BEGINS | OPERAND,
	[SA_PY_FALSE] = BEGINS | OPERAND,
	[SA_PY_FSTART] = BEGINS,
	[SA_PY_ELLIPSIS] = BEGINS,
	[SA_PY_LAMBDA] = BEGINS,
	[SA_PY_YIELD] = BEGINS,
	['('] = BEGINS,
	['['] = BEGINS,
	['{'] = BEGINS,

	[SA_PY_AWAIT] = BEGINS | PREFIX,
	[SA_PY_NOT] = BEGINS | PREFIX | P_COMPARE, /* not in */
	['~'] = BEGINS | PREFIX,
	['-'] = BEGINS | PREFIX | P_SUM,
	['+'] = BEGINS | PREFIX | P_SUM,
	['*'] = BEGINS | P_PRODUCT,

	[SA_PY_OR] = P_OR,
	[SA_PY_AND] = P_AND,
	[SA_PY_IN] = P_COMPARE,
	[SA_PY_IS] = P_COMPARE,
	[SA_PY_EQ] = P_COMPARE,
	[SA_PY_NE] = P_COMPARE,
	[SA_PY_LE] = P_COMPARE,
	[SA_PY_GE] = P_COMPARE,
	['<'] = P_COMPARE,
	['>'] = P_COMPARE,
	['|'] = P_BITOR,
	['^'] = P_XOR,
	['&'] = P_BITAND,
	[SA_PY_SHL] = P_SHIFT,
	[SA_PY_SHR] = P_SHIFT,
	['/'] = P_PRODUCT,
	['%'] = P_PRODUCT,
	['@'] = P_PRODUCT,
	[SA_PY_IDIV] = P_PRODUCT,
	[SA_PY_POW] = P_POWER,

	[SA_PY_NEWLINE] = ENDS,
	[','] = ENDS,
	[')'] = ENDS,
	[']'] = ENDS,
	['}'] = ENDS,
	[':'] = ENDS,
	['='] = ENDS,
};

/* Kept out of what is called for each word, most of which are names. */
#define RARE __attribute__((noinline))

static uint32_t binary(struct sa_py_parser *ps, unsigned least);
static RARE uint32_t strings(struct sa_py_parser *ps);

static unsigned
next(const struct sa_py_parser *ps)
{
	return ps->t->kind;
}

static bool
next_is(const struct sa_py_parser *ps, unsigned trait)
{
	return (traits[next(ps)] & trait) != 0;
}

/* The number of the next token, which is read with that. */
static uint32_t
taken(struct sa_py_parser *ps)
{
	return (uint32_t)(ps->t++ - ps->p->tokens.t);
}

uint32_t
sa_py_unexpected(struct sa_py_parser *ps)
{
	const struct sa_py_token *t = sa_py_peek(ps, 0);

	if (t->len == 0)
		sa_py_fail(ps->e, t->offset, "python-syntax",
		    t->kind == SA_PY_INDENT ? "an indentation that begins no "
					      "block"
					    : "a statement that ends too "
					      "early");
	else
		sa_py_fail(ps->e, t->offset, "python-syntax",
		    "'%.*s' cannot stand here",
		    (int)(t->len < 40 ? t->len : 40), ps->p->text + t->offset);
	return BAD;
}

int
sa_py_expect(struct sa_py_parser *ps, unsigned kind)
{
	if (sa_py_accept(ps, kind))
		return 0;
	sa_py_unexpected(ps);
	return -1;
}

void
sa_py_node_room(struct sa_py_parser *ps)
{
	struct sa_py_program *p = ps->p;

	if (p->nnode >= SA_PY_MAX_NODES) {
		ps->t->kind = SA_PY_END;
		p->full = true;
	}
	p->node =
	    sa_py_slab_more(&p->slab, p->node, &p->capnode, sizeof(*p->node));
	if (p->nnode < SA_PY_MAX_NODES && p->capnode > SA_PY_MAX_NODES)
		p->capnode = SA_PY_MAX_NODES;
}

uint32_t
sa_py_scope_new(struct sa_py_parser *ps, unsigned kind, uint32_t name)
{
	struct sa_py_program *p = ps->p;

	p->scope = sa_py_grow(&p->slab, p->scope, p->nscope, &p->capscope,
	    sizeof(*p->scope));
	p->scope[p->nscope] = (struct sa_py_scope){ .kind = kind & 0xff,
		.parent = ps->scope,
		.name = name,
		.first = p->nparam,
		.first_field = SA_PY_NOTHING,
		.last_field = SA_PY_NOTHING };
	return p->nscope++;
}

void
sa_py_list(struct sa_py_parser *ps, uint32_t mark, uint32_t *first,
    uint32_t *count)
{
	struct sa_py_program *p = ps->p;
	uint32_t n = ps->ntmp - mark;

	while (p->cappool - p->npool < n)
		p->pool = sa_py_slab_more(&p->slab, p->pool, &p->cappool,
		    sizeof(*p->pool));
	uint32_t *to = p->pool + p->npool;
	for (uint32_t i = mark; i < ps->ntmp; i++)
		*to++ = ps->tmp[i];
	*first = p->npool;
	*count = n;
	p->npool += n;
	ps->ntmp = mark;
}

uint32_t
sa_py_token_symbol(struct sa_py_parser *ps, const struct sa_py_token *t)
{
	return sa_py_symbol(ps->p, ps->p->text + t->offset, t->len, false);
}

/* A node of one kind with operands a, b, c at offset. */
static uint32_t
make(struct sa_py_parser *ps, unsigned kind, unsigned op, uint32_t offset,
    uint32_t a, uint32_t b, uint32_t c)
{
	struct sa_py_node n = { .kind = kind & 0xff,
		.op = op & 0xff,
		.offset = offset,
		.a = a,
		.b = b,
		.c = c };

	return sa_py_node(ps, &n);
}

static uint32_t
make_list(struct sa_py_parser *ps, unsigned kind, unsigned op, uint32_t offset,
    uint32_t c, uint32_t mark)
{
	struct sa_py_node n = { .kind = kind & 0xff,
		.op = op & 0xff,
		.offset = offset,
		.c = c };

	sa_py_list(ps, mark, &n.first, &n.count);
	return sa_py_node(ps, &n);
}

/* One text of the parts since mark. */
static uint32_t
make_join(struct sa_py_parser *ps, unsigned op, uint32_t offset, uint32_t mark)
{
	for (uint32_t i = mark; i < ps->ntmp; i++)
		ps->p->node[ps->tmp[i]].flags |= SA_PY_F_PART;
	return make_list(ps, SA_PY_N_JOIN, op, offset, 0, mark);
}

static int
enter(struct sa_py_parser *ps)
{
	if (++ps->depth <= MAX_DEPTH)
		return 0;
	return sa_py_fail(ps->e, sa_py_peek(ps, 0)->offset, "python-limit",
	    "an expression nested more than %d deep", MAX_DEPTH);
}

int
sa_py_bind(struct sa_py_parser *ps, uint32_t target)
{
	struct sa_py_program *p = ps->p;
	struct sa_py_node *n = &p->node[target];

	n->flags |= SA_PY_F_TARGET;
	if (n->kind == SA_PY_N_NAME) {
		n->b = sa_py_var_make(p, ps->scope, n->a);
		sa_py_var_store(p, n->b, p->nnode);
	} else if (n->kind == SA_PY_N_STAR) {
		return sa_py_bind(ps, n->a);
	} else if (n->kind == SA_PY_N_LIST) {
		for (uint32_t i = 0; i < n->count; i++)
			sa_py_bind(ps, p->pool[n->first + i]);
	} else if (n->kind != SA_PY_N_ATTR && n->kind != SA_PY_N_INDEX) {
		return sa_py_fail(ps->e, n->offset, "python-syntax",
		    "a value that cannot be assigned to");
	}
	return 0;
}

/* "*a", where such may stand for many. */
static uint32_t
star(struct sa_py_parser *ps)
{
	uint32_t at = ps->t++->offset, a = binary(ps, P_BITOR);

	return a == BAD ? BAD
			: make(ps, SA_PY_N_STAR, 0, at, a, 0, ps->p->nsite++);
}

static inline uint32_t
star_or(struct sa_py_parser *ps, uint32_t (*parse)(struct sa_py_parser *))
{
	return next(ps) == '*' ? star(ps) : parse(ps);
}

/* Elements up to a token that begins none. One without a comma stays what it
 * is. */
static uint32_t
commas(struct sa_py_parser *ps, uint32_t (*parse)(struct sa_py_parser *))
{
	uint32_t at = ps->t->offset, mark = ps->ntmp;
	uint32_t one = star_or(ps, parse);

	if (one == BAD || next(ps) != ',')
		return one;
	sa_py_push(ps, one);
	while (sa_py_accept(ps, ',') && next_is(ps, BEGINS)) {
		one = star_or(ps, parse);
		if (one == BAD)
			return BAD;
		sa_py_push(ps, one);
	}
	return make_list(ps, SA_PY_N_LIST, '(', at, ps->p->nsite++, mark);
}

uint32_t
sa_py_exprs(struct sa_py_parser *ps)
{
	return commas(ps, sa_py_expr);
}

uint32_t
sa_py_target(struct sa_py_parser *ps)
{
	return binary(ps, P_BITOR);
}

uint32_t
sa_py_targets(struct sa_py_parser *ps)
{
	return commas(ps, sa_py_target);
}

/* The clauses of a comprehension whose element's nodes begin at from; they
 * and their scopes are put into a scope of its own. */
static int
clauses(struct sa_py_parser *ps, uint32_t from, uint32_t scopes)
{
	struct sa_py_program *p = ps->p;
	uint32_t outer = ps->scope;
	uint32_t scope = sa_py_scope_new(ps, SA_PY_S_COMPREHENSION, BAD);

	while (next(ps) == SA_PY_FOR || next(ps) == SA_PY_ASYNC) {
		uint32_t at = sa_py_peek(ps, 0)->offset;
		sa_py_accept(ps, SA_PY_ASYNC);
		if (sa_py_expect(ps, SA_PY_FOR) < 0)
			return -1;
		uint32_t t = sa_py_targets(ps);
		if (t == BAD || sa_py_expect(ps, SA_PY_IN) < 0)
			return -1;
		uint32_t iter = binary(ps, P_OR);
		if (iter == BAD)
			return -1;
		ps->scope = scope;
		int r = sa_py_bind(ps, t);
		make(ps, SA_PY_N_EACH, 0, at, t, iter, 0);
		ps->scope = outer;
		if (r < 0)
			return -1;
		while (sa_py_accept(ps, SA_PY_IF))
			if (binary(ps, P_OR) == BAD)
				return -1;
	}
	for (uint32_t i = from; i < p->nnode; i++)
		if (p->node[i].scope == outer)
			p->node[i].scope = scope;
	for (uint32_t i = scopes; i < scope; i++)
		if (p->scope[i].parent == outer)
			p->scope[i].parent = scope;
	return 0;
}

static bool
comprehension_follows(const struct sa_py_parser *ps)
{
	return next(ps) == SA_PY_FOR ||
	    (next(ps) == SA_PY_ASYNC && sa_py_peek(ps, 1)->kind == SA_PY_FOR);
}

/* "(...)", "[...]" and a set's "{...}", after the opening bracket; one is the
 * first element where it was read already. from and scopes are what clauses()
 * wants to know. */
static uint32_t
display(struct sa_py_parser *ps, const struct sa_py_node *open, uint32_t from,
    uint32_t scopes, uint32_t one)
{
	uint32_t mark = ps->ntmp;
	unsigned op = open->op;
	unsigned close = op == '(' ? ')' : op == '[' ? ']' : '}';
	bool comma = false;

	while (one != BAD || next(ps) != close) {
		if (one == BAD)
			one = star_or(ps, sa_py_expr);
		if (one == BAD)
			return BAD;
		if (ps->ntmp == mark && comprehension_follows(ps)) {
			if (clauses(ps, from, scopes) < 0 ||
			    sa_py_expect(ps, close) < 0)
				return BAD;
			return make(ps, SA_PY_N_COMP, op, open->offset, one,
			    BAD, ps->p->nsite++);
		}
		sa_py_push(ps, one);
		if (!sa_py_accept(ps, ','))
			break;
		one = BAD;
		comma = true;
	}
	if (sa_py_expect(ps, close) < 0)
		return BAD;
	if (op == '(' && !comma && ps->ntmp == mark + 1) {
		ps->ntmp = mark;
		return one;
	}
	return make_list(ps, SA_PY_N_LIST, op, open->offset, ps->p->nsite++,
	    mark);
}

/* One "key: value" or "**value" onto the list; 1 where it is a set's element,
 * which *key holds. */
static int
pair(struct sa_py_parser *ps, bool first, uint32_t *key)
{
	*key = BAD;
	if (!sa_py_accept(ps, SA_PY_POW)) {
		*key = star_or(ps, sa_py_expr);
		if (*key == BAD)
			return -1;
		if (first && next(ps) != ':')
			return 1;
		if (sa_py_expect(ps, ':') < 0)
			return -1;
	}
	uint32_t v = sa_py_expr(ps);
	if (v == BAD)
		return -1;
	sa_py_push(ps, *key);
	sa_py_push(ps, v);
	return 0;
}

/* A dict's or set's "{...}", after the brace. */
static uint32_t
braces(struct sa_py_parser *ps, uint32_t at)
{
	uint32_t mark = ps->ntmp, from = ps->p->nnode, key;
	uint32_t scopes = ps->p->nscope;

	while (next(ps) != '}') {
		int r = pair(ps, ps->ntmp == mark, &key);
		if (r < 0)
			return BAD;
		if (r > 0)
			return display(ps,
			    &(struct sa_py_node){ .op = '{', .offset = at },
			    from, scopes, key);
		if (ps->ntmp == mark + 2 && comprehension_follows(ps)) {
			uint32_t value = ps->tmp[--ps->ntmp];
			ps->ntmp = mark;
			if (clauses(ps, from, scopes) < 0 ||
			    sa_py_expect(ps, '}') < 0)
				return BAD;
			return make(ps, SA_PY_N_COMP, 'd', at, key, value,
			    ps->p->nsite++);
		}
		if (!sa_py_accept(ps, ','))
			break;
	}
	if (sa_py_expect(ps, '}') < 0)
		return BAD;
	return make_list(ps, SA_PY_N_DICT, 0, at, ps->p->nsite++, mark);
}

/* One argument onto the list; 1 where it was a bare generator. */
static int
argument(struct sa_py_parser *ps, bool first)
{
	uint32_t from = ps->p->nnode, scopes = ps->p->nscope, name = BAD, v;
	const struct sa_py_token *t = sa_py_peek(ps, 0);

	if (sa_py_accept(ps, SA_PY_POW)) {
		name = SA_PY_DOUBLE_STAR;
		v = sa_py_expr(ps);
	} else if (t->kind == SA_PY_NAME && sa_py_peek(ps, 1)->kind == '=') {
		name = sa_py_token_symbol(ps, t);
		ps->t += 2;
		v = sa_py_expr(ps);
	} else if (sa_py_accept(ps, '*')) {
		v = sa_py_expr(ps);
		if (v != BAD)
			v = make(ps, SA_PY_N_STAR, 0, t->offset, v, 0, 0);
	} else {
		v = sa_py_expr(ps);
	}
	if (v == BAD)
		return -1;
	bool generator = first && comprehension_follows(ps);
	if (generator) {
		if (clauses(ps, from, scopes) < 0)
			return -1;
		v = make(ps, SA_PY_N_COMP, '(', t->offset, v, BAD,
		    ps->p->nsite++);
	}
	sa_py_push(ps, v);
	sa_py_push(ps, name);
	return generator;
}

int
sa_py_arguments(struct sa_py_parser *ps, uint32_t *first, uint32_t *count)
{
	uint32_t mark = ps->ntmp;
	bool pattern = ps->pattern;

	while (next(ps) != ')') {
		int r = argument(ps, ps->ntmp == mark);
		if (r < 0)
			return -1;
		if (r > 0 && next(ps) == ',')
			ps->t++;
		else if (!sa_py_accept(ps, ','))
			break;
	}
	ps->pattern = pattern;
	if (sa_py_expect(ps, ')') < 0)
		return -1;
	sa_py_list(ps, mark, first, count);
	return 0;
}

static uint32_t
slice_part(struct sa_py_parser *ps)
{
	if (next(ps) == ':' || next(ps) == ',' || next(ps) == ']')
		return SA_PY_NOTHING;
	return sa_py_expr(ps);
}

static uint32_t
slice(struct sa_py_parser *ps)
{
	uint32_t at = sa_py_peek(ps, 0)->offset, part[3] = { BAD, BAD, BAD };

	if (next(ps) != ':') {
		part[0] = star_or(ps, sa_py_expr);
		if (part[0] == BAD || next(ps) != ':')
			return part[0];
	}
	for (int i = 1; i < 3 && sa_py_accept(ps, ':'); i++) {
		bool there =
		    next(ps) != ':' && next(ps) != ',' && next(ps) != ']';
		part[i] = slice_part(ps);
		if (there && part[i] == BAD)
			return BAD;
	}
	return make(ps, SA_PY_N_SLICE, 0, at, part[0], part[1], part[2]);
}

static uint32_t
subscript(struct sa_py_parser *ps, uint32_t object)
{
	uint32_t at = sa_py_peek(ps, 0)->offset, mark = ps->ntmp;
	uint32_t one = slice(ps);

	if (one == BAD)
		return BAD;
	if (next(ps) == ',') {
		sa_py_push(ps, one);
		while (sa_py_accept(ps, ',') && next(ps) != ']') {
			one = slice(ps);
			if (one == BAD)
				return BAD;
			sa_py_push(ps, one);
		}
		one =
		    make_list(ps, SA_PY_N_LIST, '(', at, ps->p->nsite++, mark);
	}
	if (sa_py_expect(ps, ']') < 0)
		return BAD;
	return make(ps, SA_PY_N_INDEX, 0, at, object, one, ps->p->nsite++);
}

static uint32_t
attribute(struct sa_py_parser *ps, uint32_t object)
{
	const struct sa_py_token *name = ps->t;

	if (name->kind != SA_PY_NAME)
		return sa_py_unexpected(ps);
	ps->t++;
	return make(ps, SA_PY_N_ATTR, 0, name->offset, object,
	    sa_py_token_symbol(ps, name), 0);
}

static uint32_t
call(struct sa_py_parser *ps, uint32_t callee)
{
	uint32_t site = ps->p->nsite++, first, count;

	if (sa_py_arguments(ps, &first, &count) < 0)
		return BAD;
	return sa_py_node(ps,
	    &(struct sa_py_node){ .kind = SA_PY_N_CALL,
		.offset = ps->p->node[callee].offset,
		.a = site,
		.c = callee,
		.first = first,
		.count = count });
}

static uint32_t
postfix(struct sa_py_parser *ps, uint32_t n)
{
	while (n != BAD) {
		switch (next(ps)) {
		case '.':
			ps->t++;
			n = attribute(ps, n);
			break;
		case '(':
			ps->t++;
			n = call(ps, n);
			break;
		case '[':
			ps->t++;
			n = subscript(ps, n);
			break;
		default:
			return n;
		}
	}
	return BAD;
}

static RARE uint32_t
bracket(struct sa_py_parser *ps)
{
	struct sa_py_node open = { .op = ps->t->kind, .offset = ps->t->offset };

	ps->t++;
	return open.op == '{'
	    ? braces(ps, open.offset)
	    : display(ps, &open, ps->p->nnode, ps->p->nscope, BAD);
}

static uint32_t
atom(struct sa_py_parser *ps)
{
	const struct sa_py_token *t = ps->t;

	switch (t->kind) {
	case SA_PY_NAME:
		ps->t++;
		return make(ps, SA_PY_N_NAME, 0, t->offset,
		    sa_py_token_symbol(ps, t), SA_PY_NOTHING, 0);
	case SA_PY_NUMBER:
		return make(ps, SA_PY_N_NUMBER, 0, t->offset, taken(ps), 0, 0);
	case SA_PY_STRING:
	case SA_PY_FSTART:
		return strings(ps);
	case SA_PY_NONE:
	case SA_PY_TRUE:
	case SA_PY_FALSE:
	case SA_PY_ELLIPSIS:
		ps->t++;
		return make(ps, SA_PY_N_CONST, 0, t->offset, t->kind, 0, 0);
	case '(':
	case '[':
	case '{':
		return bracket(ps);
	default:
		return sa_py_unexpected(ps);
	}
}

static uint32_t
unary(struct sa_py_parser *ps)
{
	uint32_t at = ps->t->offset, a;
	unsigned kind = next(ps);

	if (!next_is(ps, PREFIX))
		return postfix(ps, atom(ps));
	ps->t++;
	if (kind == SA_PY_AWAIT) {
		a = postfix(ps, atom(ps));
		return a == BAD ? BAD : make(ps, SA_PY_N_AWAIT, 0, at, a, 0, 0);
	}
	a = binary(ps, kind == SA_PY_NOT ? P_NOT : P_UNARY);
	return a == BAD ? BAD : make(ps, SA_PY_N_UNARY, kind, at, a, 0, 0);
}

/* Everything that binds at least as tightly as least. */
static uint32_t
binary(struct sa_py_parser *ps, unsigned least)
{
	if (enter(ps) < 0)
		return BAD;
	uint32_t a = unary(ps);
	while (a != BAD) {
		unsigned op = next(ps), p = traits[op] & PRECEDENCE;
		if (p == 0 || p < least)
			break;
		ps->t++;
		if (op == SA_PY_NOT && sa_py_expect(ps, SA_PY_IN) < 0)
			return BAD;
		if (op == SA_PY_IS)
			sa_py_accept(ps, SA_PY_NOT);
		uint32_t b = binary(ps, p == P_POWER ? P_UNARY : p + 1);
		if (b == BAD)
			return BAD;
		unsigned kind = p <= P_AND ? SA_PY_N_BOOL
		    : p == P_COMPARE	   ? SA_PY_N_COMPARE
					   : SA_PY_N_BINARY;
		uint32_t site =
		    kind == SA_PY_N_BINARY && op == '+' ? ps->p->nsite++ : 0;
		a = make(ps, kind, op, ps->p->node[a].offset, a, b, site);
	}
	ps->depth--;
	return a;
}

static uint32_t
lambda(struct sa_py_parser *ps, uint32_t at)
{
	uint32_t outer = ps->scope;
	uint32_t scope = sa_py_scope_new(ps, SA_PY_S_LAMBDA, BAD);

	if (sa_py_parameters(ps, scope, ':') < 0 || sa_py_expect(ps, ':') < 0)
		return BAD;
	ps->scope = scope;
	uint32_t body = sa_py_expr(ps);
	ps->scope = outer;
	return body == BAD ? BAD
			   : make(ps, SA_PY_N_LAMBDA, 0, at, body, 0, scope);
}

static uint32_t
yield(struct sa_py_parser *ps, uint32_t at)
{
	uint32_t a = SA_PY_NOTHING;

	if (sa_py_accept(ps, SA_PY_FROM)) {
		a = sa_py_expr(ps);
		if (a == BAD)
			return BAD;
	} else if (next_is(ps, BEGINS)) {
		a = sa_py_exprs(ps);
		if (a == BAD)
			return BAD;
	}
	return make(ps, SA_PY_N_YIELD, 0, at, a, 0, 0);
}

/* "name := value": the value, with a node that binds before it. */
static uint32_t
walrus(struct sa_py_parser *ps, uint32_t name)
{
	uint32_t at = ps->p->node[name].offset, scope = ps->scope;
	uint32_t value = sa_py_expr(ps);

	if (value == BAD || sa_py_bind(ps, name) < 0)
		return BAD;
	ps->scope = scope;
	return make(ps, SA_PY_N_ASSIGN, 1, at, name, value, 0);
}

static uint32_t
ternary(struct sa_py_parser *ps, uint32_t at)
{
	uint32_t a = binary(ps, P_OR), b;

	if (a == BAD || !sa_py_accept(ps, SA_PY_IF))
		return a;
	/* A case's guard follows the pattern, and ends it. */
	if (binary(ps, P_OR) == BAD)
		return BAD;
	if (ps->pattern && next(ps) == ':')
		return a;
	if (sa_py_expect(ps, SA_PY_ELSE) < 0)
		return BAD;
	b = sa_py_expr(ps);
	return b == BAD ? BAD : make(ps, SA_PY_N_COND, 0, at, a, b, 0);
}

static RARE uint32_t
longer(struct sa_py_parser *ps)
{
	uint32_t at = ps->t->offset, n;

	if (enter(ps) < 0)
		return BAD;
	if (sa_py_accept(ps, SA_PY_LAMBDA))
		n = lambda(ps, at);
	else if (sa_py_accept(ps, SA_PY_YIELD))
		n = yield(ps, at);
	else
		n = ternary(ps, at);
	if (next_is(ps, ENDS)) {
		ps->depth--;
		return n;
	}
	if (n != BAD && ps->p->node[n].kind == SA_PY_N_NAME &&
	    sa_py_accept(ps, SA_PY_WALRUS))
		n = walrus(ps, n);
	if (n != BAD && ps->pattern && sa_py_accept(ps, SA_PY_AS)) {
		if (next(ps) != SA_PY_NAME)
			return sa_py_unexpected(ps);
		atom(ps);
	}
	ps->depth--;
	return n;
}

uint32_t
sa_py_expr(struct sa_py_parser *ps)
{
	/* as most are, and as deep as the general way would get to it */
	if (next_is(ps, OPERAND) && (traits[ps->t[1].kind] & ENDS) != 0 &&
	    ps->depth + 2 <= MAX_DEPTH)
		return atom(ps);
	return longer(ps);
}

/* "*, a: int = 1, /, **k" */
void
sa_py_keep(struct sa_py_parser *ps, uint32_t first)
{
	struct sa_py_program *p = ps->p;
	uint32_t range[2] = { first, p->nnode };

	for (int i = 0; i < 2 && range[0] < range[1]; i++) {
		p->kept = sa_py_grow(&p->slab, p->kept, p->nkept, &p->capkept,
		    sizeof(*p->kept));
		p->kept[p->nkept++] = range[i];
	}
}

static int
parameter(struct sa_py_parser *ps, uint32_t scope)
{
	struct sa_py_param prm = { .value = SA_PY_NOTHING };

	if (sa_py_accept(ps, '/') ||
	    (next(ps) == '*' && sa_py_peek(ps, 1)->kind == ',')) {
		sa_py_accept(ps, '*');
		return 0;
	}
	if (sa_py_accept(ps, '*'))
		prm.kind = '*';
	else if (sa_py_accept(ps, SA_PY_POW))
		prm.kind = 'p';
	const struct sa_py_token *t = sa_py_peek(ps, 0);
	if (t->kind != SA_PY_NAME) {
		sa_py_unexpected(ps);
		return -1;
	}
	ps->t++;
	prm.var = sa_py_var_make(ps->p, scope, sa_py_token_symbol(ps, t));
	uint32_t first = ps->p->nnode;
	if (ps->p->scope[scope].kind != SA_PY_S_LAMBDA &&
	    sa_py_accept(ps, ':') && star_or(ps, sa_py_expr) == BAD)
		return -1;
	sa_py_keep(ps, first);
	if (sa_py_accept(ps, '=')) {
		prm.value = sa_py_expr(ps);
		if (prm.value == BAD)
			return -1;
	}
	sa_py_push(ps, prm.var);
	sa_py_push(ps, prm.value);
	sa_py_push(ps, prm.kind);
	return 0;
}

int
sa_py_parameters(struct sa_py_parser *ps, uint32_t scope, unsigned close)
{
	struct sa_py_program *p = ps->p;
	uint32_t mark = ps->ntmp;

	while (next(ps) != close) {
		if (parameter(ps, scope) < 0)
			return -1;
		if (!sa_py_accept(ps, ','))
			break;
	}
	p->scope[scope].first = p->nparam;
	p->scope[scope].nparam = (ps->ntmp - mark) / 3;
	for (uint32_t i = mark; i < ps->ntmp; i += 3) {
		p->param = sa_py_grow(&p->slab, p->param, p->nparam,
		    &p->capparam, sizeof(*p->param));
		p->param[p->nparam++] = (struct sa_py_param){ .var = ps->tmp[i],
			.value = ps->tmp[i + 1],
			.kind = ps->tmp[i + 2] & 0xff };
	}
	ps->ntmp = mark;
	return 0;
}

/* The text and fields of a format string up to end, onto the list. */
static int
format_parts(struct sa_py_parser *ps, bool raw, unsigned end)
{
	while (next(ps) != end) {
		const struct sa_py_token *t = sa_py_peek(ps, 0);
		uint32_t at = t->offset, n;
		if (t->kind == SA_PY_FTEXT) {
			n = make(ps, SA_PY_N_STRING, raw ? 3 : 1, at, taken(ps),
			    0, 0);
			sa_py_push(ps, n);
			continue;
		}
		if (sa_py_expect(ps, '{') < 0)
			return -1;
		struct sa_py_node f = { .kind = SA_PY_N_FIELD,
			.offset = at,
			.b = SA_PY_NOTHING,
			.c = 1,
			.first = at + 1 };
		f.a = sa_py_exprs(ps);
		if (f.a == BAD)
			return -1;
		if (sa_py_accept(ps, '=')) {
			f.c = 2;
			f.count = sa_py_peek(ps, 0)->offset;
		}
		if (sa_py_accept(ps, '!')) {
			f.op = (uint8_t)ps->p->text[sa_py_peek(ps, 0)->offset];
			ps->t++;
		}
		if (sa_py_accept(ps, ':')) {
			uint32_t mark = ps->ntmp;
			if (format_parts(ps, raw, '}') < 0)
				return -1;
			f.b = make_join(ps, 0, at, mark);
			ps->p->node[f.b].flags = SA_PY_F_SPEC;
		}
		if (sa_py_expect(ps, '}') < 0)
			return -1;
		sa_py_push(ps, sa_py_node(ps, &f));
	}
	return 0;
}

/* Adjacent literals of any kind: one value. */
static uint32_t
strings(struct sa_py_parser *ps)
{
	uint32_t at = sa_py_peek(ps, 0)->offset, mark = ps->ntmp;
	bool format = false;

	while (next(ps) == SA_PY_STRING || next(ps) == SA_PY_FSTART) {
		const struct sa_py_token *t = sa_py_peek(ps, 0);
		if (t->kind == SA_PY_STRING) {
			sa_py_push(ps,
			    make(ps, SA_PY_N_STRING, 0, t->offset, taken(ps), 0,
				0));
			continue;
		}
		const char *s = ps->p->text + t->offset;
		bool raw = memchr(s, 'r', t->len) != NULL ||
		    memchr(s, 'R', t->len) != NULL;
		uint32_t first = ps->p->nnode;
		format = true;
		ps->t++;
		if (enter(ps) < 0 || format_parts(ps, raw, SA_PY_FEND) < 0)
			return BAD;
		if (s[0] == 't' || s[0] == 'T' || s[1] == 't' || s[1] == 'T')
			sa_py_keep(ps, first);
		ps->depth--;
		ps->t++;
	}
	if (!format && ps->ntmp == mark + 1)
		return ps->tmp[--ps->ntmp];
	return make_join(ps, format, at, mark);
}
