/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * no-netfilter COMMAND [ARG...]: runs it on a kernel that has no packet filter,
 * as far as it can tell: there are no sockets of NETLINK_NETFILTER. Exits with
 * 125 where that cannot be.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The half of an argument that counts. */
#define LOW(i)                                           \
	(offsetof(struct seccomp_data, args) + 8 * (i) + \
	    (BYTE_ORDER == BIG_ENDIAN ? 4 : 0))
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define IF(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))

int
main(int argc, char *argv[])
{
	struct sock_filter filter[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
		IF(SYS_socket, 5),
		LOAD(LOW(0)),
		IF(AF_NETLINK, 3),
		LOAD(LOW(2)),
		IF(NETLINK_NETFILTER, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = sizeof(filter) /
		    sizeof(*filter),
		.filter = filter };

	if (argc < 2)
		return 125;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		printf("no filter of system calls: %s\n", strerror(errno));
		return 125;
	}
	execvp(argv[1], argv + 1);
	return 125;
}
