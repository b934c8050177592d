/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "spark/launch.h"
#include "supervise.h"

#define PROGRAM "sa-supervise"
struct options {
	const char *data_dir, *id;
	int status, alive;
};

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

/* From the exec on. */
static int
supervise(struct supervisor *v, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	/* nobody will name an application */
	bool here = v->kind == SA_MASTER_LOCAL ||
	    (v->kind == SA_MASTER_KUBERNETES && !v->in_cluster);

	if (here)
		supervise_update(v, "RUNNING", NULL);
	if (sa_launch_settle(v->store, v->pending_id, NULL, &local) < 0)
		sa_warn("%s: %s", v->pending_id, local.msg);
	sa_err_clear(&local);
	supervise_audit(v, "submitted", v->pending_id);
	supervise_tell(v, SA_LAUNCH_EXEC, "");
	v->scan = (struct sa_id_scan){ .kind = v->kind, .fd = -1 };
	if (here)
		supervise_hush(v);
	else
		v->scan.fd = openat(v->run, "stderr", O_RDONLY | O_CLOEXEC);
	supervise_watch(v);
	return supervise_finish(v, NULL, err);
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
	v->settings = sa_settings_load(data_dir_option, o, err);
	if (v->settings == NULL || open_run(v, o, err) < 0) {
		supervise_tell(v, SA_LAUNCH_FAILED, err->msg);
		return -1;
	}
	sa_log_start(PROGRAM, v->settings);
	v->output_max = sa_settings_number(v->settings, SA_SET_OUTPUT_MAX);
	/* keep no file system busy */
	if (chdir("/") < 0 || set_up(v, err) < 0 ||
	    supervise_start(v, err) != 0) {
		supervise_give_up(v, err);
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
