/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/jsonscan.h"
#include "base/text.h"
#include "tap.h"

static bool
scans(const char *text, size_t len)
{
	struct sa_json_member m[] = { { "type", NULL, 0 } };

	return sa_json_scan(text, len, m, 1);
}

/* What the scan takes has to be what the parser takes and would write. */
static bool
sound(const char *text, size_t len)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *j = NULL;

	if (!scans(text, len))
		return true;
	if (sa_json_parse(text, len, "text", &j, &err) < 0)
		return false;
	cleanup_free char *back = json_dumps(j, JSON_COMPACT);
	return back != NULL && strlen(back) <= len;
}

static const char sample[] =
    "{\"v\":1,\"type\":\"pending\",\"a\":[1,-2,{\"b\":null,\"c\":[]},true],"
    "\"text\":\"a\\n\\\"b\\\\ \xc3\xa9\xe2\x82\xac\","
    "\"o\":{\"a\":{},\"b\":{\"a\":false}},\"n\":123456789012345678}";

static void
test_takes(void)
{
	static const char *const good[] = { "{}", "{\"a\":0}", "{\"a\":-1}",
		"{\"a\":[[],{}]}", "{\"a\":{\"a\":{\"a\":1}}}",
		"{\"a\":\"\",\"b\":\"\\/\\t\"}", sample };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		cleanup_free char *name = sa_text_visible(good[i]);
		ok(scans(good[i], strlen(good[i])), name);
		ok(sound(good[i], strlen(good[i])), "the parser takes it too");
	}
}

static void
test_leaves(void)
{
	static const char *const bad[] = { "", "[]", "1", "\"a\"", "{", "}",
		"{}x", "{} ", " {}", "{\"a\": 1}", "{\"a\"}", "{\"a\":}",
		"{\"a\":1,}", "{,}", "{\"a\":1 }", "{a:1}", "{\"a\":01}",
		"{\"a\":-}", "{\"a\":1.5}", "{\"a\":1e3}", "{\"a\":+1}",
		"{\"a\":nul}", "{\"a\":True}", "{\"a\":[1}", "{\"a\":{]}",
		"{\"a\":[1,]}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u0041\"}",
		"{\"a\":\"\n\"}", "{\"a\":\"\xff\"}",
		"{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"x}", "{\"a\":\"\\",
		"{\"a\":\"\\\"}", "{\"a\":1,\"a\":2}",
		"{\"o\":{\"b\":1,\"c\":2,\"b\":3}}", "{\"a\\n\":1}",
		"{\"a\":1}{\"b\":2}", "{\"a\":1234567890123456789}" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		cleanup_free char *name = sa_text_visible(bad[i]);
		ok(!scans(bad[i], strlen(bad[i])), name);
	}
	ok(!scans("{\"a\":\"\0\"}", 9), "a NUL");
}

static void
test_members(void)
{
	struct sa_json_member m[] = { { "type", NULL, 0 }, { "a", NULL, 0 },
		{ "b", NULL, 0 }, { "n", NULL, 0 } };

	ok(sa_json_scan(sample, strlen(sample), m, 4), "a record");
	ok(sa_json_member_is(&m[0], "\"pending\""), "a string, with quotes");
	ok(sa_json_member_is(&m[1], "[1,-2,{\"b\":null,\"c\":[]},true]"),
	    "an array, whole");
	ok(m[2].value == NULL, "a member of an inner object is none");
	ok(sa_json_member_is(&m[3], "123456789012345678"), "the last one");
	ok(!sa_json_member_is(&m[3], "12345678901234567"), "no prefix");
}

static void
test_limits(void)
{
	cleanup_buf struct sa_buf deep = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_buf struct sa_buf wide = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_buf_adds(&deep, "{\"a\":");
	for (int i = 0; i < 63; i++)
		sa_buf_addch(&deep, '[');
	for (int i = 0; i < 63; i++)
		sa_buf_addch(&deep, ']');
	sa_buf_addch(&deep, '}');
	ok(scans(deep.s, deep.len), "64 levels");
	sa_buf_cut(&deep, 0);
	for (int i = 0; i < 100000; i++)
		sa_buf_adds(&deep, "{\"a\":");
	ok(!scans(deep.s, deep.len), "very many levels");
	for (int i = 0; i < 257; i++)
		sa_buf_addf(&wide, "%s\"k%d\":%d", i ? "," : "{", i, i);
	size_t n = wide.len;
	sa_buf_addch(&wide, '}');
	ok(!scans(wide.s, wide.len), "257 keys");
	sa_buf_cut(&wide, n - strlen(",\"k256\":256"));
	sa_buf_addch(&wide, '}');
	ok(scans(wide.s, wide.len), "256 keys");
}

/* Every prefix, and every byte replaced by each of some that matter. */
static void
test_sound(void)
{
	static const char bytes[] = "{}[],:\"\\0-9aut \n\xc3\x80\xff\x01";
	char text[sizeof(sample)];
	size_t len = strlen(sample), bad = 0, taken = 0;

	for (size_t i = 0; i < len; i++)
		bad += !sound(sample, i);
	is_int(bad, 0, "prefixes");
	for (size_t i = 0; i < len; i++)
		for (size_t k = 0; k < sizeof(bytes); k++) {
			memcpy(text, sample, sizeof(sample));
			text[i] = bytes[k];
			bad += !sound(text, len);
			taken += scans(text, len);
		}
	is_int(bad, 0, "one byte changed");
	ok(taken > 100, "many of them are records still");
}

int
main(void)
{
	test_takes();
	test_leaves();
	test_members();
	test_limits();
	test_sound();
	return tap_done();
}
