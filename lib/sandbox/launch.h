/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LAUNCH_H
#define SA_LAUNCH_H

#include "base/err.h"
#include "sandbox/box.h"

/* A line to the init of a sandbox. */
struct sa_launched {
	int sock;  /* its control socket, -1 for none */
	int pidfd; /* of init, to kill it and to see it end */
	pid_t pid; /* where it is our child, else 0 */
	int ready; /* what SA_BOX_READY's value was: netinside.h */
	pid_t net; /* its network process, where it has one that is ours */
};
#define SA_LAUNCHED_NONE                                    \
	{                                                   \
		.sock = -1, .pidfd = -1, .pid = 0, .net = 0 \
	}

/*
 * Makes the namespaces with an init in them, whose tree is the directory
 * tree (-1: in memory), and its network process (netproxy.h) if the spec asks
 * for a network. SA_REFUSED where this host does not let us isolate, with what
 * the operator can do. Init still builds its root as we return: what is sent to
 * it meanwhile is not lost, and the first that it says is SA_BOX_READY or
 * SA_BOX_FAULT. The caller ends it with sa_launch_end or lets it go on with
 * sa_launch_leave.
 */
int sa_launch(const struct sa_box_plan *plan, int tree, struct sa_launched *out,
    struct sa_err *err);

/* Waits for that first message; and the failure that a SA_BOX_FAULT is (-1). */
int sa_launch_wait(struct sa_launched *l, struct sa_err *err);
int sa_launch_fault(const struct sa_box_msg *m, struct sa_err *err);

/* The socket, made or found: dir is the directory that it is in. listen: a
 * bound descriptor. join: 1 with out, or 0 where no init is there. */
int sa_launch_listen(int dir, struct sa_err *err);
int sa_launch_join(int dir, struct sa_launched *out, struct sa_err *err);

/* Kills init, and with it all that runs there, and waits for it up to
 * wait_ms. */
void sa_launch_end(struct sa_launched *l, int wait_ms);

/* Closes the line; init decides by what was said before whether it ends. Part
 * waits up to wait_ms for an end that is expected. */
void sa_launch_leave(struct sa_launched *l);
void sa_launch_part(struct sa_launched *l, int wait_ms);

/* The ids that a sandbox of this name has on the host: the caller's own, or,
 * for root, ones that belong to nobody. The root of a container that has no
 * such gets SA_LAUNCH_NO_ID, with which sa_launch is refused. */
#define SA_LAUNCH_NO_ID ((id_t)-1)
void sa_launch_ids(const char *name, uid_t *uid, gid_t *gid);

#endif
