/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/readable.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"

/* What holds credentials by its place or its name, and what is no file. */
static const char standard[] =
    "/proc:/sys:/dev:/run/secrets:"
    "/etc/shadow:/etc/shadow-:/etc/gshadow:/etc/gshadow-:"
    "/etc/sudoers:/etc/sudoers.d:/etc/ssh:/etc/ssl/private:"
    ".ssh:.aws:.azure:.gnupg:.kube:.docker:.config/gcloud:.config/gh:"
    ".config/pip:.m2/settings.xml:.npmrc:.pypirc:"
    ".netrc:.pgpass:.my.cnf:.git-credentials:.env:.*_history:"
    "krb5cc_*:*.keytab:*.pem:*.key:*.p12:*.pfx:*.jks";

/* Whether two paths name one file or directory: another name of it, or another
 * place where it is mounted, is no way around. */
static bool
is_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino;
}

/* Whether path is root or lies below it. */
static bool
is_within(const char *root, const char *path)
{
	cleanup_free char *p = sa_xstrdup(path);

	if (strcmp(root, path) == 0 || sa_path_below(root, path) != NULL)
		return true;
	for (char *slash; (slash = strrchr(p, '/')) != NULL; *slash = '\0')
		if (is_same(root, p))
			return true;
	return false;
}

/* Whether the names of the pattern are those of the path's parts from here. */
static bool
begins_with(const char *path, const char *pattern)
{
	while (*pattern != '\0') {
		size_t n = strcspn(path, "/"), k = strcspn(pattern, "/");
		cleanup_free char *part = sa_xstrndup(path, n);
		cleanup_free char *want = sa_xstrndup(pattern, k);
		if (n == 0 || fnmatch(want, part, 0) != 0)
			return false;
		path += n + (path[n] == '/');
		pattern += k + (pattern[k] == '/');
	}
	return true;
}

static bool
has_names(const char *path, const char *pattern)
{
	for (; path != NULL; path = strchr(path, '/')) {
		path += *path == '/';
		if (begins_with(path, pattern))
			return true;
	}
	return false;
}

bool
sa_readable_denied(const char *list, const char *path, const char **entry,
    size_t *len)
{
	for (size_t n; *list != '\0'; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		cleanup_free char *one = sa_xstrndup(list, n);
		bool found;
		if (strcmp(one, "default") == 0) {
			if (sa_readable_denied(standard, path, entry, len))
				return true;
			continue;
		}
		/* ~ is any home */
		const char *names = strncmp(one, "~/", 2) == 0 ? one + 2 : one;
		found = *one == '/' ? is_within(one, path)
				    : *one != '\0' && has_names(path, names);
		if (!found)
			continue;
		*entry = list;
		*len = n;
		return true;
	}
	return false;
}

/* Where a directory of the settings is; NULL where it is not there. */
static char *
real_dir(const struct sa_settings *s, enum sa_setting id)
{
	return realpath(sa_settings_get(s, id), NULL);
}

/* real: where the file lies. */
static int
check_place(const struct sa_settings *s, const char *real, const char *name,
    struct sa_err *err)
{
	cleanup_free char *data = real_dir(s, SA_SET_DATA_DIR);
	cleanup_free char *jobs = real_dir(s, SA_SET_JOBS_DIR);
	const char *entry;
	size_t len;

	if (sa_readable_denied(sa_settings_get(s, SA_SET_READ_DENY), real,
		&entry, &len)) {
		sa_err_set(err, SA_REFUSED,
		    "%s is not for an agent to read: it is '%.*s' of "
		    "read_deny",
		    name, (int)len, entry);
		return sa_err_hint(err,
		    "a person can look at it; do not try another way");
	}
	if (data == NULL || !is_within(data, real) ||
	    (jobs != NULL && is_within(jobs, real)))
		return 0;
	sa_err_set(err, SA_REFUSED,
	    "%s is not for an agent to read: it is the toolkit's own state",
	    name);
	return sa_err_hint(err, "of the data directory only job files are");
}

static int
no_such(int errnum, const char *name, struct sa_err *err)
{
	return sa_err_errno(err, sa_io_kind(errnum), errnum, "cannot open %s",
	    name);
}

/* The file is held without being opened while it is looked at, and it is that
 * one which is opened then. */
static int
read_for_agent(const struct sa_settings *s, const char *path, struct sa_buf *b,
    const char *name, struct sa_err *err)
{
	cleanup_free char *full = sa_path_absolute(path);
	char real[PATH_MAX + 1];
	struct stat st;

	/* nor is it told whether a file is there that it may not read */
	if (check_place(s, full, name, err) < 0)
		return -1;
	cleanup_fd int held = open(path, O_PATH | O_CLOEXEC);
	if (held < 0)
		return no_such(errno, name, err);
	cleanup_free char *link = sa_xasprintf("/proc/self/fd/%d", held);
	ssize_t n = readlink(link, real, sizeof(real) - 1);
	if (n <= 0 || *real != '/')
		return sa_err_set(err, SA_IO, "cannot tell where %s lies",
		    name);
	real[n] = '\0';
	if (check_place(s, real, name, err) < 0)
		return -1;
	if (fstat(held, &st) < 0 || !S_ISREG(st.st_mode))
		return sa_err_set(err, SA_INVALID, "%s is %s", name,
		    S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	cleanup_fd int fd =
	    open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return no_such(errno, name, err);
	sa_info("an agent reads %s, '%s'", name, real);
	return sa_io_read_regular(fd, b, name, err);
}

static int
as_agent(const struct sa_settings *s, const char *path, struct sa_buf *b,
    const char *name, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;

	if (read_for_agent(s, path, b, name, &local) == 0)
		return 0;
	if (local.kind == SA_REFUSED)
		sa_warn("%s", local.msg);
	if (err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return -1;
}

int
sa_readable(const struct sa_settings *s, const char *path, struct sa_buf *b,
    const char *name, struct sa_err *err)
{
	return sa_settings_origin(s) == SA_ORIGIN_AGENT
	    ? as_agent(s, path, b, name, err)
	    : sa_io_read_file(AT_FDCWD, path, b, name, err);
}
