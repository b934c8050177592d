/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CLOCK_H
#define SA_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Times in records are RFC 3339, UTC, whole seconds: 20 characters. */
#define SA_TIME_SIZE 21
/* A time outside 1970 to 9999 gives the nearest one inside. */
void sa_clock_format(time_t t, char out[SA_TIME_SIZE]);
void sa_clock_now(char out[SA_TIME_SIZE]);

/* false where s is not such a time (NULL too). Fractions of a second, which
 * are dropped, and "+00:00" for "Z" are taken: the predecessor wrote them. */
bool sa_clock_parse(const char *s, time_t *t);

/* "90", "90s", "15m", "24h", "7d" as seconds, 1 s to 10 years; -1 if not. */
long long sa_clock_duration(const char *s);

/* Milliseconds that never jump; for time-outs only. */
long long sa_clock_ms(void);

/* PREFIX_<UTC>_<hex>, sorted by time: "p_20261129T101500_4f0c9a". The six
 * digits are random; whoever makes a name with it makes it exclusively. */
#define SA_ID_SIZE 40
void sa_clock_id(const char *prefix, char out[SA_ID_SIZE]);

/* The same, sorted within a second too: three of the digits are its fraction,
 * and names that were made at once are the same more often. */
void sa_clock_id_sorted(const char *prefix, char out[SA_ID_SIZE]);

/* Whether s has the form that sa_clock_id() gives for this prefix. */
bool sa_clock_is_id(const char *prefix, const char *s);

#endif
