/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * What becomes of jobs by what their cluster says, with a cluster that says
 * what a test tells it. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "spark/cluster.h"
#include "spark/run.h"
#include "tap.h"

static char root[] = "/tmp/sa-unit-follow.XXXXXX";
static struct sa_store *store;
static struct sa_settings *settings;
static unsigned int made;

/* ---- the cluster */

struct app {
	const char *tag, *id, *state, *final;
	bool marked;
};

static struct {
	struct app apps[8];
	size_t n;
	bool counts;
	enum sa_kind failure; /* of every request */
	enum sa_kind no_kill; /* of kills alone */
	int polls_to_end;     /* after a kill */
	int opened, looks, finds, lists, kills, finished;
	const char *killed;
} world;

static void
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.counts = true;
}

static void
add_app(const char *tag, const char *id, const char *state, const char *final)
{
	static char tags[8][64], ids[8][64];
	size_t n = world.n++;

	strlcpy(tags[n], tag, sizeof(tags[n]));
	strlcpy(ids[n], id, sizeof(ids[n]));
	world.apps[n] = (struct app){ tags[n], ids[n], state, final, true };
}

static int
fails(struct sa_err *err)
{
	if (world.failure == SA_OK)
		return 0;
	return sa_err_set(err, world.failure, "the cluster is away");
}

static void
see(const struct app *a, struct sa_sighting *out)
{
	*out = (struct sa_sighting)SA_SIGHTING_INIT;
	out->application_id = sa_xstrdup(a->id);
	out->state = sa_sighting_yarn(a->state, a->final);
	out->cluster_state = sa_xstrdup(a->state);
	out->final_status = sa_xstrdup(a->final);
}

static void
pass_time(void)
{
	if (world.killed == NULL || world.polls_to_end-- > 0)
		return;
	for (size_t i = 0; i < world.n; i++)
		if (strcmp(world.apps[i].id, world.killed) == 0)
			world.apps[i].state = world.apps[i].final = "KILLED";
}

static int
fake_open(struct sa_cluster *c, const json_t *job, struct sa_err *err)
{
	(void)c;
	if (sa_json_str(job, "yarn_rm_url") == NULL)
		return sa_err_set(err, SA_CONFIG, "no ResourceManager");
	world.opened++;
	return 0;
}

static void
fake_close(struct sa_cluster *c)
{
	(void)c;
}

static int
fake_look(struct sa_cluster *c, const json_t *job, struct sa_sighting *out,
    struct sa_err *err)
{
	(void)c;
	world.looks++;
	pass_time();
	if (fails(err) < 0)
		return -1;
	for (size_t i = 0; i < world.n; i++)
		if (strcmp(world.apps[i].id,
			sa_json_str(job, "application_id")) == 0) {
			see(&world.apps[i], out);
			return 0;
		}
	return sa_err_set(err, SA_NOT_FOUND, "no such application");
}

static int
fake_find(struct sa_cluster *c, const json_t *job, struct sa_candidates *out,
    struct sa_err *err)
{
	(void)c;
	world.finds++;
	out->counts = world.counts;
	if (fails(err) < 0)
		return -1;
	for (size_t i = 0; i < world.n; i++)
		if (strcmp(world.apps[i].tag, sa_json_str(job, "tag")) == 0)
			see(&world.apps[i],
			    sa_candidates_add(out, world.apps[i].marked));
	return 0;
}

static int
fake_kill(struct sa_cluster *c, const json_t *job, const char *application,
    bool force, struct sa_err *err)
{
	(void)c;
	(void)job;
	world.kills++;
	if (fails(err) < 0)
		return -1;
	if (world.no_kill != SA_OK && !force)
		return sa_err_set(err, world.no_kill, "not yours");
	for (size_t i = 0; i < world.n; i++)
		if (strcmp(world.apps[i].id, application) == 0)
			world.killed = world.apps[i].id;
	return 0;
}

static int
fake_look_all(struct sa_cluster *c,
    void (*each)(void *arg, const char *tag, struct sa_sighting *seen),
    void *arg, bool *counts, struct sa_err *err)
{
	(void)c;
	world.lists++;
	*counts = world.counts;
	if (fails(err) < 0)
		return -1;
	for (size_t i = 0; i < world.n; i++) {
		struct sa_sighting s;
		see(&world.apps[i], &s);
		each(arg, world.apps[i].tag, &s);
		sa_sighting_release(&s);
	}
	return 0;
}

static int
fake_finished(struct sa_cluster *c, const json_t *job, struct sa_err *err)
{
	(void)c;
	(void)job;
	(void)err;
	world.finished++;
	return 0;
}

static int
fake_where(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, char **out, struct sa_err *err)
{
	const char *url = sa_json_str(job, "yarn_rm_url");

	(void)st;
	(void)s;
	if (url == NULL)
		return sa_err_set(err, SA_CONFIG, "no ResourceManager");
	*out = sa_xstrdup(url);
	return 0;
}

/* In place of the real one, which the library would give. */
/* no job here is on these */
const struct sa_cluster_ops sa_cluster_kube = { .name = "Kubernetes" };
const struct sa_cluster_ops sa_cluster_standalone = { .name = "standalone" };

const struct sa_cluster_ops sa_cluster_yarn = { .name = "YARN",
	.where = fake_where,
	.open = fake_open,
	.close = fake_close,
	.look = fake_look,
	.find = fake_find,
	.kill = fake_kill,
	.look_all = fake_look_all,
	.finished = fake_finished };

/* ---- jobs */

#define MAX_JOBS 16
/* exec.json of a spark-submit that is not here any more. */
#define GONE                                                              \
	"{\"host\":\"elsewhere\",\"boot_id\":\"x\",\"pid\":2,\"pgid\":2," \
	"\"start_ticks\":1,\"at\":\"2026-11-29T10:15:03Z\"}"

static void
put(const char *id, const char *name, const char *text)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s", id);
	cleanup_fd int dir = sa_store_dir(store, rel, false, NULL);

	if (sa_io_replace(dir, name, text, strlen(text), 0640, name, NULL) < 0)
		exit(99);
}

/* A run of a job in cluster mode; more is laid over it. The id stays good. */
static const char *
new_run(const char *more)
{
	static char ids[64][SA_ID_SIZE];
	json_auto_t *job = sa_json_record("job"), *over = NULL;
	char *id = ids[made % 64];
	cleanup_free char *rel = NULL;

	snprintf(id, SA_ID_SIZE, "j_20261129T101502_%06x", ++made);
	rel = sa_xasprintf("runs/%s", id);
	cleanup_free char *tag = sa_xasprintf("sa-%s", id);
	sa_json_set_str(job, "job_id", id);
	sa_json_set_str(job, "tag", tag);
	sa_json_set_str(job, "master", "yarn");
	sa_json_set_str(job, "deploy_mode", "cluster");
	sa_json_set_str(job, "state", "SUBMITTING");
	sa_json_set_str(job, "yarn_rm_url", "http://rm:8088");
	if (more != NULL) {
		over = json_loads(more, 0, NULL);
		json_object_update(job, over);
	}
	cleanup_fd int dir = sa_store_dir(store, rel, true, NULL);
	if (dir < 0 || sa_run_write(store, job, NULL) < 0)
		exit(99);
	put(id, "exec.json", GONE);
	return id;
}

static char *
tag_of(const char *id)
{
	static char tag[64];

	snprintf(tag, sizeof(tag), "sa-%s", id);
	return tag;
}

/* Marks of a spark-submit that ended so many seconds ago. */
static void
ended(const char *id, const char *members, int ago)
{
	char at[SA_TIME_SIZE];

	sa_clock_format(time(NULL) - ago, at);
	cleanup_free char *text =
	    sa_xasprintf("{%s,\"at\":\"%s\"}", members, at);
	put(id, "exit.json", text);
}

static int
hold_alive(const char *id)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s/alive", id);

	return sa_store_lock(store, rel, "alive", NULL);
}

static const char *
stored_str(const char *id, const char *member)
{
	static char text[4096];
	json_auto_t *record = NULL;
	const char *s;

	if (sa_run_read(store, id, &record, NULL) < 0)
		return "unreadable";
	s = sa_json_str(record, member);
	strlcpy(text, s != NULL ? s : "null", sizeof(text));
	return text;
}

static const char *
stored(const char *id)
{
	return stored_str(id, "state");
}

/* ---- many at once */

struct batch {
	char *ids[MAX_JOBS];
	json_t *records[MAX_JOBS];
	char *why[MAX_JOBS];
	size_t n;
};

static void
add(struct batch *b, const char *id)
{
	b->ids[b->n] = sa_xstrdup(id);
	b->records[b->n] = NULL;
	b->why[b->n++] = NULL;
}

static void
refresh(struct sa_follow *f, struct batch *b)
{
	struct sa_err err = SA_ERR_INIT;

	for (size_t i = 0; i < b->n; i++)
		free(b->why[i]);
	ok(sa_follow_refresh(f, b->ids, b->n, b->records, b->why, &err) == 0,
	    "a refresh");
	sa_err_clear(&err);
}

static const char *
state(const struct batch *b, size_t i)
{
	return sa_json_str(b->records[i], "state");
}

static void
release(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->ids[i]);
		json_decref(b->records[i]);
		free(b->why[i]);
	}
}

static void
test_many(void)
{
	struct sa_follow *f = sa_follow_new(store, settings);
	struct batch b = { .n = 0 };

	reset();
	add(&b, new_run("{\"application_id\":\"application_1_1\"}"));
	add(&b, new_run("{\"application_id\":\"application_1_2\"}"));
	add(&b, new_run(NULL));
	add(&b, new_run("{\"state\":\"FAILED\"}"));
	add(&b, new_run("{\"master\":\"local[2]\"}"));
	int alive = hold_alive(b.ids[2]);
	add_app(tag_of(b.ids[0]), "application_1_1", "RUNNING", "UNDEFINED");
	add_app(tag_of(b.ids[1]), "application_1_2", "FINISHED", "SUCCEEDED");
	add_app(tag_of(b.ids[2]), "application_1_3", "ACCEPTED", "UNDEFINED");
	add_app(tag_of(b.ids[3]), "application_1_4", "RUNNING", "UNDEFINED");
	add_app("sa-j_other", "application_1_5", "RUNNING", "UNDEFINED");
	refresh(f, &b);
	is_str(state(&b, 0), "RUNNING", "one that runs");
	is_str(state(&b, 1), "SUCCEEDED", "one that ended");
	is_str(state(&b, 2), "ACCEPTED", "one whose id was not known");
	is_str(sa_json_str(b.records[2], "application_id"), "application_1_3",
	    "its id is now");
	is_str(state(&b, 3), "FAILED", "one that had ended is left alone");
	is_str(state(&b, 4), "LOST", "a local one by its marks");
	is_int(world.lists, 1, "one request");
	is_int(world.looks + world.finds, 0, "and no other");
	is_int(world.opened, 1, "to a cluster that was opened once");
	is_int(world.finished, 1, "what ended is cleared away");
	is_str(stored(b.ids[0]), "RUNNING", "it is kept");
	is_str(stored_str(b.ids[2], "application_id"), "application_1_3",
	    "the id is kept");

	refresh(f, &b);
	is_int(world.lists, 2, "the next one asks anew");
	is_int(world.opened, 1, "the same cluster");
	is_int(world.finished, 1, "and clears nothing away again");
	close(alive);
	release(&b);
	sa_follow_free(f);
}

static void
test_unlisted(void)
{
	struct sa_follow *f = sa_follow_new(store, settings);
	struct batch b = { .n = 0 };

	reset();
	add(&b,
	    new_run("{\"application_id\":\"application_1_1\","
		    "\"state\":\"RUNNING\",\"yarn_state\":\"RUNNING\"}"));
	add(&b,
	    new_run("{\"application_id\":\"application_1_2\","
		    "\"state\":\"RUNNING\",\"deploy_mode\":\"client\"}"));
	int alive = hold_alive(b.ids[1]);
	world.counts = false;
	refresh(f, &b);
	is_str(state(&b, 0), "RUNNING", "none of one that starts says nothing");
	is_int(world.looks, 0, "it is not asked on");
	world.counts = true;
	refresh(f, &b);
	is_int(world.looks, 2, "those that are not listed are asked for");
	is_str(state(&b, 0), "LOST", "the cluster forgot it");
	is_str(stored(b.ids[0]), "LOST", "that is kept");
	ok(strstr(sa_json_str(b.records[0], "diagnostics"),
	       "no longer knows application_1_1") != NULL,
	    "and said");
	is_str(state(&b, 1), "RUNNING", "a driver that lives is not lost");

	add_app(tag_of(b.ids[0]), "application_1_1", "FINISHED", "FAILED");
	json_decref(b.records[0]);
	b.records[0] = NULL;
	refresh(f, &b);
	is_str(state(&b, 0), "FAILED", "one that was lost and is found");
	close(alive);
	release(&b);
	sa_follow_free(f);
}

static void
test_away(void)
{
	struct sa_follow *f = sa_follow_new(store, settings);
	struct batch b = { .n = 0 };

	reset();
	world.failure = SA_REMOTE;
	add(&b,
	    new_run("{\"application_id\":\"application_1_1\","
		    "\"state\":\"RUNNING\"}"));
	add(&b, new_run("{\"application_id\":\"application_1_2\"}"));
	add(&b, new_run("{\"yarn_rm_url\":null,\"state\":\"RUNNING\"}"));
	int alive = hold_alive(b.ids[2]);
	refresh(f, &b);
	is_int(world.lists + world.looks + world.finds, 1,
	    "a cluster that is away is asked once");
	is_str(b.why[0], "the cluster is away", "the reason");
	is_str(b.why[1], "the cluster is away", "for each");
	is_str(b.why[2], "no ResourceManager", "one without a cluster");
	is_str(state(&b, 0), "RUNNING", "the state stays");
	is_str(stored(b.ids[0]), "RUNNING", "in the store too");
	close(alive);
	release(&b);
	sa_follow_free(f);
}

static void
test_unknown(void)
{
	struct sa_follow *f = sa_follow_new(store, settings);
	char id[] = "j_20261129T101502_ffffff";
	char *ids[] = { id };
	json_t *records[] = { NULL };
	struct sa_err err = SA_ERR_INIT;

	reset();
	is_int(sa_follow_refresh(f, ids, 1, records, NULL, &err), -1,
	    "an unknown job");
	is_int(err.kind, SA_NOT_FOUND, "is not found");
	sa_err_clear(&err);
	sa_follow_free(f);
}

/* ---- finding what was lost */

/* The state after a reconciliation; *job (may be NULL) gets the record. */
static const char *
reconciled(const char *id, long long grace_ms, json_t **job)
{
	static char text[32];
	struct sa_follow *f = sa_follow_new(store, settings);
	struct sa_err err = SA_ERR_INIT;
	json_auto_t *record = NULL;

	if (sa_follow_reconcile(f, id, grace_ms, &record, &err) < 0)
		strlcpy(text, sa_kind_info(err.kind)->name, sizeof(text));
	else
		strlcpy(text, sa_json_str(record, "state"), sizeof(text));
	if (job != NULL)
		*job = sa_steal(&record);
	sa_err_clear(&err);
	sa_follow_free(f);
	return text;
}

/* spark-submit gets an id before it submits anything. */
static void
test_reserved(void)
{
	static const char named[] = "{\"application_id\":\"application_1_1\","
				    "\"state\":\"SUBMITTED\"}";
	json_auto_t *a = NULL;
	const char *id = new_run(named);

	reset();
	int alive = hold_alive(id);
	is_str(reconciled(id, 0, NULL), "SUBMITTED",
	    "an id that is not submitted yet is not lost");
	ended(id, "\"exit_code\":0", 0);
	is_str(reconciled(id, 0, &a), "LOST",
	    "once spark-submit is gone it is");
	ok(strstr(sa_json_str(a, "diagnostics"), "application_1_1") != NULL,
	    "it is named");
	close(alive);
	id = new_run(named);
	ended(id, "\"exit_code\":1", 0);
	is_str(reconciled(id, 0, NULL), "FAILED", "or failed");
}

static void
test_adopt(void)
{
	json_auto_t *a = NULL, *b = NULL;
	const char *id = new_run(NULL);

	reset();
	ended(id, "\"exit_code\":0", 0);
	add_app(tag_of(id), "application_1_1", "RUNNING", "UNDEFINED");
	is_str(reconciled(id, 0, &a), "RUNNING", "one is adopted");
	is_str(stored_str(id, "application_id"), "application_1_1",
	    "its id is kept");
	ok(json_is_null(json_object_get(a, "diagnostics")) ||
		sa_json_str(a, "diagnostics") == NULL,
	    "nothing to say");
	is_str(reconciled(id, 0, NULL), "RUNNING", "again");
	is_int(world.looks, 1, "it is looked at by its id then");

	reset();
	id = new_run(NULL);
	ended(id, "\"exit_code\":1", 0);
	add_app(tag_of(id), "application_1_7", "RUNNING", "UNDEFINED");
	add_app(tag_of(id), "application_1_9", "ACCEPTED", "UNDEFINED");
	add_app(tag_of(id), "application_1_8", "FINISHED", "SUCCEEDED");
	is_str(reconciled(id, 0, &b), "ACCEPTED", "of several the newest");
	is_str(sa_json_str(b, "application_id"), "application_1_9", "its id");
	const char *why = sa_json_str(b, "note");
	ok(why != NULL && strstr(why, "application_1_7 (RUNNING)") != NULL &&
		strstr(why, "application_1_8 (FINISHED)") != NULL,
	    "the others are named");
	is_int(world.kills, 0, "and left alone");
}

static void
test_none(void)
{
	json_auto_t *a = NULL, *b = NULL;
	const char *id = new_run(NULL);

	reset();
	ended(id, "\"exit_code\":0", 0);
	is_str(reconciled(id, 0, &a), "LOST", "nothing was found");
	ok(strstr(sa_json_str(a, "diagnostics"), tag_of(id)) != NULL,
	    "the tag is named");
	is_str(stored(id), "LOST", "it is kept");

	id = new_run(NULL);
	ended(id, "\"exit_code\":2", 0);
	is_str(reconciled(id, 0, &b), "FAILED", "spark-submit failed");
	is_int(sa_json_int(b, "exit_code", 0), 2, "so");

	id = new_run(NULL);
	ended(id, "\"exit_code\":null,\"signal\":9", 0);
	is_str(reconciled(id, 0, NULL), "LOST", "spark-submit was killed");

	id = new_run(NULL);
	ended(id, "\"exit_code\":143,\"timed_out\":true", 0);
	is_str(reconciled(id, 0, NULL), "LOST", "it was ended for its time");

	id = new_run("{\"kill_requested_at\":\"2026-11-29T10:15:30Z\"}");
	ended(id, "\"exit_code\":143", 0);
	is_str(reconciled(id, 0, NULL), "KILLED", "it was to be killed");

	id = new_run(NULL);
	ended(id, "\"exit_code\":0", 0);
	world.counts = false;
	is_str(reconciled(id, 0, NULL), "SUBMITTING",
	    "none of a cluster that starts counts for nothing");
	world.failure = SA_REMOTE;
	is_str(reconciled(id, 0, NULL), "remote", "one that is away too");
	is_str(stored(id), "SUBMITTING", "nothing is kept of that");
}

static void
test_grace(void)
{
	struct sa_follow *f = sa_follow_new(store, settings);
	const char *id = new_run(NULL), *late = new_run(NULL);
	struct batch b = { .n = 0 };

	reset();
	ended(id, "\"exit_code\":0", 20);
	ended(late, "\"exit_code\":0", 100);
	add(&b, id);
	add(&b, late);
	refresh(f, &b);
	is_str(state(&b, 0), "SUBMITTING", "20 s are within the grace");
	is_str(state(&b, 1), "LOST", "100 s are not");
	release(&b);
	sa_follow_free(f);

	id = new_run(NULL);
	int alive = hold_alive(id);
	is_str(reconciled(id, 0, NULL), "SUBMITTING",
	    "a spark-submit that is there may submit yet");
	close(alive);

	/* found in the middle of the grace */
	id = new_run(NULL);
	ended(id, "\"exit_code\":0", 0);
	world.counts = false;
	long long start = sa_clock_ms();
	is_str(reconciled(id, 300, NULL), "SUBMITTING",
	    "asked again and again");
	ok(world.finds >= 4 && sa_clock_ms() - start >= 300,
	    "until the grace is over");
}

static void
test_likely(void)
{
	json_auto_t *a = NULL;
	const char *id = new_run(NULL);

	reset();
	ended(id, "\"exit_code\":null,\"signal\":9", 0);
	add_app(tag_of(id), "driver-1", "RUNNING", "UNDEFINED");
	world.apps[0].marked = false;
	is_str(reconciled(id, 0, &a), "LOST", "what may be it is not adopted");
	ok(strstr(sa_json_str(a, "diagnostics"), "driver-1 (RUNNING)") != NULL,
	    "but named");
	is_int(world.kills, 0, "and not killed");
}

static void
test_wish(void)
{
	static const char wished[] =
	    "{\"kill_requested_at\":\"2026-11-29T10:15:30Z\"}";
	const char *id = new_run(wished);

	reset();
	ended(id, "\"exit_code\":0", 0);
	add_app(tag_of(id), "application_1_1", "ACCEPTED", "UNDEFINED");
	is_str(reconciled(id, 0, NULL), "ACCEPTED", "a late one is adopted");
	is_int(world.kills, 1, "and killed, as was asked");
	is_str(reconciled(id, 0, NULL), "KILLED", "which is seen");

	reset();
	id = new_run(wished);
	ended(id, "\"exit_code\":143", 0);
	is_str(reconciled(id, 0, NULL), "KILLED", "killed before it had an id");
	add_app(tag_of(id), "application_1_2", "RUNNING", "UNDEFINED");
	is_str(reconciled(id, 0, NULL), "KILLED", "one that comes later");
	is_int(world.kills, 1, "is killed");
}

/* ---- killing */

static enum sa_kind
killed(const char *id, bool force, int timeout_ms, json_t **job, bool *was,
    struct sa_err *err)
{
	struct sa_follow *f = sa_follow_new(store, settings);
	bool before = false;

	*err = (struct sa_err)SA_ERR_INIT;
	int rc =
	    sa_follow_kill(f, id, force, 100, timeout_ms, job, &before, err);
	if (was != NULL)
		*was = before;
	sa_follow_free(f);
	return rc == 0 ? SA_OK : err->kind;
}

static void
test_kill(void)
{
	json_auto_t *a = NULL, *b = NULL, *c = NULL;
	const char *id = new_run("{\"application_id\":\"application_1_1\","
				 "\"state\":\"RUNNING\"}");
	struct sa_err err;
	bool before;

	reset();
	ended(id, "\"exit_code\":0", 0);
	add_app(tag_of(id), "application_1_1", "RUNNING", "UNDEFINED");
	world.polls_to_end = 1;
	is_int(killed(id, false, 5000, &a, &before, &err), SA_OK, "a kill");
	ok(!before, "it had not ended");
	is_str(sa_json_str(a, "state"), "KILLED", "until it is seen");
	is_int(world.kills, 1, "asked once");
	ok(sa_json_str(a, "kill_requested_at") != NULL, "the wish is kept");

	is_int(killed(id, false, 0, &b, &before, &err), SA_OK, "again");
	ok(before, "it had ended before");

	reset();
	id = new_run("{\"application_id\":\"application_1_1\"}");
	ended(id, "\"exit_code\":0", 0);
	add_app(tag_of(id), "application_1_1", "FINISHED", "SUCCEEDED");
	is_int(killed(id, false, 0, &c, &before, &err), SA_OK,
	    "one that ended");
	ok(before && world.kills == 0, "unseen is not asked to");
	is_str(sa_json_str(c, "state"), "SUCCEEDED", "how is seen");
	is_str(stored_str(id, "kill_requested_at"), "null", "no wish is kept");
}

static void
test_kill_fails(void)
{
	json_auto_t *a = NULL, *b = NULL, *c = NULL;
	const char *id = new_run("{\"application_id\":\"application_1_1\","
				 "\"state\":\"RUNNING\"}");
	struct sa_err err;

	reset();
	ended(id, "\"exit_code\":0", 0);
	add_app("sa-other", "application_1_1", "RUNNING", "UNDEFINED");
	world.no_kill = SA_REFUSED;
	is_int(killed(id, false, 0, &a, NULL, &err), SA_REFUSED,
	    "what does not carry our tag");
	sa_err_clear(&err);
	is_int(killed(id, true, 1000, &a, NULL, &err), SA_OK, "but by force");
	is_str(stored(id), "KILLED", "it ends");

	reset();
	id = new_run("{\"application_id\":\"application_1_1\","
		     "\"state\":\"RUNNING\"}");
	ended(id, "\"exit_code\":0", 0);
	add_app(tag_of(id), "application_1_1", "RUNNING", "UNDEFINED");
	world.polls_to_end = 1000;
	is_int(killed(id, false, 300, &b, NULL, &err), SA_BUSY, "a time-out");
	ok(strstr(err.msg, "RUNNING") != NULL, "names the state");
	ok(err.detail != NULL, "and has the job");
	sa_err_clear(&err);
	ok(strcmp(stored_str(id, "kill_requested_at"), "null") != 0,
	    "the wish stays");

	reset();
	id = new_run("{\"application_id\":\"application_1_1\","
		     "\"state\":\"RUNNING\"}");
	ended(id, "\"exit_code\":0", 0);
	world.failure = SA_REMOTE;
	is_int(killed(id, false, 100, &c, NULL, &err), SA_BUSY,
	    "a cluster that is away");
	ok(strstr(err.msg, "the cluster is away") != NULL, "is named");
	sa_err_clear(&err);
}

static void
test_kill_early(void)
{
	json_auto_t *a = NULL, *b = NULL;
	const char *id = new_run(NULL);
	struct sa_err err;

	/* two carry the mark and none is known: both go */
	reset();
	ended(id, "\"exit_code\":null,\"signal\":9", 30);
	add_app(tag_of(id), "application_1_1", "RUNNING", "UNDEFINED");
	is_int(killed(id, false, 3000, &a, NULL, &err), SA_OK,
	    "a kill before the id is known");
	is_str(stored(id), "KILLED", "finds it by its mark");
	is_str(stored_str(id, "application_id"), "application_1_1", "its id");

	reset();
	id = new_run(NULL);
	ended(id, "\"exit_code\":143", 30);
	is_int(killed(id, false, 3000, &b, NULL, &err), SA_OK,
	    "a kill before there is one");
	is_str(stored(id), "KILLED", "spark-submit was gone long enough");
}

/* Of a client mode job the driver is ended too. */
static void
test_kill_driver(void)
{
	json_auto_t *a = NULL;
	const char *id =
	    new_run("{\"application_id\":\"application_1_1\","
		    "\"state\":\"RUNNING\",\"deploy_mode\":\"client\"}");
	struct sa_err err;
	struct sa_proc_id me;
	char host[256] = "";
	pid_t pid = fork();

	reset();
	if (pid == 0) {
		setpgid(0, 0);
		for (;;)
			pause();
	}
	setpgid(pid, pid);
	sa_proc_identify(pid, &me);
	gethostname(host, sizeof(host) - 1);
	cleanup_free char *mark = sa_xasprintf(
	    "{\"host\":\"%s\",\"boot_id\":\"%s\",\"pid\":%d,\"pgid\":%d,"
	    "\"start_ticks\":%llu,\"at\":\"2026-11-29T10:15:03Z\"}",
	    host, me.boot_id, (int)pid, (int)pid, me.start_ticks);
	put(id, "exec.json", mark);
	add_app(tag_of(id), "application_1_1", "RUNNING", "UNDEFINED");
	is_int(killed(id, false, 5000, &a, NULL, &err), SA_OK,
	    "a kill in client mode");
	is_int(world.kills, 1, "the cluster is asked");
	ok(waitpid(pid, NULL, WNOHANG) == pid, "and the driver ended");
	is_str(stored(id), "KILLED", "the job is killed");
}

int
main(void)
{
	struct sa_err err = SA_ERR_INIT;

	if (mkdtemp(root) == NULL)
		return 99;
	setenv("SPARK_EXECUTOR_DATA_DIR", root, 1);
	setenv("XDG_CONFIG_HOME", root, 1);
	settings = sa_settings_load(NULL, NULL, &err);
	store = settings != NULL ? sa_store_open(settings, true, &err) : NULL;
	if (store == NULL) {
		printf("Bail out! %s\n", err.msg);
		return 99;
	}
	test_many();
	test_unlisted();
	test_away();
	test_unknown();
	test_reserved();
	test_adopt();
	test_none();
	test_grace();
	test_likely();
	test_wish();
	test_kill();
	test_kill_fails();
	test_kill_early();
	test_kill_driver();
	sa_store_free(store);
	sa_settings_free(settings);
	sa_path_remove_tree(AT_FDCWD, root);
	return tap_done();
}
