/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/text.h"
#include "spark/rundiag.h"
#include "spark/runmark.h"
#include "spark/sighting.h"

bool
sa_run_is_final(const char *state)
{
	static const char *const final[] = { "SUCCEEDED", "FAILED", "KILLED",
		"LOST" };

	for (size_t i = 0; state != NULL && i < 4; i++)
		if (strcmp(state, final[i]) == 0)
			return true;
	return false;
}

bool
sa_run_names_application(const json_t *job)
{
	const char *master = sa_json_str(job, "master");

	switch (sa_job_truth(job)) {
	case SA_TRUTH_CLUSTER:
		return true;
	case SA_TRUTH_DRIVER_CLUSTER:
		return strncmp(master, "k8s://", 6) != 0;
	default:
		return false;
	}
}

static int
unknown(const char *id, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(id);

	sa_err_set(err, SA_NOT_FOUND, "unknown job_id: %s", shown);
	sa_err_hint(err, "see sa-yarn list");
	return sa_err_agent_hint(err, "see list_jobs");
}

int
sa_run_read(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err)
{
	if (!sa_clock_is_id("j", id))
		return unknown(id, err);
	cleanup_free char *rel = sa_xasprintf("runs/%s/record.json", id);
	cleanup_free char *what = sa_xasprintf("job_id: %s", id);
	if (sa_record_read(st, rel, "job", false, what, out, err) < 0)
		return err != NULL && err->kind == SA_NOT_FOUND
		    ? unknown(id, err)
		    : -1;
	const char *own = sa_json_str(*out, "job_id");
	if (own != NULL && strcmp(own, id) == 0)
		return 0;
	/* it would be written over the record of the other one */
	json_decref(*out);
	*out = NULL;
	return sa_err_set(err, SA_INVALID,
	    "%s: the record in '%s' is not that of this job", what, rel);
}

int
sa_run_lock(const struct sa_store *st, const char *id, int *lock, json_t **out,
    struct sa_err *err)
{
	if (!sa_clock_is_id("j", id))
		return unknown(id, err);
	cleanup_free char *rel = sa_xasprintf("runs/%s/lock", id);
	cleanup_free char *what = sa_xasprintf("job '%s'", id);
	int fd = sa_store_lock(st, rel, what, err);
	if (fd < 0)
		return err != NULL && err->kind == SA_NOT_FOUND
		    ? unknown(id, err)
		    : -1;
	if (sa_run_read(st, id, out, err) < 0) {
		close(fd);
		return -1;
	}
	*lock = fd;
	return 0;
}

int
sa_run_write(const struct sa_store *st, const json_t *record,
    struct sa_err *err)
{
	const char *id = sa_json_str(record, "job_id");

	if (id == NULL || !sa_clock_is_id("j", id))
		return sa_err_set(err, SA_INTERNAL, "a job record has no id");
	cleanup_free char *rel = sa_xasprintf("runs/%s/record.json", id);
	cleanup_free char *what = sa_xasprintf("job '%s'", id);
	return sa_record_write(st, rel, record, what, err);
}

/* Where the driver's end is the job's, words of the cluster from before it are
 * no longer true. */
static void
drop_words(json_t *record)
{
	if (sa_job_truth(record) != SA_TRUTH_DRIVER_CLUSTER ||
	    sa_sighting_ended(sa_json_str(record, "yarn_state")))
		return;
	json_object_set_new(record, "yarn_state", json_null());
	json_object_set_new(record, "final_status", json_null());
}

void
sa_run_end(json_t *record, const char *state, const char *at,
    const char *diagnostics)
{
	char now[SA_TIME_SIZE];
	time_t t;

	sa_clock_now(now);
	if (strcmp(state, "LOST") != 0)
		drop_words(record);
	sa_json_set_str(record, "state", state);
	sa_json_set_str(record, "finished_at",
	    sa_clock_parse(at, &t) ? at : now);
	sa_json_set_str(record, "checked_at", now);
	sa_json_set_str(record, "diagnostics", diagnostics);
}

/* How a driver that did not succeed ended, in one line. */
static char *
describe(json_int_t code, json_int_t sig, const struct sa_rundiag *d)
{
	const char *name = sig > 0 ? sigabbrev_np((int)sig) : NULL;

	if (sig > 0)
		return sa_xasprintf("killed by signal %d (SIG%s)", (int)sig,
		    name != NULL ? name : "?");
	if (d->kind == SA_RUNDIAG_TRACEBACK && code == 1)
		return sa_xasprintf("Python exception, exit status 1: %s",
		    d->headline);
	if (code > 128 && (name = sigabbrev_np((int)code - 128)) != NULL)
		return sa_xasprintf("exit status %d, as after SIG%s", (int)code,
		    name);
	if (d->kind == SA_RUNDIAG_ERROR && code == 1)
		return sa_xasprintf("exit status 1: %s", d->headline);
	return sa_xasprintf(
	    "the program ended itself with status %d, as sys.exit(%d) does",
	    (int)code, (int)code);
}

/* What a final record says of a driver that did not succeed. */
static char *
diagnostics(const struct sa_store *st, const json_t *record, json_int_t code,
    json_int_t sig)
{
	const char *id = sa_json_str(record, "job_id");
	struct sa_rundiag d;

	sa_rundiag_read(st, id != NULL ? id : "", &d);
	cleanup_free char *line = describe(code, sig, &d);
	char *text = sa_xasprintf("%s%s%s", line, *d.text ? "\n" : "", d.text);
	sa_rundiag_release(&d);
	return text;
}

/* A driver that ended with 0 succeeded, unless its cluster knows better: one
 * whose application was killed may go on and end well. */
static void
end_with_0(json_t *record, const char *at)
{
	const char *word = sa_json_str(record, "yarn_state");
	const char *state =
	    sa_sighting_yarn(word, sa_json_str(record, "final_status"));

	if (sa_job_truth(record) != SA_TRUTH_DRIVER_CLUSTER || state == NULL ||
	    (strcmp(state, "KILLED") != 0 && strcmp(state, "FAILED") != 0)) {
		sa_run_end(record, "SUCCEEDED", at, NULL);
		return;
	}
	cleanup_free char *text =
	    sa_xasprintf("the driver ended with 0, the cluster says %s", state);
	sa_run_end(record, state, at, text);
}

void
sa_run_apply_exit(const struct sa_store *st, json_t *record,
    const json_t *exit_record)
{
	json_int_t code = sa_json_int(exit_record, "exit_code", -1);
	json_int_t sig = sa_json_int(exit_record, "signal", 0);
	const char *why = sa_json_str(exit_record, "error");
	const char *at = sa_json_str(exit_record, "at");
	bool kill = sa_json_str(record, "kill_requested_at") != NULL;
	cleanup_free char *text = NULL;

	if (sig <= 0 && code == 0) {
		json_object_set_new(record, "exit_code", json_integer(0));
		json_object_set_new(record, "signal", json_null());
		end_with_0(record, at);
		return;
	}
	json_object_set_new(record, "exit_code",
	    sig <= 0 && code > 0 ? json_integer(code) : json_null());
	json_object_set_new(record, "signal",
	    sig > 0 ? json_integer(sig) : json_null());
	if (why != NULL)
		text = sa_mask_text(why, strlen(why));
	else if (sa_json_bool(exit_record, "timed_out", false))
		text = sa_xstrdup("spark-submit was ended: the cluster gave no "
				  "application id in time");
	else
		text = diagnostics(st, record, code, sig);
	sa_run_end(record, kill ? "KILLED" : "FAILED", at, text);
}

static bool
running(json_t *record, const struct sa_run_mark *mark)
{
	const char *state = sa_json_str(record, "state");
	time_t t;

	if (state != NULL && strcmp(state, "RUNNING") == 0)
		return false;
	sa_json_set_str(record, "state", "RUNNING");
	if (sa_json_str(record, "started_at") == NULL &&
	    sa_clock_parse(mark->at, &t))
		sa_json_set_str(record, "started_at", mark->at);
	return true;
}

/* Nobody is left who would start or watch a driver, and none left a mark. */
static void
end_unstarted(json_t *record)
{
	if (sa_json_str(record, "kill_requested_at") != NULL)
		sa_run_end(record, "KILLED", NULL, "killed before it ran");
	else
		sa_run_end(record, "FAILED", NULL,
		    "it never ran: what should have started spark-submit ended "
		    "before");
}

/* Cluster mode: only that nothing was ever submitted can be told from here. */
static bool
judge_submission(const struct sa_store *st, json_t *record,
    const struct sa_run_marks *m)
{
	if (sa_run_is_final(sa_json_str(record, "state")))
		return false;
	if (m->exit != NULL && sa_json_str(m->exit, "error") != NULL)
		sa_run_apply_exit(st, record, m->exit);
	else if (!m->alive && m->exit == NULL && !m->exec.there)
		end_unstarted(record);
	else
		return false;
	return true;
}

/* Whether the driver's end is not yet the job's: sa-supervise is asking the
 * cluster about a driver that ended with 0. */
static bool
is_asking(const struct sa_run_marks *m, enum sa_truth truth)
{
	return truth == SA_TRUTH_DRIVER_CLUSTER && m->alive &&
	    sa_json_int(m->exit, "exit_code", -1) == 0;
}

/* The table of spark/run.h. Whether the record is another now. */
static bool
judge(const struct sa_store *st, json_t *record, const struct sa_run_marks *m)
{
	enum sa_truth truth = sa_job_truth(record);

	if (truth == SA_TRUTH_CLUSTER)
		return judge_submission(st, record, m);
	if (m->exit != NULL && is_asking(m, truth))
		return false;
	if (m->exit != NULL) {
		sa_run_apply_exit(st, record, m->exit);
		return true;
	}
	/* LOST stays so until its exit.json is seen */
	if (sa_run_is_final(sa_json_str(record, "state")))
		return false;
	/* how far an application is on its cluster is not for the driver's
	 * being there to say: sa-supervise reads that from its log */
	if (m->alive && m->exec.there && sa_run_names_application(record))
		return false;
	if (m->alive ? m->exec.there : sa_run_driver_lives(&m->exec))
		return running(record, &m->exec);
	if (m->alive)
		return false;
	if (m->exec.there)
		sa_run_end(record, "LOST", NULL,
		    m->exec.here
			? "the driver and its supervisor are gone and left no "
			  "exit status"
			: "the driver left no exit status, and its host was "
			  "started anew or is another one");
	else
		end_unstarted(record);
	return true;
}

static int
look_and_judge(const struct sa_store *st, const char *id, json_t *record,
    bool *changed, struct sa_err *err)
{
	struct sa_run_marks m;

	if (sa_run_marks_read(st, id, &m, err) < 0)
		return -1;
	*changed = judge(st, record, &m);
	sa_run_marks_release(&m);
	return 0;
}

/* Whether there is nothing more to learn. */
static bool
settled(const json_t *record)
{
	const char *state = sa_json_str(record, "state");

	return sa_run_is_final(state) && strcmp(state, "LOST") != 0;
}

/* Judges again under the lock, and keeps what came out. */
static int
settle(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err)
{
	cleanup_fd int lock = -1;
	json_auto_t *record = NULL;
	bool changed = false;

	if (sa_run_lock(st, id, &lock, &record, err) < 0)
		return -1;
	if (!settled(record) &&
	    look_and_judge(st, id, record, &changed, err) < 0)
		return -1;
	if (changed && sa_run_write(st, record, err) < 0)
		return -1;
	if (changed)
		sa_info("%s is %s", id, sa_json_str(record, "state"));
	*out = sa_steal(&record);
	return 0;
}

int
sa_run_refresh(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err)
{
	json_auto_t *record = NULL;
	struct sa_err local = SA_ERR_INIT;
	bool changed;
	char now[SA_TIME_SIZE];

	if (sa_run_read(st, id, &record, err) < 0)
		return -1;
	if (settled(record)) {
		*out = sa_steal(&record);
		return 0;
	}
	if (look_and_judge(st, id, record, &changed, err) < 0)
		return -1;
	/* of one on a cluster only that can say what is new */
	if (!changed && !sa_run_is_final(sa_json_str(record, "state")) &&
	    sa_job_truth(record) == SA_TRUTH_DRIVER) {
		sa_clock_now(now);
		sa_json_set_str(record, "checked_at", now);
	}
	if (changed && settle(st, id, out, &local) == 0)
		return 0;
	if (changed) {
		/* somebody else's or a read-only store, a full disk */
		sa_debug("%s: not kept: %s", id, local.msg);
		sa_err_clear(&local);
	}
	*out = sa_steal(&record);
	return 0;
}

/* A paragraph of a record's text. */
static void
text_lines(FILE *f, const json_t *record, const char *key)
{
	const char *text = sa_json_str(record, key);

	if (text == NULL)
		return;
	cleanup_free char *clean = sa_text_visible_lines(text, strlen(text));
	fprintf(f, "\n%s%s", clean,
	    *clean && clean[strlen(clean) - 1] == '\n' ? "" : "\n");
}

static void
text_row(FILE *f, const char *title, const json_t *record, const char *key)
{
	cleanup_free char *text = sa_json_scalar(json_object_get(record, key));

	if (text == NULL)
		return;
	cleanup_free char *clean = sa_text_visible(text);
	fprintf(f, "%-12s%s\n", title, clean);
}

void
sa_run_text(FILE *f, const json_t *record)
{
	static const char *const rows[][2] = { { "job", "job_id" },
		{ "state", "state" }, { "name", "name" },
		{ "connection", "connection" }, { "master", "master" },
		{ "deploy mode", "deploy_mode" },
		{ "application", "application_id" },
		{ "submitted", "submitted_at" }, { "started", "started_at" },
		{ "kill asked", "kill_requested_at" },
		{ "finished", "finished_at" }, { "exit status", "exit_code" },
		{ "signal", "signal" }, { "tracking", "tracking_url" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		text_row(f, rows[i][0], record, rows[i][1]);
	text_lines(f, record, "note");
	text_lines(f, record, "diagnostics");
}
