/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/sighting.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mask.h"
#include "spark/run.h"
#include "spark/runmark.h"

#define DIAGNOSTICS_MAX 4096
#define WORD_MAX 64
#define URL_MAX 2048

void
sa_sighting_release(struct sa_sighting *s)
{
	free(s->application_id);
	free(s->cluster_state);
	free(s->final_status);
	free(s->diagnostics);
	free(s->tracking_url);
	*s = (struct sa_sighting)SA_SIGHTING_INIT;
}

enum sa_truth
sa_job_truth(const json_t *job)
{
	const char *master = sa_json_str(job, "master");
	const char *mode = sa_json_str(job, "deploy_mode");

	if (master == NULL || strncmp(master, "local", 5) == 0)
		return SA_TRUTH_DRIVER;
	return mode != NULL && strcmp(mode, "cluster") == 0
	    ? SA_TRUTH_CLUSTER
	    : SA_TRUTH_DRIVER_CLUSTER;
}

const char *
sa_sighting_word(const struct sa_state_word *words, const char *word)
{
	for (; word != NULL && words->theirs != NULL; words++)
		if (strcmp(words->theirs, word) == 0)
			return words->ours;
	return NULL;
}

const char *
sa_sighting_yarn(const char *state, const char *final_status)
{
	/* those in the second half are internal ones, which /state shows;
	 * an application that is FINISHING runs, whatever its final status */
	static const struct sa_state_word states[] = { { "NEW", "SUBMITTED" },
		{ "NEW_SAVING", "SUBMITTED" }, { "SUBMITTED", "SUBMITTED" },
		{ "ACCEPTED", "ACCEPTED" }, { "RUNNING", "RUNNING" },
		{ "FAILED", "FAILED" }, { "KILLED", "KILLED" },
		{ "FINISHING", "RUNNING" }, { "FINAL_SAVING", "RUNNING" },
		{ "KILLING", "RUNNING" }, { NULL, NULL } };
	/* who ends without saying how did not succeed */
	static const struct sa_state_word finished[] = {
		{ "SUCCEEDED", "SUCCEEDED" }, { "FAILED", "FAILED" },
		{ "KILLED", "KILLED" }, { "UNDEFINED", "FAILED" },
		{ "ENDED", "FAILED" }, { NULL, NULL }
	};

	if (state != NULL && strcmp(state, "FINISHED") == 0)
		return sa_sighting_word(finished, final_status);
	return sa_sighting_word(states, state);
}

bool
sa_sighting_ended(const char *word)
{
	static const char *const words[] = { "FINISHED", "FAILED", "KILLED" };

	for (size_t i = 0; word != NULL && i < 3; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

/* Whether the member is another now. Nothing is taken back by not being
 * said. */
static bool
take(json_t *job, const char *member, const char *value)
{
	const char *old = sa_json_str(job, member);

	if (value == NULL || (old != NULL && strcmp(old, value) == 0))
		return false;
	sa_json_set_str(job, member, value);
	return true;
}

static bool
take_time(json_t *job, const char *member, long long ms)
{
	char text[SA_TIME_SIZE];

	if (ms <= 0 || sa_json_str(job, member) != NULL)
		return false;
	sa_clock_format((time_t)(ms / 1000), text);
	return take(job, member, text);
}

/* The length of s cut to max bytes, between two characters. */
static size_t
cut(const char *s, size_t max)
{
	size_t n = strnlen(s, max + 1);

	if (n <= max)
		return n;
	for (n = max; n > 0 && (s[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

/* A word of the cluster: none that fills up the record. */
static bool
take_word(json_t *job, const char *member, const char *value)
{
	cleanup_free char *word =
	    value != NULL ? sa_xstrndup(value, cut(value, WORD_MAX)) : NULL;

	return take(job, member, word);
}

/* Half an address is none. */
static bool
take_url(json_t *job, const char *member, const char *value)
{
	return value != NULL && strlen(value) <= URL_MAX &&
	    take(job, member, value);
}

/* What a cluster says of why, fit for a record. NULL for nothing. */
static char *
reason(const struct sa_sighting *s)
{
	if (s->diagnostics == NULL || *s->diagnostics == '\0')
		return NULL;
	char *text = sa_mask_text(s->diagnostics, strlen(s->diagnostics));
	text[cut(text, DIAGNOSTICS_MAX)] = '\0';
	return text;
}

/* Whether the cluster still tells of a driver that has ended here. */
static bool
lags(const json_t *job, const struct sa_sighting *s)
{
	const char *state = sa_json_str(job, "state");

	return sa_job_truth(job) == SA_TRUTH_DRIVER_CLUSTER &&
	    sa_run_is_final(state) && strcmp(state, "LOST") != 0 &&
	    !sa_sighting_ended(s->cluster_state);
}

static bool
take_words(json_t *job, const struct sa_sighting *s)
{
	bool changed = false;

	if (!lags(job, s)) {
		changed |= take_word(job, "yarn_state", s->cluster_state);
		changed |= take_word(job, "final_status", s->final_status);
	}
	changed |= take_url(job, "tracking_url", s->tracking_url);
	if (sa_json_str(job, "application_id") == NULL)
		changed |= take(job, "application_id", s->application_id);
	return changed;
}

static void
end(json_t *job, const struct sa_sighting *s, const char *text)
{
	char at[SA_TIME_SIZE];

	if (s->finished_ms > 0)
		sa_clock_format((time_t)(s->finished_ms / 1000), at);
	sa_run_end(job, s->state, s->finished_ms > 0 ? at : NULL, text);
	if (s->exit_code >= 0)
		json_object_set_new(job, "exit_code",
		    json_integer(s->exit_code));
}

/* Cluster mode: the job is what the cluster says that it is. */
static bool
follow_cluster(json_t *job, const struct sa_sighting *s, const char *why)
{
	const char *state = sa_json_str(job, "state");
	bool lost = state != NULL && strcmp(state, "LOST") == 0;

	if (s->state == NULL || (sa_run_is_final(state) && !lost))
		return false;
	bool changed = take_time(job, "started_at",
	    strcmp(s->state, "SUBMITTED") != 0 &&
		    strcmp(s->state, "ACCEPTED") != 0
		? s->started_ms
		: 0);
	if (sa_run_is_final(s->state)) {
		bool silent = why == NULL && strcmp(s->state, "SUCCEEDED") != 0;
		end(job, s, silent ? "the cluster gave no reason" : why);
		return true;
	}
	if (lost) {
		json_object_set_new(job, "finished_at", json_null());
		json_object_set_new(job, "diagnostics", json_null());
	}
	changed |= take(job, "diagnostics", why);
	return take(job, "state", s->state) || changed;
}

/* Client mode: the driver's end is the job's, but that one which ended with 0
 * or is lost has no say against a KILLED or FAILED. */
static bool
follow_driver(json_t *job, const struct sa_sighting *s, const char *why)
{
	const char *state = sa_json_str(job, "state");

	if (s->state == NULL)
		return false;
	if (!sa_run_is_final(s->state)) {
		if (sa_run_is_final(state))
			return false;
		bool news = take(job, "diagnostics", why);
		return take(job, "state", s->state) || news;
	}
	if (strcmp(s->state, "SUCCEEDED") == 0 || state == NULL ||
	    (strcmp(state, "SUCCEEDED") != 0 && strcmp(state, "LOST") != 0))
		return false;
	cleanup_free char *text = sa_xasprintf("the cluster says %s%s%s",
	    s->state, why != NULL ? ": " : "", why != NULL ? why : "");
	end(job, s, text);
	return true;
}

bool
sa_sighting_apply(json_t *job, const struct sa_sighting *s)
{
	cleanup_free char *why = reason(s);
	char now[SA_TIME_SIZE];
	bool changed;

	switch (sa_job_truth(job)) {
	case SA_TRUTH_CLUSTER:
		changed = take_words(job, s);
		changed |= follow_cluster(job, s, why);
		break;
	case SA_TRUTH_DRIVER_CLUSTER:
		changed = take_words(job, s);
		changed |= follow_driver(job, s, why);
		break;
	default:
		return false;
	}
	sa_clock_now(now);
	sa_json_set_str(job, "checked_at", now);
	return changed;
}
