/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CHECK_H
#define SA_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * What a doctor found: a check record, {what, ok, items[{name, ok, detail,
 * hint}]}. It is ok as long as each item is.
 */
json_t *sa_check_new(const char *what);

/* Adds an item; hint may be NULL: there is nothing to do. */
void sa_check_add(json_t *check, const char *name, bool ok, const char *hint,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Adds the items of another check. */
void sa_check_join(json_t *check, const json_t *other);

bool sa_check_ok(const json_t *check);

/* For sa_cli_answer. */
void sa_check_text(FILE *f, const json_t *check);

#endif
