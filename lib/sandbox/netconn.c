/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netconn.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "sandbox/netdns.h"
#include "sandbox/netsocks.h"
#include "sandbox/nettls.h"

#define IN SA_NETSIDE_IN
#define OUT SA_NETSIDE_OUT
#define HELLO_S 5
#define BYE_S 2
#define HTTPS 443
#define HTTP 80
#define TLS_RECORD 0x16
/* linux/netfilter_ipv4.h, which defines much else */
#define ORIGINAL_DST 80

typedef struct sa_netconn conn;
typedef struct sa_netproxy proxy;

static void
give_time(conn *c, long long seconds)
{
	c->until_ms = sa_clock_ms() + seconds * 1000;
}

static void
close_side(conn *c, int side, bool reset)
{
	const struct linger now = { 1, 0 };

	if (c->fd[side] < 0)
		return;
	if (reset)
		(void)setsockopt(c->fd[side], SOL_SOCKET, SO_LINGER, &now,
		    sizeof(now));
	close(c->fd[side]);
	c->fd[side] = -1;
}

static void
end(proxy *p, conn *c, bool reset)
{
	close_side(c, IN, reset);
	close_side(c, OUT, reset);
	free(c->held[IN].p);
	free(c->held[OUT].p);
	p->conns[c->slot] = NULL;
	p->nconns--;
	free(c);
}

/* What is waited for of a side; without any, only that it died. */
static void
watch(proxy *p, conn *c, unsigned side, uint32_t events)
{
	uint32_t want = events != 0 ? events : EPOLLET;

	if (c->fd[side] < 0 || c->events[side] == want)
		return;
	c->events[side] = want;
	(void)sa_netproxy_watch(p, c->fd[side], want, SA_NETEVENT_CONN, side,
	    c->slot, c->number);
}

/* What is held of a side. */

static void
held_drop(struct sa_netheld *h, size_t n)
{
	h->at += n;
	h->n -= n;
	if (h->n == 0) {
		free(h->p);
		*h = (struct sa_netheld){ .p = NULL };
	}
}

static char *
held_room(struct sa_netheld *h, size_t *room)
{
	if (h->p == NULL)
		h->p = sa_xmalloc(SA_NETCONN_SPACE);
	if (h->at > 0)
		memmove(h->p, h->p + h->at, h->n);
	h->at = 0;
	*room = h->n < SA_NETCONN_PIECE ? SA_NETCONN_PIECE - h->n : 0;
	return h->p + h->n;
}

static const char *
held_text(const struct sa_netheld *h)
{
	return h->n > 0 ? h->p + h->at : "";
}

/* Reads what there is room for; how much, 0 where there is none just now. -1:
 * the connection is broken. */
static ssize_t
fill(conn *c, int side)
{
	struct sa_netheld *h = &c->held[side];
	size_t room;
	char *at = held_room(h, &room);
	ssize_t n = room > 0 ? recv(c->fd[side], at, room, 0) : 0;

	if (n > 0)
		h->n += (size_t)n;
	else if (n == 0 && room > 0)
		c->ended[side] = true;
	if (h->n == 0)
		held_drop(h, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n;
}

/* Sends what is held of a side to the other; -1 where that is gone. */
static int
flush(conn *c, int side)
{
	struct sa_netheld *h = &c->held[side];

	while (h->n > 0) {
		ssize_t n = send(c->fd[1 - side], h->p + h->at, h->n,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -1;
		held_drop(h, (size_t)n);
	}
	return 0;
}

/* How it failed, noted and in the words of whoever asked. */

static void
say_http(conn *c, const char *status, const char *why)
{
	char text[1024], body[512];
	int len = snprintf(body, sizeof(body), "sa-sandbox: '%s' port %u: %s\n",
	    c->host, c->port, why);
	int n = snprintf(text, sizeof(text),
	    "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nConnection: close\r\n"
	    "Content-Length: %d\r\n\r\n%s",
	    status, len, body);

	(void)send(c->fd[IN], text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
say_socks(conn *c, enum sa_netsocks_code code)
{
	uint8_t reply[SA_NETSOCKS_REPLY];

	sa_netsocks_reply(code, reply);
	(void)send(c->fd[IN], reply, sizeof(reply),
	    MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Whether who asks can still be told in its protocol. */
static bool
is_told(const conn *c)
{
	if (c->entrance == SA_NETINSIDE_TRANSPARENT)
		return c->check == SA_NETCHECK_HTTP;
	return c->stage < SA_NETCONN_CHECK || c->check == SA_NETCHECK_HTTP;
}

static void
leave(proxy *p, conn *c, bool denied, const char *status, const char *why)
{
	sa_netlog_add(p->log, c->host, c->port, !denied, why);
	if (!is_told(c)) {
		end(p, c, true);
		return;
	}
	if (c->entrance == SA_NETINSIDE_SOCKS5 && c->stage < SA_NETCONN_CHECK)
		say_socks(c,
		    denied ? SA_NETSOCKS_DENIED : SA_NETSOCKS_UNREACHED);
	else
		say_http(c, status, why);
	close_side(c, OUT, true);
	(void)shutdown(c->fd[IN], SHUT_WR);
	held_drop(&c->held[IN], c->held[IN].n);
	c->stage = SA_NETCONN_BYE;
	give_time(c, BYE_S);
	watch(p, c, IN, EPOLLIN);
}

static void
refuse(proxy *p, conn *c, const char *why)
{
	leave(p, c, true, "403 Forbidden", why);
}

static void
fail(proxy *p, conn *c, const char *why)
{
	leave(p, c, false, "502 Bad Gateway", why);
}

/* Where to, in the one form that there is; why not, or NULL. What is no name
 * is noted as far as it can be printed. */
static const char *
set_target(conn *c, const char *s, size_t n, uint16_t port)
{
	char name[SA_NETNAME];

	c->port = port;
	c->naddress = c->tried = 0;
	c->named = false;
	if (sa_netaddr_parse(s, n, &c->address[0])) {
		c->naddress = 1;
		sa_netaddr_text(&c->address[0], c->host);
		return NULL;
	}
	enum sa_netname_kind kind = sa_netname_canonical(s, n, name);
	if (kind == SA_NETNAME_HOST) {
		c->named = true;
		memcpy(c->host, name, sizeof(c->host));
		return NULL;
	}
	size_t m = n < sizeof(c->host) - 1 ? n : sizeof(c->host) - 1;
	for (size_t i = 0; i < m; i++)
		c->host[i] = s[i] > ' ' && s[i] < 0x7f ? s[i] : '?';
	c->host[m] = '\0';
	return kind == SA_NETNAME_ADDRESS
	    ? "an address has to be written as four numbers"
	    : "it is no host name";
}

/* What the connection has to say by itself of the name that was asked for. */
static enum sa_netcheck
check_for(const proxy *p, const conn *c)
{
	if (p->rules.open || !c->named || c->exchange)
		return SA_NETCHECK_NONE;
	if (c->port == HTTPS)
		return SA_NETCHECK_TLS;
	return c->port == HTTP ? SA_NETCHECK_HTTP : SA_NETCHECK_EITHER;
}

static void dial(proxy *p, conn *c);

/* The target is known: whether it is allowed, and on to its address. */
static void
depart(proxy *p, conn *c, const char *why)
{
	if (why == NULL)
		why = c->named
		    ? sa_netrules_host(&p->rules, c->host, c->port)
		    : sa_netrules_address(&p->rules, &c->address[0], c->port);
	if (why != NULL) {
		if (c->entrance == SA_NETINSIDE_TRANSPARENT)
			c->check = SA_NETCHECK_NONE;
		refuse(p, c, why);
		return;
	}
	c->check = check_for(p, c);
	if (!c->named) {
		dial(p, c);
		return;
	}
	c->stage = SA_NETCONN_RESOLVE;
	give_time(c, SA_NETASK_S + SA_NETPROXY_DIAL_S);
	watch(p, c, IN, 0);
}

void
sa_netconn_known(proxy *p, conn *c, const struct sa_netknown *k)
{
	if (k->n == 0 && k->refused)
		refuse(p, c, k->why);
	else if (k->n == 0)
		fail(p, c, "the name has no address");
	if (k->n == 0)
		return;
	memcpy(c->address, k->address, sizeof(c->address));
	c->naddress = k->n;
	c->tried = 0;
	dial(p, c);
}

/* The next of its addresses, which were all judged. */
static void
dial(proxy *p, conn *c)
{
	struct sockaddr_storage a;

	watch(p, c, IN, 0);
	c->stage = SA_NETCONN_DIAL;
	for (; c->tried < c->naddress; c->tried++) {
		const struct sa_netaddr *to = &c->address[c->tried];
		socklen_t len = sa_netaddr_socket(to, c->port, &a);
		int fd = socket(to->family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd >= 0 &&
		    (connect(fd, (struct sockaddr *)&a, len) == 0 ||
			errno == EINPROGRESS)) {
			c->fd[OUT] = fd;
			c->events[OUT] = 0;
			c->tried++;
			give_time(c, SA_NETPROXY_DIAL_S);
			watch(p, c, OUT, EPOLLOUT);
			return;
		}
		c->error = errno;
		if (fd >= 0)
			close(fd);
	}
	fail(p, c, strerror(c->error));
}

static void pump(proxy *p, conn *c);

static void
start_pump(proxy *p, conn *c)
{
	c->stage = SA_NETCONN_PUMP;
	c->entry = sa_netlog_add(p->log, c->host, c->port, true, NULL);
	c->seq = p->log->v[c->entry].seq;
	give_time(c, SA_NETPROXY_IDLE_S);
	pump(p, c);
}

/* Puts the head of a request as the server gets it in place of what came. */
static int
pass_request(conn *c, const struct sa_nethttp *r)
{
	struct sa_netheld *h = &c->held[IN];
	struct sa_buf head = SA_BUF_INIT(SA_NETCONN_SPACE);
	struct sa_nethttp_body body;
	char host[SA_NETNAME + 2];
	bool v6 = strchr(c->host, ':') != NULL;

	snprintf(host, sizeof(host), v6 ? "[%s]" : "%s", c->host);
	int rc = sa_nethttp_rewrite(r, host, &head);
	sa_nethttp_body_init(&body, r);
	size_t rest =
	    sa_nethttp_body(&body, held_text(h) + r->head, h->n - r->head);
	if (rc == 0 && head.len + rest <= SA_NETCONN_SPACE && !body.bad) {
		memmove(h->p + head.len, h->p + h->at + r->head, rest);
		memcpy(h->p, head.s, head.len);
		h->at = 0;
		h->n = head.len + rest;
		c->exchange = true;
		c->body = body;
	} else
		rc = -1;
	sa_buf_release(&head);
	return rc;
}

static void
check_tls(proxy *p, conn *c)
{
	const struct sa_netheld *h = &c->held[IN];
	char name[SA_NETNAME];
	enum sa_nettls found =
	    sa_nettls_name((const uint8_t *)held_text(h), h->n, name);
	bool must = c->check == SA_NETCHECK_TLS;

	if (found == SA_NETTLS_MORE && h->n < SA_NETCONN_PIECE)
		return;
	if (found == SA_NETTLS_NAME && strcmp(name, c->host) != 0)
		refuse(p, c, "TLS in it asks for another name");
	else if (found == SA_NETTLS_NO_NAME && must)
		refuse(p, c, "TLS in it asks for no name");
	else if (found != SA_NETTLS_NAME && must)
		refuse(p, c, "what it says on port 443 is not TLS");
	else
		start_pump(p, c);
}

static void
check_http(proxy *p, conn *c)
{
	const struct sa_netheld *h = &c->held[IN];
	char name[SA_NETNAME];
	struct sa_nethttp r;
	enum sa_nethttp_result found = sa_nethttp_parse(held_text(h), h->n, &r);

	if (found == SA_NETHTTP_MORE)
		return;
	if (found == SA_NETHTTP_BAD)
		refuse(p, c, r.why);
	else if (r.connect)
		refuse(p, c, "CONNECT is the proxy's");
	else if (sa_netname_canonical(r.host.p, r.host.n, name) !=
		SA_NETNAME_HOST ||
	    strcmp(name, c->host) != 0 || r.port != c->port)
		refuse(p, c, "HTTP in it asks for another host");
	else if (pass_request(c, &r) < 0)
		refuse(p, c, "the request is malformed");
	else
		start_pump(p, c);
}

/* The first bytes of a connection that is made. */
static void
check(proxy *p, conn *c)
{
	const struct sa_netheld *h = &c->held[IN];

	if (h->n == 0) {
		if (c->ended[IN])
			end(p, c, false);
		return;
	}
	if (c->check == SA_NETCHECK_HTTP)
		check_http(p, c);
	else if (c->check == SA_NETCHECK_TLS ||
	    (unsigned char)held_text(h)[0] == TLS_RECORD)
		check_tls(p, c);
	else
		start_pump(p, c);
}

/* The other side answers. */
static void
connected(proxy *p, conn *c)
{
	static const char done[] =
	    "HTTP/1.1 200 Connection established\r\n\r\n";

	if (c->entrance == SA_NETINSIDE_PROXY && !c->exchange)
		(void)send(c->fd[IN], done, sizeof(done) - 1,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
	else if (c->entrance == SA_NETINSIDE_SOCKS5)
		say_socks(c, SA_NETSOCKS_DONE);
	if (c->check == SA_NETCHECK_NONE) {
		start_pump(p, c);
		return;
	}
	c->stage = SA_NETCONN_CHECK;
	/* who speaks after the server has time to think */
	give_time(c,
	    c->check == SA_NETCHECK_EITHER ? SA_NETPROXY_IDLE_S
					   : SA_NETPROXY_HEAD_S);
	watch(p, c, IN, EPOLLIN);
	watch(p, c, OUT, c->check == SA_NETCHECK_EITHER ? EPOLLIN : 0);
	check(p, c);
}

static void
dial_event(proxy *p, conn *c)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(c->fd[OUT], SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error == 0) {
		connected(p, c);
		return;
	}
	c->error = error;
	close_side(c, OUT, false);
	dial(p, c);
}

/* The head of a connection to one of the proxies. */

static void
read_proxy(proxy *p, conn *c)
{
	struct sa_netheld *h = &c->held[IN];
	struct sa_nethttp r;
	enum sa_nethttp_result found = sa_nethttp_parse(held_text(h), h->n, &r);

	if (found == SA_NETHTTP_MORE)
		return;
	if (found == SA_NETHTTP_FINE && !r.connect && !r.absolute) {
		found = SA_NETHTTP_BAD;
		r.why = "this is a proxy, which is asked for http://HOST/";
	}
	if (found == SA_NETHTTP_BAD) {
		strlcpy(c->host, "a proxy", sizeof(c->host));
		leave(p, c, true, "400 Bad Request", r.why);
		return;
	}
	const char *why = set_target(c, r.host.p, r.host.n, r.port);
	if (r.connect)
		held_drop(h, r.head);
	else if (why == NULL && pass_request(c, &r) < 0)
		why = "the request is malformed";
	depart(p, c, why);
}

static void
read_socks(proxy *p, conn *c)
{
	struct sa_netheld *h = &c->held[IN];
	const uint8_t *s = (const uint8_t *)held_text(h);
	struct sa_netsocks_request r;
	size_t used = 0;
	enum sa_netsocks found = c->greeted
	    ? sa_netsocks_request(s, h->n, &used, &r)
	    : sa_netsocks_greeting(s, h->n, &used);

	if (found == SA_NETSOCKS_MORE)
		return;
	if (found == SA_NETSOCKS_BAD) {
		strlcpy(c->host, "a proxy", sizeof(c->host));
		sa_netlog_add(p->log, c->host, 0, false,
		    "it is no request of SOCKS 5");
		end(p, c, false);
		return;
	}
	if (!c->greeted) {
		held_drop(h, used);
		c->greeted = true;
		(void)send(c->fd[IN], SA_NETSOCKS_WELCOME, 2,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
		read_socks(p, c);
		return;
	}
	char text[SA_NETADDR_TEXT];
	const char *host = r.host;
	size_t len = r.len;
	if (host == NULL) {
		sa_netaddr_text(&r.address, text);
		host = text;
		len = strlen(text);
	}
	const char *why = set_target(c, host, len, r.port);
	held_drop(h, used);
	depart(p, c, why);
}

/* Queries with their length in front. */
static void
read_dns(proxy *p, conn *c)
{
	struct sa_netheld *h = &c->held[IN];
	uint8_t out[2 + SA_NETDNS_MAX];

	while (h->n >= 2) {
		const uint8_t *s = (const uint8_t *)held_text(h);
		size_t n = (size_t)s[0] << 8 | s[1];
		if (h->n < 2 + n)
			break;
		size_t m = sa_netproxy_dns(p, s + 2, n, out + 2);
		out[0] = (uint8_t)(m >> 8);
		out[1] = (uint8_t)m;
		held_drop(h, 2 + n);
		if (m == 0 ||
		    send(c->fd[IN], out, 2 + m, MSG_NOSIGNAL | MSG_DONTWAIT) !=
			(ssize_t)(2 + m)) {
			end(p, c, false);
			return;
		}
		give_time(c, SA_NETPROXY_HEAD_S);
	}
	if (c->ended[IN] || h->n == SA_NETCONN_PIECE)
		end(p, c, false);
}

static void
head_event(proxy *p, conn *c)
{
	if (fill(c, IN) < 0 || (c->ended[IN] && c->held[IN].n == 0)) {
		end(p, c, false);
		return;
	}
	if (c->entrance == SA_NETINSIDE_PROXY)
		read_proxy(p, c);
	else if (c->entrance == SA_NETINSIDE_SOCKS5)
		read_socks(p, c);
	else
		read_dns(p, c);
}

/* Bytes in both directions. */

/* Of a request only its own bytes pass; what follows is nobody's. */
static int
take(proxy *p, conn *c, int side)
{
	struct sa_netheld *h = &c->held[side];
	ssize_t n = h->n == 0 ? fill(c, side) : 0;

	if (n < 0)
		return -1;
	if (n > 0 && c->exchange && side == IN) {
		h->n = sa_nethttp_body(&c->body, held_text(h), h->n);
		if (c->body.bad)
			return -1;
		if (h->n == 0)
			held_drop(h, 0);
	}
	struct sa_netlog_entry *e = &p->log->v[c->entry];
	if (n > 0 && e->seq == c->seq)
		e->bytes += (uint64_t)n;
	if (n > 0)
		give_time(c,
		    c->ended[IN] || c->ended[OUT] ? SA_NETPROXY_HALF_S
						  : SA_NETPROXY_IDLE_S);
	return flush(c, side);
}

/* Hands the end of a side on, once all it sent is through. */
static void
pass_end(conn *c, int side)
{
	if (!c->ended[side] || c->shut[side] || c->held[side].n > 0)
		return;
	c->shut[side] = true;
	give_time(c, SA_NETPROXY_HALF_S);
	/* a server may take the end of a request for the client's */
	if (side != IN || !c->exchange)
		(void)shutdown(c->fd[1 - side], SHUT_WR);
}

static bool
reads(const conn *c, int side)
{
	bool no_more = side == IN && c->exchange && c->body.done;

	return !c->ended[side] && !no_more && c->held[side].n == 0;
}

/* After each change: what is next. */
static void
pump(proxy *p, conn *c)
{
	for (int side = IN; side <= OUT; side++)
		if (flush(c, side) < 0) {
			end(p, c, true);
			return;
		}
	pass_end(c, IN);
	pass_end(c, OUT);
	if (c->shut[OUT] && (c->shut[IN] || c->exchange)) {
		end(p, c, false);
		return;
	}
	for (int side = IN; side <= OUT; side++) {
		uint32_t events = reads(c, side) ? EPOLLIN : 0;
		if (c->held[1 - side].n > 0)
			events |= EPOLLOUT;
		watch(p, c, (unsigned)side, events);
	}
}

static void
pump_event(proxy *p, conn *c, int side, uint32_t events)
{
	bool dead = events & (EPOLLHUP | EPOLLERR) && !(events & EPOLLIN);

	if (events & EPOLLIN && reads(c, side) && take(p, c, side) < 0)
		dead = true;
	if (dead && side == OUT && c->held[OUT].n > 0)
		return; /* what came before it is still for the client */
	if (dead)
		end(p, c, true);
	else
		pump(p, c);
}

static void
bye_event(proxy *p, conn *c)
{
	char waste[4096];
	ssize_t n = recv(c->fd[IN], waste, sizeof(waste), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		end(p, c, false);
}

static void
check_event(proxy *p, conn *c, int side)
{
	if (side == OUT) { /* it speaks first: this is no TLS */
		start_pump(p, c);
		return;
	}
	if (fill(c, IN) < 0) {
		end(p, c, true);
		return;
	}
	if (c->ended[IN] && c->held[IN].n == 0)
		end(p, c, false);
	else if (c->ended[IN])
		refuse(p, c, "it ended before it said what it is");
	else
		check(p, c);
}

void
sa_netconn_event(proxy *p, conn *c, unsigned side, uint32_t events)
{
	bool dead = (events & (EPOLLHUP | EPOLLERR)) != 0;

	if (c->stage == SA_NETCONN_PUMP)
		pump_event(p, c, (int)side, events);
	else if (side == IN && dead && !(events & EPOLLIN))
		end(p, c, false);
	else if (c->stage == SA_NETCONN_DIAL && side == OUT)
		dial_event(p, c);
	else if (c->stage == SA_NETCONN_CHECK)
		check_event(p, c, (int)side);
	else if (c->stage == SA_NETCONN_HEAD)
		head_event(p, c);
	else if (c->stage == SA_NETCONN_BYE)
		bye_event(p, c);
}

void
sa_netconn_late(proxy *p, conn *c)
{
	if (c->stage == SA_NETCONN_DIAL && c->tried < c->naddress) {
		c->error = ETIMEDOUT;
		close_side(c, OUT, true);
		dial(p, c);
	} else if (c->stage == SA_NETCONN_DIAL)
		fail(p, c, "it does not answer");
	else if (c->stage == SA_NETCONN_RESOLVE)
		fail(p, c, "its name was not answered for in time");
	else if (c->stage == SA_NETCONN_CHECK)
		refuse(p, c, "it did not say in time what it is");
	else
		end(p, c, c->stage == SA_NETCONN_PUMP);
}

/* Where a program meant to go that was led here. */
static const char *
find_target(const proxy *p, conn *c)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	struct sa_netaddr to;
	char text[SA_NETADDR_TEXT];
	uint16_t port = 0;

	/* redirected, or listened for there */
	if (getsockopt(c->fd[IN], IPPROTO_IP, ORIGINAL_DST, &a, &len) < 0) {
		len = sizeof(a);
		if (getsockname(c->fd[IN], (struct sockaddr *)&a, &len) < 0)
			return "it has no address";
	}
	if (!sa_netaddr_of((struct sockaddr *)&a, &to, &port))
		return "it has no address";
	const char *name = to.family == AF_INET
	    ? sa_netnames_at(p->names, sa_netaddr_v4(&to))
	    : NULL;
	if (name != NULL)
		return set_target(c, name, strlen(name), port);
	sa_netaddr_text(&to, text);
	return set_target(c, text, strlen(text), port);
}

void
sa_netconn_new(proxy *p, int fd, enum sa_netinside_what entrance)
{
	conn *c = sa_xcalloc(1, sizeof(*c));

	while (p->conns[c->slot] != NULL)
		c->slot++;
	p->conns[c->slot] = c;
	p->nconns++;
	c->number = ++p->number;
	c->entrance = entrance;
	c->fd[IN] = fd;
	c->fd[OUT] = -1;
	give_time(c, SA_NETPROXY_HEAD_S);
	if (entrance == SA_NETINSIDE_TRANSPARENT)
		depart(p, c, find_target(p, c));
	else
		watch(p, c, IN, EPOLLIN);
}
