/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_ARGS_H
#define SA_MCP_ARGS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

/*
 * Checks a call's arguments against the schema of its tool: type, required,
 * properties, additionalProperties, items, enum, minimum, maximum, minLength,
 * maxLength, minItems, maxItems. Other words of a schema are for the reader.
 *
 * Two things that models do are put right, in args itself, and *changed says
 * so: an object or array that came as a string of JSON, and a whole number
 * that was written as a fraction (5.0). A member that is not required may be
 * null.
 *
 * SA_USAGE for a member that is missing or unknown, SA_INVALID for a value;
 * both name the member.
 */
int sa_mcp_args_check(const json_t *schema, json_t *args, bool *changed,
    struct sa_err *err);

#endif
