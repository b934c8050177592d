/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/local.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "sandbox/boxexec.h"
#include "sandbox/boxlog.h"
#include "sandbox/netinside.h"
#include "sandbox/netlog.h"
#include "sandbox/netrules.h"
#include "sandbox/tail.h"

#define PIECE 65536
/* What poll(2) promises that a pipe takes at once. */
#define CAREFUL ((size_t)4096)
#define KILL_MS 2000
#define CPU_SPARE_S 10
#define TRIES 3
#define BEGIN_MS 10000
/* Of a terminal that nobody sees. */
#define ROWS 24
#define COLUMNS 80
#define END_OF_INPUT '\004'
/* What is read of a terminal after its command ended: more than it holds. */
#define TTY_REST (128 * 1024)

/* held is the end that is written to: nobody wakes us as the last writer
 * goes, for the command's own end says when its output is whole. */
struct stream {
	int from, held, to;
	struct sa_tail tail;
};

/* One command as it is followed. */
struct follow {
	const struct sa_run *run;
	struct sa_launched l;
	struct stream s[2];
	int in, feed; /* what the command reads, and where it goes in */
	char last;    /* byte that went there */
	int started;  /* of a detached one: closed as it is executed */
	char id[SA_ID_SIZE];
	int hold;	  /* the other end: no write is to one that is gone */
	char *piece;	  /* of the input */
	size_t have, fed; /* of piece, for feed */
	char *space;	  /* for one of the output */
	long long end_ms;
	int stage; /* of a time-out: TERM, KILL and at last SIGKILL */
	bool begun, exited, over, gone;
	int status, noexec, left;
	char text[PATH_MAX];
	struct sa_netlog_mark egress; /* what was noted before */
};

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
release(struct follow *f)
{
	for (int i = 0; i < 2; i++) {
		close_fd(&f->s[i].from);
		close_fd(&f->s[i].held);
		sa_tail_free(&f->s[i].tail);
	}
	close_fd(&f->feed);
	close_fd(&f->hold);
	close_fd(&f->started);
	free(f->piece);
	free(f->space);
	free(f);
}

/* Those of list, which ends with NULL, that the spec does not set itself. */
static void
add_env(const char **env, size_t *n, const char *const *list,
    const struct sa_spec *spec)
{
	for (; *list != NULL; list++) {
		size_t len = strcspn(*list, "=") + 1;
		bool given = false;
		for (size_t k = 0; k < spec->env.n; k++)
			given |= strncmp(*list, spec->env.v[k], len) == 0;
		if (!given)
			env[(*n)++] = *list;
	}
}

static int
prepare_job(struct sa_box *box, const struct sa_run *run, struct sa_err *err)
{
	const char *shell[] = { "/bin/sh", "-c", run->command, NULL };
	const struct sa_boxjob limits = {
		.data = (uint64_t)box->spec.memory,
		.fsize = (uint64_t)box->spec.disk,
		.cpu_s = (uint64_t)run->timeout_s + CPU_SPARE_S,
		/* init and what measures the disk are two */
		.nproc = (uint64_t)(box->spec.pids > 0 ? box->spec.pids
						       : SA_BOX_PIDS) +
		    2,
	};
	cleanup_free char *term = sa_xasprintf("TERM=%s",
	    !run->pty		    ? "dumb"
		: run->term != NULL ? run->term
				    : "xterm");
	const char *const standard[] = {
		"PATH=/home/user/.local/bin:/usr/local/bin:/usr/bin:/bin:"
		"/usr/local/sbin:/usr/sbin:/sbin",
		"HOME=" SA_BOX_HOME, "USER=user", "LOGNAME=user",
		"LANG=C.UTF-8", term, "TMPDIR=/tmp",
		/* what cannot go to /usr goes home, without a question */
		"PIP_BREAK_SYSTEM_PACKAGES=1",
		"NPM_CONFIG_PREFIX=" SA_BOX_HOME "/.local", NULL
	};
	const size_t m =
	    sizeof(standard) / sizeof(*standard) + SA_NETINSIDE_ENV;
	size_t n = 0;
	cleanup_free const char **env =
	    sa_xcalloc(m + box->spec.env.n + 1, sizeof(*env));

	add_env(env, &n, standard, &box->spec);
	if (sa_netrules_any(&box->spec))
		add_env(env, &n, sa_netinside_env, &box->spec);
	for (size_t k = 0; k < box->spec.env.n; k++)
		env[n++] = box->spec.env.v[k];
	return sa_boxjob_pack(&limits, run->argv != NULL ? run->argv : shell,
	    env, box->spec.workdir != NULL ? box->spec.workdir : SA_BOX_WORKDIR,
	    err);
}

static int
make_pipes(struct follow *f, int fds[SA_BOX_FDS], struct sa_err *err)
{
	int p[2];

	for (int i = 0; i < 2; i++) {
		if (pipe2(p, O_CLOEXEC) < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot make a pipe");
		f->s[i].from = p[0];
		f->s[i].held = p[1];
		/* the command can open its end to read, and take what poll(2)
		 * promised to us or to init */
		(void)fcntl(p[0], F_SETFL, O_NONBLOCK);
		fds[SA_BOX_FD_OUT_READ + i] = p[0];
		fds[SA_BOX_FD_OUT + i] = p[1];
	}
	/* never the caller's own: who can read a file or a terminal through
	 * /proc can open it anew to write */
	if (f->in < 0)
		p[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	else if (pipe2(p, O_CLOEXEC) == 0) {
		f->feed = p[1];
		f->hold = fcntl(p[0], F_DUPFD_CLOEXEC, 0);
		(void)fcntl(f->feed, F_SETFL, O_NONBLOCK);
	} else
		p[0] = -1;
	fds[SA_BOX_FD_IN] = p[0];
	return p[0] < 0 ? sa_err_errno(err, SA_IO, errno, "cannot make a pipe")
			: 0;
}

/* What the terminal that we are on shows, or what most take for granted. */
static struct winsize
size_of(const struct sa_run *run)
{
	struct winsize w;

	if (run->tty < 0 || ioctl(run->tty, TIOCGWINSZ, &w) < 0 ||
	    w.ws_row == 0 || w.ws_col == 0)
		w = (struct winsize){ .ws_row = ROWS, .ws_col = COLUMNS };
	return w;
}

/* Of a detached command: its log, and a pipe that tells when it runs. */
static int
make_log(struct sa_box *box, struct follow *f, int fds[SA_BOX_FDS],
    struct sa_err *err)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	f->started = p[0];
	fds[SA_BOX_FD_STARTED] = p[1];
	fds[SA_BOX_FD_LOG] = sa_local_log_new(box, f->run, f->id, err);
	return fds[SA_BOX_FD_LOG] < 0 ? -1 : 0;
}

static int
begin(struct sa_box *box, struct follow *f, struct sa_err *err)
{
	struct sa_box_msg go = { .what = SA_BOX_RUN };
	int fds[SA_BOX_FDS] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	size_t n = SA_BOX_FD_LOG;
	int rc = 0;

	if (f->run->pty) {
		struct winsize w = size_of(f->run);
		go.value = SA_BOX_PTY;
		go.left = SA_BOX_SIZE(w.ws_row, w.ws_col);
		n = SA_BOX_FD_JOB + 1;
	} else
		rc = make_pipes(f, fds, err);
	if (rc == 0 && f->run->detach) {
		go.value = SA_BOX_DETACH;
		n = SA_BOX_FDS;
		rc = make_log(box, f, fds, err);
		(void)strlcpy(go.text, f->id, sizeof(go.text));
	}
	if (rc == 0 && (fds[SA_BOX_FD_JOB] = prepare_job(box, f->run, err)) < 0)
		rc = -1;
	if (rc == 0 && (rc = sa_local_init(box, &f->l, err)) == 0)
		f->egress = sa_netlog_mark(box->dir);
	if (rc == 0 && f->run->detach)
		rc = sa_boxlog_mark(fds[SA_BOX_FD_LOG], f->egress, err);
	if (rc == 0 && sa_box_send(f->l.sock, &go, fds, n) < 0)
		/* an init that has ended said why, and is heard next */
		f->gone = errno != EPIPE && errno != ECONNRESET;
	close_fd(&fds[SA_BOX_FD_JOB]);
	close_fd(&fds[SA_BOX_FD_IN]);
	close_fd(&fds[SA_BOX_FD_LOG]);
	close_fd(&fds[SA_BOX_FD_STARTED]);
	return rc;
}

/* How much can be written there, which poll(2) says is ready, without waiting
 * for a reader. */
static size_t
room(int to)
{
	struct stat st;
	int size, left = 0;

	if (to < 0)
		return PIECE;
	if (fstat(to, &st) < 0)
		return CAREFUL;
	if (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(to)))
		return PIECE;
	/* none of an empty pipe's pages is taken by a few bytes */
	if (!S_ISFIFO(st.st_mode) || ioctl(to, FIONREAD, &left) < 0 ||
	    left > 0 || (size = fcntl(to, F_GETPIPE_SZ)) < 0)
		return CAREFUL;
	return (size_t)size;
}

/* One piece of a stream: kept, and passed on. */
static int
pass(struct follow *f, struct stream *s, size_t most, struct sa_err *err)
{
	ssize_t n = read(s->from, f->space, most < PIECE ? most : PIECE);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		close_fd(&s->from);
		return 0;
	}
	sa_tail_add(&s->tail, f->space, (size_t)n);
	if (s->to < 0)
		return 0;
	return sa_io_write_fd(s->to, f->space, (size_t)n, "the output", err);
}

/* What the pipes hold as the command ends; more may come for ever from what
 * it left. */
static int
drain(struct follow *f, struct sa_err *err)
{
	for (size_t had = 0; f->run->pty && had < TTY_REST; had += CAREFUL) {
		struct pollfd p = { f->s[0].from, POLLIN, 0 };
		if (f->s[0].from < 0 || poll(&p, 1, 0) <= 0)
			break;
		if (pass(f, &f->s[0], CAREFUL, err) < 0)
			return -1;
	}
	for (int i = 0; !f->run->pty && i < 2; i++) {
		int left = 0;
		if (f->s[i].from < 0 ||
		    ioctl(f->s[i].from, FIONREAD, &left) < 0)
			continue;
		while (left > 0 && f->s[i].from >= 0) {
			size_t n = left < PIECE ? (size_t)left : PIECE;
			if (pass(f, &f->s[i], n, err) < 0)
				return -1;
			left -= (int)n;
		}
	}
	return 0;
}

/* Types what a reader of lines takes for the end; in a line that was begun
 * the first only ends that. */
static void
end_input(struct follow *f)
{
	bool within = f->last != '\0' && f->last != '\n' && f->last != '\r';

	f->have = within ? 2 : 1;
	memset(f->piece, END_OF_INPUT, f->have);
}

static void
feed(struct follow *f, bool readable)
{
	if (f->fed == f->have && readable) {
		ssize_t n = read(f->in, f->piece, PIECE);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		f->fed = 0;
		f->have = n > 0 ? (size_t)n : 0;
		if (n <= 0) {
			f->in = -1;
			if (!f->run->pty)
				close_fd(&f->feed);
			else
				end_input(f);
			return;
		}
		f->last = f->piece[n - 1];
	}
	ssize_t n = write(f->feed, f->piece + f->fed, f->have - f->fed);
	if (n > 0)
		f->fed += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR) {
		f->in = -1; /* it reads no more */
		close_fd(&f->feed);
	}
}

static void
fit(const struct follow *f)
{
	struct winsize w = size_of(f->run);

	if (f->s[0].from >= 0)
		(void)ioctl(f->s[0].from, TIOCSWINSZ, &w);
}

/* The outer end of the command's terminal. */
static void
take_tty(struct follow *f, int tty)
{
	f->s[0].from = tty;
	f->feed = fcntl(tty, F_DUPFD_CLOEXEC, 0);
	if (f->feed < 0)
		f->in = -1;
	fit(f); /* it may have changed since */
}

static int
hear(struct follow *f, struct sa_err *err)
{
	struct sa_box_msg m;
	int tty;

	if (sa_box_recv(f->l.sock, &m, &tty, 1) < 0) {
		f->gone = true;
		return 0;
	}
	if (tty >= 0)
		take_tty(f, tty);
	if (m.what == SA_BOX_FAULT)
		return sa_launch_fault(&m, err);
	if (m.what == SA_BOX_READY)
		return 0;
	if (m.what == SA_BOX_FULL) {
		sa_err_set(err, SA_BUSY,
		    "%d commands run in this sandbox already", SA_BOX_JOBS);
		return sa_err_hint(err, "wait until one has ended");
	}
	f->begun = true;
	if (m.what == SA_BOX_NOEXEC && f->noexec == 0)
		f->noexec = m.value;
	else if (m.what == SA_BOX_EXITED) {
		f->exited = true;
		f->status = m.value;
		f->left = m.left;
		return 0;
	} else if (m.what == SA_BOX_OVER)
		f->over = true;
	snprintf(f->text, sizeof(f->text), "%s", m.text);
	return 0;
}

static void
tell(struct follow *f, enum sa_box_what what)
{
	const struct sa_box_msg m = { .what = (int32_t)what };

	if (sa_box_send(f->l.sock, &m, NULL, 0) < 0)
		f->gone = true;
}

/* The next step of a time-out. */
static void
run_out(struct follow *f, long long now)
{
	if (now < f->end_ms)
		return;
	if (f->stage == 0) {
		tell(f, SA_BOX_TERM);
		f->end_ms = now + SA_BOX_GRACE_MS;
	} else if (f->stage == 1) {
		tell(f, SA_BOX_KILL);
		f->end_ms = now + KILL_MS;
	} else {
		sa_launch_end(&f->l, 0);
		f->gone = true;
	}
	f->stage++;
}

/* Waits for the next thing and does it. */
static int
one_round(struct follow *f, struct sa_err *err)
{
	struct pollfd p[9];
	char space[64];
	bool full = f->fed < f->have;
	long long now = sa_clock_ms();

	p[0] = (struct pollfd){ f->l.sock, POLLIN, 0 };
	p[1] = (struct pollfd){ full || f->feed < 0 ? -1 : f->in, POLLIN, 0 };
	p[2] = (struct pollfd){ full ? f->feed : -1, POLLOUT, 0 };
	for (int i = 0; i < 2; i++) {
		/* a reader that is behind is waited for, the clock runs on */
		struct pollfd to = { f->s[i].to, POLLOUT, 0 };
		bool ready = f->s[i].to < 0 || poll(&to, 1, 0) > 0;
		p[3 + i] =
		    (struct pollfd){ ready ? f->s[i].from : -1, POLLIN, 0 };
		p[5 + i] = to;
		if (ready || f->s[i].from < 0)
			p[5 + i].fd = -1;
	}
	/* once is enough; what follows is a time-out's */
	const int *cancel = f->stage == 0 ? f->run->cancel : NULL;
	p[7] = (struct pollfd){ cancel != NULL ? *cancel : -1, POLLIN, 0 };
	const int *resized = f->run->pty ? f->run->resized : NULL;
	p[8] = (struct pollfd){ resized != NULL ? *resized : -1, POLLIN, 0 };
	int wait = f->end_ms - now < INT_MAX ? (int)(f->end_ms - now) : INT_MAX;
	if (poll(p, 9, wait > 0 ? wait : 0) < 0)
		return errno == EINTR
		    ? 0
		    : sa_err_errno(err, SA_IO, errno, "cannot poll");
	for (int i = 0; i < 2; i++)
		if (p[3 + i].revents != 0 &&
		    pass(f, &f->s[i], room(f->s[i].to), err) < 0)
			return -1;
	if (p[1].revents != 0 || p[2].revents != 0)
		feed(f, p[1].revents != 0);
	if (p[0].revents != 0 && hear(f, err) < 0)
		return -1;
	if (p[8].revents != 0) {
		(void)!read(*resized, space, sizeof(space));
		fit(f);
	}
	if (p[7].revents != 0)
		f->end_ms = 0;
	run_out(f, sa_clock_ms());
	return 0;
}

/* Until the command ended, and, after a time-out, what it left too. */
static int
follow(struct follow *f, struct sa_err *err)
{
	while (!f->gone && !f->over && !(f->exited && f->stage == 0)) {
		if (one_round(f, err) < 0)
			return -1;
		if (f->exited && f->stage == 1) {
			f->end_ms = sa_clock_ms();
			run_out(f, f->end_ms);
		}
	}
	return drain(f, err);
}

static void
report_noexec(struct follow *f, struct sa_run_result *r)
{
	char text[PATH_MAX + 128];
	int n = snprintf(text, sizeof(text),
	    "sa-sandbox: cannot execute '%s': %s\n", f->text,
	    strerror(f->noexec));

	r->exit_code = f->noexec == ENOENT ? 127 : 126;
	sa_tail_add(&f->s[1].tail, text, (size_t)n);
	if (f->s[1].to >= 0)
		(void)!write(f->s[1].to, text, (size_t)n);
}

/* Whether the sandbox has gone too. Its time is the command's: which of the
 * two was over first nobody can tell, and it is the same. */
static void
see_end_of_box(const struct sa_box *box, const struct follow *f,
    struct sa_run_result *r)
{
	struct sa_err err = SA_ERR_INIT;
	bool cut = f->stage > 0 && sa_local_not_expired(box, &err) < 0;

	sa_err_clear(&err);
	if (cut) {
		r->timed_out = false;
		r->exit_code = 128 + SIGKILL;
		(void)strlcpy(r->why, "expired", sizeof(r->why));
	}
	r->terminated = strcmp(r->why, "expired") == 0 ||
	    (!f->exited && f->stage == 0 && sa_local_is_destroyed(box));
}

static int
answer(const struct sa_box *box, struct follow *f, struct sa_run_result *r,
    struct sa_err *err)
{
	const char *name = f->run->argv != NULL ? f->run->argv[0] : "/bin/sh";

	if (f->noexec != 0 && strcmp(f->text, name) != 0)
		return sa_err_errno(err, SA_IO, f->noexec,
		    "the sandbox cannot give a command '%s'", f->text);
	r->timed_out = f->stage > 0;
	if (f->noexec != 0)
		report_noexec(f, r);
	else if (!f->exited)
		r->exit_code = 128 + SIGKILL;
	else
		r->exit_code = WIFSIGNALED(f->status)
		    ? 128 + WTERMSIG(f->status)
		    : WEXITSTATUS(f->status);
	if (f->over)
		snprintf(r->why, sizeof(r->why), "%.*s",
		    (int)sizeof(r->why) - 1, f->text);
	see_end_of_box(box, f, r);
	r->out_cut = sa_tail_get(&f->s[0].tail, &r->out);
	r->errout_cut = sa_tail_get(&f->s[1].tail, &r->errout);
	return 0;
}

/* Until a detached command runs, or it is known that it cannot. */
static int
see_begin(struct follow *f, struct sa_err *err)
{
	const long long end_ms = sa_clock_ms() + BEGIN_MS;
	struct pollfd p[2] = { { f->l.sock, POLLIN, 0 },
		{ f->started, POLLIN, 0 } };

	while (!f->gone && (p[1].revents == 0 || p[0].revents != 0)) {
		long long left = end_ms - sa_clock_ms();
		if (left < 0)
			return sa_err_set(err, SA_BUSY,
			    "the command did not begin in %d s",
			    BEGIN_MS / 1000);
		if (poll(p, 2, (int)left) < 0)
			p[0].revents = p[1].revents = 0;
		if (p[0].revents != 0 && hear(f, err) < 0)
			return -1;
	}
	return 0;
}

/* Starts one that goes on by itself. */
static int
detach_one(struct sa_box *box, struct follow *f, struct sa_run_result *r,
    struct sa_err *err)
{
	int rc = begin(box, f, err);

	if (rc == 0)
		rc = see_begin(f, err);
	bool lost = rc == 0 && !f->begun;
	if (rc == 0 && f->noexec != 0)
		rc = answer(box, f, r, err);
	else if (rc == 0 && !lost)
		(void)strlcpy(r->exec, f->id, sizeof(r->exec));
	if (rc < 0 && f->l.sock >= 0)
		tell(f, SA_BOX_KILL);
	if (*r->exec == '\0' && *f->id != '\0')
		sa_local_log_drop(box, f->id);
	sa_launch_leave(&f->l);
	return lost ? 1 : rc;
}

/* Lets init end, or go on with what the command left; one that nobody else can
 * find waits to be destroyed. */
static void
part(struct sa_box *box, struct follow *f)
{
	if (box->dir < 0) {
		box->idle = f->l;
		f->l = (struct sa_launched)SA_LAUNCHED_NONE;
		return;
	}
	if (!f->gone && !f->over)
		tell(f, SA_BOX_RELEASE);
	if (f->l.pid > 0 && !f->left)
		sa_launch_part(&f->l, f->stage > 0 ? 0 : KILL_MS);
	sa_launch_leave(&f->l);
}

static int
follow_one(struct sa_box *box, struct follow *f, struct sa_run_result *r,
    struct sa_err *err)
{
	if (begin(box, f, err) < 0)
		return -1;
	f->end_ms = sa_clock_ms() + (long long)(f->run->timeout_s * 1000);
	if (follow(f, err) < 0) {
		tell(f, SA_BOX_KILL);
		if (f->l.pid > 0)
			sa_launch_part(&f->l, KILL_MS);
		sa_launch_leave(&f->l);
		return -1;
	}
	bool lost = f->gone && !f->begun && f->stage == 0;
	if (lost || answer(box, f, r, err) < 0) {
		part(box, f);
		return lost ? 1 : -1;
	}
	if (sa_netrules_any(&box->spec))
		r->egress = sa_netlog_read(box->dir, f->egress);
	part(box, f);
	return 0;
}

int
sa_local_run(struct sa_box *box, const struct sa_run *run,
    struct sa_run_result *result, struct sa_err *err)
{
	if (sa_local_not_expired(box, err) < 0)
		return -1;
	/* an init may end, as it has nothing to do, while we turn to it */
	for (int i = 0; i < TRIES; i++) {
		struct follow *f = sa_xcalloc(1, sizeof(*f));
		f->run = run;
		f->l = (struct sa_launched)SA_LAUNCHED_NONE;
		f->s[0].from = f->s[1].from = f->feed = f->hold = -1;
		f->s[0].held = f->s[1].held = f->started = -1;
		f->s[0].to = run->out;
		f->s[1].to = run->errout;
		f->in = run->in;
		/* neither is touched where there is nothing to read */
		f->piece = sa_xmalloc(PIECE);
		f->space = sa_xmalloc(PIECE);
		int rc = -1;
		if (sa_tail_init(&f->s[0].tail, run->max_output) < 0 ||
		    sa_tail_init(&f->s[1].tail, run->max_output) < 0)
			sa_err_set(err, SA_IO, "no memory for %zu bytes",
			    run->max_output);
		else
			rc = run->detach ? detach_one(box, f, result, err)
					 : follow_one(box, f, result, err);
		release(f);
		if (rc <= 0)
			return rc;
	}
	return sa_err_set(err, SA_REMOTE,
	    "the sandbox '%s' ended each time that a command was started",
	    box->name);
}
