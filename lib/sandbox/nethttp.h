/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETHTTP_H
#define SA_NETHTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * One HTTP/1 request as it passes on: where it goes, and how long it is. It is
 * strict where servers differ in what they read (RFC 9112, 11.2): what could be
 * two requests to one and one to another is none.
 */
#define SA_NETHTTP_HEAD 32768 /* bytes of a request's head */

enum sa_nethttp_result {
	SA_NETHTTP_MORE,
	SA_NETHTTP_BAD, /* why says what it is */
	SA_NETHTTP_FINE
};

struct sa_nethttp_part {
	const char *p; /* into the request */
	size_t n;
};

struct sa_nethttp {
	const char *why; /* static */
	bool connect;
	bool absolute; /* as to a proxy: the target names the host */
	struct sa_nethttp_part method, path, version, headers;
	struct sa_nethttp_part host; /* without port, as it was written */
	bool has_host;		     /* among the headers */
	uint16_t port;		     /* 80 where none is said */
	size_t head;		     /* bytes up to the body */
	bool chunked;
	long long length; /* of the body */
};

enum sa_nethttp_result sa_nethttp_parse(const char *p, size_t n,
    struct sa_nethttp *out);

/* Adds the head as a server gets it: by its path, to this host, without what
 * is between a client and its proxy, and to end after one answer. -1 where it
 * is over b's limit. */
int sa_nethttp_rewrite(const struct sa_nethttp *r, const char *host,
    struct sa_buf *b);

/* Where the body ends. */
struct sa_nethttp_body {
	bool chunked, done, bad;
	long long left; /* bytes of the body, or of the chunk */
	int state;
	size_t line; /* bytes of the line, or of the trailer */
};
void sa_nethttp_body_init(struct sa_nethttp_body *b,
    const struct sa_nethttp *r);
/* How many of these n bytes belong to it. */
size_t sa_nethttp_body(struct sa_nethttp_body *b, const char *p, size_t n);

#endif
