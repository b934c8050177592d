/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"

#define ANSWER_S 5
#define NAT_PRIORITY -100 /* NF_IP_PRI_NAT_DST */
#define LOCAL_OUT 3

static void
add(struct sa_netlink *m, const void *p, size_t n)
{
	size_t padded = NLMSG_ALIGN(n);

	if (padded > sizeof(m->b) - m->len) {
		m->full = 1;
		return;
	}
	if (n > 0) /* p may be NULL */
		memcpy(m->b + m->len, p, n);
	memset(m->b + m->len + n, 0, padded - n);
	m->len += padded;
}

/* The present message's length is all behind its beginning. */
static void
set_length(struct sa_netlink *m)
{
	struct nlmsghdr head;

	memcpy(&head, m->b + m->message, sizeof(head));
	head.nlmsg_len = (uint32_t)(m->len - m->message);
	memcpy(m->b + m->message, &head, sizeof(head));
}

void
sa_netlink_begin(struct sa_netlink *m, int type, int flags, const void *fixed,
    size_t n)
{
	const struct nlmsghdr head = {
		.nlmsg_type = (uint16_t)type,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
		.nlmsg_seq = ++m->seq,
	};

	m->message = m->len;
	add(m, &head, sizeof(head));
	add(m, fixed, n);
	if (!m->full)
		set_length(m);
}

void
sa_netlink_put(struct sa_netlink *m, int type, const void *p, size_t n)
{
	const struct nlattr head = {
		.nla_type = (uint16_t)type,
		.nla_len = (uint16_t)(sizeof(head) + n),
	};

	add(m, &head, sizeof(head));
	add(m, p, n);
	if (!m->full)
		set_length(m);
}

void
sa_netlink_put_str(struct sa_netlink *m, int type, const char *s)
{
	sa_netlink_put(m, type, s, strlen(s) + 1);
}

void
sa_netlink_put_u32(struct sa_netlink *m, int type, uint32_t big_endian)
{
	sa_netlink_put(m, type, &big_endian, sizeof(big_endian));
}

size_t
sa_netlink_open(struct sa_netlink *m, int type)
{
	size_t at = m->len;

	sa_netlink_put(m, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void
sa_netlink_close(struct sa_netlink *m, size_t at)
{
	struct nlattr head;

	if (m->full)
		return;
	memcpy(&head, m->b + at, sizeof(head));
	head.nla_len = (uint16_t)(m->len - at);
	memcpy(m->b + at, &head, sizeof(head));
}

/* How many of the messages want an answer. */
static int
answers(const struct sa_netlink *m)
{
	struct nlmsghdr head;
	int n = 0;

	for (size_t at = 0; at < m->len; at += NLMSG_ALIGN(head.nlmsg_len)) {
		memcpy(&head, m->b + at, sizeof(head));
		n += (head.nlmsg_flags & NLM_F_ACK) != 0;
	}
	return n;
}

/* Reads one datagram of answers; how many, or -1 with errno of one. */
static int
read_answers(int fd)
{
	_Alignas(4) char b[8192];
	ssize_t got = recv(fd, b, sizeof(b), 0);
	int n = 0;

	if (got < 0)
		return -1;
	unsigned left = (unsigned)got;
	for (struct nlmsghdr *h = (void *)b; NLMSG_OK(h, left);
	     h = NLMSG_NEXT(h, left)) {
		struct nlmsgerr e;
		if (h->nlmsg_type != NLMSG_ERROR ||
		    h->nlmsg_len < NLMSG_LENGTH(sizeof(e.error)))
			continue;
		memcpy(&e.error, NLMSG_DATA(h), sizeof(e.error));
		if (e.error != 0) {
			errno = -e.error;
			return -1;
		}
		n++;
	}
	return n;
}

int
sa_netlink_send(struct sa_netlink *m, int protocol)
{
	const struct timeval patience = { .tv_sec = ANSWER_S };
	cleanup_fd int fd =
	    socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	int left = answers(m);

	if (m->full) {
		errno = EMSGSIZE;
		return -1;
	}
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		sizeof(patience)) < 0 ||
	    send(fd, m->b, m->len, 0) < 0)
		return -1;
	while (left > 0) {
		int n = read_answers(fd);
		if (n < 0)
			return -1;
		left -= n;
	}
	return 0;
}

static int
route(int type, uint32_t base, int bits)
{
	struct sa_netlink m = { .len = 0 };
	const struct rtmsg r = {
		.rtm_family = AF_INET,
		.rtm_dst_len = (uint8_t)bits,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope =
		    type == RTN_LOCAL ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE,
		.rtm_type = (uint8_t)type,
	};
	uint32_t lo = if_nametoindex("lo");

	sa_netlink_begin(&m, RTM_NEWROUTE,
	    NLM_F_CREATE | NLM_F_REPLACE | NLM_F_ACK, &r, sizeof(r));
	sa_netlink_put_u32(&m, RTA_DST, htonl(base));
	if (type == RTN_LOCAL)
		sa_netlink_put_u32(&m, RTA_OIF, lo);
	return sa_netlink_send(&m, NETLINK_ROUTE);
}

int
sa_netlink_route_local(uint32_t base, int bits)
{
	return route(RTN_LOCAL, base, bits);
}

int
sa_netlink_route_none(uint32_t base, int bits)
{
	return route(RTN_UNREACHABLE, base, bits);
}

/* The rules of the packet filter. */

#define TABLE "sa"
#define CHAIN "out"

static void
filter_message(struct sa_netlink *m, int type, int flags, uint16_t res)
{
	const struct nfgenmsg g = { .nfgen_family = NFPROTO_IPV4,
		.version = NFNETLINK_V0,
		.res_id = htons(res) };

	sa_netlink_begin(m, type, flags, &g, sizeof(g));
}

static void
table_message(struct sa_netlink *m, int type)
{
	filter_message(m, NFNL_SUBSYS_NFTABLES << 8 | type,
	    NLM_F_CREATE | NLM_F_ACK |
		(type == NFT_MSG_NEWRULE ? NLM_F_APPEND : 0),
	    0);
}

/* One expression of a rule; close twice, the second first. */
struct expr {
	size_t element, data;
};

static struct expr
expr_open(struct sa_netlink *m, const char *name)
{
	struct expr e = { .element = sa_netlink_open(m, NFTA_LIST_ELEM) };

	sa_netlink_put_str(m, NFTA_EXPR_NAME, name);
	e.data = sa_netlink_open(m, NFTA_EXPR_DATA);
	return e;
}

static void
expr_close(struct sa_netlink *m, struct expr e)
{
	sa_netlink_close(m, e.data);
	sa_netlink_close(m, e.element);
}

static void
put_value(struct sa_netlink *m, int type, const void *p, size_t n)
{
	size_t at = sa_netlink_open(m, type);

	sa_netlink_put(m, NFTA_DATA_VALUE, p, n);
	sa_netlink_close(m, at);
}

static void
compare(struct sa_netlink *m, enum nft_cmp_ops op, const void *p, size_t n)
{
	struct expr e = expr_open(m, "cmp");

	sa_netlink_put_u32(m, NFTA_CMP_SREG, htonl(NFT_REG_1));
	sa_netlink_put_u32(m, NFTA_CMP_OP, htonl(op));
	put_value(m, NFTA_CMP_DATA, p, n);
	expr_close(m, e);
}

/* Not to the first byte of an address, 16 bytes into the head of IPv4. */
static void
not_to(struct sa_netlink *m, uint8_t net)
{
	struct expr e = expr_open(m, "payload");

	sa_netlink_put_u32(m, NFTA_PAYLOAD_DREG, htonl(NFT_REG_1));
	sa_netlink_put_u32(m, NFTA_PAYLOAD_BASE,
	    htonl(NFT_PAYLOAD_NETWORK_HEADER));
	sa_netlink_put_u32(m, NFTA_PAYLOAD_OFFSET, htonl(16));
	sa_netlink_put_u32(m, NFTA_PAYLOAD_LEN, htonl(1));
	expr_close(m, e);
	compare(m, NFT_CMP_NEQ, &net, sizeof(net));
}

static void
only_tcp(struct sa_netlink *m)
{
	const uint8_t tcp = IPPROTO_TCP;
	struct expr e = expr_open(m, "meta");

	sa_netlink_put_u32(m, NFTA_META_DREG, htonl(NFT_REG_1));
	sa_netlink_put_u32(m, NFTA_META_KEY, htonl(NFT_META_L4PROTO));
	expr_close(m, e);
	compare(m, NFT_CMP_EQ, &tcp, sizeof(tcp));
}

static void
redirect_to(struct sa_netlink *m, uint16_t port)
{
	const uint16_t big_endian = htons(port);
	struct expr e = expr_open(m, "immediate");

	sa_netlink_put_u32(m, NFTA_IMMEDIATE_DREG, htonl(NFT_REG_1));
	put_value(m, NFTA_IMMEDIATE_DATA, &big_endian, sizeof(big_endian));
	expr_close(m, e);
	e = expr_open(m, "redir");
	sa_netlink_put_u32(m, NFTA_REDIR_REG_PROTO_MIN, htonl(NFT_REG_1));
	expr_close(m, e);
}

int
sa_netlink_redirect(uint16_t port)
{
	struct sa_netlink m = { .len = 0 };
	size_t at;

	filter_message(&m, NFNL_MSG_BATCH_BEGIN, 0, NFNL_SUBSYS_NFTABLES);
	table_message(&m, NFT_MSG_NEWTABLE);
	sa_netlink_put_str(&m, NFTA_TABLE_NAME, TABLE);
	table_message(&m, NFT_MSG_NEWCHAIN);
	sa_netlink_put_str(&m, NFTA_CHAIN_TABLE, TABLE);
	sa_netlink_put_str(&m, NFTA_CHAIN_NAME, CHAIN);
	at = sa_netlink_open(&m, NFTA_CHAIN_HOOK);
	sa_netlink_put_u32(&m, NFTA_HOOK_HOOKNUM, htonl(LOCAL_OUT));
	sa_netlink_put_u32(&m, NFTA_HOOK_PRIORITY,
	    htonl((uint32_t)NAT_PRIORITY));
	sa_netlink_close(&m, at);
	sa_netlink_put_str(&m, NFTA_CHAIN_TYPE, "nat");
	table_message(&m, NFT_MSG_NEWRULE);
	sa_netlink_put_str(&m, NFTA_RULE_TABLE, TABLE);
	sa_netlink_put_str(&m, NFTA_RULE_CHAIN, CHAIN);
	at = sa_netlink_open(&m, NFTA_RULE_EXPRESSIONS);
	only_tcp(&m);
	not_to(&m, IN_LOOPBACKNET);
	redirect_to(&m, port);
	sa_netlink_close(&m, at);
	filter_message(&m, NFNL_MSG_BATCH_END, 0, NFNL_SUBSYS_NFTABLES);
	return sa_netlink_send(&m, NETLINK_NETFILTER);
}
