/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/joblog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

void
sa_joblog_init(struct sa_joblog *l, const struct sa_joblog_ops *ops)
{
	*l = (struct sa_joblog){ .ops = ops, .tried = json_array() };
}

void
sa_joblog_failed(struct sa_joblog *l, const char *source, const char *fmt, ...)
{
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	cleanup_free char *shown = sa_text_visible(why);
	json_t *item = json_object();
	sa_json_set_str(item, "source", source);
	sa_json_set_str(item, "why", shown);
	json_array_append_new(l->tried, item);
}

void
sa_joblog_forget(struct sa_joblog *l)
{
	json_array_clear(l->tried);
	*l->hint = '\0';
	l->later = false;
}

void
sa_joblog_close(struct sa_joblog *l)
{
	if (l == NULL)
		return;
	json_decref(l->tried);
	l->ops->close(l);
}

/* How often a source may break off without a byte. */
#define BROKEN_MAX 3

int
sa_joblog_copy(struct sa_joblog *l, const char *container, const char *file,
    const struct sa_joblog_part *part, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct sa_joblog_part rest = *part;
	long long start = -1, given = 0;
	int broken = 0;

	for (;;) {
		if (l->ops->read(l, container, file, &rest, take, arg, out,
			err) < 0) {
			if (given == 0)
				return -1;
			sa_err_clear(err);
			out->cut = true;
			break;
		}
		if (start < 0)
			start = out->start;
		given += out->given;
		broken = out->given > 0 ? 0 : broken + 1;
		if (!out->cut || out->start < 0 || broken == BROKEN_MAX)
			break;
		rest.from = start + given;
		if (part->max >= 0)
			rest.max = part->max - given;
	}
	out->start = start;
	out->given = given;
	return 0;
}

/* Counts lines, and finds the offset at which so many have ended. */
struct counting {
	long long wanted; /* -1: count all */
	long long lines, bytes, found;
	bool open;
};

static int
count(void *arg, const char *bytes, size_t n)
{
	struct counting *c = arg;
	const char *at = bytes, *end = bytes + n, *nl;

	for (; at < end && (nl = memchr(at, '\n', (size_t)(end - at))) != NULL;
	     at = nl + 1) {
		c->lines++;
		if (c->lines != c->wanted)
			continue;
		c->found = c->bytes + (nl + 1 - bytes);
		return 1;
	}
	if (n > 0)
		c->open = bytes[n - 1] != '\n';
	c->bytes += (long long)n;
	return 0;
}

#define TAIL_FIRST 65536

int
sa_joblog_tail(struct sa_joblog *l, const char *container, const char *file,
    long long lines, long long bytes, long long *from, struct sa_err *err)
{
	struct sa_joblog_part part = { .max = -1 };
	struct sa_joblog_result r;
	struct counting all;

	for (long long last = lines < 0 || bytes < TAIL_FIRST ? bytes
							      : TAIL_FIRST;
	     ; last = last > bytes / 4 ? bytes : last * 4) {
		part.from = -last;
		part.max = lines < 0 ? 0 : -1;
		all = (struct counting){ .wanted = -1 };
		if (last > 0 &&
		    sa_joblog_copy(l, container, file, &part, count, &all, &r,
			err) < 0)
			return -1;
		*from = r.start < 0 ? 0 : r.start;
		/* the first one may not be whole */
		if (lines < 0 || r.start <= 0 || last == bytes ||
		    all.lines + all.open > lines)
			break;
	}
	long long over = all.lines + all.open - lines;
	if (lines < 0 || over <= 0)
		return 0;
	struct counting some = { .wanted = over };
	part = (struct sa_joblog_part){ .from = *from, .max = -1 };
	if (l->ops->read(l, container, file, &part, count, &some, &r, err) < 0)
		return -1;
	*from += some.found > 0 ? some.found : some.bytes;
	return 0;
}
