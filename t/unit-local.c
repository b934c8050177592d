/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The backend of this host, by its interface: it starts, answers, holds its
 * limits, and nothing is left of it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "sandbox/landlock.h"
#include "sandbox/local.h"
#include "scratch.h"
#include "tap.h"

static struct sa_settings *settings;
static struct sa_err err = SA_ERR_INIT;

static struct sa_box *
make(const char *request)
{
	struct sa_box *box = NULL;
	struct sa_spec spec;
	char name[SA_BOX_NAME];
	json_auto_t *j = json_loads(request, 0, NULL);

	sa_err_clear(&err);
	sa_box_new_name(name);
	if (sa_spec_parse(j, &spec, &err) < 0)
		return NULL;
	(void)sa_backend_local.create(settings, name, &spec, &box, &err);
	sa_spec_free(&spec);
	if (box == NULL)
		printf("# %s\n", err.msg);
	return box;
}

/* The exit status; 1000 after a time-out, -1 for a failure. */
static int
run(struct sa_box *box, const char *command, double seconds,
    struct sa_run_result *r)
{
	const struct sa_run run = {
		.command = command,
		.timeout_s = seconds,
		.max_output = 4096,
		.in = -1,
		.out = -1,
		.errout = -1,
	};

	sa_err_clear(&err);
	sa_run_result_init(r, 4096);
	if (sa_backend_local.run(box, &run, r, &err) < 0) {
		printf("# %s\n", err.msg);
		return -1;
	}
	if (r->errout.len > 0)
		printf("# %s\n", sa_buf_str(&r->errout));
	return r->timed_out ? 1000 : r->exit_code;
}

static void
run_is(struct sa_box *box, const char *command, int code, const char *out,
    const char *name)
{
	struct sa_run_result r;

	is_int(run(box, command, 20, &r), code, name);
	if (out != NULL)
		is_str(sa_buf_str(&r.out), out, name);
	sa_run_result_free(&r);
}

static void
test_answers(void)
{
	struct sa_box *box = make("{\"env\": {\"A\": \"b c\"}}");

	if (!ok(box != NULL, "a sandbox is made"))
		return;
	run_is(box, "echo hi; exit 3", 3, "hi\n", "output and status");
	run_is(box, "kill -9 $$", 137, "", "a signal");
	run_is(box, "pwd; id -u; echo $A", 0, "/workspace\n1000\nb c\n",
	    "directory, id and environment");
	run_is(box, "echo x >f; cat f /workspace/f", 0, "x\nx\n",
	    "files are kept between commands");
	run_is(box, "cat f", 0, "x\n", "from one to the next");
	run_is(box, "sleep 100 & echo on", 0, "on\n",
	    "what runs on is not waited for");
	run_is(box, "pgrep sleep >/dev/null || ls /proc | grep -c '^[0-9]'", 0,
	    NULL, "and runs on");
	is_int(sa_backend_local.destroy(box, &err), 0, "it is destroyed");
	sa_backend_local.close(box);
}

static void
test_time(void)
{
	struct sa_box *box = make("{}");
	struct sa_run_result r;
	long long began = sa_clock_ms();

	is_int(
	    run(box, "trap '' TERM; sleep 50 & while :; do :; done", 0.3, &r),
	    1000, "a time-out");
	ok(sa_clock_ms() - began < 40000, "that does not wait");
	sa_run_result_free(&r);
	run_is(box, "echo again", 0, "again\n", "the sandbox is there still");
	is_int(sa_backend_local.destroy(box, &err), 0, "it is destroyed");
	sa_backend_local.close(box);
}

/* Many make one of the same name at the same time. */
static void
test_one_wins(void)
{
	enum { MANY = 8 };
	const struct sa_spec spec = { .asked = 0 };
	char name[SA_BOX_NAME];
	struct sa_box *box;
	int won = 0, status, gate[2];

	sa_err_clear(&err);
	sa_box_new_name(name);
	if (!ok(pipe2(gate, O_CLOEXEC) == 0, "a gate"))
		return;
	for (int i = 0; i < MANY; i++)
		if (fork() == 0) {
			char c;
			close(gate[1]);
			(void)!read(gate[0], &c, 1);
			_exit(sa_backend_local.create(settings, name, &spec,
				  &box, &err) == 0);
		}
	close(gate[0]);
	close(gate[1]);
	while (wait(&status) > 0)
		won += WIFEXITED(status) && WEXITSTATUS(status) == 1;
	is_int(won, 1, "one of many that make the same sandbox wins");
	is_int(sa_backend_local.create(settings, name, &spec, &box, &err), -1,
	    "and whoever comes after it does not");
	if (ok(sa_backend_local.find(settings, name, &box, &err) == 0,
		"it is there")) {
		run_is(box, "echo whole", 0, "whole\n", "and whole");
		is_int(sa_backend_local.destroy(box, &err), 0, "and destroyed");
		sa_backend_local.close(box);
	}
	json_auto_t *left = json_array();
	is_int(sa_backend_local.gc(settings, false, left, &err), 0, "gc");
	is_int((long long)json_array_size(left), 0, "finds nothing");
}

/* In a child: 0 where it can signal itself and not its parent. */
static int
try_scope(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    sa_landlock_scope() < 0)
		return 1;
	if (kill(getpid(), 0) < 0)
		return 2;
	return kill(getppid(), 0) < 0 && errno == EPERM ? 0 : 3;
}

static void
test_second_layer(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(try_scope());
	(void)waitpid(pid, &status, 0);
	/* where the kernel has none it is no failure, and holds nothing */
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1,
	    sa_landlock_there() ? 0 : 3, "signals stay in the second layer");
}

int
main(void)
{
	(void)scratch();
	settings = sa_settings_load(NULL, NULL, &err);
	if (settings == NULL)
		return 1;
	test_answers();
	test_time();
	test_second_layer();
	test_one_wins();
	sa_settings_free(settings);
	return tap_done();
}
