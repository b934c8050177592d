/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/kubeconfig.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "base/yaml.h"

#define FILE_MAX (1 << 20)

void
sa_kubeconfig_release(struct sa_kubeconfig *k)
{
	char *const all[] = { k->context, k->server, k->namespace, k->ca_file,
		k->ca_pem, k->token, k->token_file, k->cert_file, k->key_file,
		k->cert_pem, k->key_pem, k->login_unknown, k->reach_unknown };

	if (k->token != NULL)
		explicit_bzero(k->token, strlen(k->token));
	if (k->key_pem != NULL)
		explicit_bzero(k->key_pem, strlen(k->key_pem));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(all[i]);
	*k = (struct sa_kubeconfig){ .context = NULL };
}

/* The files, in their order: {"path", "doc"}. */
typedef json_t files_t;

static void
add_file(files_t *files, const char *path, json_t *doc)
{
	json_t *file = json_object();

	sa_json_set_str(file, "path", path);
	json_object_set_new(file, "doc", doc);
	json_array_append_new(files, file);
}

/* The first entry of a list that has this name: its member, with the path of
 * the file that has it. NULL: there is none. */
static const json_t *
find(const files_t *files, const char *list, const char *name,
    const char *member, const char **path)
{
	const json_t *file, *entry;
	size_t i, k;

	json_array_foreach (files, i, file) {
		json_t *doc = json_object_get(file, "doc");
		json_array_foreach (json_object_get(doc, list), k, entry) {
			const char *its = sa_json_str(entry, "name");
			if (its == NULL || strcmp(its, name) != 0)
				continue;
			*path = sa_json_str(file, "path");
			return sa_json_obj(entry, member);
		}
	}
	return NULL;
}

static char *
copy(const json_t *of, const char *member)
{
	const char *s = sa_json_str(of, member);

	return s != NULL && *s != '\0' ? sa_xstrdup(s) : NULL;
}

/* A path beside the file that names it. */
static char *
copy_path(const json_t *of, const char *member, const char *file)
{
	const char *s = sa_json_str(of, member);
	const char *slash = strrchr(file, '/');

	if (s == NULL || *s == '\0')
		return NULL;
	if (*s == '/' || slash == NULL)
		return sa_xstrdup(s);
	return sa_xasprintf("%.*s/%s", (int)(slash - file), file, s);
}

static int
copy_pem(const json_t *of, const char *member, const char *file, char **out,
    struct sa_err *err)
{
	const char *s = sa_json_str(of, member);
	cleanup_buf struct sa_buf b = SA_BUF_INIT(FILE_MAX);

	if (s == NULL || *s == '\0')
		return 0;
	if (!sa_base64_decode(s, &b) || strlen(sa_buf_str(&b)) != b.len) {
		cleanup_free char *shown = sa_text_visible(file);
		return sa_err_set(err, SA_CONFIG,
		    "'%s': %s is not PEM text in base64", shown, member);
	}
	*out = sa_buf_steal(&b);
	return 0;
}

static int
read_cluster(const json_t *c, const char *path, struct sa_kubeconfig *out,
    struct sa_err *err)
{
	static const char *const unknown[] = { "proxy-url", "tls-server-name" };
	const char *insecure = sa_json_str(c, "insecure-skip-tls-verify");

	out->server = copy(c, "server");
	out->ca_file = copy_path(c, "certificate-authority", path);
	for (size_t i = 0; i < 2; i++)
		if (sa_json_str(c, unknown[i]) != NULL &&
		    out->reach_unknown == NULL)
			out->reach_unknown = sa_xstrdup(unknown[i]);
	if (insecure != NULL && strcmp(insecure, "false") != 0 &&
	    out->reach_unknown == NULL)
		out->reach_unknown = sa_xstrdup("insecure-skip-tls-verify");
	return copy_pem(c, "certificate-authority-data", path, &out->ca_pem,
	    err);
}

/* A way to log in that is not ours, as people know it. */
static char *
unknown_login(const json_t *u)
{
	static const char *const others[] = { "as", "as-uid", "as-groups",
		"username", "password" };
	const json_t *exec = sa_json_obj(u, "exec");
	const json_t *provider = sa_json_obj(u, "auth-provider");

	if (exec != NULL || provider != NULL) {
		const char *name = exec != NULL ? sa_json_str(exec, "command")
						: sa_json_str(provider, "name");
		cleanup_free char *shown =
		    sa_text_visible(name != NULL ? name : "?");
		return sa_xasprintf("%s '%s'",
		    exec != NULL ? "the exec plugin" : "the auth-provider",
		    shown);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (json_object_get(u, others[i]) != NULL)
			return sa_xasprintf("'%s'", others[i]);
	return NULL;
}

static int
read_user(const json_t *u, const char *path, struct sa_kubeconfig *out,
    struct sa_err *err)
{
	out->token_file = copy_path(u, "tokenFile", path);
	/* kubectl reads the file where both are there */
	if (out->token_file == NULL)
		out->token = copy(u, "token");
	out->cert_file = copy_path(u, "client-certificate", path);
	out->key_file = copy_path(u, "client-key", path);
	out->login_unknown = unknown_login(u);
	if (copy_pem(u, "client-certificate-data", path, &out->cert_pem, err) <
	    0)
		return -1;
	return copy_pem(u, "client-key-data", path, &out->key_pem, err);
}

static const char *
current(const files_t *files)
{
	const json_t *file;
	size_t i;

	json_array_foreach (files, i, file) {
		const char *name = sa_json_str(json_object_get(file, "doc"),
		    "current-context");
		if (name != NULL && *name != '\0')
			return name;
	}
	return NULL;
}

static int
missing(const char *what, const char *name, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(name);

	sa_err_set(err, SA_CONFIG, "the kubeconfig has no %s '%s'", what,
	    shown);
	return sa_err_hint(err, "kubectl config view shows what it has");
}

static int
choose(const files_t *files, const char *wanted, struct sa_kubeconfig *out,
    struct sa_err *err)
{
	const char *name = wanted != NULL ? wanted : current(files);
	const char *path = "";
	int rc = 0;

	if (name == NULL)
		return 0;
	const json_t *c = find(files, "contexts", name, "context", &path);
	if (c == NULL)
		return missing("context", name, err);
	out->context = sa_xstrdup(name);
	out->namespace = copy(c, "namespace");
	const char *cluster = sa_json_str(c, "cluster");
	const char *user = sa_json_str(c, "user");
	const json_t *its;
	if (cluster != NULL) {
		its = find(files, "clusters", cluster, "cluster", &path);
		rc = its == NULL ? missing("cluster", cluster, err)
				 : read_cluster(its, path, out, err);
	}
	if (rc == 0 && user != NULL && *user != '\0') {
		its = find(files, "users", user, "user", &path);
		rc = its == NULL ? missing("user", user, err)
				 : read_user(its, path, out, err);
	}
	return rc;
}

static int
finish(const files_t *files, const char *context, struct sa_kubeconfig *out,
    struct sa_err *err)
{
	*out = (struct sa_kubeconfig){ .context = NULL };
	if (choose(files, context, out, err) == 0)
		return 0;
	sa_kubeconfig_release(out);
	return -1;
}

static int
parse(files_t *files, const char *text, size_t len, const char *path,
    struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(path);
	json_t *doc = NULL;

	if (sa_yaml_parse(text, len, shown, &doc, err) < 0)
		return -1;
	add_file(files, path, doc);
	return 0;
}

int
sa_kubeconfig_parse(const char *text, size_t len, const char *path,
    const char *context, struct sa_kubeconfig *out, struct sa_err *err)
{
	json_auto_t *files = json_array();

	if (parse(files, text, len, path, err) < 0)
		return -1;
	return finish(files, context, out, err);
}

static int
read_file(files_t *files, const char *path, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(FILE_MAX);
	struct sa_err local = SA_ERR_INIT;
	int rc = sa_io_read_file(AT_FDCWD, path, &b, path, &local);

	if (rc == 0)
		rc = parse(files, sa_buf_str(&b), b.len, path, &local);
	else if (local.kind == SA_NOT_FOUND)
		rc = 0;
	else
		local.kind = SA_CONFIG;
	if (b.s != NULL)
		explicit_bzero(b.s, b.len);
	if (rc < 0 && err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return rc;
}

int
sa_kubeconfig_read(const char *paths, const char *context,
    struct sa_kubeconfig *out, struct sa_err *err)
{
	json_auto_t *files = json_array();
	cleanup_free char *list = sa_xstrdup(paths);
	char *rest = list, *path;

	while ((path = strsep(&rest, ":")) != NULL)
		if (*path != '\0' && read_file(files, path, err) < 0)
			return -1;
	return finish(files, context, out, err);
}
