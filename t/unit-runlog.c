/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "spark/runlog.h"
#include "tap.h"

#define ID "j_20261129T101502_000001"
#define BLOCK 4096
#define BLOCKS 4000

static char root[] = "/tmp/sa-unit-runlog.XXXXXX";
static struct sa_store *store;

static int
open_output(int flags)
{
	cleanup_fd int dir = sa_store_dir(store, "runs/" ID, true, NULL);

	return openat(dir, "stdout", flags | O_CREAT | O_CLOEXEC, 0640);
}

/* Appends blocks full of their number and, now and then, makes a hole of all
 * but the newest ones, as a supervisor does that cannot keep up. */
static void
write_and_cut(int fd)
{
	char block[BLOCK];

	for (int i = 0; i < BLOCKS; i++) {
		memset(block, 'a' + i % 26, sizeof(block));
		snprintf(block, 16, "%08d", i);
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
			_exit(1);
		if (i % 16 == 15 &&
		    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			(off_t)(i - 7) * BLOCK) < 0)
			_exit(2);
	}
	_exit(0);
}

/* Reads along. Whatever was lost, what is read is what was written there. */
static void
test_race(void)
{
	struct sa_runlog l;
	int fd = open_output(O_RDWR | O_TRUNC | O_APPEND), status = -1;
	off_t seen = 0, wrong = 0;
	char buf[3000];
	ssize_t n;

	if (sa_runlog_open(&l, store, ID, "stdout", NULL) < 0)
		exit(99);
	pid_t pid = fork();
	if (pid == 0)
		write_and_cut(fd);
	close(fd);
	for (bool done = false;;) {
		while ((n = sa_runlog_read(&l, buf, sizeof(buf), NULL)) > 0) {
			for (ssize_t i = 0; i < n; i++) {
				off_t at = l.at - n + i;
				if (at % BLOCK >= 16 &&
				    buf[i] != 'a' + at / BLOCK % 26)
					wrong++;
			}
			seen += n;
		}
		if (done || n < 0)
			break;
		done = waitpid(pid, &status, WNOHANG) == pid;
	}
	is_int(status, 0, "the writer ends");
	is_int(wrong, 0, "each byte that was read is the one written");
	is_int(seen + l.lost, (off_t)BLOCKS * BLOCK, "all are read or lost");
	ok(seen >= (off_t)8 * BLOCK, "the newest are read");
	sa_runlog_close(&l);
}

static void
test_absent(void)
{
	struct sa_runlog l;
	char buf[16];
	struct sa_err err = SA_ERR_INIT;

	ok(sa_runlog_open(&l, store, "j_20261129T101502_000009", "stdout",
	       &err) < 0 &&
		err.kind == SA_NOT_FOUND,
	    "no run");
	close(sa_store_dir(store, "runs/" ID, true, NULL));
	is_int(sa_runlog_open(&l, store, ID, "stdout", &err), 0,
	    "a file that is not there yet opens");
	is_int(sa_runlog_read(&l, buf, sizeof(buf), &err), 0, "as empty");
	is_int(sa_runlog_start(&l), 0, "it starts at 0");
	int fd = open_output(O_WRONLY);
	ok(write(fd, "hello", 5) == 5, "then it is written");
	close(fd);
	is_int(sa_runlog_read(&l, buf, sizeof(buf), &err), 5, "and read");
	is_int(sa_runlog_end(&l), 5, "its end");
	sa_runlog_close(&l);
}

int
main(void)
{
	struct sa_err err = SA_ERR_INIT;

	if (mkdtemp(root) == NULL)
		return 99;
	setenv("SPARK_EXECUTOR_DATA_DIR", root, 1);
	setenv("XDG_CONFIG_HOME", root, 1);
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	store = s != NULL ? sa_store_open(s, true, &err) : NULL;
	if (store == NULL) {
		printf("Bail out! %s\n", err.msg);
		return 99;
	}
	test_absent();
	int fd = open_output(O_RDWR);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1) ==
	    0)
		test_race();
	else
		tap_skip("reading while it is cut",
		    "this file system makes no holes");
	close(fd);
	sa_store_free(store);
	sa_settings_free(s);
	sa_path_remove_tree(AT_FDCWD, root);
	return tap_done();
}
