/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_RUNWATCH_H
#define SA_RUNWATCH_H

#include <stdbool.h>

#include "base/record.h"

/*
 * Sleeps until something happens to runs. What happens between two calls of
 * sa_run_watch_wait() is not missed: look at the runs after sa_run_watch_add()
 * and after each wait. Where the kernel tells nothing (a network file system,
 * no watches left) it is a poll each second, or each quarter of one.
 */
struct sa_run_watch {
	int fd;	   /* inotify, -1: none */
	bool deaf; /* some run is not watched */
};

void sa_run_watch_open(struct sa_run_watch *w);
void sa_run_watch_close(struct sa_run_watch *w);

/* output: what the driver writes counts too. */
void sa_run_watch_add(struct sa_run_watch *w, const struct sa_store *st,
    const char *id, bool output);

/* Returns after ms at the latest, and by itself after a second. */
void sa_run_watch_wait(struct sa_run_watch *w, long long ms);

#endif
