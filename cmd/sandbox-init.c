/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * A sandbox's process 1 once it only waits: see boxserve.h. It is linked
 * statically, since it is executed where there may be no libraries, and since
 * what a loader writes to is memory of each sandbox. */
#include "config.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "base/err.h"
#include "sandbox/boxserve.h"

int
main(void)
{
	static struct sa_boxserve in;
	static const char why[] =
	    "sa-sandbox-init: it is started by sa-sandbox, in a sandbox\n";

	if (getpid() != 1) {
		(void)!write(STDERR_FILENO, why, sizeof(why) - 1);
		return sa_kind_info(SA_USAGE)->code;
	}
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_NAME, "sandbox-init", 0, 0, 0);
	if (!sa_boxsmall_begin(&in))
		return 1;
	sa_boxserve(&in);
}
