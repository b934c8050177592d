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
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
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
#define DEEP(n)                       \
	"python3 -c 'import os\n"     \
	"for i in range(" n "):\n"    \
	"    os.mkdir(\"d\" * 100)\n" \
	"    os.chdir(\"d\" * 100)\n" \
	"os.chmod(\".\", 0)'"
#define MANY(n) "mkdir many && cd many && seq " n " | xargs touch"

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

/* Exchanges each part of the path d/e/file for a link to the host's until it
 * is killed; counts. The descriptors are those of its directories. */
static pid_t
attack(const int at[3], atomic_long *swaps)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	for (;;) {
		(void)renameat2(at[0], "d", at[0], "to-d", RENAME_EXCHANGE);
		(void)renameat2(at[1], "e", at[1], "to-e", RENAME_EXCHANGE);
		(void)renameat2(at[2], "file", at[2], "to-file",
		    RENAME_EXCHANGE);
		atomic_fetch_add(swaps, 3);
	}
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

static int
read_out(int content)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(4096);

	(void)content;
	return local->read(box, "d/e/file", 4096, &b, &err) == 0 &&
	    strcmp(sa_buf_str(&b), OUTSIDE) == 0;
}

static int
export_out(int content)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(4096);

	(void)content;
	return local->export(box, "d/e/file", 4096, take, &b, &err) == 0 &&
	    strcmp(sa_buf_str(&b), OUTSIDE) == 0;
}

static int
list_out(int content)
{
	int out = 0;

	(void)content;
	(void)local->list(box, "d/e", count_entry, &out, &err);
	return out;
}

/* Over what is there, and beside it; test_race sees where it went. */
static int
write_out(int content)
{
	long long written;
	static unsigned n;

	(void)lseek(content, 0, SEEK_SET);
	(void)local->write(box, n++ % 2 != 0 ? "d/e/file" : "d/e/new", content,
	    &written, &err);
	return 0;
}

static const struct {
	const char *name;
	int (*round)(int content);
} verbs[] = {
	{ "read", read_out },
	{ "export", export_out },
	{ "list", list_out },
	{ "write", write_out },
};

/* Every verb while names are exchanged at least so many times. */
static void
race(const int at[3], long swaps, int content)
{
	char name[64];
	atomic_long *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		long rounds = 0, out = 0;
		atomic_store(done, 0);
		pid_t pid = attack(at, done);
		/* a machine that lets us run alone does not make it end */
		while (atomic_load(done) < swaps || rounds < swaps / 100) {
			out += verbs[i].round(content);
			rounds++;
			sa_err_clear(&err);
		}
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		printf("# %s: %ld rounds, %ld exchanges\n", verbs[i].name,
		    rounds, (long)atomic_load(done));
		snprintf(name, sizeof(name), "no %s gets out", verbs[i].name);
		is_int(out, 0, name);
	}
	munmap(done, sizeof(*done));
}

/* The directory at as a program inside, and one of the host, should have it. */
static void
furnish(int at, const char *text)
{
	(void)mkdirat(at, "e", 0777);
	make(at, "e/file", text);
	if (strcmp(text, OUTSIDE) == 0)
		make(at, "e/" OUTSIDE, text);
}

/* The links lead to what is of the host, whose paths exist below the tree
 * too: the right answer is what is there. */
static void
test_race(long swaps)
{
	char path[1200];
	struct stat st;
	cleanup_fd int content =
	    open("content", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	make(AT_FDCWD, "content", "new");
	snprintf(path, sizeof(path), "data/sandboxes/%s/tree%s", box->name,
	    host);
	(void)sa_path_mkdirs(path, 0755, &err);
	cleanup_fd int twin =
	    openat(box->tree, host + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd int there = open(host, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd int w =
	    openat(box->tree, "workspace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	is_int(run("mkdir -p d/e"), 0, "what is to be exchanged is made");
	cleanup_fd int d = openat(w, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	furnish(twin, INSIDE);
	furnish(there, OUTSIDE);
	furnish(d, INSIDE);
	cleanup_fd int e = openat(d, "e", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path),
	    "h=%s; ln -s $h to-d; ln -s $h/e d/to-e; ln -s $h/e/file "
	    "d/e/to-file",
	    host);
	is_int(run(path), 0, "and the links");
	race((const int[]){ w, d, e }, swaps, content);
	ok(faccessat(there, "e/new", F_OK, 0) < 0 &&
		fstatat(there, "e/file", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISREG(st.st_mode) && st.st_size == strlen(OUTSIDE),
	    "no write got out");
	is_int(run("rm -rf d to-d to-e to-file"), 0, "they are removed");
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

/* That the sandbox's own is read, and not the host's. */
static void
read_has(const char *path, const char *own, const char *other, const char *name)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(65536);

	sa_err_clear(&err);
	is_int(sa_box_read(local, box, path, 65536, &b, &err), 0, name);
	ok(memmem(b.s, b.len, own, strlen(own)) != NULL &&
		memmem(b.s, b.len, other, strlen(other)) == NULL,
	    "is the sandbox's");
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
	read_has("p", "user:x:1000:", "daemon:", "a link to the users");
	read_has("/../../etc/passwd",
	    "user:x:1000:", "daemon:", "dots to them");
	read_has("e", "HOME=/home/user", "OF_THE_HOST", "an environment");
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

static int
count_bytes(const void *p, size_t len, void *ctx, struct sa_err *e)
{
	(void)p;
	(void)e;
	*(long long *)ctx += (long long)len;
	return 0;
}

static void
export_is(const char *path, enum sa_kind kind, const char *name)
{
	long long began = sa_clock_ms(), bytes = 0;

	sa_err_clear(&err);
	int rc = sa_box_export(local, box, path, SA_BOX_EXPORT, count_bytes,
	    &bytes, &err);
	is_str(sa_kind_info(rc == 0 ? SA_OK : err.kind)->name,
	    sa_kind_info(kind)->name, name);
	/* the kernel breaks a lease after 45 s, and a pipe is for ever */
	ok(bytes > 0 || sa_clock_ms() - began < 40000,
	    "and nothing keeps it waiting");
	printf("# %lld ms, %lld bytes, %s\n", sa_clock_ms() - began, bytes,
	    rc == 0 ? "exported" : err.msg);
}

/* What is no file that stands still. */
static void
test_export(void)
{
	is_int(run("cd /tmp; mkfifo fifo; ln -s . loop; ln -s b a; ln -s a b;"
		   "truncate -s 1T sparse; echo x >plain; ln -s plain link;"
		   "python3 -c 'import socket\n"
		   "socket.socket(socket.AF_UNIX).bind(\"socket\")'"),
	    0, "things that are no plain files are made");
	export_is("/tmp/plain", SA_OK, "a plain file is exported");
	export_is("/tmp/link", SA_OK, "and by a link");
	export_is("/tmp/fifo", SA_INVALID, "a pipe is not exported");
	read_is("/tmp/fifo", NULL, SA_INVALID, "nor read");
	export_is("/tmp/socket", SA_INVALID, "nor is a socket");
	export_is("/dev/zero", SA_INVALID, "nor a device");
	export_is("/proc/self/fd/0", SA_INVALID, "nor what stdin is");
	export_is("/tmp/loop/loop/loop", SA_INVALID, "nor a directory");
	export_is("/tmp/loop/loop/loop/plain", SA_OK, "a loop of directories");
	export_is("/tmp/a", SA_NOT_FOUND, "links that lead to each other");
	export_is("/tmp/sparse", SA_INVALID, "a file of a terabyte");
	is_int(run("cd /tmp; truncate -s 500M grows;"
		   "(while :; do echo line; done) >>grows & sleep 0.1"),
	    0, "a file grows");
	export_is("/tmp/grows", SA_INVALID, "it is not exported");
	is_int(
	    run("python3 -c 'import fcntl, os, signal, time\n"
		"signal.signal(signal.SIGIO, signal.SIG_IGN)\n"
		"fd = os.open(\"/tmp/plain\", os.O_RDWR)\n"
		"fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
		"os.mkdir(\"/tmp/leased\")\n"
		"time.sleep(100)' & while ! test -e /tmp/leased; do :; done"),
	    0, "a file has a lease");
	export_is("/tmp/plain", SA_BUSY, "it is not exported");
	read_is("/tmp/plain", NULL, SA_BUSY, "nor read");
	is_int(run("kill -9 -1; rm -f /tmp/grows"), 0, "all that ends");
}

static void
test_deep(bool longer)
{
	/* as deep as a path may be, again and again, and closed ones */
	is_int(run(longer ? DEEP("30000") : DEEP("3000")), 0,
	    "a tree without end is made");
	is_int(run(longer ? MANY("100000") : MANY("3000")), 0,
	    "and one of many files");
	is_int(local->destroy(box, &err), 0, "all of it is removed");
	if (err.kind != SA_OK)
		printf("# %s\n", err.msg);
}

int
main(void)
{
	const char *text = getenv("SA_TEST_LONG");
	const bool longer = text != NULL && *text != '\0';
	struct sa_spec spec = { .asked = 0 };
	char name[SA_BOX_NAME];

	(void)scratch();
	setenv("OF_THE_HOST", "secret", 1);
	settings = sa_settings_load(NULL, NULL, &err);
	snprintf(host, sizeof(host), "%s/host", scratch_path);
	sa_box_new_name(name);
	if (settings == NULL || mkdir(host, 0777) < 0 ||
	    local->create(settings, name, &spec, &box, &err) < 0) {
		tap_skip("files of a sandbox", err.msg);
		return tap_done();
	}
	test_race(longer ? 100000 : 5000);
	test_paths();
	test_export();
	test_deep(longer);
	local->close(box);
	sa_settings_free(settings);
	return tap_done();
}
