/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/kubepod.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"

#define WHY_MAX 3000

const char *
sa_kubepod_label(const json_t *pod, const char *name)
{
	return sa_json_str(sa_json_obj(sa_json_obj(pod, "metadata"), "labels"),
	    name);
}

const char *
sa_kubepod_container(const json_t *pod)
{
	static const char *const names[] = { "spark-kubernetes-driver",
		"spark-kubernetes-executor" };
	const json_t *list =
	    json_object_get(sa_json_obj(pod, "spec"), "containers");
	const json_t *c;
	size_t i;

	json_array_foreach (list, i, c) {
		const char *name = sa_json_str(c, "name");
		if (name != NULL &&
		    (strcmp(name, names[0]) == 0 ||
			strcmp(name, names[1]) == 0))
			return name;
	}
	return sa_json_str(json_array_get(list, 0), "name");
}

static const json_t *
status_of(const json_t *pod)
{
	return sa_json_obj(pod, "status");
}

static const char *
phase_of(const json_t *pod)
{
	const char *phase = sa_json_str(status_of(pod), "phase");

	return phase != NULL ? phase : "Unknown";
}

/* What is said of a container: one of {waiting, running, terminated}. */
static const json_t *
driver_state(const json_t *pod)
{
	const char *name = sa_kubepod_container(pod);
	const json_t *c;
	size_t i;

	json_array_foreach (
	    json_object_get(status_of(pod), "containerStatuses"), i, c) {
		const char *its = sa_json_str(c, "name");
		if (its != NULL && name != NULL && strcmp(its, name) == 0)
			return sa_json_obj(c, "state");
	}
	return NULL;
}

bool
sa_kubepod_ended(const json_t *pod)
{
	const char *phase = phase_of(pod);

	return sa_json_obj(driver_state(pod), "terminated") != NULL ||
	    strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0;
}

bool
sa_kubepod_has_node(const json_t *pod)
{
	return sa_json_str(sa_json_obj(pod, "spec"), "nodeName") != NULL;
}

static bool
is_deleted(const json_t *pod)
{
	return sa_json_str(sa_json_obj(pod, "metadata"), "deletionTimestamp") !=
	    NULL;
}

static long long
time_of(const json_t *of, const char *member)
{
	const char *text = sa_json_str(of, member);
	time_t t;

	return text != NULL && sa_clock_parse(text, &t) ? (long long)t * 1000
							: 0;
}

/* "REASON: message" behind what is there already. */
static void
add_why(struct sa_buf *b, const char *head, const json_t *of)
{
	const char *reason = sa_json_str(of, "reason");
	const char *message = sa_json_str(of, "message");

	if ((reason == NULL || *reason == '\0') &&
	    (message == NULL || *message == '\0') && *head == '\0')
		return;
	bool both = reason != NULL && message != NULL;
	sa_buf_addf(b, "%s%s%s%s%.1000s", b->len > 0 ? "; " : "", head,
	    reason != NULL ? reason : "", both ? ": " : "",
	    message != NULL ? message : "");
}

/* Why containers wait; "ContainerCreating" is no reason. */
static void
add_waiting(struct sa_buf *b, const json_t *list)
{
	const json_t *c;
	size_t i;

	json_array_foreach (list, i, c) {
		const json_t *state = sa_json_obj(c, "state");
		const json_t *w = sa_json_obj(state, "waiting");
		const json_t *t = sa_json_obj(state, "terminated");
		const char *reason = sa_json_str(w, "reason");
		if (reason != NULL &&
		    strcmp(reason, "ContainerCreating") != 0 &&
		    strcmp(reason, "PodInitializing") != 0)
			add_why(b, "", w);
		else if (t != NULL && sa_json_int(t, "exitCode", 0) != 0)
			add_why(b, "a container failed: ", t);
	}
}

static void
add_conditions(struct sa_buf *b, const json_t *status)
{
	const json_t *c;
	size_t i;

	json_array_foreach (json_object_get(status, "conditions"), i, c) {
		const char *type = sa_json_str(c, "type");
		const char *is = sa_json_str(c, "status");
		if (type != NULL && is != NULL &&
		    strcmp(type, "PodScheduled") == 0 &&
		    strcmp(is, "False") == 0)
			add_why(b, "", c);
	}
}

static void
explain_wait(const json_t *pod, struct sa_sighting *out)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(WHY_MAX);
	const json_t *status = status_of(pod);

	add_conditions(&b, status);
	add_waiting(&b, json_object_get(status, "initContainerStatuses"));
	add_waiting(&b, json_object_get(status, "containerStatuses"));
	if (b.len > 0)
		out->diagnostics = sa_buf_steal(&b);
}

/* How the driver's container ended, or, without one, the pod. */
static void
explain_end(const json_t *pod, const json_t *ended, struct sa_sighting *out)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(WHY_MAX);

	if (ended != NULL) {
		sa_buf_addf(&b, "the driver's container ended with status %d",
		    out->exit_code);
		add_why(&b, "", ended);
	}
	add_why(&b, "", status_of(pod));
	if (is_deleted(pod))
		sa_buf_addf(&b, "%sthe pod is being deleted",
		    b.len > 0 ? "; " : "");
	if (b.len == 0)
		explain_wait(pod, out);
	else
		out->diagnostics = sa_buf_steal(&b);
}

static const char *
state_of_end(const json_t *pod, bool wished, const struct sa_sighting *s)
{
	bool good = s->exit_code >= 0 ? s->exit_code == 0
				      : strcmp(phase_of(pod), "Succeeded") == 0;

	if (good)
		return "SUCCEEDED";
	/* 143 and 137 are TERM and KILL, as a deletion sends them */
	wished = wished || s->exit_code == 143 || s->exit_code == 137;
	return wished && is_deleted(pod) ? "KILLED" : "FAILED";
}

static void
sight_end(const json_t *pod, bool wished, struct sa_sighting *out)
{
	const json_t *ended = sa_json_obj(driver_state(pod), "terminated");
	const char *reason = sa_json_str(ended, "reason");

	if (ended != NULL) {
		json_int_t code = sa_json_int(ended, "exitCode", 1);
		out->exit_code = code >= 0 && code < 256 ? (int)code : 255;
		out->started_ms = time_of(ended, "startedAt");
		out->finished_ms = time_of(ended, "finishedAt");
	}
	if (reason == NULL)
		reason = sa_json_str(status_of(pod), "reason");
	if (reason != NULL && *reason != '\0')
		out->final_status = sa_xstrdup(reason);
	out->state = state_of_end(pod, wished, out);
	if (strcmp(out->state, "SUCCEEDED") != 0)
		explain_end(pod, ended, out);
}

void
sa_kubepod_sight(const json_t *pod, bool wished, struct sa_sighting *out)
{
	const char *phase = phase_of(pod);
	const char *id = sa_kubepod_label(pod, "spark-app-selector");
	const json_t *running = sa_json_obj(driver_state(pod), "running");

	*out = (struct sa_sighting)SA_SIGHTING_INIT;
	out->application_id = id != NULL ? sa_xstrdup(id) : NULL;
	out->cluster_state = sa_xstrdup(
	    is_deleted(pod) && !sa_kubepod_ended(pod) ? "Terminating" : phase);
	out->started_ms = time_of(status_of(pod), "startTime");
	if (sa_kubepod_ended(pod)) {
		sight_end(pod, wished, out);
		return;
	}
	if (running != NULL && time_of(running, "startedAt") > 0)
		out->started_ms = time_of(running, "startedAt");
	if (strcmp(phase, "Running") == 0)
		out->state = "RUNNING";
	else if (strcmp(phase, "Pending") == 0) {
		out->state =
		    sa_kubepod_has_node(pod) ? "ACCEPTED" : "SUBMITTED";
		explain_wait(pod, out);
	}
}
