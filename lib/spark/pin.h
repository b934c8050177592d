/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PIN_H
#define SA_PIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Copies of what a submission carries: files go into one directory under
 * their own names, readable and not writable, SA_PENDING_DEPS_MAX bytes in
 * all. Each is described as {name,sha256,size,source}, source being the
 * absolute path that it was copied from.
 */
#define SA_PIN_MODE 0440 /* a reviewer of our group reads it too */
struct sa_pin {
	int dir;	  /* borrowed */
	size_t left;	  /* bytes that may still come */
	json_t *py_files; /* arrays of descriptions; owned */
	json_t *files;
	json_t *siblings;
};
void sa_pin_init(struct sa_pin *p, int dir);
void sa_pin_release(struct sa_pin *p);

/* SA_INVALID where Spark would take the path for something else than this one
 * local file: a URI, a list, a pattern, an alias, an escape. what names the
 * thing. */
int sa_pin_check_path(const char *what, const char *path, struct sa_err *err);

/* Pins a regular file and appends its description to list (one of p's). The
 * same file again is pinned once; another file of the same name is
 * SA_INVALID, as is going over the limit. */
int sa_pin_file(struct sa_pin *p, const char *option, const char *path,
    json_t *list, struct sa_err *err);

/* The same for bytes that stand for what lies at source. */
int sa_pin_bytes(struct sa_pin *p, const char *name, const void *bytes,
    size_t len, const char *source, json_t *list, struct sa_err *err);

/* A directory as the archive NAME.zip, see spark/zip.h. */
int sa_pin_package(struct sa_pin *p, const char *path, json_t *list,
    struct sa_err *err);

/*
 * Modules beside a script that it imports, directly or through one another.
 * In a pinned script's directory they are not there, so each is either pinned
 * (pin set: a module as its file, a package as a zip archive, both entered in
 * p->siblings) or gives a line in warnings.
 */
int sa_pin_siblings(struct sa_pin *p, const char *script, const char *text,
    size_t len, bool pin, json_t *warnings, struct sa_err *err);

#endif
