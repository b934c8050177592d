/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_ATTACH_H
#define SA_ATTACH_H

#include "sandbox/backend.h"

/*
 * A sandbox that somebody else made and goes on having: its owner lets one
 * holder at a time use it. SA_REFUSED where the owner differs (it names both)
 * or another holds it; whoever holds it already may attach again. A backend
 * without a compare-and-swap is asked again after the claim. Who attaches
 * never destroys it.
 */
int sa_attach(const struct sa_backend *b, struct sa_box *box, const char *owner,
    const char *holder, struct sa_box_tags *out, struct sa_err *err);

/* Takes the own claim away, no other; three tries, a second apart. */
int sa_release(const struct sa_backend *b, struct sa_box *box,
    const char *holder, struct sa_err *err);

/* What a command may have: budget_s, but no more than the sandbox has left,
 * and a second at least. now and expires_at in unix seconds, 0 for no end. */
double sa_attach_budget(double budget_s, long long expires_at, long long now);

/* Whether text can name a sandbox: SA_INVALID explains one that is empty or
 * what an unset variable becomes ("None", "null"), and any other form. */
int sa_attach_check_name(const char *text, struct sa_err *err);

#endif
