/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "spark/cluster.h"
#include "spark/run.h"
#include "spark/runwatch.h"
#include "yarn-logs.h"

/* A file that a log is written to, at most. */
#define OUTPUT_MAX (256LL << 20)

static int
wrong_use(const struct sa_cli *cli, const char *text, struct sa_err *err)
{
	return sa_err_set(err,
	    sa_cli_request(cli) != NULL ? SA_INVALID : SA_USAGE, "%s", text);
}

static void
add_stream(struct yarn_log_wish *w, const char *name)
{
	w->streams.name[w->streams.n++] = name;
}

static int
choose_streams(const struct sa_cli *cli, struct yarn_log_wish *w,
    struct sa_err *err)
{
	const char *given = sa_cli_str(cli, "stream");

	if (given == NULL && w->attempts)
		given = "all";
	if (given == NULL || strcmp(given, "stdout") == 0) {
		add_stream(w, "stdout");
	} else if (strcmp(given, "stderr") == 0) {
		add_stream(w, "stderr");
	} else if (strcmp(given, "all") == 0) {
		add_stream(w, "stdout");
		add_stream(w, "stderr");
	} else if (strcmp(given, "prelaunch") == 0) {
		add_stream(w, "prelaunch");
	} else if (strcmp(given, "submit") == 0) {
		add_stream(w, "stderr");
		w->submit = true;
	} else {
		cleanup_free char *name = sa_cli_called(cli, "stream");
		return sa_err_set(err,
		    sa_cli_request(cli) != NULL ? SA_INVALID : SA_USAGE,
		    "%s '%s' is none of stdout, stderr, all, submit, prelaunch",
		    name, given);
	}
	return 0;
}

/* Whether a job's output is its cluster's, and not what was written here. */
static bool
on_cluster(const json_t *job, const struct yarn_log_wish *w)
{
	const struct sa_cluster_ops *ops =
	    sa_cluster_of(sa_json_str(job, "master"));

	return ops != NULL && ops->logs != NULL && !w->submit &&
	    (sa_job_truth(job) == SA_TRUTH_CLUSTER || w->executors);
}

/* What is being shown of one job. */
struct follower {
	struct sa_run_show show[2];
	size_t n;
};

static int
follower_open(struct follower *f, const struct sa_store *st, const char *id,
    const struct yarn_log_wish *w, bool follow, FILE *out, struct sa_err *err)
{
	for (f->n = 0; f->n < w->streams.n; f->n++) {
		struct sa_run_show *show = &f->show[f->n];
		const char *name = w->streams.name[f->n];
		if (strcmp(name, "prelaunch") == 0)
			return sa_err_set(err, SA_NOT_FOUND,
			    "job '%s' has no prelaunch log: its driver runs "
			    "on this host",
			    id);
		if (sa_run_show_open(show, st, id, name, &w->part, w->max, out,
			err) < 0)
			return -1;
		/* two that grow must not mix within a line */
		if (follow && w->streams.n > 1)
			show->sink.whole_lines = true;
	}
	return 0;
}

static void
follower_close(struct follower *f)
{
	for (size_t i = 0; i < f->n; i++)
		sa_run_show_close(&f->show[i]);
	f->n = 0;
}

static int
follower_more(struct follower *f, bool ended, FILE *out, struct sa_err *err)
{
	for (size_t i = 0; i < f->n; i++) {
		if (sa_run_show_more(&f->show[i], ended, err) < 0)
			return -1;
		/* the next stream begins with a line of its own */
		if (ended && i + 1 < f->n && f->show[i].sink.open_line)
			putc('\n', out);
	}
	return 0;
}

/* Says once what was not shown. asked: only a part was wanted. */
static void
follower_say(const struct sa_cli *cli, const struct follower *f, bool asked,
    long long max)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct sa_run_show *s = &f->show[i];
		off_t cut = s->log.lost + (asked ? 0 : s->from);
		if (cut > 0)
			sa_cli_say(cli,
			    "%s: %lld older bytes are left out, only the "
			    "newest are kept",
			    s->log.stream, (long long)cut);
		if (s->sink.over > 0 && !asked)
			sa_cli_say(cli,
			    "%s: %lld bytes more were not shown, %lld MiB are "
			    "the limit; see --offset %lld",
			    s->log.stream, (long long)s->sink.over, max >> 20,
			    (long long)(s->log.at - s->sink.over));
	}
}

/*
 * Shows until the job has ended (or, not following, what is there). The state
 * is read before the output, so that an end means that all output was there.
 * *record is the job then; NULL at the deadline.
 */
static int
follow(const struct sa_store *st, const char *id, struct follower *f,
    long long deadline, json_t **record, struct sa_err *err)
{
	struct sa_run_watch w;
	int rc = 0;

	sa_run_watch_open(&w);
	sa_run_watch_add(&w, st, id, true);
	for (;;) {
		json_auto_t *now = NULL;
		if ((rc = sa_run_refresh(st, id, &now, err)) < 0)
			break;
		bool ended = yarn_is_final(now);
		long long left = deadline - sa_clock_ms();
		rc = follower_more(f, ended || left <= 0, stdout, err);
		if (ended)
			*record = sa_steal(&now);
		if (rc < 0 || ended || left <= 0 || ferror(stdout))
			break;
		sa_run_watch_wait(&w, left);
	}
	sa_run_watch_close(&w);
	return rc;
}

static int
log_records(struct sa_cli *cli, const struct sa_store *st, const json_t *job,
    const struct yarn_log_wish *w, struct sa_err *err)
{
	json_auto_t *first = NULL, *second = NULL;
	json_t **const out[2] = { &first, &second };

	for (size_t i = 0; i < w->streams.n; i++)
		if (sa_run_log_record(st, job, w->streams.name[i], &w->part,
			out[i], err) < 0)
			return -1;
	for (size_t i = 0; i < w->streams.n; i++)
		sa_cli_answer(cli, *out[i], NULL);
	return 0;
}

static bool
asks_part(const struct sa_run_part *p)
{
	return p->tail >= 0 || p->head >= 0 || p->bytes >= 0 || p->offset >= 0;
}

static int
log_bytes(struct sa_cli *cli, const struct sa_store *st, const char *id,
    const struct yarn_log_wish *w, FILE *out, struct sa_err *err)
{
	bool more = sa_cli_flag(cli, "follow");
	json_auto_t *end = NULL;
	struct follower f;

	int rc = follower_open(&f, st, id, w, more, out, err);
	if (rc == 0 && more) {
		yarn_part(id);
		rc = follow(st, id, &f, LLONG_MAX, &end, err);
	} else if (rc == 0)
		rc = follower_more(&f, true, out, err);
	if (rc == 0)
		follower_say(cli, &f, asks_part(&w->part), w->max);
	follower_close(&f);
	return rc;
}

/* The bytes of one job to a stream; an exit status. */
static int
put_bytes(struct sa_cli *cli, const struct sa_store *st, json_t *job,
    const struct yarn_log_wish *w, FILE *out, struct sa_err *err)
{
	const char *id = sa_json_str(job, "job_id");
	json_auto_t *end = NULL;

	if (!on_cluster(job, w))
		return log_bytes(cli, st, id, w, out, err);
	if (!sa_cli_flag(cli, "follow"))
		return yarn_cluster_bytes(cli, st, job, w, out, err);
	yarn_part(id);
	return yarn_cluster_follow(cli, st, id, w, LLONG_MAX, &end, err);
}

/* A file that gets its name once it is whole. */
struct output {
	char *dir, *temporary;
	const char *name;
	int dirfd;
	FILE *f;
};

static int
output_open(struct output *o, const char *path, struct sa_err *err)
{
	const char *slash = strrchr(path, '/');
	int fd = -1;

	o->name = sa_path_base(path);
	o->dir = slash == NULL ? sa_xstrdup(".")
	    : slash == path    ? sa_xstrdup("/")
			       : sa_xstrndup(path, (size_t)(slash - path));
	o->temporary =
	    sa_xasprintf(".%s.%08x", o->name, (unsigned)arc4random());
	if (*o->name == '\0')
		return sa_err_set(err, SA_USAGE, "--output '%s' is no file",
		    path);
	o->dirfd = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o->dirfd >= 0)
		fd = openat(o->dirfd, o->temporary,
		    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd >= 0)
		o->f = fdopen(fd, "we");
	if (o->f == NULL)
		return sa_err_errno(err, SA_IO, errno, "cannot write '%s'",
		    path);
	return 0;
}

static int
output_commit(struct output *o, const char *path, struct sa_err *err)
{
	if (ferror(o->f))
		return sa_err_set(err, SA_IO,
		    "cannot write all of '%s'; the disk may be full", path);
	if (fflush(o->f) != 0 || fsync(fileno(o->f)) < 0 ||
	    renameat(o->dirfd, o->temporary, o->dirfd, o->name) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot write '%s'",
		    path);
	return sa_io_fsync_dir(o->dirfd, o->dir, err);
}

/* Afterwards it has its name, or nothing is left of it. */
static void
output_close(struct output *o)
{
	if (o->f != NULL) {
		unlinkat(o->dirfd, o->temporary, 0);
		fclose(o->f);
	}
	if (o->dirfd >= 0)
		close(o->dirfd);
	free(o->dir);
	free(o->temporary);
}

static int
put_file(struct sa_cli *cli, const struct sa_store *st, json_t *job,
    const struct yarn_log_wish *w, const char *path, struct sa_err *err)
{
	struct output o = { .dirfd = -1 };

	int rc = output_open(&o, path, err);
	if (rc == 0)
		rc = put_bytes(cli, st, job, w, o.f, err);
	if (rc >= 0 && output_commit(&o, path, err) < 0)
		rc = -1;
	output_close(&o);
	return rc;
}

static int
check_options(const struct sa_cli *cli, const struct yarn_log_wish *w,
    struct sa_err *err)
{
	static const char *const pairs[][2] = { { "tail", "head" },
		{ "tail", "offset" }, { "follow", "head" },
		{ "follow", "json" }, { "follow", "executors" },
		{ "follow", "all" }, { "follow", "output" },
		{ "output", "json" }, { "all", "stream" }, { "all", "offset" },
		{ "executors", "offset" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (yarn_excluded(cli, pairs[i][0], pairs[i][1], err) < 0)
			return -1;
	if (sa_cli_given(cli, "max-bytes") && !sa_cli_given(cli, "output"))
		return wrong_use(cli, "--max-bytes needs --output", err);
	if (w->streams.n > 1 && w->part.offset >= 0)
		return wrong_use(cli,
		    "--offset counts the bytes of one stream, not of all", err);
	if (w->submit && w->executors)
		return wrong_use(cli,
		    "--stream submit is what spark-submit wrote, not executors",
		    err);
	return 0;
}

static int
get_wish(const struct sa_cli *cli, struct yarn_log_wish *w, struct sa_err *err)
{
	*w = (struct yarn_log_wish){
		.part = { .tail = sa_cli_int(cli, "tail", -1),
		    .head = sa_cli_int(cli, "head", -1),
		    .bytes = sa_cli_int(cli, "bytes", -1),
		    .offset = sa_cli_int(cli, "offset", -1),
		    .agent = sa_cli_agent(cli) },
		.attempts = sa_cli_flag(cli, "all"),
		.executors =
		    sa_cli_flag(cli, "executors") || sa_cli_flag(cli, "all"),
		.max = sa_cli_given(cli, "output")
		    ? sa_cli_int(cli, "max-bytes", OUTPUT_MAX)
		    : SA_LOG_SHOW_MAX
	};
	if (choose_streams(cli, w, err) < 0)
		return -1;
	return check_options(cli, w, err);
}

/* The job as things stand now. An unknown one is told from one without output,
 * and an application that was not seen is looked for. */
static int
look(struct sa_cli *cli, const struct sa_store *st, const char *id,
    json_t **job, struct sa_err *err)
{
	cleanup_free char *name = sa_xstrdup(id);
	char *const ids[] = { name };
	struct yarn_poll poll;

	yarn_poll_open(&poll, st, sa_cli_settings(cli));
	int rc = yarn_poll_look(&poll, cli, ids, 1, job, err);
	yarn_poll_close(&poll);
	return rc;
}

static int
logs(struct sa_cli *cli, const struct sa_store *st, const char *id,
    const struct yarn_log_wish *w, struct sa_err *err)
{
	/* a request is answered by a record: sa-mcp has no use for bytes */
	bool json = sa_cli_flag(cli, "json") || sa_cli_request(cli) != NULL;
	const char *path = sa_cli_str(cli, "output");
	json_auto_t *job = NULL;

	if (look(cli, st, id, &job, err) < 0)
		return -1;
	if (json)
		return on_cluster(job, w)
		    ? yarn_cluster_records(cli, st, job, w, err)
		    : log_records(cli, st, job, w, err);
	return path != NULL ? put_file(cli, st, job, w, path, err)
			    : put_bytes(cli, st, job, w, stdout, err);
}

int
yarn_logs(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_free char *id = NULL;
	struct yarn_log_wish w;

	if (get_wish(cli, &w, err) < 0 || yarn_job(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = logs(cli, st, id, &w, err);
	sa_store_free(st);
	return rc;
}

/* Shows what a job writes until it ends or the time is over. */
static int
show_until(struct sa_cli *cli, const struct sa_store *st, const char *id,
    const struct yarn_log_wish *w, long long deadline, json_t **record,
    struct sa_err *err)
{
	json_auto_t *job = NULL;
	struct follower f;

	if (look(cli, st, id, &job, err) < 0)
		return -1;
	yarn_part(id);
	if (on_cluster(job, w))
		return yarn_cluster_follow(cli, st, id, w, deadline, record,
		    err);
	int rc = follower_open(&f, st, id, w, true, stdout, err);
	if (rc == 0)
		rc = follow(st, id, &f, deadline, record, err);
	if (rc == 0)
		follower_say(cli, &f, false, w->max);
	follower_close(&f);
	return rc;
}

int
yarn_wait_logs(struct sa_cli *cli, const struct sa_store *st, const char *id,
    long long timeout, struct sa_err *err)
{
	struct yarn_log_wish w = { .part = SA_RUN_PART_INIT,
		.max = SA_LOG_SHOW_MAX };
	long long deadline =
	    timeout < 0 ? LLONG_MAX : sa_clock_ms() + timeout * 1000;
	json_auto_t *record = NULL;

	if (choose_streams(cli, &w, err) < 0 ||
	    show_until(cli, st, id, &w, deadline, &record, err) < 0)
		return -1;
	if (record == NULL && ferror(stdout))
		return sa_kind_info(SA_IO)->code;
	if (record == NULL) {
		sa_cli_say(cli, "%s has not ended after %lld s; it goes on", id,
		    timeout);
		return sa_kind_info(SA_BUSY)->code;
	}
	cleanup_free char *text = yarn_verdict(record);
	const char *note = sa_json_str(record, "note");
	if (note != NULL)
		sa_cli_say(cli, "%s", note);
	sa_cli_say(cli, "%s %s", id, text);
	return sa_kind_info(yarn_kind(record))->code;
}
