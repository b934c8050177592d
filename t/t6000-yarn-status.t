#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn status and list: what became of a job'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/run-lib.sh"

# The golden records: a change of these is a change of the format.
fields='["v","type","job_id","pending_id","connection","name","master",
	"deploy_mode","state","application_id","tag","yarn_state",
	"final_status","exit_code","signal","diagnostics","yarn_rm_url",
	"yarn_user","tracking_url","submitted_at","started_at","finished_at",
	"kill_requested_at","checked_at"]'

test_expect_success 'without a store there are no jobs, and none is made' '
	sa-yarn list >out &&
	echo "{\"v\":1,\"type\":\"job_list\",\"items\":[],\"next\":null}" \
		>expected &&
	test_cmp expected out &&
	test_expect_code 66 sa-yarn status j_20261129T101502_91ab33 \
		>out 2>err &&
	test_empty out &&
	test_match "unknown job_id: j_20261129T101502_91ab33" err &&
	test ! -e data
'

test_expect_success 'golden: job' '
	new_run && ended 0 &&
	sa-yarn status "$job" >out 2>err &&
	test_empty err &&
	test "$(wc -l <out)" -eq 1 &&
	jq_ok "keys_unsorted == $fields" out &&
	jq_ok ".state == \"SUCCEEDED\" and .exit_code == 0" out &&
	jq_ok ".finished_at == \"2026-11-29T10:16:00Z\"" out &&
	jq_ok ".diagnostics == null and .signal == null" out &&
	test_cmp "$run/record.json" out
'

test_expect_success 'golden: job_list, the newest first' '
	new_run && first=$job && new_run &&
	sa-yarn list >out &&
	jq_ok "keys_unsorted == [\"v\",\"type\",\"items\",\"next\"]" out &&
	jq_ok ".type == \"job_list\" and .next == null" out &&
	jq_ok ".items[0].job_id == \$a and .items[1].job_id == \$b" out \
		--arg a "$job" --arg b "$first" &&
	jq_ok "all(.items[]; keys_unsorted == $fields)" out
'

test_expect_success 'list pages, and gives a record a line' '
	new_run && ended 0 && new_run && ended 0 && last=$job &&
	sa-yarn list -n 1 >out &&
	jq_ok ".items | length == 1" out &&
	jq_ok ".items[0].job_id == \$j and .next == \$j" out --arg j "$last" &&
	sa-yarn list --after "$last" -n 1 >out &&
	jq_ok ".items[0].job_id < \$j" out --arg j "$last" &&
	sa-yarn list --jsonl >out &&
	test "$(wc -l <out)" -ge 2 &&
	jq_ok ".type == \"job\"" out
'

test_expect_success 'list refreshes what has not ended' '
	new_run && supervise && start_driver sleep 60 &&
	sa-yarn list -n 1 >out &&
	jq_ok ".items[0] | .state == \"RUNNING\" and .job_id == \$j" out \
		--arg j "$job" &&
	jq_ok ".state == \"RUNNING\"" "$run/record.json" &&
	jq_ok ".started_at == \"2026-11-29T10:15:03Z\"" "$run/record.json"
'

test_expect_success 'list leaves a broken record out and says so' '
	new_run && echo "{" >"$run/record.json" &&
	sa-yarn list >out 2>err &&
	jq_ok "all(.items[]; .job_id != \$j)" out --arg j "$job" &&
	test_match "$job" err &&
	rm -r "$run"
'

test_expect_success 'killed -9 at each step: the state is the truth' '
	new_run &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"FAILED\"" out &&
	jq_ok ".diagnostics | test(\"never ran\")" out &&

	new_run && supervise &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"SUBMITTING\"" out &&
	start_driver sleep 300 &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"RUNNING\"" out &&
	kill -9 "$supervisor" && { wait "$supervisor" || :; } &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"RUNNING\"" out &&
	kill -0 "$driver" &&
	kill -9 "$driver" && { wait "$driver" || :; } &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"LOST\" and .finished_at != null" out
'

# A signal takes its time where much else runs.
is_lost () {
	sa-yarn status "$job" >out && jq -e '.state == "LOST"' out
}

test_expect_success 'a child that outlives spark-submit is the driver still' '
	new_run &&
	start_driver sh -c "sleep 300 & echo \$! >$run/child; wait" &&
	wait_for test -s "$run/child" &&
	kill -9 "$driver" && { wait "$driver" || :; } &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"RUNNING\"" out &&
	kill -9 "$(cat "$run/child")" && wait_for is_lost
'

test_expect_success 'a mark of another host or boot' '
	new_run && start_driver sleep 60 &&
	jq -c ".host = \"elsewhere\"" "$run/exec.json" >mark &&
	cp mark "$run/exec.json" &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"LOST\"" out &&
	kill -0 "$driver"
'

test_expect_success 'exceptions, sys.exit and signals are told apart' '
	new_run && ended 1 &&
	cat >"$run/stdout" <<-\OUT &&
	rows: 3
	Traceback (most recent call last):
	  File "/x/sales.py", line 3, in <module>
	    load(password="hunter2")
	ValueError: no such region
	OUT
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"FAILED\" and .exit_code == 1" out &&
	jq_ok ".diagnostics | test(\"^Python exception.*: ValueError: no\")" \
		out &&
	jq_ok ".diagnostics | test(\"rows\") or test(\"hunter2\") | not" out &&

	new_run && ended 3 &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"FAILED\" and .exit_code == 3" out &&
	jq_ok ".diagnostics | test(\"sys.exit\\\\(3\\\\)\")" out &&

	new_run && ended null 9 &&
	sa-yarn status "$job" >out &&
	jq_ok ".state == \"FAILED\" and .signal == 9" out &&
	jq_ok ".exit_code == null" out &&
	jq_ok ".diagnostics | test(\"SIGKILL\")" out
'

test_expect_success 'a diagnosis is bounded, however much was printed' '
	new_run && ended 1 &&
	yes "Traceback (most recent call last):" | head -c 300000 \
		>"$run/stdout" &&
	sa-yarn status "$job" >out &&
	jq_ok ".diagnostics | length < 4600" out
'

test_expect_success 'members that we do not know stay' '
	new_run "{later: [1]}" && ended 0 &&
	sa-yarn status "$job" >out &&
	jq_ok ".later == [1]" out
'

test_expect_success '--wait-seconds waits for the end, and gives 0 anyway' '
	new_run && supervise && start_driver sleep 300 &&
	sa-yarn status --wait-seconds 0 "$job" >out &&
	jq_ok ".state == \"RUNNING\"" out &&
	sa-yarn status --wait-seconds 1 "$job" >out &&
	jq_ok ".state == \"RUNNING\"" out &&
	{ sa-yarn status --wait-seconds 45 "$job" >late & } &&
	waiter=$! && ended 3 && wait "$waiter" &&
	jq_ok ".state == \"FAILED\" and .exit_code == 3" late &&
	test_expect_code 64 sa-yarn status --wait-seconds 46 "$job" 2>err
'

test_expect_success 'of a piped record only the id is taken' '
	new_run && ended 0 &&
	jq -c ".state = \"LOST\" | .name = \"other\"" "$run/record.json" |
		sa-yarn >out &&
	jq_ok ".state == \"SUCCEEDED\" and .name == \"sales\"" out &&
	jq -nc --arg j "$job" "{v: 1, type: \"pending\", pending_id: \"p\",
		job_id: \$j}" | sa-yarn status >out &&
	jq_ok ".type == \"job\" and .state == \"SUCCEEDED\"" out
'

test_expect_success 'a pending without a job: the next step is named' '
	echo "{\"v\":1,\"type\":\"pending\",\"job_id\":null,
		\"pending_id\":\"p_20261129T101500_4f0c9a\"}" >in &&
	test_expect_code 65 sa-yarn status <in >out 2>err &&
	test_empty out &&
	test_match "sa-confirm p_20261129T101500_4f0c9a" err
'

# NAME, what is on stdin, what stderr says
for row in 'empty stdin||no record' \
	'a truncated record|{"v":1,"type":"job"|stdin:' \
	'a duplicate key|{"v":1,"v":1,"type":"job"}|stdin:.*duplicate' \
	'a wrong type|{"v":1,"type":"connection","name":"x"}|connection' \
	'an unknown version|{"v":2,"type":"job","job_id":"j"}|version' \
	'a mistyped id|{"v":1,"type":"job","job_id":7}|job_id' \
	'no object|[1]|stdin:.*object' \
	'bad UTF-8|{"v":1,"type":"job","job_id":"\377"}|stdin:'
do
	name=${row%%|*} rest=${row#*|}
	input=${rest%|*} want=${rest##*|}
	for verb in status wait logs kill
	do
		test_expect_success "$verb: $name is 65" '
			printf "$(printf %s "$input" | sed "s/%/%%/g")" >in &&
			test_expect_code 65 sa-yarn $verb <in >out 2>err &&
			test_empty out &&
			test_match "^sa-yarn: .*$want" err
		'
	done
done

for verb in status wait logs kill
do
	test_expect_success "$verb: an unknown id is 66, a bad one too" '
		new_run &&
		for id in j_20261129T101502_ffffff ../runs j_ "$job/" ""
		do
			test_expect_code 66 sa-yarn $verb "$id" >out 2>err &&
			test_empty out &&
			test_match "^sa-yarn: unknown job_id: " err || return 1
		done
	'

	test_expect_success "$verb --request: good, unknown, mistyped" '
		new_run && ended 0 &&
		jq -nc --arg j "$job" "{job_id: \$j}" >in &&
		sa-yarn $verb --request <in >out 2>err &&
		jq_ok ".v == 1 and .job_id == \$j" out --arg j "$job" &&
		jq -c ".force = true" in >bad &&
		test_expect_code 64 sa-yarn $verb --request <bad >out 2>err &&
		test_empty out && test_match "force" err &&
		echo "{\"job_id\":1}" >bad &&
		test_expect_code 65 sa-yarn $verb --request <bad >out 2>err &&
		test_match "job_id" err &&
		echo "{}" >bad &&
		test_expect_code 65 sa-yarn $verb --request <bad >out 2>err &&
		test_match "job_id" err
	'

	test_expect_success "$verb: oversize input is 65" '
		head -c 17000000 /dev/zero | tr "\0" " " >in &&
		test_expect_code 65 sa-yarn $verb <in >out 2>err &&
		test_empty out && test_match "limit" err
	'
done

# The golden schemas of --request: the members, and no others.
members () {
	echo '{"no_such_member":1}' >in
	sa-yarn "$1" --request <in 2>&1 |
		sed -n 's/.*known: //p' | tr , '\n' | sort | tr '\n' ' '
}
for row in 'status job_id wait_seconds' 'list after limit timeout' \
	'wait job_id stream timeout' \
	'logs bytes executors head job_id offset stream tail' \
	'kill application grace job_id timeout' 'check connection'
do
	test_expect_success "golden: the request of ${row%% *}" '
		echo "${row#* } " >expected &&
		echo "$(members "${row%% *}") " | sed "s/  *\$/ /" >got &&
		test_cmp expected got
	'
done

test_expect_success 'SA_ERROR_FD gets the kind' '
	SA_ERROR_FD=9 test_expect_code 66 sa-yarn status \
		j_20261129T101502_ffffff 9>object 2>err &&
	jq_ok ".error.kind == \"not_found\" and .error.http == 404" object
'

test_expect_success 'closed and full descriptors, a reader that left' '
	new_run && ended 0 &&
	test_expect_code 74 sa-yarn status "$job" >/dev/full 2>err &&
	test_match "^sa-yarn: cannot write" err &&
	test_expect_code 74 sa-yarn list >/dev/full 2>err &&
	test_expect_code 74 sa-yarn status "$job" >&- 2>err &&
	sa-yarn status "$job" <&- >out &&
	test_expect_code 65 sa-yarn status <&- >out 2>err &&
	{ sa-yarn status "$job"; echo $? >code; } | true
'

test_expect_success setpriv 'a store that we may only read' '
	new_run && supervise && start_driver sleep 60 &&
	chmod -R go+rX data && chmod go+x . "$HOME/.." &&
	as_nobody sa-yarn status "$job" >out 2>err &&
	jq_ok ".state == \"RUNNING\"" out &&
	jq_ok ".state == \"SUBMITTING\"" "$run/record.json" &&
	as_nobody sa-yarn list -n 1 >out 2>err &&
	jq_ok ".items[0].state == \"RUNNING\"" out
'

test_expect_success setpriv 'a store of others that we may not read' '
	new_run && ended 0 && chmod 700 "$run" &&
	test_expect_code 74 as_nobody sa-yarn status "$job" >out 2>err &&
	test_empty out &&
	test_match "^sa-yarn: .*$job" err
'

test_expect_success 'at a terminal: text, a table; --json the record' '
	new_run "{name: \"\\u001b[31mred\"}" && ended 3 && : >script &&
	"$SA_BUILDDIR/t/in-terminal" script sa-yarn status "$job" >out &&
	test_match "^state *FAILED" out &&
	test_match "^name *.x1b.31mred" out &&
	"$SA_BUILDDIR/t/in-terminal" script sa-yarn -n 1 >out &&
	test_match "^JOB +STATE" out &&
	test_match "^$job +FAILED" out &&
	"$SA_BUILDDIR/t/in-terminal" script sa-yarn status --json "$job" >out &&
	test_match "\"type\": ?\"job\"" out &&
	test_expect_code 64 "$SA_BUILDDIR/t/in-terminal" script \
		sa-yarn status >out
'

test_done
