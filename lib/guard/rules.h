/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_GUARD_RULES_H
#define SA_GUARD_RULES_H

/*
 * What the guard's rules say to people and models; rules.def is the table.
 * Text only: the verdict comes with the finding. Everything is static.
 */
struct sa_rule {
	const char *id;	     /* "sql-statement": stable, kebab-case */
	const char *message; /* one line, lower case, without full stop */
	const char *why;     /* what would happen if it ran */
	const char *hint;    /* how to say the same within the policy */
};

/* NULL where no rule has that id. */
const struct sa_rule *sa_rule_find(const char *id);

/* The rule after this one in the table's order; the first after NULL; NULL
 * after the last. */
const struct sa_rule *sa_rule_next(const struct sa_rule *rule);

#endif
