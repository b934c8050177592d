/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "guard/guard.h"
#include "guard/rules.h"

/*
 * The whole guard on any bytes as a Python source. With -DSA_LIBFUZZER it is a
 * target of libFuzzer; else a program that runs the files given, stdin for
 * "-", or without operands the seeds in t/data/fuzz-py.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool c, const char *what)
{
	if (c)
		return;
	fprintf(stderr, "fuzz-py: %s\n", what);
	abort();
}

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct sa_guard_options options[] = { { .strict = false },
		{ .strict = true, .strict_insert = true } };
	enum sa_verdict verdict[2];

	for (int i = 0; i < 2; i++) {
		json_t *report = NULL;
		struct sa_err err = SA_ERR_INIT;
		if (sa_guard_python(text, size, "f.py", &options[i], &report,
			&err) < 0) {
			require(size > SA_GUARD_MAX, "a text is not read");
			return 0;
		}
		look(report, text, size);
		verdict[i] = sa_guard_verdict(report);
		json_decref(report);
	}
	require(verdict[1] >= verdict[0], "strict is the milder one");
	return 0;
}

#ifndef SA_LIBFUZZER
static bool
run_stream(FILE *f)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_GUARD_MAX + 4096);
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		if (sa_buf_add(&b, part, n) == -1)
			break;
	if (ferror(f))
		return false;
	/* A copy of its own size: reading past it is seen by a sanitizer. */
	cleanup_free char *text = sa_xmalloc(b.len);
	if (b.len > 0)
		memcpy(text, b.s, b.len);
	LLVMFuzzerTestOneInput((const uint8_t *)text, b.len);
	return true;
}

static bool
run_file(const char *path)
{
	if (strcmp(path, "-") == 0)
		return run_stream(stdin);
	cleanup_file FILE *f = fopen(path, "re");
	return f != NULL && run_stream(f);
}

static int
run_seeds(void)
{
	const char *dir = getenv("SA_SRCDIR");
	cleanup_free char *path =
	    sa_xasprintf("%s/t/data/fuzz-py", dir == NULL ? "." : dir);
	cleanup_dir DIR *d = opendir(path);
	int n = 0;

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		cleanup_free char *seed =
		    sa_xasprintf("%s/%s", path, e->d_name);
		bool ok = run_file(seed);

		printf("%sok %d - %s\n", ok ? "" : "not ", ++n, e->d_name);
	}
	printf("1..%d\n", n);
	return n == 0;
}

int
main(int argc, char *argv[])
{
	if (argc < 2)
		return run_seeds();
	for (int i = 1; i < argc; i++) {
		if (!run_file(argv[i])) {
			fprintf(stderr, "fuzz-py: cannot read '%s'\n", argv[i]);
			return 1;
		}
	}
	return 0;
}
#endif
