/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * usage: in-terminal SCRIPT COMMAND [ARG...]
 *
 * Runs COMMAND in a session of its own on a terminal of 24 by 80, which is its
 * stdin, stdout, stderr and /dev/tty, and types what SCRIPT says; a shell as
 * COMMAND can redirect some of them. What the terminal shows goes to stdout.
 * Lines of SCRIPT:
 *
 *	expect TEXT	go on once TEXT was shown, after what was expected last
 *	send TEXT	type TEXT and Return
 *	type TEXT	type TEXT; \xHH is a byte, so \x03 is Control-C
 *	size ROWS COLS	change the terminal's size
 *	hangup		take the terminal away
 *
 * The status is COMMAND's, 128+n if signal n ended it, 99 when a minute passed
 * without what was expected or without the end, and 98 for own errors.
 */
#include "config.h"

#include <sys/ioctl.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

enum { EX_OWN = 98, EX_LATE = 99, PATIENCE = 60 };

static struct sa_buf shown = SA_BUF_INIT(16 << 20);

/* Reads what the terminal shows; false at its end. */
static bool
look(int tty, time_t until)
{
	struct pollfd p = { .fd = tty, .events = POLLIN };
	char block[4096];
	time_t left = until - time(NULL);

	if (left <= 0 || poll(&p, 1, (int)left * 1000) <= 0) {
		fflush(stdout);
		fprintf(stderr, "in-terminal: waited %d s in vain\n", PATIENCE);
		exit(EX_LATE);
	}
	ssize_t n = read(tty, block, sizeof(block));

	if (n <= 0)
		return false;
	fwrite(block, 1, (size_t)n, stdout);
	if (sa_buf_add(&shown, block, (size_t)n) < 0)
		errx(EX_OWN, "the terminal shows too much");
	return true;
}

static void
expect(int tty, const char *text)
{
	static size_t seen;
	time_t until = time(NULL) + PATIENCE;
	const char *at;

	while ((at = memmem(sa_buf_str(&shown) + seen, shown.len - seen, text,
		    strlen(text))) == NULL) {
		if (!look(tty, until)) {
			fflush(stdout);
			fprintf(stderr, "in-terminal: never shown: %s\n", text);
			exit(EX_LATE);
		}
	}
	seen = (size_t)(at - sa_buf_str(&shown)) + strlen(text);
}

static void
type(int tty, const char *text)
{
	unsigned int byte;

	while (*text != '\0') {
		char c = *text++;

		if (c == '\\' && sscanf(text, "x%2x", &byte) == 1) {
			c = (char)byte;
			text += 3;
		}
		if (write(tty, &c, 1) != 1)
			err(EX_OWN, "the terminal");
	}
}

static void
resize(int tty, const char *text)
{
	struct winsize size = { .ws_row = 0 };

	if (sscanf(text, "%hu %hu", &size.ws_row, &size.ws_col) != 2 ||
	    ioctl(tty, TIOCSWINSZ, &size) < 0)
		errx(EX_OWN, "what size is '%s'?", text);
}

/* One line of the script; false after a hangup. */
static bool
play(int tty, char *line)
{
	char *text = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	text = text != NULL ? text + 1 : line + strlen(line);
	if (strncmp(line, "expect ", 7) == 0) {
		expect(tty, text);
	} else if (strncmp(line, "send", 4) == 0) {
		type(tty, text);
		type(tty, "\r");
	} else if (strncmp(line, "type ", 5) == 0) {
		type(tty, text);
	} else if (strncmp(line, "size ", 5) == 0) {
		resize(tty, text);
	} else if (strcmp(line, "hangup") == 0) {
		close(tty);
		return false;
	} else if (*line != '\0') {
		errx(EX_OWN, "what is '%s'?", line);
	}
	return true;
}

/* How the child ended; it is killed when it does not. */
static int
end_of(pid_t child, time_t until)
{
	int status;
	pid_t got;

	while ((got = waitpid(child, &status, WNOHANG)) == 0) {
		if (time(NULL) >= until)
			kill(-child, SIGKILL);
		usleep(10000);
	}
	if (got != child)
		err(EX_OWN, "wait");
	return status;
}

int
main(int argc, char **argv)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	bool there = true;
	char *line = NULL;
	size_t room = 0;
	int tty, status;

	if (argc < 3)
		errx(EX_OWN, "usage: in-terminal SCRIPT COMMAND [ARG...]");
	FILE *script = fopen(argv[1], "re");

	if (script == NULL)
		err(EX_OWN, "%s", argv[1]);
	pid_t child = forkpty(&tty, NULL, NULL, &size);

	if (child == -1)
		err(EX_OWN, "no terminal");
	if (child == 0) {
		/* a background job of sh has the first two ignored, what
		 * nohup runs the third */
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		setenv("TERM", "xterm", 1);
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	fcntl(tty, F_SETFD, FD_CLOEXEC);
	while (there && getline(&line, &room, script) > 0)
		there = play(tty, line);
	time_t until = time(NULL) + PATIENCE;
	while (there && look(tty, until))
		;
	status = end_of(child, until);
	free(line);
	fclose(script);
	sa_buf_release(&shown);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
