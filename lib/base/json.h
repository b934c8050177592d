/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_JSON_H
#define SA_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* Every JSON text that comes in is one object, UTF-8, without a duplicate
 * key. Broken text is SA_INVALID, "NAME:line:column: why". */
int sa_json_parse(const char *text, size_t len, const char *name, json_t **out,
    struct sa_err *err);

/* Reads fd to its end (at most max bytes) and parses it. Nothing but white
 * space there is SA_INVALID too: the stage before it failed. */
int sa_json_read_fd(int fd, size_t max, const char *name, json_t **out,
    struct sa_err *err);

/* Compact, in the order of insertion; caller frees. */
char *sa_json_text(const json_t *j);

/* Compact with sorted keys: what hashes are taken over; caller frees. */
char *sa_json_canonical(const json_t *j);

/*
 * Members of an object. Borrowed; NULL or the default where the member is
 * missing, null or of another type.
 */
const char *sa_json_str(const json_t *obj, const char *key);
json_int_t sa_json_int(const json_t *obj, const char *key, json_int_t none);
bool sa_json_bool(const json_t *obj, const char *key, bool none);
json_t *sa_json_obj(const json_t *obj, const char *key);

/* Sets a member to a string, or to null where s is NULL. Text that is not
 * UTF-8 goes in with its bad bytes as U+FFFD. */
void sa_json_set_str(json_t *obj, const char *key, const char *s);

/* A copy as a model gets it: without members that are null, at any depth, and
 * with control characters and their like made visible in all texts but those of
 * members called content. */
json_t *sa_json_for_agent(const json_t *j);

/* A scalar as text ("4", "true", "abc"); NULL for null, array, object.
 * Caller frees. */
char *sa_json_scalar(const json_t *value);

/*
 * A stored or piped record: v is 1 and type is one of the comma-separated
 * types. SA_INVALID names what was found. A record without both is taken as
 * the predecessor's where legacy is true.
 */
int sa_json_check_record(const json_t *record, const char *types, bool legacy,
    const char *name, struct sa_err *err);

/* {"v":1,"type":type}, a new object. */
json_t *sa_json_record(const char *type);

#endif
