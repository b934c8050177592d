/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/catalog.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/text.h"

#define NAME_MAX_LEN 64
#define TIMEOUT_MAX 3600

/* Where in a catalogue something is wrong. */
struct place {
	const char *file, *tool;
	struct sa_err *err;
};

__attribute__((format(printf, 2, 3))) static int
wrong(const struct place *at, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cleanup_free char *clean = sa_text_visible(text);
	if (at->tool != NULL) {
		cleanup_free char *tool = sa_text_visible(at->tool);
		return sa_err_set(at->err, SA_CONFIG, "%s: tool '%s': %s",
		    at->file, tool, clean);
	}
	return sa_err_set(at->err, SA_CONFIG, "%s: %s", at->file, clean);
}

struct member {
	const char *name;
	json_type type;
	bool must;
};

static const char *const type_names[] = { [JSON_OBJECT] = "an object",
	[JSON_ARRAY] = "an array",
	[JSON_STRING] = "a string",
	[JSON_INTEGER] = "an integer",
	[JSON_REAL] = "a number",
	[JSON_TRUE] = "true or false" };

static bool
has_type(const json_t *j, json_type type)
{
	if (type == JSON_REAL)
		return json_is_number(j);
	return type == JSON_TRUE ? json_is_boolean(j) : json_typeof(j) == type;
}

/* Whether an object has these members, of these types. */
static int
check_types(const struct place *at, const json_t *obj, const char *name,
    const struct member *members, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *j = json_object_get(obj, members[i].name);
		if (j == NULL && members[i].must)
			return wrong(at, "%s%s is missing", name,
			    members[i].name);
		if (j != NULL && !has_type(j, members[i].type))
			return wrong(at, "%s%s is not %s", name,
			    members[i].name, type_names[members[i].type]);
	}
	return 0;
}

/* The same, and no others. */
static int
check_members(const struct place *at, json_t *obj, const char *name,
    const struct member *members, size_t n)
{
	const char *key;
	json_t *value;

	if (check_types(at, obj, name, members, n) < 0)
		return -1;
	json_object_foreach (obj, key, value) {
		size_t i = 0;
		while (i < n && strcmp(key, members[i].name) != 0)
			i++;
		if (i == n)
			return wrong(at, "unknown member '%s%s'", name, key);
	}
	return 0;
}

static bool
is_name(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '-')
		n++;
	return n > 0 && n <= NAME_MAX_LEN && s[n] == '\0';
}

static int
load_run(const struct place *at, struct sa_mcp_tool *t, json_t *run)
{
	static const struct member members[] = {
		{ "argv", JSON_ARRAY, true },
		{ "timeout_seconds", JSON_INTEGER, false },
		{ "output", JSON_STRING, false },
		{ "exit_ok", JSON_ARRAY, false },
	};
	json_int_t seconds =
	    sa_json_int(run, "timeout_seconds", SA_MCP_TIMEOUT_SECONDS);
	static const char *const outputs[] = { [SA_MCP_RECORD] = "record",
		[SA_MCP_CONTENT] = "content",
		[SA_MCP_TEXT] = "text" };
	const char *output = sa_json_str(run, "output");
	const json_t *argv = json_object_get(run, "argv"), *word;
	size_t i;

	if (check_members(at, run, "run.", members,
		sizeof(members) / sizeof(*members)) < 0)
		return -1;
	if (seconds < 1 || seconds > TIMEOUT_MAX)
		return wrong(at, "run.timeout_seconds is not 1 to %d",
		    TIMEOUT_MAX);
	t->output = SA_MCP_RECORD;
	while (output != NULL && strcmp(output, outputs[t->output]) != 0)
		if (t->output++ == SA_MCP_TEXT)
			return wrong(at,
			    "run.output is not record, content or text");
	t->timeout_ms = (int)seconds * 1000;
	t->exit_ok = json_object_get(run, "exit_ok");
	json_array_foreach (t->exit_ok, i, word)
		if (!json_is_integer(word) || json_integer_value(word) < 0 ||
		    json_integer_value(word) > 255)
			return wrong(at,
			    "run.exit_ok holds no number from 0 to 255");
	if (json_array_size(argv) == 0)
		return wrong(at, "run.argv is empty");
	t->argv = sa_xcalloc(json_array_size(argv) + 1, sizeof(*t->argv));
	json_array_foreach (argv, i, word) {
		if (!json_is_string(word))
			return wrong(at, "run.argv holds no string");
		t->argv[i] = sa_xstrdup(json_string_value(word));
	}
	return 0;
}

static bool
is_type(const char *s)
{
	static const char *const types[] = { "object", "array", "string",
		"integer", "number", "boolean", "null" };
	size_t i = 0, n = sizeof(types) / sizeof(*types);

	while (i < n && strcmp(s, types[i]) != 0)
		i++;
	return i < n;
}

static int check_part(const struct place *at, const char *path,
    const json_t *schema);

/* The schemas that a schema holds. */
static int
check_parts(const struct place *at, const char *path, const json_t *schema)
{
	static const char *const one[] = { "items", "additionalProperties" };
	json_t *properties = json_object_get(schema, "properties"), *value;
	const char *key;

	for (size_t i = 0; i < sizeof(one) / sizeof(*one); i++) {
		cleanup_free char *name = sa_xasprintf("%s%s.", path, one[i]);
		if (check_part(at, name, json_object_get(schema, one[i])) < 0)
			return -1;
	}
	json_object_foreach (properties, key, value) {
		cleanup_free char *name =
		    sa_xasprintf("%sproperties.%s.", path, key);
		if (check_part(at, name, value) < 0)
			return -1;
	}
	return 0;
}

/* What arguments are checked by; path ends in a dot. */
static int
check_part(const struct place *at, const char *path, const json_t *schema)
{
	static const struct member members[] = {
		{ "properties", JSON_OBJECT, false },
		{ "required", JSON_ARRAY, false },
		{ "enum", JSON_ARRAY, false },
		{ "minimum", JSON_REAL, false },
		{ "maximum", JSON_REAL, false },
		{ "minLength", JSON_REAL, false },
		{ "maxLength", JSON_REAL, false },
		{ "minItems", JSON_REAL, false },
		{ "maxItems", JSON_REAL, false },
	};
	const char *type = sa_json_str(schema, "type");
	const json_t *word;
	size_t i;

	if (!json_is_object(schema))
		return 0;
	if (check_types(at, schema, path, members,
		sizeof(members) / sizeof(*members)) < 0)
		return -1;
	if (type != NULL && !is_type(type))
		return wrong(at, "%stype '%s' is none of JSON's", path, type);
	json_array_foreach (json_object_get(schema, "required"), i, word)
		if (!json_is_string(word))
			return wrong(at, "%srequired holds no string", path);
	return check_parts(at, path, schema);
}

static int
check_schema(const struct place *at, const char *name, const json_t *schema)
{
	const char *type = sa_json_str(schema, "type");
	cleanup_free char *path = sa_xasprintf("%s.", name);

	if (type == NULL || strcmp(type, "object") != 0)
		return wrong(at, "%s: the type is not object", name);
	return check_part(at, path, schema);
}

/* Clients refuse the whole list where a hint is anything else. */
static int
check_annotations(const struct place *at, const json_t *annotations)
{
	static const struct member members[] = {
		{ "title", JSON_STRING, false },
		{ "readOnlyHint", JSON_TRUE, false },
		{ "destructiveHint", JSON_TRUE, false },
		{ "idempotentHint", JSON_TRUE, false },
		{ "openWorldHint", JSON_TRUE, false },
	};

	return check_types(at, annotations, "annotations.", members,
	    sizeof(members) / sizeof(*members));
}

static int
load_tool(struct place *at, struct sa_mcp_tool *t, json_t *tool)
{
	static const struct member members[] = {
		{ "name", JSON_STRING, true },
		{ "title", JSON_STRING, true },
		{ "description", JSON_STRING, true },
		{ "inputSchema", JSON_OBJECT, true },
		{ "outputSchema", JSON_OBJECT, false },
		{ "annotations", JSON_OBJECT, false },
		{ "_meta", JSON_OBJECT, false },
		{ "run", JSON_OBJECT, true },
	};
	json_t *output = json_object_get(tool, "outputSchema");

	at->tool = sa_json_str(tool, "name");
	if (!json_is_object(tool))
		return wrong(at, "tools holds no object");
	if (check_members(at, tool, "", members,
		sizeof(members) / sizeof(*members)) < 0)
		return -1;
	t->name = at->tool;
	if (!is_name(t->name))
		return wrong(at,
		    "a name is 1 to %d letters, digits, '_' and '-'",
		    NAME_MAX_LEN);
	t->title = sa_json_str(tool, "title");
	t->input_schema = json_object_get(tool, "inputSchema");
	t->annotations = json_object_get(tool, "annotations");
	t->read_only = sa_json_bool(t->annotations, "readOnlyHint", false);
	if (check_annotations(at, t->annotations) < 0 ||
	    check_schema(at, "inputSchema", t->input_schema) < 0 ||
	    (output != NULL && check_schema(at, "outputSchema", output) < 0))
		return -1;
	return load_run(at, t, json_object_get(tool, "run"));
}

/* What clients get: all of the tools but how they are run. */
static void
make_list(struct sa_mcp_catalog *c)
{
	json_auto_t *list = json_array();
	const json_t *tools = json_object_get(c->root, "tools");

	for (size_t i = 0; i < json_array_size(tools); i++) {
		json_t *tool = json_array_get(tools, i);
		if (sa_mcp_catalog_find(c, sa_json_str(tool, "name")) == NULL)
			continue;
		json_t *shown = json_copy(tool);
		json_object_del(shown, "run");
		json_array_append_new(list, shown);
	}
	cleanup_free char *text = sa_json_text(list);
	free(c->list);
	c->list = sa_xasprintf("\"tools\":%s", text);
}

static int
load(struct sa_mcp_catalog *c, struct place *at)
{
	static const struct member members[] = {
		{ "instructions", JSON_STRING, false },
		{ "tools", JSON_ARRAY, true },
	};
	const json_t *tools = json_object_get(c->root, "tools");
	json_t *tool;
	size_t i;

	if (check_members(at, c->root, "", members, 2) < 0)
		return -1;
	c->instructions = sa_json_str(c->root, "instructions");
	if (c->instructions == NULL)
		c->instructions = "";
	if (strlen(c->instructions) > SA_MCP_INSTRUCTIONS_MAX)
		return wrong(at, "instructions are over %d bytes",
		    SA_MCP_INSTRUCTIONS_MAX);
	c->tools = sa_xcalloc(json_array_size(tools) + 1, sizeof(*c->tools));
	json_array_foreach (tools, i, tool) {
		struct sa_mcp_tool *t = &c->tools[i];
		c->n = i + 1;
		if (load_tool(at, t, tool) < 0)
			return -1;
		if (sa_mcp_catalog_find(c, t->name) != t)
			return wrong(at, "the name is there twice");
	}
	return 0;
}

int
sa_mcp_catalog_parse(struct sa_mcp_catalog *c, const char *text, size_t len,
    const char *name, struct sa_err *err)
{
	struct place at = { name, NULL, err };

	*c = (struct sa_mcp_catalog){ .root = NULL };
	if (sa_json_parse(text, len, name, &c->root, err) < 0) {
		if (err != NULL)
			err->kind = SA_CONFIG;
		return -1;
	}
	if (load(c, &at) < 0)
		return -1;
	make_list(c);
	return 0;
}

/* The instructions of both, the other's after ours. */
static int
add_instructions(struct sa_mcp_catalog *c, const struct sa_mcp_catalog *other,
    struct place *at)
{
	cleanup_free char *text = sa_xasprintf("%s%s%s", c->instructions,
	    *c->instructions != '\0' && *other->instructions != '\0' ? " " : "",
	    other->instructions);

	if (strlen(text) > SA_MCP_INSTRUCTIONS_MAX)
		return wrong(at,
		    "instructions are over %d bytes with those that there are",
		    SA_MCP_INSTRUCTIONS_MAX);
	sa_json_set_str(c->root, "instructions", text);
	c->instructions = sa_json_str(c->root, "instructions");
	return 0;
}

static int
add_tools(struct sa_mcp_catalog *c, struct sa_mcp_catalog *other,
    struct place *at)
{
	json_t *tools = json_object_get(c->root, "tools");

	for (size_t i = 0; i < other->n; i++) {
		at->tool = other->tools[i].name;
		if (sa_mcp_catalog_find(c, at->tool) != NULL)
			return wrong(at, "there is another of that name");
	}
	json_array_extend(tools, json_object_get(other->root, "tools"));
	c->tools =
	    sa_xrealloc(c->tools, c->n + other->n + 1, sizeof(*c->tools));
	for (size_t i = 0; i < other->n; i++)
		c->tools[c->n + i] = other->tools[i];
	c->n += other->n;
	other->n = 0; /* what they own went along */
	return 0;
}

int
sa_mcp_catalog_add(struct sa_mcp_catalog *c, const char *text, size_t len,
    const char *name, struct sa_err *err)
{
	struct sa_mcp_catalog other;
	struct place at = { name, NULL, err };
	int rc = sa_mcp_catalog_parse(&other, text, len, name, err);

	if (rc == 0)
		rc = add_instructions(c, &other, &at);
	if (rc == 0)
		rc = add_tools(c, &other, &at);
	if (rc == 0)
		make_list(c);
	sa_mcp_catalog_release(&other);
	return rc;
}

int
sa_mcp_catalog_load(struct sa_mcp_catalog *c, const char *path,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_MCP_CATALOG_MAX);
	size_t len;

	if (path == NULL) {
		const char *text = sa_mcp_catalog_builtin(&len);
		return sa_mcp_catalog_parse(c, text, len, "the catalogue", err);
	}
	*c = (struct sa_mcp_catalog){ .root = NULL };
	cleanup_free char *shown = sa_text_visible(path);
	cleanup_free char *name = sa_xasprintf("'%s'", shown);
	if (sa_io_read_file(AT_FDCWD, path, &b, name, err) < 0) {
		/* a directory, a device, or far too long */
		if (err != NULL && err->kind == SA_INVALID)
			err->kind = SA_CONFIG;
		return -1;
	}
	if (sa_mcp_catalog_parse(c, sa_buf_str(&b), b.len, name, err) < 0)
		return -1;
	c->dir = sa_path_absolute(path);
	*strrchr(c->dir, '/') = '\0';
	return 0;
}

static void
release_tool(struct sa_mcp_tool *t)
{
	for (char **p = t->argv; p != NULL && *p != NULL; p++)
		free(*p);
	free(t->argv);
	free(t->program);
}

void
sa_mcp_catalog_release(struct sa_mcp_catalog *c)
{
	for (size_t i = 0; i < c->n; i++)
		release_tool(&c->tools[i]);
	free(c->tools);
	free(c->list);
	free(c->dir);
	json_decref(c->root);
	*c = (struct sa_mcp_catalog){ .root = NULL };
}

struct sa_mcp_tool *
sa_mcp_catalog_find(const struct sa_mcp_catalog *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->tools[i].name, name) == 0)
			return &c->tools[i];
	return NULL;
}

/* Whether a name is one of those separated by commas. */
static bool
listed(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (; *names != '\0'; names += *names == ',') {
		size_t n = strcspn(names, ",");
		if (n == len && memcmp(names, name, n) == 0)
			return true;
		names += n;
	}
	return false;
}

static int
check_names(const struct sa_mcp_catalog *c, const char *names,
    struct sa_err *err)
{
	for (; *names != '\0'; names += *names == ',') {
		size_t n = strcspn(names, ",");
		cleanup_free char *name = sa_xstrndup(names, n);
		names += n;
		if (sa_mcp_catalog_find(c, name) != NULL)
			continue;
		cleanup_free char *shown = sa_text_visible(name);
		sa_err_set(err, SA_USAGE, "--tools: there is no tool '%s'",
		    shown);
		return sa_err_hint(err, "sa-mcp --list-tools shows them");
	}
	return 0;
}

int
sa_mcp_catalog_select(struct sa_mcp_catalog *c, const char *names,
    bool read_only, struct sa_err *err)
{
	size_t kept = 0;

	if (names != NULL && check_names(c, names, err) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		struct sa_mcp_tool *t = &c->tools[i];
		if ((names == NULL || listed(names, t->name)) &&
		    (!read_only || t->read_only))
			c->tools[kept++] = *t;
		else
			release_tool(t);
	}
	c->n = kept;
	if (kept == 0)
		return sa_err_set(err, SA_USAGE, "there is no tool left");
	make_list(c);
	return 0;
}

bool
sa_mcp_tool_is_own(const struct sa_mcp_tool *t)
{
	const char *name = t->argv[0];

	return strncmp(name, "sa-", 3) == 0 && strchr(name, '/') == NULL;
}

const char *
sa_mcp_tool_program(const struct sa_mcp_catalog *c, struct sa_mcp_tool *t,
    struct sa_err *err)
{
	const char *name = t->argv[0];
	struct stat st;

	if (t->program != NULL)
		return t->program;
	if (sa_mcp_tool_is_own(t)) {
		t->program = sa_proc_own(name, err);
		return t->program;
	}
	if (c->dir == NULL) {
		sa_err_set(err, SA_CONFIG,
		    "'%s': only a catalogue that is named may have paths",
		    name);
		return NULL;
	}
	cleanup_free char *path =
	    *name == '/' ? sa_xstrdup(name) : sa_path_join(c->dir, name);
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    access(path, X_OK) != 0) {
		sa_err_set(err, SA_CONFIG, "'%s' cannot be executed", path);
		return NULL;
	}
	t->program = sa_steal(&path);
	return t->program;
}
