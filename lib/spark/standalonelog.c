/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/masterpage.h"
#include "spark/output.h"
#include "spark/run.h"
#include "spark/standaloneapi.h"

#define CHUNK (512 << 10)

/* What the master said is believed for so long. */
#define FRESH_MS 500

/* The application's id is looked for in so much of a driver's log. */
#define SCAN_MAX (1 << 20)
#define EXECUTORS_MAX 1000

struct executor {
	long long number;
	char *worker; /* its id */
};

/* The logs of a driver and of executors, by the pages of their workers. */
struct workerlog {
	struct sa_joblog base;
	struct sa_standalone *api;
	char *driver; /* NULL: it is on this host */
	char *app;    /* NULL: not known yet */
	struct executor *v;
	size_t n;
	json_t *page; /* of the master; NULL: not asked yet */
	size_t master;
	long long looked_ms;
};

/* What is read. */
struct reading {
	char *worker; /* "http://HOST:PORT" */
	char *query;  /* whose log it is, as the worker's page has it */
	const char *role, *file;
	bool ended; /* its writer has */
};

static struct workerlog *
of(struct sa_joblog *l)
{
	return (struct workerlog *)l;
}

static int
look(struct workerlog *l, struct sa_err *err)
{
	json_t *page = NULL;

	if (l->page != NULL && sa_clock_ms() - l->looked_ms < FRESH_MS)
		return 0;
	if (sa_standalone_alive(l->api, &page, &l->master, err) < 0)
		return -1;
	json_decref(l->page);
	l->page = page;
	l->looked_ms = sa_clock_ms();
	return 0;
}

/* What the master says of a driver or an application; caller releases. */
static int
see(struct workerlog *l, const char *id, struct sa_sighting *out,
    struct sa_err *err)
{
	if (look(l, err) < 0)
		return -1;
	if (!sa_masterpage_find(l->page, id, out))
		return sa_err_set(err, SA_NOT_FOUND,
		    "the master no longer knows '%s'", id);
	return 0;
}

/* "APPLICATION/NUMBER"; NULL: it is none that was listed. */
static const struct executor *
executor_of(const struct workerlog *l, const char *container)
{
	const char *slash = strrchr(container, '/');
	size_t low = 0, high = l->n;

	if (slash == NULL)
		return NULL;
	long long number = strtonum(slash + 1, 0, LLONG_MAX, NULL);
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (l->v[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->n && l->v[low].number == number ? &l->v[low] : NULL;
}

static int
worker_of_executor(struct workerlog *l, const struct executor *e,
    struct reading *r, struct sa_err *err)
{
	const char *worker = sa_masterpage_worker_url(l->page, e->worker);
	cleanup_free char *id = sa_http_escape(l->app);

	r->role = "executor";
	r->query = sa_xasprintf("appId=%s&executorId=%lld", id, e->number);
	if (worker == NULL)
		return sa_err_set(err, SA_NOT_FOUND,
		    "the master names no '%s' (any more), on which executor "
		    "%lld was",
		    e->worker, e->number);
	r->worker = sa_xstrdup(worker);
	return 0;
}

static int
worker_of_driver(struct workerlog *l, struct reading *r, struct sa_err *err)
{
	const char *worker = sa_masterpage_worker(l->page, l->driver);
	cleanup_free char *id = sa_http_escape(l->driver);

	r->role = "driver";
	r->query = sa_xasprintf("driverId=%s", id);
	if (worker == NULL)
		return sa_err_set(err, SA_NOT_FOUND,
		    "the master names no worker of '%s'", l->driver);
	r->worker = sa_xstrdup(worker);
	return 0;
}

static int
find_worker(struct workerlog *l, const char *container, struct reading *r,
    struct sa_err *err)
{
	const struct executor *e = executor_of(l, container);
	struct sa_sighting seen;

	if (e == NULL && l->driver == NULL)
		return sa_err_set(err, SA_NOT_FOUND, "'%s' is no executor",
		    container);
	if (see(l, e != NULL ? l->app : l->driver, &seen, err) < 0)
		return -1;
	r->ended = sa_run_is_final(seen.state);
	l->base.later = !r->ended;
	sa_sighting_release(&seen);
	return e != NULL ? worker_of_executor(l, e, r, err)
			 : worker_of_driver(l, r, err);
}

/* One piece; from < 0: only where the end is. body is to be released. */
static int
get_piece(struct workerlog *l, const struct reading *r, long long from,
    struct sa_http_response *body, struct sa_workerlog *piece,
    struct sa_err *err)
{
	cleanup_free char *url = sa_xasprintf(
	    "%s/log/?%s&logType=%s&offset=%lld&byteLength=%d", r->worker,
	    r->query, r->file, from < 0 ? 0 : from, from < 0 ? 1 : CHUNK);

	if (sa_standalone_get(l->api, url, body, err) < 0)
		return -1;
	if (sa_workerlog_parse(sa_buf_str(&body->body), body->body.len,
		piece) &&
	    (piece->length > 0 || piece->len == 0 ||
		strncmp(piece->text, "Error", 5) != 0))
		return 0;
	sa_http_response_release(body);
	return sa_err_set(err, SA_NOT_FOUND,
	    "it has no %s of the %s (any more)", r->file, r->role);
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
	struct reading r = { .role = "driver", .file = file };
	struct sa_err why = SA_ERR_INIT;

	sa_joblog_forget(base);
	*out = (struct sa_joblog_result){ .length = -1 };
	if (strcmp(file, "stdout") != 0 && strcmp(file, "stderr") != 0)
		return sa_err_set(err, SA_NOT_FOUND,
		    "a worker has no '%s' of a job", file);
	int rc = find_worker(l, container, &r, &why);
	bool away = rc < 0 && why.kind == SA_REMOTE;
	if (rc == 0)
		rc = read_from(l, &r, part, take, arg, out, &why);
	cleanup_free char *host =
	    r.worker != NULL ? sa_http_host(r.worker) : NULL;
	snprintf(out->source, sizeof(out->source), "worker %s%s",
	    host != NULL ? host : "of the ", host != NULL ? "" : r.role);
	out->complete = r.ended;
	free(r.worker);
	free(r.query);
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
	    "no source has the %s of '%s'", file, container);
}

/* ---- which there are */

static int
to_buf(void *arg, const char *bytes, size_t n)
{
	return sa_buf_add(arg, bytes, n);
}

/* The id of an application in what its driver wrote; caller frees. */
static char *
scan(const struct sa_buf *b)
{
	struct sa_id_scan found = { .kind = SA_MASTER_STANDALONE, .fd = -1 };
	const char *at = sa_buf_str(b), *end = at + b->len, *nl;

	for (; (nl = memchr(at, '\n', (size_t)(end - at))) != NULL;
	     at = nl + 1) {
		cleanup_free char *line = sa_xstrndup(at, (size_t)(nl - at));
		sa_id_scan_line(&found, line);
		if (strncmp(found.id, "app-", 4) == 0)
			return sa_xstrdup(found.id);
		*found.id = '\0';
		found.state = NULL;
	}
	return NULL;
}

/* The application that the driver has started, by the driver's own log: the
 * master does not tell. One that is older is not believed. */
static int
find_app(struct workerlog *l, struct sa_err *err)
{
	const struct sa_joblog_part part = { .max = SCAN_MAX };
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SCAN_MAX);
	struct sa_joblog_result r;
	struct sa_sighting driver, app;

	if (see(l, l->driver, &driver, err) < 0)
		return -1;
	long long since = driver.started_ms;
	sa_sighting_release(&driver);
	if (sa_joblog_copy(&l->base, l->driver, "stderr", &part, to_buf, &b, &r,
		err) < 0)
		return -1;
	cleanup_free char *id = scan(&b);
	if (id == NULL)
		return sa_err_set(err, SA_NOT_FOUND,
		    "the stderr of '%s' names no application in its first MiB",
		    l->driver);
	if (see(l, id, &app, err) < 0)
		return -1;
	bool older = app.started_ms < since;
	sa_sighting_release(&app);
	if (older)
		return sa_err_set(err, SA_NOT_FOUND,
		    "'%s' is older than '%s', whose log names it", id,
		    l->driver);
	l->app = sa_steal(&id);
	return 0;
}

static void
add_executor(void *arg, long long number, const char *worker)
{
	struct workerlog *l = arg;

	l->v = sa_xrealloc(l->v, l->n + 1, sizeof(*l->v));
	l->v[l->n++] =
	    (struct executor){ .number = number, .worker = sa_xstrdup(worker) };
}

static void
forget_executors(struct workerlog *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].worker);
	free(l->v);
	l->v = NULL;
	l->n = 0;
}

static int
by_number(const void *a, const void *b)
{
	const struct executor *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* By the application's page, of which only ids are taken: where a worker is,
 * the master's JSON says. */
static int
find_executors(struct workerlog *l, struct sa_err *err)
{
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	struct sa_sighting seen;

	if (l->app == NULL && find_app(l, err) < 0)
		return -1;
	if (see(l, l->app, &seen, err) < 0)
		return -1;
	sa_sighting_release(&seen);
	cleanup_free char *id = sa_http_escape(l->app);
	cleanup_free char *url = sa_xasprintf("%s/app/?appId=%s",
	    sa_standalone_ui(l->api, l->master), id);
	if (sa_standalone_get(l->api, url, &r, err) < 0)
		return -1;
	size_t all = sa_masterpage_executors(sa_buf_str(&r.body), r.body.len,
	    l->app, EXECUTORS_MAX, add_executor, l);
	sa_http_response_release(&r);
	if (all > l->n)
		sa_warn("only %zu of the %zu executors of '%s' are read", l->n,
		    all, l->app);
	if (l->n > 0)
		qsort(l->v, l->n, sizeof(*l->v), by_number);
	return 0;
}

static void
add_container(json_t *list, const char *name, const char *role)
{
	json_array_append_new(list,
	    json_pack("{s:s, s:s, s:i}", "container", name, "role", role,
		"attempt", 1));
}

static int
containers(struct sa_joblog *base, bool executors, json_t **out,
    struct sa_err *err)
{
	struct workerlog *l = of(base);
	struct sa_err why = SA_ERR_INIT;

	forget_executors(l);
	if (executors && l->driver == NULL) {
		if (find_executors(l, err) < 0)
			return -1;
	} else if (executors && find_executors(l, &why) < 0) {
		sa_warn("the executors' logs are left out: %s", why.msg);
		sa_err_clear(&why);
	}
	*out = json_array();
	if (l->driver != NULL)
		add_container(*out, l->driver, "driver");
	for (size_t i = 0; i < l->n; i++) {
		cleanup_free char *name =
		    sa_xasprintf("%s/%lld", l->app, l->v[i].number);
		add_container(*out, name, "executor");
	}
	return 0;
}

static void
close_log(struct sa_joblog *base)
{
	struct workerlog *l = of(base);

	forget_executors(l);
	json_decref(l->page);
	free(l->driver);
	free(l->app);
	free(l);
}

static const struct sa_joblog_ops ops = { .containers = containers,
	.read = read_log,
	.close = close_log };

struct sa_joblog *
sa_standalonelog_open(struct sa_standalone *a, const char *driver,
    const char *app)
{
	struct workerlog *l = sa_xcalloc(1, sizeof(*l));

	sa_joblog_init(&l->base, &ops);
	l->api = a;
	l->driver = driver != NULL ? sa_xstrdup(driver) : NULL;
	l->app = app != NULL ? sa_xstrdup(app) : NULL;
	return &l->base;
}
