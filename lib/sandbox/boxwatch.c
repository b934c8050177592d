/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/boxwatch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "sandbox/box.h"
#include "sandbox/boxtree.h"
#include "sandbox/cgroup.h"

#define KIB 1024LL
#define INODE 512LL
/* Between two walks over the tree, and how much longer than a walk. */
#define DISK_MS 1000
#define DISK_REST 10
/* Between two turns once a limit is near; and between two looks at memory
 * then, how much longer than a look. */
#define NEAR_MS 20
#define MEMORY_REST 20
/* Of a group that thrashes: turns in a row, pages read in again in each, and
 * the part of the limit that may be left. */
#define THRASH_TURNS 5
#define FAULTS 20
#define FULL_SPARE 32

void
sa_boxwatch_init(struct sa_boxwatch *w, const struct sa_spec *spec,
    const struct sa_cgroup *group)
{
	bool held = group != NULL && group->events >= 0;

	*w = (struct sa_boxwatch){ .memory = held ? 0 : spec->memory,
		.disk = spec->disk,
		.events = held ? group->events : -1,
		.stat = held ? group->stat : -1,
		.limit = spec->memory,
		.turn_ms = SA_BOX_WATCH_MS,
		.result = -1 };
	if (held)
		w->killed = sa_cgroup_killed(group->events);
}

bool
sa_boxwatch_killed(const struct sa_boxwatch *w)
{
	return w->events >= 0 && sa_cgroup_killed(w->events) > w->killed;
}

/*
 * Short of the limit the kernel takes back the programs' own pages, which they
 * need at once again: they go on for ever without a step forward, and without
 * a reason to end one.
 */
static bool
is_thrashing(struct sa_boxwatch *w)
{
	long long faults;
	bool full = sa_cgroup_fixed(w->stat, &faults) >=
	    w->limit - w->limit / FULL_SPARE;

	w->thrashed = full && faults - w->faults > FAULTS ? w->thrashed + 1 : 0;
	w->faults = faults;
	return w->thrashed >= THRASH_TURNS;
}

/* Adds what a file's lines of those names say, in bytes. */
static void
add_lines(int proc, const char *pid, const char *file,
    const char *const names[2], long long sums[2])
{
	char path[NAME_MAX + 32], text[8192];

	snprintf(path, sizeof(path), "%s/%s", pid, file);
	cleanup_fd int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return; /* it has just ended */
	text[n] = '\0';
	for (int i = 0; i < 2; i++) {
		const char *at = strstr(text, names[i]);
		if (at != NULL)
			sums[i] +=
			    strtoll(at + strlen(names[i]), NULL, 10) * KIB;
	}
}

/* Files in memory that are open somewhere; one that is open twice counts
 * twice. */
static long long
memory_files(int proc, const char *pid)
{
	char path[NAME_MAX + 32], text[64];
	long long sum = 0;
	struct dirent *e;
	struct stat st;

	snprintf(path, sizeof(path), "%s/fd", pid);
	int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (d == NULL)
		return 0;
	while ((e = readdir(d)) != NULL) {
		ssize_t n = readlinkat(fd, e->d_name, text, sizeof(text));
		if (n >= 7 && memcmp(text, "/memfd:", 7) == 0 &&
		    fstatat(fd, e->d_name, &st, 0) == 0)
			sum += (long long)st.st_blocks * 512;
	}
	return sum;
}

/* Segments of System V that no process has attached just now. */
static long long
segments_alone(int proc)
{
	char line[512];
	long long sum = 0, rss;
	unsigned long attached;
	int fd = openat(proc, "sysvipc/shm", O_RDONLY | O_CLOEXEC);
	cleanup_file FILE *f = fd < 0 ? NULL : fdopen(fd, "re");

	/* key, id, mode, size, two pids, attached, six ids and times, rss */
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line,
			"%*s %*s %*s %*s %*s %*s %lu %*s %*s %*s %*s %*s %*s "
			"%*s %lld",
			&attached, &rss) == 2 &&
		    attached == 0)
			sum += rss;
	return sum;
}

static long long
files_in_shm(void)
{
	struct statvfs st;

	return statvfs("/dev/shm", &st) < 0
	    ? 0
	    : (long long)(st.f_blocks - st.f_bfree) * (long long)st.f_frsize;
}

/*
 * What processes have of memory that is no file's on a disk. The quick way
 * counts pages that several share for each of them; only where that is too
 * much the right way, which looks at each page, is gone. Files of /dev/shm are
 * shared memory where somebody maps them.
 */
static long long
memory_used(int proc, bool exact)
{
	static const char *const quick[2] = { "RssAnon:", "RssShmem:" };
	static const char *const right[2] = { "Pss_Anon:", "Pss_Shmem:" };
	long long others = segments_alone(proc), files = files_in_shm();
	long long sums[2] = { 0, 0 };
	struct dirent *e;
	int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9' ||
		    strcmp(e->d_name, "1") == 0)
			continue;
		others += memory_files(proc, e->d_name);
		add_lines(proc, e->d_name, exact ? "smaps_rollup" : "status",
		    exact ? right : quick, sums);
	}
	return others + sums[0] + (sums[1] > files ? sums[1] : files);
}

/* Of the file system that the sandbox's tree is on; others write there too.
 * An inode counts as it does in sa_boxtree_size. */
static long long
free_bytes(void)
{
	struct statvfs st;

	return statvfs(SA_BOX_WORKDIR, &st) < 0
	    ? 0
	    : (long long)st.f_bfree * (long long)st.f_frsize +
		(long long)st.f_ffree * INODE;
}

/* What a walk over the tree found, and how long it was. */
struct measured {
	long long used, took_ms;
};

/* In a process of its own, since it takes as long as the tree is large. */
static void
measure(struct sa_boxwatch *w)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return;
	w->free = free_bytes();
	w->measurer = fork();
	if (w->measurer == 0) {
		struct measured m = { 0, -sa_clock_ms() };
		for (const struct sa_box_dir *d = sa_box_dirs; d->path != NULL;
		     d++) {
			char path[64];
			snprintf(path, sizeof(path), "/%s", d->path);
			if (d->mounted)
				m.used += sa_boxtree_size(AT_FDCWD, path,
				    w->disk + 1);
		}
		m.took_ms += sa_clock_ms();
		_exit(write(p[1], &m, sizeof(m)) != sizeof(m));
	}
	close(p[1]);
	w->result = p[0];
	if (w->measurer < 0)
		w->measurer = 0;
}

/* What somebody, the sandbox or another, wrote since the last walk: where that
 * may be too much the next one does not wait, and turns are short. */
static bool
is_filling(struct sa_boxwatch *w)
{
	long long written = w->free - free_bytes(), left = w->disk - w->used;

	if (w->result >= 0 || written > left / 16)
		w->turn_ms = NEAR_MS;
	return written > left / 4;
}

static const char *
look_at_disk(struct sa_boxwatch *w)
{
	struct pollfd p = { w->result, POLLIN, 0 };
	struct measured m;
	long long now = sa_clock_ms();
	bool filling = is_filling(w);

	if (w->result < 0) {
		if (now >= w->next_ms || (filling && now >= w->rested_ms))
			measure(w);
		return NULL;
	}
	if (poll(&p, 1, 0) <= 0)
		return NULL;
	/* nothing: somebody killed it, who wants it not to be seen */
	ssize_t n = read(w->result, &m, sizeof(m));
	close(w->result);
	w->result = -1;
	w->measurer = 0;
	if (n != sizeof(m) || m.used > w->disk)
		return "disk";
	w->used = m.used;
	w->rested_ms = now + m.took_ms * DISK_REST;
	w->next_ms =
	    now + DISK_MS > w->rested_ms ? now + DISK_MS : w->rested_ms;
	return NULL;
}

static bool
is_out_of_memory(struct sa_boxwatch *w, int proc)
{
	if (w->events >= 0)
		return sa_boxwatch_killed(w) || is_thrashing(w);
	if (w->memory == 0)
		return false;
	long long began = sa_clock_ms(), used = memory_used(proc, false);
	bool over = used > w->memory && memory_used(proc, true) > w->memory;
	long long rest = (sa_clock_ms() - began) * MEMORY_REST;
	if (used > w->memory / 2 && rest < SA_BOX_WATCH_MS)
		w->turn_ms = rest < NEAR_MS ? NEAR_MS : (int)rest;
	return over;
}

const char *
sa_boxwatch(struct sa_boxwatch *w, int proc)
{
	w->turn_ms = SA_BOX_WATCH_MS;
	if (is_out_of_memory(w, proc))
		return "memory";
	return w->disk > 0 ? look_at_disk(w) : NULL;
}
