/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUN_H
#define SA_RUN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"

/*
 * Runs: runs/ID with
 *	record.json	the job record
 *	lock		held for each change of the record, shortly
 *	alive		an flock of sa-supervise for as long as it lives;
 *			whoever builds the directory takes it before that gets
 *			its name, and hands the descriptor down, so that a
 *			free one always means that nobody will start a driver
 *	exec.json	the mark, written before exec: host, boot_id, pid, pgid,
 *			start_ticks, at. Written under lock, and only while the
 *			record is SUBMITTING and no kill was requested
 *	exit.json	exit_code, signal, at: how spark-submit ended; error
 *			(text) where it could not be executed; timed_out (true)
 *			where it was ended for want of an application id.
 *			Written before alive is let go
 *	stdout stderr	the driver's output, the newest output_max bytes; what
 *			was cut from the head is a hole in the file
 *
 * Job: job_id, pending_id, connection, name, master, deploy_mode, state,
 * application_id, tag, yarn_state, final_status, exit_code, signal,
 * diagnostics, yarn_rm_url, yarn_user, tracking_url, submitted_at,
 * started_at, finished_at, kill_requested_at, checked_at; and, only where there
 * is something to say, note: what a person has to know beside how it ends.
 *
 * States: SUBMITTING, SUBMITTED, ACCEPTED, RUNNING, SUCCEEDED, FAILED,
 * KILLED, LOST. The last four are final.
 */
bool sa_run_is_final(const char *state);

/* Whether spark-submit names an application for this job: on no local master,
 * nor in client mode on Kubernetes, where there is none but the driver. */
bool sa_run_names_application(const json_t *job);

/* The stored record. SA_NOT_FOUND: "unknown job_id: ID". */
int sa_run_read(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err);

/* Lock and read, change, write back: as for pendings. */
int sa_run_lock(const struct sa_store *st, const char *id, int *lock,
    json_t **out, struct sa_err *err);
int sa_run_write(const struct sa_store *st, const json_t *record,
    struct sa_err *err);

/*
 * The truth as the run directory tells it: reads the marks and writes a
 * changed record back under its lock. No cluster is asked. For jobs whose
 * driver runs on this host:
 *
 *	exit.json				SUCCEEDED, FAILED or KILLED
 *	 with 0, on a cluster, alive is held	as it was: the cluster is asked
 *	 with 0, on a cluster that says
 *	 KILLED or FAILED (yarn_state)		KILLED or FAILED
 *	alive is held				SUBMITTING or RUNNING; with the
 *						master of a cluster as
 *						sa-supervise keeps it
 *	alive is free, no exec.json		FAILED: it never ran
 *	alive is free, exec.json, driver lives	RUNNING (its supervisor died)
 *	alive is free, exec.json, driver gone	LOST
 * In cluster mode the cluster decides, and how spark-submit ended says
 * nothing; but
 *
 *	exit.json with error			FAILED: nothing was submitted
 *	alive is free, no exec.json		FAILED: the same
 *	all else				as it was
 *
 * A driver lives while a process of its group does. One on another host or
 * boot that left no exit.json is LOST, until an exit.json turns up. finished_at
 * and diagnostics (a line that says how it ended, then the tail of the
 * driver's error) come with a final state. A store that cannot be written to
 * is read all the same: *out then tells more than the record.
 */
int sa_run_refresh(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err);

/* Makes exit.json's content a final state in record. KILLED where a kill was
 * requested and the driver did not end with 0. diagnostics begins with one
 * line that says how it ended. */
void sa_run_apply_exit(const struct sa_store *st, json_t *record,
    const json_t *exit_record);

/* A few lines that say why a driver failed: the last traceback or error of
 * its output, masked, at most 4096 bytes. Caller frees; "" for nothing. */
char *sa_run_diagnose(const struct sa_store *st, const char *id);

/* For sa_cli_answer. */
void sa_run_text(FILE *f, const json_t *record);

#endif
