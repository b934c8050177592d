/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * Files of a sandbox of this host from outside, while somebody inside is
 * after the files of the host: directories are exchanged for links as fast as
 * that goes, trees have no end, names are hostile.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "sandbox/fileops.h"
#include "sandbox/local.h"
#include "scratch.h"
#include "tap.h"

#define INSIDE "inside"
#define OUTSIDE "outside"

static const struct sa_backend *const local = &sa_backend_local;
static struct sa_settings *settings;
static struct sa_err err = SA_ERR_INIT;
static struct sa_box *box;
static char host[512]; /* a directory of the host */

static int
run(const char *command)
{
	const struct sa_run run = {
		.command = command,
		.timeout_s = 100,
		.max_output = 4096,
		.in = -1,
		.out = -1,
		.errout = -1,
	};
	struct sa_run_result r;

	sa_run_result_init(&r, 4096);
	int rc = local->run(box, &run, &r, &err);
	if (rc < 0)
		printf("# %s\n", err.msg);
	else
		rc = r.timed_out ? 1000 : r.exit_code;
	sa_run_result_free(&r);
	return rc;
}

static void
make(int dirfd, const char *path, const char *text)
{
	cleanup_fd int fd =
	    openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		printf("# %s: %s\n", path, strerror(errno));
}

/* Exchanges the directory "d" of the workspace for the link "l" until it is
 * killed. */
static pid_t
attack(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	int at =
	    openat(box->tree, "workspace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (;;)
		(void)renameat2(at, "d", at, "l", RENAME_EXCHANGE);
}

static int
count_entry(const struct sa_entry *e, void *ctx, struct sa_err *e2)
{
	(void)e2;
	if (strcmp(e->name, OUTSIDE) == 0)
		++*(int *)ctx;
	return 0;
}

static int
take(const void *p, size_t len, void *ctx, struct sa_err *e)
{
	(void)e;
	return sa_buf_add(ctx, p, len);
}

/* One round of every verb: how many of them got out. */
static int
one_round(int content)
{
	struct sa_buf b = SA_BUF_INIT(4096), x = SA_BUF_INIT(4096);
	long long written;
	int out = 0;

	if (local->read(box, "d/file", 4096, &b, &err) == 0)
		out += strcmp(sa_buf_str(&b), INSIDE) != 0;
	if (local->export(box, "d/file", 4096, take, &x, &err) == 0)
		out += strcmp(sa_buf_str(&x), INSIDE) != 0;
	(void)local->list(box, "d", count_entry, &out, &err);
	(void)lseek(content, 0, SEEK_SET);
	(void)local->write(box, "d/new", content, &written, &err);
	sa_buf_release(&b);
	sa_buf_release(&x);
	return out;
}

/* The link leads to a directory of the host, whose path exists below the tree
 * too: the right answer is the one there. */
static void
test_race(int rounds)
{
	int out = 0;
	char path[1200];
	cleanup_fd int content =
	    open("content", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	make(AT_FDCWD, "content", "new");
	snprintf(path, sizeof(path), "data/sandboxes/%s/tree%s", box->name,
	    host);
	(void)sa_path_mkdirs(path, 0755, &err);
	cleanup_fd int twin =
	    openat(box->tree, host + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd int there = open(host, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd int d =
	    openat(box->tree, "workspace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(twin >= 0 && there >= 0 && mkdirat(d, "d", 0777) == 0 &&
		symlinkat(host, d, "l") == 0,
	    "what is to be exchanged is there");
	make(twin, "file", INSIDE);
	make(there, "file", OUTSIDE);
	make(there, OUTSIDE, OUTSIDE);
	make(d, "d/file", INSIDE);
	pid_t pid = attack();
	for (int i = 0; i < rounds; i++)
		out += one_round(content);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("# %d rounds\n", rounds);
	is_int(out, 0, "no read, list or export gets out");
	ok(faccessat(there, "new", F_OK, 0) < 0, "no write gets out");
}

static void
read_is(const char *path, const char *want, enum sa_kind kind, const char *name)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(4096);

	sa_err_clear(&err);
	int rc = sa_box_read(local, box, path, 4096, &b, &err);
	if (rc == 0)
		is_str(sa_buf_str(&b), want, name);
	else {
		is_str(sa_kind_info(err.kind)->name, sa_kind_info(kind)->name,
		    name);
		printf("# %s\n", err.msg);
	}
}

static void
write_is(const char *path, enum sa_kind kind, const char *name)
{
	long long n = 0;
	cleanup_fd int fd = open("content", O_RDONLY | O_CLOEXEC);

	sa_err_clear(&err);
	if (sa_box_write(local, box, path, fd, &n, &err) == 0)
		is_int(n, 3, name);
	else
		is_str(sa_kind_info(err.kind)->name, sa_kind_info(kind)->name,
		    name);
}

static void
test_paths(void)
{
	static const char *const names[] = { "with space", "with'quote",
		"semi;colon", "$dollar", "new\nline", "-n", "\xff\xfe",
		"a/b/c" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		write_is(names[i], SA_OK, "a hostile name is written");
		read_is(names[i], "new", SA_OK, "and read");
	}
	is_int(run("ln -s /etc/passwd p; ln -s ../../../../etc/hostname q;"
		   "ln -s /nowhere/x r; mkfifo f; mkdir no; chmod 0 no;"
		   "truncate -s 1T s; ln -s /proc/self/environ e"),
	    0, "links and pipes are made");
	read_is("q", "sandbox\n", SA_OK, "a link leads to the sandbox's file");
	read_is("s", NULL, SA_INVALID, "a file of a terabyte is too large");
	read_is("gone", NULL, SA_NOT_FOUND, "what is not there");
	read_is(".", NULL, SA_INVALID, "a directory is not read");
	write_is("r", SA_OK, "a link that leads nowhere is replaced");
	ok(access("/nowhere", F_OK) < 0, "and not followed");
	write_is("/etc/x", SA_INVALID, "what is read only is not written");
	write_is("/usr/x", SA_INVALID, "nor what is the host's");
	write_is("/x", SA_INVALID, "nor the root");
	write_is("/home/x", SA_INVALID, "nor a directory above");
	write_is("/../../../tmp/y", SA_OK, "dots end at the root");
	read_is("/tmp/y", "new", SA_OK, "of the sandbox");
	is_int(run("test \"$(stat -c %u:%a /tmp/y)\" = 1000:644"), 0,
	    "what was written belongs to the sandbox");
}

static void
test_deep(void)
{
	/* as deep as a path may be, again and again, and closed ones */
	is_int(run("python3 -c 'import os\n"
		   "for i in range(3000):\n"
		   "    os.mkdir(\"d\" * 100)\n"
		   "    os.chdir(\"d\" * 100)\n"
		   "os.chmod(\".\", 0)'"),
	    0, "a tree without end is made");
	is_int(run("mkdir many && cd many && seq 3000 | xargs touch"), 0,
	    "and one of many files");
	is_int(local->destroy(box, &err), 0, "all of it is removed");
	if (err.kind != SA_OK)
		printf("# %s\n", err.msg);
}

int
main(void)
{
	const char *longer = getenv("SA_TEST_LONG");
	struct sa_spec spec = { .asked = 0 };
	char name[SA_BOX_NAME];

	(void)scratch();
	settings = sa_settings_load(NULL, NULL, &err);
	snprintf(host, sizeof(host), "%s/host", scratch_path);
	sa_box_new_name(name);
	if (settings == NULL || mkdir(host, 0777) < 0 ||
	    local->create(settings, name, &spec, &box, &err) < 0) {
		tap_skip("files of a sandbox", err.msg);
		return tap_done();
	}
	test_race(longer != NULL && *longer != '\0' ? 100000 : 500);
	test_paths();
	test_deep();
	local->close(box);
	sa_settings_free(settings);
	return tap_done();
}
