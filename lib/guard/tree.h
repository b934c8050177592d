/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_TREE_H
#define SA_TREE_H

#include <stddef.h>

#include "base/err.h"

/*
 * The Python sources below a directory: regular files whose names end in .py,
 * as ROOT/..., sorted by their bytes. Links are not followed, but for root
 * itself. Left out is what is below .git and __pycache__ and in virtual
 * environments (directories that hold a pyvenv.cfg), where these are not root
 * itself.
 */
#define SA_TREE_FILES_MAX 100000
#define SA_TREE_DEPTH_MAX 64
struct sa_tree {
	char **path;
	size_t n, cap;
};

/* Adds the files below root, or root itself where it is no directory or "-",
 * to t, which the caller releases, also after a failure. -1:
 * SA_INVALID where a directory has none, more than SA_TREE_FILES_MAX in t, or a
 * directory more than SA_TREE_DEPTH_MAX deep; SA_IO where one cannot be
 * read. */
int sa_tree_add(struct sa_tree *t, const char *root, struct sa_err *err);
void sa_tree_release(struct sa_tree *t);

#endif
