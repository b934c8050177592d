/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "sandbox/tail.h"

#define NOT_REACHED 5 /* hosts that are named */

/* The last lines of a stream as records have it; whether others were left
 * out. */
static bool
add_stream(json_t *j, const char *member, const struct sa_buf *b,
    long long lines)
{
	const char *s = sa_buf_str(b);
	size_t most =
	    lines < 0 || lines > SA_BOX_LINES ? SA_BOX_LINES : (size_t)lines;
	size_t at = sa_tail_lines(s, b->len, most);
	cleanup_free char *text = sa_text_utf8(s + at, b->len - at);

	json_object_set_new(j, member, json_string(text));
	return at > 0;
}

void
sandbox_add_output(json_t *j, const struct sa_run_result *r, long long lines)
{
	bool out = add_stream(j, "stdout", &r->out, lines);
	bool errout = add_stream(j, "stderr", &r->errout, lines);

	json_object_set_new(j, "stdout_truncated",
	    json_boolean(out || r->out_cut));
	json_object_set_new(j, "stderr_truncated",
	    json_boolean(errout || r->errout_cut));
}

json_t *
sandbox_result(const char *name, const struct sa_run_result *r, bool gone,
    double applied_s)
{
	json_t *j = sa_json_record("exec_result");

	sa_json_set_str(j, "sandbox", name);
	json_object_set_new(j, "exit_code",
	    r->timed_out ? json_null() : json_integer(r->exit_code));
	sandbox_add_output(j, r, -1);
	json_object_set_new(j, "timed_out", json_boolean(r->timed_out));
	json_object_set_new(j, "sandbox_terminated",
	    json_boolean(r->terminated || gone));
	json_object_set_new(j, "applied_timeout",
	    applied_s > 0 ? json_real(applied_s) : json_null());
	sa_json_set_str(j, "limit", *r->why != '\0' ? r->why : NULL);
	if (r->egress != NULL)
		json_object_set(j, "egress", r->egress);
	return j;
}

static bool
put_block(const json_t *record, const char *stream, const char *truncated)
{
	const char *text = sa_json_str(record, stream);
	cleanup_free char *shown = sa_text_visible_lines(text, strlen(text));
	size_t n = strlen(shown);

	if (n == 0)
		return false;
	/* what is made visible is longer than what it stands for */
	const char *tail = shown + sa_tail_begin(shown, n, SA_BOX_OUTPUT, -1);
	bool cut = tail != shown || sa_json_bool(record, truncated, false);
	printf("[%s]\n%s%s%s", stream,
	    cut ? "[... earlier output truncated]\n" : "", tail,
	    shown[n - 1] == '\n' ? "" : "\n");
	return true;
}

void
sandbox_put_output(const json_t *record)
{
	bool out = put_block(record, "stdout", "stdout_truncated");
	bool errout = put_block(record, "stderr", "stderr_truncated");

	if (!out && !errout)
		printf("(no output)\n");
}

/* What it did not come to, and why: programs seldom say so. NULL: nothing. */
static char *
not_reached(const struct sa_run_result *r)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	const json_t *e;
	size_t i, n = 0;

	json_array_foreach (r->egress, i, e) {
		long long port = sa_json_int(e, "port", 0);
		const char *why = sa_json_str(e, "reason");
		if (why == NULL || ++n > NOT_REACHED)
			continue;
		sa_buf_addf(&b, "%s%s", n > 1 ? ", " : "",
		    sa_json_str(e, "host"));
		if (port > 0)
			sa_buf_addf(&b, ":%lld", port);
		sa_buf_addf(&b, " (%s)", why);
	}
	if (n > NOT_REACHED)
		sa_buf_addf(&b, " and %zu more", n - NOT_REACHED);
	return n > 0 ? sa_buf_steal(&b) : NULL;
}

void
sandbox_say_not_reached(const struct sa_cli *cli, const struct sa_run_result *r)
{
	cleanup_free char *refused = not_reached(r);

	if (refused != NULL && (r->timed_out || r->exit_code != 0))
		sa_cli_say(cli, "not reached: %s", refused);
}

void
sandbox_put_result(const json_t *record, const struct sa_run_result *r,
    double timeout_s)
{
	sandbox_put_output(record);
	if (r->timed_out)
		printf("[timed out after %gs]\n", timeout_s);
	else
		printf("[exit code: %d]\n", r->exit_code);
	if (*r->why != '\0')
		printf("[ended by the limit: %s]\n", r->why);
	cleanup_free char *refused = not_reached(r);
	if (refused != NULL)
		printf("[not reached: %s]\n", refused);
}
