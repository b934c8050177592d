/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/yarntarget.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/connection.h"
#include "spark/pending.h"
#include "spark/rmhosts.h"
#include "spark/yarnsite.h"

/* What is known about a job; each may be NULL. */
struct known {
	const json_t *job;
	json_t *pending, *plan; /* plan is pending's */
	json_t *connection;
};

static void
known_read(const struct sa_store *st, const json_t *job, struct known *k)
{
	const char *pending = sa_json_str(job, "pending_id");
	const char *connection = sa_json_str(job, "connection");

	/* what was pruned or deleted since then has no say */
	*k = (struct known){ .job = job };
	if (pending != NULL)
		sa_pending_read(st, pending, &k->pending, NULL);
	k->plan = sa_json_obj(k->pending, "plan");
	if (connection != NULL)
		sa_connection_read(st, connection, &k->connection, NULL);
}

static void
known_release(struct known *k)
{
	json_decref(k->pending);
	json_decref(k->connection);
}

static char *
copy(const char *s)
{
	return s != NULL && *s != '\0' ? sa_xstrdup(s) : NULL;
}

static const char *
first(const json_t *a, const json_t *b, const char *member)
{
	const char *s = sa_json_str(a, member);

	return s != NULL ? s : sa_json_str(b, member);
}

static const char *
conf_dir(const struct known *k)
{
	const char *dir = sa_json_str(k->plan, "hadoop_conf_dir");

	if (dir == NULL)
		dir = sa_json_str(sa_json_obj(k->connection, "env"),
		    "HADOOP_CONF_DIR");
	if (dir == NULL || *dir == '\0')
		dir = getenv("YARN_CONF_DIR");
	if (dir == NULL || *dir == '\0')
		dir = getenv("HADOOP_CONF_DIR");
	return dir != NULL && *dir != '\0' ? dir : NULL;
}

static int
find_urls(const struct sa_settings *s, const struct known *k,
    struct sa_yarntarget *t, struct sa_err *err)
{
	const char *dir = conf_dir(k);
	struct sa_yarnsite site = SA_YARNSITE_INIT;

	t->how = "the job";
	if ((t->urls = copy(sa_json_str(k->job, "yarn_rm_url"))) != NULL)
		return 0;
	t->how = "the connection";
	if ((t->urls = copy(sa_json_str(k->connection, "yarn_rm_url"))) != NULL)
		return 0;
	t->how = "the setting yarn_resource_manager_url";
	if ((t->urls = copy(sa_settings_get(s, SA_SET_RM_URL))) != NULL)
		return 0;
	if (dir == NULL) {
		sa_err_set(err, SA_CONFIG, "no ResourceManager is known");
		return sa_err_hint(err,
		    "give the connection a yarn_rm_url, or set "
		    "YARN_RESOURCE_MANAGER_URL or HADOOP_CONF_DIR");
	}
	if (sa_yarnsite_read(dir, &site, err) < 0)
		return sa_err_hint(err,
		    "correct it, set HADOOP_CONF_DIR to another directory, or "
		    "give the connection a yarn_rm_url");
	t->how = "the Hadoop configuration";
	t->urls = sa_steal(&site.rm_urls);
	sa_yarnsite_release(&site);
	return 0;
}

/* Whether an agent, and nobody else, chose these. */
static bool
by_agent(const struct sa_settings *s, const struct known *k, const char *urls)
{
	const char *of_connection = sa_json_str(k->connection, "yarn_rm_url");
	const char *of_job = sa_json_str(k->job, "yarn_rm_url");
	const char *by =
	    sa_json_str(sa_json_obj(k->connection, "origin"), "yarn_rm_url");

	if ((of_job == NULL && of_connection == NULL) ||
	    strcmp(urls, sa_settings_get(s, SA_SET_RM_URL)) == 0)
		return false;
	if (of_connection == NULL || strcmp(of_connection, urls) != 0)
		/* the connection is another now */
		by = sa_json_str(k->pending, "origin");
	return by != NULL && strcmp(by, "agent") == 0;
}

int
sa_yarntarget_find(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_yarntarget *out, struct sa_err *err)
{
	const char *user;
	struct known k;
	int rc;

	*out = (struct sa_yarntarget){ .urls = NULL };
	known_read(st, job, &k);
	rc = find_urls(s, &k, out, err);
	if (rc == 0 && by_agent(s, &k, out->urls))
		rc = sa_rmhosts_check(st, s, SA_RMHOSTS_RM, out->urls, NULL,
		    err);
	user = first(job, k.connection, "yarn_user");
	if (user == NULL)
		user = first(sa_json_obj(k.plan, "env"),
		    sa_json_obj(k.connection, "env"), "HADOOP_USER_NAME");
	out->user = copy(user);
	out->auth_file = copy(first(k.plan, k.connection, "auth_file"));
	out->ca_file = copy(first(k.plan, k.connection, "ca_file"));
	known_release(&k);
	if (rc < 0)
		sa_yarntarget_release(out);
	return rc;
}

void
sa_yarntarget_release(struct sa_yarntarget *t)
{
	free(t->urls);
	free(t->user);
	free(t->auth_file);
	free(t->ca_file);
	*t = (struct sa_yarntarget){ .urls = NULL };
}
