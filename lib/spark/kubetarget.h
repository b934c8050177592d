/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_KUBETARGET_H
#define SA_KUBETARGET_H

#include "base/record.h"
#include "spark/kubeconfig.h"

/* Where a job's API server is, and how we log in there (spark/kubeapi.h). */
struct sa_kubetarget {
	char *server; /* without a slash at its end */
	char *namespace;
	char *login; /* for people: what says who we are */
	struct sa_kubeconfig auth;
};
int sa_kubetarget_find(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_kubetarget *out, struct sa_err *err);
void sa_kubetarget_release(struct sa_kubetarget *t);

#endif
