/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CONN_H
#define SA_CONN_H

#include "base/cli.h"

/* The doctor of a connection, of conn-check.c. */
int conn_check(struct sa_cli *cli, struct sa_err *err);

#endif
