/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/record.h"
#include "base/text.h"
#include "guard/guard.h"
#include "guard/policy.h"
#include "spark/audit.h"
#include "spark/connection.h"
#include "spark/locate.h"
#include "spark/master.h"
#include "spark/pending.h"
#include "spark/readable.h"
#include "spark/runguard.h"
#include "spark/waiver.h"

#define DIR_MODE 02770
#define FILE_MODE 0640
#define KEY_MAX 200
#define TRIES 8 /* ids that were taken */
/* Linux takes 128 KiB an argument and 2 MiB in all, the environment counted;
 * the launcher adds its own to both. */
#define WORD_MAX (96 * 1024)
#define WORDS_MAX (1024 * 1024)

int
sa_prepare_connection(const struct sa_settings *s, const char *name,
    json_t **out, struct sa_err *err)
{
	struct sa_store *st = sa_store_open(s, false, err);
	json_auto_t *c = NULL;
	enum sa_master_kind kind;

	if (st == NULL)
		return -1;
	int rc = sa_connection_read(st, name, &c, err);
	sa_store_free(st);
	if (rc < 0)
		return -1;
	const char *mode = sa_json_str(c, "deploy_mode");
	if (sa_master_check(sa_json_str(c, "master"), &kind, err) < 0 ||
	    sa_master_check_mode(kind, mode, err) < 0)
		return sa_err_prefix(err, "connection '%s'", name);
	*out = sa_steal(&c);
	return 0;
}

/* What an agent may not say, by whatever way it came here. */
static int
check_origin(const struct sa_settings *s, const struct sa_prepare *p,
    struct sa_err *err)
{
	const char *what = p->unresolved ? "--unresolved"
	    : p->runtime_guard		 ? "--runtime-guard"
	    : p->waive.n > 0		 ? "--waive"
	    : p->with_siblings		 ? "--with-siblings"
	    : p->py_files.n > 0		 ? "--py-files"
	    : p->files.n > 0		 ? "--files"
	    : p->workdir != NULL	 ? "--workdir"
					 : NULL;

	if (what == NULL || sa_settings_origin(s) != SA_ORIGIN_AGENT)
		return 0;
	sa_err_set(err, SA_REFUSED, "%s is for people, an agent asks", what);
	return sa_err_hint(err, "prepare it without, or ask a person to");
}

const char *
sa_prepare_runtime_guard(const struct sa_prepare *p)
{
	const char *guard = sa_json_str(p->connection, "runtime_guard");

	return p->runtime_guard ? "wrapper" : guard != NULL ? guard : "conf";
}

/* Script and guard */

static int
script_hint(const struct sa_settings *s, struct sa_err *err)
{
	const char *jobs = sa_settings_get(s, SA_SET_JOBS_DIR);

	sa_err_hint(err,
	    "a script is there when sa-genjob wrote it into '%s', or when it "
	    "lies on this host (in a container: in a directory that is mounted "
	    "there); its path is taken as seen from here",
	    jobs);
	return sa_err_agent_hint(err,
	    "generate_job_file(code=...) writes a script into '%s' and gives "
	    "its script_path; or it lies on this host (in a container: in a "
	    "directory that is mounted there), its path as seen from here",
	    jobs);
}

static int
read_script(const struct sa_settings *s, const char *path, struct sa_buf *b,
    struct sa_err *err)
{
	size_t n = strlen(path);
	cleanup_free char *shown = sa_text_visible(path);
	cleanup_free char *name = sa_xasprintf("script '%s'", shown);

	if (n == 0) {
		sa_err_set(err, SA_INVALID, "the path of the script is empty");
		return script_hint(s, err);
	}
	if (sa_readable(s, path, b, name, err) < 0) {
		if (err != NULL && err->kind == SA_NOT_FOUND)
			err->kind = SA_INVALID;
		/* one that was begun with is there, and too large */
		return err != NULL && err->kind == SA_INVALID && b->len == 0
		    ? script_hint(s, err)
		    : -1;
	}
	if (b->len == 0) {
		sa_err_set(err, SA_INVALID, "%s is empty", name);
		return script_hint(s, err);
	}
	if (n < 4 || strcmp(path + n - 3, ".py") != 0)
		return sa_err_set(err, SA_INVALID,
		    "%s does not end in .py, which tells spark-submit that it "
		    "is Python",
		    name);
	return sa_pin_check_path("script", sa_path_base(path), err);
}

static int
check_drift(const char *path, const char *expected, const char *sha256,
    struct sa_err *err)
{
	if (expected == NULL || strcmp(expected, sha256) == 0)
		return 0;
	sa_err_set(err, SA_REFUSED,
	    "script '%s' has changed: the record says sha256 %.64s, the file "
	    "has %s",
	    path, expected, sha256);
	return sa_err_hint(err,
	    "look at it, then prepare it by its path or with a new record");
}

/* Says where text that is known at run time only could be judged then, if it
 * is all that stands in the way. */
static void
hint_runtime(const struct sa_settings *s, const struct sa_prepare *p,
    const struct sa_buf *text, const struct sa_guard_options *options,
    struct sa_err *err)
{
	struct sa_guard_options runtime = *options;
	json_auto_t *report = NULL, *waivers = NULL;

	runtime.runtime = true;
	if (sa_guard_python(text->s, text->len, p->script, &runtime, &report,
		NULL) < 0 ||
	    sa_waiver_apply(&p->waive, report, &waivers, NULL) < 0 ||
	    !sa_guard_passes(report))
		return;
	if (sa_settings_origin(s) == SA_ORIGIN_AGENT)
		sa_err_hint(err,
		    "write the SQL in the script as constant text; whether "
		    "text that a script puts together is judged as it runs is "
		    "for who runs '%s' to decide",
		    sa_json_str(p->connection, "name"));
	else
		sa_err_hint(err,
		    "write the SQL in the script as constant text, or give "
		    "--runtime-guard, under which Spark's own parser judges "
		    "each text as it is executed");
}

static bool
wrapped(const struct sa_prepare *p)
{
	return strcmp(sa_prepare_runtime_guard(p), "wrapper") == 0;
}

/* How the guard is asked. policy is filled, and has to live as long. */
static int
guard_options(const struct sa_settings *s, const struct sa_prepare *p,
    struct sa_policy *policy, struct sa_guard_options *out, struct sa_err *err)
{
	*out = (struct sa_guard_options){
		.policy = policy,
		.strict = p->strict || sa_settings_origin(s) == SA_ORIGIN_AGENT,
		.strict_insert = p->strict_insert,
		.unresolved_warn = p->unresolved,
		.runtime = wrapped(p),
	};
	return sa_policy_settings(policy, s, err);
}

static int
run_guard(const struct sa_settings *s, const struct sa_prepare *p,
    const struct sa_buf *text, json_t **report, json_t **waivers,
    struct sa_err *err)
{
	struct sa_policy policy;
	struct sa_guard_options options;

	if (guard_options(s, p, &policy, &options, err) < 0 ||
	    sa_guard_python(text->s, text->len, p->script, &options, report,
		err) < 0 ||
	    sa_waiver_apply(&p->waive, *report, waivers, err) < 0)
		return -1;
	if (sa_guard_passes(*report))
		return 0;
	sa_guard_refuse(*report, err);
	if (!options.runtime)
		hint_runtime(s, p, text, &options, err);
	return -1;
}

/* A pending that is being built, in a directory of a temporary name. */
struct build {
	const struct sa_settings *s;
	struct sa_store *st;
	int parent, dir;
	char tmp[SA_ID_SIZE + 16]; /* "" when there is none */
};

static int
make_dir(int at, const char *name, struct sa_err *err)
{
	if (mkdirat(at, name, 0700) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the directory '%s'", name);
	int fd =
	    openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, DIR_MODE) < 0) {
		sa_err_errno(err, SA_IO, errno, "cannot use the directory '%s'",
		    name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static int
build_begin(struct build *b, const struct sa_settings *s, struct sa_err *err)
{
	char id[SA_ID_SIZE];

	b->st = sa_store_open(s, true, err);
	if (b->st == NULL)
		return -1;
	if (sa_pin_check_path("the data directory", sa_store_path(b->st), err) <
	    0) {
		if (err != NULL)
			err->kind = SA_CONFIG;
		return sa_err_hint(err, "set another with --data-dir");
	}
	b->parent = sa_store_dir(b->st, "pending", true, err);
	if (b->parent < 0)
		return -1;
	sa_clock_id("p", id);
	snprintf(b->tmp, sizeof(b->tmp), ".%s.%08x", id, arc4random());
	b->dir = make_dir(b->parent, b->tmp, err);
	if (b->dir >= 0)
		return 0;
	b->tmp[0] = '\0';
	sa_err_prefix(err, "'%s/pending'", sa_store_path(b->st));
	return sa_err_hint(err, "set another data directory with --data-dir");
}

static void
build_end(struct build *b)
{
	if (b->tmp[0] != '\0')
		sa_path_remove_tree(b->parent, b->tmp);
	if (b->dir >= 0)
		close(b->dir);
	if (b->parent >= 0)
		close(b->parent);
	sa_store_free(b->st);
}

/* Spark ships others too, but no Python looks into them. */
static int
check_py_file(const char *path, struct sa_err *err)
{
	const char *dot = strrchr(sa_path_base(path), '.');
	cleanup_free char *shown = sa_text_visible(path);

	if (dot != NULL &&
	    (strcmp(dot, ".py") == 0 || strcmp(dot, ".zip") == 0 ||
		strcmp(dot, ".egg") == 0))
		return 0;
	if (sa_pin_check_path("--py-files", path, err) < 0)
		return -1;
	sa_err_set(err, SA_INVALID,
	    "--py-files '%s' is no .py, .zip or .egg file", shown);
	return sa_err_hint(err, "files that are only read go with --files");
}

/* The program that guards the script as it runs: a copy, as of the script. */
static int
pin_wrapper(const struct build *b, const struct sa_prepare *p, json_t **out,
    struct sa_err *err)
{
	struct sa_policy policy;
	struct sa_guard_options options;
	cleanup_fd int dir = make_dir(b->dir, SA_RUNGUARD_DIR, err);

	if (dir < 0 || guard_options(b->s, p, &policy, &options, err) < 0)
		return -1;
	return sa_runguard_pin(dir, &options, out, err);
}

/* The script and everything that it carries; pins is initialised. */
static int
pin_all(const struct build *b, const struct sa_prepare *p,
    const struct sa_buf *text, struct sa_pin *pins, json_t *warnings,
    struct sa_err *err)
{
	cleanup_fd int script = make_dir(b->dir, "script", err);
	cleanup_fd int deps = script < 0 ? -1 : make_dir(b->dir, "deps", err);

	if (deps < 0 ||
	    sa_io_create(script, sa_path_base(p->script), text->s, text->len,
		SA_PIN_MODE, "the copy of the script", err) < 0)
		return -1;
	pins->dir = deps;
	for (size_t i = 0; i < p->py_files.n; i++)
		if (check_py_file(p->py_files.v[i], err) < 0 ||
		    sa_pin_file(pins, "--py-files", p->py_files.v[i],
			pins->py_files, err) < 0)
			return -1;
	for (size_t i = 0; i < p->files.n; i++)
		if (sa_pin_file(pins, "--files", p->files.v[i], pins->files,
			err) < 0)
			return -1;
	if (sa_pin_siblings(pins, p->script, text->s, text->len,
		p->with_siblings, warnings, err) < 0)
		return -1;
	return sa_io_fsync_dir(deps, "the copies", err);
}

static char *
user_name(void)
{
	const struct passwd *pw = getpwuid(getuid());

	return pw != NULL ? sa_xstrdup(pw->pw_name)
			  : sa_xasprintf("%ld", (long)getuid());
}

static json_t *
make_record(const struct sa_settings *s, const struct sa_prepare *p,
    const json_t *plan, const json_t *report, const json_t *warnings)
{
	json_t *r = sa_json_record("pending");
	char text[SA_SHA256_SIZE];
	char id[SA_ID_SIZE];
	cleanup_free char *user = user_name();

	sa_clock_id("p", id);
	sa_json_set_str(r, "pending_id", id);
	sa_json_set_str(r, "status", "PENDING");
	sa_json_set_str(r, "connection", sa_json_str(p->connection, "name"));
	sa_json_set_str(r, "name", sa_json_str(plan, "name"));
	json_object_set_new(r, "plan", json_deep_copy(plan));
	sa_plan_hash(plan, text);
	sa_json_set_str(r, "plan_sha256", text);
	sa_json_set_str(r, "script_path", p->script);
	sa_json_set_str(r, "script_sha256",
	    sa_json_str(sa_json_obj(plan, "script"), "sha256"));
	json_object_set_new(r, "guard", json_deep_copy(report));
	json_object_set_new(r, "warnings", json_deep_copy(warnings));
	sa_clock_now(text);
	sa_json_set_str(r, "created_at", text);
	sa_json_set_str(r, "created_by", user);
	sa_json_set_str(r, "origin", sa_origin_name(sa_settings_origin(s)));
	sa_clock_format(time(NULL) + (time_t)p->ttl, text);
	sa_json_set_str(r, "expires_at", text);
	sa_json_set_str(r, "job_id", NULL);
	/* tells a list that this one is not fit to be shown as it stands */
	json_auto_t *masked = sa_pending_masked(r);
	if (!json_equal(masked, r))
		json_object_set_new(r, "secret", json_true());
	return r;
}

/* What cannot be executed must not be confirmed. */
static int
check_command(const struct sa_store *st, const json_t *record,
    struct sa_err *err)
{
	char **argv = sa_plan_argv(st, record, NULL, NULL);
	size_t longest = 0, all = 0;

	for (char **p = argv; *p != NULL; p++) {
		size_t n = strlen(*p) + 1;
		longest = n > longest ? n : longest;
		all += n;
	}
	sa_argv_free(argv);
	if (longest <= WORD_MAX && all <= WORDS_MAX)
		return 0;
	sa_err_set(err, SA_INVALID,
	    "the command line has %zu bytes and %zu in its longest argument, "
	    "%d and %d can be run",
	    all, longest, WORDS_MAX, WORD_MAX);
	return sa_err_hint(err, "pass large values in a file, with --files");
}

/* Publishing */

static int
write_record(const struct build *b, const json_t *record, struct sa_err *err)
{
	cleanup_free char *text = sa_json_text(record);
	cleanup_free char *line = sa_xasprintf("%s\n", text);

	return sa_io_replace(b->dir, "record.json", line, strlen(line),
	    FILE_MODE, "the record of the pending", err);
}

static int
make_lock(const struct build *b, struct sa_err *err)
{
	cleanup_fd int fd = openat(b->dir, "lock",
	    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);

	if (fd < 0 || fchmod(fd, FILE_MODE) < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the lock of the pending");
	return 0;
}

/* Says in keys/SHA256 which pending the key stands for; before that one is
 * there: a key that names no pending is one that was never used. */
static int
write_key(const struct build *b, const char *rel, const json_t *record,
    struct sa_err *err)
{
	json_auto_t *k = sa_json_record("key");

	if (rel == NULL)
		return 0;
	sa_json_set_str(k, "pending_id", sa_json_str(record, "pending_id"));
	sa_json_set_str(k, "plan_sha256", sa_json_str(record, "plan_sha256"));
	return sa_record_write(b->st, rel, k, "the key", err);
}

static int
publish(struct build *b, const char *key_rel, json_t *record,
    struct sa_err *err)
{
	char id[SA_ID_SIZE];

	for (int i = 0; i < TRIES; i++) {
		sa_clock_id("p", id);
		sa_json_set_str(record, "pending_id", id);
		if (write_record(b, record, err) < 0 ||
		    write_key(b, key_rel, record, err) < 0 ||
		    sa_audit_add(b->st, b->s, "prepare", id,
			sa_json_str(record, "plan_sha256"), NULL, err) < 0)
			return -1;
		if (renameat2(b->parent, b->tmp, b->parent, id,
			RENAME_NOREPLACE) == 0) {
			b->tmp[0] = '\0';
			return sa_io_fsync_dir(b->parent, "pending", err);
		}
		if (errno != EEXIST)
			return sa_err_errno(err, SA_IO, errno,
			    "cannot put pending '%s' in place", id);
	}
	return sa_err_set(err, SA_BUSY, "no free id for the pending");
}

/* The pending that a key gave before: 1 and *out, 0 for none. */
static int
find_key(const struct build *b, const char *rel, const char *plan_sha256,
    json_t **out, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	json_auto_t *key = NULL, *old = NULL;

	if (sa_record_read(b->st, rel, "key", false, "key", &key, &local) < 0 ||
	    sa_pending_read(b->st,
		sa_json_str(key, "pending_id") != NULL
		    ? sa_json_str(key, "pending_id")
		    : "",
		&old, &local) < 0) {
		if (local.kind == SA_NOT_FOUND) {
			sa_err_clear(&local);
			return 0;
		}
		*err = local;
		return -1;
	}
	if (strcmp(sa_json_str(old, "plan_sha256"), plan_sha256) == 0) {
		*out = sa_steal(&old);
		return 1;
	}
	sa_err_set(err, SA_INVALID,
	    "the key was used for pending '%s', whose plan is another",
	    sa_json_str(old, "pending_id"));
	sa_err_hint(err, "sa-prepare show %s; a new plan wants a new key",
	    sa_json_str(old, "pending_id"));
	sa_err_agent_hint(err,
	    "get_pending_submission shows that one; a new plan wants a new "
	    "key");
	return sa_err_detail(err, sa_pending_masked(old));
}

static int
publish_with_key(struct build *b, const char *key, json_t *record, json_t **out,
    struct sa_err *err)
{
	char sha256[SA_SHA256_SIZE];
	cleanup_fd int dir = sa_store_dir(b->st, "keys", true, err);
	cleanup_fd int lock =
	    dir < 0 ? -1 : sa_store_lock(b->st, "keys/.lock", "the keys", err);

	if (lock < 0)
		return -1;
	sa_hash_sha256(key, strlen(key), sha256);
	cleanup_free char *rel = sa_xasprintf("keys/%s", sha256);
	int rc = find_key(b, rel, sa_json_str(record, "plan_sha256"), out, err);
	if (rc != 0)
		return rc;
	return publish(b, rel, record, err);
}

/* Everything from the copies on. 1 where *out is an older one. */
static int
build_pending(struct build *b, const struct sa_settings *s,
    const struct sa_prepare *p, const struct sa_buf *text, const json_t *report,
    struct sa_prepared *found, json_t **out, struct sa_err *err)
{
	json_auto_t *script = json_object(), *warnings = json_array();
	json_auto_t *plan = NULL, *record = NULL;
	char sha256[SA_SHA256_SIZE];

	sa_hash_sha256(text->s, text->len, sha256);
	sa_json_set_str(script, "name", sa_path_base(p->script));
	sa_json_set_str(script, "sha256", sha256);
	json_object_set_new(script, "size",
	    json_integer((json_int_t)text->len));
	found->script = script;
	sa_pin_init(&found->pins, -1);
	int rc = pin_all(b, p, text, &found->pins, warnings, err);
	if (rc == 0 && wrapped(p))
		rc = pin_wrapper(b, p, &found->wrapper, err);
	if (rc == 0)
		rc = sa_plan_new(s, p, found, &plan, err);
	json_decref(found->wrapper);
	sa_pin_release(&found->pins);
	if (rc < 0 || make_lock(b, err) < 0)
		return -1;
	record = make_record(s, p, plan, report, warnings);
	if (check_command(b->st, record, err) < 0)
		return -1;
	rc = p->key == NULL ? publish(b, NULL, record, err)
			    : publish_with_key(b, p->key, record, out, err);
	if (rc == 0)
		*out = sa_steal(&record);
	return rc;
}

/* It is there and stays there: what fails now is no failure of the command. */
static void
announce(const struct sa_store *st, const struct sa_settings *s,
    const json_t *record)
{
	json_auto_t *shown = sa_pending_masked(record);
	struct sa_err local = SA_ERR_INIT;

	if (sa_audit_add(st, s, "prepared", sa_json_str(record, "pending_id"),
		sa_json_str(record, "plan_sha256"), NULL, &local) < 0)
		sa_warn("audit: %s", local.msg);
	sa_err_clear(&local);
	sa_event(s, "prepared", shown);
}

int
sa_prepare(const struct sa_settings *s, const struct sa_prepare *p,
    json_t **out, struct sa_err *err)
{
	cleanup_buf struct sa_buf text = SA_BUF_INIT(SA_GUARD_MAX);
	struct build b = { .s = s, .parent = -1, .dir = -1 };
	json_auto_t *report = NULL, *waivers = NULL, *located = NULL;
	char sha256[SA_SHA256_SIZE];

	if (check_origin(s, p, err) < 0 ||
	    read_script(s, p->script, &text, err) < 0)
		return -1;
	sa_hash_sha256(text.s, text.len, sha256);
	if (check_drift(p->script, p->sha256, sha256, err) < 0 ||
	    run_guard(s, p, &text, &report, &waivers, err) < 0)
		return -1;
	if (p->key != NULL && (*p->key == '\0' || strlen(p->key) > KEY_MAX))
		return sa_err_set(err, SA_INVALID,
		    "--key is not 1 to %d bytes long", KEY_MAX);
	if (sa_locate(p->connection, s, &located, err) < 0)
		return -1;
	int rc = build_begin(&b, s, err);
	struct sa_prepared found = { .located = located,
		.waivers = waivers,
		.wrapper = json_null() };
	if (rc == 0)
		rc = build_pending(&b, s, p, &text, report, &found, out, err);
	if (rc == 0)
		announce(b.st, s, *out);
	build_end(&b);
	return rc < 0 ? -1 : 0;
}
