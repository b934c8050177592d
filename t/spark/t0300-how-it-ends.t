#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='how runs on a real Spark end, and what is said of them'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"

real_spark

runs=$SPARK_EXECUTOR_DATA_DIR/runs

# run STATUS: the script on stdin; its end has to give STATUS to wait. The
# record is then in ended.json, the output in out, what was said in err.
run () {
	cat >x.py &&
	sa-prepare -c demo x.py | sa-confirm --yes >job.json &&
	test_expect_code "$1" sa-yarn wait --logs <job.json >out 2>err &&
	sa-yarn status <job.json >ended.json
}

ended () {
	jq_ok '[.state, .exit_code, .signal] == $v' ended.json \
		--argjson v "[\"$1\", $2, $3]"
}

test_expect_success 'a connection' '
	sa-conn save demo --master "local[1]" >conn.json
'

test_expect_success 'a query that Spark refuses' '
	run 1 <<-\PY &&
	from pyspark.sql import SparkSession
	spark = SparkSession.builder.getOrCreate()
	print("before")
	spark.sql("SELECT missing FROM range(3)").show()
	PY
	ended FAILED 1 null &&
	jq_ok ".diagnostics | startswith(\"Python exception, exit status 1:\")
		and contains(\"UNRESOLVED_COLUMN\") and
		contains(\"missing\")" ended.json &&
	jq_ok ".diagnostics | utf8bytelength <= 4200" ended.json &&
	test_match "^before$" out && test_match "^Traceback" out &&
	test_match "FAILED" err && test_match "UNRESOLVED_COLUMN" err
'

test_expect_success 'an exception of Python, without a session' '
	run 1 <<-\PY &&
	def total(rows):
	    return rows["größe"]
	total({})
	PY
	ended FAILED 1 null &&
	jq_ok ".diagnostics | contains(\"KeyError\") and
		contains(\"größe\") and contains(\"x.py\")" ended.json
'

test_expect_success 'a status that the program chose' '
	run 1 <<-\PY &&
	import sys
	print("no rows today")
	sys.exit(42)
	PY
	ended FAILED 42 null &&
	jq_ok ".diagnostics | contains(\"sys.exit(42)\")" ended.json &&
	test_match "^no rows today$" out
'

test_expect_success 'sys.exit with a text' '
	run 1 <<-\PY &&
	import sys
	sys.exit("no rows today")
	PY
	ended FAILED 1 null &&
	jq_ok ".diagnostics | contains(\"no rows today\")" ended.json
'

test_expect_success 'sys.exit(0) and a program without Spark succeed' '
	run 0 <<-\PY &&
	import sys
	print("nothing to do")
	sys.exit(0)
	PY
	ended SUCCEEDED 0 null &&
	jq_ok ".diagnostics == null" ended.json
'

test_expect_success 'the Python of the driver killed by a signal' '
	run 1 <<-\PY &&
	import os, signal
	print("so far", flush=True)
	os.kill(os.getpid(), signal.SIGSEGV)
	PY
	ended FAILED 139 null &&
	jq_ok ".diagnostics | contains(\"SEGV\")" ended.json &&
	test_match "^so far$" out && test_match "SEGV" err
'

test_expect_success 'the JVM of the driver killed by a signal' '
	run 1 <<-\PY &&
	import os, signal
	os.kill(os.getppid(), signal.SIGKILL)
	PY
	ended FAILED null 9 &&
	jq_ok ".diagnostics | contains(\"signal 9\")" ended.json &&
	test_match "SIGKILL" err
'

test_expect_success 'each is in the list with its verdict' '
	sa-yarn list --jsonl >list &&
	jq -r .state list | sort | uniq -c | sed "s/^ *//" >got &&
	printf "%s\n" "6 FAILED" "1 SUCCEEDED" >expected &&
	test_cmp expected got
'

# lost THING ENVIRONMENT-VARIABLE: it is there at prepare and gone at confirm
lost () {
	echo "print(1)" >x.py &&
	eval "real=\$$2" &&
	ln -sfn "$real" "$1" &&
	env "$2=$PWD/$1" sa-prepare -c demo x.py >pending.json &&
	rm "$1" &&
	test_expect_code 78 env "$2=$PWD/$1" sa-confirm --yes <pending.json \
		>out 2>err &&
	test_empty out &&
	sa-prepare show <pending.json >now.json &&
	jq_ok ".status == \"PENDING\" and .job_id == null" now.json
}

test_expect_success 'without spark-submit nothing is prepared' '
	echo "print(1)" >x.py &&
	test_expect_code 78 env SPARK_HOME="$PWD/none" sa-prepare -c demo x.py \
		>out 2>err &&
	test_empty out && test_match "spark-submit" err &&
	test_match "$PWD/none" err
'

test_expect_success 'without Java nothing is prepared' '
	test_expect_code 78 env JAVA_HOME="$PWD/none" sa-prepare -c demo x.py \
		>out 2>err &&
	test_empty out && test_match "[Jj]ava" err
'

test_expect_success 'spark-submit gone after prepare: PENDING, then it runs' '
	lost spark SPARK_HOME && test_match "spark-submit" err &&
	ln -s "$SPARK_HOME" spark &&
	sa-confirm --yes <pending.json >job.json &&
	sa-yarn wait --logs <job.json >out && test_match "^1$" out
'

test_expect_success 'Java gone after prepare: PENDING' '
	lost java JAVA_HOME && test_match "[Jj]ava" err
'

test_done
