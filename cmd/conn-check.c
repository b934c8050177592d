/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "conn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/record.h"
#include "base/text.h"
#include "spark/connection.h"
#include "spark/locate.h"
#include "spark/master.h"

extern char **environ;

#define JAVA_MS 20000
#define CLUSTER_MS 180000
#define ANSWER_MAX (1 << 20)

/* "openjdk version ...", by running it. */
static void
check_java(const char *path, json_t *check)
{
	cleanup_buf struct sa_buf out = SA_BUF_INIT(4096);
	cleanup_free char *program = sa_xstrdup(path);
	char option[] = "-version";
	char *argv[] = { program, option, NULL };
	const struct sa_proc_spec spec = { .argv = argv,
		.out = &out,
		.errout = &out,
		.timeout_ms = JAVA_MS };
	struct sa_err err = SA_ERR_INIT;
	int status = 0;

	bool ran = sa_proc_run(&spec, &status, &err) == 0;
	cleanup_free char *line =
	    sa_xstrndup(sa_buf_str(&out), strcspn(sa_buf_str(&out), "\n"));
	if (ran && status == 0)
		sa_check_add(check, "java", true, NULL, "'%s': %s", path, line);
	else
		sa_check_add(check, "java", false, "set JAVA_HOME to a Java 17",
		    "'%s' does not run: %s", path, ran ? line : err.msg);
	sa_err_clear(&err);
}

/* What every master needs. */
static void
check_spark(const struct sa_settings *s, const json_t *connection,
    json_t *check)
{
	json_auto_t *plain = json_copy((json_t *)(uintptr_t)connection);
	json_auto_t *located = NULL;
	struct sa_err err = SA_ERR_INIT;

	sa_json_set_str(plain, "master", "local[1]");
	if (sa_locate(plain, s, &located, &err) < 0) {
		sa_check_add(check, "spark_submit", false, err.hint, "%s",
		    err.msg);
		sa_err_clear(&err);
		return;
	}
	const json_t *submit = sa_json_obj(located, "spark_submit");
	sa_check_add(check, "spark_submit", true, NULL, "'%s', by %s",
	    sa_json_str(submit, "path"), sa_json_str(submit, "how"));
	check_java(sa_json_str(sa_json_obj(located, "java"), "path"), check);
}

/* spark-submit for YARN reads there where the cluster is. */
static void
check_hadoop(const struct sa_settings *s, const json_t *connection,
    json_t *check)
{
	static const char name[] = "hadoop_conf_dir";
	json_auto_t *located = NULL;
	struct sa_err err = SA_ERR_INIT;

	if (sa_locate(connection, s, &located, &err) < 0) {
		sa_check_add(check, name, false, err.hint, "%s", err.msg);
		sa_err_clear(&err);
		return;
	}
	const char *dir = sa_json_str(located, "hadoop_conf_dir");
	cleanup_free char *site =
	    sa_path_join(dir != NULL ? dir : "", "yarn-site.xml");
	if (access(site, R_OK) == 0)
		sa_check_add(check, name, true, NULL, "'%s'", dir);
	else
		sa_check_add(check, name, false,
		    "set HADOOP_CONF_DIR to the directory with the cluster's "
		    "yarn-site.xml",
		    "cannot read '%s': %s", site, strerror(errno));
}

/* The last byte of a file: -1 where it is empty, -2 with err. */
static int
last_byte(const char *path, struct sa_err *err)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char c;
	struct stat sb;

	if (fd < 0 || fstat(fd, &sb) < 0) {
		sa_err_errno(err, SA_CONFIG, errno, "cannot read '%s'", path);
		return -2;
	}
	if (!S_ISREG(sb.st_mode)) {
		sa_err_set(err, SA_CONFIG, "'%s' is no regular file", path);
		return -2;
	}
	return sb.st_size > 0 && pread(fd, &c, 1, sb.st_size - 1) == 1 ? c : -1;
}

/* A token that spark-submit puts into a header as it stands. */
static void
check_token(const char *key, const char *path, json_t *check)
{
	struct sa_err err = SA_ERR_INIT;
	int last = last_byte(path, &err);

	if (last == -2)
		sa_check_add(check, "token_file", false,
		    "spark-submit reads it; let this user read it", "%s: %s",
		    key, err.msg);
	else if (last == '\n' || last == '\r')
		sa_check_add(check, "token_file", false,
		    "write it without one: spark-submit fails on it, and "
		    "prints the token when it does",
		    "%s: '%s' ends with a line break", key, path);
	else
		sa_check_add(check, "token_file", last != -1,
		    last != -1 ? NULL : "write the token into it",
		    last != -1 ? "%s: '%s'" : "%s: '%s' is empty", key, path);
	sa_err_clear(&err);
}

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

/* Files that the connection names. Ours hold a secret. */
static void
check_files(const json_t *connection, json_t *check)
{
	static const char *const ours[] = { "auth_file", "ca_file" };
	const char *key;
	json_t *value;

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		const char *path = sa_json_str(connection, ours[i]);
		struct stat sb;
		if (path == NULL)
			continue;
		bool secret = i == 0, there = stat(path, &sb) == 0;
		bool open_to_others =
		    there && secret && (sb.st_mode & 077) != 0;
		sa_check_add(check, ours[i], there && !open_to_others,
		    open_to_others ? "chmod 600 it"
			: there	   ? NULL
				   : "see sa-conn save",
		    open_to_others ? "others may read '%s'%s"
			: there	   ? "'%s'%s"
				   : "'%s': %s",
		    path, there ? "" : strerror(errno));
	}
	json_object_foreach (sa_json_obj(connection, "spark_conf"), key, value)
		if (ends_with(key, "oauthTokenFile") && json_is_string(value))
			check_token(key, json_string_value(value), check);
}

/* Our environment, but for what says where errors go: that descriptor is not
 * passed on. */
static char **
environment(void)
{
	size_t n = 0, k = 0;

	while (environ[n] != NULL)
		n++;
	char **env = sa_xcalloc(n + 1, sizeof(*env));
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "SA_ERROR_FD=", 12) != 0)
			env[k++] = environ[i];
	return env;
}

int
conn_ask_yarn(const char *store, const char *verb, const char *operand,
    json_t **out, struct sa_err *err)
{
	cleanup_buf struct sa_buf answer = SA_BUF_INIT(ANSWER_MAX);
	cleanup_buf struct sa_buf said = SA_BUF_INIT(4096);
	cleanup_free char *program = sa_proc_own("sa-yarn", err);
	cleanup_free char *dir = sa_xasprintf("--data-dir=%s", store);
	cleanup_free char *word = sa_xstrdup(verb);
	cleanup_free char *about = sa_xstrdup(operand);
	cleanup_free char **env = environment();
	char json[] = "--json";
	char *argv[] = { program, word, dir, json, about, NULL };
	const struct sa_proc_spec spec = { .argv = argv,
		.env = env,
		.out = &answer,
		.errout = &said,
		.timeout_ms = CLUSTER_MS };
	int status = 0;

	if (program == NULL || sa_proc_run(&spec, &status, err) < 0)
		return -1;
	if (answer.len == 0)
		return sa_err_set(err, SA_REMOTE, "sa-yarn %s: %.*s", verb,
		    (int)strcspn(sa_buf_str(&said), "\n"), sa_buf_str(&said));
	if (sa_json_parse(answer.s, answer.len, "sa-yarn", out, err) < 0)
		return -1;
	return sa_json_check_record(*out, "check", false, "sa-yarn", err);
}

static void
check_cluster(const char *store, const char *name, json_t *check)
{
	cleanup_free char *which = sa_xasprintf("--connection=%s", name);
	json_auto_t *answer = NULL;
	struct sa_err err = SA_ERR_INIT;

	if (conn_ask_yarn(store, "check", which, &answer, &err) == 0)
		sa_check_join(check, answer);
	else
		sa_check_add(check, "cluster", false, err.hint, "%s", err.msg);
	sa_err_clear(&err);
}

static int
examine(const struct sa_cli *cli, const struct sa_store *st, const char *name,
    json_t *check, struct sa_err *err)
{
	const struct sa_settings *s = sa_cli_settings(cli);
	json_auto_t *connection = NULL;
	enum sa_master_kind kind;

	if (sa_connection_read(st, name, &connection, err) < 0)
		return -1;
	const char *master = sa_json_str(connection, "master");
	const char *mode = sa_json_str(connection, "deploy_mode");
	if (sa_master_check(master, &kind, err) < 0)
		return -1;
	sa_check_add(check, "connection", true, NULL, "%s, %s mode", master,
	    mode != NULL ? mode : "client");
	check_spark(s, connection, check);
	if (kind == SA_MASTER_YARN)
		check_hadoop(s, connection, check);
	check_files(connection, check);
	if (kind != SA_MASTER_LOCAL)
		check_cluster(sa_store_path(st), name, check);
	return 0;
}

int
conn_check(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *check = sa_check_new("connection");
	cleanup_free char *name = NULL;

	if (sa_cli_subject(cli, "connection,pending,job", "connection,name",
		&name, NULL, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = examine(cli, st, name, check, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	sa_cli_answer(cli, check, sa_check_text);
	return sa_check_ok(check) ? 0 : sa_kind_info(SA_NO)->code;
}
