/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/runguard.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/proc.h"
#include "guard/policy.h"
#include "spark/pin.h"

#define NAME "sa-runguard.py"

/* What the wrapper looks for, and what its findings are before a policy. */
static const struct {
	const char *rule;
	enum sa_verdict verdict;
} rules[] = {
	{ "sql-script", SA_VERDICT_REJECT },
	{ "sql-dynamic", SA_VERDICT_REJECT },
	{ "sql-insert-directory", SA_VERDICT_REJECT },
	{ "sql-transform-using", SA_VERDICT_REJECT },
	{ "sql-java-call", SA_VERDICT_REJECT },
	{ "sql-identifier-call", SA_VERDICT_REJECT },
	{ "sql-statement", SA_VERDICT_REJECT },
	{ "sql-insert-overwrite", SA_VERDICT_WARN },
	{ "sql-insert-replace", SA_VERDICT_WARN },
};
#define NRULES (sizeof(rules) / sizeof(rules[0]))

static bool
refuses(size_t i, const struct sa_guard_options *options)
{
	if (options->strict_insert && rules[i].verdict == SA_VERDICT_WARN)
		return true;
	return sa_policy_judge(options->policy, rules[i].rule, options->strict,
		   rules[i].verdict) > SA_VERDICT_WARN;
}

int
sa_runguard_pin(int dir, const struct sa_guard_options *options, json_t **out,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf text = SA_BUF_INIT(SA_GUARD_MAX);
	json_t *list = json_array();
	char sha256[SA_SHA256_SIZE];
	cleanup_free char *path = sa_proc_own(NAME, err);

	*out = json_object();
	json_object_set_new(*out, "rules", list);
	if (path == NULL ||
	    sa_io_read_file(AT_FDCWD, path, &text, path, err) < 0 ||
	    sa_io_create(dir, NAME, sa_buf_str(&text), text.len, SA_PIN_MODE,
		"the copy of the runtime guard", err) < 0)
		return -1;
	for (size_t i = 0; i < NRULES; i++)
		if (refuses(i, options))
			json_array_append_new(list, json_string(rules[i].rule));
	sa_hash_sha256(sa_buf_str(&text), text.len, sha256);
	sa_json_set_str(*out, "name", NAME);
	sa_json_set_str(*out, "path", path);
	sa_json_set_str(*out, "sha256", sha256);
	json_object_set_new(*out, "size", json_integer((json_int_t)text.len));
	return sa_io_fsync_dir(dir, "the copy of the runtime guard", err);
}

static bool
holds(const json_t *list, const char *rule)
{
	json_t *item;
	size_t i;

	json_array_foreach (list, i, item)
		if (json_is_string(item) &&
		    strcmp(json_string_value(item), rule) == 0)
			return true;
	return false;
}

int
sa_runguard_verify(const json_t *wrapper,
    const struct sa_guard_options *options, struct sa_err *err)
{
	const json_t *list = json_object_get(wrapper, "rules");

	for (size_t i = 0; i < NRULES; i++) {
		if (!refuses(i, options) || holds(list, rules[i].rule))
			continue;
		sa_err_set(err, SA_REFUSED,
		    "the policy refuses '%s' now, and the runtime guard of the "
		    "plan does not",
		    rules[i].rule);
		return sa_err_hint(err, "prepare the script again");
	}
	return 0;
}

char *
sa_runguard_rules(const json_t *wrapper)
{
	struct sa_buf b = SA_BUF_INIT(SA_BUF_NOMAX);
	json_t *item;
	size_t i;

	json_array_foreach (json_object_get(wrapper, "rules"), i, item)
		sa_buf_addf(&b, "%s%s", i > 0 ? "," : "",
		    json_is_string(item) ? json_string_value(item) : "");
	if (b.len == 0)
		sa_buf_adds(&b, "none");
	return sa_buf_steal(&b);
}
