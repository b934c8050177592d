/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "tap.h"

static void
gives(char *got, const char *want, const char *name)
{
	is_str(got, want, name);
	free(got);
}

static void
test_decode(void)
{
	static const struct {
		const char *s;
		size_t n;
		unsigned cp;
	} good[] = { { "a", 1, 'a' }, { "\xc2\x80", 2, 0x80 },
		{ "\xdf\xbf", 2, 0x7ff }, { "\xe0\xa0\x80", 3, 0x800 },
		{ "\xef\xbf\xbf", 3, 0xffff },
		{ "\xf0\x90\x80\x80", 4, 0x10000 },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff } };
	static const char *const bad[] = { "\x80", "\xc1\xbf", "\xc2", "\xc2z",
		"\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"\xff", "\xe2\x82", "\xf0\x9f\x98" };
	unsigned cp;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		size_t n = sa_text_decode(good[i].s, strlen(good[i].s), &cp);
		ok(n == good[i].n && cp == good[i].cp, "a character");
		ok(sa_text_is_utf8(good[i].s, n), "is UTF-8");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(sa_text_decode(bad[i], strlen(bad[i]), &cp) == 0 &&
			!sa_text_is_utf8(bad[i], strlen(bad[i])),
		    "is none");
	is_int(sa_text_decode("", 0, &cp), 0, "nothing");
	gives(sa_text_utf8("a\xff\xe2\x82z", 5),
	    "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz", "made UTF-8");
}

static void
test_visible(void)
{
	gives(sa_text_visible("a\tb\n\r\x1b[1m\x7f"), "a\tb\\n\\r\\x1b[1m\\x7f",
	    "controls on one line");
	gives(sa_text_visible("\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\xc3\xa9"),
	    "\\x9b\\u{202e}\\u{e0041}\xc3\xa9",
	    "C1, bidirectional, tags, and a letter that stays");
	gives(sa_text_visible("\xffz"), "\\xffz", "a bad byte");
	gives(sa_text_visible(""), "", "nothing");
	gives(sa_text_visible_lines("a\nb\0c\r\n", 7), "a\nb\\x00c\\r\n",
	    "line breaks stay, a NUL does not end it");
}

static void
test_shell(void)
{
	gives(sa_text_shell("plain-1_./:@%+=,"), "plain-1_./:@%+=,", "plain");
	gives(sa_text_shell(""), "''", "empty");
	gives(sa_text_shell("a b"), "'a b'", "a blank");
	gives(sa_text_shell("it's"), "'it'\\''s'", "a quote");
	gives(sa_text_shell("~"), "'~'", "a tilde");
	gives(sa_text_shell("$(x)`y`"), "'$(x)`y`'", "an expansion");
}

static void
test_width(void)
{
	is_int(sa_text_width("abc"), 3, "letters");
	is_int(sa_text_width("\xe6\x97\xa5\xe6\x9c\xac"), 4, "wide ones");
	is_int(sa_text_width("e\xcc\x81"), 1, "a combining one");
	is_int(sa_text_width("\xe2\x9d\xa4\xef\xb8\x8f"), 1,
	    "a variation selector");
	is_int(sa_text_width("\xff\xff"), 2, "bad bytes");
	is_int(sa_text_width("\xf0\x9f\x98\x80"), 2, "a face");
}

int
main(void)
{
	test_decode();
	test_visible();
	test_shell();
	test_width();
	return tap_done();
}
