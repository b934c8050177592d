/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LOGPAGE_H
#define SA_LOGPAGE_H

#include "spark/logframe.h"

/*
 * The web page that shows a container's file, of a NodeManager or of a log
 * server: what is within its <pre>, its characters unescaped, and what the
 * text before says. The NodeManager's page of all files is read too, for their
 * lengths. Bytes that are no UTF-8 were lost on the way to the page, so that
 * offsets are exact only without them. Memory is that of one line.
 */
struct sa_logpage {
	const char *file;
	bool aggregated; /* a log server's: each file has a head of its own */
	long long from;	 /* as asked for; negative: so many before the end */
	sa_logframe_fn *take;
	void *arg;

	long long length; /* -1: not said */
	bool shown;	  /* there was a <pre> with the file */
	bool ended;	  /* and its end */
	bool pieces;	  /* as in struct sa_logframe */
	char said[512];	  /* headings: why there is no log */

	/* of the parser */
	struct sa_buf text, tag, out;
	enum { SA_LOGPAGE_TEXT, SA_LOGPAGE_TAG, SA_LOGPAGE_LOG } state;
	bool ours, heading;
	long long at, len;
};

/* file is borrowed. */
void sa_logpage_init(struct sa_logpage *p, const char *file, bool aggregated,
    long long from, sa_logframe_fn *take, void *arg);
void sa_logpage_release(struct sa_logpage *p);

/* Other than 0: nothing more is wanted. */
int sa_logpage_feed(struct sa_logpage *p, const char *bytes, size_t n);

#endif
