/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BACKEND_H
#define SA_BACKEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/settings.h"
#include "sandbox/spec.h"

/*
 * What a sandbox can do, whoever makes it. A backend has create, run and
 * destroy; the file operations that it leaves NULL are done with run in the
 * guest's shell (sandbox/fileops.h).
 *
 * Failures. The sandbox is usable, another try may do: SA_NOT_FOUND (a path),
 * SA_INVALID (a path or a value; a file over its limit has {path, size_bytes,
 * max_bytes} as detail). It ends what was being done: SA_REFUSED (a spec that
 * cannot be enforced, another's sandbox), SA_CONFIG (credentials, a missing
 * program), SA_REMOTE (the sandbox is gone, its service cannot be reached),
 * SA_IO. A file operation that took too long is SA_BUSY. Every failure of
 * create is of the second kind. A command's exit
 * status and its time-out are results, not failures.
 */
#define SA_BOX_COMMAND_S 60	  /* seconds a command has unless it is said */
#define SA_BOX_COMMAND_MAX_S 300  /* what is asked beyond is cut to that */
#define SA_BOX_FILE_S 120	  /* seconds a file operation has */
#define SA_BOX_OUTPUT (50 * 1024) /* bytes kept of each stream */
#define SA_BOX_LINES 2000	  /* lines kept of each stream */
#define SA_BOX_READ (5LL * 1024 * 1024)	     /* bytes that read gives */
#define SA_BOX_EXPORT (1024LL * 1024 * 1024) /* bytes that export gives */
#define SA_BOX_HELPER (1024 * 1024)	     /* output of a helper script */

#define SA_BOX_EXEC 64 /* bytes of a detached command's id */

struct sa_run {
	const char *const *argv; /* what to execute; NULL: command in a shell */
	const char *command;	 /* for sh -c */
	double timeout_s;
	size_t max_output;  /* bytes of each stream, the newest are kept */
	int in;		    /* read by the command, -1 for nothing */
	int out, errout;    /* where the streams go as they come, or -1 */
	const int *cancel;  /* once it can be read the command ends, as by a
			     * time-out; NULL for none */
	bool pty;	    /* on a terminal of its own, which is in and out;
			     * errout is ours alone */
	const char *term;   /* of pty: the terminal's name, NULL for "xterm" */
	int tty;	    /* of pty: has the size to take, -1: 24 by 80 */
	const int *resized; /* of pty: once it can be read, what it has is
			     * read and the size taken anew; NULL for none */
	bool detach;	    /* return once it runs; see follow */
};

struct sa_run_result {
	int exit_code; /* no meaning after timed_out; 128+n for a signal */
	struct sa_buf out, errout; /* the tails */
	bool out_cut, errout_cut;
	bool timed_out;
	bool terminated; /* the sandbox is gone because of this command */
	double applied_timeout_s; /* 0: as asked */
	json_t *egress; /* what became of its connections (netlog.h), or NULL
			 * where it has no network; freed with this */
	char why[128];	/* the limit that ended it: "memory", "disk", ... */
	char exec[SA_BOX_EXEC]; /* of detach: its id; "" where it could not be
				 * executed, with that as the result */
};

/* A command that was detached. */
enum sa_exec_state {
	SA_EXEC_RUNNING,
	SA_EXEC_ENDED,
	SA_EXEC_LOST /* killed with its sandbox, or what watched over it */
};
struct sa_exec {
	char id[SA_BOX_EXEC];
	enum sa_exec_state state;
	char *command; /* for people, may be cut */
	long long started_at,
	    finished_at;	     /* unix seconds; 0: not, or unknown */
	double timeout_s;	     /* what it has, or had */
	struct sa_run_result result; /* so far; no exit code while it runs */
};
void sa_exec_init(struct sa_exec *e, size_t max_output);
void sa_exec_free(struct sa_exec *e);
#define cleanup_exec __attribute__((cleanup(sa_exec_free)))

/* How one is followed. put (may be NULL) gets the output, whole lines where
 * something before it is missing; missed: bytes that were overwritten before
 * they could be read. stream 0 is stdout. */
struct sa_watch {
	bool end;	   /* wait for its end */
	double timeout_s;  /* but so long at most; 0: for ever */
	long long lines;   /* of what is there already, -1 for all */
	const int *cancel; /* once it can be read, do not wait; may be NULL */
	int (*put)(int stream, const char *p, size_t len,
	    unsigned long long missed, void *ctx, struct sa_err *err);
	void *ctx;
};

/* The newest first; false ends the walk. result has no output. */
typedef bool sa_exec_fn(const struct sa_exec *e, void *ctx);

void sa_run_result_init(struct sa_run_result *r, size_t max_output);
void sa_run_result_free(struct sa_run_result *r);
#define cleanup_result __attribute__((cleanup(sa_run_result_free)))

/* Who has it, since when and until when; all may be NULL or 0. */
struct sa_box_tags {
	char *owner, *holder;
	long long expires_at; /* unix seconds */
	json_t *network;
	char *workdir;
};
void sa_box_tags_free(struct sa_box_tags *tags);
#define cleanup_tags __attribute__((cleanup(sa_box_tags_free)))

struct sa_entry {
	char *name;  /* bytes as they are */
	bool is_dir; /* a link to a directory is none */
};
typedef int sa_entry_fn(const struct sa_entry *e, void *ctx,
    struct sa_err *err);

/* Takes a part of a file on its way out; -1 with err set stops the copy. */
typedef int sa_sink_fn(const void *p, size_t len, void *ctx,
    struct sa_err *err);

struct sa_box; /* an open sandbox, of its backend */

/* A sandbox record, borrowed; false ends the walk. */
typedef bool sa_box_fn(const json_t *record, void *ctx);

struct sa_backend {
	const char *name;  /* "local" */
	unsigned enforces; /* of enum sa_spec_field */
	bool attachable;   /* find and the tags work from another process */

	/* name: sa-sandbox- and 12 hex digits, fixed before the call, so that
	 * what a killed create left can be found. */
	int (*create)(const struct sa_settings *s, const char *name,
	    const struct sa_spec *spec, struct sa_box **out,
	    struct sa_err *err);
	int (*run)(struct sa_box *box, const struct sa_run *run,
	    struct sa_run_result *result, struct sa_err *err);
	/*
	 * Of detached commands; all three NULL: there are none. exec NULL: the
	 * newest. follow gives how it stands now, with end SA_BUSY where it
	 * still runs after timeout_s. end ends one, with all that it left, and
	 * returns at once. One that is not there, or so old that it was
	 * forgotten, is SA_NOT_FOUND.
	 */
	int (*follow)(struct sa_box *box, const char *exec,
	    const struct sa_watch *w, struct sa_exec *out, struct sa_err *err);
	int (*end)(struct sa_box *box, const char *exec, struct sa_err *err);
	int (*execs)(struct sa_box *box, sa_exec_fn *fn, void *ctx,
	    struct sa_err *err);
	/* One that is gone already is no failure. */
	int (*destroy)(struct sa_box *box, struct sa_err *err);
	/* Lets go of the memory, not of the sandbox. */
	void (*close)(struct sa_box *box);

	/* One that expired is SA_NOT_FOUND, as one that never was. */
	int (*find)(const struct sa_settings *s, const char *name,
	    struct sa_box **out, struct sa_err *err);
	/* Its sandbox record (sa(7)), a new object. */
	json_t *(*record)(struct sa_box *box, struct sa_err *err);
	/* All that there are, by name. */
	int (*each)(const struct sa_settings *s, sa_box_fn *fn, void *ctx,
	    struct sa_err *err);
	/* Removes one that find does not find: it expired, or is broken. One
	 * that is not there is no failure. NULL: find finds all. */
	int (*discard)(const struct sa_settings *s, const char *name,
	    struct sa_err *err);
	/* Removes what expired and what died before its end; dry_run only looks
	 * for it. Adds an object {sandbox, why} to items for each. */
	int (*gc)(const struct sa_settings *s, bool dry_run, json_t *items,
	    struct sa_err *err);
	/* Adds to a check record (base/check.h) what is enforced here. */
	void (*check)(const struct sa_settings *s, json_t *check);
	int (*read_tags)(struct sa_box *box, struct sa_box_tags *out,
	    struct sa_err *err);
	/* held_by: the holder that read_tags gave (NULL for none). A backend
	 * that can compare is SA_BUSY where it is another by now. */
	int (*write_tags)(struct sa_box *box, const struct sa_box_tags *tags,
	    const char *held_by, struct sa_err *err);

	/* NULL: by run, see fileops.h for what each owes. */
	int (*read)(struct sa_box *box, const char *path, long long max,
	    struct sa_buf *out, struct sa_err *err);
	int (*write)(struct sa_box *box, const char *path, int fd,
	    long long *written, struct sa_err *err);
	int (*list)(struct sa_box *box, const char *path, sa_entry_fn *fn,
	    void *ctx, struct sa_err *err);
	int (*export)(struct sa_box *box, const char *path, long long max,
	    sa_sink_fn *sink, void *ctx, struct sa_err *err);
};

/* The backends of this build, ends with NULL (backends.c, which has nothing
 * else, so that tests can bring their own); and one by its name, SA_INVALID
 * lists those that there are. */
const struct sa_backend *const *sa_backends(void);
const struct sa_backend *sa_backend_find(const char *name, struct sa_err *err);

/* A new name, sa-sandbox-<12 hex>, and whether one is of that form. */
#define SA_BOX_NAME 24
void sa_box_new_name(char out[SA_BOX_NAME]);
bool sa_box_is_name(const char *name);

#endif
