/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/err.h"

#include <errno.h>
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

/* Takes a character off the end that a cut broke; dst is full. */
static void
mend(char *dst, size_t size)
{
	size_t start = size - 1;

	while (start > 0 && ((unsigned char)dst[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0 || (unsigned char)dst[start - 1] < 0xc0)
		return;
	/* the lead byte says how long the character is */
	unsigned char lead = (unsigned char)dst[start - 1];
	size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	if (size - start < want)
		dst[start - 1] = '\0';
}

/* vsnprintf into a fixed array from used on, cut at a character's end. */
__attribute__((format(printf, 4, 0))) static void
vput(char *dst, size_t size, size_t used, const char *fmt, va_list ap)
{
	int n = vsnprintf(dst + used, size - used, fmt, ap);

	if (n < 0)
		dst[used] = '\0';
	else if ((size_t)n >= size - used)
		mend(dst, size);
}

__attribute__((format(printf, 4, 5))) static void
put(char *dst, size_t size, size_t used, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vput(dst, size, used, fmt, ap);
	va_end(ap);
}

/* The arguments may point into err itself. */
__attribute__((format(printf, 3, 0))) static void
vset(struct sa_err *err, enum sa_kind kind, const char *fmt, va_list ap)
{
	char text[sizeof(err->msg)];

	vput(text, sizeof(text), 0, fmt, ap);
	sa_err_clear(err);
	err->kind = kind;
	memcpy(err->msg, text, strlen(text) + 1);
}

int
sa_err_set(struct sa_err *err, enum sa_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	va_start(ap, fmt);
	vset(err, kind, fmt, ap);
	va_end(ap);
	return -1;
}

int
sa_err_errno(struct sa_err *err, enum sa_kind kind, int errnum, const char *fmt,
    ...)
{
	va_list ap;

	if (err != NULL) {
		va_start(ap, fmt);
		vset(err, kind, fmt, ap);
		va_end(ap);
		put(err->msg, sizeof(err->msg), strlen(err->msg), ": %s",
		    strerror(errnum));
	}
	errno = errnum;
	return -1;
}

int
sa_err_hint(struct sa_err *err, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	va_start(ap, fmt);
	vput(err->hint, sizeof(err->hint), 0, fmt, ap);
	va_end(ap);
	err->agent_hint[0] = '\0';
	return -1;
}

int
sa_err_agent_hint(struct sa_err *err, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	va_start(ap, fmt);
	vput(err->agent_hint, sizeof(err->agent_hint), 0, fmt, ap);
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
	char old[sizeof(err->msg)], text[sizeof(err->msg)];
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vput(text, sizeof(text), 0, fmt, ap);
	va_end(ap);
	err->msg[0] = '\0';
	put(err->msg, sizeof(err->msg), 0, "%s: %s", text, old);
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
