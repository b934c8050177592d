/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_READABLE_H
#define SA_READABLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/settings.h"

/*
 * Reads the file at path, which whoever asks has named, into b, whose max is
 * the limit: a regular file only. name is what an error calls it.
 *
 * An agent is kept from what the setting read_deny lists, and from the data
 * directory but for the jobs directory: SA_REFUSED. What counts is where the
 * file lies once links were followed, under whatever name it is reached, and
 * nothing is opened before that is known. Each such reading is logged.
 */
int sa_readable(const struct sa_settings *s, const char *path, struct sa_buf *b,
    const char *name, struct sa_err *err);

/*
 * Whether a list of read_deny has a path, absolute and without links. Its
 * entries stand between colons: an absolute path is a directory with all
 * below it, or a file; names, several with slashes between, are what any part
 * of the path may be called, with the patterns of fnmatch(3); "default" is the
 * list that sa(7) prints. *entry is the one that has it, borrowed for *len
 * bytes.
 */
bool sa_readable_denied(const char *list, const char *path, const char **entry,
    size_t *len);

#endif
