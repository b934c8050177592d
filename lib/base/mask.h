/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MASK_H
#define SA_MASK_H

#include <stdbool.h>
#include <stddef.h>

/* What stands for a secret wherever a person, a log or a record's display
 * shows it. As an input it is refused: a masked value was read back. */
#define SA_MASK "****"

/* Whether a key names a secret: it contains, in any case, password, passwd,
 * passphrase, secret, token, credential, keytab, api key, access key or
 * private key (with '.', '_', '-' or nothing between). */
bool sa_mask_key(const char *key);

/* Whether a value is one whatever its key: "user:pass@" in a URL, a PEM
 * private key, "Bearer TOKEN", an AWS access key id. */
bool sa_mask_value(const char *value);

/* The value as it may be shown: SA_MASK or itself; borrowed. */
const char *sa_mask_show(const char *key, const char *value);

/*
 * Text of which nothing is known (log lines, captured output): a copy in
 * which the value behind "KEY=" or "KEY":" of a secret's key, behind "KEY: "
 * where the key ends with the secret's word ("client token: x", not
 * "TokenManager: x"), behind "--KEY " and "a.b.KEY ", and each value that
 * sa_mask_value() knows, is SA_MASK. A value that says there is none (N/A,
 * null, true and their like) stays. Linear; line breaks stay. Caller frees.
 */
char *sa_mask_text(const char *s, size_t len);

#endif
