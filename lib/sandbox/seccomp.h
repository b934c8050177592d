/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SECCOMP_H
#define SA_SECCOMP_H

/*
 * Puts the calling process, and what it becomes, behind the sandbox's filter
 * of system calls, which mkseccomp.c made when this was built. It needs
 * no_new_privs to be set. 0, or -1 with errno.
 */
int sa_seccomp_load(void);

#endif
