/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNGUARD_H
#define SA_RUNGUARD_H

#include <jansson.h>

#include "guard/guard.h"

/*
 * The wrapper that judges a script's SQL as it is executed (sa(7), RUN-TIME
 * GUARD). In a plan it is guard_wrapper, {name,path,sha256,
 * size,rules[]}: the copy
 * below pending/ID/guard, where that came from, and the rules of the policy
 * by which it refuses.
 */
#define SA_RUNGUARD_DIR "guard"

/* Copies the wrapper into dir and describes it, for a script that was judged
 * with these options. *out is the caller's. SA_CONFIG: it is not installed. */
int sa_runguard_pin(int dir, const struct sa_guard_options *options,
    json_t **out, struct sa_err *err);

/* SA_REFUSED where the policy of these options refuses by a rule that the
 * wrapper of the plan would let pass. */
int sa_runguard_verify(const json_t *wrapper,
    const struct sa_guard_options *options, struct sa_err *err);

/* The rules as the wrapper takes them, "RULE,RULE", or "none"; caller
 * frees. */
char *sa_runguard_rules(const json_t *wrapper);

#endif
