/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define CHUNK 65536

static void
finish(SHA2_CTX *ctx, char out[SA_SHA256_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char raw[SHA256_DIGEST_LENGTH];

	SHA256Final(raw, ctx);
	for (size_t i = 0; i < sizeof(raw); i++) {
		out[2 * i] = digits[raw[i] >> 4];
		out[2 * i + 1] = digits[raw[i] & 15];
	}
	out[SA_SHA256_SIZE - 1] = '\0';
}

void
sa_hash_sha256(const void *p, size_t len, char out[SA_SHA256_SIZE])
{
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	SHA256Update(&ctx, p, len);
	finish(&ctx, out);
}

int
sa_hash_fd(int fd, char out[SA_SHA256_SIZE], const char *name,
    struct sa_err *err)
{
	cleanup_free unsigned char *chunk = sa_xmalloc(CHUNK);
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	for (;;) {
		ssize_t n = read(fd, chunk, CHUNK);
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sa_err_errno(err, SA_IO, errno, "cannot read %s",
			    name);
		SHA256Update(&ctx, chunk, (size_t)n);
	}
	finish(&ctx, out);
	return 0;
}

int
sa_hash_file(const char *path, char out[SA_SHA256_SIZE], struct sa_err *err)
{
	struct stat st;
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return sa_err_errno(err, errno == ENOENT ? SA_NOT_FOUND : SA_IO,
		    errno, "cannot open '%s'", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return sa_err_set(err, SA_INVALID, "'%s' is not a regular file",
		    path);
	return sa_hash_fd(fd, out, path, err);
}
