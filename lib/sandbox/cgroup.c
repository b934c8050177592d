/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"

#define LIST "groups"
#define LIST_MAX 16384
#define MOUNTS_MAX (1024 * 1024)
#define TRIES 100
#define TRY_MS 10
#define PERIOD_US 100000LL

/* Where groups with a controller may be made. */
struct place {
	char *dir;
	int version; /* 0: nowhere */
};

static const struct controller {
	enum sa_cgroup_what what;
	const char *name, *option;
} controllers[SA_CGROUPS] = {
	{ SA_CGROUP_CPU, "cpu", "--cpus" },
	{ SA_CGROUP_MEMORY, "memory", "--memory" },
};

void
sa_cgroup_release(struct sa_cgroup *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->paths[i]);
	if (g->events >= 0)
		close(g->events);
	if (g->stat >= 0)
		close(g->stat);
	*g = (struct sa_cgroup)SA_CGROUP_NONE;
}

/* Whether word is one of those that stand between separators of sep. */
static bool
has_word(const char *list, const char *word, const char *sep)
{
	size_t len = strlen(word);

	for (const char *s = list; *s != '\0'; s += strspn(s, sep)) {
		size_t n = strcspn(s, sep);
		if (n == len && strncmp(s, word, n) == 0)
			return true;
		s += n;
	}
	return false;
}

static int
read_text(const char *dir, const char *base, struct sa_buf *b)
{
	cleanup_free char *path = sa_path_join(dir, base);

	sa_buf_cut(b, 0);
	return sa_io_read_file(AT_FDCWD, path, b, path, NULL);
}

static int
write_text(const char *dir, const char *base, const char *text)
{
	cleanup_free char *path = sa_path_join(dir, base);
	cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(text);

	return fd < 0 || write(fd, text, (size_t)len) != len ? -1 : 0;
}

static int
write_number(const char *dir, const char *base, long long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", n);
	return write_text(dir, base, text);
}

static bool
may_write(const char *dir, const char *base)
{
	cleanup_free char *path = sa_path_join(dir, base);

	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* The path of our group of a controller in its hierarchy, as /proc has it, and
 * of which version that is. text is cut into lines. */
static char *
own_group(char *text, const char *controller, int *version)
{
	char *found = NULL, *rest = text, *line;

	*version = 0;
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *path = line, *id = strsep(&path, ":");
		char *list = path != NULL ? strsep(&path, ":") : NULL;
		if (path == NULL)
			continue;
		bool v1 = has_word(list, controller, ",");
		if (!v1 && (*version == 1 || strcmp(id, "0") != 0))
			continue;
		*version = v1 ? 1 : 2;
		found = path;
	}
	return found;
}

/* The directory of the group in the mount that the line of mountinfo tells of;
 * NULL where it is another mount, or does not have the group. Caller frees. */
static char *
in_mount(char *line, const char *controller, int version, const char *group)
{
	char *word[5] = { NULL }, *dash = strstr(line, " - "), *rest = line;

	if (dash == NULL)
		return NULL;
	*dash = '\0';
	char *options = dash + 3, *type = strsep(&options, " ");
	if (options == NULL || strsep(&options, " ") == NULL)
		return NULL;
	if (version == 1 ? strcmp(type, "cgroup") != 0 || options == NULL ||
		    !has_word(options, controller, ",")
			 : strcmp(type, "cgroup2") != 0)
		return NULL;
	for (size_t i = 0; i < 5; i++)
		if ((word[i] = strsep(&rest, " ")) == NULL)
			return NULL;
	const char *root = word[3], *at = word[4];
	const char *below = strcmp(root, "/") == 0 ? group
	    : strcmp(root, group) == 0		   ? ""
						   : sa_path_below(root, group);
	/* one that leads up is not in this mount */
	if (below == NULL || strstr(below, "..") != NULL)
		return NULL;
	return *below == '\0' || strcmp(below, "/") == 0
	    ? sa_xstrdup(at)
	    : sa_path_join(at, below + (*below == '/'));
}

static char *
find_dir(const char *controller, int version, const char *group)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(MOUNTS_MAX);
	char *found = NULL, *line;

	if (read_text("/proc/self", "mountinfo", &b) < 0 || b.len == 0)
		return NULL;
	char *rest = b.s;
	while (found == NULL && (line = strsep(&rest, "\n")) != NULL)
		found = in_mount(line, controller, version, group);
	return found;
}

/* Whether groups below dir have the controller, or can be given it. */
static bool
has_controller(const char *dir, const char *controller, bool root)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(LIST_MAX);

	if (read_text(dir, "cgroup.subtree_control", &b) < 0)
		return false;
	if (has_word(sa_buf_str(&b), controller, " \n"))
		return true;
	if (read_text(dir, "cgroup.controllers", &b) < 0 ||
	    !has_word(sa_buf_str(&b), controller, " \n") ||
	    !may_write(dir, "cgroup.subtree_control"))
		return false;
	return root || (read_text(dir, "cgroup.procs", &b) == 0 && b.len == 0);
}

/* From our own group to the one below which another may be made. */
static bool
go_up(struct place *p, const char *controller)
{
	cleanup_free char *type = sa_path_join(p->dir, "cgroup.type");
	bool root = access(type, F_OK) < 0;
	char *slash = strrchr(p->dir, '/');

	if (!root) {
		if (slash == NULL || slash == p->dir)
			return false;
		*slash = '\0';
	}
	return may_write(p->dir, "cgroup.procs") &&
	    has_controller(p->dir, controller, root);
}

static void
find_place(const char *controller, struct place *p)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(LIST_MAX);
	char *group = NULL;

	*p = (struct place){ NULL, 0 };
	if (read_text("/proc/self", "cgroup", &b) == 0 && b.len > 0)
		group = own_group(b.s, controller, &p->version);
	if (group != NULL)
		p->dir = find_dir(controller, p->version, group);
	if (p->dir != NULL && (p->version == 1 || go_up(p, controller)) &&
	    may_write(p->dir, "."))
		return;
	free(p->dir);
	*p = (struct place){ NULL, 0 };
}

unsigned
sa_cgroup_can(void)
{
	unsigned can = 0;

	for (size_t i = 0; i < SA_CGROUPS; i++) {
		struct place p;
		find_place(controllers[i].name, &p);
		if (p.version != 0)
			can |= controllers[i].what;
		free(p.dir);
	}
	return can;
}

static int
set_cpu(const char *path, int version, const struct sa_spec *spec)
{
	char text[64];
	long long quota = spec->millicpus * (PERIOD_US / 1000);

	if (version == 1)
		return write_number(path, "cpu.cfs_period_us", PERIOD_US) < 0 ||
			write_number(path, "cpu.cfs_quota_us", quota) < 0
		    ? -1
		    : 0;
	snprintf(text, sizeof(text), "%lld %lld", quota, PERIOD_US);
	return write_text(path, "cpu.max", text);
}

/* Swap counts as memory, or there is none of it. */
static int
set_memory(const char *path, int version, const struct sa_spec *spec)
{
	if (version == 2)
		return write_number(path, "memory.max", spec->memory) < 0 ||
			(write_text(path, "memory.swap.max", "0") < 0 &&
			    errno != ENOENT)
		    ? -1
		    : 0;
	if (write_number(path, "memory.limit_in_bytes", spec->memory) < 0)
		return -1;
	if (write_number(path, "memory.memsw.limit_in_bytes", spec->memory) ==
	    0)
		return 0;
	return errno != ENOENT ? -1
			       : write_text(path, "memory.swappiness", "0");
}

static int
open_file(const char *dir, const char *base)
{
	cleanup_free char *path = sa_path_join(dir, base);

	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The group itself, with its limit. */
static int
make_one(const struct controller *c, const struct place *p, const char *path,
    const struct sa_spec *spec, struct sa_cgroup *out)
{
	if (p->version == 2) {
		cleanup_free char *plus = sa_xasprintf("+%s", c->name);
		if (write_text(p->dir, "cgroup.subtree_control", plus) < 0 &&
		    !has_controller(p->dir, c->name, false))
			return -1;
	}
	/* of a list that was saved: it is ours */
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -1;
	if (c->what == SA_CGROUP_CPU)
		return set_cpu(path, p->version, spec);
	if (set_memory(path, p->version, spec) < 0)
		return -1;
	out->events = open_file(path,
	    p->version == 1 ? "memory.oom_control" : "memory.events");
	out->stat = open_file(path, "memory.stat");
	return out->events < 0 || out->stat < 0 ? -1 : 0;
}

/* Of the paths that the groups will have, one a line. */
static int
list_paths(const struct place *places, const char *name, struct sa_buf *b,
    struct sa_err *err)
{
	for (size_t i = 0; i < SA_CGROUPS; i++)
		if (places[i].version != 0 &&
		    (i == 0 || places[0].version == 0 ||
			strcmp(places[0].dir, places[i].dir) != 0) &&
		    sa_buf_addf(b, "%s/%s\n", places[i].dir, name) < 0)
			return sa_err_set(err, SA_IO,
			    "the path of a control group is too long");
	return 0;
}

/* What an earlier process made elsewhere goes; what it made at the same place
 * stays. */
static int
save_list(int dir, const struct place *places, const char *name,
    struct sa_err *err)
{
	cleanup_buf struct sa_buf old = SA_BUF_INIT(LIST_MAX);
	cleanup_buf struct sa_buf new = SA_BUF_INIT(LIST_MAX);

	if (list_paths(places, name, &new, err) < 0)
		return -1;
	if (sa_io_read_file(dir, LIST, &old, LIST, NULL) == 0 &&
	    strcmp(sa_buf_str(&old), sa_buf_str(&new)) == 0)
		return 0;
	if (sa_cgroup_remove(dir, err) < 0)
		return -1;
	cleanup_fd int fd = openat(dir, LIST,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno,
		    "cannot make the list of control groups");
	return sa_io_write_fd(fd, sa_buf_str(&new), new.len, LIST, err);
}

static void
add_path(struct sa_cgroup *g, char *path)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->paths[i], path) == 0) {
			free(path);
			return;
		}
	g->paths[g->n++] = path;
}

static int
explain(const struct controller *c, int why, struct sa_err *err)
{
	if (why != 0)
		sa_err_errno(err, SA_REFUSED, why,
		    "cannot make a control group of '%s' for %s", c->name,
		    c->option);
	else
		sa_err_set(err, SA_REFUSED,
		    "no control group of '%s' may be made here, which would "
		    "enforce %s",
		    c->name, c->option);
	return sa_err_hint(err,
	    "run it where a group is delegated to you, as 'systemd-run --user "
	    "--scope -p Delegate=yes' does, or leave %s out",
	    c->option);
}

unsigned
sa_cgroup_make(int dir, const char *name, const struct sa_spec *spec,
    unsigned want, struct sa_cgroup *out, struct sa_err *err)
{
	struct place places[SA_CGROUPS] = { { NULL, 0 } };
	unsigned made = 0;

	for (size_t i = 0; i < SA_CGROUPS; i++)
		if (want & controllers[i].what)
			find_place(controllers[i].name, &places[i]);
	if (save_list(dir, places, name, err) < 0)
		want = 0;
	for (size_t i = 0; i < SA_CGROUPS; i++) {
		const struct controller *c = &controllers[i];
		if (!(want & c->what))
			continue;
		errno = 0;
		char *path = places[i].version == 0
		    ? NULL
		    : sa_path_join(places[i].dir, name);
		if (path != NULL &&
		    make_one(c, &places[i], path, spec, out) == 0) {
			add_path(out, path);
			made |= c->what;
			continue;
		}
		(void)explain(c, errno, err);
		free(path);
	}
	for (size_t i = 0; i < SA_CGROUPS; i++)
		free(places[i].dir);
	return made;
}

int
sa_cgroup_join(const struct sa_cgroup *g, pid_t pid)
{
	for (size_t i = 0; i < g->n; i++)
		if (write_number(g->paths[i], "cgroup.procs", pid) < 0)
			return -1;
	return 0;
}

/* The sum of the numbers behind those words, each of which begins a line. */
static long long
sum_of(int fd, const char *const *words, size_t n)
{
	char text[8192];
	long long sum = 0;
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		return 0;
	text[len] = '\0';
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
		char *number = line, *word = strsep(&number, " ");
		for (size_t i = 0; number != NULL && i < n; i++)
			if (strcmp(word, words[i]) == 0)
				sum += strtoll(number, NULL, 10);
	}
	return sum;
}

long long
sa_cgroup_killed(int events)
{
	static const char *const word = "oom_kill";

	return sum_of(events, &word, 1);
}

long long
sa_cgroup_fixed(int stat, long long *faults)
{
	/* of version 2 and, without a common name, of 1 */
	static const char *const fixed[] = { "anon", "rss", "shmem" };
	static const char *const again = "pgmajfault";

	*faults = sum_of(stat, &again, 1);
	return sum_of(stat, fixed, sizeof(fixed) / sizeof(*fixed));
}

/* EBUSY: what was killed is not gone yet. */
static int
remove_one(const char *path, struct sa_err *err)
{
	for (int i = 0; rmdir(path) < 0; i++) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || i == TRIES)
			return sa_err_errno(err,
			    errno == EBUSY ? SA_BUSY : SA_IO, errno,
			    "cannot remove the control group '%s'", path);
		(void)poll(NULL, 0, TRY_MS);
	}
	return 0;
}

int
sa_cgroup_remove(int dir, struct sa_err *err)
{
	cleanup_buf struct sa_buf b = SA_BUF_INIT(LIST_MAX);

	if (faccessat(dir, LIST, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (sa_io_read_file(dir, LIST, &b, LIST, err) < 0)
		return -1;
	char *rest = b.s, *line;
	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL)
		if (*line == '/' && remove_one(line, err) < 0)
			return -1;
	return unlinkat(dir, LIST, 0) < 0
	    ? sa_err_errno(err, SA_IO, errno,
		  "cannot remove the list of control groups")
	    : 0;
}
