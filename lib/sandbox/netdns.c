/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netdns.h"

#include <string.h>

/* RFC 1035, 4.1. */
#define HEAD 12
#define QR 0x80
#define OPCODE 0x78
#define AA 0x04
#define RD 0x01
#define RA 0x80
#define TYPE_A 1
#define TYPE_ANY 255
#define CLASS_IN 1
#define TTL 1
#define ANSWER 16 /* bytes of one A record with a compressed name */
enum rcode { FINE = 0, FORMERR = 1, NXDOMAIN = 3, NOTIMP = 4, REFUSED = 5 };

static unsigned
word(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* The name that begins behind the head, as text with dots; where it ends, or 0
 * for none. Questions have no reason to be compressed. */
static size_t
read_name(const uint8_t *q, size_t n, char *out, size_t *len)
{
	size_t at = HEAD;

	*len = 0;
	while (at < n && q[at] != 0) {
		size_t label = q[at++];
		if (label > 63 || label > n - at || *len + label + 1 > 255)
			return 0;
		if (*len > 0)
			out[(*len)++] = '.';
		memcpy(out + *len, q + at, label);
		*len += label;
		at += label;
	}
	return at < n ? at + 1 : 0;
}

static size_t
finish(uint8_t *out, size_t n, enum rcode code, uint32_t address)
{
	static const uint8_t record[] = { 0xc0, HEAD, 0, TYPE_A, 0, CLASS_IN, 0,
		0, 0, TTL, 0, 4 };

	out[3] = (uint8_t)(RA | code);
	memset(out + 6, 0, 6);
	if (address == 0)
		return n;
	out[7] = 1;
	memcpy(out + n, record, sizeof(record));
	n += sizeof(record);
	for (int i = 24; i >= 0; i -= 8)
		out[n++] = (uint8_t)(address >> i);
	return n;
}

size_t
sa_netdns_answer(const uint8_t *q, size_t n, sa_netdns_fn *lookup, void *ctx,
    uint8_t out[SA_NETDNS_MAX])
{
	char text[256], name[SA_NETNAME];
	size_t len;

	if (n < HEAD || q[2] & QR)
		return 0;
	memcpy(out, q, HEAD);
	out[2] = (uint8_t)(QR | AA | (q[2] & (OPCODE | RD)));
	memset(out + 4, 0, 2);
	if (q[2] & OPCODE)
		return finish(out, HEAD, NOTIMP, 0);
	size_t at = word(q + 4) == 1 ? read_name(q, n, text, &len) : 0;
	if (at == 0 || n - at < 4)
		return finish(out, HEAD, FORMERR, 0);
	unsigned type = word(q + at), class = word(q + at + 2);
	at += 4;
	memcpy(out + HEAD, q + HEAD, at - HEAD);
	out[5] = 1;
	if (class != CLASS_IN)
		return finish(out, at, REFUSED, 0);
	uint32_t address =
	    sa_netname_canonical(text, len, name) == SA_NETNAME_HOST
	    ? lookup(name, ctx)
	    : 0;
	if (address == 0)
		return finish(out, at, NXDOMAIN, 0);
	return finish(out, at, FINE,
	    type == TYPE_A || type == TYPE_ANY ? address : 0);
}
