#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='scripts/engines brings clusters up, and down without a trace'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"

have_engines

# up KIND: run it; a machine that cannot have it is no failure. Sets up.
up () {
	end_engine_at_end "$1"
	engines "$1" up >"$1.env" 2>"$1.log" && up=0 || up=$?
	test "$up" -ne 75 || reason=$(tail -n 1 "$1.log")
}

# expect KIND NAME BODY: a test that needs it.
expect () {
	if test "$up" -eq 75
	then test_skip "$1: $2" "$reason"
	else test_expect_success "$1: $2" "$3"
	fi
}

json () {
	curl -s --noproxy '*' -m 10 -H 'Accept: application/json' "$@"
}

up_is_ready () {
	cat "$1.log" >&2
	test "$up" -eq 0 &&
	test_expect_code 1 grep -v "^export [A-Z_]*='[^']*'\$" "$1.env" &&
	engines "$1" status >state &&
	test_expect_code 1 grep -v ' up, pid ' state
}

down_is_clean () {
	test -n "$(engine_pids "$1")" &&
	engines "$1" down &&
	test -z "$(engine_pids "$1")" &&
	test_expect_code 1 engines "$1" status
}

submit () {
	timeout 300 "$SPARK_HOME/bin/spark-submit" "$@" >submit.out 2>&1 || {
		tail -n 40 submit.out >&2
		return 1
	}
}

cat >job.py <<'PY'
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print("even:", spark.range(1000).filter("id % 2 = 0").count())
PY

test_expect_success 'a kind, a verb and a daemon that there are not' '
	test_expect_code 64 engines mesos up &&
	test_expect_code 64 engines yarn fly &&
	test_expect_code 1 engines yarn env 2>err &&
	test_match "no yarn was started here" err
'

up standalone
expect standalone 'is up' 'up_is_ready standalone'
expect standalone 'the master has a worker, and speaks REST' '
	. ./standalone.env &&
	json "$SPARK_MASTER_UI_URL/json/" >master.json &&
	jq_ok ".status == \"ALIVE\" and .aliveworkers == 1" master.json &&
	json "$SPARK_MASTER_REST_URL/v1/submissions/status/none" >rest.json &&
	jq_ok ".action == \"SubmissionStatusResponse\"" rest.json
'
expect standalone 'up again starts nothing, and says the same' '
	engines standalone status >before &&
	engines standalone up >again.env &&
	engines standalone status >after &&
	test_cmp standalone.env again.env &&
	test_cmp before after
'
expect standalone 'a port that is taken is not taken for its own' '
	. ./standalone.env &&
	second=$TMPDIR/second &&
	port=${SPARK_MASTER_URL##*:} &&
	test_expect_code 1 env SA_ENGINE_PORT="$port" \
		XDG_CACHE_HOME="$SA_TEST_ENGINES" \
		"$SA_SRCDIR/scripts/engines" standalone up "$second" \
		>second.env 2>second.log &&
	test_empty second.env &&
	test_match "^engines: port $port of 127[.]0[.]0[.]1 is taken$" \
		second.log
'
expect standalone 'a daemon that ends shows why, and takes the others along' '
	third=$TMPDIR/third &&
	test_expect_code 1 env SA_ENGINE_MEMORY=little \
		XDG_CACHE_HOME="$SA_TEST_ENGINES" \
		"$SA_SRCDIR/scripts/engines" standalone up "$third" \
		>third.env 2>third.log &&
	test_empty third.env &&
	test_match "worker ended; the end of $third/log/worker.log:" \
		third.log &&
	test_match "^Usage: Worker" third.log &&
	test -z "$(pids_below "$third")"
'
expect standalone 'its processes end' 'down_is_clean standalone'

up yarn
expect yarn 'is up' 'up_is_ready yarn'
expect yarn 'a job runs in cluster mode' '
	. ./yarn.env &&
	submit --master yarn --deploy-mode cluster job.py &&
	rm_get /ws/v1/cluster/apps >apps.json &&
	jq_ok "[.apps.app[].finalStatus] == [\"SUCCEEDED\"]" apps.json
'
expect yarn 'its output is in the log server' '
	. ./yarn.env &&
	app=$(jq -r ".apps.app[0].id" apps.json) &&
	logs=$YARN_LOG_SERVER_URL/ws/v1/history/aggregatedlogs &&
	aggregated () {
		json "$logs?appid=$app" >logs.json &&
		jq -e ".containerLogsInfoes" logs.json
	} &&
	wait_for aggregated &&
	first=$(jq -r "[.containerLogsInfoes.containerLogsInfo] | flatten |
		map(.containerId) | sort | first" logs.json) &&
	curl -s --noproxy "*" -m 10 -H "Accept: text/plain" \
		"${logs%/*}/containerlogs/$first/stdout" >stdout &&
	test_match "^even: 500$" stdout
'
expect yarn 'the ResourceManager knows its applications after a restart' '
	. ./yarn.env &&
	engines yarn restart rm &&
	rm_get /ws/v1/cluster/apps >after.json &&
	jq_ok "[.apps.app[].finalStatus] == [\"SUCCEEDED\"]" after.json
'
expect yarn 'a daemon is stopped and started alone' '
	. ./yarn.env &&
	engines yarn stop jhs &&
	test_expect_code 1 engines yarn status >state &&
	test_match "^jhs down$" state &&
	test_match "^rm up, pid [0-9]+ ACTIVE$" state &&
	test_expect_code 7 json "$YARN_LOG_SERVER_URL/ws/v1/history/info" &&
	engines yarn start jhs &&
	json "$YARN_LOG_SERVER_URL/ws/v1/history/info" >jhs.json &&
	jq_ok .historyInfo jhs.json
'
expect yarn 'a NodeManager that is killed leaves nothing behind' '
	. ./yarn.env &&
	echo "import time; time.sleep(600)" >sleep.py &&
	submit --master yarn --deploy-mode cluster \
		--conf spark.yarn.submit.waitAppCompletion=false sleep.py &&
	sleeping () {
		engine_pids yarn >pids &&
		for pid in $(cat pids)
		do
			tr "\0" " " <"/proc/$pid/cmdline"
		done | grep "python3 sleep.py"
	} &&
	wait_for sleeping &&
	engines yarn kill nm &&
	sleeping &&
	down_is_clean yarn
'

up yarn-ha
expect yarn-ha 'is up' 'up_is_ready yarn-ha'
expect yarn-ha 'the active role moves' '
	. ./yarn-ha.env &&
	engines yarn-ha active rm2 &&
	engines yarn-ha status >state &&
	test_match "^rm1 up, pid [0-9]+ STANDBY$" state &&
	test_match "^rm2 up, pid [0-9]+ ACTIVE$" state &&
	rm_get /ws/v1/cluster/info >info.json &&
	jq_ok ".clusterInfo.state == \"STARTED\"" info.json
'
expect yarn-ha 'one takes over when the active one is killed' '
	. ./yarn-ha.env &&
	engines yarn-ha kill rm2 &&
	engines yarn-ha active rm1 &&
	test_expect_code 1 engines yarn-ha status >state &&
	test_match "^rm1 up, pid [0-9]+ ACTIVE$" state &&
	test_match "^rm2 down$" state
'
expect yarn-ha 'its processes end' 'down_is_clean yarn-ha'

up kube
expect kube 'is up' 'up_is_ready kube'
expect kube 'the API server answers whom it knows' '
	. ./kube.env &&
	kube () {
		json --cacert "$KUBE_CA_FILE" \
			-H "Authorization: Bearer $(cat "$1")" "$KUBE_URL$2"
	} &&
	kube "$KUBE_TOKEN_FILE" /api/v1/namespaces/default >ns.json &&
	jq_ok ".kind == \"Namespace\" and .status.phase == \"Active\"" \
		ns.json &&
	kube "$KUBE_GUEST_TOKEN_FILE" /api/v1/namespaces/default >no.json &&
	jq_ok ".kind == \"Status\" and .code == 403" no.json &&
	test "$(stat -c %a "$KUBE_TOKEN_FILE" "$KUBECONFIG" | sort -u)" = 600
'
expect kube 'its processes end' 'down_is_clean kube'

test_done
