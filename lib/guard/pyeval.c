/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pyeval.h"

#include <stdlib.h>
#include <string.h>

#include "guard/sinks.h"
#include "guard/sql.h"

#define NOTHING SA_PY_NOTHING
#define WIDEN 6		     /* the pass from which on values may only grow */
#define MAX_METHODS 8	     /* of one name; with more, anybody may call them */
#define MAX_BASES 4	     /* one from another, where one is called */
#define MAX_PATH 200	     /* bytes of a dotted path */
#define TYPE_UNKNOWN 0xff    /* a type that was not asked for yet */
#define MAX_NOTES (1U << 17) /* of one pass */
#define MAX_GROWN 64	     /* elements of a list that grows step by step */
#define LOSSY 0x80	     /* in since: something had no room in the value */

typedef const struct sa_py_val val;

/* cur: in the straight line of its own scope, NULL before it is bound. frame
 * says which block gave it cur, and how many blocks that is inside. */
struct sa_py_cell {
	val *cur;
	uint32_t frame, depth;
	uint32_t next_store; /* first binding node not yet passed */
	uint32_t record;     /* in undo, of this frame */
	uint32_t param;	     /* its place among the parameters, or NOTHING */
	bool foreign;	     /* bound from another scope too */
	bool own;	     /* grow() sees all that its lists get */
};

/* What a variable was before a block, and all that it is in it. */
struct sa_py_undo {
	uint32_t var, frame, depth, record;
	val *old, *all;
};

/* A block that is being walked. */
struct sa_py_frame {
	uint32_t serial, end;
	uint32_t undo;	    /* its first record */
	uint32_t loop_end;  /* of the outermost loop of this scope, or 0 */
	uint32_t loop_from; /* depth of the innermost one, or 0 */
	uint8_t op;
};

static val *
one(struct sa_py_eval *e, enum sa_py_atom_kind kind, uint32_t id, const void *p)
{
	return sa_py_one(&e->arena, kind, id, p);
}

static val *
both(struct sa_py_eval *e, val *x, val *y)
{
	return sa_py_union(&e->arena, x, y);
}

static bool
only(val *v, enum sa_py_atom_kind kind)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->atom[i].kind != kind)
			return false;
	return v->n > 0 && !v->any;
}

static bool
some(val *v, enum sa_py_atom_kind kind)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->atom[i].kind == kind)
			return true;
	return false;
}

/* Of v, what can be called, or has methods that count. */
static val *
callables(struct sa_py_eval *e, val *v)
{
	val *r = &sa_py_never;

	for (uint32_t i = 0; v != NULL && i < v->n; i++)
		if (v->atom[i].kind >= SA_PY_A_REF)
			r = both(e, r,
			    one(e, (enum sa_py_atom_kind)v->atom[i].kind,
				v->atom[i].id, v->atom[i].p));
	return r;
}

static bool
has_type(val *v, enum sa_py_type type)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->atom[i].kind == SA_PY_A_OBJECT && v->atom[i].id == type)
			return true;
	return false;
}

/* Once there are too many notes, each pass is a whole one. */
static void
make_notes(struct sa_py_eval *e, uint32_t n)
{
	if (e->nnote + n > MAX_NOTES)
		e->noting = false;
	while (e->noting && e->capnote < e->nnote + n) {
		uint32_t cap = e->capnote;
		e->note = sa_py_grow(&e->symbols->slab, e->note, cap,
		    &e->capnote, sizeof(*e->note));
		e->arena.made += (e->capnote - cap) * sizeof(*e->note);
	}
}

static inline void
note(struct sa_py_eval *e, enum sa_py_deed deed, uint32_t id, val *v)
{
	if (e->nnote == e->capnote)
		make_notes(e, 1);
	if (e->noting)
		e->note[e->nnote++] =
		    (struct sa_py_note){ .deed = deed, .id = id, .v = v };
}

static void
note_again(struct sa_py_eval *e, const struct sa_py_note *from, uint32_t n)
{
	make_notes(e, n);
	if (!e->noting || n == 0)
		return;
	memcpy(e->note + e->nnote, from, n * sizeof(*from));
	e->nnote += n;
}

static void
moves(struct sa_py_eval *e, struct sa_py_flow *f)
{
	if (f->moved == e->pass)
		return;
	f->moved = (uint8_t)e->pass;
	e->moved[e->nmoved++] = (uint32_t)(f - e->flow);
}

static void
add(struct sa_py_eval *e, struct sa_py_flow *f, val *v)
{
	bool lost = e->arena.lost;

	e->arena.lost = false;
	val *now = both(e, f->now, v);
	if (e->arena.lost && !f->lost) {
		f->lost = true;
		e->nlost++;
	}
	e->arena.lost = lost;
	if (now != f->now)
		moves(e, f);
	f->now = now;
}

static void
flow(struct sa_py_eval *e, struct sa_py_flow *f, val *v)
{
	note(e, SA_PY_DID_ADD, (uint32_t)(f - e->flow), v);
	add(e, f, v);
}

/* A number of its own for each body and each node in each pass. */
static uint32_t
reader(const struct sa_py_eval *e, uint32_t i)
{
	return e->pass * (e->p->nscope + e->p->nnode) + i;
}

static void
note_read(struct sa_py_eval *e, struct sa_py_flow *f)
{
	if (f->reader == e->reader)
		return;
	f->reader = e->reader;
	note(e, SA_PY_DID_READ, (uint32_t)(f - e->flow), NULL);
}

/* What a flow brings: nothing is known before the second pass. */
static val *
arrives(struct sa_py_eval *e, struct sa_py_flow *f)
{
	note_read(e, f);
	if (e->pass == 1) {
		f->doubted = true;
		return &sa_py_any;
	}
	return f->before != NULL ? f->before : &sa_py_never;
}

val *
sa_py_str_val(struct sa_py_eval *e, const struct sa_py_str *s)
{
	return one(e, SA_PY_A_STR, 0, s);
}

val *
sa_py_list_val(struct sa_py_eval *e, uint32_t site, uint32_t n,
    val *const *item, val *rest)
{
	struct sa_py_seq *s =
	    sa_py_alloc(&e->arena, sizeof(*s) + n * sizeof(s->item[0]));

	*s = (struct sa_py_seq){ .site = site, .n = n, .rest = rest };
	s->memo = &s->own;
	if (n > 0)
		memcpy(s->item, item, n * sizeof(s->item[0]));
	return one(e, SA_PY_A_LIST, 0, s);
}

val *
sa_py_added(struct sa_py_eval *e, uint32_t site)
{
	if (site == SA_PY_NO_SITE)
		return &sa_py_never;
	if (e->had_lost)
		return &sa_py_any;
	return arrives(e, &e->site[site]);
}

void
sa_py_add(struct sa_py_eval *e, const struct sa_py_seq *seq, val *v)
{
	if (seq->site != SA_PY_NO_SITE)
		flow(e, &e->site[seq->site], v);
}

static void expose(struct sa_py_eval *e, val *v, uint32_t depth);

/* Whoever is not known may make objects of the class. */
static void
expose_class(struct sa_py_eval *e, uint32_t class)
{
	const struct sa_py_program *p = e->p;
	uint32_t var = sa_py_var(p, class, e->init);

	for (uint32_t s = var != NOTHING ? p->var[var].first_store : NOTHING;
	     s != NOTHING; s = p->store[s].next) {
		const struct sa_py_node *n = &p->node[p->store[s].node];
		if (n->kind == SA_PY_N_DEF)
			e->function[n->c].escaped = true;
	}
}

/* The methods of the file's classes by that name; append, of a list. */
static void
expose_method(struct sa_py_eval *e, const struct sa_py_atom *a)
{
	uint32_t m = a->id < e->nsymbol ? e->name[a->id].method : NOTHING;

	for (; m != NOTHING; m = e->function[m].next_method) {
		e->function[m].escaped = true;
		/* calls of more than that are seen by anybody anyway */
		if (e->function[m].namesakes >= MAX_METHODS)
			break;
	}
	expose(e, a->p, 0);
}

/* An object of a class of the file. */
static bool
is_ours(const struct sa_py_atom *a)
{
	return a->kind == SA_PY_A_OBJECT &&
	    (a->id == SA_PY_T_SELF || a->id == SA_PY_T_INSTANCE);
}

/* Whoever is not known may call the functions in v and change its lists. */
static void
expose(struct sa_py_eval *e, val *v, uint32_t depth)
{
	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		const struct sa_py_seq *s = a->p;
		if (a->kind == SA_PY_A_FUNCTION)
			e->function[a->id].escaped = true;
		if (a->kind == SA_PY_A_METHOD)
			expose_method(e, a);
		if (a->kind == SA_PY_A_CLASS)
			expose_class(e, a->id);
		for (uint32_t k = 0; is_ours(a) && k < e->nduck; k++)
			e->function[e->duck[k]].escaped = true;
		if (a->kind != SA_PY_A_LIST && a->kind != SA_PY_A_DICT)
			continue;
		if (s->memo->escaped == e->pass)
			continue;
		s->memo->escaped = (uint8_t)e->pass;
		if (s->site != SA_PY_NO_SITE)
			e->escaped[s->site] = true;
		for (uint32_t k = 0; depth > 0 && k < s->n && k < 64; k++)
			expose(e, s->item[k], depth - 1);
	}
}

static void
escape(struct sa_py_eval *e, val *v, uint32_t depth)
{
	bool plain = true;

	for (uint32_t i = 0; plain && i < v->n; i++)
		plain = v->atom[i].kind != SA_PY_A_FUNCTION &&
		    v->atom[i].kind != SA_PY_A_METHOD &&
		    v->atom[i].kind != SA_PY_A_CLASS &&
		    v->atom[i].kind != SA_PY_A_LIST &&
		    v->atom[i].kind != SA_PY_A_DICT &&
		    (e->nduck == 0 || !is_ours(&v->atom[i]));
	if (plain)
		return;
	note(e, SA_PY_DID_ESCAPE, depth, v);
	expose(e, v, depth);
}

void
sa_py_escape(struct sa_py_eval *e, val *v)
{
	escape(e, v, 2);
}

static void
called(struct sa_py_eval *e, uint32_t scope)
{
	e->function[scope].called = true;
	note(e, SA_PY_DID_CALL, scope, NULL);
}

/* r and each step-th item of s from the first on. */
static val *
with_each(struct sa_py_eval *e, val *r, const struct sa_py_seq *s,
    uint32_t first, uint32_t step)
{
	for (uint32_t i = first; i < s->n; i += step)
		r = both(e, r, s->item[i]);
	return r;
}

/* All of them, as they were put together before. */
static val *
all_items(struct sa_py_eval *e, const struct sa_py_seq *s, uint32_t first,
    uint32_t step)
{
	struct sa_py_memo *m = s->memo;
	bool lost = e->arena.lost;

	if (m->all[first] == NULL) {
		e->arena.lost = false;
		val *v = with_each(e, &sa_py_never, s, first, step);
		if (!sa_py_spend(&e->arena, 0)) {
			m->all[first] = v;
			m->lost[first] = e->arena.lost;
		}
		e->arena.lost = e->arena.lost || lost;
		return v;
	}
	e->arena.lost = lost || m->lost[first];
	return m->all[first];
}

val *
sa_py_items(struct sa_py_eval *e, val *r, const struct sa_py_seq *s,
    uint32_t first, uint32_t step)
{
	if (s->n <= step)
		return with_each(e, r, s, first, step);
	val *all = all_items(e, s, first, step);
	/* What has no room depends on what was there before. */
	if (r->n > 0 &&
	    (all->n == SA_PY_MAX_ATOMS || some(all, SA_PY_A_METHOD)))
		return with_each(e, r, s, first, step);
	return both(e, r, all);
}

/* Whether a list before the i-th is one of the same site. */
static bool
site_again(val *v, uint32_t i)
{
	const struct sa_py_seq *s = v->atom[i].p;

	for (uint32_t k = 0; k < i; k++)
		if ((v->atom[k].kind == SA_PY_A_LIST ||
			v->atom[k].kind == SA_PY_A_DICT) &&
		    ((const struct sa_py_seq *)v->atom[k].p)->site == s->site)
			return true;
	return false;
}

val *
sa_py_elements(struct sa_py_eval *e, val *v)
{
	val *r = v->any ? &sa_py_any : &sa_py_never;

	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		const struct sa_py_seq *s = a->p;
		if (a->kind != SA_PY_A_LIST && a->kind != SA_PY_A_DICT) {
			r = both(e, r, &sa_py_any);
			continue;
		}
		uint32_t step = a->kind == SA_PY_A_DICT ? 2 : 1;
		if (sa_py_spend(&e->arena, s->n))
			return both(e, r, &sa_py_any);
		r = sa_py_items(e, r, s, 0, step);
		r = both(e, r, s->rest);
		if (!site_again(v, i))
			r = both(e, r, sa_py_added(e, s->site));
	}
	return r;
}

/* The frame that the walk is in. */
static struct sa_py_frame *
top(struct sa_py_eval *e)
{
	return &e->frame[e->nframe - 1];
}

static void
record(struct sa_py_eval *e, uint32_t var, val *all)
{
	struct sa_py_cell *c = &e->cell[var];
	struct sa_py_frame *f = top(e);

	if (c->frame != f->serial) {
		e->undo = sa_py_grow(&e->symbols->slab, e->undo, e->nundo,
		    &e->capundo, sizeof(*e->undo));
		e->undo[e->nundo] = (struct sa_py_undo){ .var = var,
			.frame = c->frame,
			.depth = c->depth,
			.record = c->record,
			.old = c->cur };
		c->record = e->nundo++;
		c->frame = f->serial;
		c->depth = e->nframe;
	}
	e->undo[c->record].all = both(e, e->undo[c->record].all, all);
}

static void
set(struct sa_py_eval *e, uint32_t var, uint32_t scope, val *v)
{
	struct sa_py_cell *c = &e->cell[var];
	const struct sa_py_program *p = e->p;

	flow(e, &e->all[var], v);
	if (p->scope[p->var[var].scope].kind == SA_PY_S_CLASS &&
	    (v->n == 0 || v->atom[0].kind != SA_PY_A_FUNCTION))
		flow(e, &e->attr[p->var[var].symbol], v);
	if (p->var[var].scope != scope)
		return;
	record(e, var, v);
	c->cur = v;
	c->depth = e->nframe;
}

static void
enter(struct sa_py_eval *e, const struct sa_py_node *n)
{
	struct sa_py_frame f = { .serial = ++e->serial,
		.end = n->c,
		.undo = e->nundo,
		.op = n->op };

	if (e->nframe > 0 && n->op != SA_PY_B_SCOPE) {
		f.loop_end = top(e)->loop_end;
		f.loop_from = top(e)->loop_from;
	}
	if (n->op == SA_PY_B_LOOP) {
		if (f.loop_end == 0)
			f.loop_end = n->c;
		f.loop_from = e->nframe + 1;
	}
	e->frame = sa_py_grow(&e->symbols->slab, e->frame, e->nframe,
	    &e->capframe, sizeof(*e->frame));
	e->frame[e->nframe++] = f;
}

/* After a block a variable is what it was before, or what the block made of
 * it; after one that can stop anywhere, anything that it was inside. */
static void
leave(struct sa_py_eval *e)
{
	struct sa_py_frame f = e->frame[--e->nframe];

	uint32_t end_undo = e->nundo;

	e->nundo = f.undo;
	for (uint32_t i = f.undo; i < end_undo; i++) {
		struct sa_py_undo u = e->undo[i];
		struct sa_py_cell *c = &e->cell[u.var];
		val *end = c->cur;
		c->frame = u.frame;
		c->depth = u.depth;
		c->record = u.record;
		c->cur = u.old;
		if (f.op == SA_PY_B_SCOPE)
			continue;
		if (f.op != SA_PY_B_MAYBE)
			end = both(e, end, u.all);
		/* The slot that this may take was read already. */
		record(e, u.var, both(e, u.all, end));
		c->cur = both(e, u.old, end);
		c->depth = u.depth;
	}
}

/* Whether variable v is bound again between node i and end. */
static bool
bound_before(struct sa_py_eval *e, uint32_t var, uint32_t i, uint32_t end)
{
	struct sa_py_cell *c = &e->cell[var];
	const struct sa_py_store *s = e->p->store;

	while (c->next_store != NOTHING && s[c->next_store].node <= i)
		c->next_store = s[c->next_store].next;
	return c->next_store != NOTHING && s[c->next_store].node < end;
}

static val *
builtin(struct sa_py_eval *e, uint32_t symbol)
{
	if (symbol >= e->nsymbol)
		return one(e, SA_PY_A_REF, symbol, NULL);
	if (e->name[symbol].builtin == NULL)
		e->name[symbol].builtin = one(e, SA_PY_A_REF, symbol, NULL);
	return e->name[symbol].builtin;
}

/* All that a variable ever is, seen from elsewhere. */
static val *
anywhen(struct sa_py_eval *e, uint32_t var, uint32_t i)
{
	struct sa_py_flow *f = &e->all[var];

	note_read(e, f);
	if (e->pass > 1)
		return f->before != NULL ? f->before : &sa_py_any;
	if (f->now != NULL && top(e)->loop_end == 0 &&
	    e->p->scope[e->p->var[var].scope].kind == SA_PY_S_MODULE &&
	    !bound_before(e, var, i, NOTHING))
		return f->now;
	f->doubted = true;
	return &sa_py_any;
}

static val *
read_name(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t i)
{
	const struct sa_py_program *p = e->p;

	if (n->b == NOTHING)
		return builtin(e, n->a);
	struct sa_py_cell *c = &e->cell[n->b];
	uint32_t home = p->var[n->b].scope;
	unsigned kind = p->scope[home].kind;
	if (home != n->scope || kind == SA_PY_S_COMPREHENSION ||
	    kind == SA_PY_S_LAMBDA)
		return anywhen(e, n->b, i);
	val *v = c->cur;
	if (v == NULL && kind == SA_PY_S_FUNCTION)
		v = &sa_py_any;
	if (v == NULL) {
		v = builtin(e, n->a);
		if (kind == SA_PY_S_CLASS)
			v = &sa_py_any;
	}
	/* What an earlier round of the loop left, unless this one set it. */
	uint32_t end = top(e)->loop_end;
	if (end != 0 && (c->cur == NULL || c->depth < top(e)->loop_from) &&
	    bound_before(e, n->b, i, end))
		v = both(e, v, arrives(e, &e->all[n->b]));
	if (c->foreign)
		v = both(e, v, arrives(e, &e->all[n->b]));
	return v;
}

static void assign(struct sa_py_eval *e, uint32_t target, val *v,
    uint32_t scope);

/* Whether v is one list of exactly n elements that nothing is added to. */
static const struct sa_py_seq *
exact(struct sa_py_eval *e, val *v, uint32_t n)
{
	if (v->any || v->n != 1 || v->atom[0].kind != SA_PY_A_LIST)
		return NULL;
	const struct sa_py_seq *s = v->atom[0].p;
	val *added = sa_py_added(e, s->site);
	return s->n == n && s->rest == NULL && added->n == 0 && !added->any
	    ? s
	    : NULL;
}

/* The list whose elements are known, every one, in order; or NULL. */
static const struct sa_py_seq *
known_list(struct sa_py_eval *e, val *v)
{
	if (v->n != 1 || v->atom[0].kind != SA_PY_A_LIST)
		return NULL;
	return exact(e, v, ((const struct sa_py_seq *)v->atom[0].p)->n);
}

/* The dict whose keys are known texts, every one; or NULL. */
static const struct sa_py_seq *
known_dict(struct sa_py_eval *e, val *v)
{
	if (v->any || v->n != 1 || v->atom[0].kind != SA_PY_A_DICT)
		return NULL;
	const struct sa_py_seq *d = v->atom[0].p;
	val *added = sa_py_added(e, d->site);
	if (d->rest != NULL || added->n > 0 || added->any ||
	    sa_py_spend(&e->arena, d->n))
		return NULL;
	for (uint32_t i = 0; i + 1 < d->n; i += 2)
		if (d->item[i]->any || d->item[i]->n != 1 ||
		    d->item[i]->atom[0].kind != SA_PY_A_STR ||
		    sa_py_has_hole(d->item[i]->atom[0].p))
			return NULL;
	return d;
}

/* What the k-th of n targets may get of v. Several lists of that length, such
 * as the pairs of a table, keep their columns apart. */
static val *
column(struct sa_py_eval *e, val *v, uint32_t k, uint32_t n)
{
	val *r = v->any ? &sa_py_any : &sa_py_never;

	for (uint32_t i = 0; i < v->n; i++) {
		val *x = one(e, (enum sa_py_atom_kind)v->atom[i].kind,
		    v->atom[i].id, v->atom[i].p);
		const struct sa_py_seq *s = exact(e, x, n);
		r = both(e, r, s != NULL ? s->item[k] : sa_py_elements(e, x));
	}
	return r;
}

/* (a, *b) = v */
static void
unpack(struct sa_py_eval *e, const struct sa_py_node *t, val *v, uint32_t scope)
{
	const uint32_t *part = &e->p->pool[t->first];
	val *each = NULL;

	for (uint32_t i = 0; i < t->count; i++)
		if (e->p->node[part[i]].kind == SA_PY_N_STAR)
			each = sa_py_elements(e, v);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct sa_py_node *x = &e->p->node[part[i]];
		if (x->kind == SA_PY_N_STAR)
			assign(e, x->a, sa_py_list_val(e, x->c, 0, NULL, each),
			    scope);
		else
			assign(e, part[i],
			    each != NULL ? each : column(e, v, i, t->count),
			    scope);
	}
}

/* The one text that v is, all of it; or NULL. */
static const struct sa_py_str *
sole_text(val *v)
{
	return v != NULL && !v->any && v->n == 1 &&
		v->atom[0].kind == SA_PY_A_STR && !sa_py_has_hole(v->atom[0].p)
	    ? v->atom[0].p
	    : NULL;
}

static uint32_t
symbol_of(struct sa_py_eval *e, const char *s, size_t len)
{
	uint32_t known = e->p->nsymbol;
	uint32_t symbol = sa_py_symbol(e->symbols, s, len, true);

	if (e->p->nsymbol > known)
		e->arena.made += len + 64;
	return symbol;
}

void
sa_py_store(struct sa_py_eval *e, uint32_t symbol, val *v)
{
	if (symbol < e->nsymbol)
		flow(e, &e->attr[symbol], v);
}

/* x.__dict__[name] = v */
static void
store_named(struct sa_py_eval *e, val *name, val *v)
{
	const struct sa_py_str *s = sole_text(name);

	if (s != NULL)
		sa_py_store(e, symbol_of(e, s->s, s->len), v);
}

static bool
path_ends(const struct sa_py_symbol *path, const char *end)
{
	size_t n = strlen(end);

	return path->len >= n && memcmp(path->s + path->len - n, end, n) == 0 &&
	    (path->len == n || path->s[path->len - n - 1] == '.');
}

bool
sa_py_is_names(const struct sa_py_eval *e, const struct sa_py_atom *a)
{
	if (a->kind == SA_PY_A_METHOD)
		return a->id == e->dict;
	return a->kind == SA_PY_A_REF &&
	    (path_ends(&e->p->symbol[a->id], "__dict__") ||
		path_ends(&e->p->symbol[a->id], "__builtins__") ||
		path_ends(&e->p->symbol[a->id], "sys.modules"));
}

/* What such an atom holds by a name that is known. */
static val *
of_text(struct sa_py_eval *e, const struct sa_py_atom *a,
    const struct sa_py_str *s)
{
	uint32_t symbol = symbol_of(e, s->s, s->len);

	if (a->kind == SA_PY_A_METHOD)
		return sa_py_attribute(e, a->p, symbol);
	const struct sa_py_symbol path = e->p->symbol[a->id];
	if (path_ends(&path, "sys.modules"))
		return one(e, SA_PY_A_REF, symbol, NULL);
	if (path_ends(&path, "__builtins__"))
		return sa_py_attribute(e, one(e, SA_PY_A_REF, a->id, NULL),
		    symbol);
	const size_t end = sizeof(".__dict__") - 1;
	if (path.len <= end)
		return &sa_py_any;
	uint32_t object = symbol_of(e, path.s, path.len - end);
	return sa_py_attribute(e, one(e, SA_PY_A_REF, object, NULL), symbol);
}

static bool
is_own_module(const struct sa_py_eval *e, const struct sa_py_atom *a)
{
	static const char name[] = "__name__";
	const struct sa_py_symbol *s = &e->p->symbol[a->id];

	return a->kind == SA_PY_A_REF && s->len == sizeof(name) - 1 &&
	    memcmp(s->s, name, s->len) == 0;
}

/* sys.modules[__name__]: the script's own module is known by that name. */
static val *
own_module(struct sa_py_eval *e, const struct sa_py_atom *a)
{
	return is_own_module(e, a)
	    ? both(e, &sa_py_any, one(e, SA_PY_A_REF, a->id, NULL))
	    : &sa_py_any;
}

val *
sa_py_of_name(struct sa_py_eval *e, const struct sa_py_atom *a, val *name)
{
	val *r = name == NULL || name->any ? &sa_py_any : &sa_py_never;

	if (name != NULL && name->n > SA_PY_MAX_ATTRIBUTES)
		return sa_py_any_of_names(e);
	for (uint32_t i = 0; name != NULL && i < name->n; i++) {
		const struct sa_py_str *s = name->atom[i].p;
		if (name->atom[i].kind == SA_PY_A_REF) /* __name__ */
			r = both(e, r, own_module(e, &name->atom[i]));
		else
			r = both(e, r,
			    name->atom[i].kind == SA_PY_A_STR &&
				    !sa_py_has_hole(s)
				? of_text(e, a, s)
				: &sa_py_any);
	}
	return r;
}

val *
sa_py_any_of_names(struct sa_py_eval *e)
{
	return both(e, &sa_py_any,
	    one(e, SA_PY_A_METHOD, e->by_name, &sa_py_any));
}

/* x[...] = v and x.a = v */
static void
store_inside(struct sa_py_eval *e, const struct sa_py_node *t, val *v)
{
	if (t->kind == SA_PY_N_ATTR) {
		sa_py_store(e, t->b, v);
		val *object = e->value[t->a];
		/* A class's function is called with its object first. */
		if (some(object, SA_PY_A_REF) ||
		    (some(v, SA_PY_A_FUNCTION) &&
			!has_type(object, SA_PY_T_SELF) &&
			!has_type(object, SA_PY_T_INSTANCE)))
			escape(e, v, 0);
		return;
	}
	/* others can stand among targets in what Python would refuse */
	if (t->kind != SA_PY_N_INDEX)
		return;
	val *object = e->value[t->a];
	bool slice = e->p->node[t->b].kind == SA_PY_N_SLICE;
	for (uint32_t i = 0; i < object->n; i++)
		if (object->atom[i].kind == SA_PY_A_LIST ||
		    object->atom[i].kind == SA_PY_A_DICT)
			sa_py_add(e, object->atom[i].p,
			    slice ? sa_py_elements(e, v) : v);
		else if (sa_py_is_names(e, &object->atom[i]))
			store_named(e, e->value[t->b], v);
}

static void
assign(struct sa_py_eval *e, uint32_t target, val *v, uint32_t scope)
{
	const struct sa_py_node *t = &e->p->node[target];

	switch (t->kind) {
	case SA_PY_N_NAME:
		set(e, t->b, scope, v);
		break;
	case SA_PY_N_LIST:
		unpack(e, t, v, scope);
		break;
	case SA_PY_N_STAR:
		assign(e, t->a, v, scope);
		break;
	default:
		store_inside(e, t, v);
	}
}

/* Whether node n begins with the value of the variable: q + x, f"{q}x". */
static bool
extends(const struct sa_py_program *p, uint32_t n, uint32_t var)
{
	const struct sa_py_node *x = &p->node[n];

	if (x->kind != SA_PY_N_BINARY && x->kind != SA_PY_N_JOIN)
		return false;
	while (x->kind == SA_PY_N_BINARY && x->op == '+')
		x = &p->node[x->a];
	if (x->kind == SA_PY_N_JOIN && x->count > 0) {
		x = &p->node[p->pool[x->first]];
		if (x->kind != SA_PY_N_FIELD || x->op != 0 || x->b != NOTHING ||
		    x->c != 1)
			return false;
		x = &p->node[x->a];
	}
	return x->kind == SA_PY_N_NAME && x->b == var;
}

/* A text that a loop appends to: what it was, with anything behind it. */
static val *
appended(struct sa_py_eval *e, uint32_t var, uint32_t src)
{
	val *v = e->cell[var].cur, *r = v;

	if (v == NULL)
		return &sa_py_any;
	val *hole = sa_py_str_val(e, sa_py_hole(&e->arena, src));
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->atom[i].kind != SA_PY_A_STR)
			return both(e, v, &sa_py_any);
		val *x = one(e, SA_PY_A_STR, 0, v->atom[i].p);
		const struct sa_py_str *s = v->atom[i].p;
		if (s->len == 0 ||
		    (unsigned char)s->s[s->len - 1] != SA_SQL_HOLE)
			r = both(e, r, sa_py_join2(&e->arena, x, hole, src));
	}
	return r;
}

/* Whether an append to var is one round of a loop's many. */
static bool
repeats(struct sa_py_eval *e, uint32_t var, uint32_t scope)
{
	return top(e)->loop_from != 0 && e->p->var[var].scope == scope &&
	    e->cell[var].depth < top(e)->loop_from;
}

static bool
same_atom(const struct sa_py_atom *x, const struct sa_py_atom *y)
{
	const struct sa_py_seq *s = x->p, *t = y->p;

	if (x->kind != y->kind || x->id != y->id)
		return false;
	if (s == t)
		return true;
	return (x->kind == SA_PY_A_LIST || x->kind == SA_PY_A_DICT) &&
	    s->site == t->site && s->n == t->n && s->rest == t->rest &&
	    memcmp(s->item, t->item, s->n * sizeof(s->item[0])) == 0;
}

static bool
same_atoms(val *v, val *old)
{
	uint32_t k = 0;

	if (v->n != old->n || v->any != old->any)
		return false;
	while (k < v->n && same_atom(&v->atom[k], &old->atom[k]))
		k++;
	return k == v->n;
}

/* Gives node i a value. One that says the same as the one before it is left
 * where it was: what is made of it is the same then, too. */
static inline void
keep(struct sa_py_eval *e, uint32_t i, val *v)
{
	val *old = e->value[i];

	if (v == old || (old != NULL && same_atoms(v, old)))
		return;
	e->value[i] = v;
	e->since[i] = (uint8_t)(e->pass | (e->since[i] & LOSSY));
}

static void
do_assign(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const struct sa_py_node *t = &e->p->node[n->a];

	if (e->p->scope[n->scope].kind == SA_PY_S_CLASS &&
	    t->kind == SA_PY_N_NAME && some(e->value[n->b], SA_PY_A_FUNCTION)) {
		escape(e, e->value[n->b], 0);
		sa_py_store(e, t->a, both(e, &sa_py_any, e->value[n->b]));
	}
	if (t->kind == SA_PY_N_NAME && repeats(e, t->b, n->scope) &&
	    extends(e->p, n->b, t->b))
		set(e, t->b, n->scope, appended(e, t->b, n->offset));
	else
		assign(e, n->a, e->value[n->b], n->scope);
}

bool
sa_py_grows(const struct sa_py_eval *e, const struct sa_py_seq *s)
{
	return s->site != SA_PY_NO_SITE && e->grows[s->site] &&
	    s->rest == NULL && !e->had_escaped[s->site] && !e->had_lost;
}

/* s with n more at its end; NULL where that is not known. */
static val *
longer(struct sa_py_eval *e, const struct sa_py_seq *s, val *const *more,
    uint32_t n)
{
	val *item[MAX_GROWN];

	if (!sa_py_grows(e, s) || s->n + n > MAX_GROWN)
		return NULL;
	if (e->pass > 1) {
		val *added = sa_py_added(e, s->site);
		if (added->n > 0 || added->any)
			return NULL;
	}
	memcpy(item, s->item, s->n * sizeof(item[0]));
	memcpy(item + s->n, more, n * sizeof(item[0]));
	return sa_py_list_val(e, s->site, s->n + n, item, NULL);
}

/* name.append(more), or with each name.extend(more), where no other name has
 * the list and this happens to it once: then its elements stay known. False
 * where they do not, and all that is added has to be kept apart. */
static bool
grow(struct sa_py_eval *e, uint32_t name, val *x, val *more, bool each)
{
	const struct sa_py_node *t = &e->p->node[name];
	val *r = &sa_py_never;

	if (t->kind != SA_PY_N_NAME || t->b == NOTHING || !e->cell[t->b].own ||
	    repeats(e, t->b, t->scope) || !only(x, SA_PY_A_LIST))
		return false;
	/* Nothing is known yet, and what is not must not stay so. */
	if (e->pass == 1) {
		note(e, SA_PY_DID_WAIT, name, NULL);
		return true;
	}
	const struct sa_py_seq *y = each ? known_list(e, more) : NULL;
	if (each && y == NULL)
		return false;
	for (uint32_t i = 0; i < x->n; i++) {
		val *v = longer(e, x->atom[i].p, each ? y->item : &more,
		    each ? y->n : 1);
		if (v == NULL)
			return false;
		r = both(e, r, v);
	}
	if (r->any)
		return false;
	set(e, t->b, t->scope, r);
	return true;
}

/* Two lists one after the other. */
static val *
chain(struct sa_py_eval *e, val *x, val *y, uint32_t site)
{
	const struct sa_py_seq *s = x->atom[0].p, *t = y->atom[0].p;

	if (only(x, SA_PY_A_LIST) && only(y, SA_PY_A_LIST) && x->n == 1 &&
	    y->n == 1 && s->n + t->n <= 256 && exact(e, x, s->n) != NULL &&
	    exact(e, y, t->n) != NULL) {
		val *item[256];
		memcpy(item, s->item, s->n * sizeof(item[0]));
		memcpy(item + s->n, t->item, t->n * sizeof(item[0]));
		return sa_py_list_val(e, site, s->n + t->n, item, NULL);
	}
	return sa_py_list_val(e, site, 0, NULL,
	    both(e, sa_py_elements(e, x), sa_py_elements(e, y)));
}

static val *
operate(struct sa_py_eval *e, unsigned op, val *x, val *y, uint32_t src,
    uint32_t site)
{
	bool text = some(x, SA_PY_A_STR) || some(y, SA_PY_A_STR);

	if (op == '+' && text)
		return sa_py_join2(&e->arena, sa_py_texts(&e->arena, x, src),
		    sa_py_texts(&e->arena, y, src), src);
	if (op == '+' && only(x, SA_PY_A_LIST) && only(y, SA_PY_A_LIST))
		return chain(e, x, y, site);
	if (op == '%' && some(x, SA_PY_A_STR))
		return sa_py_fold_percent(e, x, y, src);
	if (op == '*' && text)
		return sa_py_fold_repeat(e, x, y, src);
	if (op == '*' && (some(x, SA_PY_A_LIST) || some(y, SA_PY_A_LIST)))
		return both(e, &sa_py_any,
		    sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL,
			both(e, sa_py_elements(e, x), sa_py_elements(e, y))));
	if (op == '|')
		return both(e, x, y);
	if (op == '/' && has_type(x, SA_PY_T_PATH))
		return one(e, SA_PY_A_OBJECT, SA_PY_T_PATH, NULL);
	return &sa_py_any;
}

/* The dicts and sets of x get what y holds. */
static void
merge(struct sa_py_eval *e, val *x, val *y)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->atom[i].kind == SA_PY_A_DICT)
			sa_py_add(e, x->atom[i].p, sa_py_spread(e, y));
		else if (x->atom[i].kind == SA_PY_A_LIST)
			sa_py_add(e, x->atom[i].p, sa_py_elements(e, y));
}

static void
do_augment(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const struct sa_py_node *t = &e->p->node[n->a];
	val *x = e->value[n->a], *y = e->value[n->b];

	if (n->op == '+' && grow(e, n->a, x, y, true))
		return;
	for (uint32_t i = 0; n->op == '+' && i < x->n; i++)
		if (x->atom[i].kind == SA_PY_A_LIST)
			sa_py_add(e, x->atom[i].p, sa_py_elements(e, y));
	if (n->op == 0 && (some(x, SA_PY_A_DICT) || some(x, SA_PY_A_LIST))) {
		merge(e, x, y); /* a |= b */
		assign(e, n->a, both(e, &sa_py_any, x), n->scope);
		return;
	}
	if (t->kind == SA_PY_N_NAME && n->op == '+' &&
	    repeats(e, t->b, n->scope))
		set(e, t->b, n->scope, appended(e, t->b, n->offset));
	else if (n->op == '+' && some(x, SA_PY_A_LIST))
		assign(e, n->a, x, n->scope);
	else
		assign(e, n->a,
		    operate(e, n->op, x, y, n->offset, SA_PY_NO_SITE),
		    n->scope);
}

/* The source that {x=} repeats. */
static const struct sa_py_str *
repeated(struct sa_py_eval *e, const struct sa_py_node *n)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_py_runs runs = { 0 };
	const struct sa_py_str *s;

	if (sa_py_repeat(e->p->text, n->first, n->count, &b, &runs))
		s = sa_py_str_copy(&e->arena, sa_buf_str(&b), b.len, runs.r,
		    runs.n);
	else
		s = sa_py_hole(&e->arena, n->first);
	free(runs.r);
	return s;
}

/* One field of a format string. */
static val *
field(struct sa_py_eval *e, const struct sa_py_node *n)
{
	val *v = e->value[n->a];
	bool plain = (n->op == 0 || n->op == 's') && n->b == NOTHING;

	if (n->c == 2) { /* {x=}: the source, then what repr() gives */
		val *x = sa_py_str_val(e, repeated(e, n));
		return sa_py_join2(&e->arena, x,
		    sa_py_str_val(e, sa_py_hole(&e->arena, n->offset)),
		    n->offset);
	}
	if (!plain)
		return sa_py_str_val(e, sa_py_hole(&e->arena, n->offset));
	return sa_py_texts(&e->arena, v, n->offset);
}

static val *
join(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const uint32_t *part = &e->p->pool[n->first];
	val *v = NULL;

	for (uint32_t i = 0; i < n->count; i++)
		v = v == NULL
		    ? e->value[part[i]]
		    : sa_py_join2(&e->arena, v, e->value[part[i]], n->offset);
	return v != NULL
	    ? v
	    : sa_py_str_val(e, sa_py_str_of(&e->arena, "", 0, n->offset));
}

static val *
literal(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const struct sa_py_program *p = e->p;
	const struct sa_py_token *t = &p->tokens.t[n->a];
	struct sa_py_literal l;
	const struct sa_py_str *s;

	sa_py_literal(p->text, t, &l);
	if (n->op != 0)
		l.raw = n->op == 3;
	if (sa_py_plain(p->text, &l)) {
		s = sa_py_str_of(&e->arena, p->text + l.start, l.end - l.start,
		    (uint32_t)l.start);
	} else {
		cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
		struct sa_py_runs runs = { 0 };
		sa_py_decode(p->text, &l, &b, &runs);
		s = sa_py_str_copy(&e->arena, sa_buf_str(&b), b.len, runs.r,
		    runs.n);
		free(runs.r);
	}
	if (l.bytes) {
		struct sa_py_str *copy = sa_py_alloc(&e->arena, sizeof(*copy));
		*copy = *s;
		copy->bytes = true;
		s = copy;
	}
	return sa_py_one(&e->arena, SA_PY_A_STR, 0, s);
}

static val *
number(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const struct sa_py_token *t = &e->p->tokens.t[n->a];
	const char *s = e->p->text + t->offset;

	for (uint32_t i = 0; i < t->len; i++)
		if (s[i] < '0' || s[i] > '9' ||
		    (i == 0 && t->len > 1 && s[i] == '0'))
			return sa_py_one(&e->arena, SA_PY_A_CONST, 0, NULL);
	return sa_py_one(&e->arena, SA_PY_A_NUM, 0,
	    sa_py_str_of(&e->arena, s, t->len, t->offset));
}

static val *
negative(struct sa_py_eval *e, val *v, uint32_t src)
{
	if (!only(v, SA_PY_A_NUM) || v->n != 1)
		return &sa_py_any;
	return one(e, SA_PY_A_NUM, 0,
	    sa_py_concat(&e->arena, sa_py_str_of(&e->arena, "-", 1, src),
		v->atom[0].p));
}

/* Whether v is one list or dict of just these items, as a pass before made
 * it. */
static bool
displays(struct sa_py_eval *e, const struct sa_py_node *n, val *v)
{
	const uint32_t *part = &e->p->pool[n->first];

	if (v->any || v->n != 1 ||
	    (v->atom[0].kind != SA_PY_A_LIST &&
		v->atom[0].kind != SA_PY_A_DICT))
		return false;
	const struct sa_py_seq *s = v->atom[0].p;
	if (s->n != n->count || s->rest != NULL)
		return false;
	for (uint32_t i = 0; i < n->count; i++)
		if (part[i] == NOTHING || s->item[i] != e->value[part[i]])
			return false;
	return true;
}

/* What v holds and can be called, down to that depth. */
static val *
callables_in(struct sa_py_eval *e, val *v, unsigned depth)
{
	val *r = &sa_py_never;

	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		const struct sa_py_seq *s = a->p;
		if ((a->kind != SA_PY_A_LIST && a->kind != SA_PY_A_DICT) ||
		    sa_py_spend(&e->arena, s->n + 1))
			continue;
		val *x = both(e, sa_py_items(e, &sa_py_never, s, 0, 1),
		    both(e, s->rest, sa_py_added(e, s->site)));
		r = both(e, r, callables(e, x));
		if (depth > 0)
			r = both(e, r, callables_in(e, x, depth - 1));
	}
	return r;
}

val *
sa_py_spread(struct sa_py_eval *e, val *v)
{
	if (sa_py_has_names(e, v))
		return sa_py_any_of_names(e);
	return both(e, &sa_py_any, callables_in(e, v, 1));
}

#define MAX_SPREAD 64 /* items of a dict that another one takes */

/* The items that {**a, **b} takes from dicts that are known. */
static size_t
spread_items(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const uint32_t *part = &e->p->pool[n->first];
	size_t count = 0;

	for (uint32_t i = 0; n->kind == SA_PY_N_DICT && i + 1 < n->count;
	     i += 2) {
		const struct sa_py_seq *d = part[i] == NOTHING
		    ? known_dict(e, e->value[part[i + 1]])
		    : NULL;
		count += d != NULL && d->n <= MAX_SPREAD ? d->n : 0;
	}
	return count;
}

/* The same of one of them. */
static void
spread(struct sa_py_eval *e, struct sa_py_seq *s, val *v)
{
	const struct sa_py_seq *d = known_dict(e, v);

	if (d == NULL || d->n > MAX_SPREAD) {
		s->rest = both(e, s->rest, sa_py_spread(e, v));
		return;
	}
	memcpy(s->item + s->n, d->item, d->n * sizeof(s->item[0]));
	s->n += d->n;
}

static val *
display(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t self)
{
	const uint32_t *part = &e->p->pool[n->first];

	if (e->pass > 1 && displays(e, n, e->value[self]))
		return e->value[self];
	struct sa_py_seq *s = sa_py_alloc(&e->arena,
	    sizeof(*s) + (n->count + spread_items(e, n)) * sizeof(val *));

	*s = (struct sa_py_seq){ .site = n->op == '(' ? SA_PY_NO_SITE : n->c };
	s->memo = &s->own;
	for (uint32_t i = 0; i < n->count; i++) {
		if (n->kind == SA_PY_N_DICT && part[i] == NOTHING) {
			spread(e, s, e->value[part[++i]]);
		} else if (e->p->node[part[i]].kind == SA_PY_N_STAR) {
			s->rest = both(e, s->rest,
			    sa_py_elements(e, e->value[part[i]]));
		} else {
			s->item[s->n++] = e->value[part[i]];
		}
	}
	return one(e, n->kind == SA_PY_N_DICT ? SA_PY_A_DICT : SA_PY_A_LIST, 0,
	    s);
}

static val *
comprehension(struct sa_py_eval *e, const struct sa_py_node *n)
{
	if (n->b == NOTHING)
		return sa_py_list_val(e, n->op == '(' ? SA_PY_NO_SITE : n->c, 0,
		    NULL, e->value[n->a]);
	val *rest = both(e, e->value[n->a], e->value[n->b]);
	val *list = sa_py_list_val(e, n->c, 0, NULL, rest);
	return one(e, SA_PY_A_DICT, 0, list->atom[0].p);
}

/* Whether the path has the part twice already. A name that is bound to its own
 * attribute, node = node.next, is no longer path each time. */
static bool
goes_round(const struct sa_py_symbol *path, const struct sa_py_symbol *part)
{
	uint32_t begin = 0;
	unsigned count = 0;

	for (uint32_t i = 0; i <= path->len; i++) {
		if (i < path->len && path->s[i] != '.')
			continue;
		count += i - begin == part->len &&
		    memcmp(path->s + begin, part->s, part->len) == 0;
		begin = i + 1;
	}
	return count > 1;
}

/* The dotted path with one more part; NOTHING where it gets too long. */
static uint32_t
longer_path(struct sa_py_eval *e, uint32_t path, uint32_t symbol)
{
	const struct sa_py_symbol *a = &e->p->symbol[path];
	const struct sa_py_symbol *b = &e->p->symbol[symbol];
	char buf[MAX_PATH];
	size_t len = (size_t)a->len + b->len + 1;

	if (len > sizeof(buf) || goes_round(a, b))
		return NOTHING;
	memcpy(buf, a->s, a->len);
	buf[a->len] = '.';
	memcpy(buf + a->len + 1, b->s, b->len);
	return symbol_of(e, buf, len);
}

/* An attribute that is the thing again: f.__call__, and the value of an
 * enumeration's member. NULL where it is none. */
static val *
itself(val *v, const struct sa_py_symbol *name)
{
	if ((name->len == 8 && memcmp(name->s, "__call__", 8) == 0) ||
	    (name->len == 11 && memcmp(name->s, "__wrapped__", 11) == 0))
		return v;
	if (name->len == 9 && memcmp(name->s, "__class__", 9) == 0 &&
	    only(v, SA_PY_A_OBJECT))
		return v;
	if (name->len == 5 && memcmp(name->s, "value", 5) == 0 &&
	    only(v, SA_PY_A_STR))
		return v;
	return NULL;
}

/* The function that partial() was given, and what an enumeration's member
 * holds besides texts. */
static val *
held_by(struct sa_py_eval *e, val *v, const struct sa_py_symbol *name)
{
	bool func = name->len == 4 && memcmp(name->s, "func", 4) == 0;
	bool value = name->len == 5 && memcmp(name->s, "value", 5) == 0;
	val *r = NULL;

	for (uint32_t i = 0; (func || value) && i < v->n; i++) {
		const struct sa_py_atom *a = &v->atom[i];
		if (func && a->kind == SA_PY_A_METHOD && a->id == e->curried)
			for (uint32_t k = 0; k < ((val *)a->p)->n; k++)
				r = both(e, r,
				    ((const struct sa_py_seq *)((val *)a->p)
					    ->atom[k]
					    .p)
					->item[0]);
		if (value &&
		    (a->kind == SA_PY_A_LIST || a->kind == SA_PY_A_DICT))
			r = both(e, r,
			    one(e, (enum sa_py_atom_kind)a->kind, a->id, a->p));
	}
	return r;
}

/* What the properties of that name give. */
static val *
properties(struct sa_py_eval *e, uint32_t symbol)
{
	val *r = &sa_py_never;
	uint32_t count = 0;

	for (uint32_t m = e->name[symbol].method;
	     m != NOTHING && count++ < MAX_METHODS;
	     m = e->function[m].next_method)
		if (e->function[m].is_property)
			r = both(e, r, arrives(e, &e->result[m]));
	return count > MAX_METHODS ? &sa_py_any : r;
}

/* Whether the name is a property's in each class of the file that has it. */
static bool
is_property(const struct sa_py_eval *e, uint32_t symbol)
{
	uint32_t count = 0;

	for (uint32_t m = e->name[symbol].method; m != NOTHING;
	     m = e->function[m].next_method)
		if (!e->function[m].is_property || count++ == MAX_METHODS)
			return false;
	return true;
}

/* The type that an attribute of that name has, or with call its call gives. */
static enum sa_py_type
type_of(struct sa_py_eval *e, uint32_t symbol, bool call)
{
	const struct sa_py_symbol *s = &e->p->symbol[symbol];

	if (symbol >= e->nsymbol)
		return sa_sink_type_of(s->s, s->len, call, "", 0);
	struct sa_py_name *n = &e->name[symbol];
	if (n->attr_type == TYPE_UNKNOWN) {
		n->attr_type = n->call_type = SA_PY_T_NONE;
		if (sa_sink_named(s->s, s->len)) {
			n->attr_type = (uint8_t)sa_sink_type_of(s->s, s->len,
			    false, "", 0);
			n->call_type =
			    (uint8_t)sa_sink_type_of(s->s, s->len, true, "", 0);
		}
	}
	return (enum sa_py_type)(call ? n->call_type : n->attr_type);
}

/* v, with what is not known for its methods: what a method is of is asked for
 * its types and lists only. */
static val *
no_methods(struct sa_py_eval *e, val *v)
{
	if (!some(v, SA_PY_A_METHOD))
		return v;
	struct sa_py_val *r =
	    sa_py_alloc(&e->arena, sizeof(*r) + v->n * sizeof(v->atom[0]));
	*r = (struct sa_py_val){ .any = true };
	for (uint32_t i = 0; i < v->n; i++)
		if (v->atom[i].kind != SA_PY_A_METHOD)
			r->atom[r->n++] = v->atom[i];
	return r->n > 0 ? r : &sa_py_any;
}

val *
sa_py_attribute(struct sa_py_eval *e, val *v, uint32_t symbol)
{
	/* Symbols move where a path makes a new one. */
	const struct sa_py_symbol s = e->p->symbol[symbol];
	bool stored = symbol < e->nsymbol && e->name[symbol].has_attr;
	bool ours = has_type(v, SA_PY_T_SELF) || has_type(v, SA_PY_T_INSTANCE);
	enum sa_py_type type = type_of(e, symbol, false);
	val *r = &sa_py_never;

	if (symbol == e->dict || symbol == e->modules)
		e->any_names = true;
	else if (sa_py_has_names(e, v)) /* a method of them, to be called */
		r = sa_py_any_of_names(e);
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t path = NOTHING;
		ours = ours || v->atom[i].kind == SA_PY_A_CLASS;
		uint32_t var = NOTHING;
		if (v->atom[i].kind == SA_PY_A_REF &&
		    is_own_module(e, &v->atom[i]))
			var = sa_py_var(e->p, 0, symbol);
		if (var != NOTHING)
			r = both(e, r, arrives(e, &e->all[var]));
		if (v->atom[i].kind == SA_PY_A_REF)
			path = longer_path(e, v->atom[i].id, symbol);
		if (path != NOTHING)
			r = both(e, r, one(e, SA_PY_A_REF, path, NULL));
	}
	if (type != SA_PY_T_NONE)
		r = both(e, r, one(e, SA_PY_A_OBJECT, type, NULL));
	if (stored)
		r = both(e, r, arrives(e, &e->attr[symbol]));
	bool method = symbol < e->nsymbol && e->name[symbol].method != NOTHING;
	if (symbol == e->parent && has_type(v, SA_PY_T_PATH))
		r = both(e, r, one(e, SA_PY_A_OBJECT, SA_PY_T_PATH, NULL));
	val *same = itself(v, &s);
	if (same != NULL && !stored && !method)
		return same;
	r = both(e, r, both(e, same, held_by(e, v, &s)));
	if (method)
		r = both(e, r, properties(e, symbol));
	bool known = method ? is_property(e, symbol) : stored;
	if (!(known && ours && !v->any))
		if (r->n == 0 || v->any || v->n != 1 ||
		    v->atom[0].kind != SA_PY_A_REF)
			r = both(e, r,
			    one(e, SA_PY_A_METHOD, symbol, no_methods(e, v)));
	return r;
}

/* One argument for parameter k of a function (SA_PY_NOTHING: any of them). */
static void
give(struct sa_py_eval *e, uint32_t scope, uint32_t k, val *v)
{
	const struct sa_py_scope *s = &e->p->scope[scope];
	const struct sa_py_param *p = &e->p->param[s->first];

	if (k == NOTHING) {
		flow(e, &e->every[scope], v);
		return;
	}
	if (k < s->nparam)
		flow(e, &e->param[s->first + k], v);
	/* Positions behind "*args" go there, wherever it stands. */
	uint32_t rest = e->function[scope].rest;
	if (rest != NOTHING && k >= rest && p[rest].kind == '*')
		flow(e, &e->param[s->first + rest], v);
}

/* The parameter of that name, else "**named"; a position behind all of them
 * for none. */
static uint32_t
parameter_named(struct sa_py_eval *e, uint32_t scope, uint32_t symbol)
{
	uint32_t var = sa_py_var(e->p, scope, symbol);

	if (var == NOTHING || e->p->var[var].scope != scope ||
	    e->cell[var].param == NOTHING)
		return e->function[scope].named;
	return e->cell[var].param;
}

/* What may stand at position k or at any behind it. */
static void
give_from(struct sa_py_eval *e, uint32_t scope, uint32_t k, val *v)
{
	const struct sa_py_scope *s = &e->p->scope[scope];

	if (s->nparam > k + 64) {
		give(e, scope, NOTHING, v);
		return;
	}
	for (uint32_t i = k; i < s->nparam || i == k; i++)
		give(e, scope, i, v);
}

/* **v */
static void
give_named(struct sa_py_eval *e, uint32_t scope, val *v)
{
	const struct sa_py_seq *d = known_dict(e, v);

	if (d == NULL) {
		give(e, scope, NOTHING, &sa_py_any);
		return;
	}
	for (uint32_t i = 0; i + 1 < d->n; i += 2) {
		const struct sa_py_str *key = d->item[i]->atom[0].p;
		uint32_t symbol =
		    sa_py_symbol(e->symbols, key->s, key->len, true);
		give(e, scope, parameter_named(e, scope, symbol),
		    d->item[i + 1]);
	}
}

/* *v at position *k: true where how many it gives is not known. */
static bool
give_starred(struct sa_py_eval *e, uint32_t scope, uint32_t *k, val *v)
{
	const struct sa_py_seq *s = known_list(e, v);

	if (s == NULL) {
		give_from(e, scope, *k, sa_py_elements(e, v));
		return true;
	}
	for (uint32_t i = 0; i < s->n; i++)
		give(e, scope, (*k)++, s->item[i]);
	return false;
}

/* A call of a function of the file: its parameters get the arguments from
 * position skip on. */
static val *
call_function(struct sa_py_eval *e, uint32_t scope, const struct sa_py_node *n,
    uint32_t skip)
{
	const uint32_t *arg = &e->p->pool[n->first];
	uint32_t k = skip;
	bool spread = false; /* k is the first of the positions it may be */

	called(e, scope);
	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		val *v = e->value[arg[i]];
		if (arg[i + 1] == SA_PY_DOUBLE_STAR)
			give_named(e, scope, v);
		else if (arg[i + 1] != NOTHING)
			give(e, scope, parameter_named(e, scope, arg[i + 1]),
			    v);
		else if (spread)
			give_from(e, scope, k,
			    e->p->node[arg[i]].kind == SA_PY_N_STAR
				? sa_py_elements(e, v)
				: v);
		else if (e->p->node[arg[i]].kind == SA_PY_N_STAR)
			spread = give_starred(e, scope, &k, v);
		else
			give(e, scope, k++, v);
	}
	return arrives(e, &e->result[scope]);
}

val *
sa_py_apply(struct sa_py_eval *e, val *f, uint32_t n, val *const *arg)
{
	val *r = f->any ? &sa_py_any : &sa_py_never;

	for (uint32_t i = 0; i < f->n; i++) {
		const struct sa_py_atom *a = &f->atom[i];
		if (a->kind != SA_PY_A_FUNCTION) {
			escape(e, f, 1);
			r = both(e, r, &sa_py_any);
			continue;
		}
		called(e, a->id);
		for (uint32_t k = 0; k < n; k++)
			give(e, a->id, k, arg[k]);
		r = both(e, r, arrives(e, &e->result[a->id]));
	}
	return r;
}

/* Whether so many methods have that name that calls are not handed to each:
 * then anybody may call them. */
static bool
too_many(const struct sa_py_eval *e, uint32_t symbol)
{
	uint32_t m = symbol < e->nsymbol ? e->name[symbol].method : NOTHING;

	return m != NOTHING && e->function[m].namesakes >= MAX_METHODS;
}

/* Methods of the file's classes that have that name. One that is called
 * through its class gets its object as the first argument. */
static val *
call_methods(struct sa_py_eval *e, uint32_t symbol, const struct sa_py_node *n,
    val *object, uint32_t *found)
{
	bool class = object != NULL && some(object, SA_PY_A_CLASS);
	bool instance = object == NULL || !only(object, SA_PY_A_CLASS);
	val *r = &sa_py_never;

	*found = 0;
	if (symbol >= e->nsymbol)
		return r;
	if (too_many(e, symbol))
		return &sa_py_any;
	for (uint32_t m = e->name[symbol].method; m != NOTHING;
	     m = e->function[m].next_method) {
		const struct sa_py_function *f = &e->function[m];
		(*found)++;
		if (f->is_static || (class && !f->is_class))
			r = both(e, r, call_function(e, m, n, 0));
		if (!f->is_static && (instance || f->is_class))
			r = both(e, r, call_function(e, m, n, 1));
	}
	return r;
}

/* What is in v goes to somebody unknown, v itself does not. */
static void
escape_inside(struct sa_py_eval *e, val *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		const struct sa_py_seq *s = v->atom[i].p;
		if (v->atom[i].kind != SA_PY_A_LIST &&
		    v->atom[i].kind != SA_PY_A_DICT)
			continue;
		for (uint32_t k = 0; k < s->n && k < 64; k++)
			escape(e, s->item[k], 1);
		if (s->rest != NULL)
			escape(e, s->rest, 1);
	}
}

static void
escape_arguments(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const uint32_t *arg = &e->p->pool[n->first];

	for (uint32_t i = 0; i + 1 < n->count; i += 2)
		if (arg[i + 1] == SA_PY_DOUBLE_STAR ||
		    e->p->node[arg[i]].kind == SA_PY_N_STAR)
			escape_inside(e, e->value[arg[i]]);
		else
			escape(e, e->value[arg[i]], 2);
}

/* What somebody makes of a call's arguments, where one of them is x.__dict__
 * or the like. */
static val *
made_of_names(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const uint32_t *arg = &e->p->pool[n->first];

	for (uint32_t i = 0; e->any_names && i + 1 < n->count; i += 2)
		if (sa_py_has_names(e, e->value[arg[i]]))
			return sa_py_any_of_names(e);
	return NULL;
}

/* The type that a call of a dotted path gives. */
static enum sa_py_type
path_type(const struct sa_py_symbol *s)
{
	uint32_t dot = s->len;

	while (dot > 0 && s->s[dot - 1] != '.')
		dot--;
	return dot == 0
	    ? SA_PY_T_NONE
	    : sa_sink_type_of(s->s + dot, s->len - dot, true, s->s, dot - 1);
}

/* What functools.partial() gave is called. */
static val *
call_partial(struct sa_py_eval *e, const struct sa_py_atom *a,
    const struct sa_py_node *n)
{
	val *object = a->p, *r = &sa_py_any;

	escape_arguments(e, n);
	for (uint32_t i = 0; i < object->n; i++) {
		const struct sa_py_seq *s = object->atom[i].p;
		val *f = s->item[0];
		for (uint32_t k = 0; k < f->n; k++) {
			enum sa_py_type type = f->atom[k].kind == SA_PY_A_METHOD
			    ? type_of(e, f->atom[k].id, true)
			    : path_type(&e->p->symbol[f->atom[k].id]);
			if (type != SA_PY_T_NONE)
				r = both(e, r,
				    one(e, SA_PY_A_OBJECT, type, NULL));
		}
	}
	return r;
}

static val *
call_method(struct sa_py_eval *e, const struct sa_py_atom *a,
    const struct sa_py_node *n)
{
	const struct sa_py_symbol *s = &e->p->symbol[a->id];
	val *object = a->p, *r = &sa_py_never;
	char name[48];
	uint32_t found;
	bool known = false;

	if (a->id == e->curried)
		return call_partial(e, a, n);
	name[0] = '\0';
	if (object->n > 0 && s->len < sizeof(name)) {
		memcpy(name, s->s, s->len);
		name[s->len] = '\0';
	}
	for (uint32_t i = 0; i < object->n; i++) {
		val *x = sa_py_fold_method(e, n, &object->atom[i], name);
		known = known || x != NULL;
		r = both(e, r, x != NULL ? x : &sa_py_never);
		if (x == NULL && object->atom[i].kind == SA_PY_A_OBJECT &&
		    object->atom[i].id < SA_PY_T_PATH)
			r = both(e, r,
			    one(e, SA_PY_A_OBJECT, object->atom[i].id, NULL));
	}
	r = both(e, r, call_methods(e, a->id, n, object, &found));
	bool ours = has_type(object, SA_PY_T_SELF) ||
	    has_type(object, SA_PY_T_INSTANCE);
	enum sa_py_type type = type_of(e, a->id, true);
	if (type != SA_PY_T_NONE)
		r = both(e, r, one(e, SA_PY_A_OBJECT, type, NULL));
	if (object->any || (!known && !(ours && found > 0)))
		r = both(e, both(e, r, &sa_py_any), made_of_names(e, n));
	if ((!known || object->any) && found == 0)
		escape_arguments(e, n);
	return r;
}

static val *
call_path(struct sa_py_eval *e, uint32_t symbol, const struct sa_py_node *n)
{
	const struct sa_py_symbol s = e->p->symbol[symbol];
	char path[MAX_PATH + 1];
	uint32_t dot = s.len, found;

	if (s.len > MAX_PATH)
		return &sa_py_any;
	memcpy(path, s.s, s.len);
	path[s.len] = '\0';
	val *r = sa_py_fold_builtin(e, n, path);
	if (r != NULL)
		return r;
	escape_arguments(e, n);
	while (dot > 0 && path[dot - 1] != '.')
		dot--;
	enum sa_py_type type = path_type(&s);
	if (type != SA_PY_T_NONE)
		return one(e, SA_PY_A_OBJECT, type, NULL);
	uint32_t name = sa_py_symbol(e->symbols, path + dot, s.len - dot, true);
	if (dot > 0 && name < e->nsymbol)
		call_methods(e, name, n, NULL, &found);
	return both(e, &sa_py_any, made_of_names(e, n));
}

/* Calls each __init__ that the class itself has; false for none. */
static bool
call_init(struct sa_py_eval *e, uint32_t class, const struct sa_py_node *n)
{
	const struct sa_py_program *p = e->p;
	uint32_t var = sa_py_var(p, class, e->init);
	bool found = false;

	if (var == NOTHING)
		return false;
	for (uint32_t s = p->var[var].first_store; s != NOTHING;
	     s = p->store[s].next) {
		const struct sa_py_node *d = &p->node[p->store[s].node];
		if (d->kind == SA_PY_N_DEF)
			call_function(e, d->c, n, 1);
		found = true;
	}
	return found;
}

/* The fields of a class, from the first on, get what may be any of them. */
static void
spread_fields(struct sa_py_eval *e, uint32_t class)
{
	const struct sa_py_program *p = e->p;

	for (uint32_t f = p->scope[class].first_field; f != NOTHING;
	     f = p->field[f].next) {
		if (sa_py_spend(&e->arena, 1))
			return;
		sa_py_store(e, p->field[f].symbol, &sa_py_any);
	}
}

/* A class without __init__ that is called: a dataclass, a named tuple. */
static void
call_fields(struct sa_py_eval *e, uint32_t class, const struct sa_py_node *n)
{
	const struct sa_py_program *p = e->p;
	const uint32_t *arg = &p->pool[n->first];
	uint32_t f = p->scope[class].first_field;
	bool spread = false;

	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		val *v = e->value[arg[i]];
		if (arg[i + 1] < SA_PY_DOUBLE_STAR) {
			sa_py_store(e, arg[i + 1], v);
			continue;
		}
		spread = spread || arg[i + 1] == SA_PY_DOUBLE_STAR ||
		    p->scope[class].odd || p->node[arg[i]].kind == SA_PY_N_STAR;
		if (f == NOTHING || spread)
			continue;
		sa_py_store(e, p->field[f].symbol, v);
		f = p->field[f].next;
	}
	if (spread)
		spread_fields(e, class);
}

/* What a class of the file does with the arguments of a call: its own
 * __init__ gets them, else that of a class that it is made from, else they are
 * its fields. True where there was an __init__. */
static bool
construct(struct sa_py_eval *e, uint32_t class, const struct sa_py_node *n,
    unsigned depth)
{
	const struct sa_py_program *p = e->p;
	const struct sa_py_node *d = &p->node[e->function[class].node];
	bool derived = false;

	if (sa_py_spend(&e->arena, d->count + n->count))
		return true;
	bool found = call_init(e, class, n);
	for (uint32_t i = 0; !found && depth > 0 && i + 1 < d->count; i += 2) {
		val *base = e->value[p->pool[d->first + i]];
		for (uint32_t k = 0; k < base->n; k++) {
			if (base->atom[k].kind != SA_PY_A_CLASS)
				continue;
			derived = true;
			found = construct(e, base->atom[k].id, n, depth - 1) ||
			    found;
		}
	}
	if (!found && n->count > 0) {
		call_fields(e, class, n);
		if (derived) /* whose fields stand before its own */
			spread_fields(e, class);
	}
	return found;
}

static val *
call_class(struct sa_py_eval *e, uint32_t scope, const struct sa_py_node *n)
{
	construct(e, scope, n, MAX_BASES);
	return one(e, SA_PY_A_OBJECT, SA_PY_T_INSTANCE, NULL);
}

/* The class that the node is in, or NOTHING. */
static uint32_t
class_around(const struct sa_py_program *p, const struct sa_py_node *n)
{
	uint32_t scope = n->scope;

	while (p->scope[scope].kind != SA_PY_S_CLASS &&
	    p->scope[scope].kind != SA_PY_S_MODULE)
		scope = p->scope[scope].parent;
	return p->scope[scope].kind == SA_PY_S_CLASS ? scope : NOTHING;
}

/* cls(...), type(self)(...): the class of an object is called. */
static val *
call_object(struct sa_py_eval *e, const struct sa_py_atom *a,
    const struct sa_py_node *n)
{
	uint32_t class = class_around(e->p, n);

	escape_arguments(e, n);
	if (a->id == SA_PY_T_SELF && class != NOTHING)
		return both(e, &sa_py_any, call_class(e, class, n));
	for (uint32_t i = 0; a->id == SA_PY_T_INSTANCE && i < e->p->nscope; i++)
		if (e->p->scope[i].kind == SA_PY_S_CLASS &&
		    !sa_py_spend(&e->arena, 1))
			escape(e, one(e, SA_PY_A_CLASS, i, NULL), 0);
	return &sa_py_any;
}

/* Whether the call is name.append(x) or name.extend(x). */
static bool
is_growth(const struct sa_py_eval *e, const struct sa_py_node *call)
{
	const struct sa_py_node *f = &e->p->node[call->c];
	const uint32_t *arg = &e->p->pool[call->first];

	return f->kind == SA_PY_N_ATTR &&
	    (f->b == e->append || f->b == e->extend) && call->count == 2 &&
	    arg[1] == NOTHING && e->p->node[arg[0]].kind != SA_PY_N_STAR &&
	    e->p->node[f->a].kind == SA_PY_N_NAME;
}

/* x.__dict__.update(name=v, **more) */
static void
update_names(struct sa_py_eval *e, const struct sa_py_node *call)
{
	const uint32_t *arg = &e->p->pool[call->first];

	for (uint32_t i = 0; i + 1 < call->count; i += 2) {
		val *v = e->value[arg[i]];
		if (arg[i + 1] < SA_PY_DOUBLE_STAR) {
			sa_py_store(e, arg[i + 1], v);
			continue;
		}
		const struct sa_py_seq *d = known_dict(e, v);
		for (uint32_t k = 0; d != NULL && k + 1 < d->n; k += 2)
			store_named(e, d->item[k], d->item[k + 1]);
	}
}

/* What method whole[i] of x.__dict__ gives. */
static val *
all_names(struct sa_py_eval *e, size_t i)
{
	val *pair[2] = { &sa_py_any, sa_py_any_of_names(e) };
	val *list =
	    i < 2 ? sa_py_list_val(e, SA_PY_NO_SITE, 2, pair, NULL) : pair[1];

	if (i == 1) /* popitem */
		return list;
	list = sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL, list);
	return i == 3 ? one(e, SA_PY_A_DICT, 0, list->atom[0].p) : list;
}

/* A call of x.__dict__.get() and the like; NULL where it is none. */
static val *
call_names(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const struct sa_py_node *f = &e->p->node[n->c];
	bool looks = false;
	val *r = NULL;

	if (f->kind != SA_PY_N_ATTR)
		return NULL;
	if (f->b == e->get) { /* a method that is bound by hand */
		escape(e, e->value[f->a], 1);
		return both(e, &sa_py_any, callables(e, e->value[f->a]));
	}
	for (size_t i = 0; i < sizeof(e->lookup) / sizeof(e->lookup[0]); i++)
		looks = looks || f->b == e->lookup[i];
	val *object = e->value[f->a];
	for (size_t i = 0; i < sizeof(e->whole) / sizeof(e->whole[0]); i++)
		if (f->b == e->whole[i] && sa_py_has_names(e, object))
			return all_names(e, i);
	if (!looks && f->b != e->update)
		return NULL;
	for (uint32_t i = 0; i < object->n; i++) {
		if (!sa_py_is_names(e, &object->atom[i]))
			continue;
		if (!looks)
			update_names(e, n);
		val *name = sa_py_argument(e, n, 0, NULL);
		r = both(e, r,
		    looks ? sa_py_of_name(e, &object->atom[i], name)
			  : &sa_py_any);
	}
	return r;
}

static val *
call(struct sa_py_eval *e, const struct sa_py_node *n)
{
	val *names = call_names(e, n);

	if (names != NULL)
		return names;
	if (is_growth(e, n)) {
		const struct sa_py_node *method = &e->p->node[n->c];
		if (grow(e, method->a, e->value[method->a],
			e->value[e->p->pool[n->first]], method->b == e->extend))
			return &sa_py_any;
	}
	val *f = e->value[n->c], *r = f->any ? &sa_py_any : &sa_py_never;

	if (f->any) {
		escape_arguments(e, n);
		r = both(e, r, made_of_names(e, n));
	}
	for (uint32_t i = 0; i < f->n; i++) {
		const struct sa_py_atom *a = &f->atom[i];
		switch (a->kind) {
		case SA_PY_A_FUNCTION:
			r = both(e, r, call_function(e, a->id, n, 0));
			break;
		case SA_PY_A_METHOD:
			r = both(e, r, call_method(e, a, n));
			break;
		case SA_PY_A_REF:
			r = both(e, r, call_path(e, a->id, n));
			break;
		case SA_PY_A_CLASS:
			r = both(e, r, call_class(e, a->id, n));
			break;
		case SA_PY_A_OBJECT:
			r = both(e, r, call_object(e, a, n));
			break;
		default:
			escape_arguments(e, n);
			r = both(e, r, &sa_py_any);
		}
	}
	return r;
}

/* What **v gives for a keyword: NULL for nothing. */
static val *
named(struct sa_py_eval *e, val *v, const char *keyword)
{
	const struct sa_py_seq *d = known_dict(e, v);
	val *r = NULL;

	if (d == NULL)
		return &sa_py_any;
	for (uint32_t i = 0; keyword != NULL && i + 1 < d->n; i += 2) {
		const struct sa_py_str *key = d->item[i]->atom[0].p;
		if (strlen(keyword) == key->len &&
		    memcmp(keyword, key->s, key->len) == 0)
			r = d->item[i + 1];
	}
	return r;
}

static bool
is_keyword(const struct sa_py_eval *e, uint32_t symbol, const char *keyword)
{
	const struct sa_py_symbol *s = &e->p->symbol[symbol];

	return keyword != NULL && strlen(keyword) == s->len &&
	    memcmp(keyword, s->s, s->len) == 0;
}

bool
sa_py_has_keyword(struct sa_py_eval *e, const struct sa_py_node *n,
    const char *keyword)
{
	const uint32_t *arg = &e->p->pool[n->first];

	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		val *v = e->value[arg[i]];
		if (arg[i + 1] == SA_PY_DOUBLE_STAR) {
			if (known_dict(e, v) != NULL &&
			    named(e, v, keyword) != NULL)
				return true;
		} else if (arg[i + 1] != NOTHING &&
		    is_keyword(e, arg[i + 1], keyword)) {
			return true;
		}
	}
	return false;
}

val *
sa_py_argument(struct sa_py_eval *e, const struct sa_py_node *n, int index,
    const char *keyword)
{
	const struct sa_py_program *p = e->p;
	const uint32_t *arg = &p->pool[n->first];
	val *r = NULL;
	int k = 0;
	bool spread = false; /* k is the first of the positions it may be */

	if (sa_py_spend(&e->arena, n->count))
		return &sa_py_any;
	for (uint32_t i = 0; i + 1 < n->count; i += 2) {
		val *v = e->value[arg[i]];
		bool star = p->node[arg[i]].kind == SA_PY_N_STAR;
		const struct sa_py_seq *s;
		if (arg[i + 1] == SA_PY_DOUBLE_STAR) {
			r = both(e, r, named(e, v, keyword));
		} else if (arg[i + 1] != NOTHING) {
			if (is_keyword(e, arg[i + 1], keyword))
				return v;
		} else if (!spread && star && (s = known_list(e, v)) != NULL) {
			if (index >= k && (uint32_t)(index - k) < s->n)
				return s->item[index - k];
			k += (int)s->n;
		} else if (spread || star) {
			spread = true;
			if (index >= k)
				r = both(e, r, star ? sa_py_elements(e, v) : v);
		} else if (k++ == index) {
			return v;
		}
	}
	return r;
}

/* A dict of what is not known, but for what of v can be called. */
static val *
keywords(struct sa_py_eval *e, val *v)
{
	val *rest = callables(e, v);

	if (rest->n == 0)
		return &sa_py_any;
	val *list = sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL,
	    both(e, &sa_py_any, rest));
	return both(e, &sa_py_any, one(e, SA_PY_A_DICT, 0, list->atom[0].p));
}

static void
bind_parameters(struct sa_py_eval *e, uint32_t scope)
{
	const struct sa_py_program *p = e->p;
	const struct sa_py_scope *s = &p->scope[scope];
	const struct sa_py_function *f = &e->function[scope];
	val *every = arrives(e, &e->every[scope]);
	bool method =
	    p->scope[s->parent].kind == SA_PY_S_CLASS && !f->is_static;

	note(e, SA_PY_DID_ASK, scope, NULL);
	for (uint32_t i = 0; i < s->nparam; i++) {
		const struct sa_py_param *m = &p->param[s->first + i];
		val *v = both(e, arrives(e, &e->param[s->first + i]), every);
		if (m->value != NOTHING)
			v = both(e, v, e->value[m->value]);
		if (e->pass == 1 || e->had_lost || f->had_escaped ||
		    f->is_implicit || !f->was_called ||
		    (method && too_many(e, s->name)))
			v = both(e, v, &sa_py_any);
		if (m->kind == '*')
			v = sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL, v);
		if (m->kind == 'p')
			v = keywords(e, v);
		if (i == 0 && method && m->kind == 0)
			v = one(e, SA_PY_A_OBJECT, SA_PY_T_SELF, NULL);
		set(e, m->var, scope, v);
	}
}

static void
define(struct sa_py_eval *e, const struct sa_py_node *n)
{
	val *v =
	    one(e, n->kind == SA_PY_N_DEF ? SA_PY_A_FUNCTION : SA_PY_A_CLASS,
		n->c, NULL);

	/* Decorators may call it, and put anything in its place. */
	if (n->b > 0 && n->kind == SA_PY_N_DEF) {
		note(e, SA_PY_DID_EXPOSE, n->c, NULL);
		e->function[n->c].escaped = true;
	}
	if (n->b > 0 && n->kind == SA_PY_N_DEF)
		v = both(e, v, &sa_py_any);
	assign(e, n->a, v, n->scope);
}

/* What a function gives; where that goes to somebody unknown. */
static void
give_back(struct sa_py_eval *e, uint32_t scope, val *v)
{
	const struct sa_py_function *f = &e->function[scope];

	flow(e, &e->result[scope], v);
	if (f->is_implicit || f->had_escaped)
		escape(e, v, 1);
}

static val *
lambda(struct sa_py_eval *e, const struct sa_py_node *n)
{
	give_back(e, n->c, e->value[n->a]);
	bind_parameters(e, n->c);
	return one(e, SA_PY_A_FUNCTION, n->c, NULL);
}

static void
block(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t i)
{
	if (n->op == SA_PY_B_PLAIN)
		return;
	if (n->kind == SA_PY_N_END) {
		leave(e);
		return;
	}
	enter(e, n);
	/* The body's scope is that of its first node. */
	uint32_t scope = e->p->node[i].scope;
	if (n->op == SA_PY_B_SCOPE &&
	    e->p->scope[scope].kind == SA_PY_S_FUNCTION)
		bind_parameters(e, scope);
}

/* What is not known, but for what can be called of v or of what it holds. */
static val *
inside(struct sa_py_eval *e, val *v)
{
	return both(e, &sa_py_any,
	    both(e, callables(e, v), callables_in(e, v, 0)));
}

/* What a pattern may capture. */
static val *
forgotten(struct sa_py_eval *e, const struct sa_py_node *n)
{
	const struct sa_py_node *t = &e->p->node[n->a];

	if (n->b == NOTHING)
		return &sa_py_any;
	val *v = e->value[n->b];
	if (n->op == 1)
		return both(e, inside(e, v),
		    keywords(e, callables_in(e, v, 1)));
	if (n->op == 3) /* which attribute, the class says */
		v = both(e, v, sa_py_any_of_names(e));
	return both(e, both(e, &sa_py_any, callables(e, v)), e->cell[t->b].cur);
}

static void
yield(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t i)
{
	val *v = &sa_py_any;

	if (n->a != NOTHING) {
		escape(e, e->value[n->a], 1);
		v = inside(e, e->value[n->a]);
	}
	keep(e, i, v); /* "yield from" gives what a generator returns */
	if (v->n > 0)  /* a generator of it */
		v = both(e, &sa_py_any,
		    sa_py_list_val(e, SA_PY_NO_SITE, 0, NULL, v));
	flow(e, &e->result[n->scope], v);
}

static void
statement(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t i)
{
	switch (n->kind) {
	case SA_PY_N_YIELD:
		yield(e, n, i);
		break;
	case SA_PY_N_ASSIGN:
		do_assign(e, n);
		keep(e, i, e->value[n->b]);
		break;
	case SA_PY_N_AUGMENT:
		do_augment(e, n);
		break;
	case SA_PY_N_EACH:
		assign(e, n->a, sa_py_elements(e, e->value[n->b]), n->scope);
		break;
	case SA_PY_N_WITH:
		assign(e, n->a, inside(e, e->value[n->b]), n->scope);
		break;
	case SA_PY_N_FORGET:
		assign(e, n->a, forgotten(e, n), n->scope);
		break;
	case SA_PY_N_EXPR:
		if (n->op != 0)
			escape(e, e->value[n->a], 1);
		break;
	case SA_PY_N_IMPORT:
		assign(e, n->a, one(e, SA_PY_A_REF, n->b, NULL), n->scope);
		break;
	case SA_PY_N_RETURN:
		if (n->a != NOTHING)
			give_back(e, n->c, e->value[n->a]);
		break;
	case SA_PY_N_DEF:
	case SA_PY_N_CLASSDEF:
		define(e, n);
		break;
	case SA_PY_N_BLOCK:
	case SA_PY_N_END:
		block(e, n, i);
		break;
	default:
		break;
	}
}

/* not x, of a constant */
static uint32_t
negation(val *v)
{
	if (v->any || v->n != 1 || v->atom[0].kind != SA_PY_A_CONST)
		return 0;
	switch (v->atom[0].id) {
	case SA_PY_TRUE:
		return SA_PY_FALSE;
	case SA_PY_FALSE:
	case SA_PY_NONE:
		return SA_PY_TRUE;
	default:
		return 0;
	}
}

static val *
unary(struct sa_py_eval *e, const struct sa_py_node *n)
{
	val *v = e->value[n->a];

	if (n->op == '-')
		return negative(e, v, n->offset);
	return one(e, SA_PY_A_CONST,
	    n->op == (SA_PY_NOT & 0xff) ? negation(v) : 0, NULL);
}

/* The value of an expression that is more than a name. */
static val *
expression(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t i)
{
	switch (n->kind) {
	case SA_PY_N_NUMBER:
		return number(e, n);
	case SA_PY_N_STRING:
		return literal(e, n);
	case SA_PY_N_CONST:
		return one(e, SA_PY_A_CONST, n->a, NULL);
	case SA_PY_N_FIELD:
		return field(e, n);
	case SA_PY_N_JOIN:
		return join(e, n);
	case SA_PY_N_LIST:
	case SA_PY_N_DICT:
		return display(e, n, i);
	case SA_PY_N_COMP:
		return comprehension(e, n);
	case SA_PY_N_ATTR:
		return sa_py_attribute(e, e->value[n->a], n->b);
	case SA_PY_N_INDEX:
		return sa_py_fold_index(e, n);
	case SA_PY_N_CALL:
		return call(e, n);
	case SA_PY_N_UNARY:
		return unary(e, n);
	case SA_PY_N_BINARY:
		return operate(e, n->op, e->value[n->a], e->value[n->b],
		    n->offset, n->c);
	case SA_PY_N_BOOL:
	case SA_PY_N_COND:
		return both(e, e->value[n->a], e->value[n->b]);
	case SA_PY_N_COMPARE:
		return one(e, SA_PY_A_CONST, 0, NULL);
	case SA_PY_N_STAR:
	case SA_PY_N_AWAIT:
		return e->value[n->a];
	case SA_PY_N_LAMBDA:
		return lambda(e, n);
	default:
		return &sa_py_any;
	}
}

static bool
is_new(const struct sa_py_eval *e, uint32_t i)
{
	return (e->since[i] & ~LOSSY) == (int)e->pass;
}

/* Whether a part of a list is new; there may be gaps between them. */
static bool
any_new(const struct sa_py_eval *e, const uint32_t *part, uint32_t count,
    uint32_t step)
{
	for (uint32_t i = 0; i < count; i += step)
		if (part[i] != NOTHING && is_new(e, part[i]))
			return true;
	return false;
}

/* Whether what node n is made of is not what it was in the pass before. Of
 * others than expressions that is not known. */
static bool
made_of_new(const struct sa_py_eval *e, const struct sa_py_node *n)
{
	const uint32_t *part = &e->p->pool[n->first];
	const struct sa_py_node *x;

	switch (n->kind) {
	case SA_PY_N_NUMBER:
	case SA_PY_N_STRING:
	case SA_PY_N_CONST:
	case SA_PY_N_COMPARE:
		return false;
	case SA_PY_N_FIELD:
	case SA_PY_N_UNARY:
	case SA_PY_N_ATTR:
		return is_new(e, n->a);
	case SA_PY_N_JOIN:
	case SA_PY_N_LIST:
	case SA_PY_N_DICT:
		return any_new(e, part, n->count, 1);
	case SA_PY_N_BINARY:
	case SA_PY_N_BOOL:
	case SA_PY_N_COND:
		return is_new(e, n->a) || is_new(e, n->b);
	case SA_PY_N_COMP:
		return is_new(e, n->a) || (n->b != NOTHING && is_new(e, n->b));
	case SA_PY_N_INDEX:
		x = &e->p->node[n->b];
		if (x->kind == SA_PY_N_SLICE)
			part = &x->a;
		return is_new(e, n->a) || is_new(e, n->b) ||
		    (x->kind == SA_PY_N_SLICE && any_new(e, part, 3, 1));
	case SA_PY_N_CALL: /* asks objects of methods and bases of classes */
		x = &e->p->node[n->c];
		return is_growth(e, n) || is_new(e, n->c) ||
		    some(e->value[n->c], SA_PY_A_CLASS) ||
		    (x->kind == SA_PY_N_ATTR && is_new(e, x->a)) ||
		    any_new(e, part, n->count, 2);
	default:
		return true;
	}
}

/* Whether a node's value depends on nothing but those it is made of. */
static bool
asks_nothing(const struct sa_py_eval *e, const struct sa_py_node *n)
{
	val *x, *y;

	switch (n->kind) {
	case SA_PY_N_NUMBER:
	case SA_PY_N_STRING:
	case SA_PY_N_CONST:
	case SA_PY_N_COMPARE:
	case SA_PY_N_FIELD:
	case SA_PY_N_UNARY:
	case SA_PY_N_JOIN:
		return true;
	case SA_PY_N_BINARY: /* lists may have been added to */
		x = e->value[n->a];
		y = e->value[n->b];
		return n->op != '|' && !some(x, SA_PY_A_LIST) &&
		    !some(x, SA_PY_A_DICT) && !some(y, SA_PY_A_LIST) &&
		    !some(y, SA_PY_A_DICT);
	default:
		return false;
	}
}

/* What node i did in the pass before, or NULL where that was nothing. Nodes
 * are asked for in their order. */
static const struct sa_py_note *
notes_of(struct sa_py_eval *e, uint32_t i)
{
	for (; e->at < e->nold; e->at++) {
		const struct sa_py_note *o = &e->old[e->at];
		if (o->deed > SA_PY_DID_LOSE ||
		    (o->deed == SA_PY_DID_NODE && o->id > i))
			break;
		if (o->deed == SA_PY_DID_NODE && o->id == i)
			return o;
	}
	return NULL;
}

/* Whether what somebody asked for is not what it was in the pass before. The
 * first pass took most for unknown; a parameter's function tells whether it
 * still is. */
static bool
has_changed(const struct sa_py_eval *e, const struct sa_py_note *o)
{
	const struct sa_py_flow *f;

	switch (o->deed) {
	case SA_PY_DID_ASK:
		return e->function[o->id].changed == e->pass;
	case SA_PY_DID_WAIT:
		return e->pass == 2;
	case SA_PY_DID_READ:
		f = &e->flow[o->id];
		break;
	default:
		return false;
	}
	if (e->pass > 2)
		return f->changed == e->pass;
	if (f < e->all || (f >= e->every && f < e->site))
		return false;
	return f->doubted &&
	    (f >= e->site || f->before == NULL || f->before->n > 0 ||
		!f->before->any);
}

static void redo(struct sa_py_eval *e, const struct sa_py_note *o);

/* Whether node i has the value that it had in the pass before; then what it
 * did with it is done again. */
static bool
stays(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t i)
{
	if (e->pass == 1 || made_of_new(e, n))
		return false;
	if (asks_nothing(e, n))
		return true;
	if (!e->steady || (e->since[i] & LOSSY) != 0)
		return false;
	const struct sa_py_note *o = notes_of(e, i);
	if (o == NULL)
		return true;
	for (uint32_t k = 1; k <= o->count; k++)
		if (has_changed(e, &o[k]))
			return false;
	for (uint32_t k = 1; k <= o->count; k++)
		redo(e, &o[k]);
	note_again(e, o, o->count + 1);
	e->at += o->count + 1;
	return true;
}

/* Expressions that may ask for something or do something. */
#define DOING                                                                  \
	(1ULL << SA_PY_N_ATTR | 1ULL << SA_PY_N_INDEX | 1ULL << SA_PY_N_CALL | \
	    1ULL << SA_PY_N_LIST | 1ULL << SA_PY_N_DICT |                      \
	    1ULL << SA_PY_N_COMP | 1ULL << SA_PY_N_BINARY |                    \
	    1ULL << SA_PY_N_BOOL | 1ULL << SA_PY_N_COND)

/* The value of an expression; what it asks for and does is noted as its
 * own. */
static val *
noted(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t i)
{
	uint32_t at = e->nnote, outer = e->reader;
	bool lost = e->arena.lost;

	e->reader = reader(e, e->p->nscope + i);
	e->arena.lost = false;
	note(e, SA_PY_DID_NODE, i, NULL);
	val *v = expression(e, n, i);
	if (e->noting && e->nnote == at + 1)
		e->nnote = at;
	else if (e->noting)
		e->note[at].count = e->nnote - at - 1;
	e->since[i] &= (uint8_t)~LOSSY;
	if (e->arena.lost)
		e->since[i] |= LOSSY;
	e->arena.lost = e->arena.lost || lost;
	e->reader = outer;
	return v;
}

static void
evaluate(struct sa_py_eval *e, uint32_t i)
{
	const struct sa_py_node *n = &e->p->node[i];

	if (n->kind == SA_PY_N_NAME) {
		keep(e, i, read_name(e, n, i));
	} else if (n->kind >= SA_PY_N_YIELD) {
		if (n->kind != SA_PY_N_ASSIGN && n->kind != SA_PY_N_YIELD)
			e->value[i] = &sa_py_any;
		statement(e, n, i);
	} else if (!stays(e, n, i)) {
		keep(e, i,
		    (DOING >> n->kind & 1) != 0 ? noted(e, n, i)
						: expression(e, n, i));
	}
}

bool
sa_py_eval_exhausted(const struct sa_py_eval *e)
{
	return e->exhausted || e->arena.spent > e->arena.budget;
}

bool
sa_py_eval_full(const struct sa_py_eval *e)
{
	return e->arena.made > e->arena.room;
}

/* All that a flow brought in this pass. */
static val *
brought(struct sa_py_eval *e, uint32_t i)
{
	val *now = e->flow[i].now;
	uint32_t first = (uint32_t)(e->site - e->flow);

	return i >= first && e->escaped[i - first] ? both(e, now, &sa_py_any)
						   : now;
}

static bool
same(val *x, val *y)
{
	return (x == NULL) == (y == NULL) && sa_py_alike(x, y);
}

/* What a flow brought is what it brings from now on. e->pass is the new one
 * already. */
static void
turn(struct sa_py_eval *e, uint32_t i)
{
	struct sa_py_flow *f = &e->flow[i];
	val *v = brought(e, i);

	if (v == f->before)
		return;
	if (e->pass > WIDEN && v != NULL)
		v = sa_py_widen(&e->arena, f->before, v);
	if (same(v, f->before))
		return;
	f->before = v;
	f->changed = (uint8_t)e->pass;
}

/* Of what a pass has left alone nothing is to be said. */
static void
turn_flows(struct sa_py_eval *e)
{
	uint32_t site = (uint32_t)(e->site - e->flow);
	bool all = e->pass == WIDEN + 1;

	for (uint32_t i = 0; all && i < e->nflow; i++)
		turn(e, i);
	for (uint32_t i = 0; !all && i < e->nmoved; i++)
		turn(e, e->moved[i]);
	for (uint32_t i = 0; !all && i < e->p->nsite; i++)
		if (e->escaped[i] != e->had_escaped[i])
			turn(e, site + i);
	e->nmoved = 0;
	memcpy(e->had_escaped, e->escaped, e->p->nsite * sizeof(*e->escaped));
	memset(e->escaped, 0, e->p->nsite * sizeof(*e->escaped));
}

static void
turn_function(struct sa_py_eval *e, struct sa_py_function *f)
{
	bool grow = e->pass > WIDEN;
	bool called = f->called && (!grow || f->was_called);
	bool escaped = f->escaped || (grow && f->had_escaped);

	if (called != f->was_called || escaped != f->had_escaped)
		f->changed = (uint8_t)e->pass;
	f->was_called = called;
	f->had_escaped = escaped;
	f->called = f->escaped = false;
}

/* Takes up what a flow brings from the beginning. */
static void
renew(struct sa_py_eval *e, struct sa_py_flow *f)
{
	if (f->renewed == e->pass)
		return;
	f->renewed = (uint8_t)e->pass;
	moves(e, f);
	f->now = NULL;
	if (f->lost)
		e->nlost--;
	f->lost = false;
}

/* Whether a default of the function is more than a literal. */
static bool
has_defaults(const struct sa_py_program *p, uint32_t scope)
{
	const struct sa_py_scope *s = &p->scope[scope];

	for (uint32_t i = 0; i < s->nparam; i++) {
		uint32_t n = p->param[s->first + i].value;
		if (n != NOTHING && p->node[n].kind != SA_PY_N_CONST &&
		    p->node[n].kind != SA_PY_N_NUMBER &&
		    p->node[n].kind != SA_PY_N_STRING)
			return true;
	}
	return false;
}

/* The unit behind a note that begins or ends one. */
static uint32_t
unit_behind(const struct sa_py_eval *e, const struct sa_py_note *o,
    uint32_t unit)
{
	return o->deed == SA_PY_DID_BEGIN ? e->p->node[o->id].scope
					  : e->p->scope[unit].parent;
}

/* Marks the bodies that asked for something that has changed. */
static void
find_changed(struct sa_py_eval *e)
{
	const struct sa_py_note *o = e->old, *end = e->old + e->nold;
	uint32_t unit = 0;

	for (; o < end; o++)
		if (o->deed > SA_PY_DID_LOSE) {
			unit = unit_behind(e, o, unit);
		} else if (has_changed(e, o)) {
			e->again[unit] = true;
			e->done = false;
		}
}

/* And what they did, which is no longer so. */
static void
forget_changed(struct sa_py_eval *e)
{
	const struct sa_py_note *o = e->old, *end = e->old + e->nold;
	uint32_t unit = 0;
	bool again = e->again[unit];

	for (; o < end; o++) {
		if (o->deed > SA_PY_DID_LOSE) {
			unit = unit_behind(e, o, unit);
			if (o->deed == SA_PY_DID_BEGIN && again &&
			    has_defaults(e->p, unit))
				e->again[unit] = true;
			again = e->again[unit];
		} else if (o->deed == SA_PY_DID_ADD && again) {
			renew(e, &e->flow[o->id]);
		}
	}
}

static void
swap_notes(struct sa_py_eval *e)
{
	struct sa_py_note *note = e->old;
	uint32_t cap = e->capold;

	e->old = e->note;
	e->nold = e->nnote;
	e->capold = e->capnote;
	e->note = note;
	e->nnote = e->at = 0;
	e->capnote = cap;
}

/* What has to be evaluated in the pass: all, where the last was not noted. */
static void
plan(struct sa_py_eval *e, bool noted, bool lost)
{
	bool same = noted && e->had_lost == lost && !sa_py_eval_full(e);

	e->steady = same && !e->exhausted;
	e->partial = e->pass == 2 ? e->steady : same && e->pass > 2;
	e->nlost = e->partial ? e->nlost : 0;
	bool over = e->pass > 1 && !e->partial; /* all flows begin again */
	for (uint32_t i = 0; over && i < e->nflow; i++) {
		if (e->flow[i].now != NULL)
			moves(e, &e->flow[i]);
		e->flow[i].now = NULL;
		e->flow[i].lost = false;
		e->flow[i].renewed = (uint8_t)e->pass;
	}
	swap_notes(e);
	if (e->partial) {
		memset(e->again, 0, e->p->nscope * sizeof(*e->again));
		if (e->nold > 0) {
			find_changed(e);
			forget_changed(e);
		}
	} else {
		e->done = false;
		e->nold = e->steady ? e->nold : 0;
		memset(e->again, 1, e->p->nscope * sizeof(*e->again));
	}
}

static void
next_pass(struct sa_py_eval *e)
{
	const struct sa_py_program *p = e->p;
	bool lost = e->had_lost, noted = e->noting;

	e->pass++;
	e->done = !e->arena.lost;
	e->noting = e->pass <= 2 || noted;
	e->exhausted = sa_py_eval_exhausted(e);
	/* in the first pass nothing is known anyway */
	e->had_lost =
	    e->pass > 2 && (e->arena.lost || (e->pass > WIDEN && e->had_lost));
	e->arena.lost = e->lost = false;
	e->arena.spent = 0;
	if (e->pass > 1)
		turn_flows(e);
	for (uint32_t i = 0; e->pass > 1 && i < p->nscope; i++)
		turn_function(e, &e->function[i]);
	for (uint32_t i = 0; i < p->nvar; i++) {
		struct sa_py_cell *c = &e->cell[i];
		c->cur = NULL;
		c->frame = 0;
		c->next_store = p->var[i].first_store;
	}
	e->nundo = e->nframe = 0;
	plan(e, noted, lost);
}

/* Whether the pass brought nothing that was not there before it. Until
 * values are widened, another pass may also tell them more precisely. */
static bool
same_flow(struct sa_py_eval *e, uint32_t i)
{
	val *now = brought(e, i), *before = e->flow[i].before;

	return e->pass <= WIDEN ? sa_py_alike(now, before)
				: sa_py_covers(before, now);
}

/* The same of all flows; those that a pass has left alone are not asked. */
static bool
same_flows(struct sa_py_eval *e)
{
	uint32_t site = (uint32_t)(e->site - e->flow);

	for (uint32_t i = 0; i < e->nmoved; i++)
		if (!same_flow(e, e->moved[i]))
			return false;
	for (uint32_t i = 0; i < e->p->nsite; i++)
		if (e->escaped[i] != e->had_escaped[i] &&
		    !same_flow(e, site + i))
			return false;
	return true;
}

static bool
same_function(const struct sa_py_eval *e, const struct sa_py_function *f)
{
	return e->pass <= WIDEN
	    ? f->called == f->was_called && f->escaped == f->had_escaped
	    : f->called >= f->was_called && f->escaped <= f->had_escaped;
}

bool
sa_py_eval_settled(struct sa_py_eval *e)
{
	if (e->pass == 1 || e->arena.lost > e->had_lost)
		return false;
	if (e->done)
		return true;
	for (uint32_t i = 0; i < e->p->nscope; i++)
		if (!same_function(e, &e->function[i]))
			return false;
	return same_flows(e);
}

/* Between two bodies: what was lost in the one that the walk was in. */
static void
close_part(struct sa_py_eval *e)
{
	if (e->arena.lost)
		note(e, SA_PY_DID_LOSE, 0, NULL);
	e->lost = e->lost || e->arena.lost;
	e->arena.lost = false;
}

static void
begin_body(struct sa_py_eval *e, uint32_t block)
{
	close_part(e);
	note(e, SA_PY_DID_BEGIN, block, NULL);
	e->unit = e->p->node[block].scope;
	e->reader = reader(e, e->unit);
}

static void
end_body(struct sa_py_eval *e, uint32_t end)
{
	close_part(e);
	note(e, SA_PY_DID_END, end, NULL);
	e->unit = e->p->scope[e->unit].parent;
	e->reader = reader(e, e->unit);
}

/* Whether nobody asks for the value of the node. */
static bool
is_idle(const struct sa_py_node *n)
{
	return (n->flags & (SA_PY_F_TARGET | SA_PY_F_READ)) == SA_PY_F_TARGET ||
	    (n->kind == SA_PY_N_EXPR && n->op == 0);
}

static void
evaluate_known(struct sa_py_eval *e, uint32_t i)
{
	if (sa_py_eval_full(e))
		keep(e, i, &sa_py_any);
	else
		evaluate(e, i);
}

/* Passes over what a body did that is evaluated again. */
static void
pass_over(struct sa_py_eval *e)
{
	while (e->at < e->nold && e->old[e->at].deed != SA_PY_DID_BEGIN &&
	    e->old[e->at].deed != SA_PY_DID_END)
		e->at++;
	if (e->at < e->nold)
		e->at++;
}

/* Evaluates from node i on to where another body begins or this one ends, with
 * that; returns the next node. */
static uint32_t
walk(struct sa_py_eval *e, uint32_t i)
{
	const struct sa_py_node *node = e->p->node, *n = &node[i];
	const struct sa_py_node *end = node + e->p->nnode;

	for (; n < end && n->op != SA_PY_B_SCOPE; n++, i++)
		if (!is_idle(n))
			evaluate_known(e, i);
		else if (e->pass == 1)
			e->value[i] = &sa_py_any;
	if (n == end)
		return i;
	if (n->kind == SA_PY_N_BLOCK) {
		pass_over(e);
		begin_body(e, i);
		if (e->again[e->unit])
			evaluate_known(e, i);
	} else {
		evaluate_known(e, i);
		if (n->kind == SA_PY_N_END) {
			pass_over(e);
			end_body(e, i);
		}
	}
	return i + 1;
}

/* Does again what a note says, but for noting it. */
static void
redo(struct sa_py_eval *e, const struct sa_py_note *o)
{
	switch (o->deed) {
	case SA_PY_DID_ADD:
		if (e->flow[o->id].renewed == e->pass)
			add(e, &e->flow[o->id], o->v);
		break;
	case SA_PY_DID_CALL:
		e->function[o->id].called = true;
		break;
	case SA_PY_DID_EXPOSE:
		e->function[o->id].escaped = true;
		break;
	case SA_PY_DID_ESCAPE:
		expose(e, o->v, o->id);
		break;
	case SA_PY_DID_LOSE:
		e->arena.lost = true;
		break;
	default:
		break;
	}
}

/* Does what the body did up to where another begins or it ends; returns the
 * next node. */
static uint32_t
repeat(struct sa_py_eval *e)
{
	const struct sa_py_note *from = &e->old[e->at], *o = from;
	const struct sa_py_note *end = &e->old[e->nold];

	while (o < end && o->deed < SA_PY_DID_LOSE)
		redo(e, o++);
	note_again(e, from, (uint32_t)(o - from));
	for (; o < end && o->deed == SA_PY_DID_LOSE; o++)
		redo(e, o);
	e->at = (uint32_t)(o - e->old) + 1;
	if (o == end)
		return e->p->nnode;
	if (o->deed == SA_PY_DID_END) {
		end_body(e, o->id);
		return o->id + 1;
	}
	begin_body(e, o->id);
	if (e->again[e->unit])
		evaluate_known(e, o->id);
	return o->id + 1;
}

void
sa_py_eval_pass(struct sa_py_eval *e)
{
	struct sa_py_node module = { .op = SA_PY_B_SCOPE, .c = NOTHING };
	uint32_t i = 0;

	next_pass(e);
	if (e->done)
		return;
	enter(e, &module);
	e->unit = 0;
	e->reader = reader(e, e->unit);
	while (i < e->p->nnode)
		i = e->again[e->unit] ? walk(e, i) : repeat(e);
	close_part(e);
	e->arena.lost = e->lost || e->nlost > 0;
}

static bool
is_dunder(const struct sa_py_symbol *s)
{
	return s->len > 4 && memcmp(s->s, "__", 2) == 0 &&
	    memcmp(s->s + s->len - 2, "__", 2) == 0;
}

static bool
is_name_of(const struct sa_py_symbol *s, const char *const *names)
{
	for (; *names != NULL; names++)
		if (s->len == strlen(*names) &&
		    memcmp(s->s, *names, s->len) == 0)
			return true;
	return false;
}

/* Classes of libraries that call no methods of what is made from them. */
static bool
is_plain_base(const struct sa_py_symbol *s)
{
	static const char *const names[] = { "ABC", "BaseModel", "Enum", "Flag",
		"Generic", "IntEnum", "IntFlag", "NamedTuple", "Protocol",
		"StrEnum", "TypedDict", "namedtuple", NULL };
	struct sa_py_symbol last = *s;

	for (uint32_t i = 0; i < s->len; i++)
		if (s->s[i] == '.')
			last = (struct sa_py_symbol){ .s = s->s + i + 1,
				.len = s->len - i - 1 };
	return is_name_of(&last, names);
}

/* Whether a variable, as a base, is a class that may call the methods of what
 * is made from it. */
static bool
var_calls_methods(const struct sa_py_eval *e, uint32_t var)
{
	const struct sa_py_program *p = e->p;

	for (uint32_t s = p->var[var].first_store; s != NOTHING;
	     s = p->store[s].next) {
		const struct sa_py_node *n = &p->node[p->store[s].node];
		if (n->kind == SA_PY_N_CLASSDEF ? e->function[n->c].is_derived
						: n->kind != SA_PY_N_IMPORT ||
			    !is_plain_base(&p->symbol[n->b]))
			return true;
	}
	return false;
}

/* The same of a base as it is written. */
static bool
calls_methods(const struct sa_py_eval *e, const struct sa_py_node *n)
{
	const struct sa_py_program *p = e->p;

	while (n->kind == SA_PY_N_INDEX) /* Generic[T] */
		n = &p->node[n->a];
	if (n->kind == SA_PY_N_CALL) /* namedtuple("T", "a b") */
		n = &p->node[n->c];
	if (n->kind == SA_PY_N_NAME && n->b != NOTHING)
		return var_calls_methods(e, n->b);
	if (n->kind == SA_PY_N_NAME) /* a builtin */
		return false;
	return n->kind != SA_PY_N_ATTR || !is_plain_base(&p->symbol[n->b]);
}

static bool
is_derived(const struct sa_py_eval *e, const struct sa_py_node *class)
{
	const uint32_t *base = &e->p->pool[class->first];

	for (uint32_t i = 0; i + 1 < class->count; i += 2)
		if (base[i + 1] >= SA_PY_DOUBLE_STAR &&
		    calls_methods(e, &e->p->node[base[i]]))
			return true;
	return false;
}

/* Whether a library may call a method of that name of what is made from a class
 * of its own: hardly one that the file keeps to itself. */
static bool
is_called_back(const struct sa_py_symbol *s)
{
	static const char *const names[] = { "_check_value", "_fit", "_format",
		"_get_values", "_missing_", "_parse_optional", "_print_message",
		"_transform", NULL };

	return s->len == 0 || s->s[0] != '_' || is_name_of(s, names);
}

bool
sa_py_is_duck(const struct sa_py_symbol *name)
{
	static const char *const names[] = { "data", "emit", "filter", "format",
		"handle", "process", "put", "put_nowait", "send", "submit",
		"write", "writelines", NULL };

	return is_name_of(name, names);
}

static void
add_duck(struct sa_py_eval *e, uint32_t scope)
{
	if (!sa_py_is_duck(&e->p->symbol[e->p->scope[scope].name]))
		return;
	if (e->nduck < SA_PY_MAX_DUCKS)
		e->duck[e->nduck++] = scope;
	else
		e->function[scope].is_implicit = true;
}

/* What does not change: foreign bindings, stored attributes, methods. */
static void
survey(struct sa_py_eval *e)
{
	const struct sa_py_program *p = e->p;

	for (uint32_t i = 0; i < p->nvar; i++) {
		const struct sa_py_var *v = &p->var[i];
		e->cell[i].param = NOTHING;
		bool class = p->scope[v->scope].kind == SA_PY_S_CLASS;
		for (uint32_t s = v->first_store; s != NOTHING;
		     s = p->store[s].next) {
			const struct sa_py_node *n = &p->node[p->store[s].node];
			if (n->scope != v->scope)
				e->cell[i].foreign = true;
			if (class && n->kind != SA_PY_N_DEF)
				e->name[v->symbol].has_attr = true;
		}
	}
	for (uint32_t i = 0; i < p->nscope; i++) {
		const struct sa_py_scope *s = &p->scope[i];
		e->function[i].rest = NOTHING;
		e->function[i].named = s->nparam;
		for (uint32_t k = 0; k < s->nparam; k++) {
			e->cell[p->param[s->first + k].var].param = k;
			if (p->param[s->first + k].kind == '*')
				e->function[i].rest = k;
			if (p->param[s->first + k].kind == 'p')
				e->function[i].named = k;
		}
	}
	for (uint32_t i = 0; i < p->nlisted; i++) {
		const struct sa_py_node *n = &p->node[p->listed[i]];
		if (n->kind == SA_PY_N_ATTR && (n->flags & SA_PY_F_TARGET))
			e->name[n->b].has_attr = true;
		if (n->kind == SA_PY_N_CLASSDEF) {
			e->function[n->c].node = p->listed[i];
			e->function[n->c].is_derived = is_derived(e, n);
		}
		if (n->kind != SA_PY_N_DEF ||
		    p->scope[n->scope].kind != SA_PY_S_CLASS)
			continue;
		uint32_t symbol = p->scope[n->c].name;
		e->function[n->c].is_static = n->op == SA_PY_D_STATIC;
		e->function[n->c].is_class = n->op == SA_PY_D_CLASS;
		e->function[n->c].is_property = n->op == SA_PY_D_PROPERTY;
		e->function[n->c].is_implicit = symbol != e->init &&
		    (is_dunder(&p->symbol[symbol]) ||
			(e->function[n->scope].is_derived &&
			    is_called_back(&p->symbol[symbol])));
		add_duck(e, n->c);
		e->function[n->c].next_method = e->name[symbol].method;
		if (e->name[symbol].method != NOTHING)
			e->function[n->c].namesakes =
			    e->function[e->name[symbol].method].namesakes + 1;
		e->name[symbol].method = n->c;
	}
}

/* Whether node i reads a variable of its own scope; *var gets it. */
static bool
reads_own(const struct sa_py_program *p, uint32_t i, uint32_t *var)
{
	const struct sa_py_node *n = &p->node[i];

	*var = n->b;
	return n->kind == SA_PY_N_NAME && n->b != NOTHING &&
	    (n->flags & SA_PY_F_TARGET) == 0 && n->scope == p->var[n->b].scope;
}

/* Counts reads of names that hand the list in them to nobody: the object of
 * append and extend, what a literal joins, and what a loop goes over. */
static void
count_own_reads(struct sa_py_eval *e, const struct sa_py_node *n, uint32_t join,
    uint32_t *count)
{
	const struct sa_py_program *p = e->p;
	uint32_t var;

	if (n->kind == SA_PY_N_EACH && reads_own(p, n->b, &var))
		count[var]++;
	if (n->kind != SA_PY_N_CALL || p->node[n->c].kind != SA_PY_N_ATTR)
		return;
	const struct sa_py_node *f = &p->node[n->c];
	if (is_growth(e, n) && reads_own(p, f->a, &var))
		count[var]++;
	if (f->b == join && p->node[f->a].kind == SA_PY_N_STRING &&
	    n->count == 2 && p->pool[n->first + 1] == NOTHING &&
	    reads_own(p, p->pool[n->first], &var))
		count[var]++;
}

/* Counts to two. */
static void
again(uint8_t *count)
{
	if (*count < 2)
		(*count)++;
}

/* Whether a list that is written there is assigned. */
static bool
assigns_list(const struct sa_py_program *p, const struct sa_py_node *n)
{
	return p->node[n->b].kind == SA_PY_N_LIST && p->node[n->b].op == '[';
}

/* Finds variables whose lists nothing else has, and the sites of those. */
static void
find_own_lists(struct sa_py_eval *e, uint32_t join)
{
	const struct sa_py_program *p = e->p;
	struct sa_py_slab *slab = &e->symbols->slab;
	uint32_t *read = sa_py_slab_zeros(slab, p->nvar, sizeof(*read));
	/* displays assigned */
	uint8_t *made = sa_py_slab_zeros(slab, p->nsite, 1);
	uint32_t nlist = 0, cap = 0;
	uint32_t *list = sa_py_grow(slab, NULL, nlist, &cap, sizeof(*list));

	/* no sites and no "*args": no lists */
	bool lists = p->nsite > 0 || p->nparam > 0;
	for (uint32_t i = 0; lists && i < p->nnode; i++) {
		const struct sa_py_node *n = &p->node[i];
		if (n->kind == SA_PY_N_NAME) {
			if (n->b != NOTHING && (n->flags & SA_PY_F_TARGET) == 0)
				read[n->b]--;
		} else if (n->kind == SA_PY_N_CALL || n->kind == SA_PY_N_EACH) {
			count_own_reads(e, n, join, read);
		} else if (n->kind == SA_PY_N_ASSIGN && assigns_list(p, n)) {
			again(&made[p->node[n->b].c]);
			list =
			    sa_py_grow(slab, list, nlist, &cap, sizeof(*list));
			list[nlist++] = i;
		}
	}
	for (uint32_t i = 0; i < p->nvar; i++) {
		unsigned kind = p->scope[p->var[i].scope].kind;
		e->cell[i].own = read[i] == 0 && !e->cell[i].foreign &&
		    (kind == SA_PY_S_FUNCTION || kind == SA_PY_S_MODULE);
	}
	for (uint32_t i = 0; i < nlist; i++) {
		const struct sa_py_node *n = &p->node[list[i]];
		if (n->op != 0 || p->node[n->a].kind != SA_PY_N_NAME)
			continue;
		uint32_t site = p->node[n->b].c, var = p->node[n->a].b;
		e->grows[site] = made[site] == 1 && e->cell[var].own;
	}
	sa_py_slab_free(slab, list);
	sa_py_slab_free(slab, read);
	sa_py_slab_free(slab, made);
}

/* What 32 MiB leave for values, next to the program and what goes with it. */
static size_t
room_for_values(const struct sa_py_program *p)
{
	const size_t most = 27U << 20, least = 2U << 20;
	size_t taken = 45 * (size_t)p->nnode + 9 * (size_t)p->tokens.n +
	    92 * (size_t)p->nsymbol + 125 * (size_t)p->nvar +
	    168 * (size_t)p->nscope + 8 * (size_t)p->nfield +
	    39 * (size_t)p->nsite + 4 * (size_t)p->nkept;

	return taken + least < most ? most - taken : least;
}

static void
make_flows(struct sa_py_eval *e)
{
	const struct sa_py_program *p = e->p;

	e->nflow = p->nparam + p->nvar + p->nsymbol + 2 * p->nscope + p->nsite;
	e->flow =
	    sa_py_slab_zeros(&e->symbols->slab, e->nflow, sizeof(*e->flow));
	e->moved = sa_py_slab_alloc(&e->symbols->slab, e->nflow + 1,
	    sizeof(*e->moved));
	e->param = e->flow;
	e->all = e->param + p->nparam;
	e->attr = e->all + p->nvar;
	e->result = e->attr + p->nsymbol;
	e->every = e->result + p->nscope;
	e->site = e->every + p->nscope;
}

void
sa_py_eval_init(struct sa_py_eval *e, struct sa_py_program *p)
{
	uint32_t met = p->nsymbol;
	bool names = sa_py_symbol(p, "__dict__", 8, false) < met ||
	    sa_py_symbol(p, "__builtins__", 12, false) < met ||
	    sa_py_symbol(p, "modules", 7, false) < met;
	uint32_t append = sa_py_symbol(p, "append", 6, false);
	uint32_t extend = sa_py_symbol(p, "extend", 6, false);
	uint32_t join = sa_py_symbol(p, "join", 4, false);
	bool grow = append < met || extend < met || join < met || p->augments;

	*e = (struct sa_py_eval){ .p = p,
		.symbols = p,
		.append = append,
		.extend = extend,
		.dict = sa_py_symbol(p, "__dict__", 8, false),
		.lookup = { sa_py_symbol(p, "get", 3, false),
		    sa_py_symbol(p, "pop", 3, false),
		    sa_py_symbol(p, "setdefault", 10, false),
		    sa_py_symbol(p, "__getitem__", 11, false) },
		.whole = { sa_py_symbol(p, "items", 5, false),
		    sa_py_symbol(p, "popitem", 7, false),
		    sa_py_symbol(p, "values", 6, false),
		    sa_py_symbol(p, "copy", 4, false) },
		.by_name = sa_py_symbol(p, "__dict__[]", 10, false),
		.curried = sa_py_symbol(p, "partial()", 9, false),
		.modules = sa_py_symbol(p, "modules", 7, false),
		.any_names = names,
		.update = sa_py_symbol(p, "update", 6, false),
		.init = sa_py_symbol(p, "__init__", 8, false),
		.get = sa_py_symbol(p, "__get__", 7, false),
		.parent = sa_py_symbol(p, "parent", 6, false),
		.arena.budget = (4U << 20) + 32 * p->len,
		.arena.room = room_for_values(p) };
	e->nsymbol = p->nsymbol;
	e->value = sa_py_slab_zeros(&p->slab, p->nnode, sizeof(*e->value));
	e->since = sa_py_slab_zeros(&p->slab, p->nnode, sizeof(*e->since));
	e->cell = sa_py_slab_zeros(&p->slab, p->nvar, sizeof(*e->cell));
	make_flows(e);
	e->escaped = sa_py_slab_zeros(&p->slab, 3 * (size_t)p->nsite,
	    sizeof(*e->escaped));
	e->had_escaped = e->escaped + p->nsite;
	e->grows = e->had_escaped + p->nsite;
	e->again = sa_py_slab_zeros(&p->slab, p->nscope, sizeof(*e->again));
	e->function =
	    sa_py_slab_zeros(&p->slab, p->nscope, sizeof(*e->function));
	e->name = sa_py_slab_alloc(&p->slab, p->nsymbol + 1, sizeof(*e->name));
	for (uint32_t i = 0; i < p->nsymbol; i++)
		e->name[i] = (struct sa_py_name){ .method = NOTHING,
			.attr_type = TYPE_UNKNOWN };
	survey(e);
	if (grow)
		find_own_lists(e, join);
}

void
sa_py_eval_release(struct sa_py_eval *e)
{
	void *const piece[] = { e->value, e->since, e->cell, e->flow, e->moved,
		e->escaped, e->again, e->note, e->old, e->name, e->function,
		e->undo, e->frame };

	sa_py_arena_release(&e->arena);
	for (size_t i = 0; i < sizeof(piece) / sizeof(piece[0]); i++)
		sa_py_slab_free(&e->symbols->slab, piece[i]);
}
