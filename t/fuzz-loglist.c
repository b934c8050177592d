/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A list of the files of containers. */
#include "config.h"

#include "spark/loglist.h"

#define FUZZ_NAME "fuzz-loglist"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_loglist l;
	long long bytes;

	if (sa_loglist_parse((const char *)data, size, &l, &err) < 0) {
		require(err.kind == SA_REMOTE && *err.msg != '\0',
		    "a refusal without a reason");
		require(l.n == 0 && l.v == NULL, "a refusal with a list");
	}
	for (size_t i = 0; i < l.n; i++) {
		const struct sa_logfile *f = &l.v[i];
		require(f->size >= -1, "a size below none");
		require(*f->name != '\0' && strchr(f->name, '/') == NULL,
		    "a name that is a path");
		size_t n = sa_loglist_find(&l,
		    f->container != NULL ? f->container : "x", f->name,
		    f->aggregated, &bytes);
		require(n > 0 && n <= l.n && bytes >= -1,
		    "a file that is not found");
		if (i > 64)
			break;
	}
	sa_loglist_release(&l);
	sa_err_clear(&err);
	return 0;
}
