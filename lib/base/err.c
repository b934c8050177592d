/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/err.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct sa_kind_info kinds[SA_KIND_COUNT] = {
	[SA_OK] = { "ok", 0, 0, false },
	[SA_NO] = { "no", 1, 0, false },
	[SA_USAGE] = { "usage", 64, 400, false },
	[SA_INVALID] = { "invalid", 65, 400, false },
	[SA_NOT_FOUND] = { "not_found", 66, 404, false },
	[SA_REMOTE] = { "remote", 69, 502, false },
	[SA_INTERNAL] = { "internal", 70, 500, false },
	[SA_EXPORT_FAILED] = { "export_failed", 73, 502, false },
	[SA_IO] = { "io", 74, 500, false },
	[SA_BUSY] = { "busy", 75, 503, true },
	[SA_EXPORT_PARTIAL] = { "export_partial", 76, 502, false },
	[SA_REFUSED] = { "refused", 77, 403, false },
	[SA_CONFIG] = { "config", 78, 400, false },
	[SA_TIMEOUT] = { "timeout", 124, 0, false },
};

const struct sa_kind_info *
sa_kind_info(enum sa_kind kind)
{
	if ((unsigned)kind >= SA_KIND_COUNT)
		kind = SA_INTERNAL;
	return &kinds[kind];
}

/* vsnprintf into a fixed array; a cut text ends before a broken character. */
__attribute__((format(printf, 3, 0))) static void
put(char *dst, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(dst, size, fmt, ap);

	if (n < 0) {
		dst[0] = '\0';
		return;
	}
	if ((size_t)n < size)
		return;
	size_t end = size - 1;
	while (end > 0 && ((unsigned char)dst[end - 1] & 0xc0) == 0x80)
		end--;
	if (end > 0 && (unsigned char)dst[end - 1] >= 0xc0)
		end--;
	else
		end = size - 1;
	dst[end] = '\0';
}

int
sa_err_set(struct sa_err *err, enum sa_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	sa_err_clear(err);
	err->kind = kind;
	va_start(ap, fmt);
	put(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int
sa_err_errno(struct sa_err *err, enum sa_kind kind, int errnum, const char *fmt,
    ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	sa_err_clear(err);
	err->kind = kind;
	va_start(ap, fmt);
	put(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	size_t used = strlen(err->msg);
	snprintf(err->msg + used, sizeof(err->msg) - used, ": %s",
	    strerror(errnum));
	return -1;
}

int
sa_err_hint(struct sa_err *err, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	va_start(ap, fmt);
	put(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return -1;
}

int
sa_err_detail(struct sa_err *err, struct json_t *detail)
{
	if (err == NULL) {
		json_decref(detail);
		return -1;
	}
	json_decref(err->detail);
	err->detail = detail;
	return -1;
}

int
sa_err_prefix(struct sa_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	put(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	size_t used = strlen(err->msg);
	snprintf(err->msg + used, sizeof(err->msg) - used, ": %s", old);
	return -1;
}

void
sa_err_clear(struct sa_err *err)
{
	if (err == NULL)
		return;
	json_decref(err->detail);
	*err = (struct sa_err)SA_ERR_INIT;
}
