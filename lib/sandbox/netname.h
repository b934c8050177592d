/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETNAME_H
#define SA_NETNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * Names and addresses of the network as a sandbox's rules know them. Both have
 * one form only: whatever a program wrote is brought to it first, or refused,
 * and nothing is compared that was not.
 */
#define SA_NETNAME 254 /* with its NUL */

enum sa_netname_kind {
	SA_NETNAME_NONE, /* no name that a host can have */
	SA_NETNAME_HOST,
	SA_NETNAME_ADDRESS /* programs take it for an address, in whatever
			    * spelling: 0x7f.1, 2130706433, 127.0.0.1 */
};

/* Of n bytes: lower case, without the final dot, labels of letters, digits,
 * '-' and '_'. out is empty but for a HOST. */
enum sa_netname_kind sa_netname_canonical(const char *s, size_t n,
    char out[SA_NETNAME]);

/* Whether name is base, or, with below, one of those below it: by whole
 * labels. Both canonical. */
bool sa_netname_match(const char *name, const char *base, bool below);

struct sa_netaddr {
	int family;    /* AF_INET or AF_INET6 */
	uint8_t b[16]; /* the first four of AF_INET */
};

/* Four decimal numbers with dots, or IPv6 as inet_pton(3) reads it, with or
 * without brackets; no zone. */
bool sa_netaddr_parse(const char *s, size_t n, struct sa_netaddr *out);

/* false for another family than the two. */
bool sa_netaddr_of(const struct sockaddr *sa, struct sa_netaddr *out,
    uint16_t *port);
socklen_t sa_netaddr_socket(const struct sa_netaddr *a, uint16_t port,
    struct sockaddr_storage *out);
#define SA_NETADDR_TEXT 46
void sa_netaddr_text(const struct sa_netaddr *a, char out[SA_NETADDR_TEXT]);

/* A range of IPv4. */
struct sa_netrange {
	uint32_t base; /* in the host's order */
	int bits;
};
bool sa_netrange_parse(const char *text, struct sa_netrange *out);

/*
 * NULL for an address that belongs to the public Internet, else what it is:
 * private, of this machine or link, another's documentation, a cloud's
 * metadata ... Addresses that carry another (mapped, 6to4, NAT64) are what
 * that one is. One of the given ranges makes an exception where all of it lies
 * in the special range: 10.1.0.0/16 does, 0.0.0.0/1 does not. own: whether it
 * is one of this machine's interfaces, for which a /32 makes the exception.
 */
const char *sa_netaddr_special(const struct sa_netaddr *a, bool own,
    const struct sa_netrange *ranges, size_t n);

/* The special ranges of IPv4, the i-th; false behind the last. */
bool sa_netaddr_special_range(size_t i, struct sa_netrange *out);

bool sa_netrange_has(const struct sa_netrange *r, uint32_t address);
uint32_t sa_netaddr_v4(const struct sa_netaddr *a); /* of AF_INET */

/* Whether an interface of this network namespace has it. */
bool sa_netaddr_own(const struct sa_netaddr *a);

#endif
