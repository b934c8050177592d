/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BOXSERVE_H
#define SA_BOXSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/clock.h"
#include "sandbox/box.h"
#include "sandbox/boxlog.h"
#include "sandbox/boxwatch.h"

/*
 * What a sandbox's process 1 does once the namespaces are furnished: starts
 * commands, looks at limits, reaps, and ends when nothing is left. All that it
 * knows is here by value, since another program of the same process may have
 * to go on with it: see sa_boxsmall.
 */

/* One command. mark is its UTS namespace, which nothing that descends from
 * it can leave: that tells its processes from those of others. */
struct sa_boxcommand {
	int sock;      /* -1: the supervisor has gone */
	pid_t pid;     /* 0: not begun, or reaped */
	ino_t mark;    /* 0: not begun */
	bool released; /* the answer was taken */
	int reads[2];
	int tty; /* its terminal, so that it does not hang up too early */
	struct sa_boxlog log; /* of a detached one */
	char id[SA_ID_SIZE];
	long long end_ms; /* when its time is over */
	int stage;	  /* of its end: TERM, KILL */
	bool ended;	  /* because somebody wanted it, not by its time */
};

struct sa_boxserve {
	int listener; /* -1 for none */
	int net;      /* who is at its other end ends with us; -1 for none */
	int egress;   /* where connections are noted, or -1 */
	int small;    /* the program that takes over, or -1 */
	int signals, proc;
	long long until_s; /* unix time at which all ends; 0 for none */
	bool once;	   /* its tree is in memory */
	bool shared;	   /* processes of an earlier command are left */
	bool idle;	   /* only what commands left is there */
	bool quiet;	   /* nothing came of the last round */
	long long watched_ms;
	struct sa_boxwatch watch;
	size_t n;
	struct sa_boxcommand jobs[SA_BOX_JOBS];
};

/* With the socket of the first command. -1 with errno. */
int sa_boxserve_begin(struct sa_boxserve *in, const struct sa_box_plan *plan,
    int first);

/* Until no process and nobody who wants one is left. */
void sa_boxserve(struct sa_boxserve *in) __attribute__((noreturn));

/*
 * Goes on in in->small, once: a program of ours that has nothing of the memory
 * of whoever made this process. It finds *in behind descriptor 0; the other
 * descriptors and the capabilities stay as they are. Returns where that cannot
 * be, and then all is as it was.
 */
void sa_boxsmall(struct sa_boxserve *in);

/* There: takes over. false where descriptor 0 has not what sa_boxsmall leaves,
 * or with errno. */
bool sa_boxsmall_begin(struct sa_boxserve *in);

#endif
