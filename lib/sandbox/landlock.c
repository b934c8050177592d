/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/landlock.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_ABI 6
#define ASK_VERSION 1U
#define SCOPE_ABSTRACT_SOCKETS (1U << 0)
#define SCOPE_SIGNALS (1U << 1)

/* struct landlock_ruleset_attr of that version; older headers have less. */
struct ruleset {
	uint64_t fs, net, scoped;
};

bool
sa_landlock_there(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION) >=
	    FIRST_ABI;
}

int
sa_landlock_scope(void)
{
	const struct ruleset r = {
		.scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS,
	};
	int fd = (int)syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0U);

	/* an older one does not know all of it, or is not there at all */
	if (fd < 0)
		return errno == E2BIG || errno == EINVAL ||
			errno == EOPNOTSUPP || errno == ENOSYS
		    ? 0
		    : -1;
	int rc = (int)syscall(SYS_landlock_restrict_self, fd, 0U);
	int why = errno;
	close(fd);
	errno = why;
	return rc;
}
