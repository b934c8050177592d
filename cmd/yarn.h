/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARN_H
#define SA_YARN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/cli.h"
#include "base/record.h"

/* What the files of sa-yarn share. */

/* The job that the verb is about: of the operand, else of the record on stdin,
 * a job or the pending that it came from. Caller frees. */
int yarn_job(struct sa_cli *cli, char **id, struct sa_err *err);

/* Two options of which only one may be given. */
int yarn_excluded(const struct sa_cli *cli, const char *a, const char *b,
    struct sa_err *err);

/* What a job's record says: its end, "FAILED: how it ended" on one line
 * (caller frees), the kind that wait exits with. */
bool yarn_is_final(const json_t *record);
char *yarn_verdict(const json_t *record);
enum sa_kind yarn_kind(const json_t *record);

/* From here on INT and TERM end us with a word, and not the job. */
void yarn_part(const char *id);

/* wait, of yarn-follow.c. */
int yarn_wait(struct sa_cli *cli, struct sa_err *err);

/* logs, and wait with --logs, of yarn-logs.c; timeout in seconds, -1: none. */
int yarn_logs(struct sa_cli *cli, struct sa_err *err);
int yarn_wait_logs(struct sa_cli *cli, const struct sa_store *st,
    const char *id, long long timeout, struct sa_err *err);

#endif
