/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_ERR_H
#define SA_ERR_H

#include <stdbool.h>
#include <stddef.h>

struct json_t;

/*
 * What can go wrong, as the caller of a command sees it. The table behind
 * sa_kind_info() is the only place that knows the exit code and the HTTP
 * class of a kind; sa(7) prints the same table and a test compares them.
 */
enum sa_kind {
	SA_OK,		   /* 0: done, the answer is yes */
	SA_NO,		   /* 1: done, the answer is no, a record says so */
	SA_USAGE,	   /* 64: wrong words on the command line */
	SA_INVALID,	   /* 65: bad record, value, script or status */
	SA_NOT_FOUND,	   /* 66: no such connection, pending, job, file */
	SA_REMOTE,	   /* 69: the other side failed, or a job is LOST */
	SA_INTERNAL,	   /* 70: a bug */
	SA_EXPORT_FAILED,  /* 73: every destination is as it was */
	SA_IO,		   /* 74: read or write error, full disk */
	SA_BUSY,	   /* 75: lock or time-out, trying again is safe */
	SA_EXPORT_PARTIAL, /* 76: the report names each destination */
	SA_REFUSED,	   /* 77: policy, approval, drift, origin */
	SA_CONFIG,	   /* 78: settings, spark-submit, Java, data dir */
	SA_TIMEOUT,	   /* 124: the command in a sandbox timed out */
	SA_KIND_COUNT
};

struct sa_kind_info {
	const char *name; /* the "kind" of an error object */
	int code;	  /* exit status */
	int http;	  /* 0 where there is none */
	bool retryable;
};

/* Never NULL; an unknown kind is SA_INTERNAL's row. */
const struct sa_kind_info *sa_kind_info(enum sa_kind kind);

/*
 * One failure. Texts are fixed arrays, so that reporting never allocates; a
 * longer text is cut at a character's end. msg says what failed, without full
 * stop and without the command's name; hint (may be empty) says what to do
 * next, and agent_hint what a model is told of that. detail is the record that
 * the failure is about (guard report, pending, job), owned by the struct, or
 * NULL.
 */
struct sa_err {
	enum sa_kind kind;
	char msg[2048];
	char hint[1024];
	char agent_hint[1024];
	struct json_t *detail;
};

#define SA_ERR_INIT                                                     \
	{                                                               \
		.kind = SA_OK, .msg = "", .hint = "", .agent_hint = "", \
		.detail = NULL                                          \
	}

/* Sets kind and msg, empties hint, drops detail. Always -1, so that a caller
 * can return it. A NULL err is allowed and ignored, here and below. */
int sa_err_set(struct sa_err *err, enum sa_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with ": " and the text of errnum behind it; leaves errno at
 * errnum. */
int sa_err_errno(struct sa_err *err, enum sa_kind kind, int errnum,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Sets the hint of a failure that was set before, for all who ask. Always
 * -1. */
int sa_err_hint(struct sa_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What a model is told in place of the hint, which was set before: it has
 * tools and no commands, and may not do all that a person may. Always -1. */
int sa_err_agent_hint(struct sa_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Hangs a record on the failure, taking the reference even when err is NULL.
 * Always -1. */
int sa_err_detail(struct sa_err *err, struct json_t *detail);

/* Puts "PREFIX: " before the message. Always -1. */
int sa_err_prefix(struct sa_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Drops detail and makes err SA_ERR_INIT again. */
void sa_err_clear(struct sa_err *err);

#endif
