/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "mcp/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

/* More than run at once. */
#define GROUPS_MAX 64

struct news {
	int32_t group, begins;
};
_Static_assert(sizeof(struct news) <= PIPE_BUF, "a pipe would part them");

static void
note(pid_t groups[], size_t *n, const struct news *news)
{
	if (news->begins) {
		if (*n < GROUPS_MAX)
			groups[(*n)++] = news->group;
		return;
	}
	for (size_t i = 0; i < *n; i++)
		if (groups[i] == news->group) {
			groups[i] = groups[--*n];
			return;
		}
}

/* Holds nothing of the server's, least of all the pipes of its client. */
__attribute__((noreturn)) static void
watch(int fd)
{
	pid_t groups[GROUPS_MAX];
	struct news news;
	size_t n = 0;
	ssize_t got;

	prctl(PR_SET_NAME, "sa-mcp-warden", 0, 0, 0);
	setsid();
	if (fd > 0)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0U, 0);
	while ((got = read(fd, &news, sizeof(news))) == sizeof(news) ||
	    (got < 0 && errno == EINTR))
		if (got > 0)
			note(groups, &n, &news);
	while (n > 0)
		kill(-groups[--n], SIGKILL);
	_exit(0);
}

int
sa_mcp_warden(void)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0)
		watch(p[0]);
	close(p[0]);
	if (pid > 0)
		return p[1];
	int saved = errno;
	close(p[1]);
	errno = saved;
	return -1;
}

void
sa_mcp_warden_tell(int fd, pid_t group, bool begins)
{
	const struct news news = { group, begins };

	/* a warden that is gone hears nothing; there is no other */
	if (fd >= 0)
		(void)!write(fd, &news, sizeof(news));
}
