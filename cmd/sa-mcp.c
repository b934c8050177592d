/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "mcp.h"
#include "mcp/catalog.h"
#include "mcp/child.h"
#include "mcp/server.h"
#include "sandbox/session.h"

#define NAME "sa-mcp"

extern char **environ;

char *
mcp_data_dir(const struct sa_settings *settings, struct sa_err *err)
{
	const char *dir = sa_settings_get(settings, SA_SET_DATA_DIR);
	struct stat st;

	if (sa_settings_is_set(settings, SA_SET_DATA_DIR) ||
	    (stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
		access(dir, W_OK) == 0))
		return sa_path_absolute(dir);
	cleanup_free char *path = sa_path_absolute(dir);
	sa_err_set(err, SA_CONFIG,
	    "no data directory is set, and there is no '%s' to write to", path);
	sa_err_hint(err, "set %s, or give --data-dir",
	    sa_setting_def(SA_SET_DATA_DIR)->env);
	return NULL;
}

/* A variable in place of the one with its name. */
static void
set_variable(void *arg, const char *name, const char *value)
{
	struct sa_strings *env = arg;
	size_t len = strlen(name);
	cleanup_free char *text = sa_xasprintf("%s=%s", name, value);

	for (size_t i = 0; i < env->n; i++)
		if (strncmp(env->v[i], text, len + 1) == 0) {
			free(env->v[i]);
			env->v[i] = sa_steal(&text);
			return;
		}
	env->v = sa_xrealloc(env->v, env->n + 2, sizeof(*env->v));
	env->v[env->n++] = sa_steal(&text);
	env->v[env->n] = NULL;
}

/* What the commands get: our environment, what our options say, and that an
 * agent is asking; nothing yet of what there is only once calls come. */
static int
make_environment(const struct sa_cli *cli, struct sa_strings *env,
    struct sa_err *err)
{
	const struct sa_settings *settings = sa_cli_settings(cli);

	for (char **p = environ; *p != NULL; p++) {
		env->v = sa_xrealloc(env->v, env->n + 2, sizeof(*env->v));
		env->v[env->n++] = sa_xstrdup(*p);
		env->v[env->n] = NULL;
	}
	for (int id = 0; id < SA_SET_COUNT; id++) {
		const struct sa_setting_def *def =
		    sa_setting_def((enum sa_setting)id);
		if (def->option != NULL && def->env != NULL &&
		    sa_settings_is_set(settings, (enum sa_setting)id))
			set_variable(env, def->env,
			    sa_settings_get(settings, (enum sa_setting)id));
	}
	set_variable(env, sa_setting_def(SA_SET_ORIGIN)->env, "agent");
	set_variable(env, sa_setting_def(SA_SET_ERROR_FD)->env, "");
	return mcp_sandbox_variables(cli, set_variable, env, err);
}

/* The rest of it: where state is, and which session this is. */
static void
finish_environment(struct sa_strings *env, const char *data_dir)
{
	cleanup_free char *report = sa_xasprintf("%d", SA_MCP_REPORT_FD);
	char session[SA_SESSION_TOKEN];

	sa_session_new_token(session);
	set_variable(env, sa_setting_def(SA_SET_SESSION)->env, session);
	set_variable(env, sa_setting_def(SA_SET_DATA_DIR)->env, data_dir);
	set_variable(env, sa_setting_def(SA_SET_ERROR_FD)->env, report);
}

static void
release_environment(struct sa_strings *env)
{
	for (size_t i = 0; i < env->n; i++)
		free(env->v[i]);
	free(env->v);
}

static const char *
access_of(const struct sa_mcp_tool *t)
{
	if (t->read_only)
		return "reads";
	return sa_json_bool(t->annotations, "destructiveHint", true) ? "changes"
								     : "adds";
}

static void
list_text(FILE *f, const json_t *list)
{
	const json_t *items = json_object_get(list, "items"), *item;
	size_t width = 0, i;

	json_array_foreach (items, i, item) {
		size_t n = strlen(sa_json_str(item, "name"));
		width = n > width ? n : width;
	}
	json_array_foreach (items, i, item) {
		cleanup_free char *title =
		    sa_text_visible(sa_json_str(item, "title"));
		fprintf(f, "%-*s  %-8s  %s\n", (int)width,
		    sa_json_str(item, "name"), sa_json_str(item, "access"),
		    title);
	}
}

static int
list_tools(const struct sa_cli *cli, const struct sa_mcp_catalog *c)
{
	json_auto_t *list = sa_json_record("tool_list");
	json_t *items = json_array();

	for (size_t i = 0; i < c->n; i++) {
		json_t *item = json_object();
		sa_json_set_str(item, "name", c->tools[i].name);
		sa_json_set_str(item, "access", access_of(&c->tools[i]));
		sa_json_set_str(item, "title", c->tools[i].title);
		json_array_append_new(items, item);
	}
	json_object_set_new(list, "items", items);
	json_object_set_new(list, "next", json_null());
	if (sa_cli_flag(cli, "json"))
		return sa_cli_answer(cli, list, NULL);
	list_text(stdout, list);
	return 0;
}

static int
print_catalog(const char *path, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_MCP_CATALOG_MAX);
	size_t len;
	const char *text = sa_mcp_catalog_builtin(&len);

	if (path != NULL) {
		if (sa_io_read_file(AT_FDCWD, path, &b, "the catalogue", err) <
		    0)
			return -1;
		text = sa_buf_str(&b);
		len = b.len;
	}
	fwrite(text, 1, len, stdout);
	return 0;
}

/* The log says what is offered to models, and under which policy. */
static void
announce(const struct sa_settings *settings, const struct sa_mcp_catalog *c)
{
	if (sa_settings_confirm(settings) == SA_CONFIRM_OPEN)
		sa_warn("confirm = open (%s): agents submit jobs that no "
			"person has seen",
		    sa_settings_source(settings, SA_SET_CONFIRM));
	for (size_t i = 0; i < c->n; i++)
		sa_info("tool %s: %s", c->tools[i].name, c->tools[i].title);
}

static int
run(struct sa_cli *cli, const struct sa_mcp_catalog *c, struct sa_strings *env,
    struct sa_err *err)
{
	const struct sa_settings *settings = sa_cli_settings(cli);

	if (sa_cli_flag(cli, "list-tools"))
		return list_tools(cli, c);
	if (sa_cli_str(cli, "print-config") != NULL)
		return mcp_print_config(stdout, cli,
		    sa_cli_str(cli, "print-config"), err);
	cleanup_free char *data_dir = mcp_data_dir(settings, err);
	if (data_dir == NULL)
		return -1;
	if (sa_cli_flag(cli, "self-test"))
		return mcp_self_test(cli, c, env->v, data_dir);
	if (isatty(STDIN_FILENO)) {
		sa_err_set(err, SA_USAGE,
		    "stdin is a terminal, and a client of MCP is expected "
		    "there");
		return sa_err_hint(err,
		    "--print-config tells a client how to start it, "
		    "--list-tools and --self-test are for you");
	}
	announce(settings, c);
	finish_environment(env, data_dir);
	return sa_mcp_serve(c, env->v, err);
}

static int
serve(struct sa_cli *cli, struct sa_err *err)
{
	const char *path = sa_cli_str(cli, "catalog");
	struct sa_strings env = { NULL, 0 };
	struct sa_mcp_catalog c;

	if (sa_cli_flag(cli, "print-catalog"))
		return print_catalog(path, err);
	int rc = sa_mcp_catalog_load(&c, path, err);
	if (rc == 0)
		rc = make_environment(cli, &env, err);
	if (rc == 0 && mcp_sandbox_is_on(cli))
		rc = mcp_sandbox_add(&c, env.v, err);
	if (rc == 0)
		rc = sa_mcp_catalog_select(&c, sa_cli_str(cli, "tools"),
		    sa_cli_flag(cli, "read-only"), err);
	if (rc == 0)
		rc = run(cli, &c, &env, err);
	release_environment(&env);
	sa_mcp_catalog_release(&c);
	return rc;
}

static const struct sa_verb verbs[] = {
	{ "serve", "", 0, 0, 0, NULL,
	    "offer the tools to the client on stdin and stdout", serve },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "catalog", 0, SA_OPT_STRING, 0, "serve", "FILE",
	    "the tools of this file in place of those built in", 0, 0 },
	{ "read-only", 0, SA_OPT_FLAG, 0, "serve", NULL,
	    "only the tools that change nothing", 0, 0 },
	{ "tools", 0, SA_OPT_STRING, 0, "serve", "NAME,...",
	    "only the tools with these names", 0, 0 },
	{ "sandbox-tools", 0, SA_OPT_FLAG, 0, "serve", NULL,
	    "tools to run commands in a sandbox of the session", 0, 0 },
	{ "sandbox", 0, SA_OPT_STRING, 0, "serve", "SANDBOX",
	    "the same in this sandbox, which stays", 0, 0 },
	{ "holder", 0, SA_OPT_STRING, 0, "serve", "WHO", "who holds that one",
	    0, 0 },
	{ "allow-egress", 0, SA_OPT_LIST, 0, "serve", "HOST",
	    "let the sandbox reach this host[:PORT]; may be repeated", 0, 0 },
	{ "allow-cidr", 0, SA_OPT_LIST, 0, "serve", "RANGE",
	    "let it reach these IPv4 addresses; may be repeated", 0, 0 },
	{ "open-network", 0, SA_OPT_FLAG, 0, "serve", NULL,
	    "let it reach any network; none by default", 0, 0 },
	{ "memory", 'm', SA_OPT_STRING, 0, "serve", "SIZE",
	    "its memory, such as 512M", 0, 0 },
	{ "cpus", 0, SA_OPT_NUMBER, 0, "serve", "N",
	    "its processors, such as 1.5", 0, 0 },
	{ "pids", 0, SA_OPT_NUMBER, 0, "serve", "N", "its processes", 0, 0 },
	{ "disk", 0, SA_OPT_STRING, 0, "serve", "SIZE",
	    "what its files may take", 0, 0 },
	{ "expires", 0, SA_OPT_STRING, 0, "serve", "TIME",
	    "how long it lasts, such as 15m or 24h", 0, 0 },
	{ "ro", 0, SA_OPT_LIST, 0, "serve", "PATH",
	    "a path of this host that it sees, read only; may be repeated", 0,
	    0 },
	{ "root", 0, SA_OPT_STRING, 0, "serve", "DIR",
	    "a root tree in place of this host's /usr", 0, 0 },
	{ "env-file", 0, SA_OPT_STRING, 0, "serve", "FILE",
	    "its variables, one NAME=VALUE a line", 0, 0 },
	{ "list-tools", 0, SA_OPT_FLAG, 0, "serve", NULL,
	    "print a table of the tools and stop", 0, 0 },
	{ "print-config", 0, SA_OPT_STRING, 0, "serve", "CLIENT",
	    "print what claude, codex, cursor, vscode or gemini is to be "
	    "told, and stop",
	    0, 0 },
	{ "print-catalog", 0, SA_OPT_FLAG, 0, "serve", NULL,
	    "print the catalogue as a file and stop", 0, 0 },
	{ "self-test", 0, SA_OPT_FLAG, 0, "serve", NULL,
	    "tell what would be served and whether it can, and stop", 0, 0 },
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = NAME,
	.summary = "The toolkit for language models: a server of MCP.",
	.verbs = verbs,
	.opts = opts,
	.at_terminal = "serve",
	.otherwise = "serve",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
