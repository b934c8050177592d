/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNKILL_H
#define SA_RUNKILL_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"

/*
 * Ends a job whose driver runs on this host. The wish is stored first, so that
 * it counts whatever dies meanwhile, with a line in the audit log before it
 * and one after the end. Then the driver's process group, checked
 * to be the one that was started, gets TERM, and after grace_ms KILL, until it
 * is empty: Python outlives a spark-submit that is killed alone.
 *
 * *out is the record then; *ended tells that the job had ended before, which
 * is no failure. SA_REMOTE: the driver runs on another host. SA_REFUSED: it is
 * another user's. SA_BUSY: processes of it are still there.
 */
int sa_run_kill(const struct sa_store *st, const struct sa_settings *s,
    const char *id, int grace_ms, json_t **out, bool *ended,
    struct sa_err *err);

#endif
