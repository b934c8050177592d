/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/http.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/httpauth.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/text.h"

#define CONNECT_MS 8000
#define TOTAL_MS 30000
#define STALL_S 60
#define LEAST_MS 1000
#define BODY_MAX (4 << 20)
#define ACCEPT "application/json, text/plain;q=0.5"

/* Requests with credentials have a handle of their own, so that the others
 * have neither its cookies nor its connections. */
struct sa_http {
	CURL *trusted, *plain;
	struct sa_httpauth auth;
	char *token_file, *ca_file, *cert_file, *key_file;
	char *ca_pem, *cert_pem, *key_pem;
	char *cookies_of; /* "host:port" that the cookies are for */
	int connect_ms, total_ms;
	const volatile sig_atomic_t *stop;
};

/* One request on its way. */
struct transfer {
	struct sa_http *h;
	const struct sa_http_request *q;
	struct sa_http_response *r;
	CURL *curl;
	CURLU *url;
	char *host; /* "host:port" */
	struct curl_slist *headers;
	bool loopback, forbidden, too_long, ended;
	char why[CURL_ERROR_SIZE];
};

static char *
copy(const char *s)
{
	return s != NULL ? sa_xstrdup(s) : NULL;
}

struct sa_http *
sa_http_new(const struct sa_http_options *o, struct sa_err *err)
{
	struct sa_http *h = sa_xcalloc(1, sizeof(*h));
	int rc = 0;

	h->token_file = copy(o->token_file);
	h->ca_file = copy(o->ca_file);
	h->cert_file = copy(o->cert_file);
	h->key_file = copy(o->key_file);
	h->ca_pem = copy(o->ca_pem);
	h->cert_pem = copy(o->cert_pem);
	h->key_pem = copy(o->key_pem);
	h->connect_ms = o->connect_ms > 0 ? o->connect_ms : CONNECT_MS;
	h->total_ms = o->total_ms > 0 ? o->total_ms : TOTAL_MS;
	h->stop = o->stop;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) {
		h->trusted = curl_easy_init();
		h->plain = curl_easy_init();
	}
	if (h->trusted == NULL || h->plain == NULL)
		rc = sa_err_set(err, SA_INTERNAL, "libcurl does not start");
	else if (h->ca_file != NULL && access(h->ca_file, R_OK) < 0)
		rc = sa_err_errno(err, SA_CONFIG, errno,
		    "cannot read ca_file '%s'", h->ca_file);
	else if (o->auth_file != NULL)
		rc = sa_httpauth_read(o->auth_file, &h->auth, err);
	else if (o->token_file != NULL)
		rc = sa_httpauth_token(o->token_file, &h->auth.bearer, err);
	else if (o->token != NULL && !sa_httpauth_is_token(o->token))
		rc = sa_err_set(err, SA_CONFIG,
		    "the token has characters that no token has");
	else
		h->auth.bearer = copy(o->token);
	if (rc == 0)
		return h;
	sa_http_free(h);
	return NULL;
}

void
sa_http_free(struct sa_http *h)
{
	if (h == NULL)
		return;
	curl_easy_cleanup(h->trusted);
	curl_easy_cleanup(h->plain);
	curl_global_cleanup();
	sa_httpauth_release(&h->auth);
	free(h->token_file);
	free(h->ca_file);
	free(h->cert_file);
	free(h->key_file);
	free(h->ca_pem);
	free(h->cert_pem);
	sa_httpauth_wipe(&h->key_pem);
	free(h->cookies_of);
	free(h);
}

void
sa_http_response_release(struct sa_http_response *r)
{
	free(r->content_type);
	free(r->location);
	free(r->refresh);
	free(r->authenticate);
	sa_buf_release(&r->body);
	*r = (struct sa_http_response)SA_HTTP_RESPONSE_INIT;
}

/* A part of a URL, NULL where it has none; caller frees. */
static char *
url_part(CURLU *url, CURLUPart part, unsigned int flags)
{
	char *text = NULL, *out = NULL;

	if (curl_url_get(url, part, &text, flags) == CURLUE_OK)
		out = sa_xstrdup(text);
	curl_free(text);
	return out;
}

static char *
host_and_port(CURLU *url)
{
	cleanup_free char *host = url_part(url, CURLUPART_HOST, 0);
	cleanup_free char *port =
	    url_part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);

	return host == NULL || port == NULL ? NULL
					    : sa_xasprintf("%s:%s", host, port);
}

/* The parsed URL, or NULL where it is none that we ask. */
static CURLU *
parse_url(const char *text)
{
	CURLU *url = curl_url();

	if (url != NULL &&
	    (strncasecmp(text, "http://", 7) == 0 ||
		strncasecmp(text, "https://", 8) == 0) &&
	    curl_url_set(url, CURLUPART_URL, text,
		CURLU_PATH_AS_IS | CURLU_DISALLOW_USER) == CURLUE_OK)
		return url;
	curl_url_cleanup(url);
	return NULL;
}

char *
sa_http_host(const char *url)
{
	CURLU *u = parse_url(url);
	char *out = u != NULL ? host_and_port(u) : NULL;

	curl_url_cleanup(u);
	return out;
}

char *
sa_http_escape(const char *text)
{
	static const char hex[] = "0123456789ABCDEF";
	char *out = sa_xmalloc(strlen(text) * 3 + 1), *p = out;

	for (const char *s = text; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;
		if (c < 0x80 && (isalnum(c) || strchr("-._~", c) != NULL)) {
			*p++ = *s;
			continue;
		}
		*p++ = '%';
		*p++ = hex[c >> 4];
		*p++ = hex[c & 15];
	}
	*p = '\0';
	return out;
}

static size_t
on_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	long status = 0;

	n *= size;
	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	t->r->bytes += (long long)n;
	if (t->q->take != NULL && (status == 200 || status == 206)) {
		if (t->q->take(t->q->arg, bytes, n) == 0)
			return n;
		t->ended = true;
		return 0;
	}
	if (sa_buf_add(&t->r->body, bytes, n) == 0)
		return n;
	t->too_long = true;
	return 0;
}

static int
on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct transfer *t = arg;

	(void)a, (void)b, (void)c, (void)d;
	return t->h->stop != NULL && *t->h->stop != 0;
}

/* A name is known to mean a forbidden address only here. */
static curl_socket_t
on_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *addr)
{
	struct transfer *t = arg;

	(void)purpose;
	if (sa_host_forbidden_address(&addr->addr)) {
		t->forbidden = true;
		return CURL_SOCKET_BAD;
	}
	return socket(addr->family, addr->socktype | SOCK_CLOEXEC,
	    addr->protocol);
}

static void
add_header(struct transfer *t, const char *line)
{
	struct curl_slist *more = curl_slist_append(t->headers, line);

	if (more != NULL)
		t->headers = more;
}

static void
set_headers(struct transfer *t)
{
	const struct sa_http_request *q = t->q;
	cleanup_free char *accept =
	    sa_xasprintf("Accept: %s", q->accept != NULL ? q->accept : ACCEPT);

	curl_slist_free_all(t->headers);
	t->headers = NULL;
	add_header(t, accept);
	add_header(t, "Expect:"); /* no wait for a 100 before a body */
	if (q->content_type != NULL) {
		cleanup_free char *type =
		    sa_xasprintf("Content-Type: %s", q->content_type);
		add_header(t, type);
	}
	for (size_t i = 0; q->headers != NULL && q->headers[i] != NULL; i++)
		add_header(t, q->headers[i]);
	curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers);
}

static void
set_method(struct transfer *t)
{
	const struct sa_http_request *q = t->q;
	const char *method = q->method != NULL ? q->method : "GET";

	if (q->body != NULL) {
		curl_easy_setopt(t->curl, CURLOPT_POSTFIELDS, q->body);
		curl_easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)q->body_len);
	} else if (strcmp(method, "HEAD") == 0) {
		curl_easy_setopt(t->curl, CURLOPT_NOBODY, 1L);
	}
	curl_easy_setopt(t->curl, CURLOPT_CUSTOMREQUEST, method);
}

/* Milliseconds that a request may take; -1: as long as bytes come. */
static long
limit_ms(const struct transfer *t)
{
	long ms = t->q->total_ms != 0 ? t->q->total_ms : t->h->total_ms;

	long long back_at = sa_http_back_at();

	if (back_at == LLONG_MAX)
		return ms > 0 ? ms : -1;
	long long left = back_at - sa_clock_ms();
	if (left < LEAST_MS)
		left = LEAST_MS;
	return ms > 0 && ms < left ? ms : (long)left;
}

static void
set_limits(struct transfer *t)
{
	long total = limit_ms(t);

	curl_easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT_MS,
	    (long)t->h->connect_ms);
	if (total > 0) {
		curl_easy_setopt(t->curl, CURLOPT_TIMEOUT_MS, total);
		return;
	}
	curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
}

/* PEM text that outlives the transfer, or else a file; NULL for neither. */
static void
set_pem(CURL *curl, CURLoption text, char *pem, CURLoption file,
    const char *path)
{
	if (pem != NULL) {
		struct curl_blob blob = { .data = pem,
			.len = strlen(pem),
			.flags = CURL_BLOB_NOCOPY };
		curl_easy_setopt(curl, text, &blob);
	} else if (path != NULL)
		curl_easy_setopt(curl, file, path);
}

static void
set_tls(struct transfer *t)
{
	const struct sa_http *h = t->h;

	set_pem(t->curl, CURLOPT_CAINFO_BLOB, h->ca_pem, CURLOPT_CAINFO,
	    h->ca_file);
	if (h->ca_file != NULL || h->ca_pem != NULL)
		curl_easy_setopt(t->curl, CURLOPT_CAPATH, NULL);
	if (!t->q->credentials)
		return;
	set_pem(t->curl, CURLOPT_SSLCERT_BLOB, h->cert_pem, CURLOPT_SSLCERT,
	    h->cert_file);
	set_pem(t->curl, CURLOPT_SSLKEY_BLOB, h->key_pem, CURLOPT_SSLKEY,
	    h->key_file);
}

/* Cookies are kept for one host at a time: curl would send them to every port
 * of it, and a standby's are of no use to the active one. */
static void
set_cookies(struct transfer *t)
{
	struct sa_http *h = t->h;

	if (h->cookies_of != NULL && strcmp(h->cookies_of, t->host) == 0)
		return;
	/* any cookie starts the engine; CURLOPT_COOKIEFILE would too, but
	 * curl_easy_reset() loses what that allocates */
	curl_easy_setopt(t->curl, CURLOPT_COOKIELIST,
	    "Set-Cookie: sa=; Max-Age=0");
	curl_easy_setopt(t->curl, CURLOPT_COOKIELIST, "ALL");
	free(h->cookies_of);
	h->cookies_of = sa_xstrdup(t->host);
}

static int
set_credentials(struct transfer *t, struct sa_err *err)
{
	struct sa_httpauth *auth = &t->h->auth;

	if (!t->q->credentials)
		return 0;
	if (t->h->token_file != NULL) {
		char *token = NULL;
		if (sa_httpauth_token(t->h->token_file, &token, err) < 0)
			return -1;
		sa_httpauth_wipe(&auth->bearer);
		auth->bearer = token;
	}
	if (auth->negotiate) {
		curl_easy_setopt(t->curl, CURLOPT_HTTPAUTH,
		    (long)CURLAUTH_NEGOTIATE);
		curl_easy_setopt(t->curl, CURLOPT_USERPWD, ":");
	} else if (auth->login != NULL) {
		curl_easy_setopt(t->curl, CURLOPT_HTTPAUTH,
		    (long)CURLAUTH_BASIC);
		curl_easy_setopt(t->curl, CURLOPT_USERPWD, auth->login);
	} else if (auth->bearer != NULL) {
		curl_easy_setopt(t->curl, CURLOPT_HTTPAUTH,
		    (long)CURLAUTH_BEARER);
		curl_easy_setopt(t->curl, CURLOPT_XOAUTH2_BEARER, auth->bearer);
	} else {
		return 0;
	}
	set_cookies(t);
	return 0;
}

static int
set_up(struct transfer *t, struct sa_err *err)
{
	CURL *c = t->curl;

	curl_easy_reset(c);
	curl_easy_setopt(c, CURLOPT_CURLU, t->url);
	curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "sa/" PACKAGE_VERSION);
	curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, 128L << 10);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->why);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_socket);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, t);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
	if (t->loopback)
		curl_easy_setopt(c, CURLOPT_PROXY, "");
	set_method(t);
	set_limits(t);
	set_tls(t);
	return set_credentials(t, err);
}

/* All values of a header of the last answer, with ", " between them. */
static char *
header(CURL *curl, const char *name)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(64 << 10);
	struct curl_header *h;

	for (size_t i = 0;
	     curl_easy_header(curl, name, i, CURLH_HEADER, -1, &h) == CURLHE_OK;
	     i++)
		if (sa_buf_addf(&b, "%s%s", i > 0 ? ", " : "", h->value) < 0)
			break;
	return b.len > 0 ? sa_buf_steal(&b) : NULL;
}

static void
keep_headers(struct transfer *t)
{
	struct sa_http_response *r = t->r;
	long status = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	r->status = (int)status;
	r->content_type = header(t->curl, "Content-Type");
	r->location = header(t->curl, "Location");
	r->refresh = header(t->curl, "Refresh");
	if (status == 401 || status == 403)
		r->authenticate = header(t->curl, "WWW-Authenticate");
	cleanup_free char *date = header(t->curl, "Date");
	time_t when = date != NULL ? curl_getdate(date, NULL) : -1;
	r->date = when > 0 ? (long long)when : 0;
}

/* Never of the request: only what stands between us and the host. */
static int
tls_failed(const struct transfer *t, CURLcode rc, struct sa_err *err)
{
	cleanup_free char *why =
	    sa_text_visible(*t->why != '\0' ? t->why : curl_easy_strerror(rc));

	if (rc == CURLE_SSL_CACERT_BADFILE || rc == CURLE_SSL_CERTPROBLEM)
		return sa_err_set(err, SA_CONFIG,
		    "cannot use a certificate file for '%s': %s", t->host, why);
	sa_err_set(err, SA_REMOTE, "no secure connection to '%s': %s", t->host,
	    why);
	if (rc == CURLE_PEER_FAILED_VERIFICATION)
		sa_err_hint(err,
		    "set ca_file of the connection to the "
		    "certificate of its authority");
	return -1;
}

static int
not_connected(const struct transfer *t, struct sa_err *err)
{
	long number = 0;

	if (t->forbidden)
		return sa_err_set(err, SA_REMOTE,
		    "'%s' leads to a link-local or metadata address", t->host);
	curl_easy_getinfo(t->curl, CURLINFO_OS_ERRNO, &number);
	if (number == 0)
		return sa_err_set(err, SA_REMOTE, "cannot reach '%s'", t->host);
	return sa_err_errno(err, SA_REMOTE, (int)number, "cannot reach '%s'",
	    t->host);
}

static int
too_slow(const struct transfer *t, struct sa_err *err)
{
	curl_off_t connected = 0;

	curl_easy_getinfo(t->curl, CURLINFO_PRETRANSFER_TIME_T, &connected);
	if (connected == 0)
		return sa_err_set(err, SA_REMOTE,
		    "cannot reach '%s': no connection in time", t->host);
	return sa_err_set(err, SA_REMOTE, "'%s' did not answer in time",
	    t->host);
}

static int
explain(const struct transfer *t, CURLcode rc, struct sa_err *err)
{
	switch (rc) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return sa_err_set(err, SA_REMOTE,
		    "cannot reach '%s': no such host", t->host);
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_PROXY:
		return sa_err_set(err, SA_REMOTE,
		    "cannot reach '%s' through the proxy of the environment",
		    t->host);
	case CURLE_COULDNT_CONNECT:
		return not_connected(t, err);
	case CURLE_OPERATION_TIMEDOUT:
		return too_slow(t, err);
	case CURLE_ABORTED_BY_CALLBACK:
		return sa_err_set(err, SA_BUSY,
		    "the request to '%s' was broken off", t->host);
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		return sa_err_set(err, SA_REMOTE,
		    "'%s' closed the connection without an answer", t->host);
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		return sa_err_set(err, SA_REMOTE, "'%s' does not speak HTTP",
		    t->host);
	case CURLE_BAD_CONTENT_ENCODING:
		return sa_err_set(err, SA_REMOTE,
		    "'%s' sent an answer that does not unpack", t->host);
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR:
		return tls_failed(t, rc, err);
	default:
		return sa_err_set(err, SA_REMOTE, "request to '%s' failed: %s",
		    t->host, curl_easy_strerror(rc));
	}
}

/* An answer that lacks its end, told from none. */
static bool
broke_off(const struct transfer *t, CURLcode rc)
{
	return t->r->status >= 200 &&
	    (rc == CURLE_PARTIAL_FILE || rc == CURLE_RECV_ERROR);
}

static int
perform(struct transfer *t, bool *sent, struct sa_err *err)
{
	size_t max = t->q->max > 0 ? t->q->max : BODY_MAX;
	long bytes = 0;

	*t->r = (struct sa_http_response)SA_HTTP_RESPONSE_INIT;
	sa_buf_init(&t->r->body, max);
	if (set_up(t, err) < 0)
		return -1;
	set_headers(t);
	CURLcode rc = curl_easy_perform(t->curl);
	if (rc == CURLE_OK || t->ended || rc == CURLE_PARTIAL_FILE ||
	    rc == CURLE_RECV_ERROR)
		keep_headers(t);
	curl_easy_getinfo(t->curl, CURLINFO_REQUEST_SIZE, &bytes);
	if (sent != NULL && bytes > 0)
		*sent = true;
	if (rc == CURLE_OK || t->ended)
		return 0;
	if (broke_off(t, rc)) {
		t->r->cut = true;
		return 0;
	}
	if (t->too_long)
		return sa_err_set(err, SA_REMOTE, "'%s' sent more than %zu KiB",
		    t->host, max >> 10);
	return explain(t, rc, err);
}

/* Whether a list of challenges has one of this scheme. */
static bool
challenges(const char *list, const char *scheme)
{
	size_t n = strlen(scheme);

	for (const char *s = list; s != NULL; s = strchr(s, ',')) {
		s += strspn(s, ", ");
		if (strncasecmp(s, scheme, n) == 0 &&
		    (s[n] == '\0' || s[n] == ' ' || s[n] == ','))
			return true;
	}
	return false;
}

/* A ticket is tried only where a server has asked for one. */
static bool
wants_ticket(const struct transfer *t)
{
	const struct sa_httpauth *auth = &t->h->auth;

	return t->r->status == 401 && t->q->credentials && !auth->negotiate &&
	    auth->login == NULL && auth->bearer == NULL &&
	    challenges(t->r->authenticate, "Negotiate");
}

static int
run(struct transfer *t, bool *sent, struct sa_err *err)
{
	cleanup_free char *scheme = url_part(t->url, CURLUPART_SCHEME, 0);
	cleanup_free char *path = url_part(t->url, CURLUPART_PATH, 0);
	int rc = perform(t, sent, err);

	if (rc == 0 && wants_ticket(t)) {
		t->h->auth.negotiate = true;
		sa_http_response_release(t->r);
		rc = perform(t, sent, err);
	}
	sa_debug("%s %s://%s%s: %d",
	    t->q->method != NULL ? t->q->method : "GET",
	    scheme != NULL ? scheme : "", t->host, path != NULL ? path : "",
	    rc == 0 ? t->r->status : -1);
	if (rc < 0)
		sa_http_response_release(t->r);
	return rc;
}

int
sa_http_do(struct sa_http *h, const struct sa_http_request *q,
    struct sa_http_response *r, bool *sent, struct sa_err *err)
{
	struct transfer t = { .h = h,
		.q = q,
		.r = r,
		.curl = q->credentials ? h->trusted : h->plain,
		.url = parse_url(q->url) };

	*r = (struct sa_http_response)SA_HTTP_RESPONSE_INIT;
	if (sent != NULL)
		*sent = false;
	cleanup_free char *masked = sa_mask_text(q->url, strlen(q->url));
	cleanup_free char *shown = sa_text_visible(masked);
	if (t.url == NULL)
		return sa_err_set(err, SA_INVALID,
		    "'%.200s' is not an http(s) URL without a login", shown);
	cleanup_free char *host = url_part(t.url, CURLUPART_HOST, 0);
	cleanup_free char *name = host_and_port(t.url);
	int rc;
	if (host == NULL || name == NULL || sa_host_forbidden(host)) {
		rc = sa_err_set(err, SA_INVALID,
		    "'%.200s' has no host, or one that is never asked", shown);
	} else {
		t.host = name;
		t.loopback = sa_host_loopback(host);
		rc = run(&t, sent, err);
	}
	curl_slist_free_all(t.headers);
	curl_url_cleanup(t.url);
	return rc;
}

int
sa_http_refused(const struct sa_http_response *r, const char *who,
    const char *said, struct sa_err *err)
{
	const char *list = r->authenticate;

	if (said != NULL && *said != '\0')
		sa_err_set(err, SA_REFUSED, "'%s' refuses: %.600s", who, said);
	else
		sa_err_set(err, SA_REFUSED, "'%s' refuses (status %d)", who,
		    r->status);
	if (challenges(list, "Negotiate"))
		return sa_err_hint(err,
		    "it wants Kerberos: no ticket, or none for this host; "
		    "run kinit");
	if (challenges(list, "PseudoAuth"))
		return sa_err_hint(err, "it wants a name: set yarn_user");
	if (challenges(list, "Basic") || challenges(list, "Bearer"))
		return sa_err_hint(err,
		    "put the login into a file of mode 0600 and set auth_file");
	return -1;
}
