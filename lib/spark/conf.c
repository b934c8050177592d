/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/conf.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/text.h"

#define FILE_MAX (1024 * 1024)
#define KEY_MAX 512
#define VALUE_MAX (64 * 1024)

/*
 * Patterns are compared without regard to case, so that a look-alike is
 * judged as what it imitates. A '*' stands for any text.
 */
struct rule {
	const char *pattern;
	const char *why;
};

/* What the toolkit says itself at each launch: it would contradict the
 * connection, or lose the job. */
static const struct rule forced[] = {
	{ "spark.master", "the connection's master says it" },
	{ "spark.submit.deploymode", "the connection's deploy_mode says it" },
	{ "spark.remote", "a script is submitted, not connected" },
	{ "spark.local.connect", "a script is submitted, not connected" },
	{ "spark.api.mode", "a script is submitted, not connected" },
	{ "spark.yarn.submit.waitappcompletion", "sa-yarn wait waits" },
	{ "spark.kubernetes.submission.waitappcompletion",
	    "sa-yarn wait waits" },
	{ "spark.kubernetes.driver.pod.name",
	    "the job is found by the name that it gets" },
	{ "spark.kubernetes.driver.label.sa-*",
	    "the job is found by such labels" },
	{ "spark.kubernetes.executor.label.sa-*",
	    "the job's executors are found by such labels" },
};

/* What a reviewer has to look at: facts of Spark, most with an advisory
 * behind them (CVE-2023-22946, CVE-2025-66518, CVE-2026-62391). */
static const struct rule risks[] = {
	{ "*extrajavaoptions", "options of a JVM can run any code" },
	{ "*defaultjavaoptions", "options of a JVM can run any code" },
	{ "*extraclasspath", "puts classes in front of Spark's" },
	{ "*userclasspathfirst", "puts classes in front of Spark's" },
	{ "spark.yarn.user.classpath.first",
	    "puts classes in front of Spark's" },
	{ "*extralibrarypath", "loads native libraries" },
	{ "spark.jars*", "adds code, maybe downloaded" },
	{ "spark.*repositories", "downloads code" },
	{ "spark.submit.pyfiles", "adds code" },
	{ "spark.files", "copies files of this host to the cluster" },
	{ "spark.archives", "copies files of this host to the cluster" },
	{ "spark.yarn.jar*", "replaces Spark's own code" },
	{ "spark.yarn.archive", "replaces Spark's own code" },
	{ "spark.yarn.dist.*", "copies files of this host to the cluster" },
	{ "spark.plugins*", "runs a class of its choice" },
	{ "spark.executor.plugins", "runs a class of its choice" },
	{ "spark.*extralisteners", "runs a class of its choice" },
	{ "spark.sql.ansi.doublequotedidentifiers",
	    "makes quotes mean another thing than the guard takes them for" },
	{ "spark.sql.extensions", "runs a class of its choice" },
	{ "spark.sql.reflect.allowlist", "says which Java methods SQL calls" },
	{ "spark.sql.scripting.enabled", "says whether SQL scripts run" },
	{ "spark.sql.variable.substitute",
	    "says whether Spark rewrites the text that the guard read" },
	{ "spark.sql.*listeners", "runs a class of its choice" },
	{ "spark.sql.catalog.*", "runs a class of its choice" },
	{ "spark.serializer", "runs a class of its choice" },
	{ "spark.kryo.*registrator*", "runs a class of its choice" },
	{ "spark.metrics.conf*", "runs a class of its choice" },
	{ "spark.pyspark*python", "names the Python that runs the script" },
	{ "spark.r.*command", "names a program to run" },
	{ "spark.*resource.*.discoveryscript", "names a program to run" },
	{ "spark.worker.*discoveryscript", "names a program to run" },
	{ "spark.executorenv.*", "changes the executors' environment" },
	{ "spark.yarn.appmasterenv.*", "changes the driver's environment" },
	{ "spark.kubernetes.driverenv.*", "changes the driver's environment" },
	{ "spark.kubernetes.*podtemplate*", "defines the pod, its rights too" },
	{ "spark.kubernetes.*volumes.*", "mounts volumes into the pod" },
	{ "spark.kubernetes.file.upload.path", "copies files of this host" },
	{ "spark.kubernetes.*container.image", "names the image that runs" },
	{ "spark.kubernetes.authenticate.*", "changes the identity" },
	{ "spark.submit.proxyuser*", "changes the identity" },
	{ "spark.yarn.keytab", "changes the identity" },
	{ "spark.yarn.principal", "changes the identity" },
	{ "spark.yarn.access.*", "hands tokens to other file systems" },
	{ "spark.kerberos.*", "changes the identity" },
	{ "spark.security.credentials.*", "changes the identity" },
	{ "spark.hadoop.*", "changes the file systems and their access" },
	{ "spark.hive.*", "changes the metastore and its access" },
	{ "spark.authenticate*", "changes the protection of the job" },
	{ "spark.*acls*", "changes who may see and stop the job" },
	{ "spark.*redaction*", "decides which secrets are hidden" },
	{ "spark.eventlog.dir", "says where the job's history is written" },
	{ "spark.ui.*filters*", "runs a class of its choice" },
	{ "spark.ui.proxy*", "changes where the UI is served" },
	{ "spark.local.dir", "says where this host is written to" },
	{ "spark.sql.warehouse.dir", "says where tables are written" },
	{ "spark.*driver.log.*dir", "says where logs are written" },
};

/* All that a model may set. Spark reads keys exactly, so this is exact. */
static const char *const agent_keys[] = {
	"spark.app.name",
	"spark.default.parallelism",
	"spark.driver.cores",
	"spark.driver.memory",
	"spark.driver.memoryOverhead",
	"spark.dynamicAllocation.enabled",
	"spark.dynamicAllocation.initialExecutors",
	"spark.dynamicAllocation.maxExecutors",
	"spark.dynamicAllocation.minExecutors",
	"spark.executor.cores",
	"spark.executor.instances",
	"spark.executor.memory",
	"spark.executor.memoryOverhead",
	"spark.sql.adaptive.*",
	"spark.sql.shuffle.partitions",
	"spark.yarn.queue",
};

/* Each '*' takes as little as it can; only the last one is taken back. */
static bool
matches(const char *pattern, const char *key, bool fold)
{
	const char *star = NULL, *from = NULL;

	while (*key != '\0') {
		char c = fold ? (char)tolower((unsigned char)*key) : *key;
		if (*pattern == '*') {
			star = ++pattern;
			from = key;
		} else if (*pattern == c) {
			pattern++;
			key++;
		} else if (star != NULL) {
			pattern = star;
			key = ++from;
		} else
			return false;
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

static const char *
find(const struct rule *rules, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (matches(rules[i].pattern, key, true))
			return rules[i].why;
	return NULL;
}

const char *
sa_conf_risk(const char *key)
{
	return find(risks, sizeof(risks) / sizeof(*risks), key);
}

/* spark.NAME; labels and annotations of Kubernetes have a '/' too. */
static bool
well_formed(const char *key)
{
	bool slash = strncmp(key, "spark.kubernetes.", 17) == 0;
	size_t n = 6;

	if (strncmp(key, "spark.", 6) != 0 || key[6] == '\0')
		return false;
	for (; key[n] != '\0'; n++)
		if (!isalnum((unsigned char)key[n]) && key[n] != '.' &&
		    key[n] != '_' && key[n] != '-' && !(slash && key[n] == '/'))
			return false;
	return n <= KEY_MAX;
}

static int
check_value(const char *key, const char *value, struct sa_err *err)
{
	size_t len = strlen(value);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
			return sa_err_set(err, SA_INVALID,
			    "the value of conf '%s' has a control character",
			    key);
	if (!sa_text_is_utf8(value, len))
		return sa_err_set(err, SA_INVALID,
		    "the value of conf '%s' is not UTF-8", key);
	if (len > VALUE_MAX)
		return sa_err_set(err, SA_INVALID,
		    "the value of conf '%s' has %zu bytes, the limit is %d",
		    key, len, VALUE_MAX);
	if (strstr(value, SA_MASK) == NULL)
		return 0;
	sa_err_set(err, SA_INVALID, "the value of conf '%s' is masked", key);
	return sa_err_hint(err, "give the value itself or leave the key out");
}

static int
check_agent(const char *key, struct sa_err *err)
{
	const char *why = sa_conf_risk(key);

	for (size_t i = 0; i < sizeof(agent_keys) / sizeof(*agent_keys); i++)
		if (matches(agent_keys[i], key, false))
			return 0;
	sa_err_set(err, SA_REFUSED, "conf '%s' is not for an agent: %s", key,
	    why != NULL ? why : "only sizes, the name and the queue are");
	return sa_err_hint(err,
	    "leave it out, or have a person set it in a connection");
}

int
sa_conf_check(const char *key, const char *value, enum sa_origin origin,
    struct sa_err *err)
{
	if (!well_formed(key)) {
		cleanup_free char *shown = sa_text_visible(key);
		sa_err_set(err, SA_INVALID, "conf '%s' is no key of Spark",
		    shown);
		return sa_err_hint(err,
		    "a key is spark. and letters, digits, '.', '_', '-'");
	}
	const char *why = find(forced, sizeof(forced) / sizeof(*forced), key);
	if (why != NULL) {
		sa_err_set(err, SA_INVALID, "conf '%s' cannot be set: %s", key,
		    why);
		return sa_err_hint(err, "leave it out");
	}
	if (check_value(key, value, err) < 0)
		return -1;
	return origin == SA_ORIGIN_AGENT ? check_agent(key, err) : 0;
}

static int
add(json_t *conf, const char *key, const char *value, enum sa_origin origin,
    struct sa_err *err)
{
	if (sa_conf_check(key, value, origin, err) < 0)
		return -1;
	sa_json_set_str(conf, key, value);
	return 0;
}

int
sa_conf_add_pairs(json_t *conf, char **pairs, size_t n, enum sa_origin origin,
    struct sa_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const char *eq = strchr(pairs[i], '=');
		cleanup_free char *key = sa_xstrndup(pairs[i],
		    eq != NULL ? (size_t)(eq - pairs[i]) : strlen(pairs[i]));
		if (eq == NULL) {
			cleanup_free char *shown = sa_text_visible(key);
			return sa_err_set(err, SA_INVALID,
			    "conf '%s' has no value, expected KEY=VALUE",
			    shown);
		}
		if (add(conf, key, eq + 1, origin, err) < 0)
			return -1;
	}
	return 0;
}

static int
add_json(json_t *conf, const struct sa_buf *b, const char *path,
    enum sa_origin origin, struct sa_err *err)
{
	json_auto_t *object = NULL;
	const char *key;
	json_t *value;

	if (sa_json_parse(b->s, b->len, path, &object, err) < 0)
		return -1;
	json_object_foreach (object, key, value) {
		cleanup_free char *text = sa_json_scalar(value);
		if (text == NULL) {
			cleanup_free char *shown = sa_text_visible(key);
			return sa_err_set(err, SA_INVALID,
			    "%s: the value of '%s' is neither text, number "
			    "nor boolean",
			    path, shown);
		}
		if (add(conf, key, text, origin, err) < 0)
			return sa_err_prefix(err, "%s", path);
	}
	return 0;
}

/* One line of a properties file, as spark-defaults.conf has them: the key
 * ends at the first blank, '=' or ':'. */
static int
add_line(json_t *conf, char *line, enum sa_origin origin, struct sa_err *err)
{
	static const char blank[] = " \t\r\f";

	line += strspn(line, blank);
	size_t n = strlen(line);
	while (n > 0 && strchr(blank, line[n - 1]) != NULL)
		line[--n] = '\0';
	if (n == 0 || *line == '#' || *line == '!')
		return 0;
	char *p = line + strcspn(line, " \t\f=:");
	if (*p == '\0' || line[n - 1] == '\\')
		return sa_err_set(err, SA_INVALID,
		    "expected a key and its value on one line");
	char *value = p + strspn(p, " \t\f");
	if (*value == '=' || *value == ':')
		value++;
	value += strspn(value, " \t\f");
	*p = '\0';
	return add(conf, line, value, origin, err);
}

int
sa_conf_add_file(json_t *conf, const char *path, enum sa_origin origin,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(FILE_MAX);
	cleanup_free char *shown = sa_text_visible(path);
	int number = 0;

	cleanup_free char *name = sa_xasprintf("conf file '%s'", shown);
	if (sa_io_read_file(AT_FDCWD, path, &b, name, err) < 0)
		return -1;
	if (b.len > 0 && memchr(b.s, '\0', b.len) != NULL)
		return sa_err_set(err, SA_INVALID, "%s holds a NUL byte",
		    shown);
	if (b.len > 0 && b.s[strspn(b.s, " \t\r\n")] == '{')
		return add_json(conf, &b, shown, origin, err);
	char *rest = b.s;
	while (rest != NULL) {
		char *line = strsep(&rest, "\n");
		number++;
		if (add_line(conf, line, origin, err) < 0)
			return sa_err_prefix(err, "%s:%d", shown, number);
	}
	return 0;
}
