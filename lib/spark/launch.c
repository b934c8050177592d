/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/launch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/proc.h"
#include "spark/approval.h"
#include "spark/audit.h"
#include "spark/pending.h"
#include "spark/run.h"

#define READY_MS 30000

void
sa_launch_release(struct sa_launch *l)
{
	json_decref(l->job);
	if (l->alive >= 0)
		close(l->alive);
	*l = (struct sa_launch)SA_LAUNCH_INIT;
}

static bool
has_status(const json_t *pending, const char *status)
{
	const char *is = sa_json_str(pending, "status");

	return is != NULL && strcmp(is, status) == 0;
}

/* Whether it was claimed before: then the answer is about its job. 1 for not
 * claimed. */
static int
claimed_before(const struct sa_store *st, const json_t *pending,
    const struct sa_launch_options *options, struct sa_launch *l,
    struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	const char *job_id = sa_json_str(pending, "job_id");
	struct sa_err local = SA_ERR_INIT;

	if (job_id == NULL ||
	    (!has_status(pending, "SUBMITTING") &&
		!has_status(pending, "SUBMITTED")))
		return 1;
	json_auto_t *job = NULL;
	if (sa_run_refresh(st, job_id, &job, &local) < 0 &&
	    sa_run_read(st, job_id, &job, &local) < 0)
		sa_debug("job of %s: %s", id, local.msg);
	sa_err_clear(&local);
	if (options->once && job != NULL) {
		l->job = sa_steal(&job);
		l->existed = true;
		return 0;
	}
	sa_err_set(err, SA_INVALID, "%s was submitted already, as %s", id,
	    job_id);
	sa_err_hint(err, "follow it with 'sa-yarn status %s'", job_id);
	sa_err_agent_hint(err, "follow it with get_job_status, job_id %s",
	    job_id);
	return job != NULL ? sa_err_detail(err, sa_steal(&job)) : -1;
}

/* Whether who asks may confirm, under the policy in force. *approved tells
 * that an approval was needed and is there. */
static int
check_policy(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, const struct sa_launch_options *options,
    bool *approved, struct sa_err *err)
{
	bool agent = sa_settings_origin(s) == SA_ORIGIN_AGENT;

	switch (sa_settings_confirm(s)) {
	case SA_CONFIRM_OPEN:
		return 0;
	case SA_CONFIRM_SHELL:
		if (!agent && options->asked)
			return 0;
		break;
	default:
		break;
	}
	if (sa_approval_check(st, s, pending, err) < 0)
		return -1;
	*approved = true;
	return 0;
}

/* Everything that can say no without a trace. */
static int
check(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, const struct sa_launch_options *options,
    bool *approved, struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	const char *hash = sa_json_str(pending, "plan_sha256");
	char found[65];

	if (sa_pending_must_be_open(pending, err) < 0)
		return -1;
	sa_plan_hash(sa_json_obj(pending, "plan"), found);
	if (hash == NULL || strcmp(hash, found) != 0)
		return sa_err_set(err, SA_REFUSED,
		    "the plan of %s was changed: its hash is %s, prepared was "
		    "%s",
		    id, found, hash ? hash : "none");
	if (options->plan != NULL && strcmp(options->plan, hash) != 0)
		return sa_err_set(err, SA_REFUSED,
		    "the plan of %s is %s, not '%s'", id, hash, options->plan);
	if (check_policy(st, s, pending, options, approved, err) < 0)
		return -1;
	cleanup_free char *supervise = sa_proc_own("sa-supervise", err);
	if (supervise == NULL)
		return -1;
	return sa_plan_verify(st, s, pending, err);
}

/* The members of a job in their order; those that the plan does not fill are
 * null until something is known. */
static json_t *
new_job(const json_t *pending, const char *job_id)
{
	static const char *const members[] = { "job_id", "pending_id",
		"connection", "name", "master", "deploy_mode", "state",
		"application_id", "tag", "yarn_state", "final_status",
		"exit_code", "signal", "diagnostics", "yarn_rm_url",
		"yarn_user", "tracking_url", "submitted_at", "started_at",
		"finished_at", "kill_requested_at", "checked_at" };
	const json_t *plan = sa_json_obj(pending, "plan");
	json_t *job = sa_json_record("job");
	char now[SA_TIME_SIZE], tag[SA_ID_SIZE + 8];

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		json_object_set_new(job, members[i], json_null());
	snprintf(tag, sizeof(tag), "sa-%s", job_id);
	for (char *p = tag; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	sa_clock_now(now);
	sa_json_set_str(job, "job_id", job_id);
	sa_json_set_str(job, "pending_id", sa_json_str(pending, "pending_id"));
	sa_json_set_str(job, "connection", sa_json_str(pending, "connection"));
	sa_json_set_str(job, "name", sa_json_str(pending, "name"));
	sa_json_set_str(job, "master", sa_json_str(plan, "master"));
	sa_json_set_str(job, "deploy_mode", sa_json_str(plan, "deploy_mode"));
	sa_json_set_str(job, "state", "SUBMITTING");
	sa_json_set_str(job, "tag", tag);
	sa_json_set_str(job, "yarn_rm_url", sa_json_str(plan, "yarn_rm_url"));
	sa_json_set_str(job, "yarn_user", sa_json_str(plan, "yarn_user"));
	sa_json_set_str(job, "submitted_at", now);
	return job;
}

/* Removes a run directory that no pending points to. */
static void
drop_run(const struct sa_store *st, const char *name)
{
	cleanup_fd int runs = sa_store_dir(st, "runs", false, NULL);

	if (runs >= 0 && sa_path_remove_tree(runs, name) < 0)
		sa_debug("runs/%s stays: errno %d", name, errno);
}

/* The run directory under its temporary name, complete, alive held. */
static int
fill_run(const struct sa_store *st, const char *tmp, struct sa_launch *l,
    struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s", tmp);
	cleanup_free char *record = sa_xasprintf("runs/%s/record.json", tmp);
	cleanup_fd int dir = sa_store_dir(st, rel, true, err);

	if (dir < 0)
		return -1;
	l->alive = sa_io_lock(dir, "alive", 0, "a new run", err);
	if (l->alive < 0)
		return -1;
	return sa_record_write(st, record, l->job, "the job record", err);
}

/* runs/ID, there whole or not at all. */
static int
make_run(const struct sa_store *st, const char *job_id, struct sa_launch *l,
    struct sa_err *err)
{
	cleanup_free char *tmp = sa_xasprintf(".%s.%08x", job_id, arc4random());
	int rc = fill_run(st, tmp, l, err);
	cleanup_fd int runs =
	    rc == 0 ? sa_store_dir(st, "runs", false, err) : -1;

	if (rc == 0 && runs < 0)
		rc = -1;
	if (rc == 0 && renameat2(runs, tmp, runs, job_id, RENAME_NOREPLACE) < 0)
		rc = sa_err_errno(err, SA_IO, errno, "cannot make 'runs/%s'",
		    job_id);
	if (rc < 0)
		drop_run(st, tmp);
	return rc < 0 ? -1 : sa_io_fsync_dir(runs, job_id, err);
}

/* The claim itself. Where it fails the pending may still have been written
 * (the sync of its directory failed): then the run stays. */
static int
write_claim(const struct sa_store *st, json_t *pending, const char *job_id,
    struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	json_auto_t *now = NULL;

	sa_json_set_str(pending, "status", "SUBMITTING");
	sa_json_set_str(pending, "job_id", job_id);
	if (sa_pending_write(st, pending, err) == 0)
		return 0;
	if (sa_pending_read(st, id, &now, NULL) == 0 &&
	    sa_json_str(now, "job_id") == NULL)
		drop_run(st, job_id);
	return -1;
}

/* Steps 2 and 3, the pending's lock held. */
static int
claim(const struct sa_store *st, const struct sa_settings *s, json_t *pending,
    bool approved, struct sa_launch *l, struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	char job_id[SA_ID_SIZE];
	struct sa_err local = SA_ERR_INIT;

	sa_clock_id("j", job_id);
	if (sa_audit_add(st, s, "submit", id,
		sa_json_str(pending, "plan_sha256"), job_id, err) < 0)
		return -1;
	l->job = new_job(pending, job_id);
	if (make_run(st, job_id, l, err) < 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	if (write_claim(st, pending, job_id, err) < 0)
		return -1;
	/* the claim is what makes it good for once; this is for the eye */
	if (approved && sa_approval_spend(st, id, &local) < 0)
		sa_warn("%s", local.msg);
	sa_err_clear(&local);
	sa_info("%s is claimed as %s", id, job_id);
	return 0;
}

int
sa_launch_claim(const struct sa_store *st, const struct sa_settings *s,
    const char *pending_id, const struct sa_launch_options *options,
    struct sa_launch *l, struct sa_err *err)
{
	json_auto_t *seen = NULL, *pending = NULL;
	struct sa_err busy = SA_ERR_INIT;
	bool approved = false;
	cleanup_fd int lock = -1;

	/* a claim is never taken back, so it can be seen without the lock */
	if (sa_pending_read(st, pending_id, &seen, err) < 0)
		return -1;
	int rc = claimed_before(st, seen, options, l, err);
	if (rc <= 0)
		return rc;
	if (sa_pending_lock(st, pending_id, &lock, &pending, &busy) < 0) {
		/* many who want the same one: the lock is not had, yet there
		 * is a winner by now */
		json_decref(seen);
		seen = NULL;
		if (busy.kind == SA_BUSY &&
		    sa_pending_read(st, pending_id, &seen, NULL) == 0)
			rc = claimed_before(st, seen, options, l, err);
		if (rc > 0) {
			*err = busy;
			return -1;
		}
		sa_err_clear(&busy);
		return rc;
	}
	rc = claimed_before(st, pending, options, l, err);
	if (rc <= 0)
		return rc;
	if (check(st, s, pending, options, &approved, err) < 0)
		return -1;
	return claim(st, s, pending, approved, l, err);
}

/* The process that becomes sa-supervise: no descriptor but the two. */
static void
exec_supervise(char *const argv[], int status, int alive)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	/* out of the way of each other, then to their places */
	status = fcntl(status, F_DUPFD_CLOEXEC, 10);
	alive = fcntl(alive, F_DUPFD_CLOEXEC, 10);
	if (status >= 0 && alive >= 0 && dup2(status, 3) == 3 &&
	    dup2(alive, 4) == 4) {
		close_range(5, ~0U, 0);
		execv(argv[0], argv);
	}
	_exit(127);
}

/* Starts sa-supervise, nobody's child. *out is where it reports. */
static int
spawn(const struct sa_store *st, const struct sa_settings *s,
    const struct sa_launch *l, int *out, struct sa_err *err)
{
	cleanup_free char *program = sa_proc_own("sa-supervise", err);
	cleanup_free char *dir =
	    sa_xasprintf("--data-dir=%s", sa_store_path(st));
	cleanup_free char *id = sa_xstrdup(sa_json_str(l->job, "job_id"));
	char status_fd[] = "--status-fd=3", alive_fd[] = "--alive-fd=4";
	int fds[2], ended;

	if (program == NULL)
		return -1;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	char *argv[] = { program, dir, status_fd, alive_fd, id, NULL };
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		setenv("SA_ON_EVENT", sa_settings_get(s, SA_SET_ON_EVENT), 1);
		unsetenv("SA_ERROR_FD");
		if (fork() == 0)
			exec_supervise(argv, fds[1], l->alive);
		_exit(0);
	}
	close(fds[1]);
	*out = fds[0];
	if (pid > 0) {
		while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
			;
		return 0;
	}
	close(fds[0]);
	return sa_err_errno(err, SA_BUSY, errno, "cannot fork");
}

struct report {
	bool executed, known_id, failed, ended;
	char why[1024];
};

static void
take_line(struct report *r, const char *line)
{
	const size_t n = strlen(SA_LAUNCH_FAILED);

	if (strcmp(line, SA_LAUNCH_EXEC) == 0)
		r->executed = true;
	else if (strncmp(line, SA_LAUNCH_ID, strlen(SA_LAUNCH_ID)) == 0)
		r->known_id = true;
	else if (strncmp(line, SA_LAUNCH_FAILED, n) == 0) {
		r->failed = true;
		strlcpy(r->why, line + n, sizeof(r->why));
	}
}

/* Reads what sa-supervise says until enough is known, it ends, or the time is
 * over. */
static void
wait_ready(int fd, bool want_id, struct report *r)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(65536);
	long long deadline = sa_clock_ms() + READY_MS;
	char chunk[1024];

	while (!r->failed && !(r->executed && (r->known_id || !want_id))) {
		struct pollfd p = { fd, POLLIN, 0 };
		long long left = deadline - sa_clock_ms();
		if (left <= 0)
			return;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n == 0) {
			r->ended = true;
			return;
		}
		if (n > 0 && sa_buf_add(&b, chunk, (size_t)n) < 0)
			return;
		char *end;
		while (b.len > 0 && (end = memchr(b.s, '\n', b.len)) != NULL) {
			size_t len = (size_t)(end - b.s);
			*end = '\0';
			take_line(r, b.s);
			memmove(b.s, end + 1, b.len - len - 1);
			sa_buf_cut(&b, b.len - len - 1);
		}
	}
}

/* The job is what the store says of it now. */
static int
reread(const struct sa_store *st, struct sa_launch *l, struct sa_err *err)
{
	json_t *now = NULL;

	if (sa_run_refresh(st, sa_json_str(l->job, "job_id"), &now, err) < 0)
		return -1;
	json_decref(l->job);
	l->job = now;
	return 0;
}

/* sa-supervise was not started or ended without a word: what is left is a job
 * that never ran, or one whose driver lives without it. */
static int
no_supervisor(const struct sa_store *st, const struct sa_settings *s,
    struct sa_launch *l, const char *why, struct sa_err *err)
{
	const char *pending_id = sa_json_str(l->job, "pending_id");
	struct sa_err local = SA_ERR_INIT;

	close(l->alive);
	l->alive = -1;
	if (reread(st, l, err) < 0)
		return -1;
	const char *state = sa_json_str(l->job, "state");
	if (state != NULL && strcmp(state, "FAILED") != 0)
		return 0;
	if (sa_launch_settle(st, pending_id, why, &local) < 0 ||
	    sa_audit_add(st, s, "failed", sa_json_str(l->job, "job_id"), NULL,
		why, &local) < 0)
		sa_warn("%s", local.msg);
	sa_err_clear(&local);
	sa_err_set(err, SA_IO, "%s did not start: %s",
	    sa_json_str(l->job, "job_id"), why);
	return sa_err_detail(err, json_incref(l->job));
}

int
sa_launch_start(const struct sa_store *st, const struct sa_settings *s,
    struct sa_launch *l, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	struct report r = { .failed = false };
	int fd = -1;

	if (spawn(st, s, l, &fd, &local) < 0) {
		int rc = no_supervisor(st, s, l, local.msg, err);
		sa_err_clear(&local);
		return rc;
	}
	cleanup_fd int status = fd;
	/* only sa-supervise holds it now: its end is the end of the job */
	close(l->alive);
	l->alive = -1;
	wait_ready(status, sa_run_names_application(l->job), &r);
	if (r.ended && !r.executed && !r.failed)
		return no_supervisor(st, s, l, "sa-supervise ended at once",
		    err);
	if (reread(st, l, err) < 0)
		return -1;
	if (!r.failed)
		return 0;
	sa_err_set(err, SA_CONFIG, "%s did not start: %s",
	    sa_json_str(l->job, "job_id"), r.why);
	return sa_err_detail(err, json_incref(l->job));
}
