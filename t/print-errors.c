/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The table of errors, one "CODE<TAB>KIND<TAB>HTTP" a line, "-" for no HTTP
 * class, for the test that compares it with sa(7). */
#include "config.h"

#include <stdio.h>

#include "base/err.h"

int
main(void)
{
	for (int k = 0; k < SA_KIND_COUNT; k++) {
		const struct sa_kind_info *info = sa_kind_info(k);

		printf("%d\t%s\t", info->code, info->name);
		if (info->http != 0)
			printf("%d\n", info->http);
		else
			puts("-");
	}
	return 0;
}
