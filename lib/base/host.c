/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/buf.h"

static bool
forbidden4(uint32_t address)
{
	return address >> 16 == 0xa9fe || /* 169.254/16 */
	    address == 0x646464c8 ||	  /* 100.100.100.200, Alibaba */
	    address == 0xc00000c0;	  /* 192.0.0.192, Oracle */
}

static bool
forbidden6(const struct in6_addr *a)
{
	static const uint8_t nat64[12] = { 0, 0x64, 0xff, 0x9b };
	const uint8_t *b = a->s6_addr;

	if (IN6_IS_ADDR_V4MAPPED(a) || IN6_IS_ADDR_V4COMPAT(a) ||
	    memcmp(b, nat64, sizeof(nat64)) == 0)
		return forbidden4((uint32_t)b[12] << 24 |
		    (uint32_t)b[13] << 16 | (uint32_t)b[14] << 8 | b[15]);
	/* fd00:ec2::254 is the metadata address of EC2 */
	return IN6_IS_ADDR_LINKLOCAL(a) ||
	    (b[0] == 0xfd && b[1] == 0 && b[2] == 0x0e && b[3] == 0xc2);
}

/* What stands in brackets; a zone behind '%' does not make it another. */
static bool
bracketed(const char *host, struct in6_addr *out)
{
	if (host[0] != '[')
		return false;
	cleanup_free char *text =
	    sa_xstrndup(host + 1, strcspn(host + 1, "]%"));
	return inet_pton(AF_INET6, text, out) == 1;
}

bool
sa_host_forbidden(const char *host)
{
	static const char *const names[] = { "metadata.google.internal",
		"metadata", "instance-data" };
	size_t n = strlen(host);
	struct in6_addr v6;
	struct in_addr v4;

	n -= n > 0 && host[n - 1] == '.';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n &&
		    strncasecmp(host, names[i], n) == 0)
			return true;
	if (inet_aton(host, &v4) != 0)
		return forbidden4(ntohl(v4.s_addr));
	return bracketed(host, &v6) && forbidden6(&v6);
}

bool
sa_host_forbidden_address(const struct sockaddr *addr)
{
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	if (addr->sa_family == AF_INET) {
		memcpy(&v4, addr, sizeof(v4));
		return forbidden4(ntohl(v4.sin_addr.s_addr));
	}
	if (addr->sa_family != AF_INET6)
		return false;
	memcpy(&v6, addr, sizeof(v6));
	return forbidden6(&v6.sin6_addr);
}

bool
sa_host_loopback(const char *host)
{
	static const char name[] = "localhost";
	size_t n = strlen(host), tail = sizeof(name) - 1;
	struct in6_addr v6;
	struct in_addr v4;

	n -= n > 0 && host[n - 1] == '.';
	if (n >= tail && strncasecmp(host + n - tail, name, tail) == 0 &&
	    (n == tail || host[n - tail - 1] == '.'))
		return true;
	if (inet_aton(host, &v4) != 0)
		return ntohl(v4.s_addr) >> 24 == 127;
	return bracketed(host, &v6) && IN6_IS_ADDR_LOOPBACK(&v6);
}
