/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "spark/locate.h"
#include "spark/pending.h"
#include "spark/pin.h"
#include "spark/zip.h"
#include "tap.h"

static const char plan_text[] =
    "{\"master\":\"yarn\",\"deploy_mode\":\"client\",\"name\":\"a b\","
    "\"script\":{\"name\":\"s.py\",\"sha256\":\"00\",\"size\":1},"
    "\"args\":[\"--token\",\"t0p\",\"x y\",\"--password=q\",\"plain\"],"
    "\"conf\":{\"spark.a\":{\"value\":\"1\",\"origin\":\"person\"},"
    "\"spark.x.password\":{\"value\":\" h=2\\\\n\",\"origin\":\"person\"},"
    "\"spark.yarn.tags\":{\"value\":\"mine\",\"origin\":\"person\"}},"
    "\"forced\":{\"spark.sql.scripting.enabled\":\"false\"},"
    "\"py_files\":[{\"name\":\"a.py\"},{\"name\":\"b.zip\"}],"
    "\"siblings\":[{\"name\":\"c.py\"}],\"files\":[{\"name\":\"d.csv\"}],"
    "\"env\":{\"A_TOKEN\":\"v\",\"HOME\":\"/h\"},"
    "\"spark_submit\":{\"path\":\"/opt/spark-submit\"}}";

static void
put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	fputs(text, f);
	fclose(f);
}

static json_t *
make_pending(void)
{
	json_t *r = sa_json_record("pending");

	sa_json_set_str(r, "pending_id", "p_20261129T101500_4f0c9a");
	sa_json_set_str(r, "status", "PENDING");
	sa_json_set_str(r, "expires_at", "2999-01-01T00:00:00Z");
	json_object_set_new(r, "plan", json_loads(plan_text, 0, NULL));
	return r;
}

static bool
has(char *const *argv, const char *first, const char *second)
{
	for (; argv[0] != NULL; argv++)
		if (strcmp(argv[0], first) == 0 &&
		    (second == NULL ||
			(argv[1] != NULL && strcmp(argv[1], second) == 0)))
			return true;
	return false;
}

static void
test_hash(void)
{
	json_auto_t *a =
	    json_loads("{\"b\":1,\"a\":{\"d\":2,\"c\":3}}", 0, NULL);
	json_auto_t *b =
	    json_loads("{\"a\":{\"c\":3,\"d\":2},\"b\":1}", 0, NULL);
	char ha[65], hb[65];

	sa_plan_hash(a, ha);
	sa_plan_hash(b, hb);
	/* printf '%s' '{"a":{"c":3,"d":2},"b":1}' | sha256sum */
	is_str(ha,
	    "78d48859c3252943aab7306f76c80f3f"
	    "07783582e05ab8f944ce0696f2dbfc67",
	    "a hash as sha256sum gives it");
	is_str(ha, hb, "the order of members does not count");
	json_object_set_new(b, "b", json_integer(2));
	sa_plan_hash(b, hb);
	ok(strcmp(ha, hb) != 0, "a value counts");
}

static void
test_argv(const struct sa_store *st, const json_t *pending)
{
	char **argv =
	    sa_plan_argv(st, pending, "j_20261129T101502_91AB33", "/r/p");
	const char *dir = sa_store_path(st);
	cleanup_free char *script = sa_xasprintf(
	    "%s/pending/p_20261129T101500_4f0c9a/script/s.py", dir);
	cleanup_free char *py =
	    sa_xasprintf("%s/pending/p_20261129T101500_4f0c9a/deps/a.py,"
			 "%s/pending/p_20261129T101500_4f0c9a/deps/b.zip,"
			 "%s/pending/p_20261129T101500_4f0c9a/deps/c.py",
		dir, dir, dir);
	cleanup_free char *tags = sa_xasprintf(
	    "spark.yarn.tags=sa-j_20261129t101502_91ab33,sa-s-%s,mine",
	    sa_store_id(st));
	size_t n = 0, last_conf = 0;

	is_str(argv[0], "/opt/spark-submit", "the program first");
	ok(has(argv, "--master", "yarn"), "master");
	ok(has(argv, "--deploy-mode", "client"), "deploy mode");
	ok(has(argv, "--name", "a b"), "name");
	ok(has(argv, "--conf", "spark.a=1"), "a property");
	ok(has(argv, "--properties-file", "/r/p"), "secrets go in a file");
	ok(has(argv, "--py-files", py), "Python files and siblings");
	ok(has(argv, "--conf", tags), "tags, the conf's own too");
	for (; argv[n] != NULL; n++) {
		ok(strstr(argv[n], "h=2") == NULL, "no secret in argv");
		if (strcmp(argv[n], "--conf") == 0)
			last_conf = n + 1;
	}
	is_str(argv[last_conf], tags, "what is forced comes last");
	ok(has(argv, script, "--token"), "the script, then its arguments");
	is_str(argv[n - 1], "plain", "all of them");
	sa_argv_free(argv);
	argv = sa_plan_argv(st, pending, NULL, "/r/p");
	ok(!has(argv, "--conf", tags), "without a job no tags of one");
	sa_argv_free(argv);
}

/* What holds the job's id in a cluster, by the kind of that. */
static void
test_handles(const struct sa_store *st)
{
	static const char job[] = "j_20261129T101502_91AB33";
	json_auto_t *pending = make_pending();
	json_t *plan = sa_json_obj(pending, "plan");
	cleanup_free char *name = sa_plan_kube_name(job);
	cleanup_free char *template =
	    sa_xasprintf("spark.kubernetes.driver.podTemplateFile=%s/runs/%s/"
			 "pod-template.yaml",
		sa_store_path(st), job);
	cleanup_free char *label = sa_xasprintf(
	    "spark.kubernetes.driver.label.sa-store=%s", sa_store_id(st));

	is_str(name, "sa-j-20261129t101502-91ab33", "a name on Kubernetes");
	sa_json_set_str(plan, "master", "k8s://h");
	char **argv = sa_plan_argv(st, pending, job, NULL);
	ok(!has(argv, "--conf", template), "client mode has no pod of ours");
	ok(has(argv, "--conf",
	       "spark.kubernetes.executor.label.sa-job="
	       "j_20261129T101502_91AB33"),
	    "but executors with its label");
	sa_argv_free(argv);

	sa_json_set_str(plan, "deploy_mode", "cluster");
	argv = sa_plan_argv(st, pending, job, NULL);
	ok(has(argv, "--deploy-mode", "cluster"), "cluster mode");
	ok(has(argv, "--conf",
	       "spark.kubernetes.driver.pod.name=sa-j-20261129t101502-91ab33-"
	       "driver"),
	    "the pod's name");
	ok(has(argv, "--conf",
	       "spark.kubernetes.driver.label.sa-job="
	       "j_20261129T101502_91AB33"),
	    "its label");
	ok(has(argv, "--conf", label), "the store's");
	ok(has(argv, "--conf", template), "the template that mounts");
	ok(has(argv, "local://" SA_KUBE_DIR "/s.py", "--token"),
	    "the script where it is mounted");
	sa_argv_free(argv);
	argv = sa_plan_argv(st, pending, NULL, NULL);
	ok(!has(argv, "--conf", template), "none of it without a job");
	sa_argv_free(argv);

	sa_json_set_str(plan, "master", "spark://h:7077");
	argv = sa_plan_argv(st, pending, job, NULL);
	ok(has(argv, "--deploy-mode", "client"),
	    "a worker runs the driver in its own process");
	sa_argv_free(argv);
}

static void
test_secrets(const struct sa_store *st, const json_t *pending)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *masked = sa_pending_masked(pending);
	cleanup_free char *text = sa_json_text(masked);
	cleanup_free char *line = sa_plan_command_line(st, pending);
	cleanup_free char *properties =
	    sa_plan_properties(sa_json_obj(pending, "plan"), &err);

	is_str(properties, "spark.x.password=\\ h=2\\\\n\n",
	    "a properties file, escaped");
	ok(strstr(text, "h=2") == NULL, "a property is masked");
	ok(strstr(text, "t0p") == NULL, "an argument behind --token is");
	ok(strstr(text, "--password=****") != NULL, "one with = is");
	ok(strstr(text, "plain") != NULL, "others are not");
	ok(strstr(text, "\"A_TOKEN\":\"****\"") != NULL, "a variable is");
	ok(strstr(line, "t0p") == NULL && strstr(line, "h=2") == NULL,
	    "the command line shows none");
	ok(strstr(line, "'a b'") != NULL, "the command line is quoted");
	ok(strstr(line, "--properties-file") != NULL,
	    "the command line is the one that will be run");
}

static void
test_properties(void)
{
	json_auto_t *plan = json_pack("{s:{s:{s:s}}}", "conf", "spark.x",
	    "value", "not secret");
	struct sa_err err = SA_ERR_INIT;

	ok(sa_plan_properties(plan, &err) == NULL && err.kind == SA_OK,
	    "no file without secrets");
	put("spark-defaults.conf", "spark.y 1\\");
	json_object_set_new(sa_json_obj(plan, "conf"), "spark.#=password",
	    json_pack("{s:s}", "value", "a\tb\r\n"));
	json_object_set_new(plan, "spark_defaults",
	    json_pack("{s:s,s:s}", "path", "spark-defaults.conf", "sha256",
		"8d8f"));
	ok(sa_plan_properties(plan, &err) == NULL && err.kind == SA_REFUSED,
	    "spark-defaults.conf has to be what the plan saw");
	sa_err_clear(&err);
	json_object_set_new(plan, "spark_defaults", json_null());
	cleanup_free char *text = sa_plan_properties(plan, &err);
	is_str(text, "spark.\\#\\=password=a\\tb\\r\\n\n",
	    "keys and control characters are escaped");
}

static void
test_status(json_t *pending)
{
	struct sa_err err = SA_ERR_INIT;

	is_int(sa_pending_must_be_open(pending, &err), 0, "PENDING is open");
	ok(!sa_pending_expire(pending), "before its time it is PENDING");
	sa_json_set_str(pending, "expires_at", "2001-01-01T00:00:00Z");
	ok(sa_pending_expire(pending), "after its time it is not");
	is_str(sa_json_str(pending, "status"), "EXPIRED", "but EXPIRED");
	is_int(sa_pending_must_be_open(pending, &err), -1, "not open");
	is_int(err.kind, SA_INVALID, "65");
	ok(strstr(err.msg, "p_20261129T101500_4f0c9a") != NULL &&
		strstr(err.msg, "EXPIRED") != NULL,
	    "the message names both");
	ok(err.detail != NULL, "the pending is the detail");
	sa_err_clear(&err);
	sa_json_set_str(pending, "status", "SUBMITTED");
	sa_json_set_str(pending, "job_id", "j_20261129T101502_91ab33");
	sa_pending_must_be_open(pending, &err);
	ok(strstr(err.msg, "j_20261129T101502_91ab33") != NULL,
	    "the message names the job");
	sa_err_clear(&err);
}

static void
test_plain(void)
{
	json_auto_t *r = make_pending();
	static const struct {
		const char *member, *value;
		bool plain;
		const char *name;
	} steps[] = { { NULL, NULL, true, "a pending is shown as it stands" },
		{ "expires_at", "\"2001-01-01T00:00:00Z\"", false,
		    "one that reads as EXPIRED is not" },
		{ "status", "\"CANCELLED\"", true, "an ended one is" },
		{ "secret", "true", false, "one with secrets is not" },
		{ "secret", "false", true, "a member says that" },
		{ "type", "\"job\"", false, "another type is not" },
		{ "type", "\"pending\"", true, "nor" },
		{ "v", "2", false, "another version" } };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (steps[i].member != NULL)
			json_object_set_new(r, steps[i].member,
			    json_loads(steps[i].value, JSON_DECODE_ANY, NULL));
		cleanup_free char *text = sa_json_text(r);
		is_int(sa_pending_is_plain(text, strlen(text)), steps[i].plain,
		    steps[i].name);
	}
}

static void
test_paths(void)
{
	static const char *const bad[] = { "", "a,b.py", "*.py", "a?.py",
		"[a].py", "{a}.py", "a.py#b", "http://h/a.py", "ftp://h/a",
		"hdfs://h/a", "file:/a.py", "a%20b.py", "a\nb.py", "a\xff.py" };
	struct sa_err err = SA_ERR_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		cleanup_free char *name = sa_text_visible(bad[i]);
		ok(sa_pin_check_path("--files", bad[i], &err) < 0 &&
			err.kind == SA_INVALID,
		    name);
		sa_err_clear(&err);
	}
	ok(sa_pin_check_path("--files", "/a b/c-d_\xc3\xa9.py", &err) == 0,
	    "blanks and letters are fine");
}

static void
test_env(void)
{
	json_auto_t *c = json_loads(
	    "{\"yarn_user\":\"u\",\"env\":{\"X\":\"1\",\"LD_PRELOAD\":\"x\","
	    "\"MASTER\":\"m\",\"PYSPARK_PYTHON\":\"/p\"}}",
	    0, NULL);
	json_auto_t *l = json_loads(
	    "{\"spark_home\":\"/s\",\"python\":\"/venv/python\"}", 0, NULL);

	setenv("SPARK_SUBMIT_OPTS", "-Dx", 1);
	setenv("SOME_SECRET", "x", 1);
	setenv("LC_TIME", "C", 1);
	json_auto_t *env = sa_locate_env(c, l);
	is_str(sa_json_str(env, "X"), "1", "the connection's variables");
	is_str(sa_json_str(env, "SPARK_HOME"), "/s", "the Spark found");
	is_str(sa_json_str(env, "HADOOP_USER_NAME"), "u", "the YARN user");
	is_str(sa_json_str(env, "PYSPARK_PYTHON"), "/p",
	    "the connection's Python before the one found");
	is_str(sa_json_str(env, "LC_TIME"), "C", "the locale");
	ok(json_object_get(env, "LD_PRELOAD") == NULL &&
		json_object_get(env, "MASTER") == NULL &&
		json_object_get(env, "SPARK_SUBMIT_OPTS") == NULL,
	    "nothing that changes a submission unseen");
	ok(json_object_get(env, "SOME_SECRET") == NULL, "nothing else");
}

static void
test_zip(void)
{
	struct sa_err err = SA_ERR_INIT;
	cleanup_buf struct sa_buf a = SA_BUF_INIT(100000);
	cleanup_buf struct sa_buf b = SA_BUF_INIT(100000);
	cleanup_buf struct sa_buf small = SA_BUF_INIT(150);

	mkdir("pk", 0755);
	mkdir("pk/__pycache__", 0755);
	mkdir("pk/sub", 0755);
	put("pk/__init__.py", "");
	put("pk/sub/m.py", "x = 1\n");
	is_int(sa_zip_dir("pk", &a, &err), 0, "a package");
	put("pk/__pycache__/m.pyc", "x");
	put("pk/.hidden", "x");
	ok(symlink("/etc/passwd", "pk/link") == 0, "a link");
	is_int(sa_zip_dir("./pk", &b, &err), 0, "with what is left out");
	ok(a.len == b.len && memcmp(a.s, b.s, a.len) == 0, "is the same");
	is_int(sa_zip_dir("pk", &small, &err), -1, "a limit");
	is_int(err.kind, SA_INVALID, "is 65");
	sa_err_clear(&err);
}

int
main(void)
{
	struct sa_err err = SA_ERR_INIT;
	char dir[] = "/tmp/unit-plan.XXXXXX";

	if (mkdtemp(dir) == NULL || chdir(dir) < 0)
		return 1;
	setenv("SPARK_EXECUTOR_DATA_DIR", "data", 1);
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	struct sa_store *st = sa_store_open(s, true, &err);
	json_auto_t *pending = make_pending();

	ok(st != NULL, "a store");
	test_hash();
	test_argv(st, pending);
	test_handles(st);
	test_secrets(st, pending);
	test_properties();
	test_status(pending);
	test_plain();
	test_paths();
	test_env();
	test_zip();
	sa_store_free(st);
	sa_settings_free(s);
	if (chdir("/") == 0)
		sa_path_remove_tree(AT_FDCWD, dir);
	return tap_done();
}
