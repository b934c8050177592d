#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn and ResourceManagers that come, go and change places'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
start_yarn '{"rms":[{},{"state":"STANDBY"}]}'
second='.rms = [{state: "STANDBY"}, {}]'

test_expect_success 'the standby comes first: the other one is asked' '
	running_run && scenario "$second |
		.apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	sa-yarn status "$job" >out 2>err && test_empty err &&
	jq_ok ".state == \"SUCCEEDED\"" out
'

test_expect_success 'a standby that names another host is not followed' '
	running_run && scenario "$second |
		.apps = [$(app "$job" FINISHED SUCCEEDED)] |
		.rules = [{server: \"rm0\", path: \"/apps\", status: 307,
			headers: {Location: \"http://192.0.2.1:1/x\"}}]" &&
	sa-yarn status "$job" >out 2>err &&
	jq_ok ".state == \"SUCCEEDED\"" out
'

test_expect_success 'none is active: as last seen, each is named' '
	running_run && scenario ".rms = [{state: \"STANDBY\"},
		{state: \"STANDBY\"}]" &&
	sa-yarn status "$job" >out 2>err &&
	jq_ok ".state == \"RUNNING\"" out && test "$(wc -l <err)" -eq 1 &&
	for url in $(echo "$rm" | tr , " ")
	do
		test_match "${url#http://}" err || return 1
	done
'

# FIRST, THEN, what it is then
wait_through () {
	running_run && scenario "$1 |
		.apps = [$(app "$job" RUNNING UNDEFINED)]" && forget &&
	{ sa-yarn wait "$job" >out 2>err & } && waiter=$! &&
	wait_for test -s "$TMPDIR/requests" &&
	scenario "$2 | .apps = [$(app "$job" RUNNING UNDEFINED)]" && forget &&
	wait_for test -s "$TMPDIR/requests" && kill -0 "$waiter" &&
	scenario "$3 | .apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	wait "$waiter" && jq_ok ".state == \"SUCCEEDED\"" out
}

# a minute is what it takes to ask both of them to the end
test_expect_success 'both hang: who has no time is not kept waiting' '
	running_run && scenario ".rules = [{delay: 100}]" &&
	test_expect_code 75 timeout 40 sa-yarn wait -t 1 "$job" 2>err &&
	timeout 40 sa-yarn status --wait-seconds 1 "$job" >out 2>err &&
	jq_ok ".state == \"RUNNING\"" out
'

test_expect_success 'wait: a failover' '
	wait_through ".rms = [{}, {state: \"STANDBY\"}]" \
		".rms = [{state: \"STANDBY\"}, {state: \"STANDBY\"}]" "$second"
'

test_expect_success 'wait: the active one dies' '
	wait_through ".rms = [{}, {state: \"STANDBY\"}]" \
		".rms = [{state: \"DEAD\"}, {}]" \
		".rms = [{state: \"DEAD\"}, {}]"
'

test_expect_success 'wait: it starts anew, and knows nothing at first' '
	wait_through ".rms = [{}, {state: \"STANDBY\"}]" \
		".rms = [{state: \"INITIALIZING\"}, {state: \"STANDBY\"}]" \
		".rms = [{}, {state: \"STANDBY\"}]"
'

test_expect_success 'wait: answers that are none, for a while' '
	wait_through ".rms = [{}, {state: \"STANDBY\"}]" \
		".rules = [{status: 503, body: \"{}\"}]" \
		".rms = [{}, {state: \"STANDBY\"}]"
'

test_expect_success 'kill: the active one is another one now' '
	running_run && scenario "$second | .kill = [\"KILLED\"] |
		.apps = [$(app "$job" RUNNING UNDEFINED)]" && forget &&
	sa-yarn kill "$job" >out && jq_ok ".state == \"KILLED\"" out &&
	test "$(asked ".method == \"PUT\" and .server == \"rm1\"")" -eq 1
'

test_done
