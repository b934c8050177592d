/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYVAL_H
#define SA_PYVAL_H

#include "guard/pystr.h"

/*
 * What an expression may be: a small set of things that are known, and
 * whether it may be anything else too. Values never change once made and live
 * as long as their arena. Whatever is over a cap becomes unknown; nothing is
 * dropped in silence.
 */
#define SA_PY_MAX_ATOMS 32	   /* alternatives in a value */
#define SA_PY_MAX_TEXT (64 * 1024) /* bytes of a text that is put together */

/* Memory that goes away at once. */
struct sa_py_arena {
	struct sa_py_chunk *chunk;
	size_t spent;	   /* bytes made or looked at so far */
	size_t budget;	   /* over it, things become unknown */
	size_t made, room; /* bytes in all, and the most of them */
	bool lost;	   /* a function or a list had no room in a value */
	const struct sa_py_val *constant[256]; /* those made, by id */
};
void *sa_py_alloc(struct sa_py_arena *a, size_t size);
/* Counts work that makes nothing; true where the budget is used up, and
 * whoever asks must take the unknown for an answer. */
bool sa_py_spend(struct sa_py_arena *a, size_t work);
void sa_py_arena_release(struct sa_py_arena *a);

/* A text; SA_SQL_HOLE stands for a piece that is not known. Its runs say
 * where in the source it came from. */
struct sa_py_text;
struct sa_py_str {
	const char *s;
	const struct sa_py_run *run;
	uint32_t len, nrun;
	struct sa_py_text *text; /* what it is the beginning of, or NULL */
	bool bytes;
	bool folded; /* more than one literal */
};

enum sa_py_atom_kind {
	SA_PY_A_STR,	  /* p: sa_py_str; id: sa_py_one() gives it */
	SA_PY_A_NUM,	  /* p: sa_py_str, its digits; id: the same */
	SA_PY_A_CONST,	  /* id: token kind; 0 for a truth value, say */
	SA_PY_A_LIST,	  /* p: sa_py_seq; list, tuple, set, iterator */
	SA_PY_A_DICT,	  /* p: sa_py_seq of keys and values in turn */
	SA_PY_A_REF,	  /* id: symbol of a dotted path: module, builtin */
	SA_PY_A_METHOD,	  /* id: symbol, p: what it is of, no METHODs */
	SA_PY_A_FUNCTION, /* id: scope */
	SA_PY_A_CLASS,	  /* id: scope */
	SA_PY_A_OBJECT	  /* id: enum sa_py_type; p: NULL */
};

struct sa_py_atom {
	uint32_t kind, id;
	const void *p;
};

struct sa_py_val {
	uint32_t n;
	bool any; /* or something that is not known */
	struct sa_py_atom atom[];
};

/* What becomes known of a list or a dict that itself does not change. */
struct sa_py_memo {
	/* All elements, or keys; all values of a dict: NULL where nobody asked.
	 * And whether something had no room in it. */
	const struct sa_py_val *all[2];
	bool lost[2];
	uint8_t escaped; /* the last pass in which somebody unknown got it */
};

/* Elements in order, then any number of others that may be among them. */
struct sa_py_seq {
	uint32_t site; /* where it was made: what may be added to it */
	uint32_t n;
	struct sa_py_memo *memo, own; /* memo points to own */
	const struct sa_py_val *rest; /* NULL for none */
	const struct sa_py_val *item[];
};

extern const struct sa_py_val sa_py_any;   /* only unknown */
extern const struct sa_py_val sa_py_never; /* no value at all */

const struct sa_py_val *sa_py_one(struct sa_py_arena *a,
    enum sa_py_atom_kind kind, uint32_t id, const void *p);
const struct sa_py_val *sa_py_unite(struct sa_py_arena *a,
    const struct sa_py_val *x, const struct sa_py_val *y);

/* Either may be NULL, for no value. */
static inline const struct sa_py_val *
sa_py_union(struct sa_py_arena *a, const struct sa_py_val *x,
    const struct sa_py_val *y)
{
	if (x == NULL || (x->n == 0 && !x->any))
		return y != NULL ? y : &sa_py_never;
	if (y == NULL || x == y)
		return x;
	if (y->n == 0 && (x->any || !y->any) && a->spent <= a->budget)
		return x;
	return sa_py_unite(a, x, y);
}

/* Whether they say the same, by their texts and kinds. */
bool sa_py_compare(const struct sa_py_val *x, const struct sa_py_val *y);
static inline bool
sa_py_alike(const struct sa_py_val *x, const struct sa_py_val *y)
{
	return x == y || sa_py_compare(x, y);
}
/* Whether all of y is in x. A text is in what is not known, but a list or a
 * function is not: what is done to it has to be seen. */
bool sa_py_covers(const struct sa_py_val *x, const struct sa_py_val *y);
/* now, but with what is not known for each text that old did not have, and
 * where old was not known: so that what grows comes to an end. */
const struct sa_py_val *sa_py_widen(struct sa_py_arena *a,
    const struct sa_py_val *old, const struct sa_py_val *now);

/* A text of bytes that outlive the arena, from src on. */
const struct sa_py_str *sa_py_str_of(struct sa_py_arena *a, const char *s,
    size_t len, uint32_t src);
/* The same with its runs; both are copied. */
const struct sa_py_str *sa_py_str_copy(struct sa_py_arena *a, const char *s,
    size_t len, const struct sa_py_run *run, uint32_t nrun);
const struct sa_py_str *sa_py_hole(struct sa_py_arena *a, uint32_t src);
/* A part of a text. */
const struct sa_py_str *sa_py_part(struct sa_py_arena *a,
    const struct sa_py_str *s, uint32_t from, uint32_t to);
const struct sa_py_str *sa_py_concat(struct sa_py_arena *a,
    const struct sa_py_str *x, const struct sa_py_str *y);
/* Where byte at of the text came from. */
uint32_t sa_py_source(const struct sa_py_str *s, uint32_t at);
bool sa_py_has_hole(const struct sa_py_str *s);

/* What str(x) or a field makes of each alternative: texts only. */
const struct sa_py_val *sa_py_texts(struct sa_py_arena *a,
    const struct sa_py_val *v, uint32_t src);
/* Each text of x before each of y. Both hold texts only. */
const struct sa_py_val *sa_py_join2(struct sa_py_arena *a,
    const struct sa_py_val *x, const struct sa_py_val *y, uint32_t src);

#endif
