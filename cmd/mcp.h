/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CMD_MCP_H
#define SA_CMD_MCP_H

#include <stdio.h>

#include "base/cli.h"
#include "base/err.h"
#include "mcp/catalog.h"

/* What a client has to be told to start us as we are now: prints the snippet
 * for its configuration file. SA_USAGE for a client that is not known. */
int mcp_print_config(FILE *f, const struct sa_cli *cli, const char *client,
    struct sa_err *err);

/* Answers with what would be served and whether it can: 0, or the code of
 * SA_CONFIG where something is missing. */
int mcp_self_test(const struct sa_cli *cli, const struct sa_mcp_catalog *c,
    const char *data_dir);

/* The data directory, absolute; NULL with SA_CONFIG where nothing sets it and
 * ./data is not there. Caller frees. */
char *mcp_data_dir(const struct sa_settings *settings, struct sa_err *err);

#endif
