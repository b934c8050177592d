/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_HASH_H
#define SA_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A hash of names, which are short: both ends are read at once, even where
 * they overlap. Tables that the build makes have it too, so it must give the
 * same there. */
static inline uint64_t
sa_hash_load(const char *s, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, s, n);
	return v;
}

/* The upper half of what it gives depends on every bit of h; all of it gives h
 * back. */
static inline uint64_t
sa_hash_mix(uint64_t h)
{
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* Two texts of one length that is at most SA_HASH_WHOLE have it in common only
 * if they are the same. */
#define SA_HASH_WHOLE 8
static inline uint64_t
sa_hash_all(const char *s, size_t n)
{
	uint64_t h = 0;

	if (n >= 8) {
		for (size_t i = 0; i + 8 < n; i += 8)
			h = sa_hash_mix(h ^ sa_hash_load(s + i, 8));
		h ^= sa_hash_load(s + (n - 8), 8);
	} else if (n >= 4) {
		h = sa_hash_load(s, 4) |
		    sa_hash_load(s + (n - 4), 4) << 8 * (n - 4);
	} else if (n > 0) {
		h = sa_hash_load(s, 1) | sa_hash_load(s + n / 2, 1) << 8 |
		    sa_hash_load(s + n - 1, 1) << 16;
	}
	return sa_hash_mix(h);
}

/* sa_hash() of what that hash is of. */
static inline uint32_t
sa_hash_upper(uint64_t all)
{
	return (uint32_t)(all >> 32);
}

static inline uint32_t
sa_hash(const char *s, size_t n)
{
	return sa_hash_upper(sa_hash_all(s, n));
}

#endif
