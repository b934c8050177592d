/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/logframe.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096
#define HEAD_MAX (64 * 1024)
#define LENGTH_MAX (1LL << 60)

void
sa_logframe_init(struct sa_logframe *f, const char *file, long long size,
    sa_logframe_fn *take, void *arg)
{
	*f = (struct sa_logframe){ .file = file,
		.size = size,
		.take = take,
		.arg = arg,
		.length = -1,
		.len = -1,
		.line = SA_BUF_INIT(LINE_MAX_BYTES) };
}

void
sa_logframe_release(struct sa_logframe *f)
{
	sa_buf_release(&f->line);
}

/* What is behind a name at a line's start, or NULL. */
static const char *
value_of(const char *line, const char *name)
{
	size_t n = strlen(name);

	return strncmp(line, name, n) == 0 ? line + n : NULL;
}

/* How much of a file of this length is in the frame, and where it begins. */
static void
place(struct sa_logframe *f)
{
	long long base = f->length < 0 ? 0 : f->length;
	long long asked = f->size < 0 ? -f->size : f->size;

	f->left = f->len < asked ? f->len : asked;
	f->at = base + (f->size < 0 ? f->len - f->left : 0);
	f->length = base + f->len;
	f->running = f->ended = false;
}

/* All bytes of a frame were read: its end follows, or another head. */
static void
finish(struct sa_logframe *f)
{
	f->behind = f->ours;
	f->ours = false;
	f->len = -1;
}

/* "LogContents:" was read. */
static int
begin(struct sa_logframe *f)
{
	bool again = f->length >= 0;
	int rc = 0;

	f->head = 0;
	f->left = f->len;
	if (f->ours && again && f->size != SA_LOGFRAME_ALL) {
		f->pieces = true;
		return 1;
	}
	if (f->len > LENGTH_MAX - (again ? f->length : 0))
		return 1;
	if (f->ours) {
		place(f);
		rc = f->take(f->arg, f->at, "", 0);
	}
	if (f->left == 0)
		finish(f);
	return rc;
}

static int
head_line(struct sa_logframe *f, const char *line)
{
	const char *v;
	char *end;

	if ((v = value_of(line, "End of LogType:")) != NULL && f->behind) {
		f->ended = true;
		f->running = strstr(v, "belongs to a running") != NULL;
	} else if ((v = value_of(line, "LogType:")) != NULL) {
		f->ours = strcmp(v, f->file) == 0;
	} else if ((v = value_of(line, "LogLength:")) != NULL) {
		f->len = strtoll(v, &end, 10);
		if (end == v || *end != '\0' || f->len < 0)
			f->len = -1;
	} else if ((value_of(line, "LogContents:") != NULL ||
		       value_of(line, "Log Contents:") != NULL) &&
	    f->len >= 0) {
		return begin(f);
	}
	/* an empty line is before the end of what was aggregated */
	f->behind = f->behind && *line == '\0';
	return 0;
}

/* Keeps the words of an answer that is no log. */
static void
remember(struct sa_logframe *f, const char *p, size_t n)
{
	size_t have = strlen(f->said), room = sizeof(f->said) - 1 - have;

	n = n < room ? n : room;
	for (size_t i = 0; i < n; i++)
		f->said[have + i] = p[i] != '\0' ? p[i] : ' ';
	f->said[have + n] = '\0';
}

/* Up to the end of a line of the head. *used: of n. */
static int
feed_head(struct sa_logframe *f, const char *p, size_t n, size_t *used)
{
	const char *nl = memchr(p, '\n', n);

	*used = nl != NULL ? (size_t)(nl - p) + 1 : n;
	f->head += *used;
	if (f->length < 0)
		remember(f, p, *used);
	if (sa_buf_add(&f->line, p, *used - (nl != NULL)) < 0 ||
	    f->head > HEAD_MAX)
		return 1;
	if (nl == NULL)
		return 0;
	int rc = head_line(f, sa_buf_str(&f->line));
	sa_buf_cut(&f->line, 0);
	return rc;
}

static int
feed_body(struct sa_logframe *f, const char *p, size_t n, size_t *used)
{
	int rc = 0;

	*used = (long long)n < f->left ? n : (size_t)f->left;
	if (f->ours)
		rc = f->take(f->arg, f->at, p, *used);
	f->at += (long long)*used;
	f->left -= (long long)*used;
	if (f->left == 0)
		finish(f);
	return rc;
}

int
sa_logframe_feed(struct sa_logframe *f, const char *p, size_t n)
{
	size_t used;
	int rc = 0;

	for (; n > 0 && rc == 0; p += used, n -= used)
		rc = f->left > 0 ? feed_body(f, p, n, &used)
				 : feed_head(f, p, n, &used);
	return rc;
}

bool
sa_logframe_end(struct sa_logframe *f)
{
	return f->left > 0;
}
