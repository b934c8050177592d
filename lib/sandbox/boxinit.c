/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "sandbox/box.h"
#include "sandbox/boxexec.h"
#include "sandbox/boxlog.h"
#include "sandbox/boxwatch.h"
#include "sandbox/cgroup.h"
#include "sandbox/landlock.h"
#include "sandbox/netinside.h"
#include "sandbox/netlog.h"

#define SWEEP_MS 1000
#define REST_S 10 /* at most, since clocks are set */

/* One command. mark is its UTS namespace, which nothing that descends from
 * it can leave: that tells its processes from those of others. */
struct job {
	int sock;      /* -1: the supervisor has gone */
	pid_t pid;     /* 0: not begun, or reaped */
	ino_t mark;    /* 0: not begun */
	bool released; /* the answer was taken */
	int reads[2];
	int tty; /* its terminal, so that it does not hang up too early */
	struct sa_boxlog log; /* of a detached one */
	char id[SA_ID_SIZE];
	long long end_ms; /* when its time is over */
	int stage;	  /* of its end: TERM, KILL */
	bool ended;	  /* because somebody wanted it, not by its time */
};
#define NO_JOB(s)                                            \
	(struct job)                                         \
	{                                                    \
		.sock = (s), .reads = { -1, -1 }, .tty = -1, \
		.log = {.fd = -1 }                           \
	}

struct init {
	const struct sa_box_plan *plan;
	struct job jobs[SA_BOX_JOBS];
	size_t n;
	bool shared; /* processes of an earlier command are left */
	int signals, proc;
	struct sa_boxwatch watch;
	long long watched_ms;
	const struct sa_netlog *net; /* NULL where there is no network */
	bool idle;		     /* only what commands left is there */
	bool quiet;		     /* nothing came of the last round */
};

static void
say(int sock, enum sa_box_what what, int value, int left, const char *text)
{
	struct sa_box_msg m = { .what = what, .value = value, .left = left };

	snprintf(m.text, sizeof(m.text), "%s", text);
	/* who does not listen any more is found out by poll */
	(void)sa_box_send(sock, &m, NULL, 0);
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
drain(struct job *j, int k)
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
end_log(const struct init *in, struct job *j, int status, const char *why)
{
	int left;

	if (j->log.fd < 0)
		return;
	for (int k = 0; k < 2; k++) {
		if (j->reads[k] < 0 || ioctl(j->reads[k], FIONREAD, &left) < 0)
			continue;
		for (; left > 0 && j->reads[k] >= 0; left -= SA_BOXLOG_PIECE)
			drain(j, k);
	}
	sa_boxlog_end(&j->log, status, j->stage > 0 && !j->ended, why, in->net);
	j->released = true;
}

/* The end of process 1 is the end of all of them. */
static void __attribute__((noreturn)) end(struct init *in, const char *why)
{
	for (size_t i = 0; i < in->n; i++) {
		if (in->jobs[i].sock >= 0)
			say(in->jobs[i].sock, SA_BOX_OVER, 0, 0, why);
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
kill_marked(struct init *in, ino_t mark)
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
reap(struct init *in)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < in->n; i++) {
			struct job *j = &in->jobs[i];
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
				say(j->sock, SA_BOX_EXITED, status, !alone, "");
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
kill_job(struct init *in, struct job *j)
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
		say(j->sock, SA_BOX_OVER, 0, 1, "");
}

static void
drop_job(struct init *in, size_t i)
{
	struct job *j = &in->jobs[i];

	close_fd(&j->sock);
	close_fd(&j->reads[0]);
	close_fd(&j->reads[1]);
	close_fd(&j->tty);
	close_fd(&j->log.fd);
	*j = in->jobs[--in->n];
}

/* The child's side: never returns. */
static void __attribute__((noreturn))
become(const struct job *j, const int fds[SA_BOX_FDS])
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
	say(j->sock, SA_BOX_NOEXEC, why, 0, what);
	_exit(127);
}

static int
start(struct init *in, struct job *j, const int fds[SA_BOX_FDS])
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
accept_run(struct job *j, const struct sa_box_msg *run)
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
say_not_begun(const struct init *in, struct job *j, const char *what)
{
	int why = errno;

	end_log(in, j, 127 << 8, "");
	say(j->sock, SA_BOX_NOEXEC, why, 0, what);
	say(j->sock, SA_BOX_EXITED, 127 << 8, 1, "");
}

static void
take_run(struct init *in, struct job *j, const struct sa_box_msg *run,
    int fds[SA_BOX_FDS])
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
running(const struct init *in)
{
	int n = 0;

	for (size_t i = 0; i < in->n; i++)
		n += in->jobs[i].pid > 0;
	return n;
}

static void
end_detached(struct init *in, const char *id)
{
	for (size_t i = 0; i < in->n; i++) {
		struct job *j = &in->jobs[i];
		if (j->log.fd < 0 || j->stage > 0 || strcmp(j->id, id) != 0)
			continue;
		j->ended = true;
		j->end_ms = 0;
	}
}

/* How long nothing happens but what init is told of: without limits that are
 * looked at in turns that is long, and a sandbox at rest wakes nobody up. */
static long long
rest_of(const struct init *in)
{
	const struct sa_boxwatch *w = &in->watch;
	long long left = in->plan->until_s - (long long)time(NULL) - 1;

	if (w->memory > 0 || w->disk > 0 || w->group != NULL || left <= 0)
		return w->turn_ms;
	return (left < REST_S ? left : REST_S) * 1000;
}

/* Ends the detached whose time is over, with what they left; how long nothing
 * is to be done. */
static int
look_at_time(struct init *in)
{
	long long now = sa_clock_ms(), wait = rest_of(in);

	for (size_t i = 0; i < in->n; i++) {
		struct job *j = &in->jobs[i];
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
listen_to(struct init *in, struct job *j)
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
		say(j->sock, SA_BOX_COUNTED, running(in), 0, "");
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
welcome(struct init *in)
{
	struct ucred who;
	socklen_t len = sizeof(who);
	int fd = accept4(in->plan->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (in->n == SA_BOX_JOBS ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0 ||
	    who.pid != 0) {
		close(fd);
		return;
	}
	in->jobs[in->n++] = NO_JOB(fd);
	/* whoever started us may be ended as one group, and this one goes on */
	(void)setsid();
}

/* Whether somebody has removed the tree without ending what runs there, which
 * nobody would find any more. */
static bool
is_removed(const struct init *in)
{
	struct stat st;

	return !in->plan->spec->once && stat(SA_BOX_WORKDIR, &st) == 0 &&
	    st.st_nlink == 0;
}

static void
look_at_limits(struct init *in)
{
	const char *why = NULL;
	long long now = sa_clock_ms();

	if (now - in->watched_ms < in->watch.turn_ms)
		return;
	in->watched_ms = now;
	if (in->plan->until_s > 0 && time(NULL) >= in->plan->until_s)
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
has_work(const struct init *in)
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
see_idle(struct init *in)
{
	bool was = in->idle;

	in->idle = true;
	for (size_t i = 0; i < in->n; i++)
		in->idle &= in->jobs[i].sock < 0;
	if (in->idle && (!was || in->quiet))
		sa_boxidle();
}

static void
one_round(struct init *in)
{
	struct pollfd p[2 + 3 * SA_BOX_JOBS];
	nfds_t n = 2;
	size_t jobs = in->n;
	bool gone[SA_BOX_JOBS] = { false };

	p[0] = (struct pollfd){ in->signals, POLLIN, 0 };
	p[1] = (struct pollfd){ in->plan->listener, POLLIN, 0 };
	for (size_t i = 0; i < jobs; i++) {
		struct job *j = &in->jobs[i];
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
		struct job *j = &in->jobs[i];
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

static void
bring_up_loopback(void)
{
	struct ifreq r = { .ifr_name = "lo" };
	cleanup_fd int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	r.ifr_flags = IFF_UP;
	/* a host without it has no loopback to miss */
	if (s >= 0)
		(void)ioctl(s, SIOCSIFFLAGS, &r);
}

static int
by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Only those stay open; fds are sorted, and -1 is none. */
static int
keep_only(int *fds, size_t n)
{
	unsigned from = 3;
	cleanup_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -1;
	qsort(fds, n, sizeof(*fds), by_number);
	for (int i = 0; i < 3; i++)
		if (bsearch(&i, fds, n, sizeof(*fds), by_number) == NULL &&
		    dup2(null, i) < 0)
			return -1;
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < (int)from)
			continue;
		if (fds[i] > (int)from &&
		    close_range(from, (unsigned)fds[i] - 1, 0) < 0)
			return -1;
		from = (unsigned)fds[i] + 1;
	}
	null = -1;
	return (int)close_range(from, ~0U, 0);
}

static void __attribute__((noreturn)) fail(int go, const char *step)
{
	say(go, SA_BOX_FAULT, errno, 0, step);
	_exit(1);
}

/* The namespaces' furniture; step as in box.h, what netinside.h gives. What
 * needs no ids is done while the other side maps them. */
static int
set_up(const struct sa_box_plan *plan, int go, const char **step)
{
	struct sa_boxroot *root;
	char c;

	umask(022);
	if (sa_boxroot_open(plan, &root, step) < 0)
		return -1;
	*step = "a host name";
	if (sethostname(SA_BOX_HOST, strlen(SA_BOX_HOST)) < 0)
		return -1;
	bring_up_loopback();
	if (read(go, &c, 1) != 1)
		_exit(1);
	/* of the group that it was moved to, which it then sees as the root */
	*step = "control groups of its own";
	if (plan->group != NULL && unshare(CLONE_NEWCGROUP) < 0)
		return -1;
	/* whose id is not mapped was root, and may and has to leave groups */
	*step = "an id that is not root";
	if ((getuid() != SA_BOX_UID && setgroups(0, NULL) < 0) ||
	    setresgid(SA_BOX_UID, SA_BOX_UID, SA_BOX_UID) < 0 ||
	    setresuid(SA_BOX_UID, SA_BOX_UID, SA_BOX_UID) < 0)
		return -1;
	*step = "a process 1 that nobody looks into";
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -1;
	/* ENOSYS, EPERM: no keys in this kernel, or none for containers */
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	int redirects = 0;
	if (plan->net >= 0)
		redirects = sa_netinside(plan->spec, plan->net, step);
	if (redirects < 0 || sa_boxroot_build(root, plan->spec, step) < 0)
		return -1;
	if (plan->net >= 0 && sa_netinside_wait(plan->net, step) < 0)
		return -1;
	return redirects;
}

static int
begin(struct init *in)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_SETMASK, &mask, NULL) < 0)
		return -1;
	in->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	in->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	sa_boxwatch_init(&in->watch, in->plan->spec, in->plan->group);
	if (in->signals < 0 || in->proc < 0 || sa_landlock_scope() < 0)
		return -1;
	return in->plan->listener < 0 ? 0
				      : listen(in->plan->listener, SA_BOX_JOBS);
}

void
sa_boxinit(const struct sa_box_plan *plan, int go)
{
	struct init in = { .plan = plan, .n = 1 };
	const char *step = "what init keeps open";
	const struct sa_cgroup *g = plan->group;
	int keep[] = { go, plan->listener, plan->net,
		g != NULL ? g->events : -1, g != NULL ? g->stat : -1 };

	prctl(PR_SET_NAME, "sandbox-init", 0, 0, 0);
	if (plan->egress >= 0)
		in.net = sa_netlog_see(plan->egress);
	int ready = keep_only(keep, sizeof(keep) / sizeof(*keep)) < 0
	    ? -1
	    : set_up(plan, go, &step);
	if (ready < 0)
		fail(go, step);
	if (begin(&in) < 0)
		fail(go, "its control socket");
	environ = NULL;
	in.jobs[0] = NO_JOB(go);
	/* who has asked for more already is told of that, and woken once */
	struct pollfd asked = { go, POLLIN, 0 };
	if (plan->net >= 0 || poll(&asked, 1, 0) == 0)
		say(go, SA_BOX_READY, ready, 0, "");
	do {
		one_round(&in);
		look_at_limits(&in);
	} while (has_work(&in));
	_exit(0);
}
