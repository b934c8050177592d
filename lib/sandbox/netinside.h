/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETINSIDE_H
#define SA_NETINSIDE_H

#include "sandbox/spec.h"

/*
 * The inner side of a sandbox's network, which init makes and whose other side
 * is netproxy.h's. There is no way out of the namespace: every name that is
 * allowed has an address of 198.18.0.0/15 here, that range and those that the
 * spec lists are ours, and what answers there are sockets that listen here and
 * are accepted outside.
 */
#define SA_NETINSIDE_HTTP 3128
#define SA_NETINSIDE_SOCKS 1080
#define SA_NETINSIDE_DNS 53

/* What a listener is for, as it is told to the network process. */
enum sa_netinside_what {
	SA_NETINSIDE_PROXY = 32, /* apart from enum sa_box_what */
	SA_NETINSIDE_SOCKS5,
	SA_NETINSIDE_UDP,	 /* DNS */
	SA_NETINSIDE_TCP,	 /* DNS */
	SA_NETINSIDE_TRANSPARENT /* where a program means to go itself */
};

/* Makes the routes and listeners and hands them over line: 1 where all TCP is
 * led to them, 0 where it is only what goes to the ports that the rules name.
 * -1 with errno, and step as in box.h. */
int sa_netinside(const struct sa_spec *spec, int line, const char **step);

/* Waits until the network process has them; 0, or -1 as above. */
int sa_netinside_wait(int line, const char **step);

/* What programs are told of the proxies, "NAME=VALUE", ends with NULL: those
 * that resolve no names need it. */
#define SA_NETINSIDE_ENV 9
extern const char *const sa_netinside_env[SA_NETINSIDE_ENV + 1];

/* /etc/resolv.conf */
#define SA_NETINSIDE_RESOLV "nameserver 127.0.0.1\n"

#endif
