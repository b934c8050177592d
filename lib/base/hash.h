/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_HASH_H
#define SA_HASH_H

#include <stddef.h>

#include "base/err.h"

/* SHA-256 as 64 lower-case hexadecimal digits and a NUL. */
#define SA_SHA256_SIZE 65
void sa_hash_sha256(const void *p, size_t len, char out[SA_SHA256_SIZE]);

/* Of what fd gives up to its end, in bounded memory. */
int sa_hash_fd(int fd, char out[SA_SHA256_SIZE], const char *name,
    struct sa_err *err);

/* Of a regular file; SA_NOT_FOUND where there is none. */
int sa_hash_file(const char *path, char out[SA_SHA256_SIZE],
    struct sa_err *err);

#endif
