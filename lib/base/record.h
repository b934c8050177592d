/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RECORD_H
#define SA_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "base/cli.h"
#include "base/err.h"
#include "base/settings.h"

/*
 * The store: the data directory and the records in it (sa(7), FILES). Paths
 * below are relative to it ("pending/p_.../record.json"). Directories are
 * 2770, files 0640. Reading creates nothing: a data directory that is not
 * there reads as an empty one.
 */
struct sa_store;

/* create: makes the directory with .gitignore and store-id where missing.
 * SA_IO names the directory and what to do. Caller frees. */
struct sa_store *sa_store_open(const struct sa_settings *s, bool create,
    struct sa_err *err);
void sa_store_free(struct sa_store *st);

/* Gives a failure of kind SA_IO that errno tells the reason of, and that has no
 * hint yet, one that names the data directory and the next step. Always -1;
 * the functions here do it themselves. */
int sa_store_explain(const struct sa_store *st, struct sa_err *err);

/* Absolute path; borrowed. */
const char *sa_store_path(const struct sa_store *st);
/* 12 hexadecimal digits; "" for a store that is not there. */
const char *sa_store_id(const struct sa_store *st);

/* Opens a directory below the store without following links, made where
 * create is set. -1: SA_NOT_FOUND where it is not there. */
int sa_store_dir(const struct sa_store *st, const char *rel, bool create,
    struct sa_err *err);

/*
 * One record. what names it in errors ("connection 'prod'"). Missing:
 * SA_NOT_FOUND, "unknown WHAT". Broken, of another type or version:
 * SA_INVALID. types as in sa_json_check_record; legacy: a record of the
 * predecessor, without v and type, is taken.
 */
int sa_record_read(const struct sa_store *st, const char *rel,
    const char *types, bool legacy, const char *what, json_t **out,
    struct sa_err *err);

/* Puts the record in place, whole or not at all, and durably. The directory
 * must be there. SA_INVALID where it is over SA_RECORD_MAX. */
int sa_record_write(const struct sa_store *st, const char *rel,
    const json_t *record, const char *what, struct sa_err *err);

/* Takes the lock file rel (its directory must be there), waiting up to
 * SA_LOCK_WAIT_MS. A descriptor that is the lock. */
int sa_store_lock(const struct sa_store *st, const char *rel, const char *what,
    struct sa_err *err);

/*
 * The names in a directory below the store, sorted, newest (greatest) first
 * where descending is set: entries that end in suffix ("" for directories),
 * without it, and do not begin with a dot. n of them; v is NULL where there is
 * none, else ends with NULL. An absent directory has none. Caller frees with
 * sa_names_free.
 */
struct sa_names {
	char **v;
	size_t n;
};
int sa_store_names(const struct sa_store *st, const char *rel,
    const char *suffix, bool descending, struct sa_names *out,
    struct sa_err *err);
void sa_names_free(struct sa_names *names);

/*
 * The body of every list verb: the records DIR/NAME.json (flat) or
 * DIR/NAME/record.json, from --after on, through fix, which may change the
 * record for display and gives false to leave it out (NULL: all as they
 * are). A record that cannot be read is skipped with a warning.
 */
struct sa_record_list {
	const char *dir;
	bool flat;
	bool descending;
	const char *types;
	bool legacy;
	const char *type; /* of the list: TYPE_list */
	const struct sa_column *columns;
	bool (*fix)(void *arg, const char *name, json_t *record, bool *changed);
	/* whether a record's text (see base/jsonscan.h) goes out as it stands,
	 * so that it need not be parsed; NULL: never */
	bool (*plain)(void *arg, const char *text, size_t len);
	void *arg;
};
int sa_record_list(const struct sa_store *st, struct sa_cli *cli,
    const struct sa_record_list *l, struct sa_err *err);

#endif
