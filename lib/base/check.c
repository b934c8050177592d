/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/check.h"

#include <stdarg.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

#define DETAIL_MAX 4096

json_t *
sa_check_new(const char *what)
{
	json_t *check = sa_json_record("check");

	sa_json_set_str(check, "what", what);
	json_object_set_new(check, "ok", json_true());
	json_object_set_new(check, "items", json_array());
	return check;
}

void
sa_check_add(json_t *check, const char *name, bool ok, const char *hint,
    const char *fmt, ...)
{
	json_t *item = json_object();
	char detail[DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	sa_json_set_str(item, "name", name);
	json_object_set_new(item, "ok", json_boolean(ok));
	sa_json_set_str(item, "detail", detail);
	sa_json_set_str(item, "hint",
	    hint != NULL && *hint != '\0' ? hint : NULL);
	json_array_append_new(json_object_get(check, "items"), item);
	if (!ok)
		json_object_set_new(check, "ok", json_false());
}

void
sa_check_join(json_t *check, const json_t *other)
{
	json_array_extend(json_object_get(check, "items"),
	    json_object_get(other, "items"));
	if (!sa_check_ok(other))
		json_object_set_new(check, "ok", json_false());
}

bool
sa_check_ok(const json_t *check)
{
	return sa_json_bool(check, "ok", false);
}

void
sa_check_text(FILE *f, const json_t *check)
{
	const json_t *item;
	size_t i;

	json_array_foreach (json_object_get(check, "items"), i, item) {
		const char *hint = sa_json_str(item, "hint");
		cleanup_free char *name =
		    sa_text_visible(sa_json_str(item, "name"));
		cleanup_free char *detail =
		    sa_text_visible(sa_json_str(item, "detail"));
		fprintf(f, "%-5s%-18s %s\n",
		    sa_json_bool(item, "ok", false) ? "ok" : "NOT", name,
		    detail);
		if (hint == NULL)
			continue;
		cleanup_free char *clean = sa_text_visible(hint);
		fprintf(f, "%24s%s\n", "", clean);
	}
}
