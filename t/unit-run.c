/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/text.h"
#include "spark/run.h"
#include "spark/rundiag.h"
#include "spark/runlog.h"
#include "spark/runmark.h"
#include "tap.h"

static char root[] = "/tmp/sa-unit-run.XXXXXX";
static struct sa_store *store;
static unsigned int made;

/* A new run, SUBMITTING; the id is good until the next call. */
static const char *
new_run(const char *extra)
{
	static char id[SA_ID_SIZE];
	json_auto_t *job = sa_json_record("job"), *more = NULL;

	snprintf(id, sizeof(id), "j_20261129T101502_%06x", ++made);
	sa_json_set_str(job, "job_id", id);
	sa_json_set_str(job, "state", "SUBMITTING");
	if (extra != NULL) {
		more = json_loads(extra, 0, NULL);
		json_object_update(job, more);
	}
	cleanup_free char *rel = sa_xasprintf("runs/%s", id);
	cleanup_fd int dir = sa_store_dir(store, rel, true, NULL);
	if (dir < 0 || sa_run_write(store, job, NULL) < 0)
		exit(99);
	return id;
}

static void
put(const char *id, const char *name, const char *text, size_t len)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s", id);
	cleanup_fd int dir = sa_store_dir(store, rel, false, NULL);

	if (sa_io_replace(dir, name, text, len, 0640, name, NULL) < 0)
		exit(99);
}

static void
puts_in(const char *id, const char *name, const char *text)
{
	put(id, name, text, strlen(text));
}

/* exec.json of a process, as if on this host, or on another boot. */
static void
put_mark(const char *id, pid_t pid, const char *boot)
{
	json_auto_t *mark = json_object();
	struct sa_proc_id me;
	char host[256] = "";

	sa_proc_identify(pid, &me);
	gethostname(host, sizeof(host) - 1);
	sa_json_set_str(mark, "host", host);
	sa_json_set_str(mark, "boot_id", boot != NULL ? boot : me.boot_id);
	json_object_set_new(mark, "pid", json_integer(pid));
	json_object_set_new(mark, "pgid", json_integer(pid));
	json_object_set_new(mark, "start_ticks",
	    json_integer((json_int_t)me.start_ticks));
	sa_json_set_str(mark, "at", "2026-11-29T10:15:03Z");
	cleanup_free char *text = sa_json_text(mark);
	puts_in(id, "exec.json", text);
}

static int
hold_alive(const char *id)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s/alive", id);

	return sa_store_lock(store, rel, "alive", NULL);
}

/* The state after a look; *job (may be NULL) gets the record. */
static const char *
state_of(const char *id, json_t **job)
{
	static char state[32];
	json_auto_t *j = NULL, *stored = NULL;
	struct sa_err err = SA_ERR_INIT;

	if (sa_run_refresh(store, id, &j, &err) < 0) {
		snprintf(state, sizeof(state), "%s",
		    sa_kind_info(err.kind)->name);
		return state;
	}
	strlcpy(state, sa_json_str(j, "state"), sizeof(state));
	sa_run_read(store, id, &stored, NULL);
	if (strcmp(sa_json_str(stored, "state"), state) != 0)
		strlcpy(state, "not kept", sizeof(state));
	if (job != NULL)
		*job = sa_steal(&j);
	return state;
}

/* A process in a group of its own that does nothing. */
static pid_t
start_driver(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		for (;;)
			pause();
	}
	setpgid(pid, pid);
	return pid;
}

static void
end_driver(pid_t pid)
{
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
test_exit(void)
{
	json_auto_t *a = NULL, *b = NULL, *c = NULL, *d = NULL, *e = NULL,
		    *f = NULL;
	const char *id = new_run(NULL);

	puts_in(id, "exit.json",
	    "{\"exit_code\":0,\"signal\":null,\"at\":\"2026-11-29T10:16:"
	    "00Z\"}");
	is_str(state_of(id, &a), "SUCCEEDED", "exit 0");
	is_str(sa_json_str(a, "finished_at"), "2026-11-29T10:16:00Z",
	    "it ended when exit.json says");
	is_int(sa_json_int(a, "exit_code", -1), 0, "exit_code");
	ok(json_is_null(json_object_get(a, "diagnostics")), "nothing to say");

	id = new_run(NULL);
	puts_in(id, "exit.json", "{\"exit_code\":3,\"signal\":null}");
	is_str(state_of(id, &b), "FAILED", "exit 3");
	ok(strstr(sa_json_str(b, "diagnostics"), "sys.exit(3)") != NULL,
	    "sys.exit is named");

	id = new_run(NULL);
	puts_in(id, "exit.json", "{\"exit_code\":null,\"signal\":9}");
	is_str(state_of(id, &c), "FAILED", "a signal");
	is_int(sa_json_int(c, "signal", 0), 9, "signal");
	ok(strstr(sa_json_str(c, "diagnostics"), "SIGKILL") != NULL,
	    "the signal is named");

	id = new_run("{\"kill_requested_at\":\"2026-11-29T10:15:30Z\"}");
	puts_in(id, "exit.json", "{\"exit_code\":143}");
	is_str(state_of(id, &d), "KILLED", "exit 143 after a kill");
	is_int(sa_json_int(d, "exit_code", 0), 143, "its exit_code stays");
	ok(strstr(sa_json_str(d, "diagnostics"), "SIGTERM") != NULL,
	    "128+n names the signal");

	id = new_run("{\"kill_requested_at\":\"2026-11-29T10:15:30Z\"}");
	puts_in(id, "exit.json", "{\"exit_code\":0}");
	is_str(state_of(id, NULL), "SUCCEEDED", "exit 0 in spite of a kill");

	id = new_run(NULL);
	puts_in(id, "exit.json", "{\"exit_code\":1}");
	puts_in(id, "stderr", "Error: no class\n");
	is_str(state_of(id, &f), "FAILED", "an error of the JVM");
	is_str(sa_json_str(f, "diagnostics"),
	    "exit status 1: Error: no class\nError: no class", "it is named");

	id = new_run(NULL);
	puts_in(id, "exit.json", "{\"error\":\"no spark, password=x1\"}");
	is_str(state_of(id, &e), "FAILED", "never executed");
	is_str(sa_json_str(e, "diagnostics"), "no spark, password=****",
	    "the reason is there, masked");
}

static void
test_marks(void)
{
	json_auto_t *a = NULL, *b = NULL;
	pid_t driver = start_driver();
	const char *id = new_run(NULL);
	int alive = hold_alive(id);

	is_str(state_of(id, &a), "SUBMITTING", "a supervisor, no mark");
	ok(sa_json_str(a, "checked_at") != NULL, "checked_at is now");
	put_mark(id, driver, NULL);
	is_str(state_of(id, &b), "RUNNING", "a supervisor and a mark");
	is_str(sa_json_str(b, "started_at"), "2026-11-29T10:15:03Z",
	    "started when the mark says");
	close(alive);
	is_str(state_of(id, NULL), "RUNNING", "the supervisor died alone");
	end_driver(driver);
	is_str(state_of(id, NULL), "LOST", "then the driver");
	is_str(state_of(id, NULL), "LOST", "and it stays so");
	puts_in(id, "exit.json", "{\"exit_code\":0}");
	is_str(state_of(id, NULL), "SUCCEEDED", "an exit.json turns up");

	id = new_run(NULL);
	is_str(state_of(id, NULL), "FAILED", "no supervisor, no mark");
	id = new_run("{\"kill_requested_at\":\"2026-11-29T10:15:30Z\"}");
	is_str(state_of(id, NULL), "KILLED", "killed before it ran");

	id = new_run(NULL);
	put_mark(id, getpid(), "00000000-0000-0000-0000-000000000000");
	is_str(state_of(id, NULL), "LOST", "a mark of another boot");
}

/* What of a job on a cluster can be told without asking that. */
static void
test_clusters(void)
{
	static const char client[] =
	    "{\"master\":\"yarn\",\"deploy_mode\":\"client\"}";
	static const char killed[] =
	    "{\"master\":\"yarn\",\"deploy_mode\":\"client\","
	    "\"yarn_state\":\"FINISHED\",\"final_status\":\"KILLED\"}";
	static const char cluster[] =
	    "{\"master\":\"yarn\",\"deploy_mode\":\"cluster\"}";
	static const char wished[] =
	    "{\"master\":\"yarn\",\"deploy_mode\":\"cluster\","
	    "\"kill_requested_at\":\"2026-11-29T10:15:30Z\"}";
	json_auto_t *a = NULL, *b = NULL;

	const char *id = new_run(client);
	int alive = hold_alive(id);
	puts_in(id, "exit.json", "{\"exit_code\":0}");
	is_str(state_of(id, NULL), "SUBMITTING",
	    "client mode: ended with 0, the cluster is being asked");
	close(alive);
	is_str(state_of(id, NULL), "SUCCEEDED", "it was asked");
	id = new_run(client);
	alive = hold_alive(id);
	puts_in(id, "exit.json", "{\"exit_code\":3}");
	is_str(state_of(id, NULL), "FAILED", "a failure needs no asking");
	close(alive);
	id = new_run(killed);
	puts_in(id, "exit.json", "{\"exit_code\":0}");
	is_str(state_of(id, &a), "KILLED", "the cluster's KILLED beats a 0");
	is_int(sa_json_int(a, "exit_code", -1), 0, "which stays in the record");
	id = new_run(client);
	puts_in(id, "exit.json", "{\"exit_code\":143,\"timed_out\":true}");
	is_str(state_of(id, &b), "FAILED", "no id in time");
	ok(strstr(sa_json_str(b, "diagnostics"), "no application id in time"),
	    "that is said");

	id = new_run("{\"master\":\"k8s://h\",\"deploy_mode\":\"client\"}");
	alive = hold_alive(id);
	put_mark(id, getpid(), NULL);
	is_str(state_of(id, NULL), "RUNNING",
	    "client mode on Kubernetes: the driver is all there is");
	close(alive);

	id = new_run(cluster);
	alive = hold_alive(id);
	is_str(state_of(id, NULL), "SUBMITTING", "cluster mode: no mark yet");
	put_mark(id, getpid(), NULL);
	is_str(state_of(id, NULL), "SUBMITTING", "a mark says nothing");
	close(alive);
	is_str(state_of(id, NULL), "SUBMITTING",
	    "nor does a supervisor that died");
	puts_in(id, "exit.json", "{\"exit_code\":0}");
	is_str(state_of(id, NULL), "SUBMITTING", "nor a 0 of spark-submit");
	puts_in(id, "exit.json", "{\"exit_code\":1}");
	is_str(state_of(id, NULL), "SUBMITTING", "nor another status");
	id = new_run(cluster);
	puts_in(id, "exit.json", "{\"error\":\"no spark-submit\"}");
	is_str(state_of(id, NULL), "FAILED", "what was not executed failed");
	id = new_run(cluster);
	is_str(state_of(id, NULL), "FAILED", "what was never begun failed");
	id = new_run(wished);
	is_str(state_of(id, NULL), "KILLED", "or was killed before");
}

/* A group's number that another process has now: nothing lives. */
static void
test_reuse(void)
{
	struct sa_run_mark m = { .there = true, .here = true };
	pid_t driver = start_driver();

	sa_proc_identify(driver, &m.driver);
	m.pgid = driver;
	ok(sa_run_driver_lives(&m), "a driver lives");
	m.driver.start_ticks++;
	ok(!sa_run_driver_lives(&m), "another process of that number does not");
	m.driver.start_ticks--;
	m.here = false;
	ok(!sa_run_driver_lives(&m), "nor one of another boot");
	end_driver(driver);
	m.here = true;
	ok(!sa_run_driver_lives(&m), "nor a dead one");
}

static void
test_bad(void)
{
	const char *id = new_run(NULL);

	is_str(state_of("j_20261129T101502_ffffff", NULL), "not_found",
	    "an unknown id");
	is_str(state_of("../runs", NULL), "not_found", "no id at all");
	puts_in(id, "exec.json",
	    "{\"host\":\"x\",\"boot_id\":\"y\",\"pid\":1,"
	    "\"pgid\":1,\"start_ticks\":1}");
	is_str(state_of(id, NULL), "invalid", "a mark that would be everybody");
	puts_in(id, "exec.json", "{");
	is_str(state_of(id, NULL), "invalid", "a torn mark");

	json_auto_t *none = NULL, *bad = sa_json_record("job");
	struct sa_err err = SA_ERR_INIT;
	int lock = -1;
	ok(sa_run_lock(store, "j_20261129T101502_ffffff", &lock, &none, &err) <
		    0 &&
		err.kind == SA_NOT_FOUND,
	    "no lock of an unknown id");
	ok(sa_run_lock(store, "x", &lock, &none, &err) < 0 &&
		err.kind == SA_NOT_FOUND,
	    "nor of no id");
	is_int(lock, -1, "none is held");
	sa_json_set_str(bad, "job_id", "../x");
	ok(sa_run_write(store, bad, &err) < 0 && err.kind == SA_INTERNAL,
	    "no record is written anywhere else");
}

static void
diagnosed(const char *out, const char *err, const char *headline,
    const char *text, const char *name)
{
	const char *id = new_run(NULL);
	struct sa_rundiag d;

	puts_in(id, "stdout", out);
	puts_in(id, "stderr", err);
	sa_rundiag_read(store, id, &d);
	is_str(d.headline, headline, name);
	is_str(d.text, text, name);
	sa_rundiag_release(&d);
}

static void
test_diagnose(void)
{
	diagnosed("", "", "", "", "nothing");
	diagnosed("rows: 3\n"
		  "Traceback (most recent call last):\n"
		  "  File \"a.py\", line 1, in <module>\n"
		  "    1/0\n"
		  "ZeroDivisionError: division by zero\n",
	    "26/11/29 10:15:30 ERROR Utils: later\n",
	    "ZeroDivisionError: division by zero",
	    "Traceback (most recent call last):\n"
	    "  File \"a.py\", line 1, in <module>\n"
	    "    1/0\n"
	    "ZeroDivisionError: division by zero",
	    "a traceback");
	diagnosed("Traceback (most recent call last):\n  File \"x\"\n"
		  "KeyError: 'a'\n\n"
		  "Traceback (most recent call last):\n  File \"y\"\n"
		  "py4j.Err: called o1.\n: java.X: token=abc\n"
		  "\tat a.b(C.java:1)\n\t... 4 more\n",
	    "", "py4j.Err: called o1.",
	    "Traceback (most recent call last):\n  File \"y\"\n"
	    "py4j.Err: called o1.\n: java.X: token=****",
	    "the last of two, without the JVM's frames, masked");
	diagnosed("  File \"a.py\", line 2\n    for\n       ^\n"
		  "SyntaxError: invalid syntax\n",
	    "", "SyntaxError: invalid syntax",
	    "  File \"a.py\", line 2\n    for\n       ^\n"
	    "SyntaxError: invalid syntax",
	    "a syntax error");
	diagnosed("out\n",
	    "26/11/29 10:15:30 INFO X: fine\n"
	    "Exception in thread \"main\" SparkException: no master\n"
	    "\tat x.y(Z.scala:1)\n",
	    "Exception in thread \"main\" SparkException: no master",
	    "Exception in thread \"main\" SparkException: no master",
	    "the JVM's error");
	diagnosed("a\nb\nc\nd\n\n", "26/11/29 10:15:30 INFO X: fine\n", "b",
	    "b\nc\nd", "the last lines of all");
}

static void
test_long_diagnosis(void)
{
	const char *id = new_run(NULL);
	struct sa_buf b = SA_BUF_INIT(1 << 20);

	sa_buf_adds(&b, "Traceback (most recent call last):\n");
	for (int i = 0; i < 2000; i++)
		sa_buf_addf(&b, "  File \"%d\"\n", i);
	sa_buf_adds(&b, "E: x\xc3\xa9\xff end\n");
	put(id, "stdout", b.s, b.len);
	sa_buf_release(&b);
	cleanup_free char *text = sa_run_diagnose(store, id);
	ok(strlen(text) <= 4096, "a diagnosis is bounded");
	ok(strncmp(text, "  File \"", 8) == 0, "begins with a line");
	ok(strstr(text, "E: x\xc3\xa9\xef\xbf\xbd end") != NULL,
	    "ends with the end, as UTF-8");

	id = new_run(NULL);
	sa_buf_init(&b, 1 << 20);
	sa_buf_add(&b, "\0x", 2);
	for (int i = 0; i < 4000; i++)
		sa_buf_adds(&b, "\xc3\xa9");
	put(id, "stdout", b.s, b.len);
	sa_buf_release(&b);
	cleanup_free char *wide = sa_run_diagnose(store, id);
	is_int(strlen(wide), 4096, "one long line is cut");
	ok(sa_text_is_utf8(wide, strlen(wide)), "between characters");
}

int
main(void)
{
	struct sa_err err = SA_ERR_INIT;

	if (mkdtemp(root) == NULL)
		return 99;
	setenv("SPARK_EXECUTOR_DATA_DIR", root, 1);
	setenv("XDG_CONFIG_HOME", root, 1);
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	store = s != NULL ? sa_store_open(s, true, &err) : NULL;
	if (store == NULL) {
		printf("Bail out! %s\n", err.msg);
		return 99;
	}
	test_exit();
	test_marks();
	test_clusters();
	test_reuse();
	test_bad();
	test_diagnose();
	test_long_diagnosis();
	sa_store_free(store);
	sa_settings_free(s);
	sa_path_remove_tree(AT_FDCWD, root);
	return tap_done();
}
