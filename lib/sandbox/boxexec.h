/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BOXEXEC_H
#define SA_BOXEXEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sandbox/spec.h"

/*
 * A command on its way into the sandbox: a sealed memfd that holds this head
 * and then NUL-terminated strings, first the arguments, then the environment,
 * then the directory. 0 in a limit is none.
 */
struct sa_boxjob {
	uint32_t argc, envc;
	uint64_t data;	/* bytes of private memory a process */
	uint64_t fsize; /* bytes a file */
	uint64_t cpu_s; /* seconds of processor a process */
	uint64_t nproc; /* processes of the sandbox */
};

/* Makes it; the descriptor or -1. argv and env end with NULL. */
int sa_boxjob_pack(const struct sa_boxjob *limits, const char *const *argv,
    const char *const *env, const char *cwd, struct sa_err *err);

/*
 * In the child of init: takes the three descriptors as its standard ones,
 * leaves every privilege and becomes the command. Returns errno where it
 * cannot, and in what the thing (borrowed); all that may follow is a message
 * and _exit.
 */
int sa_boxexec(int job, const int std[3], const char **what);

#endif
