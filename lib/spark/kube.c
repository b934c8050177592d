/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/cluster.h"
#include "spark/kubejob.h"
#include "spark/kubepod.h"
#include "spark/pending.h"
#include "spark/run.h"

/* Kubernetes, for spark/cluster.h. In client mode the driver is on this host
 * and the cluster has nothing that carries the job's mark. */

static int
kube_open(struct sa_cluster *c, const json_t *job, struct sa_err *err)
{
	c->own = sa_kube_new(c->store, c->settings, job, err);
	return c->own != NULL ? 0 : -1;
}

static void
kube_close(struct sa_cluster *c)
{
	sa_kube_free(c->own);
	c->own = NULL;
}

static int
kube_where(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, char **out, struct sa_err *err)
{
	(void)s;
	(void)err;
	*out = sa_kube_where(st, job);
	return 0;
}

char *
sa_kube_pod(const json_t *job)
{
	cleanup_free char *name = sa_plan_kube_name(sa_json_str(job, "job_id"));

	return sa_xasprintf("pods/%s-driver", name);
}

static bool
is_ours(const json_t *pod, const json_t *job)
{
	const char *label = sa_kubepod_label(pod, "sa-job");
	const char *id = sa_json_str(job, "job_id");

	return label != NULL && id != NULL && strcmp(label, id) == 0;
}

static bool
is_wished(const json_t *job)
{
	return sa_json_str(job, "kill_requested_at") != NULL;
}

static int
no_pod(const char *resource, struct sa_err *err)
{
	return sa_err_set(err, SA_NOT_FOUND,
	    "the cluster has no '%s' of this job", resource);
}

/* A pod that is gone after its end was asked for was ended by that. */
static void
sight_deleted(const json_t *job, struct sa_sighting *out)
{
	const char *id = sa_json_str(job, "application_id");

	*out = (struct sa_sighting)SA_SIGHTING_INIT;
	out->application_id = id != NULL ? sa_xstrdup(id) : NULL;
	out->state = "KILLED";
	out->cluster_state = sa_xstrdup("Deleted");
	out->diagnostics =
	    sa_xstrdup("the driver's pod was deleted, as was asked for");
}

static int
kube_look(struct sa_cluster *c, const json_t *job, struct sa_sighting *out,
    struct sa_err *err)
{
	cleanup_free char *resource = sa_kube_pod(job);
	struct sa_err local = SA_ERR_INIT;
	json_auto_t *pod = NULL;

	if (sa_kube_call(c->own, "GET", resource, NULL, &pod, &local) == 0) {
		if (!is_ours(pod, job))
			return no_pod(resource, err);
		sa_kubepod_sight(pod, is_wished(job), out);
		return 0;
	}
	if (local.kind == SA_NOT_FOUND && is_wished(job)) {
		sa_err_clear(&local);
		sight_deleted(job, out);
		return 0;
	}
	if (err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return -1;
}

struct finding {
	const json_t *job;
	struct sa_candidates *out;
};

static void
found(void *arg, const json_t *pod)
{
	const struct finding *f = arg;

	if (is_ours(pod, f->job))
		sa_kubepod_sight(pod, is_wished(f->job),
		    sa_candidates_add(f->out, true));
}

static int
kube_find(struct sa_cluster *c, const json_t *job, struct sa_candidates *out,
    struct sa_err *err)
{
	struct finding f = { .job = job, .out = out };

	out->counts = true;
	if (sa_job_truth(job) != SA_TRUTH_CLUSTER)
		return 0;
	cleanup_free char *labels = sa_xasprintf("sa-job=%s,spark-role=driver",
	    sa_json_str(job, "job_id"));
	return sa_kube_pods(c->own, labels, found, &f, err);
}

struct listing {
	void (*each)(void *arg, const char *tag, struct sa_sighting *seen);
	void *arg;
};

static void
listed(void *arg, const json_t *pod)
{
	const struct listing *l = arg;
	const char *id = sa_kubepod_label(pod, "sa-job");
	struct sa_sighting seen;

	if (id == NULL)
		return;
	cleanup_free char *tag = sa_xasprintf("sa-%s", id);
	for (char *p = tag; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	sa_kubepod_sight(pod, false, &seen);
	l->each(l->arg, tag, &seen);
	sa_sighting_release(&seen);
}

static int
kube_look_all(struct sa_cluster *c,
    void (*each)(void *arg, const char *tag, struct sa_sighting *seen),
    void *arg, bool *counts, struct sa_err *err)
{
	cleanup_free char *labels = sa_xasprintf(
	    "sa-store=%s,spark-role=driver", sa_store_id(c->store));
	struct listing l = { .each = each, .arg = arg };

	*counts = true;
	return sa_kube_pods(c->own, labels, listed, &l, err);
}

static void
keep_log(struct sa_cluster *c, const json_t *job)
{
	long long max = sa_settings_number(c->settings, SA_SET_OUTPUT_MAX);
	struct sa_err err = SA_ERR_INIT;

	if (sa_kubelog_keep(c->own, c->store, job, max, &err) < 0)
		sa_warn("%s: the driver's log is not kept: %s",
		    sa_json_str(job, "job_id"), err.msg);
	sa_err_clear(&err);
}

/* The log goes with the pod. */
static int
kube_kill(struct sa_cluster *c, const json_t *job, const char *application,
    bool force, struct sa_err *err)
{
	cleanup_free char *resource = sa_kube_pod(job);
	json_auto_t *pod = NULL;

	if (sa_kube_call(c->own, "GET", resource, NULL, &pod, err) < 0)
		return -1;
	/* the job has no other pod than this one */
	const char *its = sa_kubepod_label(pod, "spark-app-selector");
	if (its != NULL && strcmp(its, application) != 0)
		return sa_err_set(err, SA_NOT_FOUND, "'%s' is not '%.100s'",
		    resource, application);
	if (is_ours(pod, job) && sa_kubepod_ended(pod))
		return 0;
	if (is_ours(pod, job))
		keep_log(c, job);
	if (sa_kube_delete(c->own, resource, sa_json_str(job, "job_id"), force,
		err) < 0)
		return -1;
	sa_info("%s: asked to end, by deleting '%s'", application, resource);
	return 0;
}

static int
kube_launch(struct sa_cluster *c, const json_t *pending, const json_t *job,
    struct sa_err *err)
{
	return sa_kube_launch(c->own, c->store, pending, job, err);
}

static int
kube_finished(struct sa_cluster *c, const json_t *job, struct sa_err *err)
{
	if (sa_job_truth(job) != SA_TRUTH_CLUSTER)
		return 0;
	keep_log(c, job);
	return sa_kube_unmap(c->own, job, err);
}

static int
kube_logs(struct sa_cluster *c, const json_t *job, struct sa_joblog **out,
    struct sa_err *err)
{
	(void)err;
	*out = sa_kubelog_open(c->own, c->store, job);
	return 0;
}

/* ---- the doctor */

static void
count(void *arg, const json_t *pod)
{
	(void)pod;
	++*(size_t *)arg;
}

/* Whether a right is there; the question itself needs none. */
static void
check_right(struct sa_cluster *c, const char *verb, const char *resource,
    json_t *check)
{
	const char *slash = strchr(resource, '/');
	cleanup_free char *type = slash != NULL
	    ? sa_xstrndup(resource, (size_t)(slash - resource))
	    : sa_xstrdup(resource);
	bool policy = strcmp(resource, "networkpolicies") == 0;
	json_auto_t *answer = NULL,
		    *question = json_pack(
			"{s:s, s:s, s:{s:{s:s, s:s, s:s, s:s, s:s}}}",
			"apiVersion", "authorization.k8s.io/v1", "kind",
			"SelfSubjectAccessReview", "spec", "resourceAttributes",
			"namespace", sa_kube_namespace(c->own), "verb", verb,
			"group", policy ? "networking.k8s.io" : "", "resource",
			type, "subresource", slash != NULL ? slash + 1 : "");
	struct sa_err err = SA_ERR_INIT;

	if (sa_kube_review(c->own, question, &answer, &err) < 0)
		sa_check_add(check, "right", false, err.hint, "%s %s: %s", verb,
		    resource, err.msg);
	else if (!sa_json_bool(sa_json_obj(answer, "status"), "allowed", false))
		sa_check_add(check, "right", false,
		    "a Role of the namespace can give it",
		    "there is no right to %s %s in namespace '%s'", verb,
		    resource, sa_kube_namespace(c->own));
	else
		sa_check_add(check, "right", true, NULL, "%s %s", verb,
		    resource);
	sa_err_clear(&err);
}

static void
kube_check(struct sa_cluster *c, json_t *check)
{
	/* spark-submit makes the last three */
	static const char *const rights[][2] = { { "create", "configmaps" },
		{ "delete", "configmaps" }, { "get", "pods" },
		{ "list", "pods" }, { "delete", "pods" }, { "get", "pods/log" },
		{ "create", "pods" }, { "create", "services" },
		{ "patch", "networkpolicies" } };
	cleanup_free char *labels = sa_xasprintf(
	    "sa-store=%s,spark-role=driver", sa_store_id(c->store));
	struct sa_err err = SA_ERR_INIT;
	size_t n = 0;

	if (sa_kube_pods(c->own, labels, count, &n, &err) < 0) {
		sa_check_add(check, "api_server", false, err.hint, "%s",
		    err.msg);
		sa_err_clear(&err);
		return;
	}
	sa_check_add(check, "api_server", true, NULL,
	    "%s, namespace '%s'; %zu drivers of this store are known",
	    sa_kube_server(c->own), sa_kube_namespace(c->own), n);
	sa_check_add(check, "authentication", true, NULL, "by %s",
	    sa_kube_login(c->own));
	for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++)
		check_right(c, rights[i][0], rights[i][1], check);
}

const struct sa_cluster_ops sa_cluster_kube = {
	.name = "Kubernetes",
	.where = kube_where,
	.open = kube_open,
	.close = kube_close,
	.look = kube_look,
	.find = kube_find,
	.kill = kube_kill,
	.look_all = kube_look_all,
	.launch = kube_launch,
	.finished = kube_finished,
	.logs_by_mark = true,
	.logs = kube_logs,
	.check = kube_check,
};
