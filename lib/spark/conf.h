/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_CONF_H
#define SA_CONF_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/settings.h"

/*
 * What a Spark configuration key may be and who may set it (sa(7), ORIGIN).
 * Keys are compared as Spark reads them: exactly; look-alikes (other case,
 * blanks, deprecated names) are folded before they are judged, so that an
 * alias is judged as what it stands for.
 */

/* Checks one pair for an origin. SA_INVALID: not of the form spark.*, a
 * control character, a masked value, a key that the toolkit forces.
 * SA_REFUSED: an agent may not set it; names the key and the rule. */
int sa_conf_check(const char *key, const char *value, enum sa_origin origin,
    struct sa_err *err);

/* Why a reviewer should look at this key, or NULL: it runs code on the
 * gateway, adds jars, changes identity, weakens redaction. Static. */
const char *sa_conf_risk(const char *key);

/* Splits "KEY=VALUE" pairs of --conf into conf{} (an object of strings), each
 * checked; the later one wins. */
int sa_conf_add_pairs(json_t *conf, char **pairs, size_t n,
    enum sa_origin origin, struct sa_err *err);

/* The same from a --conf-file: a JSON object, or "key value" / "key=value"
 * lines as in spark-defaults.conf. At most 1 MiB. */
int sa_conf_add_file(json_t *conf, const char *path, enum sa_origin origin,
    struct sa_err *err);

#endif
