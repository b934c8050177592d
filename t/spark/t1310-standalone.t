#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='jobs on a real standalone cluster, in both deploy modes'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"

engine standalone
for mode in client cluster
do
	sa-conn save "$mode" --master "$SPARK_MASTER_URL" \
		--deploy-mode "$mode" --env SPARK_LOCAL_IP=127.0.0.1 \
		--env "PYSPARK_PYTHON=$PYSPARK_PYTHON" \
		--conf "spark.master.ui.port=${SPARK_MASTER_UI_URL##*:}" \
		--conf "spark.master.rest.port=${SPARK_MASTER_REST_URL##*:}" \
		>/dev/null
done

# submit CONNECTION: job.py
submit () {
	sa-prepare -c "$1" job.py >pending.json &&
	sa-confirm --yes <pending.json >job.json && submitted
}

submitted () {
	j=$(jq -r .job_id job.json)
}

is () {
	sa-yarn status "$j" >status.json && jq -e "$1" status.json
}

test_expect_success 'check: the master and its REST server' '
	sa-yarn check -c cluster >check.json &&
	jq_ok ".ok and ([.items[].name] ==
		[\"master\", \"rest_server\", \"alive\"])" check.json
'

test_expect_success 'cluster mode: Python as the driver of a worker' '
	cat >job.py <<-\PY &&
	from pyspark.sql import SparkSession
	spark = SparkSession.builder.getOrCreate()
	print("master:", spark.sparkContext.master)
	print("count:", spark.range(4).count())
	PY
	submit cluster &&
	jq_ok ".application_id | test(\"^driver-[0-9]+-[0-9]+$\")" job.json &&
	sa-yarn wait --timeout 400 "$j" >status.json &&
	jq_ok ".state == \"SUCCEEDED\" and .yarn_state == \"FINISHED\"" \
		status.json &&
	sa-yarn logs "$j" >out &&
	printf "%s\n" "master: $SPARK_MASTER_URL" "count: 4" >expected &&
	test_cmp expected out
'

cat >job.py <<-'PY'
import time
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("up", flush=True)
time.sleep(600)
PY

# up: it has written so
up () {
	sa-yarn logs "$j" >out 2>err && grep -qx up out
}

# patiently COMMAND...: five minutes at most
patiently () {
	wait_for "$@" 2>/dev/null || wait_for "$@" 2>/dev/null ||
		wait_for "$@" 2>/dev/null || wait_for "$@"
}

test_expect_success 'cluster mode: kill while it runs' '
	submit cluster && patiently up && is ".state == \"RUNNING\"" &&
	sa-yarn kill "$j" >status.json &&
	jq_ok ".state == \"KILLED\" and .yarn_state == \"KILLED\"" status.json
'

test_expect_success 'client mode: the application by the page, and its end' '
	submit client &&
	jq_ok ".application_id | test(\"^app-[0-9]+-[0-9]+$\")" job.json &&
	patiently up && is ".yarn_state == \"RUNNING\"" &&
	sa-yarn kill "$j" >status.json &&
	jq_ok ".state == \"KILLED\"" status.json &&
	wait_for is ".yarn_state == \"KILLED\" or .yarn_state == \"FINISHED\""
'

# The page of the master, and of the worker, as they are: in client mode the
# application is the job, in cluster mode the driver's log tells which it is.
test_expect_success 'the logs of executors, in both modes' '
	cat >job.py <<-\PY &&
	import subprocess
	from pyspark.sql import SparkSession
	sc = SparkSession.builder.getOrCreate().sparkContext
	say = "echo from-an-executor >&2"
	echo = lambda i: subprocess.call(say, shell=True)
	print("failed:", sc.parallelize([1], 1).map(echo).sum())
	PY
	for mode in client cluster
	do
		submit $mode && sa-yarn wait --timeout 400 "$j" >status.json &&
		jq_ok ".state == \"SUCCEEDED\"" status.json &&
		sa-yarn logs --all --output all.$mode "$j" &&
		grep -qx "==> executor app-[-0-9]*/0 stdout <==" all.$mode &&
		grep -qx "==> executor app-[-0-9]*/0 stderr <==" all.$mode &&
		grep -qx from-an-executor all.$mode || return
	done &&
	grep -qx "failed: 0" all.cluster
'

test_done
