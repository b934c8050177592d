/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * TAP from C. Each macro is one test and yields whether it held; the last line
 * of main is "return tap_done();".
 *
 *	ok(condition, name)
 *	is_str(got, want, name)		either may be NULL
 *	is_int(got, want, name)		any integer type
 *	tap_skip(name, reason)		one that cannot run here
 */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>
#include <string.h>

static int tap_n, tap_bad;

static inline int
tap_test(int holds, const char *name, const char *file, int line,
    const char *text)
{
	printf("%sok %d - %s\n", holds ? "" : "not ", ++tap_n, name);
	if (!holds) {
		tap_bad++;
		printf("# %s:%d: %s\n", file, line, text);
	}
	fflush(stdout);
	return holds;
}

static inline int
tap_str(const char *got, const char *want, const char *name, const char *file,
    int line)
{
	int same = got == want || (got && want && strcmp(got, want) == 0);

	tap_test(same, name, file, line, "the strings differ");
	if (!same)
		printf("# got  '%s'\n# want '%s'\n", got ? got : "(null)",
		    want ? want : "(null)");
	return same;
}

static inline int
tap_int(long long got, long long want, const char *name, const char *file,
    int line)
{
	tap_test(got == want, name, file, line, "the numbers differ");
	if (got != want)
		printf("# got  %lld\n# want %lld\n", got, want);
	return got == want;
}

static inline void
tap_skip(const char *name, const char *reason)
{
	printf("ok %d - %s # skip %s\n", ++tap_n, name, reason);
}

#define ok(c, name) tap_test(!!(c), (name), __FILE__, __LINE__, #c)
#define is_str(got, want, name) \
	tap_str((got), (want), (name), __FILE__, __LINE__)
#define is_int(got, want, name) \
	tap_int((long long)(got), (long long)(want), (name), __FILE__, __LINE__)

static inline int
tap_done(void)
{
	printf("1..%d\n", tap_n);
	return tap_bad != 0;
}

#endif
