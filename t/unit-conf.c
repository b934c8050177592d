/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/conf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "tap.h"

static enum sa_kind
judge(const char *key, const char *value, enum sa_origin origin)
{
	struct sa_err err = SA_ERR_INIT;
	int rc = sa_conf_check(key, value, origin, &err);

	return rc == 0 ? SA_OK : err.kind;
}

static void
test_keys(void)
{
	static const char *const agent[] = { "spark.app.name",
		"spark.driver.memory", "spark.executor.memoryOverhead",
		"spark.dynamicAllocation.maxExecutors",
		"spark.sql.adaptive.coalescePartitions.enabled",
		"spark.yarn.queue" };
	static const char *const person[] = { "spark.jars", "spark.yarn.jar",
		"spark.hadoop.fs.s3a.endpoint", "spark.executor.plugins",
		"spark.driver.extraJavaOptions", "spark.DRIVER.memory",
		"spark.yarn.Queue", "spark.sql.adaptivex", "spark.plugins",
		"spark.executorEnv.PATH", "spark.redaction.regex",
		"spark.submit.proxyUser.allowCustomClasspathInClusterMode",
		"spark.kubernetes.driver.label.app.kubernetes.io/name" };
	static const char *const nobody[] = { "spark.master", "spark.MASTER",
		"spark.submit.deploymode", "spark.remote", "spark.api.mode",
		"spark.kubernetes.driver.label.sa-job",
		"spark.kubernetes.executor.label.sa-job",
		"spark.yarn.submit.waitAppCompletion", "", "spark", "spark.",
		"Spark.app.name", "spark.a b", "spark.a=b", "spark.a/b",
		"spark.\xc3\xa9", "jars", "--conf", "spark.a\n" };

	for (size_t i = 0; i < sizeof(agent) / sizeof(*agent); i++)
		is_int(judge(agent[i], "1", SA_ORIGIN_AGENT), SA_OK, agent[i]);
	for (size_t i = 0; i < sizeof(person) / sizeof(*person); i++) {
		is_int(judge(person[i], "1", SA_ORIGIN_PERSON), SA_OK,
		    person[i]);
		is_int(judge(person[i], "1", SA_ORIGIN_AGENT), SA_REFUSED,
		    "... but not by an agent");
	}
	for (size_t i = 0; i < sizeof(nobody) / sizeof(*nobody); i++)
		is_int(judge(nobody[i], "1", SA_ORIGIN_PERSON), SA_INVALID,
		    "a key that nobody sets");
}

static void
test_values(void)
{
	char *long_value = sa_xcalloc(1, 65538);

	is_int(judge("spark.a", "", SA_ORIGIN_PERSON), SA_OK, "empty");
	is_int(judge("spark.a", "-x = y", SA_ORIGIN_PERSON), SA_OK,
	    "blanks and signs");
	is_int(judge("spark.a", "a\nb", SA_ORIGIN_PERSON), SA_INVALID,
	    "two lines");
	is_int(judge("spark.a", "a\x7f", SA_ORIGIN_PERSON), SA_INVALID,
	    "a control character");
	is_int(judge("spark.a", "\xff", SA_ORIGIN_PERSON), SA_INVALID,
	    "not UTF-8");
	is_int(judge("spark.a", "x****", SA_ORIGIN_PERSON), SA_INVALID,
	    "masked");
	memset(long_value, 'x', 65536);
	is_int(judge("spark.a", long_value, SA_ORIGIN_PERSON), SA_OK,
	    "the longest");
	long_value[65536] = 'x';
	is_int(judge("spark.a", long_value, SA_ORIGIN_PERSON), SA_INVALID,
	    "one longer");
	free(long_value);
}

static void
test_risks(void)
{
	static const char *const risky[] = { "spark.driver.extraJavaOptions",
		"spark.executor.defaultJavaOptions", "spark.jars",
		"spark.jars.packages", "SPARK.JARS.IVYSETTINGS",
		"spark.submit.pyFiles", "spark.yarn.jar", "spark.yarn.jars",
		"spark.yarn.dist.archives", "spark.sql.extensions",
		"spark.sql.scripting.enabled", "spark.sql.reflect.allowList",
		"spark.sql.catalog.lake", "spark.pyspark.driver.python",
		"spark.executorEnv.LD_PRELOAD", "spark.yarn.appMasterEnv.X",
		"spark.kubernetes.driver.podTemplateFile",
		"spark.hadoop.fs.s3a.access.key", "spark.kerberos.keytab",
		"spark.yarn.principal", "spark.redaction.regex",
		"spark.sql.redaction.string.regex", "spark.extraListeners",
		"spark.driver.resource.gpu.discoveryScript",
		"spark.submit.proxyUser.allowCustomClasspathInClusterMode" };
	static const char *const plain[] = { "spark.app.name",
		"spark.executor.memory", "spark.sql.shuffle.partitions",
		"spark.yarn.queue", "spark.sql.adaptive.enabled",
		"spark.eventLog.enabled" };

	for (size_t i = 0; i < sizeof(risky) / sizeof(*risky); i++)
		ok(sa_conf_risk(risky[i]) != NULL, risky[i]);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		ok(sa_conf_risk(plain[i]) == NULL, plain[i]);
}

static void
test_pairs(void)
{
	char one[] = "spark.a=1", two[] = "spark.b=x=y", again[] = "spark.a=2",
	     none[] = "spark.c";
	char *pairs[] = { one, two, again, none };
	json_auto_t *conf = json_object();
	struct sa_err err = SA_ERR_INIT;

	is_int(sa_conf_add_pairs(conf, pairs, 3, SA_ORIGIN_PERSON, &err), 0,
	    "three pairs");
	is_str(sa_json_str(conf, "spark.a"), "2", "the later one wins");
	is_str(sa_json_str(conf, "spark.b"), "x=y", "the first '=' divides");
	is_int(sa_conf_add_pairs(conf, pairs, 4, SA_ORIGIN_PERSON, &err), -1,
	    "a pair without '='");
	ok(strstr(err.msg, "spark.c") != NULL, "... is named");
}

/* The number of keys that text gives as a file, or -1. */
static int
keys_of(const char *text, size_t len)
{
	char path[] = "/tmp/sa-unit-conf.XXXXXX";
	json_auto_t *conf = json_object();
	struct sa_err err = SA_ERR_INIT;
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
		ok(0, "a temporary file");
		return -2;
	}
	close(fd);
	int rc = sa_conf_add_file(conf, path, SA_ORIGIN_PERSON, &err);
	unlink(path);
	return rc == 0 ? (int)json_object_size(conf) : -1;
}
#define KEYS_OF(text) keys_of(text, sizeof(text) - 1)

static void
test_files(void)
{
	is_int(KEYS_OF(""), 0, "an empty file");
	is_int(KEYS_OF("# x\n! y\n\n \t\n"), 0, "comments and blank lines");
	is_int(KEYS_OF("spark.a 1\nspark.b=2\nspark.c: 3\r\nspark.d\t= 4"), 4,
	    "all ways to write a pair");
	is_int(KEYS_OF("spark.a"), -1, "no value");
	is_int(KEYS_OF("spark.a x\\\n y"), -1, "a value over two lines");
	is_int(KEYS_OF(" {\"spark.a\":1,\"spark.b\":true}"), 2, "JSON");
	is_int(KEYS_OF("{\"spark.a\":1,\"spark.a\":2}"), -1, "a key twice");
	is_int(KEYS_OF("{\"spark.a\":null}"), -1, "no scalar");
	is_int(KEYS_OF("spark.a\0 1\n"), -1, "a NUL");
	is_int(KEYS_OF("spark.a \xff\n"), -1, "not UTF-8");

	size_t size = 1024 * 1024;
	char *big = sa_xmalloc(size + 1);
	memset(big, '\n', size + 1);
	memcpy(big, "spark.a 1", 9);
	is_int(keys_of(big, size), 1, "at the limit of size");
	is_int(keys_of(big, size + 1), -1, "one byte over it");
	free(big);
}

int
main(void)
{
	test_keys();
	test_values();
	test_risks();
	test_pairs();
	test_files();
	return tap_done();
}
