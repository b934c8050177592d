/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_FILEOPS_H
#define SA_FILEOPS_H

#include "sandbox/backend.h"

/*
 * Files of a sandbox, by the backend's own operation where it has one, else
 * by scripts for the guest's sh with stat, head, tail, base64, mkdir, chmod,
 * mv and rm (GNU or busybox). Relative paths begin at the working directory. An
 * empty path or one with NUL is SA_INVALID. Each has SA_BOX_FILE_S seconds
 * unless it says otherwise. The scripts' own exit statuses: 66 missing or
 * unreadable, 67 a directory, 68 no regular file, 69 over the limit.
 */

/* At most max bytes, of anything that can be read; more is SA_INVALID with
 * the size. A missing file is SA_NOT_FOUND, a directory SA_INVALID. */
int sa_box_read(const struct sa_backend *b, struct sa_box *box,
    const char *path, long long max, struct sa_buf *out, struct sa_err *err);

/* All of fd, with the directories above it; whole or not at all, in place of
 * what is there, whose mode stays. written: bytes. */
int sa_box_write(const struct sa_backend *b, struct sa_box *box,
    const char *path, int fd, long long *written, struct sa_err *err);

/* Sorted by name (bytes), however the backend gives them; more than
 * SA_BOX_ENTRIES are SA_INVALID. */
#define SA_BOX_ENTRIES 10000
int sa_box_list(const struct sa_backend *b, struct sa_box *box,
    const char *path, sa_entry_fn *fn, void *ctx, struct sa_err *err);

/*
 * A regular file (links are followed) of at most max bytes, in pieces, never
 * whole in memory. One that changes meanwhile, by size or by time, is
 * SA_INVALID; nothing went to sink when it is missing, no regular file or too
 * large. The time is the larger of SA_BOX_FILE_S and a second a MiB of max.
 * What sink says is passed on as it is.
 */
int sa_box_export(const struct sa_backend *b, struct sa_box *box,
    const char *path, long long max, sa_sink_fn *sink, void *ctx,
    struct sa_err *err);

/* The same by slices of so many bytes, for tests. */
int sa_box_export_sliced(const struct sa_backend *b, struct sa_box *box,
    const char *path, long long max, long long slice, sa_sink_fn *sink,
    void *ctx, struct sa_err *err);

/* A word for sh, and a path that no program takes for an option or for its
 * standard input ("./" in front where it does not begin with a slash). Caller
 * frees; NULL for an empty one. */
char *sa_box_quote(const char *word);
char *sa_box_quote_path(const char *path);

#endif
