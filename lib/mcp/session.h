/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_SESSION_H
#define SA_MCP_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "mcp/catalog.h"
#include "mcp/message.h"

/*
 * What is said to a line. Both eras of the protocol are served, and each
 * request says by itself which one it is of: with a protocol version in its
 * _meta it is modern (2026-07-28, no state), without one legacy, which takes
 * an initialize before it. Nothing is pinned: the eras may take turns.
 */
#define SA_MCP_MODERN "2026-07-28"
#define SA_MCP_LEGACY "2025-11-25" /* the newest, offered for unknown ones */
/* A batch, which one legacy version has, is of at most so many messages. */
#define SA_MCP_BATCH_MAX 100

/* A call that is to be made. Whoever gets it owns what it holds. */
struct sa_mcp_request {
	struct sa_mcp_tool *tool;
	char *id;
	char *token; /* of progress, or NULL */
	struct sa_buf input;
	bool modern;
};
void sa_mcp_request_release(struct sa_mcp_request *r);

/* What a session asks of its surroundings. */
struct sa_mcp_host {
	void *arg;
	/* A line to be written, with its LF; may take the bytes. */
	void (*answer)(void *arg, struct sa_buf *line);
	/* Takes the request over. */
	void (*call)(void *arg, struct sa_mcp_request *r);
	/* Whether a call with this id is not answered yet. */
	bool (*pending)(void *arg, const char *id);
	void (*cancel)(void *arg, const char *id);
};

struct sa_mcp_session {
	const struct sa_mcp_catalog *catalog;
	struct sa_mcp_host host;
	char *info;   /* who we are, an object as text */
	char *modern; /* what each modern result ends with */
	bool legacy;  /* there was an initialize */
	bool batches; /* and its version has batches */
};

/* The catalogue is borrowed. */
void sa_mcp_session_init(struct sa_mcp_session *s,
    const struct sa_mcp_catalog *catalog, const struct sa_mcp_host *host);
void sa_mcp_session_release(struct sa_mcp_session *s);

/* One line, which may be written into, or the news that one was too long. */
void sa_mcp_session_line(struct sa_mcp_session *s, char *line, size_t len);
void sa_mcp_session_long_line(struct sa_mcp_session *s);

/* Gives the answer of a call: the members of a result. */
void sa_mcp_session_result(const struct sa_mcp_session *s, const char *id,
    bool modern, const char *members);
void sa_mcp_session_error(const struct sa_mcp_session *s, const char *id,
    const struct sa_mcp_fault *f);

#endif
