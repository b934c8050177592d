/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "sandbox/box.h"
#include "sandbox/boxserve.h"
#include "sandbox/cgroup.h"
#include "sandbox/netinside.h"

static void
bring_up_loopback(void)
{
	struct ifreq r = { .ifr_name = "lo" };
	cleanup_fd int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	r.ifr_flags = IFF_UP;
	/* a host without it has no loopback to miss */
	if (s >= 0)
		(void)ioctl(s, SIOCSIFFLAGS, &r);
}

static int
by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Only those stay open; fds are sorted, and -1 is none. */
static int
keep_only(int *fds, size_t n)
{
	unsigned from = 3;
	cleanup_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -1;
	qsort(fds, n, sizeof(*fds), by_number);
	for (int i = 0; i < 3; i++)
		if (bsearch(&i, fds, n, sizeof(*fds), by_number) == NULL &&
		    dup2(null, i) < 0)
			return -1;
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < (int)from)
			continue;
		if (fds[i] > (int)from &&
		    close_range(from, (unsigned)fds[i] - 1, 0) < 0)
			return -1;
		from = (unsigned)fds[i] + 1;
	}
	null = -1;
	return (int)close_range(from, ~0U, 0);
}

static void __attribute__((noreturn)) fail(int go, const char *step)
{
	sa_box_say(go, SA_BOX_FAULT, errno, 0, step);
	_exit(1);
}

/* The namespaces' furniture; step as in box.h, what netinside.h gives. What
 * needs no ids is done while the other side maps them. */
static int
set_up(const struct sa_box_plan *plan, int go, const char **step)
{
	struct sa_boxroot *root;
	char c;

	umask(022);
	if (sa_boxroot_open(plan, &root, step) < 0)
		return -1;
	*step = "a host name";
	if (sethostname(SA_BOX_HOST, strlen(SA_BOX_HOST)) < 0)
		return -1;
	bring_up_loopback();
	if (read(go, &c, 1) != 1)
		_exit(1);
	/* of the group that it was moved to, which it then sees as the root */
	*step = "control groups of its own";
	if (plan->group != NULL && unshare(CLONE_NEWCGROUP) < 0)
		return -1;
	/* whose id is not mapped was root, and may and has to leave groups */
	*step = "an id that is not root";
	if ((getuid() != SA_BOX_UID && setgroups(0, NULL) < 0) ||
	    setresgid(SA_BOX_UID, SA_BOX_UID, SA_BOX_UID) < 0 ||
	    setresuid(SA_BOX_UID, SA_BOX_UID, SA_BOX_UID) < 0)
		return -1;
	*step = "a process 1 that nobody looks into";
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -1;
	/* ENOSYS, EPERM: no keys in this kernel, or none for containers */
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	int redirects = 0;
	if (plan->net >= 0)
		redirects = sa_netinside(plan->spec, plan->net, step);
	if (redirects < 0 || sa_boxroot_build(root, plan->spec, step) < 0)
		return -1;
	if (plan->net >= 0 && sa_netinside_wait(plan->net, step) < 0)
		return -1;
	return redirects;
}

void
sa_boxinit(const struct sa_box_plan *plan, int go)
{
	struct sa_boxserve in;
	const char *step = "what init keeps open";
	const struct sa_cgroup *g = plan->group;
	int keep[] = { go, plan->listener, plan->lock, plan->small, plan->net,
		plan->egress, g != NULL ? g->events : -1,
		g != NULL ? g->stat : -1 };

	prctl(PR_SET_NAME, "sandbox-init", 0, 0, 0);
	int ready = keep_only(keep, sizeof(keep) / sizeof(*keep)) < 0
	    ? -1
	    : set_up(plan, go, &step);
	if (ready < 0)
		fail(go, step);
	if (sa_boxserve_begin(&in, plan, go) < 0)
		fail(go, "its control socket");
	if (plan->lock >= 0)
		close(plan->lock);
	environ = NULL;
	/* who has asked for more already is told of that, and woken once */
	struct pollfd asked = { go, POLLIN, 0 };
	if (plan->net >= 0 || poll(&asked, 1, 0) == 0)
		sa_box_say(go, SA_BOX_READY, ready, 0, "");
	sa_boxserve(&in);
}
