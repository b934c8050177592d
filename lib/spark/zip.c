/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/zip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cliopt.h"
#include "base/io.h"
#include "base/path.h"

/* APPNOTE.TXT 4.3: local header, central header, end of directory. */
#define LOCAL_SIG 0x04034b50u
#define CENTRAL_SIG 0x02014b50u
#define END_SIG 0x06054b50u
#define NEEDS_VERSION 20
#define MADE_BY ((3 << 8) | NEEDS_VERSION) /* Unix */
#define UTF8_NAMES 0x0800
#define DATE_1980 0x0021 /* the least that the format can say */
#define FILE_ATTR (0100644u << 16)
#define DIR_ATTR (0040755u << 16 | 0x10)

#define FILES_MAX 5000
#define DEPTH_MAX 16

struct entry {
	uint32_t crc, size, offset;
};

static uint32_t
crc32_of(const char *s, size_t n)
{
	uint32_t table[256], crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] =
			    table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (size_t i = 0; i < n; i++)
		crc = crc >> 8 ^ table[(crc ^ (unsigned char)s[i]) & 0xff];
	return ~crc;
}

static int
add16(struct sa_buf *b, unsigned v)
{
	char p[2] = { (char)(v & 0xff), (char)(v >> 8 & 0xff) };

	return sa_buf_add(b, p, 2);
}

static int
add32(struct sa_buf *b, uint32_t v)
{
	return add16(b, v & 0xffff) < 0 ? -1 : add16(b, v >> 16);
}

/* From "version needed" to "extra field length", which both headers have. */
static int
add_common(struct sa_buf *b, const struct entry *e, size_t name_len)
{
	const unsigned head[] = { NEEDS_VERSION, UTF8_NAMES, 0, 0, DATE_1980 };

	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		if (add16(b, head[i]) < 0)
			return -1;
	if (add32(b, e->crc) < 0 || add32(b, e->size) < 0 ||
	    add32(b, e->size) < 0 || add16(b, (unsigned)name_len) < 0)
		return -1;
	return add16(b, 0);
}

static int
add_file(struct sa_buf *b, struct entry *e, const char *name,
    const struct sa_buf *text)
{
	e->crc = crc32_of(sa_buf_str(text), text->len);
	e->size = (uint32_t)text->len;
	e->offset = (uint32_t)b->len;
	if (add32(b, LOCAL_SIG) < 0 || add_common(b, e, strlen(name)) < 0 ||
	    sa_buf_adds(b, name) < 0)
		return -1;
	return sa_buf_add(b, sa_buf_str(text), text->len);
}

static bool
is_dir(const char *name)
{
	return *name != '\0' && name[strlen(name) - 1] == '/';
}

static int
add_central(struct sa_buf *b, const struct entry *e, const char *name)
{
	if (add32(b, CENTRAL_SIG) < 0 || add16(b, MADE_BY) < 0 ||
	    add_common(b, e, strlen(name)) < 0)
		return -1;
	for (int i = 0; i < 3; i++) /* comment, disk, internal attributes */
		if (add16(b, 0) < 0)
			return -1;
	if (add32(b, is_dir(name) ? DIR_ATTR : FILE_ATTR) < 0 ||
	    add32(b, e->offset) < 0)
		return -1;
	return sa_buf_adds(b, name);
}

static int
add_end(struct sa_buf *b, size_t n, size_t start)
{
	uint32_t size = (uint32_t)(b->len - start);

	if (add32(b, END_SIG) < 0 || add32(b, 0) < 0 ||
	    add16(b, (unsigned)n) < 0 || add16(b, (unsigned)n) < 0 ||
	    add32(b, size) < 0 || add32(b, (uint32_t)start) < 0)
		return -1;
	return add16(b, 0);
}

/*
 * The paths of what is below dir, each beginning with prefix. Directories are
 * entered too, with a slash at the end: Python finds a package without
 * __init__.py by that only.
 */
static int
collect(int fd, const char *prefix, int depth, struct sa_strings *names,
    struct sa_err *err)
{
	cleanup_dir DIR *d = fdopendir(fd);
	cleanup_free char *own = sa_xasprintf("%s/", prefix);
	struct dirent *e;

	if (d == NULL) {
		close(fd);
		return sa_err_errno(err, SA_IO, errno, "cannot read '%s'",
		    prefix);
	}
	sa_strings_add(names, own);
	while ((e = readdir(d)) != NULL) {
		struct stat st;
		if (e->d_name[0] == '.' ||
		    strcmp(e->d_name, "__pycache__") == 0 ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		cleanup_free char *name = sa_path_join(prefix, e->d_name);
		if (S_ISREG(st.st_mode))
			sa_strings_add(names, name);
		if (names->n > FILES_MAX || depth > DEPTH_MAX)
			return sa_err_set(err, SA_INVALID,
			    "'%s' has over %d files or %d levels", prefix,
			    FILES_MAX, DEPTH_MAX);
		if (!S_ISDIR(st.st_mode))
			continue;
		int sub = openat(fd, e->d_name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot open '%s'", name);
		if (collect(sub, name, depth + 1, names, err) < 0)
			return -1;
	}
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
too_large(const char *path, const struct sa_buf *out, struct sa_err *err)
{
	return sa_err_set(err, SA_INVALID,
	    "'%s' is over the limit of %zu bytes as an archive", path,
	    out->max);
}

static int
add_files(const char *parent, const char *path, const struct sa_strings *names,
    struct entry *entries, struct sa_buf *out, struct sa_err *err)
{
	for (size_t i = 0; i < names->n; i++) {
		cleanup_buf struct sa_buf text = SA_BUF_INIT(out->max);
		cleanup_free char *full = sa_path_join(parent, names->v[i]);
		if (!is_dir(names->v[i]) &&
		    sa_io_read_file(AT_FDCWD, full, &text, full, err) < 0)
			return -1;
		if (strlen(names->v[i]) > UINT16_MAX ||
		    add_file(out, &entries[i], names->v[i], &text) < 0)
			return too_large(path, out, err);
	}
	size_t start = out->len;
	for (size_t i = 0; i < names->n; i++)
		if (add_central(out, &entries[i], names->v[i]) < 0)
			return too_large(path, out, err);
	return add_end(out, names->n, start) < 0 ? too_large(path, out, err)
						 : 0;
}

int
sa_zip_dir(const char *path, struct sa_buf *out, struct sa_err *err)
{
	struct sa_strings names = { NULL, 0 };
	cleanup_free char *full = sa_path_absolute(path);
	cleanup_free char *parent = sa_path_absolute(path);
	int fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot open '%s'",
		    path);
	*strrchr(parent, '/') = '\0';
	int rc = collect(fd, sa_path_base(full), 0, &names, err);
	if (rc == 0) {
		cleanup_free struct entry *entries =
		    sa_xcalloc(names.n + 1, sizeof(*entries));
		if (names.n > 0)
			qsort(names.v, names.n, sizeof(*names.v), by_name);
		rc = add_files(parent, path, &names, entries, out, err);
	}
	sa_strings_release(&names);
	return rc;
}
