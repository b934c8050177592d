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
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL)
		memset(&tm, 0, sizeof(tm));
	strftime(out, SA_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void
sa_clock_now(char out[SA_TIME_SIZE])
{
	sa_clock_format(time(NULL), out);
}

bool
sa_clock_parse(const char *s, time_t *t)
{
	struct tm tm = { 0 };

	if (s == NULL)
		return false;
	const char *end = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);
	if (end == NULL)
		return false;
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	if (strcmp(end, "Z") != 0 && strcmp(end, "+00:00") != 0)
		return false;
	*t = timegm(&tm);
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

void
sa_clock_id(const char *prefix, char out[SA_ID_SIZE])
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[20];

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm);
	snprintf(out, SA_ID_SIZE, "%.8s_%s_%06x", prefix, stamp,
	    arc4random() & 0xffffff);
}

bool
sa_clock_is_id(const char *prefix, const char *s)
{
	/* 0 a digit, x a lower-case hexadecimal digit */
	static const char form[] = "_00000000T000000_xxxxxx";
	size_t n = strlen(prefix);

	if (s == NULL || strncmp(s, prefix, n) != 0)
		return false;
	s += n;
	for (const char *f = form; *f != '\0'; f++, s++) {
		if (*f == '0' ? !(*s >= '0' && *s <= '9')
			: *f == 'x'
			? *s == '\0' || strchr("0123456789abcdef", *s) == NULL
			: *s != *f)
			return false;
	}
	return *s == '\0';
}
