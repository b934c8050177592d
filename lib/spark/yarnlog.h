/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARNLOG_H
#define SA_YARNLOG_H

#include "spark/joblog.h"
#include "spark/yarn.h"

/*
 * The logs of a YARN application's containers: the chain NodeManager (while
 * it runs, or was not aggregated), log server over REST, its HTML page, the
 * timeline services, the NodeManager's HTML page. The ResourceManager has
 * none. Only hosts that the RM names, or that are configured, are asked.
 *
 * y is borrowed, app_id copied. log_server: a configured one, or NULL: what
 * the RM's configuration or HADOOP_CONF_DIR says. seen: the RM has told of the
 * application before, so that one which does not know it has forgotten it;
 * otherwise nobody else is asked then. SA_INVALID: no id of YARN.
 */
struct sa_joblog *sa_yarnlog_open(struct sa_yarn *y, const char *app_id,
    const char *log_server, bool seen, struct sa_err *err);

#endif
