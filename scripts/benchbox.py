# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""The rows of scripts/bench that are about sa-sandbox."""
import json
import os
import shutil
import subprocess
import sys
import time

from benchlib import DEVNULL, Store, mib, ms, pair, private, run_time, tool

NOBODY = 65534
GIB = 2**30


class BoxStore(Store):
    """A store whose commands another user can run too."""

    def __init__(self):
        super().__init__()
        os.chmod(self.dir, 0o755)
        self.env["HOME"] = self.dir
        self.env.pop("XDG_CONFIG_HOME", None)
        self.sandbox = os.path.join(self.dir, "sa-sandbox")
        shutil.copy(tool("sa-sandbox"), self.sandbox)
        for name in ("bwrap", "data"):
            os.mkdir(os.path.join(self.dir, name))
        for name in ("workspace", "home", "tmp", "vartmp"):
            os.mkdir(os.path.join(self.dir, "bwrap", name))

    def give_away(self):
        for base, dirs, _ in os.walk(self.dir):
            for name in [base] + [os.path.join(base, d) for d in dirs]:
                os.chown(name, NOBODY, NOBODY)

    def make(self, *argv):
        """The name of a new sandbox, in which the command has run."""
        record = json.loads(self.sa("sa-sandbox", "create"))
        name = record["sandbox"]
        if argv:
            self.sa("sa-sandbox", "exec", "--in", name, "--", *argv)
        return name


def seen_inside(store):
    """The paths of /etc that a sandbox has of the host."""
    mounts = store.sa("sa-sandbox", "exec", "-i", "--", "cat", "/proc/mounts")
    paths = [line.split()[1] for line in mounts.decode().splitlines()]
    return sorted(p for p in paths if p.startswith("/etc/"))


def bubblewrap(store):
    """Its command with the same view: what is read only, /proc, /dev, and the
    same directories to write in, that are there already."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None
    argv = [bwrap, "--unshare-all", "--cap-drop", "ALL", "--new-session"]
    argv += ["--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib32", "lib64", "libx32", "sbin"):
        if os.path.islink("/" + name):
            argv += ["--symlink", os.readlink("/" + name), "/" + name]
    for path in seen_inside(store):
        argv += ["--ro-bind", path, path]
    argv += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run"]
    for name, at in (
        ("workspace", "/workspace"), ("home", "/home/user"),
        ("tmp", "/tmp"), ("vartmp", "/var/tmp"),
    ):
        argv += ["--bind", os.path.join(store.dir, "bwrap", name), at]
    return argv + ["--chdir", "/workspace", "/bin/true"]


NO_BUBBLEWRAP = "there is no bubblewrap"


def as_nobody(measure):
    """What measure gives to another user, for whom root runs it."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        os.write(into, json.dumps(measure()).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as f:
        text = f.read()
    if os.waitpid(pid, 0)[1] != 0 or not text:
        sys.exit("bench: nothing was measured as another user")
    return json.loads(text)


def against_bubblewrap(title, *how, nobody=False, left=()):
    """A row: the command in a sandbox, made for it unless how says so."""
    store = BoxStore()
    other = bubblewrap(store)
    if other is None:
        store.close()
        return NO_BUBBLEWRAP
    ours = [store.sandbox, "exec"]
    if how:
        ours += ["--in", store.make(*left)]
    ours += ["--", "/bin/true"]
    if nobody:
        store.give_away()
        times = as_nobody(lambda: pair(ours, other, store.env, 200))
    else:
        times = pair(ours, other, store.env, 200)
    if how:
        store.sa("sa-sandbox", "destroy", ours[3])
    store.close()
    return (
        "sa-sandbox exec /bin/true%s, against bubblewrap" % title,
        ms(times[0]), ms(times[1]), times[0] / times[1], "at most", 0.75,
    )


def row_box():
    return against_bubblewrap("")


def row_boxuser():
    if os.geteuid() != 0:
        return "only root can be another user; the row box was for this one"
    return against_bubblewrap(" (uid %d)" % NOBODY, nobody=True)


def row_boxin():
    return against_bubblewrap(" --in one that stands", "--in")


def row_boxheld():
    left = ("sh", "-c", "sleep 1000 &")
    return against_bubblewrap(" beside what runs", "--in", left=left)


def row_boxsrt(rounds=20):
    node, srt = os.environ.get("SRT_NODE"), os.environ.get("SRT")
    if not srt:
        return "Anthropic's sandbox-runtime is not to be had"
    store = BoxStore()
    settings = os.path.join(store.dir, "srt.json")
    with open(settings, "w") as f:
        json.dump(
            {
                "network": {"allowedDomains": [], "deniedDomains": []},
                "filesystem": {
                    "denyRead": [], "allowWrite": ["."], "denyWrite": [],
                },
            },
            f,
        )
    env = dict(store.env, TMPDIR=store.dir)
    here = os.getcwd()
    os.chdir(os.path.join(store.dir, "bwrap"))
    slow, fast = pair(
        [node, srt, "--settings", settings, "/bin/true"],
        [store.sandbox, "exec", "--", "/bin/true"],
        env, rounds,
    )
    os.chdir(here)
    store.close()
    return (
        "srt /bin/true, against sa-sandbox exec",
        ms(slow), ms(fast), slow / fast, "at least", 30,
    )


def output_rates(command, size):
    """Megabytes a second of it, through a sandbox and through cat."""
    store = BoxStore()
    both = (
        [store.sandbox, "exec", "--", "/bin/sh", "-c", command],
        ["/bin/sh", "-c", "{ %s; } | cat" % command],
    )
    best = [0, 0]
    for turn in range(2):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            took = run_time(both[which], store.env)
            best[which] = max(best[which], size / took / 1e6)
    store.close()
    return best


def row_boxout(size=5 * GIB):
    ours, other = output_rates("head -c %d /dev/zero" % size, size)
    return (
        "zeros, %s, through a sandbox, and through cat" % mib(size),
        "%d MB/s" % ours, "%d MB/s" % other, ours, "MB/s, at least", 500,
    )


def row_boxlines(size=5 * GIB):
    ours, other = output_rates("yes 2>/dev/null | head -c %d" % size, size)
    return (
        "lines, %s, through a sandbox, and through cat" % mib(size),
        "%d MB/s" % ours, "%d MB/s" % other, ours / other, "at least", 0.75,
    )


def peak_private(argv, env):
    """The most private memory of a command of ours, with init's."""
    actions = [(os.POSIX_SPAWN_DUP2, DEVNULL, fd) for fd in (0, 1)]
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    most = 0
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        try:
            with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
                init = [int(child) for child in f.read().split()[:1]]
            most = max(most, sum(private(p) for p in [pid] + init))
        except (OSError, ValueError):
            pass
        time.sleep(0.02)
    return most


def row_boxmemory():
    store = BoxStore()
    flood = "cat /dev/zero & exec cat /dev/zero >&2"
    argv = [store.sandbox, "exec", "--json", "-t", "3", "--", "sh", "-c"]
    most = peak_private(argv + [flood], store.env)
    store.close()
    return (
        "private memory as a command floods both streams",
        mib(most), "", most / 2**20, "MiB, at most", 4,
    )


def kernel_memory():
    names = ("Slab", "KernelStack", "PageTables", "Percpu")
    with open("/proc/meminfo") as f:
        lines = dict(line.split(":") for line in f)
    return sum(int(lines[n].split()[0]) << 10 for n in names if n in lines)


def growth(start, count):
    """Bytes of the kernel for each thing that is started."""
    before = kernel_memory()
    for _ in range(count):
        start()
    time.sleep(2)  # what the starts left goes
    return (kernel_memory() - before) / count


def inits():
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/comm" % name) as f:
                if f.read() == "sandbox-init\n":
                    found.add(int(name))
        except OSError:
            pass  # it ended
    return found


def private_or_none(pid):
    try:
        return private(pid)
    except OSError:
        return None  # another's, that ended


def row_boxidle(count=50):
    """A holder is there as long as something runs: less what that takes."""
    store = BoxStore()
    boxes, sleepers, others = [], [], inits()
    held = growth(
        lambda: boxes.append(store.make("sh", "-c", "sleep 1000 &")), count
    )
    own = [size for size in map(private_or_none, inits() - others) if size]
    store.sa("sa-sandbox", "destroy", *boxes)
    time.sleep(2)
    alone = growth(
        lambda: sleepers.append(
            subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
        ),
        count,
    )
    for sleeper in sleepers:
        sleeper.kill()
        sleeper.wait()
    store.close()
    user = sum(own) / len(own)
    size = user + held - alone
    return (
        "an idle holder, with the kernel's part, and without",
        mib(size), mib(user), size / 1e6, "MB, at most", 0.4,
    )


def row_boxmany(count=50):
    store = BoxStore()
    argv = [store.sandbox, "exec", "--", "/bin/true"]
    alone = run_time(argv, store.env)
    actions = [(os.POSIX_SPAWN_DUP2, DEVNULL, fd) for fd in (0, 1)]
    rates = []
    for _ in range(5):
        alone = min(alone, run_time(argv, store.env))
        begin = time.perf_counter()
        pids = [
            os.posix_spawn(argv[0], argv, store.env, file_actions=actions)
            for _ in range(count)
        ]
        if any([os.waitpid(pid, 0)[1] for pid in pids]):
            sys.exit("bench: of sandboxes at once one failed")
        rates.append(count / (time.perf_counter() - begin))
    store.close()
    return (
        "sandboxes a second, %d at once, and one after the other" % count,
        "%d" % max(rates), "%d" % (1 / alone), max(rates) * alone,
        "at least", 0.75,
    )


BOX_ROWS = {
    "box": row_box,
    "boxuser": row_boxuser,
    "boxin": row_boxin,
    "boxheld": row_boxheld,
    "boxsrt": row_boxsrt,
    "boxout": row_boxout,
    "boxlines": row_boxlines,
    "boxmemory": row_boxmemory,
    "boxidle": row_boxidle,
    "boxmany": row_boxmany,
}
