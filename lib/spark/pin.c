/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/pin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "spark/pending.h"
#include "spark/zip.h"

#define CHUNK 65536

void
sa_pin_init(struct sa_pin *p, int dir)
{
	p->dir = dir;
	p->left = SA_PENDING_DEPS_MAX;
	p->py_files = json_array();
	p->files = json_array();
	p->siblings = json_array();
}

void
sa_pin_release(struct sa_pin *p)
{
	json_decref(p->py_files);
	json_decref(p->files);
	json_decref(p->siblings);
}

int
sa_pin_check_path(const char *what, const char *path, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(path);
	size_t n = strcspn(path, ",*?[]{}#%\\");

	if (*path == '\0')
		return sa_err_set(err, SA_INVALID, "%s: the path is empty",
		    what);
	if (!sa_text_is_utf8(path, strlen(path)) || strcmp(shown, path) != 0)
		return sa_err_set(err, SA_INVALID,
		    "%s '%s': the path has a character that cannot be shown",
		    what, shown);
	if (strstr(path, "://") != NULL || strncmp(path, "file:", 5) == 0) {
		sa_err_set(err, SA_INVALID,
		    "%s '%s' is a URI, only files of this host are taken", what,
		    shown);
		return sa_err_hint(err,
		    "download it, look at it, and give its path");
	}
	if (path[n] == '\0')
		return 0;
	sa_err_set(err, SA_INVALID, "%s '%s' has a '%c', which Spark expands",
	    what, shown, path[n]);
	if (path[n] == ',')
		return sa_err_hint(err, "give the option once for each file");
	return sa_err_hint(err, "give each file by a name without it");
}

static void
describe(json_t *list, const char *name, const char *sha256, size_t size,
    const char *source)
{
	json_t *d = json_object();

	sa_json_set_str(d, "name", name);
	sa_json_set_str(d, "sha256", sha256);
	json_object_set_new(d, "size", json_integer((json_int_t)size));
	sa_json_set_str(d, "source", source);
	json_array_append_new(list, d);
}

/* The description of name in any of the lists, or NULL. */
static json_t *
pinned(const struct sa_pin *p, const char *name)
{
	json_t *const lists[] = { p->py_files, p->files, p->siblings }, *d;
	size_t k;

	for (size_t i = 0; i < 3; i++)
		json_array_foreach (lists[i], k, d)
			if (strcmp(sa_json_str(d, "name"), name) == 0)
				return d;
	return NULL;
}

/* 1: it is there already and is in list now; 0: it is not; -1: another file
 * has that name. */
static int
again(const struct sa_pin *p, const char *name, const char *source,
    json_t *list, struct sa_err *err)
{
	json_t *d = pinned(p, name), *other;
	size_t i;

	if (d == NULL)
		return 0;
	if (strcmp(sa_json_str(d, "source"), source) != 0)
		return sa_err_set(err, SA_INVALID,
		    "'%s' and '%s' have the same name, Spark would take one "
		    "for the other",
		    sa_json_str(d, "source"), source);
	json_array_foreach (list, i, other)
		if (other == d)
			return 1;
	json_array_append(list, d);
	return 1;
}

static int
over_limit(struct sa_err *err)
{
	return sa_err_set(err, SA_INVALID,
	    "py-files, files and siblings are over %d bytes in all",
	    SA_PENDING_DEPS_MAX);
}

static int
create(const struct sa_pin *p, const char *name, struct sa_err *err)
{
	int fd = openat(p->dir, name,
	    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, SA_PIN_MODE);

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the copy of '%s'", name);
	fchmod(fd, SA_PIN_MODE);
	return fd;
}

/* Hashes what the copy holds, not what was read, and makes it last. */
static int
seal(int fd, const char *name, char sha256[SA_SHA256_SIZE], struct sa_err *err)
{
	if (lseek(fd, 0, SEEK_SET) < 0 || fsync(fd) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot write the copy of '%s'", name);
	return sa_hash_fd(fd, sha256, name, err);
}

static int
copy(struct sa_pin *p, int from, int to, const char *path, size_t *size,
    struct sa_err *err)
{
	cleanup_free char *chunk = sa_xmalloc(CHUNK);

	for (*size = 0;;) {
		ssize_t n = read(from, chunk, CHUNK);
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot read '%s'", path);
		if ((size_t)n > p->left)
			return over_limit(err);
		if (sa_io_write_fd(to, chunk, (size_t)n, path, err) < 0)
			return -1;
		p->left -= (size_t)n;
		*size += (size_t)n;
	}
}

static int
open_regular(const char *option, const char *path, struct sa_err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return sa_err_errno(err,
		    errno == ENOENT || errno == ENOTDIR ? SA_NOT_FOUND : SA_IO,
		    errno, "%s: cannot open '%s'", option, path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return sa_err_set(err, SA_INVALID, "%s: '%s' is not a regular file",
	    option, path);
}

int
sa_pin_file(struct sa_pin *p, const char *option, const char *path,
    json_t *list, struct sa_err *err)
{
	char sha256[SA_SHA256_SIZE];
	size_t size;

	if (sa_pin_check_path(option, path, err) < 0)
		return -1;
	cleanup_free char *source = sa_path_absolute(path);
	const char *name = sa_path_base(source);
	cleanup_fd int from = open_regular(option, source, err);
	if (from < 0)
		return -1;
	int there = again(p, name, source, list, err);
	if (there != 0)
		return there > 0 ? 0 : -1;
	cleanup_fd int to = create(p, name, err);
	if (to < 0 || copy(p, from, to, source, &size, err) < 0 ||
	    seal(to, name, sha256, err) < 0)
		return -1;
	describe(list, name, sha256, size, source);
	return 0;
}

int
sa_pin_bytes(struct sa_pin *p, const char *name, const void *bytes, size_t len,
    const char *source, json_t *list, struct sa_err *err)
{
	char sha256[SA_SHA256_SIZE];
	int there = again(p, name, source, list, err);

	if (there != 0)
		return there > 0 ? 0 : -1;
	if (len > p->left)
		return over_limit(err);
	cleanup_fd int to = create(p, name, err);
	if (to < 0 || sa_io_write_fd(to, bytes, len, name, err) < 0 ||
	    seal(to, name, sha256, err) < 0)
		return -1;
	p->left -= len;
	describe(list, name, sha256, len, source);
	return 0;
}

int
sa_pin_package(struct sa_pin *p, const char *path, json_t *list,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf zip = SA_BUF_INIT(p->left);
	cleanup_free char *name = sa_xasprintf("%s.zip", sa_path_base(path));

	if (sa_pin_check_path("package", name, err) < 0 ||
	    sa_zip_dir(path, &zip, err) < 0)
		return -1;
	return sa_pin_bytes(p, name, sa_buf_str(&zip), zip.len, path, list,
	    err);
}
