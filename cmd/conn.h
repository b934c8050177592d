/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CONN_H
#define SA_CONN_H

#include <jansson.h>

#include "base/cli.h"

/* The doctor of a connection, of conn-check.c. */
int conn_check(struct sa_cli *cli, struct sa_err *err);

/* What needs the network or XML is for sa-yarn to find out: its check record
 * for a verb with one option or operand. Caller releases *out. */
int conn_ask_yarn(const char *store, const char *verb, const char *operand,
    json_t **out, struct sa_err *err);

#endif
