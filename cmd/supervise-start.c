/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/proc.h"
#include "spark/pending.h"
#include "spark/run.h"
#include "supervise.h"

extern char **environ;

/* What spark-submit is started with. */
struct driver {
	char **argv, **env;
	const char *workdir;
};

/* The driver's side of fork(): waits for the word to go, which is not given
 * when we die before the mark is written. */
static void
become_driver(const struct supervisor *v, const struct driver *d, int go,
    int failure)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;
	char word;
	int why;

	setpgid(0, 0);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (read(go, &word, 1) != 1)
		_exit(0);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(v->out.fd, 1) == 1 &&
	    dup2(v->err.fd, 2) == 2 && chdir(d->workdir) == 0)
		execve(d->argv[0], d->argv, d->env);
	why = errno;
	if (write(failure, &why, sizeof(why)) < 0)
		_exit(126);
	_exit(127);
}

/* exec.json. From here on the driver may run. */
static int
write_mark(const struct supervisor *v, struct sa_err *err)
{
	json_auto_t *mark = json_object();
	struct sa_proc_id id;
	char host[256] = "", now[SA_TIME_SIZE];

	if (!sa_proc_identify(v->pid, &id))
		return sa_err_set(err, SA_INTERNAL,
		    "the process %ld is gone before its start", (long)v->pid);
	gethostname(host, sizeof(host) - 1);
	sa_clock_now(now);
	sa_json_set_str(mark, "host", host);
	sa_json_set_str(mark, "boot_id", id.boot_id);
	json_object_set_new(mark, "pid", json_integer(v->pid));
	json_object_set_new(mark, "pgid", json_integer(v->pid));
	json_object_set_new(mark, "start_ticks",
	    json_integer((json_int_t)id.start_ticks));
	sa_json_set_str(mark, "at", now);
	cleanup_free char *text = sa_json_text(mark);
	return sa_io_create(v->run, "exec.json", text, strlen(text), 0640,
	    "exec.json", err);
}

/* Under the run's lock: not when somebody asked for a kill meanwhile. */
static int
mark(const struct supervisor *v, struct sa_err *err)
{
	json_auto_t *job = NULL;
	cleanup_fd int lock = -1;

	if (sa_run_lock(v->store, v->id, &lock, &job, err) < 0)
		return -1;
	const char *state = sa_json_str(job, "state");
	if (state == NULL || strcmp(state, "SUBMITTING") != 0)
		return sa_err_set(err, SA_INVALID, "%s is %s already", v->id,
		    state != NULL ? state : "nothing");
	if (sa_json_str(job, "kill_requested_at") != NULL)
		return sa_err_set(err, SA_INVALID,
		    "%s was killed before it ran", v->id);
	return write_mark(v, err);
}

/* Forks, marks, lets go, and waits for the exec. 1: it failed, *why is its
 * errno. */
static int
start_driver(struct supervisor *v, const struct driver *d, int *why,
    struct sa_err *err)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	cleanup_fd int go_r = go[0], go_w = go[1];
	if (pipe2(failure, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	cleanup_fd int failure_r = failure[0], failure_w = failure[1];
	v->pid = fork();
	if (v->pid < 0)
		return sa_err_errno(err, SA_BUSY, errno, "cannot fork");
	if (v->pid == 0) {
		close(go_w);
		become_driver(v, d, go_r, failure_w);
	}
	close(failure_w);
	failure_w = -1;
	setpgid(v->pid, v->pid);
	if (mark(v, err) < 0)
		return -1;
	if (write(go_w, "g", 1) != 1)
		return sa_err_errno(err, SA_IO, errno, "cannot let go");
	ssize_t n;
	while ((n = read(failure_r, why, sizeof(*why))) < 0 && errno == EINTR)
		;
	return n == sizeof(*why) ? 1 : 0;
}

/* Secrets go by way of a file that only we can read. */
static int
write_properties(const struct supervisor *v, const json_t *plan,
    const char *path, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	char *text = sa_plan_properties(plan, &local);

	if (text == NULL && local.kind != SA_OK) {
		*err = local;
		return -1;
	}
	if (text == NULL)
		return 0;
	const char *name = strrchr(path, '/') + 1;
	size_t len = strlen(text);
	int rc = sa_io_replace(v->run, name, text, len, 0600, name, err);
	explicit_bzero(text, len);
	free(text);
	return rc;
}

/* Whether a launch needs the network before or in place of spark-submit. */
static bool
is_launched(const struct supervisor *v)
{
	return v->in_cluster && v->kind != SA_MASTER_YARN;
}

/* Our environment with the plan's over it: what sa-yarn launch needs itself,
 * and what decides which cluster it finds. */
static char **
launch_environ(const json_t *plan)
{
	json_auto_t *env = json_object();
	json_auto_t *both = json_pack("{s:O}", "env", env);

	for (char **e = environ; *e != NULL; e++) {
		cleanup_free char *name = sa_xstrndup(*e, strcspn(*e, "="));
		if (strchr(*e, '=') != NULL)
			sa_json_set_str(env, name, strchr(*e, '=') + 1);
	}
	json_object_update(env, sa_json_obj(plan, "env"));
	return sa_plan_environ(both);
}

static int
launch_command(const struct supervisor *v, const json_t *plan, struct driver *d,
    struct sa_err *err)
{
	cleanup_free char *program = sa_proc_own("sa-yarn", err);
	char **argv = sa_xcalloc(5, sizeof(*argv));

	if (program == NULL) {
		free(argv);
		return -1;
	}
	argv[0] = sa_steal(&program);
	argv[1] = sa_xstrdup("launch");
	argv[2] = sa_xasprintf("--data-dir=%s", sa_store_path(v->store));
	argv[3] = sa_xstrdup(v->id);
	d->argv = argv;
	d->env = launch_environ(plan);
	return 0;
}

/* What is executed. */
static int
command(const struct supervisor *v, const json_t *pending, struct driver *d,
    struct sa_err *err)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	const char *workdir = sa_json_str(plan, "workdir");
	cleanup_free char *properties =
	    sa_plan_properties_path(v->store, plan, v->id);

	d->workdir = workdir != NULL ? workdir : "/";
	if (write_properties(v, plan, properties, err) < 0)
		return -1;
	if (is_launched(v))
		return launch_command(v, plan, d, err);
	d->argv = sa_plan_argv(v->store, pending, v->id, properties);
	d->env = sa_plan_environ(plan);
	return 0;
}

/* Everything that is read of the records is let go of before the long wait:
 * this process is to be small. */
int
supervise_start(struct supervisor *v, struct sa_err *err)
{
	json_auto_t *job = NULL, *pending = NULL;
	struct driver d = { NULL, NULL, NULL };
	int why = 0;

	if (sa_run_read(v->store, v->id, &job, err) < 0)
		return -1;
	const char *from = sa_json_str(job, "pending_id");
	strlcpy(v->pending_id, from != NULL ? from : "", sizeof(v->pending_id));
	if (sa_pending_read(v->store, v->pending_id, &pending, err) < 0)
		return -1;
	const json_t *plan = sa_json_obj(pending, "plan");
	const char *hash = sa_json_str(pending, "plan_sha256");
	strlcpy(v->plan_sha256, hash ? hash : "", sizeof(v->plan_sha256));
	v->in_cluster = sa_plan_in_cluster(plan);
	if (sa_master_check(sa_json_str(plan, "master"), &v->kind, err) < 0 ||
	    sa_stream_open(&v->out, v->run, "stdout", err) < 0 ||
	    sa_stream_open(&v->err, v->run, "stderr", err) < 0 ||
	    command(v, pending, &d, err) < 0)
		return -1;
	int rc = start_driver(v, &d, &why, err);
	if (rc > 0)
		sa_err_errno(err, SA_CONFIG, why, "cannot execute '%s' in '%s'",
		    d.argv[0], d.workdir);
	sa_argv_free(d.argv);
	sa_argv_free(d.env);
	return rc;
}
