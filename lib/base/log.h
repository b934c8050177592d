/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_LOG_H
#define SA_LOG_H

#include <stdbool.h>

#include "base/settings.h"

/*
 * The process's log. Lines are "time|LEVEL|module:function:line - message",
 * masked, one line each whatever the text holds. stderr and log/info.log get
 * what is at or above SPARK_EXECUTOR_LOG_LEVEL, log/debug.log gets all. The
 * files are written only where the data directory exists, and hold at most
 * 10 MiB each with four older ones. What cannot be written is dropped: a log
 * never fails a command.
 *
 * Before sa_log_start() nothing is written; called again, it starts anew. Not
 * for signal handlers.
 */
enum sa_level { SA_LOG_DEBUG, SA_LOG_INFO, SA_LOG_WARNING, SA_LOG_ERROR };

void sa_log_start(const char *command, const struct sa_settings *s);

/* Stops writing to stderr (a supervisor whose stderr is a driver's). */
void sa_log_quiet(void);

void sa_log_write(enum sa_level level, const char *file, const char *function,
    int line, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#define sa_debug(...) \
	sa_log_write(SA_LOG_DEBUG, __FILE__, __func__, __LINE__, __VA_ARGS__)
#define sa_info(...) \
	sa_log_write(SA_LOG_INFO, __FILE__, __func__, __LINE__, __VA_ARGS__)
#define sa_warn(...) \
	sa_log_write(SA_LOG_WARNING, __FILE__, __func__, __LINE__, __VA_ARGS__)
#define sa_error(...) \
	sa_log_write(SA_LOG_ERROR, __FILE__, __func__, __LINE__, __VA_ARGS__)

#endif
