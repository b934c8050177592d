/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * Prints the sandbox's filter of system calls as the initialisers of an array
 * of struct sock_filter. It runs at build time, so that the programs neither
 * need libseccomp nor its time.
 *
 * What is not named here is allowed, so that compilers, debuggers and
 * interpreters work. Refused is what makes namespaces and mounts, what other
 * namespaces do not keep apart (keys, vsock, the kernel's log), what watches
 * or changes the whole machine, and what a kernel newer than this list brings.
 */
#include "config.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* mseal(2), the newest that was looked at; higher ones are ENOSYS. */
#define NEWEST 462
#define LOW_WORD 0xffffffffULL
/* Bits of clone(2)'s flags that make a namespace; CLONE_NEWTIME's bit is part
 * of the signal number there. */
#define NEW_NAMESPACES                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

static const char *const refused[] = { "_sysctl", "acct", "add_key", "adjtimex",
	"bpf", "chroot", "clock_adjtime", "clock_settime", "create_module",
	"delete_module", "fanotify_init", "fanotify_mark", "finit_module",
	"fsconfig", "fsmount", "fsopen", "fspick", "get_kernel_syms",
	"init_module", "ioperm", "iopl", "kcmp", "kexec_file_load",
	"kexec_load", "keyctl", "lookup_dcookie", "mbind", "memfd_secret",
	"migrate_pages", "modify_ldt", "mount", "mount_setattr", "move_mount",
	"move_pages", "name_to_handle_at", "nfsservctl", "open_by_handle_at",
	"open_tree", "perf_event_open", "pidfd_getfd", "pivot_root",
	"process_madvise", "query_module", "quotactl", "quotactl_fd", "reboot",
	"request_key", "set_mempolicy", "set_mempolicy_home_node",
	"setdomainname", "sethostname", "setns", "settimeofday", "stime",
	"swapoff", "swapon", "sysfs", "syslog", "umount", "umount2", "unshare",
	"uselib", "ustat", "vhangup", "vm86", "vm86old" };

/* Programs ask whether these are there and do without: clone3 takes its flags
 * in memory, where no filter sees them; io_uring makes calls that none sees. */
static const char *const absent[] = { "clone3", "io_uring_enter",
	"io_uring_register", "io_uring_setup", "userfaultfd" };
/* statmount, listmount, lsm_get_self_attr and its two kin. */
static const int absent_numbers[] = { 457, 458, 459, 460, 461 };

/* What a sandbox may speak: the rest is not bound to a network namespace or
 * has a history. */
static const int families[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };
#define HIGHEST_FAMILY AF_NETLINK

static void
check(int rc, const char *what)
{
	if (rc == 0)
		return;
	fprintf(stderr, "mkseccomp: %s: error %d\n", what, -rc);
	exit(1);
}

static void
refuse_names(scmp_filter_ctx ctx, const char *const *names, size_t n,
    uint32_t action)
{
	for (size_t i = 0; i < n; i++) {
		int nr = seccomp_syscall_resolve_name(names[i]);
		if (nr >= 0) /* else this machine never had it */
			check(seccomp_rule_add(ctx, action, nr, 0), names[i]);
	}
}

static void
refuse_namespaces(scmp_filter_ctx ctx)
{
	for (uint64_t bit = 1; bit != 0 && bit <= NEW_NAMESPACES; bit <<= 1)
		if (bit & NEW_NAMESPACES)
			check(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
				  SCMP_SYS(clone), 1,
				  SCMP_A0_64(SCMP_CMP_MASKED_EQ, bit, bit)),
			    "clone");
}

/* Process 1 has the user's id inside, so its limits could be set by all: it
 * would look at the sandbox's memory no more. */
static void
protect_init(scmp_filter_ctx ctx)
{
	static const int calls[] = { SCMP_SYS(prlimit64),
		SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setattr),
		SCMP_SYS(sched_setparam), SCMP_SYS(sched_setscheduler) };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		check(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), calls[i], 1,
			  SCMP_A0_64(SCMP_CMP_MASKED_EQ, LOW_WORD, 1)),
		    "limits of process 1");
}

/* What types at the terminal that it is on; the kernel looks at 32 bits. */
static void
refuse_typing(scmp_filter_ctx ctx)
{
	static const unsigned long requests[] = { TIOCSTI, TIOCLINUX };

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		check(
		    seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
			SCMP_SYS(ioctl), 1,
			SCMP_A1_64(SCMP_CMP_MASKED_EQ, LOW_WORD, requests[i])),
		    "ioctl");
}

static int
is_family(int family)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (families[i] == family)
			return 1;
	return 0;
}

/* The kernel looks at 32 bits: with others set a family is over the highest. */
static void
refuse_families(scmp_filter_ctx ctx, int nr, const char *what)
{
	const uint32_t action = SCMP_ACT_ERRNO(EAFNOSUPPORT);

	check(seccomp_rule_add(ctx, action, nr, 1,
		  SCMP_A0_64(SCMP_CMP_GT, HIGHEST_FAMILY, 0)),
	    what);
	for (uint64_t f = 0; f < HIGHEST_FAMILY; f++)
		if (!is_family((int)f))
			check(seccomp_rule_add(ctx, action, nr, 1,
				  SCMP_A0_64(SCMP_CMP_EQ, f, 0)),
			    what);
}

static void
refuse_sockets(scmp_filter_ctx ctx)
{
	const uint32_t action = SCMP_ACT_ERRNO(EAFNOSUPPORT);

	refuse_families(ctx, SCMP_SYS(socket), "socket");
	refuse_families(ctx, SCMP_SYS(socketpair), "socketpair");
	/* of netlink only NETLINK_ROUTE, which is 0 */
	check(seccomp_rule_add(ctx, action, SCMP_SYS(socket), 2,
		  SCMP_A0_64(SCMP_CMP_EQ, AF_NETLINK, 0),
		  SCMP_A2_64(SCMP_CMP_NE, 0, 0)),
	    "socket of netlink");
}

/* Other than Linux's own, without address randomisation and UNAME26; one bit
 * that no personality has tells the question 0xffffffff from an answer. */
static void
refuse_personalities(scmp_filter_ctx ctx)
{
	const uint64_t fine = 0x8 | 0x20000 | 0x40000, unused = 0x10000000;

	for (uint64_t bit = 1; bit < unused; bit <<= 1)
		if (!(bit & fine))
			check(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
				  SCMP_SYS(personality), 1,
				  SCMP_A0_64(SCMP_CMP_MASKED_EQ, bit | unused,
				      bit)),
			    "personality");
}

static void
print(const struct sock_filter *f, size_t n)
{
	/* in front of libseccomp's program, whose jumps are relative */
	const struct sock_filter front[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	const size_t m = sizeof(front) / sizeof(*front);

	printf("/* made by mkseccomp */\n");
	for (size_t i = 0; i < m + n; i++) {
		const struct sock_filter *s = i < m ? &front[i] : &f[i - m];
		printf("{ 0x%02x, %u, %u, 0x%08x },\n", s->code, s->jt, s->jf,
		    s->k);
	}
}

static void
export_program(scmp_filter_ctx ctx)
{
	struct stat st;
	int fd = memfd_create("filter", MFD_CLOEXEC);

	if (fd < 0)
		check(-errno, "memfd_create");
	check(seccomp_export_bpf(ctx, fd), "export");
	if (fstat(fd, &st) < 0)
		check(-errno, "fstat");
	size_t size = (size_t)st.st_size;
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		check(-errno, "mmap");
	print(p, size / sizeof(struct sock_filter));
}

int
main(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);

	if (ctx == NULL)
		check(-ENOMEM, "seccomp_init");
	check(seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize");
	refuse_names(ctx, refused, sizeof(refused) / sizeof(*refused),
	    SCMP_ACT_ERRNO(EPERM));
	refuse_names(ctx, absent, sizeof(absent) / sizeof(*absent),
	    SCMP_ACT_ERRNO(ENOSYS));
	for (size_t i = 0; i < sizeof(absent_numbers) / sizeof(int); i++)
		check(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS),
			  absent_numbers[i], 0),
		    "a number");
	refuse_namespaces(ctx);
	protect_init(ctx);
	refuse_typing(ctx);
	refuse_sockets(ctx);
	refuse_personalities(ctx);
	export_program(ctx);
	seccomp_release(ctx);
	return fflush(stdout) != 0 || ferror(stdout) != 0;
}
