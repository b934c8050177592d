#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the main job on a real Spark in local mode'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"

real_spark
ln -s "$SA_SRCDIR/examples" examples

# submit: the script on stdin goes down the whole pipeline, its output to out.
submit () {
	sa-genjob >file.json &&
	sa-prepare -c demo <file.json >pending.json &&
	sa-confirm --yes <pending.json >job.json &&
	sa-yarn wait --logs <job.json >out 2>err
}

test_expect_success 'a connection' '
	sa-conn save demo --master "local[2]" >conn.json &&
	jq_ok ".master == \"local[2]\"" conn.json
'

test_expect_success 'the example of README runs and prints its table' '
	submit <examples/sales.py &&
	test_match "^. *North. *14. *104. *5762[.]20.$" out &&
	sa-yarn status <job.json >status.json &&
	jq_ok ".state == \"SUCCEEDED\" and .exit_code == 0" status.json
'

test_expect_success 'the example that fails shows its traceback' '
	test_expect_code 1 submit <examples/failing.py &&
	test_match "^Traceback" out &&
	test_match "^ValueError: no sales in region .Atlantis.$" out &&
	sa-yarn status <job.json >status.json &&
	jq_ok ".state == \"FAILED\" and .exit_code == 1" status.json &&
	jq_ok ".diagnostics | test(\"ValueError: no sales\")" status.json
'

test_expect_success 'the draft that drops a table does not become a file' '
	test_expect_code 65 sa-genjob <examples/refused.py >out 2>err &&
	test_empty out &&
	test_match "DROP" err &&
	test_expect_code 1 grep -rl "DROP TABLE" "$SPARK_EXECUTOR_DATA_DIR/jobs"
'

test_expect_success 'sys.exit(3) is the status of the job' '
	cat >exit.py <<-\PY &&
	import sys
	from pyspark.sql import SparkSession
	spark = SparkSession.builder.getOrCreate()
	print(spark.range(4).count())
	sys.exit(3)
	PY
	test_expect_code 1 submit <exit.py &&
	sa-yarn status <job.json >status.json &&
	jq_ok ".state == \"FAILED\" and .exit_code == 3" status.json
'

test_expect_success 'a job that is killed leaves no process' '
	cat >sleep.py <<-\PY &&
	import time
	from pyspark.sql import SparkSession
	spark = SparkSession.builder.getOrCreate()
	print("up", flush=True)
	time.sleep(600)
	PY
	sa-genjob <sleep.py | sa-prepare -c demo | sa-confirm --yes >job.json &&
	id=$(jq -r .job_id job.json) &&
	wait_for grep -q "^up" "$SPARK_EXECUTOR_DATA_DIR/runs/$id/stdout" &&
	group=$(jq .pgid "$SPARK_EXECUTOR_DATA_DIR/runs/$id/exec.json") &&
	sa-yarn kill "$id" >killed.json &&
	test_expect_code 1 sa-yarn wait "$id" >ended.json &&
	jq_ok ".state == \"KILLED\"" ended.json &&
	test_expect_code 1 kill -0 "-$group"
'

test_done
