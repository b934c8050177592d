/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/pin.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cliopt.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"

#define MODULE_MAX (1024 * 1024)
#define MODULES_MAX 1000 /* of one script */

/* What was imported so far, each once; names.v[done] is looked at next. */
struct scan {
	struct sa_strings names;
	size_t done;
};

static void
add_name(struct scan *scan, const char *s, size_t n)
{
	cleanup_free char *name = sa_xstrndup(s, n);

	if (n == 0 || n > 100 || scan->names.n >= MODULES_MAX)
		return;
	for (size_t i = 0; i < scan->names.n; i++)
		if (strcmp(scan->names.v[i], name) == 0)
			return;
	sa_strings_add(&scan->names, name);
}

static bool
name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

static size_t
name_len(const char *s)
{
	size_t n = 0;

	while (name_char(s[n]))
		n++;
	return n;
}

/* "a.b as c, d": the first part of each. */
static void
scan_import(struct scan *scan, const char *s, const char *end)
{
	while (s < end) {
		s += strspn(s, " \t");
		add_name(scan, s, name_len(s));
		s += strcspn(s, ",;#\n");
		if (*s != ',')
			return;
		s++;
	}
}

/*
 * Lines that begin with import or from. A line inside a string may look like
 * one, and an import by a function does not: this is for a warning, the
 * script decides for itself what it imports.
 */
static void
scan_text(struct scan *scan, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		const char *end = text + n, *s = text + strspn(text, " \t");
		if (strncmp(s, "import", 6) == 0 && strchr(" \t", s[6]))
			scan_import(scan, s + 6, end);
		else if (strncmp(s, "from", 4) == 0 && strchr(" \t", s[4])) {
			s += 4 + strspn(s + 4, " \t");
			add_name(scan, s, name_len(s));
		}
		text = *end == '\n' ? end + 1 : end;
	}
}

static bool
is_kind(const char *path, mode_t kind)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

/* What the module is beside the script: 'f'ile, 'd'irectory or 0. */
static int
beside(const char *dir, const char *name, char **path)
{
	*path = sa_xasprintf("%s/%s", dir, name);
	if (is_kind(*path, S_IFDIR))
		return 'd';
	free(*path);
	*path = sa_xasprintf("%s/%s.py", dir, name);
	if (is_kind(*path, S_IFREG))
		return 'f';
	free(*path);
	*path = NULL;
	return 0;
}

/* Modules that a module imports are needed as much. */
static int
scan_file(struct scan *scan, const char *path, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(MODULE_MAX);

	if (sa_io_read_file(AT_FDCWD, path, &b, path, err) < 0)
		return -1;
	scan_text(scan, sa_buf_str(&b));
	return 0;
}

static bool
is_pinned(const struct sa_pin *p, const char *source)
{
	json_t *d;
	size_t i;

	json_array_foreach (p->py_files, i, d)
		if (strcmp(sa_json_str(d, "source"), source) == 0)
			return true;
	return false;
}

static int
take(struct sa_pin *p, struct scan *scan, int kind, const char *path, bool pin,
    json_t *warnings, struct sa_err *err)
{
	if (is_pinned(p, path))
		return 0;
	if (!pin) {
		cleanup_free char *shown = sa_text_visible(path);
		json_array_append_new(warnings,
		    json_sprintf("the script imports '%s', which is not "
				 "pinned: it will not be found",
			shown));
		return 0;
	}
	if (kind == 'd')
		return sa_pin_package(p, path, p->siblings, err);
	if (scan_file(scan, path, err) < 0)
		return -1;
	return sa_pin_file(p, "--with-siblings", path, p->siblings, err);
}

int
sa_pin_siblings(struct sa_pin *p, const char *script, const char *text,
    size_t len, bool pin, json_t *warnings, struct sa_err *err)
{
	struct scan scan = { { NULL, 0 }, 0 };
	cleanup_free char *dir = sa_path_absolute(script);
	cleanup_free char *copy = sa_xstrndup(text, len);
	int rc = 0;

	*strrchr(dir, '/') = '\0';
	scan_text(&scan, copy);
	while (rc == 0 && scan.done < scan.names.n) {
		cleanup_free char *path = NULL;
		int kind = beside(dir, scan.names.v[scan.done++], &path);
		if (kind != 0)
			rc = take(p, &scan, kind, path, pin, warnings, err);
	}
	sa_strings_release(&scan.names);
	return rc;
}
