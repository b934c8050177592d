/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARNLOG_H
#define SA_YARNLOG_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"
#include "spark/yarn.h"

/*
 * Logs of an application's containers: the chain NodeManager (while it runs,
 * or was not aggregated), log server over REST, its HTML page, the timeline
 * services, the NodeManager's HTML page. The ResourceManager has none. Only
 * hosts that the RM names, or that are configured, are asked. Each source
 * that failed is kept with its reason.
 */
struct sa_yarnlog;

/* y and app_id are borrowed. log_server: a configured one, or NULL: what the
 * RM's configuration or HADOOP_CONF_DIR says. */
struct sa_yarnlog *sa_yarnlog_open(struct sa_yarn *y, const char *app_id,
    const char *log_server, struct sa_err *err);
void sa_yarnlog_close(struct sa_yarnlog *l);

/* Container ids: driver, those of the newest attempt first; executors: all
 * others that are known. An array of {"container","role","attempt"}. */
int sa_yarnlog_containers(struct sa_yarnlog *l, bool executors, json_t **out,
    struct sa_err *err);

/* Which bytes of a file: the last or the first so many; both -1: all. */
struct sa_yarnlog_part {
	long long last, first;
};

/* Gets the bytes of one file in order, frames and false answers taken off. */
typedef int sa_yarnlog_fn(void *arg, const char *bytes, size_t n);

struct sa_yarnlog_result {
	char source[300]; /* the URL's host and what it is */
	long long length; /* of the whole file, as the source says; -1 */
	long long start;  /* offset of the first byte given; -1: unknown */
	bool complete;	  /* the container has ended */
	bool cut;	  /* the source broke off */
};

/* file: "stdout", "stderr", "prelaunch.err". SA_NOT_FOUND: no source has it;
 * the reasons are in sa_yarnlog_tried(). */
int sa_yarnlog_read(struct sa_yarnlog *l, const char *container,
    const char *file, const struct sa_yarnlog_part *part, sa_yarnlog_fn *take,
    void *arg, struct sa_yarnlog_result *out, struct sa_err *err);

/* tried[] of a job_log: [{"source","why"}], and one line of advice: log
 * aggregation is off, still going on, or no log server is configured. The
 * array is borrowed; the hint, "" for none, too. */
const json_t *sa_yarnlog_tried(const struct sa_yarnlog *l);
const char *sa_yarnlog_hint(const struct sa_yarnlog *l);

#endif
