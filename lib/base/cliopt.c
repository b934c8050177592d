/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/cliopt.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

/* Values of getopt_long for options without a letter. */
#define LONG_BASE 1000

static const struct sa_opt common[] = {
	{ "json", 0, SA_OPT_FLAG, 0, NULL, NULL,
	    "the JSON record at a terminal too", 0, 0 },
	{ "help", 'h', SA_OPT_FLAG, 0, NULL, NULL,
	    "this text on stdout, exit 0", 0, 0 },
	{ "version", 'V', SA_OPT_FLAG, 0, NULL, NULL,
	    "the version on stdout, exit 0", 0, 0 },
	{ "print-options", 0, SA_OPT_FLAG, 0, NULL, NULL,
	    "the option table: verb, option, letter, argument", 0, 0 },
	{ "print-completion", 0, SA_OPT_STRING, 0, NULL, "SHELL",
	    "completions for bash, zsh or fish", 0, 0 },
};
static const struct sa_opt request_opt = { "request", 0, SA_OPT_FLAG, 0, NULL,
	NULL, "read options and operands from stdin as one JSON object", 0, 0 };

void
sa_strings_add(struct sa_strings *s, const char *text)
{
	s->v = sa_xrealloc(s->v, s->n + 2, sizeof(*s->v));
	s->v[s->n++] = sa_xstrdup(text);
	s->v[s->n] = NULL;
}

void
sa_strings_release(struct sa_strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct sa_strings){ NULL, 0 };
}

bool
sa_cliopt_applies(const struct sa_opt *opt, const struct sa_verb *verb)
{
	const char *p = opt->verbs;
	size_t n = strlen(verb->name);

	if (p == NULL)
		return true;
	for (; (p = strstr(p, verb->name)) != NULL; p += n)
		if ((p == opt->verbs || p[-1] == ',') &&
		    (p[n] == '\0' || p[n] == ','))
			return true;
	return false;
}

static void
add_opt(struct sa_cli *cli, const struct sa_opt *opt)
{
	cli->opts = sa_xrealloc(cli->opts, cli->nopts + 1, sizeof(*cli->opts));
	cli->opts[cli->nopts++] = *opt;
}

/* The command's table, the common rows and the settings' options. */
static void
make_table(struct sa_cli *cli)
{
	const struct sa_command *c = cli->command;
	bool request = false;

	for (const struct sa_opt *o = c->opts; o->name != NULL; o++)
		add_opt(cli, o);
	for (const struct sa_verb *v = c->verbs; v->name != NULL; v++)
		request = request || (v->flags & SA_VERB_REQUEST);
	if (request)
		add_opt(cli, &request_opt);
	for (int id = 0; id < SA_SET_COUNT; id++) {
		const struct sa_setting_def *def =
		    sa_setting_def((enum sa_setting)id);
		if (def->option == NULL)
			continue;
		struct sa_opt o = { .name = def->option,
			.type = SA_OPT_STRING,
			.arg = def->arg,
			.help = def->meaning };
		add_opt(cli, &o);
	}
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		add_opt(cli, &common[i]);
	cli->given = sa_xcalloc(cli->nopts, sizeof(*cli->given));
}

static const struct sa_verb *
find_verb(const struct sa_command *c, const char *name)
{
	for (const struct sa_verb *v = c->verbs; v->name != NULL; v++)
		if (name != NULL && strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

/* Whether the option that word gives has its argument in the next word. */
static bool
takes_next(const struct sa_cli *cli, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < cli->nopts; i++) {
		const struct sa_opt *o = &cli->opts[i];
		if (o->type == SA_OPT_FLAG || (o->flags & SA_OPT_MEMBER))
			continue;
		if (strncmp(word, "--", 2) == 0 &&
		    strcmp(word + 2, o->name) == 0)
			return true;
		if (word[1] != '-' && o->letter != 0 &&
		    word[n - 1] == o->letter)
			return true;
	}
	return false;
}

/* Whether no word is an operand: which verb it is, is not known yet. */
static bool
only_options(const struct sa_cli *cli, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || argv[i][1] == '\0')
			return false;
		if (takes_next(cli, argv[i]))
			i++;
	}
	return true;
}

/* The verb: the first word where it is one, else the default. */
static int
choose_verb(struct sa_cli *cli, int *argc, char ***argv, struct sa_err *err)
{
	const struct sa_command *c = cli->command;

	if (*argc > 1 && (cli->verb = find_verb(c, (*argv)[1])) != NULL) {
		(*argv)[1] = (*argv)[0];
		(*argv)++;
		(*argc)--;
		cli->verb_given = true;
		return 0;
	}
	const char *name = c->at_terminal != NULL && isatty(STDIN_FILENO) &&
		only_options(cli, *argc, *argv)
	    ? c->at_terminal
	    : c->otherwise;
	cli->verb = find_verb(c, name);
	if (cli->verb != NULL)
		return 0;
	cli->verb = c->verbs;
	return sa_err_set(err, SA_USAGE, "a verb is missing");
}

/* One value of an option, from the command line or a request. */
static int
take(struct sa_cli *cli, size_t i, const char *text, struct sa_err *err)
{
	const struct sa_opt *o = &cli->opts[i];
	struct sa_given *g = &cli->given[i];
	const char *why;

	if (o->type == SA_OPT_FLAG) {
		g->flag = true;
		return 0;
	}
	if (o->type == SA_OPT_INT) {
		g->number = strtonum(text, o->min, o->max, &why);
		if (why != NULL) {
			cleanup_free char *shown = sa_text_visible(text);
			cleanup_free char *name = sa_cli_called(cli, o->name);
			return sa_err_set(err, SA_USAGE,
			    "%s '%s' is %s, expected a whole number from %lld "
			    "to %lld",
			    name, shown, why, o->min, o->max);
		}
	}
	const char *eq = strchr(text, '=');
	if (o->type == SA_OPT_MAP && (eq == NULL || eq == text)) {
		cleanup_free char *shown = sa_text_visible(text);
		return sa_err_set(err, SA_USAGE,
		    "--%s '%s' is not of the form %s", o->name, shown,
		    o->arg != NULL ? o->arg : "KEY=VALUE");
	}
	sa_strings_add(&g->values, text);
	return 0;
}

/* getopt_long's tables for one verb, from ours. */
struct tables {
	struct option *longs;
	struct sa_buf shorts;
};

static void
make_getopt(const struct sa_cli *cli, struct tables *t)
{
	size_t n = 0;

	t->longs = sa_xcalloc(cli->nopts + 1, sizeof(*t->longs));
	sa_buf_init(&t->shorts, SA_BUF_NOMAX);
	sa_buf_adds(&t->shorts, cli->verb->flags & SA_VERB_STOP ? "+:" : ":");
	for (size_t i = 0; i < cli->nopts; i++) {
		const struct sa_opt *o = &cli->opts[i];
		if ((o->flags & SA_OPT_MEMBER) ||
		    !sa_cliopt_applies(o, cli->verb))
			continue;
		t->longs[n++] = (struct option){ o->name,
			o->type == SA_OPT_FLAG ? no_argument
					       : required_argument,
			NULL, LONG_BASE + (int)i };
		if (o->letter != 0)
			sa_buf_addf(&t->shorts, "%c%s", o->letter,
			    o->type == SA_OPT_FLAG ? "" : ":");
	}
}

static size_t
by_letter(const struct sa_cli *cli, int letter)
{
	size_t i;

	for (i = 0; i < cli->nopts; i++)
		if (cli->opts[i].letter == letter &&
		    sa_cliopt_applies(&cli->opts[i], cli->verb))
			break;
	return i;
}

/* What getopt_long could not take. */
static int
bad_word(const struct sa_cli *cli, int what, char **argv, struct sa_err *err)
{
	cleanup_free char *word = sa_text_visible(argv[optind - 1]);

	if (what == ':')
		return sa_err_set(err, SA_USAGE,
		    "option '%s' wants an argument", word);
	if (optopt != 0 && optopt < LONG_BASE)
		return sa_err_set(err, SA_USAGE, "unknown option '-%c' for %s",
		    optopt, cli->verb->name);
	if (optopt >= LONG_BASE)
		return sa_err_set(err, SA_USAGE,
		    "option '%s' takes no argument", word);
	sa_err_set(err, SA_USAGE, "unknown option '%s' for %s", word,
	    cli->verb->name);
	size_t n = strcspn(word, "=");
	for (size_t i = 0; i < cli->nopts; i++) {
		const struct sa_opt *o = &cli->opts[i];
		if (o->verbs != NULL && n == strlen(o->name) + 2 &&
		    memcmp(word + 2, o->name, n - 2) == 0)
			sa_err_hint(err, "it is one of %s", o->verbs);
	}
	return -1;
}

static int
parse_words(struct sa_cli *cli, int argc, char **argv, struct sa_err *err)
{
	struct tables t;
	int ch, rc = 0;

	make_getopt(cli, &t);
	optind = 0;
	opterr = 0;
	while (rc == 0 &&
	    (ch = getopt_long(argc, argv, t.shorts.s, t.longs, NULL)) != -1) {
		if (ch == '?' || ch == ':')
			rc = bad_word(cli, ch, argv, err);
		else
			rc = take(cli,
			    ch >= LONG_BASE ? (size_t)(ch - LONG_BASE)
					    : by_letter(cli, ch),
			    optarg, err);
	}
	free(t.longs);
	sa_buf_release(&t.shorts);
	for (int i = optind; rc == 0 && i < argc; i++)
		sa_strings_add(&cli->operands, argv[i]);
	return rc;
}

/* Whether member is one of the '|' alternatives in the n bytes at names. */
static bool
is_alternative(const char *names, size_t n, const char *member)
{
	size_t len = strlen(member);

	for (const char *end = names + n; names < end;) {
		size_t k = strcspn(names, "|,");
		if (k == len && memcmp(names, member, k) == 0)
			return true;
		names += k + 1;
	}
	return false;
}

/* Which operand a request's member is, or -1. */
static int
operand_of(const struct sa_verb *verb, const char *member)
{
	const char *p = verb->member;

	for (int i = 0; p != NULL && *p != '\0'; i++) {
		size_t n = strcspn(p, ",");
		if (is_alternative(p, n, member))
			return i;
		p += n + (p[n] == ',');
	}
	return -1;
}

/* The option row of a request's member, or nopts. */
static size_t
row_of(const struct sa_cli *cli, const char *member)
{
	size_t i;

	for (i = 0; i < cli->nopts; i++) {
		const struct sa_opt *o = &cli->opts[i];
		const char *a = o->name, *b = member;
		while (*a != '\0' && *b == (*a == '-' ? '_' : *a)) {
			a++;
			b++;
		}
		if (*a == '\0' && *b == '\0' &&
		    (o->flags & (SA_OPT_REQUEST | SA_OPT_MEMBER)) &&
		    sa_cliopt_applies(o, cli->verb))
			break;
	}
	return i;
}

static int
bad_member(const char *member, const char *want, struct sa_err *err)
{
	return sa_err_set(err, SA_INVALID, "request: %s must be %s", member,
	    want);
}

/* One scalar of a request. */
static int
take_scalar(struct sa_cli *cli, size_t row, const char *member,
    const json_t *value, const char *want, struct sa_err *err)
{
	cleanup_free char *text = sa_json_scalar(value);

	if (text == NULL)
		return bad_member(member, want, err);
	if (take(cli, row, text, err) == 0)
		return 0;
	if (err != NULL)
		err->kind = SA_INVALID;
	return -1;
}

static int
take_map(struct sa_cli *cli, size_t row, const char *member, json_t *map,
    struct sa_err *err)
{
	const char *key;
	json_t *item;

	cli->given[row].empty = json_object_size(map) == 0;
	json_object_foreach (map, key, item) {
		cleanup_free char *text = sa_json_scalar(item);
		if (text == NULL && !json_is_null(item))
			return bad_member(member, "an object of scalars", err);
		/* KEY=VALUE must come apart at the same place again */
		if (*key == '\0' || strchr(key, '=') != NULL)
			return bad_member(member,
			    "an object whose keys are not empty and have no "
			    "'='",
			    err);
		cleanup_free char *pair = text != NULL
		    ? sa_xasprintf("%s=%s", key, text)
		    : sa_xstrdup(key);
		sa_strings_add(&cli->given[row].values, pair);
	}
	return 0;
}

static int
take_member(struct sa_cli *cli, size_t row, const char *member, json_t *value,
    struct sa_err *err)
{
	const struct sa_opt *o = &cli->opts[row];
	json_t *item;
	size_t i;
	int rc = 0;

	switch (o->type) {
	case SA_OPT_FLAG:
		if (!json_is_boolean(value))
			return bad_member(member, "true or false", err);
		cli->given[row].flag = json_is_true(value);
		return 0;
	case SA_OPT_LIST:
		if (!json_is_array(value))
			return bad_member(member, "an array", err);
		cli->given[row].empty = json_array_size(value) == 0;
		json_array_foreach (value, i, item)
			if (rc == 0)
				rc = take_scalar(cli, row, member, item,
				    "an array of scalars", err);
		return rc;
	case SA_OPT_MAP:
		if (!json_is_object(value))
			return bad_member(member, "an object", err);
		return take_map(cli, row, member, value, err);
	case SA_OPT_INT:
		if (!json_is_integer(value))
			return bad_member(member, "a whole number", err);
		return take_scalar(cli, row, member, value, "a number", err);
	case SA_OPT_NUMBER:
		if (!json_is_number(value))
			return bad_member(member, "a number", err);
		return take_scalar(cli, row, member, value, "a number", err);
	default:
		if (!json_is_string(value))
			return bad_member(member, "a string", err);
		return take_scalar(cli, row, member, value, "a string", err);
	}
}

static int
unknown_member(const struct sa_cli *cli, const char *member, struct sa_err *err)
{
	struct sa_buf known = SA_BUF_INIT(512);
	cleanup_free char *shown = sa_text_visible(member);

	sa_err_set(err, SA_USAGE, "request: unknown member '%s'", shown);
	if (cli->verb->member != NULL)
		sa_buf_adds(&known, cli->verb->member);
	for (size_t i = 0; i < cli->nopts; i++)
		if ((cli->opts[i].flags & (SA_OPT_REQUEST | SA_OPT_MEMBER)) &&
		    sa_cliopt_applies(&cli->opts[i], cli->verb))
			sa_buf_addf(&known, "%s%s", known.len ? "," : "",
			    cli->opts[i].name);
	for (char *p = known.s; p != NULL && *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	sa_err_hint(err, "known: %s", sa_buf_str(&known));
	sa_buf_release(&known);
	return -1;
}

#define REQUEST_OPERANDS 8

/* Members in the places of operands; one that is missing ends them, unless
 * the verb does without. */
static int
take_operands(struct sa_cli *cli, const char *const operands[],
    struct sa_err *err)
{
	bool gap = false;

	for (int k = 0; k < REQUEST_OPERANDS; k++) {
		if (operands[k] == NULL) {
			gap = true;
			continue;
		}
		if (gap && (cli->verb->flags & SA_VERB_GAPS))
			for (int n = (int)cli->operands.n; n < k; n++)
				sa_strings_add(&cli->operands, "");
		else if (gap)
			return sa_err_set(err, SA_INVALID,
			    "request: a member is missing, expected: %s",
			    cli->verb->member);
		sa_strings_add(&cli->operands, operands[k]);
	}
	return 0;
}

static int
may_request(const struct sa_cli *cli, struct sa_err *err)
{
	if (!(cli->verb->flags & SA_VERB_REQUEST))
		return sa_err_set(err, SA_USAGE, "%s takes no --request",
		    cli->verb->name);
	if (cli->operands.n > 0)
		return sa_err_set(err, SA_USAGE,
		    "--request and the operand '%s' exclude each other",
		    cli->operands.v[0]);
	if (isatty(STDIN_FILENO)) {
		sa_err_set(err, SA_USAGE,
		    "--request reads a JSON object, but stdin is a terminal");
		return sa_err_hint(err, "pipe the object in");
	}
	return 0;
}

static int
two_names(const struct sa_cli *cli, struct sa_err *err)
{
	sa_err_set(err, SA_INVALID,
	    "request: %s are two names of one member, and say two things",
	    cli->verb->member);
	return sa_err_hint(err, "give one of them");
}

/* An empty id is one that nobody knows: its verb tells where ids are. */
static bool
is_id(const char *member)
{
	size_t n = strlen(member);

	return n > 3 && strcmp(member + n - 3, "_id") == 0;
}

/* The object on stdin, as if its members had been words. */
static int
parse_request(struct sa_cli *cli, struct sa_err *err)
{
	const char *operands[REQUEST_OPERANDS] = { NULL }, *member;
	json_t *value;

	if (may_request(cli, err) < 0 ||
	    sa_json_read_fd(STDIN_FILENO, SA_RECORD_MAX, "request",
		&cli->request, err) < 0)
		return -1;
	json_object_foreach (cli->request, member, value) {
		int k = operand_of(cli->verb, member);
		size_t row = row_of(cli, member);
		if (k < 0 && row == cli->nopts)
			return unknown_member(cli, member, err);
		if (json_is_null(value))
			continue;
		if (k < 0 && take_member(cli, row, member, value, err) < 0)
			return -1;
		if (k < 0)
			continue;
		if (!json_is_string(value) || k >= REQUEST_OPERANDS)
			return bad_member(member, "a string", err);
		if (json_string_length(value) == 0 && !is_id(member))
			return sa_err_set(err, SA_INVALID,
			    "request: %s is empty", member);
		if (operands[k] != NULL &&
		    strcmp(operands[k], json_string_value(value)) != 0)
			return two_names(cli, err);
		operands[k] = json_string_value(value);
	}
	return take_operands(cli, operands, err);
}

/* "sa-yarn --json wait": the default verb would take wait for a job. */
static int
check_late_verb(const struct sa_cli *cli, struct sa_err *err)
{
	const char *word = cli->operands.n > 0 ? cli->operands.v[0] : NULL;

	if (cli->verb_given || cli->request != NULL ||
	    find_verb(cli->command, word) == NULL)
		return 0;
	sa_err_set(err, SA_USAGE, "the verb '%s' is not the first word", word);
	return sa_err_hint(err, "write '%s %s', or './%s' for a file",
	    cli->command->name, word, word);
}

static int
check_operands(const struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_verb *v = cli->verb;
	size_t n = cli->operands.n;

	if (check_late_verb(cli, err) < 0)
		return -1;
	if (n < (size_t)v->min && cli->request != NULL)
		return sa_err_set(err, SA_INVALID,
		    "request: a member is missing, expected: %s", v->member);
	if (n < (size_t)v->min)
		return sa_err_set(err, SA_USAGE,
		    "%s: an operand is missing, expected: %s", v->name,
		    v->operands);
	if (v->max < 0 || n <= (size_t)v->max)
		return 0;
	cleanup_free char *shown = sa_text_visible(cli->operands.v[v->max]);
	sa_err_set(err, SA_USAGE, "%s: the operand '%s' is one too many",
	    v->name, shown);
	if (v->max > 0)
		return -1;
	/* a verb that is misspelt, or not the first word */
	cleanup_buf struct sa_buf names = SA_BUF_INIT(512);
	for (v = cli->command->verbs; v->name != NULL; v++)
		if (!(v->flags & SA_VERB_HIDDEN))
			sa_buf_addf(&names, "%s%s", names.len ? ", " : "",
			    v->name);
	return sa_err_hint(err, "the verb is the first word, one of %s",
	    sa_buf_str(&names));
}

static bool
wants_request(const struct sa_cli *cli)
{
	for (size_t i = 0; i < cli->nopts; i++)
		if (strcmp(cli->opts[i].name, request_opt.name) == 0)
			return cli->given[i].flag;
	return false;
}

int
sa_cliopt_parse(struct sa_cli *cli, int argc, char *argv[], struct sa_err *err)
{
	make_table(cli);
	if (choose_verb(cli, &argc, &argv, err) < 0) {
		bool help = argc > 1 &&
		    (strcmp(argv[1], "-h") == 0 ||
			strcmp(argv[1], "--help") == 0);
		if (!help)
			return -1;
		sa_err_clear(err);
	}
	if (parse_words(cli, argc, argv, err) < 0)
		return -1;
	if (sa_cli_flag(cli, "help"))
		sa_clihelp_help(stdout, cli);
	else if (sa_cli_flag(cli, "version"))
		printf("%s (%s)\n", cli->command->name, PACKAGE_STRING);
	else if (sa_cli_flag(cli, "print-options"))
		sa_clihelp_options(stdout, cli);
	else if (sa_cli_str(cli, "print-completion") != NULL)
		return sa_clihelp_completion(stdout, cli,
		    sa_cli_str(cli, "print-completion"), err);
	else if (wants_request(cli) && parse_request(cli, err) < 0)
		return -1;
	else
		return check_operands(cli, err) < 0 ? -1 : SA_CLIOPT_RUN;
	return 0;
}

void
sa_cliopt_release(struct sa_cli *cli)
{
	for (size_t i = 0; i < cli->nopts && cli->given != NULL; i++)
		sa_strings_release(&cli->given[i].values);
	free(cli->given);
	free(cli->opts);
	sa_strings_release(&cli->operands);
	json_decref(cli->request);
}
