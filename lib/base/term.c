/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"

int
sa_term_columns(int fd)
{
	struct winsize ws;

	if (ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return 80;
}

bool
sa_term_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && (no == NULL || *no == '\0') && term != NULL &&
	    strcmp(term, "dumb") != 0;
}

bool
sa_term_can_ask(void)
{
	cleanup_fd int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	return tty >= 0 && tcgetpgrp(tty) == getpgrp();
}

int
sa_term_ask(const char *question, char *answer, size_t size, struct sa_err *err)
{
	cleanup_fd int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	size_t len = 0;
	char c;

	if (tty < 0 || tcgetpgrp(tty) != getpgrp())
		return sa_err_set(err, SA_NO, "there is no terminal to ask at");
	/* what was typed before the question is no answer to it */
	ioctl(tty, TCFLSH, 0);
	if (write(tty, question, strlen(question)) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot write to the terminal");
	for (;;) {
		ssize_t n = read(tty, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sa_err_set(err, SA_NO,
			    "the terminal gave no answer");
		if (c == '\n')
			break;
		if (len + 1 < size)
			answer[len++] = c;
	}
	answer[len] = '\0';
	return 0;
}

void
sa_term_page(struct sa_pager *p)
{
	const char *pager = getenv("SA_PAGER");
	int fds[2];

	*p = (struct sa_pager){ .stream = stdout, .pid = 0 };
	if (pager == NULL)
		pager = getenv("PAGER");
	if (pager == NULL)
		pager = "less";
	if (!isatty(STDOUT_FILENO) || *pager == '\0' ||
	    strcmp(pager, "cat") == 0 || pipe2(fds, O_CLOEXEC) < 0)
		return;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fds[0], STDIN_FILENO);
		/* F: quit when it fits, R: colours, X: leave the screen */
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	FILE *stream = pid > 0 ? fdopen(fds[1], "w") : NULL;
	if (stream == NULL) {
		close(fds[1]);
		return;
	}
	/* a pager that was quit must not end us */
	signal(SIGPIPE, SIG_IGN);
	p->stream = stream;
	p->pid = pid;
}

void
sa_term_page_end(struct sa_pager *p)
{
	int status;

	if (p->pid == 0)
		return;
	fclose(p->stream);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGPIPE, SIG_DFL);
	p->stream = stdout;
	p->pid = 0;
}

void
sa_term_put(FILE *stream, const char *s, size_t len)
{
	if (!isatty(fileno(stream))) {
		fwrite(s, 1, len, stream);
		return;
	}
	cleanup_free char *clean = sa_text_visible_lines(s, len);
	fputs(clean, stream);
}
