/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LOGLIST_H
#define SA_LOGLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The lists of a container's files, or of all of an application, as
 * NodeManagers, log servers and timeline services write them in JSON: one
 * member or several, bare or wrapped, sizes as numbers or as text.
 */
struct sa_logfile {
	char *container; /* NULL where the list does not say */
	char *name;
	long long size;	 /* -1: not said */
	bool aggregated; /* not the NodeManager's own */
};

struct sa_loglist {
	struct sa_logfile *v;
	size_t n;
};

/* SA_REMOTE: no such list. Entries without a usable name are left out. */
int sa_loglist_parse(const char *text, size_t len, struct sa_loglist *out,
    struct sa_err *err);
void sa_loglist_release(struct sa_loglist *l);

/* How many entries are one file's: of the container, and of one kind. *size
 * is their sum, -1 where one does not say. */
size_t sa_loglist_find(const struct sa_loglist *l, const char *container,
    const char *file, bool aggregated, long long *size);

#endif
