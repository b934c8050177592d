/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_CALL_H
#define SA_MCP_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/child.h"
#include "mcp/session.h"

/*
 * A call from its request to its answer: it waits for its turn, its program
 * runs, and the program is over. Times are those of sa_clock_ms().
 */
enum sa_mcp_fate {
	SA_MCP_GOES_ON,
	SA_MCP_LATE,	  /* over its time */
	SA_MCP_CANCELLED, /* gets no answer */
	SA_MCP_ABANDONED  /* the server ends; no answer */
};

struct sa_mcp_call {
	struct sa_mcp_call *next;
	struct sa_mcp_request request;
	size_t bytes; /* of its input, as long as it waits */
	struct sa_mcp_child child;
	bool started; /* the child is there */
	enum sa_mcp_fate fate;
	long long asked, progress_at;
	long long late_at; /* when it is over its time */
	long long kill_at; /* when it gets SIGKILL, after it got SIGTERM */
};

/* Takes the request over. */
struct sa_mcp_call *sa_mcp_call_new(struct sa_mcp_request *r, long long now);
void sa_mcp_call_free(struct sa_mcp_call *c);

/* Starts the program, or answers why not: false. */
bool sa_mcp_call_start(struct sa_mcp_call *c, const struct sa_mcp_session *s,
    char *const *env, int warden, long long now);

/* Ends the program's group, gently at first. */
void sa_mcp_call_end(struct sa_mcp_call *c, enum sa_mcp_fate fate,
    long long now);

/* Does what its time has come for, and gives when there is more to do. */
long long sa_mcp_call_tick(struct sa_mcp_call *c,
    const struct sa_mcp_session *s, bool quiet, long long now);

/* The program is over: answers, and logs what it wrote to stderr. */
void sa_mcp_call_finish(struct sa_mcp_call *c, const struct sa_mcp_session *s,
    long long now);

#endif
