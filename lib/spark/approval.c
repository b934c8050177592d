/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/approval.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/proc.h"
#include "spark/audit.h"

#define DIR_NAME "approvals"
#define NAMESPACE "sa-approval"
#define APPROVAL_MAX 65536
#define VERIFY_MS 10000
#define GROUPS_MAX 1024

/* What the operator has left out is no matter of an agent's: the hint, set
 * before, is not for it. Always -1. */
static int
incomplete(struct sa_err *err)
{
	return sa_err_agent_hint(err,
	    "the settings by which people approve are not complete; tell the "
	    "user, who has to see to that");
}

/* What ssh-keygen signs and verifies: the approval without its signature. */
static char *
signed_text(const json_t *approval)
{
	json_auto_t *copy = json_copy((json_t *)(uintptr_t)approval);

	json_object_del(copy, "signature");
	return sa_json_canonical(copy);
}

static char *
keygen_path(struct sa_err *err)
{
	char *path = sa_proc_find("ssh-keygen");

	if (path == NULL) {
		sa_err_set(err, SA_CONFIG,
		    "confirm is 'signed' but what checks signatures is not in "
		    "PATH");
		sa_err_hint(err, "install ssh-keygen, of the OpenSSH client");
		incomplete(err);
	}
	return path;
}

/* The child of sign(): in our process group, so that ssh-keygen can ask for
 * the passphrase at the terminal. */
static void
exec_keygen(const char *keygen, const char *key, int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execl(keygen, "ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n",
	    NAMESPACE, (char *)NULL);
	_exit(127);
}

/* The text is smaller than a pipe, so it goes in before anything is read. */
static int
sign(const char *keygen, const char *key, const char *text,
    struct sa_buf *signature, struct sa_err *err)
{
	int in[2], out[2], status;

	if (pipe2(in, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	cleanup_fd int in_r = in[0], in_w = in[1];
	if (pipe2(out, O_CLOEXEC) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a pipe");
	cleanup_fd int out_r = out[0], out_w = out[1];
	if (sa_io_write_fd(in_w, text, strlen(text), "ssh-keygen", err) < 0)
		return -1;
	pid_t pid = fork();
	if (pid < 0)
		return sa_err_errno(err, SA_BUSY, errno, "cannot fork");
	if (pid == 0)
		exec_keygen(keygen, key, in_r, out_w);
	close(in_w);
	close(out_w);
	in_w = out_w = -1;
	int rc = sa_io_read_fd(out_r, signature, "the signature", err);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (rc == 0 && (status != 0 || signature->len == 0))
		rc = sa_err_set(err, SA_CONFIG,
		    "ssh-keygen cannot sign with the key '%s'", key);
	return rc;
}

static int
add_signature(const struct sa_settings *s, json_t *approval, struct sa_err *err)
{
	const char *key = sa_settings_get(s, SA_SET_SIGNING_KEY);
	cleanup_buf struct sa_buf signature = SA_BUF_INIT(APPROVAL_MAX / 2);

	if (*key == '\0') {
		sa_err_set(err, SA_CONFIG,
		    "confirm is 'signed' but signing_key is not set");
		return sa_err_hint(err,
		    "set signing_key in the configuration file to an SSH "
		    "key's path");
	}
	cleanup_free char *keygen = keygen_path(err);
	cleanup_free char *text = signed_text(approval);
	if (keygen == NULL || sign(keygen, key, text, &signature, err) < 0)
		return -1;
	sa_json_set_str(approval, "signature", sa_buf_str(&signature));
	return 0;
}

static json_t *
new_approval(const struct sa_settings *s, const json_t *pending)
{
	json_t *approval = sa_json_record("approval");
	json_auto_t *actor = sa_audit_actor(s);
	json_t *by = json_object();
	const char *limit = sa_json_str(pending, "expires_at");
	char now[SA_TIME_SIZE], until[SA_TIME_SIZE];
	time_t t = time(NULL), end;

	sa_clock_format(t, now);
	t += (time_t)sa_settings_number(s, SA_SET_APPROVAL_TTL);
	if (sa_clock_parse(limit, &end) && end < t)
		t = end;
	sa_clock_format(t, until);
	json_object_set(by, "uid", json_object_get(actor, "uid"));
	json_object_set(by, "user", json_object_get(actor, "user"));
	json_object_set(by, "tty", json_object_get(actor, "tty"));
	json_object_set(by, "sudo_user", json_object_get(actor, "sudo_user"));
	sa_json_set_str(approval, "pending_id",
	    sa_json_str(pending, "pending_id"));
	sa_json_set_str(approval, "plan_sha256",
	    sa_json_str(pending, "plan_sha256"));
	json_object_set_new(approval, "approved_by", by);
	sa_json_set_str(approval, "approved_at", now);
	sa_json_set_str(approval, "expires_at", until);
	sa_json_set_str(approval, "signature", NULL);
	return approval;
}

static char *
file_name(const json_t *pending)
{
	const char *id = sa_json_str(pending, "pending_id");

	return sa_xasprintf("%s.json", id != NULL ? id : "");
}

/* The stored approval and the uid that owns it, of one open file. */
static int
load(const struct sa_store *st, const char *name, json_t **out, uid_t *owner,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(APPROVAL_MAX);
	json_auto_t *approval = NULL;
	cleanup_fd int dir = sa_store_dir(st, DIR_NAME, false, err);
	struct stat sb;

	if (dir < 0)
		return -1;
	cleanup_fd int fd =
	    sa_path_open_beneath(dir, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return sa_err_errno(err, errno == ENOENT ? SA_NOT_FOUND : SA_IO,
		    errno, "cannot open '%s/%s'", DIR_NAME, name);
	if (fstat(fd, &sb) < 0 || !S_ISREG(sb.st_mode) || sb.st_nlink != 1)
		return sa_err_set(err, SA_INVALID,
		    "'%s/%s' is not a plain file of its own", DIR_NAME, name);
	if (sa_io_read_fd(fd, &b, name, err) < 0 ||
	    sa_json_parse(sa_buf_str(&b), b.len, name, &approval, err) < 0 ||
	    sa_json_check_record(approval, "approval", false, name, err) < 0)
		return -1;
	*owner = sb.st_uid;
	*out = sa_steal(&approval);
	return 0;
}

static bool
same(const json_t *a, const json_t *b, const char *member)
{
	const char *x = sa_json_str(a, member), *y = sa_json_str(b, member);

	return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* Whether it is about this plan of this pending, and not too old. */
static int
check_content(const json_t *approval, const json_t *pending, struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	const char *until = sa_json_str(approval, "expires_at");
	time_t end;

	if (!same(approval, pending, "pending_id"))
		return sa_err_set(err, SA_REFUSED,
		    "the approval of %s is one of another pending", id);
	if (!same(approval, pending, "plan_sha256"))
		return sa_err_set(err, SA_REFUSED,
		    "the approval of %s is for another plan, %.64s", id,
		    sa_json_str(approval, "plan_sha256"));
	if (!sa_clock_parse(until, &end) || end <= time(NULL))
		return sa_err_set(err, SA_REFUSED,
		    "the approval of %s expired at %s", id,
		    until ? until : "an unknown time");
	return 0;
}

static int
check_group(const char *group, uid_t owner, struct sa_err *err)
{
	const struct group *gr = getgrnam(group);
	const struct passwd *pw = getpwuid(owner);
	int n = GROUPS_MAX;

	if (gr == NULL) {
		sa_err_set(err, SA_CONFIG,
		    "there is no group '%s' (setting approvers)", group);
		sa_err_hint(err, "make it, of those who review");
		return incomplete(err);
	}
	gid_t wanted = gr->gr_gid;
	cleanup_free gid_t *gids = sa_xcalloc(GROUPS_MAX, sizeof(*gids));
	if (pw != NULL && getgrouplist(pw->pw_name, pw->pw_gid, gids, &n) < 0)
		n = GROUPS_MAX;
	for (int i = 0; pw != NULL && i < n; i++)
		if (gids[i] == wanted)
			return 0;
	return sa_err_set(err, SA_REFUSED,
	    "uid %ld, who approved, is not in the group '%s'", (long)owner,
	    group);
}

static int
check_owner(const struct sa_settings *s, const char *id, uid_t owner,
    struct sa_err *err)
{
	const char *group = sa_settings_get(s, SA_SET_APPROVERS);

	if (owner == geteuid())
		return sa_err_set(err, SA_REFUSED,
		    "the approval of %s is by uid %ld, who also confirms", id,
		    (long)owner);
	return *group != '\0' ? check_group(group, owner, err) : 0;
}

/* Runs ssh-keygen over the signed text; out gets what it prints. */
static int
keygen(char *const argv[], const char *text, struct sa_buf *out,
    struct sa_err *err)
{
	struct sa_proc_spec spec = {
		.argv = argv,
		.input = text,
		.input_len = strlen(text),
		.out = out,
		.errout = out,
		.timeout_ms = VERIFY_MS,
	};
	int status;

	if (sa_proc_run(&spec, &status, err) < 0)
		return -1;
	return status == 0 ? 0 : 1;
}

/* The signature is handed over as a file that has no name anywhere. */
static int
signature_file(const char *signature, char path[64], struct sa_err *err)
{
	int fd = memfd_create("signature", MFD_CLOEXEC);

	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot keep a signature in memory");
	if (sa_io_write_fd(fd, signature, strlen(signature), "the signature",
		err) < 0) {
		close(fd);
		return -1;
	}
	snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

static int
check_signature(const struct sa_settings *s, const json_t *approval,
    const char *id, struct sa_err *err)
{
	const char *signers = sa_settings_get(s, SA_SET_ALLOWED_SIGNERS);
	const char *signature = sa_json_str(approval, "signature");
	cleanup_buf struct sa_buf who = SA_BUF_INIT(4096);
	cleanup_buf struct sa_buf said = SA_BUF_INIT(4096);
	char path[64];

	if (*signers == '\0') {
		sa_err_set(err, SA_CONFIG,
		    "confirm is 'signed' but allowed_signers is not set");
		sa_err_hint(err,
		    "set it to a file as ssh-keygen(1), ALLOWED SIGNERS, has "
		    "it");
		return incomplete(err);
	}
	if (signature == NULL)
		return sa_err_set(err, SA_REFUSED,
		    "the approval of %s is not signed", id);
	cleanup_free char *program = keygen_path(err);
	if (program == NULL)
		return -1;
	cleanup_fd int fd = signature_file(signature, path, err);
	if (fd < 0)
		return -1;
	cleanup_free char *text = signed_text(approval);
	cleanup_free char *allowed = sa_xstrdup(signers);
	char find[] = "find-principals", verify[] = "verify", y[] = "-Y",
	     f[] = "-f", i[] = "-I", n[] = "-n", sg[] = "-s",
	     name[] = NAMESPACE;
	char *finding[] = { program, y, find, f, allowed, sg, path, NULL };
	int rc = keygen(finding, text, &who, err);
	if (rc == 0) {
		/* one a line, all of the same key */
		sa_buf_addch(&who, '\n');
		sa_buf_cut(&who, strcspn(who.s, "\n"));
		char *verifying[] = { program, y, verify, f, allowed, i, who.s,
			n, name, sg, path, NULL };
		rc = keygen(verifying, text, &said, err);
	}
	if (rc > 0)
		return sa_err_set(err, SA_REFUSED,
		    "the signature of the approval of %s is of no key that "
		    "counts",
		    id);
	if (rc == 0)
		sa_info("the approval of %s is signed by %s", id, who.s);
	return rc;
}

/* How a person gets what is missing. An agent is told that a person decides,
 * and what that person sees, but not how. */
static int
missing(const struct sa_settings *s, const json_t *pending, struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	const char *hash = sa_json_str(pending, "plan_sha256");

	switch (sa_settings_confirm(s)) {
	case SA_CONFIRM_OTHER_UID:
		sa_err_hint(err,
		    "another user has to run 'sa-confirm approve %s'", id);
		break;
	case SA_CONFIRM_SIGNED:
		sa_err_hint(err,
		    "who has a key of '%s' has to run 'sa-confirm approve %s'",
		    sa_settings_get(s, SA_SET_ALLOWED_SIGNERS), id);
		break;
	default:
		sa_err_hint(err, "review it with 'sa-confirm %s'", id);
		break;
	}
	return sa_err_agent_hint(err,
	    "a person has to review it first, outside of this conversation. "
	    "Tell the user its id, %s, and wait until they say that they did; "
	    "they will see the script that is pinned, where it runs, its "
	    "arguments and each property with who set it, what the guard "
	    "found, and the plan's hash, %.12s... You cannot do it for them",
	    id, hash != NULL ? hash : "?");
}

int
sa_approval_check(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	cleanup_free char *name = file_name(pending);
	enum sa_confirm_policy policy = sa_settings_confirm(s);
	json_auto_t *approval = NULL;
	struct sa_err local = SA_ERR_INIT;
	uid_t owner = 0;

	if (load(st, name, &approval, &owner, &local) < 0) {
		if (local.kind == SA_NOT_FOUND)
			sa_err_set(err, SA_REFUSED, "%s is not approved", id);
		else
			sa_err_set(err, SA_REFUSED,
			    "the approval of %s is not good: %s", id,
			    local.msg);
		sa_err_clear(&local);
		return missing(s, pending, err);
	}
	int rc = check_content(approval, pending, err);
	if (rc == 0 && policy == SA_CONFIRM_OTHER_UID)
		rc = check_owner(s, id, owner, err);
	if (rc == 0 && policy == SA_CONFIRM_SIGNED)
		rc = check_signature(s, approval, id, err);
	if (rc < 0 && err != NULL && err->kind == SA_REFUSED)
		missing(s, pending, err);
	return rc;
}

/* Makes room for a new approval: a good one of ours stays. What somebody else
 * left there must not keep a reviewer from approving. */
static int
drop_stale(const struct sa_store *st, const struct sa_settings *s, int dir,
    const char *name, const json_t *pending, struct sa_err *err)
{
	const char *id = sa_json_str(pending, "pending_id");
	bool is_signed = sa_settings_confirm(s) == SA_CONFIRM_SIGNED;
	json_auto_t *old = NULL;
	struct sa_err local = SA_ERR_INIT;
	uid_t owner = (uid_t)-1;

	if (load(st, name, &old, &owner, &local) == 0 &&
	    check_content(old, pending, &local) == 0 && owner == geteuid() &&
	    (!is_signed || check_signature(s, old, id, &local) == 0)) {
		sa_err_set(err, SA_INVALID,
		    "%s is approved already, by uid %ld until %s", id,
		    (long)owner, sa_json_str(old, "expires_at"));
		return sa_err_detail(err, json_incref(old));
	}
	sa_err_clear(&local);
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		return sa_err_errno(err, SA_IO, errno, "cannot replace '%s/%s'",
		    DIR_NAME, name);
	return 0;
}

int
sa_approval_write(const struct sa_store *st, const struct sa_settings *s,
    const json_t *pending, json_t **out, struct sa_err *err)
{
	cleanup_free char *name = file_name(pending);
	json_auto_t *approval = new_approval(s, pending);
	cleanup_fd int dir = sa_store_dir(st, DIR_NAME, true, err);

	if (dir < 0 || drop_stale(st, s, dir, name, pending, err) < 0)
		return -1;
	if (sa_settings_confirm(s) == SA_CONFIRM_SIGNED &&
	    add_signature(s, approval, err) < 0)
		return -1;
	cleanup_free char *text = sa_json_text(approval);
	size_t len = strlen(text);
	text[len] = '\n'; /* bytes: the NUL is not needed */
	if (sa_io_create(dir, name, text, len + 1, 0640, name, err) < 0)
		return -1;
	*out = sa_steal(&approval);
	return 0;
}

int
sa_approval_spend(const struct sa_store *st, const char *pending_id,
    struct sa_err *err)
{
	cleanup_free char *name = sa_xasprintf("%s.json", pending_id);
	cleanup_free char *used = sa_xasprintf("%s.used", pending_id);
	struct sa_err local = SA_ERR_INIT;
	cleanup_fd int dir = sa_store_dir(st, DIR_NAME, false, &local);

	sa_err_clear(&local);
	if (dir < 0)
		return 0;
	/* it may be somebody else's: a name can change, its content cannot */
	if (renameat(dir, name, dir, used) < 0 && errno != ENOENT)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot mark the approval of %s as used", pending_id);
	return sa_io_fsync_dir(dir, name, err);
}
