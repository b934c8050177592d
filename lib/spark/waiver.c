/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/waiver.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"
#include "guard/guard.h"

#define FORCED "forced:"
#define NAMED_MAX 400 /* bytes of names in an error */

/* The waivers that the findings there are would take. */
static int
no_finding(const char *text, const json_t *report, struct sa_err *err)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	json_t *f;
	size_t i;

	json_array_foreach (json_object_get(report, "findings"), i, f) {
		const char *rule = sa_json_str(f, "rule");
		if (rule == NULL || b.len > NAMED_MAX)
			continue;
		sa_buf_addf(&b, "%s%s:%lld", b.len > 0 ? ", " : "", rule,
		    (long long)json_integer_value(json_object_get(f, "line")));
	}
	sa_err_set(err, SA_INVALID, "--waive '%s': the guard found no such",
	    text);
	if (b.len > 0)
		sa_err_hint(err, "it found %s", b.s);
	else
		sa_err_hint(err, "it found nothing; leave --waive out");
	sa_buf_release(&b);
	return -1;
}

static void
add_findings(json_t *waivers, const json_t *report, const char *rule,
    json_int_t line)
{
	static const char *const members[] = { "rule", "line", "column",
		"message" };
	json_t *f;
	size_t i;

	json_array_foreach (json_object_get(report, "findings"), i, f) {
		json_t *w;
		if (!sa_guard_is_waived(f) ||
		    strcmp(sa_json_str(f, "rule"), rule) != 0 ||
		    json_integer_value(json_object_get(f, "line")) != line)
			continue;
		w = json_object();
		for (size_t k = 0; k < 4; k++)
			json_object_set(w, members[k],
			    json_object_get(f, members[k]));
		json_array_append_new(waivers, w);
	}
}

static int
apply(const char *text, json_t *report, json_t *waivers, struct sa_err *err)
{
	const char *colon = strrchr(text, ':'), *wrong = "no line";
	cleanup_free char *shown = sa_text_visible(text);
	size_t before = json_array_size(waivers);

	if (strncmp(text, FORCED, strlen(FORCED)) == 0) {
		json_t *w = json_object();
		sa_json_set_str(w, "forced", text + strlen(FORCED));
		json_array_append_new(waivers, w);
		return 0;
	}
	cleanup_free char *rule =
	    sa_xstrndup(text, colon != NULL ? (size_t)(colon - text) : 0);
	long long line = colon != NULL
	    ? strtonum(colon + 1, 1, SA_GUARD_MAX + 1, &wrong)
	    : 0;
	if (wrong != NULL || *rule == '\0') {
		sa_err_set(err, SA_INVALID, "--waive '%s' is no waiver", shown);
		return sa_err_hint(err,
		    "give RULE:LINE as the guard prints them, or " FORCED
		    "KEY");
	}
	if (sa_guard_waive(report, rule, line) == 0)
		return no_finding(shown, report, err);
	/* said twice is said once */
	for (size_t i = 0; i < before; i++) {
		const json_t *w = json_array_get(waivers, i);
		const char *its = sa_json_str(w, "rule");
		if (its != NULL && strcmp(its, rule) == 0 &&
		    json_integer_value(json_object_get(w, "line")) == line)
			return 0;
	}
	add_findings(waivers, report, rule, line);
	return 0;
}

int
sa_waiver_apply(const struct sa_strings *texts, json_t *report, json_t **out,
    struct sa_err *err)
{
	json_auto_t *waivers = json_array();

	for (size_t i = 0; i < texts->n; i++)
		if (apply(texts->v[i], report, waivers, err) < 0)
			return -1;
	*out = sa_steal(&waivers);
	return 0;
}

void
sa_waiver_repeat(const json_t *waivers, json_t *report)
{
	json_t *w;
	size_t i;

	json_array_foreach (waivers, i, w) {
		const char *rule = sa_json_str(w, "rule");
		if (rule != NULL)
			sa_guard_waive(report, rule,
			    json_integer_value(json_object_get(w, "line")));
	}
}

static int
not_forced(const char *key, json_t *forced, struct sa_err *err)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_free char *shown = sa_text_visible(key);
	const char *name;
	json_t *value;

	json_object_foreach (forced, name, value)
		sa_buf_addf(&b, "%s%s", b.len > 0 ? ", " : "", name);
	sa_err_set(err, SA_INVALID,
	    "--waive '" FORCED "%s': the runtime guard does not set it, or it "
	    "is waived already",
	    shown);
	if (b.len > 0)
		sa_err_hint(err, "it sets %s", b.s);
	sa_buf_release(&b);
	return -1;
}

int
sa_waiver_forced(const json_t *waivers, json_t *forced, struct sa_err *err)
{
	json_t *w;
	size_t i;

	json_array_foreach (waivers, i, w) {
		const char *key = sa_json_str(w, "forced");
		if (key != NULL && json_object_del(forced, key) < 0)
			return not_forced(key, forced, err);
	}
	return 0;
}
