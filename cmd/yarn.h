/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARN_H
#define SA_YARN_H

#include "base/cli.h"
#include "base/record.h"

/* What the files of sa-yarn share. */

/* The job that the verb is about: of the operand, else of the record on stdin,
 * a job or the pending that it came from. Caller frees. */
int yarn_job(struct sa_cli *cli, char **id, struct sa_err *err);

/* The verbs of yarn-follow.c. */
int yarn_logs(struct sa_cli *cli, struct sa_err *err);
int yarn_wait(struct sa_cli *cli, struct sa_err *err);

#endif
