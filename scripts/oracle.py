# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Makes the statements of scripts/oracle and compares; see there."""
import collections
import json
import os
import random
import re
import subprocess
import sys

BUILD, OUT = sys.argv[1:3]
COUNT, SEED = int(sys.argv[3]), int(sys.argv[4])
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../t/data")
FILES = ("sql-spark-tests", "sql-statements", "sql-regressions")
LONGEST = 4000

# Refusals that hold by design also where Spark would take the statement.
BY_DESIGN = {
    "sql-variable": "what replaces ${...} is not known",
    "sql-uri-token": "scheme:// hides what follows it",
    "sql-identifier-call": "IDENTIFIER() before a parenthesis may be a call",
    "sql-function": "a function that the policy refuses",
    "sql-java-call": "in double quotes, which a setting makes a name",
    "sql-lexical": "a raw string behind a word: versions read it differently",
}

rng = random.Random(SEED)
TOKEN = re.compile(
    r"\s+|/\*.*?\*/|--[^\n]*|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
    r"|\w+|.",
    re.DOTALL,
)
WORDS = (
    "SELECT FROM WHERE WITH AS INSERT INTO OVERWRITE TABLE VALUES UNION ALL "
    "EXCEPT DELETE UPDATE MERGE DROP CREATE VIEW ALTER SET RESET TRUNCATE "
    "EXPLAIN DESCRIBE SHOW USE CACHE REFRESH CALL BEGIN END IF THEN USING "
    "TRANSFORM MAP REDUCE LATERAL EXECUTE IMMEDIATE IDENTIFIER RECURSIVE "
    "DIRECTORY LOCAL BY NAME REPLACE ON PARTITION x t 1 'a' ( ) , ; . * = "
    "|> | @ : ? { } [ ] -> => :: ! - + \\ ` ' \""
).split()
BLANKS = (
    "\t", "\n", "\r", "\r\n", "\f", "\v", "\u00a0", "\u1680", "\u2003",
    "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u0085", "\u200b",
    "\ufeff", "\u180e", "\x1c",
)
COMMENTS = (
    "/**/", "/* ; */", "/* /* */ */", "/* /* */", "/*/*/", "/* ' */",
    "-- x\n", "--\n", "-- '\n", "-- x\r", "-- /*\n", "-- \\\n", "-- x \\\r\n",
    "/* -- */", "/*+ BROADCAST(t) */", "/*+ x://a-- */", "/* * / */",
    "/* \\*/", "--", "/*", "*/", "# x\n", "// x\n", "--\u2028", "--\x0b",
)
QUOTED = (
    "'a'", '"a"', "`a`", "'it''s'", "'\\''", "'\\\\'", "r'\\'", "R\"\\\"",
    "'--'", "'/*'", "'*/'", "';'", "')'", "`)`", "`;`", "`a``b`", '"--"',
    "'\\", "'", '"', "`", "x'41'", "X'4'", "1e+5r'\\'", "t@vr'\\'", "''''",
    "'a' 'b'", '"a" \'b\'', "'\n'", "'${x}'", "DATE'2020-01-01'", "u&'a'",
    "nr'\\'", "1r'\\'", "'\\u0027'", "'\u2019'", "'\\047'", "$$a$$", "N'a'",
)
HEADS = (
    "SELECT 1", "TABLE t", "VALUES (1)", "FROM t", "FROM t SELECT a",
    "INSERT INTO t SELECT 1", "INSERT OVERWRITE t SELECT 1",
    "INSERT OVERWRITE DIRECTORY '/d' SELECT 1", "DROP TABLE t",
    "DELETE FROM t", "UPDATE t SET a = 1", "TRUNCATE TABLE t", "SET a = 1",
    "MERGE INTO t USING u ON a = b WHEN MATCHED THEN DELETE",
    "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT 1", "SHOW TABLES",
    "EXECUTE IMMEDIATE 'DROP TABLE t'", "CALL a.b(1)", "USE d",
    "SELECT TRANSFORM(a) USING 'cat' FROM t", "MAP a USING 'cat' FROM t",
    "SELECT reflect('a.B', 'c')", "SELECT `reflect`('a.B', 'c')",
    "SELECT IDENTIFIER('reflect')('a.B', 'c')", "SELECT \"reflect\"('a')",
    "SELECT java_method('a.B', 'c')", "SELECT system.builtin.reflect('a')",
    "FROM t REDUCE a USING 'cat'", "INSERT INTO t REPLACE WHERE a SELECT 1",
    "INSERT INTO IDENTIFIER('t') SELECT 1", "SELECT * FROM f(TABLE t)",
    "DECLARE VARIABLE x INT", "DECLARE c CURSOR FOR SELECT 1", "FETCH c",
)


def tokens(text):
    return TOKEN.findall(text)


def spot(parts):
    return rng.randrange(len(parts) + 1)


def put(text, what):
    parts = tokens(text)
    parts.insert(spot(parts), what)
    return "".join(parts)


def comment(text, _):
    what = rng.choice(COMMENTS)
    return put(text, what if rng.random() < 0.7 else " " + what + " ")


def quote(text, _):
    return put(text, rng.choice(("", " ")) + rng.choice(QUOTED))


def requote(text, _):
    parts = tokens(text)
    words = [i for i, p in enumerate(parts) if re.match(r"\w|['\"]", p)]
    if words:
        i = rng.choice(words)
        mark = rng.choice("`\"'")
        parts[i] = mark + parts[i].strip("'\"") + mark
    return "".join(parts)


def blank(text, _):
    parts = tokens(text)
    gaps = [i for i, p in enumerate(parts) if p.isspace()]
    for i in rng.sample(gaps, min(len(gaps), rng.randint(1, 3))):
        parts[i] = rng.choice(BLANKS)
    if rng.random() < 0.3:
        parts.insert(spot(parts), rng.choice(BLANKS))
    return "".join(parts)


def letters(text, _):
    pairs = (("s", "\u017f"), ("S", "\u017f"), ("i", "\u0131"),
             ("I", "\u0131"), ("k", "\u212a"), ("I", "\u0130"),
             ("a", "\uff41"), ("E", "\u0395"))
    old, new = rng.choice(pairs)
    places = [i for i, c in enumerate(text) if c == old]
    if not places:
        return text
    i = rng.choice(places)
    return text[:i] + new + text[i + 1:]


def case(text, _):
    return "".join(rng.choice((c.upper(), c.lower())) if c.isascii() else c
                   for c in text)


def nest(text, _):
    return rng.choice((
        "(%s)", "((%s))", "SELECT * FROM (%s)", "SELECT (%s)",
        "SELECT * FROM t WHERE a IN (%s)", "SELECT * FROM t WHERE EXISTS (%s)",
        "(%s) UNION ALL (SELECT 1)", "SELECT 1 UNION %s", "EXPLAIN %s",
        "SELECT * FROM t, LATERAL (%s) x", "INSERT INTO t (%s)",
        "INSERT INTO t %s", "FROM (%s) x SELECT *", "CACHE TABLE x AS %s",
        "CREATE VIEW v AS %s", "INSERT OVERWRITE t %s", "%s |> WHERE a > 1",
        "FROM t |> UNION ALL (%s)", "SELECT CASE WHEN (%s) THEN 1 END",
        "(((((((%s)))))))", "SELECT a, (%s) AS b FROM t ORDER BY 1",
    )) % text


def cte(text, other):
    return rng.choice((
        "WITH c AS (SELECT 1) {0}", "WITH c AS ({0}) SELECT * FROM c",
        "WITH c AS ({1}) {0}", "WITH RECURSIVE c AS (SELECT 1) {0}",
        "WITH c (a, b) AS (SELECT 1, 2), d AS ({1}) {0}",
        "WITH `)` AS (SELECT ')') {0}", "WITH c AS (WITH d AS ({1}) {0}) {0}",
        "WITH c AS (SELECT 1) (WITH d AS (SELECT 2) {0})",
        "WITH c AS (SELECT ') ' FROM t) {0}", "WITH c ({0}) {1}",
        "WITH c AS (SELECT /* ) */ 1) {0}", "WITH c AS (({1})) FROM c {0}",
        "WITH c AS (SELECT 1) -- )\n{0}",
    )).format(text.replace("{", "(").replace("}", ")"),
              other.replace("{", "(").replace("}", ")"))


def script(text, other):
    return rng.choice((
        "BEGIN {0}; END", "BEGIN {0}; {1}; END", "BEGIN NOT ATOMIC {0}; END",
        "BEGIN IF 1 = 1 THEN {0}; ELSE {1}; END IF; END",
        "BEGIN DECLARE x INT; {0}; END", "x: BEGIN {0}; END x",
        "BEGIN WHILE 1 = 0 DO {0}; END WHILE; END", "BEGIN END",
        "BEGIN FOR r AS {0} DO {1}; END FOR; END", "BEGIN {0}",
        "EXECUTE IMMEDIATE '{0}'", "{0}; {1}", "{0};;", "; {0}", "{0}; -- x",
    )).format(text.replace("{", "(").replace("}", ")"),
              other.replace("{", "(").replace("}", ")"))


def splice(text, other):
    a, b = tokens(text), tokens(other)
    return "".join(a[:spot(a)] + [rng.choice(("", " "))] + b[spot(b):])


def branch(text, other):
    return rng.choice((
        "FROM t %s %s", "FROM (SELECT 1) x %s %s", "%s UNION %s", "%s %s",
        "FROM t INSERT INTO u SELECT a %s %s", "%s |> %s", "FROM %s %s",
    )) % (text, other)


def shake(text, _):
    parts = tokens(text)
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(parts)) if parts else 0
        how = rng.randrange(4)
        if how == 0 and len(parts) > 1:
            del parts[i]
        elif how == 1 and parts:
            parts.insert(i, parts[i])
        elif how == 2 and parts:
            k = rng.randrange(len(parts))
            parts[i], parts[k] = parts[k], parts[i]
        else:
            parts[i:i] = [" ", rng.choice(WORDS), " "]
    return "".join(parts)


def odd(text, _):
    return put(text, rng.choice((
        "${x}", "${env:HOME}", "x://a--", ":x", "?", "@v1", "t@vr'\\'",
        " :x://b", "1e+5", "1.e-5L", ".5", "IDENTIFIER('x')",
        " IDENTIFIER('x')('a')", " reflect('a', 'b')", " USING 'cat'",
        " TRANSFORM(a) USING 'x'", " AS (a)", "[1]", " -> 1", "::INT",
    )))


MUTATIONS = (
    comment, comment, quote, requote, blank, blank, letters, case, nest, nest,
    cte, cte, script, splice, branch, shake, odd,
)


def statements():
    found = list(HEADS) * 8
    for name in FILES:
        with open(os.path.join(DATA, name + ".tsv"), encoding="utf-8") as f:
            found += [
                json.loads(line.rsplit("\t", 1)[1])
                for line in f
                if line.strip() and not line.startswith("#")
            ]
    return [s for s in found if len(s) < LONGEST]


def mutants(seeds):
    """COUNT different texts that are neither empty nor too long."""
    made = {}
    while len(made) < COUNT:
        text = rng.choice(seeds)
        for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 3))):
            text = rng.choice(MUTATIONS)(text, rng.choice(seeds))
        text = text.replace("\0", "")
        if text.strip() and len(text) < LONGEST:
            made[text] = None
    return list(made)


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
    """The guard's verdicts and rules."""
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
        (r["verdict"], sorted({f["rule"] for f in r["findings"]}))
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


def main():
    texts = mutants(statements())
    path = os.path.join(OUT, "texts.nul")
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write("".join(t + "\0" for t in texts))
    print("seed %d, %d statements" % (SEED, len(texts)), flush=True)
    ours, theirs = guard(path, len(texts)), spark(path, len(texts))
    kinds = collections.Counter(
        t[0] if t[0] in ("query", "insert", "overwrite", "script", "error")
        else "other" for t in theirs
    )
    print("for Spark: " + ", ".join("%d %s" % (n, k)
                                    for k, n in kinds.most_common()))
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
                alarms[" ".join(our[1])].append(text)
    for rules, found in sorted(alarms.items(), key=lambda x: -len(x[1])):
        why = [BY_DESIGN[r] for r in rules.split() if r in BY_DESIGN]
        print("refused: %6d  %s%s" % (len(found), rules,
                                      ": " + why[0] if why else ""))
        if not why:
            print("    " + json.dumps(min(found, key=len)))
    for our, their, text in dangerous[:20]:
        print("DANGEROUS: %s, for Spark %s: %s"
              % (our[0], " ".join(their).strip(), json.dumps(text)))
    print("dangerous: %d" % len(dangerous))
    sys.exit(1 if dangerous else 0)


main()
