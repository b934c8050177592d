/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/joblog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
