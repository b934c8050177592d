/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYSOURCE_H
#define SA_PYSOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* The name of the encoding that a source declares (PEP 263) in its first
 * line, or in its second behind a blank or a comment: where it is and how
 * long. False for none. */
bool sa_py_cookie(const char *text, size_t len, size_t *at, size_t *n);

/* Whether the n bytes at name are one of the names in list, which ends with
 * NULL, in any case and with what Python lets stand behind it. */
bool sa_py_names_coding(const char *name, size_t n, const char *const *list);

/*
 * A source in one of the encodings whose bytes are a character each and
 * ASCII where ASCII is: Latin-1, Latin-9, Windows-1252. True, and out gets it
 * in UTF-8, declared as that, so that each character stands at the line and
 * the column where it stood. False where it is to be taken as it is: it is
 * ASCII, declares none of these, or Python itself would not decode it.
 */
bool sa_py_recode(const char *text, size_t len, struct sa_buf *out);

#endif
