/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/boxlog.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"

#define RING (SA_BOXLOG_KEEP + 2 * SA_BOXLOG_PIECE)
#define RINGS_AT 4096 /* behind the head */
#define NET_AT (RINGS_AT + 2 * RING)
#define LOG_MODE 0600
#define TRIES 8

static const char magic[8] = "sa-log2";

int
sa_boxlog_make(int dir, const char *base, struct sa_boxlog_head *head,
    struct sa_err *err)
{
	cleanup_fd int fd = openat(dir, base,
	    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, LOG_MODE);

	memcpy(head->magic, magic, sizeof(magic));
	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make '%s'",
		    base);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot lock '%s'",
		    base);
	if (sa_io_write_fd(fd, head, sizeof(*head), base, err) < 0)
		return -1;
	int ret = fd;
	fd = -1;
	return ret;
}

static int
read_head(int fd, struct sa_boxlog_head *head, struct sa_err *err)
{
	if (pread(fd, head, sizeof(*head), 0) != sizeof(*head) ||
	    memcmp(head->magic, magic, sizeof(magic)) != 0)
		return sa_err_set(err, SA_INVALID,
		    "the log of a command is broken");
	head->command[sizeof(head->command) - 1] = '\0';
	head->end.over[sizeof(head->end.over) - 1] = '\0';
	return 0;
}

int
sa_boxlog_look(int fd, struct sa_boxlog_head *head, bool *lives,
    struct sa_err *err)
{
	if (read_head(fd, head, err) < 0)
		return -1;
	*lives = true;
	if (head->end.at != 0 || flock(fd, LOCK_SH | LOCK_NB) < 0)
		return 0;
	flock(fd, LOCK_UN);
	/* it may have ended between the two */
	if (read_head(fd, head, err) < 0)
		return -1;
	*lives = head->end.at != 0;
	return 0;
}

int
sa_boxlog_mark(int fd, struct sa_netlog_mark net, struct sa_err *err)
{
	const size_t at = offsetof(struct sa_boxlog_head, net);

	if (pwrite(fd, &net, sizeof(net), (off_t)at) == sizeof(net))
		return 0;
	return sa_err_errno(err, SA_IO, errno,
	    "cannot write the log of a command");
}

json_t *
sa_boxlog_egress(int fd, const struct sa_boxlog_head *head)
{
	return sa_netlog_copy(fd, NET_AT, head->net);
}

static off_t
place_of(int k, uint64_t at)
{
	return (off_t)(RINGS_AT + (uint64_t)k * RING + at % RING);
}

/* The bytes of a ring from one on; false where the file does not have them. */
static bool
read_ring(int fd, int k, uint64_t from, char *buf, size_t len)
{
	while (len > 0) {
		size_t part = (size_t)(RING - from % RING);
		if (part > len)
			part = len;
		if (pread(fd, buf, part, place_of(k, from)) != (ssize_t)part)
			return false;
		from += part;
		buf += part;
		len -= part;
	}
	return true;
}

static uint64_t
total_of(int fd, int k)
{
	const size_t at = offsetof(struct sa_boxlog_head, total);
	uint64_t total[2] = { 0, 0 };

	if (pread(fd, total, sizeof(total), (off_t)at) != sizeof(total))
		return 0;
	return total[k];
}

size_t
sa_boxlog_read(int fd, int k, uint64_t *from, char *buf, size_t size)
{
	uint64_t total = total_of(fd, k);

	for (int i = 0; i < TRIES && *from < total; i++) {
		uint64_t first =
		    total > SA_BOXLOG_KEEP ? total - SA_BOXLOG_KEEP : 0;
		if (*from < first)
			*from = first;
		size_t len =
		    total - *from < size ? (size_t)(total - *from) : size;
		if (!read_ring(fd, k, *from, buf, len))
			return 0;
		/* what the writer overtook meanwhile is not as it was */
		total = total_of(fd, k);
		if (total - *from <= SA_BOXLOG_KEEP)
			return len;
	}
	return 0;
}

long long
sa_boxlog_take(struct sa_boxlog *l, int fd)
{
	struct sa_boxlog_head head;

	*l = (struct sa_boxlog){ .fd = fd };
	return read_head(fd, &head, NULL) < 0 ? 0 : (long long)head.timeout_ms;
}

static void
put(const struct sa_boxlog *l, size_t at, const void *p, size_t len)
{
	/* a disk that is full changes nothing for the command */
	(void)!pwrite(l->fd, p, len, (off_t)at);
}

void
sa_boxlog_add(struct sa_boxlog *l, int k, const char *p, size_t len)
{
	const size_t size = sizeof(uint64_t), n = (size_t)k * size;

	while (len > 0) {
		size_t part = (size_t)(RING - l->total[k] % RING);
		if (part > len)
			part = len;
		if (pwrite(l->fd, p, part, place_of(k, l->total[k])) !=
		    (ssize_t)part) {
			l->lost[k] += len;
			put(l, offsetof(struct sa_boxlog_head, lost) + n,
			    &l->lost[k], size);
			break;
		}
		l->total[k] += part;
		p += part;
		len -= part;
	}
	put(l, offsetof(struct sa_boxlog_head, total) + n, &l->total[k], size);
}

void
sa_boxlog_end(struct sa_boxlog *l, int status, bool timed_out, const char *over,
    const struct sa_netlog *net)
{
	const size_t at = offsetof(struct sa_boxlog_head, end);
	struct sa_boxlog_end end = { .status = status,
		.timed_out = timed_out,
		.at = (int64_t)time(NULL) };

	(void)strlcpy(end.over, over, sizeof(end.over));
	if (net != NULL)
		put(l, NET_AT, net, sizeof(*net));
	put(l, at, &end, offsetof(struct sa_boxlog_end, at));
	put(l, at + offsetof(struct sa_boxlog_end, at), &end.at,
	    sizeof(end.at));
	close(l->fd);
	l->fd = -1;
}
