/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/fan.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

/* What goes before an answer; err stands behind it where rc is -1. */
struct head {
	int rc;
	size_t len;
};

struct worker {
	pid_t pid;
	int fd; /* -1 where none runs */
};

/* What a whole run is about. */
struct fan {
	struct worker worker[SA_FAN_JOBS_MAX];
	unsigned jobs;
	size_t n;
	sa_fan_work_fn *work;
	sa_fan_take_fn *take;
	void *arg;
};

static int
send_answer(int fd, int rc, const struct sa_buf *out, const struct sa_err *err)
{
	struct head head = { .rc = rc, .len = out->len };

	if (sa_io_write_fd(fd, &head, sizeof(head), "a worker", NULL) < 0 ||
	    sa_io_write_fd(fd, sa_buf_str(out), out->len, "a worker", NULL) < 0)
		return -1;
	return rc >= 0
	    ? 0
	    : sa_io_write_fd(fd, err, sizeof(*err), "a worker", NULL);
}

static void
be_worker(const struct fan *f, size_t from, int fd)
{
	for (size_t i = from; i < f->n; i += f->jobs) {
		cleanup_buf struct sa_buf out = SA_BUF_INIT(SA_BUF_NOMAX);
		struct sa_err err = SA_ERR_INIT;
		int rc = f->work(f->arg, i, &out, &err);
		if (send_answer(fd, rc, &out, &err) < 0)
			_exit(1);
		sa_err_clear(&err);
	}
	_exit(0);
}

/* Starts the worker for the items from, from + jobs and so on. */
static int
start(struct fan *f, size_t from, struct sa_err *err)
{
	struct worker *w = &f->worker[from % f->jobs];
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	pid_t pid = fork();
	if (pid < 0) {
		sa_err_errno(err, SA_IO, errno, "cannot start a worker");
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	if (pid == 0) {
		/* so that it ends when the parent has gone */
		signal(SIGPIPE, SIG_DFL);
		close(fds[0]);
		for (unsigned k = 0; k < f->jobs; k++)
			if (f->worker[k].fd >= 0)
				close(f->worker[k].fd);
		be_worker(f, from, fds[1]);
	}
	close(fds[1]);
	*w = (struct worker){ .pid = pid, .fd = fds[0] };
	return 0;
}

/* Exactly len bytes; false where the worker has ended before. */
static bool
receive(int fd, void *p, size_t len)
{
	for (char *at = p; len > 0;) {
		ssize_t n = read(fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool
receive_answer(int fd, int *rc, struct sa_buf *out, struct sa_err *err)
{
	struct head head;

	if (!receive(fd, &head, sizeof(head)))
		return false;
	cleanup_free char *text = sa_xmalloc(head.len + 1);
	if (!receive(fd, text, head.len))
		return false;
	sa_buf_add(out, text, head.len);
	*rc = head.rc;
	if (head.rc >= 0)
		return true;
	bool whole = receive(fd, err, sizeof(*err));
	err->detail = NULL; /* of the worker's memory */
	return whole;
}

static void
end(struct worker *w)
{
	if (w->fd < 0)
		return;
	close(w->fd);
	w->fd = -1;
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void
take_one(struct fan *f, size_t i)
{
	cleanup_buf struct sa_buf out = SA_BUF_INIT(SA_BUF_NOMAX);
	struct worker *w = &f->worker[i % f->jobs];
	struct sa_err err = SA_ERR_INIT;
	int rc = -1;

	if (w->fd < 0 || !receive_answer(w->fd, &rc, &out, &err)) {
		end(w);
		sa_buf_cut(&out, 0);
		rc = sa_err_set(&err, SA_INTERNAL,
		    "the process that worked on it died");
		/* another one goes on behind it, if there can be one */
		if (i + f->jobs < f->n)
			start(f, i + f->jobs, NULL);
	}
	f->take(f->arg, i, rc, &out, &err);
	sa_err_clear(&err);
}

static void
stop(struct fan *f)
{
	for (unsigned k = 0; k < f->jobs; k++)
		end(&f->worker[k]);
}

static void
run_here(struct fan *f)
{
	for (size_t i = 0; i < f->n; i++) {
		cleanup_buf struct sa_buf out = SA_BUF_INIT(SA_BUF_NOMAX);
		struct sa_err err = SA_ERR_INIT;
		int rc = f->work(f->arg, i, &out, &err);
		f->take(f->arg, i, rc, &out, &err);
		sa_err_clear(&err);
	}
}

int
sa_fan_run(size_t n, unsigned jobs, sa_fan_work_fn *work, sa_fan_take_fn *take,
    void *arg, struct sa_err *err)
{
	struct fan f = { .n = n,
		.jobs = jobs,
		.work = work,
		.take = take,
		.arg = arg };

	if (f.jobs > SA_FAN_JOBS_MAX)
		f.jobs = SA_FAN_JOBS_MAX;
	if (f.jobs > n)
		f.jobs = (unsigned)n;
	if (f.jobs <= 1) {
		run_here(&f);
		return 0;
	}
	fflush(stdout);
	for (unsigned k = 0; k < f.jobs; k++)
		f.worker[k].fd = -1;
	for (unsigned k = 0; k < f.jobs; k++)
		if (start(&f, k, err) < 0) {
			stop(&f);
			return -1;
		}
	for (size_t i = 0; i < n; i++)
		take_one(&f, i);
	stop(&f);
	return 0;
}
