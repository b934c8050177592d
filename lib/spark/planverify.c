/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/pending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "guard/guard.h"
#include "guard/policy.h"
#include "spark/runguard.h"
#include "spark/waiver.h"

static int
drifted(struct sa_err *err, const char *what, const char *name,
    const char *want, const char *is)
{
	sa_err_set(err, SA_REFUSED,
	    "%s '%s' has changed since prepare: sha256 was %s, is %s", what,
	    name, want, is);
	return sa_err_hint(err, "look at it, then prepare the script again");
}

/* One of the copies below pending/ID. */
static int
verify_copy(int dir, const char *sub, const json_t *d, struct sa_err *err)
{
	const char *name = sa_json_str(d, "name");
	const char *want = sa_json_str(d, "sha256");
	char sha256[SA_SHA256_SIZE];

	if (name == NULL || want == NULL)
		return sa_err_set(err, SA_INVALID,
		    "the plan describes a copy without name and sha256");
	cleanup_free char *rel = sa_path_join(sub, name);
	cleanup_fd int fd =
	    sa_path_open_beneath(dir, rel, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == EXDEV))
		return sa_err_errno(err, SA_REFUSED, errno,
		    "the pinned copy of '%s' is gone", name);
	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot open the pinned copy of '%s'", name);
	if (sa_hash_fd(fd, sha256, name, err) < 0)
		return -1;
	return strcmp(sha256, want) == 0
	    ? 0
	    : drifted(err, "the pinned copy of", name, want, sha256);
}

static int
verify_copies(int dir, const json_t *plan, struct sa_err *err)
{
	static const char *const lists[] = { "py_files", "files", "siblings" };
	json_t *d;
	size_t k;

	const json_t *wrapper = sa_json_obj(plan, "guard_wrapper");

	if (verify_copy(dir, "script", json_object_get(plan, "script"), err) <
		0 ||
	    (wrapper != NULL &&
		verify_copy(dir, SA_RUNGUARD_DIR, wrapper, err) < 0))
		return -1;
	for (size_t i = 0; i < 3; i++)
		json_array_foreach (json_object_get(plan, lists[i]), k, d)
			if (verify_copy(dir, "deps", d, err) < 0)
				return -1;
	return 0;
}

/* A file of this host: {path,sha256}, or null where dir had no base. */
static int
verify_file(const json_t *plan, const char *member, const char *base,
    struct sa_err *err)
{
	const json_t *d = sa_json_obj(plan, member);
	const char *dir = sa_json_str(plan, "spark_conf_dir");
	char sha256[SA_SHA256_SIZE];
	struct sa_err local = SA_ERR_INIT;

	if (d == NULL) {
		cleanup_free char *path =
		    dir != NULL ? sa_path_join(dir, base) : NULL;
		if (path == NULL || access(path, F_OK) < 0)
			return 0;
		sa_err_set(err, SA_REFUSED,
		    "'%s' was not there at prepare and is now", path);
		return sa_err_hint(err,
		    "look at it, then prepare the script again");
	}
	if (sa_hash_file(sa_json_str(d, "path"), sha256, &local) < 0) {
		if (local.kind == SA_NOT_FOUND)
			local.kind = SA_REFUSED;
		*err = local;
		return -1;
	}
	if (strcmp(sha256, sa_json_str(d, "sha256")) == 0)
		return 0;
	return drifted(err, "the configuration file", sa_json_str(d, "path"),
	    sa_json_str(d, "sha256"), sha256);
}

static int
missing(struct sa_err *err, const char *what, const char *path)
{
	sa_err_set(err, SA_CONFIG, "%s '%s' is not there any more", what, path);
	return sa_err_hint(err, "put it back, or prepare the script again");
}

static int
verify_programs(const json_t *plan, struct sa_err *err)
{
	const json_t *submit = sa_json_obj(plan, "spark_submit");
	const char *path = sa_json_str(submit, "path");
	const char *want = sa_json_str(submit, "sha256");
	const char *java = sa_json_str(sa_json_obj(plan, "java"), "path");
	char sha256[SA_SHA256_SIZE];

	if (path == NULL || want == NULL || java == NULL)
		return sa_err_set(err, SA_INVALID,
		    "the plan lacks spark_submit or java");
	if (access(path, X_OK) < 0)
		return missing(err, "spark-submit", path);
	if (access(java, X_OK) < 0)
		return missing(err, "Java", java);
	if (sa_hash_file(path, sha256, err) < 0)
		return -1;
	return strcmp(sha256, want) == 0
	    ? 0
	    : drifted(err, "spark-submit", path, want, sha256);
}

static int
verify_dir(const json_t *plan, const char *member, const char *what,
    struct sa_err *err)
{
	const char *path = sa_json_str(plan, member);
	struct stat st;

	if (path == NULL || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	return missing(err, what, path);
}

static int
verify_guard(int dir, const struct sa_settings *s, const json_t *pending,
    struct sa_err *err)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	const json_t *g = sa_json_obj(plan, "guard");
	const json_t *wrapper = sa_json_obj(plan, "guard_wrapper");
	struct sa_policy policy;
	struct sa_guard_options options = {
		.policy = &policy,
		.strict = sa_json_bool(g, "strict", true),
		.strict_insert = sa_json_bool(g, "strict_insert", true),
		.unresolved_warn = sa_json_bool(g, "unresolved", false),
		.runtime = wrapper != NULL,
	};
	cleanup_buf struct sa_buf text = SA_BUF_INIT(SA_GUARD_MAX);
	json_auto_t *report = NULL;
	cleanup_free char *rel = sa_path_join("script",
	    sa_json_str(sa_json_obj(plan, "script"), "name"));
	cleanup_fd int fd = sa_path_open_beneath(dir, rel, O_RDONLY, 0);

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot open the pinned script");
	if (sa_policy_settings(&policy, s, err) < 0 ||
	    sa_io_read_fd(fd, &text, rel, err) < 0 ||
	    sa_guard_python(sa_buf_str(&text), text.len,
		sa_json_str(pending, "script_path"), &options, &report,
		err) < 0)
		return -1;
	sa_waiver_repeat(json_object_get(plan, "waivers"), report);
	if (sa_guard_passes(report))
		return wrapper == NULL
		    ? 0
		    : sa_runguard_verify(wrapper, &options, err);
	sa_guard_refuse(report, err);
	if (err != NULL)
		err->kind = SA_REFUSED;
	return sa_err_prefix(err, "the guard lets the script through no more");
}

int
sa_plan_verify(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, struct sa_err *err)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	const char *want = sa_json_str(pending, "plan_sha256");
	char sha256[SA_SHA256_SIZE];

	sa_plan_hash(plan, sha256);
	if (strcmp(sha256, want) != 0)
		return drifted(err, "the plan of",
		    sa_json_str(pending, "pending_id"), want, sha256);
	cleanup_free char *rel =
	    sa_xasprintf("pending/%s", sa_json_str(pending, "pending_id"));
	cleanup_fd int dir = sa_store_dir(st, rel, false, err);
	if (dir < 0 || verify_copies(dir, plan, err) < 0 ||
	    verify_programs(plan, err) < 0 ||
	    verify_file(plan, "spark_defaults", "spark-defaults.conf", err) <
		0 ||
	    verify_file(plan, "spark_env", "spark-env.sh", err) < 0 ||
	    verify_dir(plan, "hadoop_conf_dir", "the Hadoop configuration",
		err) < 0 ||
	    verify_dir(plan, "workdir", "the working directory", err) < 0)
		return -1;
	return verify_guard(dir, s, pending, err);
}
