/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "tap.h"

static void
test_kinds(void)
{
	is_int(sa_kind_info(SA_INVALID)->code, 65, "a kind has its code");
	is_str(sa_kind_info(SA_BUSY)->name, "busy", "and its name");
	ok(sa_kind_info(SA_BUSY)->retryable, "busy may be tried again");
	is_int(sa_kind_info(SA_KIND_COUNT)->code, 70,
	    "an unknown one is a bug");
	is_int(sa_kind_info((enum sa_kind) - 1)->code, 70,
	    "a negative one too");
	for (int i = 0; i < SA_KIND_COUNT; i++)
		if (sa_kind_info((enum sa_kind)i)->name == NULL)
			ok(0, "each kind has a row");
}

static void
test_set(void)
{
	struct sa_err e = SA_ERR_INIT;

	is_int(sa_err_set(&e, SA_INVALID, "'%s' is bad", "x"), -1,
	    "set gives -1");
	is_int(e.kind, SA_INVALID, "the kind");
	is_str(e.msg, "'x' is bad", "the message");
	is_int(sa_err_hint(&e, "try %d", 2), -1, "hint gives -1");
	is_str(e.hint, "try 2", "the hint");
	sa_err_detail(&e, json_object());
	sa_err_prefix(&e, "line %d", 3);
	is_str(e.msg, "line 3: 'x' is bad", "a prefix");
	is_str(e.hint, "try 2", "a prefix keeps the hint");
	ok(e.detail != NULL, "and the detail");
	sa_err_set(&e, SA_IO, "again: %s", e.msg);
	is_str(e.msg, "again: line 3: 'x' is bad",
	    "a message made of the one that it replaces");
	ok(*e.hint == '\0' && e.detail == NULL, "set drops hint and detail");
	sa_err_prefix(&e, "%s", e.msg);
	is_str(e.msg, "again: line 3: 'x' is bad: again: line 3: 'x' is bad",
	    "a prefix made of the message");
	errno = 0;
	sa_err_errno(&e, SA_IO, ENOENT, "cannot open '%s'", "y");
	is_str(e.msg, "cannot open 'y': No such file or directory",
	    "with the text of errno");
	is_int(errno, ENOENT, "and errno says it too");
	json_t *kept = json_object();
	json_incref(kept);
	sa_err_detail(&e, kept);
	sa_err_detail(&e, NULL);
	is_int(kept->refcount, 1, "a detail that is replaced is let go");
	json_decref(kept);
	sa_err_clear(&e);
	ok(e.kind == SA_OK && *e.msg == '\0', "clear");
}

static void
test_null(void)
{
	is_int(sa_err_set(NULL, SA_IO, "x"), -1, "no struct: set");
	is_int(sa_err_errno(NULL, SA_IO, EPERM, "x"), -1, "no struct: errno");
	is_int(sa_err_hint(NULL, "x"), -1, "no struct: hint");
	is_int(sa_err_prefix(NULL, "x"), -1, "no struct: prefix");
	is_int(sa_err_detail(NULL, json_object()), -1, "no struct: detail");
	sa_err_clear(NULL);
}

/* Texts that do not fit end with whole characters. */
static void
test_cut(void)
{
	struct sa_err e = SA_ERR_INIT;
	char long_text[3000];
	const size_t last = sizeof(e.msg) - 1;

	memset(long_text, 'a', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	sa_err_set(&e, SA_IO, "%s", long_text);
	is_int(strlen(e.msg), last, "a long text fills the array");
	sa_err_hint(&e, "%s", long_text);
	is_int(strlen(e.hint), sizeof(e.hint) - 1, "so does a hint");
	for (int n = 1; n <= 4; n++) {
		static const char *const chars[] = { "a", "\xc3\xa9",
			"\xe2\x82\xac", "\xf0\x9f\x98\x80" };
		for (size_t used = last - 4; used <= last; used++) {
			bool fits = used + (size_t)n <= last;
			sa_err_set(&e, SA_IO, "%.*s%sx", (int)used, long_text,
			    chars[n - 1]);
			size_t want = !fits	      ? used
			    : used + (size_t)n < last ? used + (size_t)n + 1
						      : last;
			if (strlen(e.msg) != want)
				is_int(strlen(e.msg), want, chars[n - 1]);
		}
	}
	sa_err_set(&e, SA_IO, "%.*s", (int)last - 4, long_text);
	sa_err_prefix(&e, "\xe2\x82\xac\xe2\x82\xac");
	is_int(strlen(e.msg), last, "a prefix pushes the end out");
	sa_err_errno(&e, SA_IO, EPERM, "%s", long_text);
	is_int(strlen(e.msg), last, "no room for the text of errno");
	char many[2100];
	memset(many, 0x80, sizeof(many));
	many[sizeof(many) - 1] = '\0';
	sa_err_set(&e, SA_IO, "%s", many);
	is_int(strlen(e.msg), last, "bytes that are no UTF-8 stay");
	sa_err_clear(&e);
}

int
main(void)
{
	test_kinds();
	test_set();
	test_null();
	test_cut();
	return tap_done();
}
