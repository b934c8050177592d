/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETNAMES_H
#define SA_NETNAMES_H

#include "sandbox/netname.h"

/*
 * The addresses that names have inside of a sandbox, in 198.18.0.0/15: an
 * address stands for the name that was last given it. There are
 * SA_NETNAMES_MAX at most; the oldest make room.
 */
#define SA_NETNAMES_BASE 0xc6120000U
#define SA_NETNAMES_BITS 15
#define SA_NETNAMES_MAX 16384

struct sa_netnames;
struct sa_netnames *sa_netnames_new(void);
void sa_netnames_free(struct sa_netnames *t);

/* The address of a canonical name, which it keeps as long as it is there. */
uint32_t sa_netnames_give(struct sa_netnames *t, const char *name);

/* The name at an address; borrowed until the next give. NULL for none. */
const char *sa_netnames_at(const struct sa_netnames *t, uint32_t address);

#endif
