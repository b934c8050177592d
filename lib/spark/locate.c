/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/locate.h"

#include <dirent.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"

extern char **environ;

#define PYTHON_TIMEOUT_MS 60000

static bool
is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/* A variable of the connection, else of ours; NULL where it is empty. */
static const char *
variable(const json_t *connection, const char *name)
{
	const char *v = sa_json_str(sa_json_obj(connection, "env"), name);

	if (v == NULL)
		v = getenv(name);
	return v != NULL && *v != '\0' ? v : NULL;
}

/* The directory of a Python's pyspark package; the package is not imported. */
static char *
pyspark_of(const char *python)
{
	static char code[] =
	    "import importlib.util as u\n"
	    "s = u.find_spec('pyspark')\n"
	    "print(list(s.submodule_search_locations)[0] if s else '')\n";
	cleanup_free char *path = sa_xstrdup(python);
	char option[] = "-c";
	char *argv[] = { path, option, code, NULL };
	cleanup_buf struct sa_buf out = SA_BUF_INIT(4096);
	cleanup_buf struct sa_buf errout = SA_BUF_INIT(4096);
	struct sa_proc_spec spec = { .argv = argv,
		.out = &out,
		.errout = &errout,
		.cwd = "/", /* a pyspark.py beside us is not meant */
		.timeout_ms = PYTHON_TIMEOUT_MS };
	struct sa_err local = SA_ERR_INIT;
	int status;

	if (sa_proc_run(&spec, &status, &local) < 0 || status != 0) {
		sa_err_clear(&local);
		return NULL;
	}
	cleanup_free char *text = sa_buf_steal(&out);
	text[strcspn(text, "\n")] = '\0';
	return is_dir(text) ? sa_steal(&text) : NULL;
}

struct found {
	char *submit; /* spark-submit */
	char *home;   /* SPARK_HOME, NULL where it cannot be told */
	char *python; /* whose package it is, or NULL */
	const char *how;
};

static void
found_release(struct found *f)
{
	free(f->submit);
	free(f->home);
	free(f->python);
}

/* HOME/bin/spark-submit, of somebody who said that it is there. */
static int
by_home(struct found *f, const char *home, const char *how, struct sa_err *err)
{
	f->home = sa_path_absolute(home);
	f->submit = sa_path_join(f->home, "bin/spark-submit");
	f->how = how;
	if (is_program(f->submit))
		return 0;
	sa_err_set(err, SA_CONFIG, "no executable spark-submit at '%s'",
	    f->submit);
	return sa_err_hint(err, "%s names '%s': correct it, or unset it", how,
	    home);
}

/*
 * A spark-submit of $PATH. In a distribution its home is two levels up; the
 * script that pip puts into a bin directory asks the Python beside it.
 */
static int
by_path(struct found *f)
{
	f->submit = sa_proc_find("spark-submit");
	if (f->submit == NULL)
		return 0;
	f->how = "PATH";
	cleanup_free char *real = realpath(f->submit, NULL);
	cleanup_free char *up =
	    sa_xasprintf("%s/../..", real != NULL ? real : f->submit);
	cleanup_free char *home = sa_path_absolute(up);
	cleanup_free char *jars = sa_path_join(home, "jars");
	if (is_dir(jars)) {
		f->home = sa_steal(&home);
		return 1;
	}
	cleanup_free char *beside = sa_xasprintf("%s/../python3", f->submit);
	cleanup_free char *python = sa_path_absolute(beside);
	f->home = is_program(python) ? pyspark_of(python) : NULL;
	if (f->home != NULL)
		f->python = sa_steal(&python);
	return 1;
}

static int
by_python(struct found *f, const char *name, struct sa_err *err)
{
	f->how = "python";
	f->python = strchr(name, '/') != NULL ? sa_path_absolute(name)
					      : sa_proc_find(name);
	if (f->python == NULL || !is_program(f->python))
		return sa_err_set(err, SA_CONFIG,
		    "the setting python names '%s', which is no program", name);
	f->home = pyspark_of(f->python);
	if (f->home == NULL) {
		sa_err_set(err, SA_CONFIG, "'%s' has no package pyspark",
		    f->python);
		return sa_err_hint(err, "%s -m pip install pyspark", f->python);
	}
	f->submit = sa_path_join(f->home, "bin/spark-submit");
	if (!is_program(f->submit))
		return sa_err_set(err, SA_CONFIG,
		    "no executable spark-submit at '%s'", f->submit);
	return 0;
}

static int
find_submit(struct found *f, const json_t *connection,
    const struct sa_settings *s, struct sa_err *err)
{
	const char *home = sa_json_str(connection, "spark_home");
	const char *python = sa_settings_get(s, SA_SET_PYTHON);

	if (home != NULL && *home != '\0')
		return by_home(f, home, "the connection's spark_home", err);
	if ((home = variable(connection, "SPARK_HOME")) != NULL)
		return by_home(f, home, "SPARK_HOME", err);
	if (by_path(f))
		return 0;
	if (*python != '\0')
		return by_python(f, python, err);
	sa_err_set(err, SA_CONFIG,
	    "no spark-submit: the connection has no spark_home, SPARK_HOME is "
	    "not set, PATH has none and the setting python is empty");
	sa_err_hint(err,
	    "set SPARK_HOME, or SA_PYTHON to a Python that has pyspark");
	return sa_err_agent_hint(err,
	    "the server was started without a Spark; tell the user, who has to "
	    "set SPARK_HOME for it");
}

static int
find_java(const json_t *connection, char **path, struct sa_err *err)
{
	const char *home = variable(connection, "JAVA_HOME");

	*path = home != NULL ? sa_path_join(home, "bin/java")
			     : sa_proc_find("java");
	if (*path != NULL && is_program(*path))
		return 0;
	if (home != NULL)
		sa_err_set(err, SA_CONFIG,
		    "JAVA_HOME is '%s', but '%s' is no "
		    "program",
		    home, *path);
	else
		sa_err_set(err, SA_CONFIG,
		    "no Java: JAVA_HOME is not set and PATH has no java");
	free(*path);
	*path = NULL;
	return sa_err_hint(err,
	    "install Java 17 or newer, or set JAVA_HOME (Debian: apt install "
	    "openjdk-17-jre-headless)");
}

/* {"path","sha256"} of a file of a directory, or null where it is not there. */
static int
add_file(json_t *out, const char *key, const char *dir, const char *base,
    struct sa_err *err)
{
	char sha256[SA_SHA256_SIZE];
	cleanup_free char *path = dir != NULL ? sa_path_join(dir, base) : NULL;

	json_object_set_new(out, key, json_null());
	if (path == NULL || access(path, F_OK) < 0)
		return 0;
	if (sa_hash_file(path, sha256, err) < 0)
		return -1;
	json_t *file = json_object();
	sa_json_set_str(file, "path", path);
	sa_json_set_str(file, "sha256", sha256);
	json_object_set_new(out, key, file);
	return 0;
}

static int
add_conf_dirs(json_t *out, const json_t *connection, const char *home,
    struct sa_err *err)
{
	const char *set = variable(connection, "SPARK_CONF_DIR");
	cleanup_free char *standard =
	    home != NULL ? sa_path_join(home, "conf") : NULL;
	const char *dir = set;

	if (set != NULL && !is_dir(set))
		return sa_err_set(err, SA_CONFIG,
		    "SPARK_CONF_DIR is '%s', which is no directory", set);
	if (dir == NULL && standard != NULL && is_dir(standard))
		dir = standard;
	sa_json_set_str(out, "spark_conf_dir", dir);
	if (add_file(out, "spark_defaults", dir, "spark-defaults.conf", err) <
		0 ||
	    add_file(out, "spark_env", dir, "spark-env.sh", err) < 0)
		return -1;
	return 0;
}

/* Without its file Hadoop looks for a ResourceManager on this host. */
static int
check_site(const char *dir, const char *name, const json_t *connection,
    struct sa_err *err)
{
	static const char head[] = "spark.hadoop.yarn.resourcemanager.";
	cleanup_free char *site = sa_path_join(dir, "yarn-site.xml");
	const char *key;
	json_t *value;

	if (access(site, R_OK) == 0)
		return 0;
	json_object_foreach (sa_json_obj(connection, "spark_conf"), key, value)
		if (strncmp(key, head, sizeof(head) - 1) == 0)
			return 0;
	sa_err_errno(err, SA_CONFIG, errno, "cannot read '%s'", site);
	return sa_err_hint(err,
	    "%s names the directory with the cluster's yarn-site.xml", name);
}

/* Spark's own part for this kind of master is a jar that some builds lack. */
static int
check_jar(const char *home, const char *master, struct sa_err *err)
{
	const char *part = master == NULL	? NULL
	    : strcmp(master, "yarn") == 0	? "spark-yarn_"
	    : strncmp(master, "k8s://", 6) == 0 ? "spark-kubernetes_"
						: NULL;
	cleanup_free char *jars =
	    home != NULL ? sa_path_join(home, "jars") : NULL;
	DIR *d = part != NULL && jars != NULL ? opendir(jars) : NULL;
	bool there = false;

	/* a development tree keeps its jars somewhere else */
	if (d == NULL)
		return 0;
	for (struct dirent *e; !there && (e = readdir(d)) != NULL;)
		there = strncmp(e->d_name, part, strlen(part)) == 0;
	closedir(d);
	if (there)
		return 0;
	sa_err_set(err, SA_CONFIG,
	    "no %s*.jar in '%s', which master '%s' needs", part, jars, master);
	return sa_err_hint(err, "use a Spark that was built with it");
}

/* YARN wants a client configuration; spark-env.sh may be what sets it. */
static int
add_hadoop(json_t *out, const json_t *connection, struct sa_err *err)
{
	const char *master = sa_json_str(connection, "master");
	const char *name = "HADOOP_CONF_DIR";
	const char *dir = variable(connection, name);

	if (dir == NULL)
		dir = variable(connection, name = "YARN_CONF_DIR");
	sa_json_set_str(out, "hadoop_conf_dir", dir);
	if (dir != NULL && !is_dir(dir))
		return sa_err_set(err, SA_CONFIG,
		    "%s is '%s', which is no directory", name, dir);
	if (master == NULL || strcmp(master, "yarn") != 0)
		return 0;
	if (dir != NULL)
		return check_site(dir, name, connection, err);
	if (sa_json_obj(out, "spark_env") != NULL)
		return 0;
	sa_err_set(err, SA_CONFIG,
	    "master yarn, but neither HADOOP_CONF_DIR nor YARN_CONF_DIR is "
	    "set");
	return sa_err_hint(err,
	    "set HADOOP_CONF_DIR to the directory with the cluster's "
	    "yarn-site.xml, or save it in the connection's env");
}

static int
describe(json_t *out, const struct found *f, const char *java,
    const json_t *connection, struct sa_err *err)
{
	char sha256[SA_SHA256_SIZE];
	json_t *submit = json_object(), *program = json_object();

	json_object_set_new(out, "spark_submit", submit);
	if (sa_hash_file(f->submit, sha256, err) < 0) {
		json_decref(program);
		return -1;
	}
	sa_json_set_str(submit, "path", f->submit);
	sa_json_set_str(submit, "sha256", sha256);
	sa_json_set_str(submit, "how", f->how);
	sa_json_set_str(out, "spark_home", f->home);
	sa_json_set_str(program, "path", java);
	json_object_set_new(out, "java", program);
	sa_json_set_str(out, "python", f->python);
	if (check_jar(f->home, sa_json_str(connection, "master"), err) < 0 ||
	    add_conf_dirs(out, connection, f->home, err) < 0)
		return -1;
	return add_hadoop(out, connection, err);
}

int
sa_locate(const json_t *connection, const struct sa_settings *s, json_t **out,
    struct sa_err *err)
{
	struct found f = { NULL, NULL, NULL, NULL };
	cleanup_free char *java = NULL;
	json_auto_t *located = json_object();
	int rc = find_submit(&f, connection, s, err);

	if (rc == 0)
		rc = find_java(connection, &java, err);
	if (rc == 0)
		rc = describe(located, &f, java, connection, err);
	found_release(&f);
	if (rc == 0)
		*out = sa_steal(&located);
	return rc;
}

/* What of our environment a submission gets. */
static const char *const allowed[] = { "PATH", "HOME", "USER", "LOGNAME",
	"LANG", "LANGUAGE", "TZ", "TMPDIR", "SPARK_HOME", "JAVA_HOME",
	"SPARK_CONF_DIR", "SPARK_LOCAL_DIRS", "SPARK_LOCAL_HOSTNAME",
	"SPARK_LOCAL_IP", "SPARK_PUBLIC_DNS", "HADOOP_CONF_DIR", "HADOOP_HOME",
	"HADOOP_USER_NAME", "YARN_CONF_DIR", "KRB5CCNAME", "KRB5_CONFIG",
	"KUBECONFIG", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON",
	"PYTHONHASHSEED" };

/*
 * What changes a submission without showing: options of the launcher,
 * defaults of a master and its like, what a shell, a loader or a Python reads
 * before the program. A connection's env sets none of them. It may set
 * SPARK_SUBMIT_OPTS, which the review shows; ours is not passed on.
 */
static const char *const denied[] = { "SPARK_LAUNCHER_OPTS",
	"SPARK_DAEMON_JAVA_OPTS", "SPARK_REMOTE", "SPARK_CONNECT_MODE",
	"SPARK_API_MODE", "SPARK_YARN_APP_NAME", "SPARK_DRIVER_MEMORY",
	"SPARK_EXECUTOR_MEMORY", "SPARK_EXECUTOR_CORES", "SPARK_MEM",
	"SPARK_PREPEND_CLASSES", "SPARK_TESTING", "SPARK_PRINT_LAUNCH_COMMAND",
	"SPARK_ENV_LOADED", "MASTER", "DEPLOY_MODE", "PYSPARK_SUBMIT_ARGS",
	"PYSPARK_DRIVER_PYTHON_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
	"_JAVA_OPTIONS", "CLASSPATH", "PYTHONSTARTUP", "BASH_ENV", "ENV", "IFS",
	"SHELLOPTS", "BASHOPTS" };

static bool
listed(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool
is_allowed(const char *name)
{
	return strncmp(name, "LC_", 3) == 0 ||
	    listed(allowed, sizeof(allowed) / sizeof(*allowed), name);
}

bool
sa_locate_env_denied(const char *name)
{
	return strncmp(name, "LD_", 3) == 0 ||
	    strncmp(name, "BASH_FUNC_", 10) == 0 ||
	    strncmp(name, "_SPARK_", 7) == 0 || strncmp(name, "SA_", 3) == 0 ||
	    listed(denied, sizeof(denied) / sizeof(*denied), name);
}

static void
set_unless(json_t *env, const char *name, const char *value)
{
	if (value != NULL && json_object_get(env, name) == NULL)
		sa_json_set_str(env, name, value);
}

/* Whether this host has the locale, and its characters are UTF-8. */
static bool
is_utf8(const char *name)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, name, (locale_t)0);

	if (locale == (locale_t)0)
		return false;
	bool is = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	freelocale(locale);
	return is;
}

/*
 * In another locale, such as cron's, Java makes question marks of what is not
 * ASCII in our arguments. What the connection says of it is left alone.
 */
static void
want_utf8(json_t *env, const json_t *connection)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;
	size_t i;

	for (i = 0; i < 3; i++) {
		value = sa_json_str(env, names[i]);
		if (value != NULL && *value != '\0')
			break;
	}
	if (i < 3 &&
	    (is_utf8(value) ||
		sa_json_str(sa_json_obj(connection, "env"), names[i]) != NULL))
		return;
	sa_json_set_str(env, i == 0 ? "LC_ALL" : "LC_CTYPE", "C.UTF-8");
}

json_t *
sa_locate_env(const json_t *connection, const json_t *located)
{
	json_t *env = json_object(), *value;
	const char *name, *user = sa_json_str(connection, "yarn_user");

	for (char **e = environ; *e != NULL; e++) {
		size_t n = strcspn(*e, "=");
		cleanup_free char *key = sa_xstrndup(*e, n);
		if ((*e)[n] == '=' && is_allowed(key))
			sa_json_set_str(env, key, *e + n + 1);
	}
	if (user != NULL)
		sa_json_set_str(env, "HADOOP_USER_NAME", user);
	json_object_foreach (sa_json_obj(connection, "env"), name, value)
		if (json_is_string(value) && !sa_locate_env_denied(name))
			sa_json_set_str(env, name, json_string_value(value));
	want_utf8(env, connection);
	set_unless(env, "PYSPARK_PYTHON", sa_json_str(located, "python"));
	if (sa_json_str(located, "spark_home") != NULL)
		sa_json_set_str(env, "SPARK_HOME",
		    sa_json_str(located, "spark_home"));
	return env;
}
