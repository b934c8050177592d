/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYCHECK_H
#define SA_PYCHECK_H

#include "guard/report.h"

/* Judges a Python source into r, whose text it is. */
void sa_py_check(struct sa_report *r);

#endif
