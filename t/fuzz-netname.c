/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A name or an address in any spelling; and its bytes as an address. */
#include "config.h"

#include <arpa/inet.h>

#include "sandbox/netname.h"

#define FUZZ_NAME "fuzz-netname"
#include "fuzz.h"

static void
name(const char *text, size_t n)
{
	char once[SA_NETNAME], twice[SA_NETNAME];
	struct sa_netaddr a;
	struct in_addr in;

	enum sa_netname_kind kind = sa_netname_canonical(text, n, once);
	require((kind == SA_NETNAME_HOST) == (*once != '\0'),
	    "a host without a name, or a name without a host");
	if (kind != SA_NETNAME_HOST)
		return;
	require(sa_netname_canonical(once, strlen(once), twice) ==
		    SA_NETNAME_HOST &&
		strcmp(once, twice) == 0,
	    "a form that changes again");
	require(inet_aton(once, &in) == 0, "a name that is an address");
	require(!sa_netaddr_parse(once, strlen(once), &a),
	    "a name that is an address to us");
	require(sa_netname_match(once, once, false) &&
		!sa_netname_match(once, once, true),
	    "a name that is not itself, or below itself");
}

static void
address(const char *text, size_t n)
{
	char s[SA_NETADDR_TEXT];
	struct sa_netaddr a, again;

	if (!sa_netaddr_parse(text, n, &a))
		return;
	sa_netaddr_text(&a, s);
	require(sa_netaddr_parse(s, strlen(s), &again) &&
		memcmp(&a, &again, sizeof(a)) == 0,
	    "an address that changes as it is written");
}

/* What carries an address is never more than that is. */
static void
carried(const uint8_t *p)
{
	struct sa_netaddr v4 = { .family = AF_INET };
	struct sa_netaddr v6 = { .family = AF_INET6 };
	const char *what;

	memcpy(v4.b, p, 4);
	what = sa_netaddr_special(&v4, false, NULL, 0);
	v6.b[10] = v6.b[11] = 0xff;
	memcpy(v6.b + 12, p, 4);
	require(what == NULL || sa_netaddr_special(&v6, false, NULL, 0) != NULL,
	    "a mapped address is allowed");
	v6 = (struct sa_netaddr){ .family = AF_INET6, .b = { 0x20, 0x02 } };
	memcpy(v6.b + 2, p, 4);
	require(what == NULL || sa_netaddr_special(&v6, false, NULL, 0) != NULL,
	    "an address of 6to4 is allowed");
	memcpy(v6.b, p, 16);
	if (sa_netaddr_special(&v6, false, NULL, 0) == NULL)
		require((v6.b[0] & 0xe0) == 0x20 ||
			memcmp(v6.b, "\0\x64\xff\x9b\0\0\0\0\0\0\0\0", 12) ==
			    0 ||
			memcmp(v6.b, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12) == 0,
		    "an address of nobody is allowed");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	name((const char *)data, size);
	address((const char *)data, size);
	if (size >= 16)
		carried(data);
	return 0;
}
