/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef GREET_H
#define GREET_H

void greet(const char *name);

#endif
