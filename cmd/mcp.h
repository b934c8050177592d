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
    char *const *env, const char *data_dir);

/* The data directory, absolute; NULL with SA_CONFIG where nothing sets it and
 * ./data is not there. Caller frees. */
char *mcp_data_dir(const struct sa_settings *settings, struct sa_err *err);

/*
 * Tools for a sandbox, off until the operator turns them on. What the options
 * say of it becomes variables of the commands, so that no call can say
 * anything else: SA_USAGE where they contradict each other. The tools come
 * from sa-sandbox, with what they say of the network: SA_REFUSED where the
 * sandbox would be, SA_CONFIG where it cannot be told.
 */
typedef void mcp_variable_fn(void *arg, const char *name, const char *value);
bool mcp_sandbox_is_on(const struct sa_cli *cli);
/* The one that the operator gives models; NULL where sessions make their
 * own. */
const char *mcp_sandbox_name(const struct sa_cli *cli);
int mcp_sandbox_variables(const struct sa_cli *cli, mcp_variable_fn *set,
    void *arg, struct sa_err *err);
int mcp_sandbox_add(struct sa_mcp_catalog *c, char *const *env,
    struct sa_err *err);

/* Adds the options to the arguments that a client is told. */
void mcp_sandbox_arguments(const struct sa_cli *cli, json_t *args);

#endif
