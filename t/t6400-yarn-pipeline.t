#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn behind sa-confirm: real supervisors, a fake Spark'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

# write COMMAND...: x.py of these commands of fake-spark-submit.
write () {
	printf "# fake: %s\n" "$@" >x.py
}

pipeline () {
	sa-genjob <x.py | sa-prepare -c demo | sa-confirm --yes |
		sa-yarn wait --logs
}

# No process of the job's group is left, but for zombies.
group_gone () {
	! ps -A -o pgid= -o stat= |
		awk -v g="$(jq .pgid "data/runs/$1/exec.json")" \
			'$1 == g && $2 !~ /^Z/ { n++ } END { exit !n }'
}

test_expect_success 'a whole pipeline: output, verdict, exit status' '
	write "say hello" "log INFO noise" &&
	pipeline >out 2>err &&
	echo hello >expected && test_cmp expected out &&
	test_match "^sa-yarn: j_.* SUCCEEDED$" err
'

test_expect_success 'a Python exception' '
	write "say before" "traceback ValueError: no such region" &&
	test_expect_code 1 pipeline >out 2>err &&
	test_match "^Traceback" out &&
	test_match "^sa-yarn: j_.* FAILED: Python exception.*no such region" \
		err
'

test_expect_success 'sys.exit(3)' '
	write "exit 3" && test_expect_code 1 pipeline >out 2>err &&
	test_match "FAILED: .*sys.exit.3." err
'

test_expect_success 'a driver that a signal ended' '
	write "kill 9" && test_expect_code 1 pipeline >out 2>err &&
	test_match "FAILED: killed by signal 9 .SIGKILL." err
'

test_expect_success 'much output, followed, comes whole' '
	write "print 3M" && pipeline >out 2>err &&
	job=$(sed -n "s/^sa-yarn: \(j_[^ ]*\) .*/\1/p" err) &&
	cmp "data/runs/$job/stdout" out &&
	test "$(wc -c <out)" -ge 3000000
'

test_expect_success 'output over the cap: what is left can be read' '
	SA_OUTPUT_MAX=262144 && export SA_OUTPUT_MAX &&
	prepare "print 2M" "await $PWD/go" "print 1M" && submit &&
	{ sa-yarn logs -f "$j" >followed 2>err & } && follower=$! &&
	: >go && wait "$follower" && ended "$j" &&
	sa-yarn logs "$j" >left 2>err &&
	test "$(wc -c <left)" -lt 1500000 &&
	test -s left && test_match "stdout: [0-9]* older bytes" err &&
	test "$(tr -dc "\000" <left | wc -c)" -eq 0 &&
	test "$(tr -dc "\000" <followed | wc -c)" -eq 0 &&
	tail -c 1000 left >a && tail -c 1000 followed >b && cmp a b
'

test_expect_success 'kill: the driver, its child, and what that spawned' '
	prepare "spawn 600" "say up" "sleep 600" && submit &&
	wait_for grep -q up "data/runs/$j/stdout" &&
	sa-yarn kill "$j" >out 2>err &&
	jq_ok ".state == \"KILLED\" and .kill_requested_at != null" out &&
	group_gone "$j" &&
	test_expect_code 1 sa-yarn wait "$j" >out
'

test_expect_success 'kill: those that ignore TERM' '
	prepare "ignore 15" "say up" "sleep 600" && submit &&
	wait_for grep -q up "data/runs/$j/stdout" &&
	sa-yarn kill --grace 1 "$j" >out 2>err &&
	jq_ok ".state == \"KILLED\" and .signal == 9" out && group_gone "$j"
'

test_expect_success 'kill: the supervisor was killed before' '
	prepare "say up" "sleep 600" && submit &&
	wait_for grep -q up "data/runs/$j/stdout" &&
	pid=$(jq .pid "data/runs/$j/exec.json") &&
	kill -9 "$(ps -o ppid= -p "$pid" | tr -d " ")" &&
	sa-yarn status "$j" >out && jq_ok ".state == \"RUNNING\"" out &&
	sa-yarn kill "$j" >out 2>err &&
	jq_ok ".state == \"KILLED\"" out && group_gone "$j"
'

test_expect_success 'kill of several at once, each its own group' '
	prepare "say up" "sleep 600" && submit && a=$j &&
	prepare "say up" "sleep 600" && submit && b=$j &&
	wait_for grep -q up "data/runs/$a/stdout" &&
	wait_for grep -q up "data/runs/$b/stdout" &&
	sa-yarn kill "$a" >out && group_gone "$a" &&
	sa-yarn status "$b" >out && jq_ok ".state == \"RUNNING\"" out &&
	sa-yarn kill "$b" >out && group_gone "$b"
'

test_expect_success 'wait on all jobs of the list' '
	sa-yarn list >list && jq_ok ".items | length > 5" list &&
	test_expect_code 1 sa-yarn wait $(jq -r ".items[].job_id" list) >out &&
	test "$(wc -l <out)" -eq "$(jq ".items | length" list)"
'

test_done
