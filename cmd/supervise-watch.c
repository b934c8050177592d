/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"
#include "spark/launch.h"
#include "spark/run.h"
#include "supervise.h"

/* Between two looks at the output of a driver that writes all the time. */
#define PACE_MS 5
/* Without inotify. */
#define POLL_MS 250
/* How long the rest of a group may take to go after spark-submit did. */
#define GRACE_MS 3000
#define GROUP_MS 20
/* From TERM to KILL for a spark-submit that got no id in time. */
#define LATE_MS 10000

/* Tells sa_launch_start(); it may be gone, and then nobody wants to know. */
void
supervise_tell(struct supervisor *v, const char *word, const char *text)
{
	if (v->status >= 0)
		dprintf(v->status, "%s%s\n", word, text);
}

void
supervise_hush(struct supervisor *v)
{
	if (v->status >= 0)
		close(v->status);
	v->status = -1;
}

/* How far a state is; somebody who asked the cluster may know more than a
 * log that we read later. */
static int
rank(const char *state)
{
	static const char *const states[] = { "SUBMITTING", "SUBMITTED",
		"ACCEPTED", "RUNNING" };

	for (int i = 0; i < 4; i++)
		if (state != NULL && strcmp(states[i], state) == 0)
			return i;
	return 4;
}

/* The state as the driver's start and log lines tell it. */
void
supervise_update(struct supervisor *v, const char *state, const char *app)
{
	json_auto_t *job = NULL;
	struct sa_err err = SA_ERR_INIT;
	char now[SA_TIME_SIZE];
	cleanup_fd int lock = -1;

	if (sa_run_lock(v->store, v->id, &lock, &job, &err) == 0) {
		sa_clock_now(now);
		if (rank(sa_json_str(job, "state")) >= rank(state))
			state = NULL;
		if (state != NULL)
			sa_json_set_str(job, "state", state);
		if (state != NULL && strcmp(state, "RUNNING") == 0)
			sa_json_set_str(job, "started_at", now);
		if (app != NULL && *app != '\0')
			sa_json_set_str(job, "application_id", app);
		if (sa_run_write(v->store, job, &err) == 0)
			sa_info("%s: %s %s", v->id, state ? state : "",
			    app ? app : "");
	}
	if (err.kind != SA_OK)
		sa_warn("%s: %s", v->id, err.msg);
	sa_err_clear(&err);
}

/* Reads the driver's log and bounds its output. */
static void
look(struct supervisor *v)
{
	if (v->scan.fd >= 0) {
		bool known = *v->scan.id != '\0';
		if (sa_id_scan_more(&v->scan)) {
			supervise_update(v, v->scan.state, v->scan.id);
			if (!known) {
				supervise_tell(v, SA_LAUNCH_ID, v->scan.id);
				supervise_hush(v);
			}
		}
		if (v->scan.state != NULL &&
		    strcmp(v->scan.state, "RUNNING") == 0) {
			close(v->scan.fd);
			v->scan.fd = -1;
		}
	}
	sa_stream_bound(&v->out, v->output_max);
	sa_stream_bound(&v->err, v->output_max);
}

/* Reaps whatever ended: spark-submit, and what it left to us. */
static void
reap(struct supervisor *v)
{
	struct signalfd_siginfo info[8];
	pid_t pid;
	int how;

	while (read(v->signals, info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &how, WNOHANG)) > 0)
		if (pid == v->pid) {
			v->ended = true;
			v->how = how;
		}
}

/* Waits for output or an end, then looks. A driver that writes all the time
 * is looked at at its own pace, not at each write. */
static void
watch(struct supervisor *v, int ms)
{
	struct pollfd p[2] = { { v->signals, POLLIN, 0 },
		{ v->changes, POLLIN, 0 } };
	char events[4096];

	if (v->changes < 0 && (ms < 0 || ms > POLL_MS))
		ms = POLL_MS;
	if (poll(p, 2, ms) < 0 && errno != EINTR)
		sa_warn("poll: errno %d", errno);
	if (p[1].revents != 0) {
		while (read(v->changes, events, sizeof(events)) > 0)
			;
		poll(p, 1, PACE_MS);
	}
	reap(v);
	look(v);
}

static bool
kill_requested(const struct supervisor *v)
{
	json_auto_t *job = NULL;

	return sa_run_read(v->store, v->id, &job, NULL) == 0 &&
	    sa_json_str(job, "kill_requested_at") != NULL;
}

/*
 * Whether the time to get an id runs: a cluster that is not there keeps
 * spark-submit retrying for long. A driver on this host may do other work
 * before it asks for a cluster, and says so in its log when it does; one whose
 * log does not say that much does not tell an id either.
 */
static bool
id_is_due(const struct supervisor *v)
{
	if (v->scan.fd < 0 || *v->scan.id != '\0')
		return false;
	return v->in_cluster || v->scan.context;
}

/* How long to sleep at most, -1 for ever. Ends what took too long. */
static int
mind_the_time(struct supervisor *v)
{
	long long now = sa_clock_ms();

	if (!id_is_due(v))
		return -1;
	if (v->deadline == 0)
		v->deadline = now +
		    1000 *
			sa_settings_number(v->settings, SA_SET_SUBMIT_TIMEOUT);
	if (now >= v->deadline) {
		if (!v->timed_out)
			sa_warn("%s: no application id within %s", v->id,
			    sa_settings_get(v->settings,
				SA_SET_SUBMIT_TIMEOUT));
		kill(-v->pid, v->timed_out ? SIGKILL : SIGTERM);
		v->timed_out = true;
		v->deadline = now + LATE_MS;
	}
	return v->deadline - now < INT_MAX ? (int)(v->deadline - now) : INT_MAX;
}

/* Python outlives the JVM that started it: the group is what has to end. */
static void
wait_for_group(struct supervisor *v)
{
	long long end = sa_clock_ms() + GRACE_MS;
	bool killed = false;

	while (sa_proc_group_alive(v->pid)) {
		if (sa_clock_ms() >= end) {
			if (killed || (!v->timed_out && !kill_requested(v)))
				break;
			kill(-v->pid, SIGKILL);
			killed = true;
			end = sa_clock_ms() + GRACE_MS;
		}
		watch(v, GROUP_MS);
	}
	if (sa_proc_group_alive(v->pid))
		sa_warn("%s: spark-submit ended, processes of its group %ld "
			"go on",
		    v->id, (long)v->pid);
	reap(v);
	look(v);
}

/* Without inotify we look from time to time. */
static void
watch_output(struct supervisor *v)
{
	static const char *const names[] = { "stdout", "stderr" };

	v->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	for (int i = 0; i < 2 && v->changes >= 0; i++) {
		cleanup_free char *path = sa_xasprintf("%s/runs/%s/%s",
		    sa_store_path(v->store), v->id, names[i]);
		if (inotify_add_watch(v->changes, path, IN_MODIFY) < 0) {
			close(v->changes);
			v->changes = -1;
		}
	}
}

void
supervise_watch(struct supervisor *v)
{
	watch_output(v);
	malloc_trim(0);
	reap(v);
	look(v);
	while (!v->ended)
		watch(v, mind_the_time(v));
	wait_for_group(v);
}
