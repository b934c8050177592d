/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/json.h"
#include "base/log.h"
#include "base/record.h"
#include "base/term.h"
#include "base/text.h"
#include "spark/approval.h"
#include "spark/audit.h"
#include "spark/launch.h"
#include "spark/pending.h"
#include "spark/review.h"
#include "spark/run.h"

#define ANSWER_LENGTH 4 /* the last digits of the plan's hash */

/* What each verb but audit works on. */
struct subject {
	struct sa_store *st;
	const struct sa_settings *settings;
	char *id;
	json_t *pending;
};

static void
subject_release(struct subject *s)
{
	json_decref(s->pending);
	free(s->id);
	sa_store_free(s->st);
}
#define cleanup_subject __attribute__((cleanup(subject_release)))

/*
 * The pending, from the store: of a piped record only the id counts. What
 * the caller saw of it, a record's plan hash or --plan, has to be what it is.
 */
static int
get_subject(struct sa_cli *cli, struct subject *s, bool plan_option,
    struct sa_err *err)
{
	json_auto_t *record = NULL;

	s->settings = sa_cli_settings(cli);
	if (sa_cli_subject(cli, "pending,approval", "pending_id", &s->id,
		&record, err) < 0)
		return -1;
	s->st = sa_store_open(s->settings, false, err);
	if (s->st == NULL ||
	    sa_pending_read(s->st, s->id, &s->pending, err) < 0)
		return -1;
	const char *hash = sa_json_str(s->pending, "plan_sha256");
	const char *seen[] = { sa_json_str(record, "plan_sha256"),
		plan_option ? sa_cli_str(cli, "plan") : NULL };
	for (int i = 0; i < 2; i++)
		if (seen[i] != NULL && strcmp(seen[i], hash) != 0) {
			sa_err_set(err, SA_REFUSED,
			    "the plan of %s is %s, not '%s'", s->id, hash,
			    seen[i]);
			return sa_err_hint(err,
			    "what was seen is not what would run; review it "
			    "again");
		}
	return 0;
}

static bool
is_open(const json_t *pending)
{
	return sa_pending_must_be_open(pending, NULL) == 0;
}

static bool
is_agent(const struct subject *s)
{
	return sa_settings_origin(s->settings) == SA_ORIGIN_AGENT;
}

static int
answer_pending(const struct sa_cli *cli, const struct subject *s, int code)
{
	json_auto_t *shown = sa_pending_masked(s->pending);

	sa_cli_answer(cli, shown, NULL);
	return code;
}

/* Through the pager, on stdout where that is a terminal; else, when to_tty is
 * set, on the terminal that will be asked at. */
static int
page(const char *text, bool to_tty, struct sa_err *err)
{
	struct sa_pager pager;
	cleanup_fd int saved = -1;

	if (to_tty && !isatty(STDOUT_FILENO)) {
		cleanup_fd int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
		saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (tty < 0 || saved < 0 || dup2(tty, STDOUT_FILENO) < 0)
			return sa_err_set(err, SA_IO,
			    "cannot show the review at the terminal");
	}
	sa_term_page(&pager);
	fputs(text, pager.stream);
	fflush(pager.stream);
	sa_term_page_end(&pager);
	if (saved >= 0 && dup2(saved, STDOUT_FILENO) < 0)
		return sa_err_set(err, SA_IO, "cannot go back to stdout");
	return 0;
}

/* What a yes is about, and what a yes is. */
static char *
question(const json_t *pending, const char *what)
{
	const char *name = sa_json_str(sa_json_obj(pending, "plan"), "name");
	cleanup_free char *clean = sa_text_visible(name != NULL ? name : "?");

	return sa_xasprintf(
	    "%s %s: '%s' on %s?\nplan hash: %s\ntype the hash's last %d "
	    "characters to %s, anything else to leave it: ",
	    what, sa_json_str(pending, "pending_id"), clean,
	    sa_json_str(pending, "connection"),
	    sa_json_str(pending, "plan_sha256"), ANSWER_LENGTH, what);
}

/* Shows the review and asks. 1: yes; 0: no. */
static int
ask(const struct sa_cli *cli, const struct subject *s, const char *what,
    struct sa_err *err)
{
	const char *hash = sa_json_str(s->pending, "plan_sha256");
	const char *code = hash + strlen(hash) - ANSWER_LENGTH;
	cleanup_free char *text = NULL;
	struct sa_err local = SA_ERR_INIT;
	char answer[64] = "";

	if (sa_review_text(s->st, s->pending, &text, err) < 0 ||
	    page(text, true, err) < 0)
		return -1;
	cleanup_free char *prompt = question(s->pending, what);
	if (sa_term_ask(prompt, answer, sizeof(answer), &local) < 0)
		sa_cli_say(cli, "%s: %s", s->id, local.msg);
	sa_err_clear(&local);
	return strcmp(answer, code) == 0;
}

/* Whether it may go on: --yes, or a person at a terminal. 1: yes; 0: no, and
 * why was said. */
static int
agreed(const struct sa_cli *cli, const struct subject *s, const char *what,
    const char *verb, struct sa_err *err)
{
	if (sa_cli_flag(cli, "yes"))
		return 1;
	if (!sa_term_can_ask()) {
		sa_cli_say(cli,
		    "%s stays PENDING: no terminal in whose foreground to ask; "
		    "run 'sa-confirm %s%s' at one, or 'sa-confirm %s--yes %s' "
		    "when it was reviewed",
		    s->id, verb, s->id, verb, s->id);
		return 0;
	}
	int rc = ask(cli, s, what, err);
	if (rc == 0)
		sa_cli_say(cli,
		    "%s stays PENDING: the answer was no; 'sa-confirm reject "
		    "%s' ends it",
		    s->id, s->id);
	return rc;
}

static int
dry_run(const struct sa_cli *cli, const struct subject *s, struct sa_err *err)
{
	if (sa_pending_must_be_open(s->pending, err) < 0 ||
	    sa_plan_verify(s->st, s->settings, s->pending, err) < 0)
		return -1;
	cleanup_free char *line = sa_plan_command_line(s->st, s->pending);
	if (sa_cli_flag(cli, "json")) {
		json_auto_t *shown = sa_pending_masked(s->pending);
		sa_json_set_str(shown, "command_line", line);
		return sa_cli_answer(cli, shown, NULL);
	}
	sa_term_put(stdout, line, strlen(line));
	putchar('\n');
	return 0;
}

static int
submit(const struct sa_cli *cli, const struct subject *s, bool asked,
    struct sa_err *err)
{
	struct sa_launch l = SA_LAUNCH_INIT;
	struct sa_launch_options options = {
		.plan = sa_json_str(s->pending, "plan_sha256"),
		.once = sa_cli_flag(cli, "once"),
		.asked = asked,
	};
	int rc = sa_launch_claim(s->st, s->settings, s->id, &options, &l, err);

	if (rc == 0 && !l.existed) {
		rc = sa_launch_start(s->st, s->settings, &l, err);
		if (rc == 0) {
			sa_cli_say(cli, "submitted %s",
			    sa_json_str(l.job, "job_id"));
			sa_event(s->settings, "submitted", l.job);
		}
	} else if (rc == 0)
		sa_cli_say(cli, "%s was submitted before, as %s", s->id,
		    sa_json_str(l.job, "job_id"));
	if (rc == 0)
		sa_cli_answer(cli, l.job, sa_run_text);
	sa_launch_release(&l);
	return rc;
}

static int
confirm(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_subject struct subject s = { NULL, NULL, NULL, NULL };

	if (get_subject(cli, &s, true, err) < 0)
		return -1;
	if (sa_cli_flag(cli, "dry-run"))
		return dry_run(cli, &s, err);
	/* an agent is not asked: the policy wants an approval of it */
	if (is_agent(&s) || !is_open(s.pending))
		return submit(cli, &s, false, err);
	int rc = agreed(cli, &s, "submit", "", err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return answer_pending(cli, &s, sa_kind_info(SA_NO)->code);
	return submit(cli, &s, true, err);
}

static int
review(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_subject struct subject s = { NULL, NULL, NULL, NULL };
	cleanup_free char *text = NULL;

	if (get_subject(cli, &s, false, err) < 0)
		return -1;
	int rc = sa_cli_flag(cli, "diff")
	    ? sa_review_diff(s.st, s.pending, &text, err)
	    : sa_review_text(s.st, s.pending, &text, err);
	if (rc < 0)
		return -1;
	if (sa_cli_flag(cli, "json")) {
		json_auto_t *shown = sa_pending_masked(s.pending);
		cleanup_free char *line = sa_plan_command_line(s.st, s.pending);
		sa_json_set_str(shown, "command_line", line);
		sa_json_set_str(shown,
		    sa_cli_flag(cli, "diff") ? "diff" : "review", text);
		return sa_cli_answer(cli, shown, NULL);
	}
	return page(text, false, err);
}

static int
approve(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_subject struct subject s = { NULL, NULL, NULL, NULL };
	json_auto_t *approval = NULL;

	if (get_subject(cli, &s, true, err) < 0)
		return -1;
	if (is_agent(&s))
		return sa_err_set(err, SA_REFUSED,
		    "%s is approved by a person or not at all", s.id);
	if (sa_pending_must_be_open(s.pending, err) < 0)
		return -1;
	int rc = agreed(cli, &s, "approve", "approve ", err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return answer_pending(cli, &s, sa_kind_info(SA_NO)->code);
	const char *hash = sa_json_str(s.pending, "plan_sha256");
	if (sa_audit_add(s.st, s.settings, "approve", s.id, hash, NULL, err) <
		0 ||
	    sa_approval_write(s.st, s.settings, s.pending, &approval, err) <
		0 ||
	    sa_audit_add(s.st, s.settings, "approved", s.id, hash, NULL, err) <
		0)
		return -1;
	sa_cli_say(cli, "approved %s until %s", s.id,
	    sa_json_str(approval, "expires_at"));
	sa_event(s.settings, "approved", approval);
	return sa_cli_answer(cli, approval, NULL);
}

/* Under the lock: of reject and confirm one wins. */
static int
cancel(const struct subject *s, const char *reason, json_t **out,
    struct sa_err *err)
{
	json_auto_t *pending = NULL;
	cleanup_fd int lock = -1;

	if (sa_pending_lock(s->st, s->id, &lock, &pending, err) < 0)
		return -1;
	const char *hash = sa_json_str(pending, "plan_sha256");
	if (sa_pending_must_be_open(pending, err) < 0 ||
	    sa_audit_add(s->st, s->settings, "reject", s->id, hash, reason,
		err) < 0)
		return -1;
	sa_json_set_str(pending, "status", "CANCELLED");
	sa_json_set_str(pending, "reason", reason);
	if (sa_pending_write(s->st, pending, err) < 0 ||
	    sa_audit_add(s->st, s->settings, "rejected", s->id, hash, reason,
		err) < 0)
		return -1;
	*out = sa_steal(&pending);
	return 0;
}

static int
reject(struct sa_cli *cli, struct sa_err *err)
{
	cleanup_subject struct subject s = { NULL, NULL, NULL, NULL };
	const char *reason = sa_cli_str(cli, "reason");
	json_t *now = NULL;

	if (get_subject(cli, &s, false, err) < 0 ||
	    cancel(&s, reason ? reason : "rejected by the reviewer", &now,
		err) < 0)
		return -1;
	json_decref(s.pending);
	s.pending = now;
	json_auto_t *shown = sa_pending_masked(now);
	sa_event(s.settings, "rejected", shown);
	return answer_pending(cli, &s, 0);
}

static void
check_text(FILE *f, const json_t *record)
{
	json_t *item;
	size_t i;

	json_array_foreach (json_object_get(record, "items"), i, item)
		fprintf(f, "%-6s %s: %s\n",
		    sa_json_bool(item, "ok", false) ? "ok" : "BROKEN",
		    sa_json_str(item, "name"), sa_json_str(item, "detail"));
}

static int
audit(struct sa_cli *cli, struct sa_err *err)
{
	struct sa_store *st = sa_store_open(sa_cli_settings(cli), false, err);
	json_auto_t *check = NULL;
	int rc;

	if (st == NULL)
		return -1;
	if (sa_cli_flag(cli, "verify")) {
		rc = sa_audit_verify(st, &check, err);
		if (rc >= 0)
			sa_cli_answer(cli, check, check_text);
	} else
		rc = sa_audit_list(st, cli, err);
	sa_store_free(st);
	return rc;
}

static const struct sa_verb verbs[] = {
	{ "confirm", "[PENDING_ID]", 0, 1, SA_VERB_REQUEST, "pending_id",
	    "review a pending, ask, and submit it", confirm },
	{ "review", "[PENDING_ID]", 0, 1, SA_VERB_REQUEST, "pending_id",
	    "show what would run", review },
	{ "approve", "[PENDING_ID]", 0, 1, 0, "pending_id",
	    "let somebody else submit it", approve },
	{ "reject", "[PENDING_ID]", 0, 1, SA_VERB_REQUEST, "pending_id",
	    "cancel it, with a reason", reject },
	{ "audit", "", 0, 0, SA_VERB_REQUEST, NULL,
	    "list what was prepared, approved and submitted by whom", audit },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const struct sa_opt opts[] = {
	{ "yes", 'y', SA_OPT_FLAG, 0, "confirm,approve", NULL,
	    "do not ask: it was reviewed", 0, 0 },
	{ "plan", 0, SA_OPT_STRING, 0, "confirm,approve", "HASH",
	    "only if the plan's SHA-256 is this one", 0, 0 },
	{ "once", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "confirm", NULL,
	    "one that was submitted before is a success: its job is the answer",
	    0, 0 },
	{ "dry-run", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "confirm", NULL,
	    "check everything and print the command line, submit nothing", 0,
	    0 },
	{ "diff", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "review", NULL,
	    "only what differs from the last run of that name", 0, 0 },
	{ "reason", 0, SA_OPT_STRING, SA_OPT_REQUEST, "reject", "TEXT",
	    "why; kept in the pending", 0, 0 },
	{ "verify", 0, SA_OPT_FLAG, SA_OPT_REQUEST, "audit", NULL,
	    "check the hash chain instead", 0, 0 },
	SA_CLI_LIST_OPTS("audit"),
	{ NULL, 0, SA_OPT_FLAG, 0, NULL, NULL, NULL, 0, 0 },
};

static const struct sa_command command = {
	.name = "sa-confirm",
	.summary = "review, approve and submit what sa-prepare made",
	.verbs = verbs,
	.opts = opts,
	.at_terminal = NULL,
	.otherwise = "confirm",
};

int
main(int argc, char *argv[])
{
	return sa_cli_main(&command, argc, argv);
}
