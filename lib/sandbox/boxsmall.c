/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "sandbox/boxserve.h"

#define CAPS 2 /* words of 32 capabilities */

/* Those that there are, or none, for the next program: whoever is no root
 * there would lose them. */
static int
hand_on_capabilities(bool all)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct cap[CAPS];

	if (syscall(SYS_capget, &head, cap) < 0)
		return -1;
	for (int i = 0; i < CAPS; i++)
		cap[i].inheritable = all ? cap[i].permitted : 0;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capset, &head, cap) < 0)
		return -1;
	for (unsigned long c = 0; c < CAPS * 32UL; c++)
		if ((cap[c / 32].inheritable & 1U << c % 32) != 0 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, c, 0, 0) < 0)
			return -1;
	return 0;
}

static void
hand_on(int fd)
{
	if (fd >= 0)
		(void)fcntl(fd, F_SETFD, 0);
}

static void
hand_on_descriptors(const struct sa_boxserve *in)
{
	const int own[] = { in->listener, in->net, in->egress, in->signals,
		in->proc, in->watch.events, in->watch.stat, in->watch.result };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		hand_on(own[i]);
	for (size_t i = 0; i < in->n; i++) {
		const struct sa_boxcommand *c = &in->jobs[i];
		hand_on(c->sock);
		hand_on(c->reads[0]);
		hand_on(c->reads[1]);
		hand_on(c->tty);
		hand_on(c->log.fd);
	}
}

static size_t
size_of(const struct sa_boxserve *in)
{
	return offsetof(struct sa_boxserve, jobs) + in->n * sizeof(*in->jobs);
}

void
sa_boxsmall(struct sa_boxserve *in)
{
	const char *const argv[] = { "sandbox-init", NULL };
	cleanup_fd int program = in->small;
	cleanup_fd int state = memfd_create("init", MFD_CLOEXEC);
	ssize_t size = (ssize_t)size_of(in);

	in->small = -1;
	if (state < 0 || write(state, in, (size_t)size) != size ||
	    lseek(state, 0, SEEK_SET) < 0 || dup2(state, 0) < 0)
		return;
	hand_on_descriptors(in);
	if (hand_on_capabilities(true) == 0)
		(void)syscall(SYS_execveat, program, "", argv, argv + 1,
		    AT_EMPTY_PATH);
	/* what was handed on is closed and dropped by each command itself */
	(void)hand_on_capabilities(false);
	(void)dup2(1, 0);
}

bool
sa_boxsmall_begin(struct sa_boxserve *in)
{
	ssize_t n = read(0, in, sizeof(*in));

	if (n < (ssize_t)offsetof(struct sa_boxserve, jobs) ||
	    in->n > SA_BOX_JOBS || n != (ssize_t)size_of(in))
		return false;
	in->idle = false; /* what it took to get here is given back, too */
	return dup2(1, 0) == 0 && hand_on_capabilities(false) == 0 &&
	    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}
