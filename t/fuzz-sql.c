/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The SQL half of the guard under any bytes. */
#include "config.h"

#include "guard/rules.h"
#include "guard/sql.h"

#define FUZZ_NAME "fuzz-sql"
#include "fuzz.h"

struct seen {
	const char *text;
	size_t len, end;
	enum sa_verdict worst;
};

static void
on_hit(void *arg, const struct sa_sql_hit *hit)
{
	struct seen *s = arg;

	require(sa_rule_find(hit->rule) != NULL, "a hit of no rule");
	require(hit->offset <= hit->end && hit->end <= s->len,
	    "a hit outside of the text");
	require(memchr(hit->head, '\0', sizeof(hit->head)) != NULL,
	    "a head without end");
	require(hit->verdict != SA_VERDICT_ALLOW, "a hit that allows");
	s->worst = sa_verdict_worse(s->worst, hit->verdict);
}

static void
on_statement(void *arg, const struct sa_sql_statement *st)
{
	struct seen *s = arg;

	require(st->offset < st->end && st->end <= s->len,
	    "a statement outside of the text");
	require(st->offset >= s->end, "statements out of order");
	s->end = st->end;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	for (int mode = SA_SQL_STATEMENT; mode <= SA_SQL_FOREIGN; mode++) {
		struct seen s = { .text = text, .len = size };
		enum sa_verdict v = sa_sql_check(text, size,
		    (enum sa_sql_mode)mode, on_hit, on_statement, &s);

		require(v == s.worst, "a verdict without a hit");
	}
	struct seen s = { .text = text, .len = size };
	bool found = sa_sql_forbidden_literal(text, size, on_hit, &s);
	require(found == (s.worst == SA_VERDICT_REJECT),
	    "a forbidden literal without a hit");
	/* what is forbidden as a string is never allowed as SQL */
	if (found)
		require(sa_sql_check(text, size, SA_SQL_STATEMENT, NULL, NULL,
			    NULL) > SA_VERDICT_WARN,
		    "a forbidden literal that may run");
	return 0;
}
