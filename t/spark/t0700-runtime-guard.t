#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='the runtime guard: what it refuses, and what it leaves alone'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"

real_spark
wrapper=$SA_BUILDDIR/sa-runguard.py
test -e "$wrapper" || skip_all 'the commands are not those of a build directory'
sa-conn save plain --master 'local[1]' >/dev/null
sa-conn save guarded --master 'local[1]' --runtime-guard wrapper >/dev/null

# run STATUS OPTION...: prepares, submits and waits; STATUS is what wait gives,
# the log is then in log, the ended job in end.json.
run () {
	status=$1
	shift
	sa-prepare "$@" >pending.json &&
	sa-confirm --yes <pending.json >job.json &&
	test_expect_code "$status" sa-yarn wait --logs <job.json >log 2>err &&
	sa-yarn status <job.json >end.json
}

# The same script with and without: what it can see of the difference.
cat >same.py <<'PY'
"""What a script is told of itself."""
import json, os, pickle, sys, time
from pyspark.sql import SparkSession, functions as F


class Point:
    def __init__(self, x):
        self.x = x


def shift(x):
    return x + STEP


def milliseconds(call, n=40):
    for _ in range(5):
        call()
    start = time.perf_counter()
    for _ in range(n):
        call()
    return round(1000 * (time.perf_counter() - start) / n, 1)


STEP = 5
spark = SparkSession.builder.getOrCreate()
spark.range(4).createOrReplaceTempView("t")
print("SAME", json.dumps([
    __name__, __doc__, os.path.basename(__file__), sys.argv[1:],
    os.path.basename(sys.argv[0]), sys.path[0] == os.path.dirname(__file__),
    __spec__ is None, __package__ is None, sorted(
        n for n in globals() if n.startswith("__")),
    pickle.loads(pickle.dumps(Point(3))).x,
    [r[0] for r in spark.range(3).select(
        F.udf(shift, "long")("id")).collect()],
    spark.sparkContext.parallelize([Point(1), Point(2)]).map(
        lambda p: shift(p.x)).collect(),
    [r[0] for r in spark.sql(
        "SELECT id + :a AS n FROM {v} ORDER BY n LIMIT :n",
        args={"a": 1, "n": 2}, v=spark.table("t")).collect()],
    [r[0] for r in spark.range(4).filter("id > 1").where("id < 9").selectExpr(
        "id + 1 AS a", "id AS b").select(F.expr("a * 2")).collect()],
]))
for name, call in (
        ("SELECT 1", lambda: spark.sql("SELECT 1")),
        ("IN subquery", lambda: spark.sql(
            "SELECT * FROM t WHERE id IN (SELECT id FROM t)")),
        ("WITH", lambda: spark.sql("WITH c AS (SELECT 1) SELECT * FROM c")),
        ("expr", lambda: F.expr("a + 1"))):
    print("TIME", name, milliseconds(call), flush=True)


def fails():
    try:
        spark.sql("SELECT missing FROM t")
    except Exception as error:
        raise ValueError("the second") from error


fails()
PY

# The log's lines that have to be equal: ids and versions of files are not.
same () {
	grep -a -E '^SAME ' log &&
	sed -n '/^Traceback/,$p' log | grep -a \
		-e '^Traceback' -e '^  File ".*same.py"' -e '^    ' \
		-e '^The above' -e '^[A-Za-z.]*Error:' |
		sed -E 's/p_[0-9]{8}T[0-9]{6}_[0-9a-f]+/ID/'
}

test_expect_success 'a script without the guard' '
	run 1 -c plain same.py a "b c" && same >plain &&
	grep -a "^TIME" log >plain-times &&
	test_match "^SAME ..__main__" plain &&
	test_match "same.py., line [0-9]+, in fails" plain &&
	test_match "^ValueError: the second" plain
'

test_expect_success 'it sees no difference with it' '
	run 1 -c guarded same.py a "b c" && same >guarded &&
	grep -a "^TIME" log >guarded-times &&
	test_cmp plain guarded &&
	test_expect_code 1 grep -a "sa-runguard.py.*line" log &&
	jq_ok ".state == \"FAILED\" and .exit_code == 1" end.json
'

# Statements come from a file, so that nobody can read them in the script.
cat >texts <<'EOT'
sql-statement	DROP VIEW t
sql-statement	-- SELECT 1
sql-statement	SET spark.sql.variable.substitute=true
sql-statement	CREATE TABLE z AS SELECT 1
sql-statement	CREATE VIEW IDENTIFIER('z') AS SELECT 1
sql-statement	CACHE TABLE t
sql-statement	D${x}ROP VIEW t
sql-statement	EXPLAIN SELECT 1
sql-statement	DELETE FROM t
sql-statement	WITH c AS (SELECT 1) DELETE FROM t
sql-script	BEGIN SELECT 1; END
sql-dynamic	EXECUTE IMMEDIATE 'DROP VIEW t'
sql-dynamic	CALL p()
sql-insert-directory	INSERT OVERWRITE DIRECTORY '/d' USING csv SELECT 1
sql-insert-directory	FROM t INSERT OVERWRITE DIRECTORY '/' USING csv SELECT 1
sql-insert-overwrite	INSERT OVERWRITE u SELECT 1
sql-insert-replace	INSERT INTO u REPLACE WHERE a = 1 SELECT 1
sql-transform-using	SELECT TRANSFORM(id) USING 'cat' AS (x) FROM t
sql-transform-using	TABLE t UNION SELECT TRANSFORM(id) USING 'cat' FROM t
sql-java-call	SELECT reflect('java.lang.System', 'nanoTime')
sql-java-call	SELECT 1 WHERE EXISTS (SELECT `Java_Method`('a', 'b'))
sql-java-call	WITH c AS (SELECT try_reflect('a', 'b')) SELECT * FROM c
sql-identifier-call	SELECT IDENTIFIER('ref' || 'lect')('a', 'b')
-	SELECT 1
-	SELECT 'DROP VIEW t' AS `drop`
-	SELECT * FROM IDENTIFIER('t') WHERE id IN (SELECT id FROM t)
-	FROM t |> WHERE id > 1 |> AGGREGATE count(*)
-	SELECT stack(2, 1, 2), row_number() OVER (ORDER BY 1)
-	VALUES (1), (2)
EOT
sed -i 's/-- SELECT 1$/-- x\\nDROP VIEW t/' texts

cat >attempts.py <<'PY'
import sys
from pyspark import SparkFiles
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
spark.range(4).createOrReplaceTempView("t")
one = spark.range(1)
with open(SparkFiles.get("texts")) as f:
    rows = [line.rstrip("\n").split("\t") for line in f]
JAVA = "reflect('java.lang.System', 'nanoTime')"
PIPE = "(SELECT TRANSFORM(id) USING 'cat' AS x FROM t)"
DROP = "".join(reversed("t WEIV PORD"))


def attempt(rule, name, call):
    try:
        call()
        got = "-"
    except Exception as error:
        kind = type(error).__name__
        got = str(error).partition("[")[2].partition("]")[0] \
            if kind == "SqlRefused" else kind
    right = got == rule or (rule == "refused" and got != "-")
    print("GOT" if right else "WRONG", rule, got, name, flush=True)


# What the parser of an older Spark does not know is not run by it either.
SINCE = {"BEGIN": "4.1", "CALL": "4", "EXECUTE IMMEDIATE": "4",
         "FROM t |>": "4"}
for rule, text in rows:
    text = text.replace("\\n", "\n")
    for begin, since in SINCE.items():
        if text.startswith(begin) and spark.version < since:
            rule = "refused"
    attempt(rule, text, lambda: spark.sql(text).collect())
attempt("sql-statement", "reversed", lambda: spark.sql(DROP))
attempt("ParseException", "no SQL", lambda: spark.sql(DROP[1:]))
attempt("ParseException", "a program by a parameter", lambda: spark.sql(
    "SELECT TRANSFORM(id) USING :s AS (x) FROM t"[0:] + "", args={"s": "cat"}))
attempt("sql-java-call", "expr", lambda: F.expr(JAVA[0:]))
attempt("sql-transform-using", "expr", lambda: F.expr(PIPE[0:]))
attempt("sql-java-call", "selectExpr", lambda: one.selectExpr("1", JAVA[0:]))
attempt("sql-java-call", "filter", lambda: one.filter(JAVA[0:] + " > 1"))
attempt("sql-java-call", "where", lambda: one.where(JAVA[0:] + " > 1"))
attempt("ParseException", "no expression", lambda: one.where("id >"[0:]))
attempt("sql-java-call", "function", lambda: one.select(getattr(F, "reflect")(
    F.lit("java.lang.System"), F.lit("nanoTime"))))
attempt("sql-java-call", "by name", lambda: one.select(F.call_function(
    "ref" + sys.argv[1], F.lit("java.lang.System"), F.lit("nanoTime"))))
attempt("sql-statement", "new session", lambda: spark.newSession().sql(DROP))
attempt("sql-statement", "Java's session",
        lambda: spark._jsparkSession.sql(DROP))
attempt("sql-statement", "Java's new session",
        lambda: spark._jsparkSession.newSession().sql(DROP))
ml = spark._jvm.org.apache.spark.ml.feature.SQLTransformer()
attempt("sql-statement", "ML", lambda: ml.getParam("statement").w(DROP))
attempt("-", "ML", lambda: ml.getParam("statement").w("no SQL"))
attempt("-", "the hole: Java", lambda: spark._jvm.java.lang.System.nanoTime())
spark.stop()
spark = SparkSession.builder.config("spark.sql.shuffle.partitions",
                                    "1").getOrCreate()
attempt("sql-statement", "rebuilt", lambda: spark.sql(DROP))
print("END", len(rows), flush=True)
sys.exit(3)
PY

test_expect_success 'what it refuses, by which rule, and what it lets run' '
	test_expect_code 65 sa-prepare -c guarded --strict-insert \
		--files texts attempts.py lect 2>refused &&
	waive=$(sed -nE "s/^attempts.py:([0-9]+):[0-9]+: error: .*\[(.*)\]$/\
--waive \2:\1/p" refused | sort -u) &&
	run 1 -c guarded --strict-insert --files texts $waive \
		--waive forced:spark.sql.scripting.enabled \
		--waive forced:spark.sql.variable.substitute \
		attempts.py lect &&
	jq_ok ".exit_code == 3" end.json &&
	grep -a -E "^(GOT|WRONG|END) " log >got &&
	test_expect_code 1 grep -a "^WRONG" got &&
	test_match "^END 29" got && test "$(wc -l <got)" -eq 48
'

test_expect_success 'a script that changed since is not run' '
	echo "print(1)" >x.py && mkdir here && cp "$wrapper" here &&
	test_expect_code 77 "$PYSPARK_PYTHON" here/sa-runguard.py none 0123 \
		"$PWD/x.py" >out 2>err &&
	test_empty out && test_match "x.py. has changed" err &&
	sum=$(sha256sum <x.py | cut -d " " -f 1) &&
	"$PYSPARK_PYTHON" here/sa-runguard.py none "$sum" "$PWD/x.py" >out &&
	echo 1 >want && test_cmp want out
'

test ! -e guarded-times ||
	paste -d ' ' plain-times guarded-times |
	sed -E 's/^TIME (.*) ([0-9.]+) TIME .* ([0-9.]+)$/# \1: \2, \3 ms/'

test_done
