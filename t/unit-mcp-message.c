/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/message.h"
#include "tap.h"

static struct sa_mcp_message m;
static struct sa_mcp_fault f;
static char *line;

static int
parse(const char *text)
{
	sa_mcp_message_release(&m);
	free(line);
	line = sa_xstrdup(text);
	f = (struct sa_mcp_fault){ .data = NULL };
	return sa_mcp_message_parse(&m, line, strlen(line), &f);
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"

static void
test_ids(void)
{
	static const char *const kept[] = { "1", "0", "-7", "-0",
		"9007199254740993", "123456789012345678901234567890", "\"\"",
		"\"1\"", "\"\\u0000\"" };
	static const char *const refused[] = { "null", "1.0", "1e3", "true",
		"[1]", "{}" };

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		cleanup_free char *text = sa_xasprintf(PING("%s"), kept[i]);
		int rc = parse(text);
		ok(rc == 0 && m.kind == SA_MCP_REQUEST, kept[i]);
		is_str(m.id, kept[i], "comes back as it was");
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		cleanup_free char *text = sa_xasprintf(PING("%s"), refused[i]);
		is_int(parse(text), -1, refused[i]);
		ok(f.code == SA_MCP_INVALID_REQUEST && m.id == NULL,
		    "is no id");
	}
	parse(PING(" \t12 "));
	is_str(m.id, "12", "blanks around it");
	parse("{\"\\u0069d\":5,\"jsonrpc\":\"2.0\",\"method\":\"ping\"}");
	is_str(m.id, "5", "a key that is written with an escape");
	parse("{\"params\":{\"id\":3},\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
	ok(m.id == NULL && m.kind == SA_MCP_NOTIFICATION,
	    "another object's id is no id");
	is_int(parse(PING("007")), -1, "not JSON");
	is_int(f.code, SA_MCP_PARSE_ERROR, "a number with leading zeros");
}

static void
test_kinds(void)
{
	is_int(parse("[1]"), 0, "an array");
	is_int(m.kind, SA_MCP_BATCH, "is a batch");
	parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	is_int(m.kind, SA_MCP_RESPONSE, "a response");
	parse("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[]}");
	ok(m.kind == SA_MCP_NOTIFICATION && m.params == NULL,
	    "a notification is never at fault");
	is_int(parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\","
		     "\"params\":[]}"),
	    -1, "params by position");
	ok(f.code == SA_MCP_BAD_PARAMS && strcmp(m.id, "1") == 0,
	    "are refused by id");
	is_int(parse("{\"id\":1,\"method\":\"x\"}"), -1, "no jsonrpc");
	is_int(f.code, SA_MCP_INVALID_REQUEST, "is no request");
	is_int(parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}"), -1,
	    "a method that is none");
	is_int(parse("7"), -1, "no object");
}

static void
test_broken(void)
{
	cleanup_buf struct sa_buf deep = SA_BUF_INIT(SA_BUF_NOMAX);

	is_int(parse("{"), -1, "cut short");
	ok(f.code == SA_MCP_PARSE_ERROR && m.id == NULL, "a parse error");
	is_int(parse("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"a\","
		     "\"params\":{\"a\":1,\"a\":2}}"),
	    -1, "a member twice");
	ok(f.code == SA_MCP_INVALID_REQUEST && strcmp(m.id, "4") == 0,
	    "is refused by id");
	is_int(parse("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a\","
		     "\"params\":{\"a\":1e999}}"),
	    -1, "a number out of range");
	ok(f.code == SA_MCP_INVALID_REQUEST && m.id != NULL &&
		strcmp(m.id, "\"x\"") == 0,
	    "is refused by id");
	is_int(parse("{\"id\":1,\"id\":1,\"method\":\"a\"}"), -1, "two ids");
	ok(m.id == NULL, "are none");
	is_int(parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}"),
	    -1, "half a surrogate pair");
	is_int(f.code, SA_MCP_PARSE_ERROR, "is not JSON");
	for (int i = 0; i < SA_MCP_DEPTH_MAX - 1; i++)
		sa_buf_adds(&deep, "[");
	sa_buf_adds(&deep, "{\"a\":\"[[[\\\"[[[\"}");
	for (int i = 0; i < SA_MCP_DEPTH_MAX - 1; i++)
		sa_buf_adds(&deep, "]");
	is_int(parse(deep.s), 0, "as deep as may be");
	cleanup_free char *deeper = sa_xasprintf("[%s]", deep.s);
	is_int(parse(deeper), -1, "one deeper");
	is_int(f.code, SA_MCP_PARSE_ERROR, "is refused");
}

static void
test_arguments(void)
{
	parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
	      "\"params\":{\"arguments\": {\"a\":0.10,\"arguments\":{}} ,"
	      "\"name\":\"arguments\"}}");
	cleanup_free char *text = sa_xstrndup(m.arguments, m.arguments_len);
	is_str(text, "{\"a\":0.10,\"arguments\":{}}",
	    "the arguments' text is the client's");
	parse("{\"jsonrpc\":\"2.0\",\"arguments\":{},\"method\":\"x\","
	      "\"other\":{\"arguments\":{}}}");
	ok(m.arguments == NULL, "those of another object are none");
}

static void
test_lines(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_mcp_put_result(&b, "1", "", ",\"a\":1");
	is_str(b.s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}\n",
	    "a result that is its tail");
	sa_buf_cut(&b, 0);
	sa_mcp_put_error(&b, NULL, -1, "a\"\xff", NULL);
	is_str(b.s,
	    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":"
	    "\"a\\\"\xef\xbf\xbd\"}}\n",
	    "an error without id");
	sa_buf_cut(&b, 0);
	sa_mcp_put_progress(&b, "\"t\"", 3);
	is_str(b.s,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
	    "\"params\":{\"progressToken\":\"t\",\"progress\":3}}\n",
	    "progress");
}

int
main(void)
{
	test_ids();
	test_kinds();
	test_broken();
	test_arguments();
	test_lines();
	sa_mcp_message_release(&m);
	free(line);
	return tap_done();
}
