/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SINKS_H
#define SA_SINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The Python calls that hand text to a SQL parser, run code or destroy data.
 * sinks.def is the table; this is how to look into it.
 */
enum sa_sink_mode {
	SA_SINK_STATEMENT,  /* the argument is what spark.sql() takes */
	SA_SINK_EXPRESSION, /* what expr() takes */
	SA_SINK_FOREIGN,    /* SQL of another database */
	SA_SINK_TABLE,	    /* a table, or a query in parentheses for it */
	SA_SINK_CALL	    /* the call itself is the finding */
};

/* How grave it is. For a text: what follows where it is not known. */
enum sa_sink_level {
	SA_SINK_HARD,	   /* text: unknown is unresolved */
	SA_SINK_SOFT,	   /* text: only what is known is judged */
	SA_SINK_NOTE,	   /* warns */
	SA_SINK_OVERWRITE, /* warns; rejects where overwriting does */
	SA_SINK_RISK,	   /* warns; rejects under strict */
	SA_SINK_REJECT
};

/*
 * receiver: "" for a builtin; "*" for a method of anything; "@writer" for an
 * object of that type; else the module or class, by its dotted path.
 * argument: a position, -1 for none (keyword only), -2 for all of them.
 * when (of SA_SINK_CALL, may be NULL): the argument must be able to be one of
 * these words, "a|b"; or "*text": be a text, "*unknown": not be known,
 * "*write": be a mode that open() writes in, "*java": be, or not be known not
 * to be, a SQL function that calls Java, "*local": be a text in which pandas
 * calls a function of the script, "*loader": be one of PyYAML's that make
 * any object, "*factory": hold the dotted path of a
 * function that runs code or destroys.
 */
struct sa_sink {
	const char *name, *receiver;
	int argument;
	const char *keyword;
	enum sa_sink_mode mode;
	const char *when;
	enum sa_sink_level level;
	const char *rule;
};

enum sa_py_type {
	SA_PY_T_NONE,
	SA_PY_T_WRITER,
	SA_PY_T_WRITER2,
	SA_PY_T_READER,
	SA_PY_T_CATALOG,
	SA_PY_T_DELTA,
	SA_PY_T_MERGE,
	SA_PY_T_TABLE, /* of pyiceberg, or what a bucket holds */
	SA_PY_T_SQLTRANSFORMER,
	SA_PY_T_PATH,	  /* pathlib's */
	SA_PY_T_FILES,	  /* what dbutils.fs is, or another file system */
	SA_PY_T_RUNNER,	  /* of code in a text: a profiler, a debugger */
	SA_PY_T_SELF,	  /* the object of the method that is looked at */
	SA_PY_T_INSTANCE, /* of a class of the file */
	SA_PY_T_TYPE	  /* what type(x) gives */
};

/* The rows with that name; *n gets their number. NULL for none. */
const struct sa_sink *sa_sinks(const char *name, size_t len, size_t *n);
/* Whether any table has the name. */
bool sa_sink_named(const char *name, size_t len);
/* Whether a call of that name is looked into without a row. */
bool sa_sink_special(const char *name, size_t len);
/*
 * What it means for a program that it has a name, as sets of receivers: which
 * ones there may be then; of which any use of the name may be a finding; of
 * which a call with more than least arguments, or with one by its keyword, may
 * be one, or a use that is no call. SA_SINK_ANY is in the set of each program.
 * What such a call may do with its first argument, where it has no more than
 * two and one counts:
 */
enum sa_sink_first {
	SA_SINK_FIRST_ANY,
	SA_SINK_FIRST_KEY, /* takes it for an option's key */
	SA_SINK_FIRST_SOFT /* judges it, where it is a text that is known */
};
struct sa_sink_hint {
	uint64_t brings, wants, given;
	uint8_t least, first;
	bool trusted; /* sa_sink_trusted() */
};
#define SA_SINK_ANY UINT64_C(1)
/* NULL for a name that means nothing. hash is its sa_hash(). */
const struct sa_sink_hint *sa_sink_hint(const char *name, size_t len,
    uint32_t hash);

/* Whether it is a module whose functions are what Python has by their names. */
bool sa_sink_trusted(const char *path, size_t len);

/* An option by its key, NULL for none; name is the key. */
const struct sa_sink *sa_sink_option(const char *key, size_t len);
/* An attribute or module that is a finding by itself; NULL for none. An
 * attribute's when is not NULL where other classes have such a name too. */
const struct sa_sink *sa_sink_attribute(const char *name, size_t len);
const struct sa_sink *sa_sink_import(const char *path, size_t len);

/* The type that an attribute or a call of that name gives. receiver is the
 * dotted path of a class or "". */
enum sa_py_type sa_sink_type_of(const char *name, size_t len, bool call,
    const char *receiver, size_t rlen);
/* "@writer" to its type; NONE for what is none. */
enum sa_py_type sa_sink_type(const char *receiver);

/* NULL, or the first name of the table that is out of order. */
const char *sa_sinks_unsorted(void);

#endif
