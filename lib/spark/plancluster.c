/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/pending.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/text.h"

#define DEFAULTS_MAX (1024 * 1024)

/* Whether a line of a properties file sets a key that begins so. */
static bool
sets(const char *line, const char *head, bool whole)
{
	size_t n = strlen(head);

	line += strspn(line, " \t\f");
	return strncasecmp(line, head, n) == 0 &&
	    (!whole || (line[n] != '\0' && strchr(" \t\f=:", line[n])));
}

/* The same for what applies where nothing else is said, spark-defaults.conf.
 * One that cannot be read says nothing: confirm refuses a plan of it. */
static bool
defaults_set(const json_t *plan, const char *head, bool whole)
{
	const char *path =
	    sa_json_str(sa_json_obj(plan, "spark_defaults"), "path");
	cleanup_buf struct sa_buf b = SA_BUF_INIT(DEFAULTS_MAX);

	if (path == NULL || sa_io_read_file(AT_FDCWD, path, &b, path, NULL) < 0)
		return false;
	for (char *rest = b.s, *line; (line = strsep(&rest, "\n")) != NULL;)
		if (sets(line, head, whole))
			return true;
	return false;
}

/* A key that is set by the connection, by --conf or by the defaults. */
static bool
is_set(const json_t *plan, const char *key)
{
	return sa_json_obj(sa_json_obj(plan, "conf"), key) != NULL ||
	    defaults_set(plan, key, true);
}

/* Containers get everything into one directory, and the second of a name is
 * refused there or left out. */
static int
take_name(json_t *names, const json_t *file, struct sa_err *err)
{
	const char *name = sa_json_str(file, "name");

	if (name == NULL)
		return 0;
	if (json_object_get(names, name) != NULL) {
		cleanup_free char *shown = sa_text_visible(name);
		sa_err_set(err, SA_INVALID,
		    "two of the files that go to the cluster are named '%s'",
		    shown);
		return sa_err_hint(err,
		    "in cluster mode they share a directory: rename one");
	}
	json_object_set_new(names, name, json_true());
	return 0;
}

static const char *const carried[] = { "py_files", "siblings", "files" };

static int
check_names(const json_t *plan, struct sa_err *err)
{
	json_auto_t *names = json_object();
	json_t *file;
	size_t k;

	if (take_name(names, sa_json_obj(plan, "script"), err) < 0 ||
	    take_name(names, sa_json_obj(plan, "guard_wrapper"), err) < 0)
		return -1;
	for (size_t i = 0; i < 3; i++)
		json_array_foreach (json_object_get(plan, carried[i]), k, file)
			if (take_name(names, file, err) < 0)
				return -1;
	return 0;
}

/* The pod's template is ours: it is what mounts the script. */
static int
check_template(const json_t *plan, struct sa_err *err)
{
	static const char head[] = "spark.kubernetes.driver.podTemplate";
	const char *key, *found = NULL;
	json_t *entry;

	json_object_foreach (sa_json_obj(plan, "conf"), key, entry)
		if (sets(key, head, false))
			found = key;
	if (found == NULL && !defaults_set(plan, head, false))
		return 0;
	if (found != NULL)
		sa_err_set(err, SA_INVALID,
		    "conf '%s' cannot be set in cluster mode on Kubernetes: "
		    "the template that mounts the script is forced",
		    found);
	else
		sa_err_set(err, SA_INVALID,
		    "spark-defaults.conf sets %s*, and in cluster mode on "
		    "Kubernetes the template that mounts the script is forced",
		    head);
	return sa_err_hint(err,
	    "say it with spark.kubernetes.driver.* keys, or bake it into the "
	    "image");
}

/* What spark-submit would have to upload from this host. */
static int
check_uploads(const json_t *plan, struct sa_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < 3; i++)
		n += json_array_size(json_object_get(plan, carried[i]));
	if (n == 0 || is_set(plan, "spark.kubernetes.file.upload.path"))
		return 0;
	sa_err_set(err, SA_INVALID,
	    "%zu file%s beside the script, and the connection has no "
	    "spark.kubernetes.file.upload.path to which Spark could copy them",
	    n, n == 1 ? " goes" : "s go");
	return sa_err_hint(err,
	    "save that key in the connection, or bake the files into the "
	    "image");
}

/* The script as an entry of a ConfigMap. */
static int
check_script(const json_t *plan, struct sa_err *err)
{
	const json_t *script = sa_json_obj(plan, "script");
	const char *name = sa_json_str(script, "name");
	json_int_t size = sa_json_int(script, "size", 0) +
	    sa_json_int(sa_json_obj(plan, "guard_wrapper"), "size", 0);

	for (const char *p = name; p != NULL && *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && strchr("._-", *p) == NULL) {
			cleanup_free char *shown = sa_text_visible(name);
			sa_err_set(err, SA_INVALID,
			    "the script's name '%s' is none for a ConfigMap",
			    shown);
			return sa_err_hint(err,
			    "name it with letters, digits, '.', '_' and '-'");
		}
	if (size <= SA_KUBE_MAX)
		return 0;
	sa_err_set(err, SA_INVALID,
	    "the script has %lld bytes with what guards it, and a ConfigMap "
	    "takes %d",
	    (long long)size, SA_KUBE_MAX);
	return sa_err_hint(err, "move data out of the script");
}

static int
check_kubernetes(const json_t *plan, struct sa_err *err)
{
	static const char key[] = "spark.kubernetes.container.image";

	if (!is_set(plan, key) &&
	    !is_set(plan, "spark.kubernetes.driver.container.image")) {
		sa_err_set(err, SA_INVALID,
		    "cluster mode on Kubernetes needs conf '%s'", key);
		sa_err_hint(err,
		    "save it in the connection: --conf "
		    "%s=IMAGE",
		    key);
		return sa_err_agent_hint(err,
		    "a person has to save it in the connection");
	}
	if (check_template(plan, err) < 0 || check_uploads(plan, err) < 0)
		return -1;
	return check_script(plan, err);
}

/* A standalone master shows what it is given to whoever asks. */
static int
check_standalone(const json_t *plan, struct sa_err *err)
{
	const char *key;
	json_t *entry;

	json_object_foreach (sa_json_obj(plan, "conf"), key, entry) {
		const char *value = sa_json_str(entry, "value");
		if (value == NULL ||
		    (!sa_mask_key(key) && !sa_mask_value(value)))
			continue;
		sa_err_set(err, SA_INVALID,
		    "conf '%s' is secret, and a standalone master would show "
		    "it to everybody in cluster mode",
		    key);
		return sa_err_hint(err,
		    "use client mode, or put it where the workers are");
	}
	return 0;
}

int
sa_plan_check_cluster(const json_t *plan, struct sa_err *err)
{
	if (!sa_plan_in_cluster(plan))
		return 0;
	if (check_names(plan, err) < 0)
		return -1;
	switch (sa_plan_kind(plan)) {
	case SA_MASTER_KUBERNETES:
		return check_kubernetes(plan, err);
	case SA_MASTER_STANDALONE:
		return check_standalone(plan, err);
	default:
		return 0;
	}
}
