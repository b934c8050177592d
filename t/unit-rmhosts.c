/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdbool.h>

#include "spark/rmhosts.h"
#include "tap.h"

int
main(void)
{
	static const struct {
		const char *list, *host;
		bool matches;
	} rows[] = {
		{ "rm1", "rm1:8088", true },
		{ "rm1", "RM1:8088", true },
		{ "rm1", "rm10:8088", false },
		{ "rm10", "rm1:8088", false },
		{ "rm1:8088", "rm1:8088", true },
		{ "rm1:8088", "rm1:80880", false },
		{ "rm1:8088", "rm1:22", false },
		{ "a, rm1 ,b", "rm1:1", true },
		{ "a,,b", "b:1", true },
		{ "", "rm1:1", false },
		{ ",", "rm1:1", false },
		{ "*.example.org", "rm.example.org:1", true },
		{ "*.example.org", "a.b.EXAMPLE.org:1", true },
		{ "*.example.org", "example.org:1", false },
		{ "*.example.org", "evilexample.org:1", false },
		{ "*.example.org", "rm.example.org.evil:1", false },
		{ "*.example.org:8088", "rm.example.org:8088", true },
		{ "*.example.org:8088", "rm.example.org:22", false },
		{ "*", "rm1:1", false },
		{ "[::1]", "[::1]:8088", true },
		{ "[::1]:8088", "[::1]:8088", true },
		{ "[::1]:8088", "[::1]:22", false },
		{ "[::1]", "[::2]:8088", false },
		{ "10.0.0.1", "10.0.0.1:8088", true },
		{ "10.0.0.1", "10.0.0.10:8088", false },
		{ "rm1", "rm1", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char name[128];
		snprintf(name, sizeof(name), "'%s' %s '%s'", rows[i].list,
		    rows[i].matches ? "has" : "has not", rows[i].host);
		ok(sa_rmhosts_match(rows[i].list, rows[i].host) ==
			rows[i].matches,
		    name);
	}
	return tap_done();
}
