/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETDNS_H
#define SA_NETDNS_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/netname.h"

/*
 * Answers one DNS query by itself; nothing is ever asked of another server.
 * lookup gives the IPv4 address of a canonical name, or 0 for one that there
 * is not. The answer has it with a time to live of 1 s, for other types
 * nothing, and for other names that they do not exist.
 */
#define SA_NETDNS_MAX 512
typedef uint32_t sa_netdns_fn(const char *name, void *ctx);

/* The length of the answer in out, or 0 for what is no query at all and gets
 * none. */
size_t sa_netdns_answer(const uint8_t *query, size_t n, sa_netdns_fn *lookup,
    void *ctx, uint8_t out[SA_NETDNS_MAX]);

#endif
