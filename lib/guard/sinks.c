/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/sinks.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "guard/hash.h"

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

static const uint8_t option_length[] = {
#undef OPTION
#define OPTION(key, mode, level, rule) sizeof(key) - 1,
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
	bool call;
	const char *receiver, *result;
} types[] = {
#undef IMPORT
#undef TYPE
#define IMPORT(module, level, rule)
#define TYPE(name_, how_, receiver_, result_) \
	{ .name = (name_),                    \
		.call = (how_),               \
		.receiver = (receiver_),      \
		.result = "@" result_ },
#include "guard/sinks.def"
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A name of the table: its length, and 1 more than the place of its first row
 * among calls, attributes, types and the modules of a package, 0 for none. */
struct known {
	const char *name;
	uint8_t len;
	uint16_t call, attribute, module, type;
	bool special;
	struct sa_sink_hint hint;
};
#include "lib/guard/names.inc"

static const struct known *
known_by(const char *name, size_t len, uint32_t hash)
{
	for (uint32_t h = hash;; h++) {
		unsigned i = slots[h % COUNT(slots)];
		if (i == 0)
			return NULL;
		if (known_names[i - 1].len == len &&
		    memcmp(known_names[i - 1].name, name, len) == 0)
			return &known_names[i - 1];
	}
}

static const struct known *
known(const char *name, size_t len)
{
	return known_by(name, len, sa_hash(name, len));
}

const struct sa_sink *
sa_sinks(const char *name, size_t len, size_t *n)
{
	const struct known *k = known(name, len);

	*n = 0;
	if (k == NULL || k->call == 0)
		return NULL;
	const struct sa_sink *row = &calls[k->call - 1];
	while (row + *n < calls + COUNT(calls) &&
	    strcmp(row[*n].name, k->name) == 0)
		(*n)++;
	return row;
}

bool
sa_sink_named(const char *name, size_t len)
{
	return known(name, len) != NULL;
}

bool
sa_sink_special(const char *name, size_t len)
{
	const struct known *k = known(name, len);

	return k != NULL && k->special;
}

bool
sa_sink_trusted(const char *path, size_t len)
{
	const struct known *k = known(path, len);

	return k != NULL && k->hint.trusted;
}

const struct sa_sink_hint *
sa_sink_hint(const char *name, size_t len, uint32_t hash)
{
	const struct known *k = known_by(name, len, hash);

	return k != NULL ? &k->hint : NULL;
}

const struct sa_sink *
sa_sink_option(const char *key, size_t len)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (option_length[i] == len &&
		    strncasecmp(options[i].name, key, len) == 0)
			return &options[i];
	return NULL;
}

const struct sa_sink *
sa_sink_attribute(const char *name, size_t len)
{
	const struct known *k = known(name, len);

	return k != NULL && k->attribute > 0 ? &attributes[k->attribute - 1]
					     : NULL;
}

const struct sa_sink *
sa_sink_import(const char *path, size_t len)
{
	const char *dot = memchr(path, '.', len);
	const struct known *k =
	    known(path, dot != NULL ? (size_t)(dot - path) : len);

	if (k == NULL || k->module == 0)
		return NULL;
	/* those of one package stand together */
	for (size_t i = k->module - 1U; i < COUNT(imports) &&
	     strncmp(imports[i].name, k->name, k->len) == 0;
	     i++) {
		size_t n = k->len;
		while (n < len && imports[i].name[n] == path[n])
			n++;
		if (imports[i].name[n] == '\0' && (n == len || path[n] == '.'))
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
		{ "@sqltransformer", SA_PY_T_SQLTRANSFORMER },
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
	const struct known *k = known(name, len);

	if (k == NULL || k->type == 0)
		return SA_PY_T_NONE;
	for (size_t i = k->type - 1U;
	     i < COUNT(types) && strcmp(types[i].name, k->name) == 0; i++)
		if (types[i].call == call &&
		    is_receiver(receiver, rlen, types[i].receiver))
			return sa_sink_type(types[i].result);
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
	for (size_t i = 1; i < COUNT(imports); i++)
		if (strcmp(imports[i - 1].name, imports[i].name) > 0)
			return imports[i].name;
	for (size_t i = 1; i < COUNT(types); i++)
		if (strcmp(types[i - 1].name, types[i].name) > 0)
			return types[i].name;
	return NULL;
}
