/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/record.h"
#include "scratch.h"
#include "tap.h"

/* What t0016-store.t cannot make happen: the linker puts these before the
 * calls of that name. */
static struct {
	int mkdirat, fchmodat, fdopendir, readdir; /* errno, 0: do not fail */
	bool unknown;				   /* no type in entries */
} fail;

int __real_mkdirat(int fd, const char *name, mode_t mode);
int __wrap_mkdirat(int fd, const char *name, mode_t mode);
int __real_fchmodat(int fd, const char *name, mode_t mode, int flags);
int __wrap_fchmodat(int fd, const char *name, mode_t mode, int flags);
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
struct dirent *__real_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d);

static bool
fails(int why)
{
	if (why != 0)
		errno = why;
	return why != 0;
}

int
__wrap_mkdirat(int fd, const char *name, mode_t mode)
{
	return fails(fail.mkdirat) ? -1 : __real_mkdirat(fd, name, mode);
}

int
__wrap_fchmodat(int fd, const char *name, mode_t mode, int flags)
{
	return fails(fail.fchmodat) ? -1
				    : __real_fchmodat(fd, name, mode, flags);
}

DIR *
__wrap_fdopendir(int fd)
{
	return fails(fail.fdopendir) ? NULL : __real_fdopendir(fd);
}

struct dirent *
__wrap_readdir(DIR *d)
{
	if (fails(fail.readdir))
		return NULL;
	struct dirent *e = __real_readdir(d);
	if (e != NULL && fail.unknown)
		e->d_type = DT_UNKNOWN;
	return e;
}

static struct sa_err err;

static struct sa_store *
open_store(const char *path, bool create)
{
	setenv("SPARK_EXECUTOR_DATA_DIR", path, 1);
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	struct sa_store *st = s != NULL ? sa_store_open(s, create, &err) : NULL;

	sa_settings_free(s);
	return st;
}

static void
test_absent(void)
{
	struct sa_store *st = open_store("absent", false);
	struct sa_names names;
	json_t *j = NULL;
	json_auto_t *record = sa_json_record("x");

	ok(st != NULL && *sa_store_id(st) == '\0', "a store that is not there");
	ok(*sa_store_path(st) == '/', "has a path");
	ok(sa_store_names(st, "d", "", false, &names, &err) == 0 &&
		names.n == 0 && names.v == NULL,
	    "no names");
	ok(sa_record_read(st, "x.json", "x", false, "x", &j, &err) == -1 &&
		err.kind == SA_NOT_FOUND,
	    "no records");
	ok(sa_record_write(st, "x.json", record, "x", &err) == -1 &&
		err.kind == SA_NOT_FOUND,
	    "and takes none");
	ok(sa_store_dir(st, "d", true, &err) == -1 && err.kind == SA_NOT_FOUND,
	    "nor a directory");
	ok(sa_store_lock(st, "l", "x", &err) == -1 && err.kind == SA_NOT_FOUND,
	    "nor a lock");
	ok(sa_store_lock(st, "d/l", "x", &err) == -1 &&
		err.kind == SA_NOT_FOUND,
	    "nor one below");
	sa_store_free(st);
	sa_store_free(NULL);
}

static void
test_top(struct sa_store *st)
{
	json_auto_t *record = sa_json_record("x"), *got = NULL;

	is_int(strlen(sa_store_id(st)), 12, "the id");
	ok(sa_record_write(st, "top.json", record, "'top'", &err) == 0 &&
		sa_record_read(st, "top.json", "x", false, "'top'", &got,
		    &err) == 0 &&
		json_equal(record, got),
	    "a record at the top");
	int lock = sa_store_lock(st, "top.lock", "'top'", &err);
	ok(lock >= 0, "a lock at the top");
	close(lock);
}

static void
test_dirs(struct sa_store *st)
{
	struct stat s;

	int fd = sa_store_dir(st, "a/b/c", true, &err);
	ok(fd >= 0 && fstat(fd, &s) == 0 && (s.st_mode & 07777) == 02770,
	    "three levels");
	close(fd);
	static const struct {
		int why;
		const char *hint;
	} ways[] = { { ENOSPC, "make room below" }, { EDQUOT, "make room" },
		{ EROFS, "read-only file system" },
		{ EACCES, "belongs to uid" },
		{ EIO, "the data directory is" } };
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		fail.mkdirat = ways[i].why;
		ok(sa_store_dir(st, "new/d", true, &err) == -1 &&
			err.kind == SA_IO &&
			strstr(err.hint, ways[i].hint) != NULL &&
			strstr(err.hint, sa_store_path(st)) != NULL,
		    ways[i].hint);
	}
	fail.mkdirat = 0;
	fail.fchmodat = EPERM;
	ok(sa_store_dir(st, "new/d", true, &err) == -1 && err.kind == SA_IO,
	    "a mode that cannot be set");
	ok(sa_store_dir(st, "new/e", true, NULL) == -1, "without a struct");
	fail.fchmodat = 0;
	ok(symlink("a", "data/link") == 0 &&
		sa_store_dir(st, "link/b", true, &err) == -1 &&
		err.kind == SA_IO,
	    "a link on the way");
}

static void
test_names(struct sa_store *st)
{
	struct sa_names names;

	ok(mkdir("data/n", 0700) == 0 && mkdir("data/n/b", 0700) == 0 &&
		mkdir("data/n/a", 0700) == 0 && mkdir("data/n/.t", 0700) == 0 &&
		symlink("a", "data/n/link") == 0 &&
		fclose(fopen("data/n/file", "we")) == 0,
	    "a directory of all sorts");
	for (int i = 0; i < 2; i++) {
		fail.unknown = i == 1;
		ok(sa_store_names(st, "n", "", true, &names, &err) == 0 &&
			names.n == 2 && strcmp(names.v[0], "b") == 0 &&
			strcmp(names.v[1], "a") == 0 && names.v[2] == NULL,
		    i == 0 ? "its directories, the last first"
			   : "also where entries do not tell their type");
		sa_names_free(&names);
	}
	fail.unknown = false;
	fail.readdir = EIO;
	ok(sa_store_names(st, "n", "", true, &names, &err) == -1 &&
		err.kind == SA_IO,
	    "one that cannot be read");
	fail.readdir = 0;
	fail.fdopendir = ENOMEM;
	ok(sa_store_names(st, "n", "", true, &names, &err) == -1 &&
		err.kind == SA_IO,
	    "or opened");
	fail.fdopendir = 0;
	ok(sa_store_names(st, "link", "", true, &names, &err) == -1 &&
		err.kind == SA_IO,
	    "or is a link");
	ok(sa_store_names(st, "link", "", true, &names, NULL) == -1,
	    "without a struct");
}

int
main(void)
{
	scratch();
	test_absent();
	struct sa_store *st = open_store("data", true);
	ok(st != NULL, "a store");
	test_top(st);
	test_dirs(st);
	test_names(st);
	sa_store_free(st);
	ok(unlink("data/store-id") == 0 && mkdir("data/store-id", 0700) == 0 &&
		open_store("data", false) == NULL && err.kind == SA_INVALID,
	    "a store-id that is none");
	sa_err_clear(&err);
	return tap_done();
}
