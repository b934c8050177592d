/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/text.h"
#include "sandbox/boxtree.h"
#include "sandbox/netlog.h"
#include "sandbox/netrules.h"

#define DIR_MODE 0700
#define PRIVATE_MODE 0600
#define NEW ".new-"
#define TRASH ".trash-"
#define BY_GROUP "control group"
#define END_MS 10000
#define PART_MS 1000
#define TRIES 8
#define COUNT_MS 1000

#define ENFORCES                                                              \
	(SA_SPEC_ENV | SA_SPEC_OWNER | SA_SPEC_MEMORY | SA_SPEC_CPUS |        \
	    SA_SPEC_PIDS | SA_SPEC_DISK | SA_SPEC_EXPIRES | SA_SPEC_WORKDIR | \
	    SA_SPEC_RO | SA_SPEC_ROOT | SA_SPEC_OPEN_NETWORK |                \
	    SA_SPEC_EGRESS_HOSTS | SA_SPEC_EGRESS_CIDRS)
static const char enforce_hint[] =
    "'sa-sandbox check' tells what holds on this host; leave the option out, "
    "or choose a backend that enforces it";

static void
local_close(struct sa_box *box)
{
	if (box == NULL)
		return;
	sa_launch_part(&box->idle, PART_MS);
	if (box->dir >= 0)
		close(box->dir);
	if (box->tree >= 0)
		close(box->tree);
	sa_spec_free(&box->spec);
	json_decref(box->record);
	sa_store_free(box->store);
	free(box->data_dir);
	free(box->name);
	free(box);
}

static struct sa_box *
new_box(const struct sa_settings *s, const char *name)
{
	struct sa_box *box = sa_xcalloc(1, sizeof(*box));

	box->dir = box->tree = -1;
	box->idle = (struct sa_launched)SA_LAUNCHED_NONE;
	box->name = sa_xstrdup(name);
	box->data_dir = sa_path_absolute(sa_settings_get(s, SA_SET_DATA_DIR));
	sa_launch_ids(name, &box->uid, &box->gid);
	return box;
}

static int
lock_dir(int dir, int wait_ms, struct sa_err *err)
{
	return sa_io_lock(dir, "lock", wait_ms, "the sandbox's lock", err);
}

/* What the kernel tells of this host is never shown, nor is all of it. */
static int
check_shown(const char *path, const char *from, struct sa_err *err)
{
	static const char *const kernels[] = { "/proc", "/sys", "/dev" };
	cleanup_free char *shown = sa_text_visible(path);

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (strcmp(from, kernels[i]) == 0 ||
		    sa_path_below(kernels[i], from) != NULL)
			return sa_err_set(err, SA_REFUSED,
			    "cannot show '%s' to a sandbox: '%s' is about this "
			    "host",
			    shown, kernels[i]);
	if (strcmp(from, "/") == 0)
		return sa_err_set(err, SA_REFUSED,
		    "cannot show '%s' to a sandbox: it is all of this host",
		    shown);
	return 0;
}

/* A path that is seen inside must not hide what is the sandbox's own. */
static int
check_place(const char *path, struct sa_err *err)
{
	static const char *const taken[] = { "/run", "/tmp", "/var/tmp",
		SA_BOX_WORKDIR, SA_BOX_HOME };

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		if (strcmp(taken[i], path) != 0 &&
		    sa_path_below(path, taken[i]) == NULL)
			continue;
		sa_err_set(err, SA_REFUSED,
		    "cannot show '%s' to a sandbox, which has its own '%s'",
		    path, taken[i]);
		return sa_err_hint(err,
		    "show what is needed of it, by paths "
		    "below it");
	}
	return 0;
}

/* What is shown, as it stands now: what a link among them leads to later has
 * not been checked. */
static int
resolve_shown(struct sa_box *box, struct sa_err *err)
{
	struct sa_spec *spec = &box->spec;
	cleanup_free char *data = realpath(box->data_dir, NULL);

	spec->ro_from.v = sa_xcalloc(spec->ro.n + 1, sizeof(*spec->ro_from.v));
	for (size_t i = 0; i < spec->ro.n; i++) {
		const char *path = spec->ro.v[i];
		char *from =
		    access(path, R_OK) < 0 ? NULL : realpath(path, NULL);
		cleanup_free char *shown = sa_text_visible(path);
		if (from == NULL)
			return sa_err_errno(err, SA_REFUSED, errno,
			    "cannot show '%s' to a sandbox", shown);
		spec->ro_from.v[spec->ro_from.n++] = from;
		json_auto_t *text = json_string(from);
		if (text == NULL)
			return sa_err_set(err, SA_REFUSED,
			    "cannot show '%s' to a sandbox: it leads to a name "
			    "that is not in UTF-8",
			    shown);
		if (check_shown(path, path, err) < 0 ||
		    check_shown(path, from, err) < 0 ||
		    check_place(path, err) < 0)
			return -1;
		if (data != NULL &&
		    (strcmp(from, data) == 0 ||
			sa_path_below(data, from) != NULL))
			return sa_err_set(err, SA_REFUSED,
			    "cannot show '%s' to a sandbox: it is of the data "
			    "directory",
			    shown);
	}
	return 0;
}

static int
check_spec(const struct sa_spec *spec, struct sa_err *err)
{
	struct stat st;

	if (sa_spec_enforceable(spec, ENFORCES, "local", enforce_hint, err) <
		0 ||
	    sa_netrules_check(spec, err) < 0)
		return -1;
	if (spec->root == NULL)
		return 0;
	if (stat(spec->root, &st) < 0)
		return sa_err_errno(err, SA_REFUSED, errno,
		    "cannot use the root tree '%s'", spec->root);
	if (!S_ISDIR(st.st_mode) || strcmp(spec->root, "/") == 0)
		return sa_err_set(err, SA_REFUSED,
		    "'%s' cannot be a root tree: it is %s", spec->root,
		    S_ISDIR(st.st_mode) ? "the host's own" : "no directory");
	return 0;
}

static int
make_tree(struct sa_box *box, struct sa_err *err)
{
	if (mkdirat(box->dir, "tree", 0755) < 0 ||
	    (box->tree = openat(box->dir, "tree",
		 O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
	    fchmod(box->tree, 0755) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the tree of '%s'", box->name);
	for (const struct sa_box_dir *d = sa_box_dirs; d->path != NULL; d++)
		if (mkdirat(box->tree, d->path, 0700) < 0 ||
		    fchmodat(box->tree, d->path, d->mode, 0) < 0 ||
		    (d->mounted && geteuid() == 0 &&
			fchownat(box->tree, d->path, box->uid, box->gid,
			    AT_SYMLINK_NOFOLLOW) < 0))
			return sa_err_errno(err, SA_IO, errno,
			    "cannot make '%s' of '%s'", d->path, box->name);
	return 0;
}

/* The control groups that this spec is held by; without one for memory that
 * is looked at instead. */
static unsigned
groups_of(const struct sa_spec *spec)
{
	unsigned can = 0;

	if (spec->asked & (SA_SPEC_CPUS | SA_SPEC_MEMORY))
		can = sa_cgroup_can();
	return (spec->asked & SA_SPEC_CPUS ? SA_CGROUP_CPU : 0) |
	    (spec->asked & SA_SPEC_MEMORY ? can & SA_CGROUP_MEMORY : 0);
}

/* What holds each limit; sa(7) has the words. */
static json_t *
make_enforced(const struct sa_box *box)
{
	json_t *j = json_object();

	sa_json_set_str(j, "pids", "RLIMIT_NPROC");
	if (sa_netrules_any(&box->spec))
		sa_json_set_str(j, "network", "network process");
	if (box->spec.asked & SA_SPEC_MEMORY)
		sa_json_set_str(j, "memory",
		    box->groups & SA_CGROUP_MEMORY ? BY_GROUP
						   : "RLIMIT_DATA, watch");
	if (box->spec.asked & SA_SPEC_CPUS)
		sa_json_set_str(j, "cpus", BY_GROUP);
	if (box->spec.asked & SA_SPEC_DISK)
		sa_json_set_str(j, "disk", "RLIMIT_FSIZE, watch");
	return j;
}

/* Which control groups the record says that it has. */
static unsigned
groups_in(const json_t *record)
{
	static const struct {
		const char *limit;
		unsigned group;
	} by[] = { { "cpus", SA_CGROUP_CPU }, { "memory", SA_CGROUP_MEMORY } };
	const json_t *enforced = json_object_get(record, "enforced");
	unsigned groups = 0;

	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		const char *s = sa_json_str(enforced, by[i].limit);
		if (s != NULL && strcmp(s, BY_GROUP) == 0)
			groups |= by[i].group;
	}
	return groups;
}

static json_t *
make_record(struct sa_box *box)
{
	const struct sa_spec *spec = &box->spec;
	json_t *r = sa_json_record("sandbox");
	char text[SA_TIME_SIZE];
	time_t now = time(NULL);

	sa_json_set_str(r, "sandbox", box->name);
	sa_json_set_str(r, "backend", "local");
	sa_json_set_str(r, "state", "ready");
	json_object_set_new(r, "spec", sa_spec_record(spec));
	sa_json_set_str(r, "isolation", "namespaces");
	json_object_set_new(r, "enforced", make_enforced(box));
	sa_json_set_str(r, "owner", spec->owner);
	sa_json_set_str(r, "holder", NULL);
	sa_json_set_str(r, "workdir",
	    spec->workdir != NULL ? spec->workdir : SA_BOX_WORKDIR);
	sa_clock_format(now, text);
	sa_json_set_str(r, "created_at", text);
	if (spec->expires_s > 0)
		sa_clock_format(now + (time_t)spec->expires_s, text);
	sa_json_set_str(r, "expires_at", spec->expires_s > 0 ? text : NULL);
	return r;
}

static int
save(struct sa_box *box, const char *base, const json_t *j, struct sa_err *err)
{
	cleanup_free char *text = sa_json_text(j);

	return sa_io_replace(box->dir, base, text, strlen(text), PRIVATE_MODE,
	    base, err);
}

/* The same in a directory that is not seen yet. Nothing waits for the disk: a
 * sandbox that the machine's crash tears is gc's. */
static int
save_new(struct sa_box *box, const char *base, const json_t *j,
    struct sa_err *err)
{
	cleanup_free char *text = sa_json_text(j);
	cleanup_fd int fd = openat(box->dir, base,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, PRIVATE_MODE);

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make '%s' of '%s'", base, box->name);
	return sa_io_write_fd(fd, text, strlen(text), base, err);
}

/* The spec with the values of its environment. */
static json_t *
private_record(const struct sa_spec *spec)
{
	json_t *j = sa_spec_record(spec);
	json_t *env = json_array();

	for (size_t i = 0; i < spec->env.n; i++)
		json_array_append_new(env, json_string(spec->env.v[i]));
	json_object_set_new(j, "env", env);
	json_t *from = json_array();
	for (size_t i = 0; i < spec->ro_from.n; i++)
		json_array_append_new(from, json_string(spec->ro_from.v[i]));
	json_object_set_new(j, "ro_from", from);
	return j;
}

static int
parse_private(const json_t *j, struct sa_spec *spec, struct sa_err *err)
{
	const json_t *from = json_object_get(j, "ro_from");

	if (sa_spec_parse(j, spec, err) < 0)
		return -1;
	spec->ro_from.v = sa_xcalloc(spec->ro.n + 1, sizeof(*spec->ro_from.v));
	for (size_t i = 0; i < spec->ro.n; i++) {
		const char *path = json_string_value(json_array_get(from, i));
		if (path == NULL || *path != '/')
			return sa_err_set(err, SA_INVALID,
			    "private.json: what is shown is missing");
		spec->ro_from.v[spec->ro_from.n++] = sa_xstrdup(path);
	}
	return 0;
}

static void
take_end(struct sa_box *box)
{
	time_t t;

	if (sa_clock_parse(sa_json_str(box->record, "expires_at"), &t))
		box->until_s = (long long)t;
}

static int
load_spec(struct sa_box *box, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(SA_RECORD_MAX);
	json_auto_t *j = NULL;

	if (sa_io_read_file(box->dir, "private.json", &b, "private.json", err) <
		0 ||
	    sa_json_parse(sa_buf_str(&b), b.len, "private.json", &j, err) < 0)
		return -1;
	return parse_private(j, &box->spec, err);
}

/* Fills the new directory that box->dir is. */
static int
furnish(struct sa_box *box, struct sa_err *err)
{
	json_auto_t *private = private_record(&box->spec);

	if (save_new(box, "private.json", private, err) < 0 ||
	    make_tree(box, err) < 0)
		return -1;
	box->groups = groups_of(&box->spec);
	box->record = make_record(box);
	take_end(box);
	if (box->spec.workdir != NULL &&
	    sa_local_mkdirs(box, box->spec.workdir, err) < 0)
		return -1;
	return save_new(box, "record.json", box->record, err);
}

/* From .new-NAME to NAME, once it stands and this host can isolate it. */
static int
publish(struct sa_box *box, int all, const char *temporary, struct sa_err *err)
{
	if (renameat2(all, temporary, all, box->name, RENAME_NOREPLACE) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the sandbox '%s'", box->name);
	return 0;
}

/* What a holder goes on in, where it was built; it does without. */
static int
open_small(void)
{
	struct sa_err none = SA_ERR_INIT;
	cleanup_free char *path = sa_proc_own("sa-sandbox-init", &none);

	sa_err_clear(&none);
	return path == NULL ? -1 : open(path, O_PATH | O_CLOEXEC);
}

/* A new init; the caller holds the lock, -1 where it needs none. */
static int
start_init(struct sa_box *box, int lock, struct sa_launched *out,
    struct sa_err *err)
{
	const long long hold = (long long)time(NULL) + SA_BOX_HOLD_S;
	/* what it has of connections and other sandboxes is no project's */
	cleanup_free char *hidden =
	    box->spec.ro.n > 0 ? realpath(box->data_dir, NULL) : NULL;
	struct sa_box_plan plan = {
		.spec = &box->spec,
		.uid = box->uid,
		.gid = box->gid,
		.until_s = box->until_s > 0 && box->until_s < hold
		    ? box->until_s
		    : hold,
		.lock = lock,
		.egress = -1,
		.small = -1,
		.hidden = hidden,
	};
	cleanup_cgroup struct sa_cgroup group = SA_CGROUP_NONE;

	/* what its record promises, or nothing */
	if (box->groups != 0) {
		plan.group = &group;
		if (sa_cgroup_make(box->dir, box->name, &box->spec, box->groups,
			&group, err) != box->groups)
			return -1;
	}
	cleanup_fd int egress = -1;
	if (sa_netrules_any(&box->spec)) {
		plan.egress = egress = sa_netlog_make(box->dir, err);
		if (egress < 0)
			return -1;
	}
	cleanup_fd int listener =
	    box->dir >= 0 ? sa_launch_listen(box->dir, err) : -1;
	plan.listener = listener;
	if (box->dir >= 0 && listener < 0)
		return -1;
	cleanup_fd int small = listener >= 0 ? open_small() : -1;
	plan.small = small;
	return sa_launch(&plan, box->tree, out, err);
}

/* What is in memory is counted by no limit; connections are noted in a file. */
static bool
needs_dir(const struct sa_spec *spec)
{
	return !spec->once || sa_netrules_any(spec) ||
	    (spec->asked & (SA_SPEC_MEMORY | SA_SPEC_CPUS | SA_SPEC_DISK)) != 0;
}

static int
create_once(struct sa_box *box, struct sa_err *err)
{
	box->spec.once = true;
	box->record = make_record(box);
	take_end(box);
	if (box->spec.workdir != NULL &&
	    sa_local_mkdirs(box, box->spec.workdir, err) < 0)
		return -1;
	return start_init(box, -1, &box->idle, err);
}

/* All of one whose processes have ended; the lock's file is the last that
 * goes. */
static int
remove_all(int all, const char *base, int dir, const char *name,
    struct sa_err *err)
{
	if (sa_cgroup_remove(dir, err) < 0 ||
	    sa_boxtree_remove(dir, "tree", name, err) < 0)
		return -1;
	return sa_boxtree_remove(all, base, name, err);
}

/* Whether the directory was removed since it was opened. */
static bool
is_gone(const struct sa_box *box)
{
	struct stat st;

	return fstat(box->dir, &st) == 0 && st.st_nlink == 0;
}

bool
sa_local_is_destroyed(const struct sa_box *box)
{
	cleanup_free char *rel = sa_xasprintf("sandboxes/%s", box->name);
	struct sa_err none = SA_ERR_INIT;
	struct stat st, now;

	if (box->dir < 0)
		return false;
	cleanup_fd int dir = sa_store_dir(box->store, rel, false, &none);
	sa_err_clear(&none);
	return fstat(box->dir, &st) == 0 &&
	    (dir < 0 || fstat(dir, &now) < 0 || now.st_ino != st.st_ino);
}

/* The new directory, which is locked: gc, which may come in between, takes it
 * for one that was left. The lock or -1. */
static int
make_dir(struct sa_box *box, int all, const char *temporary, struct sa_err *err)
{
	for (int i = 0;; i++) {
		if (mkdirat(all, temporary, DIR_MODE) < 0)
			break;
		box->dir = openat(all, temporary,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int lock = box->dir < 0
		    ? -1
		    : lock_dir(box->dir, SA_LOCK_WAIT_MS, NULL);
		if (lock >= 0 && !is_gone(box))
			return lock;
		if (lock >= 0)
			close(lock);
		if (box->dir >= 0)
			close(box->dir);
		box->dir = -1;
		if (i == TRIES)
			break;
	}
	return sa_err_errno(err, SA_IO, errno, "cannot make the sandbox '%s'",
	    box->name);
}

static int
create_in(struct sa_box *box, int all, struct sa_err *err)
{
	cleanup_free char *temporary = sa_xasprintf(NEW "%s", box->name);
	cleanup_fd int lock = make_dir(box, all, temporary, err);

	if (lock < 0)
		return -1;
	int rc = furnish(box, err);
	if (rc == 0)
		rc = start_init(box, lock, &box->idle, err);
	if (rc == 0)
		rc = sa_launch_wait(&box->idle, err);
	if (rc == 0)
		rc = publish(box, all, temporary, err);
	if (rc < 0) {
		struct sa_err other = SA_ERR_INIT;
		sa_launch_end(&box->idle, END_MS);
		(void)remove_all(all, temporary, box->dir, box->name, &other);
		sa_err_clear(&other);
	}
	return rc;
}

static int
create_stored(struct sa_box *box, const struct sa_settings *s,
    struct sa_err *err)
{
	box->store = sa_store_open(s, true, err);
	cleanup_fd int all = box->store == NULL
	    ? -1
	    : sa_store_dir(box->store, "sandboxes", true, err);
	int rc = all < 0 ? -1 : create_in(box, all, err);
	if (rc < 0 && box->store != NULL)
		(void)sa_store_explain(box->store, err);
	return rc;
}

/* A copy of its own, in which it is settled what is shown. */
static int
take_spec(struct sa_box *box, const struct sa_spec *spec, struct sa_err *err)
{
	json_auto_t *j = private_record(spec);

	return sa_spec_parse(j, &box->spec, err) < 0 ? -1
						     : resolve_shown(box, err);
}

static int
local_create(const struct sa_settings *s, const char *name,
    const struct sa_spec *spec, struct sa_box **out, struct sa_err *err)
{
	struct sa_box *box = new_box(s, name);
	int rc = check_spec(spec, err);

	if (rc == 0)
		rc = take_spec(box, spec, err);
	if (rc == 0)
		rc = needs_dir(spec) ? create_stored(box, s, err)
				     : create_once(box, err);
	if (rc < 0)
		local_close(box);
	else
		*out = box;
	return rc;
}

static int
unknown(const char *name, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(name);

	sa_err_set(err, SA_NOT_FOUND, "unknown sandbox '%s'", shown);
	return sa_err_hint(err, "'sa-sandbox list' shows those that there are");
}

/* Opens what stands in box->dir. A directory that is not ours was put there
 * by somebody else. */
static int
open_box(struct sa_box *box, struct sa_err *err)
{
	cleanup_free char *rel =
	    sa_xasprintf("sandboxes/%s/record.json", box->name);
	cleanup_free char *what = sa_xasprintf("sandbox '%s'", box->name);
	struct stat st;

	if (fstat(box->dir, &st) < 0 || st.st_uid != geteuid() ||
	    (st.st_mode & 077) != 0) {
		sa_err_set(err, SA_REFUSED,
		    "the directory of the sandbox '%s' is open to others",
		    box->name);
		return sa_err_hint(err,
		    "it must belong to uid %ld with mode 0700",
		    (long)geteuid());
	}
	if (sa_record_read(box->store, rel, "sandbox", false, what,
		&box->record, err) < 0 ||
	    load_spec(box, err) < 0)
		return -1;
	take_end(box);
	box->groups = groups_in(box->record);
	box->tree = openat(box->dir, "tree",
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return box->tree < 0 ? sa_err_errno(err, SA_IO, errno,
				   "cannot open the tree of '%s'", box->name)
			     : 0;
}

/* find, also of one that has expired. */
static int
find_any(const struct sa_settings *s, const char *name, struct sa_box **out,
    struct sa_err *err)
{
	struct sa_box *box;
	cleanup_free char *rel = sa_xasprintf("sandboxes/%s", name);

	if (!sa_box_is_name(name)) {
		unknown(name, err);
		return -1;
	}
	box = new_box(s, name);
	box->store = sa_store_open(s, false, err);
	if (box->store != NULL)
		box->dir = sa_store_dir(box->store, rel, false, err);
	int rc = box->dir < 0 ? -1 : open_box(box, err);
	if (rc < 0) {
		bool there = box->dir >= 0;
		local_close(box);
		if (err != NULL && err->kind == SA_NOT_FOUND && !there)
			unknown(name, err);
		else if (err != NULL && err->kind != SA_REFUSED && there)
			sa_err_hint(err,
			    "'sa-sandbox gc' removes a sandbox that is broken");
		return -1;
	}
	*out = box;
	return 0;
}

static bool
is_over(const struct sa_box *box)
{
	return box->until_s > 0 && time(NULL) >= (time_t)box->until_s;
}

int
sa_local_not_expired(const struct sa_box *box, struct sa_err *err)
{
	if (!is_over(box))
		return 0;
	return sa_err_set(err, SA_REMOTE, "the sandbox '%s' has expired",
	    box->name);
}

static int
local_find(const struct sa_settings *s, const char *name, struct sa_box **out,
    struct sa_err *err)
{
	struct sa_box *box;

	if (find_any(s, name, &box, err) < 0)
		return -1;
	if (is_over(box)) {
		local_close(box);
		sa_err_set(err, SA_NOT_FOUND, "the sandbox '%s' has expired",
		    name);
		return sa_err_hint(err, "'sa-sandbox gc' removes it");
	}
	*out = box;
	return 0;
}

int
sa_local_init(struct sa_box *box, struct sa_launched *out, struct sa_err *err)
{
	if (box->idle.sock >= 0) {
		*out = box->idle;
		box->idle = (struct sa_launched)SA_LAUNCHED_NONE;
		return 0;
	}
	if (box->dir < 0)
		return start_init(box, -1, out, err);
	cleanup_fd int lock = lock_dir(box->dir, SA_LOCK_WAIT_MS, err);
	if (lock < 0)
		return -1;
	if (sa_local_is_destroyed(box))
		return sa_err_set(err, SA_REMOTE,
		    "the sandbox '%s' was destroyed", box->name);
	int rc = sa_launch_join(box->dir, out, err);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	return start_init(box, lock, out, err);
}

static int
local_destroy(struct sa_box *box, struct sa_err *err)
{
	struct sa_launched l = SA_LAUNCHED_NONE;
	cleanup_free char *trash = sa_xasprintf(TRASH "%s", box->name);

	if (box->dir < 0)
		sa_launch_end(&box->idle, END_MS);
	if (box->dir < 0 || is_gone(box))
		return 0;
	cleanup_fd int all = sa_store_dir(box->store, "sandboxes", false, err);
	cleanup_fd int lock =
	    all < 0 ? -1 : lock_dir(box->dir, SA_LOCK_WAIT_MS, err);
	if (lock < 0)
		return -1;
	sa_launch_end(&box->idle, END_MS);
	if (renameat2(all, box->name, all, trash, RENAME_NOREPLACE) < 0)
		return errno == ENOENT
		    ? 0
		    : sa_err_errno(err, SA_IO, errno,
			  "cannot remove the sandbox '%s'", box->name);
	if (sa_launch_join(box->dir, &l, err) > 0)
		sa_launch_end(&l, END_MS);
	return remove_all(all, trash, box->dir, box->name, err);
}

/* How many run there; an init that ends meanwhile has none. */
static int
count_commands(const struct sa_launched *l)
{
	struct sa_box_msg m = { .what = SA_BOX_COUNT };
	struct pollfd p = { l->sock, POLLIN, 0 };

	if (sa_box_send(l->sock, &m, NULL, 0) < 0 ||
	    poll(&p, 1, COUNT_MS) <= 0 ||
	    sa_box_recv(l->sock, &m, NULL, 0) < 0 || m.what != SA_BOX_COUNTED)
		return 0;
	return m.value;
}

static json_t *
local_record(struct sa_box *box, struct sa_err *err)
{
	struct sa_launched l = SA_LAUNCHED_NONE;
	json_t *r = json_deep_copy(box->record);
	int lives = sa_launch_join(box->dir, &l, err);

	if (lives < 0) {
		json_decref(r);
		return NULL;
	}
	sa_json_set_str(r, "state", lives ? "running" : "ready");
	json_object_set_new(r, "commands",
	    json_integer(lives ? count_commands(&l) : 0));
	sa_launch_leave(&l);
	return r;
}

static int
local_each(const struct sa_settings *s, sa_box_fn *fn, void *ctx,
    struct sa_err *err)
{
	struct sa_names names = { NULL, 0 };
	struct sa_store *st = sa_store_open(s, false, err);
	int rc = st == NULL
	    ? -1
	    : sa_store_names(st, "sandboxes", "", false, &names, err);
	bool more = true;

	for (size_t i = 0; rc == 0 && more && i < names.n; i++) {
		struct sa_box *box = NULL;
		json_auto_t *r = NULL;
		if (find_any(s, names.v[i], &box, NULL) < 0)
			continue; /* it goes just now, or gc's work */
		if (!is_over(box) && (r = local_record(box, NULL)) != NULL)
			more = fn(r, ctx);
		local_close(box);
	}
	sa_names_free(&names);
	sa_store_free(st);
	return rc;
}

static void
add_item(json_t *items, const char *name, const char *why)
{
	json_t *item = json_object();

	sa_json_set_str(item, "sandbox", name);
	sa_json_set_str(item, "why", why);
	json_array_append_new(items, item);
}

/* Removes the directory base, which dir is, with what runs there. */
static int
remove_rest(int all, const char *base, int dir, struct sa_err *err)
{
	struct sa_launched l = SA_LAUNCHED_NONE;

	if (sa_launch_join(dir, &l, err) > 0)
		sa_launch_end(&l, END_MS);
	return remove_all(all, base, dir, base, err);
}

/* What a killed create or destroy left; whoever is at it holds its lock. */
static int
remove_half(int all, const char *base, bool dry_run, json_t *items,
    struct sa_err *err)
{
	bool new = strncmp(base, NEW, strlen(NEW)) == 0;
	cleanup_fd int dir =
	    openat(all, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	cleanup_fd int lock = dir < 0 ? -1 : lock_dir(dir, 0, NULL);

	if (lock < 0)
		return 0;
	add_item(items, base + strlen(new ? NEW : TRASH),
	    new ? "it was never finished" : "its removal was never finished");
	return dry_run ? 0 : remove_rest(all, base, dir, err);
}

/* Whether what belongs to every sandbox is missing in dir, or is no file or
 * directory of its own. */
static bool
lacks_parts(int dir)
{
	static const struct {
		const char *name;
		mode_t type;
	} parts[] = { { "record.json", S_IFREG }, { "private.json", S_IFREG },
		{ "tree", S_IFDIR } };
	struct stat st;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (fstatat(dir, parts[i].name, &st, AT_SYMLINK_NOFOLLOW) == 0
			? (st.st_mode & S_IFMT) != parts[i].type
			: errno == ENOENT)
			return true;
	return false;
}

/* One that could not be opened, for why: what nobody can use any more goes. */
static int
remove_broken(int all, const char *name, const struct sa_err *why, bool dry_run,
    json_t *items, struct sa_err *err)
{
	cleanup_fd int dir =
	    openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0 || why->kind == SA_REFUSED ||
	    (why->kind != SA_INVALID && !lacks_parts(dir)))
		return 0;
	cleanup_fd int lock = lock_dir(dir, 0, NULL);
	if (lock < 0)
		return 0;
	add_item(items, name, "it is broken");
	return dry_run ? 0 : remove_rest(all, name, dir, err);
}

static int
gc_halves(const struct sa_store *st, bool dry_run, json_t *items,
    struct sa_err *err)
{
	struct dirent *e;
	int all = sa_store_dir(st, "sandboxes", false, NULL);
	cleanup_dir DIR *d = all < 0 ? NULL : fdopendir(all);
	int rc = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		if ((strncmp(e->d_name, NEW, strlen(NEW)) == 0 ||
			strncmp(e->d_name, TRASH, strlen(TRASH)) == 0) &&
		    remove_half(all, e->d_name, dry_run, items, err) < 0)
			rc = -1;
	return rc;
}

static int
gc_one(const struct sa_settings *s, int all, const char *name, bool dry_run,
    json_t *items, struct sa_err *err)
{
	struct sa_err why = SA_ERR_INIT;
	struct sa_box *box = NULL;
	int rc = find_any(s, name, &box, &why);

	if (rc < 0) {
		rc = remove_broken(all, name, &why, dry_run, items, err);
		sa_err_clear(&why);
		return rc;
	}
	if (is_over(box)) {
		add_item(items, name, "it expired");
		rc = dry_run ? 0 : local_destroy(box, err);
	}
	local_close(box);
	return rc;
}

static int
local_gc(const struct sa_settings *s, bool dry_run, json_t *items,
    struct sa_err *err)
{
	struct sa_names names = { NULL, 0 };
	struct sa_store *st = sa_store_open(s, false, err);
	int rc = st == NULL ? -1 : gc_halves(st, dry_run, items, err);

	/* one that cannot be removed keeps none of the others */
	if (st != NULL &&
	    sa_store_names(st, "sandboxes", "", false, &names, err) < 0)
		rc = -1;
	cleanup_fd int all =
	    names.n == 0 ? -1 : sa_store_dir(st, "sandboxes", false, err);
	for (size_t i = 0; all >= 0 && i < names.n; i++)
		if (gc_one(s, all, names.v[i], dry_run, items, err) < 0)
			rc = -1;
	if (names.n > 0 && all < 0)
		rc = -1;
	sa_names_free(&names);
	sa_store_free(st);
	return rc;
}

static int
local_discard(const struct sa_settings *s, const char *name, struct sa_err *err)
{
	json_auto_t *items = json_array();
	struct sa_store *st = sa_store_open(s, false, err);
	struct sa_err none = SA_ERR_INIT;
	cleanup_fd int all =
	    st == NULL ? -1 : sa_store_dir(st, "sandboxes", false, &none);
	int rc = st == NULL ? -1 : 0;

	if (all >= 0 && sa_box_is_name(name))
		rc = gc_one(s, all, name, false, items, err);
	sa_err_clear(&none);
	sa_store_free(st);
	return rc;
}

static char *
copy(const char *s)
{
	return s != NULL ? sa_xstrdup(s) : NULL;
}

static int
local_read_tags(struct sa_box *box, struct sa_box_tags *out, struct sa_err *err)
{
	cleanup_free char *rel =
	    sa_xasprintf("sandboxes/%s/record.json", box->name);
	cleanup_free char *what = sa_xasprintf("sandbox '%s'", box->name);
	json_t *now = NULL;

	if (sa_record_read(box->store, rel, "sandbox", false, what, &now, err) <
	    0)
		return -1;
	json_decref(box->record);
	box->record = now;
	*out = (struct sa_box_tags){
		.owner = copy(sa_json_str(now, "owner")),
		.holder = copy(sa_json_str(now, "holder")),
		.expires_at = box->until_s,
		.network = json_incref(json_object_get(now, "network")),
		.workdir = copy(sa_json_str(now, "workdir")),
	};
	return 0;
}

static int
local_write_tags(struct sa_box *box, const struct sa_box_tags *tags,
    const char *held_by, struct sa_err *err)
{
	struct sa_box_tags now = { .owner = NULL };
	cleanup_fd int lock = lock_dir(box->dir, SA_LOCK_WAIT_MS, err);

	if (lock < 0 || local_read_tags(box, &now, err) < 0)
		return -1;
	bool same = held_by == NULL || now.holder == NULL
	    ? held_by == now.holder
	    : strcmp(now.holder, held_by) == 0;
	if (same) {
		sa_json_set_str(box->record, "owner", tags->owner);
		sa_json_set_str(box->record, "holder", tags->holder);
		if (tags->network != NULL)
			json_object_set(box->record, "network", tags->network);
		if (tags->workdir != NULL)
			sa_json_set_str(box->record, "workdir", tags->workdir);
	}
	cleanup_free char *who =
	    sa_text_visible(now.holder != NULL ? now.holder : "nobody");
	sa_box_tags_free(&now);
	if (!same)
		return sa_err_set(err, SA_BUSY,
		    "the sandbox '%s' is held by '%s' by now", box->name, who);
	return save(box, "record.json", box->record, err);
}

const struct sa_backend sa_backend_local = {
	.name = "local",
	.enforces = ENFORCES,
	.attachable = true,
	.create = local_create,
	.run = sa_local_run,
	.follow = sa_local_follow,
	.end = sa_local_end,
	.execs = sa_local_execs,
	.destroy = local_destroy,
	.close = local_close,
	.find = local_find,
	.record = local_record,
	.each = local_each,
	.discard = local_discard,
	.gc = local_gc,
	.check = sa_local_check,
	.read_tags = local_read_tags,
	.write_tags = local_write_tags,
	.read = sa_local_read,
	.write = sa_local_write,
	.list = sa_local_list,
	.export = sa_local_export,
};
