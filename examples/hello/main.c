/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "greet.h"

int
main(int argc, char *argv[])
{
	greet(argc > 1 ? argv[1] : "world");
	return 0;
}
