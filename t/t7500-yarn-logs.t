#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='sa-yarn logs: drivers and executors on YARN'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
start_yarn '{"rms":[{}]}'

# container N [ATTEMPT]
container () {
	printf 'container_%s_%02d_%06d' \
		"$(app_of "$job" | sed 's/application_//')" "${2:-1}" "$1"
}

servers='{"yarn.log.server.url": "http://{jhs}/jobhistory/logs",
	"yarn.log.server.web-service.url": "http://{jhs}/ws/v1/history"}'

# logged STATE FINAL-STATUS AGGREGATION [JQ-EXPRESSION]: the driver's stdout is
# the file log, what else there is says where it comes from.
logged () {
	scenario ".apps = [$(app "$job" "$1" "$2" \
		"{logAggregationStatus: \"$3\"}")] | .conf = $servers |
	.logs = {\"$(container 1)\": {stdout: {path: \"$PWD/log\"},
		stderr: \"driver err\n\", \"prelaunch.err\": \"pre\n\"},
		\"$(container 2)\": {stdout: \"executor out\n\",
			stderr: \"executor err\n\"}} | ${4:-.}"
}
running='RUNNING UNDEFINED NOT_START'
finished='FINISHED SUCCEEDED SUCCEEDED'
kept='FINISHED SUCCEEDED DISABLED'

printf '%s\n' 'LogLength:5' 'End of LogType:stdout' '***' 'LogContents:' \
	'</pre> <b>&amp; &auml;' >log
printf '\303\244 \342\202\254\n\n' >>log
i=0
while test $((i += 1)) -le 3000
do
	echo "line $i"
done >>log
printf 'no line break' >>log

from () {
	sa-yarn logs --json "$job" >out &&
	jq_ok ".source | test(\$s)" out --arg s "$1"
}

# whole NAME STATE SOURCE [JQ-EXPRESSION]
whole () {
	state=$2 source=$3 more=${4:-.}
	test_expect_success "the whole log: $1" '
		running_run && logged $state "$more" &&
		sa-yarn logs "$job" >got 2>err && cmp log got &&
		test_empty err && from "^$source localhost:[0-9]+$"
	'
}
killed='KILLED KILLED SUCCEEDED'
collecting='FINISHED SUCCEEDED RUNNING'
whole running "$running" NodeManager
whole 'ended, not collected yet' "$collecting" NodeManager
whole collected "$finished" 'log server'
whole killed "$killed" 'log server'
whole 'no aggregation' "$kept" NodeManager
whole 'old log server' "$finished" 'page of the log server' '.log_rest = false'
whole 'old nodes' "$running" 'page of the NodeManager' '.node_rest = false'
whole 'collected since' "$collecting" 'log server' '.collected = true'
whole 'timeline service 1' "$kept" 'timeline service' '.collected = true |
	.timeline = "v1" | .conf = {"yarn.timeline-service.enabled": "true",
		"yarn.timeline-service.webapp.address": "{ts}"}'
whole 'timeline service 2' "$kept" 'timeline service 2' '.collected = true |
	.timeline = "v2" | .conf = {"yarn.timeline-service.enabled": "true",
		"yarn.timeline-service.reader.webapp.address": "{ts}"}'
whole 'a page alone is named' "$finished" 'page of the log server' '
	.conf = {"yarn.log.server.url": "http://{jhs}/jobhistory/logs"} |
	.log_rest = false'
whole 'only a link names it' "$finished" 'log server' '.conf = {} |
	.attempts = [{containerId: (.logs | keys[0]),
		nodeId: "localhost:45454",
		logsLink: "http://{jhs}/jobhistory/logs/x/y/z/alice"}]'

# Each of these over a log that grows, one that is collected, and a page.
for where in "$running ." "$finished ." "$finished .log_rest=false" \
	"$running .node_rest=false"
do
	test_expect_success "parts: $where" '
		running_run && logged $where &&
		for n in 0 1 99 3006 3007 5000
		do
			tail -n $n log >expected &&
			sa-yarn logs -n $n "$job" >got && cmp expected got &&
			head -n $n log >expected &&
			sa-yarn logs --head $n "$job" >got &&
			cmp expected got || return 1
		done &&
		for n in 7 8000 1000000
		do
			tail -c $n log >expected &&
			sa-yarn logs --bytes $n "$job" >got &&
			cmp expected got &&
			head -c $n log >expected &&
			sa-yarn logs --offset 0 --bytes $n "$job" >got &&
			cmp expected got || return 1
		done &&
		tail -c +1001 log >expected &&
		sa-yarn logs --offset 1000 "$job" >got && cmp expected got &&
		tail -c +1001 log | head -c 500 >expected &&
		sa-yarn logs --offset 1000 --bytes 500 "$job" >got &&
		cmp expected got &&
		sa-yarn logs --offset 99999999 "$job" >got && test_empty got
	'
done

test_expect_success 'many lines from the end of a long log' '
	running_run && logged $running ".logs[].stdout = {lines: 200000}" &&
	sa-yarn logs -n 50000 "$job" >got &&
	test "$(wc -l <got)" -eq 50000 &&
	sa-yarn logs --offset 0 "$job" >all &&
	tail -n 50000 all >expected && cmp expected got
'

test_expect_success 'a file that was collected in pieces' '
	running_run && logged $finished ".logs[].stdout = {pieces:
		[\"one\ntwo\n\", \"\", \"three\nfour\n\"]}" &&
	printf "one\ntwo\nthree\nfour\n" >whole &&
	sa-yarn logs "$job" >got && cmp whole got &&
	sa-yarn logs -n 3 "$job" >got && tail -n 3 whole >expected &&
	test_cmp expected got &&
	sa-yarn logs --offset 6 --bytes 5 "$job" >got &&
	printf "o\nthr" >expected && cmp expected got
'

test_expect_success 'golden: job_log of a cluster' '
	running_run && logged $finished &&
	sa-yarn logs --json --head 1 "$job" >out 2>err && test_empty err &&
	jhs=$(jq .jhs "$TMPDIR/ports") &&
	cat >expected <<-J &&
	{"v":1,"type":"job_log","job_id":"$job",\
"source":"log server localhost:$jhs","stream":"stdout",\
"content":"LogLength:5\n","offset":0,"bytes":12,"truncated":true,"next":12,\
"tried":[],"container":"$(container 1)","role":"driver"}
	J
	test_cmp expected out
'

test_expect_success 'next goes through all of it, while it grows and after' '
	running_run && head -n 3000 log >grows &&
	logged $running ".logs[].stdout = {path: \"$PWD/grows\"}" &&
	offset=0 && : >all &&
	while :
	do
		sa-yarn logs --json --bytes 1000 --offset "$offset" "$job" \
			>out &&
		jq -j .content out >>all && jq_ok ".next != null" out &&
		offset=$(jq .next out) || return 1
		test "$(jq .bytes out)" -gt 0 || break
	done &&
	cmp grows all && tail -n +3001 log >>grows &&
	logged $finished ".logs[].stdout = {path: \"$PWD/grows\"}" &&
	sa-yarn logs --json --offset "$offset" "$job" >out &&
	jq_ok ".next == null and (.truncated | not)" out &&
	jq -j .content out >>all && cmp log all
'

# agent MEMBERS: what a model gets of $job.
agent () {
	jq -nc --arg j "$job" "{job_id: \$j} + $1" |
		SA_ORIGIN=agent sa-yarn logs --request >out
}

test_expect_success 'a model gets pages, and no part of a secret' '
	running_run && yes "a line of output" | head -n 4000 >long &&
	printf "first\\npassword=hunter2 and \\033more\\n" >secret &&
	cat long secret >both &&
	logged $finished ".logs[].stdout = {path: \"$PWD/both\"}" &&
	agent "{}" && jq_ok "(.content | length) <= 30000 and
		(.content | endswith(\"password=**** and \\\\x1bmore\\n\")) and
		(.notice | test(\"data\")) and .truncated and
		(has(\"next\") | not)" out &&
	jq_ok ".offset + .bytes == \$n" out \
		--argjson n "$(wc -c <both)" &&
	at=0 && >all &&
	while test "$at" != null
	do
		agent "{offset: $at}" &&
		jq_ok "(.content | length) <= 30000 and .offset == $at and
			(.content | endswith(\"\\n\"))" out &&
		jq -j .content out >>all && at=$(jq .next out) || return 1
	done &&
	head -n 4001 both >expected &&
	printf "password=**** and \\\\x1bmore\\n" >>expected &&
	cmp expected all &&
	logged $finished ".logs[].stdout = {path: \"$PWD/secret\"}" &&
	for at in 1 6 10 15 16 20 21
	do
		agent "{offset: $at}" && jq_ok ".offset == $at and
			(.content | test(\"ter2|hun\") | not) and
			(.content | endswith(\"more\\n\"))" out || return 1
	done &&
	agent "{tail: 1}" && jq_ok ".content == \"password=**** and \" +
		\"\\\\x1bmore\\n\" and .offset == 6" out
'

test_expect_success 'streams: stderr, all, prelaunch, submit' '
	running_run && logged $finished && echo submitted >"$run/stderr" &&
	echo "driver err" >expected &&
	sa-yarn logs -s stderr "$job" >got && test_cmp expected got &&
	sa-yarn logs -s all "$job" >got && { cat log && echo &&
		echo "driver err"; } >expected && cmp expected got &&
	echo pre >expected &&
	sa-yarn logs -s prelaunch "$job" >got && test_cmp expected got &&
	echo submitted >expected &&
	sa-yarn logs -s submit "$job" >got && test_cmp expected got &&
	sa-yarn logs --json -s submit "$job" >out &&
	jq_ok ".stream == \"stderr\" and .content == \"submitted\n\"" out &&
	test_expect_code 64 sa-yarn logs -s both "$job" 2>err &&
	test_match "both.*none of stdout" err
'

test_expect_success 'client mode: the output on this host, and executors' '
	running_run && logged $running &&
	jq -c ".deploy_mode = \"client\" | .state = \"SUCCEEDED\"" \
		"$run/record.json" >"$run/.new" &&
	mv "$run/.new" "$run/record.json" && echo here >"$run/stdout" &&
	forget && sa-yarn logs "$job" >got && echo here >expected &&
	test_cmp expected got && test "$(asked true)" -eq 0 &&
	sa-yarn logs -s stderr --executors "$job" >got &&
	cat >expected <<-E &&
	==> application master $(container 1) stderr <==
	driver err

	==> executor $(container 2) stderr <==
	executor err
	E
	test_cmp expected got &&
	test_expect_code 66 sa-yarn logs -s prelaunch "$job" 2>err
'

test_expect_success 'executors: those that run, and those that were' '
	for state in "$running" "$finished"
	do
		running_run && echo short >log2 &&
		logged $state ".logs[\"$(container 1)\"].stdout =
			\"short\n\"" &&
		sa-yarn logs --executors "$job" >got 2>err &&
		cat >expected <<-E || return 1
		==> driver $(container 1) stdout <==
		short

		==> executor $(container 2) stdout <==
		executor out
		E
		test_cmp expected got && test_empty err &&
		sa-yarn logs --executors --json "$job" >out &&
		jq -c "[.role, .container, .content]" out >got &&
		cat >expected <<-E || return 1
		["driver","$(container 1)","short\n"]
		["executor","$(container 2)","executor out\n"]
		E
		test_cmp expected got || return 1
	done
'

test_expect_success '--all: each stream of each attempt' '
	running_run && logged $finished ".logs = {
		\"$(container 1)\": {stdout: \"a1\n\", stderr: \"a2\n\"},
		\"$(container 1 2)\": {stdout: \"b1\n\", stderr: \"b2\n\"},
		\"$(container 2 2)\": {stdout: \"c1\n\", stderr: \"c2\n\"}} |
		.attempts = [
		{id: 1, containerId: \"$(container 1)\"},
		{id: 2, containerId: \"$(container 1 2)\"}]" &&
	sa-yarn logs "$job" >got && echo b1 >expected &&
	test_cmp expected got &&
	sa-yarn logs --all "$job" >got && grep -v "^==\|^$" got >lines &&
	printf "%s\n" b1 b2 a1 a2 c1 c2 >expected && test_cmp expected lines
'

test_expect_success 'the ResourceManager has forgotten the application' '
	running_run && logged $finished &&
	jq ".rules = [{server: \"rm0\", path: \"/apps/\", status: 404, body:
		{RemoteException: {exception: \"NotFoundException\", message:
		\"app with id: x not found\"}} | tojson}]" \
		"$TMPDIR/scenario" >"$TMPDIR/scenario.new" &&
	mv "$TMPDIR/scenario.new" "$TMPDIR/scenario" &&
	sa-yarn logs "$job" >got 2>err && cmp log got &&
	sa-yarn logs --executors -s stderr "$job" >got &&
	grep "^executor err" got
'

test_expect_success 'an id that is not submitted yet: that, and nothing else' '
	new_cluster_run "{state: \"SUBMITTED\"}" && rm "$run/exit.json" &&
	supervise && jq -c --arg a "$(app_of "$job")" ".application_id = \$a" \
		"$run/record.json" >"$run/.new" &&
	mv "$run/.new" "$run/record.json" &&
	logged $running ".apps = []" && forget &&
	test_expect_code 66 sa-yarn logs "$job" >out 2>err && test_empty out &&
	head -n 1 err >first &&
	test_match "YARN does not have $(app_of "$job") .yet." first &&
	test_match "--stream submit" err && test "$(wc -l <err)" -eq 1 &&
	test "$(asked ".server == \"jhs\"")" -eq 0
'

test_expect_success 'forgotten, and no log: the ResourceManager first' '
	running_run && logged $running ".apps = [] | .logs = {}" &&
	test_expect_code 66 sa-yarn logs "$job" 2>err &&
	grep -v "LOST\|no longer knows" err >reasons &&
	head -n 1 reasons >first && test_match "ResourceManager: " first &&
	test_match "log server" reasons
'

test_expect_success 'no log anywhere: each reason, and the hint' '
	running_run && logged $kept ".logs = {}" &&
	test_expect_code 66 sa-yarn logs "$job" >out 2>err && test_empty out &&
	test_match "^sa-yarn: NodeManager localhost:[0-9]*: " err &&
	test_match "^sa-yarn: log server localhost:[0-9]*: status 503" err &&
	test_match "^sa-yarn: page of the log server .*: Logs not avail" err &&
	test_match "log aggregation is off" err &&
	SA_ERROR_FD=9 test_expect_code 66 sa-yarn logs --json "$job" \
		9>error 2>err >out && test_empty out &&
	jq_ok ".error.detail | .type == \"job_log\" and .source == null and
		(.tried | length) >= 3 and all(.tried[]; .source and .why)" \
		error &&
	jq_ok ".error.hint | test(\"log aggregation\")" error
'

test_expect_success 'how it ended is told where there is no log' '
	running_run && logged FINISHED FAILED DISABLED ".logs = {} |
		.apps[0].diagnostics = \"exited with status 7\nmore\"" &&
	test_expect_code 66 sa-yarn logs "$job" 2>err &&
	test_match "^sa-yarn: $job FAILED: exited with status 7$" err &&
	running_run && logged FINISHED FAILED SUCCEEDED \
		".logs[].stdout = \"\"" &&
	sa-yarn logs "$job" >out 2>err && test_empty out &&
	test_match "stdout is empty.*prelaunch" err
'

# hint WORDS STATE [JQ-EXPRESSION [STATUS]]
hint () {
	words=$1 state=$2 more=${3:-.} status=${4:-66}
	test_expect_success "hint: $1" '
		running_run && logged $state "$more" &&
		test_expect_code "$status" sa-yarn logs "$job" 2>err &&
		test_match "$words" err
	'
}
none='.logs = {}'
hint 'log aggregation is still going on' "$collecting" "$none"
hint 'log aggregation failed' 'FINISHED FAILED FAILED' "$none"
hint 'set yarn.log.server.url' "$finished" "$none | .conf = {}"
hint 'log aggregation may be off' "$finished" "$none"
hint 'the application runs: try again' "$running" "$none"
hint 'never wrote such a file' "$finished" '.logs[] |= {stderr: ""}'
hint 'no container: it is ACCEPTED' 'ACCEPTED UNDEFINED NOT_START' \
	'.apps[0].container = false'
hint 'no container: it is KILLED' 'KILLED KILLED NOT_START' \
	'.apps[0].container = false'
hint 'ResourceManager did not tell.*: try again' "$finished" '
	.logs = {} | .rules = [{server: "rm0", drop: true}]' 69
hint 'NodeManager.*: User .* not authorized' "$running" '
	.rules = [{server: "nm", path: "stdout", status: 500,
		body: "User [alice] is not authorized to view the logs"}]'

test_expect_success 'a log server that answers 200 with a sentence' '
	running_run && logged $finished ".logs[] |= {stdout: \"x\"} |
		.rules = [{server: \"jhs\", path: \"containerlogs\",
		type: \"text/plain\",
		body: \"Can not find logs for container:x\"}]" &&
	sa-yarn logs --json "$job" >out &&
	jq_ok ".content == \"x\" and (.source | test(\"^page\")) and
		(.tried | length) == 1 and
		(.tried[0].why | test(\"^Can not\"))" \
		out
'

test_expect_success 'a redirect is followed nowhere' '
	running_run && logged $running ".rules = [{server: \"nm\",
		status: 307, body: \"\", headers: {Location:
		\"http://{ts}/ws/v1/history/steal?x=1\"}}]" &&
	forget && test_expect_code 66 sa-yarn logs "$job" 2>err &&
	test "$(asked ".server == \"ts\"")" -eq 0 &&
	test_match "refers to another server" err
'

test_expect_success 'an address that is none of a server is not asked' '
	running_run && logged $running ".attempts = [{containerId:
		\"$(container 1)\", nodeHttpAddress: \"169.254.169.254:80\"}] |
		.apps[0].amContainerLogs =
		\"http://169.254.169.254/node/containerlogs/x/y\"" &&
	test_expect_code 66 sa-yarn logs "$job" 2>err &&
	test_match "169.254.169.254" err
'

test_expect_success 'a connection that breaks: read on from there' '
	running_run && logged $finished ".logs[].stdout = {lines: 200000} |
		.rules = [{server: \"jhs\", path: \"containerlogs\", times: 3,
		cut: 3000000}]" &&
	sa-yarn logs --offset 0 "$job" >got 2>err && test_empty err &&
	logged $finished ".logs[].stdout = {lines: 200000}" &&
	sa-yarn logs --offset 0 "$job" >expected && cmp expected got
'

test_expect_success 'one that breaks for good is said, and what came is there' '
	running_run && logged $finished ".logs[].stdout = {lines: 2000} |
		.collected = true | .rules = [{server: \"jhs\",
		path: \"stdout\", cut: 3000}]" &&
	sa-yarn logs --offset 0 "$job" >got 2>err &&
	test_match "broke off after [0-9]* of 126000 bytes" err &&
	test "$(wc -c <got)" -gt 1000
'

test_expect_success 'no answer, HTML and errors of one source are passed over' '
	for rule in "drop: true" "status: 500" "status: 200, body: \"<html>\"" \
		"status: 200, body: \"{\\\"containerLogsInfo\\\":7}\"" \
		"status: 401, body: \"\""
	do
		running_run && logged FINISHED SUCCEEDED RUNNING ".collected =
			true | .rules = [{server: \"nm\", $rule}]" &&
		sa-yarn logs "$job" >got && cmp log got || return 1
	done
'

test_expect_success 'an unknown job, and one without an application' '
	test_expect_code 66 sa-yarn logs j_20261129T101502_ffffff 2>err &&
	new_cluster_run "{state: \"FAILED\"}" &&
	test_expect_code 66 sa-yarn logs "$job" 2>err &&
	test_match "no application" err && test_match "stream submit" err
'

test_expect_success 'no container of another shape gets into a path' '
	running_run && logged $running ".attempts = [{
			containerId: \"container_1_1_01_000001/../../x\",
			nodeHttpAddress: \"{nm}\"}] |
		.apps[0].amContainerLogs =
			\"http://{nm}/node/containerlogs/..%2f/a\"" &&
	forget && test_expect_code 66 sa-yarn logs "$job" 2>err &&
	test "$(asked ".server == \"nm\"")" -eq 0
'

test_done
