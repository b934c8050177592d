/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netsocks.h"

#include <string.h>

#define SOCKS 5
#define CONNECT 1
enum { V4 = 1, NAME = 3, V6 = 4 };

enum sa_netsocks
sa_netsocks_greeting(const uint8_t *p, size_t n, size_t *used)
{
	if (n > 0 && p[0] != SOCKS)
		return SA_NETSOCKS_BAD;
	if (n < 2 || n < 2 + (size_t)p[1])
		return SA_NETSOCKS_MORE;
	if (memchr(p + 2, 0, p[1]) == NULL)
		return SA_NETSOCKS_BAD; /* it wants a password */
	*used = 2 + (size_t)p[1];
	return SA_NETSOCKS_FINE;
}

enum sa_netsocks
sa_netsocks_request(const uint8_t *p, size_t n, size_t *used,
    struct sa_netsocks_request *out)
{
	size_t at = 4, len;

	*out = (struct sa_netsocks_request){ .host = NULL };
	if ((n > 0 && p[0] != SOCKS) || (n > 1 && p[1] != CONNECT) ||
	    (n > 2 && p[2] != 0) ||
	    (n > 3 && p[3] != V4 && p[3] != NAME && p[3] != V6))
		return SA_NETSOCKS_BAD;
	if (n < 5)
		return SA_NETSOCKS_MORE;
	len = p[3] == V4 ? 4 : p[3] == V6 ? 16 : p[at++];
	if (n < at + len + 2)
		return SA_NETSOCKS_MORE;
	if (p[3] == NAME) {
		out->host = (const char *)p + at;
		out->len = len;
	} else {
		out->address.family = p[3] == V4 ? AF_INET : AF_INET6;
		memcpy(out->address.b, p + at, len);
	}
	at += len;
	out->port = (uint16_t)(p[at] << 8 | p[at + 1]);
	*used = at + 2;
	return SA_NETSOCKS_FINE;
}

void
sa_netsocks_reply(enum sa_netsocks_code code, uint8_t out[SA_NETSOCKS_REPLY])
{
	memset(out, 0, SA_NETSOCKS_REPLY);
	out[0] = SOCKS;
	out[1] = (uint8_t)code;
	out[3] = V4;
}
