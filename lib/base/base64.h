/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BASE64_H
#define SA_BASE64_H

#include <stdbool.h>

#include "base/buf.h"

/* Base64 (RFC 4648, 4) of n bytes, without line breaks; caller frees. */
char *sa_base64_encode(const void *bytes, size_t n);

/* Adds what the text stands for. White space is skipped; false where there is
 * anything else, or more than b takes. */
bool sa_base64_decode(const char *text, struct sa_buf *b);

#endif
