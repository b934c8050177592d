/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YARN_RM_H
#define SA_YARN_RM_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/http.h"

/*
 * The ResourceManagers of one cluster over their REST API (Hadoop 2.8 to
 * 3.5). Several URLs are one cluster with a standby: whoever answers as the
 * active one is asked first from then on. A standby's redirect means "ask the
 * other configured URL"; its Location is used for nothing. Where none is
 * active the question is put again, two rounds with a pause, then SA_REMOTE
 * names each URL with its reason.
 *
 * Errors: SA_NOT_FOUND, this cluster's active RM does not know the
 * application; SA_REFUSED, 401 or 403, with what to do; SA_CONFIG, a URL that
 * is missing or malformed; SA_REMOTE, everything else of the other side, an
 * answer without the field that was asked for included.
 */
struct sa_yarn;

/* urls: comma separated, as sa_url_check_rm() takes them; a path of a web page
 * that was pasted (/cluster, /ws/v1, /ui2) is cut off, ".../resourcemanager"
 * is a Knox gateway. user: for user.name, NULL for $HADOOP_USER_NAME or the
 * login name; not sent where auth_file is set. h is borrowed. */
struct sa_yarn *sa_yarn_new(struct sa_http *h, const char *urls,
    const char *user, bool simple_auth, struct sa_err *err);
void sa_yarn_free(struct sa_yarn *y);

/* A well-formed id of YARN: nothing else gets into a path. */
bool sa_yarn_is_app(const char *id);
bool sa_yarn_is_container(const char *id);

/* One application as the RM tells it; each may be NULL but id and state. */
struct sa_yarn_app {
	const char *id, *user, *name, *queue, *state, *final_status, *tags;
	const char *diagnostics, *tracking_url, *am_container_logs;
	const char *am_host, *log_aggregation;
	long long started_ms, finished_ms; /* since 1970, 0: not yet, unknown */
};

/* GET /apps/ID. *app points into *json, which the caller releases. */
int sa_yarn_get(struct sa_yarn *y, const char *id, struct sa_yarn_app *app,
    json_t **json, struct sa_err *err);

/*
 * All applications that carry one of the tags (several with commas), in any
 * state; parsed as the answer comes, so that memory does not grow with it.
 * each gets one at a time; its pointers are good until it returns. *active:
 * the RM that answered says that it is ACTIVE, before which "none" means
 * nothing.
 */
typedef void sa_yarn_each_fn(void *arg, const struct sa_yarn_app *app);
int sa_yarn_search(struct sa_yarn *y, const char *tags, sa_yarn_each_fn *each,
    void *arg, bool *active, struct sa_err *err);

/* Whether an application's comma-joined tags have this one. */
bool sa_yarn_has_tag(const char *tags, const char *tag);

/* PUT KILLED, once. *state (32 bytes): what the RM says it is now, of its
 * internal words. why goes into the application's diagnostics. */
int sa_yarn_put_kill(struct sa_yarn *y, const char *id, const char *why,
    char state[32], struct sa_err *err);

/* GET /apps/ID/appattempts: an array, the newest last. Caller releases. */
int sa_yarn_attempts(struct sa_yarn *y, const char *id, json_t **out,
    struct sa_err *err);
/* GET /apps/ID/appattempts/ATTEMPT/containers: an array. */
int sa_yarn_containers(struct sa_yarn *y, const char *id, const char *attempt,
    json_t **out, struct sa_err *err);

/* One property of the RM's configuration; NULL where it is not set or not for
 * us. Caller frees. */
char *sa_yarn_conf(struct sa_yarn *y, const char *name);

/* Each RM by itself, for the doctor. */
size_t sa_yarn_count(const struct sa_yarn *y);
const char *sa_yarn_url(const struct sa_yarn *y, size_t i);
struct sa_yarn_info {
	char ha_state[24], version[64];
	long long started_ms;
	long long clock_skew; /* theirs less ours, seconds */
};
int sa_yarn_info(struct sa_yarn *y, size_t i, struct sa_yarn_info *out,
    struct sa_err *err);

/* A GET at this cluster's NodeManagers and log servers with the same user;
 * query may be NULL. credentials: the host is a configured log server. */
int sa_yarn_fetch(struct sa_yarn *y, const char *url, bool credentials,
    const struct sa_http_request *how, struct sa_http_response *r,
    struct sa_err *err);

#endif
