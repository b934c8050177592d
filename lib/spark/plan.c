/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/pending.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/path.h"
#include "base/text.h"
#include "guard/policy.h"
#include "spark/conf.h"
#include "spark/locate.h"
#include "spark/prepare.h"
#include "spark/waiver.h"

#define NAME_MAX_BYTES 200

void
sa_plan_hash(const json_t *plan, char out[65])
{
	cleanup_free char *text = sa_json_canonical(plan);

	sa_hash_sha256(text, strlen(text), out);
}

static enum sa_origin
origin_of(const json_t *connection, const char *key)
{
	cleanup_free char *member = sa_xasprintf("spark_conf.%s", key);
	const char *name =
	    sa_json_str(sa_json_obj(connection, "origin"), member);

	for (int o = SA_ORIGIN_OPERATOR; name != NULL && o <= SA_ORIGIN_AGENT;
	     o++)
		if (strcmp(name, sa_origin_name((enum sa_origin)o)) == 0)
			return (enum sa_origin)o;
	return SA_ORIGIN_PERSON;
}

static void
set_conf(json_t *conf, const char *key, const char *value,
    enum sa_origin origin)
{
	json_t *entry = json_object();

	sa_json_set_str(entry, "value", value);
	sa_json_set_str(entry, "origin", sa_origin_name(origin));
	json_object_set_new(conf, key, entry);
}

/* The connection's conf, then --conf over it. What was stored is checked
 * again: the file may be the predecessor's or written by hand. */
static int
add_conf(json_t *plan, const struct sa_settings *s, const struct sa_prepare *p,
    struct sa_err *err)
{
	json_t *conf = json_object(), *value;
	json_auto_t *given = json_object();
	enum sa_origin origin = sa_settings_origin(s);
	const char *key;

	json_object_set_new(plan, "conf", conf);
	json_object_foreach (sa_json_obj(p->connection, "spark_conf"), key,
	    value) {
		enum sa_origin from = origin_of(p->connection, key);
		cleanup_free char *text = sa_json_scalar(value);
		if (text == NULL)
			return sa_err_set(err, SA_INVALID,
			    "connection '%s': spark_conf '%s' is no scalar",
			    sa_json_str(p->connection, "name"), key);
		if (sa_conf_check(key, text, from, err) < 0)
			return sa_err_prefix(err, "connection '%s'",
			    sa_json_str(p->connection, "name"));
		set_conf(conf, key, text, from);
	}
	if (sa_conf_add_pairs(given, p->conf.v, p->conf.n, origin, err) < 0)
		return -1;
	json_object_foreach (given, key, value)
		set_conf(conf, key, json_string_value(value), origin);
	return 0;
}

/* What makes a cluster run it once and nobody here wait for it. */
static void
add_forced_mode(const json_t *plan, json_t *forced)
{
	static const char attempts[] = "spark.yarn.maxAppAttempts";

	if (!sa_plan_in_cluster(plan))
		return;
	switch (sa_plan_kind(plan)) {
	case SA_MASTER_YARN:
		sa_json_set_str(forced, "spark.yarn.submit.waitAppCompletion",
		    "false");
		/* a second attempt is a second run; who wants it says so */
		if (sa_json_obj(sa_json_obj(plan, "conf"), attempts) == NULL)
			sa_json_set_str(forced, attempts, "1");
		break;
	case SA_MASTER_KUBERNETES:
		sa_json_set_str(forced,
		    "spark.kubernetes.submission.waitAppCompletion", "false");
		break;
	default:
		break;
	}
}

/*
 * The second line behind the guard: reflection, SQL scripts and text
 * substitution are ways to run what a reader of the script did not see.
 */
static int
add_forced(json_t *plan, const char *guard, const json_t *waivers,
    struct sa_err *err)
{
	json_t *forced = json_object(), *value;
	const char *key;

	sa_json_set_str(plan, "runtime_guard", guard);
	json_object_set_new(plan, "forced", forced);
	if (strcmp(guard, "off") != 0) {
		sa_json_set_str(forced, "spark.sql.reflect.allowList", "none");
		sa_json_set_str(forced, "spark.sql.scripting.enabled", "false");
		sa_json_set_str(forced, "spark.sql.variable.substitute",
		    "false");
	}
	if (sa_waiver_forced(waivers, forced, err) < 0)
		return -1;
	json_object_foreach (sa_json_obj(plan, "conf"), key, value) {
		const char *ours = sa_json_str(forced, key);
		if (ours != NULL && strcmp(ours, sa_json_str(value, "value")))
			return sa_err_set(err, SA_INVALID,
			    "conf '%s' contradicts the runtime guard, which "
			    "sets it to '%s'",
			    key, ours);
	}
	add_forced_mode(plan, forced);
	return 0;
}

static int
check_arg(const char *what, const char *text, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(text);

	if (!sa_text_is_utf8(text, strlen(text)))
		return sa_err_set(err, SA_INVALID, "%s '%s' is not UTF-8", what,
		    shown);
	/* spark-class takes carriage returns out of every argument */
	if (strchr(text, '\r') != NULL)
		return sa_err_set(err, SA_INVALID,
		    "%s '%s' has a carriage return, which spark-submit drops",
		    what, shown);
	if (strcmp(text, SA_MASK) != 0)
		return 0;
	sa_err_set(err, SA_INVALID, "%s '%s' is a masked value", what, shown);
	return sa_err_hint(err, "give the value that it stands for");
}

static int
add_args(json_t *plan, const struct sa_prepare *p, struct sa_err *err)
{
	const struct sa_strings *lists[] = { &p->args, &p->more_args };
	json_t *args = json_array();

	json_object_set_new(plan, "args", args);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < lists[i]->n; k++) {
			const char *arg = lists[i]->v[k];
			if (check_arg("argument", arg, err) < 0)
				return -1;
			json_array_append_new(args, json_string(arg));
		}
	return 0;
}

/* --name, else the conf's, else the script's. */
static int
add_name(json_t *plan, const char *name, const char *script, struct sa_err *err)
{
	const json_t *conf = sa_json_obj(plan, "conf");
	size_t n = strlen(script);

	if (name == NULL)
		name =
		    sa_json_str(sa_json_obj(conf, "spark.app.name"), "value");
	cleanup_free char *text = name != NULL
	    ? sa_xstrdup(name)
	    : sa_xstrndup(script, n > 3 ? n - 3 : n);
	cleanup_free char *shown = sa_text_visible(text);
	if (*text == '\0' || strlen(text) > NAME_MAX_BYTES)
		return sa_err_set(err, SA_INVALID,
		    "--name '%s' is not 1 to %d bytes long", shown,
		    NAME_MAX_BYTES);
	if (strcmp(shown, text) != 0)
		return sa_err_set(err, SA_INVALID,
		    "--name '%s' has a character that cannot be shown", shown);
	sa_json_set_str(plan, "name", text);
	return check_arg("--name", text, err);
}

static int
add_workdir(json_t *plan, const char *dir, struct sa_err *err)
{
	struct stat st;
	cleanup_free char *path = sa_path_absolute(dir != NULL ? dir : ".");
	cleanup_free char *shown = sa_text_visible(path);

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return sa_err_set(err, SA_INVALID,
		    "--workdir '%s' is no directory", shown);
	if (!sa_text_is_utf8(path, strlen(path)))
		return sa_err_set(err, SA_INVALID,
		    "the working directory '%s' is not UTF-8", shown);
	sa_json_set_str(plan, "workdir", path);
	return 0;
}

static void
add_copies(json_t *plan, const json_t *from, const char *const *names)
{
	for (; *names != NULL; names++) {
		const json_t *v = json_object_get(from, *names);
		json_object_set_new(plan, *names,
		    v != NULL ? json_deep_copy(v) : json_null());
	}
}

static int
add_guard(json_t *plan, const struct sa_settings *s, const struct sa_prepare *p,
    const json_t *waivers, struct sa_err *err)
{
	char version[SA_POLICY_VERSION_SIZE];
	struct sa_policy policy;
	bool agent = sa_settings_origin(s) == SA_ORIGIN_AGENT;

	if (sa_policy_settings(&policy, s, err) < 0)
		return -1;
	sa_policy_version(&policy, version);
	json_t *guard = json_object();
	json_object_set_new(guard, "strict", json_boolean(p->strict || agent));
	json_object_set_new(guard, "strict_insert",
	    json_boolean(p->strict_insert));
	json_object_set_new(guard, "unresolved", json_boolean(p->unresolved));
	json_object_set_new(plan, "guard", guard);
	json_object_set_new(plan, "waivers", json_deep_copy(waivers));
	sa_json_set_str(plan, "policy", version);
	return 0;
}

int
sa_plan_new(const struct sa_settings *s, const struct sa_prepare *p,
    const struct sa_prepared *found, json_t **out, struct sa_err *err)
{
	static const char *const of_place[] = { "spark_submit", "spark_home",
		"java", "spark_conf_dir", "spark_defaults", "spark_env",
		"hadoop_conf_dir", NULL };
	static const char *const of_connection[] = { "yarn_rm_url", "yarn_user",
		"auth_file", "ca_file", NULL };
	const char *rm = sa_settings_get(s, SA_SET_RM_URL);
	const char *mode = sa_json_str(p->connection, "deploy_mode");
	json_auto_t *plan = json_object();

	sa_json_set_str(plan, "master", sa_json_str(p->connection, "master"));
	sa_json_set_str(plan, "deploy_mode", mode != NULL ? mode : "client");
	if (add_conf(plan, s, p, err) < 0 ||
	    add_forced(plan, sa_prepare_runtime_guard(p), found->waivers, err) <
		0 ||
	    add_name(plan, p->name, sa_json_str(found->script, "name"), err) <
		0 ||
	    add_args(plan, p, err) < 0 ||
	    add_workdir(plan, p->workdir, err) < 0)
		return -1;
	json_object_set_new(plan, "script", json_deep_copy(found->script));
	json_object_set(plan, "guard_wrapper", found->wrapper);
	json_object_set(plan, "py_files", found->pins.py_files);
	json_object_set(plan, "files", found->pins.files);
	json_object_set(plan, "siblings", found->pins.siblings);
	add_copies(plan, found->located, of_place);
	json_object_set_new(plan, "env",
	    sa_locate_env(p->connection, found->located));
	add_copies(plan, p->connection, of_connection);
	if (sa_json_str(plan, "yarn_rm_url") == NULL && *rm != '\0')
		sa_json_set_str(plan, "yarn_rm_url", rm);
	if (add_guard(plan, s, p, found->waivers, err) < 0 ||
	    sa_plan_check_cluster(plan, err) < 0)
		return -1;
	*out = sa_steal(&plan);
	return 0;
}
