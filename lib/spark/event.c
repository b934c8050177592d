/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"
#include "spark/audit.h"

#define EVENT_MS 10000

/* In a process of its own: nobody waits for it, and it holds no pipe open
 * that a reader of our output waits on. */
static void
run_hook(const char *command, const char *event, const char *text)
{
	char *argv[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" },
		sa_xstrdup(command), NULL };
	struct sa_err err = SA_ERR_INIT;
	int status = 0;

	setsid();
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	sa_log_quiet();
	signal(SIGPIPE, SIG_DFL);
	setenv("SA_EVENT", event, 1);
	struct sa_proc_spec spec = {
		.argv = argv,
		.input = text,
		.input_len = strlen(text),
		.timeout_ms = EVENT_MS,
	};
	if (sa_proc_run(&spec, &status, &err) < 0)
		sa_warn("on_event '%s' for %s: %s", command, event, err.msg);
	else if (status != 0)
		sa_warn("on_event '%s' for %s: %s %d", command, event,
		    WIFSIGNALED(status) ? "signal" : "exit",
		    WIFSIGNALED(status) ? WTERMSIG(status)
					: WEXITSTATUS(status));
	_exit(0);
}

void
sa_event(const struct sa_settings *s, const char *event, const json_t *record)
{
	const char *command = sa_settings_get(s, SA_SET_ON_EVENT);
	int status;

	if (*command == '\0')
		return;
	cleanup_free char *line = sa_json_text(record);
	cleanup_free char *text = sa_xasprintf("%s\n", line);
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			run_hook(command, event, text);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		sa_warn("on_event '%s' for %s: cannot fork", command, event);
}
