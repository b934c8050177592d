#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""A client of MCP that is hard on its server.

usage: mcp-wire.py CHECK COMMAND...

Runs one of the functions below against the server that COMMAND starts. All
that comes on its stdout has to be lines of JSON-RPC, one answer to a request.
The tools are those of t8010-mcp-wire.t. Prints why it fails, and exits 1.
With SA_TEST_MEMORY=no the server may need any amount of memory.
"""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

META = "io.modelcontextprotocol/"
MODERN = {META + "protocolVersion": "2026-07-28",
          META + "clientCapabilities": {}}
LIMIT = 60          # seconds for anything; slow machines take their time
MIB = 1 << 20


def need(condition, why):
    if not condition:
        raise AssertionError(why)


def short(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) < 300 else text[:300] + "..."


def wait_until(condition, why):
    end = time.monotonic() + LIMIT
    while not condition():
        need(time.monotonic() < end, why)
        time.sleep(0.01)


def state(pid):
    """What /proc says a process is: None when it is gone or a zombie."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            word = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if word[0] in "XZ" else word


def name_of(pid):
    try:
        with open("/proc/%d/comm" % pid) as f:
            return f.read().strip()
    except OSError:
        return ""


def children(pid, warden=False):
    """The living descendants of a process; the server's warden, which ends
    after it, only where it is asked for."""
    parent = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            word = state(int(name))
            if word:
                parent[int(name)] = int(word[1])
    found = set()
    new = {pid}
    while new:
        new = {p for p, up in parent.items() if up in new} - found
        found |= new
    return {p for p in found if warden or name_of(p) != "sa-mcp-warden"}


class Server:
    def __init__(self, command, legacy=False, **more):
        self.p = subprocess.Popen(command, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, **more)
        self.legacy = legacy
        self.n = 0
        self.answers, self.loose, self.notes = {}, [], []
        self.order, self.wrong = [], []
        self.over = False
        self.reading = threading.Event()
        self.reading.set()
        self.news = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        if legacy:
            self.ask("initialize", {"protocolVersion": "2025-11-25"})

    def read(self):
        while True:
            self.reading.wait()
            line = self.p.stdout.readline()
            with self.news:
                if not line:
                    self.over = True
                else:
                    self.take(line)
                self.news.notify_all()
            if not line:
                return

    def take(self, line):
        try:
            m = json.loads(line.decode())
            need(line.endswith(b"\n"), "a line without end")
            need(m["jsonrpc"] == "2.0", "not JSON-RPC")
            need(m.get("id", 0) is not None, "an id null")
        except (ValueError, KeyError, TypeError, AssertionError) as e:
            self.wrong.append("%r: %s" % (e, short(repr(line))))
            return
        if "method" in m:
            self.notes.append(m)
        elif "id" not in m:
            self.loose.append(m)
        elif m["id"] in self.answers:
            self.wrong.append("a second answer to %r" % m["id"])
        else:
            self.order.append(m["id"])
            self.answers[m["id"]] = m

    def write(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def start(self, method, params=None, meta=None):
        self.n += 1
        meta = dict(meta or {}, **({} if self.legacy else MODERN))
        params = dict(params or {}, **({"_meta": meta} if meta else {}))
        self.send({"jsonrpc": "2.0", "id": self.n, "method": method,
                   "params": params})
        return self.n

    def wait(self, n):
        with self.news:
            self.news.wait_for(lambda: n in self.answers or self.over, LIMIT)
        need(n in self.answers, "no answer to %r" % n)
        return self.answers[n]

    def ask(self, method, params=None):
        return self.wait(self.start(method, params))

    def call(self, name, meta=None, **arguments):
        return self.start("tools/call",
                          {"name": name, "arguments": arguments}, meta)

    def result(self, n, failed=False):
        """The text of a call's result."""
        m = self.wait(n)
        need("result" in m, short(m))
        need(m["result"].get("isError", False) is failed, short(m))
        return m["result"]["content"][0]["text"]

    def alive(self):
        need("result" in self.ask("resources/list"), "it does not answer")

    def cancel(self, n):
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                   "params": {"requestId": n}})

    def peak_below(self, limit):
        """Its memory was never over so many MiB."""
        with open("/proc/%d/status" % self.p.pid) as f:
            peak = next(int(line.split()[1]) // 1024 for line in f
                        if line.startswith("VmHWM:"))
        need(peak < limit or os.environ.get("SA_TEST_MEMORY") == "no",
             "%d MiB" % peak)

    def end(self):
        self.p.stdin.close()
        need(self.p.wait(LIMIT) == 0, "exit status %d" % self.p.returncode)

    def running(self, n):
        wait_until(lambda: len(children(self.p.pid)) >= n,
                   "there are not %d processes" % n)
        return children(self.p.pid)


def gone(pids):
    wait_until(lambda: not [p for p in pids if state(p)],
               "a process is left")


# What a client may send.

def pings(s):
    for i in range(10000):
        need(s.ask("resources/list")["result"]["resources"] == [], i)
    s.peak_below(32)


def flood(s):
    s.write(b"".join(b'{"jsonrpc":"2.0","id":"p%d","method":"ping"}\n' % i
                     for i in range(10000)))
    for i in range(10000):
        need(s.wait("p%d" % i)["result"] == {}, i)
    s.peak_below(64)


def broken(s):
    lines = [b"{", b"nul", b'"x"', b"7", b"[]", b"\0", b"{'a':1}",
             b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}',
             b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
             b"[" * 100000, b'{"a":' * 100000 + b"1" + b"}" * 100000]
    lines += [b'{"jsonrpc":"2.0","id":1,"method":"' + bad + b'"}' for bad in
              (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80")]
    for line in lines:
        n = len(s.loose)
        s.write(line + b"\n")
        s.alive()
        need(len(s.loose) == n + 1, "no error: " + short(repr(line)))
        need(s.loose[-1]["error"]["code"] in (-32700, -32600),
             short(s.loose[-1]))


def noise(s):
    r = random.Random(8010)
    for _ in range(500):
        line = bytes(r.randrange(256) for _ in range(r.randrange(1, 500)))
        s.write(line.replace(b"\n", b"") + b"\n")
    s.alive()
    need(not s.answers.keys() - set(range(s.n + 1)), "an answer to noise")


def long_line(s):
    s.write(b'{"jsonrpc":"2.0","id":"long","method":"ping","params":{"a":"')
    for _ in range(40):
        s.write(b"a" * MIB)
    s.write(b'"}}\n')
    s.alive()
    need(len(s.loose) == 1 and "long" not in s.answers, short(s.loose))
    s.peak_below(32)


def pieces(s):
    line = b'{"jsonrpc":"2.0","id":"x","method":"ping"}\r\n'
    for i in range(len(line)):
        s.write(line[i:i + 1])
    need(s.wait("x")["result"] == {}, short(s.answers["x"]))


def large_argument(s):
    text = "\u00e9\"0123\\\n" * 250000
    got = json.loads(s.result(s.call("echo", text=text)))
    need(got == {"text": text}, "it is another one")
    s.alive()


# What a client may do to a reader.

def slow_reader(s):
    s.reading.clear()
    ids = [s.call("fill", bytes=1500000) for _ in range(20)]
    time.sleep(3)
    s.peak_below(120)
    s.reading.set()
    for n in ids:
        need(len(s.result(n)) > 1500000, "it is cut")
    s.peak_below(160)


def many(s):
    """More calls than may wait; each is answered, once."""
    ids = [s.call("echo", text=str(i)) for i in range(600)]
    for i, n in enumerate(ids):
        need(json.loads(s.result(n)) == {"text": str(i)}, i)


# What calls do.

def at_once(s):
    """Short calls are answered beside long ones, as they end."""
    long = [s.call("nap", seconds=600) for _ in range(7)]
    for n in [s.call("nap", seconds=0.1) for _ in range(10)]:
        s.result(n)
    s.alive()
    need(not set(long) & set(s.answers), "one was not long")
    for n in long:
        s.cancel(n)


def progress(s):
    a = s.call("nap", {"progressToken": "t\u00e9"}, seconds=2.6)
    b = s.call("nap", {"progressToken": 12}, seconds=2.6)
    s.call("nap", seconds=2.6)
    s.result(a)
    s.result(b)
    told = {}
    for m in s.notes:
        need(m["method"] == "notifications/progress", short(m))
        told.setdefault(m["params"]["progressToken"], []).append(
            m["params"]["progress"])
    need(set(told) == {"t\u00e9", 12}, short(list(told)))
    for steps in told.values():
        need(steps == sorted(set(steps)) and steps, str(steps))


def cancel(s):
    ids = [s.call("nap", {"progressToken": i}, seconds=600)
           for i in range(20)]
    pids = s.running(8)
    for n in ids[:-1]:
        s.cancel(n)
    gone(pids)
    s.result(s.call("echo", text="x"))
    s.cancel(ids[-1])
    s.cancel(4711)
    s.cancel("x")
    s.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    gone(children(s.p.pid))
    s.alive()
    need(not set(ids) & set(s.answers), "a cancelled call was answered")


def stubborn(s):
    n = s.call("stubborn")
    pids = s.running(2)
    time.sleep(0.3)
    s.cancel(n)
    gone(pids)
    s.alive()


def same_id(s):
    n = s.call("nap", seconds=600)
    s.running(1)
    s.send({"jsonrpc": "2.0", "id": n, "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "x"},
                       "_meta": MODERN}})
    need(s.wait(n)["error"]["code"] == -32600, short(s.answers[n]))
    s.cancel(n)


# How it ends; each gives what ends it.

def with_calls(s):
    quick = s.call("nap", seconds=0.05)
    for _ in range(12):
        s.call("nap", seconds=600)
    return quick, s.running(8) | {s.p.pid}


def end_of_input(s):
    quick, pids = with_calls(s)
    s.end()
    gone(pids)
    s.result(quick)
    need(len(s.answers) == 1, short(s.order))


def end_by(signum):
    def check(s):
        quick, pids = with_calls(s)
        s.p.send_signal(signum)
        need(s.p.wait(LIMIT) == 0, "exit status %d" % s.p.returncode)
        gone(pids)
        s.result(quick)
    return check


def end_by_kill(s):
    s.call("sleep")
    pids = s.running(1) | children(s.p.pid, warden=True)
    need(len(pids) > 1, "no warden")
    s.p.kill()
    s.p.wait(LIMIT)
    gone(pids)


def file_of_requests(s):
    """All quick calls of a file are answered, whatever waits beside them."""
    ids = [s.call("echo", text="x") for _ in range(6)]
    s.end()
    for n in ids:
        s.result(n)


def reader_gone(s):
    null = os.open("/dev/null", os.O_RDONLY)
    s.call("nap", seconds=600)
    pids = s.running(1) | {s.p.pid}
    os.dup2(null, s.p.stdout.fileno())
    s.p.wait(LIMIT)
    gone(pids)


CHECKS = {f.__name__: f for f in (
    pings, flood, broken, noise, long_line, pieces, large_argument,
    slow_reader, many, at_once, progress, cancel, stubborn, same_id,
    end_of_input, end_by_kill, file_of_requests, reader_gone)}
CHECKS["end_by_term"] = end_by(signal.SIGTERM)
CHECKS["end_by_int"] = end_by(signal.SIGINT)
CHECKS["end_by_hup"] = end_by(signal.SIGHUP)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in CHECKS:
        sys.exit(__doc__)
    s = Server(sys.argv[2:], legacy=sys.argv[1] == "many")
    try:
        CHECKS[sys.argv[1]](s)
        if s.p.poll() is None:
            s.end()
        need(not s.wrong, "; ".join(s.wrong[:3]))
    except (AssertionError, OSError) as e:
        sys.exit("mcp-wire.py: %s: %s" % (sys.argv[1], e))
    finally:
        s.p.kill()


main()
