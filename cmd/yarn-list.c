/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/http.h"
#include "base/io.h"
#include "base/json.h"
#include "base/jsonscan.h"
#include "spark/cluster.h"
#include "spark/run.h"
#include "yarn.h"

/* What all clusters together may take. */
#define LIST_SECONDS 15

/* The jobs of a list that have not ended, the newest first. */
struct fresh {
	char **ids;
	json_t **records;
	char **why;
	size_t n;
};

static void
fresh_release(struct fresh *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->ids[i]);
		json_decref(f->records[i]);
		free(f->why[i]);
	}
	free(f->ids);
	free(f->records);
	free(f->why);
}

/* Whether a record's text says, beyond doubt, that the job has ended. */
static bool
text_is_final(void *arg, const char *text, size_t len)
{
	struct sa_json_member state = { .name = "state" };

	(void)arg;
	if (!sa_json_scan(text, len, &state, 1) || state.value == NULL ||
	    state.len < 2)
		return false;
	cleanup_free char *word = sa_xstrndup(state.value + 1, state.len - 2);
	return sa_run_is_final(word);
}

static bool
has_ended(int runs, const char *id)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_RECORD_MAX);
	cleanup_free char *rel = sa_xasprintf("%s/record.json", id);

	if (sa_io_read_file(runs, rel, &b, rel, NULL) < 0)
		return false;
	size_t n = b.len;
	while (n > 0 && b.s[n - 1] == '\n')
		n--;
	return text_is_final(NULL, sa_buf_str(&b), n);
}

/* Those of the page that have not ended. */
static int
collect(const struct sa_cli *cli, const struct sa_store *st, struct fresh *f,
    struct sa_err *err)
{
	const char *after = sa_cli_str(cli, "after");
	long long left = sa_cli_int(cli, "limit", -1);
	struct sa_names names;

	if (sa_store_names(st, "runs", "", true, &names, err) < 0)
		return -1;
	cleanup_fd int runs =
	    names.n > 0 ? sa_store_dir(st, "runs", false, NULL) : -1;
	f->ids = sa_xcalloc(names.n + 1, sizeof(*f->ids));
	for (size_t i = 0; i < names.n && left != 0; i++) {
		if (after != NULL && strcmp(names.v[i], after) >= 0)
			continue;
		left -= left > 0;
		json_auto_t *record = NULL;
		/* what cannot be read is for the list to warn of */
		if (!has_ended(runs, names.v[i]) &&
		    sa_run_read(st, names.v[i], &record, NULL) == 0)
			f->ids[f->n++] = sa_xstrdup(names.v[i]);
	}
	sa_names_free(&names);
	f->records = sa_xcalloc(f->n + 1, sizeof(json_t *));
	f->why = sa_xcalloc(f->n + 1, sizeof(*f->why));
	return 0;
}

/* One line for each reason. */
static void
say_why(const struct sa_cli *cli, const struct fresh *f)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t same = 0;
		bool said = false;
		for (size_t k = 0; f->why[i] != NULL && k < f->n; k++) {
			if (f->why[k] == NULL ||
			    strcmp(f->why[i], f->why[k]) != 0)
				continue;
			same++;
			said = said || k < i;
		}
		if (same > 0 && !said)
			sa_cli_say(cli,
			    "%s; the state of %zu job%s is as last seen",
			    f->why[i], same, same > 1 ? "s" : "");
	}
}

static int
compare(const void *key, const void *element)
{
	/* the newest, which is the greatest, comes first */
	return -strcmp(key, *(char *const *)element);
}

static bool
fix(void *arg, const char *name, json_t *record, bool *changed)
{
	const struct fresh *f = arg;
	char **at = f->n > 0
	    ? bsearch(name, f->ids, f->n, sizeof(*f->ids), compare)
	    : NULL;
	const json_t *now = at != NULL ? f->records[at - f->ids] : NULL;

	if (now == NULL)
		return true;
	json_object_update(record, (json_t *)(uintptr_t)now);
	if (f->why[at - f->ids] != NULL)
		yarn_warn(record, f->why[at - f->ids]);
	*changed = true;
	return true;
}

int
yarn_list(struct sa_cli *cli, struct sa_err *err)
{
	static const struct sa_column columns[] = { { "JOB", "job_id" },
		{ "STATE", "state" }, { "NAME", "name" },
		{ "CONNECTION", "connection" }, { "SUBMITTED", "submitted_at" },
		{ "FINISHED", "finished_at" }, { "EXIT", "exit_code" },
		{ NULL, NULL } };
	const struct sa_settings *s = sa_cli_settings(cli);
	struct fresh fresh = { .n = 0 };
	struct sa_record_list l = { .dir = "runs",
		.descending = true,
		.types = "job",
		.type = "job",
		.columns = columns,
		.fix = fix,
		.plain = text_is_final,
		.arg = &fresh };
	struct sa_store *st = sa_store_open(s, false, err);

	if (st == NULL)
		return -1;
	struct sa_follow *f = sa_follow_new(st, s);
	sa_follow_within(f, sa_cli_int(cli, "timeout", LIST_SECONDS) * 1000,
	    sa_http_be_back);
	int rc = collect(cli, st, &fresh, err);
	if (rc == 0)
		rc = sa_follow_refresh(f, fresh.ids, fresh.n, fresh.records,
		    fresh.why, err);
	if (rc == 0) {
		say_why(cli, &fresh);
		rc = sa_record_list(st, cli, &l, err);
	}
	fresh_release(&fresh);
	sa_follow_free(f);
	sa_store_free(st);
	return rc;
}
