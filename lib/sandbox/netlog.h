/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETLOG_H
#define SA_NETLOG_H

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "sandbox/netname.h"

/*
 * What became of a sandbox's connections: a file of the sandbox's directory
 * that its network process maps and writes, and everybody who follows a
 * command reads. It has the last SA_NETLOG_SIZE of them; of a command's are
 * those whose number is above the highest as it began.
 */
#define SA_NETLOG_FILE "egress"
#define SA_NETLOG_SIZE 100

struct sa_netlog_entry {
	uint64_t seq;	/* when it was last written; 0: empty */
	uint64_t bytes; /* in both directions */
	uint32_t times; /* how often the same failed */
	uint16_t port;	/* 0: only its name was asked for */
	uint8_t allowed;
	char host[SA_NETNAME];
	char reason[64]; /* why it failed, allowed or not; empty else */
};

struct sa_netlog {
	uint64_t seq;
	uint64_t made; /* by which one file is told from the next */
	uint32_t next;
	struct sa_netlog_entry v[SA_NETLOG_SIZE];
};

/* Makes the file anew below dir; a descriptor. */
int sa_netlog_make(int dir, struct sa_err *err);

/* The map of it; fd -1: one that nobody reads. NULL with errno. The other one
 * is for who only reads. */
struct sa_netlog *sa_netlog_map(int fd);
const struct sa_netlog *sa_netlog_see(int fd);
void sa_netlog_unsee(const struct sa_netlog *log); /* or NULL */

/* Notes one, with why it failed (NULL: it did not); a failure that is among the
 * last is counted there. Which of v it is; its bytes may be added as long as
 * its seq stays. */
size_t sa_netlog_add(struct sa_netlog *log, const char *host, uint16_t port,
    bool allowed, const char *why);

/* Where it stands: all zero where there is no file. */
struct sa_netlog_mark {
	uint64_t made, seq;
};
struct sa_netlog_mark sa_netlog_mark(int dir);

/* Those after the mark, the oldest first, as [{host, port, allowed, reason,
 * bytes, times}]; a new array, empty where there is no file, or another one by
 * now. copy: the same of a struct sa_netlog that fd has from the byte at on. */
json_t *sa_netlog_read(int dir, struct sa_netlog_mark mark);
json_t *sa_netlog_copy(int fd, off_t at, struct sa_netlog_mark mark);

#endif
