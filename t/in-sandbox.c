/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * in-sandbox SPEC SECONDS COMMAND [ARG...]: runs it in a sandbox of this host,
 * made for it by the JSON object SPEC and destroyed afterwards, with our
 * standard input and output. Exits as it did, with 124 after a time-out, and
 * with 125 where it did not come to run; a limit that ended it is named on
 * stderr. A member "once" of SPEC makes it one for a single command.
 * in-sandbox --gc: what the backend's gc removes, as JSON.
 */
#include "config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/local.h"

static int
fail(const struct sa_err *err)
{
	fprintf(stderr, "in-sandbox: %s\n", err->msg);
	if (*err->hint != '\0')
		fprintf(stderr, "in-sandbox: %s\n", err->hint);
	return 125;
}

static int
run(struct sa_box *box, char *argv[], struct sa_err *err)
{
	const struct sa_run run = {
		.argv = (const char *const *)(argv + 3),
		.timeout_s = atof(argv[2]),
		.max_output = 4096,
		.in = STDIN_FILENO,
		.out = STDOUT_FILENO,
		.errout = STDERR_FILENO,
	};
	struct sa_run_result r;

	sa_run_result_init(&r, run.max_output);
	int rc = sa_backend_local.run(box, &run, &r, err);
	if (rc == 0 && *r.why != '\0')
		fprintf(stderr, "in-sandbox: ended by its limit: %s\n", r.why);
	sa_run_result_free(&r);
	if (rc < 0)
		return fail(err);
	return r.timed_out ? 124 : r.exit_code;
}

static int
collect(const struct sa_settings *s, struct sa_err *err)
{
	json_auto_t *items = json_array();

	if (sa_backend_local.gc(s, false, items, err) < 0)
		return fail(err);
	return json_dumpf(items, stdout, JSON_COMPACT) < 0;
}

static int
run_once(const struct sa_settings *s, char *argv[], struct sa_err *err)
{
	struct sa_box *box = NULL;
	struct sa_spec spec;
	char name[SA_BOX_NAME];
	json_auto_t *j = json_loads(argv[1], 0, NULL);

	if (sa_spec_parse(j, &spec, err) < 0)
		return fail(err);
	spec.once = json_is_true(json_object_get(j, "once"));
	sa_box_new_name(name);
	int rc = sa_backend_local.create(s, name, &spec, &box, err);
	sa_spec_free(&spec);
	if (rc < 0)
		return fail(err);
	rc = run(box, argv, err);
	if (sa_backend_local.destroy(box, err) < 0)
		rc = fail(err);
	sa_backend_local.close(box);
	return rc;
}

int
main(int argc, char *argv[])
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	int rc = 64;

	if (s == NULL)
		return fail(&err);
	if (argc == 2 && strcmp(argv[1], "--gc") == 0)
		rc = collect(s, &err);
	else if (argc >= 4)
		rc = run_once(s, argv, &err);
	sa_settings_free(s);
	return rc;
}
