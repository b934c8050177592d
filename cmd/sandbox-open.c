/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/attach.h"

#define ENV_FILE_MAX (1024 * 1024)

void
sandbox_close(struct sandbox *s)
{
	if (s->box != NULL)
		s->b->close(s->box);
	free(s->name);
	sa_session_leave(&s->session);
	*s = (struct sandbox)SANDBOX_NONE;
}

/* The backend that is asked for, or the one that comes first. */
static const struct sa_backend *
backend_of(const struct sa_cli *cli, const char *name, struct sa_err *err)
{
	const struct sa_backend *first = sa_backends()[0];

	if (name == NULL)
		name = sa_cli_str(cli, "backend");
	if (name != NULL)
		return sa_backend_find(name, err);
	if (first == NULL)
		sa_err_set(err, SA_CONFIG,
		    "there is no backend for sandboxes in this build");
	return first;
}

/* Nobody but who holds it works with a sandbox. */
static int
check_holder(struct sandbox *s, const char *holder, struct sa_err *err)
{
	cleanup_tags struct sa_box_tags tags = { .owner = NULL };

	if (!s->b->attachable)
		return 0;
	if (s->b->read_tags(s->box, &tags, err) < 0)
		return -1;
	s->expires_at = tags.expires_at;
	if (tags.holder == NULL ||
	    (holder != NULL && strcmp(tags.holder, holder) == 0))
		return 0;
	cleanup_free char *shown = sa_text_visible(tags.holder);
	sa_err_set(err, SA_REFUSED, "the sandbox '%s' is held by '%s'", s->name,
	    shown);
	return sa_err_hint(err,
	    "wait until it was released, or give the same --holder");
}

static int
find_in(const struct sa_cli *cli, const char *name, const char *backend,
    struct sandbox *out, struct sa_err *err)
{
	struct sandbox s = SANDBOX_NONE;

	s.b = backend_of(cli, backend, err);
	if (s.b == NULL ||
	    s.b->find(sa_cli_settings(cli), name, &s.box, err) < 0)
		return -1;
	s.name = sa_xstrdup(name);
	*out = s;
	return 0;
}

int
sandbox_find(const struct sa_cli *cli, const char *name, struct sandbox *out,
    struct sa_err *err)
{
	return find_in(cli, name, NULL, out, err);
}

static int
open_with(const struct sa_cli *cli, const char *name, const char *backend,
    const char *holder, struct sandbox *out, struct sa_err *err)
{
	if (sa_attach_check_name(name, err) < 0 ||
	    find_in(cli, name, backend, out, err) < 0)
		return -1;
	if (check_holder(out, holder, err) == 0)
		return 0;
	sandbox_close(out);
	return -1;
}

int
sandbox_open(const struct sa_cli *cli, const char *name, const char *holder,
    struct sandbox *out, struct sa_err *err)
{
	return open_with(cli, name, NULL, holder, out, err);
}

int
sandbox_of_record(const struct sa_cli *cli, const json_t *record,
    struct sandbox *out, struct sa_err *err)
{
	const char *name = sa_json_str(record, "sandbox");
	const char *holder = sa_cli_str(cli, "holder");

	if (name == NULL)
		return sa_err_set(err, SA_INVALID,
		    "stdin: the record names no sandbox");
	if (holder == NULL)
		holder = sa_json_str(record, "holder");
	if (open_with(cli, name, sa_json_str(record, "backend"), holder, out,
		err) < 0)
		return -1;
	out->piped = true;
	return 0;
}

int
sandbox_subject(struct sa_cli *cli, struct sandbox *out, struct sa_err *err)
{
	const struct sa_strings *operands = sa_cli_operands(cli);
	json_auto_t *record = NULL;

	if (sa_cli_flag(cli, "session"))
		return sandbox_of_session(cli, out, err);
	if (operands->n > 0 && strcmp(operands->v[0], "-") != 0)
		return sandbox_open(cli, operands->v[0],
		    sa_cli_str(cli, "holder"), out, err);
	if (sa_cli_record(cli, SANDBOX_RECORDS, &record, err) < 0)
		return -1;
	return sandbox_of_record(cli, record, out, err);
}

/* Options that are one field of the spec each; a path of the host starts at
 * our working directory. */
static const struct {
	const char *option, *member;
	bool list, path;
} plain[] = {
	{ "allow-egress", "allow_egress", true, false },
	{ "allow-cidr", "allow_cidr", true, false },
	{ "owner", "owner", false, false },
	{ "memory", "memory", false, false },
	{ "cpus", "cpus", false, false },
	{ "pids", "pids", false, false },
	{ "disk", "disk", false, false },
	{ "expires", "expires", false, false },
	{ "workdir", "workdir", false, false },
	{ "ro", "ro", true, true },
	{ "root", "root", false, true },
};
#define NPLAIN (sizeof(plain) / sizeof(*plain))

const char *
sandbox_spec_given(const struct sa_cli *cli)
{
	static const char *const others[] = { "env", "env-file", "open-network",
		"backend" };

	for (size_t i = 0; i < NPLAIN; i++)
		if (sa_cli_given(cli, plain[i].option))
			return plain[i].option;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (sa_cli_given(cli, others[i]))
			return others[i];
	return NULL;
}

static json_t *
value_of(const char *text, bool path)
{
	cleanup_free char *whole =
	    path && *text != '\0' ? sa_path_absolute(text) : sa_xstrdup(text);
	json_t *value = json_string(whole);

	/* what is no UTF-8 cannot be in a record, and names nothing here */
	return value != NULL ? value : json_string("\xef\xbf\xbd");
}

/* One line of an --env-file. A value may be a secret: no error shows it. */
static int
add_env_line(json_t *env, const char *line, const char *path, size_t number,
    struct sa_err *err)
{
	const char *text = line + strspn(line, " \t");

	if (*text == '\0' || *text == '#')
		return 0;
	json_t *pair = sa_spec_is_env(line) ? json_string(line) : NULL;
	if (pair == NULL)
		return sa_err_set(err, SA_INVALID,
		    "%s:%zu: the line is not NAME=VALUE in UTF-8, NAME of "
		    "letters, digits and underscores",
		    path, number);
	json_array_append_new(env, pair);
	return 0;
}

/* The file may be a pipe, in which a secret is never on a disk. */
static int
add_env_file(json_t *env, const char *path, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(ENV_FILE_MAX);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t number = 1;

	if (fd < 0)
		return sa_err_errno(err, errno == ENOENT ? SA_NOT_FOUND : SA_IO,
		    errno, "cannot open '%s'", path);
	if (sa_io_read_fd(fd, &b, path, err) < 0)
		return -1;
	if (memchr(sa_buf_str(&b), '\0', b.len) != NULL)
		return sa_err_set(err, SA_INVALID,
		    "'%s' is no text: it has a byte that is 0", path);
	for (char *line = b.s; line != NULL && *line != '\0'; number++) {
		char *end = line + strcspn(line, "\n");
		bool more = *end == '\n';
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		if (add_env_line(env, line, path, number, err) < 0)
			return -1;
		line = more ? end + 1 : end;
	}
	return 0;
}

int
sandbox_spec(const struct sa_cli *cli, struct sa_spec *out, struct sa_err *err)
{
	json_auto_t *j = json_object();
	json_t *env = json_array();
	const char *file = sa_cli_str(cli, "env-file");
	const struct sa_settings *settings = sa_cli_settings(cli);
	struct sa_strings pairs = sa_cli_list(cli, "env");

	json_object_set_new(j, "env", env);
	if (file == NULL && sa_cli_agent(cli) &&
	    sa_settings_is_set(settings, SA_SET_SANDBOX_ENV_FILE))
		file = sa_settings_get(settings, SA_SET_SANDBOX_ENV_FILE);
	if (file != NULL && add_env_file(env, file, err) < 0)
		return -1;
	for (size_t i = 0; i < pairs.n; i++)
		json_array_append_new(env, value_of(pairs.v[i], false));
	if (json_array_size(env) == 0)
		json_object_del(j, "env");
	if (sa_cli_flag(cli, "open-network"))
		json_object_set_new(j, "open_network", json_true());
	for (size_t i = 0; i < NPLAIN; i++) {
		struct sa_strings given = sa_cli_list(cli, plain[i].option);
		json_t *list = json_array();
		for (size_t k = 0; k < given.n; k++)
			json_array_append_new(list,
			    value_of(given.v[k], plain[i].path));
		if (given.n > 0)
			json_object_set(j, plain[i].member,
			    plain[i].list ? list
					  : json_array_get(list, given.n - 1));
		json_decref(list);
	}
	if (sa_cli_agent(cli))
		sandbox_policy(cli, j);
	return sa_spec_parse(j, out, err);
}

int
sandbox_create(const struct sa_cli *cli, const struct sa_spec *spec,
    struct sandbox *out, struct sa_err *err)
{
	struct sandbox s = SANDBOX_NONE;
	char name[SA_BOX_NAME];

	s.b = backend_of(cli, NULL, err);
	if (s.b == NULL)
		return -1;
	sa_box_new_name(name);
	if (s.b->create(sa_cli_settings(cli), name, spec, &s.box, err) < 0)
		return -1;
	s.name = sa_xstrdup(name);
	*out = s;
	return 0;
}
