/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_TEXT_H
#define SA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Text that came from outside, made fit for a terminal, a log line or JSON.
 * Results are NUL-terminated and the caller's to free.
 */

/* Decodes one UTF-8 character of at most n bytes: its length, 0 where the
 * bytes are not UTF-8 (overlong forms and surrogates are not). */
size_t sa_text_decode(const char *s, size_t n, unsigned int *cp);

/* How many bytes at the beginning are ASCII but not NUL, as far as whole words
 * of eight have no others: most text is read at once this way. */
size_t sa_text_plain(const char *s, size_t len);

/* Whether no byte is above 0x7f. */
bool sa_text_is_ascii(const char *s, size_t len);

/* Whether all of it is UTF-8. */
bool sa_text_is_utf8(const char *s, size_t len);

/* A copy with each bad byte, and each NUL, as U+FFFD. */
char *sa_text_utf8(const char *s, size_t len);

/* Whether a code point must not reach a terminal or a person unseen: C0 but
 * tab, DEL, C1, zero-width and bidirectional controls. A line break counts. */
bool sa_text_hidden(unsigned int cp);

/* One line: hidden code points as \n, \r, \xNN or \u{N}, bad bytes as
 * \xNN. */
char *sa_text_visible(const char *s);

/* The same for many lines: line breaks and tabs stay. */
char *sa_text_visible_lines(const char *s, size_t len);

/* Quoted for a POSIX shell where that is needed. */
char *sa_text_shell(const char *s);

/* Display width in columns: code points, wide East Asian ones as two,
 * combining ones as none. */
size_t sa_text_width(const char *s);

#endif
