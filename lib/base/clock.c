/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
sa_clock_format(time_t t, char out[SA_TIME_SIZE])
{
	/* 9999-12-31T23:59:59Z: what four digits of a year can say */
	const time_t last = 253402300799;
	struct tm tm;

	t = t < 0 ? 0 : t > last ? last : t;
	gmtime_r(&t, &tm);
	strftime(out, SA_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void
sa_clock_now(char out[SA_TIME_SIZE])
{
	sa_clock_format(time(NULL), out);
}

/* Whether s begins with form, where '0' stands for any digit. */
static bool
has_form(const char *s, const char *form)
{
	for (; *form != '\0'; form++, s++)
		if (*form == '0' ? *s < '0' || *s > '9' : *s != *form)
			return false;
	return true;
}

bool
sa_clock_parse(const char *s, time_t *t)
{
	struct tm tm = { 0 }, back;

	if (s == NULL || !has_form(s, "0000-00-00T00:00:00"))
		return false;
	const char *end = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);
	if (end == NULL)
		return false;
	if (*end == '.') {
		size_t digits = strspn(end + 1, "0123456789");
		if (digits == 0)
			return false;
		end += 1 + digits;
	}
	if (strcmp(end, "Z") != 0 && strcmp(end, "+00:00") != 0)
		return false;
	int day = tm.tm_mday;
	time_t got = timegm(&tm);
	/* timegm() takes 31 February for a day in March */
	if (gmtime_r(&got, &back) == NULL || back.tm_mday != day)
		return false;
	*t = got;
	return true;
}

long long
sa_clock_duration(const char *s)
{
	static const struct {
		char unit;
		long long seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	const long long most = 10LL * 365 * 86400;
	size_t digits = strspn(s, "0123456789");
	char number[16];
	const char *why;
	long long factor = 1;

	if (digits == 0 || digits >= sizeof(number))
		return -1;
	memcpy(number, s, digits);
	number[digits] = '\0';
	if (s[digits] != '\0') {
		factor = 0;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (s[digits] == units[i].unit)
				factor = units[i].seconds;
		if (factor == 0 || s[digits + 1] != '\0')
			return -1;
	}
	long long n = strtonum(number, 1, most / factor, &why);
	return why == NULL ? n * factor : -1;
}

long long
sa_clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
make_id(const char *prefix, time_t at, unsigned digits, char out[SA_ID_SIZE])
{
	struct tm tm;
	char stamp[20];

	gmtime_r(&at, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm);
	snprintf(out, SA_ID_SIZE, "%.8s_%s_%06x", prefix, stamp, digits);
}

void
sa_clock_id(const char *prefix, char out[SA_ID_SIZE])
{
	make_id(prefix, time(NULL), arc4random() & 0xffffff, out);
}

void
sa_clock_id_sorted(const char *prefix, char out[SA_ID_SIZE])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	unsigned part = (unsigned)(now.tv_nsec * 4096LL / 1000000000);
	make_id(prefix, now.tv_sec, part << 12 | (arc4random() & 0xfff), out);
}

bool
sa_clock_is_id(const char *prefix, const char *s)
{
	size_t n = strlen(prefix);

	if (s == NULL || strncmp(s, prefix, n) != 0)
		return false;
	s += n;
	/* the form ends in front of the six hexadecimal digits */
	if (!has_form(s, "_00000000T000000_"))
		return false;
	s += 17;
	return strspn(s, "0123456789abcdef") == 6 && s[6] == '\0';
}
