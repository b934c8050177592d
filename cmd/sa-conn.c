/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "conn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/cli.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/record.h"
#include "base/text.h"
#include "spark/conf.h"
#include "spark/connection.h"
#include "spark/master.h"
#include "spark/url.h"

/* Options that are one field each, and the field. */
static const struct {
	const char *option, *field;
} plain[] = {
	{ "master", "master" },
	{ "deploy-mode", "deploy_mode" },
	{ "yarn-rm-url", "yarn_rm_url" },
	{ "spark-home", "spark_home" },
	{ "yarn-user", "yarn_user" },
	{ "auth-file", "auth_file" },
	{ "ca-file", "ca_file" },
	{ "runtime-guard", "runtime_guard" },
};

/* "KEY=VALUE" into a map; "KEY" alone, a request's null, takes it away. */
static void
set_pairs(json_t *changes, const char *map, struct sa_strings pairs)
{
	json_t *object = sa_json_obj(changes, map);

	if (pairs.n == 0)
		return;
	if (object == NULL) {
		object = json_object();
		json_object_set_new(changes, map, object);
	}
	for (size_t i = 0; i < pairs.n; i++) {
		size_t n = strcspn(pairs.v[i], "=");
		cleanup_free char *key = sa_xstrndup(pairs.v[i], n);
		sa_json_set_str(object, key,
		    pairs.v[i][n] == '=' ? pairs.v[i] + n + 1 : NULL);
	}
}

static int
set_conf_file(const struct sa_cli *cli, json_t *changes, struct sa_err *err)
{
	const char *path = sa_cli_str(cli, "conf-file");
	json_t *conf = sa_json_obj(changes, "spark_conf");

	if (path == NULL)
		return 0;
	if (conf == NULL) {
		conf = json_object();
		json_object_set_new(changes, "spark_conf", conf);
	}
	return sa_conf_add_file(conf, path,
	    sa_settings_origin(sa_cli_settings(cli)), err);
}

/* --unset FIELD: a field, or one member of a map. */
static int
unset(const struct sa_cli *cli, json_t *changes, const char *given,
    struct sa_err *err)
{
	cleanup_free char *field = sa_xstrdup(given);
	char *dot = strchr(field, '.');
	bool known = false;

	if (dot != NULL)
		*dot = '\0';
	for (char *p = field; *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	bool map =
	    strcmp(field, "spark_conf") == 0 || strcmp(field, "env") == 0;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		known = known || strcmp(field, plain[i].field) == 0;
	if (map ? dot != NULL && dot[1] == '\0' : dot != NULL || !known) {
		cleanup_free char *shown = sa_text_visible(given);
		cleanup_free char *name = sa_cli_called(cli, "unset");
		sa_err_set(err, SA_INVALID, "%s '%s' is no field", name, shown);
		return sa_err_hint(err,
		    "give a field such as yarn_rm_url, spark_conf or "
		    "spark_conf.KEY");
	}
	if (dot == NULL) {
		json_object_set_new(changes, field, json_null());
		return 0;
	}
	json_t *object = sa_json_obj(changes, field);
	if (object == NULL) {
		object = json_object();
		json_object_set_new(changes, field, object);
	}
	json_object_set_new(object, dot + 1, json_null());
	return 0;
}

static int
collect(const struct sa_cli *cli, json_t *changes, struct sa_err *err)
{
	struct sa_strings fields = sa_cli_list(cli, "unset");

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		const char *value = sa_cli_str(cli, plain[i].option);
		if (value != NULL)
			sa_json_set_str(changes, plain[i].field, value);
	}
	if (set_conf_file(cli, changes, err) < 0)
		return -1;
	set_pairs(changes, "spark_conf", sa_cli_list(cli, "conf"));
	set_pairs(changes, "spark_conf", sa_cli_list(cli, "spark-conf"));
	set_pairs(changes, "env", sa_cli_list(cli, "env"));
	for (size_t i = 0; i < fields.n; i++)
		if (unset(cli, changes, fields.v[i], err) < 0)
			return -1;
	return 0;
}

/* What a piped record says of who set what, and when, is not taken. */
static void
drop_stamps(json_t *record)
{
	json_object_del(record, "origin");
	json_object_del(record, "created_at");
	json_object_del(record, "updated_at");
}

static int
ask_hosts(const struct sa_store *st, const char *named, struct sa_err *err)
{
	json_auto_t *answer = NULL;

	if (conn_ask_yarn(sa_store_path(st), "hosts", named, &answer, err) < 0)
		return -1;
	if (sa_check_ok(answer))
		return 0;
	const json_t *item =
	    json_array_get(json_object_get(answer, "items"), 0);
	const char *why = sa_json_str(item, "detail");
	const char *hint = sa_json_str(item, "hint");
	sa_err_set(err, SA_REFUSED, "%s",
	    why != NULL ? why : "the host is none of rm_hosts");
	return hint != NULL ? sa_err_hint(err, "%s", hint) : -1;
}

/* The hosts that an agent names are judged now, and again when they are
 * asked. */
static int
check_hosts(const struct sa_store *st, const struct sa_settings *s,
    const json_t *changes, struct sa_err *err)
{
	const char *urls = sa_json_str(changes, "yarn_rm_url");
	const char *master = sa_json_str(changes, "master");
	enum sa_master_kind kind = SA_MASTER_LOCAL;

	if (sa_settings_origin(s) != SA_ORIGIN_AGENT)
		return 0;
	if (urls != NULL &&
	    (sa_url_check_rm(urls, err) < 0 || ask_hosts(st, urls, err) < 0))
		return -1;
	if (master != NULL && sa_master_check(master, &kind, err) < 0)
		return -1;
	return kind == SA_MASTER_STANDALONE || kind == SA_MASTER_KUBERNETES
	    ? ask_hosts(st, master, err)
	    : 0;
}

static int
save(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_settings *settings = sa_cli_settings(cli);
	json_auto_t *changes = NULL, *saved = NULL;
	cleanup_free char *name = NULL;

	if (sa_cli_subject(cli, "connection", "name", &name, &changes, err) < 0)
		return -1;
	if (changes == NULL)
		changes = json_object();
	drop_stamps(changes);
	if (sa_connection_check_name(name, err) < 0 ||
	    collect(cli, changes, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(settings, true, err);
	if (st == NULL)
		return -1;
	int rc = check_hosts(st, settings, changes, err);
	if (rc == 0)
		rc = sa_connection_save(st, name, changes,
		    sa_settings_origin(settings), &saved, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	json_auto_t *shown = sa_connection_masked(saved);
	return sa_cli_answer(cli, shown, sa_connection_text);
}

/* Old records are made complete, secrets masked. */
static bool
fix(void *arg, const char *name, json_t *record, bool *changed)
{
	(void)arg;
	sa_connection_complete(record, name);
	json_auto_t *shown = sa_connection_masked(record);
	json_object_update(record, shown);
	*changed = true;
	return true;
}

static int
list(struct sa_cli *cli, struct sa_err *err)
{
	static const struct sa_column columns[] = { { "NAME", "name" },
		{ "MASTER", "master" }, { "MODE", "deploy_mode" },
		{ "RM", "yarn_rm_url" }, { "UPDATED", "updated_at" },
		{ NULL, NULL } };
	const struct sa_record_list l = { .dir = "connections",
		.flat = true,
		.types = "connection",
		.legacy = true,
		.type = "connection",
		.columns = columns,
		.fix = fix };
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);

	if (st == NULL)
		return -1;
	int rc = sa_record_list(st, cli, &l, err);
	sa_store_free(st);
	return rc;
}

static int
show(struct sa_cli *cli, struct sa_err *err)
{
	bool reveal = sa_cli_flag(cli, "reveal");
	json_auto_t *record = NULL;
	cleanup_free char *name = NULL;

	if (reveal && !isatty(STDOUT_FILENO))
		return sa_err_set(err, SA_USAGE,
		    "--reveal shows secrets at a terminal only");
	if (sa_cli_subject(cli, "connection,pending,job", "connection,name",
		&name, NULL, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	if (st == NULL)
		return -1;
	int rc = sa_connection_read(st, name, &record, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	json_auto_t *masked = sa_connection_masked(record);
	return sa_cli_answer(cli, reveal ? record : masked, sa_connection_text);
}

static int
delete_(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_settings *settings = sa_cli_settings(cli);
	json_auto_t *record = NULL;
	cleanup_free char *name = NULL;

	if (sa_cli_subject(cli, "connection", "name", &name, NULL, err) < 0)
		return -1;
	struct sa_store *st = sa_store_open(settings, false, err);
	if (st == NULL)
		return -1;
	int rc = sa_connection_delete(st, name, sa_settings_origin(settings),
	    &record, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	json_auto_t *shown = sa_connection_masked(record);
	return sa_cli_answer(cli, shown, sa_connection_text);
}

/* A setting as an item of setting_list. */
static json_t *
setting(const struct sa_settings *s, enum sa_setting id)
{
	const struct sa_setting_def *def = sa_setting_def(id);
	const char *value = sa_settings_get(s, id);
	json_t *item = sa_json_record("setting");

	sa_json_set_str(item, "name", def->key != NULL ? def->key : def->env);
	sa_json_set_str(item, "value", sa_mask_show("", value));
	sa_json_set_str(item, "source", sa_settings_source(s, id));
	sa_json_set_str(item, "key", def->key);
	sa_json_set_str(item, "environment", def->env);
	sa_json_set_str(item, "option", def->option);
	json_object_set_new(item, "policy", json_boolean(def->policy));
	sa_json_set_str(item, "meaning", def->meaning);
	return item;
}

static void
config_text(FILE *f, const json_t *list_record)
{
	const json_t *item;
	size_t i;

	fprintf(f, "%-26s %-30s %s\n", "SETTING", "VALUE", "SOURCE");
	json_array_foreach (json_object_get(list_record, "items"), i, item) {
		cleanup_free char *value =
		    sa_text_visible(sa_json_str(item, "value"));
		cleanup_free char *source =
		    sa_text_visible(sa_json_str(item, "source"));
		fprintf(f, "%-26s %-30s %s\n", sa_json_str(item, "name"),
		    *value != '\0' ? value : "-", source);
	}
}

static int
config(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *record = sa_json_record("setting_list");
	json_t *items = json_array();

	(void)err;
	json_object_set_new(record, "items", items);
	json_object_set_new(record, "next", json_null());
	for (int id = 0; id < SA_SET_COUNT; id++)
		json_array_append_new(items,
		    setting(sa_cli_settings(cli), (enum sa_setting)id));
	if (sa_cli_flag(cli, "json"))
		return sa_cli_answer(cli, record, NULL);
	config_text(stdout, record);
	return 0;
}

static const struct sa_verb verbs[] = {
	{ "save", "[NAME]", 0, 1, SA_VERB_REQUEST, "name",
	    "make a connection, or change the fields that are given", save },
	{ "list", "", 0, 0, SA_VERB_REQUEST, NULL, "all connections", list },
	{ "show", "[NAME]", 0, 1, SA_VERB_REQUEST, "name",
	    "one connection, secrets masked", show },
	{ "delete", "[NAME]", 0, 1, SA_VERB_REQUEST, "name",
	    "remove a connection; its jobs go on", delete_ },
	{ "check", "[NAME]", 0, 1, SA_VERB_REQUEST, "name",
	    "whether jobs can be submitted over it, and followed", conn_check },
	{ "config", "", 0, 0, 0, NULL,
	    "every setting, its value and where that came from", config },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "master", 'm', SA_OPT_STRING, SA_OPT_REQUEST, "save", "URL",
	    "yarn (the default), local[N], spark://HOST:PORT, k8s://HOST:PORT",
	    0, 0 },
	{ "deploy-mode", 0, SA_OPT_STRING, SA_OPT_REQUEST, "save", "MODE",
	    "client (the default) or cluster", 0, 0 },
	{ "conf", 0, SA_OPT_MAP, 0, "save", "KEY=VALUE",
	    "a Spark property; may be repeated", 0, 0 },
	{ "spark-conf", 0, SA_OPT_MAP, SA_OPT_MEMBER, "save", "KEY=VALUE",
	    "Spark properties of a request", 0, 0 },
	{ "conf-file", 0, SA_OPT_STRING, 0, "save", "FILE",
	    "Spark properties from a JSON object or from lines as in "
	    "spark-defaults.conf",
	    0, 0 },
	{ "yarn-rm-url", 0, SA_OPT_STRING, SA_OPT_REQUEST, "save", "URL",
	    "the ResourceManager's web address, several with commas", 0, 0 },
	{ "spark-home", 0, SA_OPT_STRING, SA_OPT_REQUEST, "save", "DIR",
	    "directory whose bin/spark-submit is used", 0, 0 },
	{ "env", 0, SA_OPT_MAP, SA_OPT_REQUEST, "save", "NAME=VALUE",
	    "a variable of spark-submit's environment; may be repeated", 0, 0 },
	{ "yarn-user", 0, SA_OPT_STRING, SA_OPT_REQUEST, "save", "USER",
	    "the user whose applications YARN shall list", 0, 0 },
	{ "auth-file", 0, SA_OPT_STRING, SA_OPT_REQUEST, "save", "FILE",
	    "file with the ResourceManager's credentials", 0, 0 },
	{ "ca-file", 0, SA_OPT_STRING, SA_OPT_REQUEST, "save", "FILE",
	    "certificates that are trusted for https", 0, 0 },
	{ "runtime-guard", 0, SA_OPT_STRING, SA_OPT_REQUEST, "save", "WORD",
	    "conf, wrapper or off: how the guard goes along with a job", 0, 0 },
	{ "unset", 0, SA_OPT_LIST, SA_OPT_REQUEST, "save", "FIELD",
	    "take a field, spark_conf.KEY or env.NAME away", 0, 0 },
	{ "reveal", 0, SA_OPT_FLAG, 0, "show", NULL,
	    "show secrets too, at a terminal only", 0, 0 },
	SA_CLI_LIST_OPTS("list"),
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = "sa-conn",
	.summary = "Connections to Spark: where jobs run and with which "
		   "properties.",
	.verbs = verbs,
	.opts = opts,
	.at_terminal = "list",
	.otherwise = "list",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
