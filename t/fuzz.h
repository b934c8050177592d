/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The rest of a fuzz target, whose file defines FUZZ_NAME, includes this and
 * defines LLVMFuzzerTestOneInput(). With -DSA_LIBFUZZER it is a
 * target of libFuzzer; else a program that runs the files given, or without
 * operands the seeds in t/data/FUZZ_NAME, as tests.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any input. */
static inline void
require(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, FUZZ_NAME ": %s\n", what);
	abort();
}

#ifndef SA_LIBFUZZER
static int
run_file(const char *path)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(16 << 20);

	if (sa_io_read_file(AT_FDCWD, path, &b, path, NULL) < 0)
		return -1;
	/* a copy of its own size: reading past it is seen by a sanitizer */
	cleanup_free char *text = sa_xmalloc(b.len);
	memcpy(text, sa_buf_str(&b), b.len);
	return LLVMFuzzerTestOneInput((const uint8_t *)text, b.len);
}

static int
run_seeds(void)
{
	const char *dir = getenv("SA_SRCDIR");
	cleanup_free char *path =
	    sa_xasprintf("%s/t/data/" FUZZ_NAME, dir == NULL ? "." : dir);
	cleanup_dir DIR *d = opendir(path);
	int n = 0, bad = 0;

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		cleanup_free char *seed =
		    sa_xasprintf("%s/%s", path, e->d_name);
		int rc = run_file(seed);
		bad += rc != 0;
		printf("%sok %d - %s\n", rc == 0 ? "" : "not ", ++n, e->d_name);
	}
	printf("1..%d\n", n);
	return n == 0 || bad > 0;
}

int
main(int argc, char *argv[])
{
	if (argc < 2)
		return run_seeds();
	for (int i = 1; i < argc; i++)
		if (run_file(argv[i]) < 0) {
			fprintf(stderr, FUZZ_NAME ": cannot read '%s'\n",
			    argv[i]);
			return 1;
		}
	return 0;
}
#endif
#endif
