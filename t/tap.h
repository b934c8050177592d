/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>

static int tap_n, tap_bad;

#define ok(c, name)                                                           \
	do {                                                                  \
		int c_ = !!(c);                                               \
		printf("%sok %d - %s\n", c_ ? "" : "not ", ++tap_n, (name));  \
		if (!c_) {                                                    \
			tap_bad++;                                            \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #c);      \
		}                                                             \
	} while (0)

static inline int
tap_done(void)
{
	printf("1..%d\n", tap_n);
	return tap_bad != 0;
}

#endif
