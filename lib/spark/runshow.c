/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/runshow.h"

#include <stdlib.h>

#include "base/json.h"
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
    long long max, FILE *out, struct sa_err *err)
{
	if (sa_runlog_open(&s->log, st, id, stream, err) < 0)
		return -1;
	if (find_part(&s->log, part, (off_t)max, err) < 0) {
		sa_runlog_close(&s->log);
		return -1;
	}
	bool first = part->head >= 0 || part->offset >= 0;
	sa_logsink_init(&s->sink, out,
	    first && part->bytes >= 0 && part->bytes < max ? part->bytes : max,
	    part->head);
	s->from = s->log.at;
	return 0;
}

void
sa_run_show_close(struct sa_run_show *s)
{
	sa_runlog_close(&s->log);
	sa_logsink_release(&s->sink);
}

int
sa_run_show_more(struct sa_run_show *s, bool ended, struct sa_err *err)
{
	cleanup_free char *chunk = sa_xmalloc(CHUNK);
	ssize_t got = 0;

	while (!sa_logsink_full(&s->sink) &&
	    (got = sa_runlog_read(&s->log, chunk, CHUNK, err)) > 0) {
		sa_logsink_put(&s->sink, chunk, (size_t)got);
		if (s->sink.over > 0) {
			/* the rest is counted without being read */
			off_t end = sa_runlog_end(&s->log);
			s->sink.over += end - s->log.at;
			s->log.at = end;
		}
	}
	sa_logsink_flush(&s->sink, ended);
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

/* What is not in the record, for want of room, is left to be read. */
static void
give_back(struct sa_runlog *l, struct sa_buf *b, const struct sa_log_view *view)
{
	size_t len = b->len;

	if (l->at < sa_runlog_end(l) && b->len == b->max)
		sa_logsink_trim(b, view != NULL ? view->back : 0);
	if (view != NULL)
		sa_logsink_fit(b, view);
	l->at -= (off_t)(len - b->len);
}

/* Reads a record's part into b, behind what is looked back at: where the part
 * begins, or -1. */
static off_t
read_record(struct sa_runlog *l, const struct sa_run_part *p, struct sa_buf *b,
    struct sa_log_view *view, struct sa_err *err)
{
	if (find_part(l, p, (off_t)b->max, err) < 0)
		return -1;
	off_t from = l->at, back = from - sa_runlog_start(l);
	if (view != NULL && p->head < 0 && back > 0) {
		back = back < SA_LOG_BACK_MAX ? back : SA_LOG_BACK_MAX;
		view->back = (size_t)back;
		b->max += view->back;
		l->at -= back;
	}
	if (read_part(l, p, b, err) < 0)
		return -1;
	/* what was cut meanwhile is no longer there to be looked back at */
	if (l->lost > 0 && view != NULL)
		view->back = 0;
	/* nor is it all there where the part begins behind the end */
	if (view != NULL && view->back > b->len)
		view->back = b->len;
	return from + l->lost;
}

static json_t *
log_record(const char *id, const char *stream, const struct sa_buf *b,
    const struct sa_log_view *view, off_t from)
{
	json_t *j = sa_json_record("job_log");
	size_t bytes = b->len - (view != NULL ? view->back : 0);

	sa_json_set_str(j, "job_id", id);
	sa_json_set_str(j, "source", "driver");
	sa_json_set_str(j, "stream", stream);
	if (view != NULL)
		sa_json_set_str(j, "notice", SA_LOG_AGENT_NOTICE);
	json_object_set_new(j, "content", sa_logsink_content(b, view));
	json_object_set_new(j, "offset", json_integer(from));
	json_object_set_new(j, "bytes", json_integer((json_int_t)bytes));
	return j;
}

int
sa_run_log_record(const struct sa_store *st, const json_t *job,
    const char *stream, const struct sa_run_part *part, json_t **out,
    struct sa_err *err)
{
	struct sa_log_view agent = { .back = 0 };
	struct sa_log_view *view = part->agent ? &agent : NULL;
	const char *id = sa_json_str(job, "job_id");
	off_t max = part->agent ? SA_LOG_AGENT_MAX : (off_t)SA_LOG_RECORD_MAX;
	off_t wanted = part->offset > 0 ? part->offset : 0;
	bool ended = sa_run_is_final(sa_json_str(job, "state"));
	struct sa_runlog l;

	if (part->bytes >= 0 && part->bytes < max)
		max = part->bytes;
	cleanup_buf struct sa_buf b = SA_BUF_INIT((size_t)max);
	if (sa_runlog_open(&l, st, id, stream, err) < 0)
		return -1;
	off_t from = read_record(&l, part, &b, view, err);
	if (from >= 0)
		give_back(&l, &b, view);
	off_t at = l.at, end = sa_runlog_end(&l);
	sa_runlog_close(&l);
	if (from < 0)
		return -1;
	json_t *j = log_record(id, stream, &b, view, from);
	json_object_set_new(j, "truncated",
	    json_boolean(from > wanted || at < end));
	json_object_set_new(j, "next",
	    at < end || !ended ? json_integer(at) : json_null());
	json_object_set_new(j, "tried", json_array());
	*out = j;
	return 0;
}
