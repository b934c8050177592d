/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/follow.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/found.h"
#include "spark/run.h"
#include "spark/runmark.h"

/* Jobs that a cluster does not list are asked for one by one, so many of them
 * at a time. */
#define SINGLE_MAX 32
/* As long as a lost application may still turn up by itself. */
#define GRACE_MS 60000
#define STEP_MS 250
#define STEP_MAX_MS 5000

struct place {
	char *name;
	struct sa_cluster *cluster;
};

struct sa_follow {
	const struct sa_store *store;
	const struct sa_settings *settings;
	struct place *place;
	size_t n;
	size_t turn;	     /* which of the unlisted ones come first */
	long long within_ms; /* for all clusters together; -1: no limit */
	void (*back_at)(long long at_ms);
};

struct sa_follow *
sa_follow_new(const struct sa_store *st, const struct sa_settings *s)
{
	struct sa_follow *f = sa_xcalloc(1, sizeof(*f));

	f->store = st;
	f->settings = s;
	f->within_ms = -1;
	return f;
}

void
sa_follow_free(struct sa_follow *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->n; i++) {
		free(f->place[i].name);
		sa_cluster_close(f->place[i].cluster);
	}
	free(f->place);
	free(f);
}

void
sa_follow_within(struct sa_follow *f, long long ms,
    void (*back_at)(long long at_ms))
{
	f->within_ms = ms;
	f->back_at = back_at;
}

const struct sa_store *
sa_follow_store(const struct sa_follow *f)
{
	return f->store;
}

const struct sa_settings *
sa_follow_settings(const struct sa_follow *f)
{
	return f->settings;
}

static char *
name_place(const struct sa_follow *f, const struct sa_cluster_ops *ops,
    const json_t *job, struct sa_err *err)
{
	const char *connection = sa_json_str(job, "connection");
	cleanup_free char *where = NULL;

	if (ops->where == NULL)
		where = sa_xasprintf("%s\n%s", sa_json_str(job, "master"),
		    connection != NULL ? connection : "");
	else if (ops->where(f->store, f->settings, job, &where, err) < 0)
		return NULL;
	return sa_xasprintf("%s\n%s", ops->name, where);
}

int
sa_follow_cluster(struct sa_follow *f, const json_t *job,
    struct sa_cluster **out, struct sa_err *err)
{
	const struct sa_cluster_ops *ops =
	    sa_cluster_of(sa_json_str(job, "master"));

	*out = NULL;
	if (ops == NULL)
		return 0;
	cleanup_free char *name = name_place(f, ops, job, err);
	if (name == NULL)
		return -1;
	for (size_t i = 0; i < f->n && *out == NULL; i++)
		if (strcmp(f->place[i].name, name) == 0)
			*out = f->place[i].cluster;
	if (*out != NULL)
		return 0;
	if (sa_cluster_open(f->store, f->settings, job, out, err) < 0)
		return -1;
	f->place = sa_xrealloc(f->place, f->n + 1, sizeof(*f->place));
	f->place[f->n++] =
	    (struct place){ .name = sa_steal(&name), .cluster = *out };
	return 0;
}

static bool
is_lost(const json_t *record)
{
	const char *state = sa_json_str(record, "state");

	return state != NULL && strcmp(state, "LOST") == 0;
}

/* Whether the cluster may have more to say. */
static bool
is_settled(const json_t *record)
{
	return sa_run_is_final(sa_json_str(record, "state")) &&
	    !is_lost(record);
}

static bool
has_certain(const struct sa_candidates *hits)
{
	for (size_t i = 0; i < hits->n; i++)
		if (hits->v[i].certain)
			return true;
	return false;
}

int
sa_follow_look(struct sa_cluster *c, json_t **record, bool wish,
    long long grace_ms, bool *open, struct sa_err *err)
{
	struct sa_candidates hits = { .v = NULL };
	struct sa_err local = SA_ERR_INIT;
	int rc;

	*open = false;
	bool known = sa_json_str(*record, "application_id") != NULL;
	if (known)
		rc = c->ops->look(c, *record, sa_candidates_add(&hits, true),
		    &local);
	else
		rc = c->ops->find(c, *record, &hits, &local);
	if (known && rc < 0 && local.kind == SA_NOT_FOUND) {
		sa_err_clear(&local);
		rc = sa_found_forgotten(c, record, grace_ms, open, &local);
	} else if (rc == 0 && has_certain(&hits)) {
		if (wish)
			sa_found_unwanted(c, *record, &hits);
		sa_found_some(c, record, &hits);
	} else if (rc == 0 && hits.counts)
		rc = sa_found_none(c, record, &hits, grace_ms, open, &local);
	else if (rc == 0)
		*open = true;
	sa_candidates_release(&hits);
	if (rc < 0 && err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return rc;
}

/* A job that a cluster is to be asked about. */
struct task {
	const char *tag; /* "" for none */
	json_t **record;
	char **why;
	struct sa_cluster *cluster;
	struct sa_candidates hits;
	bool done;
};

static int
by_cluster_and_tag(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	uintptr_t p = (uintptr_t)x->cluster, q = (uintptr_t)y->cluster;

	return p != q ? (p > q) - (p < q) : strcmp(x->tag, y->tag);
}

/* Jobs of one cluster, sorted by tag. */
struct group {
	struct task *v;
	size_t n;
	long long until; /* sa_clock_ms() */
};

static int
compare_tag(const void *key, const void *element)
{
	return strcmp(key, ((const struct task *)element)->tag);
}

/* One application of the store. */
static void
listed(void *arg, const char *tag, struct sa_sighting *seen)
{
	const struct group *g = arg;
	struct task *t = bsearch(tag, g->v, g->n, sizeof(*g->v), compare_tag);
	const char *id;

	if (t == NULL)
		return;
	/* other applications of a job that has one are not kept */
	id = sa_json_str(*t->record, "application_id");
	if (id != NULL &&
	    (seen->application_id == NULL ||
		strcmp(id, seen->application_id) != 0))
		return;
	*sa_candidates_add(&t->hits, true) = *seen;
	*seen = (struct sa_sighting)SA_SIGHTING_INIT;
}

static void
say_why(const struct task *t, const struct sa_err *err)
{
	if (t->why != NULL && *t->why == NULL)
		*t->why = sa_xstrdup(err->msg);
}

static void
say_why_all(const struct group *g, const struct sa_err *err)
{
	for (size_t i = 0; i < g->n; i++)
		say_why(&g->v[i], err);
}

static void
no_time(const struct group *g, struct sa_err *err)
{
	const char *c = sa_json_str(*g->v->record, "connection");

	sa_err_set(err, SA_BUSY,
	    "%s of connection '%s' was not asked for want of time",
	    g->v->cluster->ops->name, c != NULL ? c : "-");
}

/* Those that have not been seen, each by itself. A cluster that fails once, or
 * whose time is over, is not asked for the rest. */
static void
look_at_each(const struct group *g, size_t first, size_t most)
{
	struct sa_err err = SA_ERR_INIT;
	bool open, failed = false;
	size_t asked = 0;

	for (size_t k = 0; k < g->n; k++) {
		struct task *t = &g->v[(first + k) % g->n];
		if (t->done)
			continue;
		if (!failed && asked > 0 && sa_clock_ms() >= g->until) {
			no_time(g, &err);
			failed = true;
		}
		if (!failed && asked++ < most)
			failed = sa_follow_look(t->cluster, t->record, true,
				     GRACE_MS, &open, &err) < 0;
		if (failed)
			say_why(t, &err);
	}
	sa_err_clear(&err);
}

/* What the cluster's list says of a job. One with an id that is not in it is
 * asked for by that. */
static void
settle_listed(struct task *t)
{
	bool open;

	if (t->hits.n > 0) {
		sa_found_unwanted(t->cluster, *t->record, &t->hits);
		sa_found_some(t->cluster, t->record, &t->hits);
		t->done = true;
	} else if (sa_json_str(*t->record, "application_id") == NULL) {
		sa_found_none(t->cluster, t->record, &t->hits, GRACE_MS, &open,
		    NULL);
		t->done = true;
	}
}

/* All in one question; what it does not answer is asked for. */
static void
look_at_group(struct sa_follow *f, struct group *g)
{
	struct sa_cluster *c = g->v->cluster;
	struct sa_err err = SA_ERR_INIT;
	bool counts = false;

	if (g->n < 2 || c->ops->look_all == NULL) {
		look_at_each(g, 0, g->n);
		return;
	}
	if (c->ops->look_all(c, listed, g, &counts, &err) < 0) {
		say_why_all(g, &err);
		sa_err_clear(&err);
		return;
	}
	for (size_t i = 0; i < g->n; i++)
		if (counts || g->v[i].hits.n > 0)
			settle_listed(&g->v[i]);
	if (counts)
		look_at_each(g, f->turn, SINGLE_MAX);
	f->turn += SINGLE_MAX;
}

/* Fills in a task; false where there is nothing to ask. */
static bool
make_task(struct sa_follow *f, json_t **record, char **why, struct task *t)
{
	struct sa_err err = SA_ERR_INIT;
	const char *tag = sa_json_str(*record, "tag");

	if (is_settled(*record))
		return false;
	*t = (struct task){ .tag = tag != NULL ? tag : "",
		.record = record,
		.why = why };
	if (sa_follow_cluster(f, *record, &t->cluster, &err) < 0) {
		say_why(t, &err);
		sa_err_clear(&err);
		return false;
	}
	return t->cluster != NULL;
}

/* The tasks of the cluster at first, and where the next one's begin. */
static size_t
group_end(const struct task *tasks, size_t n, size_t first)
{
	size_t end = first;

	while (end < n && tasks[end].cluster == tasks[first].cluster)
		end++;
	return end;
}

/* One cluster of so many that are left. */
static void
look_in_time(struct sa_follow *f, struct group *g, size_t clusters,
    long long deadline)
{
	long long now = sa_clock_ms();
	struct sa_err err = SA_ERR_INIT;

	g->until = LLONG_MAX;
	if (f->within_ms >= 0) {
		g->until = now + (deadline - now) / (long long)clusters;
		f->back_at(g->until);
	}
	if (now < deadline) {
		look_at_group(f, g);
		return;
	}
	no_time(g, &err);
	say_why_all(g, &err);
	sa_err_clear(&err);
}

/* tasks are sorted by cluster. */
static void
look_at_all(struct sa_follow *f, struct task *tasks, size_t n)
{
	long long deadline =
	    f->within_ms >= 0 ? sa_clock_ms() + f->within_ms : LLONG_MAX;
	size_t clusters = 0;

	for (size_t i = 0; i < n; i = group_end(tasks, n, i))
		clusters++;
	for (size_t i = 0, end; i < n; i = end, clusters--) {
		end = group_end(tasks, n, i);
		look_in_time(f, &(struct group){ .v = &tasks[i], .n = end - i },
		    clusters, deadline);
	}
	if (f->within_ms >= 0)
		f->back_at(LLONG_MAX);
}

int
sa_follow_refresh(struct sa_follow *f, char *const ids[], size_t n,
    json_t *records[], char *why[], struct sa_err *err)
{
	struct task *tasks = sa_xcalloc(n + 1, sizeof(*tasks));
	size_t ntasks = 0;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		json_t *now = NULL;
		if (why != NULL)
			why[i] = NULL;
		if (records[i] != NULL &&
		    sa_run_is_final(sa_json_str(records[i], "state")))
			continue;
		rc = sa_run_refresh(f->store, ids[i], &now, err);
		if (rc < 0)
			break;
		json_decref(records[i]);
		records[i] = now;
		if (make_task(f, &records[i], why != NULL ? &why[i] : NULL,
			&tasks[ntasks]))
			ntasks++;
	}
	qsort(tasks, ntasks, sizeof(*tasks), by_cluster_and_tag);
	if (rc == 0)
		look_at_all(f, tasks, ntasks);
	for (size_t i = 0; i < ntasks; i++)
		sa_candidates_release(&tasks[i].hits);
	free(tasks);
	return rc;
}

/* Whether the driver of a job has ended here, and its cluster has yet to say
 * so of the application. */
static bool
lags(const struct sa_follow *f, const char *id, const json_t *record)
{
	struct sa_run_marks m;

	if (sa_job_truth(record) != SA_TRUTH_DRIVER_CLUSTER ||
	    sa_json_str(record, "application_id") == NULL ||
	    sa_sighting_ended(sa_json_str(record, "yarn_state")) ||
	    sa_run_marks_read(f->store, id, &m, NULL) < 0)
		return false;
	bool ended = m.exit != NULL;
	sa_run_marks_release(&m);
	return ended;
}

/* One look of a reconciliation. *open: another one may find more. */
static int
reconcile_once(struct sa_follow *f, const char *id, long long grace_ms,
    json_t **out, bool *open, struct sa_err *err)
{
	json_auto_t *record = NULL;
	struct sa_cluster *c;

	*open = false;
	if (sa_run_refresh(f->store, id, &record, err) < 0)
		return -1;
	/* one that was killed before it had an id may have got one since */
	bool late = sa_json_str(record, "application_id") == NULL &&
	    sa_json_str(record, "kill_requested_at") != NULL;
	bool ended = is_settled(record) && !late;
	int rc = sa_follow_cluster(f, record, &c, ended ? NULL : err);
	if (rc == 0 && c != NULL && ended && !lags(f, id, record))
		sa_found_over(c, record);
	else if (rc == 0 && c != NULL)
		rc = sa_follow_look(c, &record, true, grace_ms, open,
		    ended ? NULL : err);
	*open =
	    *open || (rc < 0 && !ended) || (c != NULL && lags(f, id, record));
	if (ended)
		rc = 0;
	json_decref(*out);
	*out = sa_steal(&record);
	return rc;
}

int
sa_follow_reconcile(struct sa_follow *f, const char *id, long long grace_ms,
    json_t **out, struct sa_err *err)
{
	/* times in marks are whole seconds */
	long long deadline = sa_clock_ms() + grace_ms + (grace_ms > 0) * 1000;
	struct sa_err local = SA_ERR_INIT;
	long long left;
	int step_ms = STEP_MS, rc;
	bool open;

	*out = NULL;
	while ((rc = reconcile_once(f, id, grace_ms, out, &open, &local)) < 0 ||
	    open) {
		if (!open || (left = deadline - sa_clock_ms()) <= 0)
			break;
		if (rc < 0)
			sa_info("%s: asked again in %d ms: %s", id, step_ms,
			    local.msg);
		sa_err_clear(&local);
		poll(NULL, 0, left < step_ms ? (int)left + 1 : step_ms);
		step_ms = step_ms * 2 < STEP_MAX_MS ? step_ms * 2 : STEP_MAX_MS;
	}
	if (rc == 0)
		return 0;
	json_decref(*out);
	*out = NULL;
	if (err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return -1;
}
