/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/yaml.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/buf.h"
#include "base/text.h"

#define DEPTH_MAX 32

/* A document as it is built. open[] are the collections that have not ended;
 * each belongs to the one before it, the first to out. */
struct building {
	yaml_parser_t parser;
	const char *name;
	json_t *out, *open[DEPTH_MAX];
	char *key[DEPTH_MAX]; /* of a mapping: it waits for its value */
	size_t depth;
	bool done;
};

static int
wrong(const struct building *b, const yaml_event_t *e, const char *why,
    struct sa_err *err)
{
	size_t line =
	    e != NULL ? e->start_mark.line : b->parser.problem_mark.line;

	return sa_err_set(err, SA_CONFIG, "%s:%zu: %s", b->name, line + 1,
	    why != NULL ? why : "no YAML");
}

/* Takes the reference to value. */
static int
put(struct building *b, const yaml_event_t *e, json_t *value,
    struct sa_err *err)
{
	if (b->depth == 0) {
		if (json_is_object(value)) {
			b->out = value;
			return 0;
		}
		json_decref(value);
		return wrong(b, e, "no mapping", err);
	}
	size_t at = b->depth - 1;
	json_t *parent = b->open[at];
	if (json_is_array(parent)) {
		json_array_append_new(parent, value);
		return 0;
	}
	cleanup_free char *key = sa_steal(&b->key[at]);
	if (key == NULL) {
		json_decref(value);
		return wrong(b, e, "a key that is no text", err);
	}
	if (json_object_get(parent, key) != NULL) {
		cleanup_free char *shown = sa_text_visible(key);
		cleanup_free char *why =
		    sa_xasprintf("'%.200s' is there twice", shown);
		json_decref(value);
		return wrong(b, e, why, err);
	}
	json_object_set_new(parent, key, value);
	return 0;
}

static bool
is_null(const yaml_event_t *e)
{
	const char *s = (const char *)e->data.scalar.value;

	return e->data.scalar.plain_implicit &&
	    e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    (*s == '\0' || strcmp(s, "~") == 0 || strcmp(s, "null") == 0 ||
		strcmp(s, "Null") == 0 || strcmp(s, "NULL") == 0);
}

static int
scalar(struct building *b, const yaml_event_t *e, struct sa_err *err)
{
	const char *s = (const char *)e->data.scalar.value;
	size_t at = b->depth - 1;

	if (e->data.scalar.anchor != NULL)
		return wrong(b, e, "anchors are not read", err);
	if (strlen(s) != e->data.scalar.length)
		return wrong(b, e, "a NUL in a text", err);
	if (b->depth > 0 && json_is_object(b->open[at]) && b->key[at] == NULL) {
		b->key[at] = sa_xstrdup(s);
		return 0;
	}
	return put(b, e, is_null(e) ? json_null() : json_string(s), err);
}

static int
begin(struct building *b, const yaml_event_t *e, json_t *collection,
    const yaml_char_t *anchor, struct sa_err *err)
{
	if (anchor != NULL || b->depth == DEPTH_MAX) {
		json_decref(collection);
		return wrong(b, e,
		    anchor != NULL ? "anchors are not read"
				   : "more than 32 levels",
		    err);
	}
	if (put(b, e, collection, err) < 0)
		return -1;
	b->key[b->depth] = NULL;
	b->open[b->depth++] = collection;
	return 0;
}

static int
take(struct building *b, const yaml_event_t *e, struct sa_err *err)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return scalar(b, e, err);
	case YAML_MAPPING_START_EVENT:
		return begin(b, e, json_object(), e->data.mapping_start.anchor,
		    err);
	case YAML_SEQUENCE_START_EVENT:
		return begin(b, e, json_array(), e->data.sequence_start.anchor,
		    err);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		b->depth--;
		return 0;
	case YAML_ALIAS_EVENT:
		return wrong(b, e, "aliases are not read", err);
	case YAML_DOCUMENT_END_EVENT:
	case YAML_STREAM_END_EVENT:
		b->done = true;
		return 0;
	default:
		return 0;
	}
}

static int
build(struct building *b, struct sa_err *err)
{
	while (!b->done) {
		yaml_event_t e;
		if (!yaml_parser_parse(&b->parser, &e))
			return wrong(b, NULL, b->parser.problem, err);
		int rc = take(b, &e, err);
		yaml_event_delete(&e);
		if (rc < 0)
			return -1;
	}
	if (b->out == NULL)
		return sa_err_set(err, SA_CONFIG, "%s is empty", b->name);
	return 0;
}

int
sa_yaml_parse(const char *text, size_t len, const char *name, json_t **out,
    struct sa_err *err)
{
	struct building b = { .name = name };

	if (!yaml_parser_initialize(&b.parser))
		return sa_err_set(err, SA_INTERNAL, "libyaml does not start");
	yaml_parser_set_input_string(&b.parser, (const unsigned char *)text,
	    len);
	int rc = build(&b, err);
	yaml_parser_delete(&b.parser);
	for (size_t i = 0; i < b.depth; i++)
		free(b.key[i]);
	if (rc < 0)
		json_decref(b.out);
	else
		*out = b.out;
	return rc;
}
