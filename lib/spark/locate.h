/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LOCATE_H
#define SA_LOCATE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/settings.h"

/*
 * What a submission runs on, as found: spark-submit by connection.spark_home,
 * $SPARK_HOME, $PATH, then the pyspark package of the Python that the setting
 * python names; Java by the connection's or our $JAVA_HOME, then $PATH; the
 * configuration directories. SA_CONFIG names what is missing, where was
 * looked, and what to do.
 *
 *	{"spark_submit":{"path","sha256","how"}, "spark_home", "java":{"path"},
 *	 "python", "spark_conf_dir", "spark_defaults":{"path","sha256"}|null,
 *	 "spark_env":{"path","sha256"}|null, "hadoop_conf_dir"}
 */
int sa_locate(const json_t *connection, const struct sa_settings *s,
    json_t **out, struct sa_err *err);

/*
 * The environment of a submission: an allow list of ours (PATH, HOME, LANG,
 * ..., SPARK_HOME, JAVA_HOME, HADOOP_CONF_DIR, PYSPARK_PYTHON, ...), then the
 * connection's env. What changes a submission behind the reviewer's back
 * (SPARK_LAUNCHER_OPTS, MASTER, LD_PRELOAD, ...) is in neither. The locale is
 * one of UTF-8, unless the connection says another. An object of strings.
 */
json_t *sa_locate_env(const json_t *connection, const json_t *located);

/* Whether a variable is one that no submission gets, whoever sets it. */
bool sa_locate_env_denied(const char *name);

#endif
