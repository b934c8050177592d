# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Tries, inside a sandbox, what it must not be able to.

A line for each try: "contained|NAME|WHY" or "OPEN|NAME|WHAT".
Arguments: the host's port, abstract socket, socket, file, uid and process
that box-host.py made. With --count it says how many lines there will be.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import platform
import signal
import socket
import stat
import struct
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
tries = []

# Numbers of system calls that Python has no name for.
X86 = dict(
    ptrace=101, mount=165, umount2=166, pivot_root=155, chroot=161,
    unshare=272, setns=308, clone=56, clone3=435, process_vm_readv=310,
    open_by_handle_at=304, name_to_handle_at=303, bpf=321,
    perf_event_open=298, io_uring_setup=425, userfaultfd=323, keyctl=250,
    add_key=248, request_key=249, kexec_load=246, init_module=175,
    finit_module=313, delete_module=176, syslog=103, clock_settime=227,
    sethostname=170, setdomainname=171, personality=135, fsopen=430,
    open_tree=428, move_mount=429, fsmount=432, mount_setattr=442,
    pidfd_getfd=438, kcmp=312, reboot=169, swapon=167, acct=163,
    quotactl=179, socket=41, ioctl=16, unknown=999, memfd_secret=447,
    fanotify_init=300, lookup_dcookie=212, move_pages=279, prlimit64=302,
    sched_setaffinity=203, sched_setattr=314, sched_setparam=142,
    sched_setscheduler=144)
ARM = dict(
    ptrace=117, mount=40, umount2=39, pivot_root=41, chroot=51, unshare=97,
    setns=268, clone=220, clone3=435, process_vm_readv=270,
    open_by_handle_at=265, name_to_handle_at=264, bpf=280,
    perf_event_open=241, io_uring_setup=425, userfaultfd=282, keyctl=219,
    add_key=217, request_key=218, kexec_load=104, init_module=105,
    finit_module=273, delete_module=106, syslog=116, clock_settime=112,
    sethostname=161, setdomainname=162, personality=92, fsopen=430,
    open_tree=428, move_mount=429, fsmount=432, mount_setattr=442,
    pidfd_getfd=438, kcmp=272, reboot=142, swapon=224, acct=89, quotactl=60,
    socket=198, ioctl=29, unknown=999, memfd_secret=447, fanotify_init=262,
    lookup_dcookie=18, move_pages=239, prlimit64=261, sched_setaffinity=122,
    sched_setattr=274, sched_setparam=118, sched_setscheduler=119)
NUMBERS = ARM if platform.machine() == "aarch64" else X86


def attempt(name):
    """Marks a function that raises, or gives (whether contained, why)."""
    def mark(function):
        tries.append((name, function))
        return function
    return mark


def call(number, *args):
    """The result and errno of a system call, made by a child; None and the
    signal that it died of."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        result = libc.syscall(number, *args)
        os.write(w, struct.pack("qi", result, ctypes.get_errno()))
        os._exit(0)
    os.close(w)
    answer = os.read(r, 12)
    os.close(r)
    status = os.waitpid(pid, 0)[1]
    if len(answer) < 12:
        return None, os.WTERMSIG(status)
    return struct.unpack("qi", answer)


def refuses(name, syscall, *args, want=(errno.EPERM,)):
    """That the call fails, and for the reason that the filter gives."""
    @attempt(name)
    def run():
        result, why = call(NUMBERS[syscall], *args)
        if result is None:
            return True, signal.Signals(why).name
        return result < 0 and why in want, (
            os.strerror(why) if result < 0 else f"gave {result}")


def cannot_open(name, path, flags=os.O_RDONLY, empty=False):
    @attempt(name)
    def run():
        fd = os.open(path, flags)
        if empty:
            data = os.read(fd, 20)
            return not data, f"has {data!r}"
        return False, "was opened"


counting = sys.argv[1:] == ["--count"]
port, abstract, named, marker, host_uid, host_pid = (
    ["1"] + [""] * 4 + ["1"] if counting else sys.argv[1:7])

# Files.
cannot_open("read /etc/shadow", "/etc/shadow")
cannot_open("read /root/.bashrc", "/root/.bashrc")
cannot_open("read /root/.ssh", "/root/.ssh")
cannot_open("read a file of the host", marker or "/none")
cannot_open("read a file of the host by a link", "/tmp/link")
cannot_open("read /proc/1/environ", "/proc/1/environ")
cannot_open("open /proc/1/mem", "/proc/1/mem")
cannot_open("open /proc/1/maps", "/proc/1/maps")
for entry in ("exe", "cwd", "root"):
    @attempt(f"follow /proc/1/{entry}")
    def follow(entry=entry):
        return False, os.readlink(f"/proc/1/{entry}")


@attempt("list /proc/1/fd")
def list_fds():
    return False, str(os.listdir("/proc/1/fd"))


@attempt("/proc/1/cmdline says nothing")
def cmdline():
    with open("/proc/1/cmdline", "rb") as f:
        text = f.read().replace(b"\0", b"")
    return not text, repr(text)


cannot_open("write /proc/sys/kernel",
            "/proc/sys/kernel/printk_ratelimit_burst", os.O_WRONLY)
cannot_open("write core_pattern", "/proc/sys/kernel/core_pattern",
            os.O_WRONLY)
cannot_open("write sysrq-trigger", "/proc/sysrq-trigger", os.O_WRONLY)
for entry in ("kcore", "kmsg", "keys", "kallsyms", "timer_list",
              "interrupts", "config.gz"):
    cannot_open(f"read /proc/{entry}", f"/proc/{entry}", empty=True)
cannot_open("read /dev/kmsg", "/dev/kmsg")


@attempt("no nodes of the machine")
def nodes():
    found = [p for p in ("/dev/mem", "/dev/kvm", "/dev/fuse", "/dev/sda",
                         "/dev/vda", "/dev/net/tun", "/dev/vsock",
                         "/dev/kmsg", "/dev/tty0") if os.path.exists(p)]
    return not found, str(found)


@attempt("no /sys")
def no_sys():
    return not os.path.exists("/sys/kernel"), "/sys"


@attempt("no control group to write")
def no_cgroup():
    return not os.access("/sys/fs/cgroup", os.W_OK), "/sys/fs/cgroup"


for directory in ("/usr/bin", "/etc", "/", "/dev", "/proc", "/run", "/var"):
    cannot_open(f"write into {directory}", directory + "/sa-probe",
                os.O_CREAT | os.O_WRONLY)


@attempt("link a program into the workspace")
def hard_link():
    os.link("/usr/bin/env", "/workspace/env")
    return False, "linked"


@attempt("a copied setuid program gains nothing")
def setuid():
    with open("/usr/bin/id", "rb") as f, open("/tmp/id", "wb") as g:
        g.write(f.read())
    os.chmod("/tmp/id", 0o4755)
    who = subprocess.run(["/tmp/id", "-u"], capture_output=True, check=True)
    return who.stdout == b"1000\n", who.stdout.decode()


@attempt("su gains nothing")
def su():
    r = subprocess.run(["/usr/bin/su", "-c", "id"], capture_output=True,
                       stdin=subprocess.DEVNULL, timeout=20, check=False)
    return r.returncode != 0, r.stderr.decode()[:60]


@attempt("make a block device")
def block():
    return False, os.mknod("/tmp/b", 0o600 | stat.S_IFBLK, os.makedev(254, 0))


@attempt("make a character device")
def character():
    return False, os.mknod("/tmp/c", 0o600 | stat.S_IFCHR, os.makedev(1, 1))


@attempt("put a link in place of its directories")
def replace_directories():
    for directory in ("/workspace", "/tmp", "/home/user", "/var/tmp"):
        try:
            os.rename(directory, directory + ".old")
        except OSError:
            continue
        return False, f"{directory} was moved"
    return True, "none was moved"


# Mounts and namespaces.
refuses("mount a tmpfs", "mount", b"none", b"/tmp", b"tmpfs", 0, None)
refuses("mount /usr writable", "mount", b"none", b"/usr", None, 32 | 4096,
        None)
refuses("unmount /proc", "umount2", b"/proc", 2)
refuses("pivot_root", "pivot_root", b"/", b"/tmp")
refuses("chroot", "chroot", b"/tmp")
refuses("fsopen", "fsopen", b"tmpfs", 0)
refuses("fsmount", "fsmount", 0, 0, 0)
refuses("open_tree", "open_tree", -100, b"/", 1)
refuses("move_mount", "move_mount", -100, b"/tmp", -100, b"/var", 0)
refuses("mount_setattr", "mount_setattr", -100, b"/", 0, None, 0)
for flag, what in ((0x10000000, "user"), (0x20000, "mount"), (0x20000000,
                   "PID"), (0x40000000, "network"), (0x8000000, "IPC"),
                   (0x4000000, "UTS"), (0x2000000, "cgroup"),
                   (0x80, "time")):
    refuses(f"unshare a {what} namespace", "unshare", flag)
refuses("clone a user namespace", "clone", 0x10000000 | 17, 0, 0, 0, 0)
refuses("clone a mount namespace", "clone", 0x20000 | 17, 0, 0, 0, 0)
refuses("clone3", "clone3", ctypes.create_string_buffer(64), 64,
        want=(errno.ENOSYS,))


@attempt("setns")
def setns():
    fd = os.open("/proc/self/ns/uts", os.O_RDONLY)
    result, why = call(NUMBERS["setns"], fd, 0)
    os.close(fd)
    return result < 0 and why == errno.EPERM, os.strerror(why)


# Other processes.
refuses("ptrace of process 1", "ptrace", 16, 1, 0, 0)
space = ctypes.create_string_buffer(8)
piece = struct.pack("PN", ctypes.addressof(space), 8)
refuses("process_vm_readv of process 1", "process_vm_readv", 1, piece, 1,
        piece, 1, ctypes.c_ulong(0))
for call_name in ("prlimit64", "sched_setaffinity", "sched_setattr",
                  "sched_setparam", "sched_setscheduler"):
    refuses(f"{call_name} of process 1", call_name, ctypes.c_ulong(1 + 2**32),
            8, ctypes.create_string_buffer(16),
            ctypes.create_string_buffer(16))
refuses("pidfd_getfd", "pidfd_getfd", 0, 0, 0)
refuses("kcmp", "kcmp", 1, 1, 0, 0, 0)


@attempt("kill process 1")
def kill_init():
    os.kill(1, signal.SIGKILL)
    return os.path.exists("/proc/1"), "it lives"


@attempt("a process of the host")
def host_process():
    os.kill(int(host_pid), 0)
    return False, "it is seen"


refuses("ptrace of a process of the host", "ptrace", 16, int(host_pid), 0, 0,
        want=(errno.EPERM, errno.ESRCH))
refuses("process_vm_readv of a process of the host", "process_vm_readv",
        int(host_pid), piece, 1, piece, 1, ctypes.c_ulong(0),
        want=(errno.EPERM, errno.ESRCH))


@attempt("few processes are seen")
def processes():
    seen = [p for p in os.listdir("/proc") if p.isdigit()]
    return len(seen) < 6, f"{len(seen)}"


@attempt("no environment of the host in /proc")
def environments():
    for p in os.listdir("/proc"):
        path = f"/proc/{p}/environ"
        if p.isdigit() and os.access(path, os.R_OK):
            with open(path, "rb") as f:
                if b"BOX_SECRET" in f.read():
                    return False, path
    return "BOX_SECRET" not in os.environ, "looked at all"


@attempt("no paths of the host in mountinfo but of shown parts")
def mountinfo():
    with open("/proc/self/mountinfo", encoding="ascii") as f:
        text = f.read()
    return "BOX_SECRET" not in text, "no secret"


# The kernel.
refuses("open_by_handle_at", "open_by_handle_at", -100, None, 0)
refuses("name_to_handle_at", "name_to_handle_at", -100, b"/", None, None, 0)
refuses("bpf", "bpf", 0, None, 0)
refuses("perf_event_open", "perf_event_open", None, 0, -1, -1, 0)
refuses("io_uring_setup", "io_uring_setup", 8,
        ctypes.create_string_buffer(120), want=(errno.ENOSYS,))
refuses("userfaultfd", "userfaultfd", 0, want=(errno.ENOSYS,))
refuses("keyctl", "keyctl", 0, -3, 0)
refuses("add_key", "add_key", b"user", b"x", b"y", 1, -3)
refuses("request_key", "request_key", b"user", b"x", None, 0)
refuses("kexec_load", "kexec_load", 0, 0, None, 0)
refuses("init_module", "init_module", None, 0, b"")
refuses("finit_module", "finit_module", 0, b"", 0)
refuses("delete_module", "delete_module", b"x", 0)
refuses("syslog", "syslog", 3, ctypes.create_string_buffer(100), 100)
refuses("clock_settime", "clock_settime", 0, struct.pack("qq", 0, 0))
refuses("sethostname", "sethostname", b"zz", 2)
refuses("setdomainname", "setdomainname", b"zz", 2)
refuses("reboot", "reboot", 0xfee1dead, 672274793, 0, None)
refuses("swapon", "swapon", b"/tmp/x", 0)
refuses("acct", "acct", b"/tmp/x")
refuses("quotactl", "quotactl", 0, None, 0, None)
refuses("memfd_secret", "memfd_secret", 0)
refuses("fanotify_init", "fanotify_init", 0, 0)
refuses("lookup_dcookie", "lookup_dcookie", 0, None, 0)
refuses("move_pages", "move_pages", 1, 0, None, None, None, 0)
refuses("personality with pages that run", "personality", 0x400000)
refuses("a call that this kernel may have", "unknown", want=(errno.ENOSYS,))
if platform.machine() == "x86_64":
    @attempt("a call of x32")
    def x32():
        result, why = call(0x40000000 + 39)
        return result is None or (result < 0 and why == errno.ENOSYS), why

    @attempt("a call of i386")
    def i386():
        code = mmap.mmap(-1, 4096, prot=7)
        # mov $20, %eax; int $0x80; ret: getpid
        code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
        at = ctypes.addressof(ctypes.c_char.from_buffer(code))
        pid = os.fork()
        if pid == 0:
            os._exit(ctypes.CFUNCTYPE(ctypes.c_int)(at)() >= 0)
        status = os.waitpid(pid, 0)[1]
        return status != 256, f"status {status}"


@attempt("TIOCSTI")
def sti():
    fcntl.ioctl(0, 0x5412, b"\n")
    return False, "typed"


for request in (0x5412, 0x541c, 0x100005412):
    refuses(f"ioctl {request:#x} as 64 bits", "ioctl", 0,
            ctypes.c_ulong(request), b"\n")


@attempt("no terminal")
def terminal():
    os.open("/dev/tty", os.O_RDWR)
    return False, "opened"


# Sockets.
for family, kind, protocol, what in (
        (40, 1, 0, "VSOCK"), (38, 5, 0, "ALG"), (17, 3, 0, "PACKET"),
        (44, 3, 0, "XDP"), (31, 1, 0, "BLUETOOTH"), (29, 2, 1, "CAN"),
        (30, 1, 0, "TIPC"), (16, 3, 4, "netlink SOCK_DIAG"),
        (16, 3, 6, "netlink XFRM"), (16, 3, 9, "netlink AUDIT"),
        (16, 3, 12, "netlink NETFILTER"), (16, 3, 15, "netlink UEVENT"),
        (16, 3, 16, "netlink GENERIC")):
    refuses(f"a socket of {what}", "socket", family, kind, protocol,
            want=(errno.EAFNOSUPPORT,))
refuses("a socket of VSOCK by its low half", "socket",
        ctypes.c_ulong(0x100000028), 1, 0, want=(errno.EAFNOSUPPORT,))


@attempt("a raw socket")
def raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    return False, "made"


@attempt("an ICMP socket")
def icmp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).connect(("1.1.1.1", 0))
    return False, "made"


def cannot_reach(name, family, address, kind=socket.SOCK_STREAM):
    @attempt(name)
    def run():
        s = socket.socket(family, kind)
        s.settimeout(5)
        s.connect(address)
        if kind == socket.SOCK_DGRAM:
            s.send(b"x")
        return False, "connected"


cannot_reach("the host's loopback", socket.AF_INET,
             ("127.0.0.1", int(port)))
cannot_reach("the metadata service", socket.AF_INET, ("169.254.169.254", 80))
cannot_reach("the Internet", socket.AF_INET, ("1.1.1.1", 443))
cannot_reach("the local network", socket.AF_INET, ("192.168.0.1", 80))
cannot_reach("the Internet by IPv6", socket.AF_INET6,
             ("2606:4700:4700::1111", 443))
cannot_reach("a name server", socket.AF_INET, ("8.8.8.8", 53),
             socket.SOCK_DGRAM)
cannot_reach("an abstract socket of the host", socket.AF_UNIX,
             "\0" + abstract)
cannot_reach("a socket in a directory of the host", socket.AF_UNIX,
             named or "/none")
cannot_reach("the container daemon", socket.AF_UNIX, "/run/docker.sock")


# What this process is.
def status(field):
    with open("/proc/self/status", encoding="utf-8") as f:
        for line in f:
            if line.startswith(field + ":"):
                return line.split()[1]
    return ""


for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    @attempt(f"{field} is empty")
    def capabilities(field=field):
        return int(status(field), 16) == 0, status(field)


@attempt("no new privileges")
def no_new_privileges():
    return status("NoNewPrivs") == "1", status("NoNewPrivs")


@attempt("the filter is on")
def filtered():
    return status("Seccomp") == "2", status("Seccomp")


@attempt("the id is not the host's root")
def ids():
    with open("/proc/self/uid_map", encoding="ascii") as f:
        inside, outside, count = f.read().split()
    fine = inside == "1000" and count == "1" and outside != "0"
    if host_uid not in ("", "0"):
        fine = fine and outside == host_uid
    return fine, outside


@attempt("no group of the host's root")
def groups():
    return os.getgid() == 1000 and 0 not in os.getgroups(), os.getgroups()


@attempt("no descriptors of the host")
def descriptors():
    found = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            where = os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            continue
        if int(fd) > 2 and not where.startswith("/proc/"):
            found.append(where)
    return not found, str(found)


@attempt("the way out through a descriptor")
def way_out():
    return not os.path.exists("/proc/self/fd/200/../../etc/shadow"), "none"


@attempt("standard input is not what the caller has")
def standard_input():
    return stat.S_ISFIFO(os.fstat(0).st_mode), "a pipe of its own"


@attempt("the working directory is the sandbox's")
def directory():
    return os.getcwd() == "/workspace", os.getcwd()


def main():
    if counting:
        print(len(tries))
        return
    os.symlink(marker, "/tmp/link")
    for name, function in tries:
        try:
            contained, why = function()
        except OSError as e:
            contained, why = True, e.strerror
        why = str(why).replace("\n", " ").replace("|", " ")
        print("contained" if contained else "OPEN", name, why, sep="|")


main()
