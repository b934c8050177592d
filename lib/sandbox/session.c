/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"

#define SESSIONS "sessions"
/* Who waits may wait for another to have made a sandbox. */
#define MAKE_WAIT_MS 15000
#define END_WAIT_MS 60000
#define TRIES 3

void
sa_session_new_token(char out[SA_SESSION_TOKEN])
{
	snprintf(out, SA_SESSION_TOKEN, "%08x%04x", arc4random(),
	    arc4random() & 0xffff);
}

static char *
record_path(const struct sa_session *session)
{
	return sa_xasprintf(SESSIONS "/%s/record.json", session->token);
}

/* What is known of its sandbox; an empty object where that is nothing. */
static json_t *
load(const struct sa_session *session)
{
	cleanup_free char *rel = record_path(session);
	json_t *record = NULL;

	/* a torn one knows nothing; what it named will expire */
	if (sa_record_read(session->store, rel, "session", false, "session",
		&record, NULL) < 0)
		record = json_object();
	return record;
}

static int
save(const struct sa_session *session, const char *backend, const char *name,
    bool replaced, struct sa_err *err)
{
	cleanup_free char *rel = record_path(session);
	json_auto_t *record = sa_json_record("session");

	sa_json_set_str(record, "session", session->token);
	sa_json_set_str(record, "backend", backend);
	sa_json_set_str(record, "sandbox", name);
	json_object_set_new(record, "replaced", json_boolean(replaced));
	return sa_record_write(session->store, rel, record, "the session", err);
}

static int
lock(const struct sa_session *session, int wait_ms, struct sa_err *err)
{
	return sa_io_lock(session->dir, "lock", wait_ms, "the session's lock",
	    err);
}

/* Removes what the store has of it; its sandbox is gone by now. */
static void
forget(const struct sa_session *session)
{
	static const char *const files[] = { "record.json", "keeper", "lock" };
	cleanup_fd int all =
	    sa_store_dir(session->store, SESSIONS, false, NULL);

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		(void)unlinkat(session->dir, files[i], 0);
	if (all >= 0)
		(void)unlinkat(all, session->token, AT_REMOVEDIR);
}

/* Destroys its sandbox; whoever calls holds the lock. */
static int
destroy(const struct sa_settings *s, const struct sa_session *session,
    struct sa_err *err)
{
	json_auto_t *record = load(session);
	const char *name = sa_json_str(record, "sandbox");
	const char *backend = sa_json_str(record, "backend");
	struct sa_err why = SA_ERR_INIT;
	struct sa_box *box = NULL;

	if (name == NULL || backend == NULL)
		return 0;
	const struct sa_backend *b = sa_backend_find(backend, err);
	if (b == NULL)
		return -1;
	int rc = b->find(s, name, &box, &why);
	if (rc == 0) {
		rc = b->destroy(box, &why);
		b->close(box);
	}
	if (rc == 0 || why.kind == SA_NOT_FOUND) {
		sa_err_clear(&why);
		return 0;
	}
	if (err != NULL)
		*err = why;
	else
		sa_err_clear(&why);
	return -1;
}

/* Has nothing of ours but what keeping needs: no pipe of a reader who waits
 * for its end, and no terminal. */
static void
stand_alone(int session_lock)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	close(session_lock);
	for (int fd = 0; fd < 3; fd++)
		if (null >= 0)
			dup2(null, fd);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
}

/* The life of a keeper, whose lock is a descriptor that it has. */
__attribute__((noreturn)) static void
keep(const struct sa_settings *s, const struct sa_session *session, int parent,
    int session_lock)
{
	struct pollfd p = { .fd = parent, .events = POLLIN };
	const char *report = sa_settings_get(s, SA_SET_ERROR_FD);
	json_auto_t *items = json_array();

	stand_alone(session_lock);
	if (*report != '\0')
		close((int)strtonum(report, 3, INT32_MAX, NULL));
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		continue;
	/* commands of the session die with it, and let go of this */
	if (lock(session, END_WAIT_MS, NULL) < 0 ||
	    destroy(s, session, NULL) < 0)
		_exit(1); /* gc's work */
	forget(session);
	for (const struct sa_backend *const *b = sa_backends(); *b != NULL; b++)
		if ((*b)->gc != NULL)
			(void)(*b)->gc(s, false, items, NULL);
	_exit(0);
}

/* Sees to it that there is a keeper. */
static int
have_keeper(const struct sa_settings *s, const struct sa_session *session,
    int session_lock, struct sa_err *err)
{
	struct sa_err why = SA_ERR_INIT;
	cleanup_fd int alive =
	    sa_io_lock(session->dir, "keeper", 0, "the keeper's lock", &why);
	bool kept = alive < 0 && why.kind == SA_BUSY;

	sa_err_clear(&why);
	if (kept)
		return 0;
	cleanup_fd int parent = pidfd_open(getppid(), 0);
	if (alive < 0 || parent < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot watch over the session '%s'", session->token);
	pid_t pid = fork();
	if (pid == 0)
		keep(s, session, parent, session_lock);
	if (pid < 0)
		return sa_err_errno(err, SA_BUSY, errno, "cannot fork");
	return 0;
}

/* A new sandbox; gone says that there was one before. */
static int
make(const struct sa_settings *s, const struct sa_backend *b,
    const struct sa_spec *spec, const json_t *before,
    struct sa_session *session, struct sa_err *err)
{
	const char *old = sa_json_str(before, "sandbox");
	char name[SA_BOX_NAME];

	sa_box_new_name(name);
	session->replaced = old != NULL;
	/* known before it is made, so that whoever dies leaves no stranger */
	if (save(session, b->name, name, session->replaced, err) < 0)
		return -1;
	if (b->create(s, name, spec, &session->box, err) < 0) {
		(void)save(session, b->name, old, session->replaced, NULL);
		return -1;
	}
	session->name = sa_xstrdup(name);
	return 0;
}

static int
find_or_make(const struct sa_settings *s, const struct sa_backend *b,
    const struct sa_spec *spec, struct sa_session *session, struct sa_err *err)
{
	json_auto_t *record = load(session);
	const char *name = sa_json_str(record, "sandbox");
	struct sa_err why = SA_ERR_INIT;

	if (name == NULL)
		return make(s, b, spec, record, session, err);
	if (b->find(s, name, &session->box, &why) == 0) {
		session->name = sa_xstrdup(name);
		session->replaced = sa_json_bool(record, "replaced", false);
		return 0;
	}
	if (why.kind == SA_NOT_FOUND) {
		sa_err_clear(&why);
		return make(s, b, spec, record, session, err);
	}
	if (err != NULL)
		*err = why;
	else
		sa_err_clear(&why);
	return -1;
}

/* Opens the session's directory and takes its lock; whoever ended a session
 * just now may have removed the one that was opened. */
static int
open_locked(struct sa_session *session, struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf(SESSIONS "/%s", session->token);
	struct sa_err why = SA_ERR_INIT;

	for (int i = 0; i < TRIES; i++) {
		sa_err_clear(&why);
		if (session->dir >= 0)
			close(session->dir);
		session->dir = sa_store_dir(session->store, rel, true, &why);
		int fd =
		    session->dir < 0 ? -1 : lock(session, MAKE_WAIT_MS, &why);
		struct stat st;
		if (fd >= 0 && fstat(session->dir, &st) == 0 && st.st_nlink > 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	if (why.kind == SA_OK)
		sa_err_set(&why, SA_BUSY, "the session '%s' is ending",
		    session->token);
	if (err != NULL)
		*err = why;
	return -1;
}

int
sa_session_enter(const struct sa_settings *s, const struct sa_backend *b,
    const char *token, const struct sa_spec *spec, struct sa_session *out,
    struct sa_err *err)
{
	struct sa_session session = SA_SESSION_NONE;

	if (!b->attachable)
		return sa_err_set(err, SA_REFUSED,
		    "a sandbox of the backend '%s' cannot be one of a session",
		    b->name);
	session.token = sa_xstrdup(token);
	session.store = sa_store_open(s, true, err);
	int fd = session.store == NULL ? -1 : open_locked(&session, err);
	int rc = fd < 0 ? -1 : have_keeper(s, &session, fd, err);
	if (rc == 0)
		rc = find_or_make(s, b, spec, &session, err);
	if (fd >= 0)
		close(fd);
	if (rc < 0)
		sa_session_leave(&session);
	else
		*out = session;
	return rc;
}

void
sa_session_told(struct sa_session *session)
{
	if (!session->replaced)
		return;
	session->replaced = false;
	cleanup_fd int fd = lock(session, SA_LOCK_WAIT_MS, NULL);
	json_auto_t *record = fd < 0 ? NULL : load(session);
	const char *name = sa_json_str(record, "sandbox");
	/* another may have taken its place meanwhile */
	if (name != NULL && strcmp(name, session->name) == 0)
		(void)save(session, sa_json_str(record, "backend"), name, false,
		    NULL);
}

void
sa_session_leave(struct sa_session *session)
{
	sa_store_free(session->store);
	if (session->dir >= 0)
		close(session->dir);
	free(session->token);
	free(session->name);
	*session = (struct sa_session)SA_SESSION_NONE;
}

/* One session: nothing where its keeper lives, or somebody is at it. */
static int
gc_one(const struct sa_settings *s, const struct sa_session *session,
    bool dry_run, json_t *items, struct sa_err *err)
{
	cleanup_fd int fd = lock(session, 0, NULL);
	cleanup_fd int alive = fd < 0
	    ? -1
	    : sa_io_lock(session->dir, "keeper", 0, "the keeper's lock", NULL);

	if (alive < 0)
		return 0;
	json_auto_t *record = load(session);
	if (sa_json_str(record, "sandbox") != NULL) {
		json_t *item = json_object();
		sa_json_set_str(item, "sandbox",
		    sa_json_str(record, "sandbox"));
		sa_json_set_str(item, "why", "its session is over");
		json_array_append_new(items, item);
	}
	if (dry_run)
		return 0;
	if (destroy(s, session, err) < 0)
		return -1;
	forget(session);
	return 0;
}

int
sa_session_gc(const struct sa_settings *s, bool dry_run, json_t *items,
    struct sa_err *err)
{
	struct sa_session session = SA_SESSION_NONE;
	struct sa_names names = { NULL, 0 };

	session.store = sa_store_open(s, false, err);
	int rc = session.store == NULL
	    ? -1
	    : sa_store_names(session.store, SESSIONS, "", false, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		cleanup_free char *rel =
		    sa_xasprintf(SESSIONS "/%s", names.v[i]);
		free(session.token);
		session.token = sa_xstrdup(names.v[i]);
		session.dir = sa_store_dir(session.store, rel, false, NULL);
		if (session.dir >= 0) {
			rc = gc_one(s, &session, dry_run, items, err);
			close(session.dir);
			session.dir = -1;
		}
	}
	sa_names_free(&names);
	sa_session_leave(&session);
	return rc;
}
