/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "spark/run.h"
#include "spark/runshow.h"
#include "spark/runwatch.h"
#include "yarn.h"

/* The streams that --stream asks for. */
struct streams {
	const char *name[2];
	size_t n;
};

static int
choose_streams(const struct sa_cli *cli, struct streams *s, struct sa_err *err)
{
	const char *given = sa_cli_str(cli, "stream");
	bool all = given != NULL && strcmp(given, "all") == 0;

	*s = (struct streams){ .n = 0 };
	if (given == NULL || all || strcmp(given, "stdout") == 0)
		s->name[s->n++] = "stdout";
	if (given != NULL && (all || strcmp(given, "stderr") == 0))
		s->name[s->n++] = "stderr";
	if (s->n > 0)
		return 0;
	return sa_err_set(err,
	    sa_cli_request(cli) != NULL ? SA_INVALID : SA_USAGE,
	    "--stream '%s' is none of stdout, stderr, all", given);
}

/* What is being shown of one job. */
struct follower {
	struct sa_run_show show[2];
	size_t n;
};

static int
follower_open(struct follower *f, const struct sa_store *st, const char *id,
    const struct streams *s, const struct sa_run_part *part, bool follow,
    struct sa_err *err)
{
	for (f->n = 0; f->n < s->n; f->n++) {
		struct sa_run_show *show = &f->show[f->n];
		if (sa_run_show_open(show, st, id, s->name[f->n], part, stdout,
			err) < 0)
			return -1;
		/* two that grow must not mix within a line */
		if (follow && s->n > 1)
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
follower_more(struct follower *f, bool ended, struct sa_err *err)
{
	for (size_t i = 0; i < f->n; i++) {
		if (sa_run_show_more(&f->show[i], ended, err) < 0)
			return -1;
		/* the next stream begins with a line of its own */
		if (ended && i + 1 < f->n && f->show[i].sink.open_line)
			putchar('\n');
	}
	return 0;
}

/* Says once what was not shown. asked: only a part was wanted. */
static void
follower_say(const struct sa_cli *cli, const struct follower *f, bool asked)
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
			    s->log.stream, (long long)s->sink.over,
			    (long long)(SA_LOG_SHOW_MAX >> 20),
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
		rc = follower_more(f, ended || left <= 0, err);
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
log_records(struct sa_cli *cli, const struct sa_store *st, const char *id,
    const struct streams *s, const struct sa_run_part *part, struct sa_err *err)
{
	json_auto_t *job = NULL, *first = NULL, *second = NULL;
	json_t **const out[2] = { &first, &second };

	if (sa_run_refresh(st, id, &job, err) < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		if (sa_run_log_record(st, job, s->name[i], part, out[i], err) <
		    0)
			return -1;
	for (size_t i = 0; i < s->n; i++)
		sa_cli_answer(cli, *out[i], NULL);
	return 0;
}

static int
log_bytes(struct sa_cli *cli, const struct sa_store *st, const char *id,
    const struct streams *s, const struct sa_run_part *part, struct sa_err *err)
{
	bool more = sa_cli_flag(cli, "follow");
	json_auto_t *job = NULL, *end = NULL;
	struct follower f;

	/* an unknown job is told from one without output */
	if (sa_run_refresh(st, id, &job, err) < 0)
		return -1;
	int rc = follower_open(&f, st, id, s, part, more, err);
	if (rc == 0 && more) {
		yarn_part(id);
		rc = follow(st, id, &f, LLONG_MAX, &end, err);
	} else if (rc == 0)
		rc = follower_more(&f, true, err);
	if (rc == 0)
		follower_say(cli, &f,
		    part->tail >= 0 || part->head >= 0 || part->bytes >= 0 ||
			part->offset >= 0);
	follower_close(&f);
	return rc;
}

int
yarn_logs(struct sa_cli *cli, struct sa_err *err)
{
	/* a request is answered by a record: sa-mcp has no use for bytes */
	bool json = sa_cli_flag(cli, "json") || sa_cli_request(cli) != NULL;
	struct sa_run_part part = { .tail = sa_cli_int(cli, "tail", -1),
		.head = sa_cli_int(cli, "head", -1),
		.bytes = sa_cli_int(cli, "bytes", -1),
		.offset = sa_cli_int(cli, "offset", -1) };
	cleanup_free char *id = NULL;
	struct streams s;

	if (yarn_excluded(cli, "tail", "head", err) < 0 ||
	    yarn_excluded(cli, "tail", "offset", err) < 0 ||
	    yarn_excluded(cli, "follow", "head", err) < 0 ||
	    yarn_excluded(cli, "follow", "json", err) < 0 ||
	    choose_streams(cli, &s, err) < 0)
		return -1;
	if (s.n > 1 && part.offset >= 0)
		return sa_err_set(err, SA_USAGE,
		    "--offset counts the bytes of one stream, not of all");
	if (yarn_job(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = json ? log_records(cli, st, id, &s, &part, err)
		      : log_bytes(cli, st, id, &s, &part, err);
	sa_store_free(st);
	return rc;
}

int
yarn_wait_logs(struct sa_cli *cli, const struct sa_store *st, const char *id,
    long long timeout, struct sa_err *err)
{
	const struct sa_run_part all = SA_RUN_PART_INIT;
	long long deadline =
	    timeout < 0 ? LLONG_MAX : sa_clock_ms() + timeout * 1000;
	json_auto_t *record = NULL;
	struct follower f;
	struct streams s;

	if (choose_streams(cli, &s, err) < 0)
		return -1;
	int rc = follower_open(&f, st, id, &s, &all, true, err);
	if (rc == 0) {
		yarn_part(id);
		rc = follow(st, id, &f, deadline, &record, err);
	}
	if (rc == 0)
		follower_say(cli, &f, false);
	follower_close(&f);
	if (rc < 0)
		return -1;
	if (record == NULL && ferror(stdout))
		return sa_kind_info(SA_IO)->code;
	if (record == NULL) {
		sa_cli_say(cli, "%s has not ended after %lld s; it goes on", id,
		    timeout);
		return sa_kind_info(SA_BUSY)->code;
	}
	cleanup_free char *text = yarn_verdict(record);
	sa_cli_say(cli, "%s %s", id, text);
	return sa_kind_info(yarn_kind(record))->code;
}
