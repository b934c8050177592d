/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_KUBEJOB_H
#define SA_KUBEJOB_H

#include <jansson.h>

#include "base/record.h"
#include "spark/joblog.h"
#include "spark/kubeapi.h"

/* The parts of kube.c. */

/* "pods/NAME" of a job's driver; caller frees. */
char *sa_kube_pod(const json_t *job);

/*
 * Makes the ConfigMap with the script and writes runs/ID/pod-template.yaml,
 * which mounts it; then becomes spark-submit. Returns only where that fails,
 * or where the pod is there already: 0 if it is this job's. A ConfigMap or
 * pod of that name that is not this job's is SA_INVALID; SA_REFUSED: what was
 * pinned is not what the plan says.
 */
int sa_kube_launch(struct sa_kube *k, const struct sa_store *st,
    const json_t *pending, const json_t *job, struct sa_err *err);

/* Removes the job's ConfigMap; none is fine. */
int sa_kube_unmap(struct sa_kube *k, const json_t *job, struct sa_err *err);

/*
 * What the pods of a job wrote. Kubernetes has one log of a container, which is
 * "stdout" here and has the program's output, Spark's log and errors. The
 * driver's is read from runs/ID/driver.log where its pod is gone.
 */
#define SA_KUBE_KEPT "driver.log"
struct sa_joblog *sa_kubelog_open(struct sa_kube *k, const struct sa_store *st,
    const json_t *job);

/* Keeps the driver's log, the newest max bytes of it, as SA_KUBE_KEPT. A log
 * that is not there (any more) is no failure, and takes nothing away. */
int sa_kubelog_keep(struct sa_kube *k, const struct sa_store *st,
    const json_t *job, long long max, struct sa_err *err);

#endif
