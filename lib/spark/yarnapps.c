/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/yarnapps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* How many brackets are open, seen from inside: {"apps":{"app":[ */
enum { IN_TOP = 1, IN_APPS = 2, IN_ARRAY = 3 };

void
sa_yarnapps_init(struct sa_yarnapps *a, sa_yarnapps_fn *each, void *arg)
{
	*a = (struct sa_yarnapps){ .each = each, .arg = arg };
	sa_buf_init(&a->one, SA_YARNAPPS_ONE_MAX);
}

void
sa_yarnapps_release(struct sa_yarnapps *a)
{
	sa_buf_release(&a->one);
}

void
sa_yarnapps_reset(struct sa_yarnapps *a)
{
	sa_yarnapps_release(a);
	sa_yarnapps_init(a, a->each, a->arg);
}

const char *
sa_yarnapps_head(const struct sa_yarnapps *a)
{
	return a->head;
}

/* The value of four hexadecimal digits, -1 for others. */
static long
hex4(const char *s)
{
	char digits[5] = { 0 };

	for (int i = 0; i < 4; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return -1;
		digits[i] = s[i];
	}
	return strtol(digits, NULL, 16);
}

/* What a \u at s, whose end is at end, is worth, -1 where none stands there. */
static long
unit(const char *s, const char *end)
{
	return end - s >= 6 && s[0] == '\\' && s[1] == 'u' ? hex4(s + 2) : -1;
}

/* s is at a backslash in a string; how much of it belongs together. */
static size_t
mend_escape(char *s, const char *end)
{
	long cp = unit(s, end);

	if (cp < 0)
		return end - s >= 2 ? 2 : 1;
	if (cp < 0xd800 || cp > 0xdfff)
		return 6;
	long low = cp < 0xdc00 ? unit(s + 6, end) : -1;
	if (low >= 0xdc00 && low <= 0xdfff)
		return 12;
	memcpy(s + 2, "fffd", 4);
	return 6;
}

/* The same outside of strings: the length of a number that is none. */
static size_t
mend_number(char *s, const char *end)
{
	static const char *const words[] = { "-Infinity", "Infinity", "NaN" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = strlen(words[i]);
		if ((size_t)(end - s) < n || memcmp(s, words[i], n) != 0)
			continue;
		memset(s, ' ', n);
		*s = '0';
		return n;
	}
	return 1;
}

static void
mend(char *s, size_t n)
{
	const char *end = s + n;
	bool string = false;

	while (s < end) {
		size_t step = 1;
		while (string && s < end && *s != '"' && *s != '\\')
			s++;
		if (s == end)
			return;
		if (*s == '"')
			string = !string;
		else if (string && *s == '\\')
			step = mend_escape(s, end);
		else if (!string && (*s == 'N' || *s == 'I' || *s == '-'))
			step = mend_number(s, end);
		s += step;
	}
}

json_t *
sa_yarnapps_parse(char *text, size_t n)
{
	json_error_t why;

	mend(text, n);
	json_t *j = json_loadb(text, n, JSON_ALLOW_NUL, &why);
	if (j == NULL && !sa_text_is_utf8(text, n)) {
		cleanup_free char *valid = sa_text_utf8(text, n);
		j = json_loadb(valid, strlen(valid), JSON_ALLOW_NUL, &why);
	}
	if (json_is_object(j))
		return j;
	json_decref(j);
	return NULL;
}

static void
hand_over(struct sa_yarnapps *a)
{
	json_auto_t *app = sa_yarnapps_parse(a->one.s, a->one.len);

	a->capture = false;
	sa_buf_cut(&a->one, 0);
	if (app == NULL) {
		a->broken = true;
		return;
	}
	a->count++;
	a->each(a->arg, app);
}

/* Whether the key that was read last is the one that leads further in. */
static bool
key_is(const struct sa_yarnapps *a, const char *key)
{
	return a->key_len == strlen(key) &&
	    memcmp(a->key, key, a->key_len) == 0;
}

static void
open_bracket(struct sa_yarnapps *a, char c)
{
	bool leads = a->on == a->depth;

	if (!a->begun && c != '{')
		a->broken = true;
	a->begun = true;
	a->depth++;
	if (!leads || a->capture)
		return;
	if (a->on == 0 || (a->on == IN_TOP && c == '{' && key_is(a, "apps")) ||
	    (a->on == IN_APPS && c == '[' && key_is(a, "app")))
		a->on++;
	else
		a->capture = c == '{' &&
		    (a->on == IN_ARRAY ||
			(a->on == IN_APPS && key_is(a, "app")));
	a->listed |= a->on >= IN_APPS;
	a->key_len = 0;
}

static void
close_bracket(struct sa_yarnapps *a)
{
	if (a->depth == 0) {
		a->broken = true;
		return;
	}
	a->depth--;
	if (a->on > a->depth)
		a->on = a->depth;
}

static void
outside(struct sa_yarnapps *a, char c)
{
	switch (c) {
	case '"':
		a->string = true;
		if (a->on == a->depth)
			a->key_len = 0;
		break;
	case '{':
	case '[':
		open_bracket(a, c);
		break;
	case '}':
	case ']':
		close_bracket(a);
		break;
	case 'n': /* {"apps":null} */
		a->listed |=
		    a->on == IN_TOP && a->depth == IN_TOP && key_is(a, "apps");
		break;
	default:
		break;
	}
	if (!a->begun && !isspace((unsigned char)c))
		a->broken = true;
}

static void
inside(struct sa_yarnapps *a, char c)
{
	if (a->escape)
		a->escape = false;
	else if (c == '\\')
		a->escape = true;
	else if (c == '"')
		a->string = false;
	if (!a->string || a->on != a->depth)
		return;
	/* one that does not fit is no key that we know */
	if (a->key_len < sizeof(a->key))
		a->key[a->key_len++] = c;
}

/* How much of a captured string goes by without a look at each byte. */
static size_t
plain(const struct sa_yarnapps *a, const char *s, size_t n)
{
	size_t i = 0;

	if (a->string && a->capture && !a->escape)
		while (i < n && s[i] != '"' && s[i] != '\\')
			i++;
	return i;
}

int
sa_yarnapps_add(struct sa_yarnapps *a, const char *bytes, size_t n)
{
	size_t start = 0; /* of what is to be captured */

	if (a->head_len < SA_YARNAPPS_HEAD) {
		size_t more = SA_YARNAPPS_HEAD - a->head_len;
		more = more < n ? more : n;
		memcpy(a->head + a->head_len, bytes, more);
		a->head_len += more;
	}
	for (size_t i = 0; i < n && !a->broken; i++) {
		bool was = a->capture;
		i += plain(a, bytes + i, n - i);
		if (i == n)
			break;
		if (a->string)
			inside(a, bytes[i]);
		else
			outside(a, bytes[i]);
		if (a->capture && !was)
			start = i;
		if (!a->capture || a->depth != a->on)
			continue;
		if (sa_buf_add(&a->one, bytes + start, i + 1 - start) < 0)
			a->broken = true;
		else
			hand_over(a);
	}
	if (a->capture && !a->broken &&
	    sa_buf_add(&a->one, bytes + start, n - start) < 0)
		a->broken = true;
	return a->broken ? -1 : 0;
}

int
sa_yarnapps_end(const struct sa_yarnapps *a)
{
	return a->begun && a->depth == 0 && !a->string && !a->broken &&
		a->listed
	    ? 0
	    : -1;
}
