/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_FORMAT_H
#define SA_FORMAT_H

#include <jansson.h>

#include "base/err.h"

/*
 * Guard reports as other tools read them. Paths below the working directory
 * are given relative to it, without "./" in front. Texts are the caller's to
 * free.
 */

/* A workflow command of GitHub Actions for each finding, a line each:
 * "::error file=F,line=L,col=C,title=RULE::TEXT". */
char *sa_format_github(const json_t *report);

/*
 * SARIF 2.1.0: one run, whose log is begin, the results of each report with
 * commas between (sa_format_sarif gives "" for a report without findings), and
 * end. Columns are counted in characters. What could not be judged is noted
 * in end: notes are objects of sa_format_sarif_note() or NULL, code is the
 * exit status.
 */
char *sa_format_sarif_begin(void);
char *sa_format_sarif(const json_t *report);
json_t *sa_format_sarif_note(const struct sa_err *err);
char *sa_format_sarif_end(const json_t *notes, int code);

#endif
