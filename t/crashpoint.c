/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * For LD_PRELOAD: ends the process with SIGKILL at the SA_CRASH_AT-th call that
 * changes something below the directory SA_CRASH_DIR, right after it, or right
 * before it where SA_CRASH_MODE is "before". Its log/ does not count. Programs
 * that the process starts are left alone.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[PATH_MAX];
static long left; /* calls until the end; 0: none is wanted */
static bool before;
static pid_t owner; /* a child that was forked is another process */

__attribute__((constructor)) static void
start(void)
{
	const char *at = getenv("SA_CRASH_AT"), *d = getenv("SA_CRASH_DIR");

	if (at == NULL || d == NULL)
		return;
	left = strtol(at, NULL, 10);
	owner = getpid();
	before = getenv("SA_CRASH_MODE") != NULL &&
	    strcmp(getenv("SA_CRASH_MODE"), "before") == 0;
	snprintf(dir, sizeof(dir), "%s", d);
	unsetenv("SA_CRASH_AT");
	unsetenv("LD_PRELOAD");
}

static bool
counts(const char *path)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' ||
		(path[n] == '/' && strncmp(path + n, "/log/", 5) != 0));
}

static bool
fd_counts(int fd)
{
	char link[40], path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (left <= 0 || n < 0)
		return false;
	path[n] = '\0';
	return counts(path);
}

static bool
name_counts(int fd, const char *name)
{
	char link[40], at[PATH_MAX], path[2 * PATH_MAX];

	if (left <= 0)
		return false;
	if (*name == '/')
		return counts(name);
	if (fd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/self/cwd");
	else
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, at, sizeof(at) - 1);
	if (n < 0)
		return false;
	at[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s", at, name);
	return counts(path);
}

/* Called twice for a call that counts, before and after it. */
static void
point(bool counted, bool is_before)
{
	int saved = errno;

	if (counted && is_before == before && getpid() == owner && --left == 0)
		kill(getpid(), SIGKILL);
	errno = saved;
}

#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))
#define CALL(type, counted, call)         \
	do {                              \
		bool counts_ = (counted); \
		point(counts_, true);     \
		type got_ = call;         \
		point(counts_, false);    \
		return got_;              \
	} while (0)

ssize_t
write(int fd, const void *p, size_t n)
{
	CALL(ssize_t, fd_counts(fd), REAL(write)(fd, p, n));
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	CALL(ssize_t, fd_counts(fd), REAL(pwrite)(fd, p, n, at));
}

ssize_t
pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	CALL(ssize_t, fd_counts(fd), REAL(pwrite64)(fd, p, n, at));
}

int
fsync(int fd)
{
	CALL(int, fd_counts(fd), REAL(fsync)(fd));
}

int
fdatasync(int fd)
{
	CALL(int, fd_counts(fd), REAL(fdatasync)(fd));
}

int
ftruncate(int fd, off_t n)
{
	CALL(int, fd_counts(fd), REAL(ftruncate)(fd, n));
}

int
ftruncate64(int fd, off64_t n)
{
	CALL(int, fd_counts(fd), REAL(ftruncate64)(fd, n));
}

int
rename(const char *from, const char *to)
{
	CALL(int, name_counts(AT_FDCWD, to), REAL(rename)(from, to));
}

int
renameat(int a, const char *from, int b, const char *to)
{
	CALL(int, name_counts(b, to), REAL(renameat)(a, from, b, to));
}

int
renameat2(int a, const char *from, int b, const char *to, unsigned int flags)
{
	CALL(int, name_counts(b, to), REAL(renameat2)(a, from, b, to, flags));
}

int
linkat(int a, const char *from, int b, const char *to, int flags)
{
	CALL(int, name_counts(b, to), REAL(linkat)(a, from, b, to, flags));
}

int
unlink(const char *name)
{
	CALL(int, name_counts(AT_FDCWD, name), REAL(unlink)(name));
}

int
unlinkat(int fd, const char *name, int flags)
{
	CALL(int, name_counts(fd, name), REAL(unlinkat)(fd, name, flags));
}

int
mkdir(const char *name, mode_t mode)
{
	CALL(int, name_counts(AT_FDCWD, name), REAL(mkdir)(name, mode));
}

int
mkdirat(int fd, const char *name, mode_t mode)
{
	CALL(int, name_counts(fd, name), REAL(mkdirat)(fd, name, mode));
}
