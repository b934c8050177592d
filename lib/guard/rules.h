/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_GUARD_RULES_H
#define SA_GUARD_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "guard/verdict.h"

/*
 * What the guard's rules say to people and models, and the default policy;
 * rules.def is the table. Everything is static.
 */
struct sa_rule {
	const char *id;		       /* "sql-statement": stable, kebab-case */
	enum sa_verdict person, agent; /* of its worst findings, by default */
	bool fixed;		       /* no policy makes it milder */
	const char *message; /* one line, lower case, without full stop */
	const char *why;     /* what would happen if it ran */
	const char *hint;    /* how to say the same within the policy */
};

/* NULL where no rule has that id. */
const struct sa_rule *sa_rule_find(const char *id);

/* The rule after this one in the table's order; the first after NULL; NULL
 * after the last. */
const struct sa_rule *sa_rule_next(const struct sa_rule *rule);

/* Its place in the table, from 0; there are less than SA_RULES_MAX. */
#define SA_RULES_MAX 128
size_t sa_rule_index(const struct sa_rule *rule);

/* The ids that are most like a text, as "a, b, c"; caller frees. */
char *sa_rule_near(const char *text);

#endif
