/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <limits.h>

#include "base/clock.h"
#include "base/http.h"

/* Apart from http.c: who only asks whether it is late needs no libcurl. */

static long long back_at = LLONG_MAX;

void
sa_http_be_back(long long at_ms)
{
	back_at = at_ms;
}

long long
sa_http_back_at(void)
{
	return back_at;
}

bool
sa_http_is_late(void)
{
	return back_at != LLONG_MAX && sa_clock_ms() >= back_at;
}
