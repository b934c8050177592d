/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netlog.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"

/* How many of the last a failure is compared with. */
#define RECENT 16

int
sa_netlog_make(int dir, struct sa_err *err)
{
	/* another process may have the old one mapped still */
	(void)unlinkat(dir, SA_NETLOG_FILE, 0);
	cleanup_fd int fd = openat(dir, SA_NETLOG_FILE,
	    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	uint64_t made;
	arc4random_buf(&made, sizeof(made));
	if (fd < 0 || ftruncate(fd, sizeof(struct sa_netlog)) < 0 ||
	    pwrite(fd, &made, sizeof(made), offsetof(struct sa_netlog, made)) !=
		sizeof(made))
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the list of a sandbox's connections");
	int ret = fd;
	fd = -1;
	return ret;
}

struct sa_netlog *
sa_netlog_map(int fd)
{
	struct sa_netlog *log = mmap(NULL, sizeof(*log), PROT_READ | PROT_WRITE,
	    fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);

	return log == MAP_FAILED ? NULL : log;
}

const struct sa_netlog *
sa_netlog_see(int fd)
{
	const struct sa_netlog *log =
	    mmap(NULL, sizeof(*log), PROT_READ, MAP_SHARED, fd, 0);

	return log == MAP_FAILED ? NULL : log;
}

void
sa_netlog_unsee(const struct sa_netlog *log)
{
	if (log != NULL)
		(void)munmap((void *)(uintptr_t)log, sizeof(*log));
}

static bool
is_same(const struct sa_netlog_entry *e, const struct sa_netlog_entry *new)
{
	return e->seq > 0 && e->allowed == new->allowed &&
	    e->port == new->port &&strcmp(e->host, new->host) == 0 &&
	    strcmp(e->reason, new->reason) == 0;
}

size_t
sa_netlog_add(struct sa_netlog *log, const char *host, uint16_t port,
    bool allowed, const char *why)
{
	struct sa_netlog_entry new = { .times = 1,
		.port = port,
		.allowed = allowed };

	strlcpy(new.host, host, sizeof(new.host));
	strlcpy(new.reason, why != NULL ? why : "", sizeof(new.reason));
	for (uint32_t i = 1; why != NULL && i <= RECENT; i++) {
		size_t at = (log->next + SA_NETLOG_SIZE - i) % SA_NETLOG_SIZE;
		if (!is_same(&log->v[at], &new))
			continue;
		log->v[at].times++;
		log->v[at].seq = ++log->seq;
		return at;
	}
	size_t at = log->next % SA_NETLOG_SIZE;
	log->v[at] = new;
	log->next = (uint32_t)((at + 1) % SA_NETLOG_SIZE);
	log->v[at].seq = ++log->seq;
	return at;
}

static int
open_log(int dir)
{
	return openat(dir, SA_NETLOG_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

struct sa_netlog_mark
sa_netlog_mark(int dir)
{
	struct sa_netlog_mark mark = { .seq = 0 };
	struct sa_netlog head;
	const size_t n = offsetof(struct sa_netlog, v);
	cleanup_fd int fd = open_log(dir);

	if (fd >= 0 && pread(fd, &head, n, 0) == (ssize_t)n)
		mark = (struct sa_netlog_mark){ head.made, head.seq };
	return mark;
}

static int
by_seq(const void *a, const void *b)
{
	const struct sa_netlog_entry *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

json_t *
sa_netlog_copy(int fd, off_t at, struct sa_netlog_mark mark)
{
	cleanup_free struct sa_netlog *log = sa_xcalloc(1, sizeof(*log));
	json_t *list = json_array();

	if (pread(fd, log, sizeof(*log), at) != sizeof(*log) ||
	    log->made != mark.made)
		return list;
	qsort(log->v, SA_NETLOG_SIZE, sizeof(*log->v), by_seq);
	for (size_t i = 0; i < SA_NETLOG_SIZE; i++) {
		struct sa_netlog_entry *e = &log->v[i];
		if (e->seq <= mark.seq)
			continue;
		e->host[sizeof(e->host) - 1] = '\0';
		e->reason[sizeof(e->reason) - 1] = '\0';
		json_t *j = json_object();
		sa_json_set_str(j, "host", e->host);
		json_object_set_new(j, "port",
		    e->port > 0 ? json_integer(e->port) : json_null());
		json_object_set_new(j, "allowed", json_boolean(e->allowed));
		sa_json_set_str(j, "reason",
		    *e->reason != '\0' ? e->reason : NULL);
		json_object_set_new(j, "bytes",
		    json_integer((json_int_t)e->bytes));
		json_object_set_new(j, "times", json_integer(e->times));
		json_array_append_new(list, j);
	}
	return list;
}

json_t *
sa_netlog_read(int dir, struct sa_netlog_mark mark)
{
	cleanup_fd int fd = open_log(dir);

	return sa_netlog_copy(fd, 0, mark);
}
