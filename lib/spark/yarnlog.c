/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/yarnlog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "spark/loglist.h"
#include "spark/logsource.h"
#include "spark/yarnsite.h"

/* What the ResourceManager said is believed for so long. */
#define FRESH_MS 500

/* A container, and where it runs or ran. */
struct place {
	char *container;
	char *node;    /* "http://HOST:PORT" of its NodeManager, or NULL */
	char *node_id; /* "HOST:PORT" as log servers' pages name it, or NULL */
	long long attempt;
	bool driver;
};

/* The servers that may have a file, as rows of read_from(). */
enum source_kind {
	NODE,	   /* NodeManager, REST */
	SERVER,	   /* log server, REST (3.3 and later) */
	PAGE,	   /* log server, its HTML page */
	HISTORY,   /* timeline service 1 */
	TIMELINE,  /* timeline service 2 */
	NODE_PAGE, /* NodeManager, its HTML page */
	KINDS
};

struct yarnlog {
	struct sa_joblog base; /* first: it is what callers have */
	struct sa_yarn *yarn;
	char *app, *configured;

	long long looked_ms; /* 0: the RM was not asked yet */
	bool known;	     /* it knows the application */
	bool seen;	     /* it did before */
	char *unknown;	     /* what it says in place of it, NULL: nothing */
	bool final;
	char *user, *state, *aggregation; /* NULL: not said */
	struct place *places;
	size_t n;

	bool absent; /* a source knows the container and has no such file */

	bool have_servers;
	char *rest, *page, *timeline; /* base URLs, NULL: none known */

	/* who had what was read last, and how long it was */
	char *last_container, *last_file;
	enum source_kind last_kind;
	long long last_length;
};

static void
set(char **to, const char *s)
{
	free(*to);
	*to = s != NULL && *s != '\0' ? sa_xstrdup(s) : NULL;
}

static bool
ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && strcmp(s + n - k, tail) == 0;
}

/* A server's URL without slashes at its end, or NULL where it is none. */
static char *
base_url(const char *scheme, const char *address)
{
	if (address == NULL || *address == '\0')
		return NULL;
	char *url = strstr(address, "://") != NULL
	    ? sa_xstrdup(address)
	    : sa_xasprintf("%s://%s", scheme, address + strspn(address, "/"));
	for (size_t n = strlen(url); n > 0 && url[n - 1] == '/'; n--)
		url[n - 1] = '\0';
	cleanup_free char *host = sa_http_host(url);
	if (host == NULL || strpbrk(url, "?#") != NULL) {
		free(url);
		return NULL;
	}
	return url;
}

/* "HOST:PORT" or "HOST_PORT": what may stand in a path. */
static bool
is_node_id(const char *s)
{
	return s != NULL && *s != '\0' &&
	    s[strspn(s,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789.-_:[]")] == '\0';
}

/* The attempt's number in container_[eN_]TIME_APPLICATION_ATTEMPT_NUMBER. */
static long long
attempt_of(const char *container)
{
	const char *number = strrchr(container, '_');
	const char *s = number;

	while (s > container && s[-1] != '_')
		s--;
	return strtoll(s, NULL, 10);
}

static struct place *
find_place(struct yarnlog *l, const char *container)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->places[i].container, container) == 0)
			return &l->places[i];
	return NULL;
}

/* Adds a container, or what was not known of it. Others than YARN's are left
 * out: nothing else gets into a path. */
static struct place *
add_place(struct yarnlog *l, const char *container, bool driver)
{
	if (container == NULL || !sa_yarn_is_container(container))
		return NULL;
	struct place *p = find_place(l, container);
	if (p == NULL) {
		l->places = sa_xrealloc(l->places, l->n + 1, sizeof(*p));
		p = &l->places[l->n++];
		*p = (struct place){ .container = sa_xstrdup(container),
			.attempt = attempt_of(container) };
	}
	p->driver |= driver;
	return p;
}

static void
place_node(struct place *p, const char *scheme, const json_t *j)
{
	if (p == NULL)
		return;
	if (p->node == NULL)
		p->node = base_url(scheme, sa_json_str(j, "nodeHttpAddress"));
	const char *id = sa_json_str(j, "nodeId");
	if (p->node_id == NULL && is_node_id(id))
		p->node_id = sa_xstrdup(id);
}

/* A log server's page as the RM links to it: BASE/NODE/CONTAINER/... */
static void
page_of_link(struct yarnlog *l, const json_t *attempt)
{
	const char *link = sa_json_str(attempt, "logsLink");
	const char *end =
	    link != NULL ? strstr(link, "/jobhistory/logs/") : NULL;

	if (end == NULL || l->page != NULL)
		return;
	cleanup_free char *base = sa_xstrndup(link,
	    (size_t)(end - link) + strlen("/jobhistory/logs"));
	l->page = base_url("http", base);
}

static void
look_attempts(struct yarnlog *l, const char *scheme)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *list = NULL;
	json_t *attempt;
	size_t i;

	if (sa_yarn_attempts(l->yarn, l->app, &list, &err) < 0) {
		sa_joblog_failed(&l->base, "ResourceManager", "%s", err.msg);
		sa_err_clear(&err);
		return;
	}
	json_array_foreach (list, i, attempt) {
		place_node(
		    add_place(l, sa_json_str(attempt, "containerId"), true),
		    scheme, attempt);
		page_of_link(l, attempt);
	}
}

/* "SCHEME://NODE/node/containerlogs/CONTAINER/USER": all there is where the
 * list of attempts is not for us. */
static void
look_link(struct yarnlog *l, const char *link)
{
	static const char path[] = "/node/containerlogs/";
	const char *at = link != NULL ? strstr(link, path) : NULL;

	if (at == NULL)
		return;
	const char *name = at + strlen(path);
	cleanup_free char *container = sa_xstrndup(name, strcspn(name, "/"));
	cleanup_free char *node = sa_xstrndup(link, (size_t)(at - link));
	struct place *p = add_place(l, container, true);
	if (p != NULL && p->node == NULL)
		p->node = base_url("http", node);
}

static bool
is_final_word(const char *state)
{
	return strcmp(state, "FINISHED") == 0 || strcmp(state, "FAILED") == 0 ||
	    strcmp(state, "KILLED") == 0;
}

/* Asks the RM how things stand. An RM that does not answer or has forgotten
 * the application is no failure: log servers may still have the logs. */
static void
look(struct yarnlog *l)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *j = NULL;
	struct sa_yarn_app app;

	if (l->looked_ms == 0 || sa_clock_ms() - l->looked_ms >= FRESH_MS) {
		l->known = sa_yarn_get(l->yarn, l->app, &app, &j, &err) == 0;
		l->looked_ms = sa_clock_ms();
		set(&l->unknown, err.msg);
		l->final |= !l->known && err.kind == SA_NOT_FOUND;
		sa_err_clear(&err);
	}
	/* also where it said so before: it explains what others say */
	if (!l->known)
		sa_joblog_failed(&l->base, "ResourceManager", "%s", l->unknown);
	if (j == NULL)
		return;
	l->final = is_final_word(app.state);
	set(&l->state, app.state);
	set(&l->user, app.user);
	set(&l->aggregation, app.log_aggregation);
	const char *link = app.am_container_logs;
	look_attempts(l,
	    link != NULL && strncmp(link, "https:", 6) == 0 ? "https" : "http");
	look_link(l, link);
}

/* What the RM's configuration says, else that of this host where it is about
 * the same RM. */
static bool
same_cluster(struct yarnlog *l, const struct sa_yarnsite *site)
{
	for (size_t i = 0; i < sa_yarn_count(l->yarn); i++) {
		cleanup_free char *host = sa_http_host(sa_yarn_url(l->yarn, i));
		for (const char *s = site->rm_urls; s != NULL && *s != '\0';) {
			size_t n = strcspn(s, ",");
			cleanup_free char *url = sa_xstrndup(s, n);
			cleanup_free char *other = sa_http_host(url);
			if (host != NULL && other != NULL &&
			    strcmp(host, other) == 0)
				return true;
			s += n + (s[n] == ',');
		}
	}
	return false;
}

static void
servers_of_site(struct yarnlog *l)
{
	struct sa_yarnsite site = SA_YARNSITE_INIT;
	const char *dir = getenv("YARN_CONF_DIR");

	if (dir == NULL || *dir == '\0')
		dir = getenv("HADOOP_CONF_DIR");
	if (dir == NULL || *dir == '\0' ||
	    sa_yarnsite_read(dir, &site, NULL) < 0)
		return;
	if (same_cluster(l, &site)) {
		if (l->rest == NULL)
			l->rest = base_url("http", site.log_service);
		if (l->page == NULL)
			l->page = base_url("http", site.log_server);
		if (l->timeline == NULL)
			l->timeline = base_url("http", site.timeline);
	}
	sa_yarnsite_release(&site);
}

static void
timeline_of_rm(struct yarnlog *l)
{
	static const char *const names[] = {
		"yarn.timeline-service.reader.webapp.address",
		"yarn.timeline-service.webapp.address"
	};
	cleanup_free char *on =
	    sa_yarn_conf(l->yarn, "yarn.timeline-service.enabled");

	if (on == NULL || strcmp(on, "true") != 0)
		return;
	for (size_t i = 0;
	     i < sizeof(names) / sizeof(*names) && l->timeline == NULL; i++) {
		cleanup_free char *address = sa_yarn_conf(l->yarn, names[i]);
		if (address != NULL && strncmp(address, "0.0.0.0", 7) != 0)
			l->timeline = base_url("http", address);
	}
}

/* The REST service that stands beside a server of pages. */
static char *
rest_of_page(const char *page)
{
	static const char *const names[][2] = { { "/jobhistory/logs",
						    "/ws/v1/history" },
		{ "/applicationhistory/logs", "/ws/v1/applicationhistory" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (ends_with(page, names[i][0]))
			return sa_xasprintf("%.*s%s",
			    (int)(strlen(page) - strlen(names[i][0])), page,
			    names[i][1]);
	return NULL;
}

/* A log server is given as its page, its REST service, or HOST:PORT. */
static void
servers_configured(struct yarnlog *l)
{
	cleanup_free char *url = base_url("http", l->configured);

	if (url == NULL)
		return;
	if (strstr(url, "/ws/v") != NULL)
		l->rest = sa_steal(&url);
	else if (ends_with(url, "/logs"))
		l->page = sa_steal(&url);
	else
		l->page = sa_xasprintf("%s/jobhistory/logs", url);
}

static void
find_servers(struct yarnlog *l)
{
	if (l->have_servers)
		return;
	l->have_servers = true;
	servers_configured(l);
	if (l->rest == NULL) {
		cleanup_free char *service =
		    sa_yarn_conf(l->yarn, "yarn.log.server.web-service.url");
		l->rest = base_url("http", service);
	}
	if (l->page == NULL) {
		cleanup_free char *page =
		    sa_yarn_conf(l->yarn, "yarn.log.server.url");
		l->page = base_url("http", page);
	}
	timeline_of_rm(l);
	servers_of_site(l);
	if (l->rest == NULL && l->page != NULL)
		l->rest = rest_of_page(l->page);
}

/* All containers that a log server has logs of. */
static void
look_collected(struct yarnlog *l)
{
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	struct sa_err err = SA_ERR_INIT;
	struct sa_loglist list = { .n = 0 };

	find_servers(l);
	if (l->rest == NULL)
		return;
	cleanup_free char *url =
	    sa_xasprintf("%s/%s?appid=%s", l->rest, "aggregatedlogs", l->app);
	if (sa_logsource_get(l->yarn, url, true, NULL, &r, &err) < 0 ||
	    sa_loglist_parse(sa_buf_str(&r.body), r.body.len, &list, &err) <
		0) {
		cleanup_free char *host = sa_http_host(l->rest);
		cleanup_free char *name = sa_xasprintf("log server %s", host);
		sa_joblog_failed(&l->base, name, "%s", err.msg);
		sa_err_clear(&err);
	}
	for (size_t i = 0; i < list.n; i++) {
		const char *c = list.v[i].container;
		/* entries of one container stand together */
		if (c != NULL &&
		    (i == 0 || list.v[i - 1].container == NULL ||
			strcmp(c, list.v[i - 1].container) != 0))
			add_place(l, c, !l->known && ends_with(c, "_000001"));
	}
	sa_loglist_release(&list);
	sa_http_response_release(&r);
}

/* The first container of the first attempt, which is the driver's. */
static void
guess_driver(struct yarnlog *l)
{
	const char *numbers = l->app + strlen("application_");
	const char *seq = strchr(numbers, '_');
	cleanup_free char *container = sa_xasprintf(
	    "container_%.*s%s_01_000001", (int)(seq - numbers), numbers, seq);

	add_place(l, container, true);
}

/* The containers that run now, of each attempt. */
static void
look_running(struct yarnlog *l)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *attempts = NULL;
	json_t *attempt, *c;
	size_t i, k;

	if (l->final || sa_yarn_attempts(l->yarn, l->app, &attempts, NULL) < 0)
		return;
	json_array_foreach (attempts, i, attempt) {
		const char *id = sa_json_str(attempt, "appAttemptId");
		json_auto_t *list = NULL;
		if (id == NULL)
			continue;
		if (sa_yarn_containers(l->yarn, l->app, id, &list, &err) < 0) {
			sa_joblog_failed(&l->base, "ResourceManager", "%s",
			    err.msg);
			sa_err_clear(&err);
		}
		json_array_foreach (list, k, c)
			place_node(
			    add_place(l, sa_json_str(c, "containerId"), false),
			    "http", c);
	}
}

static int
by_rank(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->driver != y->driver)
		return y->driver - x->driver;
	if (x->attempt != y->attempt)
		return x->attempt < y->attempt ? 1 : -1;
	return strcmp(x->container, y->container);
}

static int
no_container(struct yarnlog *l, struct sa_err *err)
{
	l->base.later = !l->final;
	sa_err_set(err, SA_NOT_FOUND, "%s has no container%s%s", l->app,
	    l->state != NULL ? ": it is " : "",
	    l->state != NULL ? l->state : "");
	if (l->final)
		return -1;
	sa_err_hint(err,
	    "there is no log before a driver runs; try again, or see --stream "
	    "submit");
	return sa_err_agent_hint(err,
	    "there is no log before a driver runs; try again, or give stream "
	    "submit");
}

static int
not_there(struct yarnlog *l, struct sa_err *err)
{
	l->base.later = true;
	l->final = false;
	sa_err_set(err, SA_NOT_FOUND,
	    "YARN does not have %s (yet), the id that spark-submit got",
	    l->app);
	return sa_err_hint(err,
	    "there is no log before it is submitted; --stream submit has what "
	    "spark-submit says");
}

static int
containers(struct sa_joblog *base, bool executors, json_t **out,
    struct sa_err *err)
{
	struct yarnlog *l = (struct yarnlog *)base;

	sa_joblog_forget(base);
	l->looked_ms = 0;
	look(l);
	if (!l->known && l->final && !l->seen)
		return not_there(l, err);
	if (executors)
		look_running(l);
	if (!l->known || (executors && l->final))
		look_collected(l);
	if (l->n == 0 && !l->known)
		guess_driver(l);
	if (l->n == 0)
		return no_container(l, err);
	qsort(l->places, l->n, sizeof(*l->places), by_rank);
	*out = json_array();
	for (size_t i = 0; i < l->n; i++) {
		const struct place *p = &l->places[i];
		if (p->driver || executors)
			json_array_append_new(*out,
			    json_pack("{s:s, s:s, s:I}", "container",
				p->container, "role",
				p->driver ? "driver" : "executor", "attempt",
				(json_int_t)p->attempt));
	}
	return 0;
}

/* The URLs of one source. */
struct urls {
	char *name, *list, *file;
};

static void
urls_release(struct urls *u)
{
	free(u->name);
	free(u->list);
	free(u->file);
}

static void
rest_urls(struct urls *u, const char *base, const char *container,
    const char *file)
{
	/* the one service that has files elsewhere than lists */
	bool history = ends_with(base, "/ws/v1/history");

	u->list = sa_xasprintf("%s/containers/%s/logs", base, container);
	u->file = history
	    ? sa_xasprintf("%s/containerlogs/%s/%s", base, container, file)
	    : sa_xasprintf("%s/%s", u->list, file);
}

static void
page_urls(const struct yarnlog *l, struct urls *u, const struct place *p,
    const char *file)
{
	if (l->user == NULL || p->node_id == NULL)
		return;
	cleanup_free char *user = sa_http_escape(l->user);
	u->file = sa_xasprintf("%s/%s/%s/%s/%s/%s", l->page, p->node_id,
	    p->container, p->container, user, file);
}

static void
node_page_urls(const struct yarnlog *l, struct urls *u, const struct place *p,
    const char *file)
{
	if (l->user == NULL)
		return;
	cleanup_free char *user = sa_http_escape(l->user);
	u->list = sa_xasprintf("%s/node/containerlogs/%s/%s", p->node,
	    p->container, user);
	u->file = sa_xasprintf("%s/%s", u->list, file);
}

/* The URLs that a source has a file under; none where it cannot be asked. */
static void
urls_of(const struct yarnlog *l, enum source_kind kind, const struct place *p,
    const char *file, struct urls *u)
{
	static const char *const names[KINDS] = { [NODE] = "NodeManager",
		[SERVER] = "log server",
		[PAGE] = "page of the log server",
		[HISTORY] = "timeline service",
		[TIMELINE] = "timeline service 2",
		[NODE_PAGE] = "page of the NodeManager" };
	const char *const base[KINDS] = { p->node, l->rest, l->page,
		l->timeline, l->timeline, p->node };
	static const char *const service[KINDS] = { [NODE] = "/ws/v1/node",
		[SERVER] = "",
		[HISTORY] = "/ws/v1/applicationhistory",
		[TIMELINE] = "/ws/v2/applicationlog" };

	*u = (struct urls){ .name = NULL };
	if (base[kind] == NULL)
		return;
	cleanup_free char *escaped = sa_http_escape(file);
	cleanup_free char *host = sa_http_host(base[kind]);
	u->name = sa_xasprintf("%s %s", names[kind], host);
	if (kind == PAGE) {
		page_urls(l, u, p, escaped);
	} else if (kind == NODE_PAGE) {
		node_page_urls(l, u, p, escaped);
	} else {
		cleanup_free char *at =
		    sa_xasprintf("%s%s", base[kind], service[kind]);
		rest_urls(u, at, p->container, escaped);
	}
}

/* What is wanted of a file, and for whom. */
struct wish {
	const char *file;
	const struct sa_joblog_part *part;
	sa_joblog_fn *take;
	void *arg;
	struct sa_joblog_result *out;
};

/* 0: read. 1: it is not there, which was noted. */
static int
read_from(struct yarnlog *l, enum source_kind kind, const struct place *p,
    const struct wish *w, long long last)
{
	struct sa_err err = SA_ERR_INIT;
	struct urls u;
	int rc = 1;

	urls_of(l, kind, p, w->file, &u);
	const struct sa_logsource s = { .name = u.name,
		.list = u.list,
		.file = u.file,
		.page = kind == PAGE || kind == NODE_PAGE,
		.aggregated = kind != NODE && kind != NODE_PAGE,
		.trusted = kind != NODE && kind != NODE_PAGE };
	if (u.file != NULL)
		rc = sa_logsource_read(l->yarn, &s, p->container, w->file,
			 w->part, &last, w->take, w->arg, w->out, &err) < 0;
	l->absent |= rc != 0 && err.kind == SA_NO;
	if (rc != 0 && *err.msg != '\0')
		sa_joblog_failed(&l->base, u.name, "%s", err.msg);
	if (rc == 0) {
		set(&l->last_container, p->container);
		set(&l->last_file, w->file);
		l->last_kind = kind;
		l->last_length = last;
	}
	sa_err_clear(&err);
	urls_release(&u);
	return rc;
}

static bool
is_word(const char *s, const char *word)
{
	return s != NULL && strcmp(s, word) == 0;
}

/* Logs go from the nodes to the log server just now, or soon. */
static bool
being_collected(const struct yarnlog *l)
{
	return l->known && l->final &&
	    (is_word(l->aggregation, "RUNNING") ||
		is_word(l->aggregation, "RUNNING_WITH_FAILURE") ||
		is_word(l->aggregation, "NOT_START"));
}

/* What to do about it that no source has a log. */
static void
give_hint(struct yarnlog *l)
{
	const char *hint = "", *state = l->aggregation;

	l->base.later = !l->final || being_collected(l);
	if (!l->known && !l->final)
		hint = "the ResourceManager did not tell where the logs are: "
		       "try again";
	else if (l->known && !l->final)
		hint = "the application runs: try again";
	else if (l->absent)
		hint = "the container never wrote such a file";
	else if (is_word(state, "DISABLED"))
		hint = "log aggregation is off on this cluster: a log stays on "
		       "its node and is removed there after some hours; set "
		       "yarn.log-aggregation-enable";
	else if (being_collected(l))
		hint = "log aggregation is still going on: try again in some "
		       "seconds";
	else if (l->rest == NULL && l->page == NULL)
		hint = "log aggregation needs a log server to be read from, "
		       "and none is known: set yarn.log.server.url, or "
		       "HADOOP_CONF_DIR to the cluster's configuration";
	else if (is_word(state, "FAILED") || is_word(state, "TIME_OUT"))
		hint = "log aggregation failed on this cluster; its "
		       "NodeManagers' logs tell why";
	else
		hint = "log aggregation may be off, or its files are gone or "
		       "not for this user";
	snprintf(l->base.hint, sizeof(l->base.hint), "%s", hint);
}

static int
read_chain(struct yarnlog *l, const struct place *p, const struct wish *w)
{
	static const enum source_kind running[KINDS] = { NODE, SERVER, PAGE,
		HISTORY, TIMELINE, NODE_PAGE };
	static const enum source_kind ended[KINDS] = { SERVER, PAGE, NODE,
		HISTORY, TIMELINE, NODE_PAGE };
	l->absent = false;
	bool collected =
	    l->final && (!l->known || is_word(l->aggregation, "SUCCEEDED"));

	for (size_t i = 0; i < KINDS; i++) {
		enum source_kind kind = (collected ? ended : running)[i];
		if (kind != NODE)
			find_servers(l);
		if (read_from(l, kind, p, w, -1) == 0)
			return 0;
	}
	return -1;
}

/* The source that had the file the last time has what came since. */
static int
read_on(struct yarnlog *l, const char *container, const struct wish *w)
{
	const struct place *p = find_place(l, container);

	if (p == NULL || w->part->from < 0 || l->last_length < 0 ||
	    !is_word(l->last_container, container) ||
	    !is_word(l->last_file, w->file))
		return -1;
	return read_from(l, l->last_kind, p, w, l->last_length) == 0 ? 0 : -1;
}

static int
read_log(struct sa_joblog *base, const char *container, const char *file,
    const struct sa_joblog_part *part, sa_joblog_fn *take, void *arg,
    struct sa_joblog_result *out, struct sa_err *err)
{
	struct yarnlog *l = (struct yarnlog *)base;
	const struct wish w = { file, part, take, arg, out };

	sa_joblog_forget(base);
	if (read_on(l, container, &w) == 0)
		return 0;
	sa_joblog_forget(base);
	look(l);
	struct place *p = add_place(l, container, false);
	if (p == NULL)
		return sa_err_set(err, SA_INVALID,
		    "'%.100s' is no container of YARN", container);
	if (read_chain(l, p, &w) == 0)
		return 0;
	give_hint(l);
	/* that nobody tells is not that there is none */
	bool away = !l->known && !l->final;
	sa_err_set(err, away ? SA_REMOTE : SA_NOT_FOUND,
	    "no source has '%s' of %s", file, container);
	return sa_err_hint(err, "%s", base->hint);
}

static void
close_log(struct sa_joblog *base)
{
	struct yarnlog *l = (struct yarnlog *)base;

	for (size_t i = 0; i < l->n; i++) {
		free(l->places[i].container);
		free(l->places[i].node);
		free(l->places[i].node_id);
	}
	free(l->places);
	free(l->app);
	free(l->configured);
	free(l->unknown);
	free(l->user);
	free(l->state);
	free(l->aggregation);
	free(l->rest);
	free(l->page);
	free(l->timeline);
	free(l->last_container);
	free(l->last_file);
	free(l);
}

struct sa_joblog *
sa_yarnlog_open(struct sa_yarn *y, const char *app_id, const char *log_server,
    bool seen, struct sa_err *err)
{
	static const struct sa_joblog_ops ops = { .containers = containers,
		.read = read_log,
		.close = close_log };

	if (app_id == NULL || !sa_yarn_is_app(app_id)) {
		sa_err_set(err, SA_INVALID,
		    "'%.100s' is no application of "
		    "YARN",
		    app_id != NULL ? app_id : "");
		return NULL;
	}
	struct yarnlog *l = sa_xcalloc(1, sizeof(*l));
	sa_joblog_init(&l->base, &ops);
	l->yarn = y;
	l->app = sa_xstrdup(app_id);
	l->seen = seen;
	set(&l->configured, log_server);
	l->last_length = -1;
	return &l->base;
}
