/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/yarnsite.h"

#include <ctype.h>
#include <expat.h>
#include <fcntl.h>
#include <jansson.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "spark/url.h"

#define FILE_MAX (4 << 20)
#define VALUE_MAX (64 << 10)
#define SUBSTITUTIONS 20 /* as many as Hadoop makes */
#define NOWHERE "0.0.0.0"

/* <configuration>, <property>, <name>: how deep they stand. */
enum { AT_ROOT = 1, AT_PROPERTY = 2, AT_FIELD = 3 };
enum field { NAME, VALUE, FINAL, FIELDS, NONE = FIELDS };
static const char *const field_names[FIELDS] = { "name", "value", "final" };

struct reader {
	XML_Parser parser;
	json_t *props;	/* name: value, of all files so far */
	json_t *finals; /* name: true, of those that nothing later changes */
	int depth;
	bool property;
	enum field field;
	struct sa_buf text[FIELDS];
	const char *fault; /* why the file is refused, NULL: it is not */
};

static void
refuse(struct reader *r, const char *why)
{
	if (r->fault == NULL)
		r->fault = why;
	XML_StopParser(r->parser, XML_FALSE);
}

static void
add_text(struct reader *r, enum field field, const char *s, size_t n)
{
	if (sa_buf_add(&r->text[field], s, n) < 0)
		refuse(r, "has a property that is too long");
}

static enum field
field_of(const char *name)
{
	for (enum field f = NAME; f < FIELDS; f++)
		if (strcmp(name, field_names[f]) == 0)
			return f;
	return NONE;
}

/* "include", with or without a prefix. */
static bool
includes(const char *element)
{
	const char *colon = strrchr(element, ':');

	return strcmp(colon != NULL ? colon + 1 : element, "include") == 0;
}

static void
begin_property(struct reader *r, const XML_Char **attributes)
{
	r->property = true;
	for (enum field f = NAME; f < FIELDS; f++)
		sa_buf_cut(&r->text[f], 0);
	for (; *attributes != NULL; attributes += 2) {
		enum field f = field_of(attributes[0]);
		if (f != NONE)
			add_text(r, f, attributes[1], strlen(attributes[1]));
	}
}

static void
on_start(void *arg, const XML_Char *element, const XML_Char **attributes)
{
	struct reader *r = arg;

	r->depth++;
	r->field = NONE;
	if (includes(element))
		refuse(r, "includes another file");
	else if (r->depth == AT_ROOT && strcmp(element, "configuration") != 0)
		refuse(r, "is no Hadoop configuration");
	else if (r->depth == AT_PROPERTY && strcmp(element, "property") == 0)
		begin_property(r, attributes);
	else if (r->depth == AT_FIELD && r->property)
		r->field = field_of(element);
}

static void
on_text(void *arg, const XML_Char *s, int n)
{
	struct reader *r = arg;

	if (r->depth == AT_FIELD && r->field != NONE)
		add_text(r, r->field, s, (size_t)n);
}

/* Without white space around it; caller frees. */
static char *
trimmed(const char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n > 0 && isspace((unsigned char)s[n - 1]))
		n--;
	return sa_xstrndup(s, n);
}

static void
end_property(struct reader *r)
{
	cleanup_free char *name = trimmed(sa_buf_str(&r->text[NAME]));
	cleanup_free char *final = trimmed(sa_buf_str(&r->text[FINAL]));

	r->property = false;
	if (*name == '\0' || json_object_get(r->finals, name) != NULL)
		return;
	sa_json_set_str(r->props, name, sa_buf_str(&r->text[VALUE]));
	if (strcasecmp(final, "true") == 0)
		json_object_set_new(r->finals, name, json_true());
}

static void
on_end(void *arg, const XML_Char *element)
{
	struct reader *r = arg;

	(void)element;
	if (r->depth == AT_PROPERTY && r->property)
		end_property(r);
	r->depth--;
	r->field = NONE;
}

/* Entities come from nowhere else. */
static void
on_doctype(void *arg, const XML_Char *name, const XML_Char *system,
    const XML_Char *public, int internal)
{
	(void)name, (void)system, (void)public, (void)internal;
	refuse(arg, "has a document type, and so perhaps entities");
}

static int
parse(struct reader *r, const struct sa_buf *text, const char *name,
    struct sa_err *err)
{
	int rc = 0;

	r->parser = XML_ParserCreate(NULL);
	if (r->parser == NULL)
		return sa_err_set(err, SA_INTERNAL, "expat does not start");
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, on_start, on_end);
	XML_SetCharacterDataHandler(r->parser, on_text);
	XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
	r->depth = 0;
	r->property = false;
	r->field = NONE;
	if (XML_Parse(r->parser, sa_buf_str(text), (int)text->len, 1) !=
	    XML_STATUS_OK)
		rc = sa_err_set(err, SA_CONFIG, "%s:%lu: %s", name,
		    (unsigned long)XML_GetCurrentLineNumber(r->parser),
		    r->fault != NULL
			? r->fault
			: XML_ErrorString(XML_GetErrorCode(r->parser)));
	XML_ParserFree(r->parser);
	return rc;
}

/* ---- values ---- */

/* What ${name} means; NULL: nothing, it stays as it is. Caller frees. */
static char *
meaning(const json_t *props, const char *name)
{
	const char *value = NULL;

	if (strncmp(name, "env.", 4) == 0) {
		size_t n = strcspn(name + 4, ":-");
		cleanup_free char *var = sa_xstrndup(name + 4, n);
		const char *other = name + 4 + n; /* "-x", ":-x" */
		value = getenv(var);
		if (*other == ':' && value != NULL && *value == '\0')
			value = NULL;
		other += *other == ':';
		if (value == NULL && *other == '-')
			value = other + 1;
	} else if (strcmp(name, "user.name") == 0) {
		const struct passwd *pw = getpwuid(geteuid());
		value = pw != NULL ? pw->pw_name : NULL;
	} else {
		value = sa_json_str(props, name);
	}
	return value != NULL ? trimmed(value) : NULL;
}

/* The first "${...}" with no other within it; NULL where there is none. */
static char *
innermost(char *s)
{
	char *open = NULL;

	for (char *p = s; *p != '\0'; p++)
		if (p[0] == '$' && p[1] == '{')
			open = p;
		else if (*p == '}' && open != NULL)
			return open;
	return NULL;
}

static char *
substitute(const json_t *props, const char *value)
{
	char *text = trimmed(value);
	size_t skip = 0; /* what is before has only what means nothing */

	for (int i = 0; i < SUBSTITUTIONS; i++) {
		char *open = innermost(text + skip);
		if (open == NULL)
			break;
		size_t n = strcspn(open, "}");
		cleanup_free char *name = sa_xstrndup(open + 2, n - 2);
		cleanup_free char *means = meaning(props, name);
		if (means == NULL) {
			skip = (size_t)(open - text) + n + 1;
			continue;
		}
		if (strlen(text) + strlen(means) > VALUE_MAX)
			break;
		char *more = sa_xasprintf("%.*s%s%s", (int)(open - text), text,
		    means, open + n + 1);
		free(text);
		text = more;
		skip = 0;
	}
	return text;
}

/* The value of a property, or of its variant for one ResourceManager, NULL
 * where it is not set or empty; caller frees. */
static char *
get(const json_t *props, const char *name, const char *id)
{
	cleanup_free char *full =
	    id != NULL ? sa_xasprintf("%s.%s", name, id) : sa_xstrdup(name);
	const char *value = sa_json_str(props, full);

	if (value == NULL)
		return NULL;
	char *out = substitute(props, value);
	if (*out != '\0')
		return out;
	free(out);
	return NULL;
}

static bool
is_true(const json_t *props, const char *name)
{
	cleanup_free char *value = get(props, name, NULL);

	return value != NULL && strcasecmp(value, "true") == 0;
}

static bool
https_only(const json_t *props)
{
	cleanup_free char *policy = get(props, "yarn.http.policy", NULL);

	return policy != NULL && strcasecmp(policy, "HTTPS_ONLY") == 0;
}

/* A host that servers bind to is none that can be asked: that of the service
 * is, and where it has none either it is on this machine. */
static char *
reachable(const char *address, const char *host, int port)
{
	size_t n = strcspn(address, ":");
	const char *name = address[n] == ':' ? address + n : "";
	bool anywhere =
	    n == strlen(NOWHERE) && strncmp(address, NOWHERE, n) == 0;

	if (*address == '[') {
		n = strlen(address);
		name = strrchr(address, ':');
		if (name == NULL || name < strrchr(address, ']'))
			name = "";
		n -= strlen(name);
	}
	cleanup_free char *given = sa_xstrndup(address, n);
	const char *use = !anywhere			 ? given
	    : host != NULL && strcmp(host, NOWHERE) != 0 ? host
							 : "localhost";
	return *name != '\0' ? sa_xasprintf("%s%s", use, name)
			     : sa_xasprintf("%s:%d", use, port);
}

/* http(s)://HOST:PORT of a web service by its properties: PREFIX.hostname,
 * PREFIX.webapp.address, PREFIX.webapp.https.address. */
static char *
service(const json_t *props, const char *prefix, const char *id, int http_port,
    int https_port)
{
	bool https = https_only(props);
	cleanup_free char *host_name = sa_xasprintf("%s.hostname", prefix);
	cleanup_free char *address_name =
	    sa_xasprintf("%s.webapp.%saddress", prefix, https ? "https." : "");
	cleanup_free char *host = get(props, host_name, id);
	cleanup_free char *address = get(props, address_name, id);
	cleanup_free char *where = reachable(address != NULL ? address
		: host != NULL				     ? host
							     : NOWHERE,
	    host, https ? https_port : http_port);

	return sa_xasprintf("%s://%s", https ? "https" : "http", where);
}

static int
add_rm(const json_t *props, const char *id, struct sa_buf *urls,
    struct sa_err *err)
{
	struct sa_err why = SA_ERR_INIT;
	cleanup_free char *url =
	    service(props, "yarn.resourcemanager", id, 8088, 8090);

	if (strchr(url, ',') != NULL || sa_url_check_rm(url, &why) < 0) {
		cleanup_free char *shown = sa_text_visible(url);
		return sa_err_set(err, SA_CONFIG,
		    "yarn-site.xml says that the ResourceManager%s%s is at "
		    "'%.200s'",
		    id != NULL ? " " : "", id != NULL ? id : "", shown);
	}
	if (sa_buf_addf(urls, "%s%s", urls->len > 0 ? "," : "", url) < 0)
		return sa_err_set(err, SA_CONFIG,
		    "yarn-site.xml has too many ResourceManagers");
	return 0;
}

static int
find_rms(const json_t *props, struct sa_yarnsite *out, struct sa_err *err)
{
	cleanup_buf struct sa_buf urls = SA_BUF_INIT(8192);
	cleanup_buf struct sa_buf ids = SA_BUF_INIT(8192);
	cleanup_free char *list =
	    get(props, "yarn.resourcemanager.ha.rm-ids", NULL);

	if (!is_true(props, "yarn.resourcemanager.ha.enabled") ||
	    list == NULL) {
		if (add_rm(props, NULL, &urls, err) < 0)
			return -1;
		out->rm_urls = sa_buf_steal(&urls);
		return 0;
	}
	for (const char *s = list; *s != '\0';) {
		size_t n = strcspn(s, ",");
		cleanup_free char *part = sa_xstrndup(s, n);
		cleanup_free char *id = trimmed(part);
		s += n + (s[n] == ',');
		if (*id == '\0')
			continue;
		if (add_rm(props, id, &urls, err) < 0)
			return -1;
		sa_buf_addf(&ids, "%s%s", ids.len > 0 ? "," : "", id);
	}
	if (urls.len == 0)
		return sa_err_set(err, SA_CONFIG,
		    "yarn-site.xml names no "
		    "ResourceManager in yarn.resourcemanager.ha.rm-ids");
	out->rm_urls = sa_buf_steal(&urls);
	out->rm_ids = sa_buf_steal(&ids);
	return 0;
}

static int
interpret(const json_t *props, struct sa_yarnsite *out, struct sa_err *err)
{
	cleanup_free char *auth =
	    get(props, "hadoop.security.authentication", NULL);

	if (find_rms(props, out, err) < 0)
		return -1;
	out->log_server = get(props, "yarn.log.server.url", NULL);
	out->log_service = get(props, "yarn.log.server.web-service.url", NULL);
	if (is_true(props, "yarn.timeline-service.enabled"))
		out->timeline =
		    service(props, "yarn.timeline-service", NULL, 8188, 8190);
	out->aggregation = is_true(props, "yarn.log-aggregation-enable");
	out->secure = auth != NULL && strcasecmp(auth, "kerberos") == 0;
	return 0;
}

int
sa_yarnsite_parse(const struct sa_buf *core, const struct sa_buf *site,
    struct sa_yarnsite *out, struct sa_err *err)
{
	struct reader r = { .props = json_object(), .finals = json_object() };
	int rc = 0;

	for (enum field f = NAME; f < FIELDS; f++)
		sa_buf_init(&r.text[f], VALUE_MAX);
	*out = (struct sa_yarnsite)SA_YARNSITE_INIT;
	sa_json_set_str(r.props, "yarn.resourcemanager.hostname", NOWHERE);
	sa_json_set_str(r.props, "yarn.timeline-service.hostname", NOWHERE);
	if (core != NULL)
		rc = parse(&r, core, "core-site.xml", err);
	if (rc == 0)
		rc = parse(&r, site, "yarn-site.xml", err);
	if (rc == 0)
		rc = interpret(r.props, out, err);
	for (enum field f = NAME; f < FIELDS; f++)
		sa_buf_release(&r.text[f]);
	json_decref(r.props);
	json_decref(r.finals);
	return rc;
}

/* 1: read, 0: there is none. */
static int
read_file(const char *dir, const char *base, struct sa_buf *b,
    struct sa_err *err)
{
	cleanup_free char *path = sa_path_join(dir, base);
	struct sa_err why = SA_ERR_INIT;

	if (sa_io_read_file(AT_FDCWD, path, b, base, &why) == 0)
		return 1;
	if (why.kind == SA_NOT_FOUND)
		return 0;
	return sa_err_set(err, SA_CONFIG, "%s", why.msg);
}

int
sa_yarnsite_read(const char *dir, struct sa_yarnsite *out, struct sa_err *err)
{
	cleanup_buf struct sa_buf core = SA_BUF_INIT(FILE_MAX);
	cleanup_buf struct sa_buf site = SA_BUF_INIT(FILE_MAX);
	cleanup_free char *shown = sa_text_visible(dir);
	int has_core = read_file(dir, "core-site.xml", &core, err);
	int has_site = read_file(dir, "yarn-site.xml", &site, err);
	int rc = -1;

	*out = (struct sa_yarnsite)SA_YARNSITE_INIT;
	if (has_site == 0)
		sa_err_set(err, SA_CONFIG, "there is no yarn-site.xml");
	else if (has_core >= 0 && has_site > 0)
		rc = sa_yarnsite_parse(has_core > 0 ? &core : NULL, &site, out,
		    err);
	if (rc < 0) {
		sa_yarnsite_release(out);
		sa_err_prefix(err, "'%s'", shown);
	}
	return rc;
}

void
sa_yarnsite_release(struct sa_yarnsite *s)
{
	free(s->rm_urls);
	free(s->rm_ids);
	free(s->log_server);
	free(s->log_service);
	free(s->timeline);
	*s = (struct sa_yarnsite)SA_YARNSITE_INIT;
}
