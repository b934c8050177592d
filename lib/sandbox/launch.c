/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "sandbox/cgroup.h"
#include "sandbox/netproxy.h"
#include "sandbox/netrules.h"
#include "sandbox/remedy.h"

#define NAMESPACES                                                   \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | \
	    CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
/* Above what distributions, containers and systemd hand out. */
#define FIRST_ID 0x7a000000U
#define IDS 0x100000U
#define SOCKET "ctl.sock"
#define START_MS 10000

/* An id for the number n among those that our user namespace has, which in a
 * container may be few. Its root is as good as another where the host has it
 * for an ordinary user. */
static id_t
pick_id(const char *map, unsigned long n)
{
	unsigned long first, outside, count, best = 0, many = 0;
	id_t root = SA_LAUNCH_NO_ID;
	cleanup_file FILE *f = fopen(map, "re");

	while (f != NULL &&
	    fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3) {
		if (first <= FIRST_ID && FIRST_ID + IDS <= first + count)
			return FIRST_ID + (id_t)n;
		if (first == 0 && count > 0) {
			if (outside != 0)
				root = 0;
			first++;
			count--;
		}
		if (count > many) {
			best = first;
			many = count;
		}
	}
	return many > 0 ? (id_t)(best + many - 1 - n % many) : root;
}

void
sa_launch_ids(const char *name, uid_t *uid, gid_t *gid)
{
	const char *digits = strrchr(name, '-');
	unsigned long n =
	    strtoul(digits != NULL ? digits + 1 : name, NULL, 16) % IDS;

	*uid = geteuid();
	*gid = getegid();
	if (*uid == 0) {
		*uid = pick_id("/proc/self/uid_map", n);
		*gid = pick_id("/proc/self/gid_map", n);
	}
}

/* Overwrites our own arguments and environment, which a reader of process 1's
 * /proc files would find; called in the child, whose copy it is. The kernel
 * puts them one behind the other, and the name of the program behind both. */
static void
wipe_arguments(void)
{
	char *begin = program_invocation_name;
	char *end = (char *)getauxval(AT_EXECFN);

	if (begin < end)
		explicit_bzero(begin, (size_t)(end - begin));
}

static int
write_proc(pid_t pid, const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, file);
	cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(text);
	return fd < 0 || write(fd, text, (size_t)len) != len ? -1 : 0;
}

static int
map_ids(pid_t pid, const struct sa_box_plan *plan)
{
	char uids[64], gids[64];

	/* whoever must go when memory runs out, it is a sandbox first */
	(void)write_proc(pid, "oom_score_adj", "500");
	snprintf(uids, sizeof(uids), "%d %lu 1", SA_BOX_UID,
	    (unsigned long)plan->uid);
	snprintf(gids, sizeof(gids), "%d %lu 1", SA_BOX_UID,
	    (unsigned long)plan->gid);
	if ((geteuid() != 0 && write_proc(pid, "setgroups", "deny") < 0) ||
	    write_proc(pid, "uid_map", uids) < 0)
		return -1;
	return write_proc(pid, "gid_map", gids);
}

int
sa_launch_fault(const struct sa_box_msg *m, struct sa_err *err)
{
	return sa_remedy(m->text, m->value, err);
}

int
sa_launch_wait(struct sa_launched *l, struct sa_err *err)
{
	struct sa_box_msg m;
	struct pollfd p = { l->sock, POLLIN, 0 };
	int rc;

	do
		rc = poll(&p, 1, START_MS);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return sa_err_set(err, SA_BUSY,
		    "a sandbox did not start in %d s", START_MS / 1000);
	if (rc < 0 || sa_box_recv(l->sock, &m, NULL, 0) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "a sandbox ended as it started");
	if (m.what == SA_BOX_FAULT)
		return sa_launch_fault(&m, err);
	l->ready = m.value;
	return 0;
}

static int
clone_init(const struct sa_box_plan *plan, struct sa_launched *l, int sock[2],
    struct sa_err *err)
{
	struct clone_args args = {
		/* a handler of ours would be one for signals from inside */
		.flags = NAMESPACES | CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
		.pidfd = (uint64_t)(uintptr_t)&l->pidfd,
		.exit_signal = SIGCHLD,
	};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0) {
		close(sock[0]);
		wipe_arguments();
		sa_boxinit(plan, sock[1]);
	}
	if (pid < 0)
		return sa_remedy("namespaces", errno, err);
	l->pid = pid;
	return 0;
}

/* What only who made it can do, and the byte that init waits for. Where init
 * has failed meanwhile it has said why. */
static int
admit(const struct sa_box_plan *plan, struct sa_launched *l, struct sa_err *err)
{
	struct pollfd said = { l->sock, POLLIN, 0 };
	const char *failed = NULL;

	errno = EPERM;
	if (plan->uid == SA_LAUNCH_NO_ID || plan->gid == SA_LAUNCH_NO_ID ||
	    map_ids(l->pid, plan) < 0)
		failed = "ids of its own";
	else if (plan->group != NULL &&
	    (sa_cgroup_join(plan->group, l->pid) < 0 ||
		(l->net > 0 && sa_cgroup_join(plan->group, l->net) < 0)))
		failed = "its control group";
	else if (send(l->sock, "", 1, MSG_NOSIGNAL) != 1)
		failed = "a process 1";
	int why = errno;
	if (failed == NULL)
		return 0;
	if (poll(&said, 1, 0) > 0 && sa_launch_wait(l, err) < 0)
		return -1;
	return sa_remedy(failed, why, err);
}

/* Of a network of its own it stays outside. */
static int
start_network(struct sa_box_plan *plan, struct sa_launched *l,
    struct sa_err *err)
{
	int sock[2];

	plan->net = -1;
	if (!sa_netrules_any(plan->spec))
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a socket");
	l->net = fork();
	if (l->net == 0) {
		close(sock[0]);
		wipe_arguments();
		sa_netproxy(plan, sock[1]);
	}
	close(sock[1]);
	plan->net = sock[0];
	return l->net > 0 ? 0
			  : sa_err_errno(err, SA_IO, errno,
				"cannot start the sandbox's network process");
}

int
sa_launch(const struct sa_box_plan *plan, int tree, struct sa_launched *out,
    struct sa_err *err)
{
	struct sa_launched l = SA_LAUNCHED_NONE;
	struct sa_box_plan mine = *plan;
	int sock[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a socket");
	int rc = start_network(&mine, &l, err);
	/* the child's working directory is a mount of its own namespace, and
	 * needs no right to the path that leads there */
	cleanup_fd int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (rc == 0)
		rc = tree >= 0 && fchdir(tree) < 0
		    ? sa_err_errno(err, SA_IO, errno,
			  "cannot use the sandbox's tree")
		    : clone_init(&mine, &l, sock, err);
	if (here >= 0)
		(void)!fchdir(here);
	close(sock[1]);
	if (mine.net >= 0)
		close(mine.net);
	l.sock = sock[0];
	if (rc == 0)
		rc = admit(plan, &l, err);
	if (rc < 0)
		sa_launch_end(&l, START_MS);
	else
		*out = l;
	return rc;
}

/* The path of the socket through the directory's descriptor: it may be longer
 * than an address of a socket. */
static socklen_t
address(int dir, struct sockaddr_un *a)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/" SOCKET,
	    dir);
	return (socklen_t)sizeof(*a);
}

int
sa_launch_listen(int dir, struct sa_err *err)
{
	struct sockaddr_un a;
	socklen_t len = address(dir, &a);
	cleanup_fd int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a socket");
	if (unlinkat(dir, SOCKET, 0) < 0 && errno != ENOENT)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot remove the sandbox's old socket");
	/* nobody connects before init listens, and the directory is 0700 */
	if (bind(fd, (struct sockaddr *)&a, len) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the sandbox's socket");
	int ret = fd;
	fd = -1;
	return ret;
}

int
sa_launch_join(int dir, struct sa_launched *out, struct sa_err *err)
{
	struct sockaddr_un a;
	socklen_t len = address(dir, &a), size;
	struct ucred who;
	struct sa_launched l = SA_LAUNCHED_NONE;

	l.sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (l.sock < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a socket");
	size = sizeof(who);
	if (connect(l.sock, (struct sockaddr *)&a, len) < 0 ||
	    getsockopt(l.sock, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0 ||
	    (l.pidfd = pidfd_open(who.pid, 0)) < 0) {
		sa_launch_leave(&l);
		return 0;
	}
	*out = l;
	return 1;
}

void
sa_launch_leave(struct sa_launched *l)
{
	if (l->sock >= 0)
		close(l->sock);
	if (l->pidfd >= 0)
		close(l->pidfd);
	*l = (struct sa_launched)SA_LAUNCHED_NONE;
}

static void
wait_end(struct sa_launched *l, int wait_ms)
{
	struct pollfd p = { l->pidfd, POLLIN, 0 };

	bool over = l->pidfd < 0 || poll(&p, 1, wait_ms) > 0;

	if (over && l->pid > 0)
		(void)waitpid(l->pid, NULL, 0);
	if (over && l->net > 0) { /* it sees the end too, but maybe late */
		(void)kill(l->net, SIGKILL);
		(void)waitpid(l->net, NULL, 0);
	}
	sa_launch_leave(l);
}

void
sa_launch_part(struct sa_launched *l, int wait_ms)
{
	if (l->sock >= 0)
		close(l->sock);
	l->sock = -1;
	wait_end(l, wait_ms);
}

void
sa_launch_end(struct sa_launched *l, int wait_ms)
{
	if (l->pidfd >= 0)
		(void)pidfd_send_signal(l->pidfd, SIGKILL, NULL, 0);
	wait_end(l, wait_ms);
}
