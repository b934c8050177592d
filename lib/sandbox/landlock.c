/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"

#define FIRST_ABI 6
#define ASK_VERSION 1U
#define SCOPE_ABSTRACT_SOCKETS (1U << 0)
#define SCOPE_SIGNALS (1U << 1)

#define PATH_BENEATH 1
#define READ_FILE (1U << 2)
#define READ_DIR (1U << 3)
/* All that is done to files: of the first version, and up to truncating. */
#define FILES_1 ((1U << 13) - 1)
#define FILES_3 ((1U << 15) - 1)

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

struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static int
allow_reading(int rules, const char *path)
{
	struct beneath b = { .allowed = READ_FILE };
	struct stat st;
	cleanup_fd int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		b.allowed |= READ_DIR;
	b.parent = fd;
	return (int)syscall(SYS_landlock_add_rule, rules, PATH_BENEATH, &b, 0U);
}

int
sa_landlock_read_only(const char *const *paths)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
	const uint64_t files = abi < 3 ? FILES_1 : FILES_3;

	if (abi < 1)
		return 0;
	cleanup_fd int rules = (int)syscall(SYS_landlock_create_ruleset, &files,
	    sizeof(files), 0U);
	if (rules < 0)
		return -1;
	for (; *paths != NULL; paths++)
		if (allow_reading(rules, *paths) < 0)
			return -1;
	return (int)syscall(SYS_landlock_restrict_self, rules, 0U);
}
