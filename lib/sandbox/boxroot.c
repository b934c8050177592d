/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "sandbox/box.h"
#include "sandbox/boxtree.h"
#include "sandbox/netinside.h"
#include "sandbox/netrules.h"

#define RW (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define RO (RW | MOUNT_ATTR_RDONLY)
#define SHM_SIZE (256LL * 1024 * 1024)
#define DEVICE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)

/* One thing of the host on its way into the sandbox: a mount of its own that
 * is nowhere yet, or a symbolic link. */
struct piece {
	char *at; /* in the new root */
	char *link;
	char *hidden; /* what is covered of it, a path below, or NULL */
	int fd;
	bool is_dir;
};

struct sa_boxroot {
	struct piece *v;
	size_t n, cap;
	size_t shown; /* those from here on are what the spec shows */
};

/* Of the host's /etc: what programs need and tells nothing about it. */
static const char *const etc_files[] = { "alternatives", "ca-certificates",
	"ca-certificates.conf", "fonts", "gai.conf", "ld.so.cache",
	"ld.so.conf", "ld.so.conf.d", "localtime", "magic", "mime.types",
	"os-release", "perl", "protocols", "services", "ssl/certs",
	"ssl/openssl.cnf", NULL };
static const char *const etc_prefixes[] = { "java", "python3", NULL };
/* tty is the terminal that whoever opens it is on: that of the sandbox, or
 * none. */
static const char *const devices[] = { "null", "zero", "full", "random", "tty",
	"urandom", NULL };
/* The host's or the root tree's own are never seen. */
static const char *const ours[] = { "dev", "home", "proc", "run", "sys", "tmp",
	"var", "workspace", NULL };
static const char *const system_dirs[] = { "usr", "bin", "lib", "lib32",
	"lib64", "libx32", "sbin", NULL };

static const struct {
	const char *name, *text;
} etc_made[] = {
	{ "passwd",
	    "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
	    "user:x:1000:1000:user:/home/user:/bin/sh\n"
	    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n" },
	{ "group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n" },
	{ "hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n" },
	{ "hostname", "sandbox\n" },
	{ "nsswitch.conf",
	    "passwd: files\ngroup: files\nhosts: files dns\n"
	    "protocols: files\nservices: files\n" },
};

/* Files of /proc that tell of the whole machine, and those that change it. */
static const char *const proc_hidden[] = { "config.gz", "interrupts",
	"kallsyms", "kcore", "keys", "key-users", "kmsg", "latency_stats",
	"sched_debug", "timer_list", "timer_stats", NULL };
static const char *const proc_empty[] = { "acpi", "asound", "driver", "scsi",
	NULL };
static const char *const proc_readonly[] = { "bus", "fs", "irq", "pressure",
	"sys", "sysrq-trigger", NULL };

static bool
listed(const char *const *list, const char *name)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

/* A copy of the mount at path, or of the directory that fd is, with attr on
 * all of it. A descriptor; -1 with errno. */
static int
take_mount(int dirfd, const char *path, unsigned long long attr)
{
	struct mount_attr a = { .attr_set = attr };
	cleanup_fd int fd = open_tree(dirfd, path,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);

	if (fd < 0 ||
	    mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &a, sizeof(a)) <
		0)
		return -1;
	int ret = fd;
	fd = -1;
	return ret;
}

static struct piece *
add_piece(struct sa_boxroot *r, const char *at)
{
	if (r->n == r->cap) {
		r->cap = r->cap * 2 + 32;
		r->v = sa_xrealloc(r->v, r->cap, sizeof(*r->v));
	}
	struct piece *p = &r->v[r->n++];
	*p = (struct piece){ .at = sa_xstrdup(at), .fd = -1 };
	return p;
}

/* What stands at path of the host comes to the place at: a link as a link if
 * links says so, else as what it leads to. What is not there is left out. */
static int
take(struct sa_boxroot *r, const char *path, const char *at, bool links,
    unsigned long long attr)
{
	struct stat st;
	char text[PATH_MAX];

	if (fstatat(AT_FDCWD, path, &st, links ? AT_SYMLINK_NOFOLLOW : 0) < 0)
		return errno == ENOENT ? 0 : -1;
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlink(path, text, sizeof(text) - 1);
		if (n < 0)
			return -1;
		text[n] = '\0';
		add_piece(r, at)->link = sa_xstrdup(text);
		return 0;
	}
	int fd = take_mount(AT_FDCWD, path, attr);
	if (fd < 0)
		return -1;
	struct piece *p = add_piece(r, at);
	p->fd = fd;
	p->is_dir = S_ISDIR(st.st_mode);
	return 0;
}

static int
take_below(struct sa_boxroot *r, const char *dir, const char *name,
    const char *at, bool links, unsigned long long attr)
{
	cleanup_free char *path = sa_path_join(dir, name);
	cleanup_free char *to = sa_path_join(at, name);

	return take(r, path, to, links, attr);
}

static int
take_etc(struct sa_boxroot *r)
{
	for (const char *const *s = etc_files; *s != NULL; s++)
		if (take_below(r, "/etc", *s, "/etc", false, RO) < 0)
			return -1;
	cleanup_dir DIR *d = opendir("/etc");
	struct dirent *e;
	while (d != NULL && (e = readdir(d)) != NULL)
		for (const char *const *s = etc_prefixes; *s != NULL; s++)
			if (strncmp(e->d_name, *s, strlen(*s)) == 0 &&
			    take_below(r, "/etc", e->d_name, "/etc", false,
				RO) < 0)
				return -1;
	return 0;
}

static int
take_host(struct sa_boxroot *r)
{
	for (const char *const *s = system_dirs; *s != NULL; s++)
		if (take_below(r, "/", *s, "/", true, RO) < 0)
			return -1;
	return take_etc(r);
}

static int
take_root(struct sa_boxroot *r, const char *root)
{
	cleanup_dir DIR *d = opendir(root);
	struct dirent *e;

	if (d == NULL)
		return -1;
	while ((errno = 0, e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0 && !listed(ours, e->d_name) &&
		    take_below(r, root, e->d_name, "/", true, RO) < 0)
			return -1;
	return errno == 0 ? 0 : -1;
}

/* What the spec shows at the place at, which is from on the host. No link is
 * followed: there was none as the sandbox was made. */
static int
take_shown(struct sa_boxroot *r, const char *from, const char *at,
    const char *hidden)
{
	struct stat st;
	cleanup_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd int fd = sa_path_open_beneath(root, from + 1, O_PATH, 0);
	int mount = fd < 0 || fstat(fd, &st) < 0 ? -1 : take_mount(fd, "", RO);

	if (mount < 0)
		return -1;
	const char *below = hidden != NULL ? sa_path_below(from, hidden) : NULL;
	struct piece *p = add_piece(r, at);
	p->fd = mount;
	p->is_dir = S_ISDIR(st.st_mode);
	p->hidden = below != NULL ? sa_xstrdup(below) : NULL;
	return 0;
}

static int
take_all_shown(struct sa_boxroot *r, const struct sa_box_plan *plan,
    const char **step)
{
	static char text[sizeof(SA_BOX_SHOWN) + PATH_MAX];
	const struct sa_spec_list *ro = &plan->spec->ro;
	const struct sa_spec_list *from = &plan->spec->ro_from;

	r->shown = r->n;
	for (size_t i = 0; i < ro->n; i++) {
		snprintf(text, sizeof(text), SA_BOX_SHOWN "%s", ro->v[i]);
		*step = text;
		if (take_shown(r, i < from->n ? from->v[i] : ro->v[i], ro->v[i],
			plan->hidden) < 0)
			return -1;
	}
	return 0;
}

/* The tree's own directories are below the working directory; none of them
 * may have become a link. */
static int
take_tree(struct sa_boxroot *r)
{
	for (const struct sa_box_dir *d = sa_box_dirs; d->path != NULL; d++) {
		if (!d->mounted)
			continue;
		cleanup_fd int fd = sa_path_open_beneath(AT_FDCWD, d->path,
		    O_PATH | O_DIRECTORY, 0);
		int mount = fd < 0 ? -1 : take_mount(fd, "", RW);
		if (mount < 0)
			return -1;
		cleanup_free char *at = sa_path_join("/", d->path);
		struct piece *p = add_piece(r, at);
		p->fd = mount;
		p->is_dir = true;
	}
	return 0;
}

int
sa_boxroot_open(const struct sa_box_plan *plan, struct sa_boxroot **out,
    const char **step)
{
	const struct sa_spec *spec = plan->spec;
	struct sa_boxroot *r = *out = sa_xcalloc(1, sizeof(*r));

	*step = "private mounts";
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	*step = spec->root != NULL ? spec->root : "/usr";
	if ((spec->root != NULL ? take_root(r, spec->root) : take_host(r)) < 0)
		return -1;
	*step = "/dev";
	for (const char *const *s = devices; *s != NULL; s++)
		if (take_below(r, "/dev", *s, "/dev", false, DEVICE) < 0)
			return -1;
	*step = "the sandbox's tree";
	if (!spec->once && take_tree(r) < 0)
		return -1;
	return take_all_shown(r, plan, step);
}

/* A new file system that is mounted nowhere yet. options end with NULL. */
static int
new_mount(const char *type, const char *const *options, unsigned long long attr)
{
	cleanup_fd int fs = fsopen(type, FSOPEN_CLOEXEC);

	if (fs < 0)
		return -1;
	for (; *options != NULL; options += 2)
		if (fsconfig(fs, FSCONFIG_SET_STRING, options[0], options[1],
			0) < 0)
			return -1;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return fsmount(fs, FSMOUNT_CLOEXEC, (unsigned)attr);
}

/* The directories above path, which is absolute, in the new root. */
static int
make_parents(const char *path)
{
	cleanup_free char *p = sa_xstrdup(path);

	for (char *s = p + 1; (s = strchr(s, '/')) != NULL; s++) {
		*s = '\0';
		if (mkdir(p, 0755) < 0 && errno != EEXIST)
			return -1;
		*s = '/';
	}
	return 0;
}

static int
make_file(const char *path, const char *text)
{
	size_t len = strlen(text);
	cleanup_fd int fd =
	    open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0444);

	return fd < 0 || write(fd, text, len) != (ssize_t)len ? -1 : 0;
}

/* Puts a mount that is nowhere at path, and makes the place for it. */
static int
place(int fd, const char *path, bool is_dir)
{
	if (make_parents(path) < 0 ||
	    (is_dir ? mkdir(path, 0755) < 0 && errno != EEXIST
		    : access(path, F_OK) < 0 && make_file(path, "") < 0))
		return -1;
	return move_mount(fd, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

static int
place_new(const char *type, const char *const *options, unsigned long long attr,
    const char *path)
{
	cleanup_fd int fd = new_mount(type, options, attr);

	return fd < 0 ? -1 : place(fd, path, true);
}

/* The entry name of the directory at, which is one, or a file, as is_dir says;
 * made where it is not there. What else stands there gives way. */
static int
open_place(int at, const char *name, bool is_dir)
{
	const int flags =
	    O_PATH | O_NOFOLLOW | O_CLOEXEC | (is_dir ? O_DIRECTORY : 0);
	struct stat st;
	int fd = openat(at, name, flags);

	if (fd >= 0 && fstat(fd, &st) == 0 && (is_dir || S_ISREG(st.st_mode)))
		return fd;
	if (fd >= 0)
		close(fd);
	if (sa_boxtree_remove(at, name, name, NULL) < 0)
		return -1;
	if (is_dir ? mkdirat(at, name, 0755) < 0
		   : mknodat(at, name, S_IFREG | 0444, 0) < 0)
		return -1;
	return openat(at, name, flags);
}

/* Puts a mount at path below a part that the sandbox may write: its programs
 * may have put anything on the way there, and no link of theirs is followed. */
static int
place_below(int fd, const char *path, const char *rest, bool is_dir)
{
	cleanup_free char *names = sa_xstrdup(rest);
	cleanup_free char *part = sa_xstrndup(path, (size_t)(rest - path));
	int at = open(part, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *name = names, *end;

	for (; at >= 0 && *name != '\0'; name = end) {
		end = name + strcspn(name, "/");
		bool last = *end == '\0';
		*end = '\0';
		int next = open_place(at, name, !last || is_dir);
		close(at);
		at = next;
		end += !last;
	}
	if (at < 0)
		return -1;
	int rc = move_mount(fd, "", at, "",
	    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
	close(at);
	return rc;
}

/* Covers a directory below what fd is, of whatever is there. */
static int
hide(int fd, const char *path)
{
	static const char *const none[] = { "size", "4k", "mode", "555", NULL };
	cleanup_fd int at =
	    sa_path_open_beneath(fd, path, O_PATH | O_DIRECTORY, 0);
	cleanup_fd int empty =
	    at < 0 ? -1 : new_mount("tmpfs", none, RO | MOUNT_ATTR_NOEXEC);

	if (at < 0)
		return errno == ENOENT ? 0 : -1;
	return empty < 0
	    ? -1
	    : move_mount(empty, "", at, "",
		  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static int
place_shown(struct sa_boxroot *r, const char **step)
{
	static char text[sizeof(SA_BOX_SHOWN) + PATH_MAX];
	const char *rest;

	for (size_t i = r->shown; i < r->n; i++) {
		struct piece *p = &r->v[i];
		snprintf(text, sizeof(text), SA_BOX_SHOWN "%s", p->at);
		*step = text;
		if ((sa_box_may_write(p->at, &rest)
			    ? place_below(p->fd, p->at, rest, p->is_dir)
			    : place(p->fd, p->at, p->is_dir)) < 0 ||
		    (p->hidden != NULL && hide(p->fd, p->hidden) < 0))
			return -1;
		close(p->fd);
		p->fd = -1;
	}
	return 0;
}

/* Changes to an empty root, and leaves the old one. */
static int
enter(int root)
{
	/* any directory will do to attach it; this one is there */
	if (move_mount(root, "", AT_FDCWD, "/proc", MOVE_MOUNT_F_EMPTY_PATH) <
		0 ||
	    fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0)
		return -1;
	return chdir("/");
}

static int
place_pieces(struct sa_boxroot *r)
{
	for (size_t i = 0; i < r->shown; i++) {
		struct piece *p = &r->v[i];
		if (p->link != NULL) {
			if (make_parents(p->at) < 0 ||
			    symlink(p->link, p->at) < 0)
				return -1;
		} else if (place(p->fd, p->at, p->is_dir) < 0)
			return -1;
		if (p->fd >= 0)
			close(p->fd);
		p->fd = -1;
	}
	return 0;
}

static int
make_etc(const struct sa_spec *spec)
{
	const char *resolv = sa_netrules_any(spec) ? SA_NETINSIDE_RESOLV : "";

	if (mkdir("/etc", 0755) < 0)
		return errno == EEXIST ? 0 : -1;
	for (size_t i = 0; i < sizeof(etc_made) / sizeof(*etc_made); i++) {
		cleanup_free char *path =
		    sa_path_join("/etc", etc_made[i].name);
		if (make_file(path, etc_made[i].text) < 0)
			return -1;
	}
	return make_file("/etc/resolv.conf", resolv);
}

/* Of the sandbox's own: there are none of the host's. */
static int
make_terminals(void)
{
	char most[16];
	const char *const options[] = { "mode", "600", "ptmxmode", "666", "max",
		most, NULL };

	snprintf(most, sizeof(most), "%d", SA_BOX_PTYS);
	return place_new("devpts", options,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, "/dev/pts");
}

/* Of the root, which becomes read only, and has nothing to execute there.
 * memory: the sandbox's limit, more than which a file could not have. */
static int
make_dev(long long memory)
{
	char size[32];
	const char *const shared[] = { "size", size, "nr_inodes", "16k", "mode",
		"1777", NULL };

	snprintf(size, sizeof(size), "%lld",
	    memory > 0 && memory < SHM_SIZE ? memory : SHM_SIZE);
	if (place_new("tmpfs", shared, RW, "/dev/shm") < 0 ||
	    make_terminals() < 0 || symlink("pts/ptmx", "/dev/ptmx") < 0 ||
	    symlink("/proc/self/fd", "/dev/fd") < 0 ||
	    symlink("/proc/self/fd/0", "/dev/stdin") < 0 ||
	    symlink("/proc/self/fd/1", "/dev/stdout") < 0)
		return -1;
	return symlink("/proc/self/fd/2", "/dev/stderr");
}

/* A mount of what is at from over path, if path is there. */
static int
cover(const char *from, const char *path, unsigned long long attr)
{
	if (access(path, F_OK) < 0)
		return 0;
	cleanup_fd int fd = take_mount(AT_FDCWD, from, attr);
	if (fd < 0)
		return -1;
	return move_mount(fd, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

static int
cover_each(const char *const *names, const char *from, unsigned long long attr)
{
	for (; *names != NULL; names++) {
		cleanup_free char *path = sa_path_join("/proc", *names);
		if (cover(from != NULL ? from : path, path, attr) < 0)
			return -1;
	}
	return 0;
}

/* In a root tree of its own the tree's file is hidden; without one, resolvers
 * ask 127.0.0.1 by themselves. */
static int
hide_resolver(const struct sa_spec *spec)
{
	if (spec->root == NULL || !sa_netrules_any(spec))
		return 0;
	if (make_file("/run/resolv.conf", SA_NETINSIDE_RESOLV) < 0)
		return -1;
	return cover("/run/resolv.conf", "/etc/resolv.conf",
	    RO | MOUNT_ATTR_NOEXEC);
}

/* Whoever maps to root may write its settings: they are read only whatever
 * the ids are. */
static int
make_proc(int proc)
{
	const unsigned long long ro = RO | MOUNT_ATTR_NOEXEC;

	if (place(proc, "/proc", true) < 0 ||
	    cover_each(proc_readonly, NULL, ro) < 0 ||
	    cover_each(proc_empty, "/run", ro) < 0)
		return -1;
	return cover_each(proc_hidden, "/dev/null",
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSUID);
}

/* The writable parts in memory: each a mount of a directory over itself, which
 * stays writable as the root becomes read only. */
static int
make_tree(const struct sa_spec *spec)
{
	for (const struct sa_box_dir *d = sa_box_dirs; d->path != NULL; d++) {
		cleanup_free char *path = sa_path_join("/", d->path);
		if ((mkdir(path, d->mode) < 0 && errno != EEXIST) ||
		    chmod(path, d->mode) < 0 ||
		    (d->mounted && cover(path, path, RW) < 0))
			return -1;
	}
	if (spec->workdir == NULL || sa_spec_shows(spec, spec->workdir))
		return 0;
	if (make_parents(spec->workdir) < 0)
		return -1;
	return mkdir(spec->workdir, 0755) < 0 && errno != EEXIST ? -1 : 0;
}

int
sa_boxroot_build(struct sa_boxroot *r, const struct sa_spec *spec,
    const char **step)
{
	static const char *const small[] = { "mode", "755", "size", "1m",
		"nr_inodes", "1k", NULL };
	static const char *const whole[] = { "mode", "755", NULL };
	static const char *const none[] = { NULL };
	struct mount_attr ro = { .attr_set = RO };

	/* while the old root is there: the kernel gives no /proc to who sees
	 * none, or one with parts hidden */
	*step = "/proc";
	cleanup_fd int proc = new_mount("proc", none, RW | MOUNT_ATTR_NOEXEC);
	if (proc < 0)
		return -1;
	*step = "a root of its own";
	cleanup_fd int root =
	    new_mount("tmpfs", spec->once ? whole : small, RW);
	if (root < 0 || enter(root) < 0)
		return -1;
	*step = "/dev";
	if (mkdir("/run", 0755) < 0 || make_dev(spec->memory) < 0)
		return -1;
	*step = "/etc";
	if (spec->root == NULL && make_etc(spec) < 0)
		return -1;
	*step = "what is seen of the host";
	if (place_pieces(r) < 0 || make_etc(spec) < 0)
		return -1;
	*step = "the sandbox's tree";
	if (spec->once && make_tree(spec) < 0)
		return -1;
	if (place_shown(r, step) < 0)
		return -1;
	*step = "a resolver of its own";
	if (hide_resolver(spec) < 0)
		return -1;
	*step = "what is hidden of /proc";
	if (make_proc(proc) < 0)
		return -1;
	*step = "a root that is read only";
	return mount_setattr(AT_FDCWD, "/", 0, &ro, sizeof(ro));
}

int
sa_boxroot_pty(int pty[2], int32_t size)
{
	const int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
	const struct winsize w = { .ws_row = (unsigned short)(size >> 16),
		.ws_col = (unsigned short)size };
	int unlocked = 0;

	cleanup_fd int outer = open("/dev/pts/ptmx", flags | O_NONBLOCK);
	if (outer < 0 || ioctl(outer, TIOCSPTLCK, &unlocked) < 0 ||
	    ioctl(outer, TIOCSWINSZ, &w) < 0 ||
	    (pty[1] = ioctl(outer, TIOCGPTPEER, flags)) < 0)
		return -1;
	pty[0] = outer;
	outer = -1;
	return 0;
}
