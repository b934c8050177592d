/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETLINK_H
#define SA_NETLINK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Asks the kernel for routes and for rules of its packet filter, in our
 * network namespace. A request is built into fixed memory; what does not fit
 * makes it fail as it is sent.
 */
struct sa_netlink {
	_Alignas(4) uint8_t b[2048];
	size_t len, message; /* where the present message begins */
	uint32_t seq;
	int full;
};

/* A message of this type, its fixed part, and its attributes. */
void sa_netlink_begin(struct sa_netlink *m, int type, int flags,
    const void *fixed, size_t n);
void sa_netlink_put(struct sa_netlink *m, int type, const void *p, size_t n);
void sa_netlink_put_str(struct sa_netlink *m, int type, const char *s);
void sa_netlink_put_u32(struct sa_netlink *m, int type, uint32_t big_endian);
/* An attribute that holds those up to close, which gets what open gave. */
size_t sa_netlink_open(struct sa_netlink *m, int type);
void sa_netlink_close(struct sa_netlink *m, size_t at);

/* Sends all of it over a socket of that protocol, and waits until each message
 * that wanted it (NLM_F_ACK) was answered. -1 with errno. */
int sa_netlink_send(struct sa_netlink *m, int protocol);

/* All TCP but to 127.0.0.0/8 goes to this port of 127.0.0.1, where
 * SO_ORIGINAL_DST tells where it was bound for. -1 with errno where the
 * kernel has no such rules, or not for us. */
int sa_netlink_redirect(uint16_t port);

/* The addresses of a range are our own, or cannot be reached. */
int sa_netlink_route_local(uint32_t base, int bits);
int sa_netlink_route_none(uint32_t base, int bits);

#endif
