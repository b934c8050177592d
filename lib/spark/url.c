/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/host.h"
#include "base/mask.h"
#include "base/text.h"

#define HOST_MAX 253

static size_t
ipv6(const char *s)
{
	struct in6_addr addr;
	size_t n = strcspn(s, "]");

	if (s[n] != ']' || n < 3 || n > INET6_ADDRSTRLEN)
		return 0;
	cleanup_free char *text = sa_xstrndup(s + 1, n - 1);
	return inet_pton(AF_INET6, text, &addr) == 1 ? n + 1 : 0;
}

size_t
sa_url_host(const char *s)
{
	size_t n = 0;

	if (*s == '[')
		return ipv6(s);
	if (!isalnum((unsigned char)*s))
		return 0;
	while (isalnum((unsigned char)s[n]) ||
	    (s[n] != '\0' && strchr("._-", s[n]) != NULL))
		n++;
	return n <= HOST_MAX ? n : 0;
}

size_t
sa_url_port(const char *s)
{
	size_t n = 1;
	long port = 0;

	if (*s != ':')
		return 0;
	for (; n < 7 && isdigit((unsigned char)s[n]); n++)
		port = port * 10 + (s[n] - '0');
	return n > 1 && port >= 1 && port <= 65535 ? n : 0;
}

static bool
path_char(char c)
{
	return isalnum((unsigned char)c) ||
	    (c != '\0' && strchr("/._~%+=:@-", c) != NULL);
}

/* What is wrong with one URL, or NULL. */
static const char *
rm_fault(const char *url)
{
	const char *s = url;

	if (strncasecmp(s, "http://", 7) == 0)
		s += 7;
	else if (strncasecmp(s, "https://", 8) == 0)
		s += 8;
	else
		return "does not begin with http:// or https://";
	if (memchr(s, '@', strcspn(s, "/")) != NULL)
		return "carries a login, which belongs in auth_file";
	size_t n = sa_url_host(s);
	if (n == 0)
		return "has no valid host";
	cleanup_free char *host = sa_xstrndup(s, n);
	if (sa_host_forbidden(host))
		return "points at a link-local or metadata address";
	s += n;
	if (*s == ':') {
		n = sa_url_port(s);
		if (n == 0)
			return "has no valid port (1 to 65535)";
		s += n;
	}
	if (*s != '\0' && *s != '/')
		return "has something other than a path behind the host";
	while (path_char(*s))
		s++;
	return *s == '\0' ? NULL
			  : "has a query, a fragment or a character "
			    "that no path has";
}

int
sa_url_check_rm(const char *urls, struct sa_err *err)
{
	const char *s = urls;

	for (;;) {
		size_t n = strcspn(s, ",");
		cleanup_free char *url = sa_xstrndup(s, n);
		const char *fault = rm_fault(url);
		if (fault != NULL) {
			cleanup_free char *masked = sa_mask_text(url, n);
			cleanup_free char *shown = sa_text_visible(masked);
			sa_err_set(err, SA_INVALID, "yarn_rm_url '%s' %s",
			    shown, fault);
			return sa_err_hint(err,
			    "give http(s)://HOST[:PORT], several with commas");
		}
		if (s[n] == '\0')
			return 0;
		s += n + 1;
	}
}
