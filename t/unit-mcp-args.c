/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "mcp/args.h"
#include "tap.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"required\":[\"s\"],\"additionalProperties\":false,"
    "\"properties\":{"
    "\"s\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":3},"
    "\"i\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":45},"
    "\"n\":{\"type\":\"number\"},\"b\":{\"type\":\"boolean\"},"
    "\"e\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"]},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":"
    "{\"type\":\"string\"}},"
    "\"any\":{\"description\":\"anything\"},"
    "\"l\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,"
    "\"items\":{\"type\":\"object\",\"properties\":{\"k\":{\"type\":"
    "\"integer\"}},\"required\":[\"k\"],\"additionalProperties\":false}}}}";

static json_t *schema, *args;
static struct sa_err err;
static bool changed;

static int
check(const char *text)
{
	json_decref(args);
	args = json_loads(text, JSON_ALLOW_NUL, NULL);
	sa_err_clear(&err);
	changed = false;
	return sa_mcp_args_check(schema, args, &changed, &err);
}

static void
good(const char *text, bool change)
{
	is_int(check(text), 0, text);
	is_int(changed, change, change ? "was put right" : "stays as it is");
}

static void
bad(const char *text, enum sa_kind kind, const char *words)
{
	is_int(check(text), -1, text);
	is_int(err.kind, kind, "the kind");
	ok(strstr(err.msg, words) != NULL, words);
}

static void
test_bad(void)
{
	bad("{}", SA_USAGE, "argument s is missing");
	bad("{\"s\":\"a\",\"q\":1}", SA_USAGE, "no argument q");
	ok(strstr(err.hint, "s, i, n, b, e, m, any, l") != NULL,
	    "the hint has those that are");
	bad("{\"s\":null}", SA_INVALID, "s is of type null, expected string");
	bad("{\"s\":7}", SA_INVALID, "s is of type integer, expected string");
	bad("{\"s\":\"\"}", SA_INVALID, "s has a length of 0, the least is 1");
	bad("{\"s\":\"abcd\"}", SA_INVALID, "length of 4, the most is 3");
	bad("{\"s\":\"a\\u0000\"}", SA_INVALID, "s holds a NUL");
	bad("{\"s\":\"a\",\"i\":46}", SA_INVALID, "i is 46, the most is 45");
	bad("{\"s\":\"a\",\"i\":-1}", SA_INVALID, "i is -1, the least is 0");
	bad("{\"s\":\"a\",\"i\":1.5}", SA_INVALID, "i is of type number");
	bad("{\"s\":\"a\",\"i\":1e300}", SA_INVALID, "i is of type number");
	bad("{\"s\":\"a\",\"i\":46.0}", SA_INVALID, "i is 46, the most is 45");
	bad("{\"s\":\"a\",\"b\":\"true\"}", SA_INVALID, "expected boolean");
	bad("{\"s\":\"a\",\"e\":\"z\"}", SA_INVALID,
	    "e is \"z\", expected one of \"x\", \"y\"");
	bad("{\"s\":\"a\",\"m\":{\"k\":7}}", SA_INVALID, "argument m.k is");
	bad("{\"s\":\"a\",\"m\":\"[]\"}", SA_INVALID, "m is of type string");
	bad("{\"s\":\"a\",\"m\":\"{\"}", SA_INVALID, "m is of type string");
	bad("{\"s\":\"a\",\"l\":[]}", SA_INVALID, "number of items of 0");
	bad("{\"s\":\"a\",\"l\":[{\"k\":1},{}]}", SA_USAGE,
	    "argument l[1].k is missing");
	bad("{\"s\":\"a\",\"l\":[{\"k\":1},{\"k\":\"\"}]}", SA_INVALID,
	    "argument l[1].k is of type string");
	bad("{\"s\":\"a\",\"\\u001b\":1}", SA_USAGE, "no argument \\x1b");
}

static void
test_right(void)
{
	good("{\"s\":\"a\",\"m\":\"{\\\"k\\\":\\\"v\\\"}\"}", true);
	is_str(sa_json_str(json_object_get(args, "m"), "k"), "v",
	    "an object that came as a string");
	good("{\"s\":\"a\",\"l\":\"[{\\\"k\\\":5.0}]\"}", true);
	cleanup_free char *text = sa_json_text(args);
	is_str(text, "{\"s\":\"a\",\"l\":[{\"k\":5}]}",
	    "and what is in it is checked as well");
	bad("{\"s\":\"a\",\"m\":\"{\\\"k\\\":7}\"}", SA_INVALID,
	    "argument m.k is");
}

int
main(void)
{
	schema = json_loads(schema_text, 0, NULL);
	good("{\"s\":\"\xc3\xa9\xc3\xa9\xc3\xa9\"}", false);
	good("{\"s\":\"a\",\"i\":45,\"n\":1.5,\"b\":true,\"e\":\"x\","
	     "\"m\":{\"k\":\"v\"},\"l\":[{\"k\":1}],\"any\":[{\"x\":null}]}",
	    false);
	good("{\"s\":\"a\",\"n\":7,\"i\":null,\"e\":null,\"m\":null}", false);
	good("{\"s\":\"a\",\"i\":5.0}", true);
	test_bad();
	test_right();
	json_decref(schema);
	json_decref(args);
	sa_err_clear(&err);
	return tap_done();
}
