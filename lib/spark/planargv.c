/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/pending.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cliopt.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/path.h"
#include "base/text.h"
#include "spark/runguard.h"

#define DEFAULTS_MAX (1024 * 1024)

/* What stands for the properties file where no job has one yet. */
#define NO_JOB_PROPERTIES "RUN/" SA_PLAN_PROPERTIES

enum sa_master_kind
sa_plan_kind(const json_t *plan)
{
	enum sa_master_kind kind = SA_MASTER_LOCAL;
	const char *master = sa_json_str(plan, "master");

	sa_master_check(master != NULL ? master : "", &kind, NULL);
	return kind;
}

bool
sa_plan_in_cluster(const json_t *plan)
{
	const char *mode = sa_json_str(plan, "deploy_mode");

	return mode != NULL && strcmp(mode, "cluster") == 0;
}

static bool
is_secret(const char *key, const char *value)
{
	return sa_mask_key(key) || sa_mask_value(value);
}

static bool
has_secrets(const json_t *plan)
{
	const char *key;
	json_t *entry;

	json_object_foreach (sa_json_obj(plan, "conf"), key, entry) {
		const char *value = sa_json_str(entry, "value");
		if (value != NULL && is_secret(key, value))
			return true;
	}
	return false;
}

static void
add(struct sa_strings *argv, const char *option, const char *value)
{
	if (option != NULL)
		sa_strings_add(argv, option);
	sa_strings_add(argv, value);
}

static void
add_conf(struct sa_strings *argv, const char *key, const char *value)
{
	cleanup_free char *pair = sa_xasprintf("%s=%s", key, value);

	add(argv, "--conf", pair);
}

static void
add_confs(struct sa_strings *argv, const json_t *plan)
{
	const char *key;
	json_t *entry;

	json_object_foreach (sa_json_obj(plan, "conf"), key, entry) {
		const char *value = sa_json_str(entry, "value");
		if (value != NULL && !is_secret(key, value))
			add_conf(argv, key, value);
	}
	/* the last of two equal keys counts: ours */
	json_object_foreach (sa_json_obj(plan, "forced"), key, entry)
		if (json_is_string(entry))
			add_conf(argv, key, json_string_value(entry));
}

/* What finds the application again when its id was lost, with the tags that
 * the conf has already. */
static void
add_tags(struct sa_strings *argv, const struct sa_store *st, const json_t *plan,
    const char *job_id)
{
	const char *more = sa_json_str(
	    sa_json_obj(sa_json_obj(plan, "conf"), "spark.yarn.tags"), "value");
	cleanup_free char *ours =
	    sa_xasprintf("sa-%s,sa-s-%s", job_id, sa_store_id(st));
	for (char *p = ours; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	cleanup_free char *tags = sa_xasprintf("%s%s%s", ours,
	    more != NULL ? "," : "", more != NULL ? more : "");
	add_conf(argv, "spark.yarn.tags", tags);
}

char *
sa_plan_kube_name(const char *job_id)
{
	char *name = sa_xasprintf("sa-%s", job_id);

	for (char *p = name; *p != '\0'; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return name;
}

/* The same for a pod; a second one of that name is refused by the cluster. */
static void
add_pod(struct sa_strings *argv, const struct sa_store *st, const char *job_id)
{
	cleanup_free char *name = sa_plan_kube_name(job_id);
	cleanup_free char *pod = sa_xasprintf("%s-driver", name);
	cleanup_free char *template = sa_xasprintf(
	    "%s/runs/%s/" SA_KUBE_TEMPLATE, sa_store_path(st), job_id);

	add_conf(argv, "spark.kubernetes.driver.pod.name", pod);
	add_conf(argv, "spark.kubernetes.driver.label.sa-job", job_id);
	add_conf(argv, "spark.kubernetes.driver.label.sa-store",
	    sa_store_id(st));
	add_conf(argv, "spark.kubernetes.driver.podTemplateFile", template);
}

static void
add_handles(struct sa_strings *argv, const struct sa_store *st,
    const json_t *plan, const char *job_id)
{
	enum sa_master_kind kind = sa_plan_kind(plan);

	if (job_id == NULL)
		return;
	if (kind == SA_MASTER_YARN)
		add_tags(argv, st, plan, job_id);
	if (kind != SA_MASTER_KUBERNETES)
		return;
	if (sa_plan_in_cluster(plan))
		add_pod(argv, st, job_id);
	/* by this the logs of executors are found */
	add_conf(argv, "spark.kubernetes.executor.label.sa-job", job_id);
}

/* Whether the script goes to the cluster as a file that a wrapper reads. */
static bool
travels(const json_t *plan)
{
	return sa_plan_kind(plan) == SA_MASTER_YARN &&
	    sa_plan_in_cluster(plan) &&
	    sa_json_obj(plan, "guard_wrapper") != NULL;
}

/* The pinned copies of one or two lists as Spark's comma list, behind what is
 * first, if anything. */
static void
add_list(struct sa_strings *argv, const char *option, const char *dir,
    const char *head, const json_t *first, const json_t *second)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	const json_t *const lists[] = { first, second };
	json_t *d;
	size_t k;

	if (head != NULL)
		sa_buf_adds(&b, head);
	for (size_t i = 0; i < 2; i++)
		json_array_foreach (lists[i], k, d) {
			const char *name = sa_json_str(d, "name");
			sa_buf_addf(&b, "%s%s/deps/%s", b.len > 0 ? "," : "",
			    dir, name != NULL ? name : "");
		}
	if (b.len > 0)
		add(argv, option, b.s);
	sa_buf_release(&b);
}

/* What is run: the script, or the wrapper that runs it. On YARN those of the
 * two that spark-submit does not take for the program lie beside it, in the
 * container's directory; on Kubernetes both lie where they are mounted. */
static void
add_script(struct sa_strings *argv, const char *dir, const json_t *plan)
{
	const json_t *script = sa_json_obj(plan, "script");
	const json_t *wrapper = sa_json_obj(plan, "guard_wrapper");
	const char *name = sa_json_str(script, "name");
	bool pod = sa_plan_kind(plan) == SA_MASTER_KUBERNETES &&
	    sa_plan_in_cluster(plan);
	cleanup_free char *path = pod ? sa_xasprintf(SA_KUBE_DIR "/%s", name)
				      : sa_xasprintf("%s/script/%s", dir, name);

	if (wrapper == NULL && pod) {
		cleanup_free char *uri = sa_xasprintf("local://%s", path);
		add(argv, NULL, uri);
	} else if (wrapper == NULL)
		add(argv, NULL, path);
	else {
		const char *its = sa_json_str(wrapper, "name");
		cleanup_free char *rules = sa_runguard_rules(wrapper);
		cleanup_free char *run = pod
		    ? sa_xasprintf("local://" SA_KUBE_DIR "/%s", its)
		    : sa_xasprintf("%s/" SA_RUNGUARD_DIR "/%s", dir, its);
		add(argv, NULL, run);
		add(argv, NULL, rules);
		add(argv, NULL, sa_json_str(script, "sha256"));
		add(argv, NULL, travels(plan) ? name : path);
	}
}

char **
sa_plan_argv(const struct sa_store *st, const json_t *pending,
    const char *job_id, const char *properties)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	const char *id = sa_json_str(pending, "pending_id");
	const char *mode = sa_json_str(plan, "deploy_mode");
	struct sa_strings argv = { NULL, 0 };
	json_t *arg;
	size_t i;
	cleanup_free char *dir =
	    sa_xasprintf("%s/pending/%s", sa_store_path(st), id);
	cleanup_free char *script = sa_xasprintf("%s/script/%s", dir,
	    sa_json_str(sa_json_obj(plan, "script"), "name"));

	add(&argv, NULL,
	    sa_json_str(sa_json_obj(plan, "spark_submit"), "path"));
	add(&argv, "--master", sa_json_str(plan, "master"));
	/* always said: spark-defaults.conf may say another */
	add(&argv, "--deploy-mode",
	    mode == NULL || sa_plan_kind(plan) == SA_MASTER_STANDALONE
		? "client"
		: mode);
	add(&argv, "--name", sa_json_str(plan, "name"));
	if (has_secrets(plan) && properties != NULL)
		add(&argv, "--properties-file", properties);
	add_confs(&argv, plan);
	add_handles(&argv, st, plan, job_id);
	add_list(&argv, "--py-files", dir, NULL,
	    json_object_get(plan, "py_files"),
	    json_object_get(plan, "siblings"));
	add_list(&argv, "--files", dir, travels(plan) ? script : NULL,
	    json_object_get(plan, "files"), NULL);
	add_script(&argv, dir, plan);
	json_array_foreach (json_object_get(plan, "args"), i, arg)
		add(&argv, NULL, json_string_value(arg));
	return argv.v;
}

void
sa_argv_free(char **argv)
{
	for (char **p = argv; p != NULL && *p != NULL; p++)
		free(*p);
	free(argv);
}

char **
sa_plan_environ(const json_t *plan)
{
	json_t *env = sa_json_obj(plan, "env"), *value;
	char **v = sa_xcalloc(json_object_size(env) + 1, sizeof(*v));
	const char *name;
	size_t n = 0;

	json_object_foreach (env, name, value)
		if (json_is_string(value))
			v[n++] = sa_xasprintf("%s=%s", name,
			    json_string_value(value));
	return v;
}

/* A key or value as java.util.Properties reads it back. */
static void
add_escaped(struct sa_buf *b, const char *s, bool key)
{
	for (const char *p = s; *p != '\0'; p++) {
		if (*p == '\n')
			sa_buf_adds(b, "\\n");
		else if (*p == '\r')
			sa_buf_adds(b, "\\r");
		else if (*p == '\t')
			sa_buf_adds(b, "\\t");
		else if (*p == '\\' || (*p == ' ' && (key || p == s)) ||
		    (key && strchr("=:#!", *p) != NULL))
			sa_buf_addf(b, "\\%c", *p);
		else
			sa_buf_addch(b, *p);
	}
}

/* spark-defaults.conf, if it still is what the plan saw. */
static int
add_defaults(struct sa_buf *b, const json_t *defaults, struct sa_err *err)
{
	const char *path = sa_json_str(defaults, "path");
	const char *want = sa_json_str(defaults, "sha256");
	char sha256[SA_SHA256_SIZE];

	if (path == NULL || want == NULL)
		return 0;
	if (sa_io_read_file(AT_FDCWD, path, b, path, err) < 0)
		return -1;
	sa_hash_sha256(sa_buf_str(b), b->len, sha256);
	if (strcmp(sha256, want) != 0)
		return sa_err_set(err, SA_REFUSED,
		    "'%s' has changed since prepare: sha256 was %s, is %s",
		    path, want, sha256);
	/* two: a backslash at the end would join ours to its last line */
	sa_buf_adds(b, "\n\n");
	return 0;
}

char *
sa_plan_properties_path(const struct sa_store *st, const json_t *plan,
    const char *job_id)
{
	if (!has_secrets(plan))
		return NULL;
	return sa_xasprintf("%s/runs/%s/" SA_PLAN_PROPERTIES, sa_store_path(st),
	    job_id);
}

char *
sa_plan_properties(const json_t *plan, struct sa_err *err)
{
	struct sa_buf b = SA_BUF_INIT(DEFAULTS_MAX);
	const char *key;
	json_t *entry;

	if (!has_secrets(plan))
		return NULL;
	if (add_defaults(&b, sa_json_obj(plan, "spark_defaults"), err) < 0) {
		sa_buf_release(&b);
		return NULL;
	}
	b.max = SA_BUF_NOMAX; /* a plan has its own limits */
	json_object_foreach (sa_json_obj(plan, "conf"), key, entry) {
		const char *value = sa_json_str(entry, "value");
		if (value == NULL || !is_secret(key, value))
			continue;
		add_escaped(&b, key, true);
		sa_buf_addch(&b, '=');
		add_escaped(&b, value, false);
		sa_buf_addch(&b, '\n');
	}
	return sa_buf_steal(&b);
}

char *
sa_plan_command_line(const struct sa_store *st, const json_t *pending)
{
	json_auto_t *masked = sa_pending_masked(pending);
	const json_t *plan = sa_json_obj(pending, "plan");
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	/* what is secret is told by the true values, what is shown by the
	 * masked ones */
	char **argv = sa_plan_argv(st, masked, NULL,
	    has_secrets(plan) ? NO_JOB_PROPERTIES : NULL);

	for (char **p = argv; *p != NULL; p++) {
		cleanup_free char *visible = sa_text_visible(*p);
		cleanup_free char *quoted = sa_text_shell(visible);
		sa_buf_addf(&b, "%s%s", b.len > 0 ? " " : "", quoted);
	}
	sa_argv_free(argv);
	return sa_buf_steal(&b);
}
