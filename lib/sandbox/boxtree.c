/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/boxtree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"

/* A way down: one directory is open, those above it are known by their
 * numbers, so that ".." cannot lead anywhere else. */
struct place {
	dev_t dev;
	ino_t ino;
	char *name;
	long pos;   /* where to read on */
	bool again; /* what is before pos may not have been read */
};
struct way {
	struct place *v;
	size_t n, cap;
	DIR *dir;
};

static void
leave(struct way *w)
{
	if (w->dir != NULL)
		closedir(w->dir);
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].name);
	free(w->v);
}

/* A directory, never through a link or a name that changes; strict: and none
 * that another mount covers. */
static int
open_dir(int at, const char *name, bool strict)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK |
		    O_CLOEXEC,
		.resolve = strict ? RESOLVE_NO_XDEV : 0,
	};

	return (int)syscall(SYS_openat2, at, name, &how, sizeof(how));
}

/* Goes into name below at. 0; -1 with errno, the way as it was. */
static int
go_down(struct way *w, int at, const char *name)
{
	struct stat st;
	int fd = open_dir(at, name, w->n > 0);

	if (fd < 0)
		return -1;
	DIR *d = fdopendir(fd);
	if (d == NULL || fstat(fd, &st) < 0 ||
	    (w->n > 0 && st.st_dev != w->v[0].dev)) {
		int why = d == NULL ? errno : EXDEV;
		if (d != NULL)
			closedir(d);
		else
			close(fd);
		errno = why;
		return -1;
	}
	if (w->n == w->cap) {
		w->cap = w->cap * 2 + 64;
		w->v = sa_xrealloc(w->v, w->cap, sizeof(*w->v));
	}
	if (w->n > 0)
		w->v[w->n - 1].pos = telldir(w->dir);
	w->v[w->n++] = (struct place){ .dev = st.st_dev,
		.ino = st.st_ino,
		.name = sa_xstrdup(name) };
	if (w->dir != NULL)
		closedir(w->dir);
	w->dir = d;
	return 0;
}

/* Back to the directory above, which must be the one that we came from. */
static int
go_up(struct way *w)
{
	struct stat st;
	struct place *above = &w->v[w->n - 2];
	cleanup_fd int fd =
	    openat(dirfd(w->dir), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (st.st_dev != above->dev || st.st_ino != above->ino) {
		errno = ESTALE;
		return -1;
	}
	DIR *d = fdopendir(fd);
	if (d == NULL)
		return -1;
	fd = -1;
	seekdir(d, above->pos);
	closedir(w->dir);
	w->dir = d;
	free(w->v[--w->n].name);
	return 0;
}

static struct dirent *
next(struct way *w)
{
	struct dirent *e;

	do {
		errno = 0;
		e = readdir(w->dir);
	} while (e != NULL &&
	    (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0));
	return e;
}

long long
sa_boxtree_size(int at, const char *base, long long enough)
{
	struct way w = { 0 };
	struct stat st;
	struct dirent *e;
	long long sum = 0;

	if (go_down(&w, at, base) < 0)
		return 0;
	while (sum < enough) {
		if ((e = next(&w)) == NULL) {
			if (w.n == 1 || go_up(&w) < 0)
				break;
			continue;
		}
		if (fstatat(dirfd(w.dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) <
		    0)
			continue;
		/* an inode costs too, though it holds no block */
		sum += (long long)st.st_blocks * 512 + 512;
		if (S_ISDIR(st.st_mode))
			(void)go_down(&w, dirfd(w.dir), e->d_name);
	}
	leave(&w);
	return sum;
}

/* A directory that its owner may not enter is opened to him first. */
static int
go_down_hard(struct way *w, int at, const char *name)
{
	if (go_down(w, at, name) == 0)
		return 0;
	if (errno != EACCES || fchmodat(at, name, 0700, 0) < 0)
		return -1;
	return go_down(w, at, name);
}

/* Removes one entry, or goes into it. */
static int
remove_entry(struct way *w, const struct dirent *e)
{
	int at = dirfd(w->dir);

	if (e->d_type != DT_DIR && unlinkat(at, e->d_name, 0) == 0)
		return 0;
	if (unlinkat(at, e->d_name, AT_REMOVEDIR) == 0)
		return 0;
	if (errno == EACCES) {
		if (fchmod(at, 0700) < 0)
			return -1;
		if (unlinkat(at, e->d_name,
			e->d_type == DT_DIR ? AT_REMOVEDIR : 0) == 0)
			return 0;
	}
	return go_down_hard(w, at, e->d_name);
}

/* The directory is empty: up, and away with it. A position is a count of
 * entries on some file systems (tmpfs before Linux 6.6), and some are gone. */
static int
remove_emptied(struct way *w)
{
	cleanup_free char *name = sa_xstrdup(w->v[w->n - 1].name);

	if (go_up(w) < 0)
		return -1;
	w->v[w->n - 1].again = true;
	return unlinkat(dirfd(w->dir), name, AT_REMOVEDIR);
}

static int
remove_all(struct way *w)
{
	struct dirent *e;

	for (;;) {
		if ((e = next(w)) != NULL) {
			if (remove_entry(w, e) < 0)
				return -1;
		} else if (errno != 0)
			return -1;
		else if (w->v[w->n - 1].again) {
			w->v[w->n - 1].again = false;
			rewinddir(w->dir);
		} else if (w->n == 1)
			return 0;
		else if (remove_emptied(w) < 0)
			return -1;
	}
}

int
sa_boxtree_remove(int at, const char *base, const char *name,
    struct sa_err *err)
{
	struct way w = { 0 };
	struct stat st;

	if (fstatat(at, base, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISDIR(st.st_mode))
		return unlinkat(at, base, 0) == 0
		    ? 0
		    : sa_err_errno(err, SA_IO, errno, "cannot remove '%s'",
			  name);
	if (go_down_hard(&w, at, base) < 0)
		return errno == ENOENT
		    ? 0
		    : sa_err_errno(err, SA_IO, errno, "cannot open '%s'", name);
	int rc = remove_all(&w);
	int why = errno;
	leave(&w);
	if (rc == 0 && unlinkat(at, base, AT_REMOVEDIR) < 0) {
		rc = -1;
		why = errno;
	}
	return rc == 0
	    ? 0
	    : sa_err_errno(err, SA_IO, why, "cannot remove '%s'", name);
}
