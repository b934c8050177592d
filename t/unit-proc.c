/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/proc.h"
#include "scratch.h"
#include "tap.h"

static struct sa_err err;
static int status;
static struct sa_buf out, errout;

static int
run(struct sa_proc_spec spec, const char *script)
{
	char *argv[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" },
		sa_xstrdup(script), NULL };

	if (spec.argv == NULL)
		spec.argv = argv;
	sa_buf_release(&out);
	sa_buf_release(&errout);
	sa_err_clear(&err);
	status = -1;
	int rc = sa_proc_run(&spec, &status, &err);
	free(argv[2]);
	return rc;
}

#define RUN(script, ...) run((struct sa_proc_spec){ __VA_ARGS__ }, script)
#define PLAIN(script) RUN(script, .argv = NULL)

static int
open_fds(void)
{
	cleanup_dir DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d) != NULL)
		n++;
	return n;
}

static void
test_output(void)
{
	ok(RUN("echo o; echo e >&2; exit 3", .out = &out, .errout = &errout) ==
		0,
	    "runs");
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 3, "the status");
	is_str(out.s, "o\n", "its output");
	is_str(errout.s, "e\n", "its errors");
	ok(RUN("echo o; echo e >&2", .out = &out, .errout = &out) == 0 &&
		out.len == 4,
	    "both in one");
	ok(PLAIN("echo o; exit 5") == 0 && WEXITSTATUS(status) == 5,
	    "output thrown away");
	ok(RUN("cat", .out = &out) == 0 && out.len == 0, "no input");
	ok(RUN("cat", .input = "abc", .input_len = 3, .out = &out) == 0 &&
		strcmp(out.s, "abc") == 0,
	    "input");
	ok(PLAIN("kill -9 $$") == 0 && WIFSIGNALED(status) &&
		WTERMSIG(status) == SIGKILL,
	    "a signal");
	ok(PLAIN("exit 127") == 0 && WEXITSTATUS(status) == 127,
	    "its own 127 is a status");
	sa_buf_init(&out, 100);
	ok(RUN("yes | head -c 300000", .out = &out) == 0 && out.len == 100 &&
		status == 0,
	    "over the limit the rest is lost, and it ends");
	sa_buf_release(&out);
	sa_buf_init(&out, SA_BUF_NOMAX);
	const size_t size = 3000000;
	cleanup_free char *big = sa_xmalloc(size);
	memset(big, 'x', size);
	ok(RUN("cat", .input = big, .input_len = size, .out = &out) == 0 &&
		out.len == size,
	    "much through both pipes at once");
	ok(RUN("exec <&-; sleep 0.05; exit 4", .input = big,
	       .input_len = size) == 0 &&
		WEXITSTATUS(status) == 4,
	    "input that is not read");
}

static void
test_environment(void)
{
	char *env[] = { (char[]){ "A=b" }, NULL };
	struct stat st;
	/* one that is not close-on-exec */
	int fd = dup(STDIN_FILENO);

	ok(RUN("echo $A; pwd -P", .env = env, .cwd = "/", .out = &out) == 0 &&
		strcmp(out.s, "b\n/\n") == 0,
	    "environment and directory");
	ok(stat("x", &st) < 0 && PLAIN(":>x") == 0 && stat("x", &st) == 0,
	    "our directory");
	ok(RUN("ls /proc/$$/fd", .out = &out) == 0 &&
		strcmp(out.s, "0\n1\n2\n") == 0,
	    "three descriptors");
	close(fd);
	signal(SIGPIPE, SIG_IGN);
	ok(PLAIN("kill -PIPE $$; exit 0") == 0 && WIFSIGNALED(status),
	    "SIGPIPE is not ignored");
	signal(SIGPIPE, SIG_DFL);
	ok(PLAIN("read -r _ _ _ _ g _ </proc/$$/stat; test $g -eq $$") == 0 &&
		status == 0,
	    "a group of its own");
	ok(RUN("read -r _ _ _ _ g _ </proc/$$/stat; "
	       "read -r _ _ _ _ h _ </proc/$PPID/stat; test $g -eq $h",
	       .asks = true) == 0 &&
		status == 0,
	    "ours, if it asks");
}

static void
test_timeout(void)
{
	long long begin = sa_clock_ms();

	ok(RUN("sleep 300 & echo $!; wait", .out = &out, .timeout_ms = 200) ==
		    -1 &&
		err.kind == SA_BUSY,
	    "the time is over");
	ok(strstr(err.msg, "200 ms") != NULL, "the message has the time");
	ok(sa_clock_ms() - begin < 60000, "not waited for");
	pid_t pid = (pid_t)strtol(out.s, NULL, 10);
	for (int i = 0; i < 1000 && kill(pid, 0) == 0; i++) {
		struct sa_proc_id id;
		if (!sa_proc_identify(pid, &id) || !sa_proc_alive(&id))
			break;
		usleep(10000);
	}
	struct sa_proc_id id;
	ok(!sa_proc_identify(pid, &id) || !sa_proc_alive(&id),
	    "what it had started is killed");
	ok(RUN("exec >&- 2>&-; sleep 300", .timeout_ms = 200) == -1 &&
		err.kind == SA_BUSY,
	    "also when its outputs are closed");
	ok(RUN("sleep 300", .timeout_ms = 100, .asks = true) == -1 &&
		err.kind == SA_BUSY,
	    "also in our group");
	ok(RUN("exit 2", .timeout_ms = 60000) == 0 && WEXITSTATUS(status) == 2,
	    "in time");
	begin = sa_clock_ms();
	ok(RUN("echo a; (sleep 30; echo b) & exit 0", .out = &out) == 0 &&
		strcmp(out.s, "a\n") == 0 && sa_clock_ms() - begin < 25000,
	    "what it leaves behind is not waited for");
	ok(RUN("yes & exit 0", .out = &out) == 0, "nor read for ever");
}

static void
no_exec(const char *path, const char *cwd, const char *want)
{
	char *argv[] = { sa_xstrdup(path), NULL };

	is_int(run((struct sa_proc_spec){ .argv = argv, .cwd = cwd }, ""), -1,
	    want);
	ok(err.kind == SA_CONFIG && strstr(err.msg, path) != NULL &&
		strstr(err.msg, want) != NULL,
	    err.msg);
	free(argv[0]);
}

static void
test_failures(void)
{
	struct rlimit lim, few;
	int before = open_fds();

	no_exec("/nowhere/x", NULL, "No such file");
	no_exec("/", NULL, "Permission denied");
	no_exec("/bin/sh", "/nowhere", "No such file");
	getrlimit(RLIMIT_NOFILE, &lim);
	for (rlim_t n = (rlim_t)before; n < (rlim_t)before + 7; n++) {
		few = (struct rlimit){ n, lim.rlim_max };
		setrlimit(RLIMIT_NOFILE, &few);
		int rc = PLAIN("exit 0");
		setrlimit(RLIMIT_NOFILE, &lim);
		ok(rc == -1 ? err.kind == SA_IO : status == 0,
		    "with few descriptors");
	}
	is_int(open_fds(), before, "no descriptor is left open");
	signal(SIGCHLD, SIG_IGN);
	ok(PLAIN("exit 3") == -1 && err.kind == SA_INTERNAL,
	    "a status that is taken away is no success");
	signal(SIGCHLD, SIG_DFL);
}

/* Without a right to fork. */
static void
test_no_fork(void)
{
	if (geteuid() != 0) {
		tap_skip("no fork", "not root");
		return;
	}
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit none = { 0, 0 };
		setrlimit(RLIMIT_NPROC, &none);
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(9);
		int before = open_fds();
		int rc = PLAIN("exit 0");
		_exit(rc == 0		       ? 1
			: err.kind != SA_BUSY  ? 2
			: open_fds() != before ? 3
					       : 0);
	}
	int got = -1;
	waitpid(pid, &got, 0);
	is_int(got, 0, "a fork that fails is busy, and leaks nothing");
}

static void
test_identity(void)
{
	struct sa_proc_id id, other;
	char boot[40];

	ok(sa_proc_identify(getpid(), &id) && sa_proc_alive(&id), "we live");
	sa_proc_boot_id(boot);
	is_int(strlen(boot), 36, "the boot has an id");
	other = id;
	other.start_ticks++;
	ok(!sa_proc_alive(&other), "another start is another process");
	other = id;
	other.boot_id[0] ^= 1;
	ok(!sa_proc_alive(&other), "so is another boot");
	other = id;
	other.pid = 0;
	ok(!sa_proc_alive(&other), "no process");
	ok(!sa_proc_identify(-1, &other), "nor this");

	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		_exit(0);
	}
	siginfo_t info;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	ok(sa_proc_identify(pid, &id) && !sa_proc_alive(&id),
	    "a zombie does not live");
	ok(!sa_proc_group_alive(pid), "nor its group");
	waitpid(pid, NULL, 0);
	ok(!sa_proc_identify(pid, &id), "when reaped it is gone");
	ok(sa_proc_group_alive(getpgrp()), "our group lives");
}

static void
test_find(void)
{
	cleanup_free char *sh = sa_proc_find("sh");

	ok(sh != NULL && *sh == '/', "sh is found");
	int fd = open("tool", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	close(fd);
	cleanup_free char *path =
	    sa_xasprintf("::relative:.:%s:/bin", scratch_path);
	setenv("PATH", path, 1);
	cleanup_free char *none = sa_proc_find("tool");
	is_str(none, NULL, "a file that is not executable is none");
	chmod("tool", 0755);
	cleanup_free char *tool = sa_proc_find("tool");
	cleanup_free char *want = sa_path_join(scratch_path, "tool");
	is_str(tool, want, "an executable one is");
	if (chdir("/bin") < 0)
		ok(0, "a directory");
	setenv("PATH", ".:", 1);
	cleanup_free char *here = sa_proc_find("sh");
	is_str(here, NULL, "never in the working directory");
	if (chdir(scratch_path) < 0)
		ok(0, "back");
	unsetenv("PATH");
	cleanup_free char *usual = sa_proc_find("sh");
	ok(usual != NULL, "no PATH: the usual places");
	cleanup_free char *own = sa_proc_own("unit-proc", &err);
	ok(own != NULL && strcmp(sa_path_base(own), "unit-proc") == 0,
	    "one of ours, beside us");
	cleanup_free char *missing = sa_proc_own("no-such", &err);
	ok(missing == NULL && err.kind == SA_CONFIG &&
		strstr(err.msg, "libexec") != NULL,
	    "one that is nowhere");
}

int
main(void)
{
	sa_buf_init(&out, SA_BUF_NOMAX);
	sa_buf_init(&errout, SA_BUF_NOMAX);
	scratch();
	test_output();
	test_environment();
	test_timeout();
	test_failures();
	test_no_fork();
	test_identity();
	test_find();
	sa_buf_release(&out);
	sa_buf_release(&errout);
	sa_err_clear(&err);
	return tap_done();
}
