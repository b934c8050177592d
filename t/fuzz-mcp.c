/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <jansson.h>

#include "base/json.h"
#include "mcp/catalog.h"
#include "mcp/frame.h"
#include "mcp/result.h"
#include "mcp/session.h"

/*
 * Whatever a client sends, in whatever pieces: each answer is a line of
 * JSON-RPC, a request gets one answer and a notification none, and what a
 * tool is started with is one line. The first byte says how large the pieces
 * are. The tool gives its arguments back, or what is made of them.
 */
#define FUZZ_NAME "fuzz-mcp"
#include "fuzz.h"

static const char catalog_text[] =
    "{\"instructions\":\"i\",\"tools\":[{\"name\":\"t\",\"title\":\"T\","
    "\"description\":\"d\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"s\":{\"type\":\"string\",\"minLength\":1,"
    "\"maxLength\":9},\"i\":{\"type\":\"integer\",\"minimum\":0,"
    "\"maximum\":9},\"b\":{\"type\":\"boolean\"},\"n\":{\"type\":"
    "\"number\"},\"e\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]},"
    "\"o\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
    "\"string\"}},\"a\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"integer\"},\"maxItems\":3}},\"required\":[\"s\"],"
    "\"additionalProperties\":false},\"run\":{\"argv\":[\"sa-x\"],"
    "\"exit_ok\":[1]}},{\"name\":\"c\",\"title\":\"C\",\"description\":"
    "\"d\",\"inputSchema\":{\"type\":\"object\"},\"run\":{\"argv\":"
    "[\"sa-x\"],\"output\":\"content\"}}]}";

/* One session serves all inputs, each from its beginning: most of the time
 * would go into making them. */
struct run {
	struct sa_mcp_session session;
	size_t answers, calls;
};

/* NULL where only a number is too large for the parser, as an id may be. */
static json_t *
parse_line(const char *s, size_t len)
{
	json_error_t e;

	require(len > 1 && s[len - 1] == '\n', "a line has no end");
	require(memchr(s, '\n', len - 1) == NULL, "a line has two ends");
	json_t *j =
	    json_loadb(s, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
	require(j == NULL ? json_error_code(&e) == json_error_numeric_overflow
			  : json_is_object(j),
	    "a line is not a JSON object");
	return j;
}

static void
answer(void *arg, struct sa_buf *line)
{
	struct run *run = arg;
	json_auto_t *j = parse_line(line->s, line->len);
	const json_t *id = json_object_get(j, "id");
	const json_t *result = json_object_get(j, "result");
	const json_t *error = json_object_get(j, "error");
	json_int_t code = sa_json_int(error, "code", 0);

	run->answers++;
	if (j == NULL)
		return;
	require((result != NULL) != (error != NULL), "not one of two");
	require(json_object_size(j) == (id != NULL ? 3 : 2), "other members");
	require(id == NULL || json_is_string(id) || json_is_integer(id),
	    "an id that is none");
	require(result == NULL || (id != NULL && json_is_object(result)),
	    "a result without id");
	require(error == NULL || (code < 0 && sa_json_str(error, "message")),
	    "an error that is none");
	require(id != NULL || code == SA_MCP_PARSE_ERROR ||
		code == SA_MCP_INVALID_REQUEST,
	    "an answer to nobody");
}

static void
call(void *arg, struct sa_mcp_request *r)
{
	struct run *run = arg;
	struct sa_buf none = SA_BUF_INIT(0), b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_mcp_outcome o = { .status = (int)(run->calls % 4) << 8,
		.late = run->calls % 8 == 7,
		.out = run->calls % 4 == 2 ? &none : &r->input,
		.report = run->calls % 4 == 3 ? &r->input : &none };

	run->calls++;
	json_decref(parse_line(r->input.s, r->input.len));
	if (r->token != NULL) {
		sa_mcp_put_progress(&b, r->token, 1);
		json_decref(parse_line(b.s, b.len));
		sa_buf_cut(&b, 0);
	}
	sa_mcp_result_child(&b, r->tool, &o);
	sa_mcp_session_result(&run->session, r->id, r->modern, b.s);
	sa_buf_release(&b);
	sa_mcp_request_release(r);
}

static bool
pending(void *arg, const char *id)
{
	return ((struct run *)arg)->calls % 8 == 5 && *id == '"';
}

static void
cancel(void *arg, const char *id)
{
	(void)arg;
	require(*id == '"' || *id == '-' || (*id >= '0' && *id <= '9'),
	    "a cancelled id that is none");
}

static void
serve(struct run *run, struct sa_mcp_lines *l, bool end)
{
	enum sa_mcp_line what;
	char *line;
	size_t len;

	while (
	    (what = sa_mcp_lines_next(l, end, &line, &len)) != SA_MCP_NO_LINE) {
		size_t before = run->answers;
		if (what == SA_MCP_LINE)
			sa_mcp_session_line(&run->session, line, len);
		else
			sa_mcp_session_long_line(&run->session);
		require(run->session.batches || run->answers <= before + 1,
		    "two answers to a line");
	}
}

static void
begin(struct run *run)
{
	static struct sa_mcp_catalog catalog;
	struct sa_mcp_host host = { run, answer, call, pending, cancel };

	if (catalog.root == NULL) {
		require(sa_mcp_catalog_parse(&catalog, catalog_text,
			    sizeof(catalog_text) - 1, "catalog", NULL) == 0,
		    "no catalogue");
		sa_mcp_session_init(&run->session, &catalog, &host);
	}
	run->session.legacy = run->session.batches = false;
	run->answers = run->calls = 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run run;
	struct sa_mcp_lines l;

	if (size == 0)
		return 0;
	size_t piece = *data < 128 ? size : *data - 127U;
	begin(&run);
	sa_mcp_lines_init(&l);
	for (size_t at = 1; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		sa_mcp_lines_add(&l, (const char *)data + at, n);
		serve(&run, &l, false);
	}
	serve(&run, &l, true);
	sa_mcp_lines_release(&l);
	return 0;
}
