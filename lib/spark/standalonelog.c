/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/masterpage.h"
#include "spark/run.h"
#include "spark/standaloneapi.h"

#define CHUNK (512 << 10)

/* The logs of a driver, by the page of its worker. */
struct workerlog {
	struct sa_joblog base;
	struct sa_standalone *api;
	char *driver;
};

/* What is read. */
struct reading {
	char *worker; /* "http://HOST:PORT" */
	const char *file;
	bool ended; /* the driver has */
};

static struct workerlog *
of(struct sa_joblog *l)
{
	return (struct workerlog *)l;
}

static int
containers(struct sa_joblog *base, bool executors, json_t **out,
    struct sa_err *err)
{
	(void)err;
	if (executors)
		sa_warn("the logs of executors are with the workers, which are "
			"not asked for them");
	*out = json_pack("[{s:s, s:s, s:i}]", "container", of(base)->driver,
	    "role", "driver", "attempt", 1);
	return 0;
}

static int
find_worker(struct workerlog *l, struct reading *r, struct sa_err *err)
{
	json_auto_t *page = NULL;
	struct sa_sighting seen;

	if (sa_standalone_alive(l->api, &page, NULL, err) < 0)
		return -1;
	if (!sa_masterpage_find(page, l->driver, &seen))
		return sa_err_set(err, SA_NOT_FOUND,
		    "the master no longer knows '%s'", l->driver);
	const char *worker = sa_masterpage_worker(page, l->driver);
	r->ended = sa_run_is_final(seen.state);
	l->base.later = !r->ended;
	sa_sighting_release(&seen);
	if (worker == NULL)
		return sa_err_set(err, SA_NOT_FOUND,
		    "the master names no worker of '%s'", l->driver);
	r->worker = sa_xstrdup(worker);
	return 0;
}

/* One piece; from < 0: only where the end is. body is to be released. */
static int
get_piece(struct workerlog *l, const struct reading *r, long long from,
    struct sa_http_response *body, struct sa_workerlog *piece,
    struct sa_err *err)
{
	cleanup_free char *id = sa_http_escape(l->driver);
	cleanup_free char *url = sa_xasprintf(
	    "%s/log/?driverId=%s&logType=%s&offset=%lld&"
	    "byteLength=%d",
	    r->worker, id, r->file, from < 0 ? 0 : from, from < 0 ? 1 : CHUNK);

	if (sa_standalone_get(l->api, url, body, err) < 0)
		return -1;
	if (sa_workerlog_parse(sa_buf_str(&body->body), body->body.len,
		piece) &&
	    (piece->length > 0 || piece->len == 0 ||
		strncmp(piece->text, "Error", 5) != 0))
		return 0;
	sa_http_response_release(body);
	return sa_err_set(err, SA_NOT_FOUND,
	    "it has no %s of the driver (any more)", r->file);
}

/* As much of a piece as stands for its bytes: it is text that was decoded, and
 * a character that was cut in two at its end is no longer what it was. */
static size_t
sound(const struct sa_workerlog *p)
{
	size_t n = p->len;

	if (p->to == p->length)
		return n;
	while (n > 0 && p->text[n - 1] != '\n')
		n--;
	return n > 0 ? n : p->len;
}

/* From part->from, which is not negative, on. */
static int
copy(struct workerlog *l, const struct reading *r,
    const struct sa_joblog_part *part, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct sa_http_response body = SA_HTTP_RESPONSE_INIT;
	struct sa_workerlog piece;
	long long at = part->from, left = part->max;
	bool more = true;

	out->start = at;
	while (more) {
		if (get_piece(l, r, at, &body, &piece, err) < 0)
			return -1;
		out->length = piece.length;
		size_t n = piece.from == at ? sound(&piece) : 0;
		if (left >= 0 && (long long)n > left)
			n = (size_t)left;
		int rc = n > 0 ? take(arg, piece.text, n) : 0;
		sa_http_response_release(&body);
		at += (long long)n;
		out->given += (long long)n;
		left -= left < 0 ? 0 : (long long)n;
		more = n > 0 && rc == 0 && left != 0 && at < out->length;
	}
	return 0;
}

static int
read_from(struct workerlog *l, struct reading *r,
    const struct sa_joblog_part *part, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct sa_http_response body = SA_HTTP_RESPONSE_INIT;
	struct sa_joblog_part mine = *part;
	struct sa_workerlog piece;

	if (mine.from < 0) {
		if (get_piece(l, r, -1, &body, &piece, err) < 0)
			return -1;
		sa_http_response_release(&body);
		mine.from += piece.length;
		if (mine.from < 0)
			mine.from = 0;
	}
	return copy(l, r, &mine, take, arg, out, err);
}

static int
read_log(struct sa_joblog *base, const char *container, const char *file,
    const struct sa_joblog_part *part, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct workerlog *l = of(base);
	struct reading r = { .file = file };
	struct sa_err why = SA_ERR_INIT;

	(void)container;
	sa_joblog_forget(base);
	*out = (struct sa_joblog_result){ .length = -1 };
	if (strcmp(file, "stdout") != 0 && strcmp(file, "stderr") != 0)
		return sa_err_set(err, SA_NOT_FOUND,
		    "a worker has no '%s' of a driver", file);
	int rc = find_worker(l, &r, &why);
	bool away = rc < 0 && why.kind == SA_REMOTE;
	if (rc == 0)
		rc = read_from(l, &r, part, take, arg, out, &why);
	cleanup_free char *host =
	    r.worker != NULL ? sa_http_host(r.worker) : NULL;
	snprintf(out->source, sizeof(out->source), "worker %s",
	    host != NULL ? host : "of the driver");
	out->complete = r.ended;
	free(r.worker);
	if (rc == 0)
		return 0;
	if (out->given > 0) {
		out->cut = true;
		sa_err_clear(&why);
		return 0;
	}
	sa_joblog_failed(base, out->source, "%s", why.msg);
	sa_err_clear(&why);
	return sa_err_set(err, away ? SA_REMOTE : SA_NOT_FOUND,
	    "no source has the %s of '%s'", file, l->driver);
}

static void
close_log(struct sa_joblog *base)
{
	free(of(base)->driver);
	free(of(base));
}

static const struct sa_joblog_ops ops = { .containers = containers,
	.read = read_log,
	.close = close_log };

struct sa_joblog *
sa_standalonelog_open(struct sa_standalone *a, const char *driver)
{
	struct workerlog *l = sa_xcalloc(1, sizeof(*l));

	sa_joblog_init(&l->base, &ops);
	l->api = a;
	l->driver = sa_xstrdup(driver);
	return &l->base;
}
