/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/remedy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "sandbox/box.h"

/* What a file of /proc begins with; "" where it cannot be read. */
static const char *
head_of(const char *path, char *text, size_t size)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static bool
setting_is(const char *path, const char *value)
{
	char text[32];

	return strcmp(head_of(path, text, sizeof(text)), value) == 0;
}

/* Whether somebody put a filter of system calls on this process. */
static bool
is_filtered(void)
{
	char line[256];
	cleanup_file FILE *f = fopen("/proc/self/status", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "Seccomp:", 8) == 0)
			return strtol(line + 8, NULL, 10) == 2;
	return false;
}

/* The kind of namespace of which none may be made, or NULL. */
static const char *
none_of(void)
{
	static const char *const kinds[] = { "user", "mnt", "pid", "net", "ipc",
		"uts", "cgroup", NULL };
	char path[64];

	for (const char *const *k = kinds; *k != NULL; k++) {
		snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces",
		    *k);
		if (setting_is(path, "0"))
			return *k;
	}
	return NULL;
}

static int
too_many(struct sa_err *err)
{
	const char *kind = none_of();

	if (kind != NULL)
		return sa_err_hint(err,
		    "user.max_%s_namespaces is 0: the operator can raise it "
		    "by a file in /etc/sysctl.d, to 10000 for example",
		    kind);
	return sa_err_hint(err,
	    "more namespaces than one of the limits user.max_*_namespaces "
	    "allows: end what uses them, or raise it");
}

/* What keeps an ordinary user from namespaces and leaves root alone. */
static bool
explain_user(const char *what, struct sa_err *err)
{
	if (setting_is("/proc/sys/kernel/unprivileged_userns_clone", "0") &&
	    strcmp(what, "namespaces") == 0) {
		sa_err_hint(err,
		    "kernel.unprivileged_userns_clone is 0: the operator can "
		    "set it to 1 by a file in /etc/sysctl.d");
		return true;
	}
	if (!setting_is(
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
		return false;
	sa_err_hint(err,
	    "AppArmor keeps namespaces from programs without a profile that "
	    "allows them: install the one of sa-sandbox(1), Hosts and "
	    "containers; the restriction itself can stay");
	return true;
}

static int
not_permitted(const char *what, int why, struct sa_err *err)
{
	char name[128];

	if (geteuid() != 0 && explain_user(what, err))
		return -1;
	if (is_filtered())
		return sa_err_hint(err,
		    "a filter of system calls is on this process: start the "
		    "container with a seccomp profile that allows namespaces "
		    "and mounts (docker and podman: --security-opt "
		    "seccomp=PROFILE), see sa-sandbox(1), Hosts and "
		    "containers");
	head_of("/proc/self/attr/apparmor/current", name, sizeof(name));
	if (why == EACCES && strstr(name, "(enforce)") != NULL) {
		cleanup_free char *shown = sa_text_visible(name);
		return sa_err_hint(err,
		    "the AppArmor profile '%s' forbids it: start the "
		    "container with another one (docker and podman: "
		    "--security-opt apparmor=PROFILE)",
		    shown);
	}
	if (strcmp(what, "ids of its own") == 0)
		return sa_err_hint(err,
		    "this is the root of a user namespace that has no ids "
		    "for a sandbox: run it as another user of the container");
	return sa_err_hint(err,
	    "a process in a chroot may make none: run it where the root is a "
	    "mount of its own; sa-sandbox(1), Hosts and containers, tells "
	    "what else there is");
}

static int
hint(const char *what, int why, struct sa_err *err)
{
	if (strcmp(what, "/proc") == 0 && why == EPERM)
		return sa_err_hint(err,
		    "who sees a /proc with parts hidden gets no new one: "
		    "start the container with docker run --security-opt "
		    "systempaths=unconfined, podman run --security-opt "
		    "unmask=ALL, or procMount: Unmasked of Kubernetes");
	if (why == ENOSPC)
		return too_many(err);
	if (why == EPERM || why == EACCES || (why == ENOSYS && is_filtered()))
		return not_permitted(what, why, err);
	if (why == ENOSYS || why == EINVAL)
		return sa_err_hint(err,
		    "the kernel must be Linux 5.14 or newer, with all kinds "
		    "of namespaces");
	return -1;
}

/* What stood there as the sandbox was made stands there no more. */
static int
not_shown(const char *path, int why, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(path);

	sa_err_errno(err, SA_REFUSED, why, "cannot show '%s' to a sandbox",
	    shown);
	if (why == ELOOP)
		return sa_err_hint(err,
		    "a link has taken its place since the sandbox was made: "
		    "put it back, or make another sandbox");
	return -1;
}

int
sa_remedy(const char *what, int why, struct sa_err *err)
{
	if (strncmp(what, SA_BOX_SHOWN, strlen(SA_BOX_SHOWN)) == 0)
		return not_shown(what + strlen(SA_BOX_SHOWN), why, err);
	sa_err_errno(err, SA_REFUSED, why,
	    "this host does not let a sandbox have %s", what);
	return hint(what, why, err);
}
