/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/text.h"

int
sa_json_parse(const char *text, size_t len, const char *name, json_t **out,
    struct sa_err *err)
{
	json_error_t e;
	json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);

	if (j == NULL) {
		cleanup_free char *why = sa_text_visible(e.text);
		return sa_err_set(err, SA_INVALID, "%s:%d:%d: %s", name, e.line,
		    e.column, why);
	}
	if (!json_is_object(j)) {
		json_decref(j);
		return sa_err_set(err, SA_INVALID,
		    "%s:1:1: a JSON object is expected", name);
	}
	*out = j;
	return 0;
}

int
sa_json_read_fd(int fd, size_t max, const char *name, json_t **out,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(max);

	if (sa_io_read_fd(fd, &b, name, err) < 0)
		return -1;
	if (strspn(sa_buf_str(&b), " \t\r\n") == b.len) {
		sa_err_set(err, SA_INVALID,
		    "no record on %s: the stage before failed", name);
		return sa_err_hint(err, "see its message above");
	}
	return sa_json_parse(b.s, b.len, name, out, err);
}

char *
sa_json_text(const json_t *j)
{
	char *s = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);

	return s != NULL ? s : sa_xstrdup("null");
}

char *
sa_json_canonical(const json_t *j)
{
	char *s =
	    json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	return s != NULL ? s : sa_xstrdup("null");
}

const char *
sa_json_str(const json_t *obj, const char *key)
{
	return json_string_value(json_object_get(obj, key));
}

json_int_t
sa_json_int(const json_t *obj, const char *key, json_int_t none)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_integer(v) ? json_integer_value(v) : none;
}

bool
sa_json_bool(const json_t *obj, const char *key, bool none)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_boolean(v) ? json_is_true(v) : none;
}

json_t *
sa_json_obj(const json_t *obj, const char *key)
{
	json_t *v = json_object_get(obj, key);

	return json_is_object(v) ? v : NULL;
}

void
sa_json_set_str(json_t *obj, const char *key, const char *s)
{
	json_t *v = s == NULL ? json_null() : json_string(s);

	if (v == NULL) {
		cleanup_free char *clean = sa_text_utf8(s, strlen(s));
		v = json_string(clean);
	}
	json_object_set_new(obj, key, v);
}

/* The text as it may be seen; NULL where it may as it stands. */
static json_t *
made_visible(const json_t *value)
{
	const char *s = json_string_value(value);

	if (s == NULL)
		return NULL;
	cleanup_free char *clean = sa_text_visible_lines(s, strlen(s));
	return strcmp(clean, s) != 0 ? json_string(clean) : NULL;
}

/* As deep as the parser lets a text be. */
static void
tidy(json_t *j)
{
	const char *key;
	json_t *value, *clean;
	void *next;
	size_t i;

	json_object_foreach_safe(j, next, key, value)
	{
		if (json_is_null(value))
			json_object_del(j, key);
		else if (strcmp(key, "content") != 0 &&
		    (clean = made_visible(value)) != NULL)
			json_object_set_new(j, key, clean);
		else
			tidy(value);
	}
	json_array_foreach (j, i, value) {
		if ((clean = made_visible(value)) != NULL)
			json_array_set_new(j, i, clean);
		else
			tidy(value);
	}
}

json_t *
sa_json_for_agent(const json_t *j)
{
	json_t *copy = json_deep_copy(j);

	tidy(copy);
	return copy;
}

/* A fraction with no more digits than tell it from all others. */
static char *
real_text(const json_t *value)
{
	for (size_t digits = 15; digits < 17; digits++) {
		char *s = json_dumps(value,
		    JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
		if (s != NULL && strtod(s, NULL) == json_real_value(value))
			return s;
		free(s);
	}
	return sa_json_text(value);
}

char *
sa_json_scalar(const json_t *value)
{
	if (json_is_real(value))
		return real_text(value);
	if (json_is_string(value))
		return sa_xstrdup(json_string_value(value));
	if (json_is_number(value) || json_is_boolean(value))
		return sa_json_text(value);
	return NULL;
}

/* Whether word is one of the comma-separated words. */
static bool
listed(const char *words, const char *word)
{
	size_t len = strlen(word);

	while (*words != '\0') {
		size_t n = strcspn(words, ",");
		if (n == len && memcmp(words, word, n) == 0)
			return true;
		words += n + (words[n] == ',');
	}
	return false;
}

int
sa_json_check_record(const json_t *record, const char *types, bool legacy,
    const char *name, struct sa_err *err)
{
	const json_t *v = json_object_get(record, "v");
	const char *type = sa_json_str(record, "type");

	if (legacy && v == NULL && type == NULL)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) != 1) {
		cleanup_free char *found =
		    v != NULL ? sa_json_text(v) : sa_xstrdup("none");
		return sa_err_set(err, SA_INVALID,
		    "%s: record version %s is unknown, only 1 is read", name,
		    found);
	}
	if (type == NULL || !listed(types, type)) {
		cleanup_free char *found =
		    sa_text_visible(type != NULL ? type : "(none)");
		return sa_err_set(err, SA_INVALID,
		    "%s: a record of type '%s' has no use here, expected: %s",
		    name, found, types);
	}
	return 0;
}

json_t *
sa_json_record(const char *type)
{
	json_t *j = json_object();

	json_object_set_new(j, "v", json_integer(1));
	json_object_set_new(j, "type", json_string(type));
	return j;
}
