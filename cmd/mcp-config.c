/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "mcp.h"

/* Clients start a server with next to no environment, in a directory of their
 * own, so what is set now and would be missed is written down, and directories
 * by their whole path. These are no settings of ours; PATH may have Spark and
 * Java, and a person's policy is where XDG_CONFIG_HOME says. */
static const struct {
	const char *name;
	bool dir;
} foreign[] = {
	{ "HADOOP_CONF_DIR", true },
	{ "JAVA_HOME", true },
	{ "KRB5CCNAME", false },
	{ "PATH", false },
	{ "PYSPARK_PYTHON", false },
	{ "SPARK_CONF_DIR", true },
	{ "SPARK_HOME", true },
	{ "XDG_CONFIG_HOME", false },
	{ "YARN_CONF_DIR", true },
};

static void
add_variable(json_t *env, const char *name, const char *value, bool path)
{
	if (value == NULL || *value == '\0')
		return;
	cleanup_free char *whole = path ? sa_path_absolute(value) : NULL;
	sa_json_set_str(env, name, path ? whole : value);
}

static bool
is_path(int id)
{
	return id == SA_SET_JOBS_DIR || id == SA_SET_CONFIG ||
	    id == SA_SET_ALLOWED_SIGNERS || id == SA_SET_SIGNING_KEY ||
	    id == SA_SET_SANDBOX_ROOT || id == SA_SET_SANDBOX_ENV_FILE;
}

static json_t *
environment(const struct sa_settings *settings, const char *data_dir)
{
	json_t *env = json_object();

	sa_json_set_str(env, sa_setting_def(SA_SET_DATA_DIR)->env, data_dir);
	for (int id = 0; id < SA_SET_COUNT; id++) {
		const struct sa_setting_def *def =
		    sa_setting_def((enum sa_setting)id);
		if (def->env == NULL || id == SA_SET_DATA_DIR ||
		    id == SA_SET_ORIGIN || id == SA_SET_SESSION ||
		    id == SA_SET_ERROR_FD)
			continue;
		bool given = def->option != NULL &&
		    sa_settings_is_set(settings, (enum sa_setting)id);
		add_variable(env, def->env,
		    given ? sa_settings_get(settings, (enum sa_setting)id)
			  : getenv(def->env),
		    is_path(id));
	}
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		add_variable(env, foreign[i].name, getenv(foreign[i].name),
		    foreign[i].dir);
	return env;
}

static json_t *
arguments(const struct sa_cli *cli)
{
	json_t *args = json_array();
	const char *catalog = sa_cli_str(cli, "catalog");
	const char *tools = sa_cli_str(cli, "tools");

	if (catalog != NULL) {
		cleanup_free char *path = sa_path_absolute(catalog);
		json_array_append_new(args, json_string("--catalog"));
		json_array_append_new(args, json_string(path));
	}
	if (sa_cli_flag(cli, "read-only"))
		json_array_append_new(args, json_string("--read-only"));
	if (tools != NULL) {
		json_array_append_new(args, json_string("--tools"));
		json_array_append_new(args, json_string(tools));
	}
	mcp_sandbox_arguments(cli, args);
	return args;
}

/* {"SERVERS":{"sa":{...}}}, what all clients but one have. */
static void
print_json(FILE *f, const char *servers, json_t *server)
{
	json_auto_t *root = json_object();
	json_t *all = json_object();

	json_object_set(all, "sa", server);
	json_object_set_new(root, servers, all);
	json_dumpf(root, f, JSON_INDENT(2));
	fputc('\n', f);
}

/* A JSON string is a basic string of TOML too. */
static void
print_toml(FILE *f, const json_t *server)
{
	const json_t *env = json_object_get(server, "env");
	const char *key;
	json_t *value;

	fputs("[mcp_servers.sa]\n", f);
	json_object_foreach ((json_t *)(uintptr_t)server, key, value)
		if (value != env) {
			cleanup_free char *text = sa_json_text(value);
			fprintf(f, "%s = %s\n", key, text);
		}
	fputs("\n[mcp_servers.sa.env]\n", f);
	json_object_foreach ((json_t *)(uintptr_t)env, key, value) {
		cleanup_free char *text = sa_json_text(value);
		fprintf(f, "%s = %s\n", key, text);
	}
}

/* Longer than the slowest tool takes, and than a command in a sandbox. */
#define TIMEOUT_SECONDS 70
#define SANDBOX_SECONDS 340

static const struct client {
	const char *name;
	const char *servers; /* NULL: TOML */
	const char *type;    /* a member that names the transport, or none */
	const char *timeout; /* a member for the time a call may take */
	int unit;	     /* of it, in a second */
} clients[] = {
	{ "claude", "mcpServers", NULL, NULL, 0 },
	{ "codex", NULL, NULL, "tool_timeout_sec", 1 },
	{ "cursor", "mcpServers", "stdio", NULL, 0 },
	{ "vscode", "servers", "stdio", NULL, 0 },
	{ "gemini", "mcpServers", NULL, "timeout", 1000 },
};

int
mcp_print_config(FILE *f, const struct sa_cli *cli, const char *name,
    struct sa_err *err)
{
	size_t n = sizeof(clients) / sizeof(*clients), i = 0;

	while (i < n && strcmp(clients[i].name, name) != 0)
		i++;
	if (i == n) {
		sa_err_set(err, SA_USAGE,
		    "--print-config '%s': this client is not known", name);
		return sa_err_hint(err,
		    "it is claude, codex, cursor, vscode or gemini");
	}
	const struct client *c = &clients[i];
	const struct sa_settings *settings = sa_cli_settings(cli);
	cleanup_free char *data_dir = mcp_data_dir(settings, err);
	cleanup_free char *self =
	    data_dir != NULL ? sa_proc_own("sa-mcp", err) : NULL;
	if (self == NULL)
		return -1;
	json_auto_t *server = json_object();
	json_int_t seconds =
	    mcp_sandbox_is_on(cli) ? SANDBOX_SECONDS : TIMEOUT_SECONDS;
	if (c->type != NULL)
		sa_json_set_str(server, "type", c->type);
	sa_json_set_str(server, "command", self);
	json_object_set_new(server, "args", arguments(cli));
	if (c->timeout != NULL)
		json_object_set_new(server, c->timeout,
		    json_integer(seconds * c->unit));
	json_object_set_new(server, "env", environment(settings, data_dir));
	if (c->servers != NULL)
		print_json(f, c->servers, server);
	else
		print_toml(f, server);
	return 0;
}
