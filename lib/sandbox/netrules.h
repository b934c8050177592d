/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETRULES_H
#define SA_NETRULES_H

#include "base/err.h"
#include "sandbox/netname.h"
#include "sandbox/spec.h"

/*
 * What a sandbox may reach, as its spec says: TCP alone, to names on their
 * ports (80 and 443 unless one is given) and to ranges of addresses, or to all
 * that is public. A name says nothing of where it leads: its addresses are
 * judged as well. Port 25 is nobody's.
 */
struct sa_netrules {
	bool open;
	struct sa_netrule {
		const char *name;
		char *text; /* owned */
		bool below;
		uint16_t port; /* 0: 80 and 443 */
	} * hosts;
	struct sa_netrange *ranges;
	size_t nhosts, nranges;
};

/* Whether the spec asks for any network. */
bool sa_netrules_any(const struct sa_spec *spec);

/* SA_REFUSED names what of the spec cannot be had here. */
int sa_netrules_check(const struct sa_spec *spec, struct sa_err *err);

void sa_netrules_init(struct sa_netrules *r, const struct sa_spec *spec);
void sa_netrules_free(struct sa_netrules *r);

/* Whether a canonical name may be known at all, and on this port; NULL or why
 * not (static). */
bool sa_netrules_knows(const struct sa_netrules *r, const char *name);
const char *sa_netrules_host(const struct sa_netrules *r, const char *name,
    uint16_t port);

/* NULL, or why this address must not be dialled: as one that was given
 * itself, or that a name which is allowed led to. */
const char *sa_netrules_address(const struct sa_netrules *r,
    const struct sa_netaddr *a, uint16_t port);
const char *sa_netrules_led_to(const struct sa_netrules *r,
    const struct sa_netaddr *a);

/* The ports on which names are listened for: those of the rules, 80 and 443;
 * how many of at most max. */
size_t sa_netrules_ports(const struct sa_netrules *r, uint16_t *out,
    size_t max);

#endif
