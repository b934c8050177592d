/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A kubeconfig; what stands before a NUL is the name of a context. */
#include "config.h"

#include "spark/kubeconfig.h"

#define FUZZ_NAME "fuzz-kubeconfig"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	size_t first = nul != NULL ? (size_t)(nul - data) + 1 : 0;
	struct sa_err err = SA_ERR_INIT;
	struct sa_kubeconfig k;

	if (sa_kubeconfig_parse((const char *)data + first, size - first,
		"/dir/config", nul != NULL ? (const char *)data : NULL, &k,
		&err) < 0) {
		require(err.kind == SA_CONFIG && *err.msg != '\0',
		    "a refusal without a reason");
	} else {
		require(k.context != NULL || k.token == NULL,
		    "a login without a context");
		require(k.token == NULL || k.token_file == NULL, "two tokens");
		sa_kubeconfig_release(&k);
	}
	sa_err_clear(&err);
	return 0;
}
