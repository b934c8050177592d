/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PROC_H
#define SA_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * A process that is told from a later one with the same number: pid, start
 * time in clock ticks since boot, and the boot.
 */
struct sa_proc_id {
	pid_t pid;
	unsigned long long start_ticks;
	char boot_id[40];
};

/* false where there is no such process. */
bool sa_proc_identify(pid_t pid, struct sa_proc_id *id);

/* Whether the very process still runs (a zombie does not). */
bool sa_proc_alive(const struct sa_proc_id *id);

/* Whether any process of the group is left that is no zombie. */
bool sa_proc_group_alive(pid_t pgid);

/* The boot's id; "" where /proc does not say. */
void sa_proc_boot_id(char out[40]);

/* The path of a program by $PATH, or NULL; caller frees. Only a regular,
 * executable file counts; an empty or relative part of PATH does not. */
char *sa_proc_find(const char *name);

/* The path of one of our own programs: beside this one in a build directory,
 * else in libexec/sa or bin of the PREFIX that this one is in, else where it
 * was configured to be installed. SA_CONFIG where it is in
 * none. Caller frees. */
char *sa_proc_own(const char *name, struct sa_err *err);

/* What to run and how. Unset members mean: no input, our environment, our
 * directory, no limit of time, output thrown away. */
struct sa_proc_spec {
	char *const *argv; /* argv[0] is a path */
	char *const *env;
	const char *cwd;
	const char *input;
	size_t input_len;
	struct sa_buf *out, *errout; /* may be the same; the newest is lost
				      * over their max, the child goes on */
	int timeout_ms;
	bool asks; /* stays in our process group, since only that may read
		    * from the terminal; a time-out ends it alone */
};

/*
 * Runs to its end, in a process group of its own (see asks): *status as from
 * waitpid(2).
 * Output of processes that it leaves behind is not waited for. Only the three
 * standard descriptors are passed on. SA_CONFIG where it, or its directory,
 * is not there or cannot be executed; SA_BUSY after the time-out, when its
 * group was killed.
 */
int sa_proc_run(const struct sa_proc_spec *spec, int *status,
    struct sa_err *err);

#endif
