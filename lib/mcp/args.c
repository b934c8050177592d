/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/args.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

#define DEPTH_MAX 64
#define SHOWN_MAX 80 /* of a value in an error */
/* Whole numbers below it are exact, whoever wrote them as fractions. */
#define EXACT_MAX 9007199254740992.0

struct check {
	bool *changed;
	struct sa_err *err;
};

static int check_value(const struct check *c, const json_t *schema,
    json_t *value, const char *path, size_t depth, json_t **better);

/* A member of an object, as errors name it. */
static char *
below(const char *path, const char *key)
{
	cleanup_free char *shown = sa_text_visible(key);

	return *path != '\0' ? sa_xasprintf("%s.%s", path, shown)
			     : sa_xstrdup(shown);
}

static const char *
type_of(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "object";
	case JSON_ARRAY:
		return "array";
	case JSON_STRING:
		return "string";
	case JSON_INTEGER:
		return "integer";
	case JSON_REAL:
		return "number";
	case JSON_NULL:
		return "null";
	default:
		return "boolean";
	}
}

static bool
has_type(const json_t *value, const char *type)
{
	const char *is = type_of(value);

	return strcmp(is, type) == 0 ||
	    (strcmp(type, "number") == 0 && strcmp(is, "integer") == 0);
}

/* What the value stands for where it is not of the type itself; NULL where it
 * stands for nothing. A new reference. */
static json_t *
stands_for(const json_t *value, const char *type)
{
	double d = json_real_value(value);
	json_t *j;

	if (strcmp(type, "integer") == 0 && json_is_real(value) &&
	    d > -EXACT_MAX && d < EXACT_MAX && d == (double)(json_int_t)d)
		return json_integer((json_int_t)d);
	if (!json_is_string(value) ||
	    (strcmp(type, "object") != 0 && strcmp(type, "array") != 0))
		return NULL;
	j = json_loadb(json_string_value(value), json_string_length(value),
	    JSON_REJECT_DUPLICATES, NULL);
	if (j != NULL && has_type(j, type))
		return j;
	json_decref(j);
	return NULL;
}

static int
check_type(const struct check *c, const char *type, json_t *value,
    const char *path, json_t **better)
{
	if (has_type(value, type))
		return 0;
	*better = stands_for(value, type);
	if (*better != NULL) {
		*c->changed = true;
		return 0;
	}
	return sa_err_set(c->err, SA_INVALID,
	    "the argument %s is of type %s, expected %s", path, type_of(value),
	    type);
}

static int
check_enum(const struct check *c, const json_t *allowed, const json_t *value,
    const char *path)
{
	cleanup_buf struct sa_buf words = SA_BUF_INIT(512);
	const json_t *word;
	size_t i;

	json_array_foreach (allowed, i, word) {
		if (json_equal(word, value))
			return 0;
		cleanup_free char *text = sa_json_text(word);
		sa_buf_addf(&words, "%s%s", i > 0 ? ", " : "", text);
	}
	cleanup_free char *text = sa_json_text(value);
	cleanup_free char *shown = sa_text_visible(text);
	return sa_err_set(c->err, SA_INVALID,
	    "the argument %s is %.*s, expected one of %s", path, SHOWN_MAX,
	    shown, sa_buf_str(&words));
}

/* How many characters a text has. */
static size_t
characters(const json_t *text)
{
	const char *s = json_string_value(text);
	size_t n = 0;

	for (size_t i = 0; i < json_string_length(text); i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* A lower and an upper bound that the schema may have. */
static int
check_bounds(const struct check *c, const json_t *schema, const char *min,
    const char *max, double n, const char *what, const char *path)
{
	const json_t *least = json_object_get(schema, min);
	const json_t *most = json_object_get(schema, max);

	if (json_is_number(least) && n < json_number_value(least))
		return sa_err_set(c->err, SA_INVALID,
		    "the argument %s %s %.15g, the least is %.15g", path, what,
		    n, json_number_value(least));
	if (json_is_number(most) && n > json_number_value(most))
		return sa_err_set(c->err, SA_INVALID,
		    "the argument %s %s %.15g, the most is %.15g", path, what,
		    n, json_number_value(most));
	return 0;
}

static int
check_string(const struct check *c, const json_t *schema, const json_t *value,
    const char *path)
{
	const char *s = json_string_value(value);

	if (strlen(s) != json_string_length(value))
		return sa_err_set(c->err, SA_INVALID,
		    "the argument %s holds a NUL character", path);
	return check_bounds(c, schema, "minLength", "maxLength",
	    (double)characters(value), "has a length of", path);
}

static int
check_array(const struct check *c, const json_t *schema, json_t *value,
    const char *path, size_t depth)
{
	const json_t *items = json_object_get(schema, "items");
	json_t *item;
	size_t i;

	if (check_bounds(c, schema, "minItems", "maxItems",
		(double)json_array_size(value), "has a number of items of",
		path) < 0)
		return -1;
	json_array_foreach (value, i, item) {
		cleanup_free char *at = sa_xasprintf("%s[%zu]", path, i);
		json_t *better = NULL;
		if (check_value(c, items, item, at, depth + 1, &better) < 0)
			return -1;
		if (better != NULL)
			json_array_set_new(value, i, better);
	}
	return 0;
}

static bool requires(const json_t *schema, const char *key)
{
	const json_t *name;
	size_t i;

	json_array_foreach (json_object_get(schema, "required"), i, name)
		if (strcmp(json_string_value(name), key) == 0)
			return true;
	return false;
}

static int
unknown_member(const struct check *c, const json_t *properties,
    const char *path)
{
	cleanup_buf struct sa_buf known = SA_BUF_INIT(512);
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)properties, key, value)
		sa_buf_addf(&known, "%s%s", known.len > 0 ? ", " : "", key);
	sa_err_set(c->err, SA_USAGE, "there is no argument %s", path);
	return sa_err_hint(c->err, "the arguments are: %s",
	    known.len > 0 ? known.s : "none");
}

static int
check_member(const struct check *c, const json_t *schema, const char *key,
    json_t *value, const char *path, size_t depth, json_t **better)
{
	const json_t *properties = json_object_get(schema, "properties");
	const json_t *more = json_object_get(schema, "additionalProperties");
	const json_t *property = json_object_get(properties, key);
	cleanup_free char *at = below(path, key);

	if (property == NULL && json_is_false(more))
		return unknown_member(c, properties, at);
	if (property == NULL)
		property = more;
	else if (json_is_null(value) && !requires(schema, key))
		return 0;
	return check_value(c, property, value, at, depth + 1, better);
}

static int
check_object(const struct check *c, const json_t *schema, json_t *value,
    const char *path, size_t depth)
{
	const char *key;
	json_t *member, *name;
	void *next;
	size_t i;

	json_array_foreach (json_object_get(schema, "required"), i, name) {
		key = json_string_value(name);
		if (json_object_get(value, key) != NULL)
			continue;
		cleanup_free char *at = below(path, key);
		return sa_err_set(c->err, SA_USAGE,
		    "the argument %s is missing", at);
	}
	json_object_foreach_safe(value, next, key, member)
	{
		json_t *better = NULL;
		if (check_member(c, schema, key, member, path, depth, &better) <
		    0)
			return -1;
		if (better != NULL)
			json_object_set_new(value, key, better);
	}
	return 0;
}

/* *better gets what shall stand in the value's place, a new reference. */
static int
check_value(const struct check *c, const json_t *schema, json_t *value,
    const char *path, size_t depth, json_t **better)
{
	const char *type = sa_json_str(schema, "type");
	const json_t *allowed = json_object_get(schema, "enum");
	const char *name = *path != '\0' ? path : "object";
	int rc = 0;

	if (depth > DEPTH_MAX)
		return sa_err_set(c->err, SA_INVALID,
		    "the argument %.80s... nests over %d deep", path,
		    DEPTH_MAX);
	if (type != NULL && check_type(c, type, value, name, better) < 0)
		return -1;
	if (*better != NULL)
		value = *better;
	if (json_is_array(allowed))
		rc = check_enum(c, allowed, value, name);
	else if (json_is_string(value))
		rc = check_string(c, schema, value, name);
	else if (json_is_number(value))
		rc = check_bounds(c, schema, "minimum", "maximum",
		    json_number_value(value), "is", name);
	else if (json_is_array(value))
		rc = check_array(c, schema, value, path, depth);
	else if (json_is_object(value))
		rc = check_object(c, schema, value, path, depth);
	if (rc < 0) {
		json_decref(*better);
		*better = NULL;
	}
	return rc;
}

int
sa_mcp_args_check(const json_t *schema, json_t *args, bool *changed,
    struct sa_err *err)
{
	struct check c = { changed, err };
	json_t *better = NULL;

	return check_value(&c, schema, args, "", 0, &better);
}
