/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_REPORT_H
#define SA_REPORT_H

#include "guard/guard.h"

/*
 * A guard_report in the making. What is found is judged by the options on its
 * way in; lines, columns and JSON are made once somebody asks for the record.
 * The lists are bounded: a report holds SA_REPORT_FINDINGS findings,
 * the worst and first ones, and one more that counts the rest.
 */
#define SA_REPORT_FINDINGS 100
#define SA_REPORT_STATEMENTS 1000
#define SA_REPORT_TEXT 400 /* bytes of a resolved text that are shown */

struct sa_finding {
	const char *rule;
	enum sa_verdict verdict;
	size_t offset;	 /* in the source */
	char *statement; /* resolved text, holes as {}; or NULL */
	char *about;	 /* what the message begins with; or NULL */
};

struct sa_statement {
	char *head;
	enum sa_verdict verdict;
	size_t offset;
};

#define SA_REPORT_RECENT 32
struct sa_recent {
	size_t offset;
	enum sa_verdict verdict;
	char head[48];
};

struct sa_report {
	const char *text; /* the source */
	size_t len;
	const struct sa_guard_options *options;
	struct sa_finding *finding;
	size_t nfinding, capfinding;
	size_t more; /* findings that had no room */
	struct sa_statement *statement;
	size_t nstatement, capstatement;
	size_t more_statements;	  /* that had no room */
	struct sa_recent *recent; /* the last statements, as a ring */
	size_t nrecent;
	enum sa_verdict verdict;
	size_t *line; /* where each line begins */
	size_t nline, capline;
	size_t *before; /* characters before each block of the source */
};

void sa_report_init(struct sa_report *r, const char *text, size_t len,
    const struct sa_guard_options *options);
void sa_report_release(struct sa_report *r);

/*
 * A finding at offset. statement (len bytes, may be NULL) is the resolved
 * text, with SA_SQL_HOLE for what is not known; about is a word or two that
 * the message begins with, or NULL. The same rule at the same place is taken
 * once.
 */
void sa_report_find(struct sa_report *r, const char *rule,
    enum sa_verdict verdict, size_t offset, const char *statement, size_t len,
    const char *about);
/* A statement that was met. One place whose text has several resolutions with
 * the same head is listed once. */
void sa_report_statement(struct sa_report *r, const char *head,
    enum sa_verdict verdict, size_t offset);

/* The record; the report stays releasable. */
json_t *sa_report_json(struct sa_report *r, const char *path);

#endif
