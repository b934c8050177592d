/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mcp/frame.h"
#include "tap.h"

/* All lines that there are now, one after the other, with | behind each and
 * LONG for one that is too long. */
static const char *
take(struct sa_mcp_lines *l, bool end)
{
	static struct sa_buf all = SA_BUF_INIT(SA_BUF_NOMAX);
	enum sa_mcp_line what;
	char *line;
	size_t len;

	sa_buf_cut(&all, 0);
	while (
	    (what = sa_mcp_lines_next(l, end, &line, &len)) != SA_MCP_NO_LINE) {
		if (what == SA_MCP_LINE)
			sa_buf_add(&all, line, len);
		sa_buf_adds(&all, what == SA_MCP_LINE ? "|" : "LONG|");
	}
	return sa_buf_str(&all);
}

static const char *
feed(struct sa_mcp_lines *l, const char *text)
{
	sa_mcp_lines_add(l, text, strlen(text));
	return take(l, false);
}

static void
test_lines(void)
{
	struct sa_mcp_lines l;

	sa_mcp_lines_init(&l);
	is_str(take(&l, true), "", "nothing is no line");
	is_str(feed(&l, "one\ntwo\r\n\nth"), "one|two||", "LF and CRLF");
	is_str(feed(&l, "ree"), "", "a part of a line");
	is_str(feed(&l, "\r"), "", "its CR alone");
	is_str(feed(&l, "\nfour\r"), "three|", "and its LF");
	is_str(take(&l, true), "four|", "the end of input ends a line");
	is_str(take(&l, true), "", "once");
	sa_mcp_lines_release(&l);
}

static void
test_long_lines(void)
{
	cleanup_free char *much = sa_xmalloc(SA_MCP_LINE_MAX + 1);
	struct sa_mcp_lines l;
	size_t most = 0;

	memset(much, 'a', SA_MCP_LINE_MAX);
	much[SA_MCP_LINE_MAX] = '\0';
	sa_mcp_lines_init(&l);
	feed(&l, much);
	is_int(strlen(feed(&l, "\n")), SA_MCP_LINE_MAX + 1,
	    "a line of the most bytes");
	feed(&l, much);
	is_str(feed(&l, "b"), "LONG|", "one more is said at once");
	for (int i = 0; i < 20; i++) {
		feed(&l, much);
		most = l.b.cap > most ? l.b.cap : most;
	}
	ok(most < 3 * SA_MCP_LINE_MAX, "what follows of it is not kept");
	is_str(feed(&l, "end\nnext\n"), "next|", "the next line counts");
	ok(l.b.len < 100, "and the memory is given back");
	feed(&l, much);
	feed(&l, "b");
	is_str(take(&l, true), "", "the end of input ends it too");
	sa_mcp_lines_release(&l);
}

/* A reader that takes little at a time gets all of it, in order. */
static void
test_queue(int out, int in, const char *name)
{
	struct sa_mcp_queue q;
	cleanup_buf struct sa_buf line = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_buf struct sa_buf want = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_buf struct sa_buf got = SA_BUF_INIT(SA_BUF_NOMAX);
	bool gone = false;
	char chunk[3000];

	sa_mcp_queue_init(&q, out);
	for (int i = 0; i < 3000; i++) {
		sa_buf_addf(&line, "%d: %0*d\n", i, i, 7);
		sa_buf_add(&want, line.s, line.len);
		sa_mcp_queue_add(&q, &line);
		gone = gone || sa_mcp_queue_flush(&q) < 0;
	}
	ok(sa_mcp_queue_len(&q) > 0, "the queue holds what nobody reads");
	while (got.len < want.len) {
		ssize_t n = read(in, chunk, sizeof(chunk));
		if (n <= 0)
			break;
		sa_buf_add(&got, chunk, (size_t)n);
		gone = gone || sa_mcp_queue_flush(&q) < 0;
	}
	ok(!gone && got.len == want.len && memcmp(got.s, want.s, want.len) == 0,
	    name);
	is_int(fcntl(out, F_GETFL) & O_NONBLOCK, 0,
	    "the descriptor waits as before");
	close(in);
	sa_buf_adds(&line, "lost\n");
	sa_mcp_queue_add(&q, &line);
	ok(sa_mcp_queue_flush(&q) < 0 && errno == EPIPE, "the reader is gone");
	sa_mcp_queue_release(&q);
	close(out);
}

int
main(void)
{
	int p[2];

	signal(SIGPIPE, SIG_IGN);
	test_lines();
	test_long_lines();
	if (pipe2(p, O_CLOEXEC) == 0)
		test_queue(p[1], p[0], "a pipe");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) == 0)
		test_queue(p[1], p[0], "a socket");
	return tap_done();
}
