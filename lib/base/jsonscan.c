/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/jsonscan.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define DEPTH_MAX 64
#define KEYS_MAX 256
#define DIGITS_MAX 18 /* of a number that fits 64 bits whatever they are */

struct key {
	const char *s;
	size_t len;
};

struct scan {
	const char *p, *end;
	size_t depth;
	bool object[DEPTH_MAX];	 /* or array */
	size_t first[DEPTH_MAX]; /* where its keys begin */
	struct key keys[KEYS_MAX];
	size_t nkeys;
	struct sa_json_member *members;
	size_t nmembers;
	struct sa_json_member *open; /* whose value is being scanned */
};

/* Bytes of a string that stand for themselves and end nothing. */
static bool
is_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 &&
	    c != '"' && c != '\\';
}

/* From behind the opening quote to behind the closing one. */
static bool
scan_string(struct scan *s, bool key)
{
	unsigned int cp;

	while (s->p < s->end) {
		if (is_plain(*s->p)) {
			s->p++;
			continue;
		}
		if (*s->p == '"') {
			s->p++;
			return true;
		}
		if (*s->p == '\\') {
			if (key || s->p + 1 >= s->end || s->p[1] == '\0' ||
			    strchr("\"\\/bfnrt", s->p[1]) == NULL)
				return false;
			s->p += 2;
			continue;
		}
		size_t n = (unsigned char)*s->p < 0x80
		    ? 0
		    : sa_text_decode(s->p, (size_t)(s->end - s->p), &cp);
		if (n == 0)
			return false;
		s->p += n;
	}
	return false;
}

static bool
scan_number(struct scan *s)
{
	const char *start;

	if (*s->p == '-')
		s->p++;
	start = s->p;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	size_t n = (size_t)(s->p - start);
	return n >= 1 && n <= DIGITS_MAX && (*start != '0' || n == 1);
}

static bool
scan_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	return true;
}

static bool
push(struct scan *s, bool object)
{
	if (s->depth == DEPTH_MAX)
		return false;
	s->object[s->depth] = object;
	s->first[s->depth] = s->nkeys;
	s->depth++;
	s->p++;
	return true;
}

static void
pop(struct scan *s)
{
	s->depth--;
	s->nkeys = s->first[s->depth];
	s->p++;
}

/* Keeps a key until its object ends; false where it was there before. */
static bool
add_key(struct scan *s, const char *text, size_t len)
{
	if (s->nkeys == KEYS_MAX)
		return false;
	for (size_t i = s->first[s->depth - 1]; i < s->nkeys; i++)
		if (s->keys[i].len == len &&
		    memcmp(s->keys[i].s, text, len) == 0)
			return false;
	s->keys[s->nkeys++] = (struct key){ text, len };
	return true;
}

/* A key and its colon. */
static bool
scan_key(struct scan *s)
{
	const char *text = s->p + 1;

	if (s->p >= s->end || *s->p++ != '"' || !scan_string(s, true))
		return false;
	size_t len = (size_t)(s->p - 1 - text);
	if (!add_key(s, text, len) || s->p >= s->end || *s->p++ != ':')
		return false;
	for (size_t i = 0; s->depth == 1 && i < s->nmembers; i++) {
		struct sa_json_member *m = &s->members[i];
		if (strlen(m->name) == len && memcmp(m->name, text, len) == 0) {
			m->value = s->p;
			s->open = m;
		}
	}
	return true;
}

/* One scalar, or the beginning of an object or array that is not empty. */
static bool
scan_value(struct scan *s, bool *opened)
{
	*opened = false;
	if (s->p >= s->end)
		return false;
	switch (*s->p) {
	case '{':
	case '[':
		if (!push(s, *s->p == '{') || s->p >= s->end)
			return false;
		if (*s->p == (s->object[s->depth - 1] ? '}' : ']')) {
			pop(s);
			return true;
		}
		*opened = true;
		return !s->object[s->depth - 1] || scan_key(s);
	case '"':
		s->p++;
		return scan_string(s, false);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	default:
		return scan_number(s);
	}
}

/* Behind a value: to the next one, or out of what ends here. */
static bool
scan_after(struct scan *s, bool *next)
{
	*next = false;
	while (s->depth > 0) {
		bool object = s->object[s->depth - 1];
		if (s->depth == 1 && s->open != NULL) {
			s->open->len = (size_t)(s->p - s->open->value);
			s->open = NULL;
		}
		if (s->p >= s->end)
			return false;
		if (*s->p == ',') {
			s->p++;
			*next = true;
			return !object || scan_key(s);
		}
		if (*s->p != (object ? '}' : ']'))
			return false;
		pop(s);
	}
	return true;
}

bool
sa_json_scan(const char *text, size_t len, struct sa_json_member *members,
    size_t n)
{
	struct scan s;
	bool more = true, opened;

	s.p = text;
	s.end = text + len;
	s.depth = s.nkeys = 0;
	s.members = members;
	s.nmembers = n;
	s.open = NULL;
	for (size_t i = 0; i < n; i++) {
		members[i].value = NULL;
		members[i].len = 0;
	}
	if (len == 0 || *text != '{')
		return false;
	while (more) {
		if (!scan_value(&s, &opened))
			return false;
		if (!opened && !scan_after(&s, &more))
			return false;
	}
	return s.p == s.end;
}

bool
sa_json_member_is(const struct sa_json_member *m, const char *text)
{
	return m->value != NULL && m->len == strlen(text) &&
	    memcmp(m->value, text, m->len) == 0;
}
