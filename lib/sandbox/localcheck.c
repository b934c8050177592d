/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/path.h"
#include "sandbox/boxtree.h"
#include "sandbox/landlock.h"

#define END_MS 10000
#define DELEGATE                                                         \
	"a control group holds it, where one is delegated: systemd-run " \
	"--user --scope -p Delegate=yes"

/* Makes the namespaces in dir, with no command, and ends them. */
static int
try_in(int dir, const struct sa_spec *spec, int *ready, struct sa_err *err)
{
	struct sa_launched l = SA_LAUNCHED_NONE;
	struct sa_box_plan plan = {
		.spec = spec,
		.lock = -1,
		.egress = -1,
		.small = -1,
	};

	if (mkdirat(dir, "tree", 0755) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a tree");
	cleanup_fd int tree =
	    openat(dir, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (const struct sa_box_dir *d = sa_box_dirs; d->path != NULL; d++)
		if (tree < 0 || mkdirat(tree, d->path, 0755) < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot make a tree");
	cleanup_fd int listener = sa_launch_listen(dir, err);
	if (listener < 0)
		return -1;
	sa_launch_ids("sa-sandbox-000000000000", &plan.uid, &plan.gid);
	plan.listener = listener;
	if (sa_launch(&plan, tree, &l, err) < 0)
		return -1;
	int rc = sa_launch_wait(&l, err);
	*ready = l.ready;
	sa_launch_end(&l, END_MS);
	return rc;
}

/* In a directory of its own, since a check leaves nothing. */
static int
try_out(const struct sa_spec *spec, int *ready, struct sa_err *err)
{
	const char *tmp = getenv("TMPDIR");
	cleanup_free char *path = sa_path_join(
	    tmp != NULL && *tmp == '/' ? tmp : "/tmp", "sa-check.XXXXXX");

	if (mkdtemp(path) == NULL)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make a directory '%s'", path);
	cleanup_fd int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = dir < 0
	    ? sa_err_errno(err, SA_IO, errno, "cannot open '%s'", path)
	    : try_in(dir, spec, ready, err);
	struct sa_err other = SA_ERR_INIT;
	(void)sa_boxtree_remove(AT_FDCWD, path, path, &other);
	sa_err_clear(&other);
	return rc;
}

static void
check_memory(json_t *check, bool group)
{
	if (group)
		sa_check_add(check, "--memory", true, NULL,
		    "by a control group, at once, swap included");
	else
		sa_check_add(check, "--memory", true, DELEGATE,
		    "by RLIMIT_DATA of each process at once, and of all "
		    "together as looked at every %d ms",
		    SA_BOX_WATCH_MS);
}

static void
check_cpus(json_t *check, bool group)
{
	if (group)
		sa_check_add(check, "--cpus", true, NULL,
		    "by a control group, in each tenth of a second");
	else
		sa_check_add(check, "--cpus", true, DELEGATE,
		    "not enforced, and so refused: this process may make no "
		    "control group with the controller 'cpu'");
}

/* A network that is open, as all of them are made alike. */
static void
check_network(json_t *check)
{
	const struct sa_spec spec = { .open_network = true };
	struct sa_err err = SA_ERR_INIT;
	int redirects = 0;
	bool ok = try_out(&spec, &redirects, &err) == 0;

	if (ok)
		sa_check_add(check, "network", true, NULL,
		    "none unless it is asked for, and then TCP alone, by a "
		    "process outside that dials for the sandbox; programs "
		    "connect %s",
		    redirects ? "as they do anywhere"
			      : "as they do anywhere to the ports of "
				"--allow-egress, to others by HTTP_PROXY");
	else
		sa_check_add(check, "network", false, err.hint,
		    "none at all, and --allow-egress, --allow-cidr and "
		    "--open-network are refused: %s",
		    err.msg);
	sa_err_clear(&err);
}

void
sa_local_check(const struct sa_settings *s, json_t *check)
{
	const struct sa_spec none = { .asked = 0 };
	int ready;
	unsigned groups = sa_cgroup_can();
	struct sa_err err = SA_ERR_INIT;
	bool ok = try_out(&none, &ready, &err) == 0;

	(void)s;
	sa_check_add(check, "isolation", ok, ok ? NULL : err.hint, "%s",
	    ok ? "namespaces, a root, /proc and network of its own, no "
		 "capabilities, a filter of system calls"
	       : err.msg);
	sa_err_clear(&err);
	if (!ok)
		return;
	sa_check_add(check, "kill", true, NULL,
	    "all processes of a sandbox end with its PID namespace");
	sa_check_add(check, "landlock", true, NULL, "%s",
	    sa_landlock_there()
		? "a second layer over signals, abstract sockets and tracing"
		: "no second layer: Linux 6.12 or newer has it, if built in");
	sa_check_add(check, "--pids", true, NULL,
	    "by RLIMIT_NPROC of the user namespace; %d unless it is said",
	    SA_BOX_PIDS);
	check_memory(check, groups & SA_CGROUP_MEMORY);
	sa_check_add(check, "--disk", true, NULL,
	    "by RLIMIT_FSIZE of each file at once, and of all together as "
	    "looked at every second or less often in large trees");
	check_cpus(check, groups & SA_CGROUP_CPU);
	check_network(check);
}
