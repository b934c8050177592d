/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/backend.h"

const struct sa_backend *const *
sa_backends(void)
{
	static const struct sa_backend *const all[] = {
		NULL,
	};

	return all;
}
