/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/settings.h"

/* A record and a configuration file with any bytes. */
#define FUZZ_NAME "fuzz-record"
#include "fuzz.h"

static void
try_record(const char *text, size_t size)
{
	struct sa_err err = SA_ERR_INIT;
	json_t *j = NULL, *again = NULL;

	if (sa_json_parse(text, size, "x", &j, &err) < 0) {
		require(err.kind == SA_INVALID && *err.msg != '\0',
		    "a broken record without a reason");
		return;
	}
	sa_json_check_record(j, "pending,job", true, "x", &err);
	cleanup_free char *out = sa_json_text(j);
	require(sa_json_parse(out, strlen(out), "y", &again, &err) == 0 &&
		json_equal(j, again),
	    "a record that does not come back");
	cleanup_free char *a = sa_json_canonical(j);
	cleanup_free char *b = sa_json_canonical(again);
	require(strcmp(a, b) == 0, "two canonical texts of one record");
	json_decref(j);
	json_decref(again);
	sa_err_clear(&err);
}

static void
try_settings(const char *text, size_t size)
{
	struct sa_err err = SA_ERR_INIT;
	cleanup_fd int fd = memfd_create("config", MFD_CLOEXEC);
	char path[40];

	require(sa_io_write_fd(fd, text, size, "memory", NULL) == 0, "no room");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("SA_CONFIG", path, 1);
	setenv("XDG_CONFIG_HOME", "/nowhere", 1);
	struct sa_settings *s = sa_settings_load(NULL, NULL, &err);
	unsetenv("SA_CONFIG");
	if (s == NULL) {
		require(err.kind == SA_CONFIG && *err.msg != '\0',
		    "a broken file without a reason");
		return;
	}
	require(sa_settings_confirm(s) >= SA_CONFIRM_SHELL,
	    "a file that loosens the policy");
	for (int id = 0; id < SA_SET_COUNT; id++)
		sa_settings_get(s, (enum sa_setting)id);
	sa_settings_free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_record((const char *)data, size);
	try_settings((const char *)data, size);
	return 0;
}
