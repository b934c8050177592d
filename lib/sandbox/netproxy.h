/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETPROXY_H
#define SA_NETPROXY_H

#include "sandbox/box.h"

/*
 * The outer side of a sandbox's network (netinside.h): a process of the host,
 * which accepts what the listeners inside get and dials in its stead. Each
 * sandbox with a network has one, that ends as its init does.
 *
 * What is allowed is decided by the name that was asked for, and then by every
 * address that it led to, which is the one that is dialled; what TLS and HTTP
 * say of the name inside a connection must be the same. One process does all
 * of it without waiting for anybody, in bounded memory: SA_NETPROXY_CONNS
 * connections, each with at most 64 KiB on their way. More wait.
 *
 * It has no privilege, sees no terminal and holds no lock. Its time and memory
 * count as the sandbox's, where a control group holds those.
 */
#define SA_NETPROXY_CONNS 256
#define SA_NETPROXY_HEAD_S 10 /* to say where to */
#define SA_NETPROXY_DIAL_S 10 /* for each address */
#define SA_NETPROXY_IDLE_S 600
#define SA_NETPROXY_HALF_S 60 /* idle, once one side has ended */

/* Never returns. line leads to init, and is all that it keeps but
 * plan->egress. Called in a process of its own. */
void sa_netproxy(const struct sa_box_plan *plan, int line)
    __attribute__((noreturn));

#endif
