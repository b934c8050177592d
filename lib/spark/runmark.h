/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNMARK_H
#define SA_RUNMARK_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/proc.h"
#include "base/record.h"

/* What stands beside a run's record (spark/run.h) and says what became of its
 * driver. */

/* exec.json. */
struct sa_run_mark {
	bool there;
	bool here; /* on this host, since its last boot */
	struct sa_proc_id driver;
	pid_t pgid;
	char at[SA_TIME_SIZE];
	char host[256];
};

struct sa_run_marks {
	bool alive; /* seen before the others, which are final when it is not */
	struct sa_run_mark exec;
	json_t *exit; /* exit.json, NULL where there is none */
};

/* SA_INVALID: a mark that is no mark. Nothing to release then. */
int sa_run_marks_read(const struct sa_store *st, const char *id,
    struct sa_run_marks *out, struct sa_err *err);
void sa_run_marks_release(struct sa_run_marks *m);

/* Whether a process of the driver's group is left. A group whose number went
 * to another process since then has none. */
bool sa_run_driver_lives(const struct sa_run_mark *mark);

/* Puts a final state in the record; diagnostics is masked and cut. at may be
 * NULL: now. */
void sa_run_end(json_t *record, const char *state, const char *at,
    const char *diagnostics);

#endif
