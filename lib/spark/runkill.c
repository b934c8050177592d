/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/runkill.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/audit.h"
#include "spark/run.h"
#include "spark/runmark.h"

/* For a supervisor to write its mark or its exit.json, and for the kernel to
 * end a group after KILL. */
#define PATIENCE_MS 5000

static bool
is_final(const json_t *record)
{
	return sa_run_is_final(sa_json_str(record, "state"));
}

/* Sleeps, longer each time, until the deadline. */
static bool
pause_until(long long deadline, int *step_ms)
{
	long long left = deadline - sa_clock_ms();

	if (left <= 0)
		return false;
	poll(NULL, 0, left < *step_ms ? (int)left : *step_ms);
	*step_ms = *step_ms < 64 ? *step_ms * 2 : *step_ms;
	return true;
}

int
sa_run_kill_request(const struct sa_store *st, const struct sa_settings *s,
    const char *id, json_t **out, bool *ended, struct sa_err *err)
{
	cleanup_fd int lock = -1;
	json_auto_t *record = NULL;
	char now[SA_TIME_SIZE];

	if (sa_run_lock(st, id, &lock, &record, err) < 0)
		return -1;
	*ended = is_final(record);
	if (!*ended &&
	    sa_audit_add(st, s, "kill", id, NULL,
		sa_json_str(record, "pending_id"), err) < 0)
		return -1;
	if (!*ended && sa_json_str(record, "kill_requested_at") == NULL) {
		sa_clock_now(now);
		sa_json_set_str(record, "kill_requested_at", now);
		if (sa_run_write(st, record, err) < 0)
			return -1;
	}
	*out = sa_steal(&record);
	return 0;
}

/* The mark, waited for while a supervisor is about to write it. */
static int
find_mark(const struct sa_store *st, const char *id, struct sa_run_mark *mark,
    struct sa_err *err)
{
	long long deadline = sa_clock_ms() + PATIENCE_MS;
	struct sa_run_marks m;
	int step_ms = 1;

	do {
		if (sa_run_marks_read(st, id, &m, err) < 0)
			return -1;
		*mark = m.exec;
		bool waits = m.alive && !m.exec.there && m.exit == NULL;
		sa_run_marks_release(&m);
		if (!waits)
			return 0;
	} while (pause_until(deadline, &step_ms));
	return sa_err_set(err, SA_BUSY,
	    "job '%s' has a supervisor that has not started it yet", id);
}

/* What is somewhere else cannot be ended from here. */
static int
check_host(const char *id, const struct sa_run_mark *mark, struct sa_err *err)
{
	if (!mark->there || mark->here)
		return 0;
	sa_err_set(err, SA_REMOTE, "the driver of '%s' runs on '%s'", id,
	    mark->host);
	sa_err_hint(err, "run sa-yarn kill there");
	return sa_err_agent_hint(err, "somebody has to end it there");
}

static int
send_signal(const struct sa_run_mark *mark, int sig, struct sa_err *err)
{
	if (!sa_run_driver_lives(mark) || kill(-mark->pgid, sig) == 0 ||
	    errno == ESRCH)
		return 0;
	return sa_err_errno(err, errno == EPERM ? SA_REFUSED : SA_IO, errno,
	    "cannot signal process group %d", (int)mark->pgid);
}

/* Whether the group is empty by the deadline. */
static bool
gone_by(const struct sa_run_mark *mark, long long deadline)
{
	int step_ms = 2;

	while (sa_run_driver_lives(mark))
		if (!pause_until(deadline, &step_ms))
			return false;
	return true;
}

static int
end_group(const struct sa_run_mark *mark, int grace_ms, struct sa_err *err)
{
	/* a stopped process takes TERM when it goes on */
	if (send_signal(mark, SIGTERM, err) < 0 ||
	    send_signal(mark, SIGCONT, err) < 0)
		return -1;
	if (gone_by(mark, sa_clock_ms() + grace_ms))
		return 0;
	sa_info("process group %d did not end on TERM within %d ms",
	    (int)mark->pgid, grace_ms);
	if (send_signal(mark, SIGKILL, err) < 0)
		return -1;
	if (gone_by(mark, sa_clock_ms() + PATIENCE_MS))
		return 0;
	sa_err_set(err, SA_BUSY,
	    "process group %d has processes left that KILL did not end",
	    (int)mark->pgid);
	return sa_err_hint(err, "the kill was requested; try again");
}

/* We saw it go, but there is nobody to write how. */
static int
end_orphan(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err)
{
	cleanup_fd int lock = -1;
	json_auto_t *record = NULL;
	const char *state;

	if (sa_run_lock(st, id, &lock, &record, err) < 0)
		return -1;
	state = sa_json_str(record, "state");
	if (!is_final(record) || strcmp(state, "LOST") == 0) {
		sa_run_end(record, "KILLED", NULL,
		    "killed; its supervisor had ended before, so its exit "
		    "status is not known");
		if (sa_run_write(st, record, err) < 0)
			return -1;
	}
	*out = sa_steal(&record);
	return 0;
}

/* What became of it. had_driver: a driver was there when we signalled. */
static int
settle(const struct sa_store *st, const char *id, bool had_driver, json_t **out,
    struct sa_err *err)
{
	long long deadline = sa_clock_ms() + PATIENCE_MS;
	struct sa_run_marks m;
	int step_ms = 1;

	do {
		if (sa_run_marks_read(st, id, &m, err) < 0)
			return -1;
		bool orphan = !m.alive && m.exit == NULL;
		sa_run_marks_release(&m);
		if (orphan && had_driver)
			return end_orphan(st, id, out, err);
		json_auto_t *record = NULL;
		if (sa_run_refresh(st, id, &record, err) < 0)
			return -1;
		if (is_final(record)) {
			*out = sa_steal(&record);
			return 0;
		}
	} while (pause_until(deadline, &step_ms));
	sa_err_set(err, SA_BUSY,
	    "job '%s' was killed, but its supervisor has not said so yet", id);
	sa_err_hint(err, "see sa-yarn status %s", id);
	return sa_err_agent_hint(err, "see get_job_status");
}

int
sa_run_kill_group(const struct sa_store *st, const char *id, int grace_ms,
    bool *had, struct sa_err *err)
{
	struct sa_run_mark mark;

	*had = false;
	if (find_mark(st, id, &mark, err) < 0)
		return -1;
	if (check_host(id, &mark, err) < 0)
		return -1;
	*had = sa_run_driver_lives(&mark);
	return *had ? end_group(&mark, grace_ms, err) : 0;
}

int
sa_run_kill_outcome(const struct sa_store *st, const struct sa_settings *s,
    const char *id, const char *state, const char *why, struct sa_err *err)
{
	if (why == NULL)
		return sa_audit_add(st, s, "killed", id, NULL, state, err);
	return sa_audit_add(st, s, "kill-failed", id, NULL, why, err);
}

/* No wish is stored that cannot be carried out from here. */
static int
check_reach(const struct sa_store *st, const char *id, struct sa_err *err)
{
	struct sa_run_marks m;

	if (sa_run_marks_read(st, id, &m, err) < 0)
		return -1;
	int rc = check_host(id, &m.exec, err);
	sa_run_marks_release(&m);
	return rc;
}

int
sa_run_kill(const struct sa_store *st, const struct sa_settings *s,
    const char *id, int grace_ms, json_t **out, bool *ended, struct sa_err *err)
{
	json_auto_t *record = NULL, *after = NULL;
	bool had = false;

	if (sa_run_refresh(st, id, &record, err) < 0)
		return -1;
	*ended = is_final(record);
	if (!*ended) {
		json_decref(record);
		record = NULL;
		if (check_reach(st, id, err) < 0 ||
		    sa_run_kill_request(st, s, id, &record, ended, err) < 0)
			return -1;
	}
	if (*ended) {
		*out = sa_steal(&record);
		return 0;
	}
	if (sa_run_kill_group(st, id, grace_ms, &had, err) < 0 ||
	    settle(st, id, had, &after, err) < 0) {
		/* the failure counts more than that of its audit line */
		sa_run_kill_outcome(st, s, id, NULL,
		    err != NULL ? err->msg : "no reason", NULL);
		return -1;
	}
	if (sa_run_kill_outcome(st, s, id, sa_json_str(after, "state"), NULL,
		err) < 0)
		return -1;
	*out = sa_steal(&after);
	return 0;
}
