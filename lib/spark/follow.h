/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_FOLLOW_H
#define SA_FOLLOW_H

#include "spark/cluster.h"

/* What the files behind struct sa_follow (spark/cluster.h) share. */
const struct sa_store *sa_follow_store(const struct sa_follow *f);
const struct sa_settings *sa_follow_settings(const struct sa_follow *f);

/* The cluster of a job, opened at the first time; NULL for a local one.
 * Borrowed. */
int sa_follow_cluster(struct sa_follow *f, const json_t *job,
    struct sa_cluster **out, struct sa_err *err);

/* Looks at one job on its cluster, or for it where it has no id, and keeps
 * what is new. wish: carries out a kill that was asked for. *open: there is no
 * application yet, and another look may find or decide more
 * (sa_found_none). */
int sa_follow_look(struct sa_cluster *c, json_t **record, bool wish,
    long long grace_ms, bool *open, struct sa_err *err);

#endif
