/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define CHUNK 65536

/* Whether a failed call is to be done again; waits where fd, which is
 * somebody else's and may be non-blocking, is not ready. */
static bool
again(int fd, short events)
{
	struct pollfd p = { fd, events, 0 };

	if (errno == EINTR)
		return true;
	return errno == EAGAIN && (poll(&p, 1, -1) >= 0 || errno == EINTR);
}

int
sa_io_read_fd(int fd, struct sa_buf *b, const char *name, struct sa_err *err)
{
	cleanup_free char *chunk = sa_xmalloc(CHUNK);

	for (;;) {
		ssize_t n = read(fd, chunk, CHUNK);
		if (n == 0)
			return 0;
		if (n < 0 && again(fd, POLLIN))
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
sa_io_read_regular(int fd, struct sa_buf *b, const char *name,
    struct sa_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot stat %s", name);
	if (S_ISDIR(st.st_mode))
		return sa_err_set(err, SA_INVALID, "%s is a directory", name);
	if (!S_ISREG(st.st_mode))
		return sa_err_set(err, SA_INVALID, "%s is not a regular file",
		    name);
	return sa_io_read_fd(fd, b, name, err);
}

enum sa_kind
sa_io_kind(int errnum)
{
	if (errnum == ENOENT || errnum == ENOTDIR)
		return SA_NOT_FOUND;
	return errnum == ENAMETOOLONG ? SA_INVALID : SA_IO;
}

int
sa_io_read_file(int dirfd, const char *path, struct sa_buf *b, const char *name,
    struct sa_err *err)
{
	/* O_NONBLOCK: a FIFO must not block the open */
	cleanup_fd int fd =
	    openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return sa_err_errno(err, sa_io_kind(errno), errno,
		    "cannot open %s", name);
	return sa_io_read_regular(fd, b, name, err);
}

int
sa_io_write_fd(int fd, const void *p, size_t len, const char *name,
    struct sa_err *err)
{
	const char *s = p;

	while (len > 0) {
		ssize_t n = write(fd, s, len);
		if (n < 0 && again(fd, POLLOUT))
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
	if (rc < 0) {
		int saved = errno;
		unlinkat(dirfd, tmp, 0);
		errno = saved;
	}
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
	if (rc < 0)
		return sa_err_errno(err, saved == EEXIST ? SA_INVALID : SA_IO,
		    saved, "cannot create %s", name);
	return sa_io_fsync_dir(dirfd, name, err);
}

/* A lock that another user of our group made is 0640: reading is enough. Ours
 * is that whatever the umask, or the others could not see who holds it. */
static int
open_lock(int dirfd, const char *base)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
	int fd = openat(dirfd, base, O_RDWR | O_CREAT | flags, 0640);

	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = openat(dirfd, base, O_RDONLY | flags);
	else if (fd >= 0 && fchmod(fd, 0640) < 0 && errno != EPERM) {
		int saved = errno;
		close(fd);
		errno = saved;
		fd = -1;
	}
	return fd;
}

int
sa_io_lock(int dirfd, const char *base, int wait_ms, const char *name,
    struct sa_err *err)
{
	long long deadline = sa_clock_ms() + wait_ms;
	int fd = open_lock(dirfd, base), step_ms = 1;

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot open the lock of %s", name);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int saved = errno;
		if (saved == EINTR)
			continue;
		if (saved != EWOULDBLOCK) {
			close(fd);
			return sa_err_errno(err, SA_IO, saved, "cannot lock %s",
			    name);
		}
		if (sa_clock_ms() >= deadline) {
			close(fd);
			return sa_err_set(err, SA_BUSY,
			    "%s is locked by another process", name);
		}
		poll(NULL, 0, step_ms);
		step_ms = step_ms < 32 ? step_ms * 2 : step_ms;
	}
	return fd;
}

bool
sa_io_locked(int dirfd, const char *base)
{
	cleanup_fd int fd =
	    openat(dirfd, base, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);

	/* where one may not look, nobody can be said to be gone */
	if (fd < 0)
		return errno == EACCES;
	/* a shared lock, so that two who look do not see each other */
	return flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
