/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PREPARE_H
#define SA_PREPARE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/cli.h"
#include "base/settings.h"
#include "spark/pin.h"

/* What a pending is made of. All borrowed; unset members mean none. */
struct sa_prepare {
	const json_t *connection; /* of sa_prepare_connection() */
	const char *script;	  /* path */
	const char *sha256;	  /* what the script has to be, or NULL */
	const char *name;	  /* of the application */
	struct sa_strings args, more_args; /* one after the other */
	struct sa_strings conf;		   /* KEY=VALUE */
	struct sa_strings py_files, files;
	struct sa_strings waive; /* RULE:LINE, forced:KEY */
	const char *workdir;	 /* NULL: the current one */
	const char *key;
	long long ttl; /* seconds */
	bool with_siblings, strict, strict_insert, unresolved, runtime_guard;
};

/* How the guard goes along: "conf", "wrapper" or "off". */
const char *sa_prepare_runtime_guard(const struct sa_prepare *p);

/* The first of the checks, before a script is looked at: the connection is
 * there (SA_NOT_FOUND), and its master and deploy mode are such as can be
 * submitted to (SA_INVALID). Caller releases. */
int sa_prepare_connection(const struct sa_settings *s, const char *name,
    json_t **out, struct sa_err *err);

/*
 * Makes the pending: script (SA_INVALID; SA_REFUSED where it is not what
 * sha256 says), guard (SA_INVALID with the report), what it runs on
 * (SA_CONFIG), copies, plan. pending/ID appears whole or not at all. With a
 * key that was used before it is the pending of that time, or SA_INVALID
 * where the plan is another. *out is the record, warnings[] in it for people.
 */
int sa_prepare(const struct sa_settings *s, const struct sa_prepare *p,
    json_t **out, struct sa_err *err);

/* What was found and pinned. All borrowed. */
struct sa_prepared {
	const json_t *located; /* of sa_locate() */
	const json_t *script;  /* {name,sha256,size} */
	const json_t *waivers; /* of sa_waiver_apply() */
	json_t *wrapper;       /* of sa_runguard_pin(), or null; owned */
	struct sa_pin pins;
};

/* The plan{} of the above. */
int sa_plan_new(const struct sa_settings *s, const struct sa_prepare *p,
    const struct sa_prepared *found, json_t **out, struct sa_err *err);

#endif
