/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_KUBEAPI_H
#define SA_KUBEAPI_H

#include <jansson.h>
#include <stdbool.h>

#include "base/http.h"
#include "base/record.h"

/*
 * A Kubernetes API server, and one namespace of it, as a job's spark-submit
 * sees them: the server that its master names, the namespace of
 * spark.kubernetes.namespace (else "default", whatever a kubeconfig says), and
 * the login of spark.kubernetes.authenticate.submission.*, of the kubeconfig
 * ($KUBECONFIG, ~/.kube/config, context spark.kubernetes.context), or of the
 * service account of the pod that we run in; the first that has one.
 */
struct sa_kube;

/* SA_CONFIG: a kubeconfig that cannot be read, or asks for what we do not do.
 * SA_REFUSED: an agent chose the server, which is neither the kubeconfig's nor
 * one that agents may name. Caller frees. */
struct sa_kube *sa_kube_new(const struct sa_store *st,
    const struct sa_settings *s, const json_t *job, struct sa_err *err);
void sa_kube_free(struct sa_kube *k);

/* What tells one such view from another, without reading more than the job's
 * plan and connection. Caller frees. */
char *sa_kube_where(const struct sa_store *st, const json_t *job);

const char *sa_kube_server(const struct sa_kube *k);
const char *sa_kube_namespace(const struct sa_kube *k);
const char *sa_kube_login(const struct sa_kube *k); /* for people */

/*
 * A request. resource is what follows the namespace's path: "pods",
 * "pods/NAME?..."; body may be NULL. *out, where out is not NULL, is the
 * answer. Kinds:
 *	SA_NOT_FOUND	404
 *	SA_INVALID	409, there is one of that name; 400, 422
 *	SA_REFUSED	401, 403: the server's words, and which right lacks
 *	SA_BUSY		410, a list that has to begin anew
 *	SA_REMOTE	all else, and no answer
 */
int sa_kube_call(struct sa_kube *k, const char *method, const char *resource,
    const json_t *body, json_t **out, struct sa_err *err);

/* Asks which rights we have: a SelfSubjectAccessReview and its answer. */
int sa_kube_review(struct sa_kube *k, const json_t *question, json_t **out,
    struct sa_err *err);

/* A GET whose answer goes to take as it comes. 204 is SA_NOT_FOUND; *cut: it
 * broke off. */
int sa_kube_stream(struct sa_kube *k, const char *resource,
    sa_http_body_fn *take, void *arg, bool *cut, struct sa_err *err);

/* All pods that a label selector takes, by and by: each(arg, pod). */
int sa_kube_pods(struct sa_kube *k, const char *selector,
    void (*each)(void *arg, const json_t *pod), void *arg, struct sa_err *err);

/* Removes what carries the label sa-job of a job, the very one that was seen.
 * SA_REFUSED: it does not carry the label, and force is not set. SA_NOT_FOUND:
 * it is not there. */
int sa_kube_delete(struct sa_kube *k, const char *resource, const char *job_id,
    bool force, struct sa_err *err);

#endif
