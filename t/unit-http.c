/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/http.h"
#include "base/json.h"
#include "base/proc.h"
#include "fake-yarn.h"
#include "scratch.h"
#include "tap.h"

static volatile sig_atomic_t stopped;

static char *
url_of(const char *path)
{
	return sa_xasprintf("http://localhost:%d%s", fake_port("rm", 0), path);
}

/* One request of a client that is made for it. */
static int
once(const struct sa_http_options *o, struct sa_http_request *q,
    struct sa_http_response *r, bool *sent, struct sa_err *err)
{
	struct sa_http *h = sa_http_new(o, err);

	*r = (struct sa_http_response)SA_HTTP_RESPONSE_INIT;
	int rc = h != NULL ? sa_http_do(h, q, r, sent, err) : -1;
	sa_http_free(h);
	return rc;
}

/* The headers of the last request that the server saw; caller releases. */
static json_t *
last_headers(void)
{
	json_auto_t *all = fake_requests();
	json_t *last = json_array_get(all, json_array_size(all) - 1);

	return json_incref(json_object_get(last, "headers"));
}

static void
put(const char *name, const char *text, mode_t mode)
{
	sa_io_replace(AT_FDCWD, name, text, strlen(text), mode, name, NULL);
}

static void
test_hosts(void)
{
	static const char *const bad[] = { "169.254.169.254", "169.254.0.1",
		"0xa9fea9fe", "2852039166", "[fe80::1]", "[fe80::1%25eth0]",
		"[::ffff:169.254.169.254]", "[fd00:ec2::254]",
		"[64:ff9b::169.254.169.254]", "metadata.google.internal",
		"METADATA.google.internal.", "instance-data", "metadata",
		"100.100.100.200", "192.0.0.192" };
	static const char *const good[] = { "localhost", "127.0.0.1", "[::1]",
		"10.0.0.1", "rm.example", "169.254.example", "metadata.org" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(sa_host_forbidden(bad[i]), bad[i]);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ok(!sa_host_forbidden(good[i]), good[i]);
	ok(sa_host_loopback("localhost") && sa_host_loopback("a.LOCALHOST.") &&
		sa_host_loopback("127.9.9.9") && sa_host_loopback("[::1]"),
	    "this machine");
	ok(!sa_host_loopback("notlocalhost") && !sa_host_loopback("10.0.0.1") &&
		!sa_host_loopback("localhost.example"),
	    "other machines");
}

static void
test_texts(void)
{
	cleanup_free char *a = sa_http_escape("al ice/\xc3\xa9&=~");
	is_str(a, "al%20ice%2F%C3%A9%26%3D~", "escaping");
	static const char *const hosts[][2] = { { "http://a/b", "a:80" },
		{ "https://a", "a:443" }, { "http://[::1]:5/", "[::1]:5" },
		{ "http://u:p@a/", NULL }, { "ftp://a", NULL },
		{ "file:///etc/passwd", NULL }, { "a", NULL }, { "", NULL },
		{ "http://a b/", NULL }, { "http://", NULL } };
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		cleanup_free char *host = sa_http_host(hosts[i][0]);
		is_str(host, hosts[i][1], hosts[i][0]);
	}
}

static void
test_unreachable(void)
{
	static const struct {
		const char *url;
		enum sa_kind kind;
		const char *part;
	} cases[] = {
		{ "http://localhost:1/", SA_REMOTE, "refused" },
		{ "http://nowhere.invalid/", SA_REMOTE, "no such host" },
		{ "http://169.254.169.254/latest", SA_INVALID, "never asked" },
		{ "http://[fe80::1]/", SA_INVALID, "never asked" },
		{ "file:///etc/passwd", SA_INVALID, "http" },
		{ "http://me:secret@localhost/", SA_INVALID, "http" },
	};
	struct sa_http_options o = { .connect_ms = 5000 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sa_err err = SA_ERR_INIT;
		struct sa_http_request q = { .url = cases[i].url };
		struct sa_http_response r;
		bool sent = true;
		is_int(once(&o, &q, &r, &sent, &err), -1, cases[i].url);
		ok(err.kind == cases[i].kind &&
			strstr(err.msg, cases[i].part) != NULL,
		    err.msg);
		ok(!sent && strstr(err.msg, "secret") == NULL,
		    "nothing was sent, and no login is said");
	}
}

static void
test_answers(void)
{
	cleanup_free char *url = url_of("/a%20b?c=d");
	struct sa_http_options o = { .total_ms = 20000 };
	struct sa_http_request q = { .url = url };
	struct sa_http_response r;
	struct sa_err err = SA_ERR_INIT;
	bool sent;

	fake_scenario("{\"rules\":[{\"status\":307,\"body\":\"hello\","
		      "\"type\":\"text/x\",\"headers\":{\"Location\":"
		      "\"http://localhost:1/\",\"Refresh\":\"3\"}}]}");
	is_int(once(&o, &q, &r, &sent, &err), 0, "a redirect is an answer");
	is_int(r.status, 307, "its status");
	is_str(r.location, "http://localhost:1/", "where it leads to");
	is_str(r.refresh, "3", "when");
	is_str(r.content_type, "text/x", "its type");
	is_str(sa_buf_str(&r.body), "hello", "its body");
	ok(sent && !r.cut && r.bytes == 5 && r.date > 0, "all of it");
	sa_http_response_release(&r);
	fake_scenario("{\"rules\":[{\"body\":\"hello\",\"cut\":3}]}");
	is_int(once(&o, &q, &r, &sent, &err), 0, "one that broke off");
	ok(r.cut && strcmp(sa_buf_str(&r.body), "hel") == 0, "says so");
	sa_http_response_release(&r);
	fake_scenario("{\"rules\":[{\"drop\":true}]}");
	is_int(once(&o, &q, &r, &sent, &err), -1, "no answer");
	ok(sent && err.kind == SA_REMOTE, err.msg);
	q.max = 4;
	fake_scenario("{\"rules\":[{\"body\":\"hello\"}]}");
	is_int(once(&o, &q, &r, &sent, &err), -1, "a body over its limit");
	ok(err.kind == SA_REMOTE && strstr(err.msg, "more than") != NULL,
	    err.msg);
	cleanup_free char *tls =
	    sa_xasprintf("https://localhost:%d/", fake_port("rm", 0));
	q.url = tls;
	is_int(once(&o, &q, &r, &sent, &err), -1,
	    "TLS to who does not know it");
	ok(!sent && err.kind == SA_REMOTE, err.msg);
}

static void
test_unpacking(void)
{
	static const char rule[] =
	    "{\"rules\":[{\"base64\":\"H4sIAAAAAAACA0tMxAQAzotvJhQAAAA=\","
	    "\"headers\":{\"Content-Encoding\":\"gzip\"}}]}";
	cleanup_free char *url = url_of("/");
	struct sa_http_options o = { .total_ms = 20000 };
	struct sa_http_request q = { .url = url };
	struct sa_http_response r;
	struct sa_err err = SA_ERR_INIT;

	fake_scenario(rule);
	is_int(once(&o, &q, &r, NULL, &err), 0, "a packed body");
	is_str(sa_buf_str(&r.body), "aaaaaaaaaaaaaaaaaaaa", "is unpacked");
	sa_http_response_release(&r);
	q.max = 10;
	is_int(once(&o, &q, &r, NULL, &err), -1, "the limit is for what it is");
	ok(strstr(err.msg, "more than") != NULL, err.msg);
	fake_scenario("{\"rules\":[{\"body\":\"hello\",\"headers\":"
		      "{\"Content-Encoding\":\"gzip\"}}]}");
	q.max = 0;
	is_int(once(&o, &q, &r, NULL, &err), -1, "one that is not packed");
	is_int(err.kind, SA_REMOTE, err.msg);
}

static int
take_some(void *arg, const char *bytes, size_t n)
{
	struct sa_buf *b = arg;

	sa_buf_add(b, bytes, n);
	return b->len >= 100000;
}

static void
test_streams(void)
{
	cleanup_free char *url = url_of("/ws/v1/cluster/apps");
	cleanup_buf struct sa_buf b = SA_BUF_INIT(10 << 20);
	struct sa_http_options o = { .total_ms = 20000 };
	struct sa_http_request q = { .url = url,
		.take = take_some,
		.arg = &b,
		.total_ms = -1 };
	struct sa_http_response r;
	struct sa_err err = SA_ERR_INIT;

	fake_scenario("{\"bulk\":{\"count\":5000}}");
	is_int(once(&o, &q, &r, NULL, &err), 0, "a body in pieces");
	ok(b.len >= 100000 && b.len < 5000000 && !r.cut, "until one ends it");
	ok(r.body.len == 0 && r.bytes == (long long)b.len, "and none is kept");
	sa_http_response_release(&r);
	sa_buf_cut(&b, 0);
	fake_scenario("{\"rules\":[{\"status\":500,\"body\":\"sorry\"}]}");
	is_int(once(&o, &q, &r, NULL, &err), 0, "an error's body");
	ok(b.len == 0 && strcmp(sa_buf_str(&r.body), "sorry") == 0,
	    "is kept instead");
	sa_http_response_release(&r);
}

static void
on_alarm(int sig)
{
	(void)sig;
	stopped = 1;
}

static void
test_time(void)
{
	cleanup_free char *url = url_of("/");
	struct sa_http_options o = { .total_ms = 300 };
	struct sa_http_request q = { .url = url };
	struct sa_http_response r;
	struct sa_err err = SA_ERR_INIT;
	bool sent;

	fake_scenario("{\"rules\":[{\"delay\":20}]}");
	is_int(once(&o, &q, &r, &sent, &err), -1, "a slow answer");
	ok(sent && err.kind == SA_REMOTE && strstr(err.msg, "in time") != NULL,
	    err.msg);
	signal(SIGALRM, on_alarm);
	alarm(1);
	o = (struct sa_http_options){ .total_ms = 20000, .stop = &stopped };
	long long start = sa_clock_ms();
	is_int(once(&o, &q, &r, &sent, &err), -1, "a signal");
	is_int(err.kind, SA_BUSY, err.msg);
	ok(sa_clock_ms() - start < 15000, "ends what goes on");
}

static void
test_credentials(void)
{
	cleanup_free char *url = url_of("/");
	struct sa_http_request q = { .url = url };
	struct sa_http_response r;
	struct sa_err err = SA_ERR_INIT;
	struct sa_http_options o = { .auth_file = "basic" };

	put("basic", "basic me:pass word\n", 0600);
	put("bearer", "Bearer abc.def\n", 0600);
	fake_scenario("{\"auth\":\"basic me:pass word\",\"rules\":[]}");
	is_int(once(&o, &q, &r, NULL, &err), 0, "a host that is not trusted");
	is_int(r.status, 401, "is told nothing");
	is_str(r.authenticate, "Basic realm=\"application\"", "but asks");
	is_int(sa_http_refused(&r, "rm:1", NULL, &err), -1, "a refusal");
	ok(err.kind == SA_REFUSED && strstr(err.hint, "auth_file") != NULL,
	    err.msg);
	sa_http_response_release(&r);
	q.credentials = true;
	is_int(once(&o, &q, &r, NULL, &err), 0, "one that is trusted");
	is_int(r.status, 404, "lets us in");
	sa_http_response_release(&r);
	fake_scenario("{\"auth\":\"bearer abc.def\"}");
	o.auth_file = "bearer";
	is_int(once(&o, &q, &r, NULL, &err), 0, "a token");
	is_int(r.status, 404, "in a file with a login");
	sa_http_response_release(&r);
	put("token", "\n abc.def\r\n", 0644);
	o = (struct sa_http_options){ .token_file = "token" };
	is_int(once(&o, &q, &r, NULL, &err), 0, "a token");
	is_int(r.status, 404, "in a file of its own");
	sa_http_response_release(&r);
	fake_scenario("{\"auth\":\"negotiate\"}");
	o = (struct sa_http_options){ .total_ms = 20000 };
	json_decref(fake_requests());
	is_int(once(&o, &q, &r, NULL, &err), 0, "Kerberos");
	is_int(r.status, 401, "without a ticket");
	sa_http_refused(&r, "rm:1", NULL, &err);
	ok(strstr(err.hint, "kinit") != NULL, err.hint);
	sa_http_response_release(&r);
}

static void
test_auth_files(void)
{
	static const struct {
		const char *text;
		mode_t mode;
		const char *part;
	} cases[] = {
		{ "basic me:secret", 0640, "read by others" },
		{ "secret", 0600, "no known form" },
		{ "basic secret", 0600, "no known form" },
		{ "basic a:secret\nbearer x", 0600, "no known form" },
		{ "bearer sec\x01ret", 0600, "no known form" },
		{ "bearer ", 0600, "no known form" },
		{ "\n", 0600, "empty" },
	};
	struct sa_err err = SA_ERR_INIT;
	struct sa_http_options o = { .auth_file = "auth" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put("auth", cases[i].text, cases[i].mode);
		ok(sa_http_new(&o, &err) == NULL && err.kind == SA_CONFIG &&
			strstr(err.msg, cases[i].part) != NULL,
		    err.msg);
		ok(strstr(err.msg, "secret") == NULL &&
			strstr(err.hint, "secret") == NULL,
		    "what is in it stays unsaid");
	}
	o.auth_file = "none";
	ok(sa_http_new(&o, &err) == NULL && err.kind == SA_CONFIG, err.msg);
	mkfifo("fifo", 0600);
	o.auth_file = "fifo";
	ok(sa_http_new(&o, &err) == NULL && err.kind == SA_CONFIG, err.msg);
	o = (struct sa_http_options){ .token_file = "auth" };
	put("auth", "a b", 0600);
	ok(sa_http_new(&o, &err) == NULL && err.kind == SA_CONFIG, err.msg);
	put("auth", "a", 0666);
	ok(sa_http_new(&o, &err) == NULL && err.kind == SA_CONFIG, err.msg);
	o = (struct sa_http_options){ .ca_file = "none" };
	ok(sa_http_new(&o, &err) == NULL && err.kind == SA_CONFIG, err.msg);
	o = (struct sa_http_options){ .token = "a\r\nb: c" };
	ok(sa_http_new(&o, &err) == NULL && err.kind == SA_CONFIG, err.msg);
}

/* Cookies go back to the very server, and only with credentials. */
static void
test_cookies(void)
{
	struct sa_http_options o = { .auth_file = "basic" };
	struct sa_http *h = sa_http_new(&o, NULL);
	cleanup_free char *other =
	    sa_xasprintf("http://localhost:%d/", fake_port("rm", 1));
	cleanup_free char *url = url_of("/");
	struct {
		const char *url, *what;
		bool credentials, cookie;
	} steps[] = { { url, "the first", true, false },
		{ url, "the second has it", true, true },
		{ url, "not without credentials", false, false },
		{ other, "not at another port", true, false },
		{ url, "not after that", true, false } };

	fake_scenario("{\"rms\":[{},{}],\"rules\":[{\"headers\":"
		      "{\"Set-Cookie\":\"hadoop.auth=x; Path=/\"}}]}");
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct sa_http_request q = { .url = steps[i].url,
			.credentials = steps[i].credentials };
		struct sa_http_response r;
		sa_http_do(h, &q, &r, NULL, NULL);
		sa_http_response_release(&r);
		json_auto_t *headers = last_headers();
		is_int(sa_json_str(headers, "cookie") != NULL, steps[i].cookie,
		    steps[i].what);
		is_int(sa_json_str(headers, "authorization") != NULL,
		    steps[i].credentials, "and the login");
	}
	sa_http_free(h);
}

static void
test_requests(void)
{
	static const char *const headers[] = { "X-One: 1", NULL };
	cleanup_free char *url = url_of("/x");
	struct sa_http_options o = { .total_ms = 20000 };
	struct sa_http_request q = { .method = "PUT",
		.url = url,
		.content_type = "application/json",
		.body = "{\"a\":1}",
		.body_len = 7,
		.headers = headers };
	struct sa_http_response r;

	fake_scenario("{}");
	json_decref(fake_requests());
	is_int(once(&o, &q, &r, NULL, NULL), 0, "a PUT");
	sa_http_response_release(&r);
	json_auto_t *all = fake_requests();
	const json_t *put = json_array_get(all, 0);
	const json_t *got = json_object_get(put, "headers");
	is_str(sa_json_str(put, "method"), "PUT", "its method");
	is_str(sa_json_str(put, "body"), "{\"a\":1}", "its body");
	is_str(sa_json_str(got, "content-type"), "application/json",
	    "its type");
	is_str(sa_json_str(got, "x-one"), "1", "its header");
	is_str(sa_json_str(got, "accept"), "application/json, text/plain;q=0.5",
	    "what it takes");
	ok(strncmp(sa_json_str(got, "user-agent"), "sa/", 3) == 0, "who it is");
	ok(sa_json_str(got, "expect") == NULL, "no wait for a 100");
}

static void
test_proxies(void)
{
	cleanup_free char *proxy = url_of("");
	cleanup_free char *url = url_of("/");
	struct sa_http_options o = { .total_ms = 20000 };
	struct sa_http_request q = { .url = url };
	struct sa_http_response r;
	struct sa_err err = SA_ERR_INIT;
	bool sent;

	setenv("http_proxy", "http://localhost:1", 1);
	is_int(once(&o, &q, &r, NULL, &err), 0, "no proxy for this machine");
	sa_http_response_release(&r);
	setenv("http_proxy", proxy, 1);
	json_decref(fake_requests());
	q.url = "http://rm.example:8088/x";
	is_int(once(&o, &q, &r, NULL, &err), 0, "one for others");
	sa_http_response_release(&r);
	json_auto_t *headers = last_headers();
	is_str(sa_json_str(headers, "host"), "rm.example:8088",
	    "sees the host");
	setenv("http_proxy", "http://169.254.169.254:80", 1);
	is_int(once(&o, &q, &r, &sent, &err), -1, "none at such an address");
	ok(!sent && strstr(err.msg, "link-local") != NULL, err.msg);
	unsetenv("http_proxy");
}

/* Certificates: one for this machine, and one for another. */
static int
make_certificates(void)
{
	static const char *const names[] = { "localhost", "example.org" };
	char path[] = "/usr/bin/env", program[] = "openssl";
	int status = 0;

	for (size_t i = 0; i < 2 && status == 0; i++) {
		cleanup_free char *line = sa_xasprintf(
		    "req -x509 -nodes -days 2 -newkey ec -pkeyopt "
		    "ec_paramgen_curve:P-256 -subj /CN=%s -addext "
		    "subjectAltName=DNS:%s -keyout %s.key -out %s.crt",
		    names[i], names[i], names[i], names[i]);
		char *argv[32] = { path, program }, *rest = line;
		for (int n = 2; rest != NULL && n < 31; n++)
			argv[n] = strsep(&rest, " ");
		struct sa_proc_spec spec = { .argv = argv,
			.timeout_ms = 60000 };
		if (sa_proc_run(&spec, &status, NULL) < 0)
			return -1;
	}
	return status == 0 ? 0 : -1;
}

/* A file of key and certificate, as the server wants it. */
static void
join_key(const char *name, const char *out)
{
	static const char *const kinds[] = { "key", "crt" };
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 16);

	for (size_t i = 0; i < 2; i++) {
		cleanup_free char *path = sa_xasprintf("%s.%s", name, kinds[i]);
		sa_io_read_file(AT_FDCWD, path, &b, path, NULL);
	}
	put(out, sa_buf_str(&b), 0600);
}

static void
try_tls(const char *ca_file, int good, const char *part, const char *name)
{
	struct sa_http_options o = { .ca_file = ca_file };
	cleanup_free char *url =
	    sa_xasprintf("https://localhost:%d/", fake_port("rm", 0));
	struct sa_http_request q = { .url = url };
	struct sa_http_response r;
	struct sa_err err = SA_ERR_INIT;
	bool sent;

	is_int(once(&o, &q, &r, &sent, &err), good ? 0 : -1, name);
	is_int(sent, good, "what was sent");
	ok(strstr(err.msg, part) != NULL, err.msg);
	sa_http_response_release(&r);
}

static void
test_tls(void)
{
	if (make_certificates() < 0) {
		tap_skip("certificates", "openssl does not run");
		return;
	}
	join_key("localhost", "tls");
	if (!fake_start("{}", "tls")) {
		ok(0, "a server with a certificate");
		return;
	}
	try_tls("localhost.crt", 1, "", "a certificate that is trusted");
	try_tls(NULL, 0, "certificate", "one that is not");
	try_tls("example.org.crt", 0, "certificate", "one of another issuer");
	put("empty.crt", "", 0644);
	try_tls("empty.crt", 0, "certificate", "a file without certificates");
	join_key("example.org", "tls");
	fake_start("{}", "tls");
	try_tls("example.org.crt", 0, "localhost", "a name that is another's");
}

static void
test_all(void)
{
	test_answers();
	test_unpacking();
	test_streams();
	test_time();
	test_credentials();
	test_cookies();
	test_requests();
	test_proxies();
	test_tls();
}

int
main(void)
{
	static const char *const proxies[] = { "http_proxy", "https_proxy",
		"all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY",
		"ALL_PROXY", "NO_PROXY" };

	close(scratch());
	for (size_t i = 0; i < sizeof(proxies) / sizeof(*proxies); i++)
		unsetenv(proxies[i]);
	test_hosts();
	test_texts();
	test_unreachable();
	test_auth_files();
	if (fake_start("{\"rms\":[{},{}]}", NULL))
		test_all();
	else
		tap_skip("answers", "python3 does not run");
	json_decref(fake_ports);
	return tap_done();
}
