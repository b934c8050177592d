/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/rmhosts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "spark/connection.h"
#include "spark/url.h"
#include "spark/yarnsite.h"

#define KNOWN_MAX (256 * 1024)

/* "HOST:PORT" of a URL, or NULL. Caller frees. */
static char *
host_of(const char *url)
{
	const char *standard =
	    strncasecmp(url, "https:", 6) == 0 ? "443" : "80";
	const char *host = strstr(url, "://");

	if (host == NULL)
		return NULL;
	host += 3;
	size_t n = sa_url_host(host), port = sa_url_port(host + n);
	if (n == 0)
		return NULL;
	return port > 0 ? sa_xstrndup(host, n + port)
			: sa_xasprintf("%.*s:%s", (int)n, host, standard);
}

static bool
entry_matches(const char *entry, const char *host, size_t n, const char *port)
{
	const char *p = entry + (entry[0] == '[' ? strcspn(entry, "]") : 0);
	size_t len = (size_t)(p - entry) + strcspn(p, ":");

	if (entry[len] == ':' && strcmp(entry + len + 1, port) != 0)
		return false;
	if (strncmp(entry, "*.", 2) == 0)
		return n > len - 1 &&
		    strncasecmp(host + n - (len - 1), entry + 1, len - 1) == 0;
	return len == n && strncasecmp(host, entry, n) == 0;
}

bool
sa_rmhosts_match(const char *list, const char *host_port)
{
	cleanup_free char *copy = sa_xstrdup(list);
	const char *colon = strrchr(host_port, ':');
	char *rest = copy, *entry;

	if (colon == NULL)
		return false;
	while ((entry = strsep(&rest, ",; \t")) != NULL)
		if (*entry != '\0' &&
		    entry_matches(entry, host_port, (size_t)(colon - host_port),
			colon + 1))
			return true;
	return false;
}

static void
add_hosts(struct sa_buf *known, const char *urls)
{
	cleanup_free char *copy = sa_xstrdup(urls != NULL ? urls : "");
	char *rest = copy, *url;

	while ((url = strsep(&rest, ",")) != NULL) {
		cleanup_free char *host = host_of(url + strspn(url, " \t"));
		if (host != NULL)
			sa_buf_addf(known, ",%s", host);
	}
}

/* The hosts of spark://HOST:PORT,..., without their ports. */
static void
add_spark_hosts(struct sa_buf *known, const char *master)
{
	const char *s = master + strlen("spark://");

	for (size_t n; (n = sa_url_host(s)) > 0; s += *s == ',') {
		sa_buf_addf(known, ",%.*s", (int)n, s);
		s += n + sa_url_port(s + n);
	}
}

char *
sa_rmhosts_kube_url(const char *master)
{
	const char *s = master + strlen("k8s://");
	size_t n = strlen(s);

	while (n > 0 && s[n - 1] == '/')
		n--;
	return sa_xasprintf("%s%.*s",
	    strstr(s, "://") != NULL ? "" : "https://", (int)n, s);
}

static bool
is_spark(const char *master)
{
	return strncmp(master, "spark://", strlen("spark://")) == 0;
}

static bool
is_kube(const char *master)
{
	return strncmp(master, "k8s://", strlen("k8s://")) == 0;
}

/* What a connection names for this. */
static void
add_connection(struct sa_buf *known, enum sa_rmhosts_kind kind,
    const json_t *record)
{
	const char *member = kind == SA_RMHOSTS_RM ? "yarn_rm_url" : "master";
	const char *by = sa_json_str(sa_json_obj(record, "origin"), member);
	const char *value = sa_json_str(record, member);

	if (value == NULL || (by != NULL && strcmp(by, "agent") == 0))
		return;
	if (kind == SA_RMHOSTS_RM)
		add_hosts(known, value);
	else if (kind == SA_RMHOSTS_SPARK && is_spark(value))
		add_spark_hosts(known, value);
	else if (kind == SA_RMHOSTS_KUBE && is_kube(value)) {
		cleanup_free char *url = sa_rmhosts_kube_url(value);
		add_hosts(known, url);
	}
}

static void
add_connections(const struct sa_store *st, struct sa_buf *known,
    enum sa_rmhosts_kind kind)
{
	struct sa_names names;

	if (sa_store_names(st, "connections", ".json", false, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		json_auto_t *record = NULL;
		if (sa_connection_read(st, names.v[i], &record, NULL) == 0)
			add_connection(known, kind, record);
	}
	sa_names_free(&names);
}

static void
add_site(struct sa_buf *known)
{
	const char *dir = getenv("YARN_CONF_DIR");
	struct sa_yarnsite site = SA_YARNSITE_INIT;
	struct sa_err err = SA_ERR_INIT;

	if (dir == NULL || *dir == '\0')
		dir = getenv("HADOOP_CONF_DIR");
	if (dir != NULL && *dir != '\0' &&
	    sa_yarnsite_read(dir, &site, &err) == 0)
		add_hosts(known, site.rm_urls);
	else if (err.kind != SA_OK)
		sa_debug("no hosts from the Hadoop configuration: %s", err.msg);
	sa_err_clear(&err);
	sa_yarnsite_release(&site);
}

/* What persons named. */
static void
collect_known(const struct sa_store *st, const struct sa_settings *s,
    enum sa_rmhosts_kind kind, const char *also, struct sa_buf *known)
{
	add_hosts(known, also);
	if (kind == SA_RMHOSTS_RM) {
		add_hosts(known, sa_settings_get(s, SA_SET_RM_URL));
		add_site(known);
	}
	add_connections(st, known, kind);
}

static int
check_host(enum sa_rmhosts_kind kind, const char *lists, const char *known,
    const char *url, struct sa_err *err)
{
	static const char *const what[] = { [SA_RMHOSTS_RM] = "ResourceManager",
		[SA_RMHOSTS_SPARK] = "master",
		[SA_RMHOSTS_KUBE] = "API server" };
	cleanup_free char *host = host_of(url);
	cleanup_free char *copy = sa_xstrdup(lists);
	char *rest = copy, *list;
	bool good =
	    host != NULL && (known == NULL || sa_rmhosts_match(known, host));

	/* each layer of the settings has a list, and all must agree */
	while (good && *lists != '\0' && (list = strsep(&rest, ";")) != NULL)
		good = sa_rmhosts_match(list, host);
	if (good)
		return 0;
	cleanup_free char *shown = sa_text_visible(host != NULL ? host : url);
	sa_err_set(err, SA_REFUSED,
	    "an agent chose '%s' as %s, which is none of the hosts that "
	    "rm_hosts lets it name",
	    shown, what[kind]);
	sa_err_hint(err,
	    "a person can save a connection to it, or add it to rm_hosts; see "
	    "sa-conn config");
	return sa_err_agent_hint(err,
	    "use a connection that a person saved, or ask the user for one; "
	    "yarn_rm_url can be left out where there is a default");
}

int
sa_rmhosts_check(const struct sa_store *st, const struct sa_settings *s,
    enum sa_rmhosts_kind kind, const char *urls, const char *also,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf known = SA_BUF_INIT(KNOWN_MAX);
	cleanup_free char *copy = sa_xstrdup(urls);
	const char *lists = sa_settings_get(s, SA_SET_RM_HOSTS);
	bool by_policy = sa_settings_by_policy(s, SA_SET_RM_HOSTS);
	char *rest = copy, *url;

	if (!by_policy)
		collect_known(st, s, kind, also, &known);
	while ((url = strsep(&rest, ",")) != NULL)
		if (check_host(kind, lists,
			by_policy ? NULL : sa_buf_str(&known),
			url + strspn(url, " \t"), err) < 0)
			return -1;
	return 0;
}

int
sa_rmhosts_check_master(const struct sa_store *st, const struct sa_settings *s,
    const char *master, const char *also, struct sa_err *err)
{
	if (is_kube(master)) {
		cleanup_free char *url = sa_rmhosts_kube_url(master);
		return sa_rmhosts_check(st, s, SA_RMHOSTS_KUBE, url, also, err);
	}
	if (!is_spark(master))
		return 0;
	/* a list is of one scheme: spark://HOST:PORT,HOST:PORT */
	cleanup_free char *copy = sa_xstrdup(master + strlen("spark://"));
	char *rest = copy, *one;
	while ((one = strsep(&rest, ",")) != NULL) {
		cleanup_free char *url = sa_xasprintf("spark://%s", one);
		if (sa_rmhosts_check(st, s, SA_RMHOSTS_SPARK, url, NULL, err) <
		    0)
			return -1;
	}
	return 0;
}
