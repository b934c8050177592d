/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_WARDEN_H
#define SA_MCP_WARDEN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A tool's program dies with the server, however that ends; what the program
 * started would live on. The warden is a process of ours that hears of each
 * process group as it begins and as it ends, and kills those that are left
 * when it hears no more.
 */

/* Starts it: the descriptor that tells it, or -1 with errno. Who has that
 * open keeps the warden waiting, so it is for the server alone. */
int sa_mcp_warden(void);

/* fd -1 tells nobody. May be called between fork and exec. */
void sa_mcp_warden_tell(int fd, pid_t group, bool begins);

#endif
