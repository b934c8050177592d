/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_URL_H
#define SA_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The length of a host name, IPv4 or bracketed IPv6 address at s; 0 where
 * none stands there. */
size_t sa_url_host(const char *s);

/* The length of ":PORT", 1 to 65535, at s; 0 where none stands there. */
size_t sa_url_port(const char *s);

/*
 * ResourceManager URLs: http(s)://HOST[:PORT][/PREFIX], several with commas.
 * SA_INVALID for other schemes, a login, a query or fragment, and hosts that
 * are never a ResourceManager (link-local and metadata addresses).
 */
int sa_url_check_rm(const char *urls, struct sa_err *err);

#endif
