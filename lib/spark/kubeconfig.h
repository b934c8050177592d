/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_KUBECONFIG_H
#define SA_KUBECONFIG_H

#include "base/buf.h"
#include "base/err.h"

/*
 * What a context of kubeconfig files says of a cluster and of who asks. Each
 * may be NULL; paths are absolute where the file's is.
 */
struct sa_kubeconfig {
	char *context, *server, *namespace;
	char *ca_file, *ca_pem;
	char *token, *token_file;
	char *cert_file, *key_file, *cert_pem, *key_pem;
	/* what we do not do, with a name for people: a way to log in ("the
	 * exec plugin 'aws'"), or to reach the server */
	char *login_unknown, *reach_unknown;
};
void sa_kubeconfig_release(struct sa_kubeconfig *k);

/*
 * Reads files, with colons between them as $KUBECONFIG has them; those that
 * are not there are left out. Of two entries of one name the first counts.
 * context NULL: the current one; none at all leaves *out empty. SA_CONFIG: a
 * file that is not a kubeconfig (YAML without anchors, at most 1 MiB), or a
 * context, cluster or user that no file has.
 */
int sa_kubeconfig_read(const char *paths, const char *context,
    struct sa_kubeconfig *out, struct sa_err *err);

/* The same of one text. path is what it is called, and where relative paths
 * in it begin. */
int sa_kubeconfig_parse(const char *text, size_t len, const char *path,
    const char *context, struct sa_kubeconfig *out, struct sa_err *err);

#endif
