/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_BOX_SESSION_H
#define SA_BOX_SESSION_H

#include "base/record.h"
#include "sandbox/backend.h"

/*
 * The sandbox of a session, a model's for one: the same for all commands of
 * the session, whichever process asks. It is made when it is first asked for,
 * made anew when it is gone, and destroyed with the session, which is that of
 * the process that starts these commands, our parent. A process of ours, the
 * keeper, waits for the parent's end, whatever ends it.
 *
 * sessions/TOKEN/ of the store holds record.json (which sandbox), lock (held
 * while one is made) and keeper (held by that). Any backend that finds a
 * sandbox from another process will do.
 */
#define SA_SESSION_TOKEN 13 /* 12 hexadecimal digits and a NUL */
void sa_session_new_token(char out[SA_SESSION_TOKEN]);

struct sa_session {
	struct sa_store *store;
	int dir;
	char *token;
	struct sa_box *box;
	char *name;    /* of the sandbox */
	bool replaced; /* it took another's place, and nobody was told yet */
};
#define SA_SESSION_NONE   \
	{                 \
		.dir = -1 \
	}

/* Finds or makes it; spec is for one that is made. Commands that ask at the
 * same time get the same one. */
int sa_session_enter(const struct sa_settings *s, const struct sa_backend *b,
    const char *token, const struct sa_spec *spec, struct sa_session *out,
    struct sa_err *err);

/* An answer that says that it was replaced is on its way: no other need say
 * it. One that cannot be noted will be said twice. */
void sa_session_told(struct sa_session *session);

/* Lets go of the memory; the sandbox is not closed. */
void sa_session_leave(struct sa_session *session);

/* Destroys the sandboxes of sessions whose keeper was killed, and forgets
 * them. Adds to items as a backend's gc does. */
int sa_session_gc(const struct sa_settings *s, bool dry_run, json_t *items,
    struct sa_err *err);

#endif
