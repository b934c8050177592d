/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pysource.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* The first "coding: NAME" or "coding=NAME" of a comment. */
static bool
cookie_in(const char *line, size_t len, const char **name, size_t *n)
{
	const char *end = line + len, *w;
	size_t k;

	/* which are soon looked for, and few comments have */
	if (memchr(line, ':', len) == NULL && memchr(line, '=', len) == NULL)
		return false;
	for (const char *p = line; end - p > 7; p++) {
		p = memmem(p, (size_t)(end - p) - 1, "coding", 6);
		if (p == NULL)
			return false;
		if (p[6] != ':' && p[6] != '=')
			continue;
		for (w = p + 7; w < end && (*w == ' ' || *w == '\t');)
			w++;
		for (k = 0; w + k < end &&
		     (isalnum((unsigned char)w[k]) ||
			 (w[k] != '\0' && strchr("-_.", w[k]) != NULL));)
			k++;
		if (k > 0) {
			*name = w;
			*n = k;
			return true;
		}
	}
	return false;
}

static size_t
line_end(const char *text, size_t len, size_t i)
{
	const char *feed = memchr(text + i, '\n', len - i);
	size_t end = feed != NULL ? (size_t)(feed - text) : len;
	const char *cr = memchr(text + i, '\r', end - i);

	return cr != NULL ? (size_t)(cr - text) : end;
}

bool
sa_py_cookie(const char *text, size_t len, size_t *at, size_t *n)
{
	size_t i = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	const char *name;

	for (int line = 0; line < 2 && i < len; line++) {
		size_t end = line_end(text, len, i), j = i;
		while (j < end &&
		    (text[j] == ' ' || text[j] == '\t' || text[j] == '\f'))
			j++;
		if (j < end && text[j] != '#')
			return false;
		if (cookie_in(text + j, end - j, &name, n)) {
			*at = (size_t)(name - text);
			return true;
		}
		i = end;
		if (i < len && text[i] == '\r')
			i++;
		if (i < len && text[i] == '\n' &&
		    (i == end || text[i - 1] == '\r'))
			i++;
	}
	return false;
}

bool
sa_py_names_coding(const char *name, size_t n, const char *const *list)
{
	for (; *list != NULL; list++) {
		size_t k = strlen(*list);
		if (n < k || strncasecmp(name, *list, k) != 0)
			continue;
		/* Emacs writes utf-8-unix */
		if (n == k || (n == k + 5 && memcmp(name + k, "-unix", 5) == 0))
			return true;
	}
	return false;
}

static const char *const latin1[] = { "latin-1", "latin1", "latin_1",
	"iso-8859-1", "iso8859-1", "iso_8859_1", "iso-latin-1", NULL };
static const char *const latin9[] = { "iso-8859-15", "iso8859-15",
	"iso_8859_15", "latin-9", "latin9", NULL };
static const char *const windows[] = { "cp1252", "windows-1252", "cp-1252",
	"windows_1252", NULL };

/* 0x80 to 0x9f; 0 for what is no character. */
static const uint16_t of_windows[] = { 0x20ac, 0, 0x201a, 0x0192, 0x201e,
	0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
	0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
	0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178 };

static unsigned
in_latin1(unsigned char c)
{
	return c;
}

static unsigned
in_windows(unsigned char c)
{
	return c >= 0x80 && c < 0xa0 ? of_windows[c - 0x80] : c;
}

static unsigned
in_latin9(unsigned char c)
{
	static const struct {
		unsigned char byte;
		uint16_t cp;
	} other[] = { { 0xa4, 0x20ac }, { 0xa6, 0x0160 }, { 0xa8, 0x0161 },
		{ 0xb4, 0x017d }, { 0xb8, 0x017e }, { 0xbc, 0x0152 },
		{ 0xbd, 0x0153 }, { 0xbe, 0x0178 } };

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (other[i].byte == c)
			return other[i].cp;
	return c;
}

static void
add_utf8(struct sa_buf *b, unsigned cp)
{
	if (cp < 0x80) {
		sa_buf_addch(b, (char)cp);
		return;
	}
	if (cp < 0x800) {
		sa_buf_addch(b, (char)(0xc0 | cp >> 6));
	} else {
		sa_buf_addch(b, (char)(0xe0 | cp >> 12));
		sa_buf_addch(b, (char)(0x80 | (cp >> 6 & 0x3f)));
	}
	sa_buf_addch(b, (char)(0x80 | (cp & 0x3f)));
}

bool
sa_py_recode(const char *text, size_t len, struct sa_buf *out)
{
	static const char utf[] = "utf-8";
	unsigned (*decode)(unsigned char);
	size_t at, n, i;

	if (!sa_py_cookie(text, len, &at, &n) || n < sizeof(utf) - 1)
		return false;
	i = sa_text_plain(text, len);
	while (i < len && (unsigned char)text[i] < 0x80)
		i++;
	/* a mark of UTF-8 in front contradicts any other encoding */
	if (i == len || (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0))
		return false;
	if (sa_py_names_coding(text + at, n, latin1))
		decode = in_latin1;
	else if (sa_py_names_coding(text + at, n, latin9))
		decode = in_latin9;
	else if (sa_py_names_coding(text + at, n, windows))
		decode = in_windows;
	else
		return false;
	for (i = 0; i < len; i++) {
		unsigned cp = decode((unsigned char)text[i]);
		if (cp == 0)
			return false;
		if (i >= at && i < at + n)
			cp = i - at < sizeof(utf) - 1
			    ? (unsigned char)utf[i - at]
			    : ' ';
		add_utf8(out, cp);
	}
	return true;
}
