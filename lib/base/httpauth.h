/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_HTTPAUTH_H
#define SA_HTTPAUTH_H

#include <stdbool.h>

#include "base/err.h"

/* What a client says who it is; at most one is set. */
struct sa_httpauth {
	char *login;  /* "USER:PASSWORD" */
	char *bearer; /* a token */
	bool negotiate;
};
#define SA_HTTPAUTH_INIT      \
	{                     \
		.login = NULL \
	}

/*
 * One line: "basic USER:PASSWORD", "bearer TOKEN" or "negotiate". The file is
 * ours (or root's), and nobody else may read or change it. SA_CONFIG where it
 * is missing, unsafe or of another form; what is in it is in no message.
 */
int sa_httpauth_read(const char *path, struct sa_httpauth *out,
    struct sa_err *err);

/* A file with a token and nothing else, which others may read (a pod's token
 * is such) but not change. Line breaks around it do not count. */
int sa_httpauth_token(const char *path, char **out, struct sa_err *err);

/* Whether text can be a token in a header: visible ASCII, not empty. */
bool sa_httpauth_is_token(const char *text);

/* Secrets are overwritten. */
void sa_httpauth_release(struct sa_httpauth *a);
void sa_httpauth_wipe(char **secret);

#endif
