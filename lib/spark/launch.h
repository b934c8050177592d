/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LAUNCH_H
#define SA_LAUNCH_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"

/*
 * From a pending to a running driver, once. The order of what is written is
 * the protocol (sa(7), SUBMISSION):
 *
 *  1 under the pending's lock: status PENDING, policy, drift, guard;
 *  2 audit intent; runs/ID built under a temporary name and renamed, its
 *    record SUBMITTING;
 *  3 the pending SUBMITTING with the job_id, fsynced: the claim. Whoever
 *    comes later is told the job;
 *  4 sa-supervise is started; it takes runs/ID/alive, writes exec.json,
 *    executes spark-submit in a process group of its own, and writes
 *    exit.json at its end;
 *  5 the pending SUBMITTED, audit outcome.
 *
 * Dying between two steps leaves: before 3 a PENDING and an unused run
 * directory, which prune removes; after 3 a job that sa_run_refresh() calls
 * FAILED (it never ran) or follows.
 */
struct sa_launch_options {
	const char *plan; /* the hash that was shown, NULL for any */
	bool once;	  /* an already submitted one is a success */
	bool asked;	  /* a person answered at the terminal, or --yes */
};

/* Steps 1 to 3. *job is the job record; *existed tells that it was submitted
 * before (once). Loser of two: SA_INVALID that names the job, its record as
 * detail. Not allowed to confirm, drift: SA_REFUSED. */
int sa_launch_claim(const struct sa_store *st, const struct sa_settings *s,
    const char *pending_id, const struct sa_launch_options *options,
    json_t **job, bool *existed, struct sa_err *err);

/* Steps 4 and 5. Returns when the exec succeeded (local), the application id
 * was seen (cluster masters) or 30 s are over; *job is replaced by what the
 * store then says. */
int sa_launch_start(const struct sa_store *st, const struct sa_settings *s,
    json_t **job, struct sa_err *err);

#endif
