/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BOXTREE_H
#define SA_BOXTREE_H

#include "base/err.h"

/*
 * Trees that a sandbox made: as deep as it liked, with directories that their
 * owner may not enter. Both need one descriptor and memory in proportion to
 * the depth, follow no link and leave no file system.
 */

/* The bytes that the tree takes on its disk; stops counting beyond enough.
 * What changes meanwhile is counted once, twice or not. */
long long sa_boxtree_size(int dirfd, const char *base, long long enough);

/* Removes the tree; nothing runs in it any more. One that is not there is no
 * failure. name is for errors. */
int sa_boxtree_remove(int dirfd, const char *base, const char *name,
    struct sa_err *err);

#endif
