/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_REVIEW_H
#define SA_REVIEW_H

#include <jansson.h>

#include "base/record.h"

/*
 * What a reviewer has to see of a pending: what it is, where and as what it
 * runs, its configuration with who set what and what is risky about it,
 * arguments, files and hashes, the guard's report, the pinned script with
 * line numbers, the exact command line, the plan's hash. Secrets are masked,
 * control characters made visible.
 *
 * The script is the pinned copy, and only if it has the hash that the plan
 * says: what is read is what is approved. SA_REFUSED else. Caller frees.
 */
int sa_review_text(const struct sa_store *st, const json_t *pending, char **out,
    struct sa_err *err);

/*
 * The difference (as of diff -u) between what a review of the last submitted
 * pending of the same name would say and what this one's says, without ids
 * and times. "" where nothing differs; SA_NOT_FOUND where there was no such
 * run; SA_CONFIG without diff(1). Caller frees.
 */
int sa_review_diff(const struct sa_store *st, const json_t *pending, char **out,
    struct sa_err *err);

#endif
