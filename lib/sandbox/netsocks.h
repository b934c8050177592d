/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETSOCKS_H
#define SA_NETSOCKS_H

#include "sandbox/netname.h"

/*
 * What a client of SOCKS version 5 says (RFC 1928): a greeting, answered by
 * SA_NETSOCKS_WELCOME, then a request, answered by sa_netsocks_reply. Nobody
 * has to say who they are; connect is all that there is.
 */
enum sa_netsocks {
	SA_NETSOCKS_MORE,
	SA_NETSOCKS_BAD,
	SA_NETSOCKS_FINE /* used bytes of it */
};

#define SA_NETSOCKS_WELCOME "\5\0"
#define SA_NETSOCKS_MAX 264 /* bytes of a message */

enum sa_netsocks sa_netsocks_greeting(const uint8_t *p, size_t n, size_t *used);

/* host is the name as it was sent (len bytes of p), or NULL for an address. */
struct sa_netsocks_request {
	const char *host;
	size_t len;
	struct sa_netaddr address;
	uint16_t port;
};
enum sa_netsocks sa_netsocks_request(const uint8_t *p, size_t n, size_t *used,
    struct sa_netsocks_request *out);

enum sa_netsocks_code {
	SA_NETSOCKS_DONE = 0,
	SA_NETSOCKS_FAILED = 1,
	SA_NETSOCKS_DENIED = 2,
	SA_NETSOCKS_UNREACHED = 4
};
#define SA_NETSOCKS_REPLY 10
void sa_netsocks_reply(enum sa_netsocks_code code,
    uint8_t out[SA_NETSOCKS_REPLY]);

#endif
