/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The whole guard on any bytes as a Python source. */
#include "config.h"

#include "guard/guard.h"
#include "guard/rules.h"

#define FUZZ_NAME "fuzz-py"
#include "fuzz.h"

static enum sa_verdict
severity(const json_t *finding)
{
	const char *s = json_string_value(json_object_get(finding, "severity"));

	for (int v = SA_VERDICT_WARN; v <= SA_VERDICT_REJECT; v++)
		if (s != NULL &&
		    strcmp(s, sa_verdict_name((enum sa_verdict)v)) == 0)
			return (enum sa_verdict)v;
	require(false, "a finding without severity");
	return SA_VERDICT_REJECT;
}

static void
look(const json_t *report, const char *text, size_t size)
{
	enum sa_verdict worst = SA_VERDICT_ALLOW;
	const json_t *findings = json_object_get(report, "findings");
	size_t i;
	json_t *f;

	json_array_foreach (findings, i, f) {
		const char *rule =
		    json_string_value(json_object_get(f, "rule"));
		worst = sa_verdict_worse(worst, severity(f));
		require(rule != NULL && sa_rule_find(rule) != NULL,
		    "a finding of no rule");
		require(json_integer_value(json_object_get(f, "line")) >= 1 &&
			json_integer_value(json_object_get(f, "column")) >= 1,
		    "a finding without a place");
		require(json_string_value(json_object_get(f, "message")) !=
			NULL,
		    "a finding without a message");
	}
	require(worst == sa_guard_verdict(report),
	    "a verdict that is not the worst of its findings");
	cleanup_free char *s = sa_guard_text(report, text, size);
	require((*s == '\0') == (worst == SA_VERDICT_ALLOW),
	    "no text where something was found");
}

/* Whether the guard's own bounds are a finding. */
static bool
is_bounded(const json_t *report)
{
	size_t i;
	json_t *f;

	json_array_foreach (json_object_get(report, "findings"), i, f)
		if (strcmp(json_string_value(json_object_get(f, "rule")),
			"python-work") == 0)
			return true;
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct sa_guard_options options[] = { { .strict = false },
		{ .strict = true, .strict_insert = true },
		{ .strict = true, .strict_insert = true, .thorough = true } };
	enum sa_verdict verdict[3];
	json_auto_t *quick = NULL;

	for (int i = 0; i < 3; i++) {
		json_auto_t *report = NULL;
		struct sa_err err = SA_ERR_INIT;
		if (sa_guard_python(text, size, "f.py", &options[i], &report,
			&err) < 0) {
			require(size > SA_GUARD_MAX, "a text is not read");
			return 0;
		}
		look(report, text, size);
		verdict[i] = sa_guard_verdict(report);
		require(i < 2 || json_equal(report, quick) ||
			is_bounded(report),
		    "an evaluation finds more");
		json_decref(quick);
		quick = json_incref(report);
	}
	require(verdict[1] >= verdict[0], "strict is the milder one");
	return 0;
}
