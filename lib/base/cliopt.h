/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CLIOPT_H
#define SA_CLIOPT_H

#include "base/cli.h"

/* The parsing half of base/cli.h; commands do not include this. */

struct sa_given {
	struct sa_strings values;
	long long number;
	bool flag;
	bool empty; /* a request gave an empty list or object */
};

struct sa_cli {
	const struct sa_command *command;
	const struct sa_verb *verb;
	bool verb_given;	/* it was the first word */
	struct sa_opt *opts;	/* the command's and the common ones */
	struct sa_given *given; /* one for each */
	size_t nopts;
	struct sa_strings operands;
	struct sa_settings *settings;
	json_t *request;
};

/* Takes the command line apart. SA_CLIOPT_RUN: the verb is to be run; 0:
 * all was said (--help and its like); -1 with err. */
#define SA_CLIOPT_RUN 1000
int sa_cliopt_parse(struct sa_cli *cli, int argc, char *argv[],
    struct sa_err *err);

/* The short usage. */
void sa_cliopt_usage(FILE *f, const struct sa_cli *cli);

void sa_cliopt_release(struct sa_cli *cli);

/* --help, --print-options and --print-completion (clihelp.c); the last gives
 * -1 for a shell that it does not know. */
void sa_clihelp_help(FILE *f, const struct sa_cli *cli);
void sa_clihelp_options(FILE *f, const struct sa_cli *cli);
int sa_clihelp_completion(FILE *f, const struct sa_cli *cli, const char *shell,
    struct sa_err *err);

/* Whether an option is one of a verb's. */
bool sa_cliopt_applies(const struct sa_opt *opt, const struct sa_verb *verb);

/* Adds a text to a list; it is copied. */
void sa_strings_add(struct sa_strings *s, const char *text);
void sa_strings_release(struct sa_strings *s);

#endif
