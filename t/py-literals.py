# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""usage: py-literals.py PRINT-LITERALS FILE...

Compares the string literals of Python sources as CPython's ast has them with
what print-literals says. Sources that this Python does not take are left out.
The last line says how many literals were compared; status 1 if any differs.
"""
import ast
import json
import re
import subprocess
import sys


def text(value):
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    return re.sub("[\ud800-\udfff]", "\ufffd", value)


def literals(tree):
    found = {}
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            value = ""
            for part in node.values:
                inner.add(id(part))
                if isinstance(part, ast.FormattedValue):
                    value += "\ue000"
                    inner.add(id(part.format_spec))
                else:
                    value += text(part.value)
            if id(node) not in inner:
                found[node.lineno, node.col_offset] = value
        elif isinstance(node, ast.Constant) and id(node) not in inner and \
                isinstance(node.value, (str, bytes)):
            found[node.lineno, node.col_offset] = text(node.value)
    return found


def compare(command, path):
    with open(path, "rb") as f:
        source = f.read()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return 0, 0
    run = subprocess.run([command, path], capture_output=True, text=True)
    if run.returncode != 0:
        print("%s: not taken: %s" % (path, run.stderr.strip()))
        return 0, 1
    ours = {}
    for line in run.stdout.splitlines():
        row, column, value = json.loads(line)
        ours[row, column] = value
    bad = 0
    theirs = literals(tree)
    for place in sorted(set(ours) | set(theirs)):
        a, b = ours.get(place), theirs.get(place)
        if a is not None and "\ue001" in a:
            a = b
        if a != b:
            bad += 1
            print("%s:%d:%d: %r, want %r" % ((path,) + place + (a, b)))
    return len(theirs), bad


def main():
    count = bad = 0
    for path in sys.argv[2:]:
        n, wrong = compare(sys.argv[1], path)
        count += n
        bad += wrong
    print("%d literals, %d differ" % (count, bad))
    return bad != 0


sys.exit(main())
