/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"

#define DIR_MODE 02770
#define FILE_MODE 0640
#define ID_DIGITS 12

struct sa_store {
	char *path;
	int fd; /* -1: not there */
	char id[ID_DIGITS + 1];
};

/* Gives a failure that was looked at first to the caller. */
static int
hand_over(struct sa_err *local, struct sa_err *err)
{
	if (err == NULL)
		sa_err_clear(local);
	else {
		sa_err_clear(err);
		*err = *local;
	}
	return -1;
}

int
sa_store_explain(const struct sa_store *st, struct sa_err *err)
{
	int saved = errno;
	struct stat s;

	if (err == NULL || err->kind != SA_IO || *err->hint != '\0')
		return -1;
	if (saved == ENOSPC || saved == EDQUOT)
		sa_err_hint(err, "make room below '%s' and run it again",
		    st->path);
	else if (saved == EROFS)
		sa_err_hint(err,
		    "'%s' is on a read-only file system; let "
		    "SPARK_EXECUTOR_DATA_DIR name a directory that can be "
		    "written to",
		    st->path);
	else if ((saved == EACCES || saved == EPERM) && stat(st->path, &s) == 0)
		sa_err_hint(err,
		    "'%s' belongs to uid %ld and you are uid %ld; run it as "
		    "that user, or let SPARK_EXECUTOR_DATA_DIR name a "
		    "directory of yours",
		    st->path, (long)s.st_uid, (long)geteuid());
	else
		sa_err_hint(err, "the data directory is '%s'", st->path);
	errno = saved;
	return -1;
}

static int
read_id(struct sa_store *st, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(64);

	if (sa_io_read_file(st->fd, "store-id", &b, "store-id", err) < 0)
		return -1;
	if (b.len < ID_DIGITS || strspn(b.s, "0123456789abcdef") != ID_DIGITS)
		return sa_err_set(err, SA_INVALID,
		    "'%s/store-id' does not hold %d hexadecimal digits",
		    st->path, ID_DIGITS);
	memcpy(st->id, b.s, ID_DIGITS);
	return 0;
}

/* store-id last: a directory that has it is complete. */
static int
furnish(struct sa_store *st, struct sa_err *err)
{
	static const char ignore[] = "*\n";
	char id[ID_DIGITS + 2];
	struct sa_err local = SA_ERR_INIT;

	if (faccessat(st->fd, ".gitignore", F_OK, 0) < 0 &&
	    sa_io_replace(st->fd, ".gitignore", ignore, sizeof(ignore) - 1,
		FILE_MODE, ".gitignore", err) < 0)
		return -1;
	snprintf(id, sizeof(id), "%08x%04x\n", arc4random(),
	    arc4random() & 0xffff);
	/* SA_INVALID: another process has just made it */
	if (sa_io_create(st->fd, "store-id", id, ID_DIGITS + 1, FILE_MODE,
		"store-id", &local) < 0 &&
	    local.kind != SA_INVALID)
		return hand_over(&local, err);
	sa_err_clear(&local);
	return 0;
}

static int
open_store(struct sa_store *st, bool create, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;

	if (create && access(st->path, F_OK) < 0 &&
	    sa_path_mkdirs(st->path, DIR_MODE, err) < 0)
		return -1;
	st->fd = open(st->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (st->fd < 0 && errno == ENOENT)
		return 0;
	if (st->fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot open the data directory '%s'", st->path);
	if (read_id(st, &local) == 0)
		return 0;
	if (local.kind != SA_NOT_FOUND)
		return hand_over(&local, err);
	sa_err_clear(&local);
	if (!create)
		return 0;
	return furnish(st, err) < 0 ? -1 : read_id(st, err);
}

struct sa_store *
sa_store_open(const struct sa_settings *s, bool create, struct sa_err *err)
{
	struct sa_store *st = sa_xcalloc(1, sizeof(*st));

	st->fd = -1;
	st->path = sa_path_absolute(sa_settings_get(s, SA_SET_DATA_DIR));
	if (open_store(st, create, err) == 0)
		return st;
	sa_store_explain(st, err);
	sa_store_free(st);
	return NULL;
}

void
sa_store_free(struct sa_store *st)
{
	if (st == NULL)
		return;
	if (st->fd >= 0)
		close(st->fd);
	free(st->path);
	free(st);
}

const char *
sa_store_path(const struct sa_store *st)
{
	return st->path;
}

const char *
sa_store_id(const struct sa_store *st)
{
	return st->id;
}

/* One directory with our mode, and its name in the parent to the disk. */
static int
make_dir(const struct sa_store *st, char *rel)
{
	char *slash = strrchr(rel, '/');

	if (mkdirat(st->fd, rel, 0700) < 0)
		return errno == EEXIST ? 0 : -1;
	if (fchmodat(st->fd, rel, DIR_MODE, 0) < 0)
		return -1;
	if (slash == NULL)
		return sa_io_fsync_dir(st->fd, rel, NULL);
	*slash = '\0';
	cleanup_fd int parent =
	    sa_path_open_beneath(st->fd, rel, O_RDONLY | O_DIRECTORY, 0);
	*slash = '/';
	return parent < 0 ? -1 : sa_io_fsync_dir(parent, rel, NULL);
}

/* Makes rel, one level at a time. */
static int
make_dirs(const struct sa_store *st, const char *rel, struct sa_err *err)
{
	cleanup_free char *part = sa_xstrdup(rel);

	for (char *p = part;; *p++ = '/') {
		p += strcspn(p, "/");
		bool last = *p == '\0';
		*p = '\0';
		if (make_dir(st, part) < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot make '%s/%s'", st->path, part);
		if (last)
			return 0;
	}
}

int
sa_store_dir(const struct sa_store *st, const char *rel, bool create,
    struct sa_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY;
	int fd = st->fd < 0 ? -1 : sa_path_open_beneath(st->fd, rel, flags, 0);

	if (st->fd < 0)
		errno = ENOENT;
	if (fd < 0 && errno == ENOENT && create && st->fd >= 0) {
		if (make_dirs(st, rel, err) < 0)
			return sa_store_explain(st, err);
		fd = sa_path_open_beneath(st->fd, rel, flags, 0);
	}
	if (fd >= 0)
		return fd;
	sa_err_errno(err, errno == ENOENT ? SA_NOT_FOUND : SA_IO, errno,
	    "cannot open '%s/%s'", st->path, rel);
	return sa_store_explain(st, err);
}

/* The directory of rel, and its last part. */
static int
open_parent(const struct sa_store *st, const char *rel, const char **base,
    struct sa_err *err)
{
	const char *slash = strrchr(rel, '/');

	*base = slash != NULL ? slash + 1 : rel;
	if (slash == NULL) {
		int fd = fcntl(st->fd, F_DUPFD_CLOEXEC, 3);
		if (fd < 0)
			sa_err_errno(err, st->fd < 0 ? SA_NOT_FOUND : SA_IO,
			    st->fd < 0 ? ENOENT : errno, "cannot open '%s'",
			    st->path);
		return fd;
	}
	cleanup_free char *dir = sa_xstrndup(rel, (size_t)(slash - rel));
	return sa_store_dir(st, dir, false, err);
}

static int
read_text(const struct sa_store *st, const char *rel, struct sa_buf *b,
    const char *what, struct sa_err *err)
{
	cleanup_fd int fd = st->fd < 0
	    ? -1
	    : sa_path_open_beneath(st->fd, rel, O_RDONLY | O_NONBLOCK, 0);

	if (fd < 0 && (st->fd < 0 || errno == ENOENT || errno == ENOTDIR))
		return sa_err_set(err, SA_NOT_FOUND, "unknown %s", what);
	if (fd < 0) {
		sa_err_errno(err, SA_IO, errno, "cannot open '%s/%s'", st->path,
		    rel);
		return sa_store_explain(st, err);
	}
	return sa_io_read_regular(fd, b, rel, err);
}

int
sa_record_read(const struct sa_store *st, const char *rel, const char *types,
    bool legacy, const char *what, json_t **out, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_RECORD_MAX);
	json_auto_t *record = NULL;

	if (read_text(st, rel, &b, what, err) < 0)
		return -1;
	cleanup_free char *name = sa_path_join(st->path, rel);
	if (sa_json_parse(sa_buf_str(&b), b.len, name, &record, err) < 0 ||
	    sa_json_check_record(record, types, legacy, name, err) < 0)
		return -1;
	sa_debug("loaded %s, %zu bytes", rel, b.len);
	*out = sa_steal(&record);
	return 0;
}

int
sa_record_write(const struct sa_store *st, const char *rel,
    const json_t *record, const char *what, struct sa_err *err)
{
	const char *base;
	cleanup_fd int dir = open_parent(st, rel, &base, err);
	cleanup_free char *text = sa_json_text(record);
	size_t len = strlen(text);

	if (dir < 0)
		return -1;
	if (len >= SA_RECORD_MAX)
		return sa_err_set(err, SA_INVALID,
		    "%s is over the limit of %d bytes", what, SA_RECORD_MAX);
	text[len] = '\n'; /* the file is bytes: the NUL is not needed */
	if (sa_io_replace(dir, base, text, len + 1, FILE_MODE, what, err) < 0)
		return sa_store_explain(st, err);
	sa_debug("stored %s, %zu bytes", rel, len + 1);
	return 0;
}

int
sa_store_lock(const struct sa_store *st, const char *rel, const char *what,
    struct sa_err *err)
{
	const char *base;
	cleanup_fd int dir = open_parent(st, rel, &base, err);

	if (dir < 0)
		return -1;
	int fd = sa_io_lock(dir, base, SA_LOCK_WAIT_MS, what, err);
	return fd < 0 ? sa_store_explain(st, err) : fd;
}

static int
ascending(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
descending(const void *a, const void *b)
{
	return strcmp(*(char *const *)b, *(char *const *)a);
}

/* The length of the name without suffix, 0 where the entry does not count. */
static size_t
wanted(int dirfd, const struct dirent *e, const char *suffix)
{
	size_t n = strlen(e->d_name), k = strlen(suffix);
	struct stat st;

	if (e->d_name[0] == '.' || n <= k ||
	    strcmp(e->d_name + n - k, suffix) != 0)
		return 0;
	if (k > 0 || e->d_type == DT_DIR)
		return n - k;
	/* some file systems do not tell the type here */
	return e->d_type == DT_UNKNOWN &&
		fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISDIR(st.st_mode)
	    ? n
	    : 0;
}

static int
read_names(DIR *d, const char *suffix, struct sa_names *out)
{
	size_t cap = 0;
	struct dirent *e;

	while ((errno = 0, e = readdir(d)) != NULL) {
		size_t n = wanted(dirfd(d), e, suffix);
		if (n == 0)
			continue;
		if (out->n + 1 >= cap) {
			cap = cap ? cap * 2 : 64;
			out->v = sa_xrealloc(out->v, cap, sizeof(*out->v));
		}
		out->v[out->n++] = sa_xstrndup(e->d_name, n);
		out->v[out->n] = NULL;
	}
	return errno == 0 ? 0 : -1;
}

int
sa_store_names(const struct sa_store *st, const char *rel, const char *suffix,
    bool down, struct sa_names *out, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	int fd = sa_store_dir(st, rel, false, &local);

	*out = (struct sa_names){ NULL, 0 };
	if (fd < 0 && local.kind == SA_NOT_FOUND)
		return 0;
	if (fd < 0)
		return hand_over(&local, err);
	cleanup_dir DIR *d = fdopendir(fd);
	if (d == NULL || read_names(d, suffix, out) < 0) {
		sa_err_errno(err, SA_IO, errno, "cannot read '%s/%s'", st->path,
		    rel);
		if (d == NULL)
			close(fd);
		sa_names_free(out);
		return -1;
	}
	if (out->n > 0)
		qsort(out->v, out->n, sizeof(*out->v),
		    down ? descending : ascending);
	return 0;
}

void
sa_names_free(struct sa_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct sa_names){ NULL, 0 };
}

/* Whether name comes behind the token in the list's order. */
static bool
behind(const struct sa_record_list *l, const char *name, const char *after)
{
	if (after == NULL)
		return true;
	int c = strcmp(name, after);
	return l->descending ? c < 0 : c > 0;
}

/* Reads, fixes and adds one; false when the page is full. */
static bool
list_one(const struct sa_store *st, const struct sa_record_list *l,
    const char *name, bool plain, struct sa_buf *b, struct sa_lister *out)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *record = NULL;
	bool changed = false;
	cleanup_free char *rel = sa_xasprintf("%s/%s%s", l->dir, name,
	    l->flat ? ".json" : "/record.json");

	sa_buf_cut(b, 0);
	int rc = read_text(st, rel, b, name, &err);
	/* what is stored is compact text already */
	size_t len = b->len;
	while (len > 0 && b->s[len - 1] == '\n')
		len--;
	if (rc == 0 && plain && l->plain(l->arg, b->s, len))
		return sa_list_add(out, name, NULL, b->s, len);
	if (rc < 0 ||
	    sa_json_parse(sa_buf_str(b), b->len, rel, &record, &err) < 0 ||
	    sa_json_check_record(record, l->types, l->legacy, rel, &err) < 0) {
		/* removed while we list is no news */
		if (err.kind != SA_NOT_FOUND)
			sa_warn("skipped: %s", err.msg);
		sa_err_clear(&err);
		return true;
	}
	if (l->fix != NULL && !l->fix(l->arg, name, record, &changed))
		return true;
	bool raw = !changed && memchr(b->s, '\n', len) == NULL;
	return sa_list_add(out, name, record, raw ? b->s : NULL, len);
}

int
sa_record_list(const struct sa_store *st, struct sa_cli *cli,
    const struct sa_record_list *l, struct sa_err *err)
{
	const char *after = sa_cli_str(cli, "after");
	bool table = sa_cli_human(cli) && !sa_cli_flag(cli, "jsonl");
	bool plain = l->plain != NULL && !table && !sa_cli_agent(cli);
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_RECORD_MAX);
	struct sa_names names;

	if (sa_store_names(st, l->dir, l->flat ? ".json" : "", l->descending,
		&names, err) < 0)
		return -1;
	struct sa_lister *out = sa_list_begin(cli, l->type, l->columns);
	for (size_t i = 0; i < names.n; i++)
		if (behind(l, names.v[i], after) &&
		    !list_one(st, l, names.v[i], plain, &b, out))
			break;
	sa_names_free(&names);
	return sa_list_end(out);
}
