/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LOCAL_H
#define SA_LOCAL_H

#include "base/clock.h"
#include "base/record.h"
#include "sandbox/backend.h"
#include "sandbox/cgroup.h"
#include "sandbox/launch.h"

/*
 * The backend of this host. A sandbox is a directory, sandboxes/NAME/ of the
 * store: record.json, private.json (the spec with the values of its
 * environment), lock, ctl.sock, groups (of cgroup.h, where it has any) and
 * tree/, which holds under the same names what the sandbox may write.
 * Namespaces are made for a command and go with it, or with the last process
 * that it left.
 *
 * One for a single command is processes alone, and its tree is in memory: what
 * of it is killed leaves nothing. It has a directory where a limit is asked for
 * that nothing holds there.
 *
 * lock is held while an init is made or found and while the sandbox is
 * removed. A directory .new-NAME is one that is being made, .trash-NAME one
 * that is being removed.
 */
extern const struct sa_backend sa_backend_local;

struct sa_box {
	struct sa_store *store;
	char *name;
	struct sa_spec spec;
	json_t *record;
	int dir, tree; /* -1: it has none */
	uid_t uid;
	gid_t gid;
	long long until_s;	 /* 0 for no end */
	struct sa_launched idle; /* an init that runs nothing yet */
	char *data_dir;		 /* absolute */
	unsigned groups; /* of enum sa_cgroup_what, that it has to have */
};

/* An init for this sandbox, the idle one, one that lives, or a new one. */
int sa_local_init(struct sa_box *box, struct sa_launched *out,
    struct sa_err *err);

/* SA_REMOTE once its time is over. */
int sa_local_not_expired(const struct sa_box *box, struct sa_err *err);

/* Whether somebody has destroyed it, or is at it. */
bool sa_local_is_destroyed(const struct sa_box *box);

/* localrun.c: the backend's run. */
int sa_local_run(struct sa_box *box, const struct sa_run *run,
    struct sa_run_result *result, struct sa_err *err);

/*
 * locallog.c: commands that were detached. new gives the descriptor of a log
 * for one more (boxlog.h), and its id; SA_BUSY where enough run. drop forgets
 * one that never began.
 */
int sa_local_log_new(struct sa_box *box, const struct sa_run *run,
    char id[SA_ID_SIZE], struct sa_err *err);
void sa_local_log_drop(struct sa_box *box, const char *id);
int sa_local_follow(struct sa_box *box, const char *exec,
    const struct sa_watch *w, struct sa_exec *out, struct sa_err *err);
int sa_local_end(struct sa_box *box, const char *exec, struct sa_err *err);
int sa_local_execs(struct sa_box *box, sa_exec_fn *fn, void *ctx,
    struct sa_err *err);

/* localfile.c: the backend's files. */
int sa_local_read(struct sa_box *box, const char *path, long long max,
    struct sa_buf *out, struct sa_err *err);
int sa_local_write(struct sa_box *box, const char *path, int fd,
    long long *written, struct sa_err *err);
int sa_local_list(struct sa_box *box, const char *path, sa_entry_fn *fn,
    void *ctx, struct sa_err *err);
int sa_local_export(struct sa_box *box, const char *path, long long max,
    sa_sink_fn *sink, void *ctx, struct sa_err *err);
/* Makes the directory, which must lie in a writable part, where missing; in a
 * tree in memory init does. */
int sa_local_mkdirs(struct sa_box *box, const char *path, struct sa_err *err);

/* localcheck.c */
void sa_local_check(const struct sa_settings *s, json_t *check);

#endif
