/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/netrules.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MAIL 25
#define HTTP 80
#define HTTPS 443

/* Where names have their addresses inside; see box.h. */
static const struct sa_netrange ours = { .base = 198U << 24 | 18U << 16,
	.bits = 15 };

bool
sa_netrules_any(const struct sa_spec *spec)
{
	return spec->open_network || spec->hosts.n > 0 || spec->cidrs.n > 0;
}

static struct sa_netrule
rule_of(const char *text)
{
	struct sa_netrule r = { .text = sa_xstrdup(text) };
	char *colon = strchr(r.text, ':');

	if (colon != NULL) {
		*colon = '\0';
		r.port = (uint16_t)strtonum(colon + 1, 1, 65535, NULL);
	}
	r.below = strncmp(r.text, "*.", 2) == 0;
	r.name = r.below ? r.text + 2 : r.text;
	return r;
}

int
sa_netrules_check(const struct sa_spec *spec, struct sa_err *err)
{
	struct sa_netrange range;

	for (size_t i = 0; i < spec->hosts.n; i++) {
		struct sa_netrule r = rule_of(spec->hosts.v[i]);
		free(r.text);
		if (r.port == MAIL)
			return sa_err_set(err, SA_REFUSED,
			    "no sandbox reaches port %d, as '%s' asks", MAIL,
			    spec->hosts.v[i]);
	}
	for (size_t i = 0; i < spec->cidrs.n; i++) {
		if (!sa_netrange_parse(spec->cidrs.v[i], &range))
			return sa_err_set(err, SA_INVALID,
			    "'%s' is no range of addresses", spec->cidrs.v[i]);
		if (range.bits < ours.bits ? sa_netrange_has(&range, ours.base)
					   : sa_netrange_has(&ours, range.base))
			return sa_err_set(err, SA_REFUSED,
			    "a sandbox cannot reach '%s': names have their "
			    "addresses in 198.18.0.0/15 inside",
			    spec->cidrs.v[i]);
	}
	return 0;
}

void
sa_netrules_init(struct sa_netrules *r, const struct sa_spec *spec)
{
	*r = (struct sa_netrules){ .open = spec->open_network };
	r->hosts = sa_xcalloc(spec->hosts.n + 1, sizeof(*r->hosts));
	r->ranges = sa_xcalloc(spec->cidrs.n + 1, sizeof(*r->ranges));
	for (size_t i = 0; i < spec->hosts.n; i++)
		r->hosts[r->nhosts++] = rule_of(spec->hosts.v[i]);
	for (size_t i = 0; i < spec->cidrs.n; i++)
		if (sa_netrange_parse(spec->cidrs.v[i], &r->ranges[r->nranges]))
			r->nranges++;
}

void
sa_netrules_free(struct sa_netrules *r)
{
	for (size_t i = 0; i < r->nhosts; i++)
		free(r->hosts[i].text);
	free(r->hosts);
	free(r->ranges);
	*r = (struct sa_netrules){ .open = false };
}

bool
sa_netrules_knows(const struct sa_netrules *r, const char *name)
{
	if (r->open)
		return true;
	for (size_t i = 0; i < r->nhosts; i++)
		if (sa_netname_match(name, r->hosts[i].name, r->hosts[i].below))
			return true;
	return false;
}

const char *
sa_netrules_host(const struct sa_netrules *r, const char *name, uint16_t port)
{
	bool known = false;

	if (port == 0 || port == MAIL)
		return "no sandbox reaches this port";
	if (r->open)
		return NULL;
	for (size_t i = 0; i < r->nhosts; i++) {
		const struct sa_netrule *h = &r->hosts[i];
		if (!sa_netname_match(name, h->name, h->below))
			continue;
		known = true;
		if (h->port == port ||
		    (h->port == 0 && (port == HTTP || port == HTTPS)))
			return NULL;
	}
	return known ? "this port of the host is not allowed"
		     : "the host is not allowed";
}

const char *
sa_netrules_led_to(const struct sa_netrules *r, const struct sa_netaddr *a)
{
	return sa_netaddr_special(a, sa_netaddr_own(a), r->ranges, r->nranges);
}

const char *
sa_netrules_address(const struct sa_netrules *r, const struct sa_netaddr *a,
    uint16_t port)
{
	bool listed = r->open;

	if (port == 0 || port == MAIL)
		return "no sandbox reaches this port";
	for (size_t i = 0; a->family == AF_INET && i < r->nranges; i++)
		listed |= sa_netrange_has(&r->ranges[i], sa_netaddr_v4(a));
	if (!listed)
		return "the address is not allowed";
	return sa_netrules_led_to(r, a);
}

static bool
has_port(const uint16_t *ports, size_t n, uint16_t port)
{
	for (size_t i = 0; i < n; i++)
		if (ports[i] == port)
			return true;
	return false;
}

size_t
sa_netrules_ports(const struct sa_netrules *r, uint16_t *out, size_t max)
{
	size_t n = 0;

	out[n++] = HTTP;
	out[n++] = HTTPS;
	for (size_t i = 0; i < r->nhosts && n < max; i++)
		if (r->hosts[i].port != 0 &&
		    !has_port(out, n, r->hosts[i].port))
			out[n++] = r->hosts[i].port;
	return n;
}
