/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A request as a sandbox's programs may send it. The first byte says where it
 * is cut in two. */
#include "config.h"

#include "sandbox/nethttp.h"

#define FUZZ_NAME "fuzz-nethttp"
#include "fuzz.h"

#define HOST "name.example"

/* What is passed on says the same to who reads it again. */
static void
rewrite(const struct sa_nethttp *r)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_NETHTTP_HEAD);
	struct sa_nethttp again;

	if (sa_nethttp_rewrite(r, HOST, &b) < 0)
		return;
	require(sa_nethttp_parse(b.s, b.len, &again) == SA_NETHTTP_FINE,
	    "a head that nobody can read");
	require(again.head == b.len, "a head with something behind it");
	require(!again.absolute && !again.connect, "a head for a proxy");
	require(again.host.n == strlen(HOST) &&
		memcmp(again.host.p, HOST, again.host.n) == 0 &&
		again.port == r->port,
	    "a head for another host");
	require(again.chunked == r->chunked && again.length == r->length,
	    "a head for another body");
}

static void
body(const struct sa_nethttp *r, const char *p, size_t n, size_t cut)
{
	struct sa_nethttp_body whole, parts;

	if (cut > n)
		cut = n;
	sa_nethttp_body_init(&whole, r);
	sa_nethttp_body_init(&parts, r);
	size_t all = sa_nethttp_body(&whole, p, n);
	size_t some = sa_nethttp_body(&parts, p, cut);
	require(all <= n && some <= cut, "a body longer than what came");
	if (some == cut)
		some += sa_nethttp_body(&parts, p + cut, n - cut);
	require(all == some && whole.done == parts.done &&
		whole.bad == parts.bad && whole.left == parts.left,
	    "it depends on how the bytes came");
	require(all == n || whole.done || whole.bad,
	    "a body that is not read to its end");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sa_nethttp r, part;

	if (size == 0)
		return 0;
	const char *text = (const char *)data + 1;
	size_t n = size - 1, cut = n * data[0] / 256;
	enum sa_nethttp_result all = sa_nethttp_parse(text, n, &r);
	enum sa_nethttp_result early = sa_nethttp_parse(text, cut, &part);
	require(all != SA_NETHTTP_BAD || r.why != NULL,
	    "a refusal without why");
	require(early == SA_NETHTTP_MORE || early == all,
	    "what follows a head changes it");
	if (all != SA_NETHTTP_FINE)
		return 0;
	require(r.head <= n && r.host.n > 0 && r.port > 0 && r.length >= 0 &&
		!(r.chunked && r.length > 0),
	    "a request that is not whole");
	if (!r.connect)
		rewrite(&r);
	body(&r, text + r.head, n - r.head, cut);
	return 0;
}
