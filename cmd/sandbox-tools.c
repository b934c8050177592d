/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* See lib/mcp/builtin.c. */
static const unsigned char catalog[] = {
#include "lib/sandbox/tools.inc"
};

#define NETWORK "{network}"

/* The spec of the sandbox that models get. */
static int
spec_of_models(const struct sa_cli *cli, struct sa_spec *out,
    struct sa_err *err)
{
	const char *which =
	    sa_settings_get(sa_cli_settings(cli), SA_SET_MCP_SANDBOX);
	cleanup_sandbox struct sandbox s = SANDBOX_NONE;
	const struct sa_backend *b = sa_backends()[0];

	if (!sa_box_is_name(which)) {
		if (b == NULL)
			return sa_err_set(err, SA_CONFIG,
			    "there is no backend for sandboxes in this build");
		if (sandbox_spec(cli, out, err) < 0)
			return -1;
		int rc = sa_spec_enforceable(out, b->enforces, b->name,
		    "'sa-sandbox check' tells what holds on this host", err);
		if (rc < 0)
			sa_spec_free(out);
		return rc;
	}
	if (sandbox_find(cli, which, &s, err) < 0)
		return -1;
	json_auto_t *record = s.b->record(s.box, err);
	return record == NULL
	    ? -1
	    : sa_spec_parse(json_object_get(record, "spec"), out, err);
}

/* What is said of the network stands where the catalogue has a hole. */
static void
fill_in(json_t *tool, const struct sa_spec *spec)
{
	const char *text = sa_json_str(tool, "description");
	const char *hole = strstr(text, NETWORK);

	if (hole == NULL)
		return;
	cleanup_free char *words = sa_spec_network_words(spec);
	cleanup_free char *whole = sa_xasprintf("%.*s%s%s", (int)(hole - text),
	    text, words, hole + strlen(NETWORK));
	sa_json_set_str(tool, "description", whole);
	json_object_set_new(json_object_get(tool, "annotations"),
	    "openWorldHint",
	    json_boolean(
		spec->open_network || spec->hosts.n > 0 || spec->cidrs.n > 0));
}

int
sandbox_tools(struct sa_cli *cli, struct sa_err *err)
{
	json_auto_t *root = NULL;
	struct sa_spec spec;
	json_t *tool;
	size_t i;

	if (sa_json_parse((const char *)catalog, sizeof(catalog),
		"the catalogue", &root, err) < 0 ||
	    spec_of_models(cli, &spec, err) < 0)
		return -1;
	json_array_foreach (json_object_get(root, "tools"), i, tool)
		fill_in(tool, &spec);
	sa_spec_free(&spec);
	return sa_cli_answer(cli, root, NULL);
}
