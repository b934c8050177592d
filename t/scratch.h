/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A directory of a unit test's own, which is its current one until it ends;
 * the environment has nothing of the caller's settings.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"

static char scratch_path[256];
static pid_t scratch_owner;

static void
scratch_end(void)
{
	if (scratch_owner == getpid() && chdir("/") == 0)
		sa_path_remove_tree(AT_FDCWD, scratch_path);
}

static inline void
scratch_none(void)
{
	fprintf(stderr, "cannot use the directory '%s'\n", scratch_path);
	exit(99);
}

/* A descriptor of the directory, open until the end. */
static inline int
scratch(void)
{
	static const char *const names[] = { "SPARK_EXECUTOR_DATA_DIR",
		"SPARK_EXECUTOR_JOBS_DIR", "YARN_RESOURCE_MANAGER_URL",
		"SPARK_EXECUTOR_LOG_LEVEL", "SA_CONFIG", "SA_CONFIRM",
		"SA_ORIGIN", "SA_ERROR_FD", "SA_ON_EVENT", "SA_PYTHON" };
	const char *tmp = getenv("TMPDIR");

	snprintf(scratch_path, sizeof(scratch_path), "%s/sa-unit.XXXXXX",
	    tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(scratch_path) == NULL || chdir(scratch_path) < 0)
		scratch_none();
	scratch_owner = getpid();
	atexit(scratch_end);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unsetenv(names[i]);
	setenv("HOME", scratch_path, 1);
	setenv("XDG_CONFIG_HOME", scratch_path, 1);
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		scratch_none();
	return fd;
}

#endif
