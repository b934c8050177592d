/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_FAN_H
#define SA_FAN_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The same work on many items, spread over child processes; the answers come
 * in the order of the items, whichever is ready first.
 */

/* Works on item i in a child: adds its answer to out and gives a number for
 * it, or -1 with err (whose detail is lost). Reports nothing itself. */
typedef int sa_fan_work_fn(void *arg, size_t i, struct sa_buf *out,
    struct sa_err *err);

/* Takes the answer of item i, in the parent: what work gave. err may be
 * changed. */
typedef void sa_fan_take_fn(void *arg, size_t i, int rc,
    const struct sa_buf *out, struct sa_err *err);

/*
 * Items 0 to n-1 in that many processes; with jobs 1, or one item, in this one.
 * An item whose worker died is taken with -1 and SA_INTERNAL; another worker
 * goes on behind it. -1 with SA_IO
 * where no process could be started; then nothing was taken.
 */
#define SA_FAN_JOBS_MAX 64
int sa_fan_run(size_t n, unsigned jobs, sa_fan_work_fn *work,
    sa_fan_take_fn *take, void *arg, struct sa_err *err);

#endif
