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

static void
add_connections(const struct sa_store *st, struct sa_buf *known)
{
	struct sa_names names;

	if (sa_store_names(st, "connections", ".json", false, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		json_auto_t *record = NULL;
		if (sa_connection_read(st, names.v[i], &record, NULL) < 0)
			continue;
		const char *by =
		    sa_json_str(sa_json_obj(record, "origin"), "yarn_rm_url");
		if (by == NULL || strcmp(by, "agent") != 0)
			add_hosts(known, sa_json_str(record, "yarn_rm_url"));
	}
	sa_names_free(&names);
}

/* What persons named. */
static void
collect_known(const struct sa_store *st, const struct sa_settings *s,
    struct sa_buf *known)
{
	const char *dir = getenv("YARN_CONF_DIR");
	struct sa_yarnsite site = SA_YARNSITE_INIT;
	struct sa_err err = SA_ERR_INIT;

	add_hosts(known, sa_settings_get(s, SA_SET_RM_URL));
	if (dir == NULL || *dir == '\0')
		dir = getenv("HADOOP_CONF_DIR");
	if (dir != NULL && *dir != '\0' &&
	    sa_yarnsite_read(dir, &site, &err) == 0)
		add_hosts(known, site.rm_urls);
	else if (err.kind != SA_OK)
		sa_debug("no hosts from the Hadoop configuration: %s", err.msg);
	sa_err_clear(&err);
	sa_yarnsite_release(&site);
	add_connections(st, known);
}

static int
check_host(const char *lists, const char *known, const char *url,
    struct sa_err *err)
{
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
	    "an agent chose '%s' as ResourceManager, which is none of the "
	    "hosts that rm_hosts lets it name",
	    shown);
	sa_err_hint(err,
	    "a person can save a connection to it, or add it to rm_hosts; see "
	    "sa-conn config");
	return sa_err_agent_hint(err,
	    "leave yarn_rm_url out to use the default, or ask the user for a "
	    "connection that a person saved");
}

int
sa_rmhosts_check(const struct sa_store *st, const struct sa_settings *s,
    const char *urls, struct sa_err *err)
{
	cleanup_buf struct sa_buf known = SA_BUF_INIT(KNOWN_MAX);
	cleanup_free char *copy = sa_xstrdup(urls);
	const char *lists = sa_settings_get(s, SA_SET_RM_HOSTS);
	bool by_policy = sa_settings_by_policy(s, SA_SET_RM_HOSTS);
	char *rest = copy, *url;

	if (!by_policy)
		collect_known(st, s, &known);
	while ((url = strsep(&rest, ",")) != NULL)
		if (check_host(lists, by_policy ? NULL : sa_buf_str(&known),
			url + strspn(url, " \t"), err) < 0)
			return -1;
	return 0;
}
