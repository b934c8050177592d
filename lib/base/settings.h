/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_SETTINGS_H
#define SA_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Every setting of the toolkit, in one table (settings.c): its option, its
 * environment variable, its key in the configuration files, its default and
 * its meaning. A new setting is a new row.
 *
 * Layers, the later over the earlier: default, SA_OPERATOR_CONFIG
 * (/etc/sa/config), $XDG_CONFIG_HOME/sa/config (or ~/.config), the file that
 * $SA_CONFIG names, the environment, options. A policy setting comes from
 * the operator's file, or where that is absent from the person's; what comes
 * later only tightens it. Paths of guard policies and of what an agent may not
 * read are strung together with colons, and lists of hosts with semicolons,
 * since each of them tightens the ones before.
 */
enum sa_setting {
	SA_SET_DATA_DIR,
	SA_SET_JOBS_DIR,
	SA_SET_RM_URL,
	SA_SET_LOG_LEVEL,
	SA_SET_PYTHON,
	SA_SET_ON_EVENT,
	SA_SET_PENDING_TTL,
	SA_SET_APPROVAL_TTL,
	SA_SET_SUBMIT_TIMEOUT,
	SA_SET_OUTPUT_MAX,
	SA_SET_CONFIRM,
	SA_SET_APPROVERS,
	SA_SET_ALLOWED_SIGNERS,
	SA_SET_SIGNING_KEY,
	SA_SET_GUARD_POLICY,
	SA_SET_RM_HOSTS,
	SA_SET_READ_DENY,
	SA_SET_MCP_SANDBOX,
	SA_SET_SANDBOX_EGRESS,
	SA_SET_SANDBOX_CIDR,
	SA_SET_SANDBOX_NETWORK,
	SA_SET_SANDBOX_MEMORY,
	SA_SET_SANDBOX_CPUS,
	SA_SET_SANDBOX_PIDS,
	SA_SET_SANDBOX_DISK,
	SA_SET_SANDBOX_EXPIRES,
	SA_SET_SANDBOX_RO,
	SA_SET_SANDBOX_ROOT,
	SA_SET_SANDBOX_ENV_FILE,
	SA_SET_SANDBOX_HOLDER,
	SA_SET_PAGER,
	SA_SET_CONFIG,
	SA_SET_ORIGIN,
	SA_SET_SESSION,
	SA_SET_ERROR_FD,
	SA_SET_COUNT
};

struct sa_setting_def {
	const char *option;   /* long option of every command, or NULL */
	const char *arg;      /* its metavariable */
	const char *env;      /* or NULL */
	const char *key;      /* in the files, or NULL */
	const char *standard; /* the default as text, "" for none */
	bool policy;
	const char *meaning;
};

const struct sa_setting_def *sa_setting_def(enum sa_setting id);

struct sa_settings;

/* An option given on the command line: its value, NULL where not given. */
typedef const char *sa_setting_option_fn(void *arg, const char *option);

/*
 * Reads all layers. SA_CONFIG: an unknown key, a bad line, a bad value or a
 * policy setting that would be loosened, with file and line or the variable.
 * options may be NULL. Caller frees.
 */
struct sa_settings *sa_settings_load(sa_setting_option_fn *options, void *arg,
    struct sa_err *err);
void sa_settings_free(struct sa_settings *s);

/* The value in force, never NULL ("" for none); borrowed. The jobs directory
 * is <data dir>/jobs where nothing sets it. */
const char *sa_settings_get(const struct sa_settings *s, enum sa_setting id);

/* Where it came from: "default", "FILE:LINE", "environment NAME", "option
 * --NAME". */
const char *sa_settings_source(const struct sa_settings *s, enum sa_setting id);

/* Whether anything but the default set it. */
bool sa_settings_is_set(const struct sa_settings *s, enum sa_setting id);

/* Whether a policy setting's value, or the first of several, comes from where
 * policy may be loosened. */
bool sa_settings_by_policy(const struct sa_settings *s, enum sa_setting id);

/* A duration in seconds or a size in bytes; checked when loaded. */
long long sa_settings_number(const struct sa_settings *s, enum sa_setting id);

/* Who is asking: sa-mcp says SA_ORIGIN=agent for its children. */
enum sa_origin { SA_ORIGIN_OPERATOR, SA_ORIGIN_PERSON, SA_ORIGIN_AGENT };
enum sa_origin sa_settings_origin(const struct sa_settings *s);
const char *sa_origin_name(enum sa_origin origin);

/* Who may confirm (sa(7)); in order of strictness. */
enum sa_confirm_policy {
	SA_CONFIRM_OPEN,
	SA_CONFIRM_SHELL,
	SA_CONFIRM_OTHER_UID,
	SA_CONFIRM_SIGNED
};
enum sa_confirm_policy sa_settings_confirm(const struct sa_settings *s);

#endif
