/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYPROG_H
#define SA_PYPROG_H

#include "base/buf.h"
#include "guard/hash.h"
#include "guard/pylex.h"
#include "guard/pyslab.h"

/*
 * A Python program as the guard reads it: one array of nodes in the order in
 * which an evaluation meets them, children before parents, so that a reader is
 * a loop and needs no stack. Statements are nodes too, between their parts.
 *
 * The parser takes more than Python does where Python itself would refuse to
 * run (an elif without an if), never less: text that it cannot take is an
 * error. Nesting is bounded; time is linear.
 */
enum sa_py_op {
	SA_PY_N_NAME,	 /* a: symbol, b: variable or NOVAR */
	SA_PY_N_NUMBER,	 /* a: token */
	SA_PY_N_CONST,	 /* a: token kind (None, True, False, ...) */
	SA_PY_N_STRING,	 /* a: token; op: 1 raw text of a format string */
	SA_PY_N_FIELD,	 /* a: value, b: JOIN of the spec or NONE; op: the
			    conversion's letter; c: 1 plain, 2 with "=",
			    whose text runs from d to e */
	SA_PY_N_JOIN,	 /* STRINGs and FIELDs; list */
	SA_PY_N_LIST,	 /* list of elements; op: '[', '(' or '{'; c: site */
	SA_PY_N_DICT,	 /* list of key, value, ...; key NONE for **; c: site */
	SA_PY_N_COMP,	 /* a: element, b: value of a dict's or NONE; c: site */
	SA_PY_N_ATTR,	 /* a: object, b: symbol */
	SA_PY_N_INDEX,	 /* a: object, b: index; c: site */
	SA_PY_N_SLICE,	 /* a, b, c: bounds or NONE */
	SA_PY_N_CALL,	 /* a: site, c: callee; list of value, name, ... */
	SA_PY_N_UNARY,	 /* op, a */
	SA_PY_N_BINARY,	 /* op, a, b; c: site */
	SA_PY_N_BOOL,	 /* a, b: and, or */
	SA_PY_N_COMPARE, /* a, b */
	SA_PY_N_COND,	 /* a: if true, b: else */
	SA_PY_N_LAMBDA,	 /* a: body, c: scope */
	SA_PY_N_STAR,	 /* a: *a; c: site */
	SA_PY_N_AWAIT,	 /* a */
	SA_PY_N_YIELD,	 /* a or NONE */

	SA_PY_N_EXPR,	  /* a: an expression statement's value; op: 1 for
			     what decorators gave, which others may call */
	SA_PY_N_ASSIGN,	  /* a: target, b: value; op: 1 for := */
	SA_PY_N_AUGMENT,  /* op, a: target, b: value */
	SA_PY_N_EACH,	  /* a: target, b: what is iterated over */
	SA_PY_N_WITH,	  /* a: target, b: context manager */
	SA_PY_N_FORGET,	  /* a: target whose value is unknown from here on, b:
			     what it may be all the same, or NOTHING; op: 1 for
			     what that holds, too, 2 for what it was, 3 for an
			     attribute of it, besides */
	SA_PY_N_IMPORT,	  /* a: variable's NAME, b: symbol of the dotted path,
			     c: of all that is imported */
	SA_PY_N_STARRED,  /* from a import *; a: symbol of the module */
	SA_PY_N_RETURN,	  /* a or NONE; c: scope */
	SA_PY_N_DEF,	  /* a: NAME, b: number of decorators that op does
			     not name, c: scope */
	SA_PY_N_CLASSDEF, /* the same; list of bases */
	SA_PY_N_BLOCK,	  /* op: enum sa_py_block; c: its END node */
	SA_PY_N_END	  /* of a block; c: its BLOCK node */
};

/* Kinds of nodes that are looked for outside of an evaluation. */
#define SA_PY_LISTED                                         \
	(1ULL << SA_PY_N_STRING | 1ULL << SA_PY_N_JOIN |     \
	    1ULL << SA_PY_N_ATTR | 1ULL << SA_PY_N_CALL |    \
	    1ULL << SA_PY_N_INDEX | 1ULL << SA_PY_N_IMPORT | \
	    1ULL << SA_PY_N_STARRED | 1ULL << SA_PY_N_DEF |  \
	    1ULL << SA_PY_N_CLASSDEF)

/* A DEF's op. */
enum sa_py_decoration {
	SA_PY_D_NONE,
	SA_PY_D_STATIC,
	SA_PY_D_CLASS,
	SA_PY_D_PROPERTY
};

enum sa_py_block {
	SA_PY_B_PLAIN, /* match: holds cases */
	SA_PY_B_MAYBE, /* if, else, case */
	SA_PY_B_TRY,   /* try, with: may stop anywhere and go on behind */
	SA_PY_B_LOOP,
	SA_PY_B_SCOPE /* a body of its own scope */
};

#define SA_PY_NOTHING 0xffffffffU
/* The name of an argument that is "**value". */
#define SA_PY_DOUBLE_STAR 0xfffffffeU

/* The most that a program may have. The parser stops at them, and memory for
 * a program and its values stays below 32 MiB. */
#define SA_PY_MAX_NODES (1U << 18)
#define SA_PY_MAX_NAMES (1U << 16)
#define SA_PY_MAX_SCOPES (1U << 15)

struct sa_py_node {
	uint8_t kind, op;
	uint16_t flags; /* SA_PY_F_* */
	uint32_t scope;
	uint32_t offset; /* where it begins in the source */
	uint32_t a, b, c;
	uint32_t first, count; /* list: program->pool[first ...] */
};

enum {
	SA_PY_F_DOC = 1 << 0,	 /* a string that is a statement */
	SA_PY_F_TARGET = 1 << 1, /* is assigned to, not read */
	SA_PY_F_SPEC = 1 << 2,	 /* a JOIN behind a field's colon */
	SA_PY_F_PART = 1 << 3,	 /* of a JOIN */
	SA_PY_F_DECORATES = 1 << 4,
	SA_PY_F_READ = 1 << 5 /* a target whose value is asked for too */
};

enum sa_py_scope_kind {
	SA_PY_S_MODULE,
	SA_PY_S_FUNCTION,
	SA_PY_S_CLASS,
	SA_PY_S_LAMBDA,
	SA_PY_S_COMPREHENSION
};

struct sa_py_param {
	uint32_t var;
	uint32_t value; /* node of the default or NOTHING */
	uint8_t kind;	/* 0, or '*' and 'p' (for **) */
};

struct sa_py_scope {
	uint8_t kind;
	uint32_t parent;
	uint32_t name;		/* symbol, NOTHING for none */
	uint32_t first, nparam; /* program->param[first ...] */
	/* The annotated names of a class as a list through program->field[],
	 * NOTHING for none; odd where the order of a constructor's parameters
	 * may be another one. */
	uint32_t first_field, last_field;
	bool odd;
};
struct sa_py_field {
	uint32_t symbol, next;
};

/* A name in the scope that binds it. stores are its binding nodes, ascending,
 * as a list through program->store[]. */
struct sa_py_var {
	uint32_t scope, symbol;
	uint32_t first_store, last_store;
};
struct sa_py_store {
	uint32_t node, next;
};

struct sa_py_symbol {
	const char *s; /* not terminated */
	uint64_t hash; /* sa_hash_all() */
	uint32_t len;
};

struct sa_py_tables;
struct sa_py_program {
	const char *text;
	size_t len;
	struct sa_py_slab slab; /* of what follows, and of its evaluation */
	struct sa_py_tokens tokens;
	struct sa_py_node *node;
	uint32_t nnode, capnode;
	uint32_t *listed; /* the nodes of those kinds, ascending */
	uint32_t nlisted, caplisted;
	/* Expressions whose values Python keeps in attributes: annotations and
	 * what t-strings hold; first node and the one behind the last. */
	uint32_t *kept;
	uint32_t nkept, capkept;
	uint32_t *pool;
	uint32_t npool, cappool;
	struct sa_py_scope *scope;
	uint32_t nscope, capscope;
	struct sa_py_field *field;
	uint32_t nfield, capfield;
	struct sa_py_param *param;
	uint32_t nparam, capparam;
	struct sa_py_var *var;
	uint32_t nvar, capvar;
	struct sa_py_store *store;
	uint32_t nstore, capstore;
	struct sa_py_symbol *symbol;
	uint32_t nsymbol, capsymbol;
	bool full;		     /* more nodes than the most */
	bool augments;		     /* something is += */
	bool captures;		     /* of attributes that a class names */
	uint32_t nsite;		     /* where lists and dicts are made */
	struct sa_py_tables *tables; /* hashes and copied names */
};

/* text must outlive the program. */
void sa_py_program_init(struct sa_py_program *p, const char *text, size_t len);
void sa_py_program_release(struct sa_py_program *p);

/* The number of a name; a new one where it was not met yet. s is borrowed
 * (the source, a constant) unless copy is set. */
uint32_t sa_py_symbol_hashed(struct sa_py_program *p, const char *s, size_t len,
    uint64_t hash, bool copy);
static inline uint32_t
sa_py_symbol(struct sa_py_program *p, const char *s, size_t len, bool copy)
{
	return sa_py_symbol_hashed(p, s, len, sa_hash_all(s, len), copy);
}

/* The variable of that name in exactly that scope, or NOTHING. */
uint32_t sa_py_var(const struct sa_py_program *p, uint32_t scope,
    uint32_t symbol);
/* The same; made where it was not there. */
uint32_t sa_py_var_make(struct sa_py_program *p, uint32_t scope,
    uint32_t symbol);
/* From now on the name in scope means var (global, nonlocal). */
void sa_py_var_alias(struct sa_py_program *p, uint32_t scope, uint32_t symbol,
    uint32_t var);
/* Notes that node binds var; nodes come in order. */
void sa_py_var_store(struct sa_py_program *p, uint32_t var, uint32_t node);

/* Notes that the class has the name annotated. */
void sa_py_field_add(struct sa_py_program *p, uint32_t scope, uint32_t symbol);

/* The variable that a name read in scope means, or NOTHING (a builtin, or
 * what a star import brings). */
uint32_t sa_py_var_find(const struct sa_py_program *p, uint32_t scope,
    uint32_t symbol);

/* Room for what so many tokens are likely to need. */
void sa_py_program_reserve(struct sa_py_program *p, uint32_t tokens);

#endif
