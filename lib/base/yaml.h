/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_YAML_H
#define SA_YAML_H

#include <jansson.h>

#include "base/err.h"

/*
 * The first document of a YAML text as JSON: a mapping, of strings and nulls
 * where YAML has scalars. SA_CONFIG, "NAME:line: why": broken YAML, duplicate
 * keys, anchors and aliases (by which a small text can be a huge one), more
 * than 32 levels. Needs libyaml.
 */
int sa_yaml_parse(const char *text, size_t len, const char *name, json_t **out,
    struct sa_err *err);

#endif
