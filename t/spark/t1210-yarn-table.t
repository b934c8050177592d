#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='what sa-yarn says of jobs on a real YARN, and their logs'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"

engine yarn
# shellcheck disable=SC2086
sa-conn save cluster --master yarn --deploy-mode cluster $small >/dev/null
# shellcheck disable=SC2086
sa-conn save client --master yarn $small >/dev/null

# submit PREPARE_OPTION...: $j, $app
submit () {
	sa-prepare "$@" >pending.json &&
	sa-confirm --yes <pending.json >job.json &&
	j=$(jq -r .job_id job.json) && within 200 has_application &&
	app=$(jq -r .application_id "data/runs/$j/record.json")
}

has_application () {
	jq -e '.application_id != null' "data/runs/$j/record.json"
}

# within SECONDS COMMAND...
within () {
	end=$(($(date +%s) + $1))
	shift
	until "$@" >/dev/null 2>&1
	do
		test "$(date +%s)" -lt "$end" || {
			"$@"
			return
		}
		sleep 0.5
	done
}

# is YARN_STATE [JQ_CONDITION]: the application
is () {
	rm_get "/ws/v1/cluster/apps/$app" >app.json &&
	jq -e --arg s "$1" ".app | .state == \$s and (${2:-true})" app.json
}

group_is_empty () {
	ps -eo pgid= >groups &&
	awk -v g="$(jq -r .pgid "data/runs/$j/exec.json")" \
		'$1 == g { n = 1 } END { exit n }' groups
}

# Ends at once, or once the file go is there.
cat >job.py <<'PY'
import os, sys, time
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("COUNT", spark.range(10).count(), flush=True)
how, go = sys.argv[1:]
while how == "hold" and not os.path.exists(go):
    time.sleep(0.2)
print("END", flush=True)
if how == "raise":
    raise ValueError("no such month")
PY

runs () {
	sa-yarn logs "$j" >out 2>err && grep -q "^COUNT 10$" out
}

hold () {
	rm -f go && submit -c "$1" job.py hold "$PWD/go" &&
	within 300 runs
}

# Leaves no room for another driver.
fill () {
	url=$YARN_RESOURCE_MANAGER_URL/ws/v1/cluster/apps &&
	filler=$(curl -s --noproxy '*' -X POST \
		"$url/new-application?user.name=filler" |
		jq -r '."application-id"') &&
	jq -nc --arg id "$filler" '{"application-id": $id,
		"application-name": "filler", "application-type": "YARN",
		"am-container-spec": {commands: {command: "sleep 900"}},
		"max-app-attempts": 1,
		resource: {memory: 5888, vCores: 1}}' >filler.json &&
	curl -s --noproxy '*' -X POST -H 'Content-Type: application/json' \
		--data @filler.json "$url?user.name=filler" &&
	within 60 is_full
}

# An application that never says that it runs stays ACCEPTED.
is_full () {
	rm_get "/ws/v1/cluster/apps/$filler" >filler.json &&
	jq -e '.app.allocatedMB == 5888' filler.json
}

empty () {
	curl -s --noproxy '*' -X PUT -H 'Content-Type: application/json' \
		-d '{"state": "KILLED"}' \
		"$url/$filler/state?user.name=filler" >answer
}

test_expect_success 'ACCEPTED: no log yet; killed in both modes' '
	fill && submit -c cluster job.py now x && within 120 is ACCEPTED &&
	test_expect_code 66 sa-yarn logs "$j" >out 2>err && test_empty out &&
	sa-yarn kill "$j" >killed && jq_ok ".state == \"KILLED\" and
		.yarn_state == \"KILLED\"" killed && is KILLED &&
	submit -c client job.py now x && within 120 is ACCEPTED &&
	sa-yarn kill "$j" >killed && jq_ok ".state == \"KILLED\"" killed &&
	is KILLED && group_is_empty && empty
'

test_expect_success 'cluster mode: RUNNING, its log, followed to the end' '
	hold cluster && jq_ok ".state == \"ACCEPTED\" or .state == \"RUNNING\"
		or .state == \"SUBMITTED\"" "data/runs/$j/record.json" &&
	{ sa-yarn logs -f "$j" >followed 2>follow.err & } && follower=$! &&
	within 60 grep -q COUNT followed && touch go &&
	sa-yarn wait "$j" >waited && jq_ok ".state == \"SUCCEEDED\" and
		.final_status == \"SUCCEEDED\"" waited &&
	sa-yarn logs "$j" >ended 2>err && wait "$follower" &&
	printf "%s\n" "COUNT 10" END >expected &&
	test_cmp expected ended && test_cmp expected followed &&
	within 60 is FINISHED ".logAggregationStatus == \"SUCCEEDED\"" &&
	sa-yarn logs "$j" >aggregated && test_cmp expected aggregated
'

test_expect_success 'an exception, in both modes' '
	submit -c cluster job.py raise x &&
	test_expect_code 1 sa-yarn wait "$j" >waited &&
	jq_ok ".state == \"FAILED\" and (.diagnostics |
		test(\"exited with status 1\"))" waited &&
	sa-yarn logs "$j" >out && test_match "^ValueError: no such month" out &&
	submit -c client job.py raise x &&
	test_expect_code 1 sa-yarn wait "$j" >waited &&
	jq_ok ".state == \"FAILED\" and .exit_code == 1 and (.diagnostics |
		test(\"ValueError: no such month\"))" waited
'

test_expect_success 'killed while RUNNING, in both modes' '
	hold cluster && sa-yarn kill "$j" >killed &&
	jq_ok ".state == \"KILLED\" and (.diagnostics |
		test(\"killed by .* with sa-yarn, \" + \$j))" killed \
		--arg j "$j" && is KILLED &&
	hold client && sa-yarn kill "$j" >killed &&
	jq_ok ".state == \"KILLED\"" killed && is KILLED && group_is_empty
'

test_expect_success LONG 'the ResourceManager is started anew during a wait' '
	hold cluster && { sa-yarn wait "$j" >waited 2>wait.err & } &&
	waiter=$! && engines yarn kill rm >/dev/null 2>&1 &&
	sa-yarn status "$j" >out 2>err && jq_ok ".finished_at == null" out &&
	engines yarn start rm >/dev/null 2>&1 &&
	touch go && wait "$waiter" && jq_ok ".state == \"SUCCEEDED\"" waited
'

test_expect_success LONG 'the NodeManager dies' '
	hold cluster && { sa-yarn wait "$j" >waited 2>wait.err & } &&
	waiter=$! && engines yarn kill nm >/dev/null 2>&1 &&
	test_expect_code 66 sa-yarn logs "$j" >out 2>err &&
	test_match "sa-yarn: .*node" err &&
	engines yarn start nm >/dev/null 2>&1 &&
	{ wait "$waiter"; test $? -le 1; } &&
	rm_get "/ws/v1/cluster/apps/$app" >app.json &&
	jq_ok ".app.finalStatus == \$w[0].state" app.json --slurpfile w waited
'

test_done
