/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_PENDING_H
#define SA_PENDING_H

#include <jansson.h>
#include <stdbool.h>

#include "base/record.h"
#include "spark/master.h"

/*
 * Pendings: pending/ID/record.json, lock, script/<name>, deps/. Status:
 * PENDING, SUBMITTING, SUBMITTED, CANCELLED, EXPIRED, FAILED (sa(7)). A
 * PENDING whose expires_at is over reads as EXPIRED.
 *
 * Fields: pending_id, status, connection, name, plan{}, plan_sha256,
 * script_path (as given), script_sha256, guard (guard_report), created_at,
 * created_by, origin, expires_at, job_id, reason (why CANCELLED or FAILED).
 *
 * plan{} is what alters what runs (sa(7), PLAN); ids and times are not in it:
 *	master, deploy_mode, name, script{name,sha256,size}, args[], conf{KEY:
 *	{value,origin}}, forced{KEY:value}, workdir, py_files[{name,sha256,
 *	size,source}], files[...], siblings[...], spark_submit{path,sha256,how},
 *	spark_home, java{path}, spark_conf_dir, spark_defaults, spark_env,
 *	hadoop_conf_dir, env{}, yarn_rm_url, yarn_user, auth_file, ca_file,
 *	runtime_guard, guard_wrapper{name,path,sha256,size,rules[]},
 *	waivers[], policy
 * plan_sha256 is SHA-256 over sa_json_canonical(plan).
 */
#define SA_PENDING_DEPS_MAX (64 * 1024 * 1024)

/* The record with the status as of now. SA_NOT_FOUND: "unknown pending_id:
 * ID"; an id of another form too. */
int sa_pending_read(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err);

/* Takes the pending's lock and reads the record under it. *lock is the
 * caller's to close. */
int sa_pending_lock(const struct sa_store *st, const char *id, int *lock,
    json_t **out, struct sa_err *err);

/* Writes the record back; the caller holds the lock. */
int sa_pending_write(const struct sa_store *st, const json_t *record,
    struct sa_err *err);

/* SA_INVALID unless the status is PENDING; names id, status and, where there
 * is one, the job; detail is the pending. */
int sa_pending_must_be_open(const json_t *record, struct sa_err *err);

/* Where the driver will run: in the cluster, or on this host. */
bool sa_plan_in_cluster(const json_t *plan);
enum sa_master_kind sa_plan_kind(const json_t *plan);

/* The hash of a plan, as plan_sha256 has it. */
void sa_plan_hash(const json_t *plan, char out[65]);

/*
 * Looks again at everything that the plan pinned: the script and deps below
 * pending/ID by hash, spark-submit, Java, configuration files by path and
 * hash, the guard under today's policy. SA_REFUSED names what drifted and
 * both hashes; SA_CONFIG what is missing.
 */
int sa_plan_verify(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, struct sa_err *err);

/*
 * The argument vector of a plan, NULL-terminated: spark-submit, options, the
 * pinned script's absolute path, arguments. job_id may be NULL: what holds it
 * (tags, the pod's name and label, its template) is left out then. Where
 * secret confs are in the plan, --properties-file PROPERTIES stands for them.
 * Caller frees with sa_argv_free.
 *
 * In cluster mode it is what submits on YARN; what submits on Kubernetes once
 * the pod template is there, with the script at SA_KUBE_DIR; and what a
 * standalone worker is to run, with the driver in its own process.
 */
#define SA_KUBE_DIR "/opt/sa-job"
#define SA_KUBE_MAX 1000000 /* bytes of script and wrapper in a ConfigMap */
#define SA_KUBE_TEMPLATE "pod-template.yaml" /* below runs/ID */
char **sa_plan_argv(const struct sa_store *st, const json_t *pending,
    const char *job_id, const char *properties);
void sa_argv_free(char **argv);

/* The environment of what sa_plan_argv() runs, as execve(2) takes it. Freed
 * with sa_argv_free. */
char **sa_plan_environ(const json_t *plan);

#define SA_PLAN_PROPERTIES "spark.properties" /* below runs/ID */
/* The properties file that sa-supervise writes for a job, NULL where the plan
 * has no secrets. Caller frees. */
char *sa_plan_properties_path(const struct sa_store *st, const json_t *plan,
    const char *job_id);

/* The name of what a job has on Kubernetes: "sa-" and its id in lower case
 * with '-' for '_'; its pod has "-driver" behind. Caller frees. */
char *sa_plan_kube_name(const char *job_id);

/* Whether a cluster can run the plan in cluster mode: what travels fits, is
 * named so that it arrives, and nothing contradicts how we submit. SA_INVALID
 * says what is in the way. */
int sa_plan_check_cluster(const json_t *plan, struct sa_err *err);

/* The secret confs (and, because spark-submit then reads no
 * spark-defaults.conf, what that file says) as a properties file's text, or
 * NULL where the plan has none. Caller frees. */
char *sa_plan_properties(const json_t *plan, struct sa_err *err);

/* One line, quoted for a shell and masked; caller frees. */
char *sa_plan_command_line(const struct sa_store *st, const json_t *pending);

/* A copy fit for display: secrets masked. */
json_t *sa_pending_masked(const json_t *record);

/* Makes the status EXPIRED where a PENDING's time is over or cannot be read;
 * whether it did. */
bool sa_pending_expire(json_t *record);

/* Whether the text of a stored pending can be shown as it stands: a sound
 * record without secrets that is not about to read as EXPIRED. */
bool sa_pending_is_plain(const char *text, size_t len);

/* Whether an argument is a secret, by itself ("--token=x", a URL with a
 * login) or by the one before it ("--token", "x"; NULL for none). */
bool sa_plan_arg_is_secret(const char *before, const char *arg);

#endif
