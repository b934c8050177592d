/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"

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
	sa_err_set(err, SA_CONFIG, "'%s' is neither at '%s' nor at '%s'", name,
	    beside, libexec);
	sa_err_hint(err, "install the toolkit with make install");
	return NULL;
}

/* The child's ends: in from its file or /dev/null, out and err to pipes. */
static void
child(const struct sa_proc_spec *spec, int in, int out, int err_)
{
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err_, STDERR_FILENO);
	close_range(3, ~0U, 0);
	if (spec->cwd == NULL || chdir(spec->cwd) == 0) {
		if (spec->env != NULL)
			execve(spec->argv[0], spec->argv, spec->env);
		else
			execv(spec->argv[0], spec->argv);
	}
	_exit(errno == ENOENT ? 127 : 126);
}

struct pump {
	struct pollfd fd[3]; /* child's stdin, stdout, stderr */
	const char *input;
	size_t left;
	struct sa_buf *sink[3];
};

static void
shut(struct pollfd *p)
{
	close(p->fd);
	p->fd = -1;
}

/* Moves what is ready. */
static void
pump_once(struct pump *p)
{
	char chunk[16384];

	if (p->fd[0].fd >= 0 && p->fd[0].revents != 0) {
		ssize_t n = write(p->fd[0].fd, p->input, p->left);
		if (n > 0) {
			p->input += n;
			p->left -= (size_t)n;
		}
		if (p->left == 0 || (n < 0 && errno != EAGAIN))
			shut(&p->fd[0]);
	}
	for (int i = 1; i < 3; i++) {
		if (p->fd[i].fd < 0 || p->fd[i].revents == 0)
			continue;
		ssize_t n = read(p->fd[i].fd, chunk, sizeof(chunk));
		if (n > 0 && p->sink[i] != NULL) {
			struct sa_buf *b = p->sink[i];
			size_t room = b->max - b->len;
			sa_buf_add(b, chunk,
			    (size_t)n < room ? (size_t)n : room);
		}
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			shut(&p->fd[i]);
	}
}

/* Until both outputs are at their end or the deadline is over; false then. */
static bool
pump(struct pump *p, long long deadline)
{
	while (p->fd[1].fd >= 0 || p->fd[2].fd >= 0) {
		int wait = -1;
		if (deadline >= 0) {
			long long left = deadline - sa_clock_ms();
			if (left <= 0)
				return false;
			wait = (int)left;
		}
		if (poll(p->fd, 3, wait) > 0)
			pump_once(p);
	}
	return true;
}

/* Reaps the child; false when it outlives the deadline. */
static bool
reap(pid_t pid, int *status, long long deadline)
{
	for (;;) {
		pid_t got = waitpid(pid, status, deadline < 0 ? 0 : WNOHANG);
		if (got == pid)
			return true;
		if (got == 0) {
			if (sa_clock_ms() >= deadline)
				return false;
			poll(NULL, 0, 2);
		} else if (errno != EINTR)
			return true;
	}
}

int
sa_proc_run(const struct sa_proc_spec *spec, int *status, struct sa_err *err)
{
	int in[2], out[2], errs[2];
	long long deadline =
	    spec->timeout_ms > 0 ? sa_clock_ms() + spec->timeout_ms : -1;
	void (*old)(int);

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    pipe2(errs, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	pid_t pid = fork();
	if (pid < 0)
		return sa_err_errno(err, SA_BUSY, errno, "cannot fork");
	if (pid == 0)
		child(spec, in[0], out[1], errs[1]);
	close(in[0]);
	close(out[1]);
	close(errs[1]);
	struct pump p = {
		.fd = { { in[1], POLLOUT, 0 }, { out[0], POLLIN, 0 },
		    { errs[0], POLLIN, 0 } },
		.input = spec->input,
		.left = spec->input_len,
		.sink = { NULL, spec->out, spec->errout },
	};
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	if (p.left == 0)
		shut(&p.fd[0]);
	old = signal(SIGPIPE, SIG_IGN);
	bool done = pump(&p, deadline) && reap(pid, status, deadline);
	for (int i = 0; i < 3; i++)
		if (p.fd[i].fd >= 0)
			shut(&p.fd[i]);
	if (!done) {
		kill(-pid, SIGKILL);
		reap(pid, status, -1);
	}
	signal(SIGPIPE, old);
	sa_debug("ran %s: status %d, %zu bytes out, %zu bytes err",
	    spec->argv[0], *status, spec->out ? spec->out->len : 0,
	    spec->errout ? spec->errout->len : 0);
	if (!done)
		return sa_err_set(err, SA_BUSY, "'%s' did not end within %d ms",
		    spec->argv[0], spec->timeout_ms);
	if (WIFEXITED(*status) && WEXITSTATUS(*status) >= 126 &&
	    WEXITSTATUS(*status) <= 127 && !runnable(spec->argv[0]))
		return sa_err_set(err, SA_CONFIG, "cannot execute '%s'",
		    spec->argv[0]);
	return 0;
}
