/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/kubetarget.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/jobconf.h"
#include "spark/kubeapi.h"
#include "spark/rmhosts.h"

#define ACCOUNT_DIR "/var/run/secrets/kubernetes.io/serviceaccount"
#define SUBMISSION "spark.kubernetes.authenticate.submission."

/* Where kubeconfig files are; caller frees. */
static char *
config_paths(const struct sa_jobconf *c)
{
	const char *paths = sa_jobconf_env(c, "KUBECONFIG");
	const char *home = sa_jobconf_env(c, "HOME");

	return paths != NULL
	    ? sa_xstrdup(paths)
	    : sa_xasprintf("%s/.kube/config", home != NULL ? home : "");
}

/* Puts a property's value in the place of what a kubeconfig says. */
static bool
override(struct sa_jobconf *c, const char *key, char **field)
{
	cleanup_free char *name = sa_xasprintf(SUBMISSION "%s", key);
	char *value = sa_jobconf_get(c, name);

	if (value == NULL)
		return false;
	free(*field);
	*field = value;
	return true;
}

static void
forget(char **field)
{
	free(*field);
	*field = NULL;
}

static void
take_conf(struct sa_jobconf *c, struct sa_kubetarget *t)
{
	struct sa_kubeconfig *a = &t->auth;
	bool login = false;

	if (override(c, "caCertFile", &a->ca_file)) {
		forget(&a->ca_pem);
		forget(&a->reach_unknown);
	}
	if (override(c, "clientCertFile", &a->cert_file)) {
		forget(&a->cert_pem);
		login = true;
	}
	if (override(c, "clientKeyFile", &a->key_file))
		forget(&a->key_pem);
	if (override(c, "oauthToken", &a->token)) {
		forget(&a->token_file);
		login = true;
	} else if (override(c, "oauthTokenFile", &a->token_file)) {
		forget(&a->token);
		login = true;
	}
	if (!login)
		return;
	forget(&a->login_unknown);
	free(t->login);
	t->login = sa_xstrdup("the properties " SUBMISSION "*");
}

/* In a pod: its own account. */
static void
take_account(struct sa_kubetarget *t)
{
	if (t->auth.context != NULL || access(ACCOUNT_DIR "/token", R_OK) < 0)
		return;
	t->auth.token_file = sa_xstrdup(ACCOUNT_DIR "/token");
	if (access(ACCOUNT_DIR "/ca.crt", R_OK) == 0)
		t->auth.ca_file = sa_xstrdup(ACCOUNT_DIR "/ca.crt");
	free(t->login);
	t->login = sa_xstrdup("the service account of this pod");
}

static int
check_known(const struct sa_kubetarget *t, const char *paths,
    struct sa_err *err)
{
	const struct sa_kubeconfig *a = &t->auth;

	if (a->login_unknown != NULL) {
		sa_err_set(err, SA_CONFIG,
		    "context '%s' of '%s' logs in by %s, which is not done "
		    "here",
		    a->context, paths, a->login_unknown);
		return sa_err_hint(err,
		    "put a token (kubectl create token) into a file and set "
		    "conf " SUBMISSION "oauthTokenFile");
	}
	if (a->reach_unknown == NULL)
		return 0;
	sa_err_set(err, SA_CONFIG,
	    "context '%s' of '%s' sets %s, which is not done here", a->context,
	    paths, a->reach_unknown);
	return sa_err_hint(err,
	    "name the certificate of the server's authority: conf " SUBMISSION
	    "caCertFile");
}

static int
fill_in(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_jobconf *c, struct sa_kubetarget *t,
    struct sa_err *err)
{
	cleanup_free char *paths = config_paths(c);
	cleanup_free char *context =
	    sa_jobconf_get(c, "spark.kubernetes.context");
	const char *master = sa_json_str(job, "master");

	t->server = sa_rmhosts_kube_url(master != NULL ? master : "k8s://");
	t->namespace = sa_jobconf_get(c, "spark.kubernetes.namespace");
	if (t->namespace == NULL)
		t->namespace = sa_xstrdup("default");
	if (sa_kubeconfig_read(paths, context, &t->auth, err) < 0)
		return -1;
	t->login = t->auth.context != NULL
	    ? sa_xasprintf("context '%s' of '%s'", t->auth.context, paths)
	    : sa_xstrdup("nothing");
	take_account(t);
	take_conf(c, t);
	/* a login is not for whom an agent names */
	if (sa_jobconf_by_agent(c, job) &&
	    sa_rmhosts_check(st, s, SA_RMHOSTS_KUBE, t->server, t->auth.server,
		err) < 0)
		return -1;
	return check_known(t, paths, err);
}

int
sa_kubetarget_find(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_kubetarget *out, struct sa_err *err)
{
	struct sa_jobconf c;

	*out = (struct sa_kubetarget){ .server = NULL };
	sa_jobconf_read(st, job, &c);
	int rc = fill_in(st, s, job, &c, out, err);
	sa_jobconf_release(&c);
	if (rc < 0)
		sa_kubetarget_release(out);
	return rc;
}

void
sa_kubetarget_release(struct sa_kubetarget *t)
{
	free(t->server);
	free(t->namespace);
	free(t->login);
	sa_kubeconfig_release(&t->auth);
	*t = (struct sa_kubetarget){ .server = NULL };
}

char *
sa_kube_where(const struct sa_store *st, const json_t *job)
{
	static const char *const keys[] = { "spark.kubernetes.namespace",
		"spark.kubernetes.context", SUBMISSION "caCertFile",
		SUBMISSION "clientCertFile", SUBMISSION "clientKeyFile",
		SUBMISSION "oauthToken", SUBMISSION "oauthTokenFile" };
	const char *connection = sa_json_str(job, "connection");
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_jobconf c;

	sa_jobconf_read(st, job, &c);
	cleanup_free char *paths = config_paths(&c);
	sa_buf_addf(&b, "%s\n%s\n%s", sa_json_str(job, "master"),
	    connection != NULL ? connection : "", paths);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		cleanup_free char *value = sa_jobconf_get(&c, keys[i]);
		sa_buf_addf(&b, "\n%s", value != NULL ? value : "");
	}
	sa_jobconf_release(&c);
	return sa_buf_steal(&b);
}
