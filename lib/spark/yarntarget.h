/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARNTARGET_H
#define SA_YARNTARGET_H

#include <jansson.h>

#include "base/record.h"

/* Where a job's ResourceManagers are and how they are spoken to. */
struct sa_yarntarget {
	char *urls;
	const char *how;	   /* what said so, for people */
	char *user;		   /* NULL: who we are */
	char *auth_file, *ca_file; /* NULL: none */
};

/*
 * By the job, its connection, the setting yarn_resource_manager_url, and the
 * Hadoop configuration of its plan, else of $YARN_CONF_DIR or
 * $HADOOP_CONF_DIR; user and files by the job, its plan and the connection.
 * SA_CONFIG: nothing names one. SA_REFUSED: an agent named one that it may not
 * (spark/rmhosts.h).
 */
int sa_yarntarget_find(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_yarntarget *out, struct sa_err *err);
void sa_yarntarget_release(struct sa_yarntarget *t);

#endif
