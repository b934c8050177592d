/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/io.h"
#include "scratch.h"
#include "tap.h"

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define NONE "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define MILLION \
	"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

int
main(void)
{
	struct sa_err err = SA_ERR_INIT;
	char hex[SA_SHA256_SIZE];
	int dir = scratch();

	sa_hash_sha256("abc", 3, hex);
	is_str(hex, ABC, "FIPS 180 abc");
	sa_hash_sha256("", 0, hex);
	is_str(hex, NONE, "nothing");

	cleanup_fd int fd = memfd_create("hash", MFD_CLOEXEC);
	cleanup_free char *million = sa_xmalloc(1000000);
	memset(million, 'a', 1000000);
	ok(sa_io_write_fd(fd, million, 1000000, "x", NULL) == 0 &&
		lseek(fd, 0, SEEK_SET) == 0 &&
		sa_hash_fd(fd, hex, "x", &err) == 0,
	    "a million bytes");
	is_str(hex, MILLION, "FIPS 180 million");
	ok(sa_hash_fd(-1, hex, "x", &err) < 0 && err.kind == SA_IO,
	    "no descriptor");

	ok(sa_io_replace(dir, "f", "abc", 3, 0640, "f", &err) == 0, "a file");
	ok(sa_hash_file("f", hex, &err) == 0 && strcmp(hex, ABC) == 0,
	    "its hash");
	ok(sa_hash_file("missing", hex, &err) < 0 && err.kind == SA_NOT_FOUND,
	    "a missing file");
	ok(sa_hash_file("f/x", hex, &err) < 0 && err.kind == SA_IO,
	    "below a file");
	ok(sa_hash_file(".", hex, &err) < 0 && err.kind == SA_INVALID,
	    "a directory");
	ok(mkfifo("p", 0600) == 0 && sa_hash_file("p", hex, &err) < 0 &&
		err.kind == SA_INVALID,
	    "a FIFO is not waited for");
	return tap_done();
}
