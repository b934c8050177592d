/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_AUDIT_H
#define SA_AUDIT_H

#include <jansson.h>

#include "base/record.h"

/*
 * audit/YYYY-MM.jsonl: one audit record a line, each holding the SHA-256 of
 * the line before it (prev) and of itself without the member hash (hash);
 * seq goes on over the months. Written under audit/.lock and fsynced, the
 * intent before a change and the outcome after it. A torn last line is closed
 * and followed by a "recovered" line. Tamper-evident only with a copy
 * elsewhere.
 *
 * Fields: seq, at, actor{uid,user,tty,origin,login_uid,sudo_user}, event, id,
 * plan_sha256, note, prev, hash.
 */
int sa_audit_add(const struct sa_store *st, const struct sa_settings *s,
    const char *event, const char *id, const char *plan_sha256,
    const char *note, struct sa_err *err);

/* Who acts: the actor object of an audit record. */
json_t *sa_audit_actor(const struct sa_settings *s);

/* Prints the chain (oldest first) through the list options. */
int sa_audit_list(const struct sa_store *st, struct sa_cli *cli,
    struct sa_err *err);

/* Checks the whole chain; *out is a check record that names the first broken
 * line. Gives 0 where it holds, 1 where not, -1 with err. */
int sa_audit_verify(const struct sa_store *st, json_t **out,
    struct sa_err *err);

/*
 * Runs the setting on_event with the record on its stdin and SA_EVENT=event
 * in its environment, detached and for at most 10 s; failure is a warning in
 * the log.
 */
void sa_event(const struct sa_settings *s, const char *event,
    const json_t *record);

#endif
