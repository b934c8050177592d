/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_POLICY_H
#define SA_POLICY_H

#include "base/settings.h"
#include "guard/rules.h"

/*
 * What each rule's findings come to, for a person and for an agent. A policy
 * file has lines
 *
 *	RULE = VERDICT			for both
 *	RULE = VERDICT, agent VERDICT
 *
 * blank ones and comments from '#' on. A rule that it does not name is left
 * as it is.
 *
 * A verdict is that of the rule's worst findings. One that is worse than the
 * default raises all of the rule's findings to it, a milder one lowers them
 * to it; the same one changes nothing.
 */
struct sa_policy {
	unsigned char verdict[SA_RULES_MAX][2]; /* enum sa_verdict */
};

/* The default: rules.def. */
void sa_policy_init(struct sa_policy *p);

/*
 * Applies a file. loosen: what it says is taken; else it only tightens, the
 * worse of the two for each rule. -1 with SA_CONFIG and "FILE:LINE: ": a line
 * of another form, an unknown rule or verdict, a rule twice, a rule that may
 * not be loosened; also where the file cannot be read.
 */
#define SA_POLICY_FILE_MAX (256 * 1024)
int sa_policy_load(struct sa_policy *p, const char *path, bool loosen,
    struct sa_err *err);

/* The policy in force: the default, changed by the file of the setting
 * guard_policy that the operator gave, tightened by the others. */
int sa_policy_settings(struct sa_policy *p, const struct sa_settings *s,
    struct sa_err *err);

/* What a finding with that verdict comes to. p may be NULL for the default;
 * an unknown rule's is left as it is. */
enum sa_verdict sa_policy_judge(const struct sa_policy *p, const char *rule,
    bool agent, enum sa_verdict v);

/* The policy as a file that sa_policy_load() takes, with a comment for each
 * rule; caller frees. */
char *sa_policy_text(const struct sa_policy *p);

/* What a plan records: the version of the rules and 12 hexadecimal digits of
 * the policy's hash. */
#define SA_POLICY_VERSION_SIZE 32
void sa_policy_version(const struct sa_policy *p,
    char out[SA_POLICY_VERSION_SIZE]);

#endif
