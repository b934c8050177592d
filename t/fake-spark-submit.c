/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * What tests run in place of spark-submit. It takes spark-submit's options,
 * prints log lines of Spark's shape on stderr, and has a child for the
 * program, as Spark has for Python: the child's stdout and stderr are a pipe
 * which the parent copies to its stdout, the child outlives a parent that is
 * killed, and dies when it writes after that. TERM, INT and HUP end the
 * parent with status 128+n, as they end a JVM.
 *
 * Each start appends one JSON object to $FAKE_SPARK_STARTS, by default
 * ../starts.jsonl seen from the program: at, pid, ppid, pgid, sid, cwd, argv,
 * master, deploy_mode, name, conf (spark-defaults.conf, then the properties
 * file, then --conf), script, args, env.
 *
 * With a master yarn or spark:// the application's id is logged first:
 * $FAKE_SPARK_APP_ID, or one with the pid in it; "none" is none at all. What
 * was submitted to YARN is appended to the file $FAKE_SPARK_APPS, a JSON
 * object a line: id, name, tags, at (milliseconds), in client mode pid.
 * t/fake-yarn.py reads it.
 *
 * In cluster mode on YARN and Kubernetes there is no child: the lines of a
 * submission that nobody waits for, and the end. Of the commands below only
 * those with "before" and "after" mean something then.
 *
 * The program is what the script says in lines "# fake: COMMAND", after what
 * $FAKE_SPARK_DO says, where ";" parts commands. A script without any does
 * nothing and succeeds.
 *
 *	say TEXT	a line on stdout; \n \e \\ \xHH are understood
 *	print SIZE	so many bytes in numbered lines (k, M, G allowed)
 *	stderr SIZE	the same on spark-submit's stderr, past the pipe
 *	log LEVEL TEXT	one line on spark-submit's stderr, as Spark logs it
 *	args, cwd	the script's arguments, one a line; the directory
 *	env NAME	NAME=value
 *	stdin		"stdin: N bytes"
 *	sleep SECONDS	a fraction is fine
 *	await PATH	until PATH exists, five minutes at most (status 97)
 *	touch PATH	makes an empty file
 *	exit N		ends with status N
 *	traceback TEXT	a Python traceback that ends in TEXT, status 1
 *	kill N		signal N for the parent; the child goes on
 *	die N		the child dies of signal N: spark-submit exits 128+N
 *	spawn SECONDS	a process that sleeps, in the same process group
 *	daemon SECONDS	the same in a session of its own
 *	ignore N	both ignore signal N from the start on
 *	before COMMAND	in the parent, before any log line and the id
 *	after COMMAND	in the parent, in cluster mode, after the id
 *	submit quiet	nothing is logged of the application
 *	submit pace SECONDS	that long between the steps of a submission
 *	submit with JSON	more members of its line in $FAKE_SPARK_APPS
 *
 * Own errors are status 96 and one line on stderr.
 */
#include "config.h"

#include <sys/pidfd.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EX_OWN = 96, EX_AWAIT = 97, MAX_DO = 256 };

struct submit {
	const char *master;
	const char *deploy_mode;
	const char *name;
	const char *properties_file;
	const char *script;
	json_t *conf; /* in the order of --conf */
	char **args;
	char *todo[MAX_DO];
	size_t ntodo;
};

static const char *const with_value[] = { "--archives", "--class",
	"--driver-class-path", "--driver-cores", "--driver-java-options",
	"--driver-library-path", "--driver-memory", "--exclude-packages",
	"--executor-cores", "--executor-memory", "--files", "--jars",
	"--keytab", "--num-executors", "--packages", "--principal",
	"--proxy-user", "--py-files", "--queue", "--remote", "--repositories",
	"--total-executor-cores", NULL };

static void spark_log(const char *level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
spark_log(const char *level, const char *fmt, ...)
{
	time_t now = time(NULL);
	struct tm tm;
	va_list ap;

	localtime_r(&now, &tm);
	fprintf(stderr, "%02d/%02d/%02d %02d:%02d:%02d %s ", tm.tm_year % 100,
	    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, level);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void
refuse(const char *what)
{
	fprintf(stderr,
	    "Exception in thread \"main\" "
	    "org.apache.spark.SparkException: %s\n"
	    "\tat org.apache.spark.deploy.SparkSubmit.error"
	    "(SparkSubmit.scala:1068)\n",
	    what);
	exit(1);
}

static void
set_conf(json_t *conf, char *pair)
{
	char *value = strchr(pair, '=');

	if (value == NULL)
		refuse("Spark config without '=': conf");
	*value++ = '\0';
	json_object_set_new(conf, pair, json_string(value));
}

/* spark-defaults.conf and its like: a key, blanks or "=", a value. */
static void
read_properties(json_t *conf, const char *path, bool must)
{
	FILE *fp = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (fp == NULL && !must)
		return;
	if (fp == NULL)
		refuse("the properties file is not there");
	while (getline(&line, &size, fp) > 0) {
		char *key = line + strspn(line, " \t");
		size_t n = strcspn(key, " \t=:\r\n");

		key[strcspn(key, "\r\n")] = '\0';
		if (n == 0 || *key == '#')
			continue;
		char *value = key + n + strspn(key + n, " \t=:");

		key[n] = '\0';
		json_object_set_new(conf, key, json_string(value));
	}
	free(line);
	fclose(fp);
}

static bool
takes_value(const char *name)
{
	for (size_t i = 0; with_value[i] != NULL; i++)
		if (strcmp(name, with_value[i]) == 0)
			return true;
	return false;
}

static bool
option(struct submit *s, const char *name, char *value)
{
	if (strcmp(name, "--master") == 0)
		s->master = value;
	else if (strcmp(name, "--deploy-mode") == 0)
		s->deploy_mode = value;
	else if (strcmp(name, "--name") == 0)
		s->name = value;
	else if (strcmp(name, "--properties-file") == 0)
		s->properties_file = value;
	else if (strcmp(name, "--conf") == 0 || strcmp(name, "-c") == 0)
		set_conf(s->conf, value);
	else
		return takes_value(name);
	return true;
}

static void
parse(struct submit *s, char **argv)
{
	char **arg = argv + 1;

	for (; *arg != NULL && **arg == '-'; arg++) {
		char *value = strchr(*arg, '=');

		if (strcmp(*arg, "--version") == 0) {
			fputs("Welcome to\n   version 4.3.0\n", stderr);
			exit(0);
		}
		if (strcmp(*arg, "--verbose") == 0 ||
		    strcmp(*arg, "--supervise") == 0)
			continue;
		if (strncmp(*arg, "--", 2) == 0 && value != NULL)
			*value++ = '\0';
		else
			value = arg[1];
		if (value == NULL || !option(s, *arg, value)) {
			fprintf(stderr, "Error: Unrecognized option: %s\n",
			    *arg);
			exit(1);
		}
		if (value == arg[1])
			arg++;
	}
	if (*arg == NULL)
		refuse("Must specify a primary resource (JAR or Python file)");
	s->script = *arg;
	s->args = arg + 1;
}

/* What is in force: the defaults, then the properties file, then --conf. */
static void
layer_conf(struct submit *s)
{
	const char *dir = getenv("SPARK_CONF_DIR");
	const char *home = getenv("SPARK_HOME");
	json_t *all = json_object();
	char path[PATH_MAX];

	if (dir != NULL || home != NULL) {
		snprintf(path, sizeof(path), "%s%s/spark-defaults.conf",
		    dir != NULL ? dir : home, dir != NULL ? "" : "/conf");
		if (s->properties_file == NULL)
			read_properties(all, path, false);
	}
	if (s->properties_file != NULL)
		read_properties(all, s->properties_file, true);
	json_object_update(all, s->conf);
	json_decref(s->conf);
	s->conf = all;
	if (s->master == NULL)
		s->master =
		    json_string_value(json_object_get(all, "spark.master"));
	if (s->master == NULL)
		s->master = "local[*]";
}

static json_t *
strings(char **v)
{
	json_t *list = json_array();

	for (; *v != NULL; v++)
		json_array_append_new(list, json_string(*v));
	return list;
}

static json_t *
environment(void)
{
	json_t *env = json_object();

	for (char **e = environ; *e != NULL; e++) {
		char *name = strndup(*e, strcspn(*e, "="));

		json_object_set_new(env, name,
		    json_string(strchr(*e, '=') + 1));
		free(name);
	}
	return env;
}

static void
record_start(const struct submit *s, json_t *argv)
{
	char exe[PATH_MAX] = "", cwd[PATH_MAX] = "", path[PATH_MAX * 2];
	const char *file = getenv("FAKE_SPARK_STARTS");
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) == -1 ||
	    getcwd(cwd, sizeof(cwd)) == NULL)
		err(EX_OWN, "no program or directory");
	if (file == NULL) {
		snprintf(path, sizeof(path), "%s/../starts.jsonl",
		    dirname(exe));
		file = path;
	}
	json_t *rec = json_pack(
	    "{s:f, s:i, s:i, s:i, s:i, s:s, s:o, s:s, s:s?, s:s?, s:O, s:s, "
	    "s:o, s:o}",
	    "at", (double)now.tv_sec + (double)now.tv_nsec / 1e9, "pid",
	    getpid(), "ppid", getppid(), "pgid", getpgrp(), "sid", getsid(0),
	    "cwd", cwd, "argv", argv, "master", s->master, "deploy_mode",
	    s->deploy_mode, "name", s->name, "conf", s->conf, "script",
	    s->script, "args", strings(s->args), "env", environment());
	char *text = rec ? json_dumps(rec, JSON_COMPACT) : NULL;
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (text == NULL || fd == -1)
		err(EX_OWN, "%s", file);
	size_t len = strlen(text);

	text[len] = '\n';
	if (write(fd, text, len + 1) != (ssize_t)len + 1)
		err(EX_OWN, "%s", file);
	close(fd);
	free(text);
	json_decref(rec);
}

static void
add_todo(struct submit *s, const char *text)
{
	if (s->ntodo == MAX_DO)
		errx(EX_OWN, "more than %d commands", MAX_DO);
	text += strspn(text, " \t");
	if (*text == '\0')
		return;
	s->todo[s->ntodo] = strndup(text, strcspn(text, "\r\n"));
	s->ntodo++;
}

static void
collect_todo(struct submit *s)
{
	const char *env = getenv("FAKE_SPARK_DO");
	char *line = NULL;
	size_t size = 0;

	if (env != NULL) {
		char *copy = strdup(env), *rest = copy, *one;

		while ((one = strsep(&rest, ";\n")) != NULL)
			add_todo(s, one);
		free(copy);
	}
	FILE *fp = fopen(s->script, "re");

	if (fp == NULL) {
		printf("python3: can't open file '%s': [Errno %d] %s\n",
		    s->script, errno, strerror(errno));
		exit(2);
	}
	while (getline(&line, &size, fp) > 0)
		if (strncmp(line, "# fake: ", 8) == 0)
			add_todo(s, line + 8);
	free(line);
	fclose(fp);
}

static void
put(int fd, const char *s, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, s, len);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			exit(1);
		s += n;
		len -= (size_t)n;
	}
}

static void
put_size(int fd, const char *arg)
{
	static const char units[] = "kMG";
	char line[1025], *end;
	unsigned long long left = strtoull(arg, &end, 10);
	const char *unit = *end != '\0' ? strchr(units, *end) : NULL;

	if (unit != NULL)
		left <<= 10 * (unit - units + 1);
	size_t width = left >= 16 << 20 ? 1024 : 64;

	memset(line, '.', sizeof(line));
	for (unsigned long long n = 1; left > 0; n++) {
		size_t len = left < width ? (size_t)left : width;
		char number[24];
		int digits = snprintf(number, sizeof(number), "%012llu ", n);

		memcpy(line, number, (size_t)digits);
		line[width - 1] = '\n';
		put(fd, line, len);
		left -= len;
	}
}

static void
say(const char *text)
{
	char *out = malloc(strlen(text) + 2), *o = out;
	unsigned int byte;

	for (const char *p = text; *p != '\0'; p++) {
		if (*p != '\\' || p[1] == '\0') {
			*o++ = *p;
			continue;
		}
		p++;
		if (*p == 'x' && sscanf(p + 1, "%2x", &byte) == 1) {
			*o++ = (char)byte;
			p += 2;
		} else {
			*o++ = (char)(*p == 'n' ? '\n' : *p == 'e' ? 27 : *p);
		}
	}
	*o++ = '\n';
	put(STDOUT_FILENO, out, (size_t)(o - out));
	free(out);
}

static void
nap(double seconds)
{
	struct timespec t = { (time_t)seconds,
		(long)((seconds - (double)(time_t)seconds) * 1e9) };

	while (nanosleep(&t, &t) == -1 && errno == EINTR)
		;
}

static void
await(const char *path)
{
	for (int left = 300 * 50; access(path, F_OK) == -1; left--) {
		if (left == 0)
			exit(EX_AWAIT);
		nap(0.02);
	}
}

static void
spawn(double seconds, bool own_session)
{
	if (fork() != 0)
		return;
	if (own_session)
		setsid();
	nap(seconds);
	_exit(0);
}

static void
read_stdin(void)
{
	char block[4096], line[64];
	size_t total = 0;
	ssize_t n;

	while ((n = read(STDIN_FILENO, block, sizeof(block))) > 0)
		total += (size_t)n;
	snprintf(line, sizeof(line), "stdin: %zu bytes", total);
	say(line);
}

static void
traceback(const struct submit *s, const char *text)
{
	printf("Traceback (most recent call last):\n"
	       "  File \"%s\", line 1, in <module>\n"
	       "    main()\n%s\n",
	    s->script, text);
	exit(1);
}

/* own_err: spark-submit's stderr, which the child has under another number. */
static void
perform(const struct submit *s, const char *what, int own_err)
{
	size_t n = strcspn(what, " ");
	char *verb = strndup(what, n);
	const char *arg = what + n + strspn(what + n, " ");

	if (strcmp(verb, "say") == 0)
		say(arg);
	else if (strcmp(verb, "print") == 0)
		put_size(STDOUT_FILENO, arg);
	else if (strcmp(verb, "stderr") == 0)
		put_size(own_err, arg);
	else if (strcmp(verb, "args") == 0)
		for (char **a = s->args; *a != NULL; a++)
			printf("%s\n", *a);
	else if (strcmp(verb, "cwd") == 0)
		printf("%s\n", getcwd((char[PATH_MAX]){ "" }, PATH_MAX));
	else if (strcmp(verb, "env") == 0)
		printf("%s=%s\n", arg, getenv(arg) ? getenv(arg) : "");
	else if (strcmp(verb, "stdin") == 0)
		read_stdin();
	else if (strcmp(verb, "sleep") == 0)
		nap(strtod(arg, NULL));
	else if (strcmp(verb, "await") == 0)
		await(arg);
	else if (strcmp(verb, "touch") == 0)
		close(open(arg, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	else if (strcmp(verb, "exit") == 0)
		exit((int)strtol(arg, NULL, 10));
	else if (strcmp(verb, "traceback") == 0)
		traceback(s, arg);
	else if (strcmp(verb, "kill") == 0)
		kill(getppid(), (int)strtol(arg, NULL, 10));
	else if (strcmp(verb, "die") == 0)
		kill(getpid(), (int)strtol(arg, NULL, 10));
	else if (strcmp(verb, "spawn") == 0 || strcmp(verb, "daemon") == 0)
		spawn(strtod(arg, NULL), *verb == 'd');
	else
		errx(EX_OWN, "%s: no such command: %s", s->script, what);
	fflush(stdout);
	free(verb);
}

/* Log lines come from the child's side of things, yet not through the pipe. */
static bool
perform_log(const char *what, int own_err)
{
	char level[16];
	int at = 0;

	if (sscanf(what, "log %15s %n", level, &at) != 1 || at == 0)
		return false;
	int keep = dup(STDERR_FILENO);

	dup2(own_err, STDERR_FILENO);
	spark_log(level, "%s", what + at);
	dup2(keep, STDERR_FILENO);
	close(keep);
	return true;
}

static void
program(const struct submit *s, int out)
{
	int own_err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	for (size_t i = 0; i < s->ntodo; i++)
		if (strncmp(s->todo[i], "ignore ", 7) == 0)
			signal((int)strtol(s->todo[i] + 7, NULL, 10), SIG_IGN);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	for (size_t i = 0; i < s->ntodo; i++) {
		const char *what = s->todo[i];

		if (strncmp(what, "before ", 7) != 0 &&
		    strncmp(what, "after ", 6) != 0 &&
		    strncmp(what, "submit ", 7) != 0 &&
		    strncmp(what, "ignore ", 7) != 0 &&
		    !perform_log(what, own_err))
			perform(s, what, own_err);
	}
	exit(0);
}

static void
on_signal(int sig)
{
	_exit(128 + sig);
}

static bool
in_cluster(const struct submit *s)
{
	return s->deploy_mode != NULL && strcmp(s->deploy_mode, "cluster") == 0;
}

static void
check_mode(const struct submit *s)
{
	static const char *const known[] = { "yarn", "local", "spark", "k8s",
		NULL };
	size_t i = 0;

	while (known[i] != NULL &&
	    strncmp(s->master, known[i], strlen(known[i])) != 0)
		i++;
	if (known[i] == NULL)
		refuse("Master must either be yarn or start with spark, k8s, "
		       "or local");
	if (!in_cluster(s))
		return;
	if (strncmp(s->master, "local", 5) == 0)
		refuse("Cluster deploy mode is not compatible with master "
		       "\"local\"");
	if (strncmp(s->master, "spark", 5) == 0)
		refuse("Cluster deploy mode is currently not supported for "
		       "python applications on standalone clusters.");
}

/* What comes behind "submit WORD", NULL where the program does not say so. */
static const char *
submit_word(const struct submit *s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < s->ntodo; i++)
		if (strncmp(s->todo[i], "submit ", 7) == 0 &&
		    strncmp(s->todo[i] + 7, word, n) == 0)
			return s->todo[i] + 7 + n;
	return NULL;
}

/* For who plays the ResourceManager. */
static void
record_app(const struct submit *s, const char *id)
{
	const char *file = getenv("FAKE_SPARK_APPS");
	const char *tags =
	    json_string_value(json_object_get(s->conf, "spark.yarn.tags"));
	struct timespec now;

	if (file == NULL)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	json_t *app = json_pack("{s:s, s:s?, s:s?, s:I}", "id", id, "name",
	    s->name, "tags", tags, "at",
	    (json_int_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
	json_t *more = submit_word(s, "with") != NULL
	    ? json_loads(submit_word(s, "with"), 0, NULL)
	    : NULL;

	json_object_update(app, more);
	json_decref(more);
	if (!in_cluster(s))
		json_object_set_new(app, "pid", json_integer(getpid()));
	char *text = json_dumps(app, JSON_COMPACT);
	FILE *fp = fopen(file, "ae");

	if (fp == NULL || fprintf(fp, "%s\n", text) < 0 || fclose(fp) != 0)
		err(EX_OWN, "%s", file);
	free(text);
	json_decref(app);
}

/* Says something of the application, and lets some time pass. */
static void
step(const struct submit *s, const char *text, const char *id, const char *rest)
{
	const char *pace = submit_word(s, "pace");

	if (submit_word(s, "quiet") == NULL)
		spark_log("INFO", "%s%s%s", text, id, rest);
	if (pace != NULL)
		nap(strtod(pace, NULL));
}

static void
log_yarn(const struct submit *s, const char *id)
{
	step(s, "Client: Application ID is assigned: ", id, "");
	step(s, "Client: Submitting application ", id, " to ResourceManager");
	record_app(s, id);
	step(s, "YarnClientImpl: Submitted application ", id, "");
	step(s, "Client: Application report for ", id, " (state: ACCEPTED)");
	if (!in_cluster(s))
		step(s, "YarnClientSchedulerBackend: Application ", id,
		    " has started running.");
}

static void
log_start(const struct submit *s)
{
	const char *id = getenv("FAKE_SPARK_APP_ID");
	const char *slash = strrchr(s->script, '/');
	const char *base = slash != NULL ? slash + 1 : s->script;
	const char *name = s->name != NULL ? s->name : base;
	bool none = id != NULL && strcmp(id, "none") == 0;
	char made[64];

	fputs("WARNING: Using incubator modules: jdk.incubator.vector\n"
	      "Using Spark's default log4j profile: "
	      "org/apache/spark/log4j2-defaults.properties\n",
	    stderr);
	if (!in_cluster(s)) {
		spark_log("INFO", "SparkContext: Running Spark version 4.3.0");
		spark_log("INFO", "SparkContext: Submitted application: %s",
		    name);
	}
	if (none)
		return;
	if (strncmp(s->master, "spark:", 6) == 0) {
		snprintf(made, sizeof(made), "app-20261129205835-%04d",
		    getpid());
		spark_log("INFO",
		    "StandaloneSchedulerBackend: Connected to Spark cluster "
		    "with app ID %s",
		    id ? id : made);
	} else if (strcmp(s->master, "yarn") == 0) {
		snprintf(made, sizeof(made), "application_1795985024802_%04d",
		    getpid());
		log_yarn(s, id ? id : made);
	} else if (in_cluster(s)) {
		snprintf(made, sizeof(made), "spark-%032x", getpid());
		const char *pod = json_string_value(json_object_get(s->conf,
		    "spark.kubernetes.driver.pod.name"));
		spark_log("INFO",
		    "Client: Deployed Spark application %s with application "
		    "ID %s and submission ID default:%s into Kubernetes",
		    name, id ? id : made, pod ? pod : "x-driver");
	}
}

/* Copies the child's output till it ends; what it leaves running may have the
 * pipe open still, so the child's end counts and not that of the pipe. */
static int
follow(pid_t child, int in)
{
	struct pollfd p[2] = { { .fd = in, .events = POLLIN },
		{ .fd = pidfd_open(child, 0), .events = POLLIN } };
	char block[65536];
	int status;

	fcntl(in, F_SETFL, O_NONBLOCK);
	for (;;) {
		bool over = poll(p, 2, -1) > 0 && p[1].revents != 0;
		ssize_t n;

		while ((n = read(in, block, sizeof(block))) > 0)
			put(STDOUT_FILENO, block, (size_t)n);
		if (n == 0)
			p[0].fd = -1;
		if (over)
			break;
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/* What the parent does itself, with the word in front. */
static void
perform_own(const struct submit *s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < s->ntodo; i++)
		if (strncmp(s->todo[i], word, n) == 0)
			perform(s, s->todo[i] + n, STDERR_FILENO);
}

static void
before(const struct submit *s)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	for (size_t i = 0; i < s->ntodo; i++)
		if (strncmp(s->todo[i], "ignore ", 7) == 0)
			signal((int)strtol(s->todo[i] + 7, NULL, 10), SIG_IGN);
	perform_own(s, "before ");
}

/* Runs the program, and waits for it; its status. */
static int
drive(const struct submit *s)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC) == -1)
		err(EX_OWN, "pipe");
	pid_t child = fork();

	if (child == -1)
		err(EX_OWN, "fork");
	if (child == 0) {
		close(out[0]);
		program(s, out[1]);
	}
	close(out[1]);
	int code = follow(child, out[0]);

	spark_log("INFO",
	    "SparkContext: SparkContext is stopping with exitCode 0 from "
	    "stop at NativeMethodAccessorImpl.java:0.");
	return code;
}

int
main(int argc, char **argv)
{
	struct submit s = { .conf = json_object() };
	json_t *given = strings(argv);
	int code = 0;

	(void)argc;
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	parse(&s, argv);
	layer_conf(&s);
	record_start(&s, given);
	check_mode(&s);
	collect_todo(&s);
	before(&s);
	log_start(&s);
	fflush(NULL);
	if (in_cluster(&s))
		perform_own(&s, "after ");
	else
		code = drive(&s);
	json_decref(s.conf);
	for (size_t i = 0; i < s.ntodo; i++)
		free(s.todo[i]);
	return code;
}
