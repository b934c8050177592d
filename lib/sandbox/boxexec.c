/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/boxexec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "sandbox/box.h"
#include "sandbox/seccomp.h"

#define JOB_MAX (4 * 1024 * 1024) /* what execve(2) takes is less */
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int
add_strings(struct sa_buf *b, const char *const *v, uint32_t *n)
{
	for (*n = 0; v[*n] != NULL; (*n)++)
		if (sa_buf_add(b, v[*n], strlen(v[*n]) + 1) < 0)
			return -1;
	return 0;
}

int
sa_boxjob_pack(const struct sa_boxjob *limits, const char *const *argv,
    const char *const *env, const char *cwd, struct sa_err *err)
{
	struct sa_boxjob head = *limits;
	cleanup_buf struct sa_buf b = SA_BUF_INIT(JOB_MAX);

	if (add_strings(&b, argv, &head.argc) < 0 ||
	    add_strings(&b, env, &head.envc) < 0 ||
	    sa_buf_add(&b, cwd, strlen(cwd) + 1) < 0)
		return sa_err_set(err, SA_INVALID,
		    "the command and its environment are over %d bytes",
		    JOB_MAX);
	cleanup_fd int fd =
	    memfd_create("job", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot make a memfd");
	if (sa_io_write_fd(fd, &head, sizeof(head), "a memfd", err) < 0 ||
	    sa_io_write_fd(fd, b.s, b.len, "a memfd", err) < 0)
		return -1;
	if (fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return sa_err_errno(err, SA_IO, errno, "cannot seal a memfd");
	int ret = fd;
	fd = -1;
	return ret;
}

/* The head and, behind it, the strings; NULL with errno. */
static const struct sa_boxjob *
unpack(int fd, const char ***argv, const char ***env, const char **cwd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	size_t size = (size_t)st.st_size;
	if (size < sizeof(struct sa_boxjob)) {
		errno = EBADMSG;
		return NULL;
	}
	const struct sa_boxjob *job =
	    mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (job == MAP_FAILED)
		return NULL;
	size_t n = (size_t)job->argc + job->envc + 3;
	const char **v = sa_xcalloc(n, sizeof(*v));
	const char *s = (const char *)(job + 1);
	const char *end = (const char *)job + size;
	*argv = v;
	*env = v + job->argc + 1;
	for (size_t i = 0; i < n - 1 && s < end; i++) {
		if (i == job->argc || i == n - 2)
			continue; /* the NULL behind each list */
		v[i] = s;
		s += strlen(s) + 1;
	}
	*cwd = s;
	return job;
}

static int
limit(int what, uint64_t value)
{
	const struct rlimit r = { value, value };

	return prlimit(0, (enum __rlimit_resource)what, &r, NULL);
}

/* core 1: no file, and no program of the host that the core is piped to. */
static int
set_limits(const struct sa_boxjob *job)
{
	static const struct {
		int what;
		uint64_t value;
	} fixed[] = {
		{ RLIMIT_CORE, 1 },
		{ RLIMIT_NOFILE, SA_BOX_FILES },
		{ RLIMIT_MEMLOCK, 64 * 1024 },
		{ RLIMIT_MSGQUEUE, 0 },
		{ RLIMIT_NICE, 0 },
		{ RLIMIT_RTPRIO, 0 },
		{ RLIMIT_SIGPENDING, 1024 },
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		struct rlimit old;
		if (prlimit(0, (enum __rlimit_resource)fixed[i].what, NULL,
			&old) < 0)
			return -1;
		uint64_t value = fixed[i].value;
		if (limit(fixed[i].what,
			value < old.rlim_max ? value : old.rlim_max) < 0)
			return -1;
	}
	if ((job->data > 0 && limit(RLIMIT_DATA, job->data) < 0) ||
	    (job->fsize > 0 && limit(RLIMIT_FSIZE, job->fsize) < 0) ||
	    (job->cpu_s > 0 && limit(RLIMIT_CPU, job->cpu_s) < 0))
		return -1;
	return limit(RLIMIT_NPROC, job->nproc);
}

static int
drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	const struct __user_cap_data_struct none[2] = { { 0, 0, 0 } };

	if (prctl(PR_SET_SECUREBITS,
		SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
		    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
		    SECBIT_NO_CAP_AMBIENT_RAISE |
		    SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
		0, 0, 0) < 0)
		return -1;
	/* EINVAL: behind the last one that the kernel knows */
	for (unsigned long c = 0;; c++)
		if (prctl(PR_CAPBSET_DROP, c, 0, 0, 0) < 0) {
			if (errno == EINVAL && c > 0)
				break;
			return -1;
		}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_capset, &head, none);
}

static int
take_descriptors(const int std[3])
{
	int keep[3];

	/* above the three first, which one of std may be */
	for (int i = 0; i < 3; i++)
		if ((keep[i] = fcntl(std[i], F_DUPFD_CLOEXEC, 3)) < 0)
			return -1;
	for (int i = 0; i < 3; i++)
		if (dup2(keep[i], i) < 0)
			return -1;
	return (int)close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
}

static void
reset_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A command before may have removed it. */
static int
enter_directory(const char *cwd)
{
	char path[PATH_MAX];

	if (chdir(cwd) == 0)
		return 0;
	if (errno != ENOENT || strlcpy(path, cwd, sizeof(path)) >= sizeof(path))
		return -1;
	for (char *s = path + 1; (s = strchr(s, '/')) != NULL; s++) {
		*s = '\0';
		(void)mkdir(path, 0755);
		*s = '/';
	}
	(void)mkdir(path, 0755);
	return chdir(cwd);
}

int
sa_boxexec(int fd, const int std[3], const char **what)
{
	const char **argv, **env, *cwd;

	*what = "the command";
	const struct sa_boxjob *job = unpack(fd, &argv, &env, &cwd);
	if (job == NULL)
		return errno;
	reset_signals();
	umask(022);
	*what = "the sandbox's limits";
	if (take_descriptors(std) < 0 || set_limits(job) < 0)
		return errno;
	*what = "the sandbox's privileges";
	if (drop_capabilities() < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return errno;
	*what = cwd;
	if (enter_directory(cwd) < 0)
		return errno;
	*what = "the filter of system calls";
	if (sa_seccomp_load() < 0)
		return errno;
	*what = argv[0];
	environ = (char **)(uintptr_t)env;
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	return errno;
}
