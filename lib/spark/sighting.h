/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SIGHTING_H
#define SA_SIGHTING_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"

/*
 * What a cluster says of an application at one moment, in the words of all
 * clusters, and what a job record becomes by it. No network here.
 */
struct sa_sighting {
	char *application_id;
	/* ours: SUBMITTED, ACCEPTED, RUNNING, SUCCEEDED, FAILED, KILLED; NULL
	 * where the cluster used a word that we do not know */
	const char *state;
	char *cluster_state, *final_status; /* the cluster's own words */
	char *diagnostics, *tracking_url;
	long long started_ms, finished_ms; /* 0: not yet */
	int exit_code;			   /* of the driver's container; -1 */
};
#define SA_SIGHTING_INIT        \
	{                       \
		.exit_code = -1 \
	}
void sa_sighting_release(struct sa_sighting *s);

/* Who decides how a job ended (sa(7), JOBS). */
enum sa_truth {
	SA_TRUTH_DRIVER,	 /* local: the driver's exit status */
	SA_TRUTH_DRIVER_CLUSTER, /* client mode on a cluster: the driver's
				  * status, but KILLED or FAILED beats a 0 */
	SA_TRUTH_CLUSTER	 /* cluster mode: the cluster */
};
enum sa_truth sa_job_truth(const json_t *job);

/*
 * Takes what was seen into the record: the words of the cluster always, the
 * state where the truth lies there. A final state is never taken back, but
 * that a LOST job was found, or that the cluster KILLED or FAILED what ended
 * with 0. In client mode a cluster's end is kept as its words until the
 * driver has ended too; after that its words are taken where they tell of the
 * end, too. Whether the record is another now; checked_at alone
 * does not count.
 */
bool sa_sighting_apply(json_t *job, const struct sa_sighting *s);

/* Whether a cluster's own word tells of the end of an application that has its
 * driver here: on YARN and on standalone clusters. */
bool sa_sighting_ended(const char *word);

/* A cluster's word for a state and ours; tables end with NULL. */
struct sa_state_word {
	const char *theirs, *ours;
};

/* Ours, static; NULL for a word that the table does not have, or for none. */
const char *sa_sighting_word(const struct sa_state_word *words,
    const char *word);

/* From YARN's two words (table of spark-yarn 3.7). NULL for unknown ones. */
const char *sa_sighting_yarn(const char *state, const char *final_status);

#endif
