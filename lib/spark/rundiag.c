/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/rundiag.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mask.h"
#include "base/text.h"
#include "spark/run.h"
#include "spark/runlog.h"

/* How much of the end of each stream is looked at. */
#define LOOK 65536
#define TAIL_LINES 3

static bool
begins(const char *line, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - line) >= n && memcmp(line, with, n) == 0;
}

/* The line behind the one at s. */
static const char *
next_line(const char *s, const char *end)
{
	const char *nl = memchr(s, '\n', (size_t)(end - s));

	return nl != NULL ? nl + 1 : end;
}

/* "yy/MM/dd HH:mm:ss ERROR Logger: ...", or what a JVM says that dies. */
static bool
is_jvm_error(const char *line, const char *end)
{
	const char *rest = memchr(line, ' ', (size_t)(end - line));

	if (begins(line, end, "Exception in thread ") ||
	    begins(line, end, "Error: "))
		return true;
	if (rest == NULL || !isdigit((unsigned char)*line))
		return false;
	rest = memchr(rest + 1, ' ', (size_t)(end - rest - 1));
	return rest != NULL &&
	    (begins(rest, end, " ERROR ") || begins(rest, end, " FATAL "));
}

/* A syntax error has no traceback: only the place, above its name. */
static bool
is_place(const char *line, const char *end)
{
	return begins(line, end, "  File \"");
}

/* Where Python's last words begin, or NULL. */
static const char *
find_traceback(const char *s, const char *end)
{
	const char *found = NULL, *place = NULL, *line, *next;

	for (line = s; line < end; line = next) {
		next = next_line(line, end);
		if (begins(line, end, "Traceback (most recent call last):"))
			found = line;
		else if (is_place(line, end))
			place = line;
		else if ((begins(line, end, "SyntaxError:") ||
			     begins(line, end, "IndentationError:") ||
			     begins(line, end, "TabError:")) &&
		    place != NULL && place > found)
			found = found != NULL ? found : place;
	}
	return found;
}

static const char *
find_jvm_error(const char *s, const char *end)
{
	const char *found = NULL;

	for (const char *line = s; line < end; line = next_line(line, end))
		if (is_jvm_error(line, next_line(line, end)))
			found = line;
	return found;
}

/* The last lines that say something. */
static const char *
find_tail(const char *s, const char *end)
{
	int left = TAIL_LINES;

	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	if (end == s)
		return NULL;
	while (end > s && (end[-1] != '\n' || --left > 0))
		end--;
	return end;
}

/* The line that says it: of Python's last words the first behind the indented
 * frames, else the first of all. */
static void
take_headline(struct sa_rundiag *d, const char *s, const char *end)
{
	const char *line = s;

	if (d->kind == SA_RUNDIAG_TRACEBACK) {
		if (begins(line, end, "Traceback"))
			line = next_line(line, end);
		while (line < end && (*line == ' ' || *line == '\n'))
			line = next_line(line, end);
		if (line == end)
			line = s;
	}
	size_t n = (size_t)(next_line(line, end) - line);
	while (n > 0 && isspace((unsigned char)line[n - 1]))
		n--;
	cleanup_free char *masked = sa_mask_text(line, n);
	cleanup_free char *utf8 = sa_text_utf8(masked, strlen(masked));
	n = strlen(utf8);
	if (n > SA_RUNDIAG_LINE_MAX)
		n = SA_RUNDIAG_LINE_MAX;
	while (n > 0 && ((unsigned char)utf8[n] & 0xc0) == 0x80)
		n--;
	memcpy(d->headline, utf8, n);
	d->headline[n] = '\0';
}

/* "\tat org.apache...", "\t... 12 more" */
static bool
is_jvm_frame(const char *line, const char *end)
{
	return begins(line, end, "\tat ") || begins(line, end, "\t... ");
}

static char *
tidy(const char *s, const char *end)
{
	struct sa_buf b = SA_BUF_INIT(2 * LOOK);

	for (const char *line = s, *next; line < end; line = next) {
		next = next_line(line, end);
		if (!is_jvm_frame(line, next))
			sa_buf_add(&b, line, (size_t)(next - line));
	}
	while (b.len > 0 && isspace((unsigned char)b.s[b.len - 1]))
		sa_buf_cut(&b, b.len - 1);
	cleanup_free char *masked = sa_mask_text(sa_buf_str(&b), b.len);
	char *text = sa_text_utf8(masked, strlen(masked));
	size_t n = strlen(text);
	sa_buf_release(&b);
	if (n <= SA_RUNDIAG_TEXT_MAX)
		return text;
	/* the end says more than the beginning */
	const char *cut = text + n - SA_RUNDIAG_TEXT_MAX;
	const char *line = next_line(cut, text + n);
	if (line == text + n)
		for (line = cut; ((unsigned char)*line & 0xc0) == 0x80;)
			line++;
	char *shorter = sa_xstrdup(line);
	free(text);
	return shorter;
}

static bool
take(struct sa_rundiag *d, enum sa_rundiag_kind kind, const char *at,
    const struct sa_buf *b)
{
	if (at == NULL)
		return false;
	d->kind = kind;
	take_headline(d, at, b->s + b->len);
	d->text = tidy(at, b->s + b->len);
	return true;
}

static void
read_end(const struct sa_store *st, const char *id, const char *stream,
    struct sa_buf *b)
{
	struct sa_runlog l;
	cleanup_free char *chunk = sa_xmalloc(LOOK);
	ssize_t n;

	sa_buf_add(b, "", 0);
	if (sa_runlog_open(&l, st, id, stream, NULL) < 0)
		return;
	if (sa_runlog_tail(&l, -1, LOOK, NULL) == 0)
		while ((n = sa_runlog_read(&l, chunk, LOOK, NULL)) > 0 &&
		    sa_buf_add(b, chunk, (size_t)n) == 0)
			;
	sa_runlog_close(&l);
	for (size_t i = 0; i < b->len; i++)
		if (b->s[i] == '\0')
			b->s[i] = ' ';
}

void
sa_rundiag_read(const struct sa_store *st, const char *id, struct sa_rundiag *d)
{
	cleanup_buf struct sa_buf out = SA_BUF_INIT(2 * LOOK);
	cleanup_buf struct sa_buf err = SA_BUF_INIT(2 * LOOK);

	*d = (struct sa_rundiag){ .kind = SA_RUNDIAG_NONE };
	read_end(st, id, "stdout", &out);
	read_end(st, id, "stderr", &err);
	const char *o = sa_buf_str(&out), *oe = o + out.len;
	const char *e = sa_buf_str(&err), *ee = e + err.len;
	if (!take(d, SA_RUNDIAG_TRACEBACK, find_traceback(o, oe), &out) &&
	    !take(d, SA_RUNDIAG_TRACEBACK, find_traceback(e, ee), &err) &&
	    !take(d, SA_RUNDIAG_ERROR, find_jvm_error(e, ee), &err) &&
	    !take(d, SA_RUNDIAG_TAIL, find_tail(o, oe), &out))
		d->text = sa_xstrdup("");
}

void
sa_rundiag_release(struct sa_rundiag *d)
{
	free(d->text);
	d->text = NULL;
}

char *
sa_run_diagnose(const struct sa_store *st, const char *id)
{
	struct sa_rundiag d;

	sa_rundiag_read(st, id, &d);
	return d.text;
}
