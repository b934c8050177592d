/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/suspect.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "base/text.h"

static const char control[] = "control character, which terminals act on";
static const char direction[] =
    "turns the direction of writing: the text is shown in another order than "
    "it is read";
static const char invisible[] = "is not shown";
static const char blank[] = "looks like a space and is none";
static const char break_[] = "breaks the line in editors, and not for Python";
static const char variant[] =
    "another form of a plain character, for which Python takes it in a name";
static const char mixed[] =
    "looks like a Latin letter, in a word that has Latin letters too";

/* Sorted. */
static const struct range {
	unsigned int first, last;
	const char *message;
} ranges[] = {
	{ 0x00, 0x08, control },
	{ 0x0b, 0x0c, control },
	{ 0x0e, 0x1f, control },
	{ 0x7f, 0x9f, control },
	{ 0xa0, 0xa0, blank },
	{ 0xad, 0xad, invisible },
	{ 0x34f, 0x34f, invisible },
	{ 0x61c, 0x61c, direction },
	{ 0x115f, 0x1160, invisible },
	{ 0x1680, 0x1680, blank },
	{ 0x17b4, 0x17b5, invisible },
	{ 0x180b, 0x180f, invisible },
	{ 0x2000, 0x200a, blank },
	{ 0x200b, 0x200d, invisible },
	{ 0x200e, 0x200f, direction },
	{ 0x2028, 0x2029, break_ },
	{ 0x202a, 0x202e, direction },
	{ 0x202f, 0x202f, blank },
	{ 0x205f, 0x205f, blank },
	{ 0x2060, 0x2065, invisible },
	{ 0x2066, 0x2069, direction },
	{ 0x206a, 0x206f, invisible },
	{ 0x2800, 0x2800, blank },
	{ 0x3000, 0x3000, blank },
	{ 0x3164, 0x3164, invisible },
	{ 0xfe00, 0xfe0f, invisible },
	{ 0xfeff, 0xfeff, invisible },
	{ 0xff01, 0xff5e, variant },
	{ 0xffa0, 0xffa0, invisible },
	{ 0xfff0, 0xfffb, invisible },
	{ 0x1d173, 0x1d17a, invisible },
	{ 0x1d400, 0x1d7ff, variant },
	{ 0xe0000, 0xe0fff, invisible },
};

static const char *
message_of(unsigned int cp)
{
	size_t low = 0, high = sizeof(ranges) / sizeof(*ranges);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (cp > ranges[mid].last)
			low = mid + 1;
		else if (cp < ranges[mid].first)
			high = mid;
		else
			return ranges[mid].message;
	}
	return NULL;
}

static bool
is_latin(unsigned int cp)
{
	return (cp | 0x20) - 'a' < 26 || (cp >= 0xc0 && cp <= 0x24f);
}

/* Greek and Cyrillic letters that most fonts draw as Latin ones. */
static bool
is_lookalike(unsigned int cp)
{
	static const unsigned short letters[] = { 0x391, 0x392, 0x395, 0x396,
		0x397, 0x399, 0x39a, 0x39c, 0x39d, 0x39f, 0x3a1, 0x3a4, 0x3a5,
		0x3a7, 0x3bd, 0x3bf, 0x3f3, 0x405, 0x406, 0x408, 0x410, 0x412,
		0x415, 0x41a, 0x41c, 0x41d, 0x41e, 0x420, 0x421, 0x422, 0x425,
		0x430, 0x435, 0x43e, 0x440, 0x441, 0x443, 0x445, 0x455, 0x456,
		0x458, 0x4ae, 0x4af, 0x4bb, 0x4c0, 0x4cf, 0x501, 0x51b, 0x51d };

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i] == cp)
			return true;
	return false;
}

/* Whether a word goes on behind it, whatever its script is. */
static bool
is_in_word(unsigned int cp)
{
	return cp == '_' || cp - '0' < 10 || (cp >= 0x300 && cp <= 0x52f);
}

struct search {
	json_t *list;
	size_t max, more;
	json_int_t line, column;
	/* of the word that goes on: its first letter of another script */
	bool latin;
	unsigned int other;
	json_int_t other_column;
};

static void
add(struct search *s, json_int_t column, unsigned int cp, const char *message)
{
	char name[16];

	if (json_array_size(s->list) == s->max) {
		s->more++;
		return;
	}
	snprintf(name, sizeof(name), "U+%04X", cp);
	json_t *item = json_object();
	json_object_set_new(item, "line", json_integer(s->line));
	json_object_set_new(item, "column", json_integer(column));
	sa_json_set_str(item, "code_point", name);
	sa_json_set_str(item, "message", message);
	json_array_append_new(s->list, item);
}

static void
end_word(struct search *s)
{
	if (s->latin && s->other != 0)
		add(s, s->other_column, s->other, mixed);
	s->latin = false;
	s->other = 0;
}

static void
take_letter(struct search *s, unsigned int cp)
{
	if (is_latin(cp))
		s->latin = true;
	else if (is_lookalike(cp)) {
		if (s->other == 0) {
			s->other = cp;
			s->other_column = s->column;
		}
	} else if (!is_in_word(cp))
		end_word(s);
}

json_t *
sa_suspect_list(const char *text, size_t len, size_t max, size_t *more)
{
	struct search s = { .list = json_array(),
		.max = max,
		.line = 1,
		.column = 1 };
	unsigned int cp = 0;

	for (size_t i = 0, n; i < len; i += n) {
		n = sa_text_decode(text + i, len - i, &cp);
		if (n == 0) {
			cp = (unsigned char)text[i];
			n = 1;
		}
		take_letter(&s, cp);
		const char *message = message_of(cp);
		if (i == 0 && cp == 0xfeff)
			message = "byte order mark";
		/* at the end of a line it is how some systems end lines */
		if (cp == '\r' && (i + 1 == len || text[i + 1] != '\n'))
			message = "goes back to the line's beginning: what "
				  "follows is shown over it";
		if (message != NULL)
			add(&s, s.column, cp, message);
		s.column = cp == '\n' ? 1 : s.column + 1;
		s.line += cp == '\n';
	}
	end_word(&s);
	*more = s.more;
	return s.list;
}
