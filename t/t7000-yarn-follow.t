#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn status, list and wait: jobs on a YARN cluster'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
start_yarn '{"rms":[{}]}'
one=$rm

test_expect_success 'status: what the ResourceManager says, kept' '
	running_run && forget &&
	scenario ".apps = [$(app "$job" FINISHED SUCCEEDED "{finishedTime:
		1764497760000, trackingUrl: \"http://rm/x\"}")]" &&
	sa-yarn status "$job" >out 2>err && test_empty err &&
	jq_ok ".state == \"SUCCEEDED\" and .yarn_state == \"FINISHED\"" out &&
	jq_ok ".final_status == \"SUCCEEDED\"" out &&
	jq_ok ".finished_at == \"2025-11-30T10:16:00Z\"" out &&
	jq_ok ".tracking_url == \"http://rm/x\"" out &&
	jq_ok ".state == \"SUCCEEDED\"" "$run/record.json" &&
	test "$(asked true)" -eq 1 &&
	test "$(asked ".query[\"user.name\"] == \"alice\"")" -eq 1 &&
	sa-yarn status "$job" >again &&
	test_cmp out again && test "$(asked true)" -eq 1
'

# YARN-STATE FINAL-STATUS OURS
for row in 'NEW_SAVING UNDEFINED SUBMITTED' 'SUBMITTED UNDEFINED SUBMITTED' \
	'ACCEPTED UNDEFINED ACCEPTED' 'RUNNING UNDEFINED RUNNING' \
	'RUNNING SUCCEEDED RUNNING' 'FINISHED SUCCEEDED SUCCEEDED' \
	'FINISHED FAILED FAILED' 'FINISHED KILLED KILLED' \
	'FAILED FAILED FAILED' 'KILLED KILLED KILLED' \
	'FINISHED UNDEFINED FAILED' 'LATER UNDEFINED SUBMITTED'
do
	test_expect_success "status: $row" '
		set -- $row && new_cluster_run "{state: \"SUBMITTED\",
			application_id: \"application_1700000000000_7777\"}" &&
		scenario ".apps = [$(app "$job" "$1" "$2") +
			{id: \"application_1700000000000_7777\"}]" &&
		sa-yarn status "$job" >out &&
		jq_ok ".state == \$s" out --arg s "$3" &&
		jq_ok ".yarn_state == \$s" out --arg s "$1"
	'
done

test_expect_success 'status: a restarted ResourceManager is no reason' '
	anew="Attempt recovered after RM restart" &&
	running_run && scenario ".apps = [$(app "$job" FINISHED SUCCEEDED \
		"{diagnostics: \"$anew\"}")]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"SUCCEEDED\" and .diagnostics == null" out &&
	running_run && scenario ".apps = [$(app "$job" FINISHED FAILED \
		"{diagnostics: \"${anew}User application exited\"}")]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".diagnostics == \"User application exited\"" out &&
	running_run && scenario ".apps = [$(app "$job" FINISHED FAILED \
		"{diagnostics: \"$anew\"}")]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".diagnostics == \"the cluster gave no reason\"" out
'

test_expect_success 'status: an id that was not seen is found by the tag' '
	new_cluster_run && forget &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED)]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"RUNNING\" and .application_id == \$a" out \
		--arg a "$(app_of "$job")" &&
	test "$(asked "(.query.applicationTags // \"\" | ascii_downcase) ==
		(\"sa-$job\" | ascii_downcase)")" -eq 1
'

test_expect_success 'list: all jobs of the store in one request' '
	empty_store && all= && i=0 &&
	while test $((i += 1)) -le 20
	do
		running_run && all="$all,$(app "$job" FINISHED FAILED)" ||
			return 1
	done &&
	new_cluster_run && all="$all,$(app "$job" ACCEPTED UNDEFINED)" &&
	scenario ".apps = [${all#,}]" && forget &&
	sa-yarn list >out 2>err && test_empty err &&
	jq_ok "[.items[] | select(.state == \"FAILED\")] | length == 20" out &&
	jq_ok ".items[0] | .state == \"ACCEPTED\"" out &&
	jq_ok ".items[0].application_id == \$a" out \
		--arg a "$(app_of "$job")" &&
	test "$(asked ".path | endswith(\"/apps\")")" -eq 1 &&
	test "$(asked ".path | contains(\"/apps/\")")" -eq 0 &&
	test "$(asked true)" -le 2 &&
	sa-yarn list >again && forget &&
	jq -c "[.items[] | del(.checked_at)]" out >a &&
	jq -c "[.items[] | del(.checked_at)]" again >b && test_cmp a b
'

test_expect_success 'list -n asks for no more than it shows' '
	empty_store && running_run && old=$run &&
	running_run && scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	sa-yarn list -n 1 >out &&
	jq_ok ".items | length == 1 and .[0].state == \"SUCCEEDED\"" out &&
	jq_ok ".state == \"RUNNING\"" "$old/record.json"
'

test_expect_success 'list: one line for a cluster that does not answer' '
	empty_store && running_run && running_run && running_run &&
	scenario ".rules = [{status: 500, body: \"oops\"}]" &&
	sa-yarn list >out 2>err &&
	jq_ok "all(.items[]; .state == \"RUNNING\") and
		(.items | length == 3)" out &&
	test "$(wc -l <err)" -eq 1 && test_match "3 jobs" err &&
	sa-yarn status "$job" >out 2>err &&
	jq_ok ".state == \"RUNNING\"" out && test "$(wc -l <err)" -eq 1
'

# Takes connections at three ports, and says nothing.
hang () {
	python3 -c '
import os, socket, sys, time
all = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(s.getsockname()[1] for s in all), flush=True)
while os.path.exists("/proc/" + sys.argv[1]):
    time.sleep(0.2)' "$1" >silent &
	echo $! >>"$TMPDIR/pids"
	wait_for test -s silent
}

test_expect_success 'list: clusters that hang share the time' '
	hang $$ && empty_store && running_run && good=$job &&
	scenario ".apps = [$(app "$job" ACCEPTED UNDEFINED)]" &&
	for port in $(cat silent)
	do
		running_run && jq -c --arg u "http://127.0.0.1:$port" \
			".yarn_rm_url = \$u" "$run/record.json" >"$run/.new" &&
		mv "$run/.new" "$run/record.json" || return 1
	done &&
	timeout 60 sa-yarn list -t 8 >out 2>err &&
	jq_ok "[.items[] | .state] == [\"RUNNING\", \"RUNNING\", \"RUNNING\",
		\"ACCEPTED\"]" out &&
	for port in $(cat silent)
	do
		test_match "127.0.0.1:$port.* 1 job is as last" err || return 1
	done &&
	test "$(wc -l <err)" -eq 3 &&
	timeout 60 sa-yarn list -t 0 >out 2>err && test_match \
		"YARN of connection .demo. was not asked.* 4 jobs" err
'

test_expect_success 'HTML, a login page, broken JSON: no answer, no end' '
	running_run &&
	for rule in "{body: \"<html>login</html>\", type: \"text/html\"}" \
		"{body: \"{\\\"app\\\":\"}" "{body: \"{}\"}" \
		"{status: 302, headers: {Location: \"http://x/\"}}" \
		"{drop: true}" "{status: 503, body: \"\"}"
	do
		scenario ".rules = [$rule]" &&
		sa-yarn status "$job" >out 2>err || return 1
		jq_ok ".state == \"RUNNING\"" out &&
		test "$(wc -l <err)" -eq 1 || return 1
	done
'

test_expect_success 'forgotten: LOST where no end was seen, and said' '
	running_run && scenario ".apps = []" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"LOST\"" out &&
	jq_ok ".diagnostics | test(\"no longer knows application_.*RUNNING\")" \
		out &&
	test_expect_code 69 sa-yarn wait "$job" >out 2>err &&

	scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"SUCCEEDED\" and .diagnostics == null" out &&
	scenario ".apps = []" && sa-yarn status "$job" >again &&
	test_cmp out again
'

test_expect_success 'an id that spark-submit has, but has not submitted' '
	new_cluster_run "{state: \"SUBMITTED\",
		application_id: \"application_1700000000000_7777\"}" &&
	rm "$run/exit.json" && supervise && scenario ".apps = []" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"SUBMITTED\" and .diagnostics == null" out &&
	ended 1 && echo "Error: queue is unknown" >"$run/stderr" &&
	sa-yarn status "$job" >out && jq_ok ".state == \"FAILED\"" out
'

test_expect_success 'a ResourceManager that starts knows nothing yet' '
	running_run && known=$job && new_cluster_run && wanted=$job &&
	scenario ".rms = [{state: \"INITIALIZING\"}]" &&
	sa-yarn status "$known" >out 2>err &&
	jq_ok ".state == \"RUNNING\"" out &&
	sa-yarn status --reconcile --grace-seconds 0 "$wanted" >out 2>err &&
	jq_ok ".state == \"SUBMITTING\"" out &&
	sa-yarn list >out 2>err &&
	jq_ok ".items[0].state == \"SUBMITTING\"" out &&
	jq_ok ".items[1].state == \"RUNNING\"" out
'

test_expect_success '--reconcile: found, or LOST after the grace' '
	new_cluster_run && scenario ".apps = [$(app "$job" ACCEPTED \
		UNDEFINED)]" &&
	sa-yarn status --reconcile "$job" >out &&
	jq_ok ".state == \"ACCEPTED\" and .application_id != null" out &&

	new_cluster_run && scenario ".apps = []" &&
	sa-yarn status --reconcile --grace-seconds 0 "$job" >out &&
	jq_ok ".state == \"LOST\"" out &&
	jq_ok ".diagnostics | test(\"not submitted again\")" out &&

	new_cluster_run && ended 1 && echo "Error: no main class" \
		>"$run/stderr" &&
	sa-yarn status --reconcile --grace-seconds 0 "$job" >out &&
	jq_ok ".state == \"FAILED\" and .exit_code == 1" out &&
	jq_ok ".diagnostics | test(\"no main class\")" out
'

test_expect_success '--reconcile: of several the newest, all are named' '
	new_cluster_run &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED) +
		{id: \"application_1700000000000_8001\", startedTime: 5},
		$(app "$job" RUNNING UNDEFINED) +
		{id: \"application_1700000000000_8002\", startedTime: 9}]" &&
	sa-yarn status --reconcile "$job" >out &&
	jq_ok ".application_id | endswith(\"_8002\")" out &&
	jq_ok ".note | test(\"_8001 \\\\(RUNNING\\\\)\")" out
'
for state in RUNNING FINISHED
do
	test_expect_success "--reconcile: that stays, $state with a reason" '
		new_cluster_run &&
		scenario ".apps = [$(app "$job" RUNNING UNDEFINED) +
			{id: \"application_1700000000000_8001\"},
			$(app "$job" RUNNING UNDEFINED) +
			{id: \"application_1700000000000_8002\"}]" &&
		sa-yarn status --reconcile "$job" >out &&
		scenario ".apps = [$(app "$job" $state FAILED) +
			{id: \"application_1700000000000_8002\",
			diagnostics: \"a node was lost\"}]" &&
		sa-yarn status "$job" >out &&
		jq_ok ".diagnostics == \"a node was lost\" and
			(.note | test(\"_8001\"))" out &&
		"$SA_BUILDDIR/t/in-terminal" /dev/null sa-yarn status "$job" \
			>shown &&
		test_match "_8001 .RUNNING." shown &&
		test_match "^a node was lost" shown
	'
done
test_expect_success 'a job with one application has no note' '
	new_cluster_run &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED)]" &&
	sa-yarn status --reconcile "$job" >out &&
	jq_ok "has(\"note\") | not" out
'

test_expect_success '--reconcile: one with other tags is not ours' '
	new_cluster_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED) +
		{applicationTags: \"sa-j_other,sa-s-$store_id\"}]" &&
	sa-yarn status --reconcile --grace-seconds 0 "$job" >out &&
	jq_ok ".state == \"LOST\" and .application_id == null" out
'

test_expect_success 'words without end do not get into the record' '
	running_run && long=$(printf "%020000d" 0) &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED) +
		{state: \"$long\", finalStatus: \"$long\",
		trackingUrl: \"http://h/$long\"}]" &&
	sa-yarn status "$job" >out && test "$(wc -c <out)" -lt 4096 &&
	jq_ok ".state == \"RUNNING\" and .tracking_url == null" out &&
	jq_ok ".yarn_state | startswith(\"000\")" "$run/record.json"
'

test_expect_success 'a record that names another job is none' '
	running_run && other=$job && cp "$run/record.json" kept &&
	their=$run && running_run && mine=$job &&
	cp "$their/record.json" "$run/record.json" &&
	scenario ".apps = [$(app "$other" FINISHED FAILED)]" &&
	test_expect_code 65 sa-yarn status "$mine" >out 2>err &&
	test_empty out && test_match "$mine.*not that of this job" err &&
	test_cmp kept "$their/record.json"
'

test_expect_success 'client mode: the driver decides, but for KILLED' '
	new_cluster_run "{deploy_mode: \"client\", state: \"RUNNING\"}" &&
	rm "$run/exit.json" && supervise && start_driver sleep 300 &&
	scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"RUNNING\" and .yarn_state == \"FINISHED\"" out &&
	ended 3 && sa-yarn status "$job" >out &&
	jq_ok ".state == \"FAILED\" and .exit_code == 3" out &&

	new_cluster_run "{deploy_mode: \"client\", state: \"RUNNING\"}" &&
	rm "$run/exit.json" && supervise && start_driver sleep 300 &&
	scenario ".apps = [$(app "$job" KILLED KILLED)]" &&
	ended 0 && sa-yarn status --reconcile "$job" >out &&
	jq_ok ".state == \"RUNNING\" and .yarn_state == \"KILLED\"" out &&
	{ kill -9 "$supervisor"; wait "$supervisor" || :; } &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"KILLED\" and .exit_code == 0" out
'

# client_run: in client mode, and its driver has ended with 3
client_run () {
	running_run && jq -c ".deploy_mode = \"client\"" "$run/record.json" \
		>"$run/.new" && mv "$run/.new" "$run/record.json" && ended 3
}

test_expect_success 'client mode: no words from before the end' '
	client_run && scenario ".rms = [{state: \"REFUSED\"}]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"FAILED\" and .exit_code == 3 and
		.yarn_state == null and .final_status == null" out
'

test_expect_success 'client mode: the words for an end, once they are there' '
	client_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED \
		"{steps: [{}, {}, {state: \"FINISHED\",
		finalStatus: \"FAILED\", diagnostics: \"theirs\"}]}")]" &&
	sa-yarn status --reconcile "$job" >out &&
	jq_ok ".state == \"FAILED\" and .exit_code == 3 and
		.finished_at == \"2026-11-29T10:16:00Z\"" out &&
	jq_ok ".yarn_state == \"FINISHED\" and
		.final_status == \"FAILED\" and
		(.diagnostics | contains(\"theirs\") | not)" out &&
	jq_ok ".yarn_state == \"FINISHED\"" "$run/record.json"
'

test_expect_success 'client mode: why it waits, until it has ended' '
	client_run && rm "$run/exit.json" && supervise &&
	start_driver sleep 300 &&
	scenario ".apps = [$(app "$job" ACCEPTED UNDEFINED \
		"{diagnostics: \"cluster resource is empty\"}")]" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"ACCEPTED\" and
		.diagnostics == \"cluster resource is empty\"" out &&
	scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" && ended 0 &&
	{ kill -9 "$supervisor"; wait "$supervisor" || :; } &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"SUCCEEDED\" and .diagnostics == null" out
'

test_expect_success 'client mode: a cluster that never says so' '
	client_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED)]" &&
	sa-yarn status --reconcile --grace-seconds 1 "$job" >out &&
	jq_ok ".state == \"FAILED\" and .yarn_state == null" out &&
	client_run && scenario ".rms = [{state: \"REFUSED\"}]" &&
	sa-yarn status --reconcile --grace-seconds 1 "$job" >out &&
	jq_ok ".state == \"FAILED\" and .yarn_state == null" out
'

test_expect_success 'wait: the verdict is the cluster'\''s' '
	running_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED \
		"{steps: [{}, {state: \"FINISHED\", finalStatus: \"FAILED\",
		diagnostics: \"User class threw\"}]}")]" &&
	test_expect_code 1 sa-yarn wait "$job" >out 2>err &&
	jq_ok ".state == \"FAILED\"" out &&
	jq_ok ".diagnostics | test(\"User class threw\")" out &&
	running_run && scenario ".apps = [$(app "$job" ACCEPTED UNDEFINED)]" &&
	test_expect_code 75 sa-yarn wait -t 1 "$job" >out 2>err &&
	test_empty out && test_match "ACCEPTED" err
'

test_expect_success 'wait on many: one request for all of them' '
	empty_store && jobs= && all= && i=0 &&
	while test $((i += 1)) -le 10
	do
		running_run && jobs="$jobs $job" &&
		all="$all,$(app "$job" FINISHED SUCCEEDED)" || return 1
	done &&
	scenario ".apps = [${all#,}]" && forget &&
	sa-yarn wait $jobs >out &&
	test "$(wc -l <out)" -eq 10 &&
	test "$(asked ".path | endswith(\"/apps\")")" -eq 1 &&
	test "$(asked true)" -le 2
'

test_expect_success 'wait: an interrupt leaves the job alone' '
	running_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED)]" &&
	forget &&
	{ env --default-signal=INT sa-yarn wait "$job" >out 2>err & } &&
	waiter=$! && wait_for test -s "$TMPDIR/requests" &&
	kill -INT "$waiter" && { wait "$waiter"; test $? -gt 128; } &&
	test_match "^sa-yarn: the job goes on; .*$job" err &&
	test_empty out && test "$(asked ".method == \"PUT\"")" -eq 0
'

test_expect_success 'its end is told of once' '
	echo "cat >>$PWD/told" >teller && chmod +x teller &&
	SA_ON_EVENT="sh $PWD/teller" && export SA_ON_EVENT && empty_store &&
	running_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED)]" &&
	sa-yarn status "$job" >out && sa-yarn list >out &&
	scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	sa-yarn status "$job" >out && wait_for test -s told &&
	sa-yarn status "$job" >out && sa-yarn wait "$job" >out &&
	jq_ok ".state == \"SUCCEEDED\"" told && test "$(wc -l <told)" -eq 1
'

test_expect_success 'launch is for clusters that need it' '
	new_cluster_run && test_expect_code 66 sa-yarn launch "$job" >out \
		2>err && test_empty out
'

test_expect_success LONG 'wait tells of an outage, and of its end' '
	running_run && scenario ".rules = [{status: 500, body: \"\"}]" &&
	{ sa-yarn wait "$job" >out 2>err & } && waiter=$! &&
	wait_for grep -q "asked again" err &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED)]" &&
	wait_for grep -q "answers again" err &&
	scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	wait "$waiter" && jq_ok ".state == \"SUCCEEDED\"" out
'

test_expect_success 'of a request: status' '
	running_run && scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	jq -nc --arg j "$job" "{job_id: \$j}" >in &&
	SA_ORIGIN=agent sa-yarn status --request <in >out &&
	jq_ok ".state == \"SUCCEEDED\"" out
'

for what in 'no ResourceManager||78' 'a bad one|ftp://x|78'
do
	name=${what%%|*} rest=${what#*|}
	url=${rest%|*} code=${rest#*|}
	test_expect_success "$name: last known state; reconcile is $code" '
		new_cluster_run "{yarn_rm_url: (\"$url\" | if . == \"\" then
			null else . end)}" &&
		sa-yarn status "$job" >out 2>err &&
		jq_ok ".state == \"SUBMITTING\"" out &&
		test "$(wc -l <err)" -eq 1 &&
		test_expect_code "$code" sa-yarn status --reconcile \
			--grace-seconds 0 "$job" >out 2>err &&
		test_empty out
	'
done

test_done
