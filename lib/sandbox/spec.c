/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/spec.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/netname.h"

#define LIST_MAX 1024
#define ENV_MAX (128 * 1024 - 1) /* what the kernel takes of one string */
#define OWNER_MAX 256
#define SIZE_MAX_BYTES (1LL << 60)

void
sa_spec_list_free(struct sa_spec_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct sa_spec_list){ .v = NULL };
}

void
sa_spec_free(struct sa_spec *spec)
{
	sa_spec_list_free(&spec->env);
	sa_spec_list_free(&spec->hosts);
	sa_spec_list_free(&spec->cidrs);
	sa_spec_list_free(&spec->ro);
	sa_spec_list_free(&spec->ro_from);
	free(spec->owner);
	free(spec->workdir);
	free(spec->root);
	*spec = (struct sa_spec){ .asked = 0 };
}

/* Takes text over. */
static void
list_add(struct sa_spec_list *list, char *text)
{
	list->v = sa_xrealloc(list->v, list->n + 1, sizeof(*list->v));
	list->v[list->n++] = text;
}

/* SA_INVALID: a field, its value and what is wrong with it. */
static int
bad(struct sa_err *err, const char *name, const char *value, const char *why)
{
	cleanup_free char *shown = sa_text_visible(value);

	return sa_err_set(err, SA_INVALID, "%s '%s' %s", name, shown, why);
}

int
sa_spec_number(const char *name, const char *text, double *out,
    struct sa_err *err)
{
	char *end;
	double d = strtod(text, &end);

	if (strspn(text, "0123456789.eE+-") != strlen(text) || end == text ||
	    *end != '\0' || !isfinite(d) || d <= 0)
		return bad(err, name, text,
		    "is no number above zero that has an end");
	*out = d;
	return 0;
}

int
sa_spec_size(const char *name, const char *text, long long *out,
    struct sa_err *err)
{
	static const char units[] = "KMGT";
	size_t n = strlen(text);
	cleanup_free char *digits = sa_xstrdup(text);
	double d = 0, factor = 1;
	const char *unit =
	    n > 0 ? strchr(units, toupper((unsigned char)text[n - 1])) : NULL;

	if (unit != NULL) {
		digits[n - 1] = '\0';
		factor = (double)(1LL << 10 * (unit - units + 1));
	}
	if (sa_spec_number(name, digits, &d, NULL) < 0 || d * factor < 1 ||
	    d * factor > (double)SIZE_MAX_BYTES)
		return bad(err, name, text,
		    "is no size, as 4096, 64M or 1.5G is one");
	*out = (long long)(d * factor);
	return 0;
}

/* The fields, as parsers of one text each. */

bool
sa_spec_is_env(const char *text)
{
	size_t n = strcspn(text, "=");

	return n > 0 && text[n] == '=' && !isdigit((unsigned char)*text) &&
	    strspn(text,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
		"0123456789") == n;
}

/* The value may be a secret, and is not told. */
static int
take_env(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	size_t n = strcspn(text, "=");

	if (!sa_spec_is_env(text)) {
		cleanup_free char *begin = sa_xstrndup(text, n);
		return bad(err, name, begin,
		    "is not of the form NAME=VALUE, NAME of letters, digits "
		    "and underscores");
	}
	if (strlen(text) > ENV_MAX)
		return sa_err_set(err, SA_INVALID,
		    "%s '%.*s' is over the limit of %d bytes", name, (int)n,
		    text, ENV_MAX);
	for (size_t i = 0; i < s->env.n; i++)
		if (strncmp(s->env.v[i], text, n + 1) == 0) {
			free(s->env.v[i]);
			s->env.v[i] = sa_xstrdup(text);
			return 0;
		}
	list_add(&s->env, sa_xstrdup(text));
	return 0;
}

static int
take_host(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	cleanup_free char *host = sa_xstrdup(text);
	char *port = strrchr(host, ':');
	const char *why = NULL;
	long long number = 0;

	if (port != NULL) {
		*port++ = '\0';
		number = isdigit((unsigned char)*port)
		    ? strtonum(port, 1, 65535, &why)
		    : 0;
		if (why != NULL || number == 0)
			return bad(err, name, text,
			    "has a port that is not 1 to 65535");
	}
	bool below = strncmp(host, "*.", 2) == 0;
	const char *base = below ? host + 2 : host;
	char canonical[SA_NETNAME];
	enum sa_netname_kind kind =
	    sa_netname_canonical(base, strlen(base), canonical);
	if (kind != SA_NETNAME_HOST)
		return bad(err, name, text,
		    kind == SA_NETNAME_ADDRESS
			? "is an address; addresses are allowed with "
			  "--allow-cidr"
			: "is no host name");
	cleanup_free char *end =
	    number > 0 ? sa_xasprintf(":%lld", number) : sa_xstrdup("");
	list_add(&s->hosts,
	    sa_xasprintf("%s%s%s", below ? "*." : "", canonical, end));
	return 0;
}

static int
take_cidr(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	cleanup_free char *address = sa_xstrdup(text);
	char *slash = strchr(address, '/');
	const char *why = NULL;
	struct in_addr in;
	long long bits = 32;

	if (slash != NULL) {
		*slash++ = '\0';
		bits = isdigit((unsigned char)*slash)
		    ? strtonum(slash, 1, 32, &why)
		    : 0;
	}
	if (inet_pton(AF_INET, address, &in) != 1 || why != NULL || bits == 0)
		return bad(err, name, text,
		    "is no range of IPv4 addresses, as 10.1.0.0/16 is one, or "
		    "it is all of them");
	uint32_t host = ntohl(in.s_addr);
	if (bits < 32 && (host & (UINT32_MAX >> bits)) != 0)
		return bad(err, name, text,
		    "has bits of a host behind its prefix");
	list_add(&s->cidrs, sa_xasprintf("%s/%lld", address, bits));
	return 0;
}

static int
take_owner(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(text);

	if (*text == '\0' || strlen(text) > OWNER_MAX ||
	    strcmp(text, "None") == 0 || strcmp(shown, text) != 0)
		return bad(err, name, text,
		    "names nobody: 1 to 256 bytes without control characters "
		    "are an owner, and not 'None'");
	free(s->owner);
	s->owner = sa_xstrdup(text);
	return 0;
}

static int
take_cpus(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	double d = 0;

	if (sa_spec_number(name, text, &d, err) < 0)
		return -1;
	if (d < 0.01 || d > 4096)
		return bad(err, name, text, "is not between 0.01 and 4096");
	s->millicpus = (long long)(d * 1000 + 0.5);
	return 0;
}

static int
take_pids(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	const char *why;

	s->pids = strtonum(text, 1, 4194304, &why);
	return why == NULL
	    ? 0
	    : bad(err, name, text, "is no number from 1 to 4194304");
}

static int
take_expires(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	s->expires_s = sa_clock_duration(text);
	return s->expires_s > 0
	    ? 0
	    : bad(err, name, text,
		  "is no time of 1s to 10 years, as 90s, 15m or 24h is one");
}

static int
take_memory(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	return sa_spec_size(name, text, &s->memory, err);
}

static int
take_disk(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	return sa_spec_size(name, text, &s->disk, err);
}

/* An absolute path in its simplest form; caller frees, NULL with err set. */
static char *
take_path(const char *name, const char *text, struct sa_err *err)
{
	if (*text != '/') {
		bad(err, name, text, "is no absolute path");
		return NULL;
	}
	return sa_path_absolute(text);
}

static int
take_workdir(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	free(s->workdir);
	s->workdir = take_path(name, text, err);
	return s->workdir != NULL ? 0 : -1;
}

static int
take_ro(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	char *path = take_path(name, text, err);

	if (path == NULL)
		return -1;
	list_add(&s->ro, path);
	return 0;
}

static int
take_root(const char *name, const char *text, struct sa_spec *s,
    struct sa_err *err)
{
	free(s->root);
	s->root = take_path(name, text, err);
	return s->root != NULL ? 0 : -1;
}

static const struct field {
	enum sa_spec_field field;
	const char *member, *option;
	bool list;
	int (*take)(const char *name, const char *text, struct sa_spec *s,
	    struct sa_err *err);
} fields[] = {
	{ SA_SPEC_ENV, "env", "--env", true, take_env },
	{ SA_SPEC_OPEN_NETWORK, "open_network", "--open-network", false, NULL },
	{ SA_SPEC_EGRESS_HOSTS, "allow_egress", "--allow-egress", true,
	    take_host },
	{ SA_SPEC_EGRESS_CIDRS, "allow_cidr", "--allow-cidr", true, take_cidr },
	{ SA_SPEC_OWNER, "owner", "--owner", false, take_owner },
	{ SA_SPEC_MEMORY, "memory", "--memory", false, take_memory },
	{ SA_SPEC_CPUS, "cpus", "--cpus", false, take_cpus },
	{ SA_SPEC_PIDS, "pids", "--pids", false, take_pids },
	{ SA_SPEC_DISK, "disk", "--disk", false, take_disk },
	{ SA_SPEC_EXPIRES, "expires", "--expires", false, take_expires },
	{ SA_SPEC_WORKDIR, "workdir", "--workdir", false, take_workdir },
	{ SA_SPEC_RO, "ro", "--ro", true, take_ro },
	{ SA_SPEC_ROOT, "root", "--root", false, take_root },
};
#define NFIELDS (sizeof(fields) / sizeof(*fields))

const char *
sa_spec_option(enum sa_spec_field field)
{
	for (size_t i = 0; i < NFIELDS; i++)
		if (fields[i].field == field)
			return fields[i].option;
	return "";
}

static int
take_scalar(const struct field *f, const json_t *value, struct sa_spec *s,
    struct sa_err *err)
{
	cleanup_free char *text = sa_json_scalar(value);

	if (f->take == NULL) {
		if (!json_is_boolean(value))
			return sa_err_set(err, SA_INVALID,
			    "%s must be true or false", f->member);
		s->open_network = json_is_true(value);
		if (!s->open_network) /* what there is anyway */
			s->asked &= ~(unsigned)f->field;
		return 0;
	}
	if (text == NULL || json_is_boolean(value))
		return sa_err_set(err, SA_INVALID,
		    "%s must be a text or a number", f->member);
	return f->take(f->member, text, s, err);
}

/* env may be an object as well; its values are texts and nothing else. */
static int
take_object(const struct field *f, json_t *value, struct sa_spec *s,
    struct sa_err *err)
{
	const char *key;
	json_t *item;

	json_object_foreach (value, key, item) {
		if (!json_is_string(item))
			return sa_err_set(err, SA_INVALID,
			    "%s '%s' must be a text", f->member, key);
		cleanup_free char *pair =
		    sa_xasprintf("%s=%s", key, json_string_value(item));
		if (f->take(f->member, pair, s, err) < 0)
			return -1;
	}
	return 0;
}

static int
take_field(const struct field *f, json_t *value, struct sa_spec *s,
    struct sa_err *err)
{
	json_t *item;
	size_t i;

	s->asked |= f->field;
	if (!f->list)
		return take_scalar(f, value, s, err);
	if (json_is_array(value) && json_array_size(value) == 0)
		s->asked &= ~(unsigned)f->field; /* what there is anyway */
	if (json_object_size(value) > LIST_MAX ||
	    json_array_size(value) > LIST_MAX)
		return sa_err_set(err, SA_INVALID,
		    "%s has more than %d entries", f->member, LIST_MAX);
	if (json_is_object(value) && f->field == SA_SPEC_ENV)
		return take_object(f, value, s, err);
	if (!json_is_array(value))
		return sa_err_set(err, SA_INVALID, "%s must be a list",
		    f->member);
	json_array_foreach (value, i, item) {
		if (!json_is_string(item))
			return sa_err_set(err, SA_INVALID,
			    "%s must be a list of texts", f->member);
		if (f->take(f->member, json_string_value(item), s, err) < 0)
			return -1;
	}
	return 0;
}

static int
parse(const json_t *j, struct sa_spec *s, struct sa_err *err)
{
	for (size_t i = 0; i < NFIELDS; i++) {
		json_t *value = json_object_get(j, fields[i].member);
		if (value != NULL && !json_is_null(value) &&
		    take_field(&fields[i], value, s, err) < 0)
			return -1;
	}
	if (s->open_network && (s->hosts.n > 0 || s->cidrs.n > 0))
		return sa_err_set(err, SA_INVALID,
		    "open_network and %s exclude each other: the network is "
		    "open, or it is closed but for what is listed",
		    s->hosts.n > 0 ? "allow_egress" : "allow_cidr");
	return 0;
}

int
sa_spec_parse(const json_t *j, struct sa_spec *out, struct sa_err *err)
{
	*out = (struct sa_spec){ .asked = 0 };
	if (!json_is_object(j))
		return sa_err_set(err, SA_INVALID, "the spec is no object");
	if (parse(j, out, err) == 0)
		return 0;
	sa_spec_free(out);
	return -1;
}

static void
set_list(json_t *j, const char *member, const struct sa_spec_list *list,
    bool names_only)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++) {
		size_t n =
		    names_only ? strcspn(list->v[i], "=") : strlen(list->v[i]);
		cleanup_free char *text = sa_text_utf8(list->v[i], n);
		json_array_append_new(array, json_string(text));
	}
	json_object_set_new(j, member, array);
}

static void
set_number(json_t *j, const char *member, bool asked, long long number)
{
	json_object_set_new(j, member,
	    asked ? json_integer(number) : json_null());
}

json_t *
sa_spec_record(const struct sa_spec *s)
{
	json_t *j = json_object();
	cleanup_free char *cpus = sa_xasprintf("%lld.%03lld",
	    s->millicpus / 1000, s->millicpus % 1000);

	set_list(j, "env", &s->env, true);
	json_object_set_new(j, "open_network", json_boolean(s->open_network));
	set_list(j, "allow_egress", &s->hosts, false);
	set_list(j, "allow_cidr", &s->cidrs, false);
	sa_json_set_str(j, "owner", s->owner);
	set_number(j, "memory", s->asked & SA_SPEC_MEMORY, s->memory);
	sa_json_set_str(j, "cpus", s->asked & SA_SPEC_CPUS ? cpus : NULL);
	set_number(j, "pids", s->asked & SA_SPEC_PIDS, s->pids);
	set_number(j, "disk", s->asked & SA_SPEC_DISK, s->disk);
	set_number(j, "expires", s->asked & SA_SPEC_EXPIRES, s->expires_s);
	sa_json_set_str(j, "workdir", s->workdir);
	set_list(j, "ro", &s->ro, false);
	sa_json_set_str(j, "root", s->root);
	return j;
}

bool
sa_spec_shows(const struct sa_spec *s, const char *path)
{
	for (size_t i = 0; i < s->ro.n; i++)
		if (strcmp(s->ro.v[i], path) == 0 ||
		    sa_path_below(s->ro.v[i], path) != NULL)
			return true;
	return false;
}

int
sa_spec_enforceable(const struct sa_spec *spec, unsigned can,
    const char *backend, const char *hint, struct sa_err *err)
{
	for (size_t i = 0; i < NFIELDS; i++) {
		if (!(spec->asked & fields[i].field & ~can))
			continue;
		sa_err_set(err, SA_REFUSED,
		    "the backend '%s' cannot enforce %s here", backend,
		    fields[i].option);
		return hint != NULL ? sa_err_hint(err, "%s", hint) : -1;
	}
	return 0;
}

static void
add_listed(struct sa_buf *b, const struct sa_spec_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		sa_buf_addf(b, "%s%s", i > 0 ? ", " : "", list->v[i]);
}

char *
sa_spec_network_words(const struct sa_spec *s)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	if (s->open_network)
		sa_buf_adds(&b,
		    "Programs in this sandbox can reach all public names and "
		    "addresses, over TCP only; private networks and this "
		    "machine are refused, UDP and ICMP are not carried.");
	else if (s->hosts.n == 0 && s->cidrs.n == 0)
		sa_buf_adds(&b,
		    "Programs in this sandbox have no network at all: no "
		    "names are resolved and nothing can be downloaded or "
		    "installed from elsewhere. Use what is there.");
	else {
		sa_buf_adds(&b, "Programs in this sandbox can reach only ");
		add_listed(&b, &s->hosts);
		if (s->hosts.n > 0)
			sa_buf_adds(&b,
			    " (by name over TCP, on ports 80 and 443 or the "
			    "one that is given)");
		if (s->hosts.n > 0 && s->cidrs.n > 0)
			sa_buf_adds(&b, " and ");
		if (s->cidrs.n > 0)
			sa_buf_adds(&b, "the addresses ");
		add_listed(&b, &s->cidrs);
		sa_buf_adds(&b, ". Everything else fails.");
	}
	return sa_buf_steal(&b);
}
