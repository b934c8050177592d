# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""usage: py-runs.py SA-SQLGUARD DIRECTORY COUNT SEED

Writes COUNT small programs that put SQL together in lists and names, in
branches, loops and try statements, and runs each of them a few times with a
spark whose sql() only keeps its texts. Where a text that was given to it is
one that the guard refuses by itself, it must not have let the program pass.
What it missed is printed; the last line says how much was compared. Status 1
if anything was missed.
"""
import json
import os
import random
import subprocess
import sys

GUARD, DIRECTORY = sys.argv[1:3]
COUNT, SEED = int(sys.argv[3]), int(sys.argv[4])
RUNS = (0.5, 0.8, 0.2, 0.5)  # how likely a condition holds
STEPS = 3000  # lines of one run
PIECES = (
    "SELECT 1", " FROM t", "SELECT 1 --", "\n", "SELECT 1 ;", "", " WHERE a",
    "SELECT TRANSFORM(a) ", " USING 1", "*/ 1", "; USE d", " --", " LIMIT 1",
)


class Stop(BaseException):
    """A run that takes too long."""


class Writer:
    """Programs, as lines."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, *choices):
        return self.random.choice(choices)

    def piece(self):
        if self.random.random() < 0.8:
            return repr(self.one(*PIECES))
        return self.one("s", "q", "i and 'SELECT 4' or ' '")

    def list(self):
        n = self.random.randrange(3)
        first = ["'SELECT 1'"] if self.random.random() < 0.7 else []
        return "[%s]" % ", ".join(first + [self.piece() for _ in range(n)])

    def simple(self):
        name, other, text = self.one(*"LM"), self.one(*"LM"), self.one(*"sq")
        kind = self.random.choices(
            range(12), (9, 24, 6, 6, 9, 2, 2, 4, 3, 4, 20, 4))[0]
        return (
            "%s = %s" % (name, self.list()),
            "%s.append(%s)" % (name, self.piece()),
            "%s.extend(%s)" % (name, self.one(self.list(), "(s, q)")),
            "%s += %s" % (name, self.one(self.list(), "(s, q)")),
            "%s = %s" % (name, other),
            "%s.insert(0, %s)" % (name, self.piece()),
            self.one("%s.reverse()", "f(%s)", "%s[:] = [s]") % name,
            "%s = %s" % (text, self.piece()),
            "%s += %s" % (text, self.piece()),
            "%s = %r.join(%s)" % (text, self.one("", " ", ";"), name),
            "spark.sql(%r.join(%s))" % (self.one("", " "), name),
            "spark.sql(%s)" % text,
        )[kind]

    def block(self, depth, most):
        lines = []
        for _ in range(self.random.randint(1, most)):
            lines += self.statement(depth)
        return [" " + line for line in lines]

    def statement(self, depth):
        kind = self.random.random()
        if depth > 3 or kind < 0.8:
            return [self.simple()]
        inner = self.block(depth + 1, 4)
        if kind < 0.88:
            return ["if %s:" % self.one("i", "c()", "i == 0")] + inner
        if kind < 0.9:
            return (["if c():"] + inner
                    + ["else:"] + self.block(depth + 1, 3))
        if kind < 0.97:
            head = self.one("for i in range(3):", "while c():")
            end = self.one("pass", "if c(): break", "if c(): continue")
            return [head] + inner + [" " + end] + self.block(depth + 1, 2)
        return (["try:"] + inner + [" boom()"] + self.block(depth + 1, 2)
                + ["except ValueError: " + self.simple()])

    def program(self):
        lines = ["def run():", " s, q, i = 'SELECT 1', 'SELECT 2', 0",
                 " L, M = [], []", " L = " + self.list()]
        lines += self.block(0, 9)
        return "\n".join(lines + ["run()", ""])


def run(program, likely, seed, texts):
    """Adds what sql() is given to texts."""
    chance, steps, asked = random.Random(seed), [0], [0]

    class Spark:
        def sql(self, text):
            texts.add(text)

    def condition():
        asked[0] += 1
        return asked[0] < 40 and chance.random() < likely

    def boom():
        if chance.random() < 0.5:
            raise ValueError

    def trace(*_):
        steps[0] += 1
        if steps[0] > STEPS:
            raise Stop
        return trace

    names = {"spark": Spark(), "c": condition, "boom": boom,
             "f": lambda x: x.insert(0, "SELECT 9;")}
    code = compile(program, "program", "exec")
    sys.settrace(trace)
    try:
        exec(code, names)
    except (Stop, ValueError):
        pass
    finally:
        sys.settrace(None)


def guard(*argv, text=None):
    done = subprocess.run((GUARD,) + argv, input=text, check=False,
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    writer, given = Writer(SEED), {}
    for i in range(COUNT):
        path = os.path.join(DIRECTORY, "%05d.py" % i)
        program, texts = writer.program(), set()
        with open(path, "w", encoding="utf-8") as f:
            f.write(program)
        for seed, likely in enumerate(RUNS):
            run(program, likely, seed, texts)
        given[path] = {t for t in texts if t.strip() and len(t) < 4000}
    texts = sorted(set().union(*given.values()))
    reports = guard("--sql", "-0",
                    text="".join(t + "\0" for t in texts).encode())
    refused = {t for t, r in zip(texts, reports) if r["verdict"] == "reject"}
    verdicts = {r["path"]: r["verdict"]
                for r in guard("check", "--format=json", DIRECTORY)}
    missed = [p for p in given
              if verdicts[p] in ("allow", "warn") and given[p] & refused]
    for path in missed:
        print("%s: %s, and it ran %r" % (path, verdicts[path],
                                         min(given[path] & refused)))
    print("%d programs, %d passed, %d ran what is refused, %d missed"
          % (COUNT, list(verdicts.values()).count("allow"),
             sum(bool(g & refused) for g in given.values()), len(missed)))
    sys.exit(bool(missed) or len(reports) != len(texts))


main()
