/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/nethttp.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LENGTH_DIGITS 15
#define CHUNK_DIGITS 12
#define CHUNK_LINE 1024
#define TRAILER 16384

typedef struct sa_nethttp_part part;

static enum sa_nethttp_result
bad(struct sa_nethttp *r, const char *why)
{
	r->why = why;
	return SA_NETHTTP_BAD;
}

static bool
is(part s, const char *text)
{
	return s.n == strlen(text) && strncasecmp(s.p, text, s.n) == 0;
}

static bool
is_token(part s)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') &&
		    (c == '\0' || strchr(others, c) == NULL))
			return false;
	}
	return s.n > 0;
}

static bool
has_control(part s)
{
	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] < ' ' && s.p[i] != '\t') ||
		    s.p[i] == 0x7f)
			return true;
	return false;
}

/* Up to c, which is left out, and the rest; all of it where there is none. */
static part
split(part *rest, char c)
{
	const char *at = rest->n > 0 ? memchr(rest->p, c, rest->n) : NULL;
	part out = *rest;

	if (at == NULL) {
		*rest = (part){ rest->p + rest->n, 0 };
		return out;
	}
	out.n = (size_t)(at - rest->p);
	*rest = (part){ at + 1, rest->n - out.n - 1 };
	return out;
}

static part
trim(part s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* A decimal number of at most so many digits; -1 for none. */
static long long
decimal(part s, size_t digits)
{
	long long value = 0;

	if (s.n == 0 || s.n > digits)
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return -1;
		value = value * 10 + (s.p[i] - '0');
	}
	return value;
}

/* HOST, HOST:PORT or [ADDRESS]:PORT. */
static bool
read_authority(part s, part *host, uint16_t *port)
{
	size_t n = 0;
	long long number;

	if (s.n > 0 && s.p[0] == '[') {
		const char *end = memchr(s.p, ']', s.n);
		n = end != NULL ? (size_t)(end - s.p) + 1 : s.n;
	} else
		while (n < s.n && s.p[n] != ':')
			n++;
	*host = (part){ s.p, n };
	if (n == s.n)
		return n > 0;
	number = decimal((part){ s.p + n + 1, s.n - n - 1 }, 5);
	if (n == 0 || s.p[n] != ':' || number < 1 || number > 65535)
		return false;
	*port = (uint16_t)number;
	return true;
}

static enum sa_nethttp_result
read_target(struct sa_nethttp *r, part target)
{
	static const char scheme[] = "http://";
	const size_t n = sizeof(scheme) - 1;

	if (target.n == 0 || has_control(target))
		return bad(r, "the target of the request is none");
	if (r->connect) {
		r->port = 0;
		if (!read_authority(target, &r->host, &r->port) || r->port == 0)
			return bad(r, "CONNECT needs HOST:PORT");
		return SA_NETHTTP_FINE;
	}
	r->path = target;
	if (target.p[0] == '/' || is(target, "*"))
		return SA_NETHTTP_FINE;
	if (target.n <= n || strncasecmp(target.p, scheme, n) != 0)
		return bad(r, "a proxy of HTTP takes http:// and CONNECT");
	part rest = { target.p + n, target.n - n };
	size_t len = 0;
	while (len < rest.n && rest.p[len] != '/' && rest.p[len] != '?' &&
	    rest.p[len] != '#')
		len++;
	r->absolute = true;
	r->path = (part){ rest.p + len, rest.n - len };
	if (!read_authority((part){ rest.p, len }, &r->host, &r->port))
		return bad(r, "the target of the request names no host");
	return SA_NETHTTP_FINE;
}

static enum sa_nethttp_result
read_request_line(struct sa_nethttp *r, part line)
{
	r->method = split(&line, ' ');
	part target = split(&line, ' ');

	r->version = line;
	if (!is_token(r->method) ||
	    (!is(line, "HTTP/1.1") && !is(line, "HTTP/1.0")))
		return bad(r, "it is no request of HTTP/1");
	r->connect = r->method.n == 7 && memcmp(r->method.p, "CONNECT", 7) == 0;
	r->port = 80;
	return read_target(r, target);
}

static bool
same_host(part a, uint16_t a_port, part b, uint16_t b_port)
{
	return a.n == b.n && a_port == b_port &&
	    strncasecmp(a.p, b.p, a.n) == 0;
}

static enum sa_nethttp_result
read_host(struct sa_nethttp *r, part value)
{
	part host;
	uint16_t port = 80;

	if (r->has_host)
		return bad(r, "it has two Host headers");
	r->has_host = true;
	if (r->connect)
		return SA_NETHTTP_FINE; /* the target is what counts */
	if (!read_authority(value, &host, &port))
		return bad(r, "its Host header names no host");
	if (r->absolute && !same_host(host, port, r->host, r->port))
		return bad(r, "its Host header is not the target's");
	r->host = host;
	r->port = port;
	return SA_NETHTTP_FINE;
}

/* What the proxy would drop must not be what tells where a request ends. */
static enum sa_nethttp_result
read_connection(struct sa_nethttp *r, part value)
{
	while (value.n > 0) {
		part name = trim(split(&value, ','));
		if (is(name, "Host") || is(name, "Content-Length") ||
		    is(name, "Transfer-Encoding"))
			return bad(r, "its Connection header hides another");
	}
	return SA_NETHTTP_FINE;
}

static enum sa_nethttp_result
read_header(struct sa_nethttp *r, part line)
{
	part value = line;
	part name = split(&value, ':');

	if (!is_token(name) || name.n == line.n || has_control(value))
		return bad(r, "a header is malformed");
	value = trim(value);
	if (is(name, "Host"))
		return read_host(r, value);
	if (is(name, "Connection") || is(name, "Proxy-Connection"))
		return read_connection(r, value);
	if (is(name, "Content-Length")) {
		if (r->length >= 0)
			return bad(r, "it has two lengths");
		r->length = decimal(value, LENGTH_DIGITS);
		if (r->length < 0)
			return bad(r, "its Content-Length is no number");
	}
	if (is(name, "Transfer-Encoding")) {
		if (r->chunked || !is(value, "chunked") ||
		    !is(r->version, "HTTP/1.1"))
			return bad(r, "its Transfer-Encoding is not chunked");
		r->chunked = true;
	}
	return SA_NETHTTP_FINE;
}

/* The next line, which ends with CR LF; MORE where it has no end yet. */
static enum sa_nethttp_result
next_line(part *rest, part *line)
{
	const char *end = rest->n > 0 ? memchr(rest->p, '\n', rest->n) : NULL;

	if (end == NULL)
		return SA_NETHTTP_MORE;
	if (end == rest->p || end[-1] != '\r')
		return SA_NETHTTP_BAD;
	*line = (part){ rest->p, (size_t)(end - rest->p) - 1 };
	rest->n -= (size_t)(end - rest->p) + 1;
	rest->p = end + 1;
	return SA_NETHTTP_FINE;
}

static enum sa_nethttp_result
check(struct sa_nethttp *r)
{
	bool length = r->length >= 0;

	if (!length)
		r->length = 0;
	if (r->chunked && length)
		return bad(r, "it has a length and is chunked");
	if (r->connect && (r->chunked || r->length > 0))
		return bad(r, "CONNECT has no body");
	if (r->host.n == 0)
		return bad(r, "it names no host");
	return SA_NETHTTP_FINE;
}

enum sa_nethttp_result
sa_nethttp_parse(const char *p, size_t n, struct sa_nethttp *out)
{
	part rest = { p, n < SA_NETHTTP_HEAD ? n : SA_NETHTTP_HEAD }, line;
	enum sa_nethttp_result rc;

	*out = (struct sa_nethttp){ .length = -1 };
	rc = next_line(&rest, &line);
	if (rc == SA_NETHTTP_FINE)
		rc = read_request_line(out, line);
	out->headers.p = rest.p;
	while (rc == SA_NETHTTP_FINE) {
		out->headers.n = (size_t)(rest.p - out->headers.p);
		rc = next_line(&rest, &line);
		if (rc == SA_NETHTTP_FINE && line.n == 0) {
			out->head = (size_t)(rest.p - p);
			return check(out);
		}
		if (rc == SA_NETHTTP_FINE)
			rc = read_header(out, line);
	}
	if (rc == SA_NETHTTP_MORE && n >= SA_NETHTTP_HEAD)
		return bad(out, "its head is too long");
	if (rc == SA_NETHTTP_BAD && out->why == NULL)
		out->why = "a line does not end with CR LF";
	return rc;
}

static bool
stays_behind(part name, part listed)
{
	static const char *const ours[] = { "Connection", "Keep-Alive", "TE",
		"Upgrade", "HTTP2-Settings", "Host", NULL };

	for (const char *const *s = ours; *s != NULL; s++)
		if (is(name, *s))
			return true;
	if (name.n > 6 && strncasecmp(name.p, "Proxy-", 6) == 0)
		return true;
	while (listed.n > 0) {
		part one = trim(split(&listed, ','));
		if (one.n == name.n && strncasecmp(one.p, name.p, name.n) == 0)
			return true;
	}
	return false;
}

/* The first Connection header: what it lists is between the two alone. */
static part
connection_of(part headers)
{
	part line;

	while (next_line(&headers, &line) == SA_NETHTTP_FINE) {
		part name = split(&line, ':');
		if (is(name, "Connection"))
			return line;
	}
	return (part){ NULL, 0 };
}

static int
add(struct sa_buf *b, part s)
{
	return sa_buf_add(b, s.p, s.n);
}

int
sa_nethttp_rewrite(const struct sa_nethttp *r, const char *host,
    struct sa_buf *b)
{
	part headers = r->headers, listed = connection_of(headers), line;
	bool slash =
	    r->path.n == 0 || (r->path.p[0] != '/' && !is(r->path, "*"));

	if (add(b, r->method) < 0 || sa_buf_adds(b, slash ? " /" : " ") < 0 ||
	    add(b, r->path) < 0 || sa_buf_addch(b, ' ') < 0 ||
	    add(b, r->version) < 0 || sa_buf_addf(b, "\r\nHost: %s", host) < 0)
		return -1;
	if (r->port != 80 && sa_buf_addf(b, ":%u", r->port) < 0)
		return -1;
	while (next_line(&headers, &line) == SA_NETHTTP_FINE) {
		part rest = line;
		part name = split(&rest, ':');
		if (stays_behind(name, listed))
			continue;
		if (sa_buf_adds(b, "\r\n") < 0 || add(b, line) < 0)
			return -1;
	}
	return sa_buf_adds(b, "\r\nConnection: close\r\n\r\n");
}

enum { SIZE, EXTENSION, SIZE_LF, DATA, DATA_CR, DATA_LF, LINE, LINE_LF };

void
sa_nethttp_body_init(struct sa_nethttp_body *b, const struct sa_nethttp *r)
{
	*b = (struct sa_nethttp_body){ .chunked = r->chunked,
		.left = r->chunked ? 0 : r->length,
		.done = !r->chunked && r->length == 0 };
}

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The line with a chunk's size; -1 for what is none. */
static int
size_byte(struct sa_nethttp_body *b, char c)
{
	int digit = b->state == SIZE ? hex(c) : -1;

	if (++b->line > CHUNK_LINE)
		return -1;
	if (digit >= 0) {
		b->left = b->left * 16 + digit;
		return b->line > CHUNK_DIGITS ? -1 : 0;
	}
	if (b->state == SIZE && b->line == 1)
		return -1;
	if (c == '\r') {
		b->state = SIZE_LF;
		return 0;
	}
	if (b->state == SIZE && c != ';' && c != ' ' && c != '\t')
		return -1;
	b->state = EXTENSION;
	return (unsigned char)c < ' ' && c != '\t' ? -1 : 0;
}

/* The trailer: lines up to an empty one. line counts what is in the present
 * one, left what there was. */
static int
trailer_byte(struct sa_nethttp_body *b, char c)
{
	if (++b->left > TRAILER)
		return -1;
	if (b->state == LINE_LF) {
		b->done = b->line == 0;
		b->line = 0;
		b->state = LINE;
		return c == '\n' ? 0 : -1;
	}
	if (c == '\r') {
		b->state = LINE_LF;
		return 0;
	}
	b->line++;
	return (unsigned char)c < ' ' && c != '\t' ? -1 : 0;
}

static int
framing_byte(struct sa_nethttp_body *b, char c)
{
	switch (b->state) {
	case SIZE:
	case EXTENSION:
		return size_byte(b, c);
	case SIZE_LF:
		b->state = b->left > 0 ? DATA : LINE;
		b->line = 0;
		return c == '\n' ? 0 : -1;
	case DATA_CR:
		b->state = DATA_LF;
		return c == '\r' ? 0 : -1;
	case DATA_LF:
		b->state = SIZE;
		b->line = 0;
		b->left = 0;
		return c == '\n' ? 0 : -1;
	default:
		return trailer_byte(b, c);
	}
}

size_t
sa_nethttp_body(struct sa_nethttp_body *b, const char *p, size_t n)
{
	size_t at = 0;

	while (at < n && !b->done && !b->bad) {
		if (b->chunked && b->state != DATA) {
			b->bad = framing_byte(b, p[at]) < 0;
			at += !b->bad;
			continue;
		}
		size_t some = (unsigned long long)b->left < n - at
		    ? (size_t)b->left
		    : n - at;
		at += some;
		b->left -= (long long)some;
		if (b->left == 0 && b->chunked)
			b->state = DATA_CR;
		else if (b->left == 0)
			b->done = true;
	}
	return at;
}
