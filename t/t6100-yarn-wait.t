#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn wait: verdicts, time-outs, several jobs, the output'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/run-lib.sh"

# CODE STATE MEMBERS EXIT SIGNAL
for row in '0 SUCCEEDED {} 0 null' '1 FAILED {} 3 null' \
	'1 FAILED {} null 9' '1 KILLED {kill_requested_at:"x"} 143 null'
do
	test_expect_success "wait: ${row#* } is ${row%% *}" '
		set -- $row && new_run "$3" && ended "$4" "$5" &&
		test_expect_code "$1" sa-yarn wait "$job" >out 2>err &&
		test "$(wc -l <out)" -eq 1 &&
		jq_ok ".state == \$s and .job_id == \$j" out --arg s "$2" \
			--arg j "$job"
	'

	test_expect_success "wait --logs: ${row#* } is ${row%% *}" '
		set -- $row && new_run "$3" && ended "$4" "$5" &&
		printf "hello\n" >"$run/stdout" &&
		echo "26/11/29 10:15:03 INFO SparkContext: x" >"$run/stderr" &&
		test_expect_code "$1" sa-yarn wait --logs "$job" >out 2>err &&
		echo hello >expected && test_cmp expected out &&
		test "$(wc -l <err)" -eq 1 &&
		test_match "^sa-yarn: $job $2" err
	'
done

test_expect_success 'LOST is 69, and its record is written' '
	new_run && start_driver true &&
	{ wait "$driver" || :; } &&
	test_expect_code 69 sa-yarn wait "$job" >out 2>err &&
	jq_ok ".state == \"LOST\"" out &&
	test_match "LOST" err &&
	test_expect_code 69 sa-yarn wait --logs "$job" >out 2>err &&
	test_empty out
'

test_expect_success 'it waits: for a driver, and for its supervisor' '
	new_run && supervise && start_driver sleep 300 &&
	{ sa-yarn wait "$job" >waited 2>err & } && waiter=$! &&
	wait_for jq_ok ".state == \"RUNNING\"" "$run/record.json" &&
	kill -0 "$waiter" && test_empty waited &&
	kill -9 "$supervisor" && kill -0 "$waiter" &&
	kill -9 "$driver" &&
	test_expect_code 69 wait "$waiter" &&
	jq_ok ".state == \"LOST\"" waited
'

test_expect_success 'a time-out is 75, the job goes on' '
	new_run && supervise && start_driver sleep 300 &&
	SA_ERROR_FD=9 test_expect_code 75 sa-yarn wait --timeout 0 "$job" \
		>out 2>err 9>object &&
	test_empty out &&
	test_match "$job.* has not ended after 0 s: RUNNING; .*wait $job" err &&
	jq_ok ".error.kind == \"busy\" and .error.retryable" object &&
	jq_ok ".error.detail.job_id == \$j" object --arg j "$job" &&
	test_expect_code 75 sa-yarn wait --timeout 1 --logs "$job" \
		>out 2>err &&
	test_empty out && test_match "$job has not ended after 1 s" err &&
	kill -0 "$driver" && kill -0 "$supervisor"
'

test_expect_success 'several: a record a line as each ends, the worst code' '
	new_run && a=$job && supervise && run_a=$run &&
	new_run && b=$job && supervise && run_b=$run &&
	{ sa-yarn wait "$a" "$b" >two 2>err & } && waiter=$! &&
	run=$run_b && ended 0 &&
	wait_for test -s two &&
	jq_ok ".job_id == \$j" two --arg j "$b" &&
	run=$run_a && ended 2 &&
	test_expect_code 1 wait "$waiter" &&
	test "$(wc -l <two)" -eq 2 &&
	tail -n 1 two >last && jq_ok ".job_id == \$j" last --arg j "$a" &&
	test_expect_code 0 sa-yarn wait "$b" "$b" >out &&

	new_run && running=$job && supervise &&
	test_expect_code 75 sa-yarn wait -t 0 "$a" "$running" "$b" \
		>out 2>err &&
	test "$(wc -l <out)" -eq 2 && test_match "$running has not" err &&
	new_run && lost=$job && start_driver true &&
	{ wait "$driver" || :; } &&
	test_expect_code 69 sa-yarn wait -t 0 "$a" "$running" "$lost" "$b" \
		>out 2>err &&
	test "$(wc -l <out)" -eq 3
'

test_expect_success 'one unknown of several: nothing is written' '
	new_run && ended 0 &&
	test_expect_code 66 sa-yarn wait "$job" j_20261129T101502_ffffff \
		>out 2>err &&
	test_empty out && test_match "unknown job_id: j_.*ffffff" err
'

test_expect_success 'many jobs in one process' '
	jobs= && i=0 &&
	while test $((i += 1)) -le 200
	do
		new_run && ended 0 && jobs="$jobs $job" || return 1
	done &&
	sa-yarn wait $jobs >out &&
	test "$(wc -l <out)" -eq 200
'

# A shell lets its background jobs ignore INT.
for signal in INT TERM
do
	test_expect_success "SIG$signal leaves the job alone and says so" '
		new_run && supervise && start_driver sleep 300 &&
		{ env --default-signal=INT sa-yarn wait "$job" >out 2>err & } &&
		waiter=$! &&
		wait_for jq_ok ".state == \"RUNNING\"" "$run/record.json" &&
		wait_for grep -q "^SigCgt:.*[1-9a-f]" "/proc/$waiter/status" &&
		kill -$signal "$waiter" &&
		{ wait "$waiter"; test $? -gt 128; } &&
		test_match "^sa-yarn: the job goes on; .*$job" err &&
		test_empty out &&
		kill -0 "$driver" && kill -0 "$supervisor" &&
		sa-yarn status "$job" >out &&
		jq_ok ".state == \"RUNNING\" and .kill_requested_at == null" out
	'
done

test_expect_success 'nohup: an ignored INT stays ignored' '
	new_run && supervise && start_driver sleep 300 &&
	{ env --ignore-signal=INT sa-yarn wait "$job" >out 2>err & } &&
	waiter=$! &&
	wait_for jq_ok ".state == \"RUNNING\"" "$run/record.json" &&
	kill -INT "$waiter" && ended 0 && wait "$waiter" &&
	jq_ok ".state == \"SUCCEEDED\"" out
'

# So many numbered lines in small pieces, some without their line break.
cat >writer <<'W'
i=0
while test $((i += 1)) -le "$1"
do
	printf 'line %d of' "$i"
	printf ' %d\n' "$1"
done
printf 'no line break at the end'
W
i=0
while test $((i += 1)) -le 3000
do
	echo "line $i of 3000"
done >expected.lines
printf 'no line break at the end' >>expected.lines

test_expect_success '--logs: nothing is lost and nothing comes twice' '
	new_run && supervise &&
	start_driver sh writer 3000 &&
	{ sa-yarn wait --logs "$job" >out 2>err & } && waiter=$! &&
	{ wait "$driver" || :; } && ended 0 &&
	wait "$waiter" &&
	cmp expected.lines out &&
	test "$(wc -l <err)" -eq 1
'

test_expect_success '--logs comes as it is written' '
	new_run && supervise &&
	start_driver sh -c "echo first; until test -e $run/go
		do sleep 0.05; done; echo second" &&
	{ sa-yarn wait --logs "$job" >slow 2>err & } && waiter=$! &&
	wait_for grep -q first slow && kill -0 "$waiter" &&
	: >"$run/go" && { wait "$driver" || :; } && ended 0 &&
	wait "$waiter" &&
	printf "first\nsecond\n" >expected && test_cmp expected slow
'

test_expect_success '--logs --stream: stderr, or both in whole lines' '
	new_run && supervise &&
	start_driver sh -c "sh writer 3000 & sh writer 3000 >&2; wait" &&
	{ sa-yarn wait --logs --stream=stderr "$job" >err.out 2>err & } &&
	a=$! &&
	{ sa-yarn wait --logs --stream=all "$job" >out 2>err2 & } && b=$! &&
	{ wait "$driver" || :; } && ended 0 && wait "$a" && wait "$b" &&
	cmp expected.lines err.out &&
	test "$(grep -c "line [0-9]* of 3000$" out)" -eq 6000 &&
	sort out >sorted && sort expected.lines expected.lines >expected &&
	test_cmp expected sorted
'

test_expect_success '--logs of a failure: traceback and verdict' '
	new_run && ended 1 &&
	printf "%s\n" "Traceback (most recent call last):" "  File \"x\"" \
		"KeyError: 7" >"$run/stdout" &&
	test_expect_code 1 sa-yarn wait --logs "$job" >out 2>err &&
	test_cmp "$run/stdout" out &&
	test_match "^sa-yarn: $job FAILED: Python exception.*KeyError: 7$" err
'

test_expect_success '--logs in a pipe: the bytes as they are' '
	new_run && ended 0 &&
	printf "\033[1mpassword=x\377\000\n" >"$run/stdout" &&
	sa-yarn wait --logs <"$run/record.json" >out 2>err &&
	cmp "$run/stdout" out
'

test_expect_success '--logs at a terminal: masked, controls visible' '
	new_run && ended 0 && : >script &&
	printf "\033]0;title\a password=x\377\000 end" >"$run/stdout" &&
	"$SA_BUILDDIR/t/in-terminal" script sa-yarn wait --logs "$job" >out &&
	test_match "^.x1b.0;title.x07 password=\*\*\*\*.*end" out
'

test_expect_success '--logs: a reader that left ends it, not the job' '
	new_run && supervise &&
	start_driver sh -c "while :; do echo y; sleep 0.01; done" &&
	sa-yarn wait --logs "$job" | head -n 1 >out &&
	test_match y out && kill -0 "$driver" &&
	ended 0 && test_expect_code 74 sa-yarn wait --logs "$job" \
		>/dev/full 2>err
'

test_expect_success 'wrong words' '
	new_run && new_job=$job && new_run &&
	for words in "--logs $job $new_job" "--logs --json $job" \
		"--stream=all $job" "--logs --stream=both $job" \
		"--timeout=-1 $job" "--timeout=x $job" "--tail=1 $job"
	do
		test_expect_code 64 sa-yarn wait $words >out 2>err &&
		test_empty out && test_match "^sa-yarn: " err || return 1
	done
'

test_done
