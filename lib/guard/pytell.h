/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PYTELL_H
#define SA_PYTELL_H

#include "guard/pyprog.h"

/*
 * Most programs cannot have a finding, and that is seen without asking what
 * their expressions may be. A finding is a call or an attribute that the
 * table names (sinks.def), an import, or a text in the source. A function
 * that nobody names is found by a few names only, getattr() and
 * x.__dict__ among them, which count by themselves; what some module or object
 * has by a name counts only where something in the program can be that
 * module, or give such an object. So it is the names of the whole program
 * that decide, wherever they stand; how they hang together is never asked.
 *
 * True where there may be a finding, so that the program has to be evaluated.
 * What would be too much to evaluate but names nothing is no finding then.
 */
bool sa_py_tells(const struct sa_py_program *p);

#endif
