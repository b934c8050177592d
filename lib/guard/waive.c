/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <string.h>

#include "guard/guard.h"

static const char *
text_of(const json_t *finding, const char *member)
{
	const char *s = json_string_value(json_object_get(finding, member));

	return s != NULL ? s : "";
}

static enum sa_verdict
severity(const json_t *finding)
{
	const char *s = text_of(finding, "severity");

	for (int v = SA_VERDICT_ALLOW; v < SA_VERDICT_REJECT; v++)
		if (strcmp(s, sa_verdict_name((enum sa_verdict)v)) == 0)
			return (enum sa_verdict)v;
	return SA_VERDICT_REJECT;
}

/* What the findings that count say together. */
static void
judge_again(json_t *report)
{
	enum sa_verdict verdict = SA_VERDICT_ALLOW;
	json_t *f;
	size_t i;

	json_array_foreach (json_object_get(report, "findings"), i, f)
		if (!sa_guard_is_waived(f))
			verdict = sa_verdict_worse(verdict, severity(f));
	json_object_set_new(report, "verdict",
	    json_string(sa_verdict_name(verdict)));
}

bool
sa_guard_is_waived(const json_t *finding)
{
	return json_is_true(json_object_get(finding, "waived"));
}

size_t
sa_guard_waive(json_t *report, const char *rule, json_int_t line)
{
	size_t i, n = 0;
	json_t *f;

	if (strcmp(rule, "report-limit") == 0)
		return 0;
	json_array_foreach (json_object_get(report, "findings"), i, f) {
		if (strcmp(text_of(f, "rule"), rule) != 0 ||
		    json_integer_value(json_object_get(f, "line")) != line)
			continue;
		json_object_set_new(f, "waived", json_true());
		n++;
	}
	if (n > 0)
		judge_again(report);
	return n;
}
