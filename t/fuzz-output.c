/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "spark/output.h"

/* What spark-submit logs, read for the id of an application. */
#define FUZZ_NAME "fuzz-output"
#include "fuzz.h"

/* Reads a log that grew in two steps. */
static void
scan(struct sa_id_scan *s, int fd, const uint8_t *data, size_t size, size_t cut)
{
	const uint8_t *part[] = { data, data + cut };
	size_t len[] = { cut, size - cut };

	require(ftruncate(fd, 0) == 0, "no file to scan");
	for (int i = 0; i < 2; i++) {
		require(pwrite(fd, part[i], len[i], i == 0 ? 0 : (off_t)cut) ==
			(ssize_t)len[i],
		    "no file to scan");
		sa_id_scan_more(s);
	}
}

/* An id goes into paths, URLs and records. */
static void
check_id(const struct sa_id_scan *s)
{
	static const char fit[] = "abcdefghijklmnopqrstuvwxyz0123456789"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
	size_t n = strspn(s->id, fit);

	require(n < SA_APP_ID_SIZE && s->id[n] == '\0', "an id of odd bytes");
	require(s->state == NULL || n > 0, "a state without an id");
	require(s->kind != SA_MASTER_LOCAL || n == 0, "an id of a local job");
	if (s->kind == SA_MASTER_YARN && n > 0)
		require(strncmp(s->id, "application_", 12) == 0,
		    "an id that is none of YARN's");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum sa_master_kind kinds[] = { SA_MASTER_LOCAL,
		SA_MASTER_YARN, SA_MASTER_STANDALONE, SA_MASTER_KUBERNETES };
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create(FUZZ_NAME, MFD_CLOEXEC);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct sa_id_scan a = { .kind = kinds[i], .fd = fd };
		struct sa_id_scan b = { .kind = kinds[i], .fd = fd };
		scan(&a, fd, data, size, 0);
		scan(&b, fd, data, size, size / 2);
		check_id(&a);
		require(strcmp(a.id, b.id) == 0 && a.state == b.state &&
			a.context == b.context,
		    "how a log grew makes a difference");
	}
	return 0;
}
