/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "guard/guard.h"
#include "guard/pysource.h"

#define MAX_SHOWN 160 /* bytes of a source line that are printed */

/* s with control characters as they are written in C, blanks kept. */
static void
add_visible(struct sa_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c == '\n')
			sa_buf_adds(b, "\\n");
		else if (c == '\t')
			sa_buf_addch(b, ' ');
		else if (c < 0x20 || c == 0x7f)
			sa_buf_addf(b, "\\x%02x", c);
		else if (c == 0xc2 && i + 1 < n &&
		    (unsigned char)s[i + 1] < 0xa0) {
			sa_buf_addf(b, "\\x%02x", (unsigned char)s[i + 1]);
			i++;
		} else {
			sa_buf_addch(b, (char)c);
		}
	}
}

/* Where line number line of the source begins; *end is its end. */
static const char *
source_line(const char *s, size_t len, json_int_t line, size_t *n)
{
	const char *p = s, *end = s + len, *q;

	if (len >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	while (line > 1 && p < end) {
		if (*p == '\r' && p + 1 < end && p[1] == '\n')
			p++;
		line -= *p == '\n' || *p == '\r';
		p++;
	}
	for (q = p; q < end && *q != '\n' && *q != '\r';)
		q++;
	*n = (size_t)(q - p);
	return p;
}

static bool
is_inside(const char *s, size_t at)
{
	return ((unsigned char)s[at] & 0xc0) == 0x80;
}

/* The line with a caret below the column; of a long one the part around it.
 * Bytes that are no UTF-8 may look like the inside of a character without
 * end: no cut is moved by more than the three bytes that one can have. */
static void
add_source(struct sa_buf *b, const char *s, size_t n, json_int_t column)
{
	size_t at = 0, from, to;

	for (json_int_t c = 1; c < column && at < n; c++)
		for (at++; at < n && is_inside(s, at);)
			at++;
	from = at > MAX_SHOWN / 2 ? at - MAX_SHOWN / 2 : 0;
	for (int i = 0; i < 3 && from > 0 && is_inside(s, from); i++)
		from--;
	to = n - from > MAX_SHOWN ? from + MAX_SHOWN : n;
	for (int i = 0; i < 3 && to < n && is_inside(s, to); i++)
		to++;
	size_t mark = b->len;
	sa_buf_adds(b, "    ");
	add_visible(b, s + from, at - from);
	size_t width = sa_text_width(sa_buf_str(b) + mark);
	add_visible(b, s + at, to - at);
	sa_buf_addf(b, "\n%*s^\n", (int)width, "");
}

static const char *
text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s != NULL ? s : "";
}

/* A text on a line of its own: without the blanks around it, and with one
 * where a line of it is indented. */
static char *
on_a_line(const char *s)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	size_t end = strlen(s);

	while (end > 0 && strchr(" \t\r\n", s[end - 1]) != NULL)
		end--;
	for (size_t i = strspn(s, " \t\r\n"); i < end; i++) {
		if (s[i] == '\r' && s[i + 1] == '\n')
			continue;
		sa_buf_addch(&b, s[i]);
		if (s[i] != '\n')
			continue;
		size_t n = strspn(s + i + 1, " \t");
		if (n > 0)
			sa_buf_addch(&b, ' ');
		i += n;
	}
	return sa_buf_steal(&b);
}

static bool
is_resolved(const char *statement, const char *line, size_t n)
{
	return *statement != '\0' &&
	    memmem(line, n, statement, strlen(statement)) == NULL;
}

static void
add_finding(struct sa_buf *b, const char *path, const json_t *f,
    const char *source, size_t len)
{
	json_int_t line = json_integer_value(json_object_get(f, "line"));
	json_int_t column = json_integer_value(json_object_get(f, "column"));
	const char *severity = text_of(f, "severity"), *s;
	cleanup_free char *statement = on_a_line(text_of(f, "statement"));
	bool waived = sa_guard_is_waived(f);
	size_t n = 0;

	add_visible(b, path, strlen(path));
	sa_buf_addf(b, ":%lld:%lld: %s: ", (long long)line, (long long)column,
	    waived				? "waived"
		: strcmp(severity, "warn") == 0 ? "warning"
						: "error");
	s = text_of(f, "message");
	add_visible(b, s, strlen(s));
	sa_buf_addf(b, " [%s]\n", text_of(f, "rule"));
	s = "";
	if (source != NULL) {
		s = source_line(source, len, line, &n);
		add_source(b, s, n, column);
	}
	if (is_resolved(statement, s, n)) {
		sa_buf_adds(b, "    text: ");
		add_visible(b, statement, strlen(statement));
		sa_buf_addch(b, '\n');
	}
	s = text_of(f, "hint");
	if (*s != '\0' && !waived && strcmp(severity, "warn") != 0) {
		sa_buf_adds(b, "    hint: ");
		add_visible(b, s, strlen(s));
		sa_buf_addch(b, '\n');
	}
}

char *
sa_guard_text(const json_t *report, const char *source, size_t len)
{
	cleanup_buf struct sa_buf utf8 = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	const char *path = text_of(report, "path");
	const json_t *findings = json_object_get(report, "findings");
	size_t i;
	json_t *f;

	if (source != NULL && sa_py_recode(source, len, &utf8)) {
		source = sa_buf_str(&utf8);
		len = utf8.len;
	}
	if (*path == '\0')
		path = "-";
	json_array_foreach (findings, i, f)
		add_finding(&b, path, f, source, len);
	return sa_buf_steal(&b);
}

/* The finding that a refusal speaks of: the first of the worst. */
static const json_t *
worst(const json_t *report)
{
	const json_t *findings = json_object_get(report, "findings");
	const char *verdict = sa_verdict_name(sa_guard_verdict(report));
	size_t i;
	json_t *f;

	json_array_foreach (findings, i, f)
		if (!sa_guard_is_waived(f) &&
		    strcmp(text_of(f, "severity"), verdict) == 0)
			return f;
	return NULL;
}

static size_t
count(const json_t *report)
{
	const json_t *findings = json_object_get(report, "findings");
	size_t i, n = 0;
	json_t *f;

	json_array_foreach (findings, i, f)
		n += !sa_guard_is_waived(f);
	return n;
}

int
sa_guard_refuse(const json_t *report, struct sa_err *err)
{
	const char *path = text_of(report, "path");
	const json_t *f = worst(report);
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	size_t n = count(report);
	json_t *copy = json_deep_copy(report);

	sa_buf_addch(&b, '\'');
	add_visible(&b, *path != '\0' ? path : "-",
	    *path != '\0' ? strlen(path) : 1);
	sa_buf_adds(&b, "' ");
	sa_buf_adds(&b, "does not pass the guard");
	if (f != NULL) {
		const char *m = text_of(f, "message");
		sa_buf_addf(&b, ": line %lld: ",
		    (long long)json_integer_value(json_object_get(f, "line")));
		add_visible(&b, m, strlen(m));
		sa_buf_addf(&b, " [%s]", text_of(f, "rule"));
	}
	if (n > 1)
		sa_buf_addf(&b, " (and %zu more)", n - 1);
	sa_err_set(err, SA_INVALID, "%s", sa_buf_str(&b));
	sa_err_hint(err,
	    "rewrite it so that it only reads with SELECT and adds rows with "
	    "INSERT INTO%s%s",
	    f != NULL ? ": " : "", f != NULL ? text_of(f, "hint") : "");
	sa_buf_release(&b);
	return sa_err_detail(err, copy);
}
