/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/pending.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/jsonscan.h"
#include "base/mask.h"
#include "base/text.h"

/* A PENDING past its time, or without one, reads as EXPIRED; nothing has to
 * write that. */
bool
sa_pending_expire(json_t *record)
{
	const char *status = sa_json_str(record, "status");
	time_t end;

	if (status == NULL || strcmp(status, "PENDING") != 0 ||
	    (sa_clock_parse(sa_json_str(record, "expires_at"), &end) &&
		time(NULL) < end))
		return false;
	sa_json_set_str(record, "status", "EXPIRED");
	return true;
}

bool
sa_pending_is_plain(const char *text, size_t len)
{
	struct sa_json_member m[] = { { "v", NULL, 0 }, { "type", NULL, 0 },
		{ "status", NULL, 0 }, { "expires_at", NULL, 0 },
		{ "secret", NULL, 0 } };
	char at[SA_TIME_SIZE];
	time_t end;

	if (!sa_json_scan(text, len, m, sizeof(m) / sizeof(*m)) ||
	    !sa_json_member_is(&m[0], "1") ||
	    !sa_json_member_is(&m[1], "\"pending\"") || m[2].value == NULL ||
	    (m[4].value != NULL && !sa_json_member_is(&m[4], "false")))
		return false;
	if (!sa_json_member_is(&m[2], "\"PENDING\""))
		return true;
	if (m[3].value == NULL || m[3].len != SA_TIME_SIZE + 1)
		return false;
	memcpy(at, m[3].value + 1, SA_TIME_SIZE - 1);
	at[SA_TIME_SIZE - 1] = '\0';
	return sa_clock_parse(at, &end) && time(NULL) < end;
}

static int
unknown(struct sa_err *err)
{
	sa_err_hint(err, "sa-prepare list shows those that there are");
	return sa_err_agent_hint(err,
	    "list_pending_submissions shows those that there are");
}

/* An id of another form is no path either. */
static int
check_id(const char *id, struct sa_err *err)
{
	if (sa_clock_is_id("p", id))
		return 0;
	cleanup_free char *shown = sa_text_visible(id);
	sa_err_set(err, SA_NOT_FOUND, "unknown pending_id: '%s'", shown);
	return unknown(err);
}

int
sa_pending_read(const struct sa_store *st, const char *id, json_t **out,
    struct sa_err *err)
{
	json_auto_t *record = NULL;

	if (check_id(id, err) < 0)
		return -1;
	cleanup_free char *rel = sa_xasprintf("pending/%s/record.json", id);
	cleanup_free char *what = sa_xasprintf("pending_id: '%s'", id);
	if (sa_record_read(st, rel, "pending", false, what, &record, err) < 0)
		return err != NULL && err->kind == SA_NOT_FOUND ? unknown(err)
								: -1;
	const char *own = sa_json_str(record, "pending_id");
	if (own == NULL || strcmp(own, id) != 0 ||
	    sa_json_str(record, "status") == NULL ||
	    sa_json_str(record, "plan_sha256") == NULL ||
	    sa_json_obj(record, "plan") == NULL)
		return sa_err_set(err, SA_INVALID,
		    "'%s/%s' is no complete record of pending '%s'",
		    sa_store_path(st), rel, id);
	sa_pending_expire(record);
	*out = sa_steal(&record);
	return 0;
}

int
sa_pending_lock(const struct sa_store *st, const char *id, int *lock,
    json_t **out, struct sa_err *err)
{
	cleanup_fd int fd = -1;
	json_auto_t *first = NULL;

	/* the unknown are told before a lock file would be made for them */
	if (sa_pending_read(st, id, &first, err) < 0)
		return -1;
	cleanup_free char *rel = sa_xasprintf("pending/%s/lock", id);
	cleanup_free char *what = sa_xasprintf("pending '%s'", id);
	fd = sa_store_lock(st, rel, what, err);
	if (fd < 0 || sa_pending_read(st, id, out, err) < 0)
		return -1;
	*lock = fd;
	fd = -1;
	return 0;
}

int
sa_pending_write(const struct sa_store *st, const json_t *record,
    struct sa_err *err)
{
	const char *id = sa_json_str(record, "pending_id");

	if (id == NULL)
		return sa_err_set(err, SA_INTERNAL, "a pending without an id");
	cleanup_free char *rel = sa_xasprintf("pending/%s/record.json", id);
	cleanup_free char *what = sa_xasprintf("pending '%s'", id);
	return sa_record_write(st, rel, record, what, err);
}

int
sa_pending_must_be_open(const json_t *record, struct sa_err *err)
{
	const char *id = sa_json_str(record, "pending_id");
	const char *status = sa_json_str(record, "status");
	const char *job = sa_json_str(record, "job_id");
	const char *at = sa_json_str(record, "expires_at");

	if (status != NULL && strcmp(status, "PENDING") == 0)
		return 0;
	sa_err_set(err, SA_INVALID,
	    "pending '%s' has the status %s%s%s, only a PENDING one can be "
	    "confirmed or cancelled",
	    id, status, job != NULL ? " as job " : "", job != NULL ? job : "");
	if (job != NULL) {
		sa_err_hint(err, "sa-yarn status %s tells how it went", job);
		sa_err_agent_hint(err,
		    "get_job_status, job_id %s, tells how it went", job);
	} else if (strcmp(status, "EXPIRED") == 0)
		sa_err_hint(err, "its time was over at %s: prepare it again",
		    at != NULL ? at : "an unknown time");
	else
		sa_err_hint(err, "to run the script, prepare it again");
	return sa_err_detail(err, sa_pending_masked(record));
}

static void
mask_member(json_t *obj, const char *key, const char *as)
{
	const char *value = sa_json_str(obj, key);

	if (value != NULL)
		sa_json_set_str(obj, key, sa_mask_show(as, value));
}

static void
mask_object(json_t *obj)
{
	const char *key;
	json_t *value;

	json_object_foreach (obj, key, value) {
		if (json_is_object(value))
			mask_member(value, "value", key);
		else
			mask_member(obj, key, key);
	}
}

/* "--password", "x" are two arguments and one secret. */
bool
sa_plan_arg_is_secret(const char *before, const char *arg)
{
	cleanup_free char *masked = sa_mask_text(arg, strlen(arg));

	return strcmp(masked, arg) != 0 || sa_mask_value(arg) ||
	    (before != NULL && *before == '-' && strchr(before, '=') == NULL &&
		sa_mask_key(before));
}

static void
mask_args(json_t *args)
{
	cleanup_free char *before = NULL;
	json_t *item;
	size_t i;

	json_array_foreach (args, i, item) {
		const char *arg = json_string_value(item);
		char *keep = sa_xstrdup(arg != NULL ? arg : "");
		if (sa_plan_arg_is_secret(before, keep)) {
			const char *eq = strchr(keep, '=');
			json_array_set_new(args, i,
			    json_sprintf("%.*s%s",
				eq != NULL ? (int)(eq - keep + 1) : 0, keep,
				SA_MASK));
		}
		free(before);
		before = keep;
	}
}

json_t *
sa_pending_masked(const json_t *record)
{
	json_t *copy = json_deep_copy(record);
	json_t *plan = sa_json_obj(copy, "plan");

	if (plan == NULL)
		return copy;
	mask_object(sa_json_obj(plan, "conf"));
	mask_object(sa_json_obj(plan, "env"));
	mask_args(json_object_get(plan, "args"));
	mask_member(plan, "yarn_rm_url", "url");
	mask_member(plan, "master", "master");
	return copy;
}
