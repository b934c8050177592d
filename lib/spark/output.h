/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_OUTPUT_H
#define SA_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "spark/master.h"

/*
 * One stream of a driver: a file that the driver appends to by itself, so
 * that it depends on nobody. What we do beside it is to cut its head off by
 * punching a hole: offsets and the driver's descriptor stay valid, and the
 * file's size keeps counting all that was ever written.
 */
struct sa_stream {
	int fd;	    /* for appending; the driver gets a copy */
	off_t cut;  /* what is before is a hole */
	bool whole; /* the file system cannot punch: nothing is cut */
	off_t seen; /* its size when it was looked at last */
	off_t room; /* what is left free below the limit */
};

/* Makes or opens NAME below dirfd, mode 0640, close-on-exec. */
int sa_stream_open(struct sa_stream *s, int dirfd, const char *name,
    struct sa_err *err);

/* Keeps at most max bytes, the newest: about two thirds of that or more of a
 * driver that writes slowly, a fifth of one that writes as fast as it can, so
 * that what it writes before the next call fits too. A file system that cannot
 * punch is said once in the log. */
void sa_stream_bound(struct sa_stream *s, long long max);

/*
 * Reads spark-submit's log as it grows for the application's id. Only the
 * known sentences of the known loggers count, at the place where a log line
 * has them: an application's name or a script may say anything. Lines as
 * Spark prints them by default and its structured ones (JSON) are read.
 */
#define SA_APP_ID_SIZE 128
struct sa_id_scan {
	enum sa_master_kind kind;
	int fd;	   /* to read from */
	off_t at;  /* up to where it was read */
	bool skip; /* inside a line that is too long */
	size_t len;
	char line[4096];
	char id[SA_APP_ID_SIZE]; /* "" until it was seen */
	const char *state;	 /* SUBMITTED, ACCEPTED, RUNNING; NULL */
	bool context;		 /* the program began to ask for a cluster */
};

/* What stands before the id of a driver that was submitted over the REST API
 * of a standalone master; sa-yarn launch prints it, with a line break
 * behind. */
#define SA_ID_LINE "sa-yarn: submission ID is "

/* Looks at what is new; true when id or state has changed. */
bool sa_id_scan_more(struct sa_id_scan *scan);

/* Looks at one line. true when id or state has changed. */
bool sa_id_scan_line(struct sa_id_scan *scan, const char *line);

#endif
