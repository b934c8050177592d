/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define REPLACED                                                     \
	"the sandbox was made anew, and the files of earlier calls " \
	"are gone"

/* What a setting gives is one text, or a list with a separator. */
static const struct {
	enum sa_setting id;
	const char *member;
	char separator; /* 0: no list */
} policy[] = {
	{ SA_SET_SANDBOX_EGRESS, "allow_egress", ',' },
	{ SA_SET_SANDBOX_CIDR, "allow_cidr", ',' },
	{ SA_SET_SANDBOX_MEMORY, "memory", 0 },
	{ SA_SET_SANDBOX_CPUS, "cpus", 0 },
	{ SA_SET_SANDBOX_PIDS, "pids", 0 },
	{ SA_SET_SANDBOX_DISK, "disk", 0 },
	{ SA_SET_SANDBOX_EXPIRES, "expires", 0 },
	{ SA_SET_SANDBOX_RO, "ro", ':' },
	{ SA_SET_SANDBOX_ROOT, "root", 0 },
};

static json_t *
value_of(const char *text, char separator)
{
	const char ends[] = { separator, '\0' };
	json_t *list = json_array();

	if (separator == 0) {
		json_decref(list);
		return json_string(text);
	}
	for (size_t n; *text != '\0'; text += n + (text[n] != '\0')) {
		text += strspn(text, " \t");
		n = strcspn(text, ends);
		size_t len = n;
		while (len > 0 && strchr(" \t", text[len - 1]) != NULL)
			len--;
		if (len > 0)
			json_array_append_new(list, json_stringn(text, len));
	}
	return list;
}

void
sandbox_policy(const struct sa_cli *cli, json_t *spec)
{
	const struct sa_settings *s = sa_cli_settings(cli);

	for (size_t i = 0; i < sizeof(policy) / sizeof(*policy); i++) {
		const char *text = sa_settings_get(s, policy[i].id);
		if (*text != '\0' &&
		    json_object_get(spec, policy[i].member) == NULL)
			json_object_set_new(spec, policy[i].member,
			    value_of(text, policy[i].separator));
	}
	if (sa_settings_number(s, SA_SET_SANDBOX_NETWORK) != 0 &&
	    json_object_get(spec, "open_network") == NULL)
		json_object_set_new(spec, "open_network", json_true());
}

/* The one that the operator gives models. */
static int
attached(const struct sa_cli *cli, const char *name, struct sandbox *out,
    struct sa_err *err)
{
	const char *holder =
	    sa_settings_get(sa_cli_settings(cli), SA_SET_SANDBOX_HOLDER);

	if (sandbox_open(cli, name, *holder != '\0' ? holder : NULL, out,
		err) == 0)
		return 0;
	return sa_err_agent_hint(err,
	    "the sandbox is the operator's: tell the user");
}

int
sandbox_of_session(const struct sa_cli *cli, struct sandbox *out,
    struct sa_err *err)
{
	const struct sa_settings *settings = sa_cli_settings(cli);
	const char *which = sa_settings_get(settings, SA_SET_MCP_SANDBOX);
	const char *token = sa_settings_get(settings, SA_SET_SESSION);
	struct sandbox s = SANDBOX_NONE;
	struct sa_spec spec;

	if (sa_box_is_name(which))
		return attached(cli, which, out, err);
	if (strcmp(which, "on") != 0 || *token == '\0') {
		sa_err_set(err, SA_REFUSED,
		    "there is no session that a sandbox could be of");
		return sa_err_hint(err,
		    "sa-mcp sets one where mcp_sandbox is on; name a sandbox "
		    "in place of --session");
	}
	s.b = sa_backends()[0];
	if (s.b == NULL)
		return sa_err_set(err, SA_CONFIG,
		    "there is no backend for sandboxes in this build");
	if (sandbox_spec(cli, &spec, err) < 0)
		return -1;
	if (spec.owner == NULL) { /* as lists show it */
		spec.owner = sa_xasprintf("session %s", token);
		spec.asked |= SA_SPEC_OWNER;
	}
	int rc = sa_session_enter(settings, s.b, token, &spec, &s.session, err);
	sa_spec_free(&spec);
	if (rc < 0 && sa_kind_info(err->kind)->retryable)
		return -1;
	if (rc < 0)
		return sa_err_agent_hint(err,
		    "no sandbox can be made: tell the user, who can ask the "
		    "operator");
	s.box = s.session.box;
	s.name = sa_xstrdup(s.session.name);
	cleanup_tags struct sa_box_tags tags = { .owner = NULL };
	if (s.b->read_tags(s.box, &tags, NULL) == 0)
		s.expires_at = tags.expires_at;
	*out = s;
	return 0;
}

void
sandbox_note(struct sandbox *s)
{
	if (!s->session.replaced)
		return;
	printf("[%s]\n", REPLACED);
	sa_session_told(&s->session);
}

int
sandbox_failed(struct sandbox *s, struct sa_err *err)
{
	if (!s->session.replaced)
		return -1;
	sa_session_told(&s->session);
	cleanup_free char *hint =
	    sa_xstrdup(*err->agent_hint != '\0' ? err->agent_hint : err->hint);
	sa_err_hint(err, "%s%s%s", REPLACED, *hint != '\0' ? "; " : "", hint);
	return -1;
}
