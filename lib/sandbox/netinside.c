/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netinside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "sandbox/box.h"
#include "sandbox/netlink.h"
#include "sandbox/netnames.h"
#include "sandbox/netrules.h"

#define BACKLOG 128
#define QUESTIONS (1024 * 1024) /* bytes that wait, of the kernel's own too */
#define PORTS 64		/* listened on where nothing redirects */
#define WAIT_MS 10000

/* ALL_PROXY is HTTP's too: clients that were built without SOCKS end at any
 * other. */
#define PROXY "http://127.0.0.1:3128"
#define NEAR "localhost,127.0.0.1,::1"
const char *const sa_netinside_env[SA_NETINSIDE_ENV + 1] = {
	"HTTP_PROXY=" PROXY, "HTTPS_PROXY=" PROXY, "ALL_PROXY=" PROXY,
	"NO_PROXY=" NEAR, "http_proxy=" PROXY, "https_proxy=" PROXY,
	"all_proxy=" PROXY, "no_proxy=" NEAR, "NODE_USE_ENV_PROXY=1", NULL
};

static int
listen_at(uint32_t address, uint16_t port, int type)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(address) };
	const int on = 1;
	cleanup_fd int fd =
	    socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    (type == SOCK_STREAM && listen(fd, BACKLOG) < 0))
		return -1;
	int ret = fd;
	fd = -1;
	return ret;
}

/* A program that asks for many names at once loses the questions that find no
 * room, and waits seconds before it asks again. EPERM: this kernel lets nobody
 * but the host's root exceed its default, and then twice that is what counts.
 */
static void
make_room(int fd)
{
	const int size = QUESTIONS;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size,
		    sizeof(size));
}

static int
hand_over(int line, enum sa_netinside_what what, uint32_t address,
    uint16_t port, int type)
{
	const struct sa_box_msg m = { .what = (int32_t)what };
	cleanup_fd int fd = listen_at(address, port, type);

	if (type == SOCK_DGRAM && fd >= 0)
		make_room(fd);
	return fd < 0 ? -1 : sa_box_send(line, &m, &fd, 1);
}

/* One listener for all that a program connects to, on any port. */
static int
redirect(int line)
{
	const struct sa_box_msg m = { .what = SA_NETINSIDE_TRANSPARENT };
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	cleanup_fd int fd = listen_at(INADDR_LOOPBACK, 0, SOCK_STREAM);

	if (fd < 0 || getsockname(fd, (struct sockaddr *)&a, &len) < 0 ||
	    sa_netlink_redirect(ntohs(a.sin_port)) < 0)
		return -1;
	return sa_box_send(line, &m, &fd, 1);
}

/* Where the kernel redirects nothing for us: the ports that the rules name, at
 * every address. The proxies lead to the others. */
static int
listen_on_ports(const struct sa_netrules *rules, int line)
{
	uint16_t ports[PORTS];
	size_t n = sa_netrules_ports(rules, ports, PORTS);

	for (size_t i = 0; i < n; i++)
		if (hand_over(line, SA_NETINSIDE_TRANSPARENT, INADDR_ANY,
			ports[i], SOCK_STREAM) < 0)
			return -1;
	return 0;
}

/* The more special ranges win: nobody comes to the private ones. */
static int
route_all(void)
{
	struct sa_netrange r;

	if (sa_netlink_route_local(0, 0) < 0)
		return -1;
	for (size_t i = 0; sa_netaddr_special_range(i, &r); i++)
		if (r.base != SA_NETNAMES_BASE &&
		    r.base >> 24 != IN_LOOPBACKNET &&
		    sa_netlink_route_none(r.base, r.bits) < 0)
			return -1;
	return 0;
}

static int
make_routes(const struct sa_netrules *rules)
{
	if (rules->open && route_all() < 0)
		return -1;
	for (size_t i = 0; i < rules->nranges; i++)
		if (rules->ranges[i].base >> 24 != IN_LOOPBACKNET &&
		    sa_netlink_route_local(rules->ranges[i].base,
			rules->ranges[i].bits) < 0)
			return -1;
	return sa_netlink_route_local(SA_NETNAMES_BASE, SA_NETNAMES_BITS);
}

static int
make_listeners(const struct sa_netrules *rules, int line)
{
	const uint32_t here = INADDR_LOOPBACK;

	if (hand_over(line, SA_NETINSIDE_PROXY, here, SA_NETINSIDE_HTTP,
		SOCK_STREAM) < 0 ||
	    hand_over(line, SA_NETINSIDE_SOCKS5, here, SA_NETINSIDE_SOCKS,
		SOCK_STREAM) < 0 ||
	    hand_over(line, SA_NETINSIDE_TCP, here, SA_NETINSIDE_DNS,
		SOCK_STREAM) < 0 ||
	    hand_over(line, SA_NETINSIDE_UDP, here, SA_NETINSIDE_DNS,
		SOCK_DGRAM) < 0)
		return -1;
	return redirect(line) == 0 ? 1 : listen_on_ports(rules, line);
}

int
sa_netinside_wait(int line, const char **step)
{
	struct sa_box_msg m;
	struct pollfd p = { line, POLLIN, 0 };

	*step = "a process that leads its connections";
	if (poll(&p, 1, WAIT_MS) <= 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	if (sa_box_recv(line, &m, NULL, 0) < 0)
		return -1;
	errno = m.value;
	return m.what == SA_BOX_READY ? 0 : -1;
}

int
sa_netinside(const struct sa_spec *spec, int line, const char **step)
{
	struct sa_netrules rules;

	sa_netrules_init(&rules, spec);
	*step = "routes of its own";
	int rc = make_routes(&rules);
	if (rc == 0) {
		*step = "listeners for a network with rules";
		rc = make_listeners(&rules, line);
	}
	const struct sa_box_msg all = { .what = SA_BOX_READY };
	if (rc >= 0 && sa_box_send(line, &all, NULL, 0) < 0)
		rc = -1;
	sa_netrules_free(&rules);
	return rc;
}
