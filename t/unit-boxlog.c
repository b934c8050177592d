/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The log of a detached command: what can be read of it while it is written,
 * and what its state is however its writer ends.
 */
#include "config.h"
#include "sandbox/boxlog.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "tap.h"

static char big[3 * SA_BOXLOG_KEEP];

static int
make(const char *name)
{
	struct sa_boxlog_head head = { .began = 7, .timeout_ms = 1234 };
	struct sa_err err = SA_ERR_INIT;
	int fd;

	unlink(name);
	(void)strlcpy(head.command, "true", sizeof(head.command));
	fd = sa_boxlog_make(AT_FDCWD, name, &head, &err);
	if (fd < 0)
		printf("# %s\n", err.msg);
	return fd;
}

static void
add(struct sa_boxlog *l, int k, const char *p, size_t len)
{
	for (size_t n; len > 0; p += n, len -= n) {
		n = len < SA_BOXLOG_PIECE ? len : SA_BOXLOG_PIECE;
		sa_boxlog_add(l, k, p, n);
	}
}

static void
test_streams(void)
{
	static char got[sizeof(big)];
	struct sa_boxlog l;
	uint64_t from = 0;

	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 2654435761u >> 24);
	is_int(sa_boxlog_take(&l, make("streams")), 1234, "its time");
	cleanup_fd int fd = open("streams", O_RDONLY | O_CLOEXEC);
	is_int(sa_boxlog_read(fd, 0, &from, got, sizeof(got)), 0, "nothing");
	add(&l, 0, "one", 3);
	add(&l, 1, "two", 3);
	ok(sa_boxlog_read(fd, 0, &from, got, sizeof(got)) == 3 &&
		memcmp(got, "one", 3) == 0,
	    "one stream");
	from = 1;
	ok(sa_boxlog_read(fd, 1, &from, got, 1) == 1 && *got == 'w',
	    "a byte of the other");
	add(&l, 0, big, SA_BOXLOG_KEEP - 3);
	from = 0;
	is_int(sa_boxlog_read(fd, 0, &from, got, sizeof(got)), SA_BOXLOG_KEEP,
	    "all that is kept");
	ok(from == 0 && memcmp(got, "one", 3) == 0 &&
		memcmp(got + 3, big, SA_BOXLOG_KEEP - 3) == 0,
	    "from its beginning");
	add(&l, 0, big, sizeof(big));
	is_int(sa_boxlog_read(fd, 0, &from, got, sizeof(got)), SA_BOXLOG_KEEP,
	    "no more than that of a longer one");
	ok(from == sizeof(big) &&
		memcmp(got, big + sizeof(big) - SA_BOXLOG_KEEP,
		    SA_BOXLOG_KEEP) == 0,
	    "its end");
	from = 1;
	is_int(sa_boxlog_read(fd, 1, &from, got, sizeof(got)), 2,
	    "the other is as it was");
	struct stat st;
	ok(fstat(fd, &st) == 0 && st.st_size < 3 * SA_BOXLOG_KEEP,
	    "the file is bounded");
	sa_boxlog_end(&l, 0, false, "", NULL);
}

static int
state_of(const char *name, struct sa_boxlog_head *head)
{
	struct sa_err err = SA_ERR_INIT;
	bool lives = false;
	cleanup_fd int fd = open(name, O_RDONLY | O_CLOEXEC);
	int rc = sa_boxlog_look(fd, head, &lives, &err);

	sa_err_clear(&err);
	return rc < 0 ? -1 : lives;
}

static void
test_states(void)
{
	struct sa_boxlog_head head;
	struct sa_boxlog l;

	sa_boxlog_take(&l, make("states"));
	ok(state_of("states", &head) == 1 && head.end.at == 0 &&
		head.began == 7 && strcmp(head.command, "true") == 0,
	    "one that runs");
	sa_boxlog_end(&l, 3 << 8, true, "memory", NULL);
	ok(l.fd < 0 && state_of("states", &head) == 1 && head.end.at > 0 &&
		head.end.timed_out == 1 && head.end.status == 3 << 8 &&
		strcmp(head.end.over, "memory") == 0,
	    "one that has ended");
	close(make("states"));
	ok(state_of("states", &head) == 0 && head.end.at == 0,
	    "one whose writer is gone");
	cleanup_fd int fd = open("broken", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	is_int(state_of("broken", &head), -1, "an empty file is none");
	ok(write(fd, big, sizeof(head)) == sizeof(head) &&
		state_of("broken", &head) == -1,
	    "nor is another");
}

/* Where the file cannot grow, the command goes on and its end is known. */
static void
test_full(void)
{
	const struct rlimit small = { 8192, 8192 };
	struct sa_boxlog_head head;
	struct sa_boxlog l;

	sa_boxlog_take(&l, make("full"));
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &small);
		add(&l, 0, big, 2 * SA_BOXLOG_PIECE);
		add(&l, 1, big, 100);
		sa_boxlog_end(&l, 0, false, "", NULL);
		_exit(0);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	is_int(status, 0, "a writer whose disk is full");
	ok(state_of("full", &head) == 1 && head.end.at > 0,
	    "tells that it has ended");
	is_int(head.lost[0] + head.total[0], 2 * SA_BOXLOG_PIECE,
	    "and what is missing");
	is_int(head.lost[1], 100, "of each stream");
	sa_boxlog_end(&l, 0, false, "", NULL);
}

/* Connections are told as they stood when the command ended. */
static void
test_egress(void)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_boxlog_head head;
	struct sa_boxlog l;
	int log = make("egress-log");
	cleanup_fd int fd = sa_netlog_make(AT_FDCWD, &err);
	struct sa_netlog *net = sa_netlog_map(fd);

	sa_netlog_add(net, "before", 80, true, NULL);
	ok(sa_boxlog_mark(log, sa_netlog_mark(AT_FDCWD), &err) == 0,
	    "a mark is set");
	sa_boxlog_take(&l, log);
	sa_netlog_add(net, "during", 81, false, "no");
	sa_boxlog_end(&l, 0, false, "", sa_netlog_see(fd));
	sa_netlog_add(net, "behind", 82, true, NULL);
	cleanup_fd int reader = open("egress-log", O_RDONLY | O_CLOEXEC);
	ok(state_of("egress-log", &head) == 1, "it has ended");
	json_auto_t *list = sa_boxlog_egress(reader, &head);
	is_int(json_array_size(list), 1, "one connection is its own");
	is_str(sa_json_str(json_array_get(list, 0), "host"), "during",
	    "which it is");
	json_auto_t *later = sa_netlog_read(AT_FDCWD, head.net);
	is_int(json_array_size(later), 2, "more were noted since");
	sa_boxlog_end(&(struct sa_boxlog){ .fd = make("egress-log") }, 0, false,
	    "", NULL);
	cleanup_fd int none = open("egress-log", O_RDONLY | O_CLOEXEC);
	(void)state_of("egress-log", &head);
	json_auto_t *nothing = sa_boxlog_egress(none, &head);
	is_int(json_array_size(nothing), 0, "without a network there is none");
	close(sa_netlog_make(AT_FDCWD, &err));
	ok(sa_netlog_mark(AT_FDCWD).made != net->made, "a file is told apart");
}

int
main(void)
{
	char dir[] = "/tmp/unit-boxlog.XXXXXX";

	if (mkdtemp(dir) == NULL || chdir(dir) < 0)
		return 1;
	test_streams();
	test_states();
	test_full();
	test_egress();
	unlink(SA_NETLOG_FILE);
	unlink("egress-log");
	unlink("streams");
	unlink("states");
	unlink("broken");
	unlink("full");
	rmdir(dir);
	return tap_done();
}
