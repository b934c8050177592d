/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/format.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "guard/rules.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const char *
text_of(const json_t *o, const char *key)
{
	const char *s = sa_json_str(o, key);

	return s != NULL ? s : "";
}

static bool
is_warning(const json_t *finding)
{
	return strcmp(text_of(finding, "severity"), "warn") == 0;
}

/* The path as a reader in the working directory writes it; "" for none. */
static char *
path_from_here(const json_t *report)
{
	const char *path = text_of(report, "path");

	if (*path == '/') {
		cleanup_free char *here = sa_path_absolute(".");
		cleanup_free char *whole = sa_path_absolute(path);
		const char *below = sa_path_below(here, whole);
		return sa_xstrdup(
		    below != NULL && *below != '\0' ? below : whole);
	}
	while (path[0] == '.' && path[1] == '/')
		for (path += 2; *path == '/';)
			path++;
	return sa_xstrdup(path);
}

/* What a finding says in one text: the message, the statement where it is not
 * to be seen at the place, and the hint. */
static char *
message_of(const json_t *finding)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_free char *message =
	    sa_text_visible(text_of(finding, "message"));
	cleanup_free char *statement =
	    sa_text_visible(text_of(finding, "statement"));
	const char *hint = text_of(finding, "hint");

	sa_buf_adds(&b, message);
	if (*statement != '\0')
		sa_buf_addf(&b, "\ntext: %s", statement);
	if (*hint != '\0' && !is_warning(finding))
		sa_buf_addf(&b, "\nhint: %s", hint);
	return sa_buf_steal(&b);
}

/* A workflow command ends at a line break, and its properties at ',' and
 * ':'. */
static void
add_command_text(struct sa_buf *b, const char *s, bool property)
{
	for (; *s != '\0'; s++)
		if (strchr("%\r\n", *s) != NULL ||
		    (property && strchr(":,", *s) != NULL))
			sa_buf_addf(b, "%%%02X", (unsigned char)*s);
		else
			sa_buf_addch(b, *s);
}

char *
sa_format_github(const json_t *report)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_free char *path = path_from_here(report);
	json_t *f;
	size_t i;

	json_array_foreach (json_object_get(report, "findings"), i, f) {
		cleanup_free char *message = message_of(f);
		sa_buf_addf(&b, "::%s ", is_warning(f) ? "warning" : "error");
		if (*path != '\0') {
			sa_buf_adds(&b, "file=");
			add_command_text(&b, path, true);
			sa_buf_addch(&b, ',');
		}
		sa_buf_addf(&b, "line=%lld,col=%lld,title=",
		    (long long)sa_json_int(f, "line", 1),
		    (long long)sa_json_int(f, "column", 1));
		add_command_text(&b, text_of(f, "rule"), true);
		sa_buf_adds(&b, "::");
		add_command_text(&b, message, false);
		sa_buf_addch(&b, '\n');
	}
	return sa_buf_steal(&b);
}

static json_t *
text_object(const char *text)
{
	json_t *o = json_object();

	sa_json_set_str(o, "text", text);
	return o;
}

static json_t *
rule_descriptors(void)
{
	json_t *rules = json_array();

	for (const struct sa_rule *r = NULL; (r = sa_rule_next(r)) != NULL;)
		json_array_append_new(rules,
		    json_pack("{s:s, s:o, s:o, s:o, s:{s:s}}", "id", r->id,
			"shortDescription", text_object(r->message),
			"fullDescription", text_object(r->why), "help",
			text_object(r->hint), "defaultConfiguration", "level",
			r->person <= SA_VERDICT_WARN ? "warning" : "error"));
	return rules;
}

/* An object as text without the brace that ends it. */
static char *
open_object(const json_t *o)
{
	char *text = sa_json_text(o);

	text[strlen(text) - 1] = '\0';
	return text;
}

char *
sa_format_sarif_begin(void)
{
	json_auto_t *run = json_pack("{s:{s:{s:s, s:s, s:o}}, s:s}", "tool",
	    "driver", "name", "sa-sqlguard", "version", PACKAGE_VERSION,
	    "rules", rule_descriptors(), "columnKind", "unicodeCodePoints");
	cleanup_free char *text = open_object(run);

	return sa_xasprintf("{\"$schema\":\"%s\",\"version\":\"2.1.0\","
			    "\"runs\":[%s,\"results\":[",
	    SCHEMA, text);
}

/* The path as a reference: relative, or file: for what is elsewhere. */
static char *
uri_of(const char *path)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	    "0123456789-._~/";
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);

	if (*path == '/')
		sa_buf_adds(&b, "file://");
	for (; *path != '\0'; path++)
		if (strchr(plain, *path) != NULL)
			sa_buf_addch(&b, *path);
		else
			sa_buf_addf(&b, "%%%02X", (unsigned char)*path);
	return sa_buf_steal(&b);
}

static json_t *
sarif_result(const json_t *finding, const char *uri)
{
	const struct sa_rule *rule = sa_rule_find(text_of(finding, "rule"));
	cleanup_free char *message = message_of(finding);
	json_t *locations = json_array(), *o;

	/* a statement by itself lies in no file */
	if (*uri != '\0')
		json_array_append_new(locations,
		    json_pack("{s:{s:{s:s}, s:{s:I, s:I}}}", "physicalLocation",
			"artifactLocation", "uri", uri, "region", "startLine",
			sa_json_int(finding, "line", 1), "startColumn",
			sa_json_int(finding, "column", 1)));
	o = json_pack("{s:s, s:s, s:o, s:o}", "ruleId",
	    text_of(finding, "rule"), "level",
	    is_warning(finding) ? "warning" : "error", "message",
	    text_object(message), "locations", locations);
	if (rule != NULL)
		json_object_set_new(o, "ruleIndex",
		    json_integer((json_int_t)sa_rule_index(rule)));
	return o;
}

char *
sa_format_sarif(const json_t *report)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	cleanup_free char *path = path_from_here(report);
	cleanup_free char *uri = uri_of(path);
	json_t *f;
	size_t i;

	json_array_foreach (json_object_get(report, "findings"), i, f) {
		json_auto_t *result = sarif_result(f, uri);
		cleanup_free char *text = sa_json_text(result);
		sa_buf_addf(&b, "%s%s", i > 0 ? "," : "", text);
	}
	return sa_buf_steal(&b);
}

json_t *
sa_format_sarif_note(const struct sa_err *err)
{
	return json_pack("{s:s, s:o}", "level", "error", "message",
	    text_object(err->msg));
}

char *
sa_format_sarif_end(const json_t *notes, int code)
{
	bool failed = json_array_size(notes) > 0;
	json_auto_t *invocation = json_pack("{s:b, s:i}", "executionSuccessful",
	    !failed, "exitCode", code);

	if (failed)
		json_object_set_new(invocation, "toolExecutionNotifications",
		    json_deep_copy(notes));
	cleanup_free char *text = sa_json_text(invocation);
	return sa_xasprintf("],\"invocations\":[%s]}]}\n", text);
}
