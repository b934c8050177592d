/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/runlog.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"

#define BLOCK 65536

/* The supervisor may make the file after we looked. */
static bool
opened(struct sa_runlog *l)
{
	if (l->fd < 0)
		l->fd = sa_path_open_beneath(l->dir, l->stream,
		    O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	return l->fd >= 0;
}

int
sa_runlog_open(struct sa_runlog *l, const struct sa_store *st, const char *id,
    const char *stream, struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s", id);

	*l = (struct sa_runlog){ .dir = -1, .fd = -1, .stream = stream };
	l->dir = sa_store_dir(st, rel, false, err);
	if (l->dir < 0)
		return -1;
	if (opened(l) || errno == ENOENT)
		return 0;
	sa_err_errno(err, SA_IO, errno, "cannot open '%s/%s/%s'",
	    sa_store_path(st), rel, stream);
	sa_runlog_close(l);
	return -1;
}

void
sa_runlog_close(struct sa_runlog *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->dir >= 0)
		close(l->dir);
	l->fd = l->dir = -1;
}

off_t
sa_runlog_end(struct sa_runlog *l)
{
	struct stat st;

	return opened(l) && fstat(l->fd, &st) == 0 ? st.st_size : 0;
}

/* The first byte at or behind at that is in no hole. A file system without
 * holes cannot have cut anything. */
static off_t
data_from(struct sa_runlog *l, off_t at)
{
	off_t data = lseek(l->fd, at, SEEK_DATA);

	if (data >= 0)
		return data;
	return errno == ENXIO && at < sa_runlog_end(l) ? sa_runlog_end(l) : at;
}

/* A hole that ends inside a block of the file system leaves zeros behind it. */
static int
skip_zeros(struct sa_runlog *l, off_t *at, struct sa_err *err)
{
	char buf[4096];

	for (;;) {
		ssize_t n = pread(l->fd, buf, sizeof(buf), *at), i = 0;
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno, "cannot read %s",
			    l->stream);
		while (i < n && buf[i] == '\0')
			i++;
		*at += i;
		if (n == 0 || i < n)
			return 0;
	}
}

off_t
sa_runlog_start(struct sa_runlog *l)
{
	off_t at = opened(l) ? data_from(l, 0) : 0;

	if (at > 0)
		skip_zeros(l, &at, NULL);
	return at;
}

ssize_t
sa_runlog_read(struct sa_runlog *l, char *buf, size_t n, struct sa_err *err)
{
	if (!opened(l))
		return 0;
	for (;;) {
		ssize_t got = pread(l->fd, buf, n, l->at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return sa_err_errno(err, SA_IO, errno, "cannot read %s",
			    l->stream);
		if (got == 0)
			return 0;
		/* looked at after the read: what was there still, was there
		 * when we read it */
		off_t data = data_from(l, l->at);
		if (data == l->at) {
			l->at += got;
			return got;
		}
		if (skip_zeros(l, &data, err) < 0)
			return -1;
		l->lost += data - l->at;
		l->at = data;
	}
}

/* Goes back from end to where the last lines begin, but not before floor. */
static off_t
lines_back(struct sa_runlog *l, off_t floor, off_t end, long long lines,
    char *block)
{
	off_t at = end;

	while (at > floor) {
		size_t n = (size_t)(at - floor < BLOCK ? at - floor : BLOCK);
		if (pread(l->fd, block, n, at - (off_t)n) != (ssize_t)n)
			break;
		for (size_t i = n; i > 0; i--)
			if (block[i - 1] == '\n' &&
			    at - (off_t)(n - i) != end && --lines == 0)
				return at - (off_t)(n - i);
		at -= (off_t)n;
	}
	return at;
}

int
sa_runlog_tail(struct sa_runlog *l, long long lines, off_t bytes,
    struct sa_err *err)
{
	cleanup_free char *block = sa_xmalloc(BLOCK);

	if (!opened(l))
		return 0;
	off_t end = sa_runlog_end(l), floor = data_from(l, 0);
	if (floor > 0 && skip_zeros(l, &floor, err) < 0)
		return -1;
	if (end - floor > bytes)
		floor = end - bytes;
	l->at = lines < 0 ? floor
	    : lines == 0  ? end
			  : lines_back(l, floor, end, lines, block);
	l->lost = 0;
	return 0;
}
