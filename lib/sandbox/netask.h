/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETASK_H
#define SA_NETASK_H

#include <sys/types.h>

#include "sandbox/netname.h"

/*
 * A question to the host's resolver, whatever that is made of. It can take
 * long and there is no other way to ask it, so each is asked by a process of
 * its own, which ends with us, or by itself after SA_NETASK_S.
 */
#define SA_NETASK_S 10
#define SA_NETASK_MAX 8 /* addresses that are looked at */

struct sa_netask {
	pid_t pid;
	int fd; /* readable once there is an answer, or none will be */
};

/* -1 with errno. */
int sa_netask_begin(struct sa_netask *a, const char *name);

/* Takes the answer and ends it: how many addresses. */
size_t sa_netask_end(struct sa_netask *a, struct sa_netaddr out[SA_NETASK_MAX]);

#endif
