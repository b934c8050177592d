/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LOGSOURCE_H
#define SA_LOGSOURCE_H

#include "spark/joblog.h"
#include "spark/yarn.h"

/* One server that may have a container's file, and how it is asked. URLs are
 * without a query; borrowed. */
struct sa_logsource {
	const char *name; /* "NodeManager host:8042" */
	const char *list; /* the container's files: JSON, or a page of them.
			   * NULL: a page without such a list */
	const char *file; /* the file itself */
	bool page;	  /* HTML, not REST */
	bool aggregated;  /* a log server */
	bool trusted;	  /* it may see who we are */
};

/*
 * Reads a part of a file of a container. *last: how long the file was when it
 * was read before, so that what follows is had with one request; -1 where that
 * cannot be. 0: done, also where there is nothing at part->from. Else the
 * source's reason, and take was not called: SA_NO, it knows the container and
 * has no such file; SA_NOT_FOUND, SA_REFUSED, SA_REMOTE.
 */
int sa_logsource_read(struct sa_yarn *y, const struct sa_logsource *s,
    const char *container, const char *file, const struct sa_joblog_part *part,
    long long *last, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err);

/* A GET of a small answer that has to be a 200. */
int sa_logsource_get(struct sa_yarn *y, const char *url, bool trusted,
    const char *accept, struct sa_http_response *r, struct sa_err *err);

#endif
