/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/suspect.h"
#include "tap.h"

/* What is found, as "line:column U+X" with blanks between. */
static void
finds(const char *text, size_t len, const char *want, const char *name)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	json_t *item;
	size_t i, more;
	json_auto_t *list = sa_suspect_list(text, len, 100, &more);

	json_array_foreach (list, i, item)
		sa_buf_addf(&b, "%s%lld:%lld %s", i > 0 ? " " : "",
		    (long long)sa_json_int(item, "line", -1),
		    (long long)sa_json_int(item, "column", -1),
		    sa_json_str(item, "code_point"));
	is_str(sa_buf_str(&b), want, name);
}

#define FINDS(text, want, name) finds(text, sizeof(text) - 1, want, name)

static void
test_nothing(void)
{
	FINDS("", "", "nothing in nothing");
	FINDS("def f(x):\n\treturn x  # 100 %\r\n", "", "plain text");
	FINDS("s = 'na\xc3\xafve caf\xc3\xa9 \xe6\x9d\xb1\xe4\xba\xac'", "",
	    "words of other languages");
	FINDS("# \xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 x", "",
	    "a word of one script beside one of another");
	FINDS("\xce\x94t = \xcf\x83_x + \xce\xbb"
	      "1",
	    "", "Greek letters that look like no Latin ones");
	FINDS("x = '\xf0\x9f\x98\x80'", "", "an emoji");
}

static void
test_hidden(void)
{
	FINDS("\0a\x1b[2J\x7f\f", "1:1 U+0000 1:3 U+001B 1:7 U+007F 1:8 U+000C",
	    "control characters, NUL too");
	FINDS("\xc2\x9b"
	      "x",
	    "1:1 U+009B", "C1");
	FINDS("a\rb\r\nc\r", "1:2 U+000D 2:2 U+000D",
	    "returns that do not end a line");
	FINDS("\xef\xbb\xbfx\xef\xbb\xbf", "1:1 U+FEFF 1:3 U+FEFF",
	    "byte order marks");
	FINDS("a\xe2\x80\x8b"
	      "b\xc2\xad"
	      "c",
	    "1:2 U+200B 1:4 U+00AD", "no width");
	FINDS("\n\xe2\x80\xae"
	      "x\n \xe2\x81\xa6",
	    "2:1 U+202E 3:2 U+2066", "the direction of writing");
	FINDS("a\xc2\xa0"
	      "b\xe3\x80\x80"
	      "c\xe2\x80\xa8",
	    "1:2 U+00A0 1:4 U+3000 "
	    "1:6 U+2028",
	    "blanks and line ends that are none");
	FINDS("\xf3\xa0\x81\x81\xf3\xa0\x84\x80", "1:1 U+E0041 1:2 U+E0100",
	    "tags and selectors that carry texts");
}

static void
test_lookalikes(void)
{
	FINDS("p\xd0\xb0y(\xd0\xb0)", "1:2 U+0430",
	    "a Cyrillic letter in a Latin word, not alone");
	FINDS("\xd0\xb5xec", "1:1 U+0435", "at its beginning");
	FINDS("xy_1\xce\xbf", "1:5 U+03BF", "behind digits, at the end");
	FINDS("\xd0\xb0\nb", "", "a line ends a word");
	FINDS("\xef\xbd\x85val \xf0\x9d\x90\x9e"
	      "val",
	    "1:1 U+FF45 1:6 U+1D41E", "other forms of letters");
}

static void
test_limit(void)
{
	size_t more;
	json_auto_t *list = sa_suspect_list("\1\2\3\4", 4, 3, &more);

	ok(json_array_size(list) == 3 && more == 1, "the rest is counted");
	is_str(sa_json_str(json_array_get(list, 2), "code_point"), "U+0003",
	    "the first ones are told");
	json_auto_t *none = sa_suspect_list("abc", 3, 3, &more);
	ok(json_array_size(none) == 0 && more == 0, "and nothing is nothing");
}

int
main(void)
{
	test_nothing();
	test_hidden();
	test_lookalikes();
	test_limit();
	return tap_done();
}
