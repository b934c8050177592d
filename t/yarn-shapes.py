#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Asks t/fake-yarn.py what a real YARN was asked once, and compares.

usage: yarn-shapes.py FILE...

A file holds a scenario, a request, and the answer that came:

    # scenario {"apps":[{}]}
    # request [nm ]GET /ws/v1/cluster/apps?x=y [Content-Type: text/x] [BODY]
    HTTP/1.1 200 OK
    Content-Type: application/json

    {...}

Status, headers, members and their types have to be the same; texts have to
be the same but for numbers and names. Prints TAP.
"""
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile

HEADERS = ("Content-Type", "Location", "Refresh", "Set-Cookie",
           "Transfer-Encoding")


def shape(value):
    """A JSON value without what differs between two answers."""
    if isinstance(value, dict):
        return {k: shape(v) for k, v in sorted(value.items())}
    if isinstance(value, list):
        kinds = []
        for v in value:
            if shape(v) not in kinds:
                kinds.append(shape(v))
        return kinds
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "null" if value is None else "string"


def body_shape(text):
    try:
        return json.dumps(shape(json.loads(text)), indent=1)
    except ValueError:
        line = text.strip().partition("\n")[0]
        line = re.sub(r"/ws/\S+", "PATH", line)
        line = re.sub(r"user \S+", "user NAME", line)
        return re.sub(r"\d+", "N", line)


def header_shape(name, value):
    value = re.sub(r"\d+", "N", value.replace(" ", ""))
    if name == "Content-Type":
        return value.partition(";")[0]
    if name == "Set-Cookie":
        return value.partition("=")[0]
    return re.sub(r"//[^/]*/[^?]*(\?.*)?", "//HOST/PATH", value)


def answer_shape(status, headers, body):
    lines = ["status %d" % status]
    for name in HEADERS:
        if headers.get(name) is not None:
            lines.append("%s: %s" % (name,
                                     header_shape(name, headers[name])))
    return "\n".join(lines + [body_shape(body)]) + "\n"


def recorded(path):
    with open(path, encoding="utf-8") as f:
        head, _, body = f.read().partition("\n\n")
    given, headers = {}, {}
    for line in head.split("\n"):
        if line.startswith("# "):
            key, _, value = line[2:].partition(" ")
            given[key] = value
        elif line.startswith("HTTP/"):
            status = int(line.split(" ")[1])
        else:
            key, _, value = line.partition(": ")
            headers[key] = value
    return given, answer_shape(status, headers, body)


def ask(ports, request):
    words = request.split(" ")
    server = words.pop(0) if words[0].islower() else "rm0"
    role = server.rstrip("0123456789")
    port = ports[role]
    if isinstance(port, list):
        port = port[int(server[len(role):])]
    method, path = words[:2]
    rest = " ".join(words[2:])
    headers = {"Accept": "application/json"}
    while re.match(r"[A-Z][A-Za-z-]+: \S+", rest):
        name, _, rest = rest.partition(": ")
        headers[name], _, rest = rest.partition(" ")
    if rest and "Content-Type" not in headers:
        headers["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, rest or None, headers)
    answer = connection.getresponse()
    body = answer.read().decode("utf-8", "replace")
    return answer_shape(answer.status, answer.headers, body)


def main():
    fake = os.path.join(os.path.dirname(sys.argv[0]), "fake-yarn.py")
    bad = 0
    with tempfile.TemporaryDirectory() as d:
        scenario = os.path.join(d, "scenario")

        def put(text):
            with open(scenario + ".new", "w", encoding="utf-8") as f:
                f.write(text)
            os.rename(scenario + ".new", scenario)

        put('{"rms":[{},{}]}')
        with subprocess.Popen([sys.executable, fake, scenario],
                              stdout=subprocess.PIPE) as process:
            ports = json.loads(process.stdout.readline())
            for number, path in enumerate(sys.argv[1:], 1):
                given, want = recorded(path)
                put(given["scenario"])
                got = ask(ports, given["request"])
                name = os.path.basename(path)
                print("%sok %d - %s" % ("" if got == want else "not ",
                                        number, name))
                if got != want:
                    bad += 1
                    for title, text in (("want", want), ("got", got)):
                        for line in text.split("\n"):
                            print("# %s %s" % (title, line))
            process.kill()
    print("1..%d" % len(sys.argv[1:]))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
