/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/result.h"

#include <jansson.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json.h"
#include "base/jsonscan.h"
#include "base/text.h"
#include "mcp/frame.h"
#include "mcp/message.h"

/* A guard report may be long, a model's attention is not. */
#define DETAIL_MAX 8000
/* What a line has around the members of its result. */
#define ENVELOPE_MAX 4096

static void
put_text_block(struct sa_buf *b, const char *text, size_t len)
{
	sa_buf_adds(b, "\"content\":[{\"type\":\"text\",\"text\":");
	sa_mcp_put_string(b, text, len);
	sa_buf_adds(b, "}]");
}

static void
put_error(struct sa_buf *b, const char *text)
{
	put_text_block(b, text, strlen(text));
	sa_buf_adds(b, ",\"isError\":true");
}

/* A line of an error, with nothing in it that a terminal would act on. */
static void
put_line(struct sa_buf *b, const char *label, const char *text)
{
	if (text == NULL || *text == '\0')
		return;
	cleanup_free char *clean = sa_text_visible_lines(text, strlen(text));
	sa_buf_addf(b, "%s%s\n", label, clean);
}

/* The first line says what kind of failure it is: a model tells a wrong id
 * from a cluster that is down by it. */
static void
put_kind(struct sa_buf *b, const char *kind, long long http, const char *text)
{
	cleanup_free char *label = http > 0
	    ? sa_xasprintf("%s (%lld): ", kind, http)
	    : sa_xasprintf("%s: ", kind);

	put_line(b, label, text);
}

static void
put_detail(struct sa_buf *b, const json_t *detail)
{
	if (detail == NULL || json_is_null(detail))
		return;
	cleanup_free char *text = sa_json_text(detail);
	size_t len = strlen(text), n = len;
	if (len > DETAIL_MAX)
		for (n = DETAIL_MAX; n > 0 && (text[n] & 0xc0) == 0x80;)
			n--;
	sa_buf_adds(b, "detail: ");
	sa_buf_add(b, text, n);
	if (n < len)
		sa_buf_addf(b, "... (cut, %zu bytes in all)", len);
	sa_buf_adds(b, "\n");
}

static void
finish_error(struct sa_buf *b, struct sa_buf *text)
{
	while (text->len > 0 && text->s[text->len - 1] == '\n')
		sa_buf_cut(text, text->len - 1);
	put_error(b, sa_buf_str(text));
}

void
sa_mcp_result_err(struct sa_buf *b, const struct sa_err *err)
{
	const struct sa_kind_info *kind = sa_kind_info(err->kind);
	cleanup_buf struct sa_buf text = SA_BUF_INIT(SA_BUF_NOMAX);

	put_kind(&text, kind->name, kind->http, err->msg);
	put_line(&text, "next: ", err->hint);
	put_detail(&text, err->detail);
	finish_error(b, &text);
}

__attribute__((format(printf, 4, 5))) static bool
fail(struct sa_buf *b, enum sa_kind kind, const char *hint, const char *fmt,
    ...)
{
	struct sa_err err = SA_ERR_INIT;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sa_err_set(&err, kind, "%s", text);
	sa_err_hint(&err, "%s", hint);
	sa_mcp_result_err(b, &err);
	return false;
}

/* The object of SA_ERROR_FD; false where there is none. */
static bool
put_report(struct sa_buf *b, const struct sa_buf *report)
{
	json_auto_t *root = NULL;
	cleanup_buf struct sa_buf text = SA_BUF_INIT(SA_BUF_NOMAX);

	if (report->len == 0 ||
	    sa_json_parse(report->s, report->len, "error", &root, NULL) < 0)
		return false;
	const json_t *e = json_object_get(root, "error");
	const char *message = sa_json_str(e, "message");
	const char *kind = sa_json_str(e, "kind");
	if (message == NULL || kind == NULL)
		return false;
	put_kind(&text, kind, sa_json_int(e, "http", 0), message);
	put_line(&text, "next: ", sa_json_str(e, "hint"));
	if (sa_json_bool(e, "retryable", false))
		put_line(&text, "", "trying again is safe");
	put_detail(&text, json_object_get(e, "detail"));
	finish_error(b, &text);
	return true;
}

/* One object, as text on one line; NULL where it is none. Caller frees. */
static char *
get_object(const struct sa_buf *out)
{
	json_auto_t *root = NULL;
	const char *s = sa_buf_str(out);
	size_t len = out->len;

	while (len > 0 && strchr(" \t\r\n", s[len - 1]) != NULL)
		len--;
	if (sa_json_scan(s, len, NULL, 0))
		return sa_xstrndup(s, len);
	if (sa_json_parse(s, len, "stdout", &root, NULL) == 0)
		return json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));
	if (sa_text_is_utf8(s, len))
		return NULL;
	cleanup_free char *repaired = sa_text_utf8(s, len);
	if (sa_json_parse(repaired, strlen(repaired), "stdout", &root, NULL) <
	    0)
		return NULL;
	return json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));
}

/* What a tool gave, in its own form; NULL where it is not of that. Caller
 * frees. */
static char *
get_output(const struct sa_mcp_tool *t, const struct sa_buf *out)
{
	const char *s = sa_buf_str(out);

	if (t->output == SA_MCP_TEXT)
		return sa_text_utf8(s,
		    out->len - (out->len > 0 && s[out->len - 1] == '\n'));
	return get_object(out);
}

static void
put_record(struct sa_buf *b, const char *object)
{
	put_text_block(b, object, strlen(object));
	sa_buf_adds(b, ",\"structuredContent\":");
	sa_buf_adds(b, object);
}

/* What each type of content has to have, all strings. */
static bool
is_block(const json_t *block)
{
	static const struct {
		const char *type, *first, *second;
	} types[] = {
		{ "text", "text", NULL },
		{ "image", "data", "mimeType" },
		{ "audio", "data", "mimeType" },
		{ "resource_link", "uri", "name" },
		{ "resource", NULL, NULL },
	};
	const char *type = sa_json_str(block, "type");

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (type == NULL || strcmp(type, types[i].type) != 0)
			continue;
		if (types[i].first == NULL)
			return sa_json_str(json_object_get(block, "resource"),
				   "uri") != NULL;
		return sa_json_str(block, types[i].first) != NULL &&
		    (types[i].second == NULL ||
			sa_json_str(block, types[i].second) != NULL);
	}
	return false;
}

/* A result that the program made itself. */
static bool
put_content(struct sa_buf *b, const char *object)
{
	json_auto_t *root = json_loads(object, 0, NULL);
	const json_t *blocks = json_object_get(root, "content"), *block;
	json_t *structured = json_object_get(root, "structuredContent");
	bool failed = sa_json_bool(root, "isError", false);
	size_t i;

	bool good = json_is_array(blocks) &&
	    (structured == NULL || json_is_object(structured));
	json_array_foreach (blocks, i, block)
		good = good && is_block(block);
	if (!good)
		return fail(b, SA_INTERNAL, "",
		    "the tool's program gave no proper result");
	cleanup_free char *content = sa_json_text(blocks);
	sa_buf_addf(b, "\"content\":%s", content);
	if (failed) {
		sa_buf_adds(b, ",\"isError\":true");
	} else if (structured != NULL) {
		cleanup_free char *text = sa_json_text(structured);
		sa_buf_addf(b, ",\"structuredContent\":%s", text);
	}
	return !failed;
}

static bool
is_success(const struct sa_mcp_tool *t, int status)
{
	const json_t *code;
	size_t i;

	if (!WIFEXITED(status))
		return false;
	json_array_foreach (t->exit_ok, i, code)
		if (json_integer_value(code) == WEXITSTATUS(status))
			return true;
	return WEXITSTATUS(status) == 0;
}

/* Why a call that gave neither record nor error object has failed. */
static bool
put_reason(struct sa_buf *b, const struct sa_mcp_tool *t,
    const struct sa_mcp_outcome *o, bool ended_well)
{
	static const char hint[] = "tell the operator; the server's log has "
				   "more";

	if (o->late)
		return fail(b, SA_BUSY,
		    "ask for less, or look at what it is about with another "
		    "tool before calling it again",
		    "the call took over %d seconds and was ended",
		    t->timeout_ms / 1000);
	if (o->full)
		return fail(b, SA_INVALID, "ask for less, or for a page",
		    "the answer is too large and was thrown away");
	if (ended_well)
		return fail(b, SA_INTERNAL, hint,
		    "the tool's program gave no JSON object");
	if (WIFSIGNALED(o->status))
		return fail(b, SA_INTERNAL, hint,
		    "the tool's program was ended by signal %d",
		    WTERMSIG(o->status));
	return fail(b, SA_INTERNAL, hint,
	    "the tool's program ended with status %d and gave no reason",
	    WEXITSTATUS(o->status));
}

bool
sa_mcp_result_child(struct sa_buf *b, const struct sa_mcp_tool *t,
    const struct sa_mcp_outcome *o)
{
	bool ended_well = is_success(t, o->status) && !o->late && !o->full;
	cleanup_free char *object = ended_well ? get_output(t, o->out) : NULL;
	size_t start = b->len;
	bool good = true;

	if (object == NULL) {
		if (o->late || o->full || !put_report(b, o->report))
			put_reason(b, t, o, ended_well);
		return false;
	}
	if (t->output == SA_MCP_TEXT)
		put_text_block(b, object, strlen(object));
	else if (t->output == SA_MCP_CONTENT)
		good = put_content(b, object);
	else
		put_record(b, object);
	if (b->len - start <= SA_MCP_ANSWER_MAX - ENVELOPE_MAX)
		return good;
	size_t len = b->len - start;
	sa_buf_cut(b, start);
	return fail(b, SA_INVALID, "ask for less, or for a page",
	    "the answer would have %zu bytes, the most is %zu", len,
	    SA_MCP_ANSWER_MAX - ENVELOPE_MAX);
}
