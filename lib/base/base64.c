/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

char *
sa_base64_encode(const void *bytes, size_t n)
{
	const unsigned char *s = bytes;
	char *out = sa_xcalloc(n / 3 + 1, 4 + 1), *p = out;

	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		unsigned int v = (unsigned int)s[i] << 16;
		if (left > 1)
			v |= (unsigned int)s[i + 1] << 8;
		if (left > 2)
			v |= s[i + 2];
		*p++ = digits[v >> 18];
		*p++ = digits[v >> 12 & 63];
		*p++ = left > 1 ? digits[v >> 6 & 63] : '=';
		*p++ = left > 2 ? digits[v & 63] : '=';
	}
	*p = '\0';
	return out;
}

bool
sa_base64_decode(const char *text, struct sa_buf *b)
{
	unsigned int v = 0, n = 0, pad = 0;

	for (const char *p = text; *p != '\0'; p++) {
		if (strchr(" \t\r\n", *p) != NULL)
			continue;
		const char *digit = strchr(digits, *p);
		if (*p == '=')
			pad++;
		else if (digit == NULL || pad > 0)
			return false;
		v = v << 6 | (*p == '=' ? 0 : (unsigned int)(digit - digits));
		if (++n % 4 != 0)
			continue;
		char bytes[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };
		if (pad > 2 || sa_buf_add(b, bytes, 3 - pad) < 0)
			return false;
		v = 0;
	}
	return n % 4 == 0 && pad <= 2;
}
