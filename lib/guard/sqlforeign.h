/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SQLFOREIGN_H
#define SA_SQLFOREIGN_H

#include <stddef.h>

#include "guard/sqllex.h"

/*
 * What a query for another database may not hold. Which database it is stays
 * unknown, so that what is a statement, a clause or a function with effects
 * in one of them is refused for all.
 */
typedef void sa_sql_foreign_fn(void *arg, const char *rule, size_t first,
    size_t last);

/* Calls fn for each rule that the tokens [from, to) break, once a rule. */
void sa_sql_foreign(const struct sa_sql_lex *lx, size_t from, size_t to,
    sa_sql_foreign_fn *fn, void *arg);

#endif
