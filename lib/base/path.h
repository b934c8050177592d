/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PATH_H
#define SA_PATH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* "A/B", with one slash between; caller frees. */
char *sa_path_join(const char *a, const char *b);

/* The path made absolute against the working directory, with "." and ".."
 * and doubled slashes taken out of the text; links are not looked at. Caller
 * frees. */
char *sa_path_absolute(const char *path);

/* What is behind the last slash; borrowed. */
const char *sa_path_base(const char *path);

/* The text of path relative to root where it lies below it, else NULL.
 * Compares components: "/a/jobs-evil" is not below "/a/jobs". Both absolute,
 * as sa_path_absolute() gives them; borrowed from path. */
const char *sa_path_below(const char *root, const char *path);

/* Makes a directory and its missing parents, SA_IO with errno where it cannot.
 * Existing ones are left as they are. Directories made get the mode whatever
 * the umask. */
int sa_path_mkdirs(const char *path, mode_t mode, struct sa_err *err);

/*
 * Opens rel below dirfd without following any link and without leaving
 * dirfd, as openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS does; by
 * a walk with O_NOFOLLOW where the kernel lacks it. A descriptor, or -1 with
 * errno (ELOOP for a link on the way, EXDEV for an absolute path and for one
 * with a ".." in it).
 */
int sa_path_open_beneath(int dirfd, const char *rel, int flags, mode_t mode);

/* Removes everything below dirfd's entry base and the entry itself. Links are
 * removed, not followed. At most 64 levels deep. 0, or -1 with errno. */
int sa_path_remove_tree(int dirfd, const char *base);

#endif
