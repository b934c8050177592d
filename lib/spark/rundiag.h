/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNDIAG_H
#define SA_RUNDIAG_H

#include "base/record.h"

/* Why a driver failed, as its output tells it: what sa_run_diagnose() gives,
 * taken apart. */
enum sa_rundiag_kind {
	SA_RUNDIAG_NONE,
	SA_RUNDIAG_TRACEBACK, /* Python's last traceback or syntax error */
	SA_RUNDIAG_ERROR,     /* an exception or error line of the JVM */
	SA_RUNDIAG_TAIL	      /* the last lines of stdout */
};

#define SA_RUNDIAG_TEXT_MAX 4096
#define SA_RUNDIAG_LINE_MAX 300

struct sa_rundiag {
	enum sa_rundiag_kind kind;
	char headline[SA_RUNDIAG_LINE_MAX + 1]; /* the error in one line */
	char *text; /* masked, without the JVM's frames */
};

/* Never fails: what cannot be read is as good as empty. */
void sa_rundiag_read(const struct sa_store *st, const char *id,
    struct sa_rundiag *out);
void sa_rundiag_release(struct sa_rundiag *d);

#endif
