/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_CHILD_H
#define SA_MCP_CHILD_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * A program that runs beside others: nothing here waits. It is in a process
 * group of its own, which the warden (mcp/warden.h) is told of, dies with us
 * however we die, and has no descriptors of
 * ours but its pipes: stdin gets the input, SA_MCP_REPORT_FD takes an error
 * object.
 */
#define SA_MCP_REPORT_FD 3
/* A record is in an answer twice, so this is what fits one. */
#define SA_MCP_OUT_MAX ((size_t)6 << 20)
#define SA_MCP_REPORT_MAX ((size_t)4 << 20)
/* The newest of stderr is kept. */
#define SA_MCP_STDERR_MAX ((size_t)64 << 10)

enum {
	SA_MCP_CHILD_IN,
	SA_MCP_CHILD_OUT,
	SA_MCP_CHILD_ERR,
	SA_MCP_CHILD_REPORT,
	SA_MCP_CHILD_END, /* its end */
	SA_MCP_CHILD_FDS
};

struct sa_mcp_child {
	pid_t pid;
	int warden;
	int fd[SA_MCP_CHILD_FDS]; /* -1: closed */
	struct sa_buf input, out, err, report;
	size_t written; /* of the input */
	int status;	/* as from waitpid(2), once over */
	bool over;
	bool killed; /* and whoever is left of its group shall go with it */
	bool full;   /* it wrote more than SA_MCP_OUT_MAX to stdout */
};

/*
 * Starts path with argv and env and takes the input over. SA_CONFIG where it
 * cannot be executed, SA_BUSY where there is no process or pipe for it; then
 * there is nothing to release.
 */
int sa_mcp_child_start(struct sa_mcp_child *c, const char *path,
    char *const *argv, char *const *env, struct sa_buf *input, int warden,
    struct sa_err *err);

/* Fills SA_MCP_CHILD_FDS entries for poll(2), and does what came of it. */
void sa_mcp_child_watch(const struct sa_mcp_child *c, struct pollfd *p);
void sa_mcp_child_pump(struct sa_mcp_child *c, const struct pollfd *p);

/* Signals its group, as long as it is not over. */
void sa_mcp_child_kill(struct sa_mcp_child *c, int sig);

/* The child must be over, or is killed and waited for. */
void sa_mcp_child_release(struct sa_mcp_child *c);

#endif
