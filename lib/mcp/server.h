/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_SERVER_H
#define SA_MCP_SERVER_H

#include "base/err.h"
#include "mcp/catalog.h"

/*
 * The server: MCP on stdin and stdout, one poll loop, no threads.
 *
 * Some calls run at once and others wait their turn; each is answered when it
 * ends. Input is not read as long as much waits, be it calls or answers that
 * nobody takes, so that memory is bounded and nothing is lost.
 *
 * The end of input, SIGTERM, SIGINT, SIGHUP and the death of the parent end
 * everything within a second. A call that ends in the first part of it is
 * answered as ever; the others are logged, and die with their process groups,
 * which they do after a SIGKILL too.
 * Whatever a tool has handed to a cluster stays there.
 */
#define SA_MCP_CALLS_MAX 8

/*
 * Serves until the end, which gives 0; -1 with SA_IO where stdout takes no
 * more. env is what children get. The catalogue is borrowed. Afterwards stdin
 * is /dev/null and stdout is what stderr is.
 */
int sa_mcp_serve(const struct sa_mcp_catalog *catalog, char *const *env,
    struct sa_err *err);

#endif
