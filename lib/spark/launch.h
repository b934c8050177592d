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
 *  2 audit intent; runs/ID built under a temporary name, with runs/ID/alive
 *    held, and renamed, its record SUBMITTING;
 *  3 the pending SUBMITTING with the job_id, fsynced: the claim. Whoever
 *    comes later is told the job;
 *  4 sa-supervise is started and is handed the lock on alive, so that there
 *    is no moment in which a job that will run looks dead; it writes
 *    exec.json, executes spark-submit in a process group of its own, and
 *    writes exit.json at its end;
 *  5 sa-supervise makes the pending SUBMITTED and writes the audit's outcome.
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

/* A claim: the job record, and the lock on its runs/ID/alive (-1: none). */
struct sa_launch {
	json_t *job;
	bool existed; /* it was submitted before (once) */
	int alive;
};
#define SA_LAUNCH_INIT                                     \
	{                                                  \
		.job = NULL, .existed = false, .alive = -1 \
	}
void sa_launch_release(struct sa_launch *l);

/* Steps 1 to 3; SIGPIPE is ignored from here on. Loser of two: SA_INVALID
 * that names the job, its record as detail. Not allowed to confirm, drift:
 * SA_REFUSED. */
int sa_launch_claim(const struct sa_store *st, const struct sa_settings *s,
    const char *pending_id, const struct sa_launch_options *options,
    struct sa_launch *l, struct sa_err *err);

/* Step 4. Returns when the exec succeeded (local), the application id was
 * seen (where there is one), spark-submit has ended, or 30 s are over; l->job
 * is replaced by what the store then says. spark-submit that cannot be
 * executed: SA_CONFIG, the failed job as detail. */
int sa_launch_start(const struct sa_store *st, const struct sa_settings *s,
    struct sa_launch *l, struct sa_err *err);

/*
 * Step 5, of sa-supervise: the pending from SUBMITTING to SUBMITTED, or to
 * FAILED where reason says why spark-submit was not executed. Another status
 * is left alone.
 */
int sa_launch_settle(const struct sa_store *st, const char *pending_id,
    const char *reason, struct sa_err *err);

/*
 * What sa-supervise tells sa_launch_start() on the descriptor that it was
 * given, a line each: that spark-submit was executed, the application's id,
 * or why it was not executed.
 */
#define SA_LAUNCH_EXEC "exec"
#define SA_LAUNCH_ID "id "
#define SA_LAUNCH_FAILED "failed "

#endif
