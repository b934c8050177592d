/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BOXWATCH_H
#define SA_BOXWATCH_H

#include <sys/types.h>

#include "sandbox/spec.h"

struct sa_cgroup;

/*
 * The limits that no resource limit of a process holds: memory and disk space
 * of the sandbox as a whole. They are looked at in turns, so a sandbox can be
 * over for as long as a turn takes, and is then ended.
 */
struct sa_boxwatch {
	long long memory, disk; /* bytes, 0 for none */
	int events, stat;	/* of the group that limits memory, or -1 */
	long long limit;	/* of the group */
	long long killed;	/* its processes that the kernel ended before */
	long long faults;	/* that it had at the last turn */
	int turn_ms;	      /* until the next turn, at most SA_BOX_WATCH_MS */
	int thrashed;	      /* turns in a row */
	pid_t measurer;	      /* walks the tree just now, or 0 */
	int result;	      /* where it says what it found */
	long long used, free; /* at the last walk, and as it began */
	long long rested_ms, next_ms; /* when there may be, and is, another */
};

void sa_boxwatch_init(struct sa_boxwatch *w, const struct sa_spec *spec,
    const struct sa_cgroup *group);

/* Whether the kernel has ended a process for want of memory: cheap, and exact
 * once the process was waited for. */
bool sa_boxwatch_killed(const struct sa_boxwatch *w);

/* A turn; proc is the sandbox's own /proc. NULL, or the limit that was passed
 * ("memory", "disk"). */
const char *sa_boxwatch(struct sa_boxwatch *w, int proc);

#endif
