/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * Runs t/fake-yarn.py for a unit test, whose current directory is its own.
 */
#ifndef FAKE_YARN_H
#define FAKE_YARN_H

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"

static json_t *fake_ports;

/* Puts a scenario in place of the one that is in force. */
static inline void
fake_scenario(const char *json)
{
	sa_io_replace(AT_FDCWD, "scenario", json, strlen(json), 0644,
	    "scenario", NULL);
}

/* Whether it runs; it ends with us. tls: a file with key and certificate for
 * HTTPS, or NULL. */
static inline int
fake_start(const char *json, const char *tls)
{
	const char *src = getenv("SA_SRCDIR");
	cleanup_free char *path =
	    sa_xasprintf("%s/t/fake-yarn.py", src == NULL ? ".." : src);
	char line[512] = "";
	int fds[2];

	fake_scenario(json);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return 0;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		execlp("python3", "python3", path, "--log", "requests",
		    "scenario", tls != NULL ? "--tls" : NULL, tls,
		    (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	cleanup_file FILE *f = fdopen(fds[0], "re");
	if (pid < 0 || f == NULL || fgets(line, sizeof(line), f) == NULL)
		return 0;
	json_decref(fake_ports);
	fake_ports = json_loads(line, 0, NULL);
	return fake_ports != NULL;
}

/* The port of a server; i counts those of one kind. */
static inline int
fake_port(const char *kind, size_t i)
{
	const json_t *v = json_object_get(fake_ports, kind);

	if (json_is_array(v))
		v = json_array_get(v, i);
	return (int)json_integer_value(v);
}

/* The requests since the last call, an array; caller releases. */
static inline json_t *
fake_requests(void)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(1 << 20);
	json_t *out = json_array();

	sa_io_read_file(AT_FDCWD, "requests", &b, "requests", NULL);
	for (const char *s = sa_buf_str(&b); *s != '\0';) {
		size_t n = strcspn(s, "\n");
		json_array_append_new(out, json_loadb(s, n, 0, NULL));
		s += n + (s[n] == '\n');
	}
	unlink("requests");
	return out;
}

#endif
