/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/cluster.h"
#include "spark/run.h"
#include "spark/runwatch.h"
#include "yarn-logs.h"

/* What follows the end of an application is waited for so long. */
#define SETTLE_MS 60000
#define QUIET_MS 10000

/* One file of one container. */
struct piece {
	char *container, *role;
	const char *file;
	long long attempt;
};

/* A job's logs on its cluster. */
struct logs {
	struct sa_cli *cli;
	const struct yarn_log_wish *wish;
	struct sa_cluster *cluster;
	struct sa_joblog *log;
	json_t *job;
	struct piece *pieces;
	size_t n;
};

static void
logs_close(struct logs *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->pieces[i].container);
		free(l->pieces[i].role);
	}
	free(l->pieces);
	sa_joblog_close(l->log);
	sa_cluster_close(l->cluster);
	json_decref(l->job);
	*l = (struct logs){ .n = 0 };
}

/* Opens the logs of a job whose application is known. */
static int
logs_open(struct logs *l, const struct sa_store *st, json_t *job,
    struct sa_err *err)
{
	const char *id = sa_json_str(job, "job_id");
	const struct sa_cluster_ops *ops =
	    sa_cluster_of(sa_json_str(job, "master"));
	/* whose driver is here, its executors are found without an id */
	bool by_mark = ops != NULL && ops->logs_by_mark &&
	    sa_job_truth(job) != SA_TRUTH_CLUSTER;

	if (sa_json_str(job, "application_id") == NULL && !by_mark) {
		sa_err_set(err, SA_NOT_FOUND,
		    "job '%s' has no application on its cluster (%s)", id,
		    sa_json_str(job, "state"));
		sa_err_hint(err,
		    "sa-yarn logs --stream submit %s shows what spark-submit "
		    "said",
		    id);
		return sa_err_agent_hint(err,
		    "get_job_logs with stream submit shows what spark-submit "
		    "said");
	}
	json_decref(l->job);
	l->job = json_incref(job);
	if (sa_cluster_open(st, sa_cli_settings(l->cli), job, &l->cluster,
		err) < 0)
		return -1;
	return l->cluster->ops->logs(l->cluster, job, &l->log, err);
}

/* The names of the files behind a stream. */
static const char *
file_of(const char *stream)
{
	return strcmp(stream, "prelaunch") == 0 ? "prelaunch.err" : stream;
}

static void
add_pieces(struct logs *l, const json_t *container)
{
	const char *role = sa_json_str(container, "role");

	/* in client mode its driver is on this host */
	if (sa_job_truth(l->job) != SA_TRUTH_CLUSTER &&
	    strcmp(role, "driver") == 0)
		role = "application master";
	for (size_t i = 0; i < l->wish->streams.n; i++) {
		l->pieces =
		    sa_xrealloc(l->pieces, l->n + 1, sizeof(*l->pieces));
		l->pieces[l->n++] =
		    (struct piece){ .container = sa_xstrdup(
					sa_json_str(container, "container")),
			    .role = sa_xstrdup(role),
			    .file = file_of(l->wish->streams.name[i]),
			    .attempt = sa_json_int(container, "attempt", 0) };
	}
}

/* The driver of the newest attempt, or all that is asked for. */
static int
find_pieces(struct logs *l, struct sa_err *err)
{
	json_auto_t *list = NULL;
	bool executors = l->wish->executors;
	json_t *c;
	size_t i;

	if (l->log->ops->containers(l->log, executors, &list, err) < 0)
		return -1;
	json_array_foreach (list, i, c)
		if (i == 0 || executors || l->wish->attempts)
			add_pieces(l, c);
	if (l->n > 0 || sa_job_truth(l->job) == SA_TRUTH_CLUSTER)
		return 0;
	sa_err_set(err, SA_NOT_FOUND,
	    "the cluster has no containers of job '%s' (any more)",
	    sa_json_str(l->job, "job_id"));
	return sa_err_hint(err,
	    "its driver is on this host: sa-yarn logs %s shows what that wrote",
	    sa_json_str(l->job, "job_id"));
}

/* Each source that failed, with its reason. */
static void
say_tried(const struct logs *l)
{
	json_t *item;
	size_t i;

	json_array_foreach (l->log->tried, i, item)
		sa_cli_say(l->cli, "%s: %s", sa_json_str(item, "source"),
		    sa_json_str(item, "why"));
}

static void
note_tried(const struct logs *l)
{
	json_t *item;
	size_t i;

	json_array_foreach (l->log->tried, i, item)
		sa_info("%s: %s", sa_json_str(item, "source"),
		    sa_json_str(item, "why"));
}

/* Where the part begins that is wanted of a file. */
static int
find_from(struct logs *l, const struct piece *p, long long max,
    struct sa_joblog_part *part, struct sa_err *err)
{
	const struct sa_run_part *w = &l->wish->part;
	long long bytes = w->bytes >= 0 && w->bytes < max ? w->bytes : max;

	*part = (struct sa_joblog_part){ .max = -1 };
	if (w->offset >= 0 || w->head >= 0) {
		part->from = w->offset >= 0 ? w->offset : 0;
		part->max = bytes;
		return 0;
	}
	if (w->tail >= 0)
		return sa_joblog_tail(l->log, p->container, p->file, w->tail,
		    bytes, &part->from, err);
	part->from = -bytes;
	return 0;
}

/* ---- bytes */

static int
to_sink(void *arg, const char *bytes, size_t n)
{
	struct sa_logsink *s = arg;

	sa_logsink_put(s, bytes, n);
	return sa_logsink_full(s) || s->left == 0;
}

/* Says what of a file was not shown. */
static void
say_cut(const struct logs *l, const struct piece *p,
    const struct sa_joblog_result *r)
{
	const struct sa_run_part *w = &l->wish->part;
	bool asked =
	    w->tail >= 0 || w->head >= 0 || w->bytes >= 0 || w->offset >= 0;

	if (r->start > 0 && !asked)
		sa_cli_say(l->cli,
		    "%s: %lld older bytes are left out, %lld MiB are the "
		    "limit; see --offset 0",
		    p->file, r->start, l->wish->max >> 20);
	if (r->cut)
		sa_cli_say(l->cli, "%s: %s broke off after %lld of %lld bytes",
		    p->file, r->source, r->start + r->given, r->length);
}

static void
heading(const struct piece *p, FILE *out, bool first)
{
	fprintf(out, "%s==> %s %s %s <==\n", first ? "" : "\n", p->role,
	    p->container, p->file);
}

static int
show_piece(struct logs *l, const struct piece *p, FILE *out, struct sa_err *err)
{
	struct sa_joblog_part part;
	struct sa_joblog_result r;
	struct sa_logsink sink;

	if (find_from(l, p, l->wish->max, &part, err) < 0)
		return -1;
	sa_logsink_init(&sink, out, l->wish->max, l->wish->part.head);
	int rc = sa_joblog_copy(l->log, p->container, p->file, &part, to_sink,
	    &sink, &r, err);
	note_tried(l);
	sa_logsink_flush(&sink, true);
	if (rc == 0)
		say_cut(l, p, &r);
	if (rc == 0 && r.length == 0 && yarn_is_final(l->job) &&
	    yarn_kind(l->job) == SA_NO && strcmp(p->file, "stdout") == 0)
		sa_cli_say(l->cli,
		    "stdout is empty; --stream stderr has Spark's log, "
		    "--stream prelaunch tells of the container's start");
	if (sink.open_line && l->n > 1)
		putc('\n', out);
	sa_logsink_release(&sink);
	return rc;
}

/* The exit status where some, but not all, could be read. */
static int
show_all(struct logs *l, FILE *out, struct sa_err *err)
{
	size_t shown = 0;
	int status = 0;

	for (size_t i = 0; i < l->n && !ferror(out); i++) {
		struct sa_err why = SA_ERR_INIT;
		if (l->n > l->wish->streams.n)
			heading(&l->pieces[i], out, i == 0);
		if (show_piece(l, &l->pieces[i], out, &why) == 0) {
			shown++;
			continue;
		}
		say_tried(l);
		if (i + 1 == l->n && shown == 0) {
			*err = why;
			return -1;
		}
		sa_cli_say(l->cli, "%s", why.msg);
		status = sa_kind_info(why.kind)->code;
		sa_err_clear(&why);
	}
	return status;
}

/* ---- records */

static int
to_buf(void *arg, const char *bytes, size_t n)
{
	struct sa_buf *b = arg;
	size_t room = b->max - b->len;

	sa_buf_add(b, bytes, n < room ? n : room);
	return b->len == b->max;
}

/* As many bytes of b as its first lines have. */
static void
cut_lines(struct sa_buf *b, long long lines)
{
	const char *at = sa_buf_str(b), *end = at + b->len, *nl;

	for (; lines > 0 && at < end; lines--) {
		nl = memchr(at, '\n', (size_t)(end - at));
		at = nl != NULL ? nl + 1 : end;
	}
	if (lines == 0)
		sa_buf_cut(b, (size_t)(at - sa_buf_str(b)));
}

static json_t *
record_of(const struct logs *l, const struct piece *p, struct sa_buf *b,
    const struct sa_log_view *view, const struct sa_joblog_result *r)
{
	long long wanted = l->wish->part.offset > 0 ? l->wish->part.offset : 0;
	size_t back = view != NULL ? view->back : 0;
	long long start = (r->start < 0 ? 0 : r->start) + (long long)back;
	json_t *j = sa_json_record("job_log");

	if (b->len == b->max && start + (long long)(b->len - back) < r->length)
		sa_logsink_trim(b, back);
	if (view != NULL)
		sa_logsink_fit(b, view);
	long long bytes = (long long)(b->len - back), at = start + bytes;
	bool more = at < r->length || r->cut;
	sa_json_set_str(j, "job_id", sa_json_str(l->job, "job_id"));
	sa_json_set_str(j, "source", r->source);
	sa_json_set_str(j, "stream", p->file);
	if (view != NULL)
		sa_json_set_str(j, "notice", SA_LOG_AGENT_NOTICE);
	json_object_set_new(j, "content", sa_logsink_content(b, view));
	json_object_set_new(j, "offset", json_integer(start));
	json_object_set_new(j, "bytes", json_integer(bytes));
	json_object_set_new(j, "truncated",
	    json_boolean(start > wanted || more));
	json_object_set_new(j, "next",
	    more || !r->complete ? json_integer(at) : json_null());
	json_object_set(j, "tried", l->log->tried);
	sa_json_set_str(j, "container", p->container);
	sa_json_set_str(j, "role", p->role);
	return j;
}

/* For a model, some bytes before the part are read too; how many of them, is
 * known for sure once it was read. */
static void
look_back(struct sa_joblog_part *part, struct sa_buf *b)
{
	long long back = SA_LOG_BACK_MAX;

	if (part->from >= 0 && part->from < back)
		back = part->from;
	part->from -= back;
	b->max += (size_t)back;
	if (part->max >= 0)
		part->max += back;
	else
		b->max++; /* for the end of the last ones to be seen */
}

/* How many bytes are before the part that begins at from, or that has the last
 * -from bytes. */
static size_t
looked_back(long long from, const struct sa_buf *b,
    const struct sa_joblog_result *r)
{
	long long len = (long long)b->len;
	long long back = from >= 0 ? from - r->start : len + from;

	return (size_t)(back < 0 ? 0 : back < len ? back : len);
}

static int
read_record(struct logs *l, const struct piece *p, json_t **out,
    struct sa_err *err)
{
	const struct sa_run_part *w = &l->wish->part;
	long long max = w->agent ? SA_LOG_AGENT_MAX : SA_LOG_RECORD_MAX;
	struct sa_log_view view = { .back = 0 };
	struct sa_joblog_part part;
	struct sa_joblog_result r;

	max = w->bytes >= 0 && w->bytes < max ? w->bytes : max;
	cleanup_buf struct sa_buf b = SA_BUF_INIT((size_t)max);
	if (find_from(l, p, max, &part, err) < 0)
		return -1;
	long long from = part.from;
	if (w->agent && w->head < 0)
		look_back(&part, &b);
	if (sa_joblog_copy(l->log, p->container, p->file, &part, to_buf, &b, &r,
		err) < 0)
		return -1;
	if (w->agent && w->head < 0)
		view.back = looked_back(from, &b, &r);
	if (w->head >= 0)
		cut_lines(&b, w->head);
	*out = record_of(l, p, &b, w->agent ? &view : NULL, &r);
	return 0;
}

/* A failure tells by its record which sources were tried. */
static int
no_record(const struct logs *l, const struct piece *p, struct sa_err *err)
{
	cleanup_buf struct sa_buf none = SA_BUF_INIT(1);
	const struct sa_joblog_result r = { .length = -1, .complete = true };
	json_t *j = record_of(l, p, &none, NULL, &r);

	json_object_set_new(j, "source", json_null());
	return sa_err_detail(err, j);
}

int
yarn_cluster_records(struct sa_cli *cli, const struct sa_store *st, json_t *job,
    const struct yarn_log_wish *wish, struct sa_err *err)
{
	struct logs l = { .cli = cli, .wish = wish };
	int rc = logs_open(&l, st, job, err);

	if (rc == 0)
		rc = find_pieces(&l, err);
	json_auto_t *records = json_array();
	for (size_t i = 0; rc == 0 && i < l.n; i++) {
		json_t *one = NULL;
		rc = read_record(&l, &l.pieces[i], &one, err);
		if (rc < 0)
			no_record(&l, &l.pieces[i], err);
		else
			json_array_append_new(records, one);
	}
	for (size_t i = 0; rc == 0 && i < json_array_size(records); i++)
		sa_cli_answer(cli, json_array_get(records, i), NULL);
	logs_close(&l);
	return rc;
}

int
yarn_cluster_bytes(struct sa_cli *cli, const struct sa_store *st, json_t *job,
    const struct yarn_log_wish *wish, FILE *out, struct sa_err *err)
{
	struct logs l = { .cli = cli, .wish = wish };
	int rc = logs_open(&l, st, job, err);

	if (rc == 0)
		rc = find_pieces(&l, err);
	if (rc == 0)
		rc = show_all(&l, out, err);
	/* what is left to tell is how it ended */
	if (rc < 0 && yarn_is_final(job)) {
		cleanup_free char *end = yarn_verdict(job);
		sa_cli_say(cli, "%s %s", sa_json_str(job, "job_id"), end);
	}
	logs_close(&l);
	return rc;
}

/* ---- following */

/* A file that grows. */
struct growing {
	struct sa_logsink sink;
	long long at; /* the next byte; -1: not begun */
	bool complete;
	char why[400]; /* it could not be read now */
};

struct following {
	struct logs logs;
	const struct sa_store *store;
	struct growing file[2];
	bool began;
	long long final_ms;    /* since when the job has ended; 0: it has not */
	long long progress_ms; /* when something was read last */
};

static void
begin_files(struct following *f)
{
	for (size_t i = 0; i < f->logs.wish->streams.n; i++) {
		struct growing *g = &f->file[i];
		if (!f->began) {
			sa_logsink_init(&g->sink, stdout, LLONG_MAX, -1);
			/* two that grow must not mix within a line */
			g->sink.whole_lines |= f->logs.wish->streams.n > 1;
		}
		g->at = f->began ? 0 : -1;
		g->complete = false;
	}
	f->began = true;
}

/* The containers, once there are any; another attempt's when it begins. */
static int
follow_containers(struct following *f, const json_t *job)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *list = NULL;
	struct logs *l = &f->logs;
	const char *now = l->n > 0 ? l->pieces[0].container : NULL, *newest;

	if (l->log->ops->containers(l->log, false, &list, &err) < 0) {
		sa_debug("%s: %s", sa_json_str(job, "job_id"), err.msg);
		sa_err_clear(&err);
		return 0;
	}
	const json_t *first = json_array_get(list, 0);
	newest = sa_json_str(first, "container");
	if (newest == NULL || (now != NULL && strcmp(newest, now) == 0))
		return 0;
	if (now != NULL)
		sa_cli_say(l->cli, "another attempt begins, in %s", newest);
	for (size_t i = 0; i < l->n; i++) {
		free(l->pieces[i].container);
		free(l->pieces[i].role);
	}
	l->n = 0;
	add_pieces(l, first);
	begin_files(f);
	return 0;
}

/* Reads what has come. A source that fails is asked again. */
static void
grow(struct following *f, size_t i)
{
	const struct piece *p = &f->logs.pieces[i];
	struct growing *g = &f->file[i];
	struct sa_joblog_part part = { .from = g->at, .max = -1 };
	struct sa_err err = SA_ERR_INIT;
	struct sa_joblog_result r;
	int rc = 0;

	if (g->at < 0)
		rc = find_from(&f->logs, p, f->logs.wish->max, &part, &err);
	if (rc == 0)
		rc = sa_joblog_copy(f->logs.log, p->container, p->file, &part,
		    to_sink, &g->sink, &r, &err);
	note_tried(&f->logs);
	*g->why = '\0';
	if (rc < 0) {
		strlcpy(g->why, err.msg, sizeof(g->why));
		sa_err_clear(&err);
		return;
	}
	if (g->at > 0 && r.length >= 0 && r.length < g->at) {
		sa_cli_say(f->logs.cli,
		    "%s was cut or replaced; it is read from its beginning",
		    p->file);
		g->at = 0;
		return;
	}
	if (r.given > 0 || g->at < 0)
		f->progress_ms = sa_clock_ms();
	g->complete = r.complete && !r.cut;
	g->at = r.start + r.given;
}

static bool
all_complete(const struct following *f)
{
	for (size_t i = 0; i < f->logs.n; i++)
		if (!f->file[i].complete)
			return false;
	return f->logs.n > 0;
}

static int
follow_more(struct following *f, json_t *job, struct sa_err *err)
{
	struct logs *l = &f->logs;

	if (l->log == NULL && sa_json_str(job, "application_id") == NULL)
		return 0;
	if (l->log == NULL && logs_open(l, f->store, job, err) < 0)
		return -1;
	if (l->n == 0 || (all_complete(f) && f->final_ms == 0))
		follow_containers(f, job);
	for (size_t i = 0; i < l->n; i++) {
		if (!f->file[i].complete)
			grow(f, i);
		sa_logsink_flush(&f->file[i].sink, f->file[i].complete);
	}
	return 0;
}

/* Whether what is missing of an application that has ended may still come. */
static bool
may_come(const struct following *f)
{
	long long now = sa_clock_ms();
	bool failed = false;

	if (f->logs.log == NULL || all_complete(f) ||
	    now - f->final_ms > SETTLE_MS)
		return false;
	for (size_t i = 0; i < f->logs.n; i++)
		failed |= *f->file[i].why != '\0';
	if (failed || f->logs.n == 0)
		return f->logs.log->later;
	/* a page does not tell whether its container runs */
	return now - f->final_ms < QUIET_MS || now - f->progress_ms < QUIET_MS;
}

static void
follow_end(struct following *f)
{
	struct logs *l = &f->logs;

	for (size_t i = 0; i < l->n; i++) {
		struct growing *g = &f->file[i];
		if (!g->complete && *g->why != '\0' && f->final_ms != 0) {
			sa_cli_say(l->cli, "the end of %s may be missing: %s",
			    l->pieces[i].file, g->why);
			say_tried(l);
		}
		sa_logsink_flush(&g->sink, true);
	}
	if (l->log != NULL && *l->log->hint != '\0' && !all_complete(f) &&
	    f->final_ms != 0)
		sa_cli_say(l->cli, "%s", l->log->hint);
	for (size_t i = 0; i < sizeof(f->file) / sizeof(*f->file); i++)
		sa_logsink_release(&f->file[i].sink);
	logs_close(l);
}

int
yarn_cluster_follow(struct sa_cli *cli, const struct sa_store *st,
    const char *id, const struct yarn_log_wish *wish, long long deadline,
    json_t **record, struct sa_err *err)
{
	struct following f = { .logs = { .cli = cli, .wish = wish },
		.store = st };
	cleanup_free char *name = sa_xstrdup(id);
	char *const ids[] = { name };
	json_auto_t *now = NULL;
	struct sa_run_watch w;
	struct yarn_poll poll;
	int rc;

	yarn_poll_open(&poll, st, sa_cli_settings(cli));
	sa_run_watch_open(&w);
	sa_run_watch_add(&w, st, id, false);
	for (;;) {
		/* a driver that has ended is news of the job */
		if (all_complete(&f))
			poll.next = 0;
		if ((rc = yarn_poll_look(&poll, cli, ids, 1, &now, err)) < 0)
			break;
		if (yarn_is_final(now) && f.final_ms == 0)
			f.final_ms = sa_clock_ms();
		rc = follow_more(&f, now, err);
		long long left = deadline - sa_clock_ms();
		bool ended = f.final_ms != 0 && !may_come(&f);
		if (ended)
			*record = sa_steal(&now);
		if (rc < 0 || ended || left <= 0 || ferror(stdout))
			break;
		sa_run_watch_wait(&w, left);
	}
	sa_run_watch_close(&w);
	yarn_poll_close(&poll);
	follow_end(&f);
	return rc;
}
