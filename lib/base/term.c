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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/proc.h"
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

/* The pager's command line, or NULL where its program is not there. Caller
 * frees. */
static char *
choose_pager(void)
{
	const char *names[] = { getenv("SA_PAGER"), getenv("PAGER"), "less",
		"more" };
	size_t first = names[0] != NULL ? 0 : names[1] != NULL ? 1 : 2;

	/* one that is set is the only one, whether it is there or not */
	for (size_t i = first; i < (first < 2 ? first + 1 : 4); i++) {
		const char *s = names[i];
		cleanup_free char *word = sa_xstrndup(s, strcspn(s, " \t"));
		if (*word == '\0' || strcmp(word, "cat") == 0)
			return NULL;
		cleanup_free char *found = sa_proc_find(word);
		if (found != NULL ||
		    (strchr(word, '/') != NULL && access(word, X_OK) == 0))
			return sa_xstrdup(s);
	}
	return NULL;
}

void
sa_term_page(struct sa_pager *p)
{
	int fds[2];

	*p = (struct sa_pager){ .stream = stdout, .pid = 0 };
	if (!isatty(STDOUT_FILENO))
		return;
	cleanup_free char *pager = choose_pager();
	if (pager == NULL || pipe2(fds, O_CLOEXEC) < 0)
		return;
	FILE *stream = fdopen(fds[1], "w");
	fflush(stdout);
	/* a pager that was quit must not end us, and ^C is for it */
	p->old_pipe = signal(SIGPIPE, SIG_IGN);
	p->old_int = signal(SIGINT, SIG_IGN);
	pid_t pid = stream != NULL ? fork() : -1;
	if (pid == 0) {
		signal(SIGPIPE, p->old_pipe);
		signal(SIGINT, p->old_int);
		dup2(fds[0], STDIN_FILENO);
		/* F: quit when it fits, R: colours, X: leave the screen */
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	if (pid < 0) {
		if (stream != NULL)
			fclose(stream);
		else
			close(fds[1]);
		signal(SIGPIPE, p->old_pipe);
		signal(SIGINT, p->old_int);
		return;
	}
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
	signal(SIGPIPE, p->old_pipe);
	signal(SIGINT, p->old_int);
	p->stream = stdout;
	p->pid = 0;
}

/* Also the pager's stream, which is a pipe, ends at the terminal. */
static bool
ends_at_terminal(FILE *stream)
{
	struct stat st;

	if (isatty(fileno(stream)))
		return true;
	return stream != stdout && stream != stderr && isatty(STDOUT_FILENO) &&
	    fstat(fileno(stream), &st) == 0 && S_ISFIFO(st.st_mode);
}

void
sa_term_put(FILE *stream, const char *s, size_t len)
{
	if (!ends_at_terminal(stream)) {
		fwrite(s, 1, len, stream);
		return;
	}
	cleanup_free char *clean = sa_text_visible_lines(s, len);
	fputs(clean, stream);
}
