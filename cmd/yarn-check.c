/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/cluster.h"
#include "spark/connection.h"
#include "spark/kubeconfig.h"
#include "spark/rmhosts.h"
#include "yarn.h"

/* What stands for a job on the cluster of a connection, or of no connection:
 * the ResourceManagers of the settings. */
static int
stand_in(const struct sa_store *st, const char *connection, json_t **out,
    struct sa_err *err)
{
	json_auto_t *record = NULL, *job = sa_json_record("job");

	if (connection != NULL &&
	    sa_connection_read(st, connection, &record, err) < 0)
		return -1;
	sa_json_set_str(job, "connection", connection);
	sa_json_set_str(job, "master",
	    record != NULL ? sa_json_str(record, "master") : "yarn");
	sa_json_set_str(job, "deploy_mode", sa_json_str(record, "deploy_mode"));
	*out = sa_steal(&job);
	return 0;
}

static void
ask(const struct sa_store *st, const struct sa_settings *s, const json_t *job,
    json_t *check)
{
	const char *master = sa_json_str(job, "master");
	struct sa_err err = SA_ERR_INIT;
	struct sa_cluster *c;

	if (sa_cluster_open(st, s, job, &c, &err) < 0)
		sa_check_add(check, "cluster", false, err.hint, "%s", err.msg);
	else if (c == NULL || c->ops->check == NULL)
		sa_check_add(check, "cluster", true, NULL,
		    "there is nothing to ask about '%s'", master);
	else
		c->ops->check(c, check);
	sa_cluster_close(c);
	sa_err_clear(&err);
}

int
yarn_check(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_settings *s = sa_cli_settings(cli);
	const char *connection = sa_cli_str(cli, "connection");
	json_auto_t *job = NULL, *check = sa_check_new("cluster");
	struct sa_store *st = sa_store_open(s, false, err);

	if (st == NULL)
		return -1;
	int rc = stand_in(st, connection, &job, err);
	if (rc == 0)
		ask(st, s, job, check);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	sa_cli_answer(cli, check, sa_check_text);
	return sa_check_ok(check) ? 0 : sa_kind_info(SA_NO)->code;
}

/* The API server of this user's kubeconfig, or NULL; caller frees. */
static char *
own_server(void)
{
	const char *paths = getenv("KUBECONFIG"), *home = getenv("HOME");
	cleanup_free char *usual =
	    sa_xasprintf("%s/.kube/config", home != NULL ? home : "");
	struct sa_kubeconfig k = { .context = NULL };
	struct sa_err err = SA_ERR_INIT;

	if (sa_kubeconfig_read(paths != NULL && *paths != '\0' ? paths : usual,
		NULL, &k, &err) < 0) {
		sa_debug("no host from a kubeconfig: %s", err.msg);
		sa_err_clear(&err);
	}
	char *server = sa_steal(&k.server);
	sa_kubeconfig_release(&k);
	return server;
}

/* Of a master or of ResourceManager URLs. */
static int
check_hosts(const struct sa_store *st, const struct sa_settings *s,
    const char *named, struct sa_err *err)
{
	if (strncmp(named, "http", 4) == 0)
		return sa_rmhosts_check(st, s, SA_RMHOSTS_RM, named, NULL, err);
	cleanup_free char *server = own_server();
	return sa_rmhosts_check_master(st, s, named, server, err);
}

int
yarn_hosts(struct sa_cli *cli, struct sa_err *err)
{
	const struct sa_settings *s = sa_cli_settings(cli);
	const char *named = sa_cli_operands(cli)->v[0];
	json_auto_t *check = sa_check_new("rm_hosts");
	struct sa_err refusal = SA_ERR_INIT;

	struct sa_store *st = sa_store_open(s, false, err);
	if (st == NULL)
		return -1;
	if (check_hosts(st, s, named, &refusal) == 0)
		sa_check_add(check, "rm_hosts", true, NULL, "'%s'", named);
	else
		sa_check_add(check, "rm_hosts", false,
		    sa_cli_agent(cli) && *refusal.agent_hint != '\0'
			? refusal.agent_hint
			: refusal.hint,
		    "%s", refusal.msg);
	sa_err_clear(&refusal);
	sa_store_free(st);
	sa_cli_answer(cli, check, sa_check_text);
	return sa_check_ok(check) ? 0 : sa_kind_info(SA_NO)->code;
}
