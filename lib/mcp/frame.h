/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_FRAME_H
#define SA_MCP_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The wire: one message a line in both directions. Nothing here knows what
 * stands in a line.
 */

/* The longest line that is taken, and the longest that is written: clients
 * of the reference SDK hang up over 10 MiB. */
#define SA_MCP_LINE_MAX ((size_t)8 << 20)
#define SA_MCP_ANSWER_MAX (((size_t)10 << 20) - 1024)

/* What was read and not yet taken. Never holds more than one line of
 * SA_MCP_LINE_MAX and what one read gives. */
struct sa_mcp_lines {
	struct sa_buf b;
	size_t start;	/* of the line that is next */
	size_t scanned; /* up to here there is no line end */
	bool dropping;	/* within a line that is too long */
};

enum sa_mcp_line { SA_MCP_NO_LINE, SA_MCP_LINE, SA_MCP_LONG_LINE };

void sa_mcp_lines_init(struct sa_mcp_lines *l);
void sa_mcp_lines_release(struct sa_mcp_lines *l);

/* Adds bytes; take all lines before adding more. */
void sa_mcp_lines_add(struct sa_mcp_lines *l, const char *p, size_t n);

/*
 * The next whole line, without its LF or CRLF; the caller may write into it,
 * and it is gone with the next call for these lines. SA_MCP_LONG_LINE comes
 * once for each line that is too long. At the end of input (end) what has no
 * line end is a line too.
 */
enum sa_mcp_line sa_mcp_lines_next(struct sa_mcp_lines *l, bool end,
    char **line, size_t *len);

/*
 * Answers that wait for the reader. Whole lines only go in; what goes out may
 * be parts of them, in order, none lost and none twice.
 */
struct sa_mcp_queue {
	struct sa_buf b;
	size_t start; /* what was written of it */
	int fd;
	enum { SA_MCP_PIPE, SA_MCP_SOCKET, SA_MCP_FILE } kind;
};

/* The descriptor is borrowed; its flags, which others may share, stay. */
void sa_mcp_queue_init(struct sa_mcp_queue *q, int fd);
void sa_mcp_queue_release(struct sa_mcp_queue *q);

/* Takes the bytes of a line, LF and all, and leaves it empty. */
void sa_mcp_queue_add(struct sa_mcp_queue *q, struct sa_buf *line);

/* How many bytes wait. */
size_t sa_mcp_queue_len(const struct sa_mcp_queue *q);

/* Writes what can be written without waiting: 0, or -1 with errno when the
 * reader is gone. SIGPIPE is ignored by now. */
int sa_mcp_queue_flush(struct sa_mcp_queue *q);

#endif
