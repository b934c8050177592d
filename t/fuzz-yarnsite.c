/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A yarn-site.xml; what stands before a NUL is a core-site.xml. */
#include "config.h"

#include "spark/url.h"
#include "spark/yarnsite.h"

#define FUZZ_NAME "fuzz-yarnsite"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct sa_buf core = SA_BUF_INIT(1 << 20);
	cleanup_buf struct sa_buf site = SA_BUF_INIT(1 << 20);
	const uint8_t *nul = memchr(data, '\0', size);
	size_t first = nul != NULL ? (size_t)(nul - data) : 0;
	struct sa_err err = SA_ERR_INIT;
	struct sa_yarnsite s;

	if (nul != NULL)
		sa_buf_add(&core, data, first++);
	sa_buf_add(&site, data + first, size - first);
	if (sa_yarnsite_parse(nul != NULL ? &core : NULL, &site, &s, &err) < 0)
		require(err.kind == SA_CONFIG && *err.msg != '\0',
		    "a refusal without a reason");
	else
		require(sa_url_check_rm(s.rm_urls, NULL) == 0,
		    "a ResourceManager's URL that is none");
	sa_yarnsite_release(&s);
	sa_err_clear(&err);
	return 0;
}
