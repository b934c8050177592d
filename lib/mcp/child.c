/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcp/warden.h"

/* How often a pipe is read before others get their turn, and what is read of
 * it after the child's end: more than a pipe holds by default. */
#define READS 16
#define LAST_READS 64
#define CHUNK 16384

/* Both ends of the child's four pipes and of the one that tells the errno of
 * an exec that failed. */
enum { FAILED = SA_MCP_CHILD_END, PIPES };
struct pipes {
	int end[PIPES][2];
};

static void
shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
close_pipes(struct pipes *p)
{
	int saved = errno;

	for (int i = 0; i < PIPES; i++) {
		shut(&p->end[i][0]);
		shut(&p->end[i][1]);
	}
	errno = saved;
}

static int
open_pipes(struct pipes *p)
{
	for (int i = 0; i < PIPES; i++)
		p->end[i][0] = p->end[i][1] = -1;
	for (int i = 0; i < PIPES; i++) {
		if (pipe2(p->end[i], O_CLOEXEC) == 0)
			continue;
		close_pipes(p);
		return -1;
	}
	return 0;
}

/* The child's side; path, argv and env are ready, nothing is allocated. */
__attribute__((noreturn)) static void
become(const struct pipes *p, const char *path, char *const *argv,
    char *const *env, int warden, pid_t parent)
{
	sigset_t none;
	int why = 0;
	/* above all that is put in its place */
	int failed = fcntl(p->end[FAILED][1], F_DUPFD_CLOEXEC, 16);

	setpgid(0, 0);
	sa_mcp_warden_tell(warden, getpid(), true);
	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	int in = fcntl(p->end[SA_MCP_CHILD_IN][0], F_DUPFD_CLOEXEC, 16);
	int out = fcntl(p->end[SA_MCP_CHILD_OUT][1], F_DUPFD_CLOEXEC, 16);
	int err = fcntl(p->end[SA_MCP_CHILD_ERR][1], F_DUPFD_CLOEXEC, 16);
	int report = fcntl(p->end[SA_MCP_CHILD_REPORT][1], F_DUPFD_CLOEXEC, 16);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0 || dup2(report, SA_MCP_REPORT_FD) < 0)
		why = errno;
	close_range(SA_MCP_REPORT_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	/* a parent that died before this would not be noticed after it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(126);
	if (why == 0) {
		execve(path, argv, env);
		why = errno;
	}
	ssize_t n = write(failed, &why, sizeof(why));
	_exit(n < 0 || why != ENOENT ? 126 : 127);
}

/* Whether the exec came about; its errno else. */
static int
exec_failed(int fd)
{
	int why;
	ssize_t n;

	while ((n = read(fd, &why, sizeof(why))) < 0 && errno == EINTR)
		continue;
	return n == sizeof(why) ? why : 0;
}

static void
take_ends(struct sa_mcp_child *c, struct pipes *p)
{
	for (int i = SA_MCP_CHILD_IN; i < SA_MCP_CHILD_END; i++) {
		int ours = i == SA_MCP_CHILD_IN;
		c->fd[i] = p->end[i][ours];
		p->end[i][ours] = -1;
		/* our end alone: a pipe's two are two descriptions */
		fcntl(c->fd[i], F_SETFL, O_NONBLOCK);
	}
	c->fd[SA_MCP_CHILD_END] = pidfd_open(c->pid, 0);
}

int
sa_mcp_child_start(struct sa_mcp_child *c, const char *path, char *const *argv,
    char *const *env, struct sa_buf *input, int warden, struct sa_err *err)
{
	struct pipes p;
	pid_t self = getpid();

	*c = (struct sa_mcp_child){ .warden = warden,
		.out = SA_BUF_INIT(SA_MCP_OUT_MAX),
		.err = SA_BUF_INIT(SA_BUF_NOMAX),
		.report = SA_BUF_INIT(SA_MCP_REPORT_MAX) };
	if (open_pipes(&p) < 0)
		return sa_err_errno(err, SA_BUSY, errno, "cannot make a pipe");
	c->pid = fork();
	if (c->pid < 0) {
		close_pipes(&p);
		return sa_err_errno(err, SA_BUSY, errno, "cannot fork");
	}
	if (c->pid == 0)
		become(&p, path, argv, env, warden, self);
	setpgid(c->pid, c->pid);
	take_ends(c, &p);
	shut(&p.end[FAILED][1]);
	int why = exec_failed(p.end[FAILED][0]);
	close_pipes(&p);
	c->input = *input;
	*input = (struct sa_buf)SA_BUF_INIT(c->input.max);
	if (why == 0 && c->fd[SA_MCP_CHILD_END] >= 0)
		return 0;
	if (why == 0)
		why = EMFILE;
	sa_mcp_child_release(c);
	return sa_err_errno(err, why == EMFILE ? SA_BUSY : SA_CONFIG, why,
	    "cannot execute '%s'", path);
}

void
sa_mcp_child_watch(const struct sa_mcp_child *c, struct pollfd *p)
{
	for (int i = 0; i < SA_MCP_CHILD_FDS; i++)
		p[i] = (struct pollfd){ .fd = c->fd[i],
			.events = i == SA_MCP_CHILD_IN ? POLLOUT : POLLIN };
}

static void
feed(struct sa_mcp_child *c)
{
	int *fd = &c->fd[SA_MCP_CHILD_IN];

	while (c->written < c->input.len) {
		ssize_t n = write(*fd, c->input.s + c->written,
		    c->input.len - c->written);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		/* it does not want to read it: that is its business */
		if (n < 0)
			break;
		c->written += (size_t)n;
	}
	shut(fd);
	sa_buf_release(&c->input);
	c->written = 0;
}

/* Keeps the newest of stderr. */
static void
keep_tail(struct sa_buf *b)
{
	if (b->len < 2 * SA_MCP_STDERR_MAX)
		return;
	memmove(b->s, b->s + b->len - SA_MCP_STDERR_MAX, SA_MCP_STDERR_MAX);
	sa_buf_cut(b, SA_MCP_STDERR_MAX);
}

/* Reads once; false where nothing is there now. */
static bool
take(struct sa_mcp_child *c, int i)
{
	struct sa_buf *to[] = { [SA_MCP_CHILD_OUT] = &c->out,
		[SA_MCP_CHILD_ERR] = &c->err,
		[SA_MCP_CHILD_REPORT] = &c->report };
	char chunk[CHUNK];
	ssize_t n = read(c->fd[i], chunk, sizeof(chunk));

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		shut(&c->fd[i]);
	if (n <= 0)
		return false;
	if (sa_buf_add(to[i], chunk, (size_t)n) < 0 && i == SA_MCP_CHILD_OUT)
		c->full = true;
	if (i == SA_MCP_CHILD_ERR)
		keep_tail(&c->err);
	return true;
}

/* The child is dead. Who is left of its group holds its pipes, maybe for
 * ever, so what they hold now is all. */
static void
bury(struct sa_mcp_child *c)
{
	for (int i = SA_MCP_CHILD_OUT; i <= SA_MCP_CHILD_REPORT; i++)
		for (int k = 0; k < LAST_READS && c->fd[i] >= 0; k++)
			if (!take(c, i))
				break;
	/* as long as it is not waited for its group's number is nobody else's
	 */
	if (c->killed)
		kill(-c->pid, SIGKILL);
	sa_mcp_warden_tell(c->warden, c->pid, false);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		continue;
	c->over = true;
	for (int i = 0; i < SA_MCP_CHILD_FDS; i++)
		shut(&c->fd[i]);
	sa_buf_release(&c->input);
}

void
sa_mcp_child_pump(struct sa_mcp_child *c, const struct pollfd *p)
{
	if (p[SA_MCP_CHILD_IN].revents != 0 && c->fd[SA_MCP_CHILD_IN] >= 0)
		feed(c);
	for (int i = SA_MCP_CHILD_OUT; i <= SA_MCP_CHILD_REPORT; i++)
		if (p[i].revents != 0)
			for (int k = 0; k < READS && c->fd[i] >= 0; k++)
				if (!take(c, i))
					break;
	if (p[SA_MCP_CHILD_END].revents != 0 && !c->over)
		bury(c);
}

void
sa_mcp_child_kill(struct sa_mcp_child *c, int sig)
{
	if (c->over)
		return;
	c->killed = true;
	kill(-c->pid, sig);
}

void
sa_mcp_child_release(struct sa_mcp_child *c)
{
	if (!c->over) {
		sa_mcp_child_kill(c, SIGKILL);
		bury(c);
	}
	sa_buf_release(&c->out);
	sa_buf_release(&c->err);
	sa_buf_release(&c->report);
}
