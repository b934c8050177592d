/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/io.h"
#include "scratch.h"
#include "tap.h"

/* The next calls fail so: the linker puts __wrap_x in front of x. */
static struct {
	int write, fsync, rename, link, chmod,
	    flock;	  /* errno, 0: do not fail */
	int short_writes; /* so many of one byte */
	int interrupts;	  /* so many EINTR first */
	int skip;	  /* so many fsyncs pass */
} fail;

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_renameat(int a, const char *from, int b, const char *to);
int __wrap_renameat(int a, const char *from, int b, const char *to);
int __real_linkat(int a, const char *from, int b, const char *to, int flags);
int __wrap_linkat(int a, const char *from, int b, const char *to, int flags);
int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __real_flock(int fd, int op);
int __wrap_flock(int fd, int op);

static int
failed(int why)
{
	errno = why;
	return -1;
}

ssize_t
__wrap_write(int fd, const void *p, size_t n)
{
	if (fail.interrupts > 0) {
		fail.interrupts--;
		return failed(EINTR);
	}
	if (fail.write != 0 && fail.short_writes == 0)
		return failed(fail.write);
	if (fail.short_writes > 0) {
		fail.short_writes--;
		n = 1;
	}
	return __real_write(fd, p, n);
}

int
__wrap_fsync(int fd)
{
	if (fail.fsync != 0 && fail.skip-- <= 0)
		return failed(fail.fsync);
	return __real_fsync(fd);
}

int
__wrap_renameat(int a, const char *from, int b, const char *to)
{
	return fail.rename ? failed(fail.rename)
			   : __real_renameat(a, from, b, to);
}

int
__wrap_linkat(int a, const char *from, int b, const char *to, int flags)
{
	return fail.link ? failed(fail.link)
			 : __real_linkat(a, from, b, to, flags);
}

int
__wrap_fchmod(int fd, mode_t mode)
{
	return fail.chmod ? failed(fail.chmod) : __real_fchmod(fd, mode);
}

int
__wrap_flock(int fd, int op)
{
	if (fail.interrupts > 0) {
		fail.interrupts--;
		return failed(EINTR);
	}
	return fail.flock ? failed(fail.flock) : __real_flock(fd, op);
}

static int dir;
static struct sa_err err;

/* Whether a file holds exactly this. */
static bool
holds(const char *name, const char *want)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	return sa_io_read_file(dir, name, &b, name, NULL) == 0 &&
	    strcmp(sa_buf_str(&b), want) == 0;
}

static bool
only(const char *name)
{
	cleanup_dir DIR *d = opendir(".");
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0 &&
		    strcmp(e->d_name, name) != 0)
			return false;
	return d != NULL;
}

static int
put(const char *text)
{
	return sa_io_replace(dir, "f", text, strlen(text), 0640, "'f'", &err);
}

static void
test_replace(void)
{
	struct stat st;

	umask(077);
	ok(put("old") == 0 && holds("f", "old"), "a new file");
	ok(stat("f", &st) == 0 && (st.st_mode & 07777) == 0640,
	    "with its mode, whatever the umask");
	umask(022);
	fail.short_writes = 2;
	fail.interrupts = 2;
	ok(put("short") == 0 && holds("f", "short"),
	    "short and interrupted writes are gone on with");
	static const struct {
		int *what, why;
		const char *name;
	} ways[] = { { &fail.write, ENOSPC, "write: a full disk" },
		{ &fail.fsync, EIO, "fsync" },
		{ &fail.rename, EACCES, "rename" },
		{ &fail.chmod, EPERM, "fchmod" } };
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		*ways[i].what = ways[i].why;
		fail.skip = 0;
		int rc = put("new");
		int got = errno;
		*ways[i].what = 0;
		ok(rc == -1 && err.kind == SA_IO && got == ways[i].why,
		    ways[i].name);
		ok(holds("f", "short") && only("f"),
		    "the old content stays, and nothing else");
	}
	fail.write = ENOSPC;
	fail.short_writes = 1;
	ok(put("new") == -1 && only("f"), "a disk that fills in the middle");
	fail.write = 0;
	fail.fsync = EIO;
	fail.skip = 1;
	ok(put("new") == -1 && err.kind == SA_IO,
	    "a directory that cannot be synced is no success");
	fail.fsync = EINVAL;
	fail.skip = 1;
	ok(put("newer") == 0 && holds("f", "newer"), "one that has no sync is");
	fail.fsync = 0;
	ok(sa_io_replace(-1, "f", "x", 1, 0640, "'f'", &err) == -1 &&
		err.kind == SA_IO,
	    "no directory");
}

static void
test_create(void)
{
	errno = 0;
	ok(sa_io_create(dir, "g", "one", 3, 0640, "'g'", &err) == 0 &&
		holds("g", "one"),
	    "created");
	ok(sa_io_create(dir, "g", "two", 3, 0640, "'g'", &err) == -1 &&
		errno == EEXIST && err.kind == SA_INVALID,
	    "not a second time");
	ok(holds("g", "one") && unlink("g") == 0 && only("f"),
	    "and nothing else is there");
	fail.link = EPERM;
	ok(sa_io_create(dir, "g", "one", 3, 0640, "'g'", &err) == -1 &&
		err.kind == SA_IO && only("f"),
	    "a file system without links");
	fail.link = 0;
	fail.write = ENOSPC;
	ok(sa_io_create(dir, "g", "one", 3, 0640, "'g'", &err) == -1 &&
		err.kind == SA_IO && only("f"),
	    "a full one");
	fail.write = 0;
}

/* A non-blocking pipe whose other end is slow. */
static void
test_nonblocking(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	const size_t size = 300000;
	cleanup_free char *text = sa_xmalloc(size);
	int p[2];

	memset(text, 'x', size);
	if (pipe2(p, O_NONBLOCK | O_CLOEXEC) < 0) {
		ok(0, "a pipe");
		return;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(p[0]);
		usleep(20000);
		_exit(sa_io_write_fd(p[1], text, size, "pipe", NULL) != 0);
	}
	close(p[1]);
	ok(sa_io_read_fd(p[0], &b, "pipe", &err) == 0 && b.len == size,
	    "a pipe that is not ready is waited for");
	int status = -1;
	waitpid(pid, &status, 0);
	is_int(status, 0, "by who writes too");
	close(p[0]);
}

static void
test_read(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(4);

	ok(sa_io_create(dir, "four", "1234", 4, 0640, "x", &err) == 0 &&
		sa_io_read_file(dir, "four", &b, "x", &err) == 0 && b.len == 4,
	    "up to the limit");
	sa_buf_release(&b);
	ok(sa_io_create(dir, "five", "12345", 5, 0640, "x", &err) == 0 &&
		sa_io_read_file(dir, "five", &b, "x", &err) == -1 &&
		err.kind == SA_INVALID && strstr(err.msg, "4 bytes") != NULL,
	    "a byte more is refused, with the limit");
	ok(sa_io_read_file(dir, "missing", &b, "x", &err) == -1 &&
		err.kind == SA_NOT_FOUND,
	    "a missing file");
	ok(sa_io_read_file(dir, "four/x", &b, "x", &err) == -1 &&
		err.kind == SA_NOT_FOUND,
	    "one below a file");
	ok(sa_io_read_file(dir, ".", &b, "x", &err) == -1 &&
		err.kind == SA_INVALID,
	    "a directory");
	ok(mkfifo("fifo", 0600) == 0 &&
		sa_io_read_file(dir, "fifo", &b, "x", &err) == -1 &&
		err.kind == SA_INVALID,
	    "a FIFO is not waited for");
	ok(symlink("loop", "loop") == 0 &&
		sa_io_read_file(dir, "loop", &b, "x", &err) == -1 &&
		err.kind == SA_IO,
	    "a loop of links");
	ok(sa_io_read_fd(dir, &b, "x", &err) == -1 && err.kind == SA_IO,
	    "a descriptor that cannot be read");
	ok(sa_io_write_fd(-1, "x", 1, "x", &err) == -1 && err.kind == SA_IO,
	    "or written");
	ok(sa_io_fsync_dir(-1, "x", &err) == -1, "or synced");
}

static void
test_lock(void)
{
	ok(!sa_io_locked(dir, "lock"), "no file is no lock");
	int fd = sa_io_lock(dir, "lock", 0, "'x'", &err);
	ok(fd >= 0 && sa_io_locked(dir, "lock"), "locked");
	ok(sa_io_lock(dir, "lock", 0, "'x'", &err) == -1 && err.kind == SA_BUSY,
	    "not had at once");
	ok(sa_io_lock(dir, "lock", 30, "'x'", &err) == -1 &&
		err.kind == SA_BUSY,
	    "nor after a wait");
	pid_t pid = fork();
	if (pid == 0) {
		/* the child's copy keeps the lock until it ends */
		usleep(50000);
		_exit(0);
	}
	close(fd);
	fail.interrupts = 2;
	fd = sa_io_lock(dir, "lock", 60000, "'x'", &err);
	ok(fd >= 0, "had when the other lets go");
	waitpid(pid, NULL, 0);
	close(fd);
	ok(!sa_io_locked(dir, "lock"), "free again");
	fail.flock = ENOLCK;
	ok(sa_io_lock(dir, "lock", 0, "'x'", &err) == -1 && err.kind == SA_IO,
	    "no locks here");
	fail.flock = 0;
	ok(symlink("lock", "link") == 0 &&
		sa_io_lock(dir, "link", 0, "'x'", &err) == -1 &&
		err.kind == SA_IO,
	    "a link is no lock");
	ok(sa_io_lock(-1, "lock", 0, "'x'", &err) == -1 && err.kind == SA_IO,
	    "no directory");
}

/* The lock file of another user of the group. */
static void
test_group_lock(void)
{
	if (geteuid() != 0) {
		tap_skip("a lock that may only be read", "not root");
		return;
	}
	if (chmod(".", 0755) < 0 || chmod("lock", 0644) < 0)
		tap_skip("a lock that may only be read", "no chmod");
	pid_t pid = fork();
	if (pid == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(2);
		_exit(sa_io_lock(dir, "lock", 0, "'x'", NULL) < 0);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	is_int(status, 0, "a lock that may only be read can be had");
}

int
main(void)
{
	dir = scratch();
	test_replace();
	test_create();
	test_nonblocking();
	test_read();
	test_lock();
	test_group_lock();
	sa_err_clear(&err);
	return tap_done();
}
