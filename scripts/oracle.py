# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Makes the statements of scripts/oracle and compares; see there."""
import collections
import json
import os
import re
import subprocess
import sys

from mutants import Mutants

BUILD, OUT = sys.argv[1:3]
COUNT, SEED = int(sys.argv[3]), int(sys.argv[4])

# Refusals that hold by design also where Spark would take the statement, and
# what such a statement must hold, in small letters.
BY_DESIGN = {
    "sql-variable": (r"\$\{", "what replaces ${...} is not known"),
    "sql-uri-token": ("[a-z]://", "scheme:// hides what follows it"),
    "sql-identifier-call": (r"identifier", "IDENTIFIER()() may be a call"),
    "sql-java-call": (
        r"(reflect|java_method)\"", "in double quotes, which a setting makes "
        "a name",
    ),
    "sql-lexical": (
        r"\wr['\"]", "a raw string behind a word: versions read it "
        "differently",
    ),
}

# What is wrong with a guard that allows these, and with one that refuses
# them: a judge that does not see it would find nothing in the others either.
KNOWN = (
    ("SELECT 1", None, "alarm"),
    ("INSERT INTO t SELECT 1", None, "alarm"),
    ("INSERT OVERWRITE t SELECT 1", "dangerous", "alarm"),
    ("DESCRIBE t", "dangerous", None),
    ("BEGIN SELECT 1; END", "dangerous", None),
    ("SELECT reflect('a', 'b')", "dangerous", None),
)


def spark(path, count):
    """Spark's verdicts, one after the other; see SparkVerdicts.java."""
    packages = (
        "java.io", "java.lang", "java.lang.invoke", "java.net", "java.nio",
        "java.util", "java.util.concurrent", "sun.nio.ch",
    )
    argv = [os.environ["JAVA_HOME"] + "/bin/java", "-Xmx2g",
            "-XX:+UseSerialGC"]
    for package in packages:
        argv += ["--add-opens", "java.base/%s=ALL-UNNAMED" % package]
    argv += ["-cp", "%s:%s/jars/*" % (OUT, os.environ["SPARK_HOME"]),
             "SparkVerdicts", path]
    verdicts = []
    while len(verdicts) < count:
        begun = len(verdicts)
        with open(os.path.join(OUT, "spark.log"), "wb") as log:
            done = subprocess.run(
                argv + [str(begun)], stdout=subprocess.PIPE, stderr=log,
                check=False,
            )
        lines = done.stdout.decode().split("\n")[:-1]
        verdicts += [line.split("\t") for line in lines]
        if done.returncode not in (0, 75) or len(verdicts) == begun:
            sys.exit("oracle: Spark's parser ended with %d; see %s/spark.log"
                     % (done.returncode, OUT))
    return verdicts


def guard(path, count):
    """The guard's verdicts, and the rules that refuse."""
    with open(path, "rb") as f:
        done = subprocess.run(
            [os.path.join(BUILD, "sa-sqlguard"), "--sql", "-0"],
            stdin=f, stdout=subprocess.PIPE, check=False,
        )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode not in (0, 1) or len(reports) != count:
        sys.exit("oracle: the guard gave %d answers to %d texts"
                 % (len(reports), count))
    return [
        (r["verdict"], sorted({f["rule"] for f in r["findings"]
                               if f["severity"] != "warn"}))
        for r in reports
    ]


def compare(ours, theirs):
    """What is wrong between them: "dangerous", "alarm", None."""
    verdict, rules = ours
    kind, seen = theirs[0], theirs[1].split()
    if kind == "error":
        return None
    code = [s for s in seen if s != "opaque"]
    passes = verdict in ("allow", "warn")
    if kind not in ("query", "insert", "overwrite") or code:
        return "dangerous" if passes else None
    if kind == "overwrite" and verdict == "allow":
        return "dangerous"
    return None if passes or "opaque" in seen else "alarm"


def check_judge(theirs):
    for (text, allowed, refused), their in zip(KNOWN, theirs):
        if (compare(("allow", []), their) != allowed
                or compare(("reject", []), their) != refused):
            sys.exit("oracle: Spark's parser takes '%s' for %s, and is no judge"
                     % (text, " ".join(their).strip()))


def reason(rules, text):
    """Why Spark may take what these rules refuse; None where it is wrong."""
    small = text.lower().replace("\u017f", "s").replace("\u0131", "i")
    if "sql-lexical" in rules and re.search("[a-z]://", small):
        return BY_DESIGN["sql-uri-token"][1]
    why = [
        BY_DESIGN[rule][1]
        for rule in rules
        if rule in BY_DESIGN and re.search(BY_DESIGN[rule][0], small)
    ]
    return why[0] if len(why) == len(rules) else None


def tell_kinds(theirs):
    kinds = collections.Counter(
        t[0] if t[0] in ("query", "insert", "overwrite", "script", "error")
        else "other" for t in theirs
    )
    print("for Spark: " + ", ".join("%d %s" % (n, k)
                                    for k, n in kinds.most_common()))
    good = [t for t in theirs if t[0] in ("query", "insert", "overwrite")]
    print("parsed: %d of %d; queries and inserts that run no code: %d"
          % (len(theirs) - kinds["error"], len(theirs),
             sum(not t[1] for t in good)))


def tell_alarms(alarms):
    """How many of them have no good reason."""
    bad = 0
    for (rules, why), found in sorted(alarms.items(),
                                      key=lambda x: -len(x[1])):
        print("refused: %6d  %s: %s" % (len(found), rules, why or "ALARM"))
        if why is None:
            bad += len(found)
            for text in sorted(found, key=len)[:5]:
                print("    " + json.dumps(text))
    return bad


def main():
    texts = [k[0] for k in KNOWN] + Mutants(SEED).take(COUNT)
    path = os.path.join(OUT, "texts.nul")
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write("".join(t + "\0" for t in texts))
    print("seed %d, %d statements" % (SEED, COUNT), flush=True)
    ours, theirs = guard(path, len(texts)), spark(path, len(texts))
    check_judge(theirs)
    texts, ours, theirs = (x[len(KNOWN):] for x in (texts, ours, theirs))
    tell_kinds(theirs)
    dangerous, alarms = [], collections.defaultdict(list)
    with open(os.path.join(OUT, "disagreements"), "w", encoding="utf-8") as f:
        for text, our, their in zip(texts, ours, theirs):
            wrong = compare(our, their)
            if wrong is None:
                continue
            print(json.dumps([wrong, our, their, text]), file=f)
            if wrong == "dangerous":
                dangerous.append((our, their, text))
            else:
                alarms[" ".join(our[1]), reason(our[1], text)].append(text)
    bad = tell_alarms(alarms)
    for our, their, text in dangerous[:20]:
        print("DANGEROUS: %s, for Spark %s: %s"
              % (our[0], " ".join(their).strip(), json.dumps(text)))
    print("dangerous: %d, false alarms: %d" % (len(dangerous), bad))
    sys.exit(1 if dangerous or bad else 0)


main()
