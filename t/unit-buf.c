/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static int
lowest_fd(void)
{
	int fd = dup(1);

	close(fd);
	return fd;
}

static void
test_clean_up(void)
{
	int before = lowest_fd();
	{
		cleanup_file FILE *f = fopen("/dev/null", "re");
		cleanup_dir DIR *d = opendir("/");
		cleanup_fd int fd = dup(1);
		cleanup_free char *s = sa_xstrdup("x");
		cleanup_fd int none = -1;
		cleanup_file FILE *no_file = NULL;
		cleanup_dir DIR *no_dir = NULL;
		ok(f != NULL && d != NULL && fd >= 0 && s != NULL && none < 0 &&
			no_file == NULL && no_dir == NULL,
		    "things that are cleaned up");
		errno = 77;
	}
	is_int(errno, 77, "errno stays");
	is_int(lowest_fd(), before, "nothing is left open");
}

/* A child that wants more memory than there is. */
static void
test_no_memory(void)
{
	size_t n = (size_t)-1 / 4;
	int status = -1;

	for (int way = 0; way < 3; way++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (freopen("/dev/null", "we", stderr) == NULL)
				_exit(1);
			free(way == 0	   ? sa_xmalloc(n)
				: way == 1 ? sa_xcalloc(n, 8)
					   : sa_xrealloc(NULL, n, 8));
			_exit(0);
		}
		waitpid(pid, &status, 0);
		/* 99: a sanitizer has said it first */
		ok(WIFEXITED(status) &&
			(WEXITSTATUS(status) == 70 ||
			    WEXITSTATUS(status) == 99),
		    "no memory ends it");
	}
}

int
main(void)
{
	struct sa_buf b;

	sa_buf_init(&b, 8);
	ok(strcmp(sa_buf_str(&b), "") == 0, "an empty buffer is a string");
	ok(sa_buf_add(&b, "abc", 3) == 0, "add fits");
	ok(strcmp(b.s, "abc") == 0, "NUL-terminated");
	errno = 0;
	ok(sa_buf_add(&b, "defghi", 6) == -1 && errno == EFBIG,
	    "one byte past the limit is refused");
	ok(b.len == 3, "a refused add changes nothing");
	ok(sa_buf_add(&b, "defgh", 5) == 0 && b.len == 8,
	    "the limit itself is reached");
	sa_buf_cut(&b, 2);
	ok(strcmp(b.s, "ab") == 0, "cut");
	sa_buf_release(&b);
	ok(b.s == NULL && b.len == 0, "release resets");
	ok(sa_buf_addf(&b, "%d", 1234567) == 0 && strcmp(b.s, "1234567") == 0,
	    "formatted");
	char *s = sa_buf_steal(&b);
	ok(strcmp(s, "1234567") == 0 && b.s == NULL, "steal");
	free(s);
	sa_buf_init(&b, SA_BUF_NOMAX);
	sa_buf_addu(&b, 0x41);
	sa_buf_addu(&b, 0xe9);
	sa_buf_addu(&b, 0x20ac);
	sa_buf_addu(&b, 0x1f600);
	sa_buf_addu(&b, 0xd800);
	ok(strcmp(b.s, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd") ==
		0,
	    "code points as UTF-8");
	sa_buf_release(&b);
	test_clean_up();
	test_no_memory();
	return tap_done();
}
