/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYEVAL_H
#define SA_PYEVAL_H

#include "guard/pyprog.h"
#include "guard/pyval.h"

/*
 * What each expression of a program may be when it runs. In a function's own
 * straight line a name is what was assigned last; across functions, branches
 * and rounds of a loop it is all that it ever is. What flows between
 * functions (arguments, results, attributes, globals) is taken from the pass
 * before, and is unknown in the first: so each pass says no less than what
 * can happen, and each later one says it more precisely.
 */
struct sa_py_flow { /* everything that reaches a place in one pass */
	const struct sa_py_val *now, *before;
	uint32_t reader; /* who was last noted to ask for it */
	/* Passes: before is not what it was in the one before it; now is not;
	 * now is put together again. */
	uint8_t changed, moved, renewed;
	bool lost : 1;	  /* something had no room in now */
	bool doubted : 1; /* the first pass took what it brings for unknown */
};

/* What a body of a scope did in a pass, or asked for. One that asked for
 * nothing that has changed since is not evaluated again: it does the same. So
 * does an expression in one that is, where what it is made of is the same;
 * whoever lets the value of one depend on more than that and on flows has to
 * say so in made_of_new(). The bodies stand in each pass in the same order, one
 * inside of another; the last thing that a part of one did is to lose
 * something. */
enum sa_py_deed {
	SA_PY_DID_READ,	  /* id: a flow */
	SA_PY_DID_ADD,	  /* id: a flow, v */
	SA_PY_DID_ASK,	  /* id: a function, whether it is called */
	SA_PY_DID_CALL,	  /* id: a function */
	SA_PY_DID_EXPOSE, /* id: a function */
	SA_PY_DID_ESCAPE, /* id: depth, v */
	SA_PY_DID_NODE,	  /* id: a node, which did the next count */
	SA_PY_DID_WAIT,	  /* for the second pass, which does more */
	SA_PY_DID_LOSE,	  /* something had no room in a value */
	SA_PY_DID_BEGIN,  /* id: the BLOCK of a body inside of this one */
	SA_PY_DID_END	  /* id: the END of this one */
};
struct sa_py_note {
	enum sa_py_deed deed;
	uint32_t id;
	union {
		const struct sa_py_val *v;
		uint32_t count;
	};
};

struct sa_py_function {
	uint32_t next_method; /* another method of that name, or NOTHING */
	uint8_t changed;      /* the pass in which what follows last did */
	bool called, was_called;
	bool escaped, had_escaped; /* somebody unknown may call it */
	bool is_static, is_class, is_property;
	/* A method that Python itself calls, __or__; or one of a class that is
	 * made from a library's, which may call it. */
	bool is_implicit;
	bool is_derived;    /* a class that is made from a library's */
	uint32_t namesakes; /* methods of that name before it */
	uint32_t node;	    /* a class's CLASSDEF */
	uint32_t rest;	    /* which parameter is "*args", or NOTHING */
	uint32_t named;	    /* the same, "**named" */
};

struct sa_py_cell; /* a variable's state */

struct sa_py_name {
	const struct sa_py_val *builtin; /* made once it is asked for */
	uint32_t method;		 /* the first method's scope */
	uint8_t attr_type;		 /* enum sa_py_type */
	uint8_t call_type;		 /* the same, of a method's call */
	bool has_attr;			 /* whether any attribute is stored */
};

#define SA_PY_MAX_DUCKS 16
/* Names that one attribute may have; with more it is as if none was known. */
#define SA_PY_MAX_ATTRIBUTES 24

struct sa_py_eval {
	const struct sa_py_program *p;
	struct sa_py_program *symbols; /* the same, for new symbols */
	struct sa_py_arena arena; /* of all passes; the budget is for each */
	const struct sa_py_val **value; /* of each node, in the last pass */
	/* Of each node, the pass that gave it its value, and whether something
	 * had no room in it. */
	uint8_t *since;
	struct sa_py_cell *cell;   /* by variable */
	struct sa_py_flow *flow;   /* of all kinds: */
	struct sa_py_flow *param;  /* by parameter */
	struct sa_py_flow *all;	   /* by variable: all its values */
	struct sa_py_flow *attr;   /* stored in attributes, by symbol */
	struct sa_py_flow *result; /* of a function, by scope */
	struct sa_py_flow *every;  /* to any parameter, by scope */
	struct sa_py_flow *site;   /* added to a display, by site */
	uint32_t nflow;
	uint32_t *moved; /* flows whose now is not what it was in this pass */
	uint32_t nmoved;
	bool *escaped, *had_escaped; /* what a site makes, by site */
	bool *grows;		     /* only at their ends, by site */
	uint32_t append, extend;     /* symbols */
	uint32_t dict, modules, lookup[4], update, init, get, parent;
	uint32_t whole[4]; /* methods of x.__dict__ that give all of it */
	uint32_t by_name;  /* what has a name that is not known */
	uint32_t curried;  /* what functools.partial() gives */
	bool any_names;	   /* whether x.__dict__ or the like is met */
	uint32_t duck[SA_PY_MAX_DUCKS]; /* scopes of the methods by which a
					 * library uses any object: write */
	uint32_t nduck;
	struct sa_py_name *name;	 /* by symbol */
	uint32_t nsymbol;		 /* how many of them */
	struct sa_py_function *function; /* by scope */
	unsigned pass;			 /* from 1 */
	bool exhausted;			 /* the budget of one of them */
	bool had_lost;			 /* what arena.lost was before it */

	/* What the bodies did in this pass and in the one before. */
	struct sa_py_note *note, *old;
	uint32_t nnote, capnote, nold, capold;
	uint32_t at;	 /* the first of old that is not behind the walk */
	bool noting;	 /* whether this pass is noted */
	bool partial;	 /* this pass evaluates what has to be only */
	bool steady;	 /* what asks for the same gets the same */
	bool *again;	 /* by scope: whether its body has to be */
	bool done;	 /* nothing has to be */
	uint32_t unit;	 /* scope of the body that the walk is in */
	uint32_t reader; /* who is noted to ask: a body, or a node of it */
	uint32_t nlost;	 /* flows that lost something */
	bool lost;	 /* a body lost something, in this pass */

	/* The walk's state. */
	struct sa_py_undo *undo;
	uint32_t nundo, capundo;
	struct sa_py_frame *frame;
	uint32_t nframe, capframe;
	uint32_t serial;
};

void sa_py_eval_init(struct sa_py_eval *e, struct sa_py_program *p);
/* Does nothing where the pass could not say more than the one before it. */
void sa_py_eval_pass(struct sa_py_eval *e);
/* Whether one more pass would say much the same as the last. */
bool sa_py_eval_settled(struct sa_py_eval *e);
/* Whether a pass ran out of its budget, so that calls may have gone unseen. */
bool sa_py_eval_exhausted(const struct sa_py_eval *e);
/* Whether there is no room for more values, so that nothing behind some place
 * was looked at. */
bool sa_py_eval_full(const struct sa_py_eval *e);
void sa_py_eval_release(struct sa_py_eval *e);

/* The value of a call's argument by position or keyword (-1, NULL for none);
 * NULL where it is not given, unknown where a star may give it. */
const struct sa_py_val *sa_py_argument(struct sa_py_eval *e,
    const struct sa_py_node *call, int index, const char *keyword);
/* Whether the keyword is written, or is in a known dict behind "**". */
bool sa_py_has_keyword(struct sa_py_eval *e, const struct sa_py_node *call,
    const char *keyword);

/* What iterating over v may give. */
const struct sa_py_val *sa_py_elements(struct sa_py_eval *e,
    const struct sa_py_val *v);

/* r, and each step-th item of s from the first (0, or 1) on. The same step
 * goes with the same first. */
const struct sa_py_val *sa_py_items(struct sa_py_eval *e,
    const struct sa_py_val *r, const struct sa_py_seq *s, uint32_t first,
    uint32_t step);

/* For pyfold.c. */
/* Whether libraries use any object by a method of that name. */
bool sa_py_is_duck(const struct sa_py_symbol *name);
/* v goes to somebody unknown, who may call it and what it holds. */
void sa_py_escape(struct sa_py_eval *e, const struct sa_py_val *v);
const struct sa_py_val *sa_py_str_val(struct sa_py_eval *e,
    const struct sa_py_str *s);
const struct sa_py_val *sa_py_list_val(struct sa_py_eval *e, uint32_t site,
    uint32_t n, const struct sa_py_val *const *item,
    const struct sa_py_val *rest);
/* What may have been added to the display besides what was written. */
const struct sa_py_val *sa_py_added(struct sa_py_eval *e, uint32_t site);
void sa_py_add(struct sa_py_eval *e, const struct sa_py_seq *seq,
    const struct sa_py_val *v);
/* Whether what is added to a list stands behind what is in it. */
bool sa_py_grows(const struct sa_py_eval *e, const struct sa_py_seq *seq);
/* Calls a function of the file, or what f is, with these arguments. */
const struct sa_py_val *sa_py_apply(struct sa_py_eval *e,
    const struct sa_py_val *f, uint32_t n, const struct sa_py_val *const *arg);
/* Attribute symbol of v. */
const struct sa_py_val *sa_py_attribute(struct sa_py_eval *e,
    const struct sa_py_val *v, uint32_t symbol);

/* Whether the atom holds things by their names: x.__dict__, sys.modules. */
bool sa_py_is_names(const struct sa_py_eval *e, const struct sa_py_atom *a);
static inline bool
sa_py_has_names(const struct sa_py_eval *e, const struct sa_py_val *v)
{
	for (uint32_t i = 0; e->any_names && i < v->n; i++)
		if (sa_py_is_names(e, &v->atom[i]))
			return true;
	return false;
}
/* One of what such an atom holds, nobody knows which. */
const struct sa_py_val *sa_py_any_of_names(struct sa_py_eval *e);
/* What **v adds to a dict: not known, but for what in it can be called. */
const struct sa_py_val *sa_py_spread(struct sa_py_eval *e,
    const struct sa_py_val *v);

/* Attribute symbol of anything may be v. */
void sa_py_store(struct sa_py_eval *e, uint32_t symbol,
    const struct sa_py_val *v);
/* What such an atom holds by that name; unknown where the name is. */
const struct sa_py_val *sa_py_of_name(struct sa_py_eval *e,
    const struct sa_py_atom *a, const struct sa_py_val *name);

#define SA_PY_NO_SITE 0xffffffffU

/* A call of a builtin or of a text's, list's or dict's method; NULL where it
 * is none that is known. */
const struct sa_py_val *sa_py_fold_builtin(struct sa_py_eval *e,
    const struct sa_py_node *call, const char *path);
const struct sa_py_val *sa_py_fold_method(struct sa_py_eval *e,
    const struct sa_py_node *call, const struct sa_py_atom *object,
    const char *name);
/* x % y, and an item or a slice of a text, list or dict. */
const struct sa_py_val *sa_py_fold_percent(struct sa_py_eval *e,
    const struct sa_py_val *x, const struct sa_py_val *y, uint32_t src);
const struct sa_py_val *sa_py_fold_repeat(struct sa_py_eval *e,
    const struct sa_py_val *x, const struct sa_py_val *y, uint32_t src);
const struct sa_py_val *sa_py_fold_index(struct sa_py_eval *e,
    const struct sa_py_node *n);

#endif
