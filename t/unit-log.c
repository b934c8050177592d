/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/log.h"
#include "base/record.h"
#include "scratch.h"
#include "tap.h"

#define MIB (1024L * 1024)

static int dir;

/* A line of 16 KiB or so. */
static char long_text[16000];

static void
start(const char *level)
{
	struct sa_err err = SA_ERR_INIT;

	setenv("SPARK_EXECUTOR_LOG_LEVEL", level, 1);
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	if (s == NULL)
		ok(0, err.msg);
	else
		sa_log_start("unit", s);
	sa_settings_free(s);
}

static char *
content(const char *path)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	sa_io_read_file(dir, path, &b, path, NULL);
	return sa_buf_steal(&b);
}

static int
count(const char *path, const char *what)
{
	cleanup_free char *text = content(path);
	int n = 0;

	for (char *p = text; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

/* What goes to stderr in a child that writes these lines. */
static void
to_stderr(const char *level, bool quiet, const char *want)
{
	int fd = open("stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	pid_t pid = fork();

	if (pid == 0) {
		dup2(fd, 2);
		start(level);
		if (quiet)
			sa_log_quiet();
		errno = 77;
		sa_debug("a debug line");
		sa_info("an info line");
		sa_warn("a warning");
		sa_error("an error");
		_exit(errno != 77);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	close(fd);
	is_int(status, 0, "errno stays what it was");
	struct sa_buf got = SA_BUF_INIT(100);
	static const char *const names[] = { "|DEBUG|", "|INFO|", "|WARNING|",
		"|ERROR|" };
	for (int i = 0; i < 4; i++)
		if (count("stderr", names[i]) > 0)
			sa_buf_addch(&got, names[i][1]);
	is_str(sa_buf_str(&got), want, level);
	sa_buf_release(&got);
}

static void
test_without_store(void)
{
	to_stderr("DEBUG", false, "DIWE");
	to_stderr("info", false, "IWE");
	to_stderr("WARNING", false, "WE");
	to_stderr("ERROR", false, "E");
	to_stderr("DEBUG", true, "D"); /* the line of the start */
	ok(access("data", F_OK) < 0, "no data directory is made");
	ok(mkdir("data", 0700) == 0, "one that is no store");
	to_stderr("ERROR", false, "E");
	ok(access("data/log", F_OK) < 0, "gets no log");
}

static void
test_files(void)
{
	struct stat st;
	regex_t re;
	struct sa_err err = SA_ERR_INIT;
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	struct sa_store *store = sa_store_open(s, true, &err);

	ok(store != NULL, "a store");
	sa_store_free(store);
	sa_settings_free(s);
	to_stderr("WARNING", false, "WE");
	ok(stat("data/log", &st) == 0 && (st.st_mode & 07777) == 02770,
	    "its log directory");
	ok(stat("data/log/info.log", &st) == 0 && (st.st_mode & 07777) == 0660,
	    "a file of it");
	is_int(count("data/log/debug.log", "an info line"), 1,
	    "debug.log has all");
	is_int(count("data/log/info.log", "an info line"), 0,
	    "info.log what the level says");
	is_int(count("data/log/info.log", "a warning"), 1, "and no less");
	cleanup_free char *text = content("data/log/info.log");
	regcomp(&re,
	    "^20[0-9-]{8}T[0-9:]{8}Z\\|WARNING\\|unit-log:to_stderr:[0-9]+ - "
	    "a warning\n",
	    REG_EXTENDED);
	ok(regexec(&re, text, 0, NULL, 0) == 0, "the form of a line");
	regfree(&re);

	start("ERROR");
	sa_log_write(SA_LOG_DEBUG, "/a/b.c/noext", "f", 1,
	    "two\nlines \x1b[1m password=hunter2");
	is_int(count("data/log/debug.log",
		   "noext:f:1 - two\\nlines \\x1b[1m password=****\n"),
	    1, "one line, visible, masked");
	sa_debug("%s", long_text);
	ok(count("data/log/debug.log", "xxxx\n") == 1, "a long line is whole");
}

static void
grow(const char *path, long size)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || ftruncate(fd, size) < 0)
		ok(0, path);
}

static void
test_rotation(void)
{
	struct stat st;

	sa_log_quiet();
	for (int i = 0; i < 6; i++) {
		grow("data/log/info.log", 10 * MIB - 200000);
		grow("data/log/debug.log", 10 * MIB - 200000);
		start("DEBUG");
		for (int k = 0; k < 20; k++)
			sa_info("%s", long_text);
	}
	static const char *const names[] = { "data/log/info.log",
		"data/log/info.log.1", "data/log/info.log.2",
		"data/log/info.log.4", "data/log/debug.log.4" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ok(stat(names[i], &st) == 0 && st.st_size <= 10 * MIB &&
			(i == 0 || st.st_size > 9 * MIB),
		    names[i]);
	ok(stat("data/log/info.log.5", &st) < 0, "there is no sixth");
	/* a file that another process filled */
	grow("data/log/info.log", 11 * MIB);
	start("DEBUG");
	ok(stat("data/log/info.log", &st) == 0 && st.st_size < MIB,
	    "is rotated when it is opened");
}

static void
test_broken(void)
{
	ok(rename("data/log", "data/log.old") == 0 &&
		symlink("log.old", "data/log") == 0,
	    "a link in the place of the directory");
	cleanup_free char *before = content("data/log.old/debug.log");
	start("ERROR");
	sa_debug("lost");
	cleanup_free char *after = content("data/log.old/debug.log");
	is_str(after, before, "is not followed");
	ok(unlink("data/log") == 0 && mkdir("data/log", 0700) == 0 &&
		mkdir("data/log/debug.log", 0700) == 0,
	    "a directory in the place of a log");
	start("ERROR");
	sa_debug("lost");
	ok(access("data/log/info.log", F_OK) == 0, "the other one is written");
}

int
main(void)
{
	dir = scratch();
	sa_debug("before the start");
	memset(long_text, 'x', sizeof(long_text) - 1);
	test_without_store();
	test_files();
	test_rotation();
	test_broken();
	return tap_done();
}
