/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/text.h"
#include "mcp.h"
#include "sandbox/session.h"

#define TOOLS_MS 15000

/* Options that are a setting of the sandbox each; more than one value is
 * joined by the separator, a path of the host starts at our directory. */
static const struct {
	const char *option;
	enum sa_setting id;
	char separator;
	bool path;
} options[] = {
	{ "allow-egress", SA_SET_SANDBOX_EGRESS, ',', false },
	{ "allow-cidr", SA_SET_SANDBOX_CIDR, ',', false },
	{ "memory", SA_SET_SANDBOX_MEMORY, 0, false },
	{ "cpus", SA_SET_SANDBOX_CPUS, 0, false },
	{ "pids", SA_SET_SANDBOX_PIDS, 0, false },
	{ "disk", SA_SET_SANDBOX_DISK, 0, false },
	{ "expires", SA_SET_SANDBOX_EXPIRES, 0, false },
	{ "ro", SA_SET_SANDBOX_RO, ':', true },
	{ "root", SA_SET_SANDBOX_ROOT, 0, true },
	{ "env-file", SA_SET_SANDBOX_ENV_FILE, 0, true },
};
#define NOPTIONS (sizeof(options) / sizeof(*options))

bool
mcp_sandbox_is_on(const struct sa_cli *cli)
{
	return sa_cli_flag(cli, "sandbox-tools") ||
	    sa_cli_str(cli, "sandbox") != NULL ||
	    sa_settings_number(sa_cli_settings(cli), SA_SET_MCP_SANDBOX) != 0;
}

const char *
mcp_sandbox_name(const struct sa_cli *cli)
{
	const char *name = sa_cli_str(cli, "sandbox");

	if (name != NULL || sa_cli_flag(cli, "sandbox-tools"))
		return name;
	name = sa_settings_get(sa_cli_settings(cli), SA_SET_MCP_SANDBOX);
	return sa_box_is_name(name) ? name : NULL;
}

/* The first option that is about a sandbox which is to be made, or NULL. */
static const char *
spec_given(const struct sa_cli *cli)
{
	if (sa_cli_flag(cli, "open-network"))
		return "open-network";
	for (size_t i = 0; i < NOPTIONS; i++)
		if (sa_cli_given(cli, options[i].option))
			return options[i].option;
	return NULL;
}

static int
check_words(const struct sa_cli *cli, struct sa_err *err)
{
	const char *given = spec_given(cli), *name = sa_cli_str(cli, "sandbox");

	if (name != NULL && given != NULL)
		return sa_err_set(err, SA_USAGE,
		    "--%s is for a sandbox that is made, and the one of "
		    "--sandbox stands already",
		    given);
	if (mcp_sandbox_name(cli) == NULL && sa_cli_given(cli, "holder"))
		return sa_err_set(err, SA_USAGE,
		    "--holder is for a sandbox that stands already, and "
		    "--sandbox names none");
	if (given != NULL && !mcp_sandbox_is_on(cli)) {
		sa_err_set(err, SA_USAGE,
		    "--%s is for a sandbox, and models get none", given);
		return sa_err_hint(err, "give --sandbox-tools too");
	}
	if (name == NULL || sa_box_is_name(name))
		return 0;
	cleanup_free char *shown = sa_text_visible(name);
	sa_err_set(err, SA_USAGE, "--sandbox '%s' is no name of a sandbox",
	    shown);
	return sa_err_hint(err, "sa-sandbox list shows them");
}

/* The values of an option as one text. */
static char *
joined(const struct sa_cli *cli, size_t i)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	struct sa_strings values = sa_cli_list(cli, options[i].option);

	/* of what has no separator the last one counts */
	size_t first = options[i].separator == 0 ? values.n - 1 : 0;
	for (size_t k = first; k < values.n; k++) {
		cleanup_free char *path = options[i].path
		    ? sa_path_absolute(values.v[k])
		    : sa_xstrdup(values.v[k]);
		if (k > first)
			sa_buf_addch(&b, options[i].separator);
		sa_buf_adds(&b, path);
	}
	return sa_buf_steal(&b);
}

int
mcp_sandbox_variables(const struct sa_cli *cli, mcp_variable_fn *set, void *arg,
    struct sa_err *err)
{
	const char *name = sa_cli_str(cli, "sandbox");

	if (check_words(cli, err) < 0)
		return -1;
	if (name != NULL || sa_cli_flag(cli, "sandbox-tools"))
		set(arg, sa_setting_def(SA_SET_MCP_SANDBOX)->env,
		    name != NULL ? name : "on");
	if (sa_cli_given(cli, "holder"))
		set(arg, sa_setting_def(SA_SET_SANDBOX_HOLDER)->env,
		    sa_cli_str(cli, "holder"));
	if (sa_cli_flag(cli, "open-network"))
		set(arg, sa_setting_def(SA_SET_SANDBOX_NETWORK)->env, "on");
	for (size_t i = 0; i < NOPTIONS; i++) {
		if (!sa_cli_given(cli, options[i].option))
			continue;
		cleanup_free char *text = joined(cli, i);
		set(arg, sa_setting_def(options[i].id)->env, text);
	}
	return 0;
}

/* What a command said as it failed, in one line, with the kind of its exit
 * status where that tells what the operator has to do. */
static int
failed(int status, const struct sa_buf *said, struct sa_err *err)
{
	const char *text = sa_buf_str(said);
	cleanup_free char *line = sa_xstrndup(text, strcspn(text, "\n"));
	cleanup_free char *shown = sa_text_visible(line);
	bool refused = WIFEXITED(status) &&
	    WEXITSTATUS(status) == sa_kind_info(SA_REFUSED)->code;

	return sa_err_set(err, refused ? SA_REFUSED : SA_CONFIG,
	    "models cannot have a sandbox: %s",
	    *shown != '\0' ? shown : "sa-sandbox fails");
}

int
mcp_sandbox_add(struct sa_mcp_catalog *c, char *const *env, struct sa_err *err)
{
	cleanup_buf struct sa_buf out = SA_BUF_INIT(SA_MCP_CATALOG_MAX);
	cleanup_buf struct sa_buf said = SA_BUF_INIT(4096);
	cleanup_free char *path = sa_proc_own("sa-sandbox", err);
	char *argv[] = { path, (char[]){ "tools" }, (char[]){ "--json" },
		NULL };
	struct sa_proc_spec spec = { .argv = argv,
		.env = env,
		.out = &out,
		.errout = &said,
		.timeout_ms = TOOLS_MS };
	int status = 0;

	if (path == NULL || sa_proc_run(&spec, &status, err) < 0)
		return -1;
	if (status != 0)
		return failed(status, &said, err);
	return sa_mcp_catalog_add(c, sa_buf_str(&out), out.len,
	    "the sandbox's tools", err);
}

/* What --print-config says again; paths are absolute there. */
void
mcp_sandbox_arguments(const struct sa_cli *cli, json_t *args)
{
	static const char *const flags[] = { "sandbox-tools", "open-network" };
	static const char *const plain[] = { "sandbox", "holder" };

	for (size_t i = 0; i < 2; i++) {
		cleanup_free char *option = sa_xasprintf("--%s", flags[i]);
		if (sa_cli_flag(cli, flags[i]))
			json_array_append_new(args, json_string(option));
	}
	for (size_t i = 0; i < 2; i++) {
		cleanup_free char *option = sa_xasprintf("--%s", plain[i]);
		const char *value = sa_cli_str(cli, plain[i]);
		if (value == NULL)
			continue;
		json_array_append_new(args, json_string(option));
		json_array_append_new(args, json_string(value));
	}
	for (size_t i = 0; i < NOPTIONS; i++) {
		struct sa_strings values = sa_cli_list(cli, options[i].option);
		cleanup_free char *option =
		    sa_xasprintf("--%s", options[i].option);
		for (size_t k = 0; k < values.n; k++) {
			cleanup_free char *value = options[i].path
			    ? sa_path_absolute(values.v[k])
			    : sa_xstrdup(values.v[k]);
			json_array_append_new(args, json_string(option));
			json_array_append_new(args, json_string(value));
		}
	}
}
