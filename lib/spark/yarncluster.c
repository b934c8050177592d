/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/audit.h"
#include "spark/cluster.h"
#include "spark/connection.h"
#include "spark/pending.h"
#include "spark/rmhosts.h"
#include "spark/run.h"
#include "spark/yarn.h"
#include "spark/yarnlog.h"
#include "spark/yarntarget.h"

/* YARN, for spark/cluster.h. */
struct yarn {
	struct sa_yarntarget target;
	struct sa_http *http;
	struct sa_yarn *rm;
};

static void
yarn_close(struct sa_cluster *c)
{
	struct yarn *y = c->own;

	sa_yarn_free(y->rm);
	sa_http_free(y->http);
	sa_yarntarget_release(&y->target);
	free(y);
	c->own = NULL;
}

static int
yarn_open(struct sa_cluster *c, const json_t *job, struct sa_err *err)
{
	struct yarn *y = sa_xcalloc(1, sizeof(*y));

	c->own = y;
	if (sa_yarntarget_find(c->store, c->settings, job, &y->target, err) ==
	    0) {
		const struct sa_http_options o = { .auth_file =
						       y->target.auth_file,
			.ca_file = y->target.ca_file };
		y->http = sa_http_new(&o, err);
	}
	if (y->http != NULL)
		y->rm = sa_yarn_new(y->http, y->target.urls, y->target.user,
		    y->target.auth_file == NULL, err);
	if (y->rm != NULL)
		return 0;
	yarn_close(c);
	return -1;
}

static int
yarn_where(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, char **out, struct sa_err *err)
{
	struct sa_yarntarget t = { .urls = NULL };
	int rc = sa_yarntarget_find(st, s, job, &t, err);

	if (rc == 0)
		*out = sa_xasprintf("%s\n%s\n%s\n%s", t.urls,
		    t.user != NULL ? t.user : "",
		    t.auth_file != NULL ? t.auth_file : "",
		    t.ca_file != NULL ? t.ca_file : "");
	sa_yarntarget_release(&t);
	return rc;
}

static char *
copy(const char *s)
{
	return s != NULL && *s != '\0' ? sa_xstrdup(s) : NULL;
}

/* Why an application is as it is. A ResourceManager that was started anew puts
 * that before all that it says later, without a break. */
static const char *
reason(const char *said)
{
	static const char anew[] = "Attempt recovered after RM restart";

	while (said != NULL && strncmp(said, anew, sizeof(anew) - 1) == 0) {
		said += sizeof(anew) - 1;
		said += strspn(said, " \t\r\n");
	}
	return said;
}

static void
sight(const struct sa_yarn_app *app, struct sa_sighting *out)
{
	*out = (struct sa_sighting)SA_SIGHTING_INIT;
	out->application_id = copy(app->id);
	out->state = sa_sighting_yarn(app->state, app->final_status);
	out->cluster_state = copy(app->state);
	out->final_status = copy(app->final_status);
	out->diagnostics = copy(reason(app->diagnostics));
	out->tracking_url = copy(app->tracking_url);
	out->started_ms = app->started_ms;
	out->finished_ms = app->finished_ms;
}

static int
yarn_look(struct sa_cluster *c, const json_t *job, struct sa_sighting *out,
    struct sa_err *err)
{
	struct yarn *y = c->own;
	json_auto_t *json = NULL;
	struct sa_yarn_app app;

	if (sa_yarn_get(y->rm, sa_json_str(job, "application_id"), &app, &json,
		err) < 0)
		return -1;
	sight(&app, out);
	return 0;
}

/* The applications that carry one tag. */
struct finding {
	const char *tag;
	struct sa_candidates *out;
};

static void
found(void *arg, const struct sa_yarn_app *app)
{
	struct finding *f = arg;

	/* the filter is the ResourceManager's, and old ones have none */
	if (sa_yarn_has_tag(app->tags, f->tag))
		sight(app, sa_candidates_add(f->out, true));
}

static int
yarn_find(struct sa_cluster *c, const json_t *job, struct sa_candidates *out,
    struct sa_err *err)
{
	const char *tag = sa_json_str(job, "tag");
	struct yarn *y = c->own;
	struct finding f = { .tag = tag, .out = out };

	if (tag == NULL)
		return sa_err_set(err, SA_INVALID, "job '%s' has no tag",
		    sa_json_str(job, "job_id"));
	return sa_yarn_search(y->rm, tag, found, &f, &out->counts, err);
}

/* Goes over all of the store. */
struct listing {
	const char *store_tag;
	void (*each)(void *arg, const char *tag, struct sa_sighting *seen);
	void *arg;
};

/* Each tag that can be one of a job's. */
static void
list_app(void *arg, const struct sa_yarn_app *app)
{
	struct listing *l = arg;

	if (!sa_yarn_has_tag(app->tags, l->store_tag))
		return;
	cleanup_free char *tags = sa_xstrdup(app->tags);
	char *rest = tags, *tag;
	while ((tag = strsep(&rest, ", ")) != NULL) {
		struct sa_sighting seen;
		if (strncmp(tag, "sa-j_", 5) != 0)
			continue;
		sight(app, &seen);
		l->each(l->arg, tag, &seen);
		sa_sighting_release(&seen);
	}
}

static char *
store_tag(const struct sa_store *st)
{
	return sa_xasprintf("sa-s-%s", sa_store_id(st));
}

static int
yarn_look_all(struct sa_cluster *c,
    void (*each)(void *arg, const char *tag, struct sa_sighting *seen),
    void *arg, bool *counts, struct sa_err *err)
{
	cleanup_free char *tag = store_tag(c->store);
	struct yarn *y = c->own;
	struct listing l = { .store_tag = tag, .each = each, .arg = arg };

	return sa_yarn_search(y->rm, tag, list_app, &l, counts, err);
}

static int
not_ours(const char *application, const char *tag, struct sa_err *err)
{
	sa_err_set(err, SA_REFUSED,
	    "'%s' does not carry the tag '%s' of this job, so that it may be "
	    "somebody else's",
	    application, tag != NULL ? tag : "-");
	sa_err_hint(err, "--force ends it all the same");
	return sa_err_agent_hint(err,
	    "it is left alone; ask the user to look at it");
}

static int
yarn_kill(struct sa_cluster *c, const json_t *job, const char *application,
    bool force, struct sa_err *err)
{
	const char *tag = sa_json_str(job, "tag");
	struct yarn *y = c->own;
	json_auto_t *json = NULL, *actor = NULL;
	struct sa_yarn_app app;
	char state[32];

	if (sa_yarn_get(y->rm, application, &app, &json, err) < 0)
		return -1;
	if (sa_run_is_final(sa_sighting_yarn(app.state, app.final_status)))
		return 0;
	if (!force && (tag == NULL || !sa_yarn_has_tag(app.tags, tag)))
		return not_ours(application, tag, err);
	actor = sa_audit_actor(c->settings);
	const char *user = sa_json_str(actor, "user");
	cleanup_free char *why = sa_xasprintf("killed by %s with sa-yarn, %s",
	    user != NULL ? user : "somebody", sa_json_str(job, "job_id"));
	if (sa_yarn_put_kill(y->rm, application, why, state, err) < 0)
		return -1;
	sa_info("%s: asked to end, the ResourceManager says %s", application,
	    state);
	return 0;
}

/* ---- the doctor */

#define SKEW_MAX 30

/* Of how many we know, and how many are active. */
struct census {
	size_t told, active;
};

static void
check_rm(struct yarn *y, size_t i, struct census *n, json_t *check)
{
	const char *url = sa_yarn_url(y->rm, i);
	struct sa_err err = SA_ERR_INIT;
	struct sa_yarn_info info;
	char since[SA_TIME_SIZE];

	if (sa_yarn_info(y->rm, i, &info, &err) < 0) {
		sa_check_add(check, "resource_manager", false, err.hint, "%s",
		    err.msg);
		sa_err_clear(&err);
		return;
	}
	n->told++;
	if (strcmp(info.ha_state, "ACTIVE") == 0)
		n->active++;
	sa_clock_format((time_t)(info.started_ms / 1000), since);
	sa_check_add(check, "resource_manager", true, NULL,
	    "%s is %s, Hadoop %s, since %s", url, info.ha_state, info.version,
	    since);
	bool close =
	    info.clock_skew <= SKEW_MAX && info.clock_skew >= -SKEW_MAX;
	sa_check_add(check, "clock", close,
	    close ? NULL : "set the clocks by one server of time",
	    "the clock of %s is %lld s %s ours", url,
	    info.clock_skew < 0 ? -info.clock_skew : info.clock_skew,
	    info.clock_skew < 0 ? "behind" : "ahead of");
}

static void
count_app(void *arg, const struct sa_yarn_app *app)
{
	(void)app;
	++*(size_t *)arg;
}

/* How we say who we are, and whether that lets us see applications. */
static void
check_authentication(struct sa_cluster *c, json_t *check)
{
	struct yarn *y = c->own;
	cleanup_free char *tag = store_tag(c->store);
	struct sa_err err = SA_ERR_INIT;
	bool counts;
	size_t n = 0;

	if (sa_yarn_search(y->rm, tag, count_app, &n, &counts, &err) < 0) {
		sa_check_add(check, "authentication", false, err.hint, "%s",
		    err.msg);
		sa_err_clear(&err);
	} else if (y->target.auth_file != NULL)
		sa_check_add(check, "authentication", true, NULL,
		    "by '%s'; %zu applications of this store are known",
		    y->target.auth_file, n);
	else
		sa_check_add(check, "authentication", true, NULL,
		    "by user name%s%s; %zu applications of this store are "
		    "known",
		    y->target.user != NULL ? " " : "",
		    y->target.user != NULL ? y->target.user : "", n);
}

/* Whether a log server answers at all: what it says differs by version. */
static void
check_log_server(struct yarn *y, json_t *check)
{
	cleanup_free char *service =
	    sa_yarn_conf(y->rm, "yarn.log.server.web-service.url");
	cleanup_free char *page = sa_yarn_conf(y->rm, "yarn.log.server.url");
	const char *base = service != NULL ? service : page;
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	const struct sa_http_request how = { .max = 65536 };
	struct sa_err err = SA_ERR_INIT;

	if (base == NULL) {
		sa_check_add(check, "log_server", false,
		    "set yarn.log.server.url, or logs cannot be read once a "
		    "job has ended",
		    "the ResourceManager names none");
		return;
	}
	cleanup_free char *url =
	    sa_xasprintf("%s%s", base, base == service ? "/info" : "/");
	if (sa_yarn_fetch(y->rm, url, false, &how, &r, &err) < 0)
		sa_check_add(check, "log_server", false, err.hint, "%s",
		    err.msg);
	else
		sa_check_add(check, "log_server", r.status < 500,
		    r.status < 500 ? NULL : "look at its own log",
		    "%s answers with %d", base, r.status);
	sa_err_clear(&err);
	sa_http_response_release(&r);
}

static void
check_logs(struct yarn *y, json_t *check)
{
	cleanup_free char *on =
	    sa_yarn_conf(y->rm, "yarn.log-aggregation-enable");

	if (on == NULL) {
		sa_check_add(check, "log_aggregation", true, NULL,
		    "the ResourceManager does not say");
		check_log_server(y, check);
	} else if (strcmp(on, "true") == 0) {
		sa_check_add(check, "log_aggregation", true, NULL, "on");
		check_log_server(y, check);
	} else
		sa_check_add(check, "log_aggregation", true,
		    "read logs soon: NodeManagers remove them after "
		    "yarn.nodemanager.log.retain-seconds",
		    "off");
}

static void
yarn_check(struct sa_cluster *c, json_t *check)
{
	struct yarn *y = c->own;
	size_t count = sa_yarn_count(y->rm);
	struct census n = { .told = 0 };

	sa_check_add(check, "resource_manager_url", true, NULL, "%s, by %s",
	    y->target.urls, y->target.how);
	for (size_t i = 0; i < count; i++)
		check_rm(y, i, &n, check);
	if (n.told == 0)
		return;
	sa_check_add(check, "active", n.active == 1,
	    n.active == 0 ? "start one, or make one active with yarn rmadmin"
		: n.active == 1
		? NULL
		: "give the ResourceManagers of one cluster only",
	    "%zu of %zu ResourceManagers are active", n.active, count);
	if (n.active == 0)
		return;
	check_authentication(c, check);
	check_logs(y, check);
}

static int
yarn_logs(struct sa_cluster *c, const json_t *job, struct sa_joblog **out,
    struct sa_err *err)
{
	struct yarn *y = c->own;

	*out = sa_yarnlog_open(y->rm, sa_json_str(job, "application_id"), NULL,
	    sa_json_str(job, "yarn_state") != NULL ||
		sa_run_is_final(sa_json_str(job, "state")),
	    err);
	return *out == NULL ? -1 : 0;
}

const struct sa_cluster_ops sa_cluster_yarn = {
	.name = "YARN",
	.where = yarn_where,
	.open = yarn_open,
	.close = yarn_close,
	.look = yarn_look,
	.find = yarn_find,
	.kill = yarn_kill,
	.look_all = yarn_look_all,
	.logs = yarn_logs,
	.check = yarn_check,
};
