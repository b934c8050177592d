/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"

/* Reads after the end of a child: what a pipe holds, not what others add. */
#define LAST_READS 64

/* The fields of /proc/PID/stat that we use. */
struct stat_line {
	char state;
	pid_t pgrp;
	unsigned long long start;
};

static bool
read_stat(pid_t pid, struct stat_line *st)
{
	char path[40], text[1024];
	int pgrp;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	/* the name in brackets may hold anything, brackets too */
	char *s = strrchr(text, ')');
	if (s == NULL ||
	    sscanf(s + 1,
		" %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
		"%*d %*d %*d %*d %llu",
		&st->state, &pgrp, &st->start) != 3)
		return false;
	st->pgrp = pgrp;
	return true;
}

void
sa_proc_boot_id(char out[40])
{
	cleanup_fd int fd =
	    open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, 39) : 0;

	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

bool
sa_proc_identify(pid_t pid, struct sa_proc_id *id)
{
	struct stat_line st;

	if (!read_stat(pid, &st))
		return false;
	id->pid = pid;
	id->start_ticks = st.start;
	sa_proc_boot_id(id->boot_id);
	return true;
}

bool
sa_proc_alive(const struct sa_proc_id *id)
{
	struct stat_line st;
	char boot[40];

	sa_proc_boot_id(boot);
	return id->pid > 0 && strcmp(boot, id->boot_id) == 0 &&
	    read_stat(id->pid, &st) && st.start == id->start_ticks &&
	    st.state != 'Z' && st.state != 'X';
}

bool
sa_proc_group_alive(pid_t pgid)
{
	cleanup_dir DIR *d = opendir("/proc");
	struct dirent *e;
	struct stat_line st;
	const char *why;

	if (d == NULL)
		return kill(-pgid, 0) == 0 || errno == EPERM;
	while ((e = readdir(d)) != NULL) {
		long long pid = strtonum(e->d_name, 1, INT_MAX, &why);
		if (why == NULL && read_stat((pid_t)pid, &st) &&
		    st.pgrp == pgid && st.state != 'Z' && st.state != 'X')
			return true;
	}
	return false;
}

static bool
runnable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

char *
sa_proc_find(const char *name)
{
	const char *path = getenv("PATH");

	if (path == NULL)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*path != '\0') {
		size_t n = strcspn(path, ":");
		if (*path == '/') {
			cleanup_free char *dir = sa_xstrndup(path, n);
			cleanup_free char *full = sa_path_join(dir, name);
			if (runnable(full))
				return sa_steal(&full);
		}
		path += n + (path[n] == ':');
	}
	return NULL;
}

char *
sa_proc_own(const char *name, struct sa_err *err)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0) {
		sa_err_errno(err, SA_CONFIG, errno, "cannot read '%s'",
		    "/proc/self/exe");
		return NULL;
	}
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	cleanup_free char *beside = sa_path_join(self, name);
	if (runnable(beside))
		return sa_steal(&beside);
	char *slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	cleanup_free char *libexec =
	    sa_xasprintf("%s/libexec/sa/%s", self, name);
	if (runnable(libexec))
		return sa_steal(&libexec);
	/* PREFIX/bin, seen from PREFIX/libexec/sa */
	slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	cleanup_free char *bin = sa_xasprintf("%s/bin/%s", self, name);
	if (runnable(bin))
		return sa_steal(&bin);
	cleanup_free char *built = sa_path_join(SA_PKGLIBEXECDIR, name);
	if (runnable(built))
		return sa_steal(&built);
	cleanup_free char *command = sa_path_join(SA_BINDIR, name);
	if (runnable(command))
		return sa_steal(&command);
	sa_err_set(err, SA_CONFIG, "'%s' is not at '%s', '%s' or '%s'", name,
	    beside, libexec, built);
	sa_err_hint(err, "install the toolkit with make install");
	return NULL;
}

/* Our and the child's ends of its standard descriptors, and a pipe for the
 * errno of an exec that failed. -1: closed. */
struct ends {
	int in[2], out[2], err[2], failed[2];
};

static void
close_ends(struct ends *e)
{
	int saved = errno;
	int *all[] = { e->in, e->out, e->err, e->failed };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (int k = 0; k < 2; k++)
			if (all[i][k] >= 0)
				close(all[i][k]);
	errno = saved;
}

static int
open_ends(struct ends *e)
{
	*e = (struct ends){ { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (pipe2(e->in, O_CLOEXEC) == 0 && pipe2(e->out, O_CLOEXEC) == 0 &&
	    pipe2(e->err, O_CLOEXEC) == 0 && pipe2(e->failed, O_CLOEXEC) == 0)
		return 0;
	close_ends(e);
	return -1;
}

__attribute__((noreturn)) static void
child(const struct sa_proc_spec *spec, const struct ends *e)
{
	sigset_t none;

	if (!spec->asks)
		setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(e->in[0], STDIN_FILENO);
	dup2(e->out[1], STDOUT_FILENO);
	dup2(e->err[1], STDERR_FILENO);
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	if (spec->cwd == NULL || chdir(spec->cwd) == 0) {
		if (spec->env != NULL)
			execve(spec->argv[0], spec->argv, spec->env);
		else
			execv(spec->argv[0], spec->argv);
	}
	int why = errno;
	ssize_t n = write(e->failed[1], &why, sizeof(why));
	_exit(n < 0 || why != ENOENT ? 126 : 127);
}

enum { TO, OUT, ERR, END, PUMP_FDS };
struct pump {
	struct pollfd fd[PUMP_FDS]; /* child's stdin, stdout, stderr, its end */
	const char *input;
	size_t left;
	struct sa_buf *sink[PUMP_FDS];
};

static void
shut(struct pollfd *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static void
feed(struct pump *p)
{
	ssize_t n = write(p->fd[TO].fd, p->input, p->left);

	if (n > 0) {
		p->input += n;
		p->left -= (size_t)n;
	}
	if (p->left == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		shut(&p->fd[TO]);
}

/* Reads once; false when nothing is there now. */
static bool
take(struct pump *p, int i)
{
	char chunk[16384];
	ssize_t n = read(p->fd[i].fd, chunk, sizeof(chunk));

	if (n > 0 && p->sink[i] != NULL) {
		struct sa_buf *b = p->sink[i];
		size_t room = b->max - b->len;
		sa_buf_add(b, chunk, (size_t)n < room ? (size_t)n : room);
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		shut(&p->fd[i]);
	return n > 0;
}

/* Until both outputs are at their end, or the child is and what it wrote was
 * read: a process that it left behind may hold the pipes for ever. False when
 * the deadline is over. */
static bool
pump(struct pump *p, long long deadline)
{
	while (p->fd[OUT].fd >= 0 || p->fd[ERR].fd >= 0) {
		int wait = -1;
		if (deadline >= 0) {
			long long left = deadline - sa_clock_ms();
			if (left <= 0)
				return false;
			wait = (int)left;
		}
		if (poll(p->fd, PUMP_FDS, wait) <= 0)
			continue;
		bool over = p->fd[END].revents != 0;
		if (p->fd[TO].revents != 0)
			feed(p);
		for (int i = OUT; i <= ERR; i++) {
			if (p->fd[i].fd >= 0 && p->fd[i].revents != 0)
				for (int k = 0;
				     take(p, i) && over && k < LAST_READS;)
					k++;
			if (over)
				shut(&p->fd[i]);
		}
	}
	return true;
}

/* Reaps the child: 1, 0 when it outlives the deadline, -1 with errno. */
static int
reap(pid_t pid, int *status, long long deadline)
{
	for (;;) {
		pid_t got = waitpid(pid, status, deadline < 0 ? 0 : WNOHANG);
		if (got == pid)
			return 1;
		if (got < 0 && errno != EINTR)
			return -1;
		if (got == 0) {
			if (sa_clock_ms() >= deadline)
				return 0;
			poll(NULL, 0, 2);
		}
	}
}

/* Sees a child through that was started; as reap(). */
static int
attend(const struct sa_proc_spec *spec, pid_t pid, struct ends *e, int *status)
{
	long long deadline =
	    spec->timeout_ms > 0 ? sa_clock_ms() + spec->timeout_ms : -1;
	struct pump p = {
		.fd = { { e->in[1], POLLOUT, 0 }, { e->out[0], POLLIN, 0 },
		    { e->err[0], POLLIN, 0 },
		    { pidfd_open(pid, 0), POLLIN, 0 } },
		.input = spec->input,
		.left = spec->input_len,
		.sink = { [OUT] = spec->out, [ERR] = spec->errout },
	};

	for (int i = TO; i <= ERR; i++)
		fcntl(p.fd[i].fd, F_SETFL, O_NONBLOCK);
	if (p.left == 0)
		shut(&p.fd[TO]);
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	int done = pump(&p, deadline) ? reap(pid, status, deadline) : 0;
	signal(SIGPIPE, old);
	int saved = errno;
	for (int i = 0; i < PUMP_FDS; i++)
		shut(&p.fd[i]);
	e->in[1] = e->out[0] = e->err[0] = -1;
	if (done == 0) {
		kill(spec->asks ? pid : -pid, SIGKILL);
		reap(pid, status, -1);
	}
	errno = saved;
	return done;
}

int
sa_proc_run(const struct sa_proc_spec *spec, int *status, struct sa_err *err)
{
	struct ends e;
	int why;

	*status = 0;
	if (open_ends(&e) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	pid_t pid = fork();
	if (pid < 0) {
		close_ends(&e);
		return sa_err_errno(err, SA_BUSY, errno, "cannot fork");
	}
	if (pid == 0)
		child(spec, &e);
	/* whichever of the two is first */
	if (!spec->asks)
		setpgid(pid, pid);
	int *theirs[] = { &e.in[0], &e.out[1], &e.err[1], &e.failed[1] };
	for (size_t i = 0; i < sizeof(theirs) / sizeof(*theirs); i++) {
		close(*theirs[i]);
		*theirs[i] = -1;
	}
	int done = attend(spec, pid, &e, status);
	int saved = errno;
	/* the child is gone, so this does not wait */
	bool failed = read(e.failed[0], &why, sizeof(why)) == sizeof(why);
	close_ends(&e);
	sa_debug("ran %s: status %d, %zu bytes out, %zu bytes err",
	    spec->argv[0], *status, spec->out ? spec->out->len : 0,
	    spec->errout ? spec->errout->len : 0);
	if (failed)
		return sa_err_errno(err, SA_CONFIG, why, "cannot execute '%s'",
		    spec->argv[0]);
	if (done < 0)
		return sa_err_errno(err, SA_INTERNAL, saved,
		    "cannot wait for '%s'", spec->argv[0]);
	if (done == 0)
		return sa_err_set(err, SA_BUSY, "'%s' did not end within %d ms",
		    spec->argv[0], spec->timeout_ms);
	return 0;
}
