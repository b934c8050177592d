/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/prune.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "spark/audit.h"
#include "spark/pending.h"
#include "spark/run.h"

#define LEFTOVER_AGE 3600

struct prune {
	const struct sa_store *st;
	const struct sa_settings *s;
	time_t now, cutoff;
	bool dry_run;
	json_t *items; /* borrowed */
};

static void
report(const struct prune *p, const char *what, const char *id,
    const char *reason)
{
	json_t *item = json_object();

	sa_json_set_str(item, "what", what);
	sa_json_set_str(item, "id", id);
	sa_json_set_str(item, "reason", reason);
	json_array_append_new(p->items, item);
}

/* Takes DIR/NAME out of sight, then away. */
static int
remove_dir(const struct prune *p, const char *dir, const char *name,
    struct sa_err *err)
{
	cleanup_fd int fd = sa_store_dir(p->st, dir, false, err);

	if (fd < 0)
		return -1;
	cleanup_free char *hidden =
	    sa_xasprintf(".%s.%08x", name, arc4random());
	if (renameat(fd, name, fd, hidden) < 0) {
		if (errno == ENOENT)
			return 0;
		return sa_err_errno(err, SA_IO, errno,
		    "cannot remove '%s/%s/%s'", sa_store_path(p->st), dir,
		    name);
	}
	if (sa_path_remove_tree(fd, hidden) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot remove '%s/%s/%s'", sa_store_path(p->st), dir,
		    hidden);
	return sa_io_fsync_dir(fd, dir, err);
}

static int
remove_file(const struct prune *p, const char *dir, const char *base,
    struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	cleanup_fd int fd = sa_store_dir(p->st, dir, false, &local);

	sa_err_clear(&local);
	if (fd < 0 || unlinkat(fd, base, 0) == 0 || errno == ENOENT)
		return 0;
	return sa_err_errno(err, SA_IO, errno, "cannot remove '%s/%s/%s'",
	    sa_store_path(p->st), dir, base);
}

/* When the record was last written; now where that cannot be told. */
static time_t
written(const struct prune *p, const char *rel)
{
	struct stat st;
	cleanup_free char *path = sa_path_join(sa_store_path(p->st), rel);

	return stat(path, &st) == 0 ? st.st_mtime : p->now;
}

static time_t
member_time(const json_t *record, const char *member, time_t none)
{
	time_t t;

	return sa_clock_parse(sa_json_str(record, member), &t) ? t : none;
}

/* Whether a job is over, and since when. A job without a directory is. */
static bool
job_is_over(const struct prune *p, const char *id, time_t *since)
{
	struct sa_err local = SA_ERR_INIT;
	json_auto_t *job = NULL;

	if (sa_run_refresh(p->st, id, &job, &local) < 0) {
		bool gone = local.kind == SA_NOT_FOUND;
		sa_err_clear(&local);
		return gone;
	}
	const char *state = sa_json_str(job, "state");
	*since = member_time(job, "finished_at", p->now);
	return state != NULL && sa_run_is_final(state);
}

/* Why a pending may go, or NULL. */
static const char *
pending_reason(const struct prune *p, const char *id, const json_t *record)
{
	const char *status = sa_json_str(record, "status");
	const char *job = sa_json_str(record, "job_id");
	cleanup_free char *rel = sa_xasprintf("pending/%s/record.json", id);
	time_t since = written(p, rel);

	if (strcmp(status, "PENDING") == 0)
		return NULL;
	if (strcmp(status, "EXPIRED") == 0)
		since = member_time(record, "expires_at", since);
	else if (job != NULL && !job_is_over(p, job, &since))
		return NULL;
	if (since > p->cutoff)
		return NULL;
	return strcmp(status, "EXPIRED") == 0  ? "expired"
	    : strcmp(status, "CANCELLED") == 0 ? "cancelled"
					       : "ended";
}

static int
prune_pending(const struct prune *p, const char *id, struct sa_err *err)
{
	cleanup_fd int lock = -1;
	json_auto_t *record = NULL;
	struct sa_err local = SA_ERR_INIT;

	/* what cannot be read or is in use is left to people */
	if (!sa_clock_is_id("p", id) ||
	    sa_pending_read(p->st, id, &record, &local) < 0 ||
	    pending_reason(p, id, record) == NULL) {
		sa_err_clear(&local);
		return 0;
	}
	json_decref(sa_steal(&record));
	if (sa_pending_lock(p->st, id, &lock, &record, &local) < 0) {
		sa_err_clear(&local);
		return 0;
	}
	const char *reason = pending_reason(p, id, record);
	if (reason == NULL)
		return 0;
	report(p, "pending", id, reason);
	if (p->dry_run)
		return 0;
	cleanup_free char *approval = sa_xasprintf("%s.json", id);
	cleanup_free char *used = sa_xasprintf("%s.used", id);
	if (sa_audit_add(p->st, p->s, "prune", id,
		sa_json_str(record, "plan_sha256"), reason, err) < 0 ||
	    remove_file(p, "approvals", approval, err) < 0 ||
	    remove_file(p, "approvals", used, err) < 0)
		return -1;
	return remove_dir(p, "pending", id, err);
}

/* Whether the claim of a run was never made: then its id was never told. The
 * claim is made under the pending's lock, which the caller holds. */
static bool
is_unclaimed(const struct prune *p, const char *id, const json_t *job,
    const json_t *pending)
{
	const char *state = sa_json_str(job, "state");
	const char *claimed = sa_json_str(pending, "job_id");
	cleanup_free char *mark =
	    sa_xasprintf("%s/runs/%s/exec.json", sa_store_path(p->st), id);

	return state != NULL &&
	    (strcmp(state, "SUBMITTING") == 0 ||
		strcmp(state, "FAILED") == 0) &&
	    (claimed == NULL || strcmp(claimed, id) != 0) &&
	    access(mark, F_OK) < 0 && errno == ENOENT;
}

/* Why a run may go, or NULL; lock keeps it so. */
static const char *
run_reason(const struct prune *p, const char *id, int *lock)
{
	struct sa_err local = SA_ERR_INIT;
	json_auto_t *job = NULL, *pending = NULL;
	time_t since = p->now;

	if (sa_run_read(p->st, id, &job, &local) < 0) {
		sa_err_clear(&local);
		return NULL;
	}
	const char *owner = sa_json_str(job, "pending_id");
	if (owner != NULL &&
	    sa_pending_lock(p->st, owner, lock, &pending, &local) < 0) {
		bool gone = local.kind == SA_NOT_FOUND;
		sa_err_clear(&local);
		if (!gone)
			return NULL;
	}
	if (pending != NULL && is_unclaimed(p, id, job, pending))
		return "unclaimed";
	return job_is_over(p, id, &since) && since <= p->cutoff ? "ended"
								: NULL;
}

static int
prune_run(const struct prune *p, const char *id, struct sa_err *err)
{
	cleanup_fd int lock = -1;
	const char *reason =
	    sa_clock_is_id("j", id) ? run_reason(p, id, &lock) : NULL;

	if (reason == NULL)
		return 0;
	report(p, "run", id, reason);
	if (p->dry_run)
		return 0;
	if (sa_audit_add(p->st, p->s, "prune", id, NULL, reason, err) < 0)
		return -1;
	return remove_dir(p, "runs", id, err);
}

static int
prune_key(const struct prune *p, const char *name, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	json_auto_t *key = NULL, *pending = NULL;
	cleanup_free char *rel = sa_xasprintf("keys/%s", name);
	bool gone = false;

	if (written(p, rel) <= p->cutoff &&
	    sa_record_read(p->st, rel, "key", false, "key", &key, &local) ==
		0) {
		const char *id = sa_json_str(key, "pending_id");
		gone = id != NULL &&
		    sa_pending_read(p->st, id, &pending, &local) < 0 &&
		    local.kind == SA_NOT_FOUND;
	}
	sa_err_clear(&local);
	if (!gone)
		return 0;
	report(p, "key", name, "no pending");
	return p->dry_run ? 0 : remove_file(p, "keys", name, err);
}

/* Whether an entry has the form of a temporary name: .NAME.<8 hex>. */
static bool
is_temporary(const char *name)
{
	size_t n = strlen(name);

	return name[0] == '.' && n > 10 && name[n - 9] == '.' &&
	    strspn(name + n - 8, "0123456789abcdef") == 8;
}

/* What a killed command left in a directory: half made files, and
 * directories on their way in or out. */
static int
prune_leftovers(const struct prune *p, const char *dir, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	int fd = sa_store_dir(p->st, dir, false, &local);
	cleanup_dir DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	sa_err_clear(&local);
	while (d != NULL && (e = readdir(d)) != NULL) {
		struct stat st;
		if (!is_temporary(e->d_name) ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_mtime > p->now - LEFTOVER_AGE)
			continue;
		report(p, "leftover", e->d_name, "half made");
		if (!p->dry_run && sa_path_remove_tree(fd, e->d_name) < 0)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot remove '%s/%s/%s'", sa_store_path(p->st),
			    dir, e->d_name);
	}
	return 0;
}

typedef int prune_fn(const struct prune *p, const char *name,
    struct sa_err *err);

static int
each(const struct prune *p, const char *dir, const char *suffix, prune_fn *fn,
    struct sa_err *err)
{
	struct sa_names names;
	int rc = sa_store_names(p->st, dir, suffix, false, &names, err);

	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = fn(p, names.v[i], err);
	if (rc == 0 || names.v != NULL)
		sa_names_free(&names);
	return rc;
}

/* Files without a suffix, which sa_store_names() takes for directories. */
static int
each_key(const struct prune *p, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	int fd = sa_store_dir(p->st, "keys", false, &local);
	cleanup_dir DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	int rc = 0;

	sa_err_clear(&local);
	if (d == NULL)
		return 0;
	cleanup_fd int lock =
	    sa_store_lock(p->st, "keys/.lock", "the keys", err);
	if (lock < 0)
		return -1;
	while (rc == 0 && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			rc = prune_key(p, e->d_name, err);
	return rc;
}

static int
pending_leftovers(const struct prune *p, const char *id, struct sa_err *err)
{
	cleanup_free char *dir = sa_path_join("pending", id);

	return prune_leftovers(p, dir, err);
}

static int
run_leftovers(const struct prune *p, const char *id, struct sa_err *err)
{
	cleanup_free char *dir = sa_path_join("runs", id);

	return prune_leftovers(p, dir, err);
}

static int
all_leftovers(const struct prune *p, struct sa_err *err)
{
	static const char *const dirs[] = { "approvals", "connections", "jobs",
		"keys", "pending", "runs" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (prune_leftovers(p, dirs[i], err) < 0)
			return -1;
	return each(p, "pending", "", pending_leftovers, err) < 0
	    ? -1
	    : each(p, "runs", "", run_leftovers, err);
}

int
sa_prune(const struct sa_store *st, const struct sa_settings *s, long long age,
    bool dry_run, json_t **out, struct sa_err *err)
{
	json_auto_t *record = sa_json_record("prune_report");
	struct prune p = { .st = st,
		.s = s,
		.now = time(NULL),
		.dry_run = dry_run };

	p.cutoff = p.now - (time_t)age;
	p.items = json_array();
	json_object_set_new(record, "dry_run", json_boolean(dry_run));
	json_object_set_new(record, "items", p.items);
	if (each(&p, "pending", "", prune_pending, err) < 0 ||
	    each(&p, "runs", "", prune_run, err) < 0 || each_key(&p, err) < 0 ||
	    all_leftovers(&p, err) < 0)
		return -1;
	*out = sa_steal(&record);
	return 0;
}
