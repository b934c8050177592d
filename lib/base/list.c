/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

#define OUTPUT_MAX (64LL * 1024 * 1024)
#define CELL_MAX 60

struct sa_lister {
	const struct sa_cli *cli;
	const char *type;
	const struct sa_column *columns;
	size_t ncolumns;
	bool human, lines, agent;
	long long left;	 /* items that may still come, -1 for no limit */
	long long bytes; /* written so far */
	size_t count;
	char *last; /* token of the last item */
	bool more;  /* an item did not fit */
	char **cells;
	size_t rows;
};

struct sa_lister *
sa_list_begin(const struct sa_cli *cli, const char *type,
    const struct sa_column *columns)
{
	struct sa_lister *l = sa_xcalloc(1, sizeof(*l));

	l->cli = cli;
	l->type = type;
	l->columns = columns;
	while (columns[l->ncolumns].title != NULL)
		l->ncolumns++;
	l->lines = sa_cli_flag(cli, "jsonl");
	l->agent = sa_cli_agent(cli);
	l->human = sa_cli_human(cli) && !l->lines;
	l->left = sa_cli_int(cli, "limit", -1);
	if (!l->human && !l->lines)
		l->bytes =
		    printf("{\"v\":1,\"type\":\"%s_list\",\"items\":[", type);
	return l;
}

/* A member as a cell's text; "a.b" looks into an object. */
static char *
cell(const json_t *item, const char *member)
{
	const char *dot = strchr(member, '.');

	if (dot != NULL) {
		cleanup_free char *head =
		    sa_xstrndup(member, (size_t)(dot - member));
		return cell(json_object_get(item, head), dot + 1);
	}
	cleanup_free char *text = sa_json_scalar(json_object_get(item, member));
	if (text == NULL)
		return sa_xstrdup("-");
	char *clean = sa_text_visible(text);
	if (strlen(clean) > CELL_MAX) {
		size_t n = CELL_MAX;
		while (n > 0 && ((unsigned char)clean[n] & 0xc0) == 0x80)
			n--;
		clean[n] = '\0';
	}
	return clean;
}

static void
add_row(struct sa_lister *l, const json_t *item)
{
	l->cells = sa_xrealloc(l->cells, (l->rows + 1) * l->ncolumns,
	    sizeof(*l->cells));
	for (size_t i = 0; i < l->ncolumns; i++)
		l->cells[l->rows * l->ncolumns + i] =
		    cell(item, l->columns[i].member);
	l->rows++;
}

bool
sa_list_add(struct sa_lister *l, const char *token, const json_t *item,
    const char *raw, size_t raw_len)
{
	cleanup_free char *text = NULL;
	json_auto_t *tidied = NULL;

	if (l->agent && item != NULL) {
		item = tidied = sa_json_for_agent(item);
		raw = NULL;
	}
	if (raw == NULL && !l->human) {
		text = sa_json_text(item);
		raw = text;
		raw_len = strlen(text);
	}
	if (l->left == 0 ||
	    (l->count > 0 &&
		l->bytes + (long long)raw_len + 200 > OUTPUT_MAX)) {
		l->more = true;
		return false;
	}
	if (l->human)
		add_row(l, item);
	else {
		if (!l->lines && l->count > 0)
			putchar(',');
		fwrite(raw, 1, raw_len, stdout);
		if (l->lines)
			putchar('\n');
	}
	l->bytes += (long long)raw_len + 1;
	l->left -= l->left > 0;
	l->count++;
	free(l->last);
	l->last = sa_xstrdup(token);
	return true;
}

static void
put_cell(const char *text, size_t width, bool last)
{
	size_t w = sa_text_width(text);

	fputs(text, stdout);
	if (last)
		putchar('\n');
	else
		printf("%*s", (int)(width - w + 2), "");
}

static void
put_table(const struct sa_lister *l)
{
	cleanup_free size_t *width = sa_xcalloc(l->ncolumns, sizeof(*width));

	for (size_t i = 0; i < l->ncolumns; i++)
		width[i] = strlen(l->columns[i].title);
	for (size_t i = 0; i < l->rows * l->ncolumns; i++) {
		size_t w = sa_text_width(l->cells[i]);
		if (w > width[i % l->ncolumns])
			width[i % l->ncolumns] = w;
	}
	if (l->rows > 0)
		for (size_t i = 0; i < l->ncolumns; i++)
			put_cell(l->columns[i].title, width[i],
			    i + 1 == l->ncolumns);
	for (size_t i = 0; i < l->rows * l->ncolumns; i++)
		put_cell(l->cells[i], width[i % l->ncolumns],
		    (i + 1) % l->ncolumns == 0);
}

/* The end of a list, which says where it goes on. */
static void
put_next(const struct sa_lister *l)
{
	cleanup_free char *next = NULL;

	if (l->more && l->last != NULL) {
		json_auto_t *token = json_string(l->last);
		next = sa_json_text(token);
	}
	if (next != NULL)
		printf("],\"next\":%s}\n", next);
	else
		puts(l->agent ? "]}" : "],\"next\":null}");
}

int
sa_list_end(struct sa_lister *l)
{
	if (l->human)
		put_table(l);
	else if (!l->lines) {
		put_next(l);
	}
	if (l->more && (l->human || l->lines))
		sa_cli_say(l->cli, "more follow: --after %s",
		    l->last != NULL ? l->last : "");
	for (size_t i = 0; i < l->rows * l->ncolumns; i++)
		free(l->cells[i]);
	free(l->cells);
	free(l->last);
	free(l);
	return 0;
}
