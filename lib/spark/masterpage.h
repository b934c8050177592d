/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MASTERPAGE_H
#define SA_MASTERPAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "spark/sighting.h"

/*
 * What a master of Spark's standalone clusters says: the JSON of its web page
 * (/json/), the answers of its REST server, the page itself, and the logs of
 * workers. No network here; any input will do.
 */

/* Whether it is the master in charge, and not a standby. */
bool sa_masterpage_alive(const json_t *page);

/* Our word for an application's or a driver's state; NULL for unknown ones. */
const char *sa_masterpage_app_state(const char *word);
const char *sa_masterpage_driver_state(const char *word);

/* An application or driver that the page knows, and what it says of it. */
bool sa_masterpage_find(const json_t *page, const char *id,
    struct sa_sighting *out);

/* The address of the worker's page on which a driver runs or ran, or NULL.
 * Borrowed. */
const char *sa_masterpage_worker(const json_t *page, const char *driver);

/* The same of a worker by its id. */
const char *sa_masterpage_worker_url(const json_t *page, const char *worker);

/*
 * The page of an application, HTML: each executor that it has a row of, with
 * its number and the id of its worker. At most max are given; returns how many
 * there are.
 */
typedef void sa_masterpage_executor_fn(void *arg, long long number,
    const char *worker);
size_t sa_masterpage_executors(const char *html, size_t len, const char *app,
    size_t max, sa_masterpage_executor_fn *each, void *arg);

/* Each driver that runs Python and was submitted since then, newest first;
 * at most max. each takes what is in seen. */
void sa_masterpage_drivers(const json_t *page, long long since_ms, size_t max,
    void (*each)(void *arg, struct sa_sighting *seen), void *arg);

/* What the REST server says of a driver. */
void sa_masterpage_status(const json_t *answer, const char *driver,
    struct sa_sighting *out);

/* Whether an answer without success is that of a master which is not in
 * charge. */
bool sa_masterpage_standby(const json_t *answer);

/* The token that forms of the page carry; false: the page has none. */
#define SA_CSRF_SIZE 129
bool sa_masterpage_csrf(const char *html, size_t len, char out[SA_CSRF_SIZE]);

/* A worker's log: "==== Bytes FROM-TO of LENGTH of FILE ====" and a line
 * break, then the text. */
struct sa_workerlog {
	long long from, to, length;
	const char *text; /* in what was given */
	size_t len;
};
bool sa_workerlog_parse(const char *body, size_t len, struct sa_workerlog *out);

#endif
