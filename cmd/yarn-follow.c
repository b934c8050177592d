/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "yarn.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "spark/run.h"
#include "spark/runshow.h"
#include "spark/runwatch.h"

/* What a person who goes away is told; written from a signal handler. */
static char parting[256];

static void
leave(int sig)
{
	if (write(STDERR_FILENO, parting, strlen(parting)) < 0)
		_exit(128 + sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* From here on INT and TERM end us with a word, and not the job. */
static void
part_with_word(const char *id)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction now, then = { .sa_handler = leave };

	snprintf(parting, sizeof(parting),
	    "sa-yarn: the job goes on; sa-yarn wait %s or sa-yarn kill %s\n",
	    id, id);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &now) == 0 &&
		    now.sa_handler == SIG_DFL)
			sigaction(signals[i], &then, NULL);
}

static bool
is_final(const json_t *record)
{
	return sa_run_is_final(sa_json_str(record, "state"));
}

/* "FAILED: how it ended", one line. */
static char *
verdict(const json_t *record)
{
	const char *state = sa_json_str(record, "state");
	const char *why = sa_json_str(record, "diagnostics");

	if (why == NULL)
		return sa_xstrdup(state);
	return sa_xasprintf("%s: %.*s", state, (int)strcspn(why, "\n"), why);
}

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
			show->whole_lines = true;
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
		if (ended && i + 1 < f->n && f->show[i].open_line)
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
		if (s->over > 0 && !asked)
			sa_cli_say(cli,
			    "%s: %lld bytes more were not shown, %lld MiB are "
			    "the limit; see --offset %lld",
			    s->log.stream, (long long)s->over,
			    (long long)(SA_RUN_SHOW_MAX >> 20),
			    (long long)(s->log.at - s->over));
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
		bool ended = is_final(now);
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
		part_with_word(id);
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

static int
excluded(const struct sa_cli *cli, const char *a, const char *b,
    struct sa_err *err)
{
	if (!sa_cli_given(cli, a) || !sa_cli_given(cli, b))
		return 0;
	return sa_err_set(err,
	    sa_cli_request(cli) != NULL ? SA_INVALID : SA_USAGE,
	    "--%s and --%s exclude each other", a, b);
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

	if (excluded(cli, "tail", "head", err) < 0 ||
	    excluded(cli, "tail", "offset", err) < 0 ||
	    excluded(cli, "follow", "head", err) < 0 ||
	    excluded(cli, "follow", "json", err) < 0 ||
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

/* The worst of several: LOST, time-out, no, yes. */
static enum sa_kind
worse(enum sa_kind a, enum sa_kind b)
{
	static const enum sa_kind order[] = { SA_REMOTE, SA_BUSY, SA_NO };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return SA_OK;
}

static enum sa_kind
kind_of(const json_t *record)
{
	const char *state = sa_json_str(record, "state");

	if (strcmp(state, "SUCCEEDED") == 0)
		return SA_OK;
	return strcmp(state, "LOST") == 0 ? SA_REMOTE : SA_NO;
}

static int
not_ended(const char *id, json_t *record, long long seconds, struct sa_err *err)
{
	sa_err_set(err, SA_BUSY, "job '%s' has not ended after %lld s: %s", id,
	    seconds, sa_json_str(record, "state"));
	sa_err_hint(err, "it goes on; sa-yarn wait %s", id);
	return sa_err_detail(err, json_incref(record));
}

/* wait --logs */
static int
wait_logs(struct sa_cli *cli, const struct sa_store *st, const char *id,
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
		part_with_word(id);
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
	cleanup_free char *text = verdict(record);
	sa_cli_say(cli, "%s %s", id, text);
	return sa_kind_info(kind_of(record))->code;
}

struct waiting {
	char *id;
	json_t *record; /* as it was last seen */
	bool ended;	/* and said */
};

static void
answer_ended(struct sa_cli *cli, const struct waiting *j)
{
	cleanup_free char *text = verdict(j->record);

	sa_cli_answer(cli, j->record, sa_run_text);
	fflush(stdout);
	if (!sa_cli_human(cli) && kind_of(j->record) != SA_OK)
		sa_cli_say(cli, "%s %s", j->id, text);
}

/* Looks at those that have not ended. How many are left, or -1. */
static int
look(struct sa_cli *cli, const struct sa_store *st, struct waiting *jobs,
    size_t n, bool silent, enum sa_kind *worst, struct sa_err *err)
{
	int left = 0;

	for (size_t i = 0; i < n; i++) {
		json_t *now = NULL;
		if (jobs[i].ended)
			continue;
		if (sa_run_refresh(st, jobs[i].id, &now, err) < 0)
			return -1;
		json_decref(jobs[i].record);
		jobs[i].record = now;
		if (silent || !is_final(now)) {
			left++;
			continue;
		}
		jobs[i].ended = true;
		*worst = worse(*worst, kind_of(now));
		answer_ended(cli, &jobs[i]);
	}
	return left;
}

/* The time is over: a failure where nothing was said yet. */
static int
give_up(const struct sa_cli *cli, const struct waiting *jobs, size_t n,
    long long timeout, enum sa_kind worst, struct sa_err *err)
{
	if (n == 1)
		return not_ended(jobs[0].id, jobs[0].record, timeout, err);
	for (size_t i = 0; i < n; i++)
		if (!jobs[i].ended)
			sa_cli_say(cli, "%s has not ended after %lld s: %s",
			    jobs[i].id, timeout,
			    sa_json_str(jobs[i].record, "state"));
	return sa_kind_info(worse(worst, SA_BUSY))->code;
}

static int
wait_jobs(struct sa_cli *cli, const struct sa_store *st, struct waiting *jobs,
    size_t n, long long timeout, struct sa_err *err)
{
	long long deadline =
	    timeout < 0 ? LLONG_MAX : sa_clock_ms() + timeout * 1000;
	enum sa_kind worst = SA_OK;
	struct sa_run_watch w;
	int left;

	/* an unknown one fails before anything is written */
	if (look(cli, st, jobs, n, true, &worst, err) < 0)
		return -1;
	part_with_word(jobs[0].id);
	sa_run_watch_open(&w);
	for (size_t i = 0; i < n; i++)
		sa_run_watch_add(&w, st, jobs[i].id, false);
	while ((left = look(cli, st, jobs, n, false, &worst, err)) > 0 &&
	    !ferror(stdout) && deadline > sa_clock_ms())
		sa_run_watch_wait(&w, deadline - sa_clock_ms());
	sa_run_watch_close(&w);
	if (left < 0)
		return -1;
	return left > 0 && !ferror(stdout)
	    ? give_up(cli, jobs, n, timeout, worst, err)
	    : sa_kind_info(worst)->code;
}

static int
wait_operands(struct sa_cli *cli, const struct sa_store *st, const char *id,
    long long timeout, struct sa_err *err)
{
	const struct sa_strings *operands = sa_cli_operands(cli);
	size_t n = operands->n > 1 ? operands->n : 1;
	struct waiting *jobs = sa_xcalloc(n, sizeof(*jobs));

	jobs[0].id = sa_xstrdup(id);
	for (size_t i = 1; i < n; i++)
		jobs[i].id = sa_xstrdup(operands->v[i]);
	int rc = wait_jobs(cli, st, jobs, n, timeout, err);
	for (size_t i = 0; i < n; i++) {
		free(jobs[i].id);
		json_decref(jobs[i].record);
	}
	free(jobs);
	return rc;
}

int
yarn_wait(struct sa_cli *cli, struct sa_err *err)
{
	long long timeout = sa_cli_int(cli, "timeout", -1);
	bool logs = sa_cli_flag(cli, "logs");
	json_auto_t *record = NULL;
	cleanup_free char *id = NULL;

	if (excluded(cli, "logs", "json", err) < 0)
		return -1;
	if (logs && sa_cli_operands(cli)->n > 1)
		return sa_err_set(err, SA_USAGE, "--logs is for one job");
	if (!logs && sa_cli_given(cli, "stream"))
		return sa_err_set(err, SA_USAGE, "--stream needs --logs");
	if (yarn_job(cli, &id, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = sa_run_refresh(st, id, &record, err);
	if (rc == 0)
		rc = logs ? wait_logs(cli, st, id, timeout, err)
			  : wait_operands(cli, st, id, timeout, err);
	sa_store_free(st);
	return rc;
}
