/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pyprog.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "guard/hash.h"

struct var_slot {
	uint32_t scope, symbol, var; /* var: NOTHING where free */
};

/* Open addressing; sizes are powers of two, at most half of a table is
 * used. */
struct sa_py_tables {
	uint32_t *symbol; /* index, NOTHING where free */
	uint32_t symbols;
	struct var_slot *var;
	uint32_t vars, nvar;
	char **copy; /* of names, many in one piece */
	uint32_t ncopy, capcopy;
	char *rest; /* of the last piece */
	size_t room;
};
#define PIECE 512

/* A slab's room: for any program, and for each byte of one that is no longer
 * than the most. */
#define SLAB 16384
#define SLAB_FOR_BYTE 16
#define SLAB_BYTES 16384

static uint32_t
hash_pair(uint32_t a, uint32_t b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15U;

	return (uint32_t)(h >> 32);
}

void
sa_py_program_reserve(struct sa_py_program *p, uint32_t tokens)
{
	/* real sources have three nodes in four tokens */
	uint32_t n = tokens < SA_PY_MAX_NODES ? tokens : SA_PY_MAX_NODES;

	p->capnode = n;
	p->node = sa_py_slab_alloc(&p->slab, p->capnode, sizeof(*p->node));
	p->cappool = n / 2 + 64;
	p->pool = sa_py_slab_alloc(&p->slab, p->cappool, sizeof(*p->pool));
}

void
sa_py_program_release(struct sa_py_program *p)
{
	struct sa_py_tables *t = p->tables;

	if (t == NULL)
		return;
	for (uint32_t i = 0; i < t->ncopy; i++)
		sa_py_slab_free(&p->slab, t->copy[i]);
	sa_py_tokens_release(&p->tokens);
	void *const piece[] = { t->copy, t->symbol, t->var, t, p->node,
		p->listed, p->kept, p->pool, p->scope, p->field, p->param,
		p->var, p->store, p->symbol };
	for (size_t i = 0; i < sizeof(piece) / sizeof(piece[0]); i++)
		sa_py_slab_free(&p->slab, piece[i]);
	sa_py_slab_release(&p->slab);
	*p = (struct sa_py_program){ 0 };
}

/* Where the symbol is, or where it belongs. */
static inline uint32_t *
symbol_slot(const struct sa_py_program *p, const char *s, size_t len,
    uint64_t hash)
{
	const struct sa_py_tables *t = p->tables;

	for (uint32_t h = sa_hash_upper(hash);; h++) {
		uint32_t *slot = &t->symbol[h & (t->symbols - 1)];
		if (*slot == SA_PY_NOTHING)
			return slot;
		const struct sa_py_symbol *x = &p->symbol[*slot];
		if (x->hash == hash && x->len == len &&
		    (len <= SA_HASH_WHOLE || memcmp(x->s, s, len) == 0))
			return slot;
	}
}

static void
symbol_table_grow(struct sa_py_program *p)
{
	struct sa_py_tables *t = p->tables;

	t->symbols = t->symbols == 0 ? 256 : t->symbols * 2;
	sa_py_slab_free(&p->slab, t->symbol);
	t->symbol = sa_py_slab_alloc(&p->slab, t->symbols, sizeof(*t->symbol));
	memset(t->symbol, 0xff, t->symbols * sizeof(*t->symbol));
	for (uint32_t i = 0; i < p->nsymbol; i++) {
		uint32_t h = sa_hash_upper(p->symbol[i].hash);
		while (t->symbol[h & (t->symbols - 1)] != SA_PY_NOTHING)
			h++;
		t->symbol[h & (t->symbols - 1)] = i;
	}
}

void
sa_py_program_init(struct sa_py_program *p, const char *text, size_t len)
{
	*p = (struct sa_py_program){ .text = text, .len = len };
	sa_py_slab_init(&p->slab,
	    SLAB + SLAB_FOR_BYTE * (len < SLAB_BYTES ? len : SLAB_BYTES));
	p->tables = sa_py_slab_zeros(&p->slab, 1, sizeof(*p->tables));
	symbol_table_grow(p);
	/* Lists may be empty; their first element has an address all the
	 * same. */
	p->param =
	    sa_py_grow(&p->slab, NULL, 0, &p->capparam, sizeof(*p->param));
}

static const char *
keep(struct sa_py_program *p, const char *s, size_t len)
{
	struct sa_py_tables *t = p->tables;

	if (t->room <= len) {
		t->room = len < PIECE ? PIECE : len + 1;
		t->rest = sa_py_slab_alloc(&p->slab, t->room, 1);
		t->copy = sa_py_grow(&p->slab, t->copy, t->ncopy, &t->capcopy,
		    sizeof(*t->copy));
		t->copy[t->ncopy++] = t->rest;
	}
	char *c = t->rest;
	memcpy(c, s, len);
	c[len] = '\0';
	t->rest += len + 1;
	t->room -= len + 1;
	return c;
}

static __attribute__((noinline)) uint32_t
symbol_find(struct sa_py_program *p, const char *s, size_t len, uint64_t hash,
    bool copy)
{
	uint32_t *slot = symbol_slot(p, s, len, hash), new = p->nsymbol;

	if (*slot != SA_PY_NOTHING)
		return *slot;
	p->symbol = sa_py_grow(&p->slab, p->symbol, new, &p->capsymbol,
	    sizeof(*p->symbol));
	p->symbol[new] = (struct sa_py_symbol){ .s = copy ? keep(p, s, len) : s,
		.hash = hash,
		.len = (uint32_t)len };
	*slot = new;
	p->nsymbol++;
	if (2 * p->nsymbol > p->tables->symbols)
		symbol_table_grow(p);
	return new;
}

/* Most names are short, and were met before: that needs no call. */
uint32_t
sa_py_symbol_hashed(struct sa_py_program *p, const char *s, size_t len,
    uint64_t hash, bool copy)
{
	const struct sa_py_tables *t = p->tables;
	uint32_t known = t->symbol[sa_hash_upper(hash) & (t->symbols - 1)];

	if (len <= SA_HASH_WHOLE && known != SA_PY_NOTHING &&
	    p->symbol[known].hash == hash && p->symbol[known].len == len)
		return known;
	return symbol_find(p, s, len, hash, copy);
}

static struct var_slot *
var_slot(const struct sa_py_tables *t, uint32_t scope, uint32_t symbol)
{
	for (uint32_t h = hash_pair(scope, symbol);; h++) {
		struct var_slot *s = &t->var[h & (t->vars - 1)];
		if (s->var == SA_PY_NOTHING ||
		    (s->scope == scope && s->symbol == symbol))
			return s;
	}
}

static void
var_table_grow(struct sa_py_program *p)
{
	struct sa_py_tables *t = p->tables;
	struct var_slot *old = t->var;
	uint32_t n = t->vars;

	t->vars = n == 0 ? 64 : n * 2;
	t->var = sa_py_slab_alloc(&p->slab, t->vars, sizeof(*t->var));
	memset(t->var, 0xff, t->vars * sizeof(*t->var));
	for (uint32_t i = 0; i < n; i++)
		if (old[i].var != SA_PY_NOTHING)
			*var_slot(t, old[i].scope, old[i].symbol) = old[i];
	sa_py_slab_free(&p->slab, old);
}

uint32_t
sa_py_var(const struct sa_py_program *p, uint32_t scope, uint32_t symbol)
{
	if (p->tables->vars == 0)
		return SA_PY_NOTHING;
	return var_slot(p->tables, scope, symbol)->var;
}

void
sa_py_var_alias(struct sa_py_program *p, uint32_t scope, uint32_t symbol,
    uint32_t var)
{
	struct sa_py_tables *t = p->tables;

	if (2 * t->nvar >= t->vars)
		var_table_grow(p);
	struct var_slot *s = var_slot(t, scope, symbol);
	if (s->var == SA_PY_NOTHING)
		t->nvar++;
	*s = (struct var_slot){ .scope = scope, .symbol = symbol, .var = var };
}

uint32_t
sa_py_var_make(struct sa_py_program *p, uint32_t scope, uint32_t symbol)
{
	uint32_t v = sa_py_var(p, scope, symbol);

	if (v != SA_PY_NOTHING)
		return v;
	p->var =
	    sa_py_grow(&p->slab, p->var, p->nvar, &p->capvar, sizeof(*p->var));
	p->var[p->nvar] = (struct sa_py_var){ .scope = scope,
		.symbol = symbol,
		.first_store = SA_PY_NOTHING,
		.last_store = SA_PY_NOTHING };
	sa_py_var_alias(p, scope, symbol, p->nvar);
	return p->nvar++;
}

void
sa_py_var_store(struct sa_py_program *p, uint32_t var, uint32_t node)
{
	struct sa_py_var *v = &p->var[var];

	p->store = sa_py_grow(&p->slab, p->store, p->nstore, &p->capstore,
	    sizeof(*p->store));
	p->store[p->nstore] =
	    (struct sa_py_store){ .node = node, .next = SA_PY_NOTHING };
	if (v->last_store == SA_PY_NOTHING)
		v->first_store = p->nstore;
	else
		p->store[v->last_store].next = p->nstore;
	v->last_store = p->nstore++;
}

void
sa_py_field_add(struct sa_py_program *p, uint32_t scope, uint32_t symbol)
{
	struct sa_py_scope *s = &p->scope[scope];

	p->field = sa_py_grow(&p->slab, p->field, p->nfield, &p->capfield,
	    sizeof(*p->field));
	p->field[p->nfield] =
	    (struct sa_py_field){ .symbol = symbol, .next = SA_PY_NOTHING };
	if (s->last_field == SA_PY_NOTHING)
		s->first_field = p->nfield;
	else
		p->field[s->last_field].next = p->nfield;
	s->last_field = p->nfield++;
}

uint32_t
sa_py_var_find(const struct sa_py_program *p, uint32_t scope, uint32_t symbol)
{
	uint32_t s = scope;

	for (;;) {
		if (s == scope || p->scope[s].kind != SA_PY_S_CLASS) {
			uint32_t v = sa_py_var(p, s, symbol);
			if (v != SA_PY_NOTHING)
				return v;
		}
		if (s == 0)
			return SA_PY_NOTHING;
		s = p->scope[s].parent;
	}
}
