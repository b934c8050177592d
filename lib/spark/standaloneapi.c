/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/standaloneapi.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "spark/jobconf.h"
#include "spark/masterpage.h"
#include "spark/output.h"
#include "spark/pending.h"
#include "spark/rmhosts.h"
#include "spark/url.h"

#define PAGE_MAX (32 << 20)
#define ANSWER_MAX (1 << 20)
#define GET_MAX (8 << 20)

struct sa_standalone {
	struct sa_http *http;
	struct {
		char *ui, *rest;
	} * v; /* "http://HOST:PORT" */
	size_t n;
};

/* A port that a property or a variable names, else the usual one; caller
 * frees. */
static char *
port_of(struct sa_jobconf *c, const char *key, const char *variable,
    const char *usual)
{
	cleanup_free char *conf = sa_jobconf_get(c, key);
	const char *env = variable != NULL ? sa_jobconf_env(c, variable) : NULL;
	const char *port = conf != NULL ? conf : env != NULL ? env : usual;
	cleanup_free char *colon = sa_xasprintf(":%s", port);

	/* what is none is none for Spark either */
	return sa_xstrdup(sa_url_port(colon) == strlen(colon) ? port : usual);
}

static bool
speaks_tls(struct sa_jobconf *c)
{
	cleanup_free char *own =
	    sa_jobconf_get(c, "spark.ssl.standalone.enabled");
	cleanup_free char *all = sa_jobconf_get(c, "spark.ssl.enabled");
	const char *value = own != NULL ? own : all;

	return value != NULL && strcasecmp(value, "true") == 0;
}

/* Where Spark puts the page that it would have on a port without TLS. */
static char *
tls_port(struct sa_jobconf *c, const char *plain)
{
	long long n = strtonum(plain, 1, 65535, NULL) + 400;
	cleanup_free char *usual =
	    sa_xasprintf("%lld", n > 65535 ? n - 65536 + 1024 : n);

	return port_of(c, "spark.ssl.standalone.port", NULL, usual);
}

static const char *
ca_of(const struct sa_jobconf *c)
{
	const char *ca = sa_json_str(c->plan, "ca_file");

	return ca != NULL ? ca : sa_json_str(c->connection, "ca_file");
}

static void
add_masters(struct sa_standalone *a, const char *master, struct sa_jobconf *c)
{
	bool tls = speaks_tls(c);
	cleanup_free char *plain = port_of(c, "spark.master.ui.port",
	    "SPARK_MASTER_WEBUI_PORT", "8080");
	cleanup_free char *ui = tls ? tls_port(c, plain) : sa_steal(&plain);
	cleanup_free char *rest =
	    port_of(c, "spark.master.rest.port", NULL, "6066");
	const char *s = master != NULL ? master : "";

	if (strncmp(s, "spark://", 8) != 0)
		return;
	s += 8;
	for (size_t n; (n = sa_url_host(s)) > 0; s += *s == ',') {
		a->v = sa_xrealloc(a->v, a->n + 1, sizeof(*a->v));
		a->v[a->n].ui = sa_xasprintf("http%s://%.*s:%s", tls ? "s" : "",
		    (int)n, s, ui);
		a->v[a->n++].rest =
		    sa_xasprintf("http://%.*s:%s", (int)n, s, rest);
		s += n + sa_url_port(s + n);
	}
}

static int
check_agent(const struct sa_standalone *a, const struct sa_store *st,
    const struct sa_settings *s, struct sa_err *err)
{
	for (size_t i = 0; i < a->n; i++)
		if (sa_rmhosts_check(st, s, SA_RMHOSTS_SPARK, a->v[i].ui, NULL,
			err) < 0 ||
		    sa_rmhosts_check(st, s, SA_RMHOSTS_SPARK, a->v[i].rest,
			NULL, err) < 0)
			return -1;
	return 0;
}

struct sa_standalone *
sa_standalone_new(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_err *err)
{
	struct sa_standalone *a = sa_xcalloc(1, sizeof(*a));
	struct sa_jobconf c;

	sa_jobconf_read(st, job, &c);
	add_masters(a, sa_json_str(job, "master"), &c);
	int rc = sa_jobconf_by_agent(&c, job) ? check_agent(a, st, s, err) : 0;
	const struct sa_http_options o = { .ca_file = ca_of(&c) };
	if (rc == 0)
		a->http = sa_http_new(&o, err);
	sa_jobconf_release(&c);
	if (a->http != NULL)
		return a;
	sa_standalone_free(a);
	return NULL;
}

char *
sa_standalone_where(const struct sa_store *st, const json_t *job)
{
	struct sa_standalone *a = sa_xcalloc(1, sizeof(*a));
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_jobconf c;

	sa_jobconf_read(st, job, &c);
	add_masters(a, sa_json_str(job, "master"), &c);
	for (size_t i = 0; i < a->n; i++)
		sa_buf_addf(&b, "%s\n%s\n", a->v[i].ui, a->v[i].rest);
	sa_buf_addf(&b, "%s\n", ca_of(&c) != NULL ? ca_of(&c) : "");
	sa_buf_adds(&b, sa_jobconf_by_agent(&c, job) ? "agent" : "operator");
	sa_jobconf_release(&c);
	sa_standalone_free(a);
	return sa_buf_steal(&b);
}

void
sa_standalone_free(struct sa_standalone *a)
{
	sa_http_free(a->http);
	for (size_t i = 0; i < a->n; i++) {
		free(a->v[i].ui);
		free(a->v[i].rest);
	}
	free(a->v);
	free(a);
}

size_t
sa_standalone_count(const struct sa_standalone *a)
{
	return a->n;
}

const char *
sa_standalone_ui(const struct sa_standalone *a, size_t i)
{
	return a->v[i].ui;
}

const char *
sa_standalone_rest(const struct sa_standalone *a, size_t i)
{
	return a->v[i].rest;
}

static int
get(struct sa_standalone *a, const char *url, size_t max,
    struct sa_http_response *r, struct sa_err *err)
{
	const struct sa_http_request q = { .url = url,
		.accept = "*/*",
		.max = max };

	if (sa_http_do(a->http, &q, r, NULL, err) < 0)
		return -1;
	if (r->status == 200 && !r->cut)
		return 0;
	if (r->cut)
		sa_err_set(err, SA_REMOTE, "'%s' broke off its answer", url);
	else
		sa_err_set(err, r->status == 404 ? SA_NOT_FOUND : SA_REMOTE,
		    "'%s' answers with status %d", url, r->status);
	sa_http_response_release(r);
	return -1;
}

int
sa_standalone_get(struct sa_standalone *a, const char *url,
    struct sa_http_response *r, struct sa_err *err)
{
	return get(a, url, GET_MAX, r, err);
}

/* JSON of a master, or SA_REMOTE: something else listens there. */
static int
parse(const struct sa_http_response *r, const char *url, json_t **out,
    struct sa_err *err)
{
	if (sa_json_parse(sa_buf_str(&r->body), r->body.len, url, out, NULL) ==
	    0)
		return 0;
	sa_err_set(err, SA_REMOTE,
	    "'%s' answers with status %d and no JSON of Spark's", url,
	    r->status);
	return sa_err_hint(err,
	    "say other ports with conf spark.master.ui.port and "
	    "spark.master.rest.port");
}

int
sa_standalone_page(struct sa_standalone *a, size_t i, json_t **out,
    struct sa_err *err)
{
	cleanup_free char *url = sa_xasprintf("%s/json/", a->v[i].ui);
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;

	if (get(a, url, PAGE_MAX, &r, err) < 0)
		return -1;
	int rc = parse(&r, url, out, err);
	sa_http_response_release(&r);
	return rc;
}

int
sa_standalone_alive(struct sa_standalone *a, json_t **out, size_t *which,
    struct sa_err *err)
{
	struct sa_err last = SA_ERR_INIT;

	sa_err_set(&last, SA_REMOTE, "no master is named");
	for (size_t i = 0; i < a->n; i++) {
		json_t *page = NULL;
		sa_err_clear(&last);
		if (sa_standalone_page(a, i, &page, &last) < 0)
			continue;
		if (sa_masterpage_alive(page)) {
			*out = page;
			if (which != NULL)
				*which = i;
			return 0;
		}
		const char *status = sa_json_str(page, "status");
		cleanup_free char *shown =
		    sa_text_visible(status != NULL ? status : "nothing");
		sa_err_set(&last, SA_REMOTE,
		    "the master of '%s' is not in charge: it says %s",
		    a->v[i].ui, shown);
		json_decref(page);
	}
	if (err != NULL)
		*err = last;
	else
		sa_err_clear(&last);
	return -1;
}

int
sa_standalone_ask(struct sa_standalone *a, size_t i, const char *method,
    const char *path, const json_t *body, json_t **out, bool *sent,
    struct sa_err *err)
{
	cleanup_free char *url = sa_xasprintf("%s%s", a->v[i].rest, path);
	cleanup_free char *text = body != NULL ? sa_json_text(body) : NULL;
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	const struct sa_http_request q = { .method = method,
		.url = url,
		.content_type = "application/json;charset=UTF-8",
		.body = text,
		.body_len = text != NULL ? strlen(text) : 0,
		.max = ANSWER_MAX };

	if (sa_http_do(a->http, &q, &r, sent, err) < 0)
		return -1;
	int rc = r.cut
	    ? sa_err_set(err, SA_REMOTE, "'%s' broke off its answer", url)
	    : parse(&r, url, out, err);
	sa_http_response_release(&r);
	return rc;
}

/* ---- looking */

static int
unknown(const char *id, struct sa_err *err)
{
	return sa_err_set(err, SA_NOT_FOUND, "the master does not know '%s'",
	    id);
}

static int
look_at_page(struct sa_standalone *a, const char *id, struct sa_sighting *out,
    struct sa_err *err)
{
	json_auto_t *page = NULL;

	if (sa_standalone_alive(a, &page, NULL, err) < 0)
		return -1;
	return sa_masterpage_find(page, id, out) ? 0 : unknown(id, err);
}

static bool
is_driver(const char *id)
{
	return strncmp(id, "app-", 4) != 0;
}

/* By the first REST server that is in charge. 1: none said so. */
static int
look_by_rest(struct sa_standalone *a, const char *id, struct sa_sighting *out,
    struct sa_err *err)
{
	cleanup_free char *name = sa_http_escape(id);
	cleanup_free char *path =
	    sa_xasprintf("/v1/submissions/status/%s", name);

	for (size_t i = 0; i < a->n; i++) {
		struct sa_err local = SA_ERR_INIT;
		json_auto_t *answer = NULL;
		if (sa_standalone_ask(a, i, "GET", path, NULL, &answer, NULL,
			&local) < 0) {
			sa_debug("%s", local.msg);
			sa_err_clear(&local);
			continue;
		}
		if (sa_json_bool(answer, "success", false)) {
			sa_masterpage_status(answer, id, out);
			return 0;
		}
		const char *action = sa_json_str(answer, "action");
		if (action != NULL &&
		    strcmp(action, "SubmissionStatusResponse") == 0 &&
		    !sa_masterpage_standby(answer))
			return unknown(id, err);
	}
	return 1;
}

int
sa_standalone_look(struct sa_standalone *a, const char *id,
    struct sa_sighting *out, struct sa_err *err)
{
	int rc = is_driver(id) ? look_by_rest(a, id, out, err) : 1;

	return rc > 0 ? look_at_page(a, id, out, err) : rc;
}

/* ---- killing */

static int
not_killed(const char *id, const char *said, struct sa_err *err)
{
	cleanup_free char *shown =
	    sa_text_visible(said != NULL ? said : "nothing");

	return sa_err_set(err, SA_REMOTE,
	    "'%s' is not ended: the master says "
	    "%.600s",
	    id, shown);
}

static int
kill_driver(struct sa_standalone *a, const char *id, struct sa_err *err)
{
	cleanup_free char *name = sa_http_escape(id);
	cleanup_free char *path = sa_xasprintf("/v1/submissions/kill/%s", name);
	struct sa_err last = SA_ERR_INIT;

	for (size_t i = 0; i < a->n; i++) {
		json_auto_t *answer = NULL;
		sa_err_clear(&last);
		if (sa_standalone_ask(a, i, "POST", path, NULL, &answer, NULL,
			&last) < 0)
			continue;
		if (sa_json_bool(answer, "success", false))
			return 0;
		not_killed(id, sa_json_str(answer, "message"), &last);
		if (!sa_masterpage_standby(answer))
			break;
	}
	if (err != NULL)
		*err = last;
	else
		sa_err_clear(&last);
	return -1;
}

/* The form of the page; its token, where this version has one. */
static int
kill_application(struct sa_standalone *a, const char *id, struct sa_err *err)
{
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	json_auto_t *page = NULL;
	char token[SA_CSRF_SIZE];
	size_t i;

	if (sa_standalone_alive(a, &page, &i, err) < 0)
		return -1;
	cleanup_free char *root = sa_xasprintf("%s/", a->v[i].ui);
	if (get(a, root, PAGE_MAX, &r, err) < 0)
		return -1;
	bool has = sa_masterpage_csrf(sa_buf_str(&r.body), r.body.len, token);
	sa_http_response_release(&r);
	cleanup_free char *name = sa_http_escape(id);
	cleanup_free char *form = sa_xasprintf("id=%s&terminate=true%s%s", name,
	    has ? "&csrfToken=" : "", has ? token : "");
	cleanup_free char *url = sa_xasprintf("%s/app/kill/", a->v[i].ui);
	const struct sa_http_request q = { .method = "POST",
		.url = url,
		.accept = "*/*",
		.content_type = "application/x-www-form-urlencoded",
		.body = form,
		.body_len = strlen(form) };
	if (sa_http_do(a->http, &q, &r, NULL, err) < 0)
		return -1;
	int status = r.status;
	sa_http_response_release(&r);
	/* it redirects to its page, whatever came of it: look tells */
	if (status < 400)
		return 0;
	sa_err_set(err, status == 403 ? SA_REFUSED : SA_REMOTE,
	    "'%s' answers with status %d", url, status);
	return sa_err_hint(err,
	    "spark.ui.killEnabled of the master may be false");
}

int
sa_standalone_kill(struct sa_standalone *a, const char *id, struct sa_err *err)
{
	return is_driver(id) ? kill_driver(a, id, err)
			     : kill_application(a, id, err);
}

/* ---- launching */

/* What decides how the driver's process is started; the rest is said to
 * spark-submit, which that process is. */
static json_t *
properties_of(struct sa_jobconf *c, const json_t *plan)
{
	static const char *const keys[] = { "spark.driver.cores",
		"spark.driver.defaultJavaOptions",
		"spark.driver.extraClassPath", "spark.driver.extraJavaOptions",
		"spark.driver.extraLibraryPath", "spark.driver.memory",
		"spark.driver.memoryOverhead" };
	json_t *p = json_object();

	sa_json_set_str(p, "spark.app.name", sa_json_str(plan, "name"));
	sa_json_set_str(p, "spark.master", sa_json_str(plan, "master"));
	sa_json_set_str(p, "spark.submit.deployMode", "cluster");
	sa_json_set_str(p, "spark.jars", "");
	/* a driver that is started again is a second run */
	sa_json_set_str(p, "spark.driver.supervise", "false");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		cleanup_free char *value = sa_jobconf_get(c, keys[i]);
		if (value != NULL)
			sa_json_set_str(p, keys[i], value);
	}
	return p;
}

/* Of this host's environment only what names no place of it. */
static json_t *
environment_of(const json_t *plan)
{
	static const char *const own[] = { "SPARK_HOME", "SPARK_CONF_DIR",
		"SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME", "SPARK_LOCAL_DIRS" };
	json_t *e = json_object(), *value;
	const char *name;

	sa_json_set_str(e, "SPARK_ENV_LOADED", "1");
	json_object_foreach (sa_json_obj(plan, "env"), name, value) {
		bool take = strncmp(name, "SPARK_", 6) == 0 ||
		    strncmp(name, "PYSPARK_", 8) == 0;
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			take = take && strcmp(name, own[i]) != 0;
		if (take)
			json_object_set(e, name, value);
	}
	return e;
}

/* The body of the request that runs a Python program in cluster mode:
 * spark-submit, in client mode, as the driver's class. */
static json_t *
request_of(const struct sa_store *st, const json_t *pending, const json_t *job)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	char **argv =
	    sa_plan_argv(st, pending, sa_json_str(job, "job_id"), NULL);
	json_t *args = json_array(), *request = json_object();
	struct sa_jobconf c;

	for (char **p = argv + 1; *p != NULL; p++)
		json_array_append_new(args, json_string(*p));
	sa_argv_free(argv);
	sa_json_set_str(request, "action", "CreateSubmissionRequest");
	sa_json_set_str(request, "appResource", "");
	sa_json_set_str(request, "mainClass",
	    "org.apache.spark.deploy.SparkSubmit");
	sa_json_set_str(request, "clientSparkVersion", "sa " PACKAGE_VERSION);
	json_object_set_new(request, "appArgs", args);
	json_object_set_new(request, "environmentVariables",
	    environment_of(plan));
	sa_jobconf_read(st, job, &c);
	json_object_set_new(request, "sparkProperties",
	    properties_of(&c, plan));
	sa_jobconf_release(&c);
	return request;
}

static int
say_id(const char *id, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(id);
	cleanup_free char *line = sa_xasprintf(SA_ID_LINE "%s\n", shown);

	return sa_io_write_fd(STDERR_FILENO, line, strlen(line), "stderr", err);
}

/* What one master says to the request. 1: another one is to be asked. */
static int
submit(struct sa_standalone *a, size_t i, const json_t *request,
    struct sa_err *err)
{
	json_auto_t *answer = NULL;
	struct sa_err local = SA_ERR_INIT;
	bool sent = false;

	if (sa_standalone_ask(a, i, "POST", "/v1/submissions/create", request,
		&answer, &sent, &local) < 0) {
		if (sent)
			sa_warn("whether the master has the job is not known: "
				"%s",
			    local.msg);
		if (err != NULL && !sent)
			*err = local;
		else
			sa_err_clear(&local);
		return sent ? 0 : 1;
	}
	const char *id = sa_json_str(answer, "submissionId");
	const char *said = sa_json_str(answer, "message");
	if (sa_json_bool(answer, "success", false) && id != NULL)
		return say_id(id, err);
	cleanup_free char *shown =
	    sa_text_visible(said != NULL ? said : "nothing");
	sa_err_set(err, SA_REMOTE, "'%s' does not take the job: %.1000s",
	    a->v[i].rest, shown);
	return sa_masterpage_standby(answer) ? 1 : -1;
}

int
sa_standalone_launch(struct sa_standalone *a, const struct sa_store *st,
    const json_t *pending, const json_t *job, struct sa_err *err)
{
	const json_t *plan = sa_json_obj(pending, "plan");
	cleanup_free char *secrets =
	    sa_plan_properties_path(st, plan, sa_json_str(job, "job_id"));
	json_auto_t *request = NULL;
	int rc = 1;

	if (secrets != NULL) {
		sa_err_set(err, SA_INVALID,
		    "the conf has secrets, which a standalone master would "
		    "show to everybody in cluster mode");
		return sa_err_hint(err,
		    "use client mode, or put them where the workers are");
	}
	request = request_of(st, pending, job);
	for (size_t i = 0; i < a->n && rc > 0; i++) {
		if (err != NULL)
			sa_err_clear(err);
		rc = submit(a, i, request, err);
	}
	return rc == 0 ? 0 : -1;
}
