/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A query as a sandbox's programs may send it. */
#include "config.h"

#include "sandbox/netdns.h"

#define FUZZ_NAME "fuzz-netdns"
#include "fuzz.h"

#define ADDRESS 0xc6120002U

static uint32_t
lookup(const char *name, void *ctx)
{
	char again[SA_NETNAME];
	int *asked = ctx;

	require(sa_netname_canonical(name, strlen(name), again) ==
		    SA_NETNAME_HOST &&
		strcmp(again, name) == 0,
	    "a name that is not canonical is looked up");
	++*asked;
	return name[0] < 'n' ? ADDRESS : 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t out[SA_NETDNS_MAX];
	int asked = 0;
	size_t n = sa_netdns_answer(data, size, lookup, &asked, out);

	require(n <= sizeof(out), "an answer that is too long");
	require(asked <= 1, "one query asks twice");
	if (n == 0)
		return 0;
	require(n >= 12 && size >= 12, "half an answer");
	require(memcmp(out, data, 2) == 0, "an answer to another query");
	require(out[2] & 0x80, "an answer that is a query");
	require(out[7] == 0 || (asked == 1 && (out[3] & 0xf) == 0),
	    "an address that nobody gave");
	require(out[4] == 0 && out[5] <= 1 && out[6] == 0 && out[7] <= 1,
	    "more than was asked for");
	return 0;
}
