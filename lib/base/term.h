/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_TERM_H
#define SA_TERM_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Columns of the terminal on fd, 80 where it does not say. */
int sa_term_columns(int fd);

/* Whether colour goes to fd: a terminal, NO_COLOR unset, TERM not dumb. */
bool sa_term_colour(int fd);

/* Whether a person can be asked: /dev/tty opens and this process is in its
 * foreground group. */
bool sa_term_can_ask(void);

/*
 * Asks on /dev/tty and reads one line, without its line break, into answer
 * (size bytes; a longer line is cut). SA_NO where there is no terminal to
 * ask at, or at its end of file.
 */
int sa_term_ask(const char *question, char *answer, size_t size,
    struct sa_err *err);

/*
 * A stream that goes through $SA_PAGER or $PAGER (less by default) on the
 * terminal, or stdout where stdout is no terminal or there is no pager. Quit
 * early, it is no error. sa_term_page_end() waits for the pager.
 */
struct sa_pager {
	FILE *stream;
	int pid;				/* 0: no pager */
	void (*old_pipe)(int), (*old_int)(int); /* handlers to put back */
};
void sa_term_page(struct sa_pager *p);
void sa_term_page_end(struct sa_pager *p);

/* Text as a terminal may get it: where stream is a terminal or a pager's,
 * control characters are made visible, else the bytes as they are. Short writes
 * show in ferror(stream). */
void sa_term_put(FILE *stream, const char *s, size_t len);

#endif
