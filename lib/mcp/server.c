/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "mcp/call.h"
#include "mcp/frame.h"
#include "mcp/session.h"
#include "mcp/warden.h"

/* Over these, no input is read; over the first, no call is started and none
 * answered either. */
#define OUTPUT_HIGH ((size_t)4 << 20)
#define WAITING_HIGH 256
#define WAITING_BYTES_HIGH ((size_t)16 << 20)
#define READ_SIZE 65536

/* After the cause of the end: calls may still end by themselves, then their
 * groups get SIGTERM, then SIGKILL; then what is not written stays so. */
#define END_TERM_MS 800
#define END_KILL_MS 900
#define END_OVER_MS 960

enum { IN, OUT, SIGNAL, PARENT, FIXED };

struct server {
	const struct sa_mcp_catalog *catalog;
	char *const *env;
	struct sa_mcp_session session;
	struct sa_mcp_lines lines;
	struct sa_mcp_queue out;
	struct sa_mcp_call *calls; /* in the order of asking */
	size_t running, waiting, waiting_bytes;
	int fd[FIXED];
	int warden;	/* -1 as long as nothing was started */
	bool more;	/* there are lines that were not looked at */
	bool eof;	/* of the input */
	long long ends; /* when the cause of the end was seen, or 0 */
	bool deaf;	/* nobody takes answers any more */
};

static void
host_answer(void *arg, struct sa_buf *line)
{
	struct server *s = arg;

	sa_mcp_queue_add(&s->out, line);
}

static void
host_call(void *arg, struct sa_mcp_request *r)
{
	struct server *s = arg;
	struct sa_mcp_call **end = &s->calls;

	while (*end != NULL)
		end = &(*end)->next;
	s->waiting++;
	s->waiting_bytes += r->input.len;
	*end = sa_mcp_call_new(r, sa_clock_ms());
}

static struct sa_mcp_call *
find_call(const struct server *s, const char *id)
{
	struct sa_mcp_call *c = s->calls;

	while (c != NULL && strcmp(c->request.id, id) != 0)
		c = c->next;
	return c;
}

static bool
host_pending(void *arg, const char *id)
{
	return find_call(arg, id) != NULL;
}

static void
host_cancel(void *arg, const char *id)
{
	struct sa_mcp_call *c = find_call(arg, id);

	if (c != NULL)
		sa_mcp_call_end(c, SA_MCP_CANCELLED, sa_clock_ms());
}

/* Whether answers pile up. */
static bool
is_stuffed(const struct server *s)
{
	return sa_mcp_queue_len(&s->out) > OUTPUT_HIGH;
}

static bool
is_paused(const struct server *s)
{
	return is_stuffed(s) || s->waiting >= WAITING_HIGH ||
	    s->waiting_bytes > WAITING_BYTES_HIGH;
}

static void
take_lines(struct server *s)
{
	char *line;
	size_t len;

	s->more = true;
	while (s->more && !is_paused(s))
		switch (sa_mcp_lines_next(&s->lines, s->eof, &line, &len)) {
		case SA_MCP_LINE:
			sa_mcp_session_line(&s->session, line, len);
			break;
		case SA_MCP_LONG_LINE:
			sa_mcp_session_long_line(&s->session);
			break;
		default:
			s->more = false;
		}
}

static void
begin_end(struct server *s, const char *why)
{
	if (s->ends != 0)
		return;
	s->ends = sa_clock_ms();
	sa_info("ends: %s", why);
}

static void
read_input(struct server *s)
{
	char chunk[READ_SIZE];
	ssize_t n = read(s->fd[IN], chunk, sizeof(chunk));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		sa_mcp_lines_add(&s->lines, chunk, (size_t)n);
	} else {
		s->eof = true;
		begin_end(s, "the input is at its end");
	}
	take_lines(s);
}

static void
read_signal(struct server *s)
{
	struct signalfd_siginfo info;

	if (read(s->fd[SIGNAL], &info, sizeof(info)) != sizeof(info))
		return;
	if (s->ends != 0) /* again: somebody is in a hurry */
		s->ends -= END_TERM_MS;
	begin_end(s, "a signal");
}

/* No call is worth going on with. */
static void
lose_reader(struct server *s)
{
	begin_end(s, "nobody reads the answers");
	s->ends -= END_TERM_MS;
	s->deaf = true;
}

static void
drop_call(struct server *s, struct sa_mcp_call **at)
{
	struct sa_mcp_call *c = *at;

	*at = c->next;
	if (c->started)
		s->running--;
	else {
		s->waiting--;
		s->waiting_bytes -= c->bytes;
	}
	sa_mcp_call_free(c);
}

/* A call whose turn has come. */
static bool
start_call(struct server *s, struct sa_mcp_call *c, long long now)
{
	if (s->warden < 0)
		s->warden = sa_mcp_warden();
	if (!sa_mcp_call_start(c, &s->session, s->env, s->warden, now))
		return false;
	s->waiting--;
	s->waiting_bytes -= c->bytes;
	s->running++;
	return true;
}

/* Everything that is due; when there is more to do. */
static long long
work(struct server *s, long long now)
{
	long long next = LLONG_MAX;
	struct sa_mcp_call **at = &s->calls;

	while (*at != NULL) {
		struct sa_mcp_call *c = *at;
		bool over =
		    c->started ? c->child.over : c->fate != SA_MCP_GOES_ON;
		if (over && (!is_stuffed(s) || s->ends != 0)) {
			sa_mcp_call_finish(c, &s->session, now);
			drop_call(s, at);
			continue;
		}
		if (!c->started && !over && s->running < SA_MCP_CALLS_MAX &&
		    !is_stuffed(s) && !start_call(s, c, now)) {
			drop_call(s, at);
			continue;
		}
		long long due =
		    sa_mcp_call_tick(c, &s->session, is_stuffed(s), now);
		if (due < next)
			next = due;
		at = &c->next;
	}
	return next;
}

/* The steps of the end; when the next one is due. */
static long long
end_step(struct server *s, long long now)
{
	long long since = now - s->ends;

	if (s->ends == 0)
		return LLONG_MAX;
	if (since < END_TERM_MS)
		return s->ends + END_TERM_MS;
	for (struct sa_mcp_call *c = s->calls; c != NULL; c = c->next) {
		sa_mcp_call_end(c, SA_MCP_ABANDONED, now);
		if (c->started && since >= END_KILL_MS)
			sa_mcp_child_kill(&c->child, SIGKILL);
	}
	s->more = false;
	return s->ends + (since < END_KILL_MS ? END_KILL_MS : END_OVER_MS);
}

static bool
is_over(const struct server *s, long long now)
{
	if (s->ends == 0)
		return false;
	return now - s->ends >= END_OVER_MS ||
	    (s->calls == NULL && !s->more && sa_mcp_queue_len(&s->out) == 0);
}

static nfds_t
watch(const struct server *s, struct pollfd *p)
{
	nfds_t n = FIXED;

	for (int i = 0; i < FIXED; i++)
		p[i] = (struct pollfd){ .fd = s->fd[i], .events = POLLIN };
	p[OUT].events = sa_mcp_queue_len(&s->out) > 0 ? POLLOUT : 0;
	if (s->eof || s->more || s->ends != 0 || is_paused(s))
		p[IN].fd = -1;
	if (s->ends != 0)
		p[PARENT].fd = -1;
	if (s->deaf)
		p[OUT].fd = -1;
	for (struct sa_mcp_call *c = s->calls; c != NULL; c = c->next) {
		if (!c->started)
			continue;
		sa_mcp_child_watch(&c->child, p + n);
		n += SA_MCP_CHILD_FDS;
	}
	return n;
}

static void
attend(struct server *s, const struct pollfd *p)
{
	const struct pollfd *next = p + FIXED;

	for (struct sa_mcp_call *c = s->calls; c != NULL; c = c->next) {
		if (!c->started)
			continue;
		sa_mcp_child_pump(&c->child, next);
		next += SA_MCP_CHILD_FDS;
	}
	if (p[SIGNAL].revents != 0)
		read_signal(s);
	if (p[PARENT].revents != 0)
		begin_end(s, "the parent is gone");
	if (p[OUT].revents & (POLLERR | POLLHUP))
		lose_reader(s);
	if (p[IN].revents != 0)
		read_input(s);
	else if (s->more)
		take_lines(s);
}

/* How long poll(2) may wait. */
static int
pause_for(const struct server *s, bool stuffed, long long next, long long now)
{
	/* what could not be done before the last flush can be done now */
	if ((stuffed && !is_stuffed(s)) || (s->more && !is_paused(s)))
		return 0;
	if (next == LLONG_MAX)
		return -1;
	if (next <= now)
		return 0;
	return next - now < INT_MAX ? (int)(next - now) : INT_MAX;
}

static int
loop(struct server *s, struct sa_err *err)
{
	struct pollfd p[FIXED + SA_MCP_CALLS_MAX * SA_MCP_CHILD_FDS];

	for (;;) {
		long long now = sa_clock_ms(), end = end_step(s, now);
		bool stuffed = is_stuffed(s);
		long long next = work(s, now);
		if (sa_mcp_queue_flush(&s->out) < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot write to stdout");
		if (is_over(s, now))
			break;
		nfds_t n = watch(s, p);
		poll(p, n, pause_for(s, stuffed, end < next ? end : next, now));
		attend(s, p);
	}
	if (sa_mcp_queue_len(&s->out) == 0)
		return 0;
	return sa_err_set(err, SA_IO,
	    "%zu bytes of answers were not taken from stdout",
	    sa_mcp_queue_len(&s->out));
}

/* The protocol gets descriptors that no child and no stray print has. */
static int
take_wire(struct server *s, struct sa_err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	s->fd[IN] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	s->fd[OUT] = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null < 0 || s->fd[IN] < 0 || s->fd[OUT] < 0 ||
	    dup2(null, STDIN_FILENO) < 0 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		sa_err_errno(err, SA_IO, errno, "cannot take stdin and stdout");
		close(null);
		return -1;
	}
	close(null);
	sa_mcp_queue_init(&s->out, s->fd[OUT]);
	return 0;
}

/* Signals come as input; the parent's death too, where it can be seen: not
 * from another process namespace. */
static void
take_signals(struct server *s, sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, old);
	signal(SIGPIPE, SIG_IGN);
	s->fd[SIGNAL] = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->fd[PARENT] = pidfd_open(getppid(), 0);
}

static void
release(struct server *s, const sigset_t *old)
{
	while (s->calls != NULL)
		drop_call(s, &s->calls);
	sa_mcp_session_release(&s->session);
	sa_mcp_lines_release(&s->lines);
	sa_mcp_queue_release(&s->out);
	for (int i = 0; i < FIXED; i++)
		if (s->fd[i] >= 0)
			close(s->fd[i]);
	if (s->warden >= 0)
		close(s->warden);
	sigprocmask(SIG_SETMASK, old, NULL);
}

int
sa_mcp_serve(const struct sa_mcp_catalog *catalog, char *const *env,
    struct sa_err *err)
{
	struct server s = { .catalog = catalog,
		.env = env,
		.fd = { -1, -1, -1, -1 },
		.warden = -1 };
	struct sa_mcp_host host = { &s, host_answer, host_call, host_pending,
		host_cancel };
	sigset_t old;

	sa_mcp_lines_init(&s.lines);
	sa_mcp_session_init(&s.session, catalog, &host);
	take_signals(&s, &old);
	int rc = take_wire(&s, err);
	if (rc == 0)
		rc = loop(&s, err);
	release(&s, &old);
	return rc;
}
