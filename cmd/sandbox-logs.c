/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/term.h"
#include "base/text.h"

#define KILL_S 10 /* what kill waits for the end */

static const char *const states[] = {
	[SA_EXEC_RUNNING] = "running",
	[SA_EXEC_ENDED] = "ended",
	[SA_EXEC_LOST] = "lost",
};

static void
set_time(json_t *j, const char *member, long long at)
{
	char text[SA_TIME_SIZE];

	sa_clock_format((time_t)at, text);
	sa_json_set_str(j, member, at > 0 ? text : NULL);
}

json_t *
sandbox_exec_record(const struct sandbox *s, const struct sa_exec *e)
{
	const struct sa_run_result *r = &e->result;
	json_t *j = sa_json_record("exec");
	bool has_code = e->state != SA_EXEC_RUNNING && !r->timed_out;

	sa_json_set_str(j, "sandbox", s->name);
	sa_json_set_str(j, "exec", e->id);
	sa_json_set_str(j, "state", states[e->state]);
	sa_json_set_str(j, "command", e->command);
	set_time(j, "started_at", e->started_at);
	set_time(j, "finished_at", e->finished_at);
	json_object_set_new(j, "exit_code",
	    has_code ? json_integer(r->exit_code) : json_null());
	json_object_set_new(j, "timed_out", json_boolean(r->timed_out));
	sa_json_set_str(j, "limit", *r->why != '\0' ? r->why : NULL);
	return j;
}

static void
exec_text(FILE *f, const json_t *record)
{
	static const char *const members[] = { "sandbox", "exec", "state",
		"command", "started_at", "finished_at", "limit", NULL };
	const json_t *code = json_object_get(record, "exit_code");

	sandbox_members(f, record, members);
	if (json_is_integer(code))
		fprintf(f, "%-11s %lld\n", "exit_code",
		    (long long)json_integer_value(code));
	if (sa_json_bool(record, "timed_out", false))
		fprintf(f, "%-11s yes\n", "timed_out");
}

int
sandbox_answer_exec(const struct sa_cli *cli, const json_t *record)
{
	if (!sa_cli_flag(cli, "text"))
		return sa_cli_answer(cli, record, exec_text);
	exec_text(stdout, record);
	return 0;
}

static int
detaches(const struct sandbox *s, struct sa_err *err)
{
	if (s->b->follow != NULL)
		return 0;
	return sa_err_set(err, SA_REFUSED,
	    "the backend '%s' has no detached commands", s->b->name);
}

/* The sandbox and the command of the operands, or of the record on stdin.
 * exec is NULL where none is named; caller frees. */
static int
subject(struct sa_cli *cli, struct sandbox *s, char **exec, struct sa_err *err)
{
	const struct sa_strings *words = sa_cli_operands(cli);
	const char *id = words->n > 1 ? words->v[1] : NULL;
	json_auto_t *record = NULL;

	if (words->n > 0 && strcmp(words->v[0], "-") != 0) {
		if (sandbox_open(cli, words->v[0], sa_cli_str(cli, "holder"), s,
			err) < 0)
			return -1;
	} else if (sa_cli_record(cli, SANDBOX_RECORDS, &record, err) < 0 ||
	    sandbox_of_record(cli, record, s, err) < 0)
		return -1;
	if (id == NULL && record != NULL)
		id = sa_json_str(record, "exec");
	*exec = id != NULL ? sa_xstrdup(id) : NULL;
	return detaches(s, err);
}

/* Output on its way to a terminal, of which a character may be cut in two. */
struct output {
	struct sa_cli *cli;
	char half[2][4];
	size_t n[2];
};

/* As much of it as is whole characters. */
static size_t
whole(const char *s, size_t n)
{
	for (size_t i = 1; i < 4 && i <= n; i++) {
		unsigned char c = (unsigned char)s[n - i];
		size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
		if (len > i)
			return n - i;
		if ((c & 0xc0) != 0x80)
			break;
	}
	return n;
}

static void
put_shown(struct output *o, int stream, FILE *f, const char *p, size_t len)
{
	size_t had = o->n[stream];
	cleanup_free char *text = sa_xmalloc(had + len + 1);

	memcpy(text, o->half[stream], had);
	memcpy(text + had, p, len);
	len += had;
	size_t n = whole(text, len);
	sa_term_put(f, text, n);
	o->n[stream] = len - n;
	memcpy(o->half[stream], text + n, len - n);
}

static int
put(int stream, const char *p, size_t len, unsigned long long missed, void *ctx,
    struct sa_err *err)
{
	struct output *o = ctx;
	FILE *f = stream == 0 ? stdout : stderr;

	if (missed > 0)
		sa_cli_say(o->cli,
		    "%llu bytes of %s were overwritten before they were read",
		    missed, stream == 0 ? "stdout" : "stderr");
	if (isatty(fileno(f)))
		put_shown(o, stream, f, p, len);
	else
		fwrite(p, 1, len, f);
	if (fflush(f) != 0 || ferror(f))
		return sa_err_set(err, SA_IO, "cannot write the output");
	return 0;
}

/* The result of a command, or that it has none, as models read it. */
static void
put_text(const json_t *record, const struct sa_exec *e)
{
	if (e->state == SA_EXEC_RUNNING) {
		sandbox_put_output(record);
		printf("[it still runs]\n");
		return;
	}
	sandbox_put_result(record, &e->result, e->timeout_s);
	if (e->state == SA_EXEC_LOST)
		printf("[it was killed with its sandbox]\n");
}

static json_t *
log_record(const struct sandbox *s, const struct sa_exec *e, long long lines)
{
	json_t *j = sa_json_record("exec_log");

	sa_json_set_str(j, "sandbox", s->name);
	sa_json_set_str(j, "exec", e->id);
	sa_json_set_str(j, "state", states[e->state]);
	sandbox_add_output(j, &e->result, lines);
	return j;
}

int
sandbox_logs(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	cleanup_free char *exec = NULL;
	cleanup_exec struct sa_exec e;
	bool text = sa_cli_flag(cli, "text");
	bool record =
	    text || sa_cli_flag(cli, "json") || sa_cli_request(cli) != NULL;
	struct output o = { .cli = cli };
	const struct sa_watch w = {
		.end = sa_cli_flag(cli, "follow"),
		.lines = sa_cli_int(cli, "limit", -1),
		.put = record ? NULL : put,
		.ctx = &o,
	};

	sa_exec_init(&e, SA_BOX_OUTPUT);
	if (subject(cli, &s, &exec, err) < 0 ||
	    s.b->follow(s.box, exec, &w, &e, err) < 0)
		return -1;
	if (!record)
		return 0;
	json_auto_t *j = log_record(&s, &e, w.lines);
	if (!text)
		return sa_cli_answer(cli, j, NULL);
	put_text(j, &e);
	return 0;
}

static int
wait_for(struct sa_cli *cli, struct sandbox *s, struct sa_exec *e,
    struct sa_err *err)
{
	cleanup_free char *exec = NULL;
	struct sa_watch w = { .end = true };
	bool request = sa_cli_request(cli) != NULL;

	if (sandbox_timeout(cli, request ? SA_BOX_COMMAND_S : 0, &w.timeout_s,
		err) < 0 ||
	    subject(cli, s, &exec, err) < 0)
		return -1;
	/* a model does not wait for ever */
	if (request && w.timeout_s > SA_BOX_COMMAND_MAX_S)
		w.timeout_s = SA_BOX_COMMAND_MAX_S;
	return s->b->follow(s->box, exec, &w, e, err);
}

static void
result_text(FILE *f, const json_t *record)
{
	exec_text(f, record);
	for (int i = 0; i < 2; i++) {
		const char *s =
		    sa_json_str(record, i == 0 ? "stdout" : "stderr");
		sa_term_put(f, s, strlen(s));
	}
}

static void
tell_end(const struct sa_cli *cli, const json_t *record,
    const struct sa_exec *e)
{
	sa_cli_answer(cli, record, result_text);
	if (sa_cli_human(cli))
		sandbox_say_not_reached(cli, &e->result);
	if (e->state == SA_EXEC_LOST)
		sa_cli_say(cli, "'%s' was killed with its sandbox", e->id);
}

int
sandbox_wait(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	cleanup_exec struct sa_exec e;

	sa_exec_init(&e, SA_BOX_OUTPUT);
	if (wait_for(cli, &s, &e, err) < 0) {
		if (err->kind == SA_USAGE || err->kind == SA_BUSY ||
		    sa_cli_request(cli) != NULL)
			return -1;
		/* apart from what the command itself may exit with */
		sa_report("sa-sandbox", err);
		return SANDBOX_OWN_FAILURE;
	}
	json_auto_t *j = sandbox_result(s.name, &e.result, false, 0);
	sa_json_set_str(j, "exec", e.id);
	sa_json_set_str(j, "state", states[e.state]);
	if (sa_cli_flag(cli, "text"))
		put_text(j, &e);
	else
		tell_end(cli, j, &e);
	return sandbox_status(cli, &e.result);
}

int
sandbox_kill(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	cleanup_free char *exec = NULL;
	cleanup_exec struct sa_exec e;
	struct sa_watch w = { .end = true };

	sa_exec_init(&e, SA_BOX_OUTPUT);
	if (sandbox_timeout(cli, KILL_S, &w.timeout_s, err) < 0 ||
	    subject(cli, &s, &exec, err) < 0)
		return -1;
	if (exec == NULL) {
		sa_err_set(err, SA_USAGE, "kill wants the name of a command");
		return sa_err_hint(err,
		    "sa-sandbox list %s shows those that it has", s.name);
	}
	if (s.b->end(s.box, exec, err) < 0 ||
	    s.b->follow(s.box, exec, &w, &e, err) < 0)
		return -1;
	json_auto_t *j = sandbox_exec_record(&s, &e);
	return sandbox_answer_exec(cli, j);
}

struct listing {
	const struct sandbox *s;
	struct sa_lister *list;
	const char *after;
};

static bool
list_one(const struct sa_exec *e, void *ctx)
{
	struct listing *l = ctx;

	if (l->after != NULL && strcmp(e->id, l->after) >= 0)
		return true;
	json_auto_t *j = sandbox_exec_record(l->s, e);
	return sa_list_add(l->list, e->id, j, NULL, 0);
}

int
sandbox_list_execs(struct sa_cli *cli, struct sa_err *err)
{
	static const struct sa_column columns[] = { { "EXEC", "exec" },
		{ "STATE", "state" }, { "EXIT", "exit_code" },
		{ "STARTED", "started_at" }, { "FINISHED", "finished_at" },
		{ "COMMAND", "command" }, { NULL, NULL } };
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	struct listing l = { .s = &s, .after = sa_cli_str(cli, "after") };

	if (sandbox_subject(cli, &s, err) < 0 || detaches(&s, err) < 0)
		return -1;
	l.list = sa_list_begin(cli, "exec", columns);
	if (s.b->execs(s.box, list_one, &l, err) < 0)
		sa_cli_say(cli, "some are not listed: %s", err->msg);
	return sa_list_end(l.list);
}
