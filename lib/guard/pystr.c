/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/pystr.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "guard/sql.h"

void
sa_py_literal(const char *text, const struct sa_py_token *t,
    struct sa_py_literal *l)
{
	size_t i = t->offset, end = i + t->len;

	*l = (struct sa_py_literal){ 0 };
	if (t->kind == SA_PY_FTEXT) {
		*l = (struct sa_py_literal){ .start = i,
			.end = end,
			.format = true };
		return;
	}
	for (; text[i] != '"' && text[i] != '\''; i++) {
		l->raw = l->raw || strchr("rR", text[i]) != NULL;
		l->bytes = l->bytes || strchr("bB", text[i]) != NULL;
		l->format = l->format || strchr("fFtT", text[i]) != NULL;
	}
	bool triple =
	    end - i >= 3 && text[i + 1] == text[i] && text[i + 2] == text[i];
	size_t q = triple && (t->kind == SA_PY_FSTART || end - i >= 6) ? 3 : 1;
	l->start = i + q;
	l->end = t->kind == SA_PY_FSTART ? end : end - q;
}

bool
sa_py_plain(const char *text, const struct sa_py_literal *l)
{
	const char *s = text + l->start;
	size_t n = l->end - l->start;

	if (memchr(s, '\r', n) != NULL)
		return false;
	if (l->format &&
	    (memchr(s, '{', n) != NULL || memchr(s, '}', n) != NULL))
		return false;
	if (l->bytes)
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)s[i] >= 0x80)
				return false;
	return l->raw || memchr(s, '\\', n) == NULL;
}

/* One more run, unless the one before simply goes on. */
static void
run(struct sa_py_runs *r, size_t at, size_t src)
{
	if (r->n > 0 && r->r[r->n - 1].src + (at - r->r[r->n - 1].at) == src)
		return;
	if (r->n == r->cap) {
		r->cap = r->cap == 0 ? 16 : r->cap * 2;
		r->r = sa_xrealloc(r->r, r->cap, sizeof(*r->r));
	}
	r->r[r->n++] =
	    (struct sa_py_run){ .at = (uint32_t)at, .src = (uint32_t)src };
}

/* At most max hexadecimal digits, all of them there, or -1. */
static long
hex(const char *s, size_t n, size_t max)
{
	long v = 0;

	if (n < max)
		return -1;
	for (size_t i = 0; i < max; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return -1;
		v = v * 16 +
		    (isdigit((unsigned char)s[i])
			    ? s[i] - '0'
			    : tolower((unsigned char)s[i]) - 'a' + 10);
	}
	return v;
}

/* The names that spell ASCII letters; anything else is a hole. */
static unsigned
named(const char *s, size_t n)
{
	static const char capital[] = "LATIN CAPITAL LETTER ";
	static const char small[] = "LATIN SMALL LETTER ";

	if (n == sizeof(capital) && isalpha((unsigned char)s[n - 1]) &&
	    strncasecmp(s, capital, n - 1) == 0)
		return (unsigned)toupper((unsigned char)s[n - 1]);
	if (n == sizeof(small) && isalpha((unsigned char)s[n - 1]) &&
	    strncasecmp(s, small, n - 1) == 0)
		return (unsigned)tolower((unsigned char)s[n - 1]);
	if (n == 5 && strncasecmp(s, "SPACE", 5) == 0)
		return ' ';
	return SA_SQL_HOLE + 0x110000;
}

static size_t
octal(const char *s, size_t n, unsigned *cp)
{
	size_t i = 0;

	*cp = 0;
	for (; i < n && i < 3 && s[i] >= '0' && s[i] <= '7'; i++)
		*cp = *cp * 8 + (unsigned)(s[i] - '0');
	return i;
}

/* \x, \u, \U and \N; the length after the backslash, 0 where it is none. */
static size_t
numeric(const char *s, size_t n, bool bytes, unsigned *cp)
{
	size_t digits = s[0] == 'x' ? 2 : s[0] == 'u' ? 4 : 8;

	if (s[0] != 'x' && bytes)
		return 0;
	if (s[0] == 'N') {
		const char *e = n > 1 && s[1] == '{' ? memchr(s, '}', n) : NULL;
		if (e == NULL)
			return 0;
		*cp = named(s + 2, (size_t)(e - s) - 2);
		return (size_t)(e - s) + 1;
	}
	long v = hex(s + 1, n - 1, digits);
	if (v < 0)
		return 0;
	*cp = (unsigned)v;
	return digits + 1;
}

/* The escape after a backslash at s: how many bytes it takes, 0 where the
 * backslash stands for itself. *cp: the character, NONE for nothing. */
#define NONE 0xffffffffU
static size_t
escape(const char *s, size_t n, bool bytes, unsigned *cp)
{
	static const char from[] = "\\'\"abfnrtv";
	static const char to[] = "\\'\"\a\b\f\n\r\t\v";
	const char *p;

	if (n == 0)
		return 0;
	if (s[0] == '\n' || s[0] == '\r') {
		*cp = NONE;
		return s[0] == '\r' && n > 1 && s[1] == '\n' ? 2 : 1;
	}
	if (s[0] >= '0' && s[0] <= '7')
		return octal(s, n, cp);
	if (strchr("xuUN", s[0]) != NULL)
		return numeric(s, n, bytes, cp);
	p = strchr(from, s[0]);
	if (p == NULL)
		return 0;
	*cp = (unsigned char)to[p - from];
	return 1;
}

static void
put(struct sa_buf *out, unsigned cp)
{
	if (cp == NONE)
		return;
	if (cp == SA_SQL_HOLE + 0x110000)
		sa_buf_addch(out, (char)SA_SQL_HOLE);
	else
		sa_buf_addu(out, cp);
}

/* Where the next byte is that is not copied as it stands. */
static size_t
special(const char *s, size_t i, size_t end, const struct sa_py_literal *l)
{
	for (; i < end; i++)
		if (s[i] == '\r' || (s[i] == '\\' && !l->raw) ||
		    (l->format && (s[i] == '{' || s[i] == '}')) ||
		    (l->bytes && (unsigned char)s[i] >= 0x80))
			break;
	return i;
}

void
sa_py_decode(const char *text, const struct sa_py_literal *l,
    struct sa_buf *out, struct sa_py_runs *runs)
{
	for (size_t i = l->start; i < l->end;) {
		size_t j = special(text, i, l->end, l);
		run(runs, out->len, i);
		sa_buf_add(out, text + i, j - i);
		i = j;
		if (i == l->end)
			break;
		unsigned cp = (unsigned char)text[i];
		size_t n = 1;
		run(runs, out->len, i);
		if (cp == '\r') {
			n = i + 1 < l->end && text[i + 1] == '\n' ? 2 : 1;
			cp = '\n';
		} else if (cp == '{' || cp == '}') {
			n = i + 1 < l->end && text[i + 1] == (char)cp ? 2 : 1;
		} else if (cp == '\\') {
			n = 1 +
			    escape(text + i + 1, l->end - i - 1, l->bytes, &cp);
		}
		put(out, cp);
		i += n;
	}
}

bool
sa_py_repeat(const char *text, size_t start, size_t end, struct sa_buf *out,
    struct sa_py_runs *runs)
{
	size_t n = end - start;

	if (memchr(text + start, '#', n) != NULL &&
	    (memchr(text + start, '\'', n) != NULL ||
		memchr(text + start, '"', n) != NULL))
		return false;
	for (size_t i = start; i < end; i++) {
		while (i < end && text[i] == '#')
			while (i < end && text[i] != '\n' && text[i] != '\r')
				i++;
		if (i == end || (text[i] == '\r' && text[i + 1] == '\n'))
			continue;
		run(runs, out->len, i);
		sa_buf_addch(out, text[i] == '\r' ? '\n' : text[i]);
	}
	return true;
}
