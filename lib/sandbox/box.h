/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BOX_H
#define SA_BOX_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/spec.h"

/*
 * What the two sides of the local sandbox share. Outside is launch.c, which
 * makes the namespaces, and localrun.c, which follows one command. Inside is
 * the sandbox's init (boxinit.c): process 1 of the PID namespace, which builds
 * the root (boxroot.c), starts the commands (boxserve.c, boxexec.c) and whose
 * end is the end of every process there. It holds the capabilities of the user
 * namespace and is not dumpable; a command holds none, so it cannot look into
 * init.
 *
 * Nothing inside allocates without bound, writes to a terminal or runs a
 * program before the command's own exec.
 */
#define SA_BOX_UID 1000 /* of whoever runs inside; there is no other */
#define SA_BOX_HOST "sandbox"
#define SA_BOX_WORKDIR "/workspace"
#define SA_BOX_HOME "/home/user"
#define SA_BOX_PIDS 512	      /* processes, unless the spec says */
#define SA_BOX_FILES 4096     /* open files of a process */
#define SA_BOX_GRACE_MS 100   /* between SIGTERM and SIGKILL */
#define SA_BOX_WATCH_MS 200   /* how often limits are looked at */
#define SA_BOX_HOLD_S 86400LL /* what runs on ends after that at the latest */
#define SA_BOX_JOBS 64	      /* commands at once */

/* What a sandbox's tree holds, below the same names as inside. */
struct sa_box_dir {
	const char *path; /* relative */
	mode_t mode;
	bool mounted; /* seen inside, and writable there */
};
extern const struct sa_box_dir sa_box_dirs[]; /* ends with a NULL path */

struct sa_cgroup;
struct sa_box_plan {
	const struct sa_spec *spec;
	uid_t uid; /* of the host, which SA_BOX_UID stands for; never 0 */
	gid_t gid;
	int listener; /* bound, not listening yet; -1 for none */
	int lock;     /* the sandbox's, which init has too until it listens; -1
		       * for none */
	int small;    /* a program that goes on as init (boxserve.h), or -1 */
	long long until_s; /* unix time at which all ends; 0 for none */
	const struct sa_cgroup *group; /* joined by init; NULL for none */
	int egress; /* where connections are noted (netlog.h), or -1 */
	int net;    /* sa_launch's: from init to the network process, or -1 */
	const char *hidden; /* of the host, without links: seen in nothing that
			     * is shown; NULL for none */
};

/* The messages of a control socket (SOCK_SEQPACKET). */
enum sa_box_what {
	/* to init */
	SA_BOX_RUN = 1, /* with descriptors, see SA_BOX_FDS; value is of enum
			 * sa_box_how, left the size of the terminal */
	SA_BOX_TERM,	/* SIGTERM to the command's process group */
	SA_BOX_KILL,	/* the command and all that it left; a detached one if
			 * text is its id, as at the end of its time */
	SA_BOX_RELEASE, /* the answer was taken: what is left may go on */
	SA_BOX_COUNT,	/* how many commands run? */
	/* from init */
	SA_BOX_READY,	/* the namespaces stand */
	SA_BOX_FAULT,	/* they do not: text is the step, value errno */
	SA_BOX_BEGUN,	/* the command was taken, and is never begun again; with
			 * the other end of its terminal, where it has one */
	SA_BOX_NOEXEC,	/* value is errno */
	SA_BOX_EXITED,	/* value as from waitpid(2); left: others run on */
	SA_BOX_OVER,	/* all was ended; text says which limit */
	SA_BOX_COUNTED, /* value is how many */
	SA_BOX_FULL	/* SA_BOX_JOBS are there already; it listens no more */
};
struct sa_box_msg {
	int32_t what, value;
	int32_t left;
	char text[PATH_MAX];
};
#define SA_BOX_MSG_HEAD offsetof(struct sa_box_msg, text)

enum sa_box_how {
	SA_BOX_PTY = 1 << 0,   /* on a terminal; SA_BOX_FD_JOB is all it gets */
	SA_BOX_DETACH = 1 << 1 /* with its id as text: goes on by itself, and
				* what it writes goes to its log */
};
#define SA_BOX_PTYS 64 /* terminals of a sandbox, of those of the host */
#define SA_BOX_SIZE(rows, cols) ((int32_t)(rows) << 16 | (cols))

/* The descriptors of SA_BOX_RUN, in that order. The reading ends go along, so
 * that what is left can write after the supervisor went. */
enum {
	SA_BOX_FD_JOB, /* a memfd, see boxexec.h */
	SA_BOX_FD_IN,
	SA_BOX_FD_OUT,
	SA_BOX_FD_ERR,
	SA_BOX_FD_OUT_READ,
	SA_BOX_FD_ERR_READ,
	SA_BOX_FD_LOG,	   /* of SA_BOX_DETACH, see boxlog.h */
	SA_BOX_FD_STARTED, /* closed as the command is executed, or cannot be */
	SA_BOX_FDS
};

/* Sends or receives one message; -1 with errno, 0 bytes (a closed socket) as
 * errno EPIPE. */
int sa_box_send(int sock, const struct sa_box_msg *m, const int *fds,
    size_t nfds);
int sa_box_recv(int sock, struct sa_box_msg *m, int *fds, size_t nfds);
/* Sends one without descriptors to somebody who may have gone. */
void sa_box_say(int sock, enum sa_box_what what, int value, int left,
    const char *text);

/* The life of process 1: never returns. go is the socket to whoever made it,
 * which says by one byte that the ids are mapped; it becomes the first
 * command's control socket. */
void sa_boxinit(const struct sa_box_plan *plan, int go)
    __attribute__((noreturn));

/* Gives back the memory that an init which only waits does not need. */
void sa_boxidle(void);

/* Whether path, absolute, lies in a part that the sandbox may write, or is one:
 * then *rest is what is behind that (borrowed, "" for the part itself). */
bool sa_box_may_write(const char *path, const char **rest);

/* How a step begins that is about what --ro shows. */
#define SA_BOX_SHOWN "--ro "

/*
 * The root, in two steps around the change of the uid: open takes what is
 * needed of the host by path (the working directory is the sandbox's tree),
 * build makes the new root of it and leaves the old one. -1 with errno; step
 * tells what failed (borrowed or static).
 */
struct sa_boxroot;
int sa_boxroot_open(const struct sa_box_plan *plan, struct sa_boxroot **out,
    const char **step);
int sa_boxroot_build(struct sa_boxroot *r, const struct sa_spec *spec,
    const char **step);

/* A terminal of the sandbox: pty[0] is its outer end, which does not block,
 * pty[1] the one for a command. -1 with errno. */
int sa_boxroot_pty(int pty[2], int32_t size);

#endif
