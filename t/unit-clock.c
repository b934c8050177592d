/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tap.h"

static void
test_format(void)
{
	char s[SA_TIME_SIZE];
	time_t t;

	sa_clock_format(0, s);
	is_str(s, "1970-01-01T00:00:00Z", "the epoch");
	sa_clock_format(1795987800, s);
	is_str(s, "2026-11-29T21:30:00Z", "a day");
	sa_clock_format(-1, s);
	is_str(s, "1970-01-01T00:00:00Z", "before the epoch");
	sa_clock_format(253402300800, s);
	is_str(s, "9999-12-31T23:59:59Z", "past the year 9999");
	sa_clock_now(s);
	ok(sa_clock_parse(s, &t) && llabs((long long)(t - time(NULL))) < 100,
	    "now comes back");
}

static void
test_parse(void)
{
	static const char *const good[] = { "2026-11-29T21:30:00Z",
		"2026-11-29T21:30:00.123456Z", "2026-11-29T21:30:00+00:00",
		"2026-11-29T21:30:00.5+00:00" };
	static const char *const bad[] = { "", "2026-11-29",
		"2026-11-29T21:30:00", "2026-11-29T21:30:00+01:00",
		"2026-11-29T21:30:00.Z", "2026-11-29 21:30:00Z",
		"2026-11-29T21:30:00Zx", "2026-1-29T21:30:00Z ",
		"+026-11-29T21:30:00Z", "2026-13-29T21:30:00Z",
		"2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z",
		"2026-11-29T24:30:00Z", "2026-11-29T21:60:00Z",
		"2026-11-29T21:30:00z", " 026-11-29T21:30:00Z" };
	time_t t;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ok(sa_clock_parse(good[i], &t) && t == 1795987800, good[i]);
	ok(sa_clock_parse("2024-02-29T00:00:00Z", &t), "a leap day");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!sa_clock_parse(bad[i], &t), bad[i]);
	ok(!sa_clock_parse(NULL, &t), "NULL");
}

static void
test_duration(void)
{
	static const struct {
		const char *s;
		long long n;
	} all[] = { { "90", 90 }, { "90s", 90 }, { "15m", 900 },
		{ "24h", 86400 }, { "7d", 604800 }, { "3650d", 315360000 },
		{ "315360000", 315360000 }, { "315360001", -1 },
		{ "3651d", -1 }, { "0", -1 }, { "0s", -1 }, { "", -1 },
		{ "s", -1 }, { "-5", -1 }, { "5x", -1 }, { "5ss", -1 },
		{ "1.5h", -1 }, { " 5", -1 }, { "9999999999999999999", -1 },
		{ "999999999999999d", -1 } };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		is_int(sa_clock_duration(all[i].s), all[i].n, all[i].s);
}

static void
test_id(void)
{
	char a[SA_ID_SIZE], b[SA_ID_SIZE];
	static const char *const bad[] = { "", "p_", "p_20261129T101500_4f0c9",
		"p_20261129T101500_4f0c9aa", "p_20261129T101500_4F0C9A",
		"p_20261129t101500_4f0c9a", "q_20261129T101500_4f0c9a",
		"p_2026112xT101500_4f0c9a", "p_20261129T101500_4f0c9a/..",
		"p_20261129T101500-4f0c9a", "p_20261129T101500_4f0c9g" };

	sa_clock_id("p", a);
	sa_clock_id("p", b);
	ok(sa_clock_is_id("p", a) && sa_clock_is_id("p", b), "an id is one");
	ok(strcmp(a, b) != 0 || strlen(a) == 24, "of 24 characters");
	bool sorted = true;
	sa_clock_id_sorted("p", a);
	for (int i = 0; i < 100; i++) {
		usleep(500);
		sa_clock_id_sorted("p", b);
		sorted &= strcmp(a, b) < 0 && sa_clock_is_id("p", b);
		memcpy(a, b, sizeof(a));
	}
	ok(sorted, "those of one second are in order where that is asked for");
	ok(!sa_clock_is_id("j", a), "of its prefix only");
	ok(sa_clock_is_id("p", "p_20261129T101500_4f0c9a"), "a given one");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!sa_clock_is_id("p", bad[i]), bad[i]);
	ok(!sa_clock_is_id("p", NULL), "NULL");
	long long ms = sa_clock_ms();
	ok(sa_clock_ms() >= ms, "the other clock does not go back");
}

int
main(void)
{
	test_format();
	test_parse();
	test_duration();
	test_id();
	return tap_done();
}
