/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_HTTP_H
#define SA_HTTP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Requests over HTTP(S), by libcurl. Objects that use this are linked into
 * the commands that talk to a network, and into no other.
 *
 * A client keeps its connections and, in memory, its cookies. Certificates
 * are always verified; the environment's proxies are honoured, never for
 * loopback addresses. Redirects are not followed: what to do with a Location
 * is for the caller to know. Names of hosts that give out a machine's
 * credentials, and link-local addresses, are refused, also when a name turns
 * out to mean one. Nothing of a request but method, scheme, host, port and
 * path reaches a log.
 */
struct sa_http;

/* How a client authenticates. All may be NULL; all are copied. */
struct sa_http_options {
	/* one line of a file of mode 0600 (SA_CONFIG where others may read
	 * it): "basic USER:PASSWORD", "bearer TOKEN" or "negotiate". Without
	 * it SPNEGO is tried where a server asks for it and the ticket cache
	 * has a ticket */
	const char *auth_file;
	const char *token_file; /* a bearer token and nothing else; read anew
				 * for each request, since such change */
	const char *token;	/* the same, as text */
	const char *ca_file;	/* PEM certificates in place of the system's */
	const char *cert_file, *key_file; /* of the client, PEM */
	/* the same as PEM text, in place of the files */
	const char *ca_pem, *cert_pem, *key_pem;
	int connect_ms; /* 0: 8000 */
	int total_ms;	/* 0: 30000; a request can say its own */
	/* not 0: what goes on ends with SA_BUSY; a signal's handler sets it */
	const volatile sig_atomic_t *stop;
};

/* SA_CONFIG: a file that is missing, unsafe or of another form; the message
 * names it and never what is in it. */
struct sa_http *sa_http_new(const struct sa_http_options *o,
    struct sa_err *err);
void sa_http_free(struct sa_http *h);

/* For a command that promised to be back at a moment of sa_clock_ms(): no
 * request of this process goes on longer than to then, but each has at least
 * a second. LLONG_MAX, as at first: no such moment. */
void sa_http_be_back(long long at_ms);
long long sa_http_back_at(void);
bool sa_http_is_late(void); /* that moment has come */

/* Gets a piece of a body, in order. Other than 0 ends the transfer. */
typedef int sa_http_body_fn(void *arg, const char *bytes, size_t n);

struct sa_http_request {
	const char *method; /* NULL: GET */
	const char *url;
	const char *accept; /* NULL: JSON, and text where there is no JSON */
	const char *content_type;
	const char *body; /* NULL: none */
	size_t body_len;
	const char *const *headers; /* "Name: value", then NULL; NULL: none */
	bool credentials; /* the host is one that may see who we are: without
			   * it neither logins nor tickets nor cookies go */
	size_t max;	  /* bytes of a body that is kept; 0: 4 MiB */
	int total_ms;	  /* -1: no limit, but 60 s without a byte end it */
	sa_http_body_fn *take; /* NULL: the body is kept in the response. Called
				* for answers of 200 and 206 alone; the body of
				* any other is kept. One that ends the transfer
				* leaves an answer that is not cut */
	void *arg;
};

/* An answer, whatever its status says. */
struct sa_http_response {
	int status;
	char *content_type, *location, *refresh; /* NULL: none */
	char *authenticate; /* all challenges of a 401 or 403, or NULL */
	struct sa_buf body; /* NUL behind it */
	long long date;	    /* the server's clock, seconds; 0: not said */
	long long bytes;    /* of the body, taken or kept */
	bool cut;	    /* it ended before its length was reached */
};
#define SA_HTTP_RESPONSE_INIT \
	{                     \
		.status = 0   \
	}
void sa_http_response_release(struct sa_http_response *r);

/*
 * 0: there is an answer. -1: there is none; kind SA_REMOTE (name, connection,
 * certificate, time-out, not HTTP) or SA_INVALID (a URL that is none of ours),
 * the message names host and port. A body over max is SA_REMOTE. *sent, where
 * given, tells whether the request may have reached the server: without that
 * nothing can have come of it.
 */
int sa_http_do(struct sa_http *h, const struct sa_http_request *q,
    struct sa_http_response *r, bool *sent, struct sa_err *err);

/*
 * What a 401 or 403 asks for, as SA_REFUSED with what to do ("run kinit").
 * who: the host as a person knows it. said: the other side's words, or NULL.
 */
int sa_http_refused(const struct sa_http_response *r, const char *who,
    const char *said, struct sa_err *err);

/* "host:port" of a URL, or NULL; caller frees. */
char *sa_http_host(const char *url);

/* Percent-encodes what has no place in a path segment or a query value;
 * caller frees. */
char *sa_http_escape(const char *text);

#endif
