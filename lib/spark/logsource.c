/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/logsource.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/logframe.h"
#include "spark/loglist.h"
#include "spark/logpage.h"

#define LIST_MAX (16 << 20) /* an application with thousands of containers */
#define PAGE_MAX (1 << 20)
/* A file that grows is asked for so many bytes more than it had. */
#define SLACK 16384
#define TRIES 5

/* The part that is wanted of what comes. */
struct window {
	const struct sa_joblog_part *part;
	const long long *length; /* of the file, once its first byte comes */
	sa_joblog_fn *take;
	void *arg;
	long long from; /* where the part begins; -1: not known yet */
	long long given;
	bool gap;  /* what came begins behind from */
	bool full; /* nothing more is wanted */
};

static long long
begin_of(long long from, long long length)
{
	if (from >= 0)
		return from;
	return length + from > 0 ? length + from : 0;
}

static int
window_take(void *arg, long long offset, const char *p, size_t n)
{
	struct window *w = arg;

	if (w->from < 0)
		w->from = begin_of(w->part->from, *w->length);
	long long skip = w->from + w->given - offset;
	w->gap = skip < 0;
	if (skip < 0 || w->part->max == w->given) {
		w->full = !w->gap;
		return 1;
	}
	if (skip >= (long long)n)
		return 0;
	p += skip;
	n -= (size_t)skip;
	if (w->part->max >= 0 && (long long)n > w->part->max - w->given)
		n = (size_t)(w->part->max - w->given);
	w->given += (long long)n;
	w->full = w->take(w->arg, p, n) != 0 || w->given == w->part->max;
	return w->full;
}

/* One reading. */
struct reading {
	struct sa_yarn *yarn;
	const struct sa_logsource *source;
	const char *container, *file;
	struct window w;
	struct sa_logframe frame;
	struct sa_logpage page;
	bool cut;
};

/* The line that says what is wrong, of Jetty's text page or of any other. */
static void
first_words(const char *body, char *out, size_t size)
{
	const char *v = strstr(body, "\nMESSAGE: ");

	v = v != NULL ? v + strlen("\nMESSAGE: ") : body;
	v += strspn(v, " \t\r\n");
	snprintf(out, size, "%.*s", (int)strcspn(v, "\r\n"), v);
}

/* Why an answer is not the one that was asked for. */
static int
explain(const struct sa_http_response *r, struct sa_err *err)
{
	const char *body = sa_buf_str(&r->body), *said;
	json_auto_t *j = json_loadb(body, r->body.len, 0, NULL);
	char words[400];

	if (r->status >= 300 && r->status < 400)
		return sa_err_set(err, SA_NOT_FOUND,
		    "not here: it refers to another server");
	if (r->status == 401 || r->status == 403)
		sa_err_set(err, SA_REFUSED, "refuses (status %d)", r->status);
	else
		sa_err_set(err, SA_NOT_FOUND, "status %d", r->status);
	said = sa_json_str(sa_json_obj(j, "RemoteException"), "message");
	if (j == NULL && (*body == '<' || *body == '\0'))
		return -1;
	if (said == NULL && j != NULL)
		said = sa_json_str(j, "message");
	first_words(said != NULL ? said : body, words, sizeof(words));
	enum sa_kind kind = err != NULL ? err->kind : SA_NOT_FOUND;
	return sa_err_set(err, kind, "status %d: %s", r->status, words);
}

int
sa_logsource_get(struct sa_yarn *y, const char *url, bool trusted,
    const char *accept, struct sa_http_response *r, struct sa_err *err)
{
	const struct sa_http_request q = { .accept = accept, .max = LIST_MAX };

	if (sa_yarn_fetch(y, url, trusted, &q, r, err) < 0)
		return -1;
	return r->status == 200 ? 0 : explain(r, err);
}

/* How long the file is by the source's list, and in how many pieces. */
static int
list(const struct reading *rd, long long *length, size_t *pieces,
    struct sa_err *err)
{
	const struct sa_logsource *s = rd->source;
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	struct sa_loglist l = { .n = 0 };

	int rc = sa_logsource_get(rd->yarn, s->list, s->trusted, NULL, &r, err);
	if (rc == 0)
		rc = sa_loglist_parse(sa_buf_str(&r.body), r.body.len, &l, err);
	sa_http_response_release(&r);
	if (rc < 0)
		return -1;
	*pieces =
	    sa_loglist_find(&l, rd->container, rd->file, s->aggregated, length);
	sa_loglist_release(&l);
	if (*pieces > 0)
		return 0;
	return sa_err_set(err, SA_NO, "it has no '%s' of %s", rd->file,
	    rd->container);
}

static int
on_frame(void *arg, const char *bytes, size_t n)
{
	struct reading *rd = arg;

	return sa_logframe_feed(&rd->frame, bytes, n);
}

static int
on_page(void *arg, const char *bytes, size_t n)
{
	struct reading *rd = arg;

	return sa_logpage_feed(&rd->page, bytes, n);
}

/* One GET whose body goes where take says. Bytes that came before a
 * connection broke are good. */
static int
get(struct reading *rd, const char *url, sa_http_body_fn *take,
    struct sa_err *err)
{
	const struct sa_http_request q = { .accept = rd->source->page
		    ? "text/html"
		    : "text/plain",
		.max = PAGE_MAX,
		.total_ms = -1,
		.take = take,
		.arg = rd };
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	int rc = sa_yarn_fetch(rd->yarn, url, rd->source->trusted, &q, &r, err);

	rd->cut = rc < 0 || r.cut;
	if (rc == 0 && r.status != 200)
		rc = explain(&r, err);
	sa_http_response_release(&r);
	if (rc < 0 && rd->w.given > 0) {
		sa_err_clear(err);
		rc = 0;
	}
	return rc;
}

/* The "size" that brings the part, of a file that had so many bytes. */
static long long
size_for(const struct reading *rd, long long length, size_t pieces)
{
	const struct sa_joblog_part *part = rd->w.part;

	if (pieces > 1)
		return SA_LOGFRAME_ALL;
	if (part->from < 0)
		return part->from;
	if (part->from == 0)
		return part->max >= 0 ? part->max : SA_LOGFRAME_ALL;
	long long behind = length > part->from ? length - part->from : 0;
	return -(behind + (rd->source->aggregated ? 0 : SLACK));
}

static int
get_frames(struct reading *rd, long long size, struct sa_err *err)
{
	cleanup_free char *url = size == SA_LOGFRAME_ALL
	    ? sa_xstrdup(rd->source->file)
	    : sa_xasprintf("%s?size=%lld", rd->source->file, size);

	sa_logframe_release(&rd->frame);
	sa_logframe_init(&rd->frame, rd->file, size, window_take, &rd->w);
	rd->w.length = &rd->frame.length;
	rd->w.gap = false;
	if (get(rd, url, on_frame, err) < 0)
		return -1;
	if (rd->frame.length >= 0)
		return 0;
	/* a log server answers 200 with a sentence where there is none */
	char words[400];
	first_words(rd->frame.said, words, sizeof(words));
	return sa_err_set(err, SA_NOT_FOUND, "%s",
	    *words != '\0' ? words : "the answer is empty");
}

static int
read_rest(struct reading *rd, long long *last, struct sa_joblog_result *out,
    struct sa_err *err)
{
	long long length = *last;
	size_t pieces = 1;
	int rc;

	if ((length < 0 || rd->w.part->from < 0) &&
	    list(rd, &length, &pieces, err) < 0)
		return -1;
	/* the pieces' own sizes are told one after the other */
	if (pieces > 1 && length >= 0)
		rd->w.from = begin_of(rd->w.part->from, length);
	for (int i = 0; i < TRIES; i++) {
		rc = get_frames(rd, size_for(rd, length, pieces), err);
		if (rc < 0 || !rd->w.gap)
			break;
		length = rd->frame.length + SLACK;
	}
	if (rc < 0)
		return -1;
	rd->cut |= rd->frame.pieces;
	*last = pieces > 1 || rd->cut ? -1 : rd->frame.length;
	if (rd->w.gap || (rd->frame.pieces && rd->w.given == 0))
		return sa_err_set(err, SA_REMOTE,
		    "the file changes faster than it can be read");
	out->length = rd->frame.length;
	out->cut = rd->cut || (sa_logframe_end(&rd->frame) && !rd->w.full);
	out->complete = !out->cut && !rd->w.full &&
	    (rd->source->aggregated || (rd->frame.ended && !rd->frame.running));
	return 0;
}

/* How long the file is by the NodeManager's page of all files. */
static int
list_page(struct reading *rd, long long *length, struct sa_err *err)
{
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	const struct sa_logsource *s = rd->source;
	struct sa_logpage p;

	if (sa_logsource_get(rd->yarn, s->list, s->trusted, "text/html", &r,
		err) < 0) {
		sa_http_response_release(&r);
		return -1;
	}
	sa_logpage_init(&p, rd->file, false, 0, window_take, &rd->w);
	sa_logpage_feed(&p, sa_buf_str(&r.body), r.body.len);
	sa_http_response_release(&r);
	sa_logpage_release(&p);
	*length = p.length;
	if (p.length >= 0)
		return 0;
	return sa_err_set(err, SA_NOT_FOUND, "%s",
	    *p.said != '\0' ? p.said : "its page does not name the file");
}

static int
read_page(struct reading *rd, struct sa_joblog_result *out, struct sa_err *err)
{
	const struct sa_logsource *s = rd->source;
	long long from = rd->w.part->from, max = rd->w.part->max, length = -1;
	char end[40] = "";

	if (s->list != NULL) {
		if (list_page(rd, &length, err) < 0)
			return -1;
		rd->w.from = from = begin_of(from, length);
	}
	if (max >= 0 && from >= 0)
		snprintf(end, sizeof(end), "&end=%lld", from + max);
	cleanup_free char *url =
	    sa_xasprintf("%s/?start=%lld%s", s->file, from, end);
	sa_logpage_init(&rd->page, rd->file, s->aggregated, from, window_take,
	    &rd->w);
	rd->w.length = &rd->page.length;
	if (get(rd, url, on_page, err) < 0)
		return -1;
	if (!rd->page.shown || rd->page.pieces)
		return sa_err_set(err, SA_NOT_FOUND, "%s",
		    *rd->page.said != '\0' ? rd->page.said
					   : "its page does not show the file");
	out->length = rd->page.length >= 0 ? rd->page.length : length;
	out->cut = rd->cut || (!rd->page.ended && !rd->w.full);
	out->complete = s->aggregated && !out->cut && !rd->w.full;
	return 0;
}

int
sa_logsource_read(struct sa_yarn *y, const struct sa_logsource *s,
    const char *container, const char *file, const struct sa_joblog_part *part,
    long long *last, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct reading rd = { .yarn = y,
		.source = s,
		.container = container,
		.file = file,
		.w = { .part = part, .take = take, .arg = arg, .from = -1 } };

	*out = (struct sa_joblog_result){ .length = -1, .start = -1 };
	snprintf(out->source, sizeof(out->source), "%s", s->name);
	int rc =
	    s->page ? read_page(&rd, out, err) : read_rest(&rd, last, out, err);
	sa_logframe_release(&rd.frame);
	sa_logpage_release(&rd.page);
	out->start = rd.w.from;
	out->given = rd.w.given;
	return rc;
}
