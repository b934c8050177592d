/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CGROUP_H
#define SA_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "sandbox/spec.h"

/*
 * The control groups of one sandbox, of version 1 or 2, where this process may
 * make any: below its own group (1), or beside it, since a group of version 2
 * that has processes has no others below it (2; below, at the root). They
 * carry the sandbox's name. What was made stands in the file "groups" of the
 * sandbox's directory before it is made, so that whoever removes the sandbox
 * finds it.
 */
enum sa_cgroup_what {
	SA_CGROUP_CPU = 1 << 0,
	SA_CGROUP_MEMORY = 1 << 1,
};
#define SA_CGROUPS 2

struct sa_cgroup {
	char *paths[SA_CGROUPS]; /* NULL for none */
	size_t n;
	int events, stat; /* of the memory's, -1 for none */
};
#define SA_CGROUP_NONE                                                    \
	{                                                                 \
		.paths = { NULL, NULL }, .n = 0, .events = -1, .stat = -1 \
	}
void sa_cgroup_release(struct sa_cgroup *g);
#define cleanup_cgroup __attribute__((cleanup(sa_cgroup_release)))

/* Which of them this process may make, without making any. */
unsigned sa_cgroup_can(void);

/*
 * Makes those of want, or takes them again, with the limits of spec, for the
 * sandbox whose directory is dir. The caller holds the sandbox's lock. What it
 * made is returned; where that is not all, err (may be NULL) tells of one that
 * it could not.
 */
unsigned sa_cgroup_make(int dir, const char *name, const struct sa_spec *spec,
    unsigned want, struct sa_cgroup *out, struct sa_err *err);

/* Moves a process, which has no threads yet. -1 with errno. */
int sa_cgroup_join(const struct sa_cgroup *g, pid_t pid);

/* How many processes the kernel ended in the group of those events, for want
 * of memory. */
long long sa_cgroup_killed(int events);

/* What the kernel can take back of none: memory that is no file's on a disk;
 * and how often a page had to be read in again, so far. */
long long sa_cgroup_fixed(int stat, long long *faults);

/* Removes those of the sandbox whose directory is dir; nothing may run in it.
 * Waits a second for what is about to end, then SA_BUSY. */
int sa_cgroup_remove(int dir, struct sa_err *err);

#endif
