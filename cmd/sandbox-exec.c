/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "sandbox/attach.h"

/* How long a sandbox for one command outlives its time-out, should nobody be
 * there to destroy it. */
#define SPARE_S 60
/* What the kernel takes of one word. */
#define COMMAND_MAX (128 * 1024 - 1)
#define TIMEOUT_MAX_S (10 * 366 * 86400.0)
#define DAY_S 86400 /* what a command that goes on has by default */

/* What runs, and how its answer is given. */
struct command {
	struct sandbox at;
	bool own;    /* made for this command */
	bool record; /* the answer is a record */
	bool text;   /* or one text */
	bool pty;    /* on a terminal of its own */
	bool detach; /* it goes on when we have gone */
	double asked_s, budget_s;
};

/* A signal ends the command, and then us, when all is cleared up. */
static volatile sig_atomic_t caught;
static int cancel[2] = { -1, -1 };

static void
on_signal(int sig)
{
	int saved = errno;

	caught = sig;
	(void)!write(cancel[1], "", 1);
	errno = saved;
}

static int
catch_signals(struct sa_err *err)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
		SIGALRM, SIGUSR1, SIGUSR2 };
	struct sigaction sa = { .sa_handler = on_signal }, old;

	if (pipe2(cancel, O_CLOEXEC | O_NONBLOCK) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static void
die_of(int sig)
{
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Seconds, or a duration with its unit. */
int
sandbox_timeout(const struct sa_cli *cli, double none, double *out,
    struct sa_err *err)
{
	const char *name = "timeout-seconds";
	const char *text = sa_cli_str(cli, name);

	if (text == NULL)
		text = sa_cli_str(cli, name = "timeout");
	*out = none;
	if (text == NULL)
		return 0;
	size_t n = strlen(text);
	long long whole = n > 0 && isalpha((unsigned char)text[n - 1])
	    ? sa_clock_duration(text)
	    : -1;
	cleanup_free char *called = sa_cli_called(cli, name);
	if (whole > 0)
		*out = (double)whole;
	else if (sa_spec_number(called, text, out, err) < 0)
		return -1;
	if (*out > TIMEOUT_MAX_S)
		return sa_err_set(err, SA_INVALID,
		    "%s '%s' is longer than ten years", called, text);
	return 0;
}

/* A sandbox for this command, which ends by itself should we not. */
static int
make_own(const struct sa_cli *cli, struct command *c, struct sa_err *err)
{
	struct sa_spec spec;

	if (sandbox_spec(cli, &spec, err) < 0)
		return -1;
	if (!(spec.asked & SA_SPEC_EXPIRES)) {
		spec.expires_s = (long long)c->budget_s + SPARE_S;
		spec.asked |= SA_SPEC_EXPIRES;
	}
	spec.once = !c->detach;
	int rc = sandbox_create(cli, &spec, &c->at, err);
	sa_spec_free(&spec);
	c->own = rc == 0;
	return rc;
}

/* Whether something stands on stdin that can be a record; a device, such as a
 * terminal or /dev/null, has none. */
static bool
may_be_piped(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && !S_ISCHR(st.st_mode);
}

static int
find_sandbox(struct sa_cli *cli, struct command *c, struct sa_err *err)
{
	const char *name = sa_cli_str(cli, "in");
	const char *given = sandbox_spec_given(cli);
	bool session = sa_cli_flag(cli, "session");
	json_auto_t *record = NULL;
	int rc;

	if (name == NULL)
		name = sa_cli_str(cli, "sandbox");
	if (!session && name == NULL &&
	    (sa_cli_request(cli) != NULL || c->pty ||
		sa_cli_flag(cli, "interactive") || !may_be_piped()))
		return make_own(cli, c, err);
	if (given != NULL)
		return sa_err_set(err, SA_USAGE,
		    "--%s is for a new sandbox, and this one stands already",
		    given);
	if (session)
		rc = sandbox_of_session(cli, &c->at, err);
	else if (name != NULL)
		rc = sandbox_open(cli, name, sa_cli_str(cli, "holder"), &c->at,
		    err);
	else if (sa_cli_record(cli, SANDBOX_RECORDS, &record, err) == 0)
		rc = sandbox_of_record(cli, record, &c->at, err);
	else {
		rc = -1;
		sa_err_hint(err,
		    "name a sandbox with --in, or give </dev/null for a new "
		    "one");
	}
	/* that a detached one was ended as the sandbox expired is its result */
	if (rc == 0 && !c->detach)
		c->budget_s = sa_attach_budget(c->budget_s, c->at.expires_at,
		    (long long)time(NULL));
	return rc;
}

static json_t *
result_record(const struct command *c, const struct sa_run_result *r)
{
	double applied = r->applied_timeout_s > 0 ? r->applied_timeout_s
	    : c->budget_s < c->asked_s		  ? c->budget_s
						  : 0;

	return sandbox_result(c->at.name, r, c->own, applied);
}

int
sandbox_status(const struct sa_cli *cli, const struct sa_run_result *r)
{
	/* what a model asked for was done, however the command ended */
	if (sa_cli_request(cli) != NULL)
		return 0;
	return r->timed_out ? sa_kind_info(SA_TIMEOUT)->code : r->exit_code;
}

/* The exit status for what became of the command. */
static int
give_answer(const struct sa_cli *cli, struct command *c,
    const struct sa_run_result *r)
{
	json_auto_t *record = result_record(c, r);

	if (c->text) {
		sandbox_put_result(record, r, c->budget_s);
		if (r->terminated && !c->own)
			printf("[the sandbox is gone, and its files with "
			       "it]\n");
		sandbox_note(&c->at);
	} else if (c->record)
		sa_cli_answer(cli, record, NULL);
	else if (r->timed_out)
		sa_cli_say(cli, "timed out after %g seconds", c->budget_s);
	else if (*r->why != '\0')
		sa_cli_say(cli, "ended by the limit: %s", r->why);
	else if (r->terminated)
		sa_cli_say(cli, "the sandbox '%s' was destroyed", c->at.name);
	if (!c->text && !c->record)
		sandbox_say_not_reached(cli, r);
	return sandbox_status(cli, r);
}

static bool
reader_is_gone(void)
{
	struct pollfd p[2] = { { STDOUT_FILENO, POLLOUT, 0 },
		{ STDERR_FILENO, POLLOUT, 0 } };

	return poll(p, 2, 0) > 0 && ((p[0].revents | p[1].revents) & POLLERR);
}

static int
run_command(struct sa_cli *cli, struct command *c, struct sa_run_result *r,
    struct sa_err *err)
{
	const struct sa_strings *words = sa_cli_operands(cli);
	bool live = !c->record && !c->text;
	bool request = sa_cli_request(cli) != NULL;
	cleanup_free const char **argv =
	    sa_xcalloc(words->n + 1, sizeof(*argv));

	if (request && strlen(words->v[0]) > COMMAND_MAX) {
		sa_err_set(err, SA_INVALID,
		    "command has %zu bytes, the most is %d",
		    strlen(words->v[0]), COMMAND_MAX);
		return sa_err_hint(err,
		    "write it to a file of the sandbox and run that with sh");
	}
	for (size_t i = 0; i < words->n; i++)
		argv[i] = words->v[i];
	bool in = c->pty || sa_cli_flag(cli, "interactive");
	struct sa_run run = {
		.argv = request ? NULL : argv,
		.command = words->v[0],
		.timeout_s = c->budget_s,
		.max_output = SA_BOX_OUTPUT,
		.in = in ? STDIN_FILENO : -1,
		.out = live ? STDOUT_FILENO : -1,
		.errout = live && !c->pty ? STDERR_FILENO : -1,
		.cancel = &cancel[0],
		.pty = c->pty,
		.detach = c->detach,
	};
	if (caught != 0)
		return sa_err_set(err, SA_BUSY, "ended by a signal");
	if (c->detach && c->at.b->follow == NULL)
		return sa_err_set(err, SA_REFUSED,
		    "the backend '%s' does not run commands detached",
		    c->at.b->name);
	if (c->pty && sandbox_tty_begin(&run, live, err) < 0)
		return -1;
	int rc = c->at.b->run(c->at.box, &run, r, err);
	sandbox_tty_end();
	/* why there was no command; of its own all is on its terminal */
	if (rc == 0 && c->pty && live)
		(void)!write(STDERR_FILENO, sa_buf_str(&r->errout),
		    r->errout.len);
	return rc;
}

/* A sandbox that cannot be removed does not undo what the command did. */
static void
clear_up(struct sa_cli *cli, struct command *c)
{
	struct sa_err err = SA_ERR_INIT;

	if (c->own && c->at.b->destroy(c->at.box, &err) < 0)
		sa_cli_say(cli, "'%s' is left, for sa-sandbox gc: %s",
		    c->at.name, err.msg);
	sa_err_clear(&err);
	sandbox_close(&c->at);
}

/* The record of a detached command, whose sandbox stays. */
static int
tell_of(struct sa_cli *cli, struct command *c, const char *exec,
    struct sa_err *err)
{
	const struct sa_watch w = { .end = false };
	cleanup_exec struct sa_exec e;

	sa_exec_init(&e, 1);
	c->own = false;
	if (c->at.b->follow(c->at.box, exec, &w, &e, err) < 0)
		return -1;
	json_auto_t *record = sandbox_exec_record(&c->at, &e);
	return sandbox_answer_exec(cli, record);
}

static int
take_options(const struct sa_cli *cli, struct command *c, struct sa_err *err)
{
	c->pty = sa_cli_flag(cli, "pty");
	c->detach = sa_cli_flag(cli, "detach");
	if (c->pty && sa_cli_request(cli) != NULL)
		return sa_err_set(err, SA_USAGE,
		    "--pty is for people, and no request has it");
	if (c->detach && (c->pty || sa_cli_flag(cli, "interactive")))
		return sa_err_set(err, SA_USAGE,
		    "--%s is for a command that is not detached",
		    c->pty ? "pty" : "interactive");
	if (sandbox_timeout(cli, c->pty || c->detach ? DAY_S : SA_BOX_COMMAND_S,
		&c->asked_s, err) < 0)
		return -1;
	c->budget_s = c->asked_s;
	if (sa_cli_request(cli) != NULL && !c->detach &&
	    c->budget_s > SA_BOX_COMMAND_MAX_S)
		c->budget_s = SA_BOX_COMMAND_MAX_S;
	return 0;
}

static int
exec_in(struct sa_cli *cli, struct command *c, struct sa_err *err)
{
	cleanup_result struct sa_run_result r;

	sa_run_result_init(&r, SA_BOX_OUTPUT);
	if (take_options(cli, c, err) < 0 || catch_signals(err) < 0 ||
	    find_sandbox(cli, c, err) < 0)
		return -1;
	c->text = sa_cli_flag(cli, "text");
	c->record = sa_cli_flag(cli, "json") || sa_cli_request(cli) != NULL ||
	    c->at.piped;
	int rc = run_command(cli, c, &r, err);
	if (rc < 0)
		return sandbox_failed(&c->at, err);
	if (caught != 0)
		return 0;
	return *r.exec != '\0' ? tell_of(cli, c, r.exec, err)
			       : give_answer(cli, c, &r);
}

int
sandbox_exec(struct sa_cli *cli, struct sa_err *err)
{
	struct command c = { .at = SANDBOX_NONE };
	int rc = exec_in(cli, &c, err);

	if (c.at.box != NULL)
		clear_up(cli, &c);
	if (caught != 0)
		die_of(caught);
	if (rc < 0 && err->kind == SA_IO && reader_is_gone())
		die_of(SIGPIPE);
	/* apart from what the command itself may exit with */
	if (rc < 0 && err->kind != SA_USAGE && sa_cli_request(cli) == NULL) {
		sa_report("sa-sandbox", err);
		return SANDBOX_OWN_FAILURE;
	}
	return rc;
}
