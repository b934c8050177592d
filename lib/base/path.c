/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"

#define DEPTH_MAX 64

char *
sa_path_join(const char *a, const char *b)
{
	size_t n = strlen(a);

	while (n > 1 && a[n - 1] == '/')
		n--;
	while (*b == '/')
		b++;
	return sa_xasprintf("%.*s%s%s", (int)n, a,
	    n == 1 && a[0] == '/' ? "" : "/", b);
}

char *
sa_path_absolute(const char *path)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_free char *full = NULL;

	if (path[0] == '/')
		full = sa_xstrdup(path);
	else {
		cleanup_free char *cwd = getcwd(NULL, 0);
		/* a directory that was removed has no name any more */
		full = sa_path_join(cwd != NULL ? cwd : "/proc/self/cwd", path);
	}
	const char *p = full;
	while (*p != '\0') {
		p += strspn(p, "/");
		size_t n = strcspn(p, "/");
		if (n == 2 && memcmp(p, "..", 2) == 0) {
			const char *slash =
			    b.len > 0 ? memrchr(b.s, '/', b.len) : NULL;
			sa_buf_cut(&b, slash ? (size_t)(slash - b.s) : 0);
		} else if (n > 0 && !(n == 1 && *p == '.')) {
			sa_buf_addch(&b, '/');
			sa_buf_add(&b, p, n);
		}
		p += n;
	}
	if (b.len == 0)
		sa_buf_addch(&b, '/');
	return sa_buf_steal(&b);
}

const char *
sa_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

const char *
sa_path_below(const char *root, const char *path)
{
	size_t n = strlen(root);

	if (n == 1 && root[0] == '/')
		n = 0;
	if (strncmp(root, path, n) != 0 || path[n] != '/' ||
	    path[n + 1] == '\0')
		return NULL;
	return path + n + 1;
}

/* Makes one directory, or takes the one that is there. */
static int
make_dir(const char *path, mode_t mode)
{
	struct stat st;

	if (mkdir(path, 0700) == 0)
		return chmod(path, mode);
	if (errno != EEXIST || stat(path, &st) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return 0;
	errno = ENOTDIR;
	return -1;
}

int
sa_path_mkdirs(const char *path, mode_t mode, struct sa_err *err)
{
	cleanup_free char *p = sa_xstrdup(path);
	struct stat st;
	int rc = 0;

	for (char *s = p + (*p == '/'); rc == 0 && (s = strchr(s, '/')) != NULL;
	     s++) {
		*s = '\0';
		/* a parent that we may pass but not write to is no error */
		if (stat(p, &st) < 0)
			rc = make_dir(p, mode);
		*s = '/';
	}
	if (rc == 0)
		rc = make_dir(p, mode);
	if (rc < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the directory '%s'", path);
	return 0;
}

/* openat(2) that follows no link and says ELOOP when it met one; with
 * O_DIRECTORY the kernel calls it ENOTDIR. */
static int
open_part(int at, const char *part, int flags, mode_t mode)
{
	struct stat st;
	int fd = openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC, mode);

	if (fd < 0 && errno == ENOTDIR)
		errno = fstatat(at, part, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISLNK(st.st_mode)
		    ? ELOOP
		    : ENOTDIR;
	return fd;
}

/* The walk for kernels without openat2(2). */
static int
walk(int dirfd, const char *rel, int flags, mode_t mode)
{
	int at = dirfd;

	for (;;) {
		rel += strspn(rel, "/");
		size_t n = strcspn(rel, "/");
		cleanup_free char *part = sa_xstrndup(rel, n);
		bool last = rel[n + strspn(rel + n, "/")] == '\0';
		int fd = last ? open_part(at, part, flags, mode)
			      : open_part(at, part, O_PATH | O_DIRECTORY, 0);
		int saved = errno;
		if (at != dirfd)
			close(at);
		errno = saved;
		if (fd < 0 || last)
			return fd;
		at = fd;
		rel += n;
	}
}

static bool
has_dotdot(const char *rel)
{
	while (*rel != '\0') {
		size_t n = strcspn(rel, "/");
		if (n == 2 && memcmp(rel, "..", 2) == 0)
			return true;
		rel += n + (rel[n] == '/');
	}
	return false;
}

int
sa_path_open_beneath(int dirfd, const char *rel, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (unsigned long long)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS,
	};

	if (*rel == '/' || *rel == '\0' || has_dotdot(rel)) {
		errno = *rel == '\0' ? ENOENT : EXDEV;
		return -1;
	}
	long fd = syscall(SYS_openat2, dirfd, rel, &how, sizeof(how));
	/* EPERM: a filter of system calls that is older than this one */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return walk(dirfd, rel, flags, mode);
	return (int)fd;
}

static int remove_entry(int dirfd, const char *name, int depth);

/* Empties the directory fd, which it closes; depth counts down. */
static int
empty_dir(int fd, int depth)
{
	if (depth == 0) {
		close(fd);
		errno = ELOOP;
		return -1;
	}
	cleanup_dir DIR *d = fdopendir(fd);
	if (d == NULL) {
		close(fd);
		return -1;
	}
	struct dirent *e;
	while ((errno = 0, e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0 &&
		    remove_entry(fd, e->d_name, depth) < 0)
			return -1;
	return errno == 0 ? 0 : -1;
}

/* An entry that somebody else removes meanwhile is as good. */
static int
remove_entry(int dirfd, const char *name, int depth)
{
	if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT)
		return 0;
	int why = errno;
	int fd = openat(dirfd, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		if (errno == ENOTDIR || errno == ELOOP)
			errno = why;
		return errno == ENOENT ? 0 : -1;
	}
	if (empty_dir(fd, depth - 1) < 0)
		return -1;
	return unlinkat(dirfd, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0
									   : -1;
}

int
sa_path_remove_tree(int dirfd, const char *base)
{
	return remove_entry(dirfd, base, DEPTH_MAX + 1);
}
