/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include "base/mask.h"
#include "base/path.h"
#include "base/text.h"

/* What is done to text from outside before a person or a log gets it. */
#define FUZZ_NAME "fuzz-mask"
#include "fuzz.h"

static void
fit_for_a_line(const char *s, int lines)
{
	unsigned int cp;

	for (size_t left = strlen(s); left > 0;) {
		size_t n = sa_text_decode(s, left, &cp);
		require(n > 0, "visible text that is no UTF-8");
		require(!sa_text_hidden(cp) || (lines && cp == '\n'),
		    "visible text with a hidden character");
		s += n;
		left -= n;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	cleanup_free char *masked = sa_mask_text(text, size);
	cleanup_free char *line = sa_text_visible(masked);
	cleanup_free char *lines = sa_text_visible_lines(text, size);
	cleanup_free char *utf8 = sa_text_utf8(text, size);
	cleanup_free char *string = sa_xstrndup(text, size);
	cleanup_free char *path = sa_path_absolute(string);
	cleanup_free char *quoted = sa_text_shell(string);

	fit_for_a_line(line, 0);
	fit_for_a_line(lines, 1);
	require(sa_text_is_utf8(utf8, strlen(utf8)), "repaired, but no UTF-8");
	require(*path == '/' && strstr(path, "//") == NULL &&
		strstr(path, "/../") == NULL && strstr(path, "/./") == NULL,
	    "an absolute path that is not");
	require(strlen(quoted) >= strlen(string), "a quoted text lost bytes");
	sa_mask_show(string, string);
	sa_text_width(string);
	return 0;
}
