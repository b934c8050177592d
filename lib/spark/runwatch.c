/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/runwatch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/buf.h"

#define POLL_MS 1000
#define DEAF_POLL_MS 250

void
sa_run_watch_open(struct sa_run_watch *w)
{
	w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->deaf = w->fd < 0;
}

void
sa_run_watch_close(struct sa_run_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

void
sa_run_watch_add(struct sa_run_watch *w, const struct sa_store *st,
    const char *id, bool output)
{
	/* the death of a supervisor is the closing of its lock */
	uint32_t mask = IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR |
	    (output ? IN_MODIFY | IN_CREATE : 0);
	cleanup_free char *path =
	    sa_xasprintf("%s/runs/%s", sa_store_path(st), id);

	if (w->fd < 0 || inotify_add_watch(w->fd, path, mask) < 0)
		w->deaf = true;
}

void
sa_run_watch_wait(struct sa_run_watch *w, long long ms)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	int most = w->deaf ? DEAF_POLL_MS : POLL_MS;
	char events[16384];

	if (poll(&p, 1, ms < most ? (int)ms : most) <= 0)
		return;
	/* which ones does not matter */
	while (read(w->fd, events, sizeof(events)) > 0)
		;
}
