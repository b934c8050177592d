#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn kill: the whole group, that group alone, once'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/run-lib.sh"

# A supervisor's last act, once the driver is gone.
supervisor_reports () {
	{ wait "$driver"; code=$?; } 2>/dev/null
	if test "$code" -gt 128
	then ended null $((code - 128))
	else ended "$code"
	fi
}

# The driver has a child, as spark-submit has Python, and says when it is up.
start_tree () {
	cat >"$run/tree" <<-T
	$1
	sh -c '$1
		while :; do sleep 0.1; done' &
	echo \$! >$run/child
	while :; do sleep 0.1; done
	T
	start_driver sh "$run/tree" && wait_for test -s "$run/child" &&
	child=$(cat "$run/child")
}

gone () {
	! kill -0 "$1" 2>/dev/null || grep -q "^State:.Z" "/proc/$1/status"
}

test_expect_success 'TERM ends the driver and its child' '
	new_run && supervise && start_tree : &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	supervisor_reports && wait "$killer" &&
	gone "$driver" && gone "$child" && test_empty err &&
	jq_ok ".type == \"job\" and .state == \"KILLED\"" out &&
	jq_ok ".signal == 15 and .kill_requested_at != null" out &&
	test_cmp "$run/record.json" out &&
	jq -r "[.event, .id] | join(\" \")" data/audit/*.jsonl >got &&
	printf "%s\n" "kill $job" "killed $job" >expected &&
	test_cmp expected got &&
	test_expect_code 1 sa-yarn wait "$job" >out
'

test_expect_success 'KILL after the grace for those that ignore TERM' '
	new_run && supervise && start_tree "trap \"\" TERM" &&
	{ sa-yarn kill --grace 0 "$job" >out 2>err & } && killer=$! &&
	supervisor_reports && wait "$killer" &&
	gone "$driver" && gone "$child" &&
	jq_ok ".state == \"KILLED\" and .signal == 9" out
'

test_expect_success 'a child that outlived spark-submit is ended too' '
	new_run && supervise && start_tree : &&
	kill -9 "$driver" && { wait "$driver" || :; } &&
	! gone "$child" &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	wait_for gone "$child" && ended null 9 && wait "$killer" &&
	jq_ok ".state == \"KILLED\"" out
'

test_expect_success 'a stopped driver is ended' '
	new_run && supervise && start_tree : &&
	kill -STOP "$driver" "$child" &&
	{ sa-yarn kill "$job" >out & } && killer=$! &&
	supervisor_reports && wait "$killer" &&
	gone "$driver" && gone "$child"
'

test_expect_success 'without a supervisor: ended, and known to be killed' '
	new_run && start_tree : &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	{ wait "$driver" || :; } && wait "$killer" &&
	gone "$child" &&
	jq_ok ".state == \"KILLED\" and .exit_code == null" out &&
	jq_ok ".diagnostics | test(\"supervisor\")" out
'

test_expect_success 'the wish is stored before a signal is sent' '
	new_run && supervise && start_tree "trap \"\" TERM" &&
	{ sa-yarn kill --grace 300 "$job" >out 2>err & } && killer=$! &&
	wait_for jq_ok ".kill_requested_at != null" "$run/record.json" &&
	kill -9 "$killer" && { wait "$killer" || :; } &&
	at=$(jq .kill_requested_at "$run/record.json") &&
	! gone "$driver" &&
	{ sa-yarn kill --grace 0 "$job" >out 2>err & } && killer=$! &&
	supervisor_reports && wait "$killer" &&
	jq_ok ".kill_requested_at == $at and .state == \"KILLED\"" out
'

test_expect_success 'a driver that ends well in spite of TERM succeeded' '
	new_run && supervise &&
	start_driver sh -c "trap \"exit 0\" TERM; echo up
		while :; do sleep 0.05; done" &&
	wait_for grep -q up "$run/stdout" &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	supervisor_reports && wait "$killer" &&
	jq_ok ".state == \"SUCCEEDED\"" out &&
	test_match "$job ended by itself: SUCCEEDED" err
'

for row in '0 SUCCEEDED' '3 FAILED'
do
	test_expect_success "ended before (${row#* }): said, 0, the record" '
		set -- $row && new_run && ended "$1" &&
		sa-yarn kill "$job" >out 2>err &&
		test_match "^sa-yarn: $job had ended before: $2" err &&
		jq_ok ".state == \$s and .kill_requested_at == null" out \
			--arg s "$2"
	'
done

test_expect_success 'killed before it ran' '
	new_run && supervise &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	wait_for jq_ok ".kill_requested_at != null" "$run/record.json" &&
	kill -9 "$supervisor" && wait "$killer" &&
	jq_ok ".state == \"KILLED\" and .started_at == null" out
'

test_expect_success 'another process of that number is left alone' '
	new_run && supervise && start_driver sleep 300 &&
	jq -c ".start_ticks += 1" "$run/exec.json" >mark &&
	cp mark "$run/exec.json" &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	wait_for jq_ok ".kill_requested_at != null" "$run/record.json" &&
	ended 0 && wait "$killer" &&
	! gone "$driver"
'

test_expect_success 'a driver on another host is not ours to signal' '
	new_run && supervise && start_driver sleep 300 &&
	jq -c ".host = \"elsewhere\"" "$run/exec.json" >mark &&
	cp mark "$run/exec.json" &&
	test_expect_code 69 sa-yarn kill "$job" >out 2>err &&
	test_empty out && test_match "elsewhere" err && ! gone "$driver" &&
	jq_ok ".kill_requested_at == null" "$run/record.json"
'

test_expect_success setpriv,ROOT 'the driver of another user' '
	new_run && supervise && start_driver sleep 300 &&
	chmod go+x . "$HOME/.." && chmod -R go+rwX data &&
	test_expect_code 77 as_nobody sa-yarn kill "$job" >out 2>err &&
	test_empty out && test_match "process group $driver" err &&
	! gone "$driver"
'

test_expect_success 'a store that cannot be written to: nothing is signalled' '
	new_run && supervise && start_driver sleep 300 &&
	chmod go+x . "$HOME/.." && chmod -R go+rX,go-w data &&
	test_expect_code 74 as_nobody sa-yarn kill "$job" >out 2>err &&
	test_empty out && ! gone "$driver"
'

test_expect_success 'supervisors that do nothing: 75, the wish stays' '
	new_run && supervise && early=$run &&
	{ sa-yarn kill "$job" >out.a 2>err.a & } && a=$! &&
	new_run && supervise && start_tree : &&
	{ sa-yarn kill "$job" >out.b 2>err.b & } && b=$! &&
	test_expect_code 75 wait "$a" && test_expect_code 75 wait "$b" &&
	test_empty out.a && test_match "has not started it yet" err.a &&
	test_empty out.b && test_match "has not said so yet" err.b &&
	gone "$child" &&
	jq_ok ".kill_requested_at != null" "$early/record.json" &&
	jq_ok ".kill_requested_at != null" "$run/record.json" &&
	tail -n 1 data/audit/*.jsonl >last &&
	jq_ok ".event == \"kill-failed\"" last
'

test_expect_success 'two kills at once' '
	new_run && supervise && start_tree : &&
	{ sa-yarn kill "$job" >a & } && a=$! &&
	{ sa-yarn kill "$job" >b & } && b=$! &&
	supervisor_reports && wait "$a" && wait "$b" &&
	jq_ok ".state == \"KILLED\"" a && jq_ok ".state == \"KILLED\"" b
'

test_done
