/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <poll.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "spark/follow.h"
#include "spark/found.h"
#include "spark/run.h"
#include "spark/runkill.h"

#define GRACE_MS 60000
#define STEP_MS 200
#define STEP_MAX_MS 2000
#define AGAIN_MS 3000 /* until the cluster is asked for the same again */

struct killing {
	struct sa_follow *f;
	struct sa_cluster *c;
	const char *id;
	bool force;
	json_t *record;
	bool had;      /* something of it ran on this host, and was ended */
	char why[512]; /* the cluster's last failure, "" for none */
};

static bool
is_state(const json_t *record, const char *state)
{
	const char *s = sa_json_str(record, "state");

	return s != NULL && strcmp(s, state) == 0;
}

static bool
is_final(const json_t *record)
{
	return sa_run_is_final(sa_json_str(record, "state"));
}

/* Brings the record up to date; a cluster that fails is noted. */
static int
look(struct killing *k, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	json_t *now = NULL;
	bool open;

	if (sa_run_refresh(sa_follow_store(k->f), k->id, &now, err) < 0)
		return -1;
	json_decref(k->record);
	k->record = now;
	k->why[0] = '\0';
	if (is_final(now) && !is_state(now, "LOST"))
		return 0;
	if (sa_follow_look(k->c, &k->record, false, GRACE_MS, &open, &local) <
	    0)
		strlcpy(k->why, local.msg, sizeof(k->why));
	sa_err_clear(&local);
	return 0;
}

/* Asks for the end of one application. */
static int
end_application(struct killing *k, const char *application, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;

	if (k->c->ops->kill(k->c, k->record, application, k->force, &local) ==
	    0)
		return 0;
	if (local.kind == SA_REFUSED) {
		if (err != NULL)
			*err = local;
		else
			sa_err_clear(&local);
		return -1;
	}
	/* it is tried again */
	if (local.kind != SA_NOT_FOUND)
		strlcpy(k->why, local.msg, sizeof(k->why));
	sa_err_clear(&local);
	return 0;
}

/* All that carries the job's mark, and what it is known by. -1: the cluster
 * does not let us. */
static int
ask(struct killing *k, struct sa_err *err)
{
	const char *known = sa_json_str(k->record, "application_id");
	cleanup_free char *own = known != NULL ? sa_xstrdup(known) : NULL;
	struct sa_candidates hits = { .v = NULL };
	struct sa_err local = SA_ERR_INIT;
	bool met = false;
	int rc = 0;

	if (k->c->ops->find(k->c, k->record, &hits, &local) < 0)
		strlcpy(k->why, local.msg, sizeof(k->why));
	sa_err_clear(&local);
	for (size_t i = 0; i < hits.n && rc == 0; i++) {
		const struct sa_sighting *s = &hits.v[i].seen;
		if (!hits.v[i].certain || s->application_id == NULL)
			continue;
		met =
		    met || (own != NULL && strcmp(own, s->application_id) == 0);
		if (!sa_run_is_final(s->state))
			rc = end_application(k, s->application_id, err);
	}
	if (rc == 0 && own != NULL && !met)
		rc = end_application(k, own, err);
	sa_candidates_release(&hits);
	return rc;
}

/* What runs on this host: the driver, or what submits it. */
static int
end_here(struct killing *k, int grace_ms, struct sa_err *err)
{
	bool driver = sa_job_truth(k->record) != SA_TRUTH_CLUSTER;
	struct sa_err local = SA_ERR_INIT;

	if (sa_run_kill_group(sa_follow_store(k->f), k->id, grace_ms, &k->had,
		&local) == 0)
		return 0;
	/* a launcher on another host is of no account once the cluster has
	 * been asked */
	if (!driver && local.kind == SA_REMOTE) {
		sa_info("%s: %s", k->id, local.msg);
		sa_err_clear(&local);
		return 0;
	}
	if (err != NULL)
		*err = local;
	else
		sa_err_clear(&local);
	return -1;
}

/* Whether it has ended; a driver that we ended is not lost. */
static bool
has_ended(struct killing *k)
{
	if (is_state(k->record, "LOST") && k->had &&
	    sa_job_truth(k->record) != SA_TRUTH_CLUSTER)
		sa_found_killed(k->c, &k->record);
	return is_final(k->record);
}

static int
not_ended(struct killing *k, int timeout_ms, struct sa_err *err)
{
	const char *word = sa_json_str(k->record, "yarn_state");

	sa_err_set(err, SA_BUSY,
	    "job '%s' has not ended after %d s: %s, on %s %s%s%s", k->id,
	    timeout_ms / 1000, sa_json_str(k->record, "state"), k->c->ops->name,
	    word != NULL ? word : "not seen", *k->why != '\0' ? "; " : "",
	    k->why);
	sa_err_hint(err,
	    "the kill was asked for and stays so; sa-yarn kill %s waits on",
	    k->id);
	sa_err_agent_hint(err,
	    "the kill was asked for and stays so; get_job_status tells when "
	    "it has ended");
	return sa_err_detail(err, json_incref(k->record));
}

/* From the stored wish to the end. */
static int
carry_out(struct killing *k, int grace_ms, int timeout_ms, struct sa_err *err)
{
	long long start = sa_clock_ms(), asked = start, left;
	int step_ms = STEP_MS;

	if (ask(k, err) < 0 || end_here(k, grace_ms, err) < 0)
		return -1;
	for (;;) {
		if (look(k, err) < 0)
			return -1;
		if (has_ended(k))
			return 0;
		left = start + timeout_ms - sa_clock_ms();
		if (left <= 0)
			return not_ended(k, timeout_ms, err);
		poll(NULL, 0, left < step_ms ? (int)left : step_ms);
		step_ms = step_ms * 2 < STEP_MAX_MS ? step_ms * 2 : STEP_MAX_MS;
		if (sa_clock_ms() - asked < AGAIN_MS)
			continue;
		asked = sa_clock_ms();
		if (ask(k, err) < 0)
			return -1;
	}
}

/* On its cluster and here. */
static int
kill_there(struct killing *k, int grace_ms, int timeout_ms, bool *ended,
    struct sa_err *err)
{
	const struct sa_store *st = sa_follow_store(k->f);
	const struct sa_settings *s = sa_follow_settings(k->f);
	json_t *wished = NULL;

	if (look(k, err) < 0)
		return -1;
	*ended = is_final(k->record);
	if (*ended && is_state(k->record, "LOST") && *k->why != '\0')
		return sa_err_set(err, SA_REMOTE, "job '%s' is LOST: %s", k->id,
		    k->why);
	if (*ended)
		return 0;
	if (sa_run_kill_request(st, s, k->id, &wished, ended, err) < 0)
		return -1;
	json_decref(k->record);
	k->record = wished;
	if (*ended)
		return 0;
	if (carry_out(k, grace_ms, timeout_ms, err) < 0) {
		/* the failure counts more than that of its audit line */
		sa_run_kill_outcome(st, s, k->id, NULL,
		    err != NULL ? err->msg : "no reason", NULL);
		return -1;
	}
	return sa_run_kill_outcome(st, s, k->id,
	    sa_json_str(k->record, "state"), NULL, err);
}

int
sa_follow_kill(struct sa_follow *f, const char *id, bool force, int grace_ms,
    int timeout_ms, json_t **out, bool *ended, struct sa_err *err)
{
	struct killing k = { .f = f, .id = id, .force = force };
	struct sa_err local = SA_ERR_INIT;

	if (sa_run_refresh(sa_follow_store(f), id, &k.record, err) < 0)
		return -1;
	int rc = sa_follow_cluster(f, k.record, &k.c, &local);
	if (rc < 0 && sa_job_truth(k.record) == SA_TRUTH_CLUSTER) {
		if (err != NULL)
			*err = local;
	} else if (rc < 0 || k.c == NULL) {
		if (rc < 0)
			sa_warn("%s: only its driver is ended: %s", id,
			    local.msg);
		sa_err_clear(&local);
		json_decref(k.record);
		return sa_run_kill(sa_follow_store(f), sa_follow_settings(f),
		    id, grace_ms, out, ended, err);
	} else
		rc = kill_there(&k, grace_ms, timeout_ms, ended, err);
	if (rc == 0)
		*out = json_incref(k.record);
	json_decref(k.record);
	return rc;
}
