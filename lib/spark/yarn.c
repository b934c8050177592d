/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/yarn.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "spark/url.h"
#include "spark/yarnapps.h"

#define ROUNDS 2
#define PAUSE_MS 500 /* and up to as much again */
#define SLOW_MS 1000
#define SAID_MAX 300

struct rm {
	char *root; /* what was configured, without what a paste left on it */
	char *api;  /* of /apps, /info */
	char *host; /* for people */
};

struct sa_yarn {
	struct sa_http *http;
	struct rm *rms;
	size_t n, active; /* which is asked first */
	char *user;	  /* escaped, NULL: say none */
};

/* One question to whichever ResourceManager is active. */
struct question {
	const char *method, *path, *query;
	const char *body;
	bool root;		    /* the path is below the root */
	struct sa_yarnapps *stream; /* the answer is a list */
	bool *active;		    /* of the one that answered; NULL */
};

/* What came of asking one of them. */
enum outcome {
	ANSWERED, /* err says whether well */
	NOT_HIM,  /* another one has to be asked; err says why */
	NOT_NOW	  /* the same, and again after a pause is no use */
};

/* ---- names that go into paths ---- */

/* The length of a number of min to max digits at s. */
static size_t
digits(const char *s, size_t min, size_t max)
{
	size_t n = 0;

	while (n <= max && isdigit((unsigned char)s[n]))
		n++;
	return n >= min && n <= max ? n : 0;
}

/* "PREFIX_1_2_3": word, then so many numbers. */
static bool
numbered(const char *s, const char *word, int numbers)
{
	size_t n = strlen(word);

	if (strncmp(s, word, n) != 0)
		return false;
	for (s += n; numbers > 0; numbers--) {
		n = *s == '_' ? digits(s + 1, 1, 20) : 0;
		if (n == 0)
			return false;
		s += n + 1;
	}
	return *s == '\0';
}

bool
sa_yarn_is_app(const char *id)
{
	size_t n;

	if (strncmp(id, "application_", 12) != 0)
		return false;
	id += 12;
	n = digits(id, 10, 20);
	return n > 0 && id[n] == '_' && digits(id + n + 1, 4, 10) > 0 &&
	    id[n + 1 + digits(id + n + 1, 4, 10)] == '\0';
}

bool
sa_yarn_is_container(const char *id)
{
	size_t n;

	if (strncmp(id, "container_e", 11) != 0)
		return numbered(id, "container", 4);
	n = digits(id + 11, 1, 10);
	return n > 0 && numbered(id + 11 + n, "", 4);
}

static bool
is_attempt(const char *id)
{
	return numbered(id, "appattempt", 3);
}

bool
sa_yarn_has_tag(const char *tags, const char *tag)
{
	size_t n = strlen(tag);

	for (const char *s = tags; s != NULL && n > 0;) {
		size_t len = strcspn(s, ",");
		if (len == n && strncasecmp(s, tag, n) == 0)
			return true;
		s = s[len] == ',' ? s + len + 1 : NULL;
	}
	return false;
}

/* ---- the configured ones ---- */

/* How much of a URL is left when what a paste from a browser has behind the
 * root is cut off; *knox: it is a gateway, whose root is the API's. */
static size_t
root_length(const char *url, bool *knox)
{
	static const char *const pages[] = { "cluster", "ws", "ui2" };
	static const char gateway[] = "resourcemanager";
	const char *s = strstr(url, "://") + 3;
	size_t len;

	*knox = false;
	for (s += strcspn(s, "/"); *s == '/'; s += len) {
		len = 1 + strcspn(s + 1, "/");
		for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
			if (len - 1 == strlen(pages[i]) &&
			    strncmp(s + 1, pages[i], len - 1) == 0)
				return (size_t)(s - url);
		if (len == sizeof(gateway) &&
		    strncmp(s + 1, gateway, len - 1) == 0) {
			*knox = true;
			return (size_t)(s - url) + len;
		}
	}
	size_t n = strlen(url);
	while (n > 0 && url[n - 1] == '/')
		n--;
	return n;
}

static void
add_rm(struct sa_yarn *y, const char *url)
{
	struct rm *rm;
	bool knox;

	y->rms = sa_xrealloc(y->rms, y->n + 1, sizeof(*y->rms));
	rm = &y->rms[y->n++];
	rm->root = sa_xstrndup(url, root_length(url, &knox));
	rm->api = sa_xasprintf("%s%s", rm->root,
	    knox ? "/v1/cluster" : "/ws/v1/cluster");
	rm->host = sa_http_host(url);
	if (rm->host == NULL)
		rm->host = sa_xstrdup(url);
}

static char *
default_user(void)
{
	const char *name = getenv("HADOOP_USER_NAME");
	const struct passwd *pw;

	if (name != NULL && *name != '\0')
		return sa_http_escape(name);
	pw = getpwuid(geteuid());
	return pw != NULL ? sa_http_escape(pw->pw_name) : NULL;
}

struct sa_yarn *
sa_yarn_new(struct sa_http *h, const char *urls, const char *user,
    bool simple_auth, struct sa_err *err)
{
	if (urls == NULL || *urls == '\0') {
		sa_err_set(err, SA_CONFIG, "no ResourceManager is known");
		sa_err_hint(err,
		    "set yarn_rm_url of the connection, or "
		    "YARN_RESOURCE_MANAGER_URL");
		return NULL;
	}
	if (sa_url_check_rm(urls, err) < 0) {
		if (err != NULL)
			err->kind = SA_CONFIG;
		return NULL;
	}
	struct sa_yarn *y = sa_xcalloc(1, sizeof(*y));
	y->http = h;
	for (const char *s = urls;; s++) {
		size_t n = strcspn(s, ",");
		cleanup_free char *url = sa_xstrndup(s, n);
		add_rm(y, url);
		s += n;
		if (*s == '\0')
			break;
	}
	if (simple_auth)
		y->user = user != NULL && *user != '\0' ? sa_http_escape(user)
							: default_user();
	return y;
}

void
sa_yarn_free(struct sa_yarn *y)
{
	if (y == NULL)
		return;
	for (size_t i = 0; i < y->n; i++) {
		free(y->rms[i].root);
		free(y->rms[i].api);
		free(y->rms[i].host);
	}
	free(y->rms);
	free(y->user);
	free(y);
}

size_t
sa_yarn_count(const struct sa_yarn *y)
{
	return y->n;
}

const char *
sa_yarn_url(const struct sa_yarn *y, size_t i)
{
	return y->rms[i].root;
}

/* ---- one request ---- */

/* URL with "?query&user.name=..."; caller frees. */
static char *
with_user(const struct sa_yarn *y, const char *url, const char *query)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	bool has = strchr(url, '?') != NULL;

	sa_buf_adds(&b, url);
	if (query != NULL) {
		sa_buf_addf(&b, "%c%s", has ? '&' : '?', query);
		has = true;
	}
	if (y->user != NULL)
		sa_buf_addf(&b, "%cuser.name=%s", has ? '&' : '?', y->user);
	return sa_buf_steal(&b);
}

static int
take_list(void *arg, const char *bytes, size_t n)
{
	return sa_yarnapps_add(arg, bytes, n);
}

static int
send_to(struct sa_yarn *y, const struct rm *rm, const struct question *q,
    struct sa_http_response *r, struct sa_err *err)
{
	/* the filter against forged requests wants any value */
	static const char *const headers[] = { "X-XSRF-HEADER: sa", NULL };
	cleanup_free char *base =
	    sa_xasprintf("%s%s", q->root ? rm->root : rm->api, q->path);
	cleanup_free char *url = with_user(y, base, q->query);
	struct sa_http_request request = { .method = q->method,
		.url = url,
		.accept = "application/json",
		.headers = headers,
		.credentials = true };

	if (q->body != NULL) {
		request.content_type = "application/json";
		request.body = q->body;
		request.body_len = strlen(q->body);
	}
	if (q->stream != NULL) {
		sa_yarnapps_reset(q->stream);
		request.take = take_list;
		request.arg = q->stream;
		request.total_ms = -1;
	}
	return sa_http_do(y->http, &request, r, NULL, err);
}

/* ---- what an answer says ---- */

/* The first line of a text for people; caller frees. */
static char *
first_line(const char *text)
{
	cleanup_free char *line = sa_xstrndup(text, strcspn(text, "\r\n"));
	char *shown = sa_text_visible(line);
	size_t n = strlen(shown);

	if (n > SAID_MAX) { /* at a character's end */
		n = SAID_MAX;
		while (n > 0 && ((unsigned char)shown[n] & 0xc0) == 0x80)
			n--;
		shown[n] = '\0';
	}
	return shown;
}

struct exception {
	char *name, *message; /* NULL: there is none */
};

static void
release_exception(struct exception *e)
{
	free(e->name);
	free(e->message);
}

/* {"RemoteException":{"exception":..,"message":..}}, or a sentence, whatever
 * the content type says. A web page is neither. */
static struct exception
read_exception(const struct sa_http_response *r)
{
	struct exception out = { NULL, NULL };
	cleanup_free char *text = sa_xstrdup(sa_buf_str(&r->body));
	json_auto_t *j = sa_yarnapps_parse(text, strlen(text));
	const json_t *e = sa_json_obj(j, "RemoteException");
	const char *name = sa_json_str(e, "exception");
	const char *message = sa_json_str(e, "message");

	if (name != NULL)
		out.name = first_line(name);
	if (message != NULL)
		out.message = first_line(message);
	const char *s = text + strspn(text, " \t\r\n");
	if (j == NULL && *s != '\0' && *s != '<')
		out.message = first_line(s);
	return out;
}

static const char *
said(const struct exception *e)
{
	return e->message != NULL ? e->message : e->name != NULL ? e->name : "";
}

/* Whether it is the words for "you may not" under another status. */
static bool
denies(const struct exception *e)
{
	return e->message != NULL &&
	    (strstr(e->message, "does not have privilege") != NULL ||
		strstr(e->message, "not authorized") != NULL);
}

static enum outcome
failed(const struct rm *rm, const struct sa_http_response *r,
    struct sa_err *err)
{
	struct exception e = read_exception(r);
	enum outcome out = ANSWERED;

	if (r->status == 401 || r->status == 403 || denies(&e)) {
		sa_http_refused(r, rm->host, e.message, err);
	} else if (r->status == 404 && e.name != NULL &&
	    strcmp(e.name, "NotFoundException") == 0) {
		sa_err_set(err, SA_NOT_FOUND, "'%s': %s", rm->host, said(&e));
	} else if (e.name == NULL && r->status < 500) {
		out = NOT_NOW;
		sa_err_set(err, SA_REMOTE,
		    "'%s' is no ResourceManager (status %d)", rm->host,
		    r->status);
	} else {
		/* any exception of theirs is a 503, a dead proxy 502 or 504 */
		out = r->status >= 500 ? NOT_HIM : ANSWERED;
		sa_err_set(err, SA_REMOTE, "'%s' failed (status %d)%s%s",
		    rm->host, r->status, *said(&e) != '\0' ? ": " : "",
		    said(&e));
	}
	release_exception(&e);
	return out;
}

/* A standby names the active one by its own configuration; that name is for
 * people, never for us. */
static enum outcome
redirected(const struct sa_yarn *y, const struct rm *rm,
    const struct sa_http_response *r, struct sa_err *err)
{
	cleanup_free char *host =
	    r->location != NULL ? sa_http_host(r->location) : NULL;
	cleanup_free char *other = sa_text_visible(host != NULL ? host : "");

	if (r->location == NULL) {
		sa_err_set(err, SA_REMOTE,
		    "'%s' is standby and knows no active ResourceManager",
		    rm->host);
		return NOT_HIM;
	}
	if (r->status != 307) {
		sa_err_set(err, SA_REMOTE,
		    "'%s' is no ResourceManager: it sends to '%.100s'",
		    rm->host, other);
		sa_err_hint(err,
		    "a gateway's login page, perhaps: set auth_file");
		return NOT_NOW;
	}
	sa_err_set(err, SA_REMOTE, "'%s' is standby for '%.100s'", rm->host,
	    other);
	if (y->n > 1)
		return NOT_HIM;
	sa_err_hint(err,
	    "put the URL of the active ResourceManager into "
	    "yarn_rm_url too, with a comma");
	return NOT_NOW;
}

static enum outcome
not_json(const struct rm *rm, const char *text, struct sa_err *err)
{
	const char *s = text + strspn(text, " \t\r\n");

	if (strncasecmp(s, "There is no active RM", 21) == 0) {
		sa_err_set(err, SA_REMOTE,
		    "'%s' is standby and knows no active ResourceManager",
		    rm->host);
		return NOT_HIM;
	}
	sa_err_set(err, SA_REMOTE, "'%s' answers with %s, not with JSON",
	    rm->host,
	    *s == '<'	     ? "a web page"
		: *s == '\0' ? "nothing"
			     : "something else");
	if (*s == '<')
		sa_err_hint(err,
		    "is that the ResourceManager's web address, "
		    "and no login page before it?");
	return NOT_NOW;
}

static enum outcome
broke_off(const struct rm *rm, struct sa_err *err)
{
	sa_err_set(err, SA_REMOTE, "'%s' broke off in the middle of its answer",
	    rm->host);
	return NOT_HIM;
}

/* A list was taken while it came. What was handed out cannot be taken back:
 * after that nobody else is asked. */
static enum outcome
end_of_list(const struct rm *rm, const struct question *q,
    const struct sa_http_response *r, struct sa_err *err)
{
	const struct sa_yarnapps *list = q->stream;
	const char *head = sa_yarnapps_head(list);

	if (!r->cut && sa_yarnapps_end(list) == 0)
		return ANSWERED;
	if (list->count > 0) {
		if (r->cut)
			broke_off(rm, err);
		else
			sa_err_set(err, SA_REMOTE,
			    "'%s' sent a list that does not parse", rm->host);
		return ANSWERED;
	}
	if (r->cut)
		return broke_off(rm, err);
	if (head[strspn(head, " \t\r\n")] != '{')
		return not_json(rm, head, err);
	sa_err_set(err, SA_REMOTE, "'%s' sent no list of applications",
	    rm->host);
	return NOT_NOW;
}

static enum outcome
judge(const struct sa_yarn *y, const struct rm *rm, const struct question *q,
    const struct sa_http_response *r, json_t **json, struct sa_err *err)
{
	if (r->status >= 300 && r->status < 400)
		return redirected(y, rm, r, err);
	if (r->status >= 400)
		return failed(rm, r, err);
	if (q->stream != NULL)
		return end_of_list(rm, q, r, err);
	if (r->cut)
		return broke_off(rm, err);
	*json = sa_yarnapps_parse(
	    r->body.s != NULL ? r->body.s : (char[1]){ 0 }, r->body.len);
	return *json != NULL ? ANSWERED
			     : not_json(rm, sa_buf_str(&r->body), err);
}

/* *date: their clock as they answered, 0 where they do not say. */
static enum outcome
ask_one(struct sa_yarn *y, const struct rm *rm, const struct question *q,
    json_t **json, long long *date, struct sa_err *err)
{
	struct sa_http_response r = SA_HTTP_RESPONSE_INIT;
	long long start = sa_clock_ms();

	if (send_to(y, rm, q, &r, err) < 0) {
		/* whoever kept us waiting would do so again */
		bool slow = sa_clock_ms() - start > SLOW_MS;
		return err->kind != SA_REMOTE ? ANSWERED
		    : slow		      ? NOT_NOW
					      : NOT_HIM;
	}
	enum outcome out = judge(y, rm, q, &r, json, err);
	if (date != NULL)
		*date = r.date;
	sa_http_response_release(&r);
	return out;
}

/* ---- the active one ---- */

static void
copy_text(char *out, size_t size, const char *s)
{
	cleanup_free char *shown = sa_text_visible(s != NULL ? s : "");

	strlcpy(out, shown, size);
}

/* A number that may stand in a string, or be a real one. */
static long long
number(const json_t *obj, const char *key)
{
	const json_t *v = json_object_get(obj, key);

	if (json_is_integer(v))
		return json_integer_value(v);
	if (json_is_real(v)) {
		double d = json_real_value(v);
		return d > -1e18 && d < 1e18 ? (long long)d : 0;
	}
	const char *s = json_string_value(v), *why = NULL;
	if (s == NULL)
		return 0;
	long long n = strtonum(s, -(1LL << 62), 1LL << 62, &why);
	return why == NULL ? n : 0;
}

static enum outcome
ask_info(struct sa_yarn *y, const struct rm *rm, struct sa_yarn_info *out,
    struct sa_err *err)
{
	struct question q = { .path = "/info" };
	json_auto_t *json = NULL;
	long long date = 0, before = (long long)time(NULL);
	enum outcome rc = ask_one(y, rm, &q, &json, &date, err);
	long long after = (long long)time(NULL);

	*out = (struct sa_yarn_info){ .started_ms = 0 };
	if (rc != ANSWERED || err->kind != SA_OK)
		return rc;
	const json_t *info = sa_json_obj(json, "clusterInfo");
	if (info == NULL) {
		sa_err_set(err, SA_REMOTE,
		    "'%s' does not say what it is (no clusterInfo)", rm->host);
		return NOT_NOW;
	}
	copy_text(out->ha_state, sizeof(out->ha_state),
	    sa_json_str(info, "haState"));
	copy_text(out->version, sizeof(out->version),
	    sa_json_str(info, "resourceManagerVersion"));
	out->started_ms = number(info, "startedOn");
	if (date > 0) /* what lies within the time that it took is none */
		out->clock_skew = date < before ? date - before
		    : date > after		? date - after
						: 0;
	return ANSWERED;
}

int
sa_yarn_info(struct sa_yarn *y, size_t i, struct sa_yarn_info *out,
    struct sa_err *err)
{
	struct sa_err why = SA_ERR_INIT;

	ask_info(y, &y->rms[i], out, &why);
	if (why.kind == SA_OK)
		return 0;
	if (err != NULL)
		*err = why;
	return -1;
}

/*
 * A ResourceManager that is starting answers "no such application" and "no
 * applications" with a straight face: what it does not know counts only once
 * it says ACTIVE. True too where it is too old to say, or does not tell us.
 */
static enum outcome
ask_active(struct sa_yarn *y, const struct rm *rm, bool *active,
    struct sa_err *err)
{
	struct sa_yarn_info info;
	enum outcome out = ask_info(y, rm, &info, err);

	*active = out == ANSWERED &&
	    (*info.ha_state == '\0' ||
		strcasecmp(info.ha_state, "ACTIVE") == 0);
	if (out != ANSWERED || err->kind == SA_BUSY)
		return out;
	sa_err_clear(err);
	if (strcasecmp(info.ha_state, "STANDBY") != 0 || y->n == 1)
		return ANSWERED; /* what a lone one says next says more */
	sa_err_set(err, SA_REMOTE, "'%s' is standby", rm->host);
	return NOT_HIM;
}

static enum outcome
ask_truly(struct sa_yarn *y, const struct rm *rm, const struct question *q,
    json_t **json, struct sa_err *err)
{
	bool active = false;
	enum outcome out;

	if (q->active != NULL) {
		out = ask_active(y, rm, q->active, err);
		if (out != ANSWERED || err->kind != SA_OK)
			return out;
	}
	out = ask_one(y, rm, q, json, NULL, err);
	if (out != ANSWERED || err->kind != SA_NOT_FOUND)
		return out;
	struct sa_err why = SA_ERR_INIT;
	if (ask_active(y, rm, &active, &why) == ANSWERED && active)
		return out;
	sa_err_set(err, SA_REMOTE, "'%s' is starting", rm->host);
	return NOT_HIM;
}

static void
pause_a_while(void)
{
	long ms = PAUSE_MS + (long)arc4random_uniform(PAUSE_MS);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Adds one's reason to those of the others, each once. */
static void
add_reason(struct sa_buf *all, const struct sa_err *why)
{
	if (strstr(sa_buf_str(all), why->msg) != NULL)
		return;
	sa_buf_addf(all, "%s%s", all->len > 0 ? "; " : "", why->msg);
}

/* 0, or -1. *json is the caller's, NULL where the answer is a stream. */
static int
ask(struct sa_yarn *y, const struct question *q, json_t **json,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf reasons = SA_BUF_INIT(1500);
	cleanup_free bool *hopeless = sa_xcalloc(y->n, sizeof(*hopeless));
	struct sa_err why = SA_ERR_INIT;
	size_t left = y->n, first = y->active;

	for (int round = 0; round < ROUNDS && left > 0; round++) {
		if (round > 0 && sa_http_is_late())
			break;
		if (round > 0)
			pause_a_while();
		for (size_t k = 0; k < y->n; k++) {
			size_t i = (first + k) % y->n;
			if (hopeless[i])
				continue;
			sa_err_clear(&why);
			enum outcome out =
			    ask_truly(y, &y->rms[i], q, json, &why);
			if (out == ANSWERED) {
				y->active = i;
				if (why.kind != SA_OK && err != NULL)
					*err = why;
				return why.kind == SA_OK ? 0 : -1;
			}
			hopeless[i] = out == NOT_NOW;
			left -= hopeless[i];
			add_reason(&reasons, &why);
		}
	}
	sa_err_set(err, SA_REMOTE, "%s%s",
	    y->n > 1 ? "no ResourceManager answers as the active one: " : "",
	    sa_buf_str(&reasons));
	if (*why.hint != '\0')
		sa_err_hint(err, "%s", why.hint);
	return -1;
}

/* ---- questions ---- */

static int
check_id(const char *id, struct sa_err *err)
{
	if (sa_yarn_is_app(id))
		return 0;
	cleanup_free char *shown = sa_text_visible(id);
	return sa_err_set(err, SA_INVALID, "'%.100s' is no application of YARN",
	    shown);
}

/* A member as text; what is a number there is made a string in place. */
static const char *
text(json_t *app, const char *key)
{
	json_t *v = json_object_get(app, key);

	if (json_is_number(v) || json_is_boolean(v)) {
		cleanup_free char *s = sa_json_scalar(v);
		json_object_set_new(app, key, json_string(s));
		v = json_object_get(app, key);
	}
	const char *s = json_string_value(v);
	return s != NULL && *s != '\0' ? s : NULL;
}

/* Whether it has what every application has. */
static bool
read_app(json_t *app, struct sa_yarn_app *out)
{
	*out = (struct sa_yarn_app){ .id = text(app, "id"),
		.user = text(app, "user"),
		.name = text(app, "name"),
		.queue = text(app, "queue"),
		.state = text(app, "state"),
		.final_status = text(app, "finalStatus"),
		.tags = text(app, "applicationTags"),
		.diagnostics = text(app, "diagnostics"),
		.tracking_url = text(app, "trackingUrl"),
		.am_container_logs = text(app, "amContainerLogs"),
		.am_host = text(app, "amHostHttpAddress"),
		.log_aggregation = text(app, "logAggregationStatus"),
		.started_ms = number(app, "startedTime"),
		.finished_ms = number(app, "finishedTime") };
	return out->id != NULL && sa_yarn_is_app(out->id) && out->state != NULL;
}

static const char *
active_host(const struct sa_yarn *y)
{
	return y->rms[y->active].host;
}

int
sa_yarn_get(struct sa_yarn *y, const char *id, struct sa_yarn_app *app,
    json_t **json, struct sa_err *err)
{
	if (check_id(id, err) < 0)
		return -1;
	cleanup_free char *path = sa_xasprintf("/apps/%s", id);
	/* for an application with many containers these are megabytes */
	struct question q = { .path = path,
		.query = "deSelects=resourceRequests" };
	json_auto_t *j = NULL;
	if (ask(y, &q, &j, err) < 0)
		return -1;
	json_t *one = sa_json_obj(j, "app");
	if (one == NULL || !read_app(one, app) || strcmp(app->id, id) != 0)
		return sa_err_set(err, SA_REMOTE,
		    "'%s' did not say the state of '%s'", active_host(y), id);
	*json = sa_steal(&j);
	return 0;
}

struct search {
	sa_yarn_each_fn *each;
	void *arg;
	bool broken; /* one of them lacks its id or state */
};

static void
found(void *arg, json_t *json)
{
	struct search *s = arg;
	struct sa_yarn_app app;

	if (read_app(json, &app))
		s->each(s->arg, &app);
	else
		s->broken = true;
}

int
sa_yarn_search(struct sa_yarn *y, const char *tags, sa_yarn_each_fn *each,
    void *arg, bool *active, struct sa_err *err)
{
	cleanup_free char *escaped = sa_http_escape(tags);
	cleanup_free char *query = sa_xasprintf(
	    "applicationTags=%s&deSelects=resourceRequests", escaped);
	struct search s = { .each = each, .arg = arg };
	struct sa_yarnapps list;
	bool says_active = false;
	struct question q = { .path = "/apps",
		.query = query,
		.stream = &list,
		.active = &says_active };

	sa_yarnapps_init(&list, found, &s);
	int rc = ask(y, &q, NULL, err);
	sa_yarnapps_release(&list);
	if (rc < 0)
		return -1;
	if (active != NULL)
		*active = says_active;
	if (s.broken)
		return sa_err_set(err, SA_REMOTE,
		    "'%s' listed an application without id or state",
		    active_host(y));
	return 0;
}

int
sa_yarn_put_kill(struct sa_yarn *y, const char *id, const char *why,
    char state[32], struct sa_err *err)
{
	if (check_id(id, err) < 0)
		return -1;
	cleanup_free char *path = sa_xasprintf("/apps/%s/state", id);
	json_auto_t *wish = json_pack("{s:s}", "state", "KILLED");
	if (why != NULL)
		sa_json_set_str(wish, "diagnostics", why);
	cleanup_free char *body = sa_json_text(wish);
	struct question q = { .method = "PUT", .path = path, .body = body };
	json_auto_t *j = NULL;
	if (ask(y, &q, &j, err) < 0)
		return -1;
	const char *now = text(j, "state");
	if (now == NULL)
		return sa_err_set(err, SA_REMOTE,
		    "'%s' did not say the state of '%s'", active_host(y), id);
	copy_text(state, 32, now);
	return 0;
}

/* What stands below two names, as an array whatever it is; a new one. */
static json_t *
list_of(const json_t *j, const char *outer, const char *inner)
{
	json_t *v = sa_json_obj(j, outer);

	v = json_object_get(v != NULL ? v : j, inner);
	if (json_is_array(v))
		return json_incref(v);
	json_t *out = json_array();
	if (json_is_object(v))
		json_array_append(out, v);
	return out;
}

static int
by_id(const void *a, const void *b)
{
	long long x = number(*(json_t *const *)a, "id");
	long long y = number(*(json_t *const *)b, "id");

	return (x > y) - (x < y);
}

int
sa_yarn_attempts(struct sa_yarn *y, const char *id, json_t **out,
    struct sa_err *err)
{
	if (check_id(id, err) < 0)
		return -1;
	cleanup_free char *path = sa_xasprintf("/apps/%s/appattempts", id);
	struct question q = { .path = path };
	json_auto_t *j = NULL;
	if (ask(y, &q, &j, err) < 0)
		return -1;
	json_auto_t *list = list_of(j, "appAttempts", "appAttempt");
	size_t n = json_array_size(list);
	cleanup_free json_t **sorted = sa_xcalloc(n + 1, sizeof(json_t *));
	for (size_t i = 0; i < n; i++)
		sorted[i] = json_array_get(list, i);
	qsort(sorted, n, sizeof(*sorted), by_id);
	*out = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append(*out, sorted[i]);
	return 0;
}

int
sa_yarn_containers(struct sa_yarn *y, const char *id, const char *attempt,
    json_t **out, struct sa_err *err)
{
	if (check_id(id, err) < 0)
		return -1;
	if (!is_attempt(attempt)) {
		cleanup_free char *shown = sa_text_visible(attempt);
		return sa_err_set(err, SA_INVALID,
		    "'%.100s' is no attempt of an application", shown);
	}
	cleanup_free char *path =
	    sa_xasprintf("/apps/%s/appattempts/%s/containers", id, attempt);
	struct question q = { .path = path };
	json_auto_t *j = NULL;
	if (ask(y, &q, &j, err) < 0)
		return -1;
	*out = list_of(j, "containers", "container");
	return 0;
}

char *
sa_yarn_conf(struct sa_yarn *y, const char *name)
{
	cleanup_free char *escaped = sa_http_escape(name);
	cleanup_free char *query = sa_xasprintf("name=%s", escaped);
	struct question q = { .path = "/conf", .query = query, .root = true };
	json_auto_t *j = NULL;
	struct sa_err why = SA_ERR_INIT;

	if (ask(y, &q, &j, &why) < 0)
		return NULL;
	const char *value = sa_json_str(sa_json_obj(j, "property"), "value");
	return value != NULL && *value != '\0' ? sa_xstrdup(value) : NULL;
}

int
sa_yarn_fetch(struct sa_yarn *y, const char *url, bool credentials,
    const struct sa_http_request *how, struct sa_http_response *r,
    struct sa_err *err)
{
	struct sa_http_request request = *how;
	cleanup_free char *full = with_user(y, url, NULL);

	request.url = full;
	request.credentials = credentials;
	return sa_http_do(y->http, &request, r, NULL, err);
}
