/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_HOST_H
#define SA_HOST_H

#include <stdbool.h>

struct sockaddr;

/* Hosts by name or address, as they stand in a URL (IPv6 in brackets). */

/* One that gives out a machine's credentials, or that is link-local: nothing
 * is ever sent there. A name is not looked up. */
bool sa_host_forbidden(const char *host);

/* The same of an address that a name turned out to mean; false for families
 * other than IPv4 and IPv6. */
bool sa_host_forbidden_address(const struct sockaddr *addr);

/* This machine: localhost and names below it, 127/8, ::1. */
bool sa_host_loopback(const char *host);

#endif
