/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_FOUND_H
#define SA_FOUND_H

#include <jansson.h>
#include <stdbool.h>

#include "spark/cluster.h"

/*
 * What becomes of one job by what was found of it, or not found, on its
 * cluster. *record is the job's record and is replaced; what is new is kept in
 * the store under the record's lock, and where that cannot be done *record
 * tells more than the store.
 */

/* Applications that carry the job's mark, at least one. The newest is
 * adopted where the job has no id yet, else only its own counts. */
void sa_found_some(struct sa_cluster *c, json_t **record,
    const struct sa_candidates *hits);

/* Carries out a kill that was asked for, on each of them. */
void sa_found_unwanted(struct sa_cluster *c, const json_t *record,
    const struct sa_candidates *hits);

/* The job's application, and nothing that the cluster remembers of it. One
 * that was seen there is LOST; before that, spark-submit has an id that it may
 * not have submitted yet, and this is sa_found_none(). */
int sa_found_forgotten(struct sa_cluster *c, json_t **record,
    long long grace_ms, bool *open, struct sa_err *err);

/* Clears away what is left of the launch of a job whose end was seen. Done by
 * sa_found_some(); again where that failed. */
void sa_found_over(struct sa_cluster *c, const json_t *record);

/* A driver that we ended, and whose end nobody has seen: KILLED, not LOST. */
void sa_found_killed(struct sa_cluster *c, json_t **record);

/*
 * No application, and none is also what the cluster knows (hits.counts).
 * likely: candidates without a mark, for the record to name. Once
 * spark-submit is gone this decides, after grace_ms; *open tells that it may
 * still do so later.
 */
int sa_found_none(struct sa_cluster *c, json_t **record,
    const struct sa_candidates *likely, long long grace_ms, bool *open,
    struct sa_err *err);

#endif
