/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BOXLOG_H
#define SA_BOXLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sandbox/netlog.h"

/*
 * What a detached command wrote and how it ended: a file beside the sandbox's
 * tree, of bounded size, in which each stream is a ring. Who starts the
 * command makes the file; from then on only the sandbox's init writes, by a
 * descriptor that nothing inside can see. The lock on it goes with init,
 * whatever ends that: a command that has not ended, and whose file nobody has
 * locked, is lost.
 *
 * Of a stream the newest SA_BOXLOG_KEEP bytes can be read while it is written:
 * what the writer may be at is in the rest of the ring.
 */
#define SA_BOXLOG_KEEP (256 * 1024)
#define SA_BOXLOG_PIECE (16 * 1024) /* that is added at once, at most */

struct sa_boxlog_end {
	int32_t status;	   /* as from waitpid(2) */
	int32_t timed_out; /* 1: its time was over */
	char over[64];	   /* the limit that ended it, "" for none */
	int64_t at;	   /* unix seconds, 0: not yet; written last */
};

struct sa_boxlog_head {
	char magic[8];
	int64_t began;		   /* unix seconds */
	int64_t timeout_ms;	   /* what it has */
	char command[512];	   /* for people, cut where it is longer */
	uint64_t total[2];	   /* bytes of each stream that were kept */
	uint64_t lost[2];	   /* and those that could not be */
	struct sa_netlog_mark net; /* what was noted of connections before */
	struct sa_boxlog_end end;
};

/* Outside. Makes the file base in dir, locked; the descriptor. head's magic is
 * set, all behind its command is 0. */
int sa_boxlog_make(int dir, const char *base, struct sa_boxlog_head *head,
    struct sa_err *err);

/* Reads the head; SA_INVALID where it is none. lives: whether somebody holds
 * the lock, or it has ended. */
int sa_boxlog_look(int fd, struct sa_boxlog_head *head, bool *lives,
    struct sa_err *err);

/* Reads what stream k has from the byte *from on, or from the first that is
 * still there, which *from becomes; at most size bytes. 0: there is no more
 * just now. */
size_t sa_boxlog_read(int fd, int k, uint64_t *from, char *buf, size_t size);

/* Notes, before it is handed over, where the sandbox's connections stand. */
int sa_boxlog_mark(int fd, struct sa_netlog_mark net, struct sa_err *err);

/* What became of its connections, as they stood at its end; as sa_netlog_read.
 */
json_t *sa_boxlog_egress(int fd, const struct sa_boxlog_head *head);

/* Inside. */
struct sa_boxlog {
	int fd; /* -1 for none */
	uint64_t total[2], lost[2];
};

/* Takes the descriptor; what the command has in milliseconds. */
long long sa_boxlog_take(struct sa_boxlog *l, int fd);
void sa_boxlog_add(struct sa_boxlog *l, int k, const char *p, size_t len);
/* Writes the end, with all that is noted of connections (NULL: there is no
 * network), and closes. */
void sa_boxlog_end(struct sa_boxlog *l, int status, bool timed_out,
    const char *over, const struct sa_netlog *net);

#endif
