/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mask.h"
#include "base/path.h"
#include "base/text.h"

#define LOG_SIZE_MAX (10 * 1024 * 1024)
#define LOG_FILES 5
#define LINE_MAX_BYTES 16384
#define FILE_MODE 0660
#define RETRY_MS 1000
/* a byte may become four, \xNN, and the line is not over the limit yet */
#define ROTATE_AT (LOG_SIZE_MAX - 5 * LINE_MAX_BYTES)

/* The one place of global state in the library: a process has one log. */
static struct {
	bool started, quiet;
	long long tried_at; /* when opening the files was, 0 never */
	enum sa_level level;
	char *data_dir;
	int dir;
	struct log_file {
		const char *name;
		int fd;
		long long size; /* when opened, and what we wrote since */
	} debug, info;
} log_ = { .dir = -1,
	.debug = { "debug.log", -1, 0 },
	.info = { "info.log", -1, 0 } };

void
sa_log_start(const char *command, const struct sa_settings *s)
{
	int *open_fds[] = { &log_.dir, &log_.debug.fd, &log_.info.fd };

	for (size_t i = 0; i < sizeof(open_fds) / sizeof(*open_fds); i++) {
		if (*open_fds[i] >= 0)
			close(*open_fds[i]);
		*open_fds[i] = -1;
	}
	log_.level = (enum sa_level)sa_settings_number(s, SA_SET_LOG_LEVEL);
	free(log_.data_dir);
	log_.data_dir = sa_xstrdup(sa_settings_get(s, SA_SET_DATA_DIR));
	log_.started = true;
	log_.tried_at = 0;
	sa_debug("%s starts, pid %ld", command, (long)getpid());
}

void
sa_log_quiet(void)
{
	log_.quiet = true;
}

/* NAME to NAME.1, and so on; the oldest goes. Another process may have done
 * it in the meantime, so look again under the lock. */
static void
rotate(int dir, const char *name)
{
	struct stat st;
	char from[64], to[64];
	cleanup_fd int lock = openat(dir, ".lock",
	    O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);

	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0 ||
	    fstatat(dir, name, &st, 0) < 0 || st.st_size < ROTATE_AT)
		return;
	for (int i = LOG_FILES - 1; i > 0; i--) {
		snprintf(to, sizeof(to), "%s.%d", name, i);
		if (i == 1)
			snprintf(from, sizeof(from), "%s", name);
		else
			snprintf(from, sizeof(from), "%s.%d", name, i - 1);
		renameat(dir, from, dir, to);
	}
}

/* The group writes to it too: whoever reviews is another user. One that
 * somebody else made is as it is. */
static int
open_file(const char *name)
{
	int fd = openat(log_.dir, name,
	    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
	    FILE_MODE);

	if (fd >= 0 && fchmod(fd, FILE_MODE) < 0 && errno != EPERM) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
open_log(struct log_file *f)
{
	struct stat st;

	f->fd = open_file(f->name);
	if (f->fd < 0)
		return;
	f->size = fstat(f->fd, &st) == 0 ? st.st_size : 0;
	if (f->size < ROTATE_AT)
		return;
	rotate(log_.dir, f->name);
	close(f->fd);
	f->fd = open_file(f->name);
	f->size = 0;
}

/* The log directory is made, the data
 * directory is not: reading verbs create nothing. */
static void
open_files(void)
{
	cleanup_fd int data =
	    open(log_.data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	log_.tried_at = sa_clock_ms();
	if (data < 0 || faccessat(data, "store-id", F_OK, 0) < 0)
		return;
	if (mkdirat(data, "log", 0700) == 0 &&
	    fchmodat(data, "log", 02770, 0) < 0)
		return;
	log_.dir = openat(data, "log",
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (log_.dir < 0)
		return;
	open_log(&log_.debug);
	open_log(&log_.info);
}

/* At the first line; and later, since the store may be made while a server
 * runs. */
static bool
should_open(void)
{
	return log_.tried_at == 0 ||
	    (log_.dir < 0 && sa_clock_ms() - log_.tried_at >= RETRY_MS);
}

/* One write: lines of several processes do not mix. */
static void
write_line(int fd, const char *s, size_t len)
{
	if (fd >= 0 && write(fd, s, len) < 0)
		return;
}

static void
write_file(struct log_file *f, const char *s, size_t len)
{
	if (f->fd >= 0 && f->size >= ROTATE_AT) {
		close(f->fd);
		open_log(f);
	}
	write_line(f->fd, s, len);
	f->size += (long long)len;
}

void
sa_log_write(enum sa_level level, const char *file, const char *function,
    int line, const char *fmt, ...)
{
	static const char *const names[] = { "DEBUG", "INFO", "WARNING",
		"ERROR" };
	char text[LINE_MAX_BYTES], now[SA_TIME_SIZE];
	int saved = errno;
	va_list ap;

	if (!log_.started)
		return;
	if (should_open())
		open_files();
	bool to_stderr = level >= log_.level && !log_.quiet;
	if (!to_stderr && log_.debug.fd < 0) {
		errno = saved;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cleanup_free char *masked = sa_mask_text(text, strlen(text));
	cleanup_free char *clean = sa_text_visible(masked);
	const char *base = sa_path_base(file), *dot = strrchr(base, '.');
	sa_clock_now(now);
	cleanup_free char *out = sa_xasprintf("%s|%s|%.*s:%s:%d - %s\n", now,
	    names[level], (int)(dot ? dot - base : (long)strlen(base)), base,
	    function, line, clean);
	size_t len = strlen(out);
	write_file(&log_.debug, out, len);
	if (level >= log_.level)
		write_file(&log_.info, out, len);
	if (to_stderr)
		write_line(STDERR_FILENO, out, len);
	errno = saved;
}
