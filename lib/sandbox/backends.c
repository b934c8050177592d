/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/backend.h"

#include "sandbox/local.h"

const struct sa_backend *const *
sa_backends(void)
{
	static const struct sa_backend *const all[] = {
		&sa_backend_local,
		NULL,
	};

	return all;
}
