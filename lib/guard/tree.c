/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/text.h"

/* A directory that is still to be read. */
struct todo {
	char *path;
	unsigned depth;
};

struct walk {
	struct sa_tree *found;
	struct todo *todo;
	size_t n, cap;
};

static int
fail(struct sa_err *err, const char *what, const char *path)
{
	cleanup_free char *shown = sa_text_visible(path);

	return sa_err_errno(err, SA_IO, errno, "cannot %s '%s'", what, shown);
}

static int
add_file(struct sa_tree *t, char *path, struct sa_err *err)
{
	if (t->n == SA_TREE_FILES_MAX) {
		cleanup_free char *shown = sa_text_visible(path);
		free(path);
		sa_err_set(err, SA_INVALID,
		    "'%s' is one file more than the %d of a run", shown,
		    SA_TREE_FILES_MAX);
		return sa_err_hint(err, "name directories further down");
	}
	if (t->n == t->cap) {
		t->cap = t->cap == 0 ? 64 : 2 * t->cap;
		t->path = sa_xrealloc(t->path, t->cap, sizeof(*t->path));
	}
	t->path[t->n++] = path;
	return 0;
}

static int
add_todo(struct walk *w, char *path, unsigned depth, struct sa_err *err)
{
	if (depth > SA_TREE_DEPTH_MAX) {
		cleanup_free char *shown = sa_text_visible(path);
		free(path);
		sa_err_set(err, SA_INVALID,
		    "'%s' is more than %d directories deep", shown,
		    SA_TREE_DEPTH_MAX);
		return sa_err_hint(err, "name it by itself");
	}
	if (w->n == w->cap) {
		w->cap = w->cap == 0 ? 16 : 2 * w->cap;
		w->todo = sa_xrealloc(w->todo, w->cap, sizeof(*w->todo));
	}
	w->todo[w->n++] = (struct todo){ .path = path, .depth = depth };
	return 0;
}

static bool
left_out(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    strcmp(name, ".git") == 0 || strcmp(name, "__pycache__") == 0;
}

static bool
is_source(const char *name)
{
	size_t n = strlen(name);

	return n >= 3 && strcmp(name + n - 3, ".py") == 0;
}

static int
add_entry(struct walk *w, const struct todo *dir, int fd, const char *name,
    struct sa_err *err)
{
	struct stat st;

	if (left_out(name))
		return 0;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		/* gone since: it is in no state to be judged */
		return errno == ENOENT ? 0 : fail(err, "look at", dir->path);
	if (S_ISDIR(st.st_mode))
		return add_todo(w, sa_path_join(dir->path, name),
		    dir->depth + 1, err);
	if (S_ISREG(st.st_mode) && is_source(name))
		return add_file(w->found, sa_path_join(dir->path, name), err);
	return 0;
}

static int
read_dir(struct walk *w, const struct todo *dir, struct sa_err *err)
{
	int fd = open(dir->path,
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC |
		(dir->depth > 0 ? O_NOFOLLOW : 0));
	cleanup_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (d == NULL) {
		fail(err, "read the directory", dir->path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (dir->depth > 0 && faccessat(fd, "pyvenv.cfg", F_OK, 0) == 0)
		return 0;
	for (errno = 0; (e = readdir(d)) != NULL; errno = 0)
		if (add_entry(w, dir, fd, e->d_name, err) < 0)
			return -1;
	return errno == 0 ? 0 : fail(err, "read the directory", dir->path);
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
sa_tree_add(struct sa_tree *t, const char *root, struct sa_err *err)
{
	struct walk w = { .found = t };
	size_t before = t->n;
	struct stat st;

	if (strcmp(root, "-") == 0 || stat(root, &st) < 0 ||
	    !S_ISDIR(st.st_mode))
		return add_file(t, sa_xstrdup(root), err);
	int rc = add_todo(&w, sa_xstrdup(root), 0, err);

	while (rc == 0 && w.n > 0) {
		struct todo dir = w.todo[--w.n];
		rc = read_dir(&w, &dir, err);
		free(dir.path);
	}
	while (w.n > 0)
		free(w.todo[--w.n].path);
	free(w.todo);
	if (rc < 0)
		return -1;
	if (t->n == before) {
		cleanup_free char *shown = sa_text_visible(root);
		return sa_err_set(err, SA_INVALID,
		    "below the directory '%s' is no .py file", shown);
	}
	qsort(t->path + before, t->n - before, sizeof(*t->path), by_bytes);
	return 0;
}

void
sa_tree_release(struct sa_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->path[i]);
	free(t->path);
	*t = (struct sa_tree){ 0 };
}
