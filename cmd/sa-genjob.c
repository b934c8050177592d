/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/io.h"
#include "base/json.h"
#include "base/term.h"
#include "base/text.h"
#include "guard/guard.h"
#include "spark/jobfile.h"

/* The guard's findings for people: where, what, and the line itself. */
static void
explain(const struct sa_err *err, const struct sa_buf *code)
{
	if (err->detail == NULL)
		return;
	cleanup_free char *text =
	    sa_guard_text(err->detail, sa_buf_str(code), code->len);
	fputs(text, stderr);
}

static void
job_file_text(FILE *f, const json_t *record)
{
	cleanup_free char *path =
	    sa_text_visible(sa_json_str(record, "script_path"));
	const json_t *guard = sa_json_obj(record, "guard");

	fprintf(f, "%s\n", path);
	if (json_array_size(json_object_get(guard, "findings")) == 0)
		return;
	cleanup_free char *text = sa_guard_text(guard, NULL, 0);
	fputs(text, f);
}

/* The text that a verb works on: the request's member, --file, or stdin. */
static int
get_text(struct sa_cli *cli, const char *member, const char *file,
    struct sa_buf *b, struct sa_err *err)
{
	if (sa_cli_request(cli) != NULL) {
		const json_t *text =
		    json_object_get(sa_cli_request(cli), member);
		if (!json_is_string(text))
			return sa_err_set(err, SA_INVALID,
			    "request: the member %s is missing", member);
		/* the library says what the limit is */
		b->max = SA_RECORD_MAX;
		sa_buf_add(b, json_string_value(text),
		    json_string_length(text));
		return 0;
	}
	if (file != NULL) {
		cleanup_free char *name = sa_xasprintf("'%s'", file);
		return sa_io_read_file(AT_FDCWD, file, b, name, err);
	}
	if (isatty(STDIN_FILENO))
		sa_cli_say(cli, "reading from the terminal, end with ^D");
	if (sa_io_read_fd(STDIN_FILENO, b, "stdin", err) < 0)
		return -1;
	if (b->len > 0)
		return 0;
	sa_err_set(err, SA_INVALID,
	    "nothing came on stdin: the stage before failed");
	return sa_err_hint(err, "pipe the script in or name it");
}

static int
write_(struct sa_cli *cli, struct sa_err *err)
{
	const char *file = sa_cli_str(cli, "file");
	cleanup_buf struct sa_buf code = SA_BUF_INIT(SA_JOBFILE_MAX);
	json_auto_t *record = NULL;

	if (file != NULL && strcmp(file, "-") == 0)
		file = NULL;
	if (file == NULL && sa_cli_request(cli) == NULL &&
	    isatty(STDIN_FILENO)) {
		sa_err_set(err, SA_USAGE, "there is no script on stdin");
		return sa_err_hint(err,
		    "redirect it (sa-genjob < report.py) or give --file");
	}
	if (get_text(cli, "code", file, &code, err) < 0)
		return -1;
	if (sa_jobfile_write(sa_cli_settings(cli), sa_buf_str(&code), code.len,
		file != NULL			  ? file
		    : sa_cli_request(cli) != NULL ? "code"
						  : "-",
		&record, err) < 0) {
		explain(err, &code);
		return -1;
	}
	return sa_cli_answer(cli, record, job_file_text);
}

static int
read_(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_jobfile_part part = {
		.offset = sa_cli_int(cli, "offset", 0),
		.limit = sa_cli_int(cli, "limit", 0),
	};
	json_auto_t *record = NULL;
	cleanup_free char *path = NULL;

	if (sa_cli_subject(cli, "job_file,pending", "script_path", &path, NULL,
		err) < 0 ||
	    sa_jobfile_read(sa_cli_settings(cli), path, &part, &record, err) <
		0)
		return -1;
	/* a request is answered by a record: sa-mcp has no use for bytes */
	if (sa_cli_flag(cli, "json") || sa_cli_request(cli) != NULL)
		return sa_cli_answer(cli, record, NULL);
	const json_t *content = json_object_get(record, "content");
	sa_term_put(stdout, json_string_value(content),
	    json_string_length(content));
	return 0;
}

static int
update(struct sa_cli *cli, struct sa_err *err)
{
	const char *path = sa_cli_operands(cli)->v[0];
	cleanup_buf struct sa_buf content = SA_BUF_INIT(SA_JOBFILE_MAX);
	json_auto_t *record = NULL;

	if (get_text(cli, "content", NULL, &content, err) < 0)
		return -1;
	if (sa_jobfile_update(sa_cli_settings(cli), path, sa_buf_str(&content),
		content.len, sa_cli_str(cli, "expected-sha256"), &record,
		err) < 0) {
		explain(err, &content);
		return -1;
	}
	return sa_cli_answer(cli, record, job_file_text);
}

static int
list(struct sa_cli *cli, struct sa_err *err)
{
	return sa_jobfile_list(sa_cli_settings(cli), cli, err);
}

static const struct sa_verb verbs[] = {
	{ "write", "", 0, 0, SA_VERB_REQUEST, NULL,
	    "write the script on stdin to a new job file, if the guard lets "
	    "it",
	    write_ },
	{ "read", "[PATH]", 0, 1, SA_VERB_REQUEST, "path|script_path",
	    "print a file", read_ },
	{ "update", "PATH", 1, 1, SA_VERB_REQUEST, "path|script_path",
	    "put the text on stdin in place of a job file's", update },
	{ "list", "", 0, 0, SA_VERB_REQUEST, NULL,
	    "the job files, newest first", list },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "file", 'f', SA_OPT_STRING, 0, "write", "FILE",
	    "read the script from a file in place of stdin", 0, 0 },
	{ "code", 0, SA_OPT_STRING, SA_OPT_MEMBER, "write", "TEXT",
	    "the script of a request", 0, 0 },
	{ "content", 0, SA_OPT_STRING, SA_OPT_MEMBER, "update", "TEXT",
	    "the new text of a request", 0, 0 },
	{ "expected-sha256", 0, SA_OPT_STRING, SA_OPT_REQUEST, "update", "HASH",
	    "refuse where the file has another hash by now", 0, 0 },
	{ "offset", 0, SA_OPT_INT, SA_OPT_REQUEST, "read", "LINE",
	    "begin at this line, the first is 1", 1, 1000000000 },
	{ "limit", 'n', SA_OPT_INT, SA_OPT_REQUEST, "read,list", "N",
	    "at most N lines, or items", 1, 1000000 },
	{ "after", 0, SA_OPT_STRING, SA_OPT_REQUEST, "list", "TOKEN",
	    "go on behind this item, the \"next\" of a list", 0, 0 },
	{ "jsonl", 0, SA_OPT_FLAG, 0, "list", NULL,
	    "one item a line instead of one list", 0, 0 },
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = "sa-genjob",
	.summary = "Job files: scripts that the guard has let pass.",
	.verbs = verbs,
	.opts = opts,
	.otherwise = "write",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
