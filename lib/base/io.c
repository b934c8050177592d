/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 65536

int
sa_io_read_fd(int fd, struct sa_buf *b, const char *name, struct sa_err *err)
{
	cleanup_free char *chunk = sa_xmalloc(CHUNK);

	for (;;) {
		ssize_t n = read(fd, chunk, CHUNK);
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno, "cannot read %s",
			    name);
		if (sa_buf_add(b, chunk, (size_t)n) < 0)
			return sa_err_set(err, SA_INVALID,
			    "%s is over the limit of %zu bytes", name, b->max);
	}
}

int
sa_io_read_file(int dirfd, const char *path, struct sa_buf *b, const char *name,
    struct sa_err *err)
{
	struct stat st;
	/* O_NONBLOCK: a FIFO must not block the open */
	cleanup_fd int fd =
	    openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return sa_err_errno(err,
		    errno == ENOENT || errno == ENOTDIR ? SA_NOT_FOUND : SA_IO,
		    errno, "cannot open %s", name);
	if (fstat(fd, &st) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot stat %s", name);
	if (S_ISDIR(st.st_mode))
		return sa_err_set(err, SA_INVALID, "%s is a directory", name);
	if (!S_ISREG(st.st_mode))
		return sa_err_set(err, SA_INVALID, "%s is not a regular file",
		    name);
	return sa_io_read_fd(fd, b, name, err);
}

int
sa_io_write_fd(int fd, const void *p, size_t len, const char *name,
    struct sa_err *err)
{
	const char *s = p;

	while (len > 0) {
		ssize_t n = write(fd, s, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot write %s", name);
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

int
sa_io_fsync_dir(int dirfd, const char *name, struct sa_err *err)
{
	/* some file systems cannot sync a directory; there is nothing to do */
	if (fsync(dirfd) < 0 && errno != EINVAL && errno != EROFS)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot sync the directory of %s", name);
	return 0;
}

/* A complete, synced file under a temporary name, which tmp receives. */
static int
write_temporary(int dirfd, const char *base, const void *p, size_t len,
    mode_t mode, char tmp[288], const char *name, struct sa_err *err)
{
	snprintf(tmp, 288, ".%.255s.%08x", base, arc4random());
	cleanup_fd int fd = openat(dirfd, tmp,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot create %s",
		    name);
	int rc = sa_io_write_fd(fd, p, len, name, err);
	if (rc == 0 && fchmod(fd, mode) < 0)
		rc = sa_err_errno(err, SA_IO, errno,
		    "cannot set the mode of %s", name);
	if (rc == 0 && fsync(fd) < 0)
		rc = sa_err_errno(err, SA_IO, errno, "cannot sync %s", name);
	if (rc < 0)
		unlinkat(dirfd, tmp, 0);
	return rc;
}

int
sa_io_replace(int dirfd, const char *base, const void *p, size_t len,
    mode_t mode, const char *name, struct sa_err *err)
{
	char tmp[288];

	if (write_temporary(dirfd, base, p, len, mode, tmp, name, err) < 0)
		return -1;
	if (renameat(dirfd, tmp, dirfd, base) < 0) {
		int saved = errno;
		unlinkat(dirfd, tmp, 0);
		return sa_err_errno(err, SA_IO, saved, "cannot replace %s",
		    name);
	}
	return sa_io_fsync_dir(dirfd, name, err);
}

int
sa_io_create(int dirfd, const char *base, const void *p, size_t len,
    mode_t mode, const char *name, struct sa_err *err)
{
	char tmp[288];

	if (write_temporary(dirfd, base, p, len, mode, tmp, name, err) < 0)
		return -1;
	int rc = linkat(dirfd, tmp, dirfd, base, 0);
	int saved = errno;
	unlinkat(dirfd, tmp, 0);
	if (rc < 0) {
		sa_err_errno(err, saved == EEXIST ? SA_INVALID : SA_IO, saved,
		    "cannot create %s", name);
		errno = saved;
		return -1;
	}
	return sa_io_fsync_dir(dirfd, name, err);
}

int
sa_io_lock(int dirfd, const char *base, int wait_ms, const char *name,
    struct sa_err *err)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
	int fd = openat(dirfd, base, flags | O_RDWR | O_CREAT, 0640);
	int step_ms = 1;

	/* another user of the group made it: reading is enough for a lock */
	if (fd < 0 && errno == EACCES)
		fd = openat(dirfd, base, flags | O_RDONLY);
	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot open the lock of %s", name);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int saved = errno;
		if (saved != EINTR && (saved != EWOULDBLOCK || wait_ms <= 0)) {
			close(fd);
			if (saved == EWOULDBLOCK)
				return sa_err_set(err, SA_BUSY,
				    "%s is locked by another process", name);
			return sa_err_errno(err, SA_IO, saved, "cannot lock %s",
			    name);
		}
		struct timespec ts = { 0, step_ms * 1000000L };
		nanosleep(&ts, NULL);
		wait_ms -= step_ms;
		step_ms = step_ms < 32 ? step_ms * 2 : step_ms;
	}
	return fd;
}

bool
sa_io_locked(int dirfd, const char *base)
{
	cleanup_fd int fd =
	    openat(dirfd, base, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return false;
	/* a shared lock, so that two who look do not see each other */
	return flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
