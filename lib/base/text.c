/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"

size_t
sa_text_decode(const char *s, size_t n, unsigned int *cp)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	size_t len;
	unsigned int c;

	if (n == 0)
		return 0;
	if (u[0] < 0x80) {
		*cp = u[0];
		return 1;
	}
	if (u[0] >= 0xc2 && u[0] <= 0xdf) {
		len = 2;
		c = u[0] & 0x1fU;
	} else if (u[0] >= 0xe0 && u[0] <= 0xef) {
		len = 3;
		c = u[0] & 0x0fU;
	} else if (u[0] >= 0xf0 && u[0] <= 0xf4) {
		len = 4;
		c = u[0] & 0x07U;
	} else
		return 0;
	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3fU);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return len;
}

/* Not 0 where a byte of the word is 0 or above 0x7f. */
static uint64_t
odd(uint64_t v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return (v | (v - ones)) & ones << 7;
}

size_t
sa_text_plain(const char *s, size_t len)
{
	size_t i = 0;
	uint64_t v[4];

	for (; len - i >= sizeof(v); i += sizeof(v)) {
		memcpy(v, s + i, sizeof(v));
		if ((odd(v[0]) | odd(v[1]) | odd(v[2]) | odd(v[3])) != 0)
			break;
	}
	for (; len - i >= sizeof(v[0]); i += sizeof(v[0])) {
		memcpy(v, s + i, sizeof(v[0]));
		if (odd(v[0]) != 0)
			break;
	}
	return i;
}

bool
sa_text_is_ascii(const char *s, size_t len)
{
	uint64_t all = 0, v[4];
	size_t i = 0;

	for (; len - i >= sizeof(v); i += sizeof(v)) {
		memcpy(v, s + i, sizeof(v));
		all |= v[0] | v[1] | v[2] | v[3];
	}
	for (; i < len; i++)
		all |= (unsigned char)s[i];
	return (all & UINT64_C(0x8080808080808080)) == 0;
}

bool
sa_text_is_utf8(const char *s, size_t len)
{
	unsigned int cp;

	while (len > 0) {
		size_t n = sa_text_decode(s, len, &cp);
		if (n == 0)
			return false;
		s += n;
		len -= n;
	}
	return true;
}

char *
sa_text_utf8(const char *s, size_t len)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	unsigned int cp;

	while (len > 0) {
		size_t n = sa_text_decode(s, len, &cp);
		if (n == 0 || cp == 0)
			sa_buf_addu(&b, 0xfffd);
		else
			sa_buf_add(&b, s, n);
		n += n == 0;
		s += n;
		len -= n;
	}
	return sa_buf_steal(&b);
}

bool
sa_text_hidden(unsigned int cp)
{
	return (cp < 0x20 && cp != '\t') || (cp >= 0x7f && cp < 0xa0) ||
	    cp == 0xad || cp == 0x61c || cp == 0x180e ||
	    (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff ||
	    (cp >= 0xfff9 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe007f);
}

static void
show_hidden(struct sa_buf *b, unsigned int cp)
{
	if (cp == '\n')
		sa_buf_adds(b, "\\n");
	else if (cp == '\r')
		sa_buf_adds(b, "\\r");
	else if (cp < 0x100)
		sa_buf_addf(b, "\\x%02x", cp);
	else
		sa_buf_addf(b, "\\u{%x}", cp);
}

static char *
visible(const char *s, size_t len, bool lines)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	unsigned int cp;

	while (len > 0) {
		size_t n = sa_text_decode(s, len, &cp);
		if (n == 0) {
			sa_buf_addf(&b, "\\x%02x", (unsigned char)*s);
			n = 1;
		} else if (sa_text_hidden(cp) && !(lines && cp == '\n'))
			show_hidden(&b, cp);
		else
			sa_buf_add(&b, s, n);
		s += n;
		len -= n;
	}
	return sa_buf_steal(&b);
}

char *
sa_text_visible(const char *s)
{
	return visible(s, strlen(s), false);
}

char *
sa_text_visible_lines(const char *s, size_t len)
{
	return visible(s, len, true);
}

char *
sa_text_shell(const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=.,:/@%";
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	if (*s != '\0' && s[strspn(s, plain)] == '\0')
		return sa_xstrdup(s);
	sa_buf_addch(&b, '\'');
	for (; *s != '\0'; s++)
		if (*s == '\'')
			sa_buf_adds(&b, "'\\''");
		else
			sa_buf_addch(&b, *s);
	sa_buf_addch(&b, '\'');
	return sa_buf_steal(&b);
}

static bool
wide(unsigned int cp)
{
	return (cp >= 0x1100 && cp <= 0x115f) ||
	    (cp >= 0x2e80 && cp <= 0xa4cf) || (cp >= 0xac00 && cp <= 0xd7a3) ||
	    (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0xfe30 && cp <= 0xfe6f) ||
	    (cp >= 0xff00 && cp <= 0xff60) || (cp >= 0xffe0 && cp <= 0xffe6) ||
	    (cp >= 0x1f300 && cp <= 0x1faff) ||
	    (cp >= 0x20000 && cp <= 0x3fffd);
}

/* Accents and variation selectors, the common blocks. */
static bool
combining(unsigned int cp)
{
	return (cp >= 0x300 && cp <= 0x36f) || (cp >= 0x483 && cp <= 0x489) ||
	    (cp >= 0x591 && cp <= 0x5bd) || (cp >= 0x64b && cp <= 0x65f) ||
	    (cp >= 0x1ab0 && cp <= 0x1aff) || (cp >= 0x1dc0 && cp <= 0x1dff) ||
	    (cp >= 0x20d0 && cp <= 0x20ff) || (cp >= 0xfe00 && cp <= 0xfe0f) ||
	    (cp >= 0xfe20 && cp <= 0xfe2f);
}

size_t
sa_text_width(const char *s)
{
	size_t left = strlen(s), w = 0;
	unsigned int cp;

	while (left > 0) {
		size_t n = sa_text_decode(s, left, &cp);
		if (n == 0) {
			n = 1;
			w++;
		} else if (!combining(cp))
			w += wide(cp) ? 2 : 1;
		s += n;
		left -= n;
	}
	return w;
}
