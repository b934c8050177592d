/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "mcp/args.h"
#include "mcp/frame.h"
#include "mcp/result.h"

#define META "io.modelcontextprotocol/"
#define META_VERSION META "protocolVersion"
#define META_CAPABILITIES META "clientCapabilities"

/* Lists never change while we run; whoever has them may keep them an hour. */
#define CACHE ",\"ttlMs\":3600000,\"cacheScope\":\"public\""

/* There are no prompts and no resources, but clients ask, and take an error
 * for a broken server. */
#define CAPABILITIES                                     \
	"\"capabilities\":{\"tools\":{},\"prompts\":{}," \
	"\"resources\":{}}"

static const char *const legacy_versions[] = { SA_MCP_LEGACY, "2025-06-18",
	"2025-03-26", "2024-11-05" };
#define WITH_BATCHES "2025-03-26"

void
sa_mcp_request_release(struct sa_mcp_request *r)
{
	free(r->id);
	free(r->token);
	sa_buf_release(&r->input);
	r->id = r->token = NULL;
}

void
sa_mcp_session_init(struct sa_mcp_session *s,
    const struct sa_mcp_catalog *catalog, const struct sa_mcp_host *host)
{
	json_auto_t *info = json_object();

	sa_json_set_str(info, "name", "sa-mcp");
	sa_json_set_str(info, "title", "Guarded Spark jobs");
	sa_json_set_str(info, "version", PACKAGE_VERSION);
	*s = (struct sa_mcp_session){ .catalog = catalog,
		.host = *host,
		.info = sa_json_text(info) };
	s->modern = sa_xasprintf(",\"resultType\":\"complete\",\"_meta\":"
				 "{\"" META "serverInfo\":%s}",
	    s->info);
}

void
sa_mcp_session_release(struct sa_mcp_session *s)
{
	free(s->info);
	free(s->modern);
	s->info = s->modern = NULL;
}

void
sa_mcp_session_result(const struct sa_mcp_session *s, const char *id,
    bool modern, const char *members)
{
	cleanup_buf struct sa_buf line = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_mcp_put_result(&line, id, members, modern ? s->modern : "");
	s->host.answer(s->host.arg, &line);
}

void
sa_mcp_session_error(const struct sa_mcp_session *s, const char *id,
    const struct sa_mcp_fault *f)
{
	cleanup_buf struct sa_buf line = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_debug("error %d: %s", f->code, f->text);
	sa_mcp_put_error(&line, id, f->code, f->text, f->data);
	s->host.answer(s->host.arg, &line);
}

/* One request being answered. */
struct turn {
	struct sa_mcp_session *s;
	const struct sa_mcp_message *m;
	bool modern;
	struct sa_mcp_fault *f;
};

/* Every method gives 0 when it has answered, or -1 with the fault. */
typedef int method_fn(const struct turn *t);

static int
answer(const struct turn *t, const char *members)
{
	sa_mcp_session_result(t->s, t->m->id, t->modern, members);
	return 0;
}

/* A list that fits one page: of cursors there is none. */
static int
answer_list(const struct turn *t, const char *members)
{
	const json_t *cursor = json_object_get(t->m->params, "cursor");

	if (cursor != NULL && !json_is_null(cursor))
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "the cursor is unknown; the list has one page");
	if (!t->modern)
		return answer(t, members);
	cleanup_free char *cached = sa_xasprintf("%s" CACHE, members);
	return answer(t, cached);
}

static void
put_instructions(struct sa_buf *b, const struct sa_mcp_catalog *c)
{
	if (*c->instructions == '\0')
		return;
	sa_buf_adds(b, ",\"instructions\":");
	sa_mcp_put_string(b, c->instructions, strlen(c->instructions));
}

static int
discover(const struct turn *t)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_buf_adds(&b,
	    "\"supportedVersions\":[\"" SA_MCP_MODERN "\"]," CAPABILITIES);
	put_instructions(&b, t->s->catalog);
	sa_buf_adds(&b, CACHE);
	return answer(t, b.s);
}

static int
initialize(const struct turn *t)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	const char *wanted = sa_json_str(t->m->params, "protocolVersion");
	const char *version = SA_MCP_LEGACY;

	if (wanted == NULL)
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "params.protocolVersion is missing");
	for (size_t i = 0;
	     i < sizeof(legacy_versions) / sizeof(*legacy_versions); i++)
		if (strcmp(wanted, legacy_versions[i]) == 0)
			version = legacy_versions[i];
	t->s->legacy = true;
	t->s->batches = strcmp(version, WITH_BATCHES) == 0;
	sa_buf_addf(&b,
	    "\"protocolVersion\":\"%s\"," CAPABILITIES ",\"serverInfo\":%s",
	    version, t->s->info);
	put_instructions(&b, t->s->catalog);
	return answer(t, b.s);
}

static int
ping(const struct turn *t)
{
	return answer(t, "");
}

/* We send no log messages at any level; those who set one are content. */
static int
set_level(const struct turn *t)
{
	static const char *const levels[] = { "debug", "info", "notice",
		"warning", "error", "critical", "alert", "emergency" };
	const char *level = sa_json_str(t->m->params, "level");

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (level != NULL && strcmp(level, levels[i]) == 0)
			return answer(t, "");
	return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
	    "params.level is not one of the eight levels");
}

static int
list_tools(const struct turn *t)
{
	return answer_list(t, t->s->catalog->list);
}

static int
list_prompts(const struct turn *t)
{
	return answer_list(t, "\"prompts\":[]");
}

static int
get_prompt(const struct turn *t)
{
	return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
	    "there are no prompts");
}

static int
list_resources(const struct turn *t)
{
	return answer_list(t, "\"resources\":[]");
}

static int
list_templates(const struct turn *t)
{
	return answer_list(t, "\"resourceTemplates\":[]");
}

static int
read_resource(const struct turn *t)
{
	const char *uri = sa_json_str(t->m->params, "uri");

	if (uri == NULL)
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "params.uri is missing");
	t->f->data = json_object();
	sa_json_set_str(t->f->data, "uri", uri);
	return sa_mcp_fault_set(t->f,
	    t->modern ? SA_MCP_BAD_PARAMS : SA_MCP_NO_RESOURCE,
	    "there are no resources");
}

/* The arguments as one line of JSON, checked. -1 with err for the model. */
static int
get_input(const struct turn *t, const struct sa_mcp_tool *tool,
    json_t *arguments, struct sa_buf *input, struct sa_err *err)
{
	bool changed = false;

	if (sa_mcp_args_check(tool->input_schema, arguments, &changed, err) < 0)
		return -1;
	if (t->m->arguments != NULL && !changed && t->m->arguments_len > 0 &&
	    *t->m->arguments == '{') {
		sa_buf_add(input, t->m->arguments, t->m->arguments_len);
	} else {
		cleanup_free char *text = sa_json_text(arguments);
		sa_buf_adds(input, text);
	}
	sa_buf_addch(input, '\n');
	return 0;
}

/* What is asked of a tool is no matter of the protocol: where it is wrong the
 * model is told, by a result. */
static int
call_tool_with(const struct turn *t, struct sa_mcp_tool *tool,
    json_t *arguments, char *token)
{
	struct sa_mcp_request r = { .tool = tool,
		.token = token,
		.modern = t->modern,
		.input = SA_BUF_INIT(SA_BUF_NOMAX) };
	struct sa_err err = SA_ERR_INIT;

	if (get_input(t, tool, arguments, &r.input, &err) < 0) {
		cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
		sa_mcp_result_err(&b, &err);
		sa_err_clear(&err);
		sa_mcp_request_release(&r);
		return answer(t, b.s);
	}
	r.id = sa_xstrdup(t->m->id);
	t->s->host.call(t->s->host.arg, &r);
	return 0;
}

static int
call_tool(const struct turn *t)
{
	const char *name = sa_json_str(t->m->params, "name");
	json_t *arguments = json_object_get(t->m->params, "arguments");
	const json_t *meta = json_object_get(t->m->params, "_meta");
	const json_t *progress = json_object_get(meta, "progressToken");
	struct sa_mcp_tool *tool =
	    name != NULL ? sa_mcp_catalog_find(t->s->catalog, name) : NULL;
	json_auto_t *none = json_object();

	if (name == NULL)
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "params.name is missing");
	if (tool == NULL)
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "there is no tool '%.100s'; tools/list has them", name);
	if (arguments == NULL || json_is_null(arguments))
		arguments = none;
	if (!json_is_object(arguments))
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "params.arguments is not an object");
	char *token = sa_mcp_token(progress);
	if (progress != NULL && token == NULL)
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "a progressToken is a string or an integer");
	if (t->s->host.pending(t->s->host.arg, t->m->id)) {
		free(token);
		return sa_mcp_fault_set(t->f, SA_MCP_INVALID_REQUEST,
		    "a call with this id is still running");
	}
	return call_tool_with(t, tool, arguments, token);
}

enum { MODERN = 1, LEGACY = 2, BOTH = 3 };
static const struct method {
	const char *name;
	unsigned eras;
	method_fn *run;
} methods[] = {
	{ "server/discover", MODERN, discover },
	{ "initialize", LEGACY, initialize },
	{ "ping", LEGACY, ping },
	{ "logging/setLevel", LEGACY, set_level },
	{ "tools/list", BOTH, list_tools },
	{ "tools/call", BOTH, call_tool },
	{ "prompts/list", BOTH, list_prompts },
	{ "prompts/get", BOTH, get_prompt },
	{ "resources/list", BOTH, list_resources },
	{ "resources/templates/list", BOTH, list_templates },
	{ "resources/read", BOTH, read_resource },
};

/* A modern request states its version and what its sender can do. */
static int
check_modern(const struct turn *t, const json_t *meta, const json_t *version)
{
	const char *name = json_string_value(version);

	if (name == NULL)
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "_meta[\"%s\"] is not a string", META_VERSION);
	if (strcmp(name, SA_MCP_MODERN) != 0) {
		t->f->data = json_object();
		json_t *ours = json_array();
		json_array_append_new(ours, json_string(SA_MCP_MODERN));
		json_object_set_new(t->f->data, "supported", ours);
		sa_json_set_str(t->f->data, "requested", name);
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_VERSION,
		    "the protocol version is not supported");
	}
	if (!json_is_object(json_object_get(meta, META_CAPABILITIES)))
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "_meta[\"%s\"] is not an object", META_CAPABILITIES);
	return 0;
}

/* Which era a request is of. */
static int
find_era(struct turn *t)
{
	const json_t *meta = json_object_get(t->m->params, "_meta");
	const json_t *version = json_object_get(meta, META_VERSION);
	const char *method = t->m->method;

	if (meta != NULL && !json_is_object(meta))
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "_meta is not an object");
	t->modern = version != NULL;
	if (t->modern)
		return check_modern(t, meta, version);
	if (strcmp(method, "server/discover") == 0 ||
	    (!t->s->legacy && strcmp(method, "initialize") != 0 &&
		strcmp(method, "ping") != 0))
		return sa_mcp_fault_set(t->f, SA_MCP_BAD_PARAMS,
		    "send initialize first, or say the version in "
		    "params._meta[\"%s\"]",
		    META_VERSION);
	return 0;
}

static int
serve_request(struct turn *t)
{
	size_t n = sizeof(methods) / sizeof(*methods), i = 0;

	if (find_era(t) < 0)
		return -1;
	while (i < n &&
	    (strcmp(methods[i].name, t->m->method) != 0 ||
		!(methods[i].eras & (t->modern ? MODERN : LEGACY))))
		i++;
	if (i == n)
		return sa_mcp_fault_set(t->f, SA_MCP_NO_METHOD,
		    "there is no method '%.100s'", t->m->method);
	return methods[i].run(t);
}

static void
serve_notification(struct sa_mcp_session *s, const struct sa_mcp_message *m)
{
	if (strcmp(m->method, "notifications/cancelled") != 0)
		return;
	cleanup_free char *id =
	    sa_mcp_token(json_object_get(m->params, "requestId"));
	if (id != NULL)
		s->host.cancel(s->host.arg, id);
}

static void
serve(struct sa_mcp_session *s, const struct sa_mcp_message *m)
{
	struct sa_mcp_fault f = { .data = NULL };
	struct turn t = { .s = s, .m = m, .f = &f };

	if (m->kind == SA_MCP_NOTIFICATION)
		serve_notification(s, m);
	else if (m->kind == SA_MCP_REQUEST && serve_request(&t) < 0)
		sa_mcp_session_error(s, m->id, &f);
	json_decref(f.data);
}

/* The answers go out one by one, each on its line. */
static void
serve_batch(struct sa_mcp_session *s, const struct sa_mcp_message *batch)
{
	struct sa_mcp_fault f = { .data = NULL };
	json_t *element;
	size_t i;

	if (!s->batches)
		sa_mcp_fault_set(&f, SA_MCP_INVALID_REQUEST,
		    "batches are not supported; send one message a line");
	else if (json_array_size(batch->root) == 0 ||
	    json_array_size(batch->root) > SA_MCP_BATCH_MAX)
		sa_mcp_fault_set(&f, SA_MCP_INVALID_REQUEST,
		    "a batch is of 1 to %d messages", SA_MCP_BATCH_MAX);
	if (f.code != 0) {
		sa_mcp_session_error(s, NULL, &f);
		return;
	}
	json_array_foreach (batch->root, i, element) {
		struct sa_mcp_message m;
		if (sa_mcp_message_element(&m, element, &f) == 0)
			serve(s, &m);
		else
			sa_mcp_session_error(s, m.id, &f);
		sa_mcp_message_release(&m);
	}
}

void
sa_mcp_session_line(struct sa_mcp_session *s, char *line, size_t len)
{
	struct sa_mcp_fault f = { .data = NULL };
	struct sa_mcp_message m;
	size_t i = 0;

	while (i < len && strchr(" \t\r", line[i]) != NULL && line[i] != '\0')
		i++;
	if (i == len)
		return;
	if (sa_mcp_message_parse(&m, line, len, &f) < 0)
		sa_mcp_session_error(s, m.id, &f);
	else if (m.kind == SA_MCP_BATCH)
		serve_batch(s, &m);
	else
		serve(s, &m);
	sa_mcp_message_release(&m);
}

void
sa_mcp_session_long_line(struct sa_mcp_session *s)
{
	struct sa_mcp_fault f = { .data = NULL };

	sa_mcp_fault_set(&f, SA_MCP_INVALID_REQUEST,
	    "a line is over %zu bytes, which is the most", SA_MCP_LINE_MAX);
	sa_mcp_session_error(s, NULL, &f);
}
