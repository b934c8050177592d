/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_APPROVAL_H
#define SA_APPROVAL_H

#include <jansson.h>

#include "base/record.h"

/*
 * approvals/ID.json, made exclusively by the reviewer; the file's owner is
 * the reviewer. Fields: pending_id, plan_sha256 (the hash that was
 * displayed), approved_by{uid,user,tty,sudo_user}, approved_at, expires_at,
 * signature. Good for one submission and approval_ttl.
 */

/* Writes one for the plan hash; signed with the setting signing_key where
 * the policy is signed. One that is there already and still good: SA_INVALID;
 * an expired one or one for another plan is replaced. */
int sa_approval_write(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, json_t **out, struct sa_err *err);

/* Whether a good approval under the policy in force is there: right hash,
 * not expired, owner as other-uid asks, signature as signed asks.
 * SA_REFUSED says what is missing, never how an agent could get it. */
int sa_approval_check(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, struct sa_err *err);

/* Marks it as used, so that it is good for nothing else. */
int sa_approval_spend(const struct sa_store *st, const char *pending_id,
    struct sa_err *err);

#endif
