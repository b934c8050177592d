/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "mcp/catalog.h"
#include "tap.h"

static struct sa_mcp_catalog c;
static struct sa_err err;

static int
parse(const char *text)
{
	sa_mcp_catalog_release(&c);
	sa_err_clear(&err);
	return sa_mcp_catalog_parse(&c, text, strlen(text), "file", &err);
}

#define TOOL(name, more, run)                                              \
	"{\"name\":\"" name "\",\"title\":\"T\",\"description\":\"D\","    \
	"\"inputSchema\":{\"type\":\"object\"}" more ",\"run\":{\"argv\":" \
	"[\"sa-x\"]" run "}}"
#define TOOLS(tools) "{\"tools\":[" tools "]}"

static void
bad(const char *text, const char *words)
{
	is_int(parse(text), -1, words);
	ok(err.kind == SA_CONFIG && strncmp(err.msg, "file", 4) == 0 &&
		strstr(err.msg, words) != NULL,
	    err.msg);
}

static void
test_bad(void)
{
	cleanup_free char *much = sa_xmalloc(1026);

	bad("{", "file:1:");
	bad("{}", "tools is missing");
	bad("{\"tools\":[],\"tool\":1}", "unknown member 'tool'");
	bad(TOOLS("7"), "tools holds no object");
	bad(TOOLS(TOOL("a", ",\"x\":1", "")), "tool 'a': unknown member 'x'");
	bad(TOOLS(TOOL("a", "", ",\"x\":1")), "unknown member 'run.x'");
	bad(TOOLS(TOOL("a b", "", "")), "a name is 1 to 64");
	bad(TOOLS(TOOL("", "", "")), "a name is 1 to 64");
	bad(TOOLS(TOOL("a", "", "") "," TOOL("a", "", "")), "there twice");
	bad(TOOLS(TOOL("a", ",\"annotations\":[]", "")),
	    "annotations is not an object");
	bad(TOOLS(TOOL("a", ",\"outputSchema\":{\"type\":\"array\"}", "")),
	    "outputSchema: the type is not object");
	bad(TOOLS(TOOL("a", "", ",\"timeout_seconds\":0")), "not 1 to 3600");
	bad(TOOLS(TOOL("a", "", ",\"output\":\"x\"")),
	    "not record, content or text");
	bad(TOOLS(TOOL("a", "", ",\"exit_ok\":[\"1\"]")), "holds no number");
	bad(TOOLS(TOOL("a", "", ",\"exit_ok\":[256]")), "from 0 to 255");
	bad(TOOLS(TOOL("a", ",\"annotations\":{\"readOnlyHint\":\"y\"}", "")),
	    "annotations.readOnlyHint is not true or false");
	bad("{\"tools\":[{\"name\":\"a\"}]}", "title is missing");
	memset(much, 'i', 1025);
	much[1025] = '\0';
	cleanup_free char *text =
	    sa_xasprintf("{\"tools\":[],\"instructions\":\"%s\"}", much);
	bad(text, "instructions are over 1024 bytes");
}

/* A schema that would be followed when arguments come. */
static void
bad_schema(const char *member, const char *words)
{
	cleanup_free char *text = sa_xasprintf(
	    TOOLS("{\"name\":\"a\",\"title\":\"T\",\"description\":\"D\","
		  "\"inputSchema\":{\"type\":\"object\",%s},"
		  "\"run\":{\"argv\":[\"sa-x\"]}}"),
	    member);

	bad(text, words);
}

static void
test_bad_schema(void)
{
	bad_schema("\"properties\":[]",
	    "inputSchema.properties is not an object");
	bad_schema("\"properties\":{\"o\":{\"required\":[5]}}",
	    "inputSchema.properties.o.required holds no string");
	bad_schema("\"properties\":{\"o\":{\"items\":{\"required\":[null]}}}",
	    "properties.o.items.required holds no string");
	bad_schema("\"additionalProperties\":{\"type\":\"sting\"}",
	    "additionalProperties.type 'sting' is none");
	bad_schema("\"properties\":{\"o\":{\"enum\":\"x\"}}",
	    "properties.o.enum is not an array");
	bad_schema("\"properties\":{\"o\":{\"minimum\":\"1\"}}",
	    "properties.o.minimum is not a number");
}

static void
test_good(void)
{
	json_auto_t *list = NULL;

	is_int(
	    parse("{\"instructions\":\"i\",\"tools\":[" TOOL("a",
		",\"annotations\":{\"readOnlyHint\":true}",
		",\"timeout_seconds\":7,\"output\":\"content\"") "," TOOL("b",
		"", "") "]}"),
	    0, "a good one");
	ok(c.n == 2 && c.tools[0].read_only &&
		c.tools[0].output == SA_MCP_CONTENT &&
		c.tools[0].timeout_ms == 7000,
	    "all that was said");
	ok(!c.tools[1].read_only && c.tools[1].output == SA_MCP_RECORD &&
		c.tools[1].timeout_ms == SA_MCP_TIMEOUT_SECONDS * 1000,
	    "what was not said");
	cleanup_free char *text = sa_xasprintf("{%s}", c.list);
	is_int(sa_json_parse(text, strlen(text), "list", &list, NULL), 0,
	    "the list is JSON");
	ok(strstr(text, "run") == NULL, "how they are run is nobody's matter");
	ok(sa_mcp_catalog_find(&c, "b") == &c.tools[1] &&
		sa_mcp_catalog_find(&c, "z") == NULL,
	    "tools are found by name");
}

static int
add(const char *text)
{
	sa_err_clear(&err);
	return sa_mcp_catalog_add(&c, text, strlen(text), "other", &err);
}

static void
test_add(void)
{
	cleanup_free char *much = sa_xmalloc(1100);
	cleanup_free char *longer = NULL;

	parse("{\"instructions\":\"i\",\"tools\":[" TOOL("a", "", "") "]}");
	is_int(add("{\"instructions\":\"j\",\"tools\":[" TOOL("b", "",
		   ",\"output\":\"text\"") "]}"),
	    0, "tools of another text");
	ok(c.n == 2 && strcmp(c.instructions, "i j") == 0 &&
		strstr(c.list, "\"b\"") != NULL,
	    "stand behind those that there are");
	ok(sa_mcp_catalog_find(&c, "b")->output == SA_MCP_TEXT, "as they are");
	is_int(add(TOOLS(TOOL("z", "", "") "," TOOL("a", "", ""))), -1,
	    "a name that is there");
	ok(err.kind == SA_CONFIG && strstr(err.msg, "tool 'a'") != NULL,
	    err.msg);
	is_int(add("{"), -1, "what is no catalogue");
	memset(much, 'x', 1099);
	much[1022] = '\0';
	longer = sa_xasprintf("{\"instructions\":\"%s\",\"tools\":[]}", much);
	is_int(add(longer), -1, "more instructions than there may be");
	ok(c.n == 2 && strcmp(c.instructions, "i j") == 0,
	    "a failure leaves it as it was");
}

static void
test_select(void)
{
	is_int(sa_mcp_catalog_select(&c, "b,z", false, &err), -1,
	    "a name that is not there");
	ok(err.kind == SA_USAGE && strstr(err.msg, "'z'") != NULL, err.msg);
	is_int(sa_mcp_catalog_select(&c, "b,a", true, &err), 0,
	    "what is named and reads only");
	ok(c.n == 1 && strcmp(c.tools[0].name, "a") == 0 &&
		strstr(c.list, "\"b\"") == NULL,
	    "is left");
	is_int(sa_mcp_catalog_select(&c, "", false, &err), -1,
	    "nothing left is an error");
	is_int(err.kind, SA_USAGE, "of usage");
}

static void
test_builtin(void)
{
	size_t len;
	const char *text = sa_mcp_catalog_builtin(&len);

	ok(len > 1000 && text[0] == '{', "there is one built in");
	sa_mcp_catalog_release(&c);
	is_int(sa_mcp_catalog_load(&c, NULL, &err), 0, "it is good");
	ok(strlen(c.list) + 2 <= 24576, "its list fits 24 KiB");
	sa_mcp_catalog_release(&c);
	is_int(sa_mcp_catalog_load(&c, "/nonexistent", &err), -1,
	    "a file that is not there");
	is_int(err.kind, SA_NOT_FOUND, "is not found");
}

int
main(void)
{
	test_bad();
	test_bad_schema();
	test_good();
	test_select();
	test_builtin();
	test_add();
	sa_mcp_catalog_release(&c);
	sa_err_clear(&err);
	return tap_done();
}
