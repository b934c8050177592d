/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PRUNE_H
#define SA_PRUNE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"

/*
 * Removes what is over: pendings that expired, were cancelled, failed, or
 * whose job ended, and the runs of ended jobs, each age seconds or more ago;
 * keys whose pending is gone; and, whatever their age, run directories that
 * no pending ever claimed and what a killed command left half made an hour
 * ago or earlier. With dry_run it removes nothing. *out is a prune_report:
 * dry_run, items[]{what,id,reason}, what being pending, run, key or leftover.
 *
 * What goes of pendings and runs is in the audit chain before it goes. A
 * directory is renamed to a hidden name before it is emptied, so nobody
 * reads half of one.
 */
int sa_prune(const struct sa_store *st, const struct sa_settings *s,
    long long age, bool dry_run, json_t **out, struct sa_err *err);

#endif
