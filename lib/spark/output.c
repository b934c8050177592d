/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"

int
sa_stream_open(struct sa_stream *s, int dirfd, const char *name,
    struct sa_err *err)
{
	*s = (struct sa_stream){ .fd = -1 };
	s->fd = openat(dirfd, name,
	    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
	    0640);
	if (s->fd < 0 || fchmod(s->fd, 0640) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot open '%s'",
		    name);
	return 0;
}

/* How much is to stay free for what the driver writes until we look again: as
 * much as three times what it just wrote, forgotten slowly. */
static off_t
room(struct sa_stream *s, off_t size, off_t max)
{
	off_t grown = 3 * (size - s->seen);

	s->room = s->room == 0 ? max / 2 : s->room - s->room / 16;
	s->seen = size;
	if (s->room < grown)
		s->room = grown;
	if (s->room < max / 8)
		s->room = max / 8;
	if (s->room > max - max / 4)
		s->room = max - max / 4;
	return s->room;
}

void
sa_stream_bound(struct sa_stream *s, long long max)
{
	struct stat sb;

	if (s->whole || fstat(s->fd, &sb) < 0)
		return;
	off_t limit = max - room(s, sb.st_size, max);
	if (sb.st_size - s->cut <= limit)
		return;
	/* whole blocks, or what is left of one would read as zeros */
	off_t cut = sb.st_size - (limit - limit / 4);
	cut -= cut % (sb.st_blksize > 0 ? sb.st_blksize : 4096);
	if (cut <= s->cut)
		return;
	if (fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, s->cut,
		cut - s->cut) == 0)
		s->cut = cut;
	else if (errno == EOPNOTSUPP || errno == ENOSYS) {
		s->whole = true;
		sa_warn("this file system cannot punch holes: the driver's "
			"output is kept whole");
	}
}

struct sentence {
	enum sa_master_kind kind;
	const char *logger, *text;
	const char *state; /* NULL: in brackets behind the id */
	const char *behind;
	/* where anybody's words stand before the id: what comes after them;
	 * the last one counts */
	const char *before;
};

static const struct sentence submission = { SA_MASTER_STANDALONE, NULL,
	SA_ID_LINE, "SUBMITTED", "", NULL };

static const struct sentence sentences[] = {
	{ SA_MASTER_YARN, "Client", "Application ID is assigned: ", "SUBMITTED",
	    "", NULL },
	{ SA_MASTER_YARN, "Client", "Submitting application ", "SUBMITTED", "",
	    NULL },
	{ SA_MASTER_YARN, "YarnClientImpl", "Submitted application ",
	    "SUBMITTED", "", NULL },
	{ SA_MASTER_YARN, "Client", "Application report for ", NULL,
	    " (state: ", NULL },
	{ SA_MASTER_YARN, "YarnClientSchedulerBackend", "Application ",
	    "RUNNING", " has started running", NULL },
	{ SA_MASTER_STANDALONE, "StandaloneSchedulerBackend",
	    "Connected to Spark cluster with app ID ", "RUNNING", "", NULL },
	{ SA_MASTER_KUBERNETES, "Client", "Deployed Spark application ",
	    "SUBMITTED", " and submission ID ", " with application ID " },
	{ SA_MASTER_KUBERNETES, "Client", "Waiting for application ",
	    "SUBMITTED", " and submission ID ", " with application ID " },
};

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* The length of an id of this kind of master, 0 where there is none. */
static size_t
id_length(enum sa_master_kind kind, const char *s)
{
	size_t n;

	if (kind == SA_MASTER_YARN) {
		static const char head[] = "application_";
		if (!starts(s, head))
			return 0;
		n = sizeof(head) - 1;
		size_t stamp = strspn(s + n, "0123456789");
		if (stamp == 0 || s[n + stamp] != '_')
			return 0;
		size_t count = strspn(s + n + stamp + 1, "0123456789");
		n = count > 0 ? n + stamp + 1 + count : 0;
	} else {
		/* its form can be configured */
		for (n = 0; isalnum((unsigned char)s[n]) || s[n] == '-' ||
		     s[n] == '_' || s[n] == '.';)
			n++;
	}
	if (isalnum((unsigned char)s[n]) || s[n] == '_' || n >= SA_APP_ID_SIZE)
		return 0;
	return n;
}

static int
rank(const char *state)
{
	static const char *const states[] = { "SUBMITTED", "ACCEPTED",
		"RUNNING" };

	for (int i = 0; i < 3; i++)
		if (state != NULL && strcmp(states[i], state) == 0)
			return i;
	return -1;
}

/* The state's own constant for what a report has in brackets, or NULL. */
static const char *
reported_state(const char *s)
{
	if (starts(s, "ACCEPTED)"))
		return "ACCEPTED";
	return starts(s, "RUNNING)") ? "RUNNING" : NULL;
}

static const char *
behind_last(const char *s, const char *words)
{
	const char *at = NULL;

	while ((s = strstr(s, words)) != NULL)
		at = s += strlen(words);
	return at;
}

static bool
take(struct sa_id_scan *scan, const struct sentence *one, const char *message)
{
	const char *id = message + strlen(one->text);

	if (one->before != NULL && (id = behind_last(id, one->before)) == NULL)
		return false;
	size_t n = id_length(one->kind, id);
	const char *state = one->state;

	if (n == 0 || !starts(id + n, one->behind))
		return false;
	if (state == NULL)
		state = reported_state(id + n + strlen(one->behind));
	bool first = *scan->id == '\0';
	if (!first && (strlen(scan->id) != n || !starts(id, scan->id)))
		return false;
	memcpy(scan->id, id, n);
	scan->id[n] = '\0';
	if (rank(state) <= rank(scan->state))
		return first;
	scan->state = state;
	return true;
}

/* logger is the name's last part, as long as logger_len says. */
static bool
take_message(struct sa_id_scan *scan, const char *logger, size_t logger_len,
    const char *message)
{
	static const char context[] = "SparkContext";

	if (logger_len == sizeof(context) - 1 &&
	    memcmp(logger, context, logger_len) == 0 &&
	    starts(message, "Running Spark version "))
		scan->context = true;
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		const struct sentence *one = &sentences[i];
		if (one->kind == scan->kind &&
		    strlen(one->logger) == logger_len &&
		    memcmp(one->logger, logger, logger_len) == 0 &&
		    starts(message, one->text))
			return take(scan, one, message);
	}
	return false;
}

static bool
take_json(struct sa_id_scan *scan, const char *line)
{
	json_auto_t *j = NULL;

	if (sa_json_parse(line, strlen(line), "line", &j, NULL) < 0)
		return false;
	const char *logger = sa_json_str(j, "logger");
	const char *message = sa_json_str(j, "msg");
	if (logger == NULL || message == NULL)
		return false;
	const char *dot = strrchr(logger, '.');
	logger = dot != NULL ? dot + 1 : logger;
	return take_message(scan, logger, strlen(logger), message);
}

bool
sa_id_scan_line(struct sa_id_scan *scan, const char *line)
{
	if (*line == '{')
		return take_json(scan, line);
	if (scan->kind == submission.kind && starts(line, submission.text))
		return take(scan, &submission, line);
	/* "... LEVEL package.Logger: message": the first ": " ends the name,
	 * and times have no blank behind their colons */
	const char *end = strstr(line, ": ");
	if (end == NULL)
		return false;
	const char *name = end;
	while (name > line && isalnum((unsigned char)name[-1]))
		name--;
	return take_message(scan, name, (size_t)(end - name), end + 2);
}

static bool
take_bytes(struct sa_id_scan *scan, const char *p, size_t n)
{
	bool changed = false;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\n') {
			scan->line[scan->len] = '\0';
			if (!scan->skip && sa_id_scan_line(scan, scan->line))
				changed = true;
			scan->skip = false;
			scan->len = 0;
		} else if (scan->len + 1 == sizeof(scan->line))
			scan->skip = true;
		else
			scan->line[scan->len++] = p[i] != '\0' ? p[i] : ' ';
	}
	return changed;
}

bool
sa_id_scan_more(struct sa_id_scan *scan)
{
	char chunk[8192];
	bool changed = false;
	ssize_t n;

	while ((n = pread(scan->fd, chunk, sizeof(chunk), scan->at)) > 0) {
		scan->at += n;
		if (take_bytes(scan, chunk, (size_t)n))
			changed = true;
	}
	return changed;
}
