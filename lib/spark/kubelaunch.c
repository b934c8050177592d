/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "spark/kubejob.h"
#include "spark/kubepod.h"
#include "spark/pending.h"
#include "spark/runguard.h"

/* Puts one pinned file, as it was judged, into a ConfigMap. */
static int
add_file(const struct sa_store *st, const json_t *pending, const char *dir,
    const json_t *file, json_t *map, struct sa_err *err)
{
	const char *name = sa_json_str(file, "name");
	const char *want = sa_json_str(file, "sha256");
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_KUBE_MAX);
	char sha256[SA_SHA256_SIZE];

	if (name == NULL || want == NULL)
		return sa_err_set(err, SA_INVALID,
		    "the plan does not say what is to run");
	cleanup_free char *path = sa_xasprintf("%s/pending/%s/%s/%s",
	    sa_store_path(st), sa_json_str(pending, "pending_id"), dir, name);
	if (sa_io_read_file(AT_FDCWD, path, &b, path, err) < 0)
		return -1;
	sa_hash_sha256(sa_buf_str(&b), b.len, sha256);
	if (strcmp(sha256, want) != 0)
		return sa_err_set(err, SA_REFUSED,
		    "'%s' has changed since it was judged", path);
	if (sa_text_is_utf8(sa_buf_str(&b), b.len)) {
		json_object_set_new(sa_json_obj(map, "data"), name,
		    json_stringn(sa_buf_str(&b), b.len));
		return 0;
	}
	cleanup_free char *coded = sa_base64_encode(sa_buf_str(&b), b.len);
	json_object_set_new(sa_json_obj(map, "binaryData"), name,
	    json_string(coded));
	return 0;
}

static int
make_map(const struct sa_store *st, const json_t *pending, const json_t *job,
    const char *name, json_t **out, struct sa_err *err)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	const json_t *wrapper = sa_json_obj(plan, "guard_wrapper");
	json_auto_t *map = json_pack("{s:s, s:s, s:{s:s, s:{s:s, s:s, s:s}}, "
				     "s:b, s:{}, s:{}}",
	    "apiVersion", "v1", "kind", "ConfigMap", "metadata", "name", name,
	    "labels", "app.kubernetes.io/managed-by", "sa", "sa-job",
	    sa_json_str(job, "job_id"), "sa-store", sa_store_id(st),
	    "immutable", 1, "data", "binaryData");

	if (add_file(st, pending, "script", sa_json_obj(plan, "script"), map,
		err) < 0)
		return -1;
	if (wrapper != NULL &&
	    add_file(st, pending, SA_RUNGUARD_DIR, wrapper, map, err) < 0)
		return -1;
	*out = sa_steal(&map);
	return 0;
}

/* Of an object that is there: whether it is this job's. */
static int
is_ours(const json_t *object, const char *resource, const json_t *job,
    struct sa_err *err)
{
	const char *label = sa_kubepod_label(object, "sa-job");
	const char *id = sa_json_str(job, "job_id");

	if (label != NULL && strcmp(label, id) == 0)
		return 0;
	sa_err_set(err, SA_INVALID,
	    "the cluster has '%s' already, without the label sa-job=%s of "
	    "this job",
	    resource, id);
	return sa_err_hint(err,
	    "whoever made it can remove it; prepare the script again then");
}

/* Whether two objects of a member have the same texts; none is as empty. */
static bool
same_texts(const json_t *a, const json_t *b, const char *member)
{
	const json_t *x = sa_json_obj(a, member), *y = sa_json_obj(b, member);

	return json_object_size(x) == 0 ? json_object_size(y) == 0
					: json_equal(x, y) != 0;
}

static int
adopt_map(struct sa_kube *k, const json_t *map, const char *resource,
    const json_t *job, struct sa_err *err)
{
	json_auto_t *there = NULL;

	if (sa_kube_call(k, "GET", resource, NULL, &there, err) < 0 ||
	    is_ours(there, resource, job, err) < 0)
		return -1;
	if (same_texts(there, map, "data") &&
	    same_texts(there, map, "binaryData"))
		return 0;
	return sa_err_set(err, SA_INVALID,
	    "the cluster's '%s' has another script than this job", resource);
}

static int
put_map(struct sa_kube *k, const json_t *map, const char *name,
    const json_t *job, struct sa_err *err)
{
	cleanup_free char *resource = sa_xasprintf("configmaps/%s", name);
	struct sa_err local = SA_ERR_INIT, second = SA_ERR_INIT;

	if (sa_kube_call(k, "POST", "configmaps", map, NULL, &local) == 0)
		return 0;
	if (local.kind == SA_INVALID &&
	    adopt_map(k, map, resource, job, &second) == 0) {
		sa_err_clear(&local);
		return 0;
	}
	/* not there: the name was not what was wrong */
	if (local.kind == SA_INVALID && second.kind != SA_NOT_FOUND) {
		sa_err_clear(&local);
		local = second;
	} else
		sa_err_clear(&second);
	if (err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return -1;
}

/* JSON, which is YAML too. */
static int
write_template(const struct sa_store *st, const json_t *job, const char *map,
    struct sa_err *err)
{
	cleanup_free char *rel =
	    sa_xasprintf("runs/%s", sa_json_str(job, "job_id"));
	cleanup_fd int dir = sa_store_dir(st, rel, false, err);
	json_auto_t *pod = json_pack("{s:s, s:s, s:{s:[{s:s, s:[{s:s, s:s, "
				     "s:b}]}], s:[{s:s, s:{s:s}}]}}",
	    "apiVersion", "v1", "kind", "Pod", "spec", "containers", "name",
	    "spark-kubernetes-driver", "volumeMounts", "name", "sa-job",
	    "mountPath", SA_KUBE_DIR, "readOnly", 1, "volumes", "name",
	    "sa-job", "configMap", "name", map);

	if (dir < 0)
		return -1;
	cleanup_free char *text = json_dumps(pod, JSON_INDENT(2));
	return sa_io_replace(dir, SA_KUBE_TEMPLATE, text, strlen(text), 0640,
	    SA_KUBE_TEMPLATE, err);
}

static int
become_submit(const struct sa_store *st, const json_t *pending,
    const json_t *job, struct sa_err *err)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	const char *id = sa_json_str(job, "job_id");
	cleanup_free char *properties = sa_plan_properties_path(st, plan, id);
	char **argv = sa_plan_argv(st, pending, id, properties);
	char **env = sa_plan_environ(plan);

	execve(argv[0], argv, env);
	sa_err_errno(err, SA_CONFIG, errno, "cannot execute '%s'", argv[0]);
	sa_argv_free(argv);
	sa_argv_free(env);
	return -1;
}

/* 1: the pod is there, and this job's. */
static int
look_for_pod(struct sa_kube *k, const json_t *job, struct sa_err *err)
{
	cleanup_free char *resource = sa_kube_pod(job);
	struct sa_err local = SA_ERR_INIT;
	json_auto_t *pod = NULL;

	if (sa_kube_call(k, "GET", resource, NULL, &pod, &local) == 0)
		return is_ours(pod, resource, job, err) < 0 ? -1 : 1;
	if (local.kind == SA_NOT_FOUND) {
		sa_err_clear(&local);
		return 0;
	}
	if (err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return -1;
}

int
sa_kube_launch(struct sa_kube *k, const struct sa_store *st,
    const json_t *pending, const json_t *job, struct sa_err *err)
{
	cleanup_free char *name = sa_plan_kube_name(sa_json_str(job, "job_id"));
	json_auto_t *map = NULL;
	int rc = look_for_pod(k, job, err);

	if (rc > 0)
		sa_warn("the pod %s-driver is there already", name);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (make_map(st, pending, job, name, &map, err) < 0 ||
	    put_map(k, map, name, job, err) < 0 ||
	    write_template(st, job, name, err) < 0)
		return -1;
	return become_submit(st, pending, job, err);
}

int
sa_kube_unmap(struct sa_kube *k, const json_t *job, struct sa_err *err)
{
	const char *id = sa_json_str(job, "job_id");
	cleanup_free char *name = sa_plan_kube_name(id);
	cleanup_free char *resource = sa_xasprintf("configmaps/%s", name);
	struct sa_err local = SA_ERR_INIT;

	if (sa_kube_delete(k, resource, id, false, &local) == 0)
		return 0;
	/* what is not ours stays */
	bool fine = local.kind == SA_NOT_FOUND ||
	    (local.kind == SA_REFUSED && strstr(local.msg, "sa-job") != NULL);
	if (fine || err == NULL)
		sa_err_clear(&local);
	else
		*err = local;
	return fine ? 0 : -1;
}
