/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"
#include "spark/audit.h"
#include "spark/launch.h"
#include "spark/master.h"
#include "spark/output.h"
#include "spark/pending.h"
#include "spark/run.h"

#define PROGRAM "sa-supervise"
#define PROPERTIES "spark.properties"
/* Between two looks at the output of a driver that writes all the time. */
#define PACE_MS 5
/* Without inotify. */
#define POLL_MS 250
/* How long the rest of a group may take to go after spark-submit did. */
#define GRACE_MS 3000
#define GROUP_MS 20
/* How long a full disk may keep the exit record from being written. */
#define KEEP_TRYING_S 60

struct options {
	const char *data_dir, *id;
	int status, alive;
};

struct supervisor {
	struct sa_settings *settings;
	struct sa_store *store;
	const char *id;
	char pending_id[SA_ID_SIZE], plan_sha256[65];
	int run, alive, status; /* runs/ID, its lock, our reader or -1 */
	int signals, changes;	/* signalfd; inotify or -1 */
	long long output_max;
	enum sa_master_kind kind;
	struct sa_stream out, err;
	struct sa_id_scan scan;
	pid_t pid; /* of spark-submit and of its group */
	bool ended;
	int how; /* as waitpid(2) gives it */
};

/* What spark-submit is started with. */
struct driver {
	char **argv, **env;
	const char *workdir;
};

/* Tells sa_launch_start(); it may be gone, and then nobody wants to know. */
static void
tell(struct supervisor *v, const char *word, const char *text)
{
	if (v->status >= 0)
		dprintf(v->status, "%s%s\n", word, text);
}

static void
hush(struct supervisor *v)
{
	if (v->status >= 0)
		close(v->status);
	v->status = -1;
}

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

static char **
environment(const json_t *plan)
{
	json_t *env = sa_json_obj(plan, "env");
	char **v = sa_xcalloc(json_object_size(env) + 1, sizeof(*v));
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach (env, name, value)
		if (json_is_string(value))
			v[n++] = sa_xasprintf("%s=%s", name,
			    json_string_value(value));
	return v;
}

/* Secrets go by way of a file that only we can read: *path, NULL for none. */
static int
write_properties(const struct supervisor *v, const json_t *plan, char **path,
    struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	char *text = sa_plan_properties(plan, &local);

	*path = NULL;
	if (text == NULL && local.kind != SA_OK) {
		*err = local;
		return -1;
	}
	if (text == NULL)
		return 0;
	size_t len = strlen(text);
	int rc =
	    sa_io_replace(v->run, PROPERTIES, text, len, 0600, PROPERTIES, err);
	explicit_bzero(text, len);
	free(text);
	if (rc == 0)
		*path = sa_xasprintf("%s/runs/%s/%s", sa_store_path(v->store),
		    v->id, PROPERTIES);
	return rc;
}

/* Everything that is read of the records is let go of before the long wait:
 * this process is to be small. */
static int
prepare_and_start(struct supervisor *v, int *why, struct sa_err *err)
{
	json_auto_t *job = NULL, *pending = NULL;
	cleanup_free char *properties = NULL;

	if (sa_run_read(v->store, v->id, &job, err) < 0)
		return -1;
	strlcpy(v->pending_id,
	    sa_json_str(job, "pending_id") ? sa_json_str(job, "pending_id")
					   : "",
	    sizeof(v->pending_id));
	if (sa_pending_read(v->store, v->pending_id, &pending, err) < 0)
		return -1;
	const json_t *plan = sa_json_obj(pending, "plan");
	const char *workdir = sa_json_str(plan, "workdir");
	const char *hash = sa_json_str(pending, "plan_sha256");
	strlcpy(v->plan_sha256, hash ? hash : "", sizeof(v->plan_sha256));
	if (sa_master_check(sa_json_str(plan, "master"), &v->kind, err) < 0 ||
	    sa_stream_open(&v->out, v->run, "stdout", err) < 0 ||
	    sa_stream_open(&v->err, v->run, "stderr", err) < 0 ||
	    write_properties(v, plan, &properties, err) < 0)
		return -1;
	struct driver d = {
		.argv = sa_plan_argv(v->store, pending, v->id, properties),
		.env = environment(plan),
		.workdir = workdir != NULL ? workdir : "/",
	};
	int rc = start_driver(v, &d, why, err);
	if (rc > 0)
		sa_err_errno(err, SA_CONFIG, *why,
		    "cannot execute '%s' in '%s'", d.argv[0], d.workdir);
	sa_argv_free(d.argv);
	sa_argv_free(d.env);
	return rc;
}

/* The state as the driver's start and log lines tell it. */
static void
update(struct supervisor *v, const char *state, const char *app)
{
	json_auto_t *job = NULL;
	struct sa_err err = SA_ERR_INIT;
	char now[SA_TIME_SIZE];
	cleanup_fd int lock = -1;

	if (sa_run_lock(v->store, v->id, &lock, &job, &err) == 0) {
		sa_clock_now(now);
		if (state != NULL)
			sa_json_set_str(job, "state", state);
		if (state != NULL && strcmp(state, "RUNNING") == 0)
			sa_json_set_str(job, "started_at", now);
		if (app != NULL && *app != '\0')
			sa_json_set_str(job, "application_id", app);
		if (sa_run_write(v->store, job, &err) == 0)
			sa_info("%s: %s %s", v->id, state ? state : "",
			    app ? app : "");
	}
	if (err.kind != SA_OK)
		sa_warn("%s: %s", v->id, err.msg);
	sa_err_clear(&err);
}

/* The audit's outcome, by a process of its own: looking up who we are loads
 * what we do not want to keep. */
static void
audit(const struct supervisor *v, const char *event, const char *note)
{
	struct sa_err err = SA_ERR_INIT;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (sa_audit_add(v->store, v->settings, event, v->id,
			v->plan_sha256, note, &err) < 0)
			sa_warn("%s: %s", v->id, err.msg);
		_exit(0);
	}
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
}

/* Reads the driver's log and bounds its output. */
static void
look(struct supervisor *v)
{
	if (v->scan.fd >= 0) {
		bool known = *v->scan.id != '\0';
		if (sa_id_scan_more(&v->scan)) {
			update(v, v->scan.state, v->scan.id);
			if (!known) {
				tell(v, SA_LAUNCH_ID, v->scan.id);
				hush(v);
			}
		}
		if (v->scan.state != NULL &&
		    strcmp(v->scan.state, "RUNNING") == 0) {
			close(v->scan.fd);
			v->scan.fd = -1;
		}
	}
	sa_stream_bound(&v->out, v->output_max);
	sa_stream_bound(&v->err, v->output_max);
}

/* Reaps whatever ended: spark-submit, and what it left to us. */
static void
reap(struct supervisor *v)
{
	struct signalfd_siginfo info[8];
	pid_t pid;
	int how;

	while (read(v->signals, info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &how, WNOHANG)) > 0)
		if (pid == v->pid) {
			v->ended = true;
			v->how = how;
		}
}

/* Waits for output or an end, then looks. A driver that writes all the time
 * is looked at at its own pace, not at each write. */
static void
watch(struct supervisor *v, int ms)
{
	struct pollfd p[2] = { { v->signals, POLLIN, 0 },
		{ v->changes, POLLIN, 0 } };
	char events[4096];

	if (v->changes < 0 && (ms < 0 || ms > POLL_MS))
		ms = POLL_MS;
	if (poll(p, 2, ms) < 0 && errno != EINTR)
		sa_warn("poll: errno %d", errno);
	if (p[1].revents != 0) {
		while (read(v->changes, events, sizeof(events)) > 0)
			;
		poll(p, 1, PACE_MS);
	}
	reap(v);
	look(v);
}

static bool
kill_requested(const struct supervisor *v)
{
	json_auto_t *job = NULL;

	return sa_run_read(v->store, v->id, &job, NULL) == 0 &&
	    sa_json_str(job, "kill_requested_at") != NULL;
}

/* Python outlives the JVM that started it: the group is what has to end. */
static void
wait_for_group(struct supervisor *v)
{
	long long end = sa_clock_ms() + GRACE_MS;
	bool killed = false;

	while (sa_proc_group_alive(v->pid)) {
		if (sa_clock_ms() >= end) {
			if (killed || !kill_requested(v))
				break;
			kill(-v->pid, SIGKILL);
			killed = true;
			end = sa_clock_ms() + GRACE_MS;
		}
		watch(v, GROUP_MS);
	}
	if (sa_proc_group_alive(v->pid))
		sa_warn("%s: spark-submit ended, processes of its group %ld "
			"go on",
		    v->id, (long)v->pid);
	reap(v);
	look(v);
}

/* exit.json; why is set where spark-submit was not executed. */
static int
write_exit(const struct supervisor *v, const char *why, json_t **out,
    struct sa_err *err)
{
	json_auto_t *exit_record = json_object();
	char now[SA_TIME_SIZE];
	bool sig = WIFSIGNALED(v->how);

	sa_clock_now(now);
	json_object_set_new(exit_record, "exit_code",
	    why == NULL && !sig ? json_integer(WEXITSTATUS(v->how))
				: json_null());
	json_object_set_new(exit_record, "signal",
	    why == NULL && sig ? json_integer(WTERMSIG(v->how)) : json_null());
	sa_json_set_str(exit_record, "at", now);
	if (why != NULL)
		sa_json_set_str(exit_record, "error", why);
	cleanup_free char *text = sa_json_text(exit_record);
	if (sa_io_replace(v->run, "exit.json", text, strlen(text), 0640,
		"exit.json", err) < 0)
		return -1;
	*out = sa_steal(&exit_record);
	return 0;
}

/* The final state. exit.json is enough for whoever looks later; the record
 * is kept up to date for those who only list. */
static int
finish(struct supervisor *v, const char *why, struct sa_err *err)
{
	json_auto_t *exit_record = NULL, *job = NULL;
	cleanup_fd int lock = -1;
	int left = KEEP_TRYING_S;

	while (write_exit(v, why, &exit_record, err) < 0) {
		if (left-- == 0)
			return -1;
		sa_err_clear(err);
		poll(NULL, 0, 1000);
	}
	unlinkat(v->run, PROPERTIES, 0);
	if (sa_run_lock(v->store, v->id, &lock, &job, err) < 0)
		return -1;
	sa_run_apply_exit(v->store, job, exit_record);
	if (sa_run_write(v->store, job, err) < 0)
		return -1;
	close(lock);
	lock = -1;
	close(v->alive);
	sa_info("%s: %s", v->id, sa_json_str(job, "state"));
	sa_event(v->settings, "ended", job);
	return 0;
}

/* Says why spark-submit does not run, everywhere. */
static void
give_up(struct supervisor *v, const struct sa_err *why)
{
	struct sa_err err = SA_ERR_INIT;

	sa_error("%s: %s", v->id, why->msg);
	if (finish(v, why->msg, &err) < 0 ||
	    (*v->pending_id != '\0' &&
		sa_launch_settle(v->store, v->pending_id, why->msg, &err) < 0))
		sa_error("%s: %s", v->id, err.msg);
	audit(v, "failed", why->msg);
	tell(v, SA_LAUNCH_FAILED, why->msg);
	sa_err_clear(&err);
}

/* The run's directory and the lock that says that we live. Nobody starts a
 * driver in a run that has a mark. */
static int
open_run(struct supervisor *v, const struct options *o, struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s", o->id);

	if (!sa_clock_is_id("j", o->id))
		return sa_err_set(err, SA_NOT_FOUND, "unknown job_id: '%s'",
		    o->id);
	v->store = sa_store_open(v->settings, false, err);
	if (v->store == NULL ||
	    (v->run = sa_store_dir(v->store, rel, false, err)) < 0)
		return -1;
	v->alive = o->alive >= 0
	    ? o->alive
	    : sa_io_lock(v->run, "alive", 0, "the run", err);
	if (v->alive < 0)
		return -1;
	if (flock(v->alive, LOCK_EX | LOCK_NB) < 0)
		return sa_err_set(err, SA_BUSY,
		    "%s has a supervisor that lives", o->id);
	if (faccessat(v->run, "exec.json", F_OK, 0) == 0 ||
	    faccessat(v->run, "exit.json", F_OK, 0) == 0)
		return sa_err_set(err, SA_INVALID, "%s was started before",
		    o->id);
	return 0;
}

/* What must not reach us, what is to be noticed, and who is ours. */
static int
set_up(struct supervisor *v, struct sa_err *err)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
		SIGPIPE, SIGUSR1, SIGUSR2, SIGXFSZ };
	sigset_t mask;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	v->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (v->signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return sa_err_errno(err, SA_INTERNAL, errno,
		    "cannot watch over children");
	if (getsid(0) != getpid())
		setsid();
	return 0;
}

/* Without inotify we look from time to time. */
static void
watch_output(struct supervisor *v)
{
	static const char *const names[] = { "stdout", "stderr" };

	v->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	for (int i = 0; i < 2 && v->changes >= 0; i++) {
		cleanup_free char *path = sa_xasprintf("%s/runs/%s/%s",
		    sa_store_path(v->store), v->id, names[i]);
		if (inotify_add_watch(v->changes, path, IN_MODIFY) < 0) {
			close(v->changes);
			v->changes = -1;
		}
	}
}

/* From the exec on. */
static int
supervise(struct supervisor *v, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	bool here = v->kind == SA_MASTER_LOCAL;

	if (here)
		update(v, "RUNNING", NULL);
	if (sa_launch_settle(v->store, v->pending_id, NULL, &local) < 0)
		sa_warn("%s: %s", v->pending_id, local.msg);
	sa_err_clear(&local);
	audit(v, "submitted", v->pending_id);
	tell(v, SA_LAUNCH_EXEC, "");
	v->scan = (struct sa_id_scan){ .kind = v->kind, .fd = -1 };
	if (here)
		hush(v);
	else
		v->scan.fd = openat(v->run, "stderr", O_RDONLY | O_CLOEXEC);
	watch_output(v);
	malloc_trim(0);
	reap(v);
	look(v);
	while (!v->ended)
		watch(v, -1);
	wait_for_group(v);
	hush(v);
	return finish(v, NULL, err);
}

static const char *
data_dir_option(void *arg, const char *option)
{
	const struct options *o = arg;

	return strcmp(option, "data-dir") == 0 ? o->data_dir : NULL;
}

static int
run(struct supervisor *v, struct options *o, struct sa_err *err)
{
	int why = 0;

	v->settings = sa_settings_load(data_dir_option, o, err);
	if (v->settings == NULL || open_run(v, o, err) < 0) {
		tell(v, SA_LAUNCH_FAILED, err->msg);
		return -1;
	}
	sa_log_start(PROGRAM, v->settings);
	v->output_max = sa_settings_number(v->settings, SA_SET_OUTPUT_MAX);
	/* keep no file system busy */
	if (chdir("/") < 0 || set_up(v, err) < 0 ||
	    prepare_and_start(v, &why, err) != 0) {
		give_up(v, err);
		return -1;
	}
	return supervise(v, err);
}

static void
usage(FILE *f)
{
	fputs("usage: " PROGRAM " [--data-dir DIR] [--status-fd N] "
	      "[--alive-fd N] JOB_ID\n",
	    f);
}

/* A descriptor that was handed down; it goes no further. */
static int
take_fd(const char *text, const char *option, int *fd, struct sa_err *err)
{
	const char *why;

	*fd = (int)strtonum(text, 3, INT_MAX, &why);
	if (why != NULL || fcntl(*fd, F_SETFD, FD_CLOEXEC) < 0)
		return sa_err_set(err, SA_USAGE,
		    "--%s: '%s' is no open descriptor from 3 on", option, text);
	return 0;
}

/* 1: go on; 0: all was said. */
static int
parse(int argc, char *argv[], struct options *o, struct sa_err *err)
{
	static const struct option longs[] = {
		{ "data-dir", required_argument, NULL, 'd' },
		{ "status-fd", required_argument, NULL, 's' },
		{ "alive-fd", required_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c, rc = 0;

	opterr = 0;
	while (rc == 0 &&
	    (c = getopt_long(argc, argv, ":hV", longs, NULL)) != -1) {
		if (c == 'd')
			o->data_dir = optarg;
		else if (c == 's')
			rc = take_fd(optarg, "status-fd", &o->status, err);
		else if (c == 'a')
			rc = take_fd(optarg, "alive-fd", &o->alive, err);
		else if (c == 'h') {
			usage(stdout);
			return 0;
		} else if (c == 'V') {
			puts(PROGRAM " " PACKAGE_VERSION);
			return 0;
		} else
			return sa_err_set(err, SA_USAGE, "option '%s'",
			    argv[optind - 1]);
	}
	if (rc == 0 && optind + 1 != argc)
		rc = sa_err_set(err, SA_USAGE, "one JOB_ID is wanted");
	if (rc < 0)
		return -1;
	o->id = argv[optind];
	return 1;
}

int
main(int argc, char *argv[])
{
	struct options o = { .status = -1, .alive = -1 };
	struct sa_err err = SA_ERR_INIT;

	sa_init();
	int rc = parse(argc, argv, &o, &err);
	bool misuse = rc < 0;
	if (rc > 0) {
		struct supervisor v = { .id = o.id,
			.run = -1,
			.alive = -1,
			.status = o.status,
			.signals = -1,
			.changes = -1,
			.out.fd = -1,
			.err.fd = -1,
			.scan.fd = -1 };
		rc = run(&v, &o, &err);
		sa_settings_free(v.settings);
		sa_store_free(v.store);
	}
	if (rc >= 0)
		return sa_finish(PROGRAM, 0);
	int code = sa_report(PROGRAM, &err);
	if (misuse)
		usage(stderr);
	return code;
}
