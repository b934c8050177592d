/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_REMEDY_H
#define SA_REMEDY_H

#include "base/err.h"

/*
 * A host that does not let a sandbox have something: SA_REFUSED, which names
 * that and why (an errno), with what the operator can do about it as hint,
 * found by asking the host what keeps us from it. -1, as sa_err_set.
 */
int sa_remedy(const char *what, int why, struct sa_err *err);

#endif
