/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SH_BACKEND_H
#define SH_BACKEND_H

#include "sandbox/backend.h"

/*
 * A backend for tests, and in no program that is installed: "sh" runs commands
 * in a directory of its own and isolates nothing. It has no file operations,
 * so that those over run are what is tested. $SA_TEST_SH is the shell ("busybox
 * sh"), sh where it is not set.
 */
extern const struct sa_backend sh_backend;

/* What a guest that lies, or breaks, does to an answer; NULL for an honest
 * one. before gets the command and may give another (malloc'd). */
struct sh_faults {
	char *(*before)(const char *command);
	void (*after)(struct sa_run_result *r);
	int runs; /* commands so far */
};
extern struct sh_faults sh_faults;

#endif
