/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/guard.h"

#include <string.h>

#include "base/buf.h"
#include "guard/pycheck.h"
#include "guard/pysource.h"
#include "guard/report.h"
#include "guard/sql.h"

static int
too_large(size_t len, const char *path, struct sa_err *err)
{
	sa_err_set(err, SA_INVALID,
	    "'%s' has %zu bytes, and the guard reads at most %d",
	    path != NULL ? path : "-", len, SA_GUARD_MAX);
	return sa_err_hint(err, "split it into several files");
}

/* A report, its verdict, or both. */
static int
judge_python(const char *text, size_t len, const char *path,
    const struct sa_guard_options *options, json_t **report,
    enum sa_verdict *verdict, struct sa_err *err)
{
	cleanup_buf struct sa_buf utf8 = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_report r;

	if (len > SA_GUARD_MAX)
		return too_large(len, path, err);
	if (sa_py_recode(text, len, &utf8)) {
		text = sa_buf_str(&utf8);
		len = utf8.len;
	}
	sa_report_init(&r, text, len, options);
	sa_py_check(&r);
	if (verdict != NULL)
		*verdict = r.verdict;
	if (report != NULL)
		*report = sa_report_json(&r, path);
	sa_report_release(&r);
	return 0;
}

int
sa_guard_python(const char *text, size_t len, const char *path,
    const struct sa_guard_options *options, json_t **report, struct sa_err *err)
{
	return judge_python(text, len, path, options, report, NULL, err);
}

int
sa_guard_python_verdict(const char *text, size_t len, const char *path,
    const struct sa_guard_options *options, enum sa_verdict *verdict,
    struct sa_err *err)
{
	return judge_python(text, len, path, options, NULL, verdict, err);
}

struct sql_text {
	struct sa_report *r;
	const char *s;
	size_t len;
};

static void
on_hit(void *arg, const struct sa_sql_hit *hit)
{
	const struct sql_text *t = arg;

	sa_report_find(t->r, hit->rule, hit->verdict, hit->offset, t->s, t->len,
	    hit->head);
}

static void
on_statement(void *arg, const struct sa_sql_statement *st)
{
	const struct sql_text *t = arg;

	sa_report_statement(t->r, st->head, st->verdict, st->offset);
}

int
sa_guard_sql(const char *text, size_t len, const char *path,
    const struct sa_guard_options *options, json_t **report, struct sa_err *err)
{
	struct sa_report r;

	if (len > SA_GUARD_MAX)
		return too_large(len, path, err);
	sa_report_init(&r, text, len, options);
	struct sql_text t = { .r = &r, .s = text, .len = len };
	/* The byte that stands for a hole is none that a text may hold. */
	if (memchr(text, SA_SQL_HOLE, len) != NULL)
		sa_report_find(&r, "sql-lexical", SA_VERDICT_REJECT, 0, NULL, 0,
		    NULL);
	else
		sa_sql_check(text, len, SA_SQL_STATEMENT, on_hit, on_statement,
		    &t);
	*report = sa_report_json(&r, path);
	sa_report_release(&r);
	return 0;
}

enum sa_verdict
sa_guard_verdict(const json_t *report)
{
	const char *s = json_string_value(json_object_get(report, "verdict"));
	enum sa_verdict v;

	return s != NULL && sa_verdict_parse(s, &v) ? v : SA_VERDICT_REJECT;
}

bool
sa_guard_passes(const json_t *report)
{
	return sa_verdict_passes(sa_guard_verdict(report));
}
