/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/launch.h"
#include "spark/pending.h"

/* Apart from the rest of launch.h: sa-supervise needs this alone, and not the
 * guard with it. */

int
sa_launch_settle(const struct sa_store *st, const char *pending_id,
    const char *reason, struct sa_err *err)
{
	json_auto_t *pending = NULL;
	cleanup_fd int lock = -1;

	if (sa_pending_lock(st, pending_id, &lock, &pending, err) < 0)
		return -1;
	const char *status = sa_json_str(pending, "status");
	if (status == NULL || strcmp(status, "SUBMITTING") != 0)
		return 0;
	sa_json_set_str(pending, "status",
	    reason == NULL ? "SUBMITTED" : "FAILED");
	if (reason != NULL)
		sa_json_set_str(pending, "reason", reason);
	return sa_pending_write(st, pending, err);
}
