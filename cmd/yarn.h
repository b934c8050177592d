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

/* Puts into an answer, as a member warnings, that the cluster did not tell
 * the job's state, and why. */
void yarn_warn(json_t *record, const char *why);

/* From here on INT and TERM end us with a word, and not the job; NULL for
 * many jobs. */
void yarn_part(const char *id);

/*
 * When clusters are asked about jobs that are waited for: at once, then after
 * a second, then less and less often, up to every 15 seconds, until something
 * changes. One that does not answer for a while is told of on stderr.
 */
struct yarn_poll {
	const struct sa_store *store;
	struct sa_follow *follow;
	long long next; /* sa_clock_ms() of the next time */
	int step_ms;
	long long away; /* since when one has not answered; 0: all do */
	char why[512];	/* what it says */
	bool told;
};
void yarn_poll_open(struct yarn_poll *p, const struct sa_store *st,
    const struct sa_settings *s);
void yarn_poll_close(struct yarn_poll *p);

/* Brings records up to date, those that are not final: by the store, and where
 * it is time for that by the clusters. records[i] may be NULL. */
int yarn_poll_look(struct yarn_poll *p, const struct sa_cli *cli,
    char *const ids[], size_t n, json_t *records[], struct sa_err *err);

/* The verbs of yarn-follow.c and yarn-check.c. */
int yarn_status(struct sa_cli *cli, struct sa_err *err);
int yarn_list(struct sa_cli *cli, struct sa_err *err);
int yarn_wait(struct sa_cli *cli, struct sa_err *err);
int yarn_check(struct sa_cli *cli, struct sa_err *err);
/* Whether an agent may name ResourceManagers or a master: sa-conn asks, which
 * does not read XML. */
int yarn_hosts(struct sa_cli *cli, struct sa_err *err);

/* logs, and wait with --logs, of yarn-logs.c; timeout in seconds, -1: none. */
int yarn_logs(struct sa_cli *cli, struct sa_err *err);
int yarn_wait_logs(struct sa_cli *cli, const struct sa_store *st,
    const char *id, long long timeout, struct sa_err *err);

#endif
