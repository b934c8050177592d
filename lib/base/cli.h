/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CLI_H
#define SA_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/settings.h"

/*
 * A command is two tables, verbs and options. They feed the parser, --help,
 * --request, the completions and the test that compares them with the page:
 *
 *	int
 *	main(int argc, char *argv[])
 *	{
 *		return sa_cli_main(&command, argc, argv);
 *	}
 *
 * Every command also has --help, --version, --json, --request (where a verb
 * has a request), the settings' options, --print-options and
 * --print-completion SHELL.
 */
enum sa_opt_type {
	SA_OPT_FLAG,   /* no argument; true or false in a request */
	SA_OPT_STRING, /* one; the last one given counts */
	SA_OPT_LIST,   /* repeatable; an array of scalars in a request */
	SA_OPT_MAP,    /* repeatable KEY=VALUE; an object in a request */
	SA_OPT_INT,    /* one whole number from min to max */
	SA_OPT_NUMBER  /* one number, as text; what it may be, run says */
};

enum sa_opt_flag {
	SA_OPT_REQUEST = 1 << 0, /* --request takes it too */
	SA_OPT_MEMBER = 1 << 1	 /* --request alone takes it */
};

struct sa_opt {
	const char *name; /* long name; a member has '_' for '-' */
	char letter;	  /* short name, 0 for none */
	enum sa_opt_type type;
	unsigned flags;
	const char *verbs; /* "save,show"; NULL for all */
	const char *arg;   /* metavariable */
	const char *help;
	long long min, max; /* of SA_OPT_INT */
};

struct sa_cli;

enum sa_verb_flag {
	SA_VERB_STOP = 1 << 0,	  /* the first operand ends the options */
	SA_VERB_REQUEST = 1 << 1, /* has a --request */
	SA_VERB_HIDDEN = 1 << 2,  /* internal: not in --help */
	SA_VERB_GAPS = 1 << 3	  /* an operand that a request leaves out in
				   * front of another is an empty one */
};

/*
 * run gives an exit code, or -1 with err set. Nothing must have gone to
 * stdout when it gives -1.
 */
struct sa_verb {
	const char *name;
	const char *operands; /* as --help shows them, "" for none */
	int min, max;	      /* how many; max -1 for no limit */
	unsigned flags;
	const char *member; /* request members that are operands, in order,
			     * alternatives with '|': "path|script_path" */
	const char *help;
	int (*run)(struct sa_cli *cli, struct sa_err *err);
};

struct sa_command {
	const char *name;
	const char *summary;
	const struct sa_verb *verbs; /* ends with a NULL name */
	const struct sa_opt *opts;   /* ends with a NULL name */
	/* The verb of a call without one; NULL: exit 64. at_terminal where
	 * stdin is a terminal and no operand is there, else otherwise. */
	const char *at_terminal, *otherwise;
};

/* Runs a command from sa_init to sa_finish; what main() returns. */
int sa_cli_main(const struct sa_command *command, int argc, char *argv[]);

/* What was given. A name that is not in the table is a bug and ends the
 * process with 70. All borrowed. */
struct sa_strings {
	char **v;
	size_t n;
};
const char *sa_cli_str(const struct sa_cli *cli, const char *name);
bool sa_cli_flag(const struct sa_cli *cli, const char *name);
long long sa_cli_int(const struct sa_cli *cli, const char *name,
    long long none);
/* Of a list or map: "KEY=VALUE" in the order given; a request's null value
 * is "KEY" alone. */
struct sa_strings sa_cli_list(const struct sa_cli *cli, const char *name);
bool sa_cli_given(const struct sa_cli *cli, const char *name);

const struct sa_strings *sa_cli_operands(const struct sa_cli *cli);
const struct sa_verb *sa_cli_verb(const struct sa_cli *cli);
const struct sa_settings *sa_cli_settings(const struct sa_cli *cli);
/* The request's object or NULL. */
const json_t *sa_cli_request(const struct sa_cli *cli);

/*
 * The record on stdin, of one of the comma-separated types. SA_USAGE where
 * stdin is a terminal, SA_INVALID where --request took it and did not name
 * the operand. At most SA_RECORD_MAX bytes.
 */
#define SA_RECORD_MAX (16 * 1024 * 1024)
int sa_cli_record(struct sa_cli *cli, const char *types, json_t **out,
    struct sa_err *err);

/*
 * What the verb is about: the id of operand 0, or of the record on stdin when
 * there is no operand (or it is "-"), by the first of the comma-separated id
 * members that the record has. record (may be NULL) gets the record, or NULL
 * where an operand was given. Caller frees both.
 */
int sa_cli_subject(struct sa_cli *cli, const char *types, const char *members,
    char **id, json_t **record, struct sa_err *err);

/* Whether a model is asking, through sa-mcp. Its answers are tidied (see
 * sa_json_for_agent): what clients take for a schema has no word for null. */
bool sa_cli_agent(const struct sa_cli *cli);

/* What an option is called where it was given: "--wait-seconds", or
 * "wait_seconds" of a request. Caller frees. */
char *sa_cli_called(const struct sa_cli *cli, const char *name);

/* Whether the answer is for a person: stdout is a terminal, no --json. */
bool sa_cli_human(const struct sa_cli *cli);

/* Writes an answer: one line of JSON, or text() at a terminal (the JSON,
 * indented, where text is NULL). Always 0; sa_finish sees lost writes. */
typedef void sa_text_fn(FILE *f, const json_t *record);
int sa_cli_answer(const struct sa_cli *cli, const json_t *record,
    sa_text_fn *text);

/* The command's own progress and results for people, on stderr: "NAME: ...",
 * control characters made visible. */
void sa_cli_say(const struct sa_cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Lists: {"v":1,"type":TYPE_list,"items":[...],"next":null}, --jsonl an item
 * a line, a table at a terminal. The command's table needs the rows of
 * SA_CLI_LIST_OPTS. Items come sorted by token; begin, then add until it
 * gives false, then end. Output over 64 MiB ends the page early.
 */
struct sa_column {
	const char *title;
	const char *member; /* "a.b" looks into an object */
};
#define SA_CLI_LIST_OPTS(verbs)                                           \
	{ "after", 0, SA_OPT_STRING, SA_OPT_REQUEST, verbs, "TOKEN",      \
		"go on behind this item, the \"next\" of a list", 0, 0 }, \
	    { "limit", 'n', SA_OPT_INT, SA_OPT_REQUEST, verbs, "N",       \
		    "at most N items", 1, 1000000 },                      \
	{                                                                 \
		"jsonl", 0, SA_OPT_FLAG, 0, verbs, NULL,                  \
		    "one item a line instead of one list", 0, 0           \
	}
struct sa_lister;
struct sa_lister *sa_list_begin(const struct sa_cli *cli, const char *type,
    const struct sa_column *columns);
/* Adds a record that stands at token. item is borrowed; raw, where not NULL,
 * is its compact text. false: the page is full, call sa_list_end. */
bool sa_list_add(struct sa_lister *l, const char *token, const json_t *item,
    const char *raw, size_t raw_len);
int sa_list_end(struct sa_lister *l);

/* For programs that are no table-driven command (sa-supervise). */
void sa_init(void);
int sa_finish(const char *name, int code);
/* Writes the line for people and, with SA_ERROR_FD, the object; gives the
 * exit code. */
int sa_report(const char *name, struct sa_err *err);

#endif
