/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RMHOSTS_H
#define SA_RMHOSTS_H

#include <stdbool.h>

#include "base/record.h"

/*
 * The hosts that ResourceManager URLs of an agent may name: the setting
 * rm_hosts, or where no policy sets that the hosts that a person named: of
 * the setting yarn_resource_manager_url, of the Hadoop configuration and of
 * the connections that were not saved by an agent. SA_REFUSED names the first
 * of the comma separated URLs whose host is none of them.
 */
int sa_rmhosts_check(const struct sa_store *st, const struct sa_settings *s,
    const char *urls, struct sa_err *err);

/* Whether "HOST:PORT" is in a comma separated list of HOST, HOST:PORT and
 * *.DOMAIN. */
bool sa_rmhosts_match(const char *list, const char *host_port);

#endif
