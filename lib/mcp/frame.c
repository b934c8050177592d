/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/frame.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an empty buffer may keep for the next line. */
#define KEEP ((size_t)256 << 10)

void
sa_mcp_lines_init(struct sa_mcp_lines *l)
{
	*l = (struct sa_mcp_lines){ .b = SA_BUF_INIT(SA_BUF_NOMAX) };
}

void
sa_mcp_lines_release(struct sa_mcp_lines *l)
{
	sa_buf_release(&l->b);
	l->start = l->scanned = 0;
	l->dropping = false;
}

/* Takes the lines out that were handed over. */
static void
settle(struct sa_buf *b, size_t *start)
{
	size_t left = b->len - *start;

	if (left == 0 && b->cap > KEEP)
		sa_buf_release(b);
	else if (*start > 0) {
		memmove(b->s, b->s + *start, left);
		sa_buf_cut(b, left);
	}
	*start = 0;
}

void
sa_mcp_lines_add(struct sa_mcp_lines *l, const char *p, size_t n)
{
	l->scanned -= l->start;
	settle(&l->b, &l->start);
	sa_buf_add(&l->b, p, n);
}

enum sa_mcp_line
sa_mcp_lines_next(struct sa_mcp_lines *l, bool end, char **line, size_t *len)
{
	bool was_dropping = l->dropping;

	if (l->b.len == l->start)
		return SA_MCP_NO_LINE;
	char *lf = memchr(l->b.s + l->scanned, '\n', l->b.len - l->scanned);
	if (lf == NULL && !end) {
		l->scanned = l->b.len;
		if (!was_dropping && l->b.len - l->start <= SA_MCP_LINE_MAX)
			return SA_MCP_NO_LINE;
		l->dropping = true;
		l->start = l->b.len;
		return was_dropping ? SA_MCP_NO_LINE : SA_MCP_LONG_LINE;
	}
	size_t stop = lf != NULL ? (size_t)(lf - l->b.s) : l->b.len;
	*line = l->b.s + l->start;
	*len = stop - l->start;
	l->start = l->scanned = stop + (lf != NULL);
	l->dropping = false;
	if (was_dropping)
		return sa_mcp_lines_next(l, end, line, len);
	if (*len > SA_MCP_LINE_MAX)
		return SA_MCP_LONG_LINE;
	if (*len > 0 && (*line)[*len - 1] == '\r')
		--*len;
	return SA_MCP_LINE;
}

void
sa_mcp_queue_init(struct sa_mcp_queue *q, int fd)
{
	struct stat st;

	*q = (struct sa_mcp_queue){ .b = SA_BUF_INIT(SA_BUF_NOMAX),
		.fd = fd,
		.kind = SA_MCP_FILE };
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		q->kind = SA_MCP_PIPE;
	else if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
		q->kind = SA_MCP_SOCKET;
}

void
sa_mcp_queue_release(struct sa_mcp_queue *q)
{
	sa_buf_release(&q->b);
	q->start = 0;
}

void
sa_mcp_queue_add(struct sa_mcp_queue *q, struct sa_buf *line)
{
	if (q->start == q->b.len) {
		struct sa_buf empty = q->b;
		q->b = *line;
		q->b.max = empty.max;
		empty.max = line->max;
		*line = empty;
		q->start = 0;
	} else {
		settle(&q->b, &q->start);
		sa_buf_add(&q->b, line->s, line->len);
	}
	sa_buf_cut(line, 0);
	if (line->cap > KEEP)
		sa_buf_release(line);
}

size_t
sa_mcp_queue_len(const struct sa_mcp_queue *q)
{
	return q->b.len - q->start;
}

/*
 * O_NONBLOCK would hold for everybody who has the pipe, our stderr maybe, so
 * it is not set: a pipe that poll(2) calls writable takes PIPE_BUF bytes
 * without waiting, and a socket can be told for one call.
 */
static ssize_t
put(const struct sa_mcp_queue *q, const char *p, size_t n)
{
	struct pollfd room = { .fd = q->fd, .events = POLLOUT };

	if (q->kind == SA_MCP_SOCKET)
		return send(q->fd, p, n, MSG_DONTWAIT);
	if (q->kind == SA_MCP_PIPE) {
		if (poll(&room, 1, 0) == 0) {
			errno = EAGAIN;
			return -1;
		}
		n = n < PIPE_BUF ? n : PIPE_BUF;
	}
	return write(q->fd, p, n);
}

int
sa_mcp_queue_flush(struct sa_mcp_queue *q)
{
	while (q->start < q->b.len) {
		ssize_t n = put(q, q->b.s + q->start, q->b.len - q->start);
		if (n > 0)
			q->start += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			return 0;
		else if (n < 0 && errno != EINTR)
			return -1;
	}
	q->start = 0;
	sa_buf_cut(&q->b, 0);
	if (q->b.cap > KEEP)
		sa_buf_release(&q->b);
	return 0;
}
