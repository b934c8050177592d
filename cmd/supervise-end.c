/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"
#include "spark/audit.h"
#include "spark/launch.h"
#include "spark/pending.h"
#include "spark/run.h"
#include "supervise.h"

/* How long a full disk may keep the exit record from being written. */
#define KEEP_TRYING_S 60
/* Twice what a search for a lost id may take, and a bit. */
#define ASK_MS 150000

/* The audit's outcome, by a process of its own: looking up who we are loads
 * what we do not want to keep. */
void
supervise_audit(const struct supervisor *v, const char *event, const char *note)
{
	struct sa_err err = SA_ERR_INIT;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (sa_audit_add(v->store, v->settings, event, v->id,
			v->plan_sha256, note, &err) < 0)
			sa_warn("%s: %s", v->id, err.msg);
		_exit(0);
	}
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
}

/* exit.json; why is set where spark-submit was not executed. */
static int
write_exit(const struct supervisor *v, const char *why, struct sa_err *err)
{
	json_auto_t *exit_record = json_object();
	char now[SA_TIME_SIZE];
	bool sig = WIFSIGNALED(v->how);

	sa_clock_now(now);
	json_object_set_new(exit_record, "exit_code",
	    why == NULL && !sig ? json_integer(WEXITSTATUS(v->how))
				: json_null());
	json_object_set_new(exit_record, "signal",
	    why == NULL && sig ? json_integer(WTERMSIG(v->how)) : json_null());
	sa_json_set_str(exit_record, "at", now);
	if (why != NULL)
		sa_json_set_str(exit_record, "error", why);
	if (v->timed_out && *v->scan.id == '\0')
		json_object_set_new(exit_record, "timed_out", json_true());
	cleanup_free char *text = sa_json_text(exit_record);
	return sa_io_replace(v->run, "exit.json", text, strlen(text), 0640,
	    "exit.json", err);
}

/*
 * Whether the cluster has to say more. In cluster mode: where no id was seen,
 * or one that spark-submit may have got for nothing. In client mode: whether
 * a driver that ended with 0 had its application killed, and the words for
 * how any ended.
 */
static bool
has_to_ask(const struct supervisor *v)
{
	bool well = WIFEXITED(v->how) && WEXITSTATUS(v->how) == 0;

	if (v->kind == SA_MASTER_LOCAL)
		return false;
	if (v->in_cluster)
		return *v->scan.id == '\0' || !well;
	return v->kind != SA_MASTER_KUBERNETES && (well || *v->scan.id != '\0');
}

/* What the cluster says goes into the record; sa-yarn is who can ask. */
static void
ask_cluster(const struct supervisor *v)
{
	struct sa_err err = SA_ERR_INIT;
	struct sa_buf said = SA_BUF_INIT(1024);
	cleanup_free char *program = sa_proc_own("sa-yarn", &err);
	cleanup_free char *dir =
	    sa_xasprintf("--data-dir=%s", sa_store_path(v->store));
	cleanup_free char *id = sa_xstrdup(v->id);
	char verb[] = "status", option[] = "--reconcile";
	/* a cluster knows soon that a driver has ended */
	char grace[] = "--grace-seconds=10";
	char *argv[] = { program, verb, dir, option, id,
		v->in_cluster ? NULL : grace, NULL };
	struct sa_proc_spec spec = { .argv = argv,
		.errout = &said,
		.timeout_ms = ASK_MS };
	int status = 0;

	if (program == NULL || sa_proc_run(&spec, &status, &err) < 0)
		sa_warn("%s: the cluster is not asked: %s", v->id, err.msg);
	else if (status != 0)
		sa_warn("%s: the cluster was asked, status %d: %s", v->id,
		    WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		    sa_buf_str(&said));
	sa_buf_release(&said);
	sa_err_clear(&err);
}

/* Whether there was an end to tell of. */
static bool
tell_end(const struct supervisor *v, const json_t *job)
{
	if (!sa_run_is_final(sa_json_str(job, "state")))
		return false;
	sa_event(v->settings, "ended", job);
	return true;
}

int
supervise_finish(struct supervisor *v, const char *why, struct sa_err *err)
{
	json_auto_t *job = NULL, *last = NULL;
	int left = KEEP_TRYING_S;
	bool told;

	while (write_exit(v, why, err) < 0) {
		if (left-- == 0)
			return -1;
		sa_err_clear(err);
		poll(NULL, 0, 1000);
	}
	unlinkat(v->run, SA_PLAN_PROPERTIES, 0);
	if (sa_run_refresh(v->store, v->id, &job, err) < 0)
		return -1;
	/* exit.json is there: whoever looks now sees what can be seen */
	if (why == NULL)
		supervise_hush(v);
	told = tell_end(v, job);
	if (why == NULL && has_to_ask(v))
		ask_cluster(v);
	close(v->alive);
	if (sa_run_refresh(v->store, v->id, &last, err) < 0)
		return -1;
	sa_info("%s: %s", v->id, sa_json_str(last, "state"));
	if (!told)
		tell_end(v, last);
	return 0;
}

void
supervise_give_up(struct supervisor *v, const struct sa_err *why)
{
	struct sa_err err = SA_ERR_INIT;

	sa_error("%s: %s", v->id, why->msg);
	if (supervise_finish(v, why->msg, &err) < 0 ||
	    (*v->pending_id != '\0' &&
		sa_launch_settle(v->store, v->pending_id, why->msg, &err) < 0))
		sa_error("%s: %s", v->id, err.msg);
	supervise_audit(v, "failed", why->msg);
	supervise_tell(v, SA_LAUNCH_FAILED, why->msg);
	sa_err_clear(&err);
}
