/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netproxy.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "sandbox/landlock.h"
#include "sandbox/netconn.h"
#include "sandbox/netdns.h"
#include "sandbox/seccomp.h"

#define TURN_MS 1000
#define EVENTS 64
#define KNOWN_MS 10000
#define UNKNOWN_MS 2000
#define FILES 1024

int
sa_netproxy_watch(struct sa_netproxy *p, int fd, uint32_t events,
    enum sa_netevent kind, unsigned side, size_t slot, uint32_t number)
{
	struct epoll_event e = { .events = events,
		.data.u64 = (uint64_t)kind << 56 | (uint64_t)side << 48 |
		    (uint64_t)slot << 32 | number };

	if (epoll_ctl(p->epoll, EPOLL_CTL_MOD, fd, &e) == 0)
		return 0;
	return epoll_ctl(p->epoll, EPOLL_CTL_ADD, fd, &e);
}

/* A name's address, for those that are allowed. */
static uint32_t
lookup(const char *name, void *ctx)
{
	struct sa_netproxy *p = ctx;

	if (sa_netrules_knows(&p->rules, name))
		return sa_netnames_give(p->names, name);
	sa_netlog_add(p->log, name, 0, false, "the host is not allowed");
	return 0;
}

size_t
sa_netproxy_dns(struct sa_netproxy *p, const uint8_t *query, size_t n,
    uint8_t *out)
{
	return sa_netdns_answer(query, n, lookup, p, out);
}

/* One question; false where there is none. */
static bool
answer_one(struct sa_netproxy *p, int fd)
{
	uint8_t query[SA_NETDNS_MAX], out[SA_NETDNS_MAX];
	struct sockaddr_storage who;
	socklen_t len = sizeof(who);
	ssize_t n = recvfrom(fd, query, sizeof(query), 0,
	    (struct sockaddr *)&who, &len);
	size_t m = n > 0 ? sa_netproxy_dns(p, query, (size_t)n, out) : 0;

	if (m > 0)
		(void)sendto(fd, out, m, MSG_DONTWAIT | MSG_NOSIGNAL,
		    (struct sockaddr *)&who, len);
	return n >= 0;
}

/* Those that came together, as many as one turn may take. */
static void
answer_udp(struct sa_netproxy *p, int fd)
{
	for (int i = 0; i < EVENTS && answer_one(p, fd); i++)
		;
}

/* No more is accepted than there is room for; who waits, waits inside. */
static void
open_door(struct sa_netproxy *p, bool open)
{
	for (size_t i = 0; i < p->nlisteners; i++)
		if (p->listeners[i].what != SA_NETINSIDE_UDP)
			(void)sa_netproxy_watch(p, p->listeners[i].fd,
			    open ? EPOLLIN : 0, SA_NETEVENT_LISTENER, 0, i, 0);
	p->full = !open;
}

static void
accept_one(struct sa_netproxy *p, const struct sa_netlistener *l)
{
	if (l->what == SA_NETINSIDE_UDP) {
		answer_udp(p, l->fd);
		return;
	}
	if (p->nconns == SA_NETPROXY_CONNS)
		return;
	int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		sa_netconn_new(p, fd, l->what);
}

/* Keeps of a name's addresses those that may be dialled. */
static void
judge(struct sa_netproxy *p, struct sa_netknown *k,
    const struct sa_netaddr *address, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *what = sa_netrules_led_to(&p->rules, &address[i]);
		if (what == NULL)
			k->address[k->n++] = address[i];
		else if (!k->refused)
			k->why = what;
		k->refused |= what != NULL;
	}
}

/* Asks for the names that somebody waits for and nobody asks. */
static void
ask_more(struct sa_netproxy *p)
{
	size_t free_slot = 0;

	for (size_t i = 0; i < SA_NETPROXY_CONNS; i++) {
		const struct sa_netconn *c = p->conns[i];
		bool asked = c == NULL || c->stage != SA_NETCONN_RESOLVE;
		for (size_t k = 0; k < SA_NETPROXY_ASKS && !asked; k++)
			asked = p->asks[k].ask.pid > 0 &&
			    strcmp(p->asks[k].name, c->host) == 0;
		if (asked)
			continue;
		while (free_slot < SA_NETPROXY_ASKS &&
		    p->asks[free_slot].ask.pid > 0)
			free_slot++;
		if (free_slot == SA_NETPROXY_ASKS)
			return;
		struct sa_netquestion *q = &p->asks[free_slot];
		if (sa_netask_begin(&q->ask, c->host) < 0) {
			q->ask.pid = 0;
			return; /* it is late at last */
		}
		memcpy(q->name, c->host, sizeof(q->name));
		(void)sa_netproxy_watch(p, q->ask.fd, EPOLLIN, SA_NETEVENT_ASK,
		    0, free_slot, 0);
	}
}

static void
hear_answer(struct sa_netproxy *p, struct sa_netquestion *q)
{
	struct sa_netaddr address[SA_NETASK_MAX];
	struct sa_netknown *k = &p->known[p->next_known];
	size_t n = sa_netask_end(&q->ask, address);

	q->ask.pid = 0;
	p->next_known = (p->next_known + 1) % SA_NETPROXY_KNOWN;
	*k = (struct sa_netknown){ .until_ms = sa_clock_ms() +
		    (n > 0 ? KNOWN_MS : UNKNOWN_MS) };
	memcpy(k->name, q->name, sizeof(k->name));
	judge(p, k, address, n);
	const struct sa_netknown now = *k;
	for (size_t i = 0; i < SA_NETPROXY_CONNS; i++)
		if (p->conns[i] != NULL &&
		    p->conns[i]->stage == SA_NETCONN_RESOLVE &&
		    strcmp(p->conns[i]->host, now.name) == 0)
			sa_netconn_known(p, p->conns[i], &now);
}

/* Names that were asked for a moment ago are not asked for again. */
static void
settle_names(struct sa_netproxy *p)
{
	long long now = sa_clock_ms();

	for (size_t i = 0; i < SA_NETPROXY_CONNS; i++) {
		struct sa_netconn *c = p->conns[i];
		for (size_t k = 0; c != NULL && k < SA_NETPROXY_KNOWN; k++)
			if (c->stage == SA_NETCONN_RESOLVE &&
			    p->known[k].until_ms > now &&
			    strcmp(p->known[k].name, c->host) == 0) {
				sa_netconn_known(p, c, &p->known[k]);
				break;
			}
	}
	ask_more(p);
}

static void
look_at_clock(struct sa_netproxy *p)
{
	long long now = sa_clock_ms();

	for (size_t i = 0; i < SA_NETPROXY_CONNS; i++)
		if (p->conns[i] != NULL && now >= p->conns[i]->until_ms)
			sa_netconn_late(p, p->conns[i]);
}

static void
happened(struct sa_netproxy *p, const struct epoll_event *e)
{
	enum sa_netevent kind = (enum sa_netevent)(e->data.u64 >> 56);
	unsigned side = e->data.u64 >> 48 & 1;
	size_t slot = e->data.u64 >> 32 & 0xffff;
	uint32_t number = (uint32_t)e->data.u64;

	if (kind == SA_NETEVENT_LINE)
		_exit(0); /* init says nothing more; it has ended */
	if (kind == SA_NETEVENT_LISTENER)
		accept_one(p, &p->listeners[slot]);
	else if (kind == SA_NETEVENT_ASK && p->asks[slot].ask.pid > 0)
		hear_answer(p, &p->asks[slot]);
	else if (kind == SA_NETEVENT_CONN && p->conns[slot] != NULL &&
	    p->conns[slot]->number == number)
		sa_netconn_event(p, p->conns[slot], side, e->events);
}

static void __attribute__((noreturn)) serve(struct sa_netproxy *p)
{
	struct epoll_event e[EVENTS];
	long long next = sa_clock_ms() + TURN_MS;

	for (;;) {
		int n = epoll_wait(p->epoll, e, EVENTS, TURN_MS);
		if (n < 0 && errno != EINTR)
			_exit(1);
		for (int i = 0; i < n; i++)
			happened(p, &e[i]);
		settle_names(p);
		if (sa_clock_ms() >= next) {
			look_at_clock(p);
			next = sa_clock_ms() + TURN_MS;
		}
		if (p->full != (p->nconns == SA_NETPROXY_CONNS))
			open_door(p, p->full);
	}
}

/* Nothing of whoever started us: files, terminal, signals. b may be -1. */
static int
keep_two(int a, int b)
{
	unsigned low = (unsigned)(b >= 0 && b < a ? b : a);
	unsigned high = (unsigned)(b > a ? b : a);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 3 || low < 3)
		return -1;
	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0)
			return -1;
	close(null);
	if ((low > 3 && close_range(3, low - 1, 0) < 0) ||
	    (high > low + 1 && close_range(low + 1, high - 1, 0) < 0))
		return -1;
	return (int)close_range(high + 1, ~0U, 0);
}

static int
limit(int what, rlim_t value)
{
	struct rlimit r;

	if (prlimit(0, (enum __rlimit_resource)what, NULL, &r) < 0)
		return -1;
	if (r.rlim_max > value)
		r.rlim_max = value;
	r.rlim_cur = r.rlim_max;
	return prlimit(0, (enum __rlimit_resource)what, &r, NULL);
}

/* What the host's resolver reads, as far as it is not open. */
static const char *const resolver_reads[] = { "/etc", "/usr", "/lib", "/lib64",
	"/nix/store", "/gnu/store", "/run/nscd", "/run/systemd/resolve",
	"/run/systemd/machines", "/etc/resolv.conf", "/etc/hosts", NULL };

/* No rights, no way to get any, and no more than it needs. */
static int
humble(const struct sa_box_plan *plan)
{
	if (geteuid() == 0 &&
	    (setgroups(0, NULL) < 0 ||
		setresgid(plan->gid, plan->gid, plan->gid) < 0 ||
		setresuid(plan->uid, plan->uid, plan->uid) < 0))
		return -1;
	if (geteuid() == 0) { /* an id of -1 changes nothing */
		errno = EPERM;
		return -1;
	}
	if (limit(RLIMIT_CORE, 0) < 0 || limit(RLIMIT_NOFILE, FILES) < 0 ||
	    limit(RLIMIT_FSIZE, 0) < 0 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	if (sa_landlock_scope() < 0 ||
	    sa_landlock_read_only(resolver_reads) < 0)
		return -1;
	return sa_seccomp_load();
}

static int
prepare(struct sa_netproxy *p, const struct sa_box_plan *plan)
{
	sigset_t none;

	setsid();
	prctl(PR_SET_NAME, "sandbox-net", 0, 0, 0);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir("/") < 0 || keep_two(p->line, plan->egress) < 0 ||
	    (p->log = sa_netlog_map(plan->egress)) == NULL || humble(plan) < 0)
		return -1;
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	sa_netrules_init(&p->rules, plan->spec);
	p->names = sa_netnames_new();
	for (size_t i = 0; i < p->rules.nhosts; i++)
		if (!p->rules.hosts[i].below)
			(void)sa_netnames_give(p->names,
			    p->rules.hosts[i].name);
	return p->epoll < 0
	    ? -1
	    : sa_netproxy_watch(p, p->line, EPOLLIN, SA_NETEVENT_LINE, 0, 0, 0);
}

/* What init made, until it says that it is all. */
static int
take_listeners(struct sa_netproxy *p)
{
	struct sa_box_msg m;
	int fd;

	for (;;) {
		if (sa_box_recv(p->line, &m, &fd, 1) < 0)
			_exit(0);
		if (m.what == SA_BOX_READY)
			return 0;
		if (fd < 0 || p->nlisteners == SA_NETPROXY_LISTENERS)
			return -1;
		p->listeners[p->nlisteners] = (struct sa_netlistener){ fd,
			(enum sa_netinside_what)m.what };
		if (sa_netproxy_watch(p, fd, EPOLLIN, SA_NETEVENT_LISTENER, 0,
			p->nlisteners++, 0) < 0)
			return -1;
	}
}

void
sa_netproxy(const struct sa_box_plan *plan, int line)
{
	struct sa_netproxy *p = sa_xcalloc(1, sizeof(*p));
	struct sa_box_msg m = { .what = SA_BOX_READY };

	p->line = line;
	if (prepare(p, plan) < 0 || take_listeners(p) < 0)
		m = (struct sa_box_msg){ .what = SA_BOX_FAULT, .value = errno };
	(void)sa_box_send(line, &m, NULL, 0);
	if (m.what != SA_BOX_READY)
		_exit(1);
	serve(p);
}
