/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SUSPECT_H
#define SA_SUSPECT_H

#include <jansson.h>
#include <stddef.h>

/*
 * What a text holds that a reader does not see, or takes for something else:
 * control characters, what has no width, what turns the direction of writing,
 * blanks that are no space, letters that Python takes for other ones, and
 * words of letters of several scripts that look alike.
 *
 * An array of {line, column, code_point, message}, at most max of them in the
 * order of the text; *more says how many there are besides. Lines and columns
 * count from 1, columns in characters. text is UTF-8. Linear.
 */
json_t *sa_suspect_list(const char *text, size_t len, size_t max, size_t *more);

#endif
