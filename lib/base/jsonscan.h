/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_JSONSCAN_H
#define SA_JSONSCAN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Looks at a JSON text without building anything, for lists that pass stored
 * records on as they are. True only where the text is one object, compact,
 * that sa_json_parse() would take: UTF-8, no duplicate key at any depth.
 * False says nothing but that somebody has to parse it: it is broken, or
 * has what records seldom have (\u escapes, escapes in keys, fractions,
 * white space, over 64 levels or 256 keys that are open at once).
 */
struct sa_json_member {
	const char *name;
	const char *value; /* its text in the object, strings with quotes;
			    * NULL where it has no such member */
	size_t len;
};

/* Finds the named members of the outermost object on the way. Allocates
 * nothing; linear. */
bool sa_json_scan(const char *text, size_t len, struct sa_json_member *members,
    size_t n);

/* Whether a member is there and its text is this one. */
bool sa_json_member_is(const struct sa_json_member *m, const char *text);

#endif
