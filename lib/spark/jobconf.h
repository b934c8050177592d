/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_JOBCONF_H
#define SA_JOBCONF_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"

/*
 * What applies to a job, or to what stands for a connection, as far as it can
 * still be read: the plan of its pending and its connection.
 */
struct sa_jobconf {
	json_t *pending, *connection; /* NULL: not there (any more) */
	const json_t *plan;	      /* of pending */
	char *defaults;		      /* text of spark-defaults.conf, or NULL */
	bool defaults_read;
};
void sa_jobconf_read(const struct sa_store *st, const json_t *job,
    struct sa_jobconf *out);
void sa_jobconf_release(struct sa_jobconf *c);

/* The value of a Spark property: of the plan, else of the connection, else of
 * spark-defaults.conf. NULL: none, or an empty one. Caller frees. */
char *sa_jobconf_get(struct sa_jobconf *c, const char *key);

/* A variable of the plan's environment, else of the connection's, else of
 * ours; NULL or not empty. Borrowed. */
const char *sa_jobconf_env(const struct sa_jobconf *c, const char *name);

/* Whether an agent, and nobody else, chose the master. */
bool sa_jobconf_by_agent(const struct sa_jobconf *c, const json_t *job);

#endif
