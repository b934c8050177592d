/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define TERM_MAX 64

/* Our terminal, while a command has it for its own. */
static volatile sig_atomic_t is_raw;
static struct termios before, raw;
static int resized[2] = { -1, -1 };

static void
on_resize(int sig)
{
	int saved = errno;

	(void)sig;
	(void)!write(resized[1], "", 1);
	errno = saved;
}

/* Stopped from elsewhere, it gives the terminal back for that time. */
static void
on_stop(int sig)
{
	int saved = errno;

	if (is_raw)
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
	raise(SIGSTOP);
	if (is_raw)
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	on_resize(sig);
	errno = saved;
}

/* The name of a terminal as the command may get it, else NULL. */
static const char *
name_of_terminal(void)
{
	static const char fine[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789+-._";
	const char *name = getenv("TERM");

	if (name == NULL || *name == '\0' || strlen(name) > TERM_MAX ||
	    strspn(name, fine) != strlen(name))
		return NULL;
	return name;
}

int
sandbox_tty_begin(struct sa_run *run, bool live, struct sa_err *err)
{
	struct sigaction resize = { .sa_handler = on_resize,
		.sa_flags = SA_RESTART };
	struct sigaction stop = { .sa_handler = on_stop,
		.sa_flags = SA_RESTART };

	run->tty = isatty(STDIN_FILENO) ? STDIN_FILENO
	    : isatty(STDOUT_FILENO)	? STDOUT_FILENO
					: -1;
	if (run->tty < 0)
		return 0;
	if (pipe2(resized, O_CLOEXEC | O_NONBLOCK) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	run->term = name_of_terminal();
	run->resized = &resized[0];
	sigaction(SIGWINCH, &resize, NULL);
	if (!live || tcgetattr(STDIN_FILENO, &before) < 0)
		return 0;
	raw = before;
	cfmakeraw(&raw);
	sigaction(SIGTSTP, &stop, NULL);
	is_raw = 1;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0)
		return 0;
	is_raw = 0;
	return sa_err_errno(err, SA_IO, errno, "cannot set the terminal");
}

void
sandbox_tty_end(void)
{
	if (!is_raw)
		return;
	is_raw = 0;
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}
