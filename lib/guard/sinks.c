/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sinks.h"

#include <string.h>
#include <strings.h>

#define STATEMENT SA_SINK_STATEMENT
#define EXPRESSION SA_SINK_EXPRESSION
#define FOREIGN SA_SINK_FOREIGN
#define TABLE SA_SINK_TABLE
#define CALL SA_SINK_CALL
#define HARD SA_SINK_HARD
#define SOFT SA_SINK_SOFT
#define NOTE SA_SINK_NOTE
#define OVERWRITE SA_SINK_OVERWRITE
#define RISK SA_SINK_RISK
#define REJECT SA_SINK_REJECT

#define ROW(name_, receiver_, argument_, keyword_, mode_, when_, level_, \
    rule_)                                                               \
	{ .name = (name_),                                               \
		.receiver = (receiver_),                                 \
		.argument = (argument_),                                 \
		.keyword = (keyword_),                                   \
		.mode = (mode_),                                         \
		.when = (when_),                                         \
		.level = (level_),                                       \
		.rule = (rule_) },

static const struct sa_sink calls[] = {
#define SINK ROW
#define OPTION(key, mode, level, rule)
#define ATTRIBUTE(name, level, rule)
#define COMMON_ATTRIBUTE(name, level, rule)
#define IMPORT(module, level, rule)
#define TYPE(name, how, receiver, result)
#include "guard/sinks.def"
};

static const struct sa_sink options[] = {
#undef SINK
#undef OPTION
#define SINK(name, receiver, argument, keyword, mode, when, level, rule)
#define OPTION(key, mode, level, rule) \
	ROW(key, "", 1, NULL, mode, NULL, level, rule)
#include "guard/sinks.def"
};

static const struct sa_sink attributes[] = {
#undef OPTION
#undef ATTRIBUTE
#undef COMMON_ATTRIBUTE
#define OPTION(key, mode, level, rule)
#define ATTRIBUTE(name, level, rule) \
	ROW(name, "*", -1, NULL, CALL, NULL, level, rule)
#define COMMON_ATTRIBUTE(name, level, rule) \
	ROW(name, "*", -1, NULL, CALL, "*other", level, rule)
#include "guard/sinks.def"
};

static const struct sa_sink imports[] = {
#undef ATTRIBUTE
#undef COMMON_ATTRIBUTE
#undef IMPORT
#define ATTRIBUTE(name, level, rule)
#define COMMON_ATTRIBUTE(name, level, rule)
#define IMPORT(module, level, rule) \
	ROW(module, "", -1, NULL, CALL, NULL, level, rule)
#include "guard/sinks.def"
};

#define ATTR false
#undef CALL
#define CALL true
static const struct {
	const char *name;
	size_t len;
	bool call;
	const char *receiver, *result;
} types[] = {
#undef IMPORT
#undef TYPE
#define IMPORT(module, level, rule)
#define TYPE(name_, how_, receiver_, result_) \
	{ .name = (name_),                    \
		.len = sizeof(name_) - 1,     \
		.call = (how_),               \
		.receiver = (receiver_),      \
		.result = "@" result_ },
#include "guard/sinks.def"
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The order of the table: by bytes, a prefix first. */
static int
compare(const char *name, size_t len, const char *row)
{
	/* most often the first byte tells */
	if (len > 0 && *name != *row)
		return (unsigned char)*name < (unsigned char)*row ? -1 : 1;
	int c = strncmp(name, row, len);

	return c != 0 ? c : row[len] == '\0' ? 0 : -1;
}

static const struct sa_sink *
first(const struct sa_sink *table, size_t count, const char *name, size_t len)
{
	size_t lo = 0, hi = count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (compare(name, len, table[mid].name) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < count && compare(name, len, table[lo].name) == 0
	    ? &table[lo]
	    : NULL;
}

const struct sa_sink *
sa_sinks(const char *name, size_t len, size_t *n)
{
	const struct sa_sink *row = first(calls, COUNT(calls), name, len);

	*n = 0;
	while (row != NULL && row + *n < calls + COUNT(calls) &&
	    compare(name, len, row[*n].name) == 0)
		(*n)++;
	return row;
}

const struct sa_sink *
sa_sink_option(const char *key, size_t len)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (strlen(options[i].name) == len &&
		    strncasecmp(options[i].name, key, len) == 0)
			return &options[i];
	return NULL;
}

const struct sa_sink *
sa_sink_attribute(const char *name, size_t len)
{
	if (len == 0 || (name[0] != '_' && name[0] != 'f'))
		return NULL;
	return first(attributes, COUNT(attributes), name, len);
}

const struct sa_sink *
sa_sink_import(const char *path, size_t len)
{
	for (size_t i = 0; i < COUNT(imports); i++) {
		if (imports[i].name[0] != path[0])
			continue;
		size_t n = strlen(imports[i].name);
		if (n <= len && strncmp(imports[i].name, path, n) == 0 &&
		    (n == len || path[n] == '.'))
			return &imports[i];
	}
	return NULL;
}

enum sa_py_type
sa_sink_type(const char *receiver)
{
	static const struct {
		const char *name;
		enum sa_py_type type;
	} names[] = { { "@writer", SA_PY_T_WRITER },
		{ "@writer2", SA_PY_T_WRITER2 }, { "@reader", SA_PY_T_READER },
		{ "@catalog", SA_PY_T_CATALOG }, { "@delta", SA_PY_T_DELTA },
		{ "@merge", SA_PY_T_MERGE }, { "@table", SA_PY_T_TABLE },
		{ "@path", SA_PY_T_PATH }, { "@files", SA_PY_T_FILES },
		{ "@runner", SA_PY_T_RUNNER } };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i].name, receiver) == 0)
			return names[i].type;
	return SA_PY_T_NONE;
}

/* Whether the dotted path ends with the receiver of a TYPE row. */
static bool
is_receiver(const char *path, size_t len, const char *receiver)
{
	const char *end =
	    strcmp(receiver, "@deltaclass") == 0 ? "DeltaTable" : receiver;
	size_t n = strlen(end);

	if (strcmp(receiver, "*") == 0)
		return true;
	return len >= n && strncmp(path + len - n, end, n) == 0 &&
	    (len == n || path[len - n - 1] == '.');
}

enum sa_py_type
sa_sink_type_of(const char *name, size_t len, bool call, const char *receiver,
    size_t rlen)
{
	for (size_t i = 0; i < COUNT(types); i++) {
		if (types[i].len != len || types[i].call != call ||
		    memcmp(name, types[i].name, len) != 0)
			continue;
		if (is_receiver(receiver, rlen, types[i].receiver))
			return sa_sink_type(types[i].result);
	}
	return SA_PY_T_NONE;
}

const char *
sa_sinks_unsorted(void)
{
	for (size_t i = 1; i < COUNT(calls); i++)
		if (strcmp(calls[i - 1].name, calls[i].name) > 0)
			return calls[i].name;
	for (size_t i = 1; i < COUNT(attributes); i++)
		if (strcmp(attributes[i - 1].name, attributes[i].name) > 0)
			return attributes[i].name;
	return NULL;
}
