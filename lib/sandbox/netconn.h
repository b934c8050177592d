/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETCONN_H
#define SA_NETCONN_H

#include "sandbox/netask.h"
#include "sandbox/nethttp.h"
#include "sandbox/netinside.h"
#include "sandbox/netlog.h"
#include "sandbox/netnames.h"
#include "sandbox/netproxy.h"
#include "sandbox/netrules.h"

/* What the files of the network process share: netproxy.c waits, netconn.c
 * leads one connection. */

/* Bytes on their way from one side to the other; a request's head is held
 * whole, and may grow a little as it is written anew. */
#define SA_NETCONN_PIECE SA_NETHTTP_HEAD
#define SA_NETCONN_SPACE (SA_NETCONN_PIECE + 1024)
struct sa_netheld {
	char *p; /* NULL while nothing is held */
	size_t at, n;
};

enum sa_netstage {
	SA_NETCONN_HEAD,    /* it has to say where to */
	SA_NETCONN_RESOLVE, /* its name is asked for */
	SA_NETCONN_DIAL,
	SA_NETCONN_CHECK, /* its first bytes have to say the same name */
	SA_NETCONN_PUMP,
	SA_NETCONN_BYE /* refused: what it still says is thrown away */
};

enum sa_netcheck {
	SA_NETCHECK_NONE,
	SA_NETCHECK_TLS,
	SA_NETCHECK_HTTP,
	SA_NETCHECK_EITHER /* TLS if it looks like it */
};

enum { SA_NETSIDE_IN, SA_NETSIDE_OUT };

struct sa_netconn {
	uint32_t number; /* never the same twice */
	size_t slot;
	enum sa_netstage stage;
	enum sa_netinside_what entrance;
	bool greeted; /* of SOCKS */
	int fd[2];
	uint32_t events[2];	   /* that are waited for */
	struct sa_netheld held[2]; /* from that side */
	bool ended[2], shut[2];
	char host[SA_NETNAME]; /* or the address's text */
	uint16_t port;
	bool named;
	struct sa_netaddr address[SA_NETASK_MAX];
	size_t naddress, tried;
	int error; /* of the last address */
	enum sa_netcheck check;
	bool exchange; /* one HTTP request and its answer */
	struct sa_nethttp_body body;
	size_t entry; /* of the log */
	uint64_t seq;
	long long until_ms;
};

struct sa_netknown {
	char name[SA_NETNAME];
	struct sa_netaddr address[SA_NETASK_MAX];
	size_t n;
	bool refused; /* n is 0 since none may be dialled, and why */
	const char *why;
	long long until_ms;
};

#define SA_NETPROXY_ASKS 16
#define SA_NETPROXY_KNOWN 64
#define SA_NETPROXY_LISTENERS 80

struct sa_netproxy {
	struct sa_netrules rules;
	struct sa_netnames *names;
	struct sa_netlog *log;
	int line, epoll;
	struct sa_netlistener {
		int fd;
		enum sa_netinside_what what;
	} listeners[SA_NETPROXY_LISTENERS];
	size_t nlisteners, nconns;
	bool full; /* nothing is accepted */
	struct sa_netconn *conns[SA_NETPROXY_CONNS];
	uint32_t number;
	struct sa_netquestion {
		struct sa_netask ask; /* pid 0: none */
		char name[SA_NETNAME];
	} asks[SA_NETPROXY_ASKS];
	struct sa_netknown known[SA_NETPROXY_KNOWN];
	size_t next_known;
};

/* What epoll tells: of what kind it is, and which. */
enum sa_netevent {
	SA_NETEVENT_LINE,
	SA_NETEVENT_LISTENER,
	SA_NETEVENT_ASK,
	SA_NETEVENT_CONN
};
int sa_netproxy_watch(struct sa_netproxy *p, int fd, uint32_t events,
    enum sa_netevent kind, unsigned side, size_t slot, uint32_t number);

/* One that was accepted; takes fd over. */
void sa_netconn_new(struct sa_netproxy *p, int fd,
    enum sa_netinside_what entrance);
void sa_netconn_event(struct sa_netproxy *p, struct sa_netconn *c,
    unsigned side, uint32_t events);
/* Its name was looked up, or its time is over. */
void sa_netconn_known(struct sa_netproxy *p, struct sa_netconn *c,
    const struct sa_netknown *k);
void sa_netconn_late(struct sa_netproxy *p, struct sa_netconn *c);

/* Answers of DNS, by what the rules say. */
size_t sa_netproxy_dns(struct sa_netproxy *p, const uint8_t *query, size_t n,
    uint8_t *out);

#endif
