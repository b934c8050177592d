/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/catalog.h"

/* The bytes of tools.json as numbers: no compiler has to take a string
 * literal of that length. */
static const unsigned char text[] = {
#include "lib/mcp/tools.inc"
};

const char *
sa_mcp_catalog_builtin(size_t *len)
{
	*len = sizeof(text);
	return (const char *)text;
}
