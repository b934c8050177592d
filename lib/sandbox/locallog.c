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
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "sandbox/boxlog.h"
#include "sandbox/netlog.h"
#include "sandbox/netrules.h"
#include "sandbox/tail.h"

#define SUFFIX ".log"
#define TRIES 4 /* for an id that no other has */
#define RUNNING_MAX 32
#define ENDED_MAX 32 /* the newest are kept */
/* How often a command that is waited for is looked at: where the kernel tells
 * of each change, only for the end of its init. */
#define LOOK_MS 1000
#define LOOK_OFTEN_MS 50

/* A log that is read. */
struct reader {
	int fd, changes; /* changes: -1, or tells of them */
	struct sa_boxlog_head head;
	enum sa_exec_state state;
	uint64_t at[2];		  /* what was given to put */
	bool begun[2], within[2]; /* within: a line is begun in it */
	char buf[SA_BOXLOG_KEEP];
};

static void
reader_free(struct reader **r)
{
	if (*r == NULL)
		return;
	if ((*r)->fd >= 0)
		close((*r)->fd);
	if ((*r)->changes >= 0)
		close((*r)->changes);
	free(*r);
}
#define cleanup_reader __attribute__((cleanup(reader_free)))

static int
names_of(struct sa_box *box, struct sa_names *out, struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf("sandboxes/%s/log", box->name);

	return sa_store_names(box->store, rel, SUFFIX, true, out, err);
}

static int
log_dir(const struct sa_box *box, struct sa_err *err)
{
	int dir = openat(box->dir, "log",
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		sa_err_errno(err, errno == ENOENT ? SA_NOT_FOUND : SA_IO, errno,
		    "cannot open the logs of '%s'", box->name);
	return dir;
}

static int
open_log(int dir, const char *id)
{
	char base[SA_ID_SIZE + sizeof(SUFFIX)];

	snprintf(base, sizeof(base), "%s" SUFFIX, id);
	return openat(dir, base, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

void
sa_local_log_drop(struct sa_box *box, const char *id)
{
	char base[SA_ID_SIZE + sizeof(SUFFIX)];
	cleanup_fd int dir = log_dir(box, NULL);

	snprintf(base, sizeof(base), "%s" SUFFIX, id);
	if (dir >= 0)
		(void)unlinkat(dir, base, 0);
}

/* Forgets the oldest that ended; SA_BUSY where too many run. */
static int
make_room(struct sa_box *box, struct sa_err *err)
{
	struct sa_names names = { NULL, 0 };
	size_t running = 0, ended = 0;
	cleanup_fd int dir = log_dir(box, NULL);

	if (dir < 0 || names_of(box, &names, err) < 0)
		return dir < 0 ? 0 : -1;
	for (size_t i = 0; i < names.n; i++) {
		struct sa_boxlog_head head;
		bool lives = false;
		cleanup_fd int fd = open_log(dir, names.v[i]);
		if (fd >= 0 && sa_boxlog_look(fd, &head, &lives, NULL) == 0 &&
		    lives && head.end.at == 0)
			running++;
		else if (++ended >= ENDED_MAX)
			sa_local_log_drop(box, names.v[i]);
	}
	sa_names_free(&names);
	if (running < RUNNING_MAX)
		return 0;
	sa_err_set(err, SA_BUSY, "%d commands run in the sandbox '%s' already",
	    RUNNING_MAX, box->name);
	return sa_err_hint(err, "wait for one, or end it with sa-sandbox kill");
}

/* The command as a person would type it, as far as there is room. */
static void
describe(const struct sa_run *run, char *out, size_t size)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(size - 1);
	const char *const shell[] = { "sh", "-c", run->command, NULL };
	const char *const *v = run->argv != NULL ? run->argv : shell;

	for (size_t i = 0; v[i] != NULL; i++) {
		cleanup_free char *word = sa_text_shell(v[i]);
		size_t len = strlen(word), room = size - 1 - b.len;
		if (i > 0 && room > 0)
			sa_buf_add(&b, " ", 1);
		room = size - 1 - b.len;
		sa_buf_add(&b, word, len < room ? len : room);
	}
	(void)strlcpy(out, sa_buf_str(&b), size);
}

int
sa_local_log_new(struct sa_box *box, const struct sa_run *run,
    char id[SA_ID_SIZE], struct sa_err *err)
{
	char base[SA_ID_SIZE + sizeof(SUFFIX)];
	struct sa_boxlog_head head = {
		.began = (int64_t)time(NULL),
		.timeout_ms = (int64_t)(run->timeout_s * 1000),
	};

	if (box->dir < 0)
		return sa_err_set(err, SA_REFUSED,
		    "the sandbox '%s' is for one command only", box->name);
	if (mkdirat(box->dir, "log", 0700) < 0 && errno != EEXIST)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the logs of '%s'", box->name);
	if (make_room(box, err) < 0)
		return -1;
	cleanup_fd int dir = log_dir(box, err);
	if (dir < 0)
		return -1;
	describe(run, head.command, sizeof(head.command));
	for (int i = 0;; i++) {
		sa_clock_id_sorted("e", id);
		snprintf(base, sizeof(base), "%s" SUFFIX, id);
		int fd =
		    sa_boxlog_make(dir, base, &head, i < TRIES ? NULL : err);
		if (fd >= 0 || i == TRIES)
			return fd;
	}
}

static int
unknown(const struct sa_box *box, const char *exec, struct sa_err *err)
{
	if (exec == NULL)
		return sa_err_set(err, SA_NOT_FOUND,
		    "no command was detached in the sandbox '%s'", box->name);
	cleanup_free char *shown = sa_text_visible(exec);
	sa_err_set(err, SA_NOT_FOUND, "the sandbox '%s' has no command '%s'",
	    box->name, shown);
	return sa_err_hint(err, "sa-sandbox list %s shows those that it has",
	    box->name);
}

/* The id that exec means; NULL: the newest. */
static int
find_exec(struct sa_box *box, const char *exec, char id[SA_ID_SIZE],
    struct sa_err *err)
{
	struct sa_names names = { NULL, 0 };

	if (exec != NULL) {
		if (!sa_clock_is_id("e", exec))
			return unknown(box, exec, err);
		(void)strlcpy(id, exec, SA_ID_SIZE);
		return 0;
	}
	if (names_of(box, &names, err) < 0)
		return -1;
	bool any = names.n > 0;
	if (any)
		(void)strlcpy(id, names.v[0], SA_ID_SIZE);
	sa_names_free(&names);
	return any ? 0 : unknown(box, NULL, err);
}

static int
look(struct reader *r, struct sa_err *err)
{
	bool lives = false;

	if (sa_boxlog_look(r->fd, &r->head, &lives, err) < 0)
		return -1;
	r->state = r->head.end.at != 0 ? SA_EXEC_ENDED
	    : lives		       ? SA_EXEC_RUNNING
				       : SA_EXEC_LOST;
	return 0;
}

static struct reader *
reader_new(struct sa_box *box, const char *id, struct sa_err *err)
{
	cleanup_reader struct reader *r = sa_xcalloc(1, sizeof(*r));
	cleanup_fd int dir = log_dir(box, NULL);

	r->changes = -1;
	r->fd = dir < 0 ? -1 : open_log(dir, id);
	if (r->fd < 0) {
		unknown(box, id, err);
		return NULL;
	}
	if (look(r, err) < 0)
		return NULL;
	struct reader *ret = r;
	r = NULL;
	return ret;
}

/* Where a piece begins that something before it is missing of. */
static size_t
begin_of(const struct reader *r, size_t len, bool cut, long long lines)
{
	size_t at = 0;

	/* the first byte tells whether the second begins a line */
	if (cut)
		at = 1 + sa_tail_begin(r->buf + 1, len - 1, len - 1, *r->buf);
	if (lines >= 0) {
		size_t last = sa_tail_lines(r->buf, len, (size_t)lines);
		at = last > at ? last : at;
	}
	return at;
}

/* Gives put what came of a stream since the last time. */
static int
catch_up(struct reader *r, int k, const struct sa_watch *w, struct sa_err *err)
{
	uint64_t from = r->at[k];
	size_t len;

	while ((len = sa_boxlog_read(r->fd, k, &from, r->buf, sizeof(r->buf))) >
	    0) {
		uint64_t missed = r->begun[k] ? from - r->at[k] : 0;
		bool cut = from > r->at[k] && len > 1;
		size_t at = begin_of(r, len, cut, r->begun[k] ? -1 : w->lines);
		r->at[k] = from += len;
		r->begun[k] = true;
		if (missed > 0 && r->within[k] &&
		    w->put(k, "\n", 1, 0, w->ctx, err) < 0)
			return -1;
		r->within[k] = r->buf[len - 1] != '\n';
		if ((len > at || missed > 0) &&
		    w->put(k, r->buf + at, len - at, missed, w->ctx, err) < 0)
			return -1;
	}
	r->begun[k] = true;
	return 0;
}

/* Whether the log has changed, or may have; false: cancelled, or the time is
 * over. */
static bool
wait_change(struct reader *r, const struct sa_watch *w, long long end_ms)
{
	char events[4096];
	struct pollfd p[2] = { { r->changes, POLLIN, 0 },
		{ w->cancel != NULL ? *w->cancel : -1, POLLIN, 0 } };
	long long left = end_ms - sa_clock_ms();
	int most = r->changes >= 0 ? LOOK_MS : LOOK_OFTEN_MS;

	if (left <= 0)
		return false;
	(void)poll(p, 2, left < most ? (int)left : most);
	if (p[0].revents != 0)
		(void)!read(r->changes, events, sizeof(events));
	return p[1].revents == 0;
}

static void
watch_changes(struct reader *r)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	r->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (r->changes >= 0 &&
	    inotify_add_watch(r->changes, path,
		IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE_SELF) < 0) {
		close(r->changes);
		r->changes = -1;
	}
}

/* The last bytes of a stream; whether some before them are missing. */
static bool
tail_of(struct reader *r, int k, struct sa_buf *out)
{
	uint64_t from = 0;
	size_t len = sa_boxlog_read(r->fd, k, &from, r->buf, sizeof(r->buf));
	size_t at = sa_tail_begin(r->buf, len, out->max, from > 0 ? 0 : -1);

	sa_buf_add(out, r->buf + at, len - at);
	return from > 0 || at > 0 || r->head.lost[k] > 0;
}

/* What became of its connections, NULL where nobody knows any more: of one
 * that has not ended it is what its sandbox has noted. */
static json_t *
egress_of(const struct sa_box *box, const struct reader *r)
{
	if (!sa_netrules_any(&box->spec))
		return NULL;
	if (r->state == SA_EXEC_ENDED)
		return sa_boxlog_egress(r->fd, &r->head);
	return sa_netlog_mark(box->dir).made == r->head.net.made
	    ? sa_netlog_read(box->dir, r->head.net)
	    : NULL;
}

static void
fill(struct reader *r, const char *id, struct sa_exec *out)
{
	const struct sa_boxlog_end *end = &r->head.end;
	struct sa_run_result *res = &out->result;

	(void)strlcpy(out->id, id, sizeof(out->id));
	out->state = r->state;
	out->command = sa_text_utf8(r->head.command, strlen(r->head.command));
	out->started_at = r->head.began;
	out->finished_at = end->at;
	out->timeout_s = (double)r->head.timeout_ms / 1000;
	res->timed_out = end->timed_out != 0;
	(void)strlcpy(res->why, end->over, sizeof(res->why));
	res->terminated = strcmp(res->why, "expired") == 0;
	if (r->state == SA_EXEC_LOST)
		res->exit_code = 128 + SIGKILL;
	else if (r->state == SA_EXEC_ENDED)
		res->exit_code = WIFSIGNALED(end->status)
		    ? 128 + WTERMSIG(end->status)
		    : WEXITSTATUS(end->status);
}

int
sa_local_follow(struct sa_box *box, const char *exec, const struct sa_watch *w,
    struct sa_exec *out, struct sa_err *err)
{
	char id[SA_ID_SIZE];
	const long long end_ms = w->timeout_s > 0
	    ? sa_clock_ms() + (long long)(w->timeout_s * 1000)
	    : INT64_MAX;

	if (find_exec(box, exec, id, err) < 0)
		return -1;
	cleanup_reader struct reader *r = reader_new(box, id, err);
	if (r == NULL)
		return -1;
	if (w->end)
		watch_changes(r);
	for (bool more = true;;) {
		/* first how it stands, so that all that it wrote is there */
		if (look(r, err) < 0)
			return -1;
		for (int k = 0; w->put != NULL && k < 2; k++)
			if (catch_up(r, k, w, err) < 0)
				return -1;
		if (!w->end || r->state != SA_EXEC_RUNNING)
			break;
		if (!more)
			return sa_err_set(err, SA_BUSY,
			    "the command '%s' still runs", id);
		more = wait_change(r, w, end_ms);
	}
	out->result.out_cut = tail_of(r, 0, &out->result.out);
	out->result.errout_cut = tail_of(r, 1, &out->result.errout);
	out->result.egress = egress_of(box, r);
	fill(r, id, out);
	return 0;
}

int
sa_local_end(struct sa_box *box, const char *exec, struct sa_err *err)
{
	struct sa_box_msg m = { .what = SA_BOX_KILL };
	struct sa_launched l = SA_LAUNCHED_NONE;
	char id[SA_ID_SIZE];

	if (find_exec(box, exec, id, err) < 0)
		return -1;
	cleanup_reader struct reader *r = reader_new(box, id, err);
	if (r == NULL)
		return -1;
	/* without an init nothing of it is left to be ended */
	int rc =
	    r->state == SA_EXEC_RUNNING ? sa_launch_join(box->dir, &l, err) : 0;
	(void)strlcpy(m.text, id, sizeof(m.text));
	if (rc > 0)
		(void)sa_box_send(l.sock, &m, NULL, 0);
	sa_launch_leave(&l);
	return rc < 0 ? -1 : 0;
}

int
sa_local_execs(struct sa_box *box, sa_exec_fn *fn, void *ctx,
    struct sa_err *err)
{
	struct sa_names names = { NULL, 0 };
	bool more = true;

	if (names_of(box, &names, err) < 0)
		return -1;
	for (size_t i = 0; more && i < names.n; i++) {
		cleanup_exec struct sa_exec e;
		cleanup_reader struct reader *r =
		    reader_new(box, names.v[i], NULL);
		sa_exec_init(&e, 1);
		if (r == NULL)
			continue; /* it is forgotten just now */
		fill(r, names.v[i], &e);
		more = fn(&e, ctx);
	}
	sa_names_free(&names);
	return 0;
}
