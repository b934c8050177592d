/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/json.h"
#include "spark/yarn.h"
#include "spark/yarnapps.h"
#include "fake-yarn.h"
#include "scratch.h"
#include "tap.h"

#ifdef __SANITIZE_ADDRESS__
#define MEASURABLE 0
#else
#define MEASURABLE 1
#endif

#define APP "application_1700000000000_0001"

static struct sa_http *http;

static struct sa_yarn *
yarn_at(const char *urls, const char *user)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_yarn *y = sa_yarn_new(http, urls, user, true, &err);

	if (y == NULL)
		printf("# %s\n", err.msg);
	return y;
}

/* A client of the first n of the fake's ResourceManagers. */
static struct sa_yarn *
yarn_of(size_t n)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1000);

	for (size_t i = 0; i < n; i++)
		sa_buf_addf(&b, "%shttp://localhost:%d", i > 0 ? "," : "",
		    fake_port("rm", i));
	return yarn_at(sa_buf_str(&b), "al ice");
}

struct seen {
	size_t n;
	char last[64], state[32];
};

static void
see(void *arg, const struct sa_yarn_app *app)
{
	struct seen *s = arg;

	s->n++;
	snprintf(s->last, sizeof(s->last), "%s", app->id);
	snprintf(s->state, sizeof(s->state), "%s", app->state);
}

static int
search(struct sa_yarn *y, struct seen *s, bool *active, struct sa_err *err)
{
	*s = (struct seen){ .n = 0 };
	sa_err_clear(err);
	return sa_yarn_search(y, "sa-x,sa-y", see, s, active, err);
}

static int
get(struct sa_yarn *y, char state[32], struct sa_err *err)
{
	struct sa_yarn_app app;
	json_auto_t *json = NULL;

	sa_err_clear(err);
	state[0] = '\0';
	if (sa_yarn_get(y, APP, &app, &json, err) < 0)
		return -1;
	snprintf(state, 32, "%s", app.state);
	return 0;
}

static void
test_ids(void)
{
	ok(sa_yarn_is_app(APP), "an application");
	ok(!sa_yarn_is_app("application_1700000000000_0001/"), "with a slash");
	ok(!sa_yarn_is_app("application_17_0001"), "too short");
	ok(!sa_yarn_is_app("application_1700000000000_"), "without number");
	ok(!sa_yarn_is_app(""), "nothing");
	ok(sa_yarn_is_container("container_1700000000000_0001_01_000001"),
	    "a container");
	ok(sa_yarn_is_container("container_e17_1700000000000_0001_01_000001"),
	    "a container of a later epoch");
	ok(!sa_yarn_is_container("container_e_1700000000000_0001_01_000001"),
	    "an epoch without number");
	ok(!sa_yarn_is_container("container_1700000000000_0001_01"),
	    "a container that lacks a part");
	ok(sa_yarn_has_tag("a,sa-x,b", "SA-X"), "a tag, whatever its case");
	ok(!sa_yarn_has_tag("a,sa-xy", "sa-x"), "a part is no tag");
	ok(!sa_yarn_has_tag(NULL, "x") && !sa_yarn_has_tag("a,,b", ""),
	    "no tag, empty tag");
}

static void
test_urls(void)
{
	static const char *const pairs[][2] = {
		{ "http://rm:8088", "http://rm:8088" },
		{ "http://rm:8088/", "http://rm:8088" },
		{ "http://rm:8088/cluster/apps/RUNNING", "http://rm:8088" },
		{ "http://rm:8088/ws/v1/cluster", "http://rm:8088" },
		{ "https://rm/ui2/", "https://rm" },
		{ "http://proxy/yarn/cluster", "http://proxy/yarn" },
		{ "https://gw:8443/gateway/top/resourcemanager",
		    "https://gw:8443/gateway/top/resourcemanager" },
		{ "https://gw:8443/gateway/top/resourcemanager/v1/cluster/apps",
		    "https://gw:8443/gateway/top/resourcemanager" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct sa_yarn *y = yarn_at(pairs[i][0], NULL);
		is_str(sa_yarn_url(y, 0), pairs[i][1], pairs[i][0]);
		sa_yarn_free(y);
	}
	static const char *const bad[] = { "", "ftp://x", "http://u:p@rm:1",
		"http://169.254.169.254:80", "http://a:1,", "rm:8088" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sa_err err = SA_ERR_INIT;
		ok(sa_yarn_new(http, bad[i], NULL, true, &err) == NULL, bad[i]);
		is_int(err.kind, SA_CONFIG, err.msg);
	}
}

static void
test_one(void)
{
	struct sa_yarn *y = yarn_of(1);
	struct sa_err err = SA_ERR_INIT;
	struct sa_yarn_app app;
	json_auto_t *json = NULL;

	fake_scenario("{\"apps\":[{\"applicationTags\":\"sa-x\",\"name\":5,"
		      "\"startedTime\":\"1700000001000\"}]}");
	json_decref(fake_requests());
	is_int(sa_yarn_get(y, APP, &app, &json, &err), 0, "an application");
	is_str(app.state, "RUNNING", "its state");
	is_str(app.name, "5", "a name that is a number");
	is_int(app.started_ms, 1700000001000, "a number that is a string");
	is_str(app.diagnostics, NULL, "empty is none");
	json_auto_t *log = fake_requests();
	const json_t *request = json_array_get(log, 0);
	const json_t *query = sa_json_obj(request, "query");
	is_str(sa_json_str(query, "user.name"), "al ice", "who asks");
	is_str(sa_json_str(sa_json_obj(request, "headers"), "accept"),
	    "application/json", "JSON is asked for");
	is_int(
	    sa_yarn_get(y, "application_1700000000000_0009", &app, &json, &err),
	    -1, "one that is not there");
	is_int(err.kind, SA_NOT_FOUND, err.msg);
	is_int(sa_yarn_get(y, "../x", &app, &json, &err), -1, "no id");
	is_int(err.kind, SA_INVALID, err.msg);
	fake_scenario("{\"apps\":[{\"state\":\"\"}]}");
	char state[32];
	is_int(get(y, state, &err), -1, "no state");
	is_int(err.kind, SA_REMOTE, err.msg);
	sa_yarn_free(y);
}

static void
test_search(void)
{
	struct sa_yarn *y = yarn_of(1);
	struct sa_err err = SA_ERR_INIT;
	struct seen s;
	bool active = false;

	fake_scenario("{\"apps\":[{\"applicationTags\":\"a,sa-x\"},"
		      "{\"id\":\"application_1700000000000_0002\","
		      "\"applicationTags\":\"sa-y\",\"name\":\"{\\\"[\"},"
		      "{\"id\":\"application_1700000000000_0003\"}]}");
	is_int(search(y, &s, &active, &err), 0, "a search");
	is_int(s.n, 2, "two carry a tag");
	is_str(s.last, "application_1700000000000_0002", "the last of them");
	ok(active, "and its word counts");
	static const char *const none[] = { "{}", "{\"version\":\"3.1.0\"}" };
	for (size_t i = 0; i < 2; i++) {
		fake_scenario(none[i]);
		is_int(search(y, &s, &active, &err), 0, "an empty list");
		ok(s.n == 0 && active, none[i]);
	}
	fake_scenario("{\"rms\":[{\"state\":\"INITIALIZING\"}],"
		      "\"apps\":[{\"applicationTags\":\"sa-x\"}]}");
	is_int(search(y, &s, &active, &err), 0, "one that is starting");
	ok(s.n == 0 && !active, "its none does not count");
	char state[32];
	is_int(get(y, state, &err), -1, "it knows no application");
	is_int(err.kind, SA_REMOTE, err.msg);
	sa_yarn_free(y);
}

static void
test_standby(void)
{
	struct sa_yarn *y = yarn_of(2), *one = yarn_of(1);
	struct sa_err err = SA_ERR_INIT;
	char state[32];
	struct seen s;
	bool active;

	fake_scenario("{\"rms\":[{\"state\":\"STANDBY\"},{}],"
		      "\"apps\":[{\"applicationTags\":\"sa-x\"}]}");
	is_int(get(y, state, &err), 0, "the second is the active one");
	json_decref(fake_requests());
	is_int(get(y, state, &err), 0, "and is asked first now");
	json_auto_t *log = fake_requests();
	is_int(json_array_size(log), 1, "in one request");
	is_int(get(one, state, &err), -1, "a standby alone");
	ok(err.kind == SA_REMOTE && strstr(err.hint, "yarn_rm_url") != NULL,
	    err.msg);
	fake_scenario("{\"rms\":[{},{\"state\":\"REFUSED\"}],"
		      "\"apps\":[{\"applicationTags\":\"sa-x\"}]}");
	is_int(search(y, &s, &active, &err), 0, "the first took over");
	ok(s.n == 1 && active, "with what it has");
	fake_scenario("{\"rms\":[{\"state\":\"STANDBY\"},"
		      "{\"state\":\"DEAD\"}]}");
	is_int(get(y, state, &err), -1, "none is active");
	ok(err.kind == SA_REMOTE && strstr(err.msg, "standby") != NULL,
	    err.msg);
	/* "no active" with 200 and text, as after long waiting */
	fake_scenario("{\"rules\":[{\"path\":\"/apps/\",\"status\":200,"
		      "\"type\":\"text/plain\",\"body\":"
		      "\"There is no active RM right now.\\n\"}]}");
	is_int(get(one, state, &err), -1, "none is active, in words");
	ok(err.kind == SA_REMOTE && strstr(err.msg, "standby") != NULL,
	    err.msg);
	sa_yarn_free(y);
	sa_yarn_free(one);
}

/* What comes of one answer: the kind, and a part of the message. */
static void
try_answer(const char *rule, enum sa_kind kind, const char *part)
{
	struct sa_yarn *y = yarn_of(1);
	struct sa_err err = SA_ERR_INIT;
	cleanup_free char *scenario =
	    sa_xasprintf("{\"apps\":[{}],\"rules\":[%s]}", rule);
	char state[32];

	fake_scenario(scenario);
	int rc = get(y, state, &err);
	is_int(rc, kind == SA_OK ? 0 : -1, rule);
	ok(err.kind == kind && strstr(err.msg, part) != NULL, err.msg);
	sa_yarn_free(y);
}

static void
test_answers(void)
{
	try_answer("{\"path\":\"/apps/\",\"status\":503,\"times\":1,\"body\":"
		   "\"{\\\"RemoteException\\\":{\\\"exception\\\":\\\"X\\\"}}"
		   "\"}",
	    SA_OK, "");
	try_answer("{\"path\":\"/apps/\",\"times\":1,\"drop\":true}", SA_OK,
	    "");
	try_answer("{\"path\":\"/apps/\",\"times\":1,\"cut\":100}", SA_OK, "");
	try_answer("{\"path\":\"/apps/\",\"cut\":100}", SA_REMOTE,
	    "middle of its answer");
	try_answer("{\"status\":503,\"body\":\"{\\\"RemoteException\\\":{"
		   "\\\"exception\\\":\\\"E\\\",\\\"message\\\":\\\"a\\\\n\\\\t"
		   "at b\\\"}}\"}",
	    SA_REMOTE, "(status 503): a");
	try_answer("{\"status\":404,\"type\":\"text/plain\","
		   "\"body\":\"HTTP ERROR 404 Not Found\"}",
	    SA_REMOTE, "no ResourceManager");
	try_answer("{\"status\":404,\"body\":\"{\\\"RemoteException\\\":{"
		   "\\\"exception\\\":\\\"FileNotFoundException\\\"}}\"}",
	    SA_REMOTE, "FileNotFoundException");
	try_answer("{\"status\":200,\"type\":\"text/html\","
		   "\"body\":\"<html>log in</html>\"}",
	    SA_REMOTE, "web page");
	try_answer("{\"status\":302,\"headers\":{\"Location\":"
		   "\"http://sso.example/\"}}",
	    SA_REMOTE, "sso.example:80");
	try_answer("{\"status\":307,\"headers\":{\"Location\":"
		   "\"http://169.254.169.254/x\"}}",
	    SA_REMOTE, "standby");
	try_answer("{\"status\":403,\"body\":\"Nobody\\u0007 may\"}",
	    SA_REFUSED, "refuses: Nobody\\x07 may");
	try_answer("{\"status\":503,\"body\":\"{\\\"RemoteException\\\":{"
		   "\\\"message\\\":\\\"User b does not have privilege\\\"}}"
		   "\"}",
	    SA_REFUSED, "privilege");
	try_answer("{\"body\":\"{\\\"app\\\":[]}\"}", SA_REMOTE,
	    "did not say the state");
	try_answer("{\"body\":\"{\\\"app\\\":{\\\"id\\\":\\\"" APP
		   "\\\",\\\"state\\\":\\\"RUNNING\\\",\\\"progress\\\":NaN,"
		   "\\\"name\\\":\\\"\\\\ud800\\\"}}\"}",
	    SA_OK, "");
}

static void
test_kill(void)
{
	struct sa_yarn *y = yarn_of(1);
	struct sa_err err = SA_ERR_INIT;
	char state[32];

	fake_scenario("{\"apps\":[{}]}");
	json_decref(fake_requests());
	is_int(sa_yarn_put_kill(y, APP, "by \"us\"", state, &err), 0, "a kill");
	is_str(state, "KILLING", "is under way");
	json_auto_t *log = fake_requests();
	const json_t *put = json_array_get(log, 0);
	is_str(sa_json_str(put, "body"),
	    "{\"state\":\"KILLED\",\"diagnostics\":\"by \\\"us\\\"\"}",
	    "what was put");
	const json_t *headers = sa_json_obj(put, "headers");
	is_str(sa_json_str(headers, "content-type"), "application/json",
	    "as what");
	ok(sa_json_str(headers, "x-xsrf-header") != NULL,
	    "with the header that no form sends");
	is_int(sa_yarn_put_kill(y, APP, NULL, state, &err), 0, "again");
	is_str(state, "KILLED", "is over");
	fake_scenario("{\"apps\":[{\"state\":\"FINISHED\"}]}");
	is_int(sa_yarn_put_kill(y, APP, NULL, state, &err), 0, "too late");
	ok(strcmp(state, "KILLED") == 0 || strcmp(state, "FINISHED") == 0,
	    state);
	fake_scenario("{\"acl\":true,\"apps\":[{}]}");
	is_int(sa_yarn_put_kill(y, APP, NULL, state, &err), -1, "not ours");
	ok(err.kind == SA_REFUSED && strstr(err.msg, "Unauthorized") != NULL,
	    err.msg);
	sa_yarn_free(y);
}

static void
test_attempts(void)
{
	struct sa_yarn *y = yarn_of(1);
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *list = NULL, *containers = NULL, *none = NULL;

	fake_scenario("{\"apps\":[{}],\"attempts\":[{\"id\":2},{\"id\":1}],"
		      "\"conf\":{\"a.b\":\"c\"}}");
	is_int(sa_yarn_attempts(y, APP, &list, &err), 0, "attempts");
	is_int(json_array_size(list), 2, "two");
	is_int(sa_json_int(json_array_get(list, 1), "id", 0), 2,
	    "the newest is the last");
	is_int(sa_yarn_containers(y, APP,
		   "appattempt_1700000000000_0001_000001", &containers, &err),
	    0, "containers");
	is_int(json_array_size(containers), 2, "two of them");
	is_int(sa_yarn_containers(y, APP, "x/y", &none, &err), -1,
	    "no attempt");
	is_int(err.kind, SA_INVALID, err.msg);
	cleanup_free char *value = sa_yarn_conf(y, "a.b");
	is_str(value, "c", "a property");
	cleanup_free char *unset = sa_yarn_conf(y, "a.c");
	is_str(unset, NULL, "one that is not set");
	struct sa_yarn_info info;
	is_int(sa_yarn_info(y, 0, &info, &err), 0, "what it says of itself");
	is_str(info.ha_state, "ACTIVE", "that it is active");
	is_str(info.version, "3.5.0", "its version");
	ok(info.clock_skew >= -2 && info.clock_skew <= 2, "its clock");
	sa_yarn_free(y);
}

/* What Hadoop's versions and Knox do otherwise. */
static void
test_variants(void)
{
	cleanup_free char *knox =
	    sa_xasprintf("http://localhost:%d/gateway/x/resourcemanager/v1",
		fake_port("rm", 0));
	struct sa_yarn *y = yarn_at(knox, NULL), *silent;
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *attempts = NULL, *none = NULL, *containers = NULL;

	fake_scenario("{\"rules\":[{\"body\":\"{\\\"appAttempts\\\":{"
		      "\\\"appAttempt\\\":{\\\"id\\\":\\\"1\\\"}},"
		      "\\\"containers\\\":{\\\"container\\\":{}}}\"}]}");
	json_decref(fake_requests());
	is_int(sa_yarn_attempts(y, APP, &attempts, &err), 0, "a gateway");
	is_int(json_array_size(attempts), 1, "one that is no array");
	json_auto_t *log = fake_requests();
	is_str(sa_json_str(json_array_get(log, 0), "path"),
	    "/gateway/x/resourcemanager/v1/cluster/apps/" APP "/appattempts",
	    "its path");
	is_int(sa_yarn_containers(y, APP,
		   "appattempt_1700000000000_0001_000001", &containers, &err),
	    0, "containers of old");
	is_int(json_array_size(containers), 1, "in two objects");
	fake_scenario("{\"rules\":[{\"body\":\"{\\\"appAttempts\\\":null}"
		      "\"}]}");
	is_int(sa_yarn_attempts(y, APP, &none, &err), 0, "no attempts");
	is_int(json_array_size(none), 0, "are an empty list");
	sa_yarn_free(y);
	cleanup_free char *url =
	    sa_xasprintf("http://localhost:%d", fake_port("rm", 0));
	silent = sa_yarn_new(http, url, "me", false, &err);
	fake_scenario("{\"auth\":\"negotiate\"}");
	json_decref(fake_requests());
	char state[32];
	is_int(get(silent, state, &err), -1, "Kerberos without a ticket");
	ok(err.kind == SA_REFUSED && strstr(err.hint, "kinit") != NULL,
	    err.msg);
	json_auto_t *seen = fake_requests();
	ok(json_object_get(sa_json_obj(json_array_get(seen, 0), "query"),
	       "user.name") == NULL,
	    "no name where none is to be given");
	sa_yarn_free(silent);
}

/* ---- lists, without a server ---- */

static void
count_app(void *arg, json_t *app)
{
	size_t *n = arg;

	*n += json_object_get(app, "id") != NULL;
}

/* How many applications a text has, -1 where it is no list; step bytes at a
 * time. */
static long
count_in(const char *text, size_t step)
{
	struct sa_yarnapps a;
	size_t n = 0, len = strlen(text);
	int rc = 0;

	sa_yarnapps_init(&a, count_app, &n);
	for (size_t i = 0; i < len && rc == 0; i += step)
		rc = sa_yarnapps_add(&a, text + i,
		    len - i < step ? len - i : step);
	if (sa_yarnapps_end(&a) < 0)
		rc = -1;
	sa_yarnapps_release(&a);
	return rc < 0 ? -1 : (long)n;
}

static void
test_lists(void)
{
	static const struct {
		const char *text;
		long n;
	} cases[] = {
		{ "{\"apps\":{\"app\":[{\"id\":1},{\"id\":2}]}}", 2 },
		{ " { \"apps\" : { \"app\" : [ {\"id\":1} ] } }\n", 1 },
		{ "{\"apps\":{\"app\":{\"id\":1}}}", 1 },
		{ "{\"apps\":{}}", 0 },
		{ "{\"apps\":null}", 0 },
		{ "{\"apps\":{\"app\":[]}}", 0 },
		{ "{\"x\":{\"app\":[{\"id\":1}]},\"apps\":{}}", 0 },
		{ "{\"apps\":{\"x\":[{\"id\":1}],\"app\":[{\"id\":[{}]}]}}",
		    1 },
		{ "{\"apps\":{\"app\":[{\"id\":\"}]\\\"\\\\\"}]}}", 1 },
		{ "{\"apps\":{\"app\":[{\"id\":{\"id\":1}},{\"x\":NaN}]}}", 1 },
		{ "{\"apps\":{\"app\":[{\"id\":1}", -1 },
		{ "{\"apps\":{\"app\":[{\"id\":1}]}", -1 },
		{ "{\"apps\":{\"app\":[{\"id\":tru}]}}", -1 },
		{ "{\"app\":[{\"id\":1}]}", -1 },
		{ "[{\"apps\":{}}]", -1 },
		{ "<html>", -1 },
		{ "", -1 },
		{ "{\"applications\":{}}", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		is_int(count_in(cases[i].text, 1), cases[i].n, cases[i].text);
		is_int(count_in(cases[i].text, 1000), cases[i].n, "at once");
	}
}

static long
peak_kib(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_maxrss;
}

/* 50 MB of applications, or with time for it 200. */
static void
test_large_list(void)
{
	struct sa_yarn *y = yarn_of(1);
	struct sa_err err = SA_ERR_INIT;
	struct seen s;
	bool active;

	int count = getenv("SA_TEST_LONG") != NULL ? 2000 : 500;
	cleanup_free char *scenario =
	    sa_xasprintf("{\"apps\":[{\"applicationTags\":\"sa-x\"}],"
			 "\"bulk\":{\"count\":%d,\"pad\":100000}}",
		count);
	fake_scenario(scenario);
	long before = peak_kib();
	long long start = sa_clock_ms();
	is_int(search(y, &s, &active, &err), 0, "a large list");
	long grown = peak_kib() - before;
	printf("# %ld KiB more, %lld ms\n", grown, sa_clock_ms() - start);
	is_int(s.n, count + 1, "all of them");
	if (MEASURABLE && getenv("SA_TEST_VALGRIND") == NULL)
		ok(grown < 4096, "in less than 4 MiB");
	else
		tap_skip("in less than 4 MiB", "what looks on needs memory");
	fake_scenario("{\"apps\":[{\"applicationTags\":\"sa-x\"}],"
		      "\"bulk\":{\"count\":1,\"pad\":2000000}}");
	is_int(search(y, &s, &active, &err), -1, "one over its limit");
	is_int(err.kind, SA_REMOTE, err.msg);
	fake_scenario("{\"apps\":[{\"applicationTags\":\"sa-x\"}],"
		      "\"bulk\":{\"count\":100},\"rules\":[{\"cut\":20000,"
		      "\"path\":\"applicationTags\"}]}");
	is_int(search(y, &s, &active, &err), -1, "one that broke off");
	ok(err.kind == SA_REMOTE && s.n > 0, err.msg);
	sa_yarn_free(y);
}

static void
test_all(void)
{
	test_urls();
	test_one();
	test_search();
	test_standby();
	test_answers();
	test_attempts();
	test_kill();
	test_variants();
	test_large_list();
}

int
main(void)
{
	static const struct sa_http_options options = { .total_ms = 20000 };

	close(scratch());
	http = sa_http_new(&options, NULL);
	test_ids();
	test_lists();
	if (fake_start("{\"rms\":[{},{}]}", NULL))
		test_all();
	else
		tap_skip("ResourceManagers", "python3 does not run");
	sa_http_free(http);
	json_decref(fake_ports);
	return tap_done();
}
