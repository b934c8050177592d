/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/proc.h"
#include "mcp.h"

#define PROBE_MS 10000

/* What a program of ours says to --version; one of somebody else's may do
 * anything when it is started. */
static void
probe(json_t *check, const char *name, const char *path)
{
	cleanup_buf struct sa_buf out = SA_BUF_INIT(4096);
	struct sa_err err = SA_ERR_INIT;
	char *argv[] = { (char *)(uintptr_t)path, (char[]){ "--version" },
		NULL };
	struct sa_proc_spec spec = { .argv = argv,
		.out = &out,
		.timeout_ms = PROBE_MS };
	int status;

	bool good = sa_proc_run(&spec, &status, &err) == 0 &&
	    WIFEXITED(status) && WEXITSTATUS(status) == 0 && out.len > 1;
	if (good)
		sa_buf_cut(&out, strcspn(out.s, "\n"));
	else if (err.kind == SA_OK)
		sa_err_set(&err, SA_CONFIG, "'%s --version' fails", path);
	sa_check_add(check, name, good, good ? NULL : "install it again", "%s",
	    good ? out.s : err.msg);
	sa_err_clear(&err);
}

static void
check_tool(json_t *check, const struct sa_mcp_catalog *c, size_t i)
{
	struct sa_mcp_tool *t = &c->tools[i];
	struct sa_err err = SA_ERR_INIT;
	const char *path = sa_mcp_tool_program(c, t, &err);
	cleanup_buf struct sa_buf words = SA_BUF_INIT(SA_BUF_NOMAX);
	bool known = false;

	for (size_t k = 0; k < i; k++)
		known = known || strcmp(c->tools[k].argv[0], t->argv[0]) == 0;
	if (path != NULL && sa_mcp_tool_is_own(t) && !known)
		probe(check, t->argv[0], path);
	for (char **p = t->argv + 1; *p != NULL; p++)
		sa_buf_addf(&words, " %s", *p);
	sa_check_add(check, t->name, path != NULL, err.hint, "%s%s",
	    path != NULL ? path : err.msg,
	    path != NULL ? sa_buf_str(&words) : "");
	sa_err_clear(&err);
}

static void
check_policy(json_t *check, const struct sa_settings *s)
{
	bool open = sa_settings_confirm(s) == SA_CONFIRM_OPEN;

	sa_check_add(check, "confirm", true,
	    open ? "any agent submits by itself; another policy wants a person"
		 : NULL,
	    "%s (%s)", sa_settings_get(s, SA_SET_CONFIRM),
	    sa_settings_source(s, SA_SET_CONFIRM));
}

/* Whether a model gets a sandbox is known by a command in one. */
static void
check_sandbox(json_t *check, char *const *env, const struct sa_cli *cli)
{
	cleanup_buf struct sa_buf said = SA_BUF_INIT(4096);
	struct sa_err err = SA_ERR_INIT;
	cleanup_free char *path = sa_proc_own("sa-sandbox", &err);
	const char *name = mcp_sandbox_name(cli);
	char *own[] = { path, (char[]){ "exec" }, (char[]){ "-i" },
		(char[]){ "true" }, NULL };
	char *list[] = { path, (char[]){ "ls" }, (char *)(uintptr_t)name,
		NULL };
	struct sa_proc_spec spec = { .argv = name != NULL ? list : own,
		.env = env,
		.errout = &said,
		.timeout_ms = PROBE_MS };
	int status = 0;

	if (path != NULL && sa_proc_run(&spec, &status, &err) == 0 &&
	    status != 0)
		sa_err_set(&err, SA_REFUSED, "%.*s",
		    (int)strcspn(sa_buf_str(&said), "\n"), sa_buf_str(&said));
	sa_check_add(check, "sandbox", err.kind == SA_OK,
	    err.kind == SA_OK ? NULL : "'sa-sandbox check' tells more", "%s",
	    err.kind != SA_OK  ? err.msg
		: name != NULL ? name
			       : "one is made for each session");
	sa_err_clear(&err);
}

int
mcp_self_test(const struct sa_cli *cli, const struct sa_mcp_catalog *c,
    char *const *env, const char *data_dir)
{
	const struct sa_settings *s = sa_cli_settings(cli);
	json_auto_t *check = sa_check_new("sa-mcp");
	struct stat st;
	bool there = stat(data_dir, &st) == 0;
	bool good = !there ||
	    (S_ISDIR(st.st_mode) && access(data_dir, R_OK | W_OK | X_OK) == 0);

	sa_check_add(check, "data directory", good,
	    good ? NULL : "make it a directory that may be written",
	    "%s (%s)%s", data_dir, sa_settings_source(s, SA_SET_DATA_DIR),
	    there ? "" : ", made with the first record");
	check_policy(check, s);
	sa_check_add(check, "catalogue", true, NULL,
	    "%s, %zu tools, a list of %zu bytes",
	    sa_cli_str(cli, "catalog") != NULL ? sa_cli_str(cli, "catalog")
					       : "the one that is built in",
	    c->n, strlen(c->list) + 2);
	if (mcp_sandbox_is_on(cli))
		check_sandbox(check, env, cli);
	for (size_t i = 0; i < c->n; i++)
		check_tool(check, c, i);
	sa_cli_answer(cli, check, sa_check_text);
	return sa_check_ok(check) ? 0 : sa_kind_info(SA_CONFIG)->code;
}
