/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "guard/policy.h"
#include "guard/rules.h"
#include "guard/sql.h"

void
sa_report_init(struct sa_report *r, const char *text, size_t len,
    const struct sa_guard_options *options)
{
	static const struct sa_guard_options none;

	*r = (struct sa_report){ .text = text,
		.len = len,
		.options = options != NULL ? options : &none,
		.verdict = SA_VERDICT_ALLOW };
}

void
sa_report_release(struct sa_report *r)
{
	for (size_t i = 0; i < r->nfinding; i++) {
		free(r->finding[i].statement);
		free(r->finding[i].about);
	}
	for (size_t i = 0; i < r->nstatement; i++)
		free(r->statement[i].head);
	free(r->finding);
	free(r->statement);
	free(r->recent);
	free(r->line);
	free(r->before);
	*r = (struct sa_report){ 0 };
}

#define BLOCK 1024

static size_t
characters(const struct sa_report *r, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += ((unsigned char)r->text[i] & 0xc0) != 0x80;
	return n;
}

static void
add_line(struct sa_report *r, size_t start)
{
	if (r->nline == r->capline) {
		r->capline = r->capline == 0 ? 256 : 2 * r->capline;
		r->line = sa_xrealloc(r->line, r->capline, sizeof(*r->line));
	}
	r->line[r->nline++] = start;
}

static void
index_lines(struct sa_report *r)
{
	const char *s = r->text, *feed;
	bool returns = memchr(s, '\r', r->len) != NULL;

	add_line(r, 0);
	for (size_t i = 0; i < r->len; i++) {
		if (!returns) {
			feed = memchr(s + i, '\n', r->len - i);
			if (feed == NULL)
				break;
			i = (size_t)(feed - s);
		}
		bool pair = s[i] == '\r' && i + 1 < r->len && s[i + 1] == '\n';
		if ((s[i] == '\n' || s[i] == '\r') && !pair)
			add_line(r, i + 1);
	}
}

/* How many characters are before each block, so that a column in a line of a
 * mebibyte is cheap too. */
static void
index_characters(struct sa_report *r)
{
	size_t blocks = r->len / BLOCK + 1;

	r->before = sa_xcalloc(blocks, sizeof(*r->before));
	for (size_t i = 1; i < blocks; i++)
		r->before[i] = r->before[i - 1] +
		    characters(r, (i - 1) * BLOCK, i * BLOCK);
}

static size_t
characters_before(struct sa_report *r, size_t offset)
{
	if (r->before == NULL)
		index_characters(r);
	return r->before[offset / BLOCK] +
	    characters(r, offset / BLOCK * BLOCK, offset);
}

/* Line and column from 1, the column in characters. */
static void
position(struct sa_report *r, size_t offset, size_t *line, size_t *column)
{
	if (r->line == NULL)
		index_lines(r);
	if (offset > r->len)
		offset = r->len;
	size_t lo = 0, hi = r->nline;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->line[mid] <= offset)
			lo = mid;
		else
			hi = mid;
	}
	size_t start = r->line[lo];
	if (start == 0 && offset >= 3 &&
	    memcmp(r->text, "\xef\xbb\xbf", 3) == 0)
		start = 3;
	*line = lo + 1;
	*column = 1 +
	    (offset - start < BLOCK ? characters(r, start, offset)
				    : characters_before(r, offset) -
			characters_before(r, start));
}

/* A resolved text as people see it: holes as {}, cut to fit. */
static char *
shown(const char *s, size_t len)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	for (size_t i = 0; i < len; i++) {
		if (b.len > SA_REPORT_TEXT &&
		    ((unsigned char)s[i] & 0xc0) != 0x80) {
			sa_buf_adds(&b, "...");
			break;
		}
		if ((unsigned char)s[i] == SA_SQL_HOLE)
			sa_buf_adds(&b, "{}");
		else if (s[i] == '\0')
			sa_buf_addu(&b, 0xfffd);
		else
			sa_buf_addch(&b, s[i]);
	}
	return sa_buf_steal(&b);
}

static bool
overwrites(const char *rule)
{
	return strcmp(rule, "sql-insert-overwrite") == 0 ||
	    strcmp(rule, "sql-insert-replace") == 0 ||
	    strcmp(rule, "python-overwrite") == 0;
}

static enum sa_verdict
judged(const struct sa_report *r, const char *rule, enum sa_verdict v)
{
	v = sa_policy_judge(r->options->policy, rule, r->options->strict, v);
	if (overwrites(rule) && r->options->strict_insert)
		return SA_VERDICT_REJECT;
	if (v == SA_VERDICT_UNRESOLVED && r->options->unresolved_warn)
		return SA_VERDICT_WARN;
	return v;
}

/* The slot for one more finding, taken from a milder one where all are in
 * use; NULL where none is milder. */
static struct sa_finding *
slot(struct sa_report *r, enum sa_verdict v)
{
	if (r->nfinding < SA_REPORT_FINDINGS) {
		if (r->nfinding == r->capfinding) {
			r->capfinding =
			    r->capfinding == 0 ? 8 : 2 * r->capfinding;
			r->finding = sa_xrealloc(r->finding, r->capfinding,
			    sizeof(*r->finding));
		}
		return &r->finding[r->nfinding++];
	}
	r->more++;
	for (size_t i = r->nfinding; i-- > 0;)
		if (r->finding[i].verdict < v) {
			free(r->finding[i].statement);
			free(r->finding[i].about);
			return &r->finding[i];
		}
	return NULL;
}

void
sa_report_find(struct sa_report *r, const char *rule, enum sa_verdict verdict,
    size_t offset, const char *statement, size_t len, const char *about)
{
	enum sa_verdict v = judged(r, rule, verdict);

	if (v == SA_VERDICT_ALLOW)
		return;
	r->verdict = sa_verdict_worse(r->verdict, v);
	for (size_t i = 0; i < r->nfinding; i++) {
		struct sa_finding *same = &r->finding[i];
		if (same->offset != offset || strcmp(same->rule, rule) != 0)
			continue;
		same->verdict = sa_verdict_worse(same->verdict, v);
		return;
	}
	struct sa_finding *f = slot(r, v);
	if (f == NULL)
		return;
	*f = (struct sa_finding){ .rule = rule,
		.verdict = v,
		.offset = offset,
		.statement = statement != NULL ? shown(statement, len) : NULL,
		.about = about != NULL && *about != '\0' ? sa_xstrdup(about)
							 : NULL };
}

/* A new member. To parse the format of json_pack() costs more than to judge
 * a short script. */
static void
put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new_nocheck(o, key, value);
}

/* A text that may have been cut inside of a character. */
static json_t *
string(const char *s)
{
	json_t *j = json_string(s);

	if (j != NULL)
		return j;
	cleanup_free char *copy = sa_xstrdup(s);
	for (char *p = copy; *p != '\0'; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	return json_string(copy);
}

static bool
was_recent(struct sa_report *r, const char *head, enum sa_verdict verdict,
    size_t offset)
{
	size_t n =
	    r->nrecent < SA_REPORT_RECENT ? r->nrecent : SA_REPORT_RECENT;

	for (size_t i = 0; i < n; i++)
		if (r->recent[i].offset == offset &&
		    r->recent[i].verdict == verdict &&
		    strcmp(r->recent[i].head, head) == 0)
			return true;
	if (r->recent == NULL)
		r->recent = sa_xcalloc(SA_REPORT_RECENT, sizeof(*r->recent));
	size_t at = r->nrecent++ % SA_REPORT_RECENT;
	r->recent[at].offset = offset;
	r->recent[at].verdict = verdict;
	strlcpy(r->recent[at].head, head, sizeof(r->recent[at].head));
	return false;
}

void
sa_report_statement(struct sa_report *r, const char *head,
    enum sa_verdict verdict, size_t offset)
{
	if (was_recent(r, head, verdict, offset))
		return;
	if (r->nstatement == SA_REPORT_STATEMENTS) {
		r->more_statements++;
		return;
	}
	if (r->nstatement == r->capstatement) {
		r->capstatement =
		    r->capstatement == 0 ? 8 : 2 * r->capstatement;
		r->statement = sa_xrealloc(r->statement, r->capstatement,
		    sizeof(*r->statement));
	}
	r->statement[r->nstatement++] =
	    (struct sa_statement){ .head = sa_xstrdup(head),
		    .verdict = verdict,
		    .offset = offset };
}

static json_t *
statements_json(struct sa_report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->nstatement; i++) {
		const struct sa_statement *s = &r->statement[i];
		size_t line, column;
		position(r, s->offset, &line, &column);
		json_t *o = json_object();
		put(o, "line", json_integer((json_int_t)line));
		put(o, "column", json_integer((json_int_t)column));
		put(o, "head", string(s->head));
		put(o, "verdict",
		    json_string_nocheck(sa_verdict_name(s->verdict)));
		json_array_append_new(list, o);
	}
	return list;
}

static int
by_place(const void *a, const void *b)
{
	const struct sa_finding *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->verdict != y->verdict ? (x->verdict > y->verdict ? -1 : 1)
					: strcmp(x->rule, y->rule);
}

static json_t *
finding_json(struct sa_report *r, const struct sa_finding *f)
{
	static const struct sa_rule none = { .id = "",
		.message = "",
		.why = "",
		.hint = "" };
	const struct sa_rule *rule = sa_rule_find(f->rule);
	cleanup_free char *message = NULL;
	size_t line, column;

	if (rule == NULL)
		rule = &none;
	message = f->about != NULL
	    ? sa_xasprintf("%s: %s", f->about, rule->message)
	    : sa_xstrdup(rule->message);
	position(r, f->offset, &line, &column);
	json_t *o = json_object();
	put(o, "rule", json_string(f->rule));
	put(o, "severity", json_string_nocheck(sa_verdict_name(f->verdict)));
	put(o, "line", json_integer((json_int_t)line));
	put(o, "column", json_integer((json_int_t)column));
	put(o, "statement",
	    f->statement != NULL ? string(f->statement) : json_null());
	put(o, "message", string(message));
	put(o, "hint", json_string(rule->hint));
	return o;
}

json_t *
sa_report_json(struct sa_report *r, const char *path)
{
	json_t *findings = json_array(), *o;

	if (r->nfinding > 0)
		qsort(r->finding, r->nfinding, sizeof(*r->finding), by_place);
	for (size_t i = 0; i < r->nfinding; i++)
		json_array_append_new(findings,
		    finding_json(r, &r->finding[i]));
	if (r->more > 0) {
		cleanup_free char *about =
		    sa_xasprintf("%zu findings", r->more);
		struct sa_finding rest = { .rule = "report-limit",
			.verdict = r->verdict,
			.offset = r->finding[r->nfinding - 1].offset,
			.about = about };
		json_array_append_new(findings, finding_json(r, &rest));
	}
	o = json_object();
	put(o, "v", json_integer(1));
	put(o, "type", json_string_nocheck("guard_report"));
	put(o, "path", path != NULL ? string(path) : json_null());
	put(o, "verdict", json_string_nocheck(sa_verdict_name(r->verdict)));
	put(o, "findings", findings);
	put(o, "statements", statements_json(r));
	if (r->more_statements > 0)
		json_object_set_new(o, "more_statements",
		    json_integer((json_int_t)r->more_statements));
	return o;
}
