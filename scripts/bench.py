# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""The rows of scripts/bench; see there."""
import ast
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from benchbox import BOX_ROWS
from benchlib import (
    DEVNULL, TOP, Store, children, mib, ms, pair, private, run_time, tool,
)


def row_start():
    store = Store()
    os.mkdir(store.data)
    ours, other = pair(
        [tool("sa-conn"), "list"], ["/bin/true"], store.env, 500
    )
    store.close()
    return (
        "sa-conn list, empty store, against /bin/true",
        ms(ours), ms(other), ours / other, "at most", 2.5,
    )


def row_list(count=10000):
    store = Store()
    store.prepare("print(1)\n")
    base = os.path.join(store.data, "pending")
    first = next(n for n in os.listdir(base) if n.startswith("p_"))
    path = os.path.join(base, first, "record.json")
    with open(path) as f:
        record = json.load(f)
    files = [path]
    for i in range(count - 1):
        record["pending_id"] = "p_20260101T%06d_%06x" % (i % 240000, i)
        entry = os.path.join(base, record["pending_id"])
        os.mkdir(entry)
        files.append(os.path.join(entry, "record.json"))
        with open(files[-1], "w") as f:
            json.dump(record, f, separators=(",", ":"))
            f.write("\n")
    listing = store.sa("sa-prepare", "list", "-n", str(count), "--jsonl")
    if listing.count(b"\n") != count:
        sys.exit("bench: the listing has %d items" % listing.count(b"\n"))
    ours, other = pair(
        [tool("sa-prepare"), "list", "-n", str(count)],
        [shutil.which("jq"), "-c", ".", *files],
        store.env,
        5,
    )
    store.close()
    return (
        "jq -c . of %d pendings, against sa-prepare list" % count,
        ms(other), ms(ours), other / ours, "at least", 5,
    )


def row_memory():
    real = "PYSPARK_PYTHON" in os.environ
    store = Store(real_spark=real)
    if real:
        script = (
            "import time\nfrom pyspark.sql import SparkSession\n"
            "spark = SparkSession.builder.getOrCreate()\n"
            "print(spark.range(1000).count(), flush=True)\ntime.sleep(600)\n"
        )
    else:
        script = "# fake: say 1000\n# fake: sleep 600\n"
    job, run = store.submit(script)
    out = os.path.join(run, "stdout")
    limit = time.monotonic() + 120
    while not os.path.exists(out) or os.path.getsize(out) == 0:
        if time.monotonic() > limit:
            sys.exit("bench: the driver printed nothing in two minutes")
        time.sleep(0.1)
    with open(os.path.join(run, "exec.json")) as f:
        driver = json.load(f)["pid"]
    with open("/proc/%d/stat" % driver) as f:
        supervise = int(f.read().rpartition(")")[2].split()[1])
    ours = private(supervise)
    other = sum(private(pid) for pid in children(driver))
    store.sa("sa-yarn", "kill", job)
    store.sa("sa-yarn", "wait", job, status=1)
    store.close()
    return (
        "private memory of sa-supervise, against %s"
        % ("Spark's driver" if real else "the fake driver"),
        mib(ours), mib(other), ours / 2**20, "MiB, at most", 2,
    )


class Cluster:
    """A store with jobs on a cluster that t/fake-yarn.py plays."""

    def __init__(self, count):
        self.store = Store()
        self.path = os.path.join(self.store.dir, "scenario")
        self.log = os.path.join(self.store.dir, "requests")
        self.put({"rms": [{}]})
        self.server = subprocess.Popen(
            [sys.executable, os.path.join(TOP, "t/fake-yarn.py"), "--parent",
             str(os.getpid()), "--log", self.log, self.path],
            stdout=subprocess.PIPE,
        )
        self.ports = json.loads(self.server.stdout.readline())
        self.url = "http://127.0.0.1:%d" % self.ports["rm"][0]
        os.makedirs(os.path.join(self.store.data, "runs"))
        with open(os.path.join(self.store.data, "store-id"), "w") as f:
            f.write("0123456789ab\n")
        self.jobs = ["j_20261129T101502_%06x" % n for n in range(count)]
        self.put({"rms": [{}], "apps": [self.run(j) for j in self.jobs]})

    def put(self, scenario):
        with open(self.path + ".new", "w") as f:
            json.dump(scenario, f)
        os.rename(self.path + ".new", self.path)

    def run(self, job):
        """A job that its cluster runs; gives its application."""
        run = os.path.join(self.store.data, "runs", job)
        app = "application_1700000000000_%04d" % int(job[-6:], 16)
        record = {
            "v": 1, "type": "job", "job_id": job, "master": "yarn",
            "deploy_mode": "cluster", "state": "RUNNING",
            "application_id": app, "tag": "sa-" + job.lower(),
            "yarn_rm_url": self.url, "name": "sales", "connection": "dev",
        }
        mark = {
            "host": "elsewhere", "boot_id": "x", "pid": 2, "pgid": 2,
            "start_ticks": 1, "at": "2026-11-29T10:15:03Z",
        }
        done = {"exit_code": 0, "signal": None, "at": mark["at"]}
        os.mkdir(run)
        for name, value in (
            ("record.json", record), ("exec.json", mark), ("exit.json", done)
        ):
            with open(os.path.join(run, name), "w") as f:
                json.dump(value, f, separators=(",", ":"))
        return {
            "id": app, "state": "RUNNING",
            "applicationTags": record["tag"] + ",sa-s-0123456789ab",
        }

    def requests(self):
        if not os.path.exists(self.log):
            return 0
        with open(self.log) as f:
            return len(f.readlines())

    def close(self):
        self.server.kill()
        self.server.wait()
        self.store.close()


def row_jobs(count=1000):
    cluster = Cluster(count)
    listed = json.loads(cluster.store.sa("sa-yarn", "list"))["items"]
    requests = cluster.requests()
    cluster.close()
    seen = sum(item["yarn_state"] == "RUNNING" for item in listed)
    if seen != count:
        sys.exit("bench: %d of %d jobs were seen to run" % (seen, count))
    return (
        "requests for the state of %d jobs on YARN" % count,
        str(requests), "-", requests, "at most", 3,
    )


def waiting_memory(cluster, jobs):
    """Private memory of a wait that has asked twice."""
    before = cluster.requests()
    wait = subprocess.Popen(
        [tool("sa-yarn"), "wait", *jobs], env=cluster.store.env,
        stdout=subprocess.DEVNULL,
    )
    limit = time.monotonic() + 120
    while cluster.requests() < before + 4:
        if time.monotonic() > limit:
            sys.exit("bench: sa-yarn wait asks nothing")
        time.sleep(0.1)
    size = private(wait.pid)
    wait.kill()
    wait.wait()
    return size


def row_wait(count=100):
    cluster = Cluster(count)
    one = waiting_memory(cluster, cluster.jobs[:1])
    all_of_them = waiting_memory(cluster, cluster.jobs)
    cluster.close()
    each = (all_of_them - one) / (count - 1)
    return (
        "private memory of a wait on %d jobs, and on one" % count,
        mib(all_of_them), mib(one), each / 2**20, "MiB a job, at most", 0.1,
    )


def row_output():
    store = Store()
    size = 5 * 2**30
    job, run = store.submit("# fake: print 5G\n")
    most = 0
    while not os.path.exists(os.path.join(run, "exit.json")):
        most = max(most, sum(e.stat().st_blocks * 512 for e in os.scandir(run)))
        time.sleep(0.05)
    store.sa("sa-yarn", "wait", job)
    most = max(most, sum(e.stat().st_blocks * 512 for e in os.scandir(run)))
    kept = {
        item["key"]: item["value"]
        for item in json.loads(store.sa("sa-conn", "config", "--json"))["items"]
    }
    cap = 2 * int(kept["output_max"])
    store.close()
    return (
        "run directory at its largest, %s printed, against its cap"
        % mib(size),
        mib(most), mib(cap), most / cap, "at most", 1,
    )


LOG = 1 << 30
LOG_MEMORY = 16000000


class LongLog(Cluster):
    """One job whose driver left a long log on the log server."""

    def __init__(self):
        super().__init__(1)
        container = "container_1700000000000_0000_01_000001"
        self.url = "http://127.0.0.1:%d/ws/v1/history/containerlogs/%s/stdout" \
            % (self.ports["jhs"], container)
        self.put({
            "apps": [{"id": "application_1700000000000_0000",
                      "state": "FINISHED", "finalStatus": "SUCCEEDED",
                      "logAggregationStatus": "SUCCEEDED"}],
            "conf": {"yarn.log.server.web-service.url":
                     "http://{jhs}/ws/v1/history"},
            "logs": {container: {"stdout": {"lines": LOG // 63 + 1}}},
        })


def peak(argv, env):
    """The most memory that argv had, shared libraries included."""
    most = 0
    with subprocess.Popen(argv, env=env) as process:
        while process.poll() is None:
            try:
                with open("/proc/%d/status" % process.pid) as f:
                    most = max([most] + [int(line.split()[1]) << 10
                                         for line in f
                                         if line.startswith("VmHWM:")])
            except (FileNotFoundError, ProcessLookupError):
                pass
            time.sleep(0.01)
    if process.returncode != 0:
        sys.exit("bench: %s: failed" % " ".join(argv[:3]))
    return most


def log_commands(yarn):
    out = os.path.join(yarn.store.dir, "out")
    # the file is on the disk when ours is through
    return (
        [tool("sa-yarn"), "logs", "-o", out, "--max-bytes", str(LOG * 2),
         yarn.jobs[0]],
        ["/bin/sh", "-c", 'curl -s -o "$0" "$1" && exec sync "$0"', out,
         yarn.url],
    )


def row_log():
    yarn = LongLog()
    commands = log_commands(yarn)
    times = ([], [])
    for turn in range(3):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            times[which].append(run_time(commands[which], yarn.store.env))
    yarn.close()
    ours, other = (statistics.median(t) for t in times)
    return (
        "sa-yarn logs -o, 1 GiB, against curl -o and sync",
        ms(ours), ms(other), ours / other, "at most", 1.25,
    )


def row_logmemory():
    yarn = LongLog()
    used = peak(log_commands(yarn)[0], yarn.store.env)
    yarn.close()
    return (
        "sa-yarn logs -o, 1 GiB: memory, against its bound",
        mib(used), mib(LOG_MEMORY), used / LOG_MEMORY, "at most", 1,
    )


def guard(*argv):
    """Lines of t/bench-guard, split; see there."""
    done = subprocess.run(
        [tool("t/bench-guard"), *argv], stdout=subprocess.PIPE, check=False
    )
    if done.returncode != 0:
        sys.exit("bench: bench-guard: exit status %d" % done.returncode)
    return [line.split("\t") for line in done.stdout.decode().splitlines()]


def statements():
    path = os.path.join(TOP, "t/data/sql-spark-tests.tsv")
    with open(path, encoding="utf-8") as f:
        return [
            json.loads(line.rsplit("\t", 1)[1])
            for line in f
            if line.strip() and not line.startswith("#")
        ]


def guard_sql(texts):
    with tempfile.NamedTemporaryFile() as f:
        f.write("".join(t + "\0" for t in texts).encode())
        f.flush()
        return float(guard("sql", f.name)[0][1])


def guard_python():
    """Megabytes a second, and the files: scripts of Spark's own, or Python's
    library where there is no Spark."""
    home = os.environ.get("SPARK_HOME", "")
    top = os.path.dirname(os.__file__)
    if home:
        top = os.path.join(home, "examples")
    files = []
    for base, dirs, names in os.walk(top):
        dirs[:] = [d for d in dirs if d not in ("site-packages", "test")]
        files += [os.path.join(base, n) for n in names if n.endswith(".py")]
    files = sorted(f for f in files if 0 < os.path.getsize(f) < 2**20)[:200]
    return float(guard("python", *files)[0][1]), files


def mb(rate):
    return "%.2f MB/s" % rate


def rate_of(texts, work, rounds=1):
    """Megabytes of texts a second of processor time that work() takes, in
    the best of the rounds, as bench-guard counts its own."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        for text in texts:
            work(text)
        best = min(best, time.process_time() - begin)
    return sum(len(t.encode()) for t in texts) / best / 1e6


def row_sql():
    ours = guard_sql(statements())
    return (
        "SQL of Spark's own tests, judged in one thread",
        mb(ours), "", ours, "at least", 100,
    )


def row_sqlparse():
    try:
        import sqlparse
    except ImportError:
        return None
    texts = statements()
    other = rate_of(
        texts[::10], lambda t: [s.get_type() for s in sqlparse.parse(t)]
    )
    ours = guard_sql(texts)
    return (
        "the same, against sqlparse %s" % sqlparse.__version__,
        mb(ours), mb(other), ours / other, "at least", 800,
    )


def row_python():
    ours, _ = guard_python()
    return (
        "Python sources, judged in one thread",
        mb(ours), "", ours, "at least", 40,
    )


def row_ast():
    """Ours is the whole guard (words, tree, values, verdict and report), the
    other CPython from text to tree alone, both on the same texts in memory."""
    ours, files = guard_python()
    texts = []
    for name in files:
        with open(name, encoding="utf-8", errors="replace") as f:
            texts.append(f.read())
    other = rate_of(texts, compile_ast, rounds=5)
    return (
        "the same, to a verdict, against CPython's ast.parse to a tree",
        mb(ours), mb(other), ours / other, "at least", 10,
    )


def compile_ast(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        pass


# Shapes whose time per byte must not grow; the others are listed for memory.
EVEN = (
    "python (", "python {", "python '", 'python """', "python names", "sql (",
    "sql /*", "sql '", "sql +",
)


def row_even():
    shapes = guard("shapes", *EVEN)
    name, small, large, ratio, _ = max(shapes, key=lambda s: float(s[3]))
    return (
        "time a byte of 1 MiB of '%s', against 10 KB" % name,
        large + " ns", small + " ns", float(ratio), "at most", 1.3,
    )


def row_room():
    name, *_, size = max(guard("shapes"), key=lambda s: float(s[4]))
    return (
        "memory for 1 MiB of '%s'" % name,
        size + " MiB", "", float(size), "MiB, at most", 32,
    )


class Mcp:
    """A server on stdin and stdout that was asked for its tools."""

    LIST = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'
        b'"protocolVersion":"2025-11-25","capabilities":{},'
        b'"clientInfo":{"name":"bench","version":"1"}}}\n'
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
    )
    PING = b'{"jsonrpc":"2.0","id":3,"method":"ping"}\n'
    CALL = (
        b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":'
        b'{"name":"list_connections","arguments":{}}}\n'
    )

    def __init__(self, argv, env):
        self.rest = b""
        begin = time.perf_counter()
        self.process = Piped(argv, env)
        self.ask(self.LIST)
        self.tools = json.loads(self.line())["result"]["tools"]
        self.took = time.perf_counter() - begin

    def line(self):
        while b"\n" not in self.rest:
            got = os.read(self.process.out, 1 << 20)
            if not got:
                sys.exit("bench: a server of MCP has ended")
            self.rest += got
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def ask(self, message):
        os.write(self.process.into, message)
        return self.line()

    def close(self):
        self.process.wait()


class Piped:
    """A process with its stdin and stdout in our hands."""

    def __init__(self, argv, env):
        theirs, self.into = os.pipe()
        self.out, other = os.pipe()
        actions = [
            (os.POSIX_SPAWN_DUP2, theirs, 0),
            (os.POSIX_SPAWN_DUP2, other, 1),
            (os.POSIX_SPAWN_DUP2, DEVNULL, 2),
        ]
        self.pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
        os.close(theirs)
        os.close(other)

    def wait(self):
        os.close(self.into)
        while os.read(self.out, 1 << 20):
            pass
        os.close(self.out)
        os.waitpid(self.pid, 0)


def mcp_servers(store):
    """The commands of ours, and of FastMCP with the same tools where there is
    one."""
    python = os.environ.get("MCP_PYTHON2")
    catalogue = os.path.join(TOP, "lib/mcp/tools.json")
    script = os.path.join(TOP, "scripts/bench-fastmcp.py")
    store.sa("sa-conn", "save", "bench", "--master", "local[2]")
    return [tool("sa-mcp")], python and [python, script, catalogue]


def row_mcp():
    store = Store()
    ours, other = mcp_servers(store)
    if other is None:
        store.close()
        return None
    times, names = ([], []), []
    for turn in range(8):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            server = Mcp((ours, other)[which], store.env)
            server.close()
            names.append([t["name"] for t in server.tools])
            if turn >= 2:
                times[which].append(server.took)
    store.close()
    if names.count(names[0]) != len(names):
        sys.exit("bench: FastMCP has other tools")
    fast, slow = (statistics.median(t) for t in times)
    return (
        "FastMCP from its start to its list of tools, against sa-mcp",
        ms(slow), ms(fast), slow / fast, "at least", 150,
    )


def row_mcptrue():
    store = Store()
    ours, _ = mcp_servers(store)
    times = ([], [])
    for turn in range(300):
        server = Mcp(ours, store.env)
        server.close()
        times[0].append(server.took)
        times[1].append(run_time(["/bin/true"], store.env))
    store.close()
    fast, least = (statistics.median(t[2:]) for t in times)
    return (
        "sa-mcp from its start to its list of tools, against /bin/true",
        ms(fast), ms(least), fast / least, "at most", 4,
    )


def run_request(store):
    """Seconds for the command that sa-mcp runs for Mcp.CALL."""
    begin = time.perf_counter()
    process = Piped(
        [tool("sa-conn"), "list", "--limit", "25", "--request"],
        dict(store.env, SA_ORIGIN="agent"),
    )
    os.write(process.into, b"{}")
    process.wait()
    return time.perf_counter() - begin


def row_mcpcall():
    store = Store()
    server = Mcp(mcp_servers(store)[0], store.env)
    times = ([], [])
    for _ in range(500):
        begin = time.perf_counter()
        answer = server.ask(server.CALL)
        times[0].append(time.perf_counter() - begin)
        times[1].append(run_request(store))
    server.close()
    store.close()
    if b'"structuredContent"' not in answer:
        sys.exit("bench: the tool fails: %r" % answer[:200])
    through, itself = (statistics.median(t) for t in times)
    return (
        "a call of a tool of sa-mcp, and its command by itself",
        ms(through), ms(itself), (through - itself) * 1e3, "ms, at most", 1,
    )


def row_mcpmemory():
    store = Store()
    sizes = []
    for argv in mcp_servers(store):
        if argv is None:
            continue
        server = Mcp(argv, store.env)
        time.sleep(0.5)
        sizes.append(sum(private(p) for p in children(server.process.pid)))
        server.close()
    store.close()
    return (
        "private memory of an idle sa-mcp, and of FastMCP",
        mib(sizes[0]), mib(sizes[1]) if len(sizes) > 1 else "-",
        sizes[0] / 2**20, "MiB, at most", 1,
    )


def row_mcpping(count=20000):
    store = Store()
    server = Mcp(mcp_servers(store)[0], store.env)
    best = 0
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(count):
            server.ask(server.PING)
        best = max(best, count / (time.perf_counter() - begin))
    server.close()
    store.close()
    return (
        "pings of sa-mcp a second, one after the other",
        "%d" % best, "", best, "at least", 20000,
    )


ROWS = {
    "start": row_start,
    "list": row_list,
    "memory": row_memory,
    "output": row_output,
    "jobs": row_jobs,
    "wait": row_wait,
    "log": row_log,
    "logmemory": row_logmemory,
    "sql": row_sql,
    "sqlparse": row_sqlparse,
    "python": row_python,
    "ast": row_ast,
    "even": row_even,
    "room": row_room,
    "mcp": row_mcp,
    "mcptrue": row_mcptrue,
    "mcpcall": row_mcpcall,
    "mcpmemory": row_mcpmemory,
    "mcpping": row_mcpping,
    **BOX_ROWS,
}


def main():
    names = sys.argv[2:] or list(ROWS)
    print("%-62s %12s %12s %8s" % ("", "", "", "ratio"))
    for name in names:
        if name not in ROWS:
            sys.exit("bench: no row %r; there are: %s" % (name, " ".join(ROWS)))
        row = ROWS[name]()
        if row is None:
            print("%-62s skipped: its module is not to be had" % name)
            continue
        if isinstance(row, str):
            print("%-62s skipped: %s" % (name, row))
            continue
        title, ours, other, ratio, how, bound = row
        good = ratio >= bound if "at least" in how else ratio <= bound
        print(
            "%-62s %12s %12s %8.2f  %s %g: %s"
            % (title, ours, other, ratio, how, bound, "yes" if good else "NO"),
            flush=True,
        )


main()
