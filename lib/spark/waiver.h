/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_WAIVER_H
#define SA_WAIVER_H

#include <jansson.h>

#include "base/cli.h"

/*
 * What a person lets pass in one script: "RULE:LINE", the findings of a rule
 * of the guard in a line, or "forced:KEY", a property of the runtime guard
 * that is not to be set. In a plan they are objects, {rule,line,column,
 * message} for each finding and {forced} for each property, and so part of
 * its hash.
 */

/* Applies the texts to a report of the guard. *out is the plan's array, the
 * caller's to release. SA_INVALID: a text of neither form, or one without a
 * finding; then those that there are are named. */
int sa_waiver_apply(const struct sa_strings *texts, json_t *report,
    json_t **out, struct sa_err *err);

/* The same with a plan's array, on what the guard says today. */
void sa_waiver_repeat(const json_t *waivers, json_t *report);

/* Takes the properties that are waived out of forced{}. SA_INVALID where one
 * is not in there. */
int sa_waiver_forced(const json_t *waivers, json_t *forced, struct sa_err *err);

#endif
