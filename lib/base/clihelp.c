/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/cliopt.h"

#include <string.h>

#include "base/buf.h"

#define HELP_COLUMN 30
#define HELP_WIDTH 79

void
sa_cliopt_usage(FILE *f, const struct sa_cli *cli)
{
	const struct sa_verb *v = cli->verb;

	fprintf(f, "usage: %s %s [OPTION...]%s%s; see %s --help\n",
	    cli->command->name, v->name, *v->operands ? " " : "", v->operands,
	    cli->command->name);
}

/* Text from column HELP_COLUMN on, broken between words. */
static void
wrap(FILE *f, size_t column, const char *text)
{
	size_t at = HELP_COLUMN;

	if (column >= HELP_COLUMN) {
		fputc('\n', f);
		column = 0;
	}
	fprintf(f, "%*s", (int)(HELP_COLUMN - column), "");
	while (*text != '\0') {
		size_t n = strcspn(text, " ");
		if (at > HELP_COLUMN && at + n + 1 > HELP_WIDTH) {
			fprintf(f, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		}
		at += (size_t)fprintf(f, "%s%.*s", at > HELP_COLUMN ? " " : "",
		    (int)n, text);
		text += n;
		text += *text == ' ';
	}
	fputc('\n', f);
}

static void
help_option(FILE *f, const struct sa_opt *o)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_buf t = SA_BUF_INIT(SA_BUF_NOMAX);

	if (o->letter != 0)
		sa_buf_addf(&b, "  -%c, --%s", o->letter, o->name);
	else
		sa_buf_addf(&b, "      --%s", o->name);
	if (o->type != SA_OPT_FLAG)
		sa_buf_addf(&b, "=%s", o->arg);
	sa_buf_adds(&t, o->help);
	if (o->verbs != NULL)
		sa_buf_addf(&t, " (%s)", o->verbs);
	fputs(b.s, f);
	wrap(f, b.len, t.s);
	sa_buf_release(&b);
	sa_buf_release(&t);
}

void
sa_clihelp_help(FILE *f, const struct sa_cli *cli)
{
	const struct sa_command *c = cli->command;

	fprintf(f, "usage: %s [VERB] [OPTION...] [OPERAND...]\n%s\n\nVerbs:\n",
	    c->name, c->summary);
	for (const struct sa_verb *v = c->verbs; v->name != NULL; v++) {
		if (v->flags & SA_VERB_HIDDEN)
			continue;
		int n = fprintf(f, "  %s %s", v->name, v->operands);
		wrap(f, (size_t)n, v->help);
	}
	fputs("\nOptions:\n", f);
	for (size_t i = 0; i < cli->nopts; i++)
		if (!(cli->opts[i].flags & SA_OPT_MEMBER))
			help_option(f, &cli->opts[i]);
	fprintf(f,
	    "\nThe page %s(1) has the whole, sa(7) what all commands "
	    "share.\n",
	    c->name);
}

/* One row an option: VERBS --long -x ARG HELP, tab-separated, "-" for none. */
void
sa_clihelp_options(FILE *f, const struct sa_cli *cli)
{
	for (size_t i = 0; i < cli->nopts; i++) {
		const struct sa_opt *o = &cli->opts[i];
		char letter[3] = "-";
		if (o->flags & SA_OPT_MEMBER)
			continue;
		if (o->letter != 0) {
			letter[1] = o->letter;
			letter[2] = '\0';
		}
		fprintf(f, "%s\t--%s\t%s\t%s\t%s\n",
		    o->verbs != NULL ? o->verbs : "-", o->name, letter,
		    o->type == SA_OPT_FLAG ? "-" : o->arg, o->help);
	}
}

/* A word list of the visible verbs, or of a verb's options. */
static void
put_verbs(FILE *f, const struct sa_cli *cli)
{
	const char *sep = "";

	for (const struct sa_verb *v = cli->command->verbs; v->name != NULL;
	     v++) {
		if (v->flags & SA_VERB_HIDDEN)
			continue;
		fprintf(f, "%s%s", sep, v->name);
		sep = " ";
	}
}

static void
put_options(FILE *f, const struct sa_cli *cli, const struct sa_verb *verb)
{
	const char *sep = "";

	for (size_t i = 0; i < cli->nopts; i++) {
		const struct sa_opt *o = &cli->opts[i];
		if ((o->flags & SA_OPT_MEMBER) || !sa_cliopt_applies(o, verb))
			continue;
		fprintf(f, "%s--%s", sep, o->name);
		sep = " ";
	}
}

static void
bash(FILE *f, const struct sa_cli *cli)
{
	const struct sa_command *c = cli->command;
	cleanup_free char *fn = sa_xasprintf("_%s", c->name);

	for (char *p = fn; *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	fprintf(f, "# bash completion for %s\n%s()\n{\n", c->name, fn);
	fputs("\tlocal cur=${COMP_WORDS[COMP_CWORD]} words\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	    f);
	for (const struct sa_verb *v = c->verbs; v->name != NULL; v++) {
		if (v->flags & SA_VERB_HIDDEN)
			continue;
		fprintf(f, "\t%s) words='", v->name);
		put_options(f, cli, v);
		fputs("' ;;\n", f);
	}
	fputs("\t*) words='", f);
	put_options(f, cli, cli->verb);
	fputs("' ;;\n\tesac\n\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\twords=\"",
	    f);
	put_verbs(f, cli);
	fprintf(f,
	    " $words\"\n\tfi\n"
	    "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
	    "\"$cur\")\n}\n"
	    "complete -o default -F %s %s\n",
	    fn, c->name);
}

/* Text inside '...' of zsh and fish, where brackets and colons are special
 * to zsh's _arguments. */
static void
put_quoted(FILE *f, const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			fputs("'\\''", f);
			continue;
		}
		if (strchr(special, *text) != NULL)
			fputc('\\', f);
		fputc(*text, f);
	}
}

/* One line of _arguments: '(-c --conn)'{-c+,--conn=}'[help]:ARG:_files'. */
static void
zsh_option(FILE *f, const struct sa_opt *o)
{
	bool arg = o->type != SA_OPT_FLAG;
	bool repeat = o->type == SA_OPT_LIST || o->type == SA_OPT_MAP;

	fputs("\t\t", f);
	if (repeat)
		fputs("'*'", f);
	else if (o->letter != 0)
		fprintf(f, "'(-%c --%s)'", o->letter, o->name);
	if (o->letter != 0)
		fprintf(f, "{-%c%s,--%s%s}", o->letter, arg ? "+" : "", o->name,
		    arg ? "=" : "");
	else
		fprintf(f, "--%s%s", o->name, arg ? "=" : "");
	fputs("'[", f);
	put_quoted(f, o->help, "[]:\\");
	fputc(']', f);
	if (arg)
		fprintf(f, ":%s:_files", o->arg);
	fputs("' \\\n", f);
}

/* Works as a file of $fpath and through source <(...). */
static void
zsh(FILE *f, const struct sa_cli *cli)
{
	const char *name = cli->command->name;

	fprintf(f, "#compdef %s\n_%s() {\n\t_arguments \\\n", name, name);
	for (size_t i = 0; i < cli->nopts; i++)
		if (!(cli->opts[i].flags & SA_OPT_MEMBER))
			zsh_option(f, &cli->opts[i]);
	fputs("\t\t'1:verb:(", f);
	put_verbs(f, cli);
	fprintf(f,
	    ")' '*:operand:_files'\n}\n"
	    "if [[ $funcstack[1] == _%s ]]; then\n\t_%s \"$@\"\n"
	    "else\n\tcompdef _%s %s\nfi\n",
	    name, name, name, name);
}

static void
fish(FILE *f, const struct sa_cli *cli)
{
	const struct sa_command *c = cli->command;

	for (const struct sa_verb *v = c->verbs; v->name != NULL; v++) {
		if (v->flags & SA_VERB_HIDDEN)
			continue;
		fprintf(f,
		    "complete -c %s -n __fish_use_subcommand -a %s "
		    "-d '",
		    c->name, v->name);
		put_quoted(f, v->help, "\\");
		fputs("'\n", f);
	}
	for (size_t i = 0; i < cli->nopts; i++) {
		const struct sa_opt *o = &cli->opts[i];
		if (o->flags & SA_OPT_MEMBER)
			continue;
		fprintf(f, "complete -c %s -l %s", c->name, o->name);
		if (o->letter != 0)
			fprintf(f, " -s %c", o->letter);
		if (o->type != SA_OPT_FLAG)
			fputs(" -r", f);
		fputs(" -d '", f);
		put_quoted(f, o->help, "\\");
		fputs("'\n", f);
	}
}

int
sa_clihelp_completion(FILE *f, const struct sa_cli *cli, const char *shell,
    struct sa_err *err)
{
	if (strcmp(shell, "bash") == 0)
		bash(f, cli);
	else if (strcmp(shell, "zsh") == 0)
		zsh(f, cli);
	else if (strcmp(shell, "fish") == 0)
		fish(f, cli);
	else
		return sa_err_set(err, SA_USAGE,
		    "--print-completion '%s': expected bash, zsh or fish",
		    shell);
	return 0;
}
