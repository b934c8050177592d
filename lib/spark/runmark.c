/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/runmark.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json.h"

#define MARK_MAX 65536

/* An object in the run's directory; *out is NULL where there is none. */
static int
read_object(int dir, const char *name, json_t **out, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(MARK_MAX);
	struct sa_err local = SA_ERR_INIT;

	*out = NULL;
	if (sa_io_read_file(dir, name, &b, name, &local) == 0)
		return sa_json_parse(sa_buf_str(&b), b.len, name, out, err);
	if (local.kind == SA_NOT_FOUND) {
		sa_err_clear(&local);
		return 0;
	}
	if (err != NULL)
		*err = local;
	return -1;
}

static int
take_exec(const json_t *j, struct sa_run_mark *m, struct sa_err *err)
{
	const char *host = sa_json_str(j, "host"), *at = sa_json_str(j, "at");
	const char *boot = sa_json_str(j, "boot_id");
	json_int_t pid = sa_json_int(j, "pid", 0);
	json_int_t pgid = sa_json_int(j, "pgid", 0);
	json_int_t ticks = sa_json_int(j, "start_ticks", -1);
	char name[sizeof(m->host)] = "", now[40];

	/* 0 and 1 as a group would be everybody */
	if (host == NULL || boot == NULL || pid <= 1 || pid > INT_MAX ||
	    pgid <= 1 || pgid > INT_MAX || ticks < 0)
		return sa_err_set(err, SA_INVALID,
		    "exec.json lacks host, boot_id, pid, pgid or start_ticks");
	m->there = true;
	m->driver.pid = (pid_t)pid;
	m->driver.start_ticks = (unsigned long long)ticks;
	strlcpy(m->driver.boot_id, boot, sizeof(m->driver.boot_id));
	m->pgid = (pid_t)pgid;
	strlcpy(m->host, host, sizeof(m->host));
	strlcpy(m->at, at != NULL ? at : "", sizeof(m->at));
	gethostname(name, sizeof(name) - 1);
	sa_proc_boot_id(now);
	m->here = strcmp(name, host) == 0 && strcmp(now, boot) == 0;
	return 0;
}

int
sa_run_marks_read(const struct sa_store *st, const char *id,
    struct sa_run_marks *out, struct sa_err *err)
{
	cleanup_free char *rel = sa_xasprintf("runs/%s", id);
	cleanup_fd int dir = sa_store_dir(st, rel, false, err);
	json_auto_t *exec = NULL;

	memset(out, 0, sizeof(*out));
	if (dir < 0)
		return -1;
	out->alive = sa_io_locked(dir, "alive");
	if (read_object(dir, "exec.json", &exec, err) < 0 ||
	    (exec != NULL && take_exec(exec, &out->exec, err) < 0) ||
	    read_object(dir, "exit.json", &out->exit, err) < 0)
		return sa_err_prefix(err, "job '%s'", id);
	return 0;
}

void
sa_run_marks_release(struct sa_run_marks *m)
{
	json_decref(m->exit);
	m->exit = NULL;
}

bool
sa_run_driver_lives(const struct sa_run_mark *m)
{
	struct sa_proc_id now;

	if (!m->there || !m->here)
		return false;
	/* a number is not given out again while its group has members */
	if (m->driver.pid == m->pgid && sa_proc_identify(m->pgid, &now) &&
	    now.start_ticks != m->driver.start_ticks)
		return false;
	return sa_proc_group_alive(m->pgid);
}
