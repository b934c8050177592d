/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"
#include "tap.h"

static struct sa_err err;

static json_t *
parse(const char *text)
{
	json_t *j = NULL;

	sa_err_clear(&err);
	return sa_json_parse(text, strlen(text), "x", &j, &err) == 0 ? j : NULL;
}

static void
refused(const char *text, const char *want)
{
	json_t *j = parse(text);
	cleanup_free char *shown = sa_text_visible(text);

	shown[strnlen(shown, 40)] = '\0';
	ok(j == NULL && err.kind == SA_INVALID, shown);
	if (strncmp(err.msg, want, strlen(want)) != 0)
		is_str(err.msg, want, "the message begins so");
	json_decref(j);
}

static void
test_parse(void)
{
	json_auto_t *j = parse("{\"a\":[1,\"\xc3\xa9\"]}\n");

	ok(j != NULL, "an object");
	refused("", "x:1:0: ");
	refused("[1]", "x:1:1: a JSON object");
	refused("{\"a\":1,\"a\":2}", "x:1:");
	refused("{\"a\":1", "x:1:");
	refused("{\"a\":1}\n{\"b\":1}", "x:2:");
	refused("{\"a\":\"\xff\"}", "x:1:");
	refused("{\"a\":\"\\u0000\"}", "x:1:");
	refused("{\"a\":1e999}", "x:1:");
	refused("{\"a\":123456789012345678901}", "x:1:");
	refused("\xef\xbb\xbf{}", "x:1:");
	struct sa_buf deep = SA_BUF_INIT(SA_BUF_NOMAX);
	for (int i = 0; i < 100000; i++)
		sa_buf_adds(&deep, "{\"a\":");
	refused(deep.s, "x:1:");
	sa_buf_release(&deep);
	ok(sa_json_parse("{}\0", 3, "x", &j, &err) < 0, "a NUL behind it");
	sa_err_clear(&err);
}

static int
read_text(const char *text, size_t max, json_t **j)
{
	cleanup_fd int fd = memfd_create("json", MFD_CLOEXEC);

	if (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -2;
	sa_err_clear(&err);
	return sa_json_read_fd(fd, max, "stdin", j, &err);
}

static void
test_read(void)
{
	json_auto_t *j = NULL;

	is_int(read_text("{\"a\":1}\n", 8, &j), 0, "exactly the limit");
	is_int(read_text("{\"a\":1} \n", 8, &j), -1, "a byte more");
	is_int(err.kind, SA_INVALID, "is invalid");
	is_int(read_text(" \n\t\r\n", 8, &j), -1, "blanks only");
	ok(err.kind == SA_INVALID && strstr(err.msg, "stage before") != NULL,
	    "the stage before is to blame");
	is_int(read_text("", 8, &j), -1, "nothing at all");
	is_int(sa_json_read_fd(-1, 8, "stdin", &j, &err), -1, "no descriptor");
	is_int(err.kind, SA_IO, "is an io error");
	sa_err_clear(&err);
}

static void
test_members(void)
{
	json_auto_t *j = parse("{\"b\":true,\"a\":4,\"s\":\"x\",\"o\":{},"
			       "\"n\":null,\"r\":1.5,\"f\":false}");

	is_str(sa_json_str(j, "s"), "x", "a string");
	is_str(sa_json_str(j, "a"), NULL, "a number is no string");
	is_int(sa_json_int(j, "a", 9), 4, "a number");
	is_int(sa_json_int(j, "s", 9), 9, "a string is no number");
	is_int(sa_json_int(j, "r", 9), 9, "nor is 1.5 a whole one");
	ok(sa_json_bool(j, "b", false), "a boolean");
	ok(!sa_json_bool(j, "f", true), "a false one");
	ok(sa_json_bool(j, "n", true), "null is none");
	ok(sa_json_obj(j, "o") != NULL && sa_json_obj(j, "s") == NULL,
	    "an object");
	static const char *const scalars[][2] = { { "s", "x" }, { "a", "4" },
		{ "b", "true" }, { "r", "1.5" }, { "n", NULL }, { "o", NULL },
		{ "missing", NULL } };
	for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++) {
		cleanup_free char *got =
		    sa_json_scalar(json_object_get(j, scalars[i][0]));
		is_str(got, scalars[i][1], scalars[i][0]);
	}
	static const char *const fractions[] = { "0.6", "0.1", "1.5", "1e-10",
		"0.30000000000000004", "0.1234567890123457" };
	for (size_t i = 0; i < sizeof(fractions) / sizeof(*fractions); i++) {
		json_auto_t *r =
		    json_loads(fractions[i], JSON_DECODE_ANY, NULL);
		cleanup_free char *got = sa_json_scalar(r);
		is_str(got, fractions[i], "a fraction keeps its digits");
	}
	cleanup_free char *text = sa_json_text(j);
	is_str(text,
	    "{\"b\":true,\"a\":4,\"s\":\"x\",\"o\":{},\"n\":null,\"r\":1.5,"
	    "\"f\":false}",
	    "text keeps the order");
	cleanup_free char *canonical = sa_json_canonical(j);
	is_str(canonical,
	    "{\"a\":4,\"b\":true,\"f\":false,\"n\":null,\"o\":{},\"r\":1.5,"
	    "\"s\":\"x\"}",
	    "the canonical one sorts");
	sa_json_set_str(j, "s", NULL);
	ok(json_is_null(json_object_get(j, "s")), "set to null");
	sa_json_set_str(j, "s", "a\xff");
	is_str(sa_json_str(j, "s"), "a\xef\xbf\xbd", "bad bytes are replaced");
	cleanup_free char *none = sa_json_text(NULL);
	cleanup_free char *none2 = sa_json_canonical(NULL);
	is_str(none, "null", "no value is null");
	is_str(none2, "null", "here too");
}

static void
record(const char *text, const char *types, bool legacy, bool good)
{
	json_auto_t *j = parse(text);
	int rc = sa_json_check_record(j, types, legacy, "x", &err);

	is_int(rc, good ? 0 : -1, text);
	if (!good)
		is_int(err.kind, SA_INVALID, err.msg);
	sa_err_clear(&err);
}

static void
test_record(void)
{
	record("{\"v\":1,\"type\":\"job\"}", "pending,job", false, true);
	record("{\"v\":1,\"type\":\"pending\"}", "pending,job", false, true);
	record("{\"v\":1,\"type\":\"jo\"}", "pending,job", false, false);
	record("{\"v\":2,\"type\":\"job\"}", "job", false, false);
	record("{\"v\":\"1\",\"type\":\"job\"}", "job", false, false);
	record("{\"type\":\"job\"}", "job", true, false);
	record("{\"v\":1}", "job", true, false);
	record("{}", "job", false, false);
	record("{}", "job", true, true);
	json_auto_t *j = sa_json_record("job");
	cleanup_free char *text = sa_json_text(j);
	is_str(text, "{\"v\":1,\"type\":\"job\"}", "a new one");
}

int
main(void)
{
	test_parse();
	test_read();
	test_members();
	test_record();
	return tap_done();
}
