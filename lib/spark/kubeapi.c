/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/kubeapi.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"
#include "spark/kubepod.h"
#include "spark/kubetarget.h"

#define PAGE 200
#define PAGE_MAX (32 << 20)
#define ANSWER_MAX (8 << 20)
#define AGAIN_MAX 3 /* how often a list begins anew */

struct sa_kube {
	struct sa_kubetarget target;
	struct sa_http *http;
	char *host;
};

struct sa_kube *
sa_kube_new(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_err *err)
{
	struct sa_kube *k = sa_xcalloc(1, sizeof(*k));

	if (sa_kubetarget_find(st, s, job, &k->target, err) == 0) {
		const struct sa_kubeconfig *a = &k->target.auth;
		const struct sa_http_options o = { .token = a->token,
			.token_file = a->token_file,
			.ca_file = a->ca_file,
			.ca_pem = a->ca_pem,
			.cert_file = a->cert_file,
			.cert_pem = a->cert_pem,
			.key_file = a->key_file,
			.key_pem = a->key_pem };
		k->http = sa_http_new(&o, err);
	}
	if (k->http == NULL) {
		sa_kube_free(k);
		return NULL;
	}
	k->host = sa_http_host(k->target.server);
	return k;
}

void
sa_kube_free(struct sa_kube *k)
{
	sa_http_free(k->http);
	sa_kubetarget_release(&k->target);
	free(k->host);
	free(k);
}

const char *
sa_kube_server(const struct sa_kube *k)
{
	return k->target.server;
}

const char *
sa_kube_namespace(const struct sa_kube *k)
{
	return k->target.namespace;
}

const char *
sa_kube_login(const struct sa_kube *k)
{
	return k->target.login;
}

/* The verb of a right, as RBAC has it. */
static const char *
right(const char *method, const char *resource)
{
	const char *slash = strchr(resource, '/');

	if (strcmp(method, "GET") != 0)
		return strcmp(method, "POST") == 0 ? "create" : "delete";
	return slash != NULL ? "get" : "list";
}

/* "pods", "pods/log", "configmaps". Caller frees. */
static char *
resource_type(const char *resource)
{
	cleanup_free char *path = sa_xstrndup(resource, strcspn(resource, "?"));
	char *name = strchr(path, '/');
	const char *sub = name != NULL ? strchr(name + 1, '/') : NULL;

	if (name != NULL)
		*name = '\0';
	return sa_xasprintf("%s%s", path, sub != NULL ? sub : "");
}

static int
not_allowed(struct sa_kube *k, const struct sa_http_response *r,
    const char *method, const char *resource, const char *said,
    struct sa_err *err)
{
	cleanup_free char *type = resource_type(resource);

	sa_http_refused(r, k->host, said, err);
	if (r->status == 401)
		return sa_err_hint(err,
		    "the login is of %s; it may have expired", k->target.login);
	return sa_err_hint(err,
	    "it needs the right to %s %s in namespace '%s': kubectl auth "
	    "can-i %s %s -n %s",
	    right(method, resource), type, k->target.namespace,
	    right(method, resource), type, k->target.namespace);
}

/* An answer that is none of 2xx. */
static int
failed(struct sa_kube *k, const struct sa_http_response *r, const char *method,
    const char *resource, struct sa_err *err)
{
	json_auto_t *status = NULL;
	cleanup_free char *said = NULL;
	enum sa_kind kind = SA_REMOTE;

	if (sa_json_parse(sa_buf_str(&r->body), r->body.len, "answer", &status,
		NULL) == 0 &&
	    sa_json_str(status, "message") != NULL)
		said = sa_text_visible(sa_json_str(status, "message"));
	if (r->status == 401 || r->status == 403)
		return not_allowed(k, r, method, resource, said, err);
	if (r->status == 404)
		kind = SA_NOT_FOUND;
	else if (r->status == 410)
		kind = SA_BUSY;
	else if (r->status == 400 || r->status == 409 || r->status == 422)
		kind = SA_INVALID;
	if (said != NULL)
		return sa_err_set(err, kind, "'%s' says: %.1000s", k->host,
		    said);
	return sa_err_set(err, kind, "'%s' answers %s of '%s' with status %d",
	    k->host, method, resource, r->status);
}

static char *
url_of(const struct sa_kube *k, const char *resource)
{
	cleanup_free char *namespace = sa_http_escape(k->target.namespace);

	return sa_xasprintf("%s/api/v1/namespaces/%s/%s", k->target.server,
	    namespace, resource);
}

static int
call(struct sa_kube *k, const char *method, const char *url,
    const char *resource, const json_t *body, json_t **out, struct sa_err *err)
{
	cleanup_free char *text = body != NULL ? sa_json_text(body) : NULL;
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	const struct sa_http_request q = { .method = method,
		.url = url,
		.accept = "application/json",
		.content_type = text != NULL ? "application/json" : NULL,
		.body = text,
		.body_len = text != NULL ? strlen(text) : 0,
		.credentials = true,
		.max = strchr(resource, '?') != NULL ? PAGE_MAX : ANSWER_MAX };

	if (sa_http_do(k->http, &q, &r, NULL, err) < 0)
		return -1;
	int rc = 0;
	if (r.status < 200 || r.status > 299)
		rc = failed(k, &r, method, resource, err);
	else if (r.cut)
		rc = sa_err_set(err, SA_REMOTE, "'%s' broke off its answer",
		    k->host);
	else if (out != NULL &&
	    (rc = sa_json_parse(sa_buf_str(&r.body), r.body.len, k->host, out,
		 err)) < 0 &&
	    err != NULL)
		err->kind = SA_REMOTE;
	sa_http_response_release(&r);
	return rc;
}

int
sa_kube_call(struct sa_kube *k, const char *method, const char *resource,
    const json_t *body, json_t **out, struct sa_err *err)
{
	cleanup_free char *url = url_of(k, resource);

	return call(k, method, url, resource, body, out, err);
}

int
sa_kube_review(struct sa_kube *k, const json_t *question, json_t **out,
    struct sa_err *err)
{
	static const char path[] =
	    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
	cleanup_free char *url = sa_xasprintf("%s%s", k->target.server, path);

	return call(k, "POST", url, "selfsubjectaccessreviews", question, out,
	    err);
}

int
sa_kube_stream(struct sa_kube *k, const char *resource, sa_http_body_fn *take,
    void *arg, bool *cut, struct sa_err *err)
{
	cleanup_free char *url = url_of(k, resource);
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	const struct sa_http_request q = { .url = url,
		.accept = "*/*",
		.credentials = true,
		.total_ms = -1,
		.take = take,
		.arg = arg };

	*cut = false;
	if (sa_http_do(k->http, &q, &r, NULL, err) < 0)
		return -1;
	int rc = 0;
	if (r.status == 204)
		rc = sa_err_set(err, SA_NOT_FOUND, "there is no log yet");
	else if (r.status != 200)
		rc = failed(k, &r, "GET", resource, err);
	*cut = r.cut;
	sa_http_response_release(&r);
	return rc;
}

/* One page; *more is where the next one begins, or NULL. */
static int
page(struct sa_kube *k, const char *selector, char **more,
    void (*each)(void *arg, const json_t *pod), void *arg, struct sa_err *err)
{
	cleanup_free char *labels = sa_http_escape(selector);
	cleanup_free char *from = sa_http_escape(*more != NULL ? *more : "");
	cleanup_free char *resource = sa_xasprintf(
	    "pods?labelSelector=%s&limit=%d&continue=%s", labels, PAGE, from);
	json_auto_t *list = NULL;
	json_t *pod;
	size_t i;

	free(*more);
	*more = NULL;
	if (sa_kube_call(k, "GET", resource, NULL, &list, err) < 0)
		return -1;
	const char *next =
	    sa_json_str(sa_json_obj(list, "metadata"), "continue");
	if (next != NULL && *next != '\0')
		*more = sa_xstrdup(next);
	json_array_foreach (json_object_get(list, "items"), i, pod)
		each(arg, pod);
	return 0;
}

int
sa_kube_pods(struct sa_kube *k, const char *selector,
    void (*each)(void *arg, const json_t *pod), void *arg, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	char *more = NULL;
	int again = 0, rc;

	do {
		rc = page(k, selector, &more, each, arg, &local);
		/* it took so long that the next page is gone */
		if (rc < 0 && local.kind == SA_BUSY && again++ < AGAIN_MAX)
			sa_err_clear(&local);
		else if (rc < 0)
			break;
	} while (more != NULL || rc < 0);
	free(more);
	if (rc < 0 && err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return rc;
}

int
sa_kube_delete(struct sa_kube *k, const char *resource, const char *job_id,
    bool force, struct sa_err *err)
{
	json_auto_t *seen = NULL;

	if (sa_kube_call(k, "GET", resource, NULL, &seen, err) < 0)
		return -1;
	const char *label = sa_kubepod_label(seen, "sa-job");
	const char *uid = sa_json_str(sa_json_obj(seen, "metadata"), "uid");
	if (!force && (label == NULL || strcmp(label, job_id) != 0)) {
		sa_err_set(err, SA_REFUSED,
		    "'%s' in namespace '%s' does not carry the label sa-job=%s "
		    "of this job, so that it may be somebody else's",
		    resource, k->target.namespace, job_id);
		sa_err_hint(err, "--force ends it all the same");
		return sa_err_agent_hint(err,
		    "it is left alone; ask the user to look at it");
	}
	json_auto_t *how = json_pack("{s:s, s:s, s:{s:s*}}", "apiVersion", "v1",
	    "kind", "DeleteOptions", "preconditions", "uid", uid);
	return sa_kube_call(k, "DELETE", resource, how, NULL, err);
}
