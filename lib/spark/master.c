/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/master.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/text.h"
#include "spark/url.h"

/* The length of a whole number from 1 to 9999999 at s, or 0. */
static size_t
count(const char *s)
{
	size_t n = 0;

	while (isdigit((unsigned char)s[n]))
		n++;
	return n > 0 && n < 8 && strspn(s, "0") < n ? n : 0;
}

/* "[N]", "[*]", "[N,F]" behind "local". */
static bool
local_threads(const char *s)
{
	size_t n;

	if (*s++ != '[')
		return false;
	n = *s == '*' ? 1 : count(s);
	if (n == 0)
		return false;
	s += n;
	if (*s == ',') {
		n = count(++s);
		if (n == 0)
			return false;
		s += n;
	}
	return strcmp(s, "]") == 0;
}

static bool
standalone_hosts(const char *s)
{
	for (;;) {
		size_t n = sa_url_host(s);
		size_t port = n > 0 ? sa_url_port(s + n) : 0;
		if (port == 0)
			return false;
		s += n + port;
		if (*s == '\0')
			return true;
		if (*s++ != ',')
			return false;
	}
}

static bool
kubernetes_server(const char *s)
{
	if (strncmp(s, "https://", 8) == 0)
		s += 8;
	else if (strncmp(s, "http://", 7) == 0)
		s += 7;
	size_t n = sa_url_host(s);
	if (n == 0)
		return false;
	s += n;
	if (*s == ':') {
		n = sa_url_port(s);
		if (n == 0)
			return false;
		s += n;
	}
	if (*s != '\0' && *s != '/')
		return false;
	while (isalnum((unsigned char)*s) ||
	    (*s != '\0' && strchr("/._~%+-", *s) != NULL))
		s++;
	return *s == '\0';
}

/* What is often given and is no master, with what to do instead. */
static const char *
advice(const char *master)
{
	static const struct {
		const char *prefix;
		const char *text;
	} known[] = {
		{ "yarn-client",
		    "the master is yarn, and the deploy mode "
		    "client (deploy_mode client)" },
		{ "yarn-cluster",
		    "the master is yarn, and the deploy mode "
		    "cluster (deploy_mode cluster)" },
		{ "http://",
		    "the master of YARN is the word yarn, its URL "
		    "goes to --yarn-rm-url" },
		{ "https://",
		    "the master of YARN is the word yarn, its URL "
		    "goes to --yarn-rm-url" },
		{ "mesos://", "Spark 4 has no Mesos any more" },
		{ "local-cluster",
		    "local-cluster is for tests of Spark "
		    "itself, use local[N]" },
		{ "sc://", "Spark Connect does not submit scripts" },
		{ "local",
		    "local takes [N], [*] or [N,FAILURES], with N from "
		    "1" },
		{ "spark://",
		    "give spark://HOST:PORT, several as "
		    "spark://HOST:PORT,HOST:PORT" },
		{ "k8s://", "give k8s://[https://]HOST[:PORT]" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncasecmp(master, known[i].prefix,
			strlen(known[i].prefix)) == 0)
			return known[i].text;
	return "give yarn, local[N], spark://HOST:PORT or k8s://HOST:PORT";
}

int
sa_master_check(const char *master, enum sa_master_kind *kind,
    struct sa_err *err)
{
	if (strcmp(master, "yarn") == 0)
		*kind = SA_MASTER_YARN;
	else if (strcmp(master, "local") == 0 ||
	    (strncmp(master, "local", 5) == 0 && local_threads(master + 5)))
		*kind = SA_MASTER_LOCAL;
	else if (strncmp(master, "spark://", 8) == 0 &&
	    standalone_hosts(master + 8))
		*kind = SA_MASTER_STANDALONE;
	else if (strncmp(master, "k8s://", 6) == 0 &&
	    kubernetes_server(master + 6))
		*kind = SA_MASTER_KUBERNETES;
	else {
		cleanup_free char *shown = sa_text_visible(master);
		sa_err_set(err, SA_INVALID, "master '%s' is none of Spark's",
		    shown);
		return sa_err_hint(err, "%s", advice(master));
	}
	return 0;
}

int
sa_master_check_mode(enum sa_master_kind kind, const char *deploy_mode,
    struct sa_err *err)
{
	if (deploy_mode == NULL || strcmp(deploy_mode, "client") == 0)
		return 0;
	if (strcmp(deploy_mode, "cluster") != 0) {
		cleanup_free char *shown = sa_text_visible(deploy_mode);
		return sa_err_set(err, SA_INVALID,
		    "deploy_mode '%s' is neither client nor cluster", shown);
	}
	if (kind != SA_MASTER_LOCAL)
		return 0;
	sa_err_set(err, SA_INVALID,
	    "deploy_mode 'cluster' does not go with a local master");
	return sa_err_hint(err, "a local master runs the driver on this host");
}
