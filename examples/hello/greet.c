/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "greet.h"

#include <stdio.h>

void
greet(const char *name)
{
	printf("hello, %s\n", name);
}
