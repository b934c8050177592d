/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/boxserve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "sandbox/boxexec.h"
#include "sandbox/landlock.h"
#include "sandbox/netlog.h"

#define SWEEP_MS 1000
#define REST_S 10 /* at most, since clocks are set */

#define NO_COMMAND(s)                                        \
	(struct sa_boxcommand)                               \
	{                                                    \
		.sock = (s), .reads = { -1, -1 }, .tty = -1, \
		.log = {.fd = -1 }                           \
	}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* One piece of what a command writes, which nobody waits for: into its log,
 * or nowhere. */
static void
drain(struct sa_boxcommand *j, int k)
{
	char space[SA_BOXLOG_PIECE];
	ssize_t n = read(j->reads[k], space, sizeof(space));

	if (n > 0 && j->log.fd >= 0)
		sa_boxlog_add(&j->log, k, space, (size_t)n);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close_fd(&j->reads[k]);
}

/* A detached command has ended: its log gets what the pipes hold, no more. */
static void
end_log(const struct sa_boxserve *in, struct sa_boxcommand *j, int status,
    const char *why)
{
	const struct sa_netlog *net = NULL;
	int left;

	if (j->log.fd < 0)
		return;
	for (int k = 0; k < 2; k++) {
		if (j->reads[k] < 0 || ioctl(j->reads[k], FIONREAD, &left) < 0)
			continue;
		for (; left > 0 && j->reads[k] >= 0; left -= SA_BOXLOG_PIECE)
			drain(j, k);
	}
	if (in->egress >= 0)
		net = sa_netlog_see(in->egress);
	sa_boxlog_end(&j->log, status, j->stage > 0 && !j->ended, why, net);
	sa_netlog_unsee(net);
	j->released = true;
}

/* The end of process 1 is the end of all of them. */
static void __attribute__((noreturn))
end(struct sa_boxserve *in, const char *why)
{
	for (size_t i = 0; i < in->n; i++) {
		if (in->jobs[i].sock >= 0)
			sa_box_say(in->jobs[i].sock, SA_BOX_OVER, 0, 0, why);
		end_log(in, &in->jobs[i], SIGKILL, why);
	}
	_exit(0);
}

static ino_t
mark_of(int at, const char *path)
{
	struct stat st;

	return fstatat(at, path, &st, 0) == 0 ? st.st_ino : 0;
}

/* Kills what has the mark; how many it met. */
static int
kill_marked(struct sa_boxserve *in, ino_t mark)
{
	char path[NAME_MAX + 16];
	int met = 0;
	cleanup_fd int fd = openat(in->proc, ".", O_RDONLY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (d == NULL)
		return 1; /* cannot tell: not done */
	fd = -1;
	while ((e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		if (pid <= 1)
			continue;
		snprintf(path, sizeof(path), "%s/ns/uts", e->d_name);
		if (mark_of(in->proc, path) == mark && kill(pid, SIGKILL) == 0)
			met++;
	}
	closedir(d);
	return met;
}

static void
reap(struct sa_boxserve *in)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < in->n; i++) {
			struct sa_boxcommand *j = &in->jobs[i];
			if (j->pid != pid)
				continue;
			j->pid = 0;
			close_fd(&j->tty);
			if (sa_boxwatch_killed(&in->watch))
				end(in, "memory");
			siginfo_t si;
			bool alone = waitid(P_ALL, 0, &si,
					 WEXITED | WNOHANG | WNOWAIT) < 0;
			end_log(in, j, status, "");
			if (j->sock >= 0)
				sa_box_say(j->sock, SA_BOX_EXITED, status,
				    !alone, "");
			if (alone && in->n == 1)
				_exit(0);
		}
}

/*
 * Ends a command with all that came of it. Where nothing else runs the end is
 * the namespace's. Else its processes are sought; those that breed faster
 * than they are killed take the others with them.
 */
static void
kill_job(struct sa_boxserve *in, struct sa_boxcommand *j)
{
	size_t others = 0;

	for (size_t i = 0; i < in->n; i++)
		others += &in->jobs[i] != j && in->jobs[i].mark != 0;
	if (others == 0 && !in->shared)
		end(in, "");
	if (j->mark == 0)
		return;
	long long until = sa_clock_ms() + SWEEP_MS;
	while (kill_marked(in, j->mark) > 0) {
		reap(in);
		if (sa_clock_ms() > until)
			end(in, "processes");
		(void)poll(NULL, 0, 1); /* lets them die */
	}
	if (j->sock >= 0)
		sa_box_say(j->sock, SA_BOX_OVER, 0, 1, "");
}

static void
drop_job(struct sa_boxserve *in, size_t i)
{
	struct sa_boxcommand *j = &in->jobs[i];

	close_fd(&j->sock);
	close_fd(&j->reads[0]);
	close_fd(&j->reads[1]);
	close_fd(&j->tty);
	close_fd(&j->log.fd);
	*j = in->jobs[--in->n];
}

/* The child's side: never returns. */
static void __attribute__((noreturn))
become(const struct sa_boxcommand *j, const int fds[SA_BOX_FDS])
{
	const char *what = "a session of its own";
	const int pipes[3] = { fds[SA_BOX_FD_IN], fds[SA_BOX_FD_OUT],
		fds[SA_BOX_FD_ERR] };
	const int tty[3] = { j->tty, j->tty, j->tty };
	int why = 0;

	if (setsid() < 0 || (j->tty >= 0 && ioctl(j->tty, TIOCSCTTY, 0) < 0))
		why = errno;
	else
		why = sa_boxexec(fds[SA_BOX_FD_JOB], j->tty < 0 ? pipes : tty,
		    &what);
	sa_box_say(j->sock, SA_BOX_NOEXEC, why, 0, what);
	_exit(127);
}

static int
start(struct sa_boxserve *in, struct sa_boxcommand *j,
    const int fds[SA_BOX_FDS])
{
	if (unshare(CLONE_NEWUTS) < 0 ||
	    (j->mark = mark_of(in->proc, "1/ns/uts")) == 0)
		return -1;
	/* nobody is there who could stop it on its way: then it may have our
	 * memory until it is the command, and needs no copy */
	pid_t pid = in->n == 1 && !in->shared ? vfork() : fork();
	if (pid == 0)
		become(j, fds);
	j->pid = pid > 0 ? pid : 0;
	return pid < 0 ? -1 : 0;
}

/* Says that the command was taken, for which it has its terminal. */
static int
accept_run(struct sa_boxcommand *j, const struct sa_box_msg *run)
{
	const struct sa_box_msg m = { .what = SA_BOX_BEGUN };
	int pty[2] = { -1, -1 };

	if ((run->value & SA_BOX_PTY) && sa_boxroot_pty(pty, run->left) < 0)
		return -1;
	j->tty = pty[1];
	/* who went already is found out by poll, and ends the command */
	(void)sa_box_send(j->sock, &m, pty, pty[0] >= 0 ? 1 : 0);
	close_fd(&pty[0]);
	return 0;
}

/* Of a command that never was. */
static void
say_not_begun(const struct sa_boxserve *in, struct sa_boxcommand *j,
    const char *what)
{
	int why = errno;

	end_log(in, j, 127 << 8, "");
	sa_box_say(j->sock, SA_BOX_NOEXEC, why, 0, what);
	sa_box_say(j->sock, SA_BOX_EXITED, 127 << 8, 1, "");
}

static void
take_run(struct sa_boxserve *in, struct sa_boxcommand *j,
    const struct sa_box_msg *run, int fds[SA_BOX_FDS])
{
	if (run->value & SA_BOX_DETACH) {
		j->end_ms =
		    sa_clock_ms() + sa_boxlog_take(&j->log, fds[SA_BOX_FD_LOG]);
		(void)strlcpy(j->id, run->text, sizeof(j->id));
		in->shared = true; /* with whom it goes on beside */
		/* who started us may be ended as one group, and it goes on */
		(void)setsid();
	}
	if (accept_run(j, run) < 0)
		say_not_begun(in, j, "a terminal");
	else if (start(in, j, fds) < 0)
		say_not_begun(in, j, "a process");
	for (int k = 0; k < SA_BOX_FD_OUT_READ; k++)
		close_fd(&fds[k]);
	close_fd(&fds[SA_BOX_FD_STARTED]);
	j->reads[0] = fds[SA_BOX_FD_OUT_READ];
	j->reads[1] = fds[SA_BOX_FD_ERR_READ];
}

/* How many commands run. */
static int
running(const struct sa_boxserve *in)
{
	int n = 0;

	for (size_t i = 0; i < in->n; i++)
		n += in->jobs[i].pid > 0;
	return n;
}

static void
end_detached(struct sa_boxserve *in, const char *id)
{
	for (size_t i = 0; i < in->n; i++) {
		struct sa_boxcommand *j = &in->jobs[i];
		if (j->log.fd < 0 || j->stage > 0 || strcmp(j->id, id) != 0)
			continue;
		j->ended = true;
		j->end_ms = 0;
	}
}

/* How long nothing happens but what init is told of: without limits that are
 * looked at in turns that is long, and a sandbox at rest wakes nobody up. */
static long long
rest_of(const struct sa_boxserve *in)
{
	const struct sa_boxwatch *w = &in->watch;
	long long left = in->until_s - (long long)time(NULL) - 1;

	if (w->memory > 0 || w->disk > 0 || w->events >= 0 || left <= 0)
		return w->turn_ms;
	return (left < REST_S ? left : REST_S) * 1000;
}

/* Ends the detached whose time is over, with what they left; how long nothing
 * is to be done. */
static int
look_at_time(struct sa_boxserve *in)
{
	long long now = sa_clock_ms(), wait = rest_of(in);

	for (size_t i = 0; i < in->n; i++) {
		struct sa_boxcommand *j = &in->jobs[i];
		if (*j->id == '\0' || j->stage > 1 ||
		    (j->pid == 0 && j->stage == 0))
			continue;
		if (j->pid > 0 && now < j->end_ms) {
			wait = j->end_ms - now < wait ? j->end_ms - now : wait;
			continue;
		}
		if (j->stage++ == 0) {
			kill(-j->pid, SIGTERM);
			j->end_ms = now + SA_BOX_GRACE_MS;
			wait = wait < SA_BOX_GRACE_MS ? wait : SA_BOX_GRACE_MS;
		} else
			kill_job(in, j);
	}
	return (int)wait;
}

/* What the supervisor says. false: this job is no more. */
static bool
listen_to(struct sa_boxserve *in, struct sa_boxcommand *j)
{
	struct sa_box_msg m;
	int fds[SA_BOX_FDS];

	if (sa_box_recv(j->sock, &m, fds, SA_BOX_FDS) < 0) {
		if (errno == EAGAIN)
			return true;
		bool goes_on = j->released || j->log.fd >= 0;
		if (!goes_on)
			kill_job(in, j);
		close_fd(&j->sock);
		return goes_on;
	}
	int last = m.value & SA_BOX_PTY ? SA_BOX_FD_JOB
	    : m.value & SA_BOX_DETACH	? SA_BOX_FD_STARTED
					: SA_BOX_FD_ERR_READ;
	if (m.what == SA_BOX_RUN && j->mark == 0 && fds[last] >= 0) {
		take_run(in, j, &m, fds);
		return true;
	}
	for (int k = 0; k < SA_BOX_FDS; k++)
		close_fd(&fds[k]);
	if (m.what == SA_BOX_TERM && j->pid > 0)
		kill(-j->pid, SIGTERM);
	else if (m.what == SA_BOX_KILL && *m.text == '\0')
		kill_job(in, j);
	else if (m.what == SA_BOX_KILL)
		end_detached(in, m.text);
	else if (m.what == SA_BOX_COUNT)
		sa_box_say(j->sock, SA_BOX_COUNTED, running(in), 0, "");
	else if (m.what == SA_BOX_RELEASE) {
		j->released = true;
		in->shared = true;
		/* what our caller started may be ended as one group */
		(void)setsid();
	}
	return true;
}

/* Only whoever is outside of the PID namespace has no number in it. */
static void
welcome(struct sa_boxserve *in)
{
	struct ucred who;
	socklen_t len = sizeof(who);
	int fd = accept4(in->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	bool ours = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
	    who.pid == 0;
	if (in->n == SA_BOX_JOBS || !ours) {
		if (ours)
			sa_box_say(fd, SA_BOX_FULL, 0, 0, "");
		close(fd);
		return;
	}
	in->jobs[in->n++] = NO_COMMAND(fd);
	/* whoever started us may be ended as one group, and this one goes on */
	(void)setsid();
}

/* Whether somebody has removed the tree without ending what runs there, which
 * nobody would find any more. */
static bool
is_removed(const struct sa_boxserve *in)
{
	struct stat st;

	return !in->once && stat(SA_BOX_WORKDIR, &st) == 0 && st.st_nlink == 0;
}

static void
look_at_limits(struct sa_boxserve *in)
{
	const char *why = NULL;
	long long now = sa_clock_ms();

	if (now - in->watched_ms < in->watch.turn_ms)
		return;
	in->watched_ms = now;
	if (in->until_s > 0 && time(NULL) >= in->until_s)
		why = "expired";
	else if (is_removed(in))
		why = "removed";
	else
		why = sa_boxwatch(&in->watch, in->proc);
	if (why != NULL)
		end(in, why);
}

/* Until no process and nobody who wants one is left. */
static bool
has_work(const struct sa_boxserve *in)
{
	siginfo_t si;

	for (size_t i = 0; i < in->n; i++)
		if (in->jobs[i].sock >= 0)
			return true;
	return waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Whether somebody follows a command; where that ends, and whenever nothing
 * happened for a turn, memory is given back. */
static void
see_idle(struct sa_boxserve *in)
{
	bool was = in->idle;

	in->idle = true;
	for (size_t i = 0; i < in->n; i++)
		in->idle &= in->jobs[i].sock < 0;
	if (!in->idle || (was && !in->quiet))
		return;
	if (in->small >= 0)
		sa_boxsmall(in);
	sa_boxidle();
}

static void
one_round(struct sa_boxserve *in)
{
	struct pollfd p[2 + 3 * SA_BOX_JOBS];
	nfds_t n = 2;
	size_t jobs = in->n;
	bool gone[SA_BOX_JOBS] = { false };

	p[0] = (struct pollfd){ in->signals, POLLIN, 0 };
	p[1] = (struct pollfd){ in->listener, POLLIN, 0 };
	for (size_t i = 0; i < jobs; i++) {
		struct sa_boxcommand *j = &in->jobs[i];
		bool ours = j->released || j->log.fd >= 0;
		p[n++] = (struct pollfd){ j->sock, POLLIN, 0 };
		for (int k = 0; k < 2; k++)
			p[n++] = (struct pollfd){ ours ? j->reads[k] : -1,
				POLLIN, 0 };
	}
	int wait = look_at_time(in);
	see_idle(in);
	int rc = poll(p, n, wait);
	in->quiet = rc == 0;
	if (rc <= 0)
		return;
	if (p[0].revents != 0) {
		struct signalfd_siginfo si;
		(void)!read(in->signals, &si, sizeof(si));
		reap(in);
	}
	for (size_t i = 0; i < jobs; i++) {
		struct sa_boxcommand *j = &in->jobs[i];
		if (p[2 + 3 * i].revents != 0)
			gone[i] = !listen_to(in, j);
		for (int k = 0; k < 2; k++)
			if (p[3 + 3 * i + (nfds_t)k].revents != 0)
				drain(j, k);
		/* at stage 1 what it left is still to be ended */
		gone[i] |= j->sock < 0 && j->log.fd < 0 && j->stage != 1 &&
		    j->reads[0] < 0 && j->reads[1] < 0;
	}
	if (p[1].revents != 0)
		welcome(in);
	for (size_t i = jobs; i-- > 0;)
		if (gone[i])
			drop_job(in, i);
}

int
sa_boxserve_begin(struct sa_boxserve *in, const struct sa_box_plan *plan,
    int first)
{
	sigset_t mask;

	*in = (struct sa_boxserve){ .listener = plan->listener,
		.net = plan->net,
		.egress = plan->egress,
		.small = plan->small,
		.until_s = plan->until_s,
		.once = plan->spec->once,
		.n = 1 };
	in->jobs[0] = NO_COMMAND(first);
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_SETMASK, &mask, NULL) < 0)
		return -1;
	in->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	in->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	sa_boxwatch_init(&in->watch, plan->spec, plan->group);
	if (in->signals < 0 || in->proc < 0 || sa_landlock_scope() < 0)
		return -1;
	return in->listener < 0 ? 0 : listen(in->listener, SA_BOX_JOBS);
}

void
sa_boxserve(struct sa_boxserve *in)
{
	do {
		one_round(in);
		look_at_limits(in);
	} while (has_work(in));
	_exit(0);
}
