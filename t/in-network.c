/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * in-network HOSTS COMMAND [ARG...]: runs it in a network namespace of its
 * own, from which nothing leads out, with the file HOSTS for /etc/hosts. All of
 * 127.0.0.0/8, 11.0.0.0/24 (as if it were the Internet's) and 10.99.0.0/24 (as
 * if it were a neighbour's) is this machine there, though only the first is an
 * interface's, and whoever it is may use every port. Exits as the command does,
 * with 125 where that cannot be.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "sandbox/netlink.h"

static int
put(const char *path, const char *text)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);

	return fd < 0 || write(fd, text, n) != (ssize_t)n ? -1 : 0;
}

/* One's own id stands for itself. */
static int
become(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int flags = CLONE_NEWNET | CLONE_NEWNS;
	cleanup_free char *uids = sa_xasprintf("%u %u 1", uid, uid);
	cleanup_free char *gids = sa_xasprintf("%u %u 1", gid, gid);

	if (uid == 0)
		return unshare(flags);
	if (unshare(flags | CLONE_NEWUSER) < 0 ||
	    put("/proc/self/setgroups", "deny") < 0 ||
	    put("/proc/self/uid_map", uids) < 0)
		return -1;
	return put("/proc/self/gid_map", gids);
}

static int
make_network(void)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	cleanup_fd int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (s < 0 || ioctl(s, SIOCSIFFLAGS, &r) < 0 ||
	    sa_netlink_route_local(11U << 24, 24) < 0 ||
	    sa_netlink_route_local(10U << 24 | 99U << 16, 24) < 0)
		return -1;
	return put("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
}

int
main(int argc, char *argv[])
{
	if (argc < 3)
		return 125;
	if (become() < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(argv[1], "/etc/hosts", NULL, MS_BIND, NULL) < 0 ||
	    mount("/dev/null", "/etc/resolv.conf", NULL, MS_BIND, NULL) < 0 ||
	    make_network() < 0) {
		printf("no network of its own: %s\n", strerror(errno));
		return 125;
	}
	execvp(argv[2], argv + 2);
	return 125;
}
