/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARN_LOGS_H
#define SA_YARN_LOGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "spark/runshow.h"
#include "yarn.h"

/* What is wanted of a job's output. */
struct yarn_log_wish {
	struct {
		const char *name[2]; /* stdout, stderr, prelaunch */
		size_t n;
	} streams;
	bool submit;	/* spark-submit's own, on this host */
	bool executors; /* all containers, not the driver's alone */
	bool attempts;	/* of all attempts, not of the newest alone */
	struct sa_run_part part;
	long long max; /* bytes of one stream that are written */
};

/*
 * The output of a job that runs on a cluster, of yarn-clusterlogs.c: as
 * records on stdout, as bytes to a stream, or to stdout as it grows until the
 * job has ended (*record then; NULL at the deadline). What yarn_cluster_bytes
 * gives is an exit status: not 0 where something, but not all, was read.
 */
int yarn_cluster_records(struct sa_cli *cli, const struct sa_store *st,
    json_t *job, const struct yarn_log_wish *wish, struct sa_err *err);
int yarn_cluster_bytes(struct sa_cli *cli, const struct sa_store *st,
    json_t *job, const struct yarn_log_wish *wish, FILE *out,
    struct sa_err *err);
int yarn_cluster_follow(struct sa_cli *cli, const struct sa_store *st,
    const char *id, const struct yarn_log_wish *wish, long long deadline,
    json_t **record, struct sa_err *err);

#endif
