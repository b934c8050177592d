#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='sa-yarn logs -f and wait --logs: drivers on YARN'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
start_yarn '{"rms":[{}]}'

# container ATTEMPT: the driver's.
container () {
	printf 'container_%s_%02d_000001' \
		"$(app_of "$job" | sed 's/application_//')" "$1"
}

# logged STATE FINAL-STATUS AGGREGATION [JQ-EXPRESSION]
logged () {
	scenario ".apps = [$(app "$job" "$1" "$2" \
		"{logAggregationStatus: \"$3\"}")] |
	.conf = {\"yarn.log.server.web-service.url\":
		\"http://{jhs}/ws/v1/history\"} |
	.logs = {\"$(container 1)\": {stdout: {path: \"$PWD/log\"},
		stderr: {path: \"$PWD/log.err\"}}} | ${4:-.}"
}
: >log.err
running='RUNNING UNDEFINED NOT_START'
finished='FINISHED SUCCEEDED SUCCEEDED'

# start COMMAND...: in the background, into got and err.
start () {
	"$@" >got 2>err &
	pid=$!
	echo "$pid" >>"$TMPDIR/pids"
}

more () {
	i=0
	while test $((i += 1)) -le "$1"
	do
		echo "more $i of $1, which is a line of a log"
	done >>log
}

for how in 'logs -f' 'wait --logs'
do
	test_expect_success "$how: goes on in the log server, to the byte" '
		running_run && : >log && logged $running &&
		start sa-yarn $how "$job" && more 10 &&
		wait_for cmp -s log got && more 3000 &&
		wait_for cmp -s log got &&
		printf "half a li" >>log && wait_for cmp -s log got &&
		{ echo ne && printf "no line break"; } >>log &&
		logged $finished && wait "$pid" && cmp log got
	'
done

asked_log_server () {
	test "$(asked '.server == "jhs"')" -ge 2
}

test_expect_success 'the log is nowhere for a while' '
	running_run && echo one >log && logged $running &&
	start sa-yarn logs -f "$job" && wait_for cmp -s log got &&
	echo two >>log &&
	logged FINISHED SUCCEEDED RUNNING ".rules = [{server: \"nm\",
		path: \"/node/\", drop: true}]" && forget &&
	wait_for asked_log_server && logged $finished &&
	wait "$pid" && cmp log got && test_empty err
'

test_expect_success 'no aggregation: the container ends after the application' '
	running_run && echo one >log && logged $running &&
	start sa-yarn logs -f "$job" && wait_for cmp -s log got &&
	echo two >>log && logged FINISHED SUCCEEDED DISABLED &&
	wait "$pid" && cmp log got && test_empty err
'

test_expect_success 'from the last lines on' '
	running_run && printf "%s\n" 1 2 3 >log && logged $running &&
	start sa-yarn logs -f -n 2 "$job" &&
	printf "%s\n" 2 3 >expected && wait_for cmp -s expected got &&
	echo 4 | tee -a log >>expected && logged $finished &&
	wait "$pid" && test_cmp expected got
'

test_expect_success 'two streams do not mix within lines' '
	running_run && : >log && : >log.err && logged $running &&
	start sa-yarn logs -f -s all "$job" &&
	for i in 1 2 3
	do
		printf "out" >>log && printf "err" >>log.err && sleep 0.3 &&
		echo " $i" >>log && echo " $i" >>log.err || return 1
	done &&
	logged $finished && wait "$pid" && sort got >sorted &&
	printf "%s\n" "err 1" "err 2" "err 3" "out 1" "out 2" "out 3" \
		>expected && test_cmp expected sorted
'

test_expect_success 'wait --logs: the verdict, and why there is little' '
	running_run && echo a >log && logged $running &&
	start sa-yarn wait --logs "$job" && wait_for cmp -s log got &&
	logged FINISHED FAILED SUCCEEDED ".apps[0].diagnostics =
		\"User application exited with status 1\"" &&
	test_expect_code 1 wait "$pid" && cmp log got &&
	test_match "^sa-yarn: $job FAILED: User application exited" err
'

test_expect_success 'wait --logs: the note, and then the verdict' '
	running_run && echo a >log && logged $finished &&
	jq -c ".note = \"others: application_1_2\"" "$run/record.json" \
		>"$run/.new" && mv "$run/.new" "$run/record.json" &&
	sa-yarn wait --logs "$job" >got 2>err && cmp log got &&
	printf "sa-yarn: %s\n" "others: application_1_2" "$job SUCCEEDED" \
		>expected && test_cmp expected err
'

test_expect_success 'wait --logs: a log that never comes' '
	running_run && echo a >log && logged $running &&
	start sa-yarn wait --logs "$job" && wait_for cmp -s log got &&
	echo b >>log &&
	logged FINISHED SUCCEEDED DISABLED ".logs = {}" &&
	wait "$pid" && test_match "end of stdout may be missing" err &&
	test_match "NodeManager.*: " err &&
	test_match "log aggregation is off" err &&
	test_match "^sa-yarn: $job SUCCEEDED" err
'

test_expect_success 'wait --logs: the application is found later' '
	new_cluster_run "{state: \"SUBMITTING\"}" && rm "$run/exit.json" &&
	supervise && scenario . && echo a >log &&
	start sa-yarn wait --logs "$job" && logged ACCEPTED UNDEFINED \
		NOT_START ".apps[0].container = false" &&
	jq -c --arg a "$(app_of "$job")" ".application_id = \$a" \
		"$run/record.json" >"$run/.new" &&
	mv "$run/.new" "$run/record.json" && sleep 1 &&
	logged $running && wait_for cmp -s log got && echo b >>log &&
	logged $finished && wait "$pid" && cmp log got
'

test_expect_success 'wait --logs: until the time is over' '
	running_run && echo a >log && logged $running &&
	test_expect_code 75 sa-yarn wait --logs -t 2 "$job" >got 2>err &&
	cmp log got && test_match "not ended after 2 s" err
'

test_expect_success 'another attempt' '
	running_run && echo a >log && logged $running &&
	start sa-yarn logs -f "$job" && wait_for cmp -s log got &&
	logged $running ".ended = [\"$(container 1)\"] |
		.logs[\"$(container 2)\"] = {stdout: \"second\n\"} |
		.attempts = [{id: 1, containerId: \"$(container 1)\",
			nodeHttpAddress: \"{nm}\"},
		{id: 2, containerId: \"$(container 2)\",
			nodeHttpAddress: \"{nm}\"}]" &&
	printf "a\nsecond\n" >expected && wait_for cmp -s expected got &&
	logged $finished ".logs[\"$(container 2)\"] = {stdout: \"second\n\"} |
		.attempts = [{id: 1, containerId: \"$(container 1)\"},
		{id: 2, containerId: \"$(container 2)\"}]" &&
	wait "$pid" && test_cmp expected got &&
	test_match "another attempt begins, in $(container 2)" err
'

test_expect_success 'a log that is cut begins again' '
	running_run && more 100 && logged $running &&
	start sa-yarn logs -f "$job" && wait_for cmp -s log got &&
	cp log before && echo new >log && cat before log >expected &&
	wait_for cmp -s expected got && logged $finished &&
	wait "$pid" && cmp expected got && test_match "cut or replaced" err
'

test_expect_success 'an interrupt leaves the job alone' '
	running_run && echo a >log && logged $running &&
	start env --default-signal=INT sa-yarn logs -f "$job" &&
	wait_for cmp -s log got && kill -INT "$pid" &&
	test_expect_code 130 wait "$pid" && test_match "the job goes on" err
'

test_done
