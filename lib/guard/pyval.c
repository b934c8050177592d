/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pyval.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "guard/sql.h"

struct sa_py_chunk {
	struct sa_py_chunk *next;
	size_t used, size;
	_Alignas(void *) char data[];
};

/* A text that grows at its end: every str that begins it stays valid, so that
 * a chain of + costs what the result does. */
struct sa_py_text {
	char *s;
	struct sa_py_run *run;
	uint32_t len, cap, nrun, capr;
};

const struct sa_py_val sa_py_any = { .n = 0, .any = true };
const struct sa_py_val sa_py_never = { .n = 0, .any = false };

void *
sa_py_alloc(struct sa_py_arena *a, size_t size)
{
	struct sa_py_chunk *c = a->chunk;

	size = (size + 7) & ~(size_t)7;
	if (c == NULL || c->size - c->used < size) {
		size_t n = size > 32768 ? size : 32768;
		c = sa_xmalloc(sizeof(*c) + n);
		*c = (struct sa_py_chunk){ .next = a->chunk, .size = n };
		a->chunk = c;
	}
	void *p = c->data + c->used;
	c->used += size;
	a->spent += size;
	a->made += size;
	return p;
}

bool
sa_py_spend(struct sa_py_arena *a, size_t work)
{
	a->spent += work;
	return a->spent > a->budget;
}

void
sa_py_arena_release(struct sa_py_arena *a)
{
	while (a->chunk != NULL) {
		struct sa_py_chunk *c = a->chunk;
		a->chunk = c->next;
		free(c);
	}
	a->spent = 0;
}

static uint32_t
begin_of(const struct sa_py_str *s)
{
	return s->nrun > 0 ? s->run[0].src : 0;
}

/* Texts with different ones are not the same. */
static uint32_t
text_id(const struct sa_py_str *s)
{
	uint32_t ends = 0;

	if (s->len > 0)
		ends = (uint32_t)(unsigned char)s->s[0] << 8 |
		    (unsigned char)s->s[s->len - 1];
	return ((s->len * 31 + begin_of(s)) * 31 + ends) << 1 | s->bytes;
}

const struct sa_py_val *
sa_py_one(struct sa_py_arena *a, enum sa_py_atom_kind kind, uint32_t id,
    const void *p)
{
	bool common = p == NULL && kind == SA_PY_A_CONST && id < 256;
	struct sa_py_val *v;

	if (kind == SA_PY_A_STR || kind == SA_PY_A_NUM)
		id = text_id(p);
	if (common && a->constant[id] != NULL)
		return a->constant[id];
	v = sa_py_alloc(a, sizeof(*v) + sizeof(struct sa_py_atom));
	v->n = 1;
	v->any = false;
	v->atom[0] = (struct sa_py_atom){ .kind = kind, .id = id, .p = p };
	if (common)
		a->constant[id] = v;
	return v;
}

static bool
same_text(const struct sa_py_str *s, const struct sa_py_str *t)
{
	return s->len == t->len && s->bytes == t->bytes &&
	    begin_of(s) == begin_of(t) && memcmp(s->s, t->s, s->len) == 0;
}

#define DEPTH 4		  /* lists in lists that are looked into */
#define MAX_COMPARED 4096 /* things in two values; with more they differ */
#define MAX_MERGED 256	  /* the same, where a value is put together */

/* Two values that are compared, and how much of that is still done. */
struct comparing {
	unsigned left;
	unsigned looked; /* at atoms, the same or not */
	bool covers;	 /* whether the first may be more than the second */
};

static bool compare(struct comparing *c, const struct sa_py_val *x,
    const struct sa_py_val *y, unsigned depth);

/* What cannot be called, changed or looked into. */
static bool
is_plain(const struct sa_py_atom *x)
{
	return x->kind == SA_PY_A_STR || x->kind == SA_PY_A_NUM ||
	    x->kind == SA_PY_A_CONST;
}

static bool
compare_seq(struct comparing *c, const struct sa_py_seq *x,
    const struct sa_py_seq *y, unsigned depth)
{
	if (x->n != y->n || x->site != y->site ||
	    !compare(c, x->rest, y->rest, depth))
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (!compare(c, x->item[i], y->item[i], depth))
			return false;
	return true;
}

static bool
compare_atom(struct comparing *c, const struct sa_py_atom *x,
    const struct sa_py_atom *y, unsigned depth)
{
	c->looked++;
	if (c->left == 0 || x->kind != y->kind || x->id != y->id)
		return false;
	c->left--;
	if (x->p == y->p)
		return true;
	switch (x->kind) {
	case SA_PY_A_STR:
	case SA_PY_A_NUM:
		return same_text(x->p, y->p);
	case SA_PY_A_LIST:
	case SA_PY_A_DICT:
		return depth == 0 || compare_seq(c, x->p, y->p, depth - 1);
	case SA_PY_A_METHOD:
		return depth == 0 || compare(c, x->p, y->p, depth - 1);
	default:
		return true;
	}
}

/* Whether x has the atom; i is where it most likely is. */
static bool
has(struct comparing *c, const struct sa_py_val *x, const struct sa_py_atom *a,
    uint32_t i, unsigned depth)
{
	if (c->covers && x->any && is_plain(a))
		return true;
	if (i < x->n && compare_atom(c, &x->atom[i], a, depth))
		return true;
	for (i = 0; i < x->n && c->left > 0; i++)
		if (compare_atom(c, &x->atom[i], a, depth))
			return true;
	return false;
}

static bool
compare(struct comparing *c, const struct sa_py_val *x,
    const struct sa_py_val *y, unsigned depth)
{
	if (x == y || (c->covers && y == NULL))
		return true;
	if (x == NULL)
		x = &sa_py_never;
	if (y == NULL)
		return false;
	if (c->covers ? y->any && !x->any : x->n != y->n || x->any != y->any)
		return false;
	for (uint32_t i = 0; i < y->n; i++)
		if (!has(c, x, &y->atom[i], i, depth))
			return false;
	return true;
}

/* Whether they are one list that two passes made. */
static bool
made_again(struct sa_py_arena *a, const struct sa_py_atom *x,
    const struct sa_py_atom *y)
{
	struct comparing c = { .left = MAX_MERGED };
	const struct sa_py_seq *s = x->p, *t = y->p;

	if (s->site != t->site || s->n != t->n || s->n > MAX_MERGED)
		return false;
	bool same = compare_seq(&c, s, t, DEPTH);
	a->spent += 4 * (size_t)c.looked;
	return same;
}

/* Kind and id at once. */
static uint64_t
label(const struct sa_py_atom *x)
{
	uint64_t l;

	_Static_assert(offsetof(struct sa_py_atom, p) == sizeof(l), "label");
	memcpy(&l, x, sizeof(l));
	return l;
}

/* Whether two atoms of one kind and id are the same. */
static bool
holds_atom(const struct sa_py_atom *x, const struct sa_py_atom *y)
{
	switch (x->kind) {
	case SA_PY_A_STR:
	case SA_PY_A_NUM:
		return same_text(x->p, y->p);
	case SA_PY_A_METHOD: /* with_methods() put their objects together */
		return true;
	default:
		return false;
	}
}

static bool
holds(struct sa_py_arena *a, const struct sa_py_val *v,
    const struct sa_py_atom *x)
{
	uint64_t l = label(x);

	for (uint32_t i = 0; i < v->n; i++)
		if (label(&v->atom[i]) == l &&
		    (v->atom[i].p == x->p || holds_atom(&v->atom[i], x)))
			return true;
	/* Most often a list is the very same, and to look into it costs. */
	if (x->kind != SA_PY_A_LIST && x->kind != SA_PY_A_DICT)
		return false;
	for (uint32_t i = 0; i < v->n; i++)
		if (label(&v->atom[i]) == l && made_again(a, &v->atom[i], x))
			return true;
	return false;
}

bool
sa_py_compare(const struct sa_py_val *x, const struct sa_py_val *y)
{
	struct comparing c = { .left = MAX_COMPARED };

	return compare(&c, x, y, DEPTH);
}

bool
sa_py_covers(const struct sa_py_val *x, const struct sa_py_val *y)
{
	struct comparing c = { .left = MAX_COMPARED, .covers = true };

	return compare(&c, x, y, DEPTH);
}

/* What the value's method of that name is of, or NULL. */
static const struct sa_py_val *
method_of(const struct sa_py_val *v, uint32_t id)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->atom[i].kind == SA_PY_A_METHOD && v->atom[i].id == id)
			return v->atom[i].p;
	return NULL;
}

const struct sa_py_val *
sa_py_widen(struct sa_py_arena *a, const struct sa_py_val *old,
    const struct sa_py_val *now)
{
	if (now == NULL)
		now = &sa_py_never;
	if (old == NULL)
		old = &sa_py_never;
	struct sa_py_val *v =
	    sa_py_alloc(a, sizeof(*v) + now->n * sizeof(struct sa_py_atom));
	v->n = 0;
	v->any = old->any || now->any;
	for (uint32_t i = 0; i < now->n; i++) {
		const struct sa_py_atom *x = &now->atom[i];
		if (is_plain(x) && !holds(a, old, x)) {
			v->any = true;
			continue;
		}
		v->atom[v->n] = *x;
		if (x->kind == SA_PY_A_METHOD)
			v->atom[v->n].p =
			    sa_py_union(a, method_of(old, x->id), x->p);
		v->n++;
	}
	return v;
}

/* Whether x has the list that y is, be it of another pass. */
static bool
holds_site(const struct sa_py_val *x, const struct sa_py_atom *y)
{
	const struct sa_py_seq *s = y->p;

	for (uint32_t i = 0; i < x->n; i++)
		if (x->atom[i].kind == y->kind &&
		    ((const struct sa_py_seq *)x->atom[i].p)->site == s->site)
			return true;
	return false;
}

/* What x has no room for: where it can be called or changed, that has to be
 * known. */
static void
lose(struct sa_py_arena *a, const struct sa_py_val *x,
    const struct sa_py_atom *y)
{
	if (y->kind == SA_PY_A_FUNCTION)
		a->lost = a->lost || !holds(a, x, y);
	else if (y->kind == SA_PY_A_LIST || y->kind == SA_PY_A_DICT)
		a->lost = a->lost || !holds_site(x, y);
}

/* x, whose methods are those of what they are of in y too: there is one of
 * each name. */
static const struct sa_py_val *
with_methods(struct sa_py_arena *a, const struct sa_py_val *x,
    const struct sa_py_val *y)
{
	struct sa_py_val *v = NULL;

	for (uint32_t k = 0; k < y->n; k++)
		for (uint32_t i = 0;
		     y->atom[k].kind == SA_PY_A_METHOD && i < x->n; i++) {
			if (x->atom[i].kind != SA_PY_A_METHOD ||
			    x->atom[i].id != y->atom[k].id)
				continue;
			const struct sa_py_val *of =
			    sa_py_union(a, x->atom[i].p, y->atom[k].p);
			if (of == x->atom[i].p)
				continue;
			size_t size = x->n * sizeof(x->atom[0]);
			if (v == NULL) {
				v = sa_py_alloc(a, sizeof(*v) + size);
				*v = (struct sa_py_val){ .n = x->n,
					.any = x->any };
				memcpy(v->atom, x->atom, size);
			}
			v->atom[i].p = of;
		}
	return v != NULL ? v : x;
}

const struct sa_py_val *
sa_py_unite(struct sa_py_arena *a, const struct sa_py_val *x,
    const struct sa_py_val *y)
{
	if (x->any && x->n == SA_PY_MAX_ATOMS) {
		for (uint32_t i = 0; i < y->n; i++)
			lose(a, x, &y->atom[i]);
		return x;
	}
	if (a->spent > a->budget)
		return &sa_py_any;
	/* Most often one is the other with more behind it. */
	uint32_t least = x->n < y->n ? x->n : y->n;
	if (memcmp(x->atom, y->atom, least * sizeof(x->atom[0])) == 0) {
		if (least == y->n && (x->any || !y->any))
			return x;
		if (least == x->n && (y->any || !x->any))
			return y;
	}
	x = with_methods(a, x, y);
	uint32_t count = 0;
	bool fresh[SA_PY_MAX_ATOMS];
	for (uint32_t i = 0; i < y->n; i++) {
		fresh[i] = !holds(a, x, &y->atom[i]);
		count += fresh[i];
	}
	if (count == 0 && (x->any || !y->any))
		return x;
	uint32_t room = x->n + count;
	bool over = room > SA_PY_MAX_ATOMS;
	if (over)
		room = SA_PY_MAX_ATOMS;
	struct sa_py_val *v =
	    sa_py_alloc(a, sizeof(*v) + room * sizeof(struct sa_py_atom));
	memcpy(v->atom, x->atom, x->n * sizeof(x->atom[0]));
	v->n = x->n;
	v->any = x->any || y->any || over;
	for (uint32_t i = 0; i < y->n; i++)
		if (v->n == room)
			lose(a, v, &y->atom[i]);
		else if (fresh[i])
			v->atom[v->n++] = y->atom[i];
	return v;
}

const struct sa_py_str *
sa_py_str_of(struct sa_py_arena *a, const char *s, size_t len, uint32_t src)
{
	struct {
		struct sa_py_str str;
		struct sa_py_run run;
	} *m = sa_py_alloc(a, sizeof(*m));

	m->run = (struct sa_py_run){ .at = 0, .src = src };
	m->str = (struct sa_py_str){ .s = s,
		.len = (uint32_t)len,
		.run = &m->run,
		.nrun = 1 };
	return &m->str;
}

const struct sa_py_str *
sa_py_str_copy(struct sa_py_arena *a, const char *s, size_t len,
    const struct sa_py_run *run, uint32_t nrun)
{
	char *bytes = sa_py_alloc(a, len + 1);
	struct sa_py_run *r = sa_py_alloc(a, (nrun + 1) * sizeof(*r));
	struct sa_py_str *str = sa_py_alloc(a, sizeof(*str));

	memcpy(bytes, s, len);
	bytes[len] = '\0';
	memcpy(r, run, nrun * sizeof(*r));
	*str = (struct sa_py_str){ .s = bytes,
		.len = (uint32_t)len,
		.run = r,
		.nrun = nrun };
	return str;
}

const struct sa_py_str *
sa_py_hole(struct sa_py_arena *a, uint32_t src)
{
	static const char hole[] = { (char)SA_SQL_HOLE, '\0' };

	return sa_py_str_of(a, hole, 1, src);
}

uint32_t
sa_py_source(const struct sa_py_str *s, uint32_t at)
{
	uint32_t lo = 0, hi = s->nrun;

	if (hi == 0)
		return 0;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->run[mid].at <= at)
			lo = mid;
		else
			hi = mid;
	}
	return s->run[lo].src + (at - s->run[lo].at);
}

bool
sa_py_has_hole(const struct sa_py_str *s)
{
	return memchr(s->s, SA_SQL_HOLE, s->len) != NULL;
}

const struct sa_py_str *
sa_py_part(struct sa_py_arena *a, const struct sa_py_str *s, uint32_t from,
    uint32_t to)
{
	uint32_t first = 0, n = 0;

	while (first + 1 < s->nrun && s->run[first + 1].at <= from)
		first++;
	while (first + n < s->nrun && s->run[first + n].at < to)
		n++;
	struct sa_py_str *p = sa_py_alloc(a, sizeof(*p));
	struct sa_py_run *r = sa_py_alloc(a, (n + 1) * sizeof(*r));
	for (uint32_t i = 0; i < n; i++) {
		r[i] = s->run[first + i];
		if (r[i].at < from) {
			r[i].src += from - r[i].at;
			r[i].at = from;
		}
		r[i].at -= from;
	}
	*p = (struct sa_py_str){ .s = s->s + from,
		.len = to - from,
		.run = r,
		.nrun = n,
		.bytes = s->bytes,
		.folded = s->folded };
	return p;
}

static void
text_grow(struct sa_py_arena *a, struct sa_py_text *t, uint32_t len,
    uint32_t nrun)
{
	if (t->cap < len) {
		char *s = sa_py_alloc(a, 2 * (size_t)len);
		if (t->len > 0)
			memcpy(s, t->s, t->len);
		t->s = s;
		t->cap = 2 * len;
	}
	if (t->capr < nrun) {
		struct sa_py_run *r =
		    sa_py_alloc(a, 2 * (size_t)nrun * sizeof(*r));
		if (t->nrun > 0)
			memcpy(r, t->run, t->nrun * sizeof(*r));
		t->run = r;
		t->capr = 2 * nrun;
	}
}

static void
text_add(struct sa_py_arena *a, struct sa_py_text *t, const struct sa_py_str *s)
{
	text_grow(a, t, t->len + s->len, t->nrun + s->nrun);
	memcpy(t->s + t->len, s->s, s->len);
	for (uint32_t i = 0; i < s->nrun; i++)
		t->run[t->nrun++] =
		    (struct sa_py_run){ .at = s->run[i].at + t->len,
			    .src = s->run[i].src };
	t->len += s->len;
}

const struct sa_py_str *
sa_py_concat(struct sa_py_arena *a, const struct sa_py_str *x,
    const struct sa_py_str *y)
{
	struct sa_py_text *t = x->text;

	if (x->len == 0)
		return y;
	if (y->len == 0)
		return x;
	if (x->len + y->len > SA_PY_MAX_TEXT || a->spent > a->budget)
		return sa_py_hole(a, sa_py_source(x, 0));
	if (t == NULL || t->len != x->len || t->nrun != x->nrun) {
		t = sa_py_alloc(a, sizeof(*t));
		*t = (struct sa_py_text){ 0 };
		text_grow(a, t, x->len + y->len, x->nrun + y->nrun);
		text_add(a, t, x);
	}
	text_add(a, t, y);
	struct sa_py_str *s = sa_py_alloc(a, sizeof(*s));
	*s = (struct sa_py_str){ .s = t->s,
		.run = t->run,
		.len = t->len,
		.nrun = t->nrun,
		.text = t,
		.bytes = x->bytes || y->bytes,
		.folded = true };
	return s;
}

static const struct sa_py_str *
atom_text(struct sa_py_arena *a, const struct sa_py_atom *x, uint32_t src)
{
	const struct sa_py_str *s = x->p;

	if (x->kind == SA_PY_A_NUM || (x->kind == SA_PY_A_STR && !s->bytes))
		return s;
	if (x->kind == SA_PY_A_CONST && x->id == SA_PY_NONE)
		return sa_py_str_of(a, "None", 4, src);
	if (x->kind == SA_PY_A_CONST && x->id == SA_PY_TRUE)
		return sa_py_str_of(a, "True", 4, src);
	if (x->kind == SA_PY_A_CONST && x->id == SA_PY_FALSE)
		return sa_py_str_of(a, "False", 5, src);
	return sa_py_hole(a, src);
}

/* Room for n alternatives, or for the most that there are. */
static struct sa_py_val *
make_room(struct sa_py_arena *a, size_t n)
{
	if (n > SA_PY_MAX_ATOMS)
		n = SA_PY_MAX_ATOMS;
	struct sa_py_val *v =
	    sa_py_alloc(a, sizeof(*v) + n * sizeof(struct sa_py_atom));
	*v = (struct sa_py_val){ 0 };
	return v;
}

/* Another text among v's; true where there is no room for it. */
static bool
overflows(struct sa_py_arena *a, struct sa_py_val *v, const struct sa_py_str *s)
{
	struct sa_py_atom x = { .kind = SA_PY_A_STR, .id = text_id(s), .p = s };

	if (holds(a, v, &x))
		return false;
	if (v->n == SA_PY_MAX_ATOMS)
		v->any = true;
	else
		v->atom[v->n++] = x;
	return v->any;
}

const struct sa_py_val *
sa_py_texts(struct sa_py_arena *a, const struct sa_py_val *v, uint32_t src)
{
	bool done = !v->any;

	for (uint32_t i = 0; done && i < v->n; i++)
		done = v->atom[i].kind == SA_PY_A_STR;
	if (done)
		return v;
	struct sa_py_val *r = make_room(a, (size_t)v->n + 1);
	for (uint32_t i = 0; i < v->n; i++)
		overflows(a, r, atom_text(a, &v->atom[i], src));
	if (v->any)
		overflows(a, r, sa_py_hole(a, src));
	return a->spent > a->budget ? &sa_py_any : r;
}

const struct sa_py_val *
sa_py_join2(struct sa_py_arena *a, const struct sa_py_val *x,
    const struct sa_py_val *y, uint32_t src)
{
	if (x->n == 1 && y->n == 1 && !x->any && !y->any)
		return sa_py_one(a, SA_PY_A_STR, 0,
		    sa_py_concat(a, x->atom[0].p, y->atom[0].p));
	struct sa_py_val *r = make_room(a, (size_t)x->n * y->n + 1);
	bool full = false;
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t j = 0; j < y->n && !full; j++)
			full = overflows(a, r,
			    sa_py_concat(a, x->atom[i].p, y->atom[j].p));
	if (x->any || y->any)
		overflows(a, r, sa_py_hole(a, src));
	return a->spent > a->budget ? &sa_py_any : r;
}
