/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARNSITE_H
#define SA_YARNSITE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * What a Hadoop configuration directory says about its cluster: core-site.xml
 * and yarn-site.xml, with ${name} substituted as Hadoop does (at most 20
 * deep), final honoured, XInclude and entities refused. Hadoop's defaults
 * stand where a file is silent.
 */
struct sa_yarnsite {
	char *rm_urls;	   /* http(s)://HOST:PORT, one for each RM, commas */
	char *rm_ids;	   /* "rm1,rm2" in the same order, NULL without HA */
	char *log_server;  /* yarn.log.server.url, NULL */
	char *log_service; /* yarn.log.server.web-service.url, NULL */
	char *timeline;	   /* URL of the timeline service, NULL */
	bool aggregation;  /* yarn.log-aggregation-enable */
	bool secure;	   /* hadoop.security.authentication is kerberos */
};
#define SA_YARNSITE_INIT        \
	{                       \
		.rm_urls = NULL \
	}

/*
 * A server that is bound to 0.0.0.0 is taken to be at the service's host name,
 * and where that says nothing either, on this machine. Each of rm_urls is one
 * that sa_url_check_rm() takes.
 */

/* dir: $YARN_CONF_DIR or $HADOOP_CONF_DIR. SA_CONFIG: no yarn-site.xml there,
 * or one that is no XML; file and line are named. At most 4 MiB a file. */
int sa_yarnsite_read(const char *dir, struct sa_yarnsite *out,
    struct sa_err *err);

/* The same from what is in the files; core may be NULL. */
int sa_yarnsite_parse(const struct sa_buf *core, const struct sa_buf *site,
    struct sa_yarnsite *out, struct sa_err *err);

void sa_yarnsite_release(struct sa_yarnsite *s);

#endif
