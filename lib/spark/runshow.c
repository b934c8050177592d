/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/runshow.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mask.h"
#include "base/term.h"
#include "base/text.h"
#include "spark/run.h"

#define CHUNK 65536

/* Where a part begins. */
static int
find_part(struct sa_runlog *l, const struct sa_run_part *p, off_t max,
    struct sa_err *err)
{
	off_t bytes = p->bytes >= 0 && p->bytes < max ? p->bytes : max;

	if (p->offset < 0 && p->head < 0)
		return sa_runlog_tail(l, p->tail, bytes, err);
	off_t start = sa_runlog_start(l);
	l->at = p->offset > start ? p->offset : start;
	return 0;
}

int
sa_run_show_open(struct sa_run_show *s, const struct sa_store *st,
    const char *id, const char *stream, const struct sa_run_part *part,
    FILE *out, struct sa_err *err)
{
	*s = (struct sa_run_show){ .out = out,
		.whole_lines = isatty(fileno(out)) != 0,
		.left = SA_RUN_SHOW_MAX,
		.lines = part->head,
		.line = SA_BUF_INIT(2 * CHUNK) };
	if (sa_runlog_open(&s->log, st, id, stream, err) < 0)
		return -1;
	if (find_part(&s->log, part, SA_RUN_SHOW_MAX, err) < 0) {
		sa_runlog_close(&s->log);
		return -1;
	}
	if (part->bytes >= 0 && part->bytes < s->left &&
	    (part->head >= 0 || part->offset >= 0))
		s->left = part->bytes;
	s->from = s->log.at;
	return 0;
}

void
sa_run_show_close(struct sa_run_show *s)
{
	sa_runlog_close(&s->log);
	sa_buf_release(&s->line);
}

/* Masked text, for a terminal; a zero byte is no end. */
static void
put_masked(FILE *out, const char *p, size_t n)
{
	for (const char *end = p + n; p < end;) {
		size_t k = strnlen(p, (size_t)(end - p));
		cleanup_free char *masked = sa_mask_text(p, k);
		sa_term_put(out, masked, strlen(masked));
		p += k;
		if (p < end)
			sa_term_put(out, p++, 1);
	}
}

static void
put(struct sa_run_show *s, const char *p, size_t n)
{
	if (n > 0)
		s->open_line = p[n - 1] != '\n';
	if (isatty(fileno(s->out)))
		put_masked(s->out, p, n);
	else
		fwrite(p, 1, n, s->out);
}

/* Writes the lines that are whole; the rest waits for its end, unless it is
 * very long. */
static void
put_lines(struct sa_run_show *s, const char *p, size_t n)
{
	struct sa_buf *b = &s->line;

	sa_buf_add(b, p, n);
	const char *last = b->len > 0 ? memrchr(b->s, '\n', b->len) : NULL;
	size_t whole = last != NULL ? (size_t)(last - b->s) + 1 : 0;
	if (b->len - whole >= CHUNK)
		whole = b->len;
	if (whole == 0)
		return;
	put(s, b->s, whole);
	memmove(b->s, b->s + whole, b->len - whole);
	sa_buf_cut(b, b->len - whole);
}

/* How many of n bytes belong to the lines that may still be written. */
static size_t
within_lines(struct sa_run_show *s, const char *p, size_t n)
{
	const char *at = p, *nl;

	if (s->lines < 0)
		return n;
	while (s->lines > 0 &&
	    (nl = memchr(at, '\n', n - (size_t)(at - p))) != NULL) {
		at = nl + 1;
		s->lines--;
	}
	return s->lines > 0 ? n : (size_t)(at - p);
}

int
sa_run_show_more(struct sa_run_show *s, bool ended, struct sa_err *err)
{
	cleanup_free char *chunk = sa_xmalloc(CHUNK);
	ssize_t got = 0;

	while (!ferror(s->out) && s->lines != 0 &&
	    (got = sa_runlog_read(&s->log, chunk, CHUNK, err)) > 0) {
		size_t n = (size_t)got;
		if ((off_t)n > s->left) {
			n = (size_t)s->left;
			s->over += got - (off_t)n;
		}
		s->left -= (off_t)n;
		n = within_lines(s, chunk, n);
		if (s->whole_lines)
			put_lines(s, chunk, n);
		else
			put(s, chunk, n);
		if (s->left == 0 && s->over > 0) {
			/* the rest is counted without being read */
			off_t end = sa_runlog_end(&s->log);
			s->over += end - s->log.at;
			s->log.at = end;
		}
	}
	if (ended || s->lines == 0) {
		put(s, sa_buf_str(&s->line), s->line.len);
		sa_buf_cut(&s->line, 0);
	}
	fflush(s->out);
	return got < 0 ? -1 : 0;
}

/* Reads a part into b. */
static int
read_part(struct sa_runlog *l, const struct sa_run_part *p, struct sa_buf *b,
    struct sa_err *err)
{
	cleanup_free char *chunk = sa_xmalloc(CHUNK);
	long long lines = p->head;
	ssize_t got;

	while (b->len < b->max && lines != 0) {
		size_t room = b->max - b->len, n;
		got =
		    sa_runlog_read(l, chunk, room < CHUNK ? room : CHUNK, err);
		if (got <= 0)
			return (int)got;
		n = (size_t)got;
		for (size_t i = 0; lines > 0 && i < n; i++)
			if (chunk[i] == '\n' && --lines == 0)
				n = i + 1;
		l->at -= got - (off_t)n;
		sa_buf_add(b, chunk, n);
	}
	return 0;
}

/* Where more follows: ends at a line's end, or at least not inside of a
 * character. */
static void
trim_end(struct sa_runlog *l, struct sa_buf *b)
{
	const char *nl = b->len > 0 ? memrchr(b->s, '\n', b->len) : NULL;
	size_t n = b->len, k = 1;
	unsigned int cp;

	if (nl != NULL)
		n = (size_t)(nl - b->s) + 1;
	else {
		while (k < 4 && k < n && (b->s[n - k] & 0xc0) == 0x80)
			k++;
		if (k < n && (b->s[n - k] & 0xc0) == 0xc0 &&
		    sa_text_decode(b->s + n - k, k, &cp) == 0)
			n -= k;
	}
	l->at -= (off_t)(b->len - n);
	sa_buf_cut(b, n);
}

/* Masked, as UTF-8, and without zeros, which many readers of JSON refuse. */
static json_t *
content(const struct sa_buf *b)
{
	cleanup_buf struct sa_buf text = SA_BUF_INIT(SA_BUF_NOMAX);
	const char *p = sa_buf_str(b);

	for (const char *end = p + b->len; p < end;) {
		size_t k = strnlen(p, (size_t)(end - p));
		cleanup_free char *masked = sa_mask_text(p, k);
		cleanup_free char *utf8 = sa_text_utf8(masked, strlen(masked));
		sa_buf_adds(&text, utf8);
		p += k;
		if (p < end) {
			sa_buf_addu(&text, 0xfffd);
			p++;
		}
	}
	return json_stringn(sa_buf_str(&text), text.len);
}

int
sa_run_log_record(const struct sa_store *st, const json_t *job,
    const char *stream, const struct sa_run_part *part, json_t **out,
    struct sa_err *err)
{
	const char *id = sa_json_str(job, "job_id");
	off_t max = part->bytes >= 0 && part->bytes < SA_RUN_LOG_MAX
	    ? part->bytes
	    : SA_RUN_LOG_MAX;
	cleanup_buf struct sa_buf b = SA_BUF_INIT((size_t)max);
	bool ended = sa_run_is_final(sa_json_str(job, "state"));
	off_t wanted = part->offset > 0 ? part->offset : 0;
	struct sa_runlog l;

	if (sa_runlog_open(&l, st, id, stream, err) < 0)
		return -1;
	int rc = find_part(&l, part, max, err);
	off_t from = l.at;
	if (rc == 0)
		rc = read_part(&l, part, &b, err);
	from += l.lost;
	off_t end = sa_runlog_end(&l);
	if (l.at < end && b.len == b.max)
		trim_end(&l, &b);
	off_t at = l.at;
	sa_runlog_close(&l);
	if (rc < 0)
		return -1;
	json_t *j = sa_json_record("job_log");
	sa_json_set_str(j, "job_id", id);
	sa_json_set_str(j, "source", "driver");
	sa_json_set_str(j, "stream", stream);
	json_object_set_new(j, "content", content(&b));
	json_object_set_new(j, "bytes", json_integer((json_int_t)b.len));
	json_object_set_new(j, "truncated",
	    json_boolean(from > wanted || at < end));
	json_object_set_new(j, "next",
	    at < end || !ended ? json_integer(at) : json_null());
	json_object_set_new(j, "tried", json_array());
	*out = j;
	return 0;
}
