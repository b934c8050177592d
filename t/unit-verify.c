/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/path.h"
#include "spark/pending.h"
#include "spark/prepare.h"
#include "tap.h"

/* A pending is made, then each thing that it pinned is changed in turn and
 * put back. */
static struct sa_settings *s;
static struct sa_store *st;
static json_t *pending;

static void
put(const char *path, const char *text, mode_t mode)
{
	unlink(path);
	FILE *f = fopen(path, "we");

	fputs(text, f);
	fclose(f);
	chmod(path, mode);
}

static void
is_fine(const char *name)
{
	struct sa_err err = SA_ERR_INIT;

	is_int(sa_plan_verify(st, s, pending, &err), 0, name);
	is_str(err.msg, "", "and err is untouched");
	sa_err_clear(&err);
}

static void
is_refused(enum sa_kind kind, const char *text, const char *name)
{
	struct sa_err err = SA_ERR_INIT;

	is_int(sa_plan_verify(st, s, pending, &err), -1, name);
	is_int(err.kind, kind, "of that kind");
	if (!ok(strstr(err.msg, text) != NULL, "the message names it"))
		printf("# %s\n", err.msg);
	sa_err_clear(&err);
}

/* The path of a file of the pending; good until the next call. */
static const char *
pinned(const char *rel)
{
	static char *path;

	free(path);
	path = sa_xasprintf("data/pending/%s/%s",
	    sa_json_str(pending, "pending_id"), rel);
	return path;
}

static void
test_copies(void)
{
	put(pinned("script/a.py"), "print(2)\n", 0440);
	is_refused(SA_REFUSED, "a.py", "another script");
	unlink(pinned("script/a.py"));
	is_refused(SA_REFUSED, "a.py", "no script");
	ok(symlink("/etc/hostname", pinned("script/a.py")) == 0, "a link");
	is_refused(SA_REFUSED, "a.py", "a link for the script");
	put(pinned("script/a.py"), "print(1)\n", 0440);
	put(pinned("deps/b.py"), "x = 2\n", 0440);
	is_refused(SA_REFUSED, "b.py", "another Python file");
	put(pinned("deps/b.py"), "x = 1\n", 0440);
	unlink(pinned("deps/c.csv"));
	is_refused(SA_REFUSED, "c.csv", "no file");
	put(pinned("deps/c.csv"), "1\n", 0440);
	is_fine("all is as it was");
}

static void
test_programs(void)
{
	put("spark/bin/spark-submit", "#!/bin/true\n", 0755);
	is_refused(SA_REFUSED, "spark-submit", "another spark-submit");
	unlink("spark/bin/spark-submit");
	is_refused(SA_CONFIG, "spark-submit", "no spark-submit");
	put("spark/bin/spark-submit", "#!/bin/sh\n", 0644);
	if (getuid() != 0)
		is_refused(SA_CONFIG, "spark-submit", "none that runs");
	put("spark/bin/spark-submit", "#!/bin/sh\n", 0755);
	rename("java/bin/java", "java/bin/gone");
	is_refused(SA_CONFIG, "java", "no Java");
	rename("java/bin/gone", "java/bin/java");
	is_fine("the programs are there again");
}

static void
test_configuration(void)
{
	put("spark/conf/spark-defaults.conf", "spark.y 1\n", 0644);
	is_refused(SA_REFUSED, "spark-defaults.conf", "another default");
	unlink("spark/conf/spark-defaults.conf");
	is_refused(SA_REFUSED, "spark-defaults.conf", "no defaults");
	put("spark/conf/spark-defaults.conf", "spark.x 1\n", 0644);
	put("spark/conf/spark-env.sh", "", 0644);
	is_refused(SA_REFUSED, "spark-env.sh", "a file that was not there");
	unlink("spark/conf/spark-env.sh");
	rename("hadoop", "hadoop.gone");
	is_refused(SA_CONFIG, "hadoop", "no Hadoop configuration");
	rename("hadoop.gone", "hadoop");
	rename("work", "work.gone");
	is_refused(SA_CONFIG, "work", "no working directory");
	rename("work.gone", "work");
	is_fine("the configuration is as it was");
}

/* A record that was changed together with its hash. */
static void
test_record(void)
{
	static const char drop[] = "spark.sql('DROP TABLE t')\n";
	json_t *script = sa_json_obj(sa_json_obj(pending, "plan"), "script");
	char sha256[SA_SHA256_SIZE];

	sa_json_set_str(sa_json_obj(pending, "plan"), "master", "local[9]");
	is_refused(SA_REFUSED, "plan", "another plan than was hashed");
	put(pinned("script/a.py"), drop, 0440);
	sa_hash_sha256(drop, strlen(drop), sha256);
	sa_json_set_str(script, "sha256", sha256);
	sa_plan_hash(sa_json_obj(pending, "plan"), sha256);
	sa_json_set_str(pending, "plan_sha256", sha256);
	is_refused(SA_REFUSED, "guard", "a script that the guard refuses now");
	json_object_del(script, "sha256");
	sa_plan_hash(sa_json_obj(pending, "plan"), sha256);
	sa_json_set_str(pending, "plan_sha256", sha256);
	is_refused(SA_INVALID, "sha256", "a plan that lacks a hash");
}

/* spark-defaults.conf comes before the secrets, in one file. */
static void
test_properties(void)
{
	struct sa_err err = SA_ERR_INIT;
	cleanup_free char *text =
	    sa_plan_properties(sa_json_obj(pending, "plan"), &err);

	is_str(text, "spark.x 1\n\n\nspark.hadoop.password=pw\n",
	    "the defaults, then the secret");
}

static void
make_files(void)
{
	static const char *const dirs[] = { "spark", "spark/bin", "spark/conf",
		"java", "java/bin", "hadoop", "work" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		mkdir(dirs[i], 0755);
	put("spark/bin/spark-submit", "#!/bin/sh\n", 0755);
	put("spark/conf/spark-defaults.conf", "spark.x 1\n", 0644);
	put("java/bin/java", "#!/bin/sh\n", 0755);
	put("a.py", "print(1)\n", 0644);
	put("b.py", "x = 1\n", 0644);
	put("c.csv", "1\n", 0644);
}

static int
make_pending(const char *dir, struct sa_err *err)
{
	static char py[] = "b.py", csv[] = "c.csv";
	static char secret[] = "spark.hadoop.password=pw";
	char *py_files[] = { py, NULL }, *files[] = { csv, NULL };
	char *conf[] = { secret, NULL };
	json_auto_t *c = json_pack("{s:s,s:s,s:{},s:{s:s+,s:s+,s:s+}}", "name",
	    "dev", "master", "local", "spark_conf", "env", "SPARK_HOME", dir,
	    "/spark", "JAVA_HOME", dir, "/java", "HADOOP_CONF_DIR", dir,
	    "/hadoop");
	struct sa_prepare p = { .connection = c,
		.script = "a.py",
		.workdir = "work",
		.ttl = 60,
		.py_files = { py_files, 1 },
		.files = { files, 1 },
		.conf = { conf, 1 } };

	return sa_prepare(s, &p, &pending, err);
}

int
main(void)
{
	struct sa_err err = SA_ERR_INIT;
	char dir[] = "/tmp/unit-verify.XXXXXX";

	if (mkdtemp(dir) == NULL || chdir(dir) < 0)
		return 1;
	setenv("SPARK_EXECUTOR_DATA_DIR", "data", 1);
	make_files();
	s = sa_settings_load(NULL, NULL, &err);
	if (!ok(make_pending(dir, &err) == 0, "a pending"))
		printf("# %s\n", err.msg);
	st = sa_store_open(s, false, &err);
	if (pending != NULL) {
		is_fine("what was prepared is as it was");
		test_properties();
		test_copies();
		test_programs();
		test_configuration();
		test_record();
	}
	json_decref(pending);
	sa_store_free(st);
	sa_settings_free(s);
	if (chdir("/") == 0)
		sa_path_remove_tree(AT_FDCWD, dir);
	return tap_done();
}
