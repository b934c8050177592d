/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_KUBEPOD_H
#define SA_KUBEPOD_H

#include <jansson.h>
#include <stdbool.h>

#include "spark/sighting.h"

/* What a pod of Kubernetes says of itself. No network here; any JSON will
 * do. */

/* A label, or NULL; of other objects too. Borrowed. */
const char *sa_kubepod_label(const json_t *pod, const char *name);

/* The container whose log and exit status are the driver's or executor's: the
 * one that Spark names so, else the first; NULL: none. Borrowed. */
const char *sa_kubepod_container(const json_t *pod);

/* Whether nothing of it will run any more. */
bool sa_kubepod_ended(const json_t *pod);

/* Whether it has a node, or had one: there can be a log. */
bool sa_kubepod_has_node(const json_t *pod);

/*
 * The driver's state: how its container ended, else the pod's phase. wished:
 * its end was asked for, so that one that is being deleted was KILLED.
 * diagnostics tell why it failed, or why it does not run yet.
 */
void sa_kubepod_sight(const json_t *pod, bool wished, struct sa_sighting *out);

#endif
