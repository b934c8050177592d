/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/term.h"
#include "base/text.h"
#include "sandbox/fileops.h"

/* The record of a file, to which the verbs add what they know. */
static json_t *
file_record(const struct sandbox *s, const char *path)
{
	json_t *j = sa_json_record("sandbox_file");

	sa_json_set_str(j, "sandbox", s->name);
	sa_json_set_str(j, "path", path);
	return j;
}

/* "17B", "1.2KB", "5.0MB". */
static void
human_size(double bytes, char *out, size_t size)
{
	if (bytes < 1024)
		snprintf(out, size, "%.0fB", bytes);
	else if (bytes < 1024 * 1024)
		snprintf(out, size, "%.1fKB", bytes / 1024);
	else
		snprintf(out, size, "%.1fMB", bytes / (1024 * 1024));
}

/* The part of a text that is shown: whole lines from one on. */
struct part {
	size_t begin, end; /* bytes */
	long long first, lines, all;
};

static size_t
line_end(const struct sa_buf *b, size_t at)
{
	const char *nl = memchr(b->s + at, '\n', b->len - at);

	return nl != NULL ? (size_t)(nl + 1 - b->s) : b->len;
}

static int
too_long(long long line, struct sa_err *err)
{
	char size[32];

	human_size(SA_BOX_OUTPUT, size, sizeof(size));
	sa_err_set(err, SA_INVALID,
	    "line %lld is longer than the %s that are read at once", line,
	    size);
	return sa_err_hint(err,
	    "take a part of it with a command in the sandbox, such as cut, "
	    "head -c or sed");
}

/* From line first on, at most limit lines and SA_BOX_OUTPUT bytes. */
static int
find_part(const struct sa_buf *b, long long first, long long limit,
    struct part *part, struct sa_err *err)
{
	*part = (struct part){ .first = first };
	for (size_t at = 0, end; at < b->len; at = end) {
		end = line_end(b, at);
		part->all++;
		bool next = part->all == first + part->lines;
		if (!next || part->lines == limit)
			continue;
		if (part->lines == 0)
			part->begin = part->end = at;
		if (end - part->begin > SA_BOX_OUTPUT) {
			if (part->lines == 0)
				return too_long(first, err);
			limit = part->lines;
			continue;
		}
		part->lines++;
		part->end = end;
	}
	return 0;
}

static json_t *
part_record(const struct sandbox *s, const char *path, const struct sa_buf *b,
    const struct part *part)
{
	json_t *j = file_record(s, path);
	long long next = part->first + part->lines;
	cleanup_free char *text =
	    sa_text_utf8(sa_buf_str(b) + part->begin, part->end - part->begin);

	json_object_set_new(j, "size", json_integer((json_int_t)b->len));
	json_object_set_new(j, "content", json_string(text));
	json_object_set_new(j, "lines", json_integer(part->all));
	json_object_set_new(j, "first_line", json_integer(part->first));
	json_object_set_new(j, "next",
	    part->lines > 0 && next <= part->all ? json_integer(next)
						 : json_null());
	return j;
}

/* The part as one text, as models read it. */
static void
put_part(const json_t *record)
{
	const char *text = sa_json_str(record, "content");
	long long next = sa_json_int(record, "next", 0);
	long long all = sa_json_int(record, "lines", 0);
	long long first = sa_json_int(record, "first_line", 1);
	size_t n = strlen(text);

	if (first > all && (all > 0 || first > 1))
		printf("(no lines at offset %lld; file has %lld lines)\n",
		    first, all);
	sa_term_put(stdout, text, n);
	if (n > 0 && text[n - 1] != '\n')
		putchar('\n');
	if (next > 0)
		printf("[... %lld more line%s; read on with offset=%lld]\n",
		    all - next + 1, all == next ? "" : "s", next);
}

int
sandbox_read(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	const char *path = sa_cli_operands(cli)->v[1];
	const char *size = sa_cli_str(cli, "max-size");
	bool text = sa_cli_flag(cli, "text");
	long long max = SA_BOX_READ;
	struct part part;

	if (size != NULL && sa_spec_size("--max-size", size, &max, err) < 0)
		return -1;
	if (max > SANDBOX_TEXT)
		return sa_err_set(err, SA_INVALID,
		    "--max-size '%s' is over the %d bytes that are read at "
		    "once",
		    size, SANDBOX_TEXT);
	cleanup_buf struct sa_buf b = SA_BUF_INIT((size_t)max);
	if (sandbox_subject(cli, &s, err) < 0 ||
	    sa_box_read(s.b, s.box, path, max, &b, err) < 0)
		return sandbox_failed(&s, err);
	if (!text && !sa_cli_flag(cli, "json") && sa_cli_request(cli) == NULL) {
		sa_term_put(stdout, sa_buf_str(&b), b.len);
		return 0;
	}
	if (find_part(&b, sa_cli_int(cli, "offset", 1),
		sa_cli_int(cli, "limit", SA_BOX_LINES), &part, err) < 0)
		return sandbox_failed(&s, err);
	json_auto_t *record = part_record(&s, path, &b, &part);
	if (text) {
		put_part(record);
		sandbox_note(&s);
	} else
		sa_cli_answer(cli, record, NULL);
	return 0;
}

/* A descriptor that the text can be read from. */
static int
fd_of_text(const char *text, struct sa_err *err)
{
	cleanup_fd int fd = memfd_create("content", MFD_CLOEXEC);

	if (fd < 0 || sa_io_write_fd(fd, text, strlen(text), "it", err) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)
		return sa_err_set(err, SA_IO,
		    "cannot keep what is to be written");
	int out = fd;
	fd = -1;
	return out;
}

static void
written_text(FILE *f, const json_t *record)
{
	cleanup_free char *path = sa_text_visible(sa_json_str(record, "path"));

	fprintf(f, "Wrote %lld bytes to '%s'.\n",
	    (long long)sa_json_int(record, "bytes_written", 0), path);
}

/* The sandbox; a record on stdin cannot tell, the content is there. */
static int
open_to_write(struct sa_cli *cli, struct sandbox *s, struct sa_err *err)
{
	const char *name = sa_cli_operands(cli)->v[0];

	if (sa_cli_flag(cli, "session"))
		return sandbox_of_session(cli, s, err);
	return sandbox_open(cli, name, sa_cli_str(cli, "holder"), s, err);
}

int
sandbox_write(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	const struct sa_strings *words = sa_cli_operands(cli);
	const char *content = sa_cli_str(cli, "content");
	bool request = sa_cli_request(cli) != NULL;
	long long written = 0;

	if (request && content == NULL)
		return sa_err_set(err, SA_INVALID,
		    "request: a member is missing, expected: content");
	if (!request && strcmp(words->v[0], "-") == 0)
		return sa_err_set(err, SA_USAGE,
		    "write wants the name of a sandbox: stdin is the content");
	if (!request && isatty(STDIN_FILENO))
		sa_cli_say(cli, "reading the content from the terminal");
	if (open_to_write(cli, &s, err) < 0)
		return -1;
	cleanup_fd int fd = request ? fd_of_text(content, err)
				    : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return request ? -1
			       : sa_err_set(err, SA_IO, "cannot read stdin");
	if (sa_box_write(s.b, s.box, words->v[1], fd, &written, err) < 0)
		return sandbox_failed(&s, err);
	json_auto_t *record = file_record(&s, words->v[1]);
	json_object_set_new(record, "bytes_written", json_integer(written));
	if (sa_cli_flag(cli, "text")) {
		written_text(stdout, record);
		sandbox_note(&s);
	} else
		sa_cli_answer(cli, record, written_text);
	return 0;
}

static int
add_entry(const struct sa_entry *e, void *ctx, struct sa_err *err)
{
	json_t *entry = json_object();

	(void)err;
	sa_json_set_str(entry, "name", e->name);
	json_object_set_new(entry, "is_dir", json_boolean(e->is_dir));
	json_array_append_new(ctx, entry);
	return 0;
}

static void
listing_text(FILE *f, const json_t *record)
{
	const json_t *entries = json_object_get(record, "entries"), *e;
	size_t i;

	if (json_array_size(entries) == 0)
		fprintf(f, "(empty)\n");
	json_array_foreach (entries, i, e) {
		cleanup_free char *name =
		    sa_text_visible(sa_json_str(e, "name"));
		fprintf(f, "%s%s\n", name,
		    sa_json_bool(e, "is_dir", false) ? "/" : "");
	}
}

/* The same for models, in the bounds of any output. */
static void
put_listing(const json_t *entries)
{
	const json_t *e;
	size_t i, bytes = 0;

	if (json_array_size(entries) == 0)
		printf("(empty)\n");
	json_array_foreach (entries, i, e) {
		cleanup_free char *name =
		    sa_text_visible(sa_json_str(e, "name"));
		bytes += strlen(name) + 2;
		if (i == SA_BOX_LINES || bytes > SA_BOX_OUTPUT)
			break;
		printf("%s%s\n", name,
		    sa_json_bool(e, "is_dir", false) ? "/" : "");
	}
	if (i < json_array_size(entries))
		printf("[... %zu more entries; list a part of them with a "
		       "shell command]\n",
		    json_array_size(entries) - i);
}

int
sandbox_ls(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	const struct sa_strings *words = sa_cli_operands(cli);
	const char *path = words->n > 1 ? words->v[1] : ".";
	json_auto_t *record = sa_json_record("sandbox_entries");
	json_t *entries = json_array();

	json_object_set_new(record, "entries", entries);
	if (sandbox_subject(cli, &s, err) < 0 ||
	    sa_box_list(s.b, s.box, path, add_entry, entries, err) < 0)
		return sandbox_failed(&s, err);
	sa_json_set_str(record, "sandbox", s.name);
	sa_json_set_str(record, "path", path);
	if (sa_cli_flag(cli, "text")) {
		put_listing(entries);
		sandbox_note(&s);
	} else
		sa_cli_answer(cli, record, listing_text);
	return 0;
}
