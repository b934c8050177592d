/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A greeting of SOCKS and the request behind it. */
#include "config.h"

#include "sandbox/netsocks.h"

#define FUZZ_NAME "fuzz-netsocks"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sa_netsocks_request r, early;
	size_t used = 0, request = 0, other;

	if (sa_netsocks_greeting(data, size, &used) != SA_NETSOCKS_FINE)
		return 0;
	require(used >= 3 && used <= size, "a greeting that did not come");
	const uint8_t *p = data + used;
	size_t n = size - used;
	enum sa_netsocks all = sa_netsocks_request(p, n, &request, &r);
	require(all != SA_NETSOCKS_MORE || n < SA_NETSOCKS_MAX,
	    "more is wanted than there can be");
	if (n > 0 && all == SA_NETSOCKS_MORE)
		require(sa_netsocks_request(p, n - 1, &other, &early) ==
			SA_NETSOCKS_MORE,
		    "a part is more than all");
	if (all != SA_NETSOCKS_FINE)
		return 0;
	require(request <= n && request <= SA_NETSOCKS_MAX,
	    "a request that did not come");
	const char *end = (const char *)p + request - 2;
	require(r.host == NULL || r.host + r.len == end,
	    "a host that did not come");
	require(r.host != NULL || r.address.family != 0, "nowhere to go");
	require(sa_netsocks_request(p, request - 1, &other, &early) ==
		SA_NETSOCKS_MORE,
	    "it is read before it is whole");
	return 0;
}
