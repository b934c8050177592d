/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/boxtree.h"
#include "sandbox/fileops.h"

#define PIECE 65536
#define TRIES 64

/*
 * Files from outside, while whoever is inside changes names under our hands:
 * each path is resolved by the kernel with the tree for a root, never by us.
 * What is no plain file of the tree (other parts of the sandbox's view, pipes,
 * what is not there) is left to the operations that run inside.
 */
static const struct sa_backend inside = {
	.name = "local",
	.run = sa_local_run,
};

/* The whole path in the sandbox; caller frees. */
static char *
whole(const struct sa_box *box, const char *path)
{
	const char *dir =
	    box->spec.workdir != NULL ? box->spec.workdir : SA_BOX_WORKDIR;

	return path[0] == '/' ? sa_xstrdup(path) : sa_path_join(dir, path);
}

/* Opens path with the tree for its root. -1 with errno; no lease, no FIFO and
 * no device makes it wait. */
static int
open_inside(const struct sa_box *box, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned long long)(flags | O_CLOEXEC | O_NONBLOCK |
		    O_NOCTTY),
		.resolve =
		    RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	long fd;
	int tries = 0;

	if (flags & O_PATH)
		how.flags &= ~(unsigned long long)(O_NONBLOCK | O_NOCTTY);
	/* EAGAIN: names changed while it looked */
	do
		fd = syscall(SYS_openat2, box->tree, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && ++tries < TRIES);
	return (int)fd;
}

/* Whether it is a place of the tree over which something of the host is seen.
 */
static bool
is_covered(const struct sa_box *box, const struct stat *st)
{
	struct stat place;
	const char *rest;

	for (size_t i = 0; i < box->spec.ro.n; i++) {
		const char *path = box->spec.ro.v[i];
		if (!sa_box_may_write(path, &rest))
			continue;
		cleanup_fd int fd =
		    sa_path_open_beneath(box->tree, path + 1, O_PATH, 0);
		if (fd >= 0 && fstat(fd, &place) == 0 &&
		    place.st_dev == st->st_dev && place.st_ino == st->st_ino)
			return true;
	}
	return false;
}

/* A regular file of the tree and its status in out; without one it is -1. What
 * is refused would have to be waited for inside, as long as somebody there
 * likes. */
static int
open_regular(const struct sa_box *box, const char *path, int *out,
    struct stat *st, struct sa_err *err)
{
	cleanup_free char *full = whole(box, path);
	cleanup_free char *shown = sa_text_visible(path);
	cleanup_fd int fd = open_inside(box, full, O_RDONLY);

	*out = -1;
	if (fd < 0 && errno == EAGAIN) {
		sa_err_set(err, SA_BUSY,
		    "'%s' cannot be opened just now: a program in the sandbox "
		    "has a lease on it, or changes its path all the time",
		    shown);
		return sa_err_hint(err, "try again once that program is done");
	}
	if (fd < 0 || fstat(fd, st) < 0)
		return 0;
	if (S_ISFIFO(st->st_mode)) {
		sa_err_set(err, SA_INVALID, "'%s' is a named pipe", shown);
		return sa_err_hint(err,
		    "a command in the sandbox can read what another one writes "
		    "to it");
	}
	if (!S_ISREG(st->st_mode) || is_covered(box, st))
		return 0;
	*out = fd;
	fd = -1;
	return 0;
}

/* Whether a directory of the tree is none of the sandbox's, but only above
 * one that is, or below something of the host. */
static bool
is_ours(const struct sa_box *box, int fd)
{
	struct stat st, other;

	if (fstat(fd, &st) < 0)
		return true;
	for (const struct sa_box_dir *d = sa_box_dirs; d->path != NULL; d++)
		if (!d->mounted &&
		    fstatat(box->tree, d->path, &other, AT_SYMLINK_NOFOLLOW) ==
			0 &&
		    other.st_ino == st.st_ino)
			return true;
	return fstat(box->tree, &other) < 0 || other.st_ino == st.st_ino ||
	    is_covered(box, &st);
}

int
sa_local_read(struct sa_box *box, const char *path, long long max,
    struct sa_buf *out, struct sa_err *err)
{
	char piece[PIECE];
	struct stat st;
	ssize_t n = -1;
	size_t before = out->len;
	cleanup_fd int fd = -1;

	if (sa_local_not_expired(box, err) < 0 ||
	    open_regular(box, path, &fd, &st, err) < 0)
		return -1;
	if (fd >= 0 && st.st_size <= max)
		while ((n = read(fd, piece, sizeof(piece))) > 0)
			if ((long long)(out->len - before) + n > max ||
			    sa_buf_add(out, piece, (size_t)n) < 0)
				break;
	if (n == 0)
		return 0;
	sa_buf_cut(out, before);
	return sa_box_read(&inside, box, path, max, out, err);
}

static int
each_entry(DIR *d, sa_entry_fn *fn, void *ctx, struct sa_err *err)
{
	struct dirent *e;
	struct stat st;

	while ((errno = 0, e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		struct sa_entry entry = { .name = e->d_name,
			.is_dir = e->d_type == DT_DIR };
		if (e->d_type == DT_UNKNOWN &&
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			entry.is_dir = S_ISDIR(st.st_mode);
		if (fn(&entry, ctx, err) < 0)
			return -1;
	}
	return errno == 0
	    ? 0
	    : sa_err_errno(err, SA_IO, errno, "cannot read a directory");
}

int
sa_local_list(struct sa_box *box, const char *path, sa_entry_fn *fn, void *ctx,
    struct sa_err *err)
{
	cleanup_free char *full = whole(box, path);

	if (sa_local_not_expired(box, err) < 0)
		return -1;
	int fd = open_inside(box, full, O_RDONLY | O_DIRECTORY);
	cleanup_dir DIR *d =
	    fd >= 0 && !is_ours(box, fd) ? fdopendir(fd) : NULL;
	if (d != NULL)
		return each_entry(d, fn, ctx, err);
	if (fd >= 0)
		close(fd);
	return sa_box_list(&inside, box, path, fn, ctx, err);
}

static int
changed(const char *path, struct sa_err *err)
{
	sa_err_set(err, SA_INVALID, "'%s' changed while it was copied", path);
	return sa_err_hint(err,
	    "something in the sandbox may still be writing it; copy it when "
	    "that is done");
}

static int
copy_out(int fd, const struct stat *st, const char *path, sa_sink_fn *sink,
    void *ctx, struct sa_err *err)
{
	char piece[PIECE];
	struct stat now;
	long long left = st->st_size;

	for (;;) {
		ssize_t n = read(fd, piece, sizeof(piece));
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot read '%s' of the sandbox", path);
		if (n == 0)
			break;
		if (n > left)
			return changed(path, err);
		left -= n;
		if (sink(piece, (size_t)n, ctx, err) < 0)
			return -1;
	}
	if (left != 0 || fstat(fd, &now) < 0 || now.st_size != st->st_size ||
	    now.st_mtim.tv_sec != st->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != st->st_mtim.tv_nsec)
		return changed(path, err);
	return 0;
}

int
sa_local_export(struct sa_box *box, const char *path, long long max,
    sa_sink_fn *sink, void *ctx, struct sa_err *err)
{
	struct stat st;
	cleanup_fd int fd = -1;

	if (sa_local_not_expired(box, err) < 0 ||
	    open_regular(box, path, &fd, &st, err) < 0)
		return -1;
	if (fd < 0 || st.st_size > max)
		return sa_box_export(&inside, box, path, max, sink, ctx, err);
	return copy_out(fd, &st, path, sink, ctx, err);
}

static int
give_away(const struct sa_box *box, int fd)
{
	return geteuid() == 0 ? fchown(fd, box->uid, box->gid) : 0;
}

/* Opens the directory path, and makes what is missing of it where the sandbox
 * may write. -1 with errno. */
static int
open_made(struct sa_box *box, const char *path)
{
	cleanup_free char *prefix = sa_xstrdup(path);
	cleanup_fd int at = open_inside(box, "/", O_RDONLY | O_DIRECTORY);
	char *s = prefix;

	while (at >= 0 && *(s += strspn(s, "/")) != '\0') {
		char *name = s, old = s[strcspn(s, "/")];
		s += strcspn(s, "/");
		*s = '\0';
		int next = open_inside(box, prefix, O_RDONLY | O_DIRECTORY);
		if (next < 0 && errno == ENOENT && !is_ours(box, at) &&
		    mkdirat(at, name, 0755) == 0) {
			next = openat(at, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (next >= 0 && give_away(box, next) < 0) {
				close(next);
				next = -1;
			}
		}
		*s = old;
		close(at);
		at = next;
	}
	int ret = at;
	at = -1;
	return ret;
}

int
sa_local_mkdirs(struct sa_box *box, const char *path, struct sa_err *err)
{
	const char *rest;

	if (sa_spec_shows(&box->spec, path))
		return 0;
	cleanup_fd int fd = box->tree < 0 ? -1 : open_made(box, path);

	if (box->tree < 0 ? sa_box_may_write(path, &rest)
			  : fd >= 0 && !is_ours(box, fd))
		return 0;
	sa_err_set(err, SA_REFUSED,
	    "the working directory '%s' cannot be made in a sandbox", path);
	return sa_err_hint(err,
	    "it must lie in /workspace, /home/user, /tmp or /var/tmp, or in "
	    "what --ro shows");
}

/* All of in to out, at most as much as the sandbox's disk still takes. */
static int
copy_in(struct sa_box *box, int in, int out, long long *written,
    struct sa_err *err)
{
	char piece[PIECE];
	long long room = -1;
	ssize_t n;

	if (box->spec.disk > 0)
		room = box->spec.disk -
		    sa_boxtree_size(box->dir, "tree", box->spec.disk + 1);
	for (*written = 0; (n = read(in, piece, sizeof(piece))) != 0;) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot read what is to be written");
		*written += n;
		if (box->spec.disk > 0 && *written > room)
			return sa_err_set(err, SA_INVALID,
			    "the sandbox's disk limit of %lld bytes is reached",
			    box->spec.disk);
		if (sa_io_write_fd(out, piece, (size_t)n, "the sandbox", err) <
		    0)
			return -1;
	}
	return 0;
}

/* Puts the content at base in the directory at. */
static int
replace(struct sa_box *box, int at, const char *base, int in,
    long long *written, struct sa_err *err)
{
	struct stat st;
	mode_t mode = 0644;
	cleanup_free char *temporary =
	    sa_xasprintf(".sa-%08x%08x", arc4random(), arc4random());

	if (fstatat(at, base, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISDIR(st.st_mode))
			return sa_err_set(err, SA_INVALID,
			    "'%s' is a directory", base);
		if (is_covered(box, &st))
			return sa_err_set(err, SA_INVALID,
			    "'%s' is seen of the host, read only", base);
		if (S_ISREG(st.st_mode))
			mode = st.st_mode & 0777;
	}
	cleanup_fd int out = openat(at, temporary,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return sa_err_errno(err, SA_INVALID, errno,
		    "cannot write '%s' in the sandbox", base);
	int rc = copy_in(box, in, out, written, err);
	if (rc == 0 &&
	    (give_away(box, out) < 0 || fchmod(out, mode) < 0 ||
		renameat(at, temporary, at, base) < 0))
		rc = sa_err_errno(err, SA_INVALID, errno,
		    "cannot write '%s' in the sandbox", base);
	if (rc < 0)
		(void)unlinkat(at, temporary, 0);
	return rc;
}

int
sa_local_write(struct sa_box *box, const char *path, int fd, long long *written,
    struct sa_err *err)
{
	cleanup_free char *full = whole(box, path);
	const char *base = sa_path_base(full);
	cleanup_free char *parent = sa_xstrndup(full, (size_t)(base - full));

	if (sa_local_not_expired(box, err) < 0)
		return -1;
	if (*base == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
		return sa_err_set(err, SA_INVALID, "'%s' is a directory", path);
	cleanup_fd int at = open_made(box, parent);
	if (at < 0 || is_ours(box, at)) {
		sa_err_set(err, SA_INVALID, "cannot write '%s' in the sandbox",
		    path);
		return sa_err_hint(err,
		    "it may write in /workspace, /home/user, /tmp and "
		    "/var/tmp");
	}
	if (replace(box, at, base, fd, written, err) == 0)
		return 0;
	if (!sa_local_is_destroyed(box))
		return -1;
	sa_err_clear(err);
	return sa_err_set(err, SA_REMOTE, "the sandbox '%s' was destroyed",
	    box->name);
}
