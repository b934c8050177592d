/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/cluster.h"
#include "spark/masterpage.h"
#include "spark/run.h"
#include "spark/standaloneapi.h"

/* Spark's standalone clusters, for spark/cluster.h. They have nothing that
 * could carry a job's mark: what is not known by its id is only likely. */

/* How far clocks may differ, and how many likely ones are told. */
#define SKEW_MS 60000
#define LIKELY_MAX 10

static int
alone_open(struct sa_cluster *c, const json_t *job, struct sa_err *err)
{
	c->own = sa_standalone_new(c->store, c->settings, job, err);
	return c->own != NULL ? 0 : -1;
}

static void
alone_close(struct sa_cluster *c)
{
	sa_standalone_free(c->own);
	c->own = NULL;
}

static int
alone_where(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, char **out, struct sa_err *err)
{
	(void)s;
	(void)err;
	*out = sa_standalone_where(st, job);
	return 0;
}

static int
alone_look(struct sa_cluster *c, const json_t *job, struct sa_sighting *out,
    struct sa_err *err)
{
	return sa_standalone_look(c->own, sa_json_str(job, "application_id"),
	    out, err);
}

static void
likely(void *arg, struct sa_sighting *seen)
{
	*sa_candidates_add(arg, false) = *seen;
	*seen = (struct sa_sighting)SA_SIGHTING_INIT;
}

static int
alone_find(struct sa_cluster *c, const json_t *job, struct sa_candidates *out,
    struct sa_err *err)
{
	json_auto_t *page = NULL;
	time_t at = 0;

	out->counts = true;
	if (sa_job_truth(job) != SA_TRUTH_CLUSTER)
		return 0;
	if (sa_standalone_alive(c->own, &page, NULL, err) < 0)
		return -1;
	sa_clock_parse(sa_json_str(job, "submitted_at"), &at);
	sa_masterpage_drivers(page, (long long)at * 1000 - SKEW_MS, LIKELY_MAX,
	    likely, out);
	return 0;
}

static int
alone_kill(struct sa_cluster *c, const json_t *job, const char *application,
    bool force, struct sa_err *err)
{
	const char *its = sa_json_str(job, "application_id");
	struct sa_sighting seen;

	if (!force && (its == NULL || strcmp(its, application) != 0)) {
		sa_err_set(err, SA_REFUSED,
		    "'%s' is not what this job is known by, so that it may be "
		    "somebody else's",
		    application);
		sa_err_hint(err, "--force ends it all the same");
		return sa_err_agent_hint(err,
		    "it is left alone; ask the user to look at it");
	}
	if (sa_standalone_look(c->own, application, &seen, err) < 0)
		return -1;
	bool ended = sa_run_is_final(seen.state);
	sa_sighting_release(&seen);
	if (ended)
		return 0;
	if (sa_standalone_kill(c->own, application, err) < 0)
		return -1;
	sa_info("%s: asked to end", application);
	return 0;
}

static int
alone_launch(struct sa_cluster *c, const json_t *pending, const json_t *job,
    struct sa_err *err)
{
	return sa_standalone_launch(c->own, c->store, pending, job, err);
}

static int
alone_logs(struct sa_cluster *c, const json_t *job, struct sa_joblog **out,
    struct sa_err *err)
{
	const char *id = sa_json_str(job, "application_id");
	bool driver = sa_job_truth(job) == SA_TRUTH_CLUSTER;

	(void)err;
	*out = sa_standalonelog_open(c->own, driver ? id : NULL,
	    driver ? NULL : id);
	return 0;
}

/* ---- the doctor */

static bool
check_page(struct sa_cluster *c, size_t i, json_t *check)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *page = NULL;

	if (sa_standalone_page(c->own, i, &page, &err) < 0) {
		sa_check_add(check, "master", false, err.hint, "%s", err.msg);
		sa_err_clear(&err);
		return false;
	}
	const char *status = sa_json_str(page, "status");
	sa_check_add(check, "master", true, NULL, "%s is %s, with %lld workers",
	    sa_standalone_ui(c->own, i),
	    status != NULL ? status : "of unknown state",
	    (long long)sa_json_int(page, "aliveworkers", 0));
	return sa_masterpage_alive(page);
}

/* Cluster mode goes over the REST server, which may be off. */
static void
check_rest(struct sa_cluster *c, size_t i, json_t *check)
{
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *answer = NULL;

	if (sa_standalone_ask(c->own, i, "GET", "/v1/submissions/status/none",
		NULL, &answer, NULL, &err) == 0)
		sa_check_add(check, "rest_server", true, NULL, "%s, Spark %s",
		    sa_standalone_rest(c->own, i),
		    sa_json_str(answer, "serverSparkVersion"));
	else
		sa_check_add(check, "rest_server", true,
		    "for cluster mode start the master with "
		    "spark.master.rest.enabled=true, and "
		    "say its port with conf spark.master.rest.port",
		    "%s", err.msg);
	sa_err_clear(&err);
}

static void
alone_check(struct sa_cluster *c, json_t *check)
{
	size_t n = sa_standalone_count(c->own), alive = 0;

	for (size_t i = 0; i < n; i++) {
		alive += check_page(c, i, check);
		check_rest(c, i, check);
	}
	sa_check_add(check, "alive", alive == 1,
	    alive == 1 ? NULL : "start a master, or give those of one cluster",
	    "%zu of %zu masters are in charge", alive, n);
}

const struct sa_cluster_ops sa_cluster_standalone = {
	.name = "the standalone master",
	.where = alone_where,
	.open = alone_open,
	.close = alone_close,
	.look = alone_look,
	.find = alone_find,
	.kill = alone_kill,
	.launch = alone_launch,
	.logs = alone_logs,
	.check = alone_check,
};
