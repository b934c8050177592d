/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/connection.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/text.h"
#include "spark/conf.h"
#include "spark/locate.h"
#include "spark/master.h"
#include "spark/url.h"

#define DIR "connections"
#define NAME_MAX_LEN 64
#define VALUE_MAX (64 * 1024)

/* The fields that are one text, in the order of the record. */
static int check_plain(const char *field, const char *value, struct sa_err *);
static int check_rm(const char *field, const char *value, struct sa_err *);
static int check_path(const char *field, const char *value, struct sa_err *);
static int check_guard(const char *field, const char *value, struct sa_err *);

static const struct field {
	const char *name;
	bool agent; /* an agent may set it */
	int (*check)(const char *field, const char *value, struct sa_err *err);
} fields[] = {
	{ "master", true, check_plain },
	{ "deploy_mode", true, check_plain },
	{ "yarn_rm_url", true, check_rm },
	{ "spark_home", false, check_path },
	{ "yarn_user", false, check_plain },
	{ "auth_file", false, check_path },
	{ "ca_file", false, check_path },
	{ "runtime_guard", false, check_guard },
};
#define NFIELDS (sizeof(fields) / sizeof(*fields))

/* The fields that are objects of texts. */
static const char *const maps[] = { "spark_conf", "env" };
#define NMAPS (sizeof(maps) / sizeof(*maps))

int
sa_connection_check_name(const char *name, struct sa_err *err)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) ||
	    (n > 0 && name[n] != '\0' && strchr("._-", name[n]) != NULL))
		n++;
	if (n > 0 && n <= NAME_MAX_LEN && name[n] == '\0')
		return 0;
	cleanup_free char *shown = sa_text_visible(name);
	sa_err_set(err, SA_INVALID, "connection name '%s' is not valid", shown);
	return sa_err_hint(err,
	    "1 to %d letters, digits, '.', '_', '-', a letter or digit first",
	    NAME_MAX_LEN);
}

static int
check_plain(const char *field, const char *value, struct sa_err *err)
{
	const char *fault = NULL;

	if (*value == '\0')
		fault = "is empty";
	else if (*value == '-')
		fault = "begins with '-'";
	else if (strlen(value) > VALUE_MAX)
		fault = "is over 65536 bytes";
	else if (strstr(value, SA_MASK) != NULL)
		fault = "is masked, give the value itself";
	for (const char *s = value; *s != '\0' && fault == NULL; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fault = "has a control character";
	if (fault == NULL)
		return 0;
	cleanup_free char *shown = sa_text_visible(value);
	return sa_err_set(err, SA_INVALID, "%s '%.100s' %s", field, shown,
	    fault);
}

static int
check_rm(const char *field, const char *value, struct sa_err *err)
{
	return check_plain(field, value, err) < 0 ? -1
						  : sa_url_check_rm(value, err);
}

static int
check_path(const char *field, const char *value, struct sa_err *err)
{
	if (check_plain(field, value, err) < 0)
		return -1;
	if (*value == '/')
		return 0;
	cleanup_free char *shown = sa_text_visible(value);
	sa_err_set(err, SA_INVALID, "%s '%.100s' is not absolute", field,
	    shown);
	return sa_err_hint(err, "give a path that begins with '/'");
}

static int
check_guard(const char *field, const char *value, struct sa_err *err)
{
	if (strcmp(value, "conf") == 0 || strcmp(value, "wrapper") == 0 ||
	    strcmp(value, "off") == 0)
		return 0;
	cleanup_free char *shown = sa_text_visible(value);
	return sa_err_set(err, SA_INVALID,
	    "%s '%.100s' is none of conf, wrapper and off", field, shown);
}

static int
check_env(const char *name, const char *value, struct sa_err *err)
{
	cleanup_free char *shown = sa_text_visible(name);
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	if (n == 0 || n > 255 || name[n] != '\0' ||
	    isdigit((unsigned char)name[0]))
		return sa_err_set(err, SA_INVALID,
		    "env '%.100s' is no name of a variable", shown);
	if (sa_locate_env_denied(name)) {
		sa_err_set(err, SA_INVALID,
		    "env '%s' cannot be set: it would change a submission "
		    "behind the review",
		    shown);
		return sa_err_hint(err, "use spark_conf");
	}
	if (*value == '\0')
		return 0;
	cleanup_free char *what = sa_xasprintf("the value of env '%s',", shown);
	if (sa_mask_show(name, value) == value)
		return *value == '-' ? 0 : check_plain(what, value, err);
	/* a secret is not repeated in an error */
	if (strstr(value, SA_MASK) != NULL)
		return sa_err_set(err, SA_INVALID,
		    "the value of env '%s' is masked", shown);
	return 0;
}

/* A member of a map that is to be set to value. */
static int
check_member(const char *map, const char *key, const char *value,
    enum sa_origin origin, struct sa_err *err)
{
	if (strcmp(map, "spark_conf") == 0)
		return sa_conf_check(key, value, origin, err);
	if (origin == SA_ORIGIN_AGENT)
		return sa_err_set(err, SA_REFUSED,
		    "env '%s' is not for an agent: a person sets it", key);
	return check_env(key, value, err);
}

/* The value of one text field is NULL or a text, else SA_INVALID. */
static int
text_of(const json_t *record, const char *field, const char **out,
    struct sa_err *err)
{
	const json_t *value = json_object_get(record, field);

	*out = json_string_value(value);
	if (value == NULL || json_is_null(value) || *out != NULL)
		return 0;
	return sa_err_set(err, SA_INVALID, "%s must be a string or null",
	    field);
}

/* The map as an object of scalars and nulls; NULL where there is none. */
static int
map_of(const json_t *record, const char *map, json_t **out, struct sa_err *err)
{
	json_t *value = json_object_get(record, map), *member;
	const char *key;

	*out = NULL;
	if (value == NULL || json_is_null(value))
		return 0;
	if (!json_is_object(value))
		return sa_err_set(err, SA_INVALID, "%s must be an object", map);
	json_object_foreach (value, key, member) {
		if (!json_is_array(member) && !json_is_object(member))
			continue;
		cleanup_free char *shown = sa_text_visible(key);
		return sa_err_set(err, SA_INVALID,
		    "%s: the value of '%s' must be a scalar", map, shown);
	}
	*out = value;
	return 0;
}

static int
check_types(const json_t *record, struct sa_err *err)
{
	const char *text;
	json_t *map;

	for (size_t i = 0; i < NFIELDS; i++)
		if (text_of(record, fields[i].name, &text, err) < 0)
			return -1;
	for (size_t i = 0; i < NMAPS; i++)
		if (map_of(record, maps[i], &map, err) < 0)
			return -1;
	return 0;
}

static void
keep(json_t *record, const json_t *old, const char *key, json_t *none)
{
	json_t *value = json_object_get(old, key);

	if (value != NULL && !json_is_null(value)) {
		json_decref(none);
		json_object_set(record, key, value);
	} else
		json_object_set_new(record, key, none);
}

/* Values of a map as text: the predecessor stored numbers as numbers. */
static json_t *
as_texts(const json_t *map)
{
	json_t *texts = json_object(), *value;
	const char *key;

	/* jansson's loop wants an object that it could change */
	json_auto_t *copy = json_copy((json_t *)(uintptr_t)map);
	json_object_foreach (copy, key, value) {
		cleanup_free char *text = sa_json_scalar(value);
		if (text != NULL)
			sa_json_set_str(texts, key, text);
	}
	return texts;
}

void
sa_connection_complete(json_t *record, const char *name)
{
	json_auto_t *old = json_copy(record);

	json_object_clear(record);
	json_object_set_new(record, "v", json_integer(1));
	json_object_set_new(record, "type", json_string("connection"));
	json_object_set_new(record, "name", json_string(name));
	keep(record, old, "master", json_string("yarn"));
	keep(record, old, "deploy_mode", json_null());
	json_object_set_new(record, "spark_conf",
	    as_texts(sa_json_obj(old, "spark_conf")));
	keep(record, old, "yarn_rm_url", json_null());
	keep(record, old, "spark_home", json_null());
	json_object_set_new(record, "env", as_texts(sa_json_obj(old, "env")));
	keep(record, old, "yarn_user", json_null());
	keep(record, old, "auth_file", json_null());
	keep(record, old, "ca_file", json_null());
	keep(record, old, "runtime_guard", json_null());
	keep(record, old, "origin", json_object());
	keep(record, old, "created_at", json_null());
	keep(record, old, "updated_at", json_null());
	json_object_update_missing(record, old);
}

static void
unknown(struct sa_err *err)
{
	sa_err_hint(err, "sa-conn list shows those that are");
	sa_err_agent_hint(err, "list_connections shows those that are");
}

int
sa_connection_read(const struct sa_store *st, const char *name, json_t **out,
    struct sa_err *err)
{
	json_auto_t *record = NULL;

	if (sa_connection_check_name(name, err) < 0)
		return -1;
	cleanup_free char *rel = sa_xasprintf(DIR "/%s.json", name);
	cleanup_free char *what = sa_xasprintf("connection: %s", name);
	if (sa_record_read(st, rel, "connection", true, what, &record, err) <
	    0) {
		if (err != NULL && err->kind == SA_NOT_FOUND)
			unknown(err);
		return -1;
	}
	if (check_types(record, err) < 0)
		return sa_err_prefix(err, "%s", what);
	sa_connection_complete(record, name);
	*out = sa_steal(&record);
	return 0;
}

static void
set_origin(json_t *record, const char *map, const char *key, const char *origin)
{
	json_t *origins = sa_json_obj(record, "origin");
	cleanup_free char *name =
	    map != NULL ? sa_xasprintf("%s.%s", map, key) : sa_xstrdup(key);

	if (origins == NULL) {
		origins = json_object();
		json_object_set_new(record, "origin", origins);
	}
	if (origin != NULL)
		json_object_set_new(origins, name, json_string(origin));
	else
		json_object_del(origins, name);
}

/* One text field of changes into record. */
static int
apply_field(json_t *record, const json_t *changes, const struct field *f,
    enum sa_origin origin, struct sa_err *err)
{
	const char *value;

	if (text_of(changes, f->name, &value, err) < 0)
		return -1;
	if (json_object_get(changes, f->name) == NULL)
		return 0;
	if (value == NULL) {
		json_object_set_new(record, f->name,
		    strcmp(f->name, "master") == 0 ? json_string("yarn")
						   : json_null());
		set_origin(record, NULL, f->name, NULL);
		return 0;
	}
	if (f->check(f->name, value, err) < 0)
		return -1;
	if (origin == SA_ORIGIN_AGENT && !f->agent)
		return sa_err_set(err, SA_REFUSED,
		    "%s is not for an agent: a person sets it", f->name);
	sa_json_set_str(record, f->name, value);
	set_origin(record, NULL, f->name, sa_origin_name(origin));
	return 0;
}

static int
apply_map(json_t *record, const json_t *changes, const char *map,
    enum sa_origin origin, struct sa_err *err)
{
	json_t *to = sa_json_obj(record, map), *from, *value;
	const char *key;

	if (map_of(changes, map, &from, err) < 0)
		return -1;
	if (from == NULL && json_object_get(changes, map) != NULL) {
		json_object_foreach (to, key, value)
			set_origin(record, map, key, NULL);
		json_object_clear(to);
	}
	json_object_foreach (from, key, value) {
		cleanup_free char *text = sa_json_scalar(value);
		if (text == NULL) {
			json_object_del(to, key);
			set_origin(record, map, key, NULL);
			continue;
		}
		if (check_member(map, key, text, origin, err) < 0)
			return -1;
		sa_json_set_str(to, key, text);
		set_origin(record, map, key, sa_origin_name(origin));
	}
	return 0;
}

/* What an agent meets: a connection in which a person, the operator or the
 * predecessor set something is not its own. */
static int
check_owner(const json_t *stored, const char *name, enum sa_origin origin,
    struct sa_err *err)
{
	json_t *origins = sa_json_obj(stored, "origin"), *value;
	const char *key;

	if (origin != SA_ORIGIN_AGENT)
		return 0;
	json_object_foreach (origins, key, value) {
		const char *who = json_string_value(value);
		if (who == NULL || strcmp(who, "agent") != 0)
			return sa_err_set(err, SA_REFUSED,
			    "connection '%s' is not an agent's to change: its "
			    "%s was set by %s",
			    name, key, who != NULL ? who : "somebody else");
	}
	if (json_object_size(origins) == 0)
		return sa_err_set(err, SA_REFUSED,
		    "connection '%s' is not an agent's to change: it does not "
		    "say who set its master",
		    name);
	return 0;
}

/* The members of a record that we do not know are passed on. */
static void
keep_unknown(json_t *record, const json_t *changes)
{
	json_auto_t *copy = json_copy((json_t *)(uintptr_t)changes);
	json_t *value;
	const char *key;

	json_object_foreach (copy, key, value)
		if (json_object_get(record, key) == NULL)
			json_object_set(record, key, value);
}

/* changes over record, every field checked, and the whole too. */
static int
apply(json_t *record, const json_t *changes, enum sa_origin origin,
    struct sa_err *err)
{
	enum sa_master_kind kind;

	for (size_t i = 0; i < NFIELDS; i++)
		if (apply_field(record, changes, &fields[i], origin, err) < 0)
			return -1;
	for (size_t i = 0; i < NMAPS; i++)
		if (apply_map(record, changes, maps[i], origin, err) < 0)
			return -1;
	keep_unknown(record, changes);
	const char *mode = sa_json_str(record, "deploy_mode");
	if (sa_master_check(sa_json_str(record, "master"), &kind, err) < 0)
		return -1;
	return sa_master_check_mode(kind, mode, err);
}

/* The stored record under the lock, or a new one. */
static int
load_or_new(const struct sa_store *st, const char *name, enum sa_origin origin,
    json_t **out, struct sa_err *err)
{
	struct sa_err local = SA_ERR_INIT;
	char now[SA_TIME_SIZE];

	if (sa_connection_read(st, name, out, &local) == 0)
		return check_owner(*out, name, origin, err);
	if (local.kind != SA_NOT_FOUND) {
		if (err != NULL)
			*err = local;
		else
			sa_err_clear(&local);
		return -1;
	}
	sa_err_clear(&local);
	*out = json_object();
	sa_connection_complete(*out, name);
	sa_clock_now(now);
	sa_json_set_str(*out, "created_at", now);
	/* the default is whose connection it is */
	set_origin(*out, NULL, "master", sa_origin_name(origin));
	return 0;
}

int
sa_connection_save(const struct sa_store *st, const char *name,
    const json_t *changes, enum sa_origin origin, json_t **out,
    struct sa_err *err)
{
	json_auto_t *record = NULL;
	char now[SA_TIME_SIZE];

	sa_debug("save connection '%s' as %s", name, sa_origin_name(origin));
	if (sa_connection_check_name(name, err) < 0)
		return -1;
	cleanup_free char *rel = sa_xasprintf(DIR "/%s.json", name);
	cleanup_free char *what = sa_xasprintf("connection '%s'", name);
	cleanup_fd int dir = sa_store_dir(st, DIR, true, err);
	if (dir < 0)
		return -1;
	cleanup_fd int lock = sa_store_lock(st, DIR "/.lock", what, err);
	if (lock < 0 || load_or_new(st, name, origin, &record, err) < 0)
		return -1;
	if (apply(record, changes, origin, err) < 0)
		return sa_err_prefix(err, "%s", what);
	sa_clock_now(now);
	if (sa_json_str(record, "created_at") == NULL)
		sa_json_set_str(record, "created_at", now);
	sa_json_set_str(record, "updated_at", now);
	if (sa_record_write(st, rel, record, what, err) < 0)
		return -1;
	sa_info("saved %s", what);
	*out = sa_steal(&record);
	return 0;
}

int
sa_connection_delete(const struct sa_store *st, const char *name,
    enum sa_origin origin, json_t **out, struct sa_err *err)
{
	json_auto_t *record = NULL;

	sa_debug("delete connection '%s' as %s", name, sa_origin_name(origin));
	/* read before the lock is made: nothing is made for a wrong name */
	if (sa_connection_read(st, name, &record, err) < 0)
		return -1;
	json_decref(sa_steal(&record));
	cleanup_free char *file = sa_xasprintf("%s.json", name);
	cleanup_free char *what = sa_xasprintf("connection '%s'", name);
	cleanup_fd int dir = sa_store_dir(st, DIR, false, err);
	if (dir < 0)
		return -1;
	cleanup_fd int lock = sa_store_lock(st, DIR "/.lock", what, err);
	if (lock < 0 || sa_connection_read(st, name, &record, err) < 0 ||
	    check_owner(record, name, origin, err) < 0)
		return -1;
	if (unlinkat(dir, file, 0) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot delete %s",
		    what);
	if (sa_io_fsync_dir(dir, what, err) < 0)
		return -1;
	sa_info("deleted %s", what);
	*out = sa_steal(&record);
	return 0;
}

static void
mask_member(json_t *object, const char *key, const char *shown_as)
{
	const char *value = sa_json_str(object, key);

	if (value == NULL)
		return;
	const char *shown = sa_mask_show(shown_as, value);
	if (shown != value)
		sa_json_set_str(object, key, shown);
}

json_t *
sa_connection_masked(const json_t *record)
{
	json_t *copy = json_deep_copy(record), *value;
	const char *key;
	void *next;

	for (size_t i = 0; i < NMAPS; i++) {
		json_t *map = sa_json_obj(copy, maps[i]);
		json_object_foreach_safe(map, next, key, value)
		    mask_member(map, key, key);
	}
	/* saving refuses a login in it; an old record may have one */
	mask_member(copy, "yarn_rm_url", "");
	mask_member(copy, "master", "");
	return copy;
}

static void
put_line(FILE *f, const char *title, const char *value, const char *origin)
{
	cleanup_free char *shown = sa_text_visible(value);
	cleanup_free char *name = sa_text_visible(title);

	fprintf(f, "%-14s %s", name, shown);
	if (origin != NULL && strcmp(origin, "person") != 0)
		fprintf(f, "  (%s)", origin);
	fputc('\n', f);
}

static void
put_map(FILE *f, const json_t *record, const char *map)
{
	json_t *object = sa_json_obj(record, map), *value;
	json_t *origins = sa_json_obj(record, "origin");
	const char *key;

	json_object_foreach (object, key, value) {
		cleanup_free char *name = sa_xasprintf("%s.%s", map, key);
		cleanup_free char *text = sa_json_scalar(value);
		cleanup_free char *pair =
		    sa_xasprintf("%s=%s", key, text != NULL ? text : "");
		put_line(f, map, pair, sa_json_str(origins, name));
	}
}

void
sa_connection_text(FILE *f, const json_t *record)
{
	const json_t *origins = sa_json_obj(record, "origin");
	const char *name = sa_json_str(record, "name");

	put_line(f, "name", name != NULL ? name : "", NULL);
	for (size_t i = 0; i < NFIELDS; i++) {
		const char *value = sa_json_str(record, fields[i].name);
		if (value != NULL)
			put_line(f, fields[i].name, value,
			    sa_json_str(origins, fields[i].name));
	}
	for (size_t i = 0; i < NMAPS; i++)
		put_map(f, record, maps[i]);
	const char *updated = sa_json_str(record, "updated_at");
	if (updated != NULL)
		put_line(f, "updated_at", updated, NULL);
}
