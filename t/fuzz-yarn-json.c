/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * What ResourceManagers answer: a letter for what is asked, a digit for the
 * status, and the body of each answer. The transport is replaced by that. */
#include "config.h"

#include <ctype.h>
#include <time.h>

#include "spark/yarn.h"
#include "spark/yarnapps.h"

#define FUZZ_NAME "fuzz-yarn-json"
#include "fuzz.h"

#define APP "application_1700000000000_0001"

static const char *body;
static size_t body_len;
static int status;

int nanosleep(const struct timespec *want, struct timespec *left);

/* Between two rounds nothing has to be waited for. */
int
nanosleep(const struct timespec *want, struct timespec *left)
{
	(void)want, (void)left;
	return 0;
}

int
sa_http_do(struct sa_http *h, const struct sa_http_request *q,
    struct sa_http_response *r, bool *sent, struct sa_err *err)
{
	(void)h, (void)sent, (void)err;
	require(strncmp(q->url, "http://", 7) == 0, "a URL of another kind");
	*r = (struct sa_http_response)SA_HTTP_RESPONSE_INIT;
	sa_buf_init(&r->body, 4 << 20);
	r->status = status;
	if (status == 307 && body_len > 0)
		r->location = sa_xstrndup(body, body_len);
	if (q->take == NULL || status != 200)
		sa_buf_add(&r->body, body, body_len);
	for (size_t i = 0; q->take != NULL && status == 200 && i < body_len;
	     i += 7)
		if (q->take(q->arg, body + i,
			body_len - i < 7 ? body_len - i : 7) != 0)
			break;
	return 0;
}

void
sa_http_response_release(struct sa_http_response *r)
{
	free(r->location);
	sa_buf_release(&r->body);
}

char *
sa_http_host(const char *url)
{
	return strncmp(url, "http", 4) == 0 ? sa_xstrdup(url) : NULL;
}

char *
sa_http_escape(const char *text)
{
	return sa_xstrdup(text);
}

int
sa_http_refused(const struct sa_http_response *r, const char *who,
    const char *said, struct sa_err *err)
{
	return sa_err_set(err, SA_REFUSED, "%s %d %s", who, r->status,
	    said != NULL ? said : "");
}

static void
see(void *arg, const struct sa_yarn_app *app)
{
	size_t *n = arg;

	require(sa_yarn_is_app(app->id) && app->state != NULL,
	    "an application without id or state");
	++*n;
}

static int
ask(struct sa_yarn *y, char what, struct sa_err *err)
{
	json_auto_t *json = NULL;
	struct sa_yarn_app app;
	struct sa_yarn_info info;
	char state[32];
	size_t n = 0;
	bool active;

	switch (what) {
	case 's':
		return sa_yarn_search(y, "sa-x", see, &n, &active, err);
	case 'k':
		return sa_yarn_put_kill(y, APP, "x", state, err);
	case 'a':
		return sa_yarn_attempts(y, APP, &json, err);
	case 'c':
		return sa_yarn_containers(y, APP,
		    "appattempt_1700000000000_0001_000001", &json, err);
	case 'i':
		return sa_yarn_info(y, 0, &info, err);
	case 'p':
		free(sa_yarn_conf(y, "a.b"));
		return 0;
	default:
		if (sa_yarn_get(y, APP, &app, &json, err) < 0)
			return -1;
		require(strcmp(app.id, APP) == 0 && app.state != NULL,
		    "another application, or one without state");
		return 0;
	}
}

static void
count(void *arg, json_t *app)
{
	size_t *n = arg;

	*n += json_object_size(app) + 1;
}

/* What a list holds must not depend on how it comes. */
static long
list(size_t step)
{
	struct sa_yarnapps a;
	size_t n = 0;
	int rc = 0;

	sa_yarnapps_init(&a, count, &n);
	for (size_t i = 0; rc == 0 && i < body_len; i += step)
		rc = sa_yarnapps_add(&a, body + i,
		    body_len - i < step ? body_len - i : step);
	rc = sa_yarnapps_end(&a);
	sa_yarnapps_release(&a);
	return rc < 0 ? -1 : (long)n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int statuses[] = { 200, 202, 307, 400, 401, 403, 404, 500,
		503, 302 };
	struct sa_err err = SA_ERR_INIT;

	if (size < 2 || !isdigit(data[1]))
		return 0;
	body = (const char *)data + 2;
	body_len = size - 2;
	status = statuses[data[1] - '0'];
	struct sa_yarn *y =
	    sa_yarn_new(NULL, "http://a:1,http://b:2", "me", true, &err);
	require(y != NULL, "no client");
	int rc = ask(y, (char)data[0], &err);
	require((rc < 0) == (err.kind != SA_OK), "a failure without reason");
	require(rc == 0 || err.kind == SA_REMOTE || err.kind == SA_REFUSED ||
		err.kind == SA_NOT_FOUND,
	    "a failure of another kind");
	for (const char *s = err.msg; *s != '\0'; s++)
		require(*s == '\t' || (unsigned char)*s >= ' ',
		    "a message with controls");
	sa_yarn_free(y);
	sa_err_clear(&err);
	require(list(1) == list(body_len + 1), "a list that depends on pieces");
	return 0;
}
