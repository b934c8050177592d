/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CLUSTER_H
#define SA_CLUSTER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"
#include "spark/joblog.h"
#include "spark/sighting.h"

/*
 * The clusters that jobs run on, behind one interface: a new kind is a new
 * row of the table in cluster.c and a file of its own. Needs the network.
 */
struct sa_cluster; /* one cluster as one job record or connection sees it */

/* An application that carries a job's mark. */
struct sa_candidate {
	struct sa_sighting seen;
	bool certain; /* it carries the tag or label; else only likely */
};
struct sa_candidates {
	struct sa_candidate *v;
	size_t n;
	bool counts; /* the cluster was in a state in which none means none */
};
void sa_candidates_release(struct sa_candidates *c);
/* One more, empty; to be filled in before the next one is added. */
struct sa_sighting *sa_candidates_add(struct sa_candidates *c, bool certain);

struct sa_cluster_ops {
	const char *name; /* as people read it: "YARN" */
	/* Names the cluster that a job is on, without asking it: jobs with the
	 * same name share what open makes. NULL: by master and connection.
	 * Caller frees *out. */
	int (*where)(const struct sa_store *st, const struct sa_settings *s,
	    const json_t *job, char **out, struct sa_err *err);
	/* private state of a cluster; job has master, deploy_mode,
	 * yarn_rm_url, yarn_user, connection, and pending_id unless it stands
	 * for a connection (check) */
	int (
	    *open)(struct sa_cluster *c, const json_t *job, struct sa_err *err);
	void (*close)(struct sa_cluster *c);
	/* The application of a job whose id is known. SA_NOT_FOUND: the
	 * cluster answers and does not know it (any more). */
	int (*look)(struct sa_cluster *c, const json_t *job,
	    struct sa_sighting *out, struct sa_err *err);
	/* Those that carry the job's mark, whether its id is known or not. */
	int (*find)(struct sa_cluster *c, const json_t *job,
	    struct sa_candidates *out, struct sa_err *err);
	/* Asks for the end of one application, once; it may take a while.
	 * SA_REFUSED: it does not carry our mark, and force is not set. */
	int (*kill)(struct sa_cluster *c, const json_t *job,
	    const char *application, bool force, struct sa_err *err);
	/* All jobs of the store on this cluster, in as few requests as it
	 * takes; NULL: look at each. each gets the job's tag and may take what
	 * is in seen; *counts as in sa_candidates. */
	int (*look_all)(struct sa_cluster *c,
	    void (*each)(void *arg, const char *tag, struct sa_sighting *seen),
	    void *arg, bool *counts, struct sa_err *err);
	/* What a launch needs before or in place of spark-submit
	 * (sa-yarn launch), NULL: nothing. */
	int (*launch)(struct sa_cluster *c, const json_t *pending,
	    const json_t *job, struct sa_err *err);
	/* After the end: removes what launch made, keeps what would go. NULL:
	 * nothing. Done again where it failed. */
	int (*finished)(struct sa_cluster *c, const json_t *job,
	    struct sa_err *err);
	/* What the application of a job wrote; its id is known, unless
	 * logs_by_mark is set. NULL: there is nothing but what spark-submit
	 * wrote on this host. */
	bool logs_by_mark;
	int (*logs)(struct sa_cluster *c, const json_t *job,
	    struct sa_joblog **out, struct sa_err *err);
	/* The doctor: what there is to say of the cluster, as items of a check
	 * record (base/check.h). NULL: nothing. */
	void (*check)(struct sa_cluster *c, json_t *check);
};

struct sa_cluster {
	const struct sa_cluster_ops *ops;
	const struct sa_store *store;
	const struct sa_settings *settings;
	void *own; /* of ops */
};

extern const struct sa_cluster_ops sa_cluster_yarn;	  /* yarncluster.c */
extern const struct sa_cluster_ops sa_cluster_kube;	  /* kube.c */
extern const struct sa_cluster_ops sa_cluster_standalone; /* standalone.c */

/* What is known of the kind of cluster that a master names; NULL for a local
 * one. */
const struct sa_cluster_ops *sa_cluster_of(const char *master);

/* The cluster of a job; for a local one *out is NULL and 0 is returned.
 * Errors of open. Caller closes. */
int sa_cluster_open(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_cluster **out, struct sa_err *err);
void sa_cluster_close(struct sa_cluster *c);

/*
 * Many jobs, over the clusters that they are on, each of which is opened
 * once. What follows is for sa-yarn.
 */
struct sa_follow;
struct sa_follow *sa_follow_new(const struct sa_store *st,
    const struct sa_settings *s);
void sa_follow_free(struct sa_follow *f);

/* From here on each sa_follow_refresh() is back after about so long, however
 * many clusters hang: each may take its share of what is left, and those for
 * which nothing is left are not asked. -1, as at first: no limit. back_at is
 * what holds requests to that: sa_http_be_back(). */
void sa_follow_within(struct sa_follow *f, long long ms,
    void (*back_at)(long long at_ms));

/*
 * Brings jobs up to date, by the store (sa_run_refresh) and by their
 * clusters, and keeps what is new. records[i] belongs to ids[i]; one that is
 * not NULL and final is left alone. A cluster that does not answer leaves
 * records as they were, with the reason in why[i] (may be NULL; caller
 * frees). Jobs of one cluster are one request. SA_NOT_FOUND: unknown job.
 */
int sa_follow_refresh(struct sa_follow *f, char *const ids[], size_t n,
    json_t *records[], char *why[], struct sa_err *err);

/*
 * Finds the application of a job that has no id: searches by the job's mark
 * for up to grace_ms, adopts one, reports several in the record's note (the
 * newest is adopted), and carries out a kill that was asked for. None,
 * from a cluster of which that counts, once spark-submit is gone: FAILED where
 * spark-submit ended by itself with a failure, else LOST. A job with an id is
 * looked at once; where its driver has ended here, until the cluster says so,
 * too. Never submits.
 */
int sa_follow_reconcile(struct sa_follow *f, const char *id, long long grace_ms,
    json_t **out, struct sa_err *err);

/*
 * Ends a job on its cluster and its driver or launcher on this host: the wish
 * is stored first (sa_run_kill), then the cluster is asked until the state is
 * final or timeout_ms are over: SA_BUSY then, with the last state.
 */
int sa_follow_kill(struct sa_follow *f, const char *id, bool force,
    int grace_ms, int timeout_ms, json_t **out, bool *ended,
    struct sa_err *err);

/*
 * Ends one application that carries a job's mark beside the job's own, and
 * leaves the job alone. *out is the job's record, *state what became of the
 * application; caller releases both. SA_INVALID: it is the job's own, or no
 * id; SA_REFUSED: it does not carry the mark, and force is not set;
 * SA_NOT_FOUND: the cluster does not know it; SA_BUSY: it has not ended after
 * timeout_ms. err is not NULL.
 */
int sa_follow_kill_one(struct sa_follow *f, const char *id,
    const char *application, bool force, int timeout_ms, json_t **out,
    char **state, struct sa_err *err);

#endif
