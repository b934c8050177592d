/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netname.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_MAX 63

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Whether programs take a name's last label for a number, and the name for an
 * address. */
static bool
is_number(const char *label)
{
	if (label[0] == '0' && label[1] == 'x')
		return label[2 + strspn(label + 2, "0123456789abcdef")] == '\0';
	return label[strspn(label, "0123456789")] == '\0';
}

static bool
is_label(const char *s, size_t n)
{
	if (n == 0 || n > LABEL_MAX || s[0] == '-' || s[n - 1] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_letter_or_digit(s[i]) && s[i] != '-' && s[i] != '_')
			return false;
	return true;
}

enum sa_netname_kind
sa_netname_canonical(const char *s, size_t n, char out[SA_NETNAME])
{
	const char *label = out;

	*out = '\0';
	if (n > 0 && s[n - 1] == '.')
		n--;
	if (n == 0 || n >= SA_NETNAME)
		return SA_NETNAME_NONE;
	for (size_t i = 0; i < n; i++)
		out[i] = lower(s[i]);
	out[n] = '\0';
	for (;; label++) {
		size_t len = strcspn(label, ".");
		if (!is_label(label, len)) {
			*out = '\0';
			return SA_NETNAME_NONE;
		}
		if (label[len] == '\0')
			break;
		label += len;
	}
	/* strlen: a NUL in s would hide what is behind it */
	if (strlen(out) == n && !is_number(label))
		return SA_NETNAME_HOST;
	bool whole = strlen(out) == n;
	*out = '\0';
	return whole ? SA_NETNAME_ADDRESS : SA_NETNAME_NONE;
}

bool
sa_netname_match(const char *name, const char *base, bool below)
{
	size_t n = strlen(name), m = strlen(base);

	if (!below)
		return strcmp(name, base) == 0;
	return n > m + 1 && name[n - m - 1] == '.' &&
	    memcmp(name + n - m, base, m) == 0;
}

bool
sa_netaddr_parse(const char *s, size_t n, struct sa_netaddr *out)
{
	char text[INET6_ADDRSTRLEN];
	bool brackets = n > 2 && s[0] == '[' && s[n - 1] == ']';

	if (brackets) {
		s++;
		n -= 2;
	}
	if (n == 0 || n >= sizeof(text) || memchr(s, '\0', n) != NULL)
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	*out = (struct sa_netaddr){ .family = AF_INET };
	if (!brackets && inet_pton(AF_INET, text, out->b) == 1)
		return true;
	out->family = AF_INET6;
	return inet_pton(AF_INET6, text, out->b) == 1;
}

bool
sa_netaddr_of(const struct sockaddr *sa, struct sa_netaddr *out, uint16_t *port)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	*out = (struct sa_netaddr){ .family = sa->sa_family };
	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		memcpy(out->b, &v4.sin_addr, 4);
		*port = ntohs(v4.sin_port);
		return true;
	}
	if (sa->sa_family != AF_INET6)
		return false;
	memcpy(&v6, sa, sizeof(v6));
	memcpy(out->b, &v6.sin6_addr, 16);
	*port = ntohs(v6.sin6_port);
	return true;
}

socklen_t
sa_netaddr_socket(const struct sa_netaddr *a, uint16_t port,
    struct sockaddr_storage *out)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
		.sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
		.sin6_port = htons(port) };

	if (a->family == AF_INET) {
		memcpy(&v4.sin_addr, a->b, 4);
		memcpy(out, &v4, sizeof(v4));
		return sizeof(v4);
	}
	memcpy(&v6.sin6_addr, a->b, 16);
	memcpy(out, &v6, sizeof(v6));
	return sizeof(v6);
}

void
sa_netaddr_text(const struct sa_netaddr *a, char out[SA_NETADDR_TEXT])
{
	if (inet_ntop(a->family, a->b, out, SA_NETADDR_TEXT) == NULL)
		*out = '\0';
}

bool
sa_netrange_parse(const char *text, struct sa_netrange *out)
{
	const char *slash = strchr(text, '/');
	size_t n = slash != NULL ? (size_t)(slash - text) : strlen(text);
	const char *why = NULL;
	struct sa_netaddr a;

	if (!sa_netaddr_parse(text, n, &a) || a.family != AF_INET)
		return false;
	out->base = sa_netaddr_v4(&a);
	out->bits = slash != NULL ? (int)strtonum(slash + 1, 1, 32, &why) : 32;
	return why == NULL;
}

bool
sa_netrange_has(const struct sa_netrange *r, uint32_t address)
{
	return ((address ^ r->base) & (UINT32_MAX << (32 - r->bits))) == 0;
}

uint32_t
sa_netaddr_v4(const struct sa_netaddr *a)
{
	return (uint32_t)a->b[0] << 24 | (uint32_t)a->b[1] << 16 |
	    (uint32_t)a->b[2] << 8 | a->b[3];
}

/* IANA's registry of special addresses, and those at which clouds answer
 * whoever asks with credentials. */
static const struct {
	uint8_t b[4];
	int bits;
	const char *what;
} special[] = {
	{ { 169, 254, 169, 254 }, 32, "a metadata address" },
	{ { 100, 100, 100, 200 }, 32, "a metadata address" },
	{ { 168, 63, 129, 16 }, 32, "a metadata address" },
	{ { 192, 0, 0, 192 }, 32, "a metadata address" },
	{ { 0, 0, 0, 0 }, 8, "an address of this network" },
	{ { 10, 0, 0, 0 }, 8, "a private address" },
	{ { 100, 64, 0, 0 }, 10, "a private address" },
	{ { 127, 0, 0, 0 }, 8, "a loopback address" },
	{ { 169, 254, 0, 0 }, 16, "a link-local address" },
	{ { 172, 16, 0, 0 }, 12, "a private address" },
	{ { 192, 0, 0, 0 }, 24, "a reserved address" },
	{ { 192, 0, 2, 0 }, 24, "a reserved address" },
	{ { 192, 88, 99, 0 }, 24, "a reserved address" },
	{ { 192, 168, 0, 0 }, 16, "a private address" },
	{ { 198, 18, 0, 0 }, 15, "a reserved address" },
	{ { 198, 51, 100, 0 }, 24, "a reserved address" },
	{ { 203, 0, 113, 0 }, 24, "a reserved address" },
	{ { 224, 0, 0, 0 }, 3, "a multicast or reserved address" },
};
#define NSPECIAL (sizeof(special) / sizeof(*special))

bool
sa_netaddr_special_range(size_t i, struct sa_netrange *out)
{
	if (i >= NSPECIAL)
		return false;
	const uint8_t *b = special[i].b;
	*out = (struct sa_netrange){
		.base = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
		    (uint32_t)b[2] << 8 | b[3],
		.bits = special[i].bits,
	};
	return true;
}

static bool
excepted(uint32_t address, int bits, const struct sa_netrange *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ranges[i].bits >= bits &&
		    sa_netrange_has(&ranges[i], address))
			return true;
	return false;
}

static const char *
special_v4(uint32_t address, bool own, const struct sa_netrange *ranges,
    size_t n)
{
	struct sa_netrange r;

	if (own && !excepted(address, 32, ranges, n))
		return "an address of this machine";
	for (size_t i = 0; sa_netaddr_special_range(i, &r); i++)
		if (sa_netrange_has(&r, address) &&
		    !excepted(address, r.bits, ranges, n))
			return special[i].what;
	return NULL;
}

static bool
begins(const struct sa_netaddr *a, const uint8_t *prefix, int bits)
{
	int whole = bits / 8;

	if (memcmp(a->b, prefix, (size_t)whole) != 0)
		return false;
	return bits % 8 == 0 ||
	    (a->b[whole] ^ prefix[whole]) >> (8 - bits % 8) == 0;
}

/* Prefixes with an IPv4 address behind them. */
static const struct {
	uint8_t b[12];
	int bits;
} carriers[] = {
	{ { [10] = 0xff, [11] = 0xff }, 96 }, /* ::ffff:0:0/96 */
	{ { 0, 0x64, 0xff, 0x9b }, 96 },      /* 64:ff9b::/96 */
	{ { 0x20, 0x02 }, 16 },		      /* 2002::/16 */
};
/* What is neither for everybody nor carries what is; all else that is out of
 * 2000::/3 as well. */
static const struct {
	uint8_t b[4];
	int bits;
} reserved_v6[] = {
	{ { 0x20, 0x01, 0x00 }, 23 },
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32 },
	{ { 0x3f, 0xff, 0x00 }, 20 },
};

static const char *
special_v6(const struct sa_netaddr *a, bool own)
{
	static const uint8_t global = 0x20;

	if (own)
		return "an address of this machine";
	for (size_t i = 0; i < sizeof(carriers) / sizeof(*carriers); i++) {
		struct sa_netaddr in = { .family = AF_INET };
		if (!begins(a, carriers[i].b, carriers[i].bits))
			continue;
		memcpy(in.b, a->b + carriers[i].bits / 8, 4);
		return special_v4(sa_netaddr_v4(&in), sa_netaddr_own(&in), NULL,
		    0);
	}
	if (!begins(a, &global, 3))
		return "a private or reserved address";
	for (size_t i = 0; i < sizeof(reserved_v6) / sizeof(*reserved_v6); i++)
		if (begins(a, reserved_v6[i].b, reserved_v6[i].bits))
			return "a reserved address";
	return NULL;
}

const char *
sa_netaddr_special(const struct sa_netaddr *a, bool own,
    const struct sa_netrange *ranges, size_t n)
{
	if (a->family == AF_INET)
		return special_v4(sa_netaddr_v4(a), own, ranges, n);
	return special_v6(a, own);
}

bool
sa_netaddr_own(const struct sa_netaddr *a)
{
	struct ifaddrs *all = NULL;
	struct sa_netaddr one;
	bool own = false;
	uint16_t port;

	if (getifaddrs(&all) < 0)
		return true; /* cannot tell */
	for (const struct ifaddrs *i = all; i != NULL && !own; i = i->ifa_next)
		own = i->ifa_addr != NULL &&
		    sa_netaddr_of(i->ifa_addr, &one, &port) &&
		    one.family == a->family &&
		    memcmp(one.b, a->b, sizeof(one.b)) == 0;
	freeifaddrs(all);
	return own;
}
