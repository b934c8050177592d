/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MASTER_H
#define SA_MASTER_H

#include "base/err.h"

/*
 * Master URLs as spark-submit takes them, but checked strictly and at once:
 * Spark itself tests prefixes only and fails much later.
 *
 *	yarn
 *	local  local[N]  local[*]  local[N,F]  local[*,F]
 *	spark://HOST:PORT[,HOST:PORT...]
 *	k8s://[https://|http://]HOST[:PORT][/PATH]
 */
enum sa_master_kind {
	SA_MASTER_LOCAL,
	SA_MASTER_YARN,
	SA_MASTER_STANDALONE,
	SA_MASTER_KUBERNETES
};

/* SA_INVALID says what is wrong and what would be right (yarn-cluster: the
 * master is yarn, the deploy mode cluster). */
int sa_master_check(const char *master, enum sa_master_kind *kind,
    struct sa_err *err);

/* deploy_mode is "client", "cluster" or NULL (client). Local with cluster is
 * SA_INVALID. */
int sa_master_check_mode(enum sa_master_kind kind, const char *deploy_mode,
    struct sa_err *err);

#endif
