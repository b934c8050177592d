/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

int
sa_mcp_fault_set(struct sa_mcp_fault *f, enum sa_mcp_code code, const char *fmt,
    ...)
{
	va_list ap;
	char text[sizeof(f->text)];

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cleanup_free char *clean = sa_text_visible(text);
	f->code = code;
	strlcpy(f->text, clean, sizeof(f->text));
	return -1;
}

/*
 * A look at a line before anything is built of it: how deep it nests, and
 * where the texts of its id and its arguments are. It takes broken JSON for
 * good; the parser comes after it.
 */
struct span {
	const char *p;
	size_t len;
};

struct level {
	struct span key;
	const char *value; /* where the value of the key begins */
};

struct look {
	struct level level[3]; /* of depth 1 and 2 */
	size_t depth;
	struct span id, arguments;
	size_t ids;
};

static bool
is(const struct span *s, const char *word)
{
	return s->len == strlen(word) && memcmp(s->p, word, s->len) == 0;
}

static void
value_ends(struct look *l, const char *end)
{
	if (l->depth < 1 || l->depth > 2)
		return;
	struct level *at = &l->level[l->depth];
	if (at->value == NULL)
		return;
	struct span v = { at->value, (size_t)(end - at->value) };
	at->value = NULL;
	while (v.len > 0 && strchr(" \t\r", *v.p) != NULL) {
		v.p++;
		v.len--;
	}
	while (v.len > 0 && strchr(" \t\r", v.p[v.len - 1]) != NULL)
		v.len--;
	if (l->depth == 1 && is(&at->key, "id")) {
		l->id = v;
		l->ids++;
	}
	if (l->depth == 2 && is(&at->key, "arguments") &&
	    is(&l->level[1].key, "params"))
		l->arguments = v;
}

/* From behind the opening quote to behind the closing one. */
static const char *
string_ends(const char *p, const char *end)
{
	while (p < end && *p != '"')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p + 1 : end;
}

static bool
look_at(const char *text, size_t len, struct look *l)
{
	const char *p = text, *end = text + len;

	*l = (struct look){ .depth = 0 };
	while (p < end) {
		const char *at = p++;
		struct level *level =
		    l->depth >= 1 && l->depth <= 2 ? &l->level[l->depth] : NULL;
		switch (*at) {
		case '"':
			p = string_ends(p, end);
			if (level != NULL && level->value == NULL)
				level->key = (struct span){ at + 1,
					(size_t)(p - at) - 2 };
			break;
		case ':':
			if (level != NULL && level->value == NULL)
				level->value = p;
			break;
		case ',':
			value_ends(l, at);
			break;
		case '{':
		case '[':
			if (++l->depth > SA_MCP_DEPTH_MAX)
				return false;
			if (l->depth <= 2)
				l->level[l->depth] =
				    (struct level){ .value = NULL };
			break;
		case '}':
		case ']':
			value_ends(l, at);
			l->depth -= l->depth > 0;
			break;
		default:
			break;
		}
	}
	return true;
}

static bool
is_integer(const struct span *s)
{
	size_t i = s->len > 0 && *s->p == '-';

	if (i == s->len || (s->p[i] == '0' && i + 1 < s->len))
		return false;
	for (; i < s->len; i++)
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
	return true;
}

/* An integer of any size is an id, but not for the parser: it gets a zero in
 * its place. True where the id is such a one. */
static bool
lift_id(char *line, const struct span *id, size_t ids, char **out)
{
	if (ids != 1 || !is_integer(id))
		return false;
	*out = sa_xstrndup(id->p, id->len);
	memset(line + (id->p - line), ' ', id->len);
	line[id->p - line] = '0';
	return true;
}

char *
sa_mcp_token(const json_t *value)
{
	return json_is_string(value) || json_is_integer(value)
	    ? sa_json_text(value)
	    : NULL;
}

/* What a message is, by its members. */
static int
classify(struct sa_mcp_message *m, bool lifted, struct sa_mcp_fault *f)
{
	const json_t *id = json_object_get(m->root, "id");
	const char *version = sa_json_str(m->root, "jsonrpc");
	json_t *params = json_object_get(m->root, "params");

	if (!json_is_object(m->root))
		return sa_mcp_fault_set(f, SA_MCP_INVALID_REQUEST,
		    "a message is a JSON object");
	if (!lifted)
		m->id = sa_mcp_token(id);
	if (version == NULL || strcmp(version, "2.0") != 0)
		return sa_mcp_fault_set(f, SA_MCP_INVALID_REQUEST,
		    "the member jsonrpc is not \"2.0\"");
	if (id != NULL && m->id == NULL)
		return sa_mcp_fault_set(f, SA_MCP_INVALID_REQUEST,
		    "an id is a string or an integer");
	m->method = sa_json_str(m->root, "method");
	m->kind = m->id != NULL ? SA_MCP_REQUEST : SA_MCP_NOTIFICATION;
	if (json_object_get(m->root, "method") == NULL &&
	    (json_object_get(m->root, "result") != NULL ||
		json_object_get(m->root, "error") != NULL)) {
		m->kind = SA_MCP_RESPONSE;
		return 0;
	}
	if (m->method == NULL)
		return sa_mcp_fault_set(f, SA_MCP_INVALID_REQUEST,
		    "the member method is not a string");
	/* a notification is never answered, whatever is wrong with it */
	if (m->kind == SA_MCP_NOTIFICATION && !json_is_object(params))
		params = NULL;
	if (params != NULL && !json_is_object(params))
		return sa_mcp_fault_set(f, SA_MCP_BAD_PARAMS,
		    "params is not an object");
	m->params = params;
	return 0;
}

/* What the parser has against a line. Where only a part of it cannot be
 * taken the sender is told which message that was. */
static int
unreadable(struct sa_mcp_message *m, const struct look *l,
    const json_error_t *e, struct sa_mcp_fault *f)
{
	enum json_error_code why = json_error_code(e);

	if (l->ids == 1 && m->id == NULL && l->id.len > 1 && *l->id.p == '"' &&
	    sa_text_is_utf8(l->id.p, l->id.len)) {
		json_t *id =
		    json_loadb(l->id.p, l->id.len, JSON_DECODE_ANY, NULL);
		m->id = id != NULL ? sa_mcp_token(id) : NULL;
		json_decref(id);
	}
	if (why == json_error_numeric_overflow && m->id != NULL)
		return sa_mcp_fault_set(f, SA_MCP_INVALID_REQUEST,
		    "a number is out of range: %s", e->text);
	if (why == json_error_duplicate_key && m->id != NULL)
		return sa_mcp_fault_set(f, SA_MCP_INVALID_REQUEST,
		    "an object has a member twice: %s", e->text);
	free(m->id);
	m->id = NULL;
	return sa_mcp_fault_set(f, SA_MCP_PARSE_ERROR,
	    "not JSON, at column %d: %s", e->column, e->text);
}

int
sa_mcp_message_parse(struct sa_mcp_message *m, char *line, size_t len,
    struct sa_mcp_fault *f)
{
	struct look l;
	json_error_t e;

	*m = (struct sa_mcp_message){ .kind = SA_MCP_NOTIFICATION };
	if (!look_at(line, len, &l))
		return sa_mcp_fault_set(f, SA_MCP_PARSE_ERROR,
		    "values nest over %d deep", SA_MCP_DEPTH_MAX);
	bool lifted = lift_id(line, &l.id, l.ids, &m->id);
	m->root = json_loadb(line, len,
	    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &e);
	if (m->root == NULL)
		return unreadable(m, &l, &e, f);
	if (json_is_array(m->root)) {
		m->kind = SA_MCP_BATCH;
		return 0;
	}
	m->arguments = l.arguments.p;
	m->arguments_len = l.arguments.len;
	return classify(m, lifted, f);
}

int
sa_mcp_message_element(struct sa_mcp_message *m, json_t *element,
    struct sa_mcp_fault *f)
{
	*m = (struct sa_mcp_message){ .root = json_incref(element) };
	return classify(m, false, f);
}

void
sa_mcp_message_release(struct sa_mcp_message *m)
{
	json_decref(m->root);
	free(m->id);
	*m = (struct sa_mcp_message){ .root = NULL };
}

void
sa_mcp_put_string(struct sa_buf *b, const char *s, size_t len)
{
	json_auto_t *j = json_stringn(s, len);

	if (j == NULL) {
		cleanup_free char *clean = sa_text_utf8(s, len);
		j = json_string(clean);
	}
	cleanup_free char *text = sa_json_text(j);
	sa_buf_adds(b, text);
}

void
sa_mcp_put_result(struct sa_buf *b, const char *id, const char *members,
    const char *tail)
{
	sa_buf_adds(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	sa_buf_adds(b, id);
	sa_buf_adds(b, ",\"result\":{");
	sa_buf_adds(b, members);
	sa_buf_adds(b, *members == '\0' && *tail == ',' ? tail + 1 : tail);
	sa_buf_adds(b, "}}\n");
}

void
sa_mcp_put_error(struct sa_buf *b, const char *id, int code, const char *text,
    const json_t *data)
{
	sa_buf_adds(b, "{\"jsonrpc\":\"2.0\",");
	if (id != NULL) {
		sa_buf_adds(b, "\"id\":");
		sa_buf_adds(b, id);
		sa_buf_adds(b, ",");
	}
	sa_buf_addf(b, "\"error\":{\"code\":%d,\"message\":", code);
	sa_mcp_put_string(b, text, strlen(text));
	if (data != NULL) {
		cleanup_free char *more = sa_json_text(data);
		sa_buf_adds(b, ",\"data\":");
		sa_buf_adds(b, more);
	}
	sa_buf_adds(b, "}}\n");
}

void
sa_mcp_put_progress(struct sa_buf *b, const char *token, long long n)
{
	sa_buf_addf(b,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
	    "\"params\":{\"progressToken\":%s,\"progress\":%lld}}\n",
	    token, n);
}
