/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "mcp/frame.h"
#include "mcp/result.h"
#include "tap.h"

static json_t *exit_ok;
static struct sa_mcp_tool tool = { .name = "t", .timeout_ms = 7000 };
static struct sa_buf out = SA_BUF_INIT(SA_BUF_NOMAX);
static struct sa_buf report = SA_BUF_INIT(SA_BUF_NOMAX);
static json_t *result;

/* The result of a child that wrote this; status is an exit code, or a signal
 * where it is negative. */
static bool
run(int status, const char *text, const char *error)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_mcp_outcome o = { .status =
					status < 0 ? -status : status << 8,
		.out = &out,
		.report = &report };

	sa_buf_cut(&out, 0);
	sa_buf_adds(&out, text);
	sa_buf_cut(&report, 0);
	sa_buf_adds(&report, error);
	bool good = sa_mcp_result_child(&b, &tool, &o);
	cleanup_free char *whole = sa_xasprintf("{%s}", b.s);
	json_decref(result);
	result = NULL;
	ok(sa_json_parse(whole, strlen(whole), "result", &result, NULL) == 0 &&
		sa_json_bool(result, "isError", false) == !good &&
		(good || json_object_get(result, "structuredContent") == NULL),
	    "a result");
	return good;
}

static const char *
text_of(void)
{
	return sa_json_str(
	    json_array_get(json_object_get(result, "content"), 0), "text");
}

static void
test_records(void)
{
	ok(run(0, "{\"a\":[1,\"\xc3\xa9\"]}\n", ""), "a record");
	is_str(text_of(), "{\"a\":[1,\"\xc3\xa9\"]}", "is the text");
	cleanup_free char *same =
	    sa_json_text(json_object_get(result, "structuredContent"));
	is_str(same, text_of(), "and the structured content");
	ok(run(0, " {\n\"a\" : 0.6,\"b\":\"\\u001b\"\n}\n\n", ""),
	    "a record of many lines");
	is_str(text_of(), "{\"a\":0.6,\"b\":\"\\u001B\"}", "becomes one");
	ok(run(0, "{\"a\":\"\xff\xfe\"}", ""), "one that is not UTF-8");
	is_str(text_of(), "{\"a\":\"\xef\xbf\xbd\xef\xbf\xbd\"}",
	    "is repaired");
	ok(!run(0, "", ""), "nothing is no record");
	ok(!run(0, "[]", ""), "nor is an array");
	ok(!run(0, "{} {}", ""), "nor are two");
	ok(!run(0, "{\"a\":1,\"a\":2}", ""), "nor what has a member twice");
	is_str(text_of(),
	    "internal (500): the tool's program gave no JSON object\n"
	    "next: tell the operator; the server's log has more",
	    "the reason");
	ok(!run(1, "{}", ""), "a record with status 1 is none");
	exit_ok = json_pack("[i]", 1);
	tool.exit_ok = exit_ok;
	ok(run(1, "{}", ""), "unless the catalogue says that it is");
	ok(!run(2, "{}", ""), "and no other");
	tool.exit_ok = NULL;
}

static void
test_errors(void)
{
	ok(!run(66, "",
	       "{\"error\":{\"kind\":\"not_found\",\"http\":404,"
	       "\"message\":\"no job \\u001b'x'\",\"hint\":\"list\\n"
	       "them\",\"retryable\":true,\"detail\":{\"a\":1}}}\n"),
	    "an error object");
	is_str(text_of(),
	    "not_found (404): no job \\x1b'x'\nnext: list\nthem\n"
	    "trying again is safe\ndetail: {\"a\":1}",
	    "becomes the text");
	run(3, "{}", "{\"error\":{\"kind\":\"x\"}}");
	is_str(text_of(),
	    "internal (500): the tool's program ended with status 3 and gave "
	    "no reason\nnext: tell the operator; the server's log has more",
	    "one without a message is none");
	run(-SIGKILL, "{}", "");
	ok(strstr(text_of(), "ended by signal 9") != NULL, "a signal");
}

static void
test_detail(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_buf_adds(&b,
	    "{\"error\":{\"kind\":\"invalid\",\"http\":400,"
	    "\"message\":\"m\",\"detail\":{\"x\":\"");
	for (int i = 0; i < 5000; i++)
		sa_buf_adds(&b, "\xc3\xa9");
	sa_buf_adds(&b, "\"}}}");
	run(65, "", b.s);
	ok(strlen(text_of()) < 8200 &&
		strstr(text_of(), "... (cut, 10008 bytes in all)") != NULL,
	    "a long detail is cut, at a character's end");
}

static void
test_ended(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_mcp_outcome o = { .late = true,
		.out = &out,
		.report = &report };

	sa_buf_cut(&out, 0);
	sa_buf_adds(&out, "{}");
	ok(!sa_mcp_result_child(&b, &tool, &o) &&
		strstr(b.s, "busy (503): the call took over 7 seconds") != NULL,
	    "one that was late");
	sa_buf_cut(&b, 0);
	o.late = false;
	o.full = true;
	ok(!sa_mcp_result_child(&b, &tool, &o) &&
		strstr(b.s, "invalid (400): the answer is too large") != NULL,
	    "one that wrote too much");
	sa_buf_cut(&b, 0);
	o.full = false;
	sa_buf_cut(&out, 0);
	sa_buf_adds(&out, "{\"a\":\"");
	for (int i = 0; i < 600000; i++)
		sa_buf_adds(&out, "\\\"\\\\\\\"\\\\");
	sa_buf_adds(&out, "\"}");
	ok(!sa_mcp_result_child(&b, &tool, &o) && b.len < 1000,
	    "one that would not fit a line");
}

static void
test_content(void)
{
	tool.output = SA_MCP_CONTENT;
	ok(run(0,
	       "{\"content\":[{\"type\":\"text\",\"text\":\"t\"},{\"type\":"
	       "\"image\",\"data\":\"\",\"mimeType\":\"a/b\"},{\"type\":"
	       "\"resource\",\"resource\":{\"uri\":\"u\"}}],"
	       "\"structuredContent\":{\"a\":1},\"x\":1}",
	       ""),
	    "content of its own");
	ok(json_array_size(json_object_get(result, "content")) == 3 &&
		json_object_size(result) == 2,
	    "what a result has is passed on, and nothing else");
	ok(!run(0, "{\"content\":[],\"isError\":true}", ""), "an error");
	ok(!run(0, "{\"content\":[{\"type\":\"text\"}]}", ""), "no text");
	ok(!run(0, "{\"content\":[{\"type\":\"odd\"}]}", ""), "no such type");
	ok(!run(0, "{\"content\":[{\"type\":\"resource\"}]}", ""), "no uri");
	ok(!run(0, "{\"content\":{}}", ""), "no array");
	ok(!run(0, "{}", ""), "no content");
	tool.output = SA_MCP_RECORD;
}

static void
test_text(void)
{
	tool.output = SA_MCP_TEXT;
	ok(run(0, "one\ntwo \377\n", "") && json_object_size(result) == 1,
	    "text and nothing else");
	is_str(
	    sa_json_str(json_array_get(json_object_get(result, "content"), 0),
		"text"),
	    "one\ntwo \xef\xbf\xbd", "is UTF-8, without its last line break");
	ok(run(0, "", ""), "no text is a text");
	ok(!run(3, "x", ""), "a failure is none");
	tool.output = SA_MCP_RECORD;
}

int
main(void)
{
	test_records();
	test_errors();
	test_detail();
	test_ended();
	test_content();
	test_text();
	json_decref(exit_ok);
	json_decref(result);
	sa_buf_release(&out);
	sa_buf_release(&report);
	return tap_done();
}
