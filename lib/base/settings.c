/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/settings.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/path.h"
#include "base/text.h"

#define FILE_MAX (256 * 1024)
#define HOST_LIST                                                           \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-" \
	":*[], \t"

static const struct sa_setting_def defs[SA_SET_COUNT] = {
	[SA_SET_DATA_DIR] = { "data-dir", "DIR", "SPARK_EXECUTOR_DATA_DIR",
	    "data_dir", "./data", false,
	    "directory that holds connections, pendings, runs and logs" },
	[SA_SET_JOBS_DIR] = { "jobs-dir", "DIR", "SPARK_EXECUTOR_JOBS_DIR",
	    "jobs_dir", "", false,
	    "directory of job files; default DATA_DIR/jobs" },
	[SA_SET_RM_URL] = { NULL, NULL, "YARN_RESOURCE_MANAGER_URL",
	    "yarn_resource_manager_url", "", false,
	    "ResourceManager of connections that name none" },
	[SA_SET_LOG_LEVEL] = { "log-level", "LEVEL", "SPARK_EXECUTOR_LOG_LEVEL",
	    "log_level", "WARNING", false,
	    "least level on stderr and in info.log: DEBUG, INFO, WARNING, "
	    "ERROR" },
	[SA_SET_PYTHON] = { NULL, NULL, "SA_PYTHON", "python", "", false,
	    "Python whose pyspark package gives spark-submit when neither "
	    "the connection, SPARK_HOME nor PATH does" },
	[SA_SET_ON_EVENT] = { "on-event", "CMD", "SA_ON_EVENT", "on_event", "",
	    false,
	    "shell command that gets the record of each event on stdin; its "
	    "failure blocks nothing" },
	[SA_SET_PENDING_TTL] = { NULL, NULL, "SA_PENDING_TTL", "pending_ttl",
	    "24h", false, "how long a pending may be confirmed" },
	[SA_SET_APPROVAL_TTL] = { NULL, NULL, "SA_APPROVAL_TTL", "approval_ttl",
	    "1h", false, "how long an approval is good" },
	[SA_SET_SUBMIT_TIMEOUT] = { NULL, NULL, "SA_SUBMIT_TIMEOUT",
	    "submit_timeout", "3m", false,
	    "how long a cluster may take to give an application its id before "
	    "spark-submit is ended" },
	[SA_SET_OUTPUT_MAX] = { NULL, NULL, "SA_OUTPUT_MAX", "output_max",
	    "67108864", false,
	    "bytes of a driver's stdout and of its stderr that are kept, the "
	    "newest ones" },
	[SA_SET_CONFIRM] = { NULL, NULL, "SA_CONFIRM", "confirm", "shell", true,
	    "who may confirm: open, shell, other-uid, signed" },
	[SA_SET_APPROVERS] = { NULL, NULL, "SA_APPROVERS", "approvers", "",
	    true, "group whose members' approvals count under other-uid" },
	[SA_SET_ALLOWED_SIGNERS] = { NULL, NULL, "SA_ALLOWED_SIGNERS",
	    "allowed_signers", "", true,
	    "allowed-signers file of ssh-keygen under signed" },
	[SA_SET_SIGNING_KEY] = { NULL, NULL, "SA_SIGNING_KEY", "signing_key",
	    "", true, "key that sa-confirm approve signs with" },
	[SA_SET_GUARD_POLICY] = { NULL, NULL, "SA_GUARD_POLICY", "guard_policy",
	    "", true,
	    "policy file of the guard; the operator's may loosen the default, "
	    "others tighten it" },
	[SA_SET_RM_HOSTS] = { NULL, NULL, "SA_RM_HOSTS", "rm_hosts", "", true,
	    "HOST, HOST:PORT and *.DOMAIN with commas: ResourceManagers and "
	    "masters that an agent may name; default those that persons "
	    "named" },
	[SA_SET_READ_DENY] = { NULL, NULL, "SA_READ_DENY", "read_deny",
	    "default", true,
	    "paths and names with colons that an agent may not read; default "
	    "is the list of sa(7)" },
	[SA_SET_MCP_SANDBOX] = { NULL, NULL, "SA_MCP_SANDBOX", "mcp_sandbox",
	    "off", false,
	    "whether models run commands: off, on (in a sandbox of their "
	    "own), or the sandbox that they get" },
	[SA_SET_SANDBOX_EGRESS] = { NULL, NULL, "SA_SANDBOX_ALLOW_EGRESS",
	    "sandbox_allow_egress", "", false,
	    "HOST and HOST:PORT with commas that a model's sandbox reaches" },
	[SA_SET_SANDBOX_CIDR] = { NULL, NULL, "SA_SANDBOX_ALLOW_CIDR",
	    "sandbox_allow_cidr", "", false,
	    "ranges of IPv4 addresses with commas that it reaches" },
	[SA_SET_SANDBOX_NETWORK] = { NULL, NULL, "SA_SANDBOX_OPEN_NETWORK",
	    "sandbox_open_network", "off", false,
	    "on: it reaches any network" },
	[SA_SET_SANDBOX_MEMORY] = { NULL, NULL, "SA_SANDBOX_MEMORY",
	    "sandbox_memory", "", false, "its memory, such as 2G" },
	[SA_SET_SANDBOX_CPUS] = { NULL, NULL, "SA_SANDBOX_CPUS", "sandbox_cpus",
	    "", false, "its processors, such as 1.5" },
	[SA_SET_SANDBOX_PIDS] = { NULL, NULL, "SA_SANDBOX_PIDS", "sandbox_pids",
	    "", false, "its processes" },
	[SA_SET_SANDBOX_DISK] = { NULL, NULL, "SA_SANDBOX_DISK", "sandbox_disk",
	    "", false, "what its files may take, such as 4G" },
	[SA_SET_SANDBOX_EXPIRES] = { NULL, NULL, "SA_SANDBOX_EXPIRES",
	    "sandbox_expires", "24h", false,
	    "how long it lasts; it ends before that with its session" },
	[SA_SET_SANDBOX_RO] = { NULL, NULL, "SA_SANDBOX_RO", "sandbox_ro", "",
	    false, "paths of this host with colons that it sees, read only" },
	[SA_SET_SANDBOX_ROOT] = { NULL, NULL, "SA_SANDBOX_ROOT", "sandbox_root",
	    "", false, "a root tree that it has in place of this host's /usr" },
	[SA_SET_SANDBOX_ENV_FILE] = { NULL, NULL, "SA_SANDBOX_ENV_FILE",
	    "sandbox_env_file", "", false,
	    "file with its variables, one NAME=VALUE a line" },
	[SA_SET_SANDBOX_HOLDER] = { NULL, NULL, "SA_SANDBOX_HOLDER",
	    "sandbox_holder", "", false,
	    "who holds the sandbox that mcp_sandbox names" },
	[SA_SET_PAGER] = { NULL, NULL, "SA_PAGER", NULL, "", false,
	    "what shows a review at a terminal; without it PAGER, or less" },
	[SA_SET_CONFIG] = { NULL, NULL, "SA_CONFIG", NULL, "", false,
	    "one more configuration file" },
	[SA_SET_ORIGIN] = { NULL, NULL, "SA_ORIGIN", NULL, "", false,
	    "agent when a model is asking; set by sa-mcp" },
	[SA_SET_SESSION] = { NULL, NULL, "SA_SESSION", NULL, "", false,
	    "session that a model's sandbox belongs to; set by sa-mcp" },
	[SA_SET_ERROR_FD] = { NULL, NULL, "SA_ERROR_FD", NULL, "", false,
	    "descriptor that gets an error as one JSON object" },
};

static const char *const confirm_names[] = { "open", "shell", "other-uid",
	"signed" };

struct value {
	char *text;
	char *source;
	long long number;
	bool policy_layer; /* set by the file that may set policy */
};

struct sa_settings {
	struct value v[SA_SET_COUNT];
};

const struct sa_setting_def *
sa_setting_def(enum sa_setting id)
{
	return &defs[id];
}

static int
confirm_rank(const char *word)
{
	for (int i = 0; i < 4; i++)
		if (strcmp(word, confirm_names[i]) == 0)
			return i;
	return -1;
}

/* An absolute path or names, with slashes between, that a path can have. */
static bool
is_deny_entry(const char *s, size_t n)
{
	if (n > 1 && *s == '/') {
		s++;
		n--;
	} else if (n == 1 && *s == '/')
		return true;
	for (;;) {
		const char *slash = memchr(s, '/', n);
		size_t k = slash != NULL ? (size_t)(slash - s) : n;
		if (k == 0 || (k <= 2 && memcmp(s, "..", k) == 0))
			return false;
		if (slash == NULL)
			return true;
		s += k + 1;
		n -= k + 1;
	}
}

static bool
is_deny_list(const char *text)
{
	for (size_t n; *text != '\0'; text += n + (text[n] == ':')) {
		n = strcspn(text, ":");
		if (!is_deny_entry(text, n))
			return false;
	}
	return true;
}

static bool
is_hex12(const char *text)
{
	return strlen(text) == 12 &&
	    strspn(text, "0123456789abcdef") == strlen(text);
}

static bool
is_sandbox(const char *text)
{
	static const char prefix[] = "sa-sandbox-";
	size_t n = sizeof(prefix) - 1;

	return strncmp(text, prefix, n) == 0 && is_hex12(text + n);
}

/* Checks a value's form and gives its number where it has one. */
static int
check(enum sa_setting id, const char *text, const char *source, long long *n,
    struct sa_err *err)
{
	static const char *const levels[] = { "DEBUG", "INFO", "WARNING",
		"ERROR" };
	const char *want = NULL, *why = NULL;

	switch (id) {
	case SA_SET_PENDING_TTL:
	case SA_SET_APPROVAL_TTL:
	case SA_SET_SUBMIT_TIMEOUT:
		*n = sa_clock_duration(text);
		if (*n < 0)
			want = "a duration such as 90s, 15m, 24h or 7d";
		break;
	case SA_SET_OUTPUT_MAX:
		*n = strtonum(text, 65536, 1LL << 40, &why);
		if (why != NULL)
			want = "a number of bytes from 65536 to 1099511627776";
		break;
	case SA_SET_LOG_LEVEL:
		*n = -1;
		for (int i = 0; i < 4; i++)
			if (strcasecmp(text, levels[i]) == 0)
				*n = i;
		if (*n < 0)
			want = "DEBUG, INFO, WARNING or ERROR";
		break;
	case SA_SET_CONFIRM:
		*n = confirm_rank(text);
		if (*n < 0)
			want = "open, shell, other-uid or signed";
		break;
	case SA_SET_SANDBOX_EXPIRES:
		*n = sa_clock_duration(text);
		if (*n <= 0)
			want = "a time such as 15m or 24h";
		break;
	case SA_SET_SANDBOX_NETWORK:
		*n = strcmp(text, "on") == 0;
		if (*n == 0 && strcmp(text, "off") != 0)
			want = "on or off";
		break;
	case SA_SET_MCP_SANDBOX:
		*n = strcmp(text, "off") != 0;
		if (*n != 0 && strcmp(text, "on") != 0 && !is_sandbox(text))
			want = "off, on, or the name of a sandbox, "
			       "sa-sandbox- and 12 hexadecimal digits";
		break;
	case SA_SET_SESSION:
		if (!is_hex12(text))
			want = "12 hexadecimal digits";
		break;
	case SA_SET_ORIGIN:
		if (strcmp(text, "agent") != 0 && strcmp(text, "person") != 0)
			want = "agent or person";
		break;
	case SA_SET_ERROR_FD:
		strtonum(text, 2, INT_MAX, &why);
		if (why != NULL)
			want = "the number of an open descriptor, 2 or more";
		break;
	case SA_SET_DATA_DIR:
	case SA_SET_JOBS_DIR:
		if (*text == '\0')
			want = "the path of a directory";
		break;
	case SA_SET_RM_HOSTS:
		if (strspn(text, HOST_LIST) != strlen(text))
			want = "hosts such as rm1, rm2:8088 or *.example.org, "
			       "with commas";
		break;
	case SA_SET_READ_DENY:
		if (!is_deny_list(text))
			want = "absolute paths, and names such as .ssh or "
			       "*.keytab, with colons";
		break;
	case SA_SET_GUARD_POLICY:
		if (*text != '\0' && (*text != '/' || strchr(text, ':')))
			want = "an absolute path without a colon";
		break;
	default:
		break;
	}
	if (want == NULL)
		return 0;
	cleanup_free char *shown = sa_text_visible(text);
	return sa_err_set(err, SA_CONFIG, "%s: %s is '%s', expected %s", source,
	    defs[id].key != NULL ? defs[id].key : defs[id].env, shown, want);
}

/* Whether what comes later stands beside what was there, and not in its
 * place. */
static bool
is_stacked(enum sa_setting id)
{
	return id == SA_SET_GUARD_POLICY || id == SA_SET_RM_HOSTS ||
	    id == SA_SET_READ_DENY;
}

/* Whether a layer below the policy file may set this value. */
static bool
may_tighten(const struct sa_settings *s, enum sa_setting id, long long n)
{
	if (id == SA_SET_CONFIRM)
		return n >= s->v[id].number;
	/* whose signatures count is another setting; what is stacked is not
	 * let loosen anything */
	if (id == SA_SET_SIGNING_KEY || is_stacked(id))
		return true;
	/* what confirm = other-uid and signed rest on goes with confirm */
	return !s->v[SA_SET_CONFIRM].policy_layer && !s->v[id].policy_layer;
}

static int
would_loosen(const struct sa_settings *s, enum sa_setting id, const char *text,
    const char *source, struct sa_err *err)
{
	const struct value *v = &s->v[id], *rule = v;

	if (!v->policy_layer && id != SA_SET_CONFIRM)
		rule = &s->v[SA_SET_CONFIRM];
	sa_err_set(err, SA_CONFIG, "%s: %s = %s would loosen '%s = %s' of %s",
	    source, defs[id].key, text,
	    defs[rule == v ? id : SA_SET_CONFIRM].key, rule->text,
	    rule->source);
	return sa_err_hint(err,
	    "only the file that sets the policy, '%s' where "
	    "it is there, may do that",
	    SA_OPERATOR_CONFIG);
}

static void
replace_value(struct value *v, const char *text, const char *source)
{
	free(v->text);
	free(v->source);
	v->text = sa_xstrdup(text);
	v->source = sa_xstrdup(source);
}

/* One more behind those that are there. */
static void
add_value(struct value *v, char separator, const char *text, const char *source)
{
	if (*text == '\0')
		return;
	if (v->text == NULL || *v->text == '\0') {
		replace_value(v, text, source);
		/* an empty one of the policy's file says nothing */
		v->policy_layer = false;
		return;
	}
	cleanup_free char *texts =
	    sa_xasprintf("%s%c%s", v->text, separator, text);
	cleanup_free char *sources = sa_xasprintf("%s, %s", v->source, source);
	replace_value(v, texts, sources);
}

static int
set(struct sa_settings *s, enum sa_setting id, const char *text,
    const char *source, bool policy_layer, struct sa_err *err)
{
	struct value *v = &s->v[id];
	long long n = 0;

	if (check(id, text, source, &n, err) < 0)
		return -1;
	if (defs[id].policy && !policy_layer && !may_tighten(s, id, n))
		return would_loosen(s, id, text, source, err);
	if (is_stacked(id) && !policy_layer)
		add_value(v, id == SA_SET_RM_HOSTS ? ';' : ':', text, source);
	else
		replace_value(v, text, source);
	v->number = n;
	/* stays: what tightens a policy does not open the rest of it */
	v->policy_layer = v->policy_layer || policy_layer;
	return 0;
}

static char *
trim(char *s)
{
	s += strspn(s, " \t\r");
	size_t n = strlen(s);
	while (n > 0 && strchr(" \t\r", s[n - 1]) != NULL)
		n--;
	s[n] = '\0';
	return s;
}

/* One "key = value" line; source is FILE:LINE. */
static int
set_line(struct sa_settings *s, char *line, const char *source,
    bool policy_layer, struct sa_err *err)
{
	line = trim(line);
	if (*line == '\0' || *line == '#')
		return 0;
	char *eq = strchr(line, '=');
	if (eq == NULL) {
		cleanup_free char *shown = sa_text_visible(line);
		return sa_err_set(err, SA_CONFIG,
		    "%s: '%s' is not of the form key = value", source, shown);
	}
	*eq = '\0';
	char *key = trim(line), *text = trim(eq + 1);
	for (int id = 0; id < SA_SET_COUNT; id++)
		if (defs[id].key != NULL && strcmp(key, defs[id].key) == 0)
			return set(s, id, text, source, policy_layer, err);
	cleanup_free char *shown = sa_text_visible(key);
	sa_err_set(err, SA_CONFIG, "%s: unknown key '%s'", source, shown);
	return sa_err_hint(err, "sa-conn config lists the keys");
}

/* Reads one file. *found tells whether it was there; a file that must be
 * there and is not is an error. */
static int
load_file(struct sa_settings *s, const char *path, bool policy_layer, bool must,
    bool *found, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(FILE_MAX);
	cleanup_free char *name = sa_xasprintf("'%s'", path);
	struct sa_err local = SA_ERR_INIT;
	int line_number = 0;

	*found = false;
	if (sa_io_read_file(AT_FDCWD, path, &b, name, &local) < 0) {
		if (local.kind == SA_NOT_FOUND && !must)
			return 0;
		return sa_err_set(err, SA_CONFIG, "%s", local.msg);
	}
	*found = true;
	if (b.len > 0 && memchr(b.s, '\0', b.len) != NULL)
		return sa_err_set(err, SA_CONFIG, "%s holds a NUL byte", name);
	char *rest = b.s;
	while (rest != NULL && *rest != '\0') {
		char *line = strsep(&rest, "\n");
		cleanup_free char *source =
		    sa_xasprintf("%s:%d", path, ++line_number);
		if (set_line(s, line, source, policy_layer, err) < 0)
			return -1;
	}
	return 0;
}

static char *
person_file(void)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (dir != NULL && *dir == '/')
		return sa_path_join(dir, "sa/config");
	if (home != NULL && *home == '/')
		return sa_path_join(home, ".config/sa/config");
	return NULL;
}

static int
load_files(struct sa_settings *s, struct sa_err *err)
{
	cleanup_free char *person = person_file();
	const char *extra = getenv("SA_CONFIG");
	bool operator_file = false, found;

	if (load_file(s, SA_OPERATOR_CONFIG, true, false, &operator_file, err) <
	    0)
		return -1;
	if (person != NULL &&
	    load_file(s, person, !operator_file, false, &found, err) < 0)
		return -1;
	if (extra != NULL && *extra != '\0')
		return load_file(s, extra, false, true, &found, err);
	return 0;
}

/* What the environment and the options say about one setting. */
static int
load_given(struct sa_settings *s, enum sa_setting id,
    sa_setting_option_fn *options, void *arg, struct sa_err *err)
{
	const struct sa_setting_def *def = &defs[id];
	const char *text = def->env != NULL ? getenv(def->env) : NULL;

	if (text != NULL && *text != '\0') {
		cleanup_free char *source =
		    sa_xasprintf("environment %s", def->env);
		if (set(s, id, text, source, false, err) < 0)
			return -1;
	}
	text = def->option != NULL && options != NULL
	    ? options(arg, def->option)
	    : NULL;
	if (text == NULL)
		return 0;
	cleanup_free char *source = sa_xasprintf("option --%s", def->option);
	return set(s, id, text, source, false, err);
}

static int
load(struct sa_settings *s, sa_setting_option_fn *options, void *arg,
    struct sa_err *err)
{
	for (int id = 0; id < SA_SET_COUNT; id++) {
		if (*defs[id].standard != '\0' &&
		    set(s, id, defs[id].standard, "default", true, err) < 0)
			return -1;
		s->v[id].policy_layer = false;
	}
	if (load_files(s, err) < 0)
		return -1;
	for (int id = 0; id < SA_SET_COUNT; id++)
		if (load_given(s, id, options, arg, err) < 0)
			return -1;
	if (s->v[SA_SET_JOBS_DIR].text == NULL) {
		s->v[SA_SET_JOBS_DIR].text =
		    sa_path_join(s->v[SA_SET_DATA_DIR].text, "jobs");
		s->v[SA_SET_JOBS_DIR].source = sa_xstrdup("default");
	}
	return 0;
}

struct sa_settings *
sa_settings_load(sa_setting_option_fn *options, void *arg, struct sa_err *err)
{
	struct sa_settings *s = sa_xcalloc(1, sizeof(*s));

	if (load(s, options, arg, err) == 0)
		return s;
	sa_settings_free(s);
	return NULL;
}

void
sa_settings_free(struct sa_settings *s)
{
	if (s == NULL)
		return;
	for (int id = 0; id < SA_SET_COUNT; id++) {
		free(s->v[id].text);
		free(s->v[id].source);
	}
	free(s);
}

const char *
sa_settings_get(const struct sa_settings *s, enum sa_setting id)
{
	return s->v[id].text != NULL ? s->v[id].text : "";
}

const char *
sa_settings_source(const struct sa_settings *s, enum sa_setting id)
{
	return s->v[id].source != NULL ? s->v[id].source : "default";
}

bool
sa_settings_is_set(const struct sa_settings *s, enum sa_setting id)
{
	return strcmp(sa_settings_source(s, id), "default") != 0;
}

bool
sa_settings_by_policy(const struct sa_settings *s, enum sa_setting id)
{
	return s->v[id].policy_layer;
}

long long
sa_settings_number(const struct sa_settings *s, enum sa_setting id)
{
	return s->v[id].number;
}

enum sa_origin
sa_settings_origin(const struct sa_settings *s)
{
	return strcmp(sa_settings_get(s, SA_SET_ORIGIN), "agent") == 0
	    ? SA_ORIGIN_AGENT
	    : SA_ORIGIN_PERSON;
}

const char *
sa_origin_name(enum sa_origin origin)
{
	static const char *const names[] = { "operator", "person", "agent" };

	return names[origin];
}

enum sa_confirm_policy
sa_settings_confirm(const struct sa_settings *s)
{
	return (enum sa_confirm_policy)s->v[SA_SET_CONFIRM].number;
}
