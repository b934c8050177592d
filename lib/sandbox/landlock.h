/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LANDLOCK_H
#define SA_LANDLOCK_H

#include <stdbool.h>

/*
 * A second layer over the namespaces, where the kernel has it (Linux 6.12):
 * this process and those that come of it send no signals to others, connect to
 * no abstract socket of theirs and trace none. It holds where a namespace
 * should leak.
 */
bool sa_landlock_there(void);

/* 0, also where there is none; -1 with errno. Takes CAP_SYS_ADMIN or
 * no_new_privs. */
int sa_landlock_scope(void);

/* From now on (Linux 5.13) no file is written, made or removed, and none is
 * opened but below these paths, of which those that are not there count for
 * nothing; ends with NULL. What is open stays so. Returns as scope does. */
int sa_landlock_read_only(const char *const *paths);

#endif
