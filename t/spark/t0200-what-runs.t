#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='what a real Spark makes of all that a plan says'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"

real_spark

# Two jobs at once: sleeper, which is followed and killed, and report, which
# says what it found. Both are started here, since a start takes its time.
runs=$SPARK_EXECUTOR_DATA_DIR/runs
script="the \"report\" \$(id) ü's.py"
title="Umsätze der Filialen, täglich: $(printf '%0150d' 7)"

mkdir -p elsewhere src
echo 'PLACE = "beside"' >src/beside.py
mkdir src/pack
echo 'from pack.inner import PLACE' >src/pack/__init__.py
echo 'PLACE = "in a package"' >src/pack/inner.py
echo 'PLACE = "given"' >given.py
printf 'x;1\nü;2\n' >'the prices.csv'

cat >"src/$script" <<'PY'
import json, os, sys
from pyspark import SparkFiles
from pyspark.sql import SparkSession
import beside, given, pack

spark = SparkSession.builder.getOrCreate()


def ancestors():
    pid = os.getppid()
    while pid > 1:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            yield f.read().decode().split("\0")
        with open("/proc/%d/stat" % pid) as f:
            pid = int(f.read().rpartition(")")[2].split()[1])


def conf(key):
    return spark.conf.get(key, None)


with open(SparkFiles.get("the prices.csv"), encoding="utf-8") as f:
    prices = f.read()
print(json.dumps({
    "imports": [beside.PLACE, pack.PLACE, given.PLACE],
    "prices": prices,
    "args": sys.argv[1:],
    "cwd": os.getcwd(),
    "name": spark.sparkContext.appName,
    "master": spark.sparkContext.master,
    "secret": conf("spark.hadoop.fs.s3a.secret.key"),
    "mine": conf("spark.demo.text"),
    "partitions": conf("spark.sql.shuffle.partitions"),
    "reflect": conf("spark.sql.reflect.allowList"),
    "scripting": conf("spark.sql.scripting.enabled"),
    "substitute": conf("spark.sql.variable.substitute"),
    "here": os.environ.get("SA_HERE"),
    "argvs": list(ancestors()),
}, ensure_ascii=False))
print("größer als ∅ 🎉", spark.sql("SELECT 6 * 7 AS n").first().n)
PY

cat >sleeper.py <<'PY'
import time
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("up", spark.range(3).count(), flush=True)
for i in range(6000):
    time.sleep(0.1)
    print("tick", i, flush=True)
PY

test_expect_success 'two jobs are prepared and submitted' '
	SA_HERE=not-in-the-plan && export SA_HERE &&
	sa-conn save demo --master "local[1]" \
		--conf spark.sql.shuffle.partitions=3 >conn.json &&
	sa-prepare -c demo sleeper.py | sa-confirm --yes >sleeper.json &&
	sa-prepare -c demo --name "$title" --with-siblings \
		--py-files given.py --files "the prices.csv" \
		--workdir elsewhere \
		--conf spark.hadoop.fs.s3a.secret.key="hush hush=#\\é" \
		--conf spark.demo.text="a \"b\" \$c \\\\d, é" \
		--arg "one two" --arg -- --arg "" \
		"src/$script" --flag "new
line" "\$(id)" ü >pending.json &&
	jq_ok ".name == \$n" pending.json --arg n "$title" &&
	sa-confirm --yes <pending.json >report.json 2>err &&
	test_expect_code 1 grep -r hush report.json err pending.json
'
sleeper=$(jq -r .job_id sleeper.json)
report=$(jq -r .job_id report.json)

test_expect_success 'one process waits for both' '
	{ { sa-yarn wait "$sleeper" "$report" >waited.jsonl 2>err;
		echo $? >waited.code; } & }
'

test_expect_success 'logs -f shows what is printed while it runs' '
	mkfifo follow &&
	{ sa-yarn logs -f "$sleeper" >follow & } && follower=$! &&
	grep -m 1 "^up 3$" <follow >up &&
	sa-yarn status "$sleeper" >status.json &&
	jq_ok ".state == \"RUNNING\" and .finished_at == null" status.json &&
	{ wait "$follower" || :; }
'

test_expect_success 'the report found all that was pinned' '
	sa-yarn wait --logs "$report" >out 2>err &&
	sed -n 1p out >found.json &&
	jq_ok ".imports == [\"beside\", \"in a package\", \"given\"]" \
		found.json &&
	jq_ok ".prices == \"x;1\nü;2\n\"" found.json &&
	jq_ok ".cwd == \$d" found.json --arg d "$PWD/elsewhere"
'

test_expect_success 'arguments are the same bytes, in their order' '
	jq_ok ".args == [\"one two\", \"--\", \"\", \"--flag\", \"new\nline\",
		\"\$(id)\", \"ü\"]" found.json
'

test_expect_success 'name, master and properties are those of the plan' '
	jq_ok ".name == \$n and .master == \"local[1]\"" found.json \
		--arg n "$title" &&
	jq_ok ".partitions == \"3\" and .mine == \$m" found.json \
		--arg m "a \"b\" \$c \\\\d, é" &&
	jq_ok ".here == null" found.json
'

test_expect_success 'what the guard needs of the session is in force' '
	jq_ok ".reflect == \"none\" and .scripting == \"false\" and
		.substitute == \"false\"" found.json
'

test_expect_success 'a secret is set in the session, and in no argv' '
	jq_ok ".secret == \$s" found.json --arg s "hush hush=#\\é" &&
	jq_ok "[.argvs[][]] | length > 5 and any(endswith(\$s)) and
		(any(contains(\"hush\")) | not)" found.json \
		--arg s "/script/$script" &&
	test ! -e "$runs/$report/spark.properties"
'

test_expect_success 'text comes out as it was printed' '
	sed -n 2p out >second &&
	echo "größer als ∅ 🎉 42" >expected &&
	test_cmp expected second
'

# in_group PGID: "PID NAME" of each process of it
in_group () {
	for stat in /proc/[0-9]*/stat
	do
		sed "s/^\([0-9]*\) (\(.*\)) . [0-9]* $1 .*/\1 \2/;t;d" \
			"$stat" 2>/dev/null
	done
	return 0
}

test_expect_success 'kill ends the JVM and its Python' '
	group=$(jq .pgid "$runs/$sleeper/exec.json") &&
	in_group "$group" >before &&
	test_match " java$" before && test_match " python" before &&
	sa-yarn kill "$sleeper" >killed.json &&
	jq_ok ".kill_requested_at != null" killed.json &&
	in_group "$group" >after && test_empty after &&
	test_expect_code 1 kill -0 "-$group"
'

test_expect_success 'who waited was told of both, and of the worst' '
	wait_for test -s waited.code &&
	echo 1 >expected && test_cmp expected waited.code &&
	jq -r "[.job_id, .state] | join(\" \")" waited.jsonl >ends &&
	printf "%s\n" "$report SUCCEEDED" "$sleeper KILLED" >expected &&
	test_cmp expected ends
'

test_expect_success 'the pending of a run that was killed is not run again' '
	test_expect_code 65 sa-confirm --yes \
		"$(jq -r .pending_id sleeper.json)" 2>err >out &&
	test_match "$sleeper" err
'

test_done
