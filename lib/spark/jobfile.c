/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/jobfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/record.h"
#include "base/suspect.h"
#include "base/text.h"
#include "guard/guard.h"
#include "guard/policy.h"
#include "spark/readable.h"

#define DIR_MODE 02770
#define FILE_MODE 0640
#define TRIES 64
#define WARNINGS_MAX 100
#define LOCK ".lock"

static char *
jobs_dir(const struct sa_settings *s)
{
	return sa_path_absolute(sa_settings_get(s, SA_SET_JOBS_DIR));
}

/* Opens the jobs directory, made where it is missing. Below the data
 * directory that is made first, with its .gitignore. */
static int
open_jobs(const struct sa_settings *s, const char *jobs, struct sa_err *err)
{
	cleanup_free char *data =
	    sa_path_absolute(sa_settings_get(s, SA_SET_DATA_DIR));

	if (sa_path_below(data, jobs) != NULL) {
		struct sa_store *st = sa_store_open(s, true, err);
		if (st == NULL)
			return -1;
		sa_store_free(st);
	}
	if (sa_path_mkdirs(jobs, DIR_MODE, err) < 0)
		return sa_err_hint(err,
		    "the jobs directory is set by SPARK_EXECUTOR_JOBS_DIR, "
		    "--jobs-dir or a configuration file (now %s)",
		    sa_settings_source(s, SA_SET_JOBS_DIR));
	int fd = open(jobs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot open the jobs directory '%s'", jobs);
	return fd;
}

static int
check_size(size_t len, struct sa_err *err)
{
	if (len == 0)
		return sa_err_set(err, SA_INVALID, "the script is empty");
	if (len > SA_JOBFILE_MAX)
		return sa_err_set(err, SA_INVALID,
		    "the script has %zu bytes, the limit is %d", len,
		    SA_JOBFILE_MAX);
	return 0;
}

/* Runs the guard; *guard is what a record keeps of its report. */
static int
run_guard(const struct sa_settings *s, const char *code, size_t len,
    const char *name, json_t **guard, struct sa_err *err)
{
	struct sa_policy policy;
	const struct sa_guard_options options = {
		.strict = sa_settings_origin(s) == SA_ORIGIN_AGENT,
		.policy = &policy,
	};
	json_auto_t *report = NULL;

	if (sa_policy_settings(&policy, s, err) < 0 ||
	    sa_guard_python(code, len, name, &options, &report, err) < 0)
		return -1;
	if (!sa_guard_passes(report)) {
		sa_info("the guard refused a draft of %zu bytes", len);
		return sa_guard_refuse(report, err);
	}
	*guard = json_object();
	json_object_set(*guard, "verdict", json_object_get(report, "verdict"));
	json_object_set(*guard, "findings",
	    json_object_get(report, "findings"));
	return 0;
}

static json_t *
make_record(const char *path, const void *content, size_t len)
{
	json_t *record = sa_json_record("job_file");
	char sha[SA_SHA256_SIZE];

	sa_hash_sha256(content, len, sha);
	sa_json_set_str(record, "script_path", path);
	json_object_set_new(record, "size", json_integer((json_int_t)len));
	sa_json_set_str(record, "sha256", sha);
	return record;
}

/* Makes job_<UTC>_<hex>.py; a name that is taken is tried no second time. */
static int
create(int dir, const char *code, size_t len, char file[SA_ID_SIZE + 4],
    struct sa_err *err)
{
	for (int i = 0; i < TRIES; i++) {
		struct sa_err local = SA_ERR_INIT;
		char id[SA_ID_SIZE];
		sa_clock_id("job", id);
		snprintf(file, SA_ID_SIZE + 4, "%s.py", id);
		if (sa_io_create(dir, file, code, len, FILE_MODE, file,
			&local) == 0)
			return 0;
		if (errno != EEXIST) {
			if (err != NULL)
				*err = local;
			return -1;
		}
	}
	return sa_err_set(err, SA_BUSY, "%d names of job files were taken",
	    TRIES);
}

int
sa_jobfile_write(const struct sa_settings *s, const char *code, size_t len,
    const char *name, json_t **out, struct sa_err *err)
{
	cleanup_free char *jobs = jobs_dir(s);
	json_auto_t *guard = NULL;
	char file[SA_ID_SIZE + 4];

	sa_debug("write %zu bytes to '%s'", len, jobs);
	if (check_size(len, err) < 0 ||
	    run_guard(s, code, len, name, &guard, err) < 0)
		return -1;
	cleanup_fd int dir = open_jobs(s, jobs, err);
	if (dir < 0 || create(dir, code, len, file, err) < 0)
		return -1;
	cleanup_free char *path = sa_path_join(jobs, file);
	*out = make_record(path, code, len);
	json_object_set(*out, "guard", guard);
	sa_info("wrote %s, %zu bytes", path, len);
	return 0;
}

/* A path that no file has; the text of a longer one is nothing to show. */
static int
check_path(const char *path, struct sa_err *err)
{
	if (*path == '\0')
		return sa_err_set(err, SA_INVALID, "the path is empty");
	if (strlen(path) < PATH_MAX)
		return 0;
	return sa_err_set(err, SA_INVALID,
	    "the path has %zu bytes, the most is %d", strlen(path),
	    PATH_MAX - 1);
}

/* A path as errors show it, quoted and on one line. */
static char *
shown_path(const char *path)
{
	cleanup_free char *shown = sa_text_visible(path);

	return sa_xasprintf("'%s'", shown);
}

/* The lines from first on, and how many lines there are. */
static size_t
find_lines(const char *text, size_t len, const struct sa_jobfile_part *part,
    size_t *begin, size_t *end)
{
	long long first = part->offset > 0 ? part->offset : 1;
	long long left = part->limit > 0 ? part->limit : LLONG_MAX;
	size_t lines = 0;

	*begin = *end = len;
	for (size_t i = 0, n; i < len; i += n) {
		const char *nl = memchr(text + i, '\n', len - i);
		n = nl != NULL ? (size_t)(nl - text) + 1 - i : len - i;
		if (++lines < (unsigned long long)first)
			continue;
		if (lines == (unsigned long long)first)
			*begin = i;
		if (left-- == 0)
			*end = i;
	}
	return lines;
}

/* A part of the text in place of all of it, and where the next one begins. */
static void
add_part(json_t *record, const char *text, size_t len,
    const struct sa_jobfile_part *part)
{
	long long first = part->offset > 0 ? part->offset : 1;
	size_t begin, end;
	size_t lines = find_lines(text, len, part, &begin, &end);

	json_object_set_new(record, "content",
	    json_stringn(text + begin, end - begin));
	json_object_set_new(record, "lines", json_integer((json_int_t)lines));
	json_object_set_new(record, "first_line", json_integer(first));
	json_object_set_new(record, "next",
	    end < len ? json_integer(first + part->limit) : json_null());
}

int
sa_jobfile_read(const struct sa_settings *s, const char *path,
    const struct sa_jobfile_part *part, json_t **out, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_JOBFILE_MAX);
	cleanup_free char *name = shown_path(path);
	size_t more;

	sa_debug("read %s", name);
	if (check_path(path, err) < 0)
		return -1;
	cleanup_free char *full = sa_path_absolute(path);
	if (sa_readable(s, path, &b, name, err) < 0)
		return -1;
	if (!sa_text_is_utf8(sa_buf_str(&b), b.len))
		return sa_err_set(err, SA_INVALID, "%s is not UTF-8", name);
	json_t *r = *out = make_record(full, sa_buf_str(&b), b.len);
	sa_json_set_str(r, "path", full);
	if (sa_settings_origin(s) == SA_ORIGIN_AGENT)
		sa_json_set_str(r, "notice", SA_JOBFILE_NOTICE);
	if (part->offset > 0 || part->limit > 0)
		add_part(r, sa_buf_str(&b), b.len, part);
	else
		json_object_set_new(r, "content",
		    json_stringn(sa_buf_str(&b), b.len));
	json_object_set_new(r, "warnings",
	    sa_suspect_list(sa_buf_str(&b), b.len, WARNINGS_MAX, &more));
	if (more > 0)
		json_object_set_new(r, "more_warnings",
		    json_integer((json_int_t)more));
	return 0;
}

/* The directory of rel below the jobs directory, reached without a link. */
static int
open_dir(const char *jobs, const char *rel, const char *name,
    struct sa_err *err)
{
	const char *base = sa_path_base(rel);
	cleanup_free char *sub = base == rel
	    ? sa_xstrdup(".")
	    : sa_xstrndup(rel, (size_t)(base - rel - 1));
	cleanup_fd int root = open(jobs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0
	    ? -1
	    : sa_path_open_beneath(root, sub, O_RDONLY | O_DIRECTORY, 0);

	if (fd >= 0)
		return fd;
	if (errno == ELOOP || errno == EXDEV || errno == ENOTDIR)
		return sa_err_set(err, SA_INVALID,
		    "%s goes through a link or a file", name);
	return sa_err_errno(err, sa_io_kind(errno), errno, "cannot open %s",
	    name);
}

/* Looks at the file that is there: regular, no link, one name; *mode is its
 * mode and sha its hash. */
static int
inspect(int dir, const char *base, const char *name, mode_t *mode,
    char sha[SA_SHA256_SIZE], struct sa_err *err)
{
	struct stat st;
	cleanup_fd int fd = openat(dir, base,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ELOOP)
		return sa_err_set(err, SA_INVALID, "%s is a link", name);
	if (fd < 0)
		return sa_err_errno(err, sa_io_kind(errno), errno,
		    "cannot open %s", name);
	if (fstat(fd, &st) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot stat %s", name);
	if (!S_ISREG(st.st_mode))
		return sa_err_set(err, SA_INVALID, "%s is not a regular file",
		    name);
	if (st.st_nlink != 1)
		return sa_err_set(err, SA_INVALID,
		    "%s has %ju names (hard links)", name,
		    (uintmax_t)st.st_nlink);
	*mode = st.st_mode & 0777;
	return sa_hash_fd(fd, sha, name, err);
}

static int
check_expected(const char *expected, const char *sha, const char *name,
    struct sa_err *err)
{
	if (expected == NULL || strcmp(expected, sha) == 0)
		return 0;
	if (strlen(expected) != SA_SHA256_SIZE - 1 ||
	    strspn(expected, "0123456789abcdef") != SA_SHA256_SIZE - 1) {
		cleanup_free char *shown = sa_text_visible(expected);
		return sa_err_set(err, SA_INVALID,
		    "expected_sha256 '%.100s' is not 64 lower-case "
		    "hexadecimal digits",
		    shown);
	}
	sa_err_set(err, SA_REFUSED, "%s has changed: it has SHA-256 %s, not %s",
	    name, sha, expected);
	return sa_err_hint(err, "read it again and update that");
}

static int
outside(const char *full, const char *jobs, struct sa_err *err)
{
	cleanup_free char *shown = shown_path(full);

	sa_err_set(err, SA_INVALID,
	    "script_path %s is not below the jobs directory '%s'", shown, jobs);
	return sa_err_hint(err, "only files there can be updated");
}

int
sa_jobfile_update(const struct sa_settings *s, const char *path,
    const char *content, size_t len, const char *expected_sha256, json_t **out,
    struct sa_err *err)
{
	cleanup_free char *jobs = jobs_dir(s), *full = NULL;
	cleanup_free char *name = shown_path(path);
	json_auto_t *guard = NULL;
	char sha[SA_SHA256_SIZE];
	mode_t mode = 0;

	sa_debug("update %s with %zu bytes", name, len);
	if (check_path(path, err) < 0)
		return -1;
	full = sa_path_absolute(path);
	const char *rel = sa_path_below(jobs, full);
	const char *base = sa_path_base(full);
	if (rel == NULL || *base == '.')
		return outside(full, jobs, err);
	if (check_size(len, err) < 0)
		return -1;
	cleanup_fd int dir = open_dir(jobs, rel, name, err);
	if (dir < 0 || inspect(dir, base, name, &mode, sha, err) < 0 ||
	    run_guard(s, content, len, full, &guard, err) < 0)
		return -1;
	/* whoever compares hashes shall not race with another update */
	cleanup_fd int lock = sa_io_lock(dir, LOCK, SA_LOCK_WAIT_MS, name, err);
	if (lock < 0 || inspect(dir, base, name, &mode, sha, err) < 0 ||
	    check_expected(expected_sha256, sha, name, err) < 0 ||
	    sa_io_replace(dir, base, content, len, mode, name, err) < 0)
		return -1;
	*out = make_record(full, content, len);
	json_object_set(*out, "guard", guard);
	sa_json_set_str(*out, "path", full);
	json_object_set_new(*out, "bytes_written",
	    json_integer((json_int_t)len));
	sa_info("updated %s, %zu bytes", full, len);
	return 0;
}

static int
newest_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

static int
is_script(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 3 &&
	    strcmp(e->d_name + n - 3, ".py") == 0;
}

/* One file as a list's item; NULL where it is none or is gone. */
static json_t *
list_item(int dir, const char *jobs, const char *file)
{
	char sha[SA_SHA256_SIZE], at[SA_TIME_SIZE];
	struct stat st;
	cleanup_fd int fd = openat(dir, file,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	bool hashed = st.st_size <= SA_JOBFILE_MAX &&
	    sa_hash_fd(fd, sha, file, NULL) == 0;
	cleanup_free char *path = sa_path_join(jobs, file);
	json_t *item = sa_json_record("job_file");
	sa_json_set_str(item, "script_path", path);
	json_object_set_new(item, "size", json_integer(st.st_size));
	sa_json_set_str(item, "sha256", hashed ? sha : NULL);
	sa_clock_format(st.st_mtime, at);
	sa_json_set_str(item, "modified_at", at);
	return item;
}

int
sa_jobfile_list(const struct sa_settings *s, struct sa_cli *cli,
    struct sa_err *err)
{
	static const struct sa_column columns[] = {
		{ "MODIFIED", "modified_at" }, { "SIZE", "size" },
		{ "SCRIPT", "script_path" }, { NULL, NULL }
	};
	cleanup_free char *jobs = jobs_dir(s);
	const char *after = sa_cli_str(cli, "after");
	struct dirent **names = NULL;
	cleanup_fd int dir = open(jobs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int n =
	    dir < 0 ? -1 : scandirat(dir, ".", &names, is_script, newest_first);

	if (n < 0 && errno != ENOENT)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot read the jobs directory '%s'", jobs);
	struct sa_lister *l = sa_list_begin(cli, "job_file", columns);
	bool more = true;
	for (int i = 0; i < n; i++) {
		const char *file = names[i]->d_name;
		if (more && (after == NULL || strcmp(file, after) < 0)) {
			json_auto_t *item = list_item(dir, jobs, file);
			if (item != NULL)
				more = sa_list_add(l, file, item, NULL, 0);
		}
		free(names[i]);
	}
	free(names);
	return sa_list_end(l);
}
