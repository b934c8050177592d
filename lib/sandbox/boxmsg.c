/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/box.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const struct sa_box_dir sa_box_dirs[] = {
	{ "home", 0755, false },
	{ "home/user", 0755, true },
	{ "tmp", 01777, true },
	{ "var", 0755, false },
	{ "var/tmp", 01777, true },
	{ "workspace", 0755, true },
	{ NULL, 0, false },
};

bool
sa_box_may_write(const char *path, const char **rest)
{
	for (const struct sa_box_dir *d = sa_box_dirs; d->path != NULL; d++) {
		size_t n = strlen(d->path);
		if (!d->mounted || strncmp(path + 1, d->path, n) != 0 ||
		    (path[n + 1] != '/' && path[n + 1] != '\0'))
			continue;
		*rest = path + n + 1 + (path[n + 1] == '/');
		return true;
	}
	return false;
}

union control {
	char space[CMSG_SPACE(sizeof(int) * SA_BOX_FDS)];
	struct cmsghdr align;
};

int
sa_box_send(int sock, const struct sa_box_msg *m, const int *fds, size_t nfds)
{
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)m,
		.iov_len = SA_BOX_MSG_HEAD + strlen(m->text) + 1,
	};
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control c = { .space = { 0 } };

	if (nfds > 0) {
		h.msg_control = c.space;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
		struct cmsghdr *cm = &c.align;
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
		memcpy(CMSG_DATA(cm), fds, sizeof(int) * nfds);
	}
	ssize_t n;
	do
		n = sendmsg(sock, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : 0;
}

/* Descriptors that nobody asked for are closed. */
static void
take(struct msghdr *h, int *fds, size_t nfds)
{
	struct cmsghdr *cm = CMSG_FIRSTHDR(h);

	if (cm == NULL || cm->cmsg_level != SOL_SOCKET ||
	    cm->cmsg_type != SCM_RIGHTS)
		return;
	size_t n = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (size_t i = 0; i < n; i++) {
		int fd;
		memcpy(&fd, CMSG_DATA(cm) + i * sizeof(int), sizeof(fd));
		if (i < nfds)
			fds[i] = fd;
		else
			close(fd);
	}
}

int
sa_box_recv(int sock, struct sa_box_msg *m, int *fds, size_t nfds)
{
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	union control c;
	struct msghdr h = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = c.space,
		.msg_controllen = sizeof(c.space),
	};
	ssize_t n;

	for (size_t i = 0; i < nfds; i++)
		fds[i] = -1;
	/* ECONNRESET is told once, before what was sent earlier: the other end
	 * went without reading all */
	do
		n = recvmsg(sock, &h, MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -1;
	take(&h, fds, nfds);
	if (n <= (ssize_t)SA_BOX_MSG_HEAD) {
		errno = EPIPE;
		return -1;
	}
	m->text[(size_t)n - SA_BOX_MSG_HEAD - 1] = '\0';
	return 0;
}

void
sa_box_say(int sock, enum sa_box_what what, int value, int left,
    const char *text)
{
	struct sa_box_msg m = { .what = what, .value = value, .left = left };

	snprintf(m.text, sizeof(m.text), "%s", text);
	/* who does not listen any more is found out by poll */
	(void)sa_box_send(sock, &m, NULL, 0);
}
