/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/path.h"
#include "scratch.h"
#include "tap.h"

/* A kernel without openat2(2): the linker puts this before syscall(2). */
static int no_openat2;
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long
__wrap_syscall(long number, ...)
{
	long a[4];
	va_list ap;

	if (number == SYS_openat2 && no_openat2 != 0) {
		errno = no_openat2;
		return -1;
	}
	va_start(ap, number);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return __real_syscall(number, a[0], a[1], a[2], a[3]);
}

static void
gives(char *got, const char *want)
{
	is_str(got, want, want);
	free(got);
}

static void
test_text(void)
{
	gives(sa_path_join("a", "b"), "a/b");
	gives(sa_path_join("a//", "/b"), "a/b");
	gives(sa_path_join("/", "b"), "/b");
	gives(sa_path_absolute("/a//b/./c/../d/"), "/a/b/d");
	gives(sa_path_absolute("/../.."), "/");
	gives(sa_path_absolute("/"), "/");
	gives(sa_path_absolute("/..a/...b"), "/..a/...b");
	cleanup_free char *cwd = getcwd(NULL, 0);
	cleanup_free char *want = sa_path_join(cwd, "x");
	gives(sa_path_absolute("./y/../x"), want);
	is_str(sa_path_base("/a/b"), "b", "the base");
	is_str(sa_path_base("b"), "b", "of one part");
	is_str(sa_path_base("a/"), "", "of a directory");
	is_str(sa_path_below("/a/jobs", "/a/jobs/x/y"), "x/y", "below");
	is_str(sa_path_below("/a/jobs", "/a/jobs-evil/x"), NULL, "beside");
	is_str(sa_path_below("/a/jobs", "/a/jobs"), NULL, "itself");
	is_str(sa_path_below("/a/jobs", "/a/jobs/"), NULL, "itself with slash");
	is_str(sa_path_below("/", "/x"), "x", "below the root");
	is_str(sa_path_below("/a/jobs", "/a"), NULL, "above");
}

static void
test_removed_cwd(void)
{
	ok(mkdir("gone", 0700) == 0 && chdir("gone") == 0 &&
		rmdir("../gone") == 0,
	    "a working directory that is removed");
	gives(sa_path_absolute("x"), "/proc/self/cwd/x");
	ok(chdir(scratch_path) == 0, "back");
}

static void
test_mkdirs(void)
{
	struct sa_err err = SA_ERR_INIT;
	struct stat st;

	umask(077);
	ok(sa_path_mkdirs("m/n/o", 02770, &err) == 0, "three levels");
	umask(022);
	ok(stat("m/n", &st) == 0 && (st.st_mode & 07777) == 02770,
	    "the mode, whatever the umask");
	ok(chmod("m", 0700) == 0 && sa_path_mkdirs("m/n/o/", 02770, &err) == 0,
	    "again");
	ok(stat("m", &st) == 0 && (st.st_mode & 07777) == 0700,
	    "what is there stays as it is");
	FILE *f = fopen("file", "we");
	ok(f != NULL && fclose(f) == 0 &&
		sa_path_mkdirs("file", 0700, &err) == -1 && errno == ENOTDIR &&
		err.kind == SA_IO,
	    "a file in the place");
	ok(sa_path_mkdirs("file/x", 0700, &err) == -1, "a file on the way");
	ok(symlink("nowhere", "dangling") == 0 &&
		sa_path_mkdirs("dangling", 0700, &err) == -1,
	    "a link to nowhere");
	ok(symlink("m", "good") == 0 &&
		sa_path_mkdirs("good/p", 0700, &err) == 0,
	    "a link to a directory");
	ok(sa_path_mkdirs("", 0700, &err) == -1, "no path at all");
}

static void
opens(int dir, const char *rel, int flags, int want)
{
	errno = 0;
	int fd = sa_path_open_beneath(dir, rel, flags, 0600);
	int got = fd < 0 ? errno : 0;
	char name[80];

	snprintf(name, sizeof(name), "%s'%s'", no_openat2 ? "walk " : "", rel);
	is_int(got, want, name);
	if (fd >= 0) {
		ok(fcntl(fd, F_GETFD) & FD_CLOEXEC, "close-on-exec");
		close(fd);
	}
}

static void
test_beneath(int dir, int without)
{
	no_openat2 = without;
	opens(dir, "file", O_RDONLY, 0);
	opens(dir, "m/n/o", O_RDONLY | O_DIRECTORY, 0);
	opens(dir, "m//n/./o/", O_RDONLY | O_DIRECTORY, 0);
	opens(dir, "m/n/new", O_WRONLY | O_CREAT | O_TRUNC, 0);
	opens(dir, "m/n/new", O_WRONLY | O_CREAT | O_EXCL, EEXIST);
	opens(dir, "", O_RDONLY, ENOENT);
	opens(dir, "missing", O_RDONLY, ENOENT);
	opens(dir, "missing/x", O_RDONLY, ENOENT);
	opens(dir, "file/x", O_RDONLY, ENOTDIR);
	opens(dir, "/etc/passwd", O_RDONLY, EXDEV);
	opens(dir, "..", O_RDONLY, EXDEV);
	opens(dir, "m/../file", O_RDONLY, EXDEV);
	opens(dir, "m/n/../../..", O_RDONLY, EXDEV);
	opens(dir, "good", O_RDONLY, ELOOP);
	opens(dir, "good", O_RDONLY | O_DIRECTORY, ELOOP);
	opens(dir, "good/n", O_RDONLY, ELOOP);
	opens(dir, "dangling", O_WRONLY | O_CREAT, ELOOP);
	opens(dir, "m/n/..new", O_RDONLY, ENOENT);
	no_openat2 = 0;
}

static void
test_remove(int dir)
{
	struct sa_err err = SA_ERR_INIT;
	struct stat st;

	ok(symlink("/", "m/root") == 0 && mkfifo("m/fifo", 0600) == 0 &&
		sa_path_remove_tree(dir, "m") == 0 && stat("m", &st) < 0,
	    "a tree with links and a FIFO");
	ok(stat("/", &st) == 0, "the links were not followed");
	is_int(sa_path_remove_tree(dir, "m"), 0, "what is not there");
	ok(sa_path_remove_tree(dir, "file") == 0 && stat("file", &st) < 0,
	    "a file");
	ok(sa_path_remove_tree(dir, "good") == 0 && lstat("good", &st) < 0,
	    "a link");
	cleanup_buf struct sa_buf deep = SA_BUF_INIT(SA_BUF_NOMAX);
	for (int i = 0; i < 64; i++)
		sa_buf_adds(&deep, i > 0 ? "/d" : "d");
	ok(sa_path_mkdirs(deep.s, 0700, &err) == 0 &&
		sa_path_remove_tree(dir, "d") == 0,
	    "64 levels");
	sa_buf_adds(&deep, "/d");
	ok(sa_path_mkdirs(deep.s, 0700, &err) == 0 &&
		sa_path_remove_tree(dir, "d") == -1 && errno == ELOOP,
	    "65 are too many");
	sa_buf_cut(&deep, deep.len - 2);
	cleanup_free char *low = sa_path_join(deep.s, "d");
	ok(rmdir(low) == 0 && sa_path_remove_tree(dir, "d") == 0, "one less");
}

/* What a user who is not root may not do. */
static void
test_denied(int dir)
{
	if (mkdir("locked", 0755) < 0 || mkdir("locked/in", 0755) < 0 ||
	    chmod(".", 0755) < 0)
		ok(0, "directories");
	pid_t pid = fork();
	if (pid == 0) {
		struct sa_err err = SA_ERR_INIT;
		if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(9);
		if (geteuid() != 65534 && chmod("locked", 0555) < 0)
			_exit(9);
		if (sa_path_remove_tree(dir, "locked") == 0 || errno != EACCES)
			_exit(1);
		if (sa_path_mkdirs("locked/x", 0700, &err) == 0)
			_exit(2);
		_exit(0);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	is_int(status, 0, "what may not be removed or made");
	chmod("locked", 0755);
}

int
main(void)
{
	int dir = scratch();

	test_text();
	test_removed_cwd();
	test_mkdirs();
	test_beneath(dir, 0);
	if (unlink("m/n/new") < 0)
		ok(0, "the new file is there");
	test_beneath(dir, ENOSYS);
	if (unlink("m/n/new") < 0)
		ok(0, "the new file is there");
	test_beneath(dir, EPERM);
	test_remove(dir);
	test_denied(dir);
	return tap_done();
}
