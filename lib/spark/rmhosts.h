/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RMHOSTS_H
#define SA_RMHOSTS_H

#include <stdbool.h>

#include "base/record.h"

/*
 * The hosts of clusters that an agent may name: the setting rm_hosts, or where
 * no policy sets that those that persons named, each for what they named it:
 *
 *	RM	of the setting yarn_resource_manager_url, of the Hadoop
 *		configuration, and the yarn_rm_url of connections
 *	SPARK	the masters spark:// of connections, with any port, since a
 *		master has three
 *	KUBE	the masters k8s:// of connections
 *
 * Connections count whose yarn_rm_url or master no agent set.
 */
enum sa_rmhosts_kind { SA_RMHOSTS_RM, SA_RMHOSTS_SPARK, SA_RMHOSTS_KUBE };

/* SA_REFUSED names the first of the comma separated URLs whose host is none of
 * them. also: a URL that a person named, too, or NULL. */
int sa_rmhosts_check(const struct sa_store *st, const struct sa_settings *s,
    enum sa_rmhosts_kind kind, const char *urls, const char *also,
    struct sa_err *err);

/* The same of a master, spark:// and k8s://; others name no host. also is of an
 * API server. */
int sa_rmhosts_check_master(const struct sa_store *st,
    const struct sa_settings *s, const char *master, const char *also,
    struct sa_err *err);

/* The URL of the API server that a master k8s:// names: "k8s://HOST" is https.
 * Caller frees. */
char *sa_rmhosts_kube_url(const char *master);

/* Whether "HOST:PORT" is in a comma separated list of HOST, HOST:PORT and
 * *.DOMAIN. */
bool sa_rmhosts_match(const char *list, const char *host_port);

#endif
