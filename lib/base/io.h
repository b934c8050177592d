/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_IO_H
#define SA_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Reading whole inputs and writing files that are there whole or not at all.
 * "name" is what an error calls the thing. Failures are SA_IO, but for a
 * missing file (SA_NOT_FOUND) and an input or a name over its limit
 * (SA_INVALID).
 * errno tells why a call failed with SA_IO. Descriptors that are non-blocking
 * are waited for.
 */

/* The kind of an open that failed. */
enum sa_kind sa_io_kind(int errnum);

/* Reads fd to its end into b, whose max is the limit. */
int sa_io_read_fd(int fd, struct sa_buf *b, const char *name,
    struct sa_err *err);

/* The same, of a regular file only: anything else is SA_INVALID, and a FIFO
 * that was opened with O_NONBLOCK is not waited for. */
int sa_io_read_regular(int fd, struct sa_buf *b, const char *name,
    struct sa_err *err);

/* Opens path below dirfd (AT_FDCWD for none) and reads it; only a regular
 * file is read, a link at its end is followed. */
int sa_io_read_file(int dirfd, const char *path, struct sa_buf *b,
    const char *name, struct sa_err *err);

/* Writes all of it, whatever the signals and short writes. */
int sa_io_write_fd(int fd, const void *p, size_t len, const char *name,
    struct sa_err *err);

/*
 * Puts a file in place of the one called base below dirfd: temporary name
 * .BASE.<hex>, write, fsync, rename, fsync of the directory. Afterwards,
 * whenever the process or machine dies, the old or the new content is there.
 */
int sa_io_replace(int dirfd, const char *base, const void *p, size_t len,
    mode_t mode, const char *name, struct sa_err *err);

/* The same for a file that must not exist yet: SA_INVALID with errno EEXIST
 * where it does, whoever made it and however late. */
int sa_io_create(int dirfd, const char *base, const void *p, size_t len,
    mode_t mode, const char *name, struct sa_err *err);

int sa_io_fsync_dir(int dirfd, const char *name, struct sa_err *err);

/*
 * Takes an exclusive flock on base below dirfd, made if missing, and waits
 * for it up to wait_ms. The descriptor is the lock: close it to let go. The
 * file is never renamed or removed; to be allowed to read it is enough. -1:
 * SA_BUSY when it was not had in time.
 */
#define SA_LOCK_WAIT_MS 5000
int sa_io_lock(int dirfd, const char *base, int wait_ms, const char *name,
    struct sa_err *err);

/* Whether somebody holds an exclusive flock on the file just now; true where
 * the file may not be read. */
bool sa_io_locked(int dirfd, const char *base);

#endif
