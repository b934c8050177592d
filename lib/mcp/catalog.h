/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_CATALOG_H
#define SA_MCP_CATALOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The tools: a JSON file, {"instructions", "tools":[{name, title,
 * description, inputSchema, outputSchema, annotations, _meta, run}]}, of which
 * run says what is executed:
 *
 *	argv		the program and its arguments. sa-NAME is one of our own
 *			programs; anything else is a path, relative to the
 *			directory of the file, and allowed in a named file only
 *	timeout_seconds	1 to 3600; 50 where it is missing
 *	output		"record" (the default): an object on stdout is the
 *			structured content; "content": it is the result;
 *			"text": what is on stdout is the result's text,
 *			but for a line break at its end
 *	exit_ok		exit codes that are no failure; [0]
 *
 * The rest of a tool goes to clients as it stands. Other members are an error.
 */
#define SA_MCP_CATALOG_MAX ((size_t)1 << 20)
#define SA_MCP_INSTRUCTIONS_MAX 1024
#define SA_MCP_TIMEOUT_SECONDS 50

/* Everything is borrowed from the catalogue. */
struct sa_mcp_tool {
	const char *name, *title;
	const json_t *input_schema, *annotations, *exit_ok;
	char **argv; /* argv[0] as the file has it */
	int timeout_ms;
	bool read_only; /* says that it changes nothing */
	enum { SA_MCP_RECORD, SA_MCP_CONTENT, SA_MCP_TEXT } output;
	char *program; /* its path, once looked for */
};

struct sa_mcp_catalog {
	const char *instructions; /* "" for none */
	struct sa_mcp_tool *tools;
	size_t n;
	char *list; /* "tools":[...], what clients get of it */
	json_t *root;
	char *dir;
};

/* The one that is compiled in, as text. */
const char *sa_mcp_catalog_builtin(size_t *len);

/*
 * path NULL: the one that is compiled in. SA_CONFIG names the file, the tool
 * and the member, SA_NOT_FOUND a file that is not there. Release it in any
 * case.
 */
int sa_mcp_catalog_load(struct sa_mcp_catalog *c, const char *path,
    struct sa_err *err);
/* The same of a text; name is what errors call it. */
int sa_mcp_catalog_parse(struct sa_mcp_catalog *c, const char *text, size_t len,
    const char *name, struct sa_err *err);
/* Adds the tools and the instructions of another text to a catalogue that was
 * loaded. A name that is in both is SA_CONFIG. */
int sa_mcp_catalog_add(struct sa_mcp_catalog *c, const char *text, size_t len,
    const char *name, struct sa_err *err);
void sa_mcp_catalog_release(struct sa_mcp_catalog *c);

/* Keeps the tools with these names, separated by commas (NULL: all), of them
 * only those that change nothing where read_only is set. SA_USAGE for a name
 * that the catalogue does not have, and where nothing is left. */
int sa_mcp_catalog_select(struct sa_mcp_catalog *c, const char *names,
    bool read_only, struct sa_err *err);

/* NULL where there is no such tool. */
struct sa_mcp_tool *sa_mcp_catalog_find(const struct sa_mcp_catalog *c,
    const char *name);

/* Whether a tool is one of our own programs. */
bool sa_mcp_tool_is_own(const struct sa_mcp_tool *t);

/* The path of a tool's program, which is looked for once. NULL with
 * SA_CONFIG. */
const char *sa_mcp_tool_program(const struct sa_mcp_catalog *c,
    struct sa_mcp_tool *t, struct sa_err *err);

#endif
