/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_STANDALONEAPI_H
#define SA_STANDALONEAPI_H

#include <jansson.h>
#include <stdbool.h>

#include "base/http.h"
#include "base/record.h"
#include "spark/joblog.h"
#include "spark/sighting.h"

/*
 * The masters of a standalone cluster, by the hosts that a job's master names.
 * Spark's own port is none for us: the web page is asked on that of
 * spark.master.ui.port (else $SPARK_MASTER_WEBUI_PORT of the connection, else
 * 8080), and the REST server on spark.master.rest.port (else 6066). Where
 * spark.ssl.standalone.enabled, else spark.ssl.enabled, is true the page is
 * asked over TLS, on spark.ssl.standalone.port, else 400 above its port;
 * certificates are checked with ca_file of the plan or connection.
 */
struct sa_standalone;

/* SA_REFUSED: an agent chose hosts that it may not name. Caller frees. */
struct sa_standalone *sa_standalone_new(const struct sa_store *st,
    const struct sa_settings *s, const json_t *job, struct sa_err *err);
void sa_standalone_free(struct sa_standalone *a);

/* What tells one such view from another. Caller frees. */
char *sa_standalone_where(const struct sa_store *st, const json_t *job);

size_t sa_standalone_count(const struct sa_standalone *a);
const char *sa_standalone_ui(const struct sa_standalone *a, size_t i);
const char *sa_standalone_rest(const struct sa_standalone *a, size_t i);

/* The page of one master as JSON. */
int sa_standalone_page(struct sa_standalone *a, size_t i, json_t **out,
    struct sa_err *err);

/* The page of the master in charge; *which may be NULL. SA_REMOTE: none is, or
 * none answers. */
int sa_standalone_alive(struct sa_standalone *a, json_t **out, size_t *which,
    struct sa_err *err);

/* A request to the REST server of one. An answer that is not its JSON is
 * SA_REMOTE. *sent as in sa_http_do. */
int sa_standalone_ask(struct sa_standalone *a, size_t i, const char *method,
    const char *path, const json_t *body, json_t **out, bool *sent,
    struct sa_err *err);

/* A driver by the REST servers, or where those do not answer by the page; an
 * application by the page. SA_NOT_FOUND: the master in charge does not know
 * it. */
int sa_standalone_look(struct sa_standalone *a, const char *id,
    struct sa_sighting *out, struct sa_err *err);

/* Asks for the end of a driver, over REST, or of an application, by the form
 * of the page. */
int sa_standalone_kill(struct sa_standalone *a, const char *id,
    struct sa_err *err);

/*
 * Submits what a worker is to run, and prints the driver's id on stderr as
 * sa_id_scan takes it. 0 also where the request went out and no answer came:
 * the master may have it, and nobody may say that it failed; that is in the
 * log.
 */
int sa_standalone_launch(struct sa_standalone *a, const struct sa_store *st,
    const json_t *pending, const json_t *job, struct sa_err *err);

/*
 * What a driver and the executors of its application wrote, by the workers
 * that run them: those that the master in charge names. driver is NULL where
 * it is on this host; app is NULL where only the driver tells, in its log,
 * which one it has started.
 */
struct sa_joblog *sa_standalonelog_open(struct sa_standalone *a,
    const char *driver, const char *app);

/* A GET of what a master's page names; the body is at most 8 MiB. */
int sa_standalone_get(struct sa_standalone *a, const char *url,
    struct sa_http_response *r, struct sa_err *err);

#endif
