/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/settings.h"
#include "scratch.h"
#include "tap.h"

/*
 * The operator's file is not here, so the person's is the one that sets the
 * policy; t0102-operator-config.t has both.
 */
static int dir;
static struct sa_err err;
static const char *option_name, *option_value;

static const char *
option(void *arg, const char *name)
{
	(void)arg;
	return option_name != NULL && strcmp(name, option_name) == 0
	    ? option_value
	    : NULL;
}

static struct sa_settings *
load(void)
{
	sa_err_clear(&err);
	return sa_settings_load(option, NULL, &err);
}

static void
file(const char *name, const char *text, size_t len)
{
	if (sa_io_replace(dir, name, text, len, 0644, name, &err) < 0)
		ok(0, err.msg);
}

static void
person(const char *text)
{
	int sub = open("sa", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (sub < 0 ||
	    sa_io_replace(sub, "config", text, strlen(text), 0644, "x", &err) <
		0)
		ok(0, "the person's file");
	close(sub);
}

static void
has(enum sa_setting id, const char *want, const char *source)
{
	struct sa_settings *s = load();

	if (s == NULL) {
		ok(0, err.msg);
		return;
	}
	is_str(sa_settings_get(s, id), want, sa_setting_def(id)->meaning);
	if (source != NULL)
		ok(strstr(sa_settings_source(s, id), source) != NULL, source);
	ok(sa_settings_is_set(s, id) ==
		(strcmp(sa_settings_source(s, id), "default") != 0),
	    "whether it is set");
	sa_settings_free(s);
}

static void
refused(const char *name, const char *want)
{
	struct sa_settings *s = load();

	ok(s == NULL && err.kind == SA_CONFIG, name);
	if (s == NULL && strstr(err.msg, want) == NULL)
		is_str(err.msg, want, "the message has it");
	sa_settings_free(s);
}

static void
test_defaults(void)
{
	has(SA_SET_DATA_DIR, "./data", "default");
	has(SA_SET_JOBS_DIR, "./data/jobs", "default");
	has(SA_SET_CONFIRM, "shell", "default");
	has(SA_SET_APPROVERS, "", "default");
	struct sa_settings *s = load();
	is_int(sa_settings_number(s, SA_SET_PENDING_TTL), 86400, "24 h");
	is_int(sa_settings_number(s, SA_SET_OUTPUT_MAX), 64 << 20, "64 MiB");
	is_int(sa_settings_confirm(s), SA_CONFIRM_SHELL, "shell");
	is_int(sa_settings_origin(s), SA_ORIGIN_PERSON, "a person asks");
	sa_settings_free(s);
	is_str(sa_origin_name(SA_ORIGIN_OPERATOR), "operator", "operator");
	is_str(sa_origin_name(SA_ORIGIN_AGENT), "agent", "agent");
	sa_settings_free(NULL);
}

static void
test_layers(void)
{
	person("# a comment\n\n  data_dir = /person \r\nlog_level=debug\n"
	       "pending_ttl = 2h");
	has(SA_SET_DATA_DIR, "/person", "/sa/config:3");
	has(SA_SET_JOBS_DIR, "/person/jobs", "default");
	has(SA_SET_PENDING_TTL, "2h", "/sa/config:5");
	file("extra", "data_dir = /extra\n", 18);
	setenv("SA_CONFIG", "extra", 1);
	has(SA_SET_DATA_DIR, "/extra", "extra:1");
	has(SA_SET_LOG_LEVEL, "debug", "/sa/config:4");
	setenv("SPARK_EXECUTOR_DATA_DIR", "/env", 1);
	has(SA_SET_DATA_DIR, "/env", "environment SPARK_EXECUTOR_DATA_DIR");
	option_name = "data-dir";
	option_value = "/option";
	has(SA_SET_DATA_DIR, "/option", "option --data-dir");
	option_name = NULL;
	setenv("SPARK_EXECUTOR_DATA_DIR", "", 1);
	has(SA_SET_DATA_DIR, "/extra", "extra:1");
	unsetenv("XDG_CONFIG_HOME");
	has(SA_SET_LOG_LEVEL, "WARNING", "default");
	if (mkdir(".config", 0700) < 0 || rename("sa", ".config/sa") < 0)
		ok(0, "a directory below the home");
	has(SA_SET_LOG_LEVEL, "debug", "/.config/sa/config:4");
	setenv("HOME", "relative", 1);
	has(SA_SET_LOG_LEVEL, "WARNING", "default");
	setenv("HOME", scratch_path, 1);
	setenv("XDG_CONFIG_HOME", scratch_path, 1);
	if (rename(".config/sa", "sa") < 0)
		ok(0, "back");
	unsetenv("SA_CONFIG");
	person("");
}

static void
test_bad(void)
{
	static const struct {
		const char *line, *want;
	} lines[] = { { "data_dir", "'data_dir' is not of the form" },
		{ "data_dir =", "the path of a directory" },
		{ "jobs_dir =", "the path of a directory" },
		{ "Data_dir = x", "unknown key 'Data_dir'" },
		{ "= x", "unknown key ''" },
		{ "config = x", "unknown key 'config'" },
		{ "confirm = yes", "open, shell, other-uid or signed" },
		{ "confirm =", "open, shell, other-uid or signed" },
		{ "log_level = WARN", "DEBUG, INFO, WARNING or ERROR" },
		{ "pending_ttl = 0", "a duration" },
		{ "approval_ttl = 1y", "a duration" },
		{ "output_max = 65535", "from 65536" },
		{ "\x1b[1m", "'\\x1b[1m' is not of the form" } };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		person(lines[i].line);
		refused(lines[i].want, lines[i].want);
		ok(strstr(err.msg, "config:1") != NULL, "the file and line");
	}
	person("");
	file("nul", "# x\n\0\nconfirm = signed\n", 23);
	setenv("SA_CONFIG", "nul", 1);
	refused("a NUL byte hides nothing", "NUL byte");
	setenv("SA_CONFIG", "missing", 1);
	refused("a file that is named must be there", "missing");
	setenv("SA_CONFIG", ".", 1);
	refused("and be one", "is a directory");
	cleanup_free char *big = sa_xcalloc(1, 300000);
	memset(big, '\n', 300000);
	file("big", big, 300000);
	setenv("SA_CONFIG", "big", 1);
	refused("of a size that makes sense", "limit");
	unsetenv("SA_CONFIG");
	setenv("SA_ORIGIN", "operator", 1);
	refused("an origin that nobody may claim", "agent or person");
	setenv("SA_ORIGIN", "agent", 1);
	struct sa_settings *s = load();
	is_int(sa_settings_origin(s), SA_ORIGIN_AGENT, "an agent asks");
	sa_settings_free(s);
	unsetenv("SA_ORIGIN");
	static const char *const fds[] = { "x", "0", "1", "-1", "3.0" };
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		setenv("SA_ERROR_FD", fds[i], 1);
		refused("no descriptor", "2 or more");
	}
	setenv("SA_ERROR_FD", "2", 1);
	has(SA_SET_ERROR_FD, "2", "environment");
	unsetenv("SA_ERROR_FD");
	ok(rename("sa/config", "sa/c") == 0 &&
		symlink("config", "sa/config") == 0,
	    "a file that cannot be read");
	refused("is not passed over", "sa/config");
	ok(unlink("sa/config") == 0 && rename("sa/c", "sa/config") == 0,
	    "back");
}

static void
test_policy(void)
{
	/* nobody set one: the default may be tightened */
	setenv("SA_CONFIRM", "open", 1);
	refused("the environment does not loosen the default", "would loosen");
	setenv("SA_CONFIRM", "signed", 1);
	setenv("SA_ALLOWED_SIGNERS", "/mine", 1);
	has(SA_SET_CONFIRM, "signed", "environment SA_CONFIRM");
	has(SA_SET_ALLOWED_SIGNERS, "/mine", "environment");
	unsetenv("SA_ALLOWED_SIGNERS");

	/* the file that may set it may loosen */
	unsetenv("SA_CONFIRM");
	person("confirm = open\n");
	has(SA_SET_CONFIRM, "open", "config:1");
	person("confirm = other-uid\napprovers = staff\n");
	has(SA_SET_CONFIRM, "other-uid", "config:1");
	has(SA_SET_APPROVERS, "staff", "config:2");
	setenv("SA_CONFIRM", "shell", 1);
	refused("the environment does not loosen it", "would loosen");
	setenv("SA_CONFIRM", "other-uid", 1);
	has(SA_SET_CONFIRM, "other-uid", "environment");
	setenv("SA_CONFIRM", "signed", 1);
	has(SA_SET_CONFIRM, "signed", "environment");
	setenv("SA_ALLOWED_SIGNERS", "/mine", 1);
	refused("nor does it bring its own signers", "'confirm = signed'");
	unsetenv("SA_ALLOWED_SIGNERS");
	unsetenv("SA_CONFIRM");
	setenv("SA_APPROVERS", "me", 1);
	refused("or approvers", "'approvers = staff'");
	unsetenv("SA_APPROVERS");
	file("extra", "confirm = shell\n", 16);
	setenv("SA_CONFIG", "extra", 1);
	refused("nor does a file that it names", "extra:1");
	file("extra", "confirm = signed\nallowed_signers = /mine\n", 40);
	refused("not by way of another policy", "extra:2");
	unsetenv("SA_CONFIG");

	person("confirm = signed\nallowed_signers = /theirs\n");
	setenv("SA_ALLOWED_SIGNERS", "/mine", 1);
	refused("signers that the policy names stay", "/theirs");
	unsetenv("SA_ALLOWED_SIGNERS");
	setenv("SA_SIGNING_KEY", "/key", 1);
	has(SA_SET_SIGNING_KEY, "/key", "environment");
	unsetenv("SA_SIGNING_KEY");
	person("");
}

int
main(void)
{
	dir = scratch();
	unsetenv("SA_SIGNING_KEY");
	if (access(SA_OPERATOR_CONFIG, F_OK) == 0) {
		printf("1..0 # SKIP this machine has an operator's file\n");
		return 0;
	}
	if (mkdir("sa", 0700) < 0)
		ok(0, "a directory");
	test_defaults();
	test_layers();
	test_bad();
	test_policy();
	sa_err_clear(&err);
	return tap_done();
}
