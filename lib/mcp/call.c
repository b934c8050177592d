/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/call.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "mcp/result.h"

/* Between SIGTERM and SIGKILL. */
#define GRACE_MS 500
#define PROGRESS_MS 1000
/* Of stderr on a line of the log, which cuts longer ones. */
#define PIECE_MAX 8000

struct sa_mcp_call *
sa_mcp_call_new(struct sa_mcp_request *r, long long now)
{
	struct sa_mcp_call *c = sa_xcalloc(1, sizeof(*c));

	c->request = *r;
	*r = (struct sa_mcp_request){ .tool = NULL };
	c->bytes = c->request.input.len;
	c->asked = now;
	c->progress_at = now + PROGRESS_MS;
	return c;
}

void
sa_mcp_call_free(struct sa_mcp_call *c)
{
	if (c->started)
		sa_mcp_child_release(&c->child);
	sa_mcp_request_release(&c->request);
	free(c);
}

bool
sa_mcp_call_start(struct sa_mcp_call *c, const struct sa_mcp_session *s,
    char *const *env, int warden, long long now)
{
	struct sa_mcp_tool *t = c->request.tool;
	struct sa_err err = SA_ERR_INIT;
	const char *path = sa_mcp_tool_program(s->catalog, t, &err);

	if (path != NULL &&
	    sa_mcp_child_start(&c->child, path, t->argv, env, &c->request.input,
		warden, &err) == 0) {
		c->started = true;
		c->late_at = now + t->timeout_ms;
		return true;
	}
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	sa_warn("%s: %s", t->name, err.msg);
	sa_mcp_result_err(&b, &err);
	sa_err_clear(&err);
	sa_mcp_session_result(s, c->request.id, c->request.modern, b.s);
	return false;
}

void
sa_mcp_call_end(struct sa_mcp_call *c, enum sa_mcp_fate fate, long long now)
{
	if (c->fate == SA_MCP_GOES_ON)
		c->fate = fate;
	if (!c->started || c->kill_at != 0)
		return;
	sa_mcp_child_kill(&c->child, SIGTERM);
	c->kill_at = now + GRACE_MS;
}

static void
report_progress(struct sa_mcp_call *c, const struct sa_mcp_session *s,
    long long now)
{
	cleanup_buf struct sa_buf line = SA_BUF_INIT(SA_BUF_NOMAX);
	long long n = (now - c->asked) / PROGRESS_MS;

	c->progress_at = c->asked + (n + 1) * PROGRESS_MS;
	sa_mcp_put_progress(&line, c->request.token, n);
	s->host.answer(s->host.arg, &line);
}

long long
sa_mcp_call_tick(struct sa_mcp_call *c, const struct sa_mcp_session *s,
    bool quiet, long long now)
{
	long long next = LLONG_MAX;

	if (c->started && c->child.over)
		return next;
	if (c->started && c->fate == SA_MCP_GOES_ON && c->child.full)
		sa_mcp_call_end(c, SA_MCP_GOES_ON, now);
	if (c->started && c->kill_at == 0) {
		if (now >= c->late_at)
			sa_mcp_call_end(c, SA_MCP_LATE, now);
		else
			next = c->late_at;
	}
	if (c->kill_at != 0) {
		if (now >= c->kill_at)
			sa_mcp_child_kill(&c->child, SIGKILL);
		else
			next = c->kill_at;
	}
	if (c->request.token == NULL || c->fate != SA_MCP_GOES_ON)
		return next;
	if (now >= c->progress_at && !quiet)
		report_progress(c, s, now);
	if (c->progress_at > now && c->progress_at < next)
		next = c->progress_at;
	return next;
}

/* The log alone gets this: it may hold what a model shall not see. */
static void
log_stderr(const struct sa_mcp_call *c)
{
	const struct sa_buf *b = &c->child.err;
	size_t start =
	    b->len > SA_MCP_STDERR_MAX ? b->len - SA_MCP_STDERR_MAX : 0;

	while (start < b->len) {
		const char *line = b->s + start;
		size_t left = b->len - start;
		const char *lf = memchr(line, '\n', left);
		size_t n = lf != NULL ? (size_t)(lf - line) : left;
		bool whole = n <= PIECE_MAX;
		n = whole ? n : PIECE_MAX;
		cleanup_free char *text = sa_text_utf8(line, n);
		sa_info("%s: stderr: %s", c->request.tool->name, text);
		start += n + whole;
	}
}

void
sa_mcp_call_finish(struct sa_mcp_call *c, const struct sa_mcp_session *s,
    long long now)
{
	const struct sa_mcp_request *r = &c->request;
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_mcp_outcome o = { .status = c->child.status,
		.late = c->fate == SA_MCP_LATE,
		.full = c->child.full,
		.out = &c->child.out,
		.report = &c->child.report };

	if (c->started)
		log_stderr(c);
	/* No answer: who closes the server's input is leaving, and may fail
	 * over what comes then. */
	if (c->fate == SA_MCP_ABANDONED) {
		sa_warn("the call of %s was ended with the server, after %lld "
			"ms; what it had handed on goes on",
		    r->tool->name, now - c->asked);
		return;
	}
	if (c->fate == SA_MCP_CANCELLED) {
		sa_info("%s: cancelled after %lld ms", r->tool->name,
		    now - c->asked);
		return;
	}
	bool good = sa_mcp_result_child(&b, r->tool, &o);
	sa_info("%s: %s, status %d, %lld ms, %zu bytes", r->tool->name,
	    good ? "done" : "failed", o.status, now - c->asked, b.len);
	sa_mcp_session_result(s, r->id, r->modern, b.s);
}
