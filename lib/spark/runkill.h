/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNKILL_H
#define SA_RUNKILL_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"

/*
 * Ends jobs. The wish is stored first, so that it counts whatever dies
 * meanwhile, with a line in the audit log before it and one after the end.
 *
 * The parts, for who asks a cluster in between (spark/cluster.h):
 */

/* Stores the wish. *ended tells that the job had ended before, which is no
 * failure and leaves the record alone. *out is the record then. */
int sa_run_kill_request(const struct sa_store *st, const struct sa_settings *s,
    const char *id, json_t **out, bool *ended, struct sa_err *err);

/*
 * Ends what runs of the job on this host, be it the driver or only what
 * submits it: its process group, checked to be the one that was started, gets
 * TERM, and after grace_ms KILL, until it is empty: Python outlives a
 * spark-submit that is killed alone. Waits for no state. *had tells that there
 * was something to end. SA_REMOTE: it runs on another host. SA_REFUSED: it is
 * another user's. SA_BUSY: processes of it are still there.
 */
int sa_run_kill_group(const struct sa_store *st, const char *id, int grace_ms,
    bool *had, struct sa_err *err);

/* The audit's outcome: why is NULL where the job has ended in state. */
int sa_run_kill_outcome(const struct sa_store *st, const struct sa_settings *s,
    const char *id, const char *state, const char *why, struct sa_err *err);

/*
 * All of it, for a job that no cluster has to be asked about: *out is the
 * final record. Errors of the parts; SA_BUSY: its supervisor has not said how
 * it ended.
 */
int sa_run_kill(const struct sa_store *st, const struct sa_settings *s,
    const char *id, int grace_ms, json_t **out, bool *ended,
    struct sa_err *err);

#endif
