/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * What a client begins with where TLS is expected. The first byte says where
 * it is cut in two. */
#include "config.h"

#include "sandbox/nettls.h"

#define FUZZ_NAME "fuzz-nettls"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[SA_NETNAME], part[SA_NETNAME], again[SA_NETNAME];

	if (size == 0)
		return 0;
	size_t n = size - 1, cut = n * data[0] / 256;
	enum sa_nettls all = sa_nettls_name(data + 1, n, name);
	enum sa_nettls early = sa_nettls_name(data + 1, cut, part);
	require((all == SA_NETTLS_NAME) == (*name != '\0'),
	    "a name without one, or none with one");
	if (all == SA_NETTLS_NAME)
		require(sa_netname_canonical(name, strlen(name), again) ==
			    SA_NETNAME_HOST &&
			strcmp(name, again) == 0,
		    "a name that is not canonical");
	/* what is known of a part stays so, whatever follows */
	if (early == SA_NETTLS_NAME || early == SA_NETTLS_NO_NAME)
		require(early == all && strcmp(name, part) == 0,
		    "what follows the hello changes it");
	if (all == SA_NETTLS_MORE)
		require(early == SA_NETTLS_MORE, "a part is more than all");
	return 0;
}
