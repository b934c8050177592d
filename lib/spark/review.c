/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/review.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/proc.h"
#include "base/text.h"
#include "guard/guard.h"
#include "spark/conf.h"
#include "spark/jobfile.h"
#include "spark/pending.h"

/* A script of 1 MiB whose every byte is shown as \xNN, and line numbers. */
#define REVIEW_MAX (64 * 1024 * 1024)
#define DIFF_MS 20000

/* plan is fit to be shown, pending is not. */
struct review {
	struct sa_buf *b;
	const json_t *pending, *plan;
	const struct sa_buf *script;
	bool whole; /* else what two runs can be compared by */
};

static void
title(const struct review *r, const char *text)
{
	sa_buf_addf(r->b, "\n%s\n", text);
}

static void
row(const struct review *r, const char *name, const char *value)
{
	if (value == NULL)
		return;
	cleanup_free char *shown = sa_text_visible(value);
	sa_buf_addf(r->b, "%-16s%s\n", name, shown);
}

/* A file that was found, with its hash. */
static void
row_file(const struct review *r, const char *name, const char *member)
{
	const json_t *file = sa_json_obj(r->plan, member);
	const char *path = sa_json_str(file, "path");
	const char *sha256 = sa_json_str(file, "sha256");
	const char *how = sa_json_str(file, "how");

	if (path == NULL)
		return;
	cleanup_free char *text = sa_xasprintf("%s%s%s%s%s%s", path,
	    how ? " (" : "", how ? how : "", how ? ")" : "",
	    sha256 ? "  sha256 " : "", sha256 ? sha256 : "");
	row(r, name, text);
}

static void
add_head(const struct review *r)
{
	static const char *const of_pending[][2] = {
		{ "pending", "pending_id" }, { "status", "status" },
		{ "prepared", "created_at" }, { "by", "created_by" },
		{ "origin", "origin" }, { "until", "expires_at" },
		{ "job", "job_id" }, { "reason", "reason" }
	};
	static const char *const of_plan[][2] = { { "name", "name" },
		{ "master", "master" }, { "deploy mode", "deploy_mode" },
		{ "RM", "yarn_rm_url" }, { "YARN user", "yarn_user" },
		{ "auth file", "auth_file" }, { "CA file", "ca_file" },
		{ "runtime guard", "runtime_guard" },
		{ "directory", "workdir" }, { "SPARK_HOME", "spark_home" },
		{ "Spark conf", "spark_conf_dir" },
		{ "Hadoop conf", "hadoop_conf_dir" }, { "policy", "policy" } };

	for (size_t i = 0; r->whole && i < 8; i++)
		row(r, of_pending[i][0],
		    sa_json_str(r->pending, of_pending[i][1]));
	row(r, "connection", sa_json_str(r->pending, "connection"));
	for (size_t i = 0; i < sizeof(of_plan) / sizeof(of_plan[0]); i++)
		row(r, of_plan[i][0], sa_json_str(r->plan, of_plan[i][1]));
	row_file(r, "guard wrapper", "guard_wrapper");
	row_file(r, "spark-submit", "spark_submit");
	row_file(r, "Java", "java");
	row_file(r, "spark-defaults", "spark_defaults");
	row_file(r, "spark-env", "spark_env");
}

/* "KEY = VALUE", who set it, and what is to be looked at. */
static void
add_conf(const struct review *r)
{
	const char *key;
	json_t *entry;

	title(r, "CONFIGURATION");
	json_object_foreach (sa_json_obj(r->plan, "conf"), key, entry) {
		const char *value = sa_json_str(entry, "value");
		const char *origin = sa_json_str(entry, "origin");
		const char *risk = sa_conf_risk(key);
		cleanup_free char *k = sa_text_visible(key);
		cleanup_free char *v = sa_text_visible(value ? value : "");
		sa_buf_addf(r->b, "%s %s = %s  [%s]\n", risk ? "!" : " ", k, v,
		    origin ? origin : "unknown");
		if (risk != NULL)
			sa_buf_addf(r->b, "!     %s\n", risk);
	}
	json_object_foreach (sa_json_obj(r->plan, "forced"), key, entry) {
		cleanup_free char *value = sa_json_scalar(entry);
		cleanup_free char *k = sa_text_visible(key);
		cleanup_free char *v = sa_text_visible(value ? value : "");
		sa_buf_addf(r->b, "  %s = %s  [forced]\n", k, v);
	}
}

static void
add_strings(const struct review *r, const char *name, const json_t *list)
{
	json_t *item;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	title(r, name);
	json_array_foreach (list, i, item) {
		cleanup_free char *text = json_is_string(item)
		    ? sa_xstrdup(json_string_value(item))
		    : sa_json_text(item);
		cleanup_free char *shown = sa_text_visible(text);
		sa_buf_addf(r->b, "  %s\n", shown);
	}
}

/* What the guard found and a person let pass. */
static void
add_waivers(const struct review *r)
{
	const json_t *waivers = json_object_get(r->plan, "waivers");
	json_t *w;
	size_t i;

	if (json_array_size(waivers) == 0)
		return;
	title(r, "WAIVERS");
	json_array_foreach (waivers, i, w) {
		const char *rule = sa_json_str(w, "rule");
		const char *key = sa_json_str(w, rule ? "message" : "forced");
		cleanup_free char *shown = sa_text_visible(key ? key : "");
		if (rule != NULL)
			sa_buf_addf(r->b, "! line %lld: %s [%s]\n",
			    (long long)json_integer_value(
				json_object_get(w, "line")),
			    shown, rule);
		else
			sa_buf_addf(r->b, "! %s is not forced\n", shown);
	}
}

static void
add_env(const struct review *r)
{
	const char *name;
	json_t *value;

	title(r, "ENVIRONMENT");
	json_object_foreach (sa_json_obj(r->plan, "env"), name, value) {
		const char *text = json_string_value(value);
		cleanup_free char *n = sa_text_visible(name);
		cleanup_free char *v = sa_text_visible(text ? text : "");
		sa_buf_addf(r->b, "  %s=%s\n", n, v);
	}
}

static void
add_files(const struct review *r)
{
	static const char *const lists[] = { "py_files", "siblings", "files" };
	bool any = false;
	json_t *file;
	size_t i;

	for (size_t k = 0; k < 3; k++)
		json_array_foreach (json_object_get(r->plan, lists[k]), i,
		    file) {
			const char *name = sa_json_str(file, "name");
			const char *source = sa_json_str(file, "source");
			const char *sha256 = sa_json_str(file, "sha256");
			cleanup_free char *n =
			    sa_text_visible(name ? name : "");
			cleanup_free char *from =
			    sa_text_visible(source ? source : "");
			if (!any)
				title(r, "FILES");
			any = true;
			sa_buf_addf(r->b, "  %s %s  sha256 %s  from %s\n",
			    lists[k], n, sha256 ? sha256 : "none", from);
		}
}

static void
add_guard(const struct review *r)
{
	const json_t *report = sa_json_obj(r->pending, "guard");
	const char *verdict = sa_json_str(report, "verdict");

	title(r, "GUARD");
	sa_buf_addf(r->b, "  %s\n", verdict ? verdict : "no report");
	cleanup_free char *text = report == NULL
	    ? NULL
	    : sa_guard_text(report, sa_buf_str(r->script), r->script->len);
	if (text != NULL)
		sa_buf_adds(r->b, text);
}

static void
add_script(const struct review *r)
{
	const json_t *script = sa_json_obj(r->plan, "script");
	const char *p = sa_buf_str(r->script), *end = p + r->script->len;
	const char *name = sa_json_str(script, "name");
	const char *hash = sa_json_str(script, "sha256");
	size_t number = 1;

	title(r, "SCRIPT");
	cleanup_free char *shown_name = sa_text_visible(name ? name : "");
	sa_buf_addf(r->b, "  %s  sha256 %s\n\n", shown_name,
	    hash ? hash : "none");
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl != NULL ? nl : end;
		cleanup_free char *shown =
		    sa_text_visible_lines(p, (size_t)(stop - p));
		if (r->whole)
			sa_buf_addf(r->b, "%6zu  %s\n", number++, shown);
		else
			sa_buf_addf(r->b, "  %s\n", shown);
		p = nl != NULL ? nl + 1 : end;
	}
}

static void
add_end(const struct review *r, const struct sa_store *st)
{
	cleanup_free char *line = sa_plan_command_line(st, r->pending);
	cleanup_free char *shown = sa_text_visible(line);

	title(r, "COMMAND");
	sa_buf_addf(r->b, "  %s\n", shown);
	title(r, "PLAN");
	sa_buf_addf(r->b, "  sha256 %s\n",
	    sa_json_str(r->pending, "plan_sha256"));
}

/* The pinned script, if it still is what the plan says. */
static int
read_script(const struct sa_store *st, const json_t *pending, struct sa_buf *b,
    struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	const json_t *script =
	    sa_json_obj(sa_json_obj(pending, "plan"), "script");
	const char *name = sa_json_str(script, "name");
	const char *hash = sa_json_str(script, "sha256");
	char found[SA_SHA256_SIZE];
	cleanup_free char *rel = sa_xasprintf("pending/%s/script", id);
	cleanup_fd int dir = sa_store_dir(st, rel, false, err);

	if (dir < 0 ||
	    sa_io_read_file(dir, name ? name : "", b, "the pinned script",
		err) < 0)
		return -1;
	sa_hash_sha256(sa_buf_str(b), b->len, found);
	if (hash == NULL || strcmp(hash, found) != 0)
		return sa_err_set(err, SA_REFUSED,
		    "the pinned script of %s was changed: its sha256 is %s, "
		    "prepared was %s",
		    id, found, hash ? hash : "none");
	return 0;
}

static int
render(const struct sa_store *st, const json_t *pending, bool whole,
    struct sa_buf *b, struct sa_err *err)
{
	cleanup_buf struct sa_buf script = SA_BUF_INIT(SA_JOBFILE_MAX);
	json_auto_t *shown = sa_pending_masked(pending);
	struct review r = { b, pending, sa_json_obj(shown, "plan"), &script,
		whole };

	if (read_script(st, pending, &script, err) < 0)
		return -1;
	add_head(&r);
	add_conf(&r);
	add_env(&r);
	add_strings(&r, "ARGUMENTS", json_object_get(r.plan, "args"));
	add_files(&r);
	add_waivers(&r);
	add_strings(&r, "WARNINGS", json_object_get(pending, "warnings"));
	if (whole)
		add_guard(&r);
	add_script(&r);
	if (whole)
		add_end(&r, st);
	return 0;
}

int
sa_review_text(const struct sa_store *st, const json_t *pending, char **out,
    struct sa_err *err)
{
	struct sa_buf b = SA_BUF_INIT(REVIEW_MAX);
	int rc = render(st, pending, true, &b, err);

	if (rc == 0)
		*out = sa_buf_steal(&b);
	sa_buf_release(&b);
	return rc;
}

/* The newest pending of that name that was submitted. */
static int
find_last(const struct sa_store *st, const json_t *pending, json_t **out,
    struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	const char *name = sa_json_str(pending, "name");
	struct sa_names names;

	*out = NULL;
	if (sa_store_names(st, "pending", "", true, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.n && *out == NULL; i++) {
		json_auto_t *other = NULL;
		if (strcmp(names.v[i], id) == 0 ||
		    sa_pending_read(st, names.v[i], &other, NULL) < 0)
			continue;
		const char *status = sa_json_str(other, "status");
		const char *its = sa_json_str(other, "name");
		if (status != NULL && strcmp(status, "SUBMITTED") == 0 &&
		    its != NULL && name != NULL && strcmp(its, name) == 0)
			*out = sa_steal(&other);
	}
	sa_names_free(&names);
	if (*out == NULL)
		return sa_err_set(err, SA_NOT_FOUND,
		    "no job of the name '%s' was submitted before",
		    name ? name : "");
	return 0;
}

/* A file that has no name anywhere, for diff to read. */
static int
as_file(const struct sa_buf *b, char path[64], struct sa_err *err)
{
	int fd = memfd_create("review", MFD_CLOEXEC);

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot keep a review in memory");
	if (sa_io_write_fd(fd, sa_buf_str(b), b->len, "a review", err) < 0) {
		close(fd);
		return -1;
	}
	snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

static int
run_diff(char *old_path, char *new_path, const char *old_id, const char *new_id,
    char **out, struct sa_err *err)
{
	cleanup_free char *program = sa_proc_find("diff");
	cleanup_free char *from = sa_xstrdup(old_id);
	cleanup_free char *to = sa_xstrdup(new_id);
	char u[] = "-u", label[] = "--label";
	struct sa_buf text = SA_BUF_INIT(REVIEW_MAX);
	int status;

	if (program == NULL)
		return sa_err_set(err, SA_CONFIG, "no diff is in PATH");
	char *argv[] = { program, u, label, from, label, to, old_path, new_path,
		NULL };
	struct sa_proc_spec spec = { .argv = argv,
		.out = &text,
		.timeout_ms = DIFF_MS };
	int rc = sa_proc_run(&spec, &status, err);
	if (rc == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) > 1))
		rc = sa_err_set(err, SA_IO, "diff failed, status %d", status);
	if (rc == 0)
		*out = sa_buf_steal(&text);
	sa_buf_release(&text);
	return rc;
}

int
sa_review_diff(const struct sa_store *st, const json_t *pending, char **out,
    struct sa_err *err)
{
	json_auto_t *last = NULL;
	cleanup_buf struct sa_buf then = SA_BUF_INIT(REVIEW_MAX);
	cleanup_buf struct sa_buf now = SA_BUF_INIT(REVIEW_MAX);
	char then_path[64], now_path[64];

	if (find_last(st, pending, &last, err) < 0 ||
	    render(st, last, false, &then, err) < 0 ||
	    render(st, pending, false, &now, err) < 0)
		return -1;
	cleanup_fd int then_fd = as_file(&then, then_path, err);
	cleanup_fd int now_fd = then_fd < 0 ? -1 : as_file(&now, now_path, err);
	if (now_fd < 0)
		return -1;
	return run_diff(then_path, now_path, sa_json_str(last, "pending_id"),
	    sa_json_str(pending, "pending_id"), out, err);
}
