/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/jobconf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "spark/connection.h"
#include "spark/pending.h"

#define DEFAULTS_MAX (1 << 20)

void
sa_jobconf_read(const struct sa_store *st, const json_t *job,
    struct sa_jobconf *out)
{
	const char *pending = sa_json_str(job, "pending_id");
	const char *connection = sa_json_str(job, "connection");

	/* what was pruned or deleted since then has no say */
	*out = (struct sa_jobconf){ .pending = NULL };
	if (pending != NULL)
		sa_pending_read(st, pending, &out->pending, NULL);
	out->plan = sa_json_obj(out->pending, "plan");
	if (connection != NULL)
		sa_connection_read(st, connection, &out->connection, NULL);
}

void
sa_jobconf_release(struct sa_jobconf *c)
{
	json_decref(c->pending);
	json_decref(c->connection);
	free(c->defaults);
	*c = (struct sa_jobconf){ .pending = NULL };
}

static void
read_defaults(struct sa_jobconf *c)
{
	const char *path =
	    sa_json_str(sa_json_obj(c->plan, "spark_defaults"), "path");
	const char *dir = sa_jobconf_env(c, "SPARK_CONF_DIR");
	cleanup_free char *found =
	    dir != NULL ? sa_xasprintf("%s/spark-defaults.conf", dir) : NULL;
	cleanup_buf struct sa_buf b = SA_BUF_INIT(DEFAULTS_MAX);

	c->defaults_read = true;
	/* a plan that found none has none */
	if (c->plan == NULL)
		path = found;
	if (path != NULL &&
	    sa_io_read_file(AT_FDCWD, path, &b, path, NULL) == 0)
		c->defaults = sa_buf_steal(&b);
}

/* The value of a line of a properties file that sets key, else NULL. */
static char *
value_of(const char *line, size_t n, const char *key)
{
	size_t len = strlen(key), head = 0;

	while (head < n && strchr(" \t\f", line[head]) != NULL)
		head++;
	line += head;
	n -= head;
	if (n <= len || strncmp(line, key, len) != 0 ||
	    strchr(" \t\f=:", line[len]) == NULL)
		return NULL;
	for (line += len, n -= len; n > 0 && strchr(" \t\f=:", *line) != NULL;
	     n--)
		line++;
	while (n > 0 && strchr(" \t\f\r", line[n - 1]) != NULL)
		n--;
	return n > 0 ? sa_xstrndup(line, n) : NULL;
}

/* The last of several counts. */
static char *
get_default(struct sa_jobconf *c, const char *key)
{
	char *out = NULL;

	if (!c->defaults_read)
		read_defaults(c);
	for (const char *s = c->defaults; s != NULL && *s != '\0';) {
		size_t n = strcspn(s, "\n");
		char *value = value_of(s, n, key);
		if (value != NULL) {
			free(out);
			out = value;
		}
		s += n + (s[n] == '\n');
	}
	return out;
}

char *
sa_jobconf_get(struct sa_jobconf *c, const char *key)
{
	const char *value = sa_json_str(
	    sa_json_obj(sa_json_obj(c->plan, "conf"), key), "value");

	if (c->plan == NULL)
		value =
		    sa_json_str(sa_json_obj(c->connection, "spark_conf"), key);
	if (value != NULL)
		return *value != '\0' ? sa_xstrdup(value) : NULL;
	return get_default(c, key);
}

const char *
sa_jobconf_env(const struct sa_jobconf *c, const char *name)
{
	const char *s = sa_json_str(sa_json_obj(c->plan, "env"), name);

	if (s == NULL)
		s = sa_json_str(sa_json_obj(c->connection, "env"), name);
	if (s == NULL)
		s = getenv(name);
	return s != NULL && *s != '\0' ? s : NULL;
}

bool
sa_jobconf_by_agent(const struct sa_jobconf *c, const json_t *job)
{
	const char *now = sa_json_str(c->connection, "master");
	const char *its = sa_json_str(job, "master");
	const char *by =
	    sa_json_str(sa_json_obj(c->connection, "origin"), "master");

	if (now == NULL || its == NULL || strcmp(now, its) != 0)
		/* the connection is another now */
		by = sa_json_str(c->pending, "origin");
	return by != NULL && strcmp(by, "agent") == 0;
}
