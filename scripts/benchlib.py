# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""What the rows of scripts/bench measure with."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv[1])
DEVNULL = os.open(os.devnull, os.O_RDWR)


def run_time(argv, env):
    """Seconds from the start of argv to its end; its status must be 0."""
    actions = [(os.POSIX_SPAWN_DUP2, DEVNULL, fd) for fd in (0, 1)]
    begin = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    took = time.perf_counter() - begin
    if status != 0:
        sys.exit("bench: %s: exit status %d" % (" ".join(argv[:3]), status))
    return took


def pair(ours, other, env, rounds):
    """Medians of both, run in turns: A B, B A, A B, ..."""
    times = ([], [])
    for turn in range(rounds + 2):
        order = (0, 1) if turn % 2 == 0 else (1, 0)
        for which in order:
            took = run_time((ours, other)[which], env)
            if turn >= 2:  # the first ones fill the caches
                times[which].append(took)
    return statistics.median(times[0]), statistics.median(times[1])


def tool(name):
    return os.path.join(BUILD, name)


class Store:
    """A data directory with a fake spark-submit, removed at the end."""

    def __init__(self, real_spark=False):
        self.dir = tempfile.mkdtemp(prefix="sa-bench-")
        self.data = os.path.join(self.dir, "data")
        self.env = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("SA_", "SPARK_EXECUTOR_"))
        }
        self.env["SPARK_EXECUTOR_DATA_DIR"] = self.data
        self.env["SPARK_LOCAL_IP"] = "127.0.0.1"
        self.env["PATH"] = BUILD + ":" + self.env["PATH"]
        if not real_spark:
            self.fake_spark()

    def fake_spark(self):
        home = os.path.join(self.dir, "spark")
        java = os.path.join(self.dir, "java")
        os.makedirs(os.path.join(home, "bin"))
        os.makedirs(os.path.join(java, "bin"))
        shutil.copy(
            tool("t/fake-spark-submit"), os.path.join(home, "bin/spark-submit")
        )
        path = os.path.join(java, "bin/java")
        with open(path, "w") as f:
            f.write("#!/bin/sh\necho 'openjdk version \"17.0.15\"' >&2\n")
        os.chmod(path, 0o755)
        self.env["SPARK_HOME"] = home
        self.env["JAVA_HOME"] = java
        self.env.pop("PYSPARK_PYTHON", None)

    def sa(self, *argv, stdin=b"", status=0):
        done = subprocess.run(
            [tool(argv[0]), *argv[1:]],
            input=stdin,
            env=self.env,
            cwd=self.dir,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode != status:
            sys.stderr.buffer.write(done.stderr)
            sys.exit("bench: %s: exit status %d" % (argv, done.returncode))
        return done.stdout

    def prepare(self, script):
        self.sa("sa-conn", "save", "bench", "--master", "local[2]")
        job_file = self.sa("sa-genjob", stdin=script.encode())
        return self.sa("sa-prepare", "-c", "bench", stdin=job_file)

    def submit(self, script):
        pending = self.prepare(script)
        job = json.loads(self.sa("sa-confirm", "--yes", stdin=pending))
        return job["job_id"], os.path.join(self.data, "runs", job["job_id"])

    def close(self):
        shutil.rmtree(self.dir)


def ms(seconds):
    return "%.2f ms" % (seconds * 1e3)


def mib(size):
    return "%.1f MiB" % (size / 2**20)


def private(pid):
    total = 0
    with open("/proc/%d/smaps_rollup" % pid) as f:
        for line in f:
            if line.startswith(("Private_Clean:", "Private_Dirty:")):
                total += int(line.split()[1]) * 1024
    return total


def children(pid):
    found = [pid]
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % name) as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found += children(int(name))
    return found
