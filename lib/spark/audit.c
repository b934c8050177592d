/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"

#define DIR_NAME "audit"
#define SUFFIX ".jsonl"
/* A line is far below this: ids and hashes, names, and a note that is cut. */
#define LINE_BYTES 16384
#define NOTE_BYTES 2048
/* The reviewer, who is another user of the group, appends too. */
#define FILE_MODE 0660

static const char no_hash[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* Where the chain stands: what the next line follows. */
struct chain {
	json_int_t seq;
	char hash[SA_SHA256_SIZE];
};

static void
chain_start(struct chain *c)
{
	c->seq = 0;
	strlcpy(c->hash, no_hash, sizeof(c->hash));
}

/* What the user is called; the number where nobody knows. */
static void
set_user(json_t *actor, uid_t uid)
{
	struct passwd pw, *found = NULL;
	char space[4096], number[24];

	snprintf(number, sizeof(number), "%ld", (long)uid);
	if (getpwuid_r(uid, &pw, space, sizeof(space), &found) != 0)
		found = NULL;
	sa_json_set_str(actor, "user", found ? found->pw_name : number);
}

static void
set_login_uid(json_t *actor)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(64);
	const char *why = "unset";
	long long uid = -1;

	if (sa_io_read_file(AT_FDCWD, "/proc/self/loginuid", &b, "loginuid",
		NULL) == 0)
		uid = strtonum(sa_buf_str(&b), 0, UINT32_MAX - 1LL, &why);
	json_object_set_new(actor, "login_uid",
	    why == NULL ? json_integer(uid) : json_null());
}

json_t *
sa_audit_actor(const struct sa_settings *s)
{
	json_t *actor = json_object();
	char tty[256];
	bool found = false;

	for (int fd = 0; fd < 3 && !found; fd++)
		found = ttyname_r(fd, tty, sizeof(tty)) == 0;
	json_object_set_new(actor, "uid", json_integer(geteuid()));
	set_user(actor, geteuid());
	sa_json_set_str(actor, "tty", found ? tty : NULL);
	sa_json_set_str(actor, "origin", sa_origin_name(sa_settings_origin(s)));
	set_login_uid(actor);
	sa_json_set_str(actor, "sudo_user", getenv("SUDO_USER"));
	return actor;
}

/* Of a record without its member hash. */
static void
hash_of(const json_t *record, char out[SA_SHA256_SIZE])
{
	json_auto_t *copy = json_copy((json_t *)(uintptr_t)record);

	json_object_del(copy, "hash");
	cleanup_free char *text = sa_json_canonical(copy);
	sa_hash_sha256(text, strlen(text), out);
}

/* NULL where the line follows the chain, which it then extends; else why not.
 * *out (may be NULL) gets the record. */
static const char *
follow(struct chain *c, const char *line, size_t len, json_t **out)
{
	json_auto_t *record = NULL;
	char hash[SA_SHA256_SIZE];

	if (sa_json_parse(line, len, "line", &record, NULL) < 0 ||
	    sa_json_check_record(record, "audit", false, "line", NULL) < 0)
		return "it is no audit record";
	const char *said = sa_json_str(record, "hash");
	const char *prev = sa_json_str(record, "prev");
	hash_of(record, hash);
	if (said == NULL || strcmp(said, hash) != 0)
		return "its hash is not that of its content";
	if (prev == NULL || strcmp(prev, c->hash) != 0)
		return "it does not follow the line before it";
	if (sa_json_int(record, "seq", -1) != c->seq + 1)
		return "its seq is not the next one";
	c->seq++;
	strlcpy(c->hash, hash, sizeof(c->hash));
	if (out != NULL)
		*out = sa_steal(&record);
	return NULL;
}

/*
 * Reads the lines of one month. get() gives false to stop. A file that cannot
 * be read is an error; a line over LINE_BYTES is handed on cut, and so never
 * parses.
 */
typedef bool line_fn(void *arg, size_t number, const char *line, size_t len,
    bool whole);

static int
each_line(const struct sa_store *st, const char *month, line_fn *get, void *arg,
    struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf("%s%s", month, SUFFIX);
	cleanup_fd int dir = sa_store_dir(st, DIR_NAME, false, err);
	if (dir < 0)
		return -1;
	int fd = sa_path_open_beneath(dir, rel, O_RDONLY, 0);
	cleanup_file FILE *f = fd >= 0 ? fdopen(fd, "re") : NULL;
	if (f == NULL) {
		int saved = errno;
		if (fd >= 0)
			close(fd);
		return sa_err_errno(err, SA_IO, saved, "cannot open '%s/%s/%s'",
		    sa_store_path(st), DIR_NAME, rel);
	}
	cleanup_free char *line = sa_xmalloc(LINE_BYTES);
	size_t len = 0, number = 1;
	int c;
	while ((c = getc_unlocked(f)) != EOF) {
		if (c != '\n') {
			if (len < LINE_BYTES)
				line[len++] = (char)c;
			continue;
		}
		if (!get(arg, number++, line, len, true))
			return 0;
		len = 0;
	}
	if (ferror(f))
		return sa_err_errno(err, SA_IO, errno, "cannot read '%s'", rel);
	if (len > 0)
		get(arg, number, line, len, false);
	return 0;
}

/* What the last line of a file is, read from its end. */
struct tail {
	char text[2 * LINE_BYTES + 2];
	off_t size;
	const char *line, *torn; /* borrowed from text; NULL for none */
	size_t line_len, torn_len;
};

static int
read_tail(int fd, struct tail *t, struct sa_err *err)
{
	struct stat sb;

	if (fstat(fd, &sb) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot stat the audit");
	t->size = sb.st_size;
	off_t at = t->size > (off_t)sizeof(t->text)
	    ? t->size - (off_t)sizeof(t->text)
	    : 0;
	ssize_t n = pread(fd, t->text, sizeof(t->text), at);
	if (n < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot read the audit");
	const char *end = t->text + n,
		   *last = memrchr(t->text, '\n', (size_t)n);
	t->line = t->torn = NULL;
	const char *rest = last != NULL ? last + 1 : t->text;
	if (rest < end) {
		t->torn = rest;
		t->torn_len = (size_t)(end - rest);
	}
	if (last != NULL) {
		const char *before =
		    memrchr(t->text, '\n', (size_t)(last - t->text));
		t->line = before != NULL ? before + 1 : t->text;
		t->line_len = (size_t)(last - t->line);
	}
	return 0;
}

/* Takes a line's seq and hash as they are said, if it is a record at all. */
static bool
take(struct chain *c, const char *line, size_t len)
{
	json_auto_t *record = NULL;
	char hash[SA_SHA256_SIZE];

	if (sa_json_parse(line, len, "line", &record, NULL) < 0)
		return false;
	const char *said = sa_json_str(record, "hash");
	hash_of(record, hash);
	if (said == NULL || strcmp(said, hash) != 0)
		return false;
	c->seq = sa_json_int(record, "seq", 0);
	strlcpy(c->hash, hash, sizeof(c->hash));
	return true;
}

/* The end of the chain as a whole file tells it: the last good line. */
static bool
take_last(void *arg, size_t number, const char *line, size_t len, bool whole)
{
	(void)number;
	(void)whole;
	take(arg, line, len);
	return true;
}

/*
 * Where the chain ends in this file, from its last line; where that is none
 * of ours, from the last line that is. *note (SA_XMALLOC) says what had to be
 * repaired, or is NULL.
 */
static int
find_end(const struct sa_store *st, const char *month, int fd, struct chain *c,
    char **note, struct sa_err *err)
{
	cleanup_free struct tail *t = sa_xmalloc(sizeof(*t));

	*note = NULL;
	if (read_tail(fd, t, err) < 0)
		return -1;
	if (t->torn == NULL &&
	    (t->line == NULL || take(c, t->line, t->line_len)))
		return 0;
	if (t->torn != NULL) {
		*note = sa_xasprintf("the last line was torn after %zu bytes",
		    t->torn_len);
		if (sa_io_write_fd(fd, "\n", 1, "the audit", err) < 0)
			return -1;
		if (take(c, t->torn, t->torn_len) || t->line == NULL ||
		    take(c, t->line, t->line_len))
			return 0;
	} else {
		*note = sa_xstrdup("the last line was no record of the chain");
	}
	return each_line(st, month, take_last, c, err);
}

/* One line at the end of fd, synced; taken back where it did not fit. */
static int
append(int fd, const json_t *record, struct sa_err *err)
{
	cleanup_free char *text = sa_json_canonical(record);
	size_t len = strlen(text);
	off_t end = lseek(fd, 0, SEEK_END);

	text[len++] = '\n'; /* bytes, not a string, from here on */
	if (sa_io_write_fd(fd, text, len, "the audit", err) < 0) {
		if (end >= 0 && ftruncate(fd, end) < 0)
			sa_debug("a torn audit line stays: errno %d", errno);
		return -1;
	}
	if (fsync(fd) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot sync the audit");
	return 0;
}

/* Adds one record to the chain. */
static int
extend(int fd, struct chain *c, const struct sa_settings *s, const char *event,
    const char *id, const char *plan_sha256, const char *note,
    struct sa_err *err)
{
	json_auto_t *record = sa_json_record("audit");
	char at[SA_TIME_SIZE];

	sa_clock_now(at);
	json_object_set_new(record, "seq", json_integer(c->seq + 1));
	sa_json_set_str(record, "at", at);
	json_object_set_new(record, "actor", sa_audit_actor(s));
	sa_json_set_str(record, "event", event);
	sa_json_set_str(record, "id", id);
	sa_json_set_str(record, "plan_sha256", plan_sha256);
	cleanup_free char *short_note =
	    note != NULL ? sa_xstrndup(note, strnlen(note, NOTE_BYTES)) : NULL;
	sa_json_set_str(record, "note", short_note);
	sa_json_set_str(record, "prev", c->hash);
	hash_of(record, c->hash);
	sa_json_set_str(record, "hash", c->hash);
	if (append(fd, record, err) < 0)
		return -1;
	c->seq++;
	return 0;
}

/* The name of the file to write to: this month's, or the last one where the
 * clock went back over a month's end. *last is the newest one there is. */
static int
choose_month(const struct sa_store *st, char month[8], char **last,
    struct sa_err *err)
{
	char now[SA_TIME_SIZE];
	struct sa_names names;

	sa_clock_now(now);
	snprintf(month, 8, "%.7s", now);
	if (sa_store_names(st, DIR_NAME, SUFFIX, true, &names, err) < 0)
		return -1;
	*last = names.n > 0 ? sa_xstrdup(names.v[0]) : NULL;
	sa_names_free(&names);
	if (*last != NULL && strcmp(*last, month) > 0)
		strlcpy(month, *last, 8);
	return 0;
}

static int
open_month(int dir, const char *month, bool create, struct sa_err *err)
{
	cleanup_free char *name = sa_xasprintf("%s%s", month, SUFFIX);
	const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(dir, name, flags);

	if (fd < 0 && errno == ENOENT && create) {
		fd = openat(dir, name, O_CREAT | O_EXCL | flags, 0600);
		if (fd >= 0 &&
		    (fchmod(fd, FILE_MODE) < 0 ||
			sa_io_fsync_dir(dir, "the audit", err) < 0)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0)
		sa_err_errno(err, SA_IO, errno, "cannot open 'audit/%s'", name);
	return fd;
}

int
sa_audit_add(const struct sa_store *st, const struct sa_settings *s,
    const char *event, const char *id, const char *plan_sha256,
    const char *note, struct sa_err *err)
{
	cleanup_fd int dir = sa_store_dir(st, DIR_NAME, true, err);
	cleanup_free char *last = NULL, *repaired = NULL;
	struct chain c;
	char month[8];

	if (dir < 0)
		return -1;
	cleanup_fd int lock =
	    sa_io_lock(dir, ".lock", SA_LOCK_WAIT_MS, "the audit", err);
	if (lock < 0 || choose_month(st, month, &last, err) < 0)
		return -1;
	chain_start(&c);
	if (last != NULL) {
		cleanup_fd int old = open_month(dir, last, false, err);
		if (old < 0 || find_end(st, last, old, &c, &repaired, err) < 0)
			return -1;
	}
	cleanup_fd int fd = open_month(dir, month, true, err);
	if (fd < 0 ||
	    (repaired != NULL &&
		extend(fd, &c, s, "recovered", NULL, NULL, repaired, err) < 0))
		return -1;
	return extend(fd, &c, s, event, id, plan_sha256, note, err);
}

struct listing {
	struct sa_lister *l;
	json_int_t after;
	bool more;
};

static bool
list_line(void *arg, size_t number, const char *line, size_t len, bool whole)
{
	struct listing *g = arg;
	json_auto_t *record = NULL;
	char token[24];

	(void)number;
	(void)whole;
	if (sa_json_parse(line, len, "line", &record, NULL) < 0) {
		sa_warn("skipped a line of the audit that is no record");
		return true;
	}
	json_int_t seq = sa_json_int(record, "seq", 0);
	if (seq <= g->after)
		return true;
	snprintf(token, sizeof(token), "%012lld", (long long)seq);
	g->more = sa_list_add(g->l, token, record, line, len);
	return g->more;
}

int
sa_audit_list(const struct sa_store *st, struct sa_cli *cli, struct sa_err *err)
{
	static const struct sa_column columns[] = { { "SEQ", "seq" },
		{ "AT", "at" }, { "USER", "actor.user" }, { "EVENT", "event" },
		{ "ID", "id" }, { "NOTE", "note" }, { NULL, NULL } };
	struct listing g = { .after = 0, .more = true };
	const char *after = sa_cli_str(cli, "after"), *why = NULL;
	struct sa_names names;

	if (after != NULL)
		g.after = strtonum(after, 0, INT64_MAX, &why);
	if (why != NULL)
		return sa_err_set(err, SA_INVALID,
		    "'%s' is not the \"next\" of an audit list", after);
	if (sa_store_names(st, DIR_NAME, SUFFIX, false, &names, err) < 0)
		return -1;
	g.l = sa_list_begin(cli, "audit", columns);
	int rc = 0;
	for (size_t i = 0; i < names.n && rc == 0 && g.more; i++)
		rc = each_line(st, names.v[i], list_line, &g, err);
	sa_names_free(&names);
	int code = sa_list_end(g.l);
	return rc < 0 ? -1 : code;
}

struct verification {
	struct chain chain;
	size_t lines;
	char pending[128]; /* why a line is broken, until a "recovered" line */
	size_t pending_line;
	bool broken;
};

/* A broken line is forgiven where the next one is a good "recovered". */
static bool
verify_line(void *arg, size_t number, const char *line, size_t len, bool whole)
{
	struct verification *v = arg;
	json_auto_t *record = NULL;
	const char *why = follow(&v->chain, line, len, &record);

	v->lines++;
	if (why == NULL && whole) {
		const char *event = sa_json_str(record, "event");
		bool recovered =
		    event != NULL && strcmp(event, "recovered") == 0;
		v->broken = v->pending_line != 0 && !recovered;
		if (!v->broken)
			v->pending_line = 0;
		return !v->broken;
	}
	if (v->pending_line == 0) {
		v->pending_line = number;
		strlcpy(v->pending, whole ? why : "it is torn",
		    sizeof(v->pending));
		return true;
	}
	v->broken = true;
	return false;
}

static json_t *
check_item(const char *month, const struct verification *v)
{
	json_t *item = json_object();
	cleanup_free char *name = sa_xasprintf("%s%s", month, SUFFIX);
	cleanup_free char *detail = v->broken
	    ? sa_xasprintf("line %zu: %s", v->pending_line, v->pending)
	    : sa_xasprintf("%zu lines, up to seq %lld with hash %s", v->lines,
		  (long long)v->chain.seq, v->chain.hash);

	sa_json_set_str(item, "name", name);
	json_object_set_new(item, "ok", json_boolean(!v->broken));
	sa_json_set_str(item, "detail", detail);
	sa_json_set_str(item, "hint",
	    v->broken ? "compare with the copy that is kept elsewhere" : NULL);
	return item;
}

int
sa_audit_verify(const struct sa_store *st, json_t **out, struct sa_err *err)
{
	json_auto_t *check = sa_json_record("check");
	json_auto_t *items = json_array();
	struct verification v = { .lines = 0 };
	struct sa_names names;
	int rc = 0;

	if (sa_store_names(st, DIR_NAME, SUFFIX, false, &names, err) < 0)
		return -1;
	chain_start(&v.chain);
	for (size_t i = 0; i < names.n && rc == 0 && !v.broken; i++) {
		v.lines = 0;
		rc = each_line(st, names.v[i], verify_line, &v, err);
		/* nothing behind it: nobody has recovered it */
		if (v.pending_line != 0)
			v.broken = true;
		if (rc == 0)
			json_array_append_new(items,
			    check_item(names.v[i], &v));
	}
	sa_names_free(&names);
	if (rc < 0)
		return -1;
	sa_json_set_str(check, "what", "audit");
	json_object_set_new(check, "ok", json_boolean(!v.broken));
	json_object_set(check, "items", items);
	*out = sa_steal(&check);
	return v.broken ? sa_kind_info(SA_NO)->code : 0;
}
