/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/sighting.h"
#include "tap.h"

static void
test_words(void)
{
	static const char *const rows[][3] = {
		{ "NEW", "UNDEFINED", "SUBMITTED" },
		{ "NEW_SAVING", "UNDEFINED", "SUBMITTED" },
		{ "SUBMITTED", "UNDEFINED", "SUBMITTED" },
		{ "ACCEPTED", "UNDEFINED", "ACCEPTED" },
		{ "RUNNING", "UNDEFINED", "RUNNING" },
		{ "RUNNING", "SUCCEEDED", "RUNNING" },
		{ "RUNNING", "FAILED", "RUNNING" },
		{ "FINISHING", "SUCCEEDED", "RUNNING" },
		{ "FINAL_SAVING", "FAILED", "RUNNING" },
		{ "KILLING", "UNDEFINED", "RUNNING" },
		{ "FINISHED", "SUCCEEDED", "SUCCEEDED" },
		{ "FINISHED", "FAILED", "FAILED" },
		{ "FINISHED", "KILLED", "KILLED" },
		{ "FINISHED", "UNDEFINED", "FAILED" },
		{ "FINISHED", "ENDED", "FAILED" },
		{ "FAILED", "FAILED", "FAILED" },
		{ "FAILED", NULL, "FAILED" },
		{ "KILLED", "KILLED", "KILLED" },
		{ "KILLED", NULL, "KILLED" },
		/* what we do not know is nothing, never a failure */
		{ "FINISHED", NULL, NULL },
		{ "FINISHED", "PERHAPS", NULL },
		{ "HIBERNATING", "FAILED", NULL },
		{ "running", "UNDEFINED", NULL },
		{ "", "", NULL },
		{ NULL, "SUCCEEDED", NULL },
		{ NULL, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cleanup_free char *name = sa_xasprintf("%s, %s",
		    rows[i][0] != NULL ? rows[i][0] : "no state",
		    rows[i][1] != NULL ? rows[i][1] : "no final status");
		is_str(sa_sighting_yarn(rows[i][0], rows[i][1]), rows[i][2],
		    name);
	}
}

static json_t *
new_job(const char *master, const char *mode, const char *state)
{
	json_t *job = sa_json_record("job");

	sa_json_set_str(job, "master", master);
	sa_json_set_str(job, "deploy_mode", mode);
	sa_json_set_str(job, "state", state);
	return job;
}

static void
test_truth(void)
{
	static const struct {
		const char *master, *mode;
		enum sa_truth truth;
	} rows[] = {
		{ "local[2]", NULL, SA_TRUTH_DRIVER },
		{ "local[2]", "client", SA_TRUTH_DRIVER },
		{ NULL, NULL, SA_TRUTH_DRIVER },
		{ "yarn", NULL, SA_TRUTH_DRIVER_CLUSTER },
		{ "yarn", "client", SA_TRUTH_DRIVER_CLUSTER },
		{ "spark://h:7077", "client", SA_TRUTH_DRIVER_CLUSTER },
		{ "k8s://h", "client", SA_TRUTH_DRIVER_CLUSTER },
		{ "yarn", "cluster", SA_TRUTH_CLUSTER },
		{ "spark://h:7077", "cluster", SA_TRUTH_CLUSTER },
		{ "k8s://h", "cluster", SA_TRUTH_CLUSTER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_auto_t *job =
		    new_job(rows[i].master, rows[i].mode, "RUNNING");
		cleanup_free char *name = sa_xasprintf("who decides: %s, %s",
		    rows[i].master ? rows[i].master : "no master",
		    rows[i].mode ? rows[i].mode : "no mode");
		is_int(sa_job_truth(job), rows[i].truth, name);
	}
}

/* What a job of this mode and state becomes when its cluster is seen in a
 * state, NULL for a word that nobody knows. */
static void
test_states(void)
{
	static const char *const rows[][4] = {
		{ "cluster", "SUBMITTING", "SUBMITTED", "SUBMITTED" },
		{ "cluster", "SUBMITTED", "ACCEPTED", "ACCEPTED" },
		{ "cluster", "ACCEPTED", "RUNNING", "RUNNING" },
		{ "cluster", "RUNNING", "ACCEPTED", "ACCEPTED" },
		{ "cluster", "RUNNING", NULL, "RUNNING" },
		{ "cluster", "SUBMITTING", "SUCCEEDED", "SUCCEEDED" },
		{ "cluster", "RUNNING", "FAILED", "FAILED" },
		{ "cluster", "ACCEPTED", "KILLED", "KILLED" },
		{ "cluster", "LOST", "RUNNING", "RUNNING" },
		{ "cluster", "LOST", "SUCCEEDED", "SUCCEEDED" },
		{ "cluster", "LOST", NULL, "LOST" },
		{ "cluster", "SUCCEEDED", "FAILED", "SUCCEEDED" },
		{ "cluster", "FAILED", "RUNNING", "FAILED" },
		{ "cluster", "KILLED", "SUCCEEDED", "KILLED" },
		{ "client", "SUBMITTING", "ACCEPTED", "ACCEPTED" },
		{ "client", "ACCEPTED", "RUNNING", "RUNNING" },
		{ "client", "RUNNING", NULL, "RUNNING" },
		{ "client", "RUNNING", "SUCCEEDED", "RUNNING" },
		{ "client", "RUNNING", "KILLED", "RUNNING" },
		{ "client", "RUNNING", "FAILED", "RUNNING" },
		{ "client", "SUCCEEDED", "KILLED", "KILLED" },
		{ "client", "SUCCEEDED", "FAILED", "FAILED" },
		{ "client", "SUCCEEDED", "RUNNING", "SUCCEEDED" },
		{ "client", "FAILED", "SUCCEEDED", "FAILED" },
		{ "client", "FAILED", "KILLED", "FAILED" },
		{ "client", "LOST", "RUNNING", "LOST" },
		{ "client", "LOST", "SUCCEEDED", "LOST" },
		{ "client", "LOST", "KILLED", "KILLED" },
		{ "client", "LOST", "FAILED", "FAILED" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_auto_t *job = new_job("yarn", rows[i][0], rows[i][1]);
		struct sa_sighting seen = SA_SIGHTING_INIT;
		cleanup_free char *name =
		    sa_xasprintf("%s mode: %s, then the cluster says %s",
			rows[i][0], rows[i][1],
			rows[i][2] ? rows[i][2] : "what we do not know");

		seen.state = rows[i][2];
		bool changed = sa_sighting_apply(job, &seen);
		is_str(sa_json_str(job, "state"), rows[i][3], name);
		is_int(changed, strcmp(rows[i][1], rows[i][3]) != 0, name);
		ok(sa_json_str(job, "checked_at") != NULL, name);
	}
}

static void
test_members(void)
{
	json_auto_t *job = new_job("yarn", "cluster", "SUBMITTING");
	struct sa_sighting seen = SA_SIGHTING_INIT;

	seen.application_id = sa_xstrdup("application_1_0001");
	seen.state = "RUNNING";
	seen.cluster_state = sa_xstrdup("RUNNING");
	seen.final_status = sa_xstrdup("UNDEFINED");
	seen.tracking_url = sa_xstrdup("http://h/proxy");
	seen.started_ms = 1795985203310;
	ok(sa_sighting_apply(job, &seen), "it is another record now");
	is_str(sa_json_str(job, "application_id"), "application_1_0001",
	    "the id is adopted");
	is_str(sa_json_str(job, "yarn_state"), "RUNNING", "the state's word");
	is_str(sa_json_str(job, "final_status"), "UNDEFINED", "the status's");
	is_str(sa_json_str(job, "tracking_url"), "http://h/proxy", "the URL");
	is_str(sa_json_str(job, "started_at"), "2026-11-29T20:46:43Z",
	    "when it started");
	ok(!sa_sighting_apply(job, &seen), "the same again changes nothing");

	free(seen.application_id);
	seen.application_id = sa_xstrdup("application_1_0002");
	ok(!sa_sighting_apply(job, &seen), "nor does another id");
	is_str(sa_json_str(job, "application_id"), "application_1_0001",
	    "an id is not replaced");

	seen.state = "FAILED";
	seen.finished_ms = 1795985213310;
	seen.exit_code = 3;
	seen.diagnostics = sa_xstrdup("exit status 3, password=hunter2");
	ok(sa_sighting_apply(job, &seen), "its end");
	is_str(sa_json_str(job, "finished_at"), "2026-11-29T20:46:53Z",
	    "when it ended");
	is_int(sa_json_int(job, "exit_code", -1), 3, "the container's status");
	is_str(sa_json_str(job, "diagnostics"), "exit status 3, password=****",
	    "why, masked");
	sa_sighting_release(&seen);
	is_int(seen.exit_code, -1, "released is as new");
}

static void
test_reasons(void)
{
	struct sa_sighting seen = SA_SIGHTING_INIT;
	json_auto_t *silent = new_job("yarn", "cluster", "RUNNING");
	json_auto_t *well = new_job("yarn", "cluster", "RUNNING");
	json_auto_t *lost = new_job("yarn", "cluster", "LOST");
	json_auto_t *client = new_job("yarn", "client", "SUCCEEDED");
	json_auto_t *local = new_job("local[2]", NULL, "RUNNING");
	json_auto_t *wide = new_job("yarn", "cluster", "RUNNING");

	seen.state = "FAILED";
	sa_sighting_apply(silent, &seen);
	is_str(sa_json_str(silent, "diagnostics"), "the cluster gave no reason",
	    "a failure without a word");
	ok(!sa_sighting_apply(local, &seen), "a local job has no cluster");
	is_str(sa_json_str(local, "state"), "RUNNING", "it runs on");

	seen.diagnostics = sa_xstrdup("preempted");
	sa_sighting_apply(client, &seen);
	is_str(sa_json_str(client, "diagnostics"),
	    "the cluster says FAILED: preempted", "what beats a driver's 0");

	seen.state = "SUCCEEDED";
	free(seen.diagnostics);
	seen.diagnostics = sa_xstrdup("");
	sa_sighting_apply(well, &seen);
	ok(json_is_null(json_object_get(well, "diagnostics")),
	    "a success has nothing to say");

	seen.state = "ACCEPTED";
	sa_json_set_str(lost, "finished_at", "2026-11-29T20:46:53Z");
	sa_json_set_str(lost, "diagnostics", "lost");
	sa_sighting_apply(lost, &seen);
	ok(json_is_null(json_object_get(lost, "finished_at")) &&
		json_is_null(json_object_get(lost, "diagnostics")),
	    "a job that was found again has not ended");

	struct sa_buf b = SA_BUF_INIT(1 << 20);
	sa_buf_adds(&b, "x");
	for (int i = 0; i < 5000; i++)
		sa_buf_adds(&b, "\xc3\xa9");
	free(seen.diagnostics);
	seen.diagnostics = sa_buf_steal(&b);
	seen.state = "KILLED";
	sa_sighting_apply(wide, &seen);
	is_int(strlen(sa_json_str(wide, "diagnostics")), 4095,
	    "a long reason is cut between characters");
	sa_sighting_release(&seen);
}

int
main(void)
{
	test_words();
	test_truth();
	test_states();
	test_members();
	test_reasons();
	return tap_done();
}
