/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_RESULT_H
#define SA_MCP_RESULT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "mcp/catalog.h"

/*
 * Results of calls: the members of the result object as text, without its
 * braces. All errors here are for the model, which can do something about
 * them; they have "isError":true and a text, and no structured content.
 */

/* How a child ended and what it gave. */
struct sa_mcp_outcome {
	int status;		     /* as from waitpid(2) */
	bool late;		     /* it was ended after its time */
	bool full;		     /* it was ended for writing too much */
	const struct sa_buf *out;    /* its stdout */
	const struct sa_buf *report; /* what came on SA_ERROR_FD */
};

/* Adds the result; whether it is one of success. */
bool sa_mcp_result_child(struct sa_buf *b, const struct sa_mcp_tool *t,
    const struct sa_mcp_outcome *o);

/* Adds an error of ours. */
void sa_mcp_result_err(struct sa_buf *b, const struct sa_err *err);

#endif
