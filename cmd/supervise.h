/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SUPERVISE_H
#define SA_SUPERVISE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/record.h"
#include "base/settings.h"
#include "spark/master.h"
#include "spark/output.h"

/* What the parts of sa-supervise share. */
struct supervisor {
	struct sa_settings *settings;
	struct sa_store *store;
	const char *id;
	char pending_id[SA_ID_SIZE], plan_sha256[65];
	int run, alive, status; /* runs/ID, its lock, our reader or -1 */
	int signals, changes;	/* signalfd; inotify or -1 */
	long long output_max;
	enum sa_master_kind kind;
	bool in_cluster; /* the driver does not run here */
	struct sa_stream out, err;
	struct sa_id_scan scan;
	pid_t pid; /* of spark-submit and of its group */
	bool ended;
	int how; /* as waitpid(2) gives it */
	/* when an id has to be there, or the next signal is due where it was
	 * not: sa_clock_ms(), 0 before the time began to run */
	long long deadline;
	bool timed_out;
};

/* Writes the mark and executes spark-submit, or sa-yarn launch in its place
 * where a launch needs the network. 1: it could not be executed, or is not to
 * be any more; err says why, as for -1. */
int supervise_start(struct supervisor *v, struct sa_err *err);

/* Tells sa_launch_start(), and nothing more after that. */
void supervise_tell(struct supervisor *v, const char *word, const char *text);
void supervise_hush(struct supervisor *v);

/* State and id (may be NULL) into the record, as far as they are news. */
void supervise_update(struct supervisor *v, const char *state, const char *app);

/* Until spark-submit has ended, and its group, or what is left of that is
 * left alone. */
void supervise_watch(struct supervisor *v);

/* Writes how it ended, asks the cluster where that has to say more, lets
 * alive go. why: it was not executed. */
int supervise_finish(struct supervisor *v, const char *why, struct sa_err *err);

/* Says why spark-submit does not run, everywhere. */
void supervise_give_up(struct supervisor *v, const struct sa_err *why);

/* A line of the audit log. */
void supervise_audit(const struct supervisor *v, const char *event,
    const char *note);

#endif
