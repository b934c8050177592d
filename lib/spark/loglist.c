/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/loglist.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"

#define SIZE_MAX_BYTES (1LL << 60)

/* What is called once for each item where a list has one item or many. */
typedef void each_fn(struct sa_loglist *l, const json_t *item,
    const json_t *parent);

static void
each(struct sa_loglist *l, const json_t *value, const json_t *parent,
    each_fn *fn)
{
	size_t i;
	json_t *item;

	if (json_is_object(value))
		fn(l, value, parent);
	json_array_foreach (value, i, item)
		if (json_is_object(item))
			fn(l, item, parent);
}

static long long
size_of(const json_t *file)
{
	const char *text = sa_json_str(file, "fileSize");
	long long n = sa_json_int(file, "fileSize", -1);
	char *end;

	if (text != NULL) {
		n = strtoll(text, &end, 10);
		if (end == text || *end != '\0')
			n = -1;
	}
	return n < 0 || n > SIZE_MAX_BYTES ? -1 : n;
}

static void
add_file(struct sa_loglist *l, const json_t *file, const json_t *parent)
{
	const char *name = sa_json_str(file, "fileName");
	const char *container = sa_json_str(parent, "containerId");
	const char *type = sa_json_str(parent, "logAggregationType");

	if (name == NULL || *name == '\0' || strchr(name, '/') != NULL)
		return;
	if ((l->n & (l->n - 1)) == 0)
		l->v =
		    sa_xrealloc(l->v, l->n > 0 ? l->n * 2 : 1, sizeof(*l->v));
	l->v[l->n++] = (struct sa_logfile){ .name = sa_xstrdup(name),
		.container = container != NULL ? sa_xstrdup(container) : NULL,
		.size = size_of(file),
		.aggregated = type == NULL || strcmp(type, "LOCAL") != 0 };
}

static void
add_container(struct sa_loglist *l, const json_t *item, const json_t *parent)
{
	const json_t *inner = sa_json_obj(item, "containerLogsInfo");

	(void)parent;
	if (inner == NULL)
		inner = item;
	each(l, json_object_get(inner, "containerLogInfo"), inner, add_file);
}

int
sa_loglist_parse(const char *text, size_t len, struct sa_loglist *out,
    struct sa_err *err)
{
	json_auto_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const json_t *list = j;

	*out = (struct sa_loglist){ .n = 0 };
	if (sa_json_obj(j, "containerLogsInfoes") != NULL)
		list = json_object_get(j, "containerLogsInfoes");
	if (json_object_get(list, "containerLogsInfo") != NULL)
		list = json_object_get(list, "containerLogsInfo");
	if (list == NULL ||
	    (list == j && json_is_object(j) &&
		json_object_get(j, "containerLogInfo") == NULL))
		return sa_err_set(err, SA_REMOTE,
		    "the answer is no list of "
		    "logs");
	each(out, list, NULL, add_container);
	return 0;
}

void
sa_loglist_release(struct sa_loglist *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].container);
		free(l->v[i].name);
	}
	free(l->v);
	*l = (struct sa_loglist){ .n = 0 };
}

size_t
sa_loglist_find(const struct sa_loglist *l, const char *container,
    const char *file, bool aggregated, long long *size)
{
	size_t n = 0;

	*size = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct sa_logfile *f = &l->v[i];
		if (f->aggregated != aggregated || strcmp(f->name, file) != 0 ||
		    (f->container != NULL &&
			strcmp(f->container, container) != 0))
			continue;
		n++;
		*size =
		    *size < 0 || f->size < 0 || f->size > SIZE_MAX_BYTES - *size
		    ? -1
		    : *size + f->size;
	}
	return n;
}
