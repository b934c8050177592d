/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "base/cli.h"
#include "sandbox/backend.h"
#include "sandbox/session.h"

/* The parts of sa-sandbox. */

#define SANDBOX_TEXT (64 * 1024 * 1024) /* the most that read prints */

/* One that a verb works with; release with sandbox_close. */
struct sandbox {
	const struct sa_backend *b;
	struct sa_box *box;
	char *name;
	long long expires_at;	   /* unix seconds, 0 for no end */
	bool piped;		   /* its record came on stdin */
	struct sa_session session; /* that it is of, if any */
};
#define SANDBOX_NONE                    \
	{                               \
		.session = {.dir = -1 } \
	}
void sandbox_close(struct sandbox *s);
#define cleanup_sandbox __attribute__((cleanup(sandbox_close)))

/* The sandbox of operand 0, or of the record on stdin where there is no
 * operand or it is "-". SA_REFUSED where somebody else holds it. */
int sandbox_subject(struct sa_cli *cli, struct sandbox *out,
    struct sa_err *err);

/* One by its name, whoever holds it. */
int sandbox_find(const struct sa_cli *cli, const char *name,
    struct sandbox *out, struct sa_err *err);

/* The same, SA_REFUSED where somebody else than holder (may be NULL) has it. */
int sandbox_open(const struct sa_cli *cli, const char *name, const char *holder,
    struct sandbox *out, struct sa_err *err);

/* The same of a sandbox record. */
int sandbox_of_record(const struct sa_cli *cli, const json_t *record,
    struct sandbox *out, struct sa_err *err);

/* What --session stands for: the sandbox that the setting mcp_sandbox names,
 * or the one of the session, which is made where it is not there. Afterwards
 * either sandbox_note(), whose text ends the answer, or sandbox_failed(), whose
 * failure it is, tells once that the sandbox is another than before. */
int sandbox_of_session(const struct sa_cli *cli, struct sandbox *out,
    struct sa_err *err);
void sandbox_note(struct sandbox *s);
int sandbox_failed(struct sandbox *s, struct sa_err *err);

/* Adds to a spec what the settings say of a model's sandbox and it does not
 * say itself. */
void sandbox_policy(const struct sa_cli *cli, json_t *spec);

/* What the options, and for a model the settings, say of a new one, and the
 * first option that was given (NULL for none). */
int sandbox_spec(const struct sa_cli *cli, struct sa_spec *out,
    struct sa_err *err);
const char *sandbox_spec_given(const struct sa_cli *cli);

/* A new one. */
int sandbox_create(const struct sa_cli *cli, const struct sa_spec *spec,
    struct sandbox *out, struct sa_err *err);

/*
 * A command on a terminal of its own. Where we are on one, run takes its size
 * and name, and, live, its bytes as they are typed until sandbox_tty_end,
 * which every end has to reach; begin alone leaves it as it was when it fails.
 */
int sandbox_tty_begin(struct sa_run *run, bool live, struct sa_err *err);
void sandbox_tty_end(void);

/* Records that name a sandbox. */
#define SANDBOX_RECORDS "sandbox,exec_result,exec"

/* --timeout, or timeout_seconds of a request, in seconds; none: where it is
 * not given. */
int sandbox_timeout(const struct sa_cli *cli, double none, double *out,
    struct sa_err *err);

/* The exec_result of a command, and the exit status that it is passed on
 * with. applied_s: the time that it had, where that is less than asked, or 0.
 */
#define SANDBOX_OWN_FAILURE 125
json_t *sandbox_result(const char *name, const struct sa_run_result *r,
    bool gone, double applied_s);
/* Its members about the output: of each stream at most so many lines, -1 for
 * as many as a record may have. */
void sandbox_add_output(json_t *j, const struct sa_run_result *r,
    long long lines);

/* The answer as one text, as models read it: the output of a record, and that
 * with how it ended; timeout_s is the time that it had. */
void sandbox_put_output(const json_t *record);
void sandbox_put_result(const json_t *record, const struct sa_run_result *r,
    double timeout_s);

/* Where no record tells it: the hosts that a command that failed did not come
 * to. */
void sandbox_say_not_reached(const struct sa_cli *cli,
    const struct sa_run_result *r);
int sandbox_status(const struct sa_cli *cli, const struct sa_run_result *r);

/* Members of a record that have a text, a line each, for people; the list
 * ends with NULL. */
void sandbox_members(FILE *f, const json_t *record, const char *const *members);

/* The exec record of a detached one, and the answer that it is. */
json_t *sandbox_exec_record(const struct sandbox *s, const struct sa_exec *e);
int sandbox_answer_exec(const struct sa_cli *cli, const json_t *record);

/* The verbs that are not in sa-sandbox.c. */
int sandbox_exec(struct sa_cli *cli, struct sa_err *err);
int sandbox_read(struct sa_cli *cli, struct sa_err *err);
int sandbox_write(struct sa_cli *cli, struct sa_err *err);
int sandbox_ls(struct sa_cli *cli, struct sa_err *err);
int sandbox_logs(struct sa_cli *cli, struct sa_err *err);
int sandbox_wait(struct sa_cli *cli, struct sa_err *err);
int sandbox_kill(struct sa_cli *cli, struct sa_err *err);
int sandbox_list_execs(struct sa_cli *cli, struct sa_err *err);
int sandbox_tools(struct sa_cli *cli, struct sa_err *err);

#endif
