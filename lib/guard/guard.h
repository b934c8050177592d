/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_GUARD_H
#define SA_GUARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "guard/verdict.h"

/*
 * The guard's front door. A guard rail, not a boundary: it reads text and
 * cannot see what code computes at run time.
 */
struct sa_policy;
struct sa_guard_options {
	bool strict;	      /* the policy for an agent: code execution and
				 destructive APIs reject */
	bool strict_insert;   /* INSERT OVERWRITE rejects */
	bool unresolved_warn; /* unresolved text warns instead of rejecting */
	bool runtime;	      /* Spark's parser judges at run time: unresolved
				 text that it will see warns */
	bool thorough; /* evaluates Python that names nothing that counts,
			  too: for tests, it finds no more */
	const struct sa_policy *policy; /* NULL for the default */
};

/* The most bytes of one file or statement (JF-12). */
#define SA_GUARD_MAX (1024 * 1024)

/*
 * Each gives a new guard_report record (sa(7)), caller's to release, whose
 * "verdict" is the worst of its findings. path is what the report calls the
 * text ("-" for stdin, NULL for none). -1 (SA_INVALID) only where the text is
 * over SA_GUARD_MAX; text that is not Python or not UTF-8 is a report with
 * verdict reject.
 */
int sa_guard_python(const char *text, size_t len, const char *path,
    const struct sa_guard_options *options, json_t **report,
    struct sa_err *err);
/* The verdict of that report alone, for who asks nothing else: makes none. */
int sa_guard_python_verdict(const char *text, size_t len, const char *path,
    const struct sa_guard_options *options, enum sa_verdict *verdict,
    struct sa_err *err);
int sa_guard_sql(const char *text, size_t len, const char *path,
    const struct sa_guard_options *options, json_t **report,
    struct sa_err *err);

/* The verdict in a report; reject where the field is missing or unknown. */
enum sa_verdict sa_guard_verdict(const json_t *report);

/* Whether the verdict lets a script pass under these options: allow and warn
 * do, unresolved only with unresolved_warn (it is warn in the report then). */
bool sa_guard_passes(const json_t *report);

/* Fills err (SA_INVALID) from a report that does not pass, with the report as
 * its detail (a new reference). Always -1. Used by every command that runs
 * the guard, so that all of them say the same. */
int sa_guard_refuse(const json_t *report, struct sa_err *err);

/*
 * Marks each finding of that rule in that line as waived ("waived":true) and
 * gives the report the verdict of the others. Returns how many there are. The
 * finding that stands for those without room cannot be waived.
 */
size_t sa_guard_waive(json_t *report, const char *rule, json_int_t line);
bool sa_guard_is_waived(const json_t *finding);

/* Compiler-style text of a report, "path:line:column: severity: message
 * [rule]" with the source line and a caret where source is given. Caller
 * frees. Control characters are made visible. */
char *sa_guard_text(const json_t *report, const char *source, size_t len);

#endif
