/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_GUARD_VERDICT_H
#define SA_GUARD_VERDICT_H

#include <stdbool.h>

/* In order: the worse of two verdicts is the larger one. */
enum sa_verdict {
	SA_VERDICT_ALLOW,
	SA_VERDICT_WARN,
	SA_VERDICT_UNRESOLVED, /* a static reader cannot tell */
	SA_VERDICT_REJECT
};

/* "allow", "warn", "unresolved", "reject". */
const char *sa_verdict_name(enum sa_verdict v);

/* Whether word is one of them; *v gets it then. */
bool sa_verdict_parse(const char *word, enum sa_verdict *v);

/* Whether it lets a script pass. */
static inline bool
sa_verdict_passes(enum sa_verdict v)
{
	return v <= SA_VERDICT_WARN;
}

static inline enum sa_verdict
sa_verdict_worse(enum sa_verdict a, enum sa_verdict b)
{
	return a > b ? a : b;
}

#endif
