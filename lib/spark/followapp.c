/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <poll.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "spark/audit.h"
#include "spark/follow.h"
#include "spark/run.h"

#define STEP_MS 200
#define STEP_MAX_MS 2000
#define AGAIN_MS 3000 /* until the cluster is asked for the same again */

/* The job whose application is to be ended beside its own. */
static int
read_job(struct sa_follow *f, const char *id, const char *application,
    struct sa_cluster **c, json_t **out, struct sa_err *err)
{
	json_auto_t *job = NULL;

	if (sa_run_refresh(sa_follow_store(f), id, &job, err) < 0 ||
	    sa_follow_cluster(f, job, c, err) < 0)
		return -1;
	if (*c == NULL)
		return sa_err_set(err, SA_INVALID,
		    "job '%s' runs on no cluster, and has no applications", id);
	const char *own = sa_json_str(job, "application_id");
	if (own != NULL && strcmp(own, application) == 0) {
		cleanup_free char *shown = sa_text_visible(application);
		sa_err_set(err, SA_INVALID,
		    "'%s' is the application of job '%s' itself", shown, id);
		return sa_err_hint(err, "end the job: sa-yarn kill %s", id);
	}
	*out = sa_steal(&job);
	return 0;
}

static int
not_ended(const char *application, const struct sa_sighting *seen,
    int timeout_ms, const struct sa_err *last, struct sa_err *err)
{
	sa_err_set(err, SA_BUSY, "%s has not ended after %d s: %s%s%s",
	    application, timeout_ms / 1000,
	    seen->cluster_state != NULL ? seen->cluster_state : "not seen",
	    last->kind != SA_OK ? "; " : "",
	    last->kind != SA_OK ? last->msg : "");
	return sa_err_hint(err, "it was asked to end; try again");
}

/* A failure that asking again may mend. */
static bool
may_pass(const struct sa_err *err)
{
	return err->kind == SA_REMOTE || err->kind == SA_BUSY;
}

/* job is as it is stored: what is its own is judged by that. */
static int
end_application(struct sa_cluster *c, const json_t *job,
    const char *application, bool force, int timeout_ms, char **state,
    struct sa_err *err)
{
	json_auto_t *other = json_copy((json_t *)(uintptr_t)job);
	long long deadline = sa_clock_ms() + timeout_ms, asked = 0, left;
	struct sa_sighting seen = SA_SIGHTING_INIT;
	int step_ms = STEP_MS, rc = 0;

	sa_json_set_str(other, "application_id", application);
	for (;;) {
		struct sa_err last = SA_ERR_INIT;
		long long now = sa_clock_ms();
		if (asked == 0 || now - asked >= AGAIN_MS) {
			asked = now;
			rc = c->ops->kill(c, job, application, force, &last);
		}
		sa_sighting_release(&seen);
		if (rc == 0)
			rc = c->ops->look(c, other, &seen, &last);
		left = deadline - sa_clock_ms();
		if (rc == 0 && sa_run_is_final(seen.state))
			break;
		if (rc < 0 && !may_pass(&last)) {
			*err = last;
			break;
		}
		if (left <= 0) {
			rc = not_ended(application, &seen, timeout_ms, &last,
			    err);
			sa_err_clear(&last);
			break;
		}
		sa_err_clear(&last);
		rc = 0;
		poll(NULL, 0, left < step_ms ? (int)left : step_ms);
		step_ms = step_ms * 2 < STEP_MAX_MS ? step_ms * 2 : STEP_MAX_MS;
	}
	if (rc == 0)
		*state = sa_xstrdup(seen.state);
	sa_sighting_release(&seen);
	return rc;
}

int
sa_follow_kill_one(struct sa_follow *f, const char *id, const char *application,
    bool force, int timeout_ms, json_t **out, char **state, struct sa_err *err)
{
	const struct sa_store *st = sa_follow_store(f);
	const struct sa_settings *s = sa_follow_settings(f);
	json_auto_t *job = NULL;
	struct sa_cluster *c;

	if (read_job(f, id, application, &c, &job, err) < 0 ||
	    sa_audit_add(st, s, "kill", id, NULL, application, err) < 0)
		return -1;
	if (end_application(c, job, application, force, timeout_ms, state,
		err) < 0) {
		/* the failure counts more than that of its audit line */
		sa_audit_add(st, s, "kill-failed", id, NULL, err->msg, NULL);
		return -1;
	}
	cleanup_free char *note = sa_xasprintf("%s %s", application, *state);
	if (sa_audit_add(st, s, "killed", id, NULL, note, err) < 0)
		return -1;
	*out = sa_steal(&job);
	return 0;
}
