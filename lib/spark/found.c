/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/found.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "spark/audit.h"
#include "spark/run.h"
#include "spark/runmark.h"

/* For an answer that the ResourceManager took from a cache, and a submission
 * that was on its way, where spark-submit itself says that it failed. */
#define GRACE_FAILED_MS 10000
#define NOTE_MAX 1500

static bool
is_final(const json_t *record)
{
	return sa_run_is_final(sa_json_str(record, "state"));
}

/* What is changed in a record; whether it is another now. */
typedef bool change_fn(json_t *record, const void *arg);

/* *ended: the change was the job's end, and nobody had seen that before. */
static int
keep_change(const struct sa_store *st, json_t **record, change_fn *change,
    const void *arg, bool *ended, struct sa_err *err)
{
	cleanup_fd int lock = -1;
	json_auto_t *fresh = NULL;

	if (sa_run_lock(st, sa_json_str(*record, "job_id"), &lock, &fresh,
		err) < 0)
		return -1;
	*ended = !is_final(fresh);
	if (change(fresh, arg) && sa_run_write(st, fresh, err) < 0)
		return -1;
	*ended = *ended && is_final(fresh);
	json_decref(*record);
	*record = sa_steal(&fresh);
	return 0;
}

/* A supervisor that still lives tells of the end itself. */
static void
tell(const struct sa_cluster *c, const char *id, const json_t *record)
{
	struct sa_run_marks m;

	if (sa_run_marks_read(c->store, id, &m, NULL) < 0)
		return;
	if (!m.alive)
		sa_event(c->settings, "ended", record);
	sa_run_marks_release(&m);
}

/* Changes the record, and the stored one where that makes a difference. */
static void
keep(const struct sa_cluster *c, json_t **record, change_fn *change,
    const void *arg)
{
	cleanup_free char *id = sa_xstrdup(sa_json_str(*record, "job_id"));
	struct sa_err err = SA_ERR_INIT;
	char now[SA_TIME_SIZE];
	bool ended = false;

	sa_clock_now(now);
	bool changed = change(*record, arg);
	sa_json_set_str(*record, "checked_at", now);
	if (!changed)
		return;
	sa_info("%s is %s", id, sa_json_str(*record, "state"));
	if (keep_change(c->store, record, change, arg, &ended, &err) < 0) {
		/* somebody else's or a read-only store, a full disk */
		sa_debug("%s: not kept: %s", id, err.msg);
		sa_err_clear(&err);
	} else if (ended)
		tell(c, id, *record);
}

/* What was seen of the application, and a line about others. */
struct take {
	const struct sa_sighting *seen;
	const char *note;
};

static bool
take(json_t *record, const void *arg)
{
	const struct take *t = arg;
	bool adopted = sa_json_str(record, "application_id") == NULL &&
	    t->seen->application_id != NULL;

	if (adopted)
		sa_json_set_str(record, "application_id",
		    t->seen->application_id);
	/* apart from diagnostics, which the cluster's next words replace */
	if (adopted && *t->note != '\0')
		sa_json_set_str(record, "note", t->note);
	return sa_sighting_apply(record, t->seen) || adopted;
}

/* Whether a began after b. Ids of one cluster are numbered: of two that began
 * in the same moment the greater is the later. */
static bool
is_newer(const struct sa_sighting *a, const struct sa_sighting *b)
{
	if (a->started_ms != b->started_ms)
		return a->started_ms > b->started_ms;
	return a->application_id != NULL && b->application_id != NULL &&
	    strcmp(a->application_id, b->application_id) > 0;
}

/* The one that the job is: its own, or the newest with its mark. */
static const struct sa_sighting *
choose(const json_t *record, const struct sa_candidates *hits)
{
	const char *known = sa_json_str(record, "application_id");
	const struct sa_sighting *best = NULL;

	for (size_t i = 0; i < hits->n; i++) {
		const struct sa_sighting *s = &hits->v[i].seen;
		const char *id = s->application_id;
		if (!hits->v[i].certain)
			continue;
		if (known != NULL && id != NULL && strcmp(id, known) == 0)
			return s;
		if (known == NULL && (best == NULL || is_newer(s, best)))
			best = s;
	}
	return best;
}

/* "application_1_2 (RUNNING), ..." of all but one. */
static void
name_others(struct sa_buf *b, const struct sa_candidates *hits,
    const struct sa_sighting *but)
{
	const char *comma = "";

	for (size_t i = 0; i < hits->n; i++) {
		const struct sa_sighting *s = &hits->v[i].seen;
		if (s == but || s->application_id == NULL)
			continue;
		if (sa_buf_addf(b, "%s%s (%s)", comma, s->application_id,
			s->cluster_state != NULL ? s->cluster_state : "?") < 0)
			return;
		comma = ", ";
	}
}

/* Some repeating may be needed, so that a failure is not the caller's. */
void
sa_found_unwanted(struct sa_cluster *c, const json_t *record,
    const struct sa_candidates *hits)
{
	const char *id = sa_json_str(record, "job_id");

	if (sa_json_str(record, "kill_requested_at") == NULL)
		return;
	for (size_t i = 0; i < hits->n; i++) {
		const struct sa_sighting *s = &hits->v[i].seen;
		struct sa_err err = SA_ERR_INIT;
		if (!hits->v[i].certain || sa_run_is_final(s->state) ||
		    s->application_id == NULL)
			continue;
		if (c->ops->kill(c, record, s->application_id, false, &err) < 0)
			sa_info("%s: %s is not ended yet: %s", id,
			    s->application_id, err.msg);
		sa_err_clear(&err);
	}
}

/* The end was seen: what is left of the launch can go. */
void
sa_found_over(struct sa_cluster *c, const json_t *record)
{
	struct sa_err err = SA_ERR_INIT;

	if (c->ops->finished == NULL || c->ops->finished(c, record, &err) == 0)
		return;
	sa_warn("%s has ended, but not all is cleared away: %s",
	    sa_json_str(record, "job_id"), err.msg);
	sa_err_clear(&err);
}

void
sa_found_some(struct sa_cluster *c, json_t **record,
    const struct sa_candidates *hits)
{
	const char *id = sa_json_str(*record, "job_id");
	bool was_final = is_final(*record);
	bool had_id = sa_json_str(*record, "application_id") != NULL;
	const struct sa_sighting *seen = choose(*record, hits);
	cleanup_buf struct sa_buf note = SA_BUF_INIT(NOTE_MAX);

	if (seen == NULL)
		return;
	if (!had_id && hits->n > 1) {
		sa_buf_addf(&note,
		    "%zu applications carry the mark of this job; %s, the "
		    "newest, is followed, the others are ",
		    hits->n, seen->application_id);
		name_others(&note, hits, seen);
		sa_buf_addf(&note,
		    "; sa-yarn kill --application ID %s ends one of those, "
		    "without --application all",
		    id);
		sa_warn("%s: %s", id, sa_buf_str(&note));
	}
	keep(c, record, take,
	    &(struct take){ .seen = seen, .note = sa_buf_str(&note) });
	if (!was_final && is_final(*record))
		sa_found_over(c, *record);
}

/* A verdict on what cannot be found. */
struct verdict {
	const struct sa_store *st;
	const char *state, *text;
	const json_t *exit; /* of spark-submit, to be made the verdict */
};

static bool
lose(json_t *record, const void *arg)
{
	const struct verdict *v = arg;

	if (is_final(record))
		return false;
	if (v->exit != NULL)
		sa_run_apply_exit(v->st, record, v->exit);
	if (!is_final(record))
		sa_run_end(record, v->state, NULL, v->text);
	return true;
}

static bool
end_killed(json_t *record, const void *arg)
{
	const char *state = sa_json_str(record, "state");

	if (is_final(record) && strcmp(state, "LOST") != 0)
		return false;
	sa_run_end(record, "KILLED", NULL, arg);
	return true;
}

void
sa_found_killed(struct sa_cluster *c, json_t **record)
{
	keep(c, record, end_killed,
	    "killed; its supervisor had ended before, so its exit status is "
	    "not known");
}

/* What became of spark-submit. */
struct launcher {
	bool gone;
	long long gone_ms; /* for how long */
	json_t *exit;	   /* exit.json, or NULL */
};

/* The latest sign of life, in seconds since 1970: what was written last. */
static time_t
last_sign(const struct sa_store *st, const char *id)
{
	static const char *const names[] = { "exec.json", "stdout", "stderr" };
	time_t last = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		cleanup_free char *path = sa_xasprintf("%s/runs/%s/%s",
		    sa_store_path(st), id, names[i]);
		struct stat sb;
		if (stat(path, &sb) == 0 && sb.st_mtime > last)
			last = sb.st_mtime;
	}
	return last;
}

static int
look_at_launcher(const struct sa_store *st, const char *id, struct launcher *l,
    struct sa_err *err)
{
	struct sa_run_marks m;
	time_t at;

	if (sa_run_marks_read(st, id, &m, err) < 0)
		return -1;
	*l = (struct launcher){ .exit = json_incref(m.exit) };
	l->gone = m.exit != NULL || (!m.alive && !sa_run_driver_lives(&m.exec));
	sa_run_marks_release(&m);
	if (!l->gone)
		return 0;
	if (l->exit == NULL || !sa_clock_parse(sa_json_str(l->exit, "at"), &at))
		at = last_sign(st, id);
	long long s = (long long)time(NULL) - (long long)at;
	l->gone_ms = s > 0 ? s * 1000 : 0;
	return 0;
}

/* Whether spark-submit ended by itself, and not well: a JVM that gets a
 * signal exits with 128 and its number. */
static bool
failed_by_itself(const json_t *exit_record)
{
	json_int_t code = sa_json_int(exit_record, "exit_code", -1);

	return exit_record != NULL &&
	    !sa_json_bool(exit_record, "timed_out", false) &&
	    (sa_json_str(exit_record, "error") != NULL ||
		(code > 0 && code < 128 &&
		    sa_json_int(exit_record, "signal", 0) <= 0));
}

static char *
lost_text(const struct sa_cluster *c, const json_t *record,
    const struct launcher *l, const struct sa_candidates *likely)
{
	const char *tag = sa_json_str(record, "tag");
	const char *app = sa_json_str(record, "application_id");
	cleanup_buf struct sa_buf names = SA_BUF_INIT(NOTE_MAX);
	json_int_t code = sa_json_int(l->exit, "exit_code", -1);
	cleanup_free char *how = code >= 0
	    ? sa_xasprintf("ended with status %d", (int)code)
	    : sa_xstrdup("is gone");
	cleanup_free char *what = app != NULL
	    ? sa_xasprintf("does not know %s, which was to be it", app)
	    : sa_xasprintf("has nothing with the mark '%s'",
		  tag != NULL ? tag : "-");

	name_others(&names, likely, NULL);
	return sa_xasprintf("spark-submit %s, and %s %s; it may have run or "
			    "not, and is not submitted again%s%s",
	    how, c->ops->name, what, names.len > 0 ? "; it could be " : "",
	    sa_buf_str(&names));
}

int
sa_found_none(struct sa_cluster *c, json_t **record,
    const struct sa_candidates *likely, long long grace_ms, bool *open,
    struct sa_err *err)
{
	bool wished = sa_json_str(*record, "kill_requested_at") != NULL;
	struct launcher l;

	*open = false;
	if (sa_job_truth(*record) != SA_TRUTH_CLUSTER || is_final(*record))
		return 0;
	if (look_at_launcher(c->store, sa_json_str(*record, "job_id"), &l,
		err) < 0)
		return -1;
	bool failed = failed_by_itself(l.exit);
	long long least = (failed || wished) && grace_ms > GRACE_FAILED_MS
	    ? GRACE_FAILED_MS
	    : grace_ms;
	*open = l.gone && l.gone_ms < least;
	if (l.gone && !*open) {
		cleanup_free char *text = wished
		    ? sa_xasprintf("killed before %s had it", c->ops->name)
		    : lost_text(c, *record, &l, likely);
		struct verdict v = { .st = c->store,
			.state = wished ? "KILLED"
			    : failed	? "FAILED"
					: "LOST",
			.text = text,
			.exit = failed ? l.exit : NULL };
		keep(c, record, lose, &v);
		/* what is LOST may run, and need what was made for it */
		if (strcmp(v.state, "LOST") != 0 && is_final(*record))
			sa_found_over(c, *record);
	}
	json_decref(l.exit);
	return 0;
}

int
sa_found_forgotten(struct sa_cluster *c, json_t **record, long long grace_ms,
    bool *open, struct sa_err *err)
{
	const struct sa_candidates nothing = { .v = NULL };
	const char *state = sa_json_str(*record, "state");
	const char *app = sa_json_str(*record, "application_id");

	*open = false;
	/* the driver on this host tells how it ends */
	if (is_final(*record) || sa_job_truth(*record) != SA_TRUTH_CLUSTER)
		return 0;
	if (sa_json_str(*record, "yarn_state") == NULL)
		return sa_found_none(c, record, &nothing, grace_ms, open, err);
	cleanup_free char *text = sa_xasprintf(
	    "%s no longer knows %s, and how it ended was not seen; the last "
	    "that was seen of it is %s",
	    c->ops->name, app, state);
	keep(c, record, lose,
	    &(struct verdict){ .st = c->store, .state = "LOST", .text = text });
	return 0;
}
