/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CONNECTION_H
#define SA_CONNECTION_H

#include <jansson.h>

#include "base/record.h"

/*
 * Connections: connections/NAME.json, guarded by connections/.lock. Fields:
 * name, master, deploy_mode, spark_conf{}, yarn_rm_url, spark_home, env{},
 * yarn_user, auth_file, ca_file, runtime_guard ("conf" or "off"), origin{},
 * created_at, updated_at. origin has an entry for each field that was set
 * ("master", "spark_conf.KEY", "env.KEY"): operator, person or agent.
 */

/* [A-Za-z0-9][A-Za-z0-9._-]{0,63}, else SA_INVALID. */
int sa_connection_check_name(const char *name, struct sa_err *err);

/* The record, made complete: a missing master is "yarn", a missing v, type,
 * spark_conf, env or origin is filled in, so that a record of the predecessor
 * reads as ours. SA_NOT_FOUND: "unknown connection: NAME". */
int sa_connection_read(const struct sa_store *st, const char *name,
    json_t **out, struct sa_err *err);

/* Fills in what a stored record may lack (see above). */
void sa_connection_complete(json_t *record, const char *name);

/*
 * Saves: the fields of changes over the stored record, or over the defaults
 * (master "yarn") where there is none. A null takes a field's value away; in
 * spark_conf and env member by member. Every field is checked first, for the
 * origin (an agent may set few and never touches a connection that a person
 * saved). *out is the record as stored.
 */
int sa_connection_save(const struct sa_store *st, const char *name,
    const json_t *changes, enum sa_origin origin, json_t **out,
    struct sa_err *err);

/* Deletes; *out is the record that was. Jobs are not touched: they carry
 * what they need. */
int sa_connection_delete(const struct sa_store *st, const char *name,
    enum sa_origin origin, json_t **out, struct sa_err *err);

/* A copy fit for display: values of secret keys masked, URLs without logins. */
json_t *sa_connection_masked(const json_t *record);

/* spark_home, env PATH-like values and the rest of a connection as a person
 * reads it; for sa_cli_answer. */
void sa_connection_text(FILE *f, const json_t *record);

#endif
