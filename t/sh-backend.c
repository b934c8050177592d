/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sh-backend.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/record.h"
#include "sandbox/tail.h"

struct sh_faults sh_faults;

struct sa_box {
	struct sa_store *store;
	char *name;
	char *rel; /* of box.json, which is the record and the environment */
	char *tree;
};

const struct sa_backend *const *
sa_backends(void)
{
	static const struct sa_backend *const all[] = { &sh_backend, NULL };

	return all;
}

static void
sh_close(struct sa_box *box)
{
	sa_store_free(box->store);
	free(box->name);
	free(box->rel);
	free(box->tree);
	free(box);
}

static struct sa_box *
box_open(const struct sa_settings *s, const char *name, struct sa_err *err)
{
	struct sa_store *store = sa_store_open(s, true, err);

	if (store == NULL)
		return NULL;
	struct sa_box *box = sa_xcalloc(1, sizeof(*box));
	box->store = store;
	box->name = sa_xstrdup(name);
	box->rel = sa_xasprintf("sandboxes/%s/box.json", name);
	box->tree =
	    sa_xasprintf("%s/sandboxes/%s/tree", sa_store_path(store), name);
	return box;
}

static int
load(struct sa_box *box, json_t **out, struct sa_err *err)
{
	cleanup_free char *what = sa_xasprintf("sandbox '%s'", box->name);

	return sa_record_read(box->store, box->rel, "sandbox", false, what, out,
	    err);
}

static int
sh_create(const struct sa_settings *s, const char *name,
    const struct sa_spec *spec, struct sa_box **out, struct sa_err *err)
{
	char now[SA_TIME_SIZE], end[SA_TIME_SIZE];
	json_auto_t *record = sa_json_record("sandbox");
	json_t *env = json_array();

	sa_json_set_str(record, "sandbox", name);
	sa_json_set_str(record, "backend", "sh");
	sa_json_set_str(record, "state", "ready");
	json_object_set_new(record, "spec", sa_spec_record(spec));
	sa_json_set_str(record, "owner", spec->owner);
	sa_json_set_str(record, "holder", NULL);
	sa_json_set_str(record, "workdir", "/");
	sa_clock_now(now);
	sa_clock_format(time(NULL) + spec->expires_s, end);
	sa_json_set_str(record, "created_at", now);
	sa_json_set_str(record, "expires_at",
	    spec->asked & SA_SPEC_EXPIRES ? end : NULL);
	for (size_t i = 0; i < spec->env.n; i++)
		json_array_append_new(env, json_string(spec->env.v[i]));
	json_object_set_new(record, "test_env", env);
	if (sa_spec_enforceable(spec, sh_backend.enforces, "sh",
		"another backend", err) < 0)
		return -1;
	struct sa_box *box = box_open(s, name, err);
	if (box == NULL)
		return -1;
	if (sa_path_mkdirs(box->tree, 0700, err) < 0 ||
	    sa_record_write(box->store, box->rel, record, name, err) < 0) {
		sh_close(box);
		return -1;
	}
	*out = box;
	return 0;
}

static int
sh_destroy(struct sa_box *box, struct sa_err *err)
{
	cleanup_fd int dir = sa_store_dir(box->store, "sandboxes", false, err);

	if (dir < 0)
		return -1;
	if (sa_path_remove_tree(dir, box->name) < 0 && errno != ENOENT)
		return sa_err_errno(err, SA_IO, errno, "cannot remove '%s'",
		    box->name);
	return 0;
}

static bool
expired(const json_t *record)
{
	time_t t;

	return sa_clock_parse(sa_json_str(record, "expires_at"), &t) &&
	    t <= time(NULL);
}

static int
sh_find(const struct sa_settings *s, const char *name, struct sa_box **out,
    struct sa_err *err)
{
	struct sa_box *box = box_open(s, name, err);
	json_auto_t *record = NULL;

	if (box == NULL)
		return -1;
	int rc = load(box, &record, err);
	if (rc == 0 && expired(record))
		rc = sa_err_set(err, SA_NOT_FOUND, "sandbox '%s' has expired",
		    name);
	if (rc < 0)
		sh_close(box);
	else
		*out = box;
	return rc;
}

static json_t *
sh_record(struct sa_box *box, struct sa_err *err)
{
	json_t *record = NULL;

	if (load(box, &record, err) < 0)
		return NULL;
	json_object_del(record, "test_env");
	return record;
}

/* Gives fn each sandbox's record, those that expired too. */
static int
walk(const struct sa_settings *s,
    bool (*fn)(struct sa_box *box, const json_t *record, void *ctx), void *ctx,
    struct sa_err *err)
{
	struct sa_names names = { .v = NULL };
	struct sa_store *store = sa_store_open(s, false, err);
	bool go_on = true;

	if (store == NULL)
		return -1;
	int rc = sa_store_names(store, "sandboxes", "", false, &names, err);
	for (size_t i = 0; rc == 0 && go_on && i < names.n; i++) {
		struct sa_box *box = box_open(s, names.v[i], NULL);
		json_t *record = box != NULL ? sh_record(box, NULL) : NULL;
		if (record != NULL)
			go_on = fn(box, record, ctx);
		json_decref(record);
		if (box != NULL)
			sh_close(box);
	}
	sa_names_free(&names);
	sa_store_free(store);
	return rc;
}

struct each {
	sa_box_fn *fn;
	void *ctx;
};

static bool
each_one(struct sa_box *box, const json_t *record, void *ctx)
{
	struct each *e = ctx;

	(void)box;
	return e->fn(record, e->ctx);
}

static int
sh_each(const struct sa_settings *s, sa_box_fn *fn, void *ctx,
    struct sa_err *err)
{
	struct each e = { fn, ctx };

	return walk(s, each_one, &e, err);
}

struct sweep {
	bool dry_run;
	json_t *items;
};

static bool
sweep_one(struct sa_box *box, const json_t *record, void *ctx)
{
	struct sweep *sweep = ctx;

	if (expired(record)) {
		json_array_append_new(sweep->items,
		    json_pack("{s:s,s:s}", "sandbox", box->name, "why",
			"expired"));
		if (!sweep->dry_run)
			sh_destroy(box, NULL);
	}
	return true;
}

static int
sh_gc(const struct sa_settings *s, bool dry_run, json_t *items,
    struct sa_err *err)
{
	struct sweep sweep = { dry_run, items };

	return walk(s, sweep_one, &sweep, err);
}

static void
sh_check(const struct sa_settings *s, json_t *check)
{
	(void)s;
	sa_check_add(check, "isolation", false, "use another backend",
	    "sh isolates nothing");
}

static int
sh_read_tags(struct sa_box *box, struct sa_box_tags *out, struct sa_err *err)
{
	json_auto_t *record = NULL;
	time_t t;

	if (load(box, &record, err) < 0)
		return -1;
	const char *owner = sa_json_str(record, "owner");
	const char *holder = sa_json_str(record, "holder");
	*out = (struct sa_box_tags){ .owner = owner != NULL ? sa_xstrdup(owner)
							    : NULL,
		.holder = holder != NULL ? sa_xstrdup(holder) : NULL,
		.workdir = sa_xstrdup("/") };
	if (sa_clock_parse(sa_json_str(record, "expires_at"), &t))
		out->expires_at = t;
	return 0;
}

static int
sh_write_tags(struct sa_box *box, const struct sa_box_tags *tags,
    const char *held_by, struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf("sandboxes/%s/lock", box->name);
	cleanup_fd int lock = sa_store_lock(box->store, rel, box->name, err);
	json_auto_t *record = NULL;

	if (lock < 0 || load(box, &record, err) < 0)
		return -1;
	const char *holder = sa_json_str(record, "holder");
	if (strcmp(holder != NULL ? holder : "",
		held_by != NULL ? held_by : "") != 0)
		return sa_err_set(err, SA_BUSY, "it is held by '%s'",
		    holder != NULL ? holder : "nobody");
	sa_json_set_str(record, "owner", tags->owner);
	sa_json_set_str(record, "holder", tags->holder);
	return sa_record_write(box->store, box->rel, record, box->name, err);
}

/* Running. */

struct stream {
	int fd, copy;
	bool lost; /* nobody reads the copy */
	struct sa_tail tail;
};

static void
exec_command(const struct sa_run *run, const char *command, const char *tree,
    const json_t *env, int out, int errout)
{
	const char *shell = getenv("SA_TEST_SH");
	int in =
	    run->in >= 0 ? run->in : open("/dev/null", O_RDONLY | O_CLOEXEC);
	const json_t *pair;
	size_t i;

	setsid();
	if (chdir(tree) < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(errout, 2) < 0)
		_exit(126);
	close_range(3, ~0U, 0);
	json_array_foreach (env, i, pair) {
		char *text = strdup(json_string_value(pair));
		putenv(text); /* no free: it is the environment now */
	}
	if (run->argv != NULL)
		execvp(run->argv[0], (char *const *)(uintptr_t)run->argv);
	else if (shell != NULL && strcmp(shell, "busybox sh") == 0)
		execlp("busybox", "sh", "-c", command, (char *)NULL);
	else
		execlp(shell != NULL ? shell : "sh", "sh", "-c", command,
		    (char *)NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Takes what is there now, at most limit bytes; false at the end. */
static bool
take(struct stream *s, size_t limit)
{
	char chunk[64 * 1024];

	while (limit > 0) {
		ssize_t n = read(s->fd, chunk,
		    limit < sizeof(chunk) ? limit : sizeof(chunk));
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		sa_tail_add(&s->tail, chunk, (size_t)n);
		if (s->copy >= 0)
			s->lost = s->lost ||
			    sa_io_write_fd(s->copy, chunk, (size_t)n, "it",
				NULL) < 0;
		limit -= (size_t)n;
	}
	return true;
}

/* Until the command ends, whoever still has its pipes, or its time is up. */
static void
follow(pid_t pid, const struct sa_run *run, struct stream s[2],
    struct sa_run_result *r)
{
	long long end = sa_clock_ms() + (long long)(run->timeout_s * 1000);
	cleanup_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p[4] = { { s[0].fd, POLLIN, 0 }, { s[1].fd, POLLIN, 0 },
		{ pidfd, POLLIN, 0 },
		{ run->cancel != NULL ? *run->cancel : -1, POLLIN, 0 } };
	int status, waiting;

	for (;;) {
		long long left = end - sa_clock_ms();
		if (left <= 0 || p[3].revents != 0 || s[0].lost || s[1].lost) {
			kill(-pid, SIGKILL);
			r->timed_out = true;
			break;
		}
		if (poll(p, 4, (int)left) < 0)
			continue;
		for (int i = 0; i < 2; i++)
			if (p[i].revents != 0 && !take(&s[i], 64 * 1024))
				p[i].fd = -1;
		if (p[2].revents != 0)
			break;
	}
	waitpid(pid, &status, 0);
	for (int i = 0; i < 2; i++)
		if (ioctl(s[i].fd, FIONREAD, &waiting) == 0)
			take(&s[i], (size_t)waiting);
	r->exit_code =
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int
sh_run(struct sa_box *box, const struct sa_run *run, struct sa_run_result *r,
    struct sa_err *err)
{
	json_auto_t *record = NULL;
	int out[2], errout[2];

	if (run->pty || run->detach)
		return sa_err_set(err, SA_REFUSED,
		    "the backend 'sh' has no terminals and does not detach");
	if (load(box, &record, err) < 0)
		return sa_err_set(err, SA_REMOTE, "the sandbox is gone");
	cleanup_free char *command =
	    sh_faults.before != NULL ? sh_faults.before(run->command) : NULL;
	sh_faults.runs++;
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(errout, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	pid_t pid = fork();
	if (pid == 0)
		exec_command(run, command != NULL ? command : run->command,
		    box->tree, json_object_get(record, "test_env"), out[1],
		    errout[1]);
	close(out[1]);
	close(errout[1]);
	struct stream s[2] = { { .fd = out[0], .copy = run->out },
		{ .fd = errout[0], .copy = run->errout } };
	for (int i = 0; i < 2; i++) {
		fcntl(s[i].fd, F_SETFL, O_NONBLOCK);
		sa_tail_init(&s[i].tail, run->max_output);
	}
	follow(pid, run, s, r);
	r->out_cut = sa_tail_get(&s[0].tail, &r->out);
	r->errout_cut = sa_tail_get(&s[1].tail, &r->errout);
	for (int i = 0; i < 2; i++) {
		close(s[i].fd);
		sa_tail_free(&s[i].tail);
	}
	if (s[0].lost || s[1].lost)
		return sa_err_set(err, SA_IO, "the output is not read");
	if (sh_faults.after != NULL)
		sh_faults.after(r);
	return 0;
}

const struct sa_backend sh_backend = {
	.name = "sh",
	.enforces = SA_SPEC_ENV | SA_SPEC_OWNER | SA_SPEC_EXPIRES,
	.attachable = true,
	.create = sh_create,
	.run = sh_run,
	.destroy = sh_destroy,
	.close = sh_close,
	.find = sh_find,
	.record = sh_record,
	.each = sh_each,
	.gc = sh_gc,
	.check = sh_check,
	.read_tags = sh_read_tags,
	.write_tags = sh_write_tags,
};
