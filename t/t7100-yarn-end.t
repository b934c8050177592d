#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn kill on YARN: until it is seen, and ours alone'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
. "$SA_SRCDIR/t/yarn-lib.sh"
start_yarn '{"rms":[{}]}'

puts='.method == "PUT"'

test_expect_success 'KILLING, then KILLED: waited for, and audited' '
	running_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED)] |
		.kill = [\"KILLING\", \"KILLED\"]" && forget &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	wait "$killer" &&
	test_empty err &&
	jq_ok ".state == \"KILLED\" and .yarn_state == \"KILLED\"" out &&
	jq_ok ".kill_requested_at != null" out &&
	jq -c "select($puts)" "$TMPDIR/requests" | head -n 1 >put &&
	jq_ok ".path | endswith(\"/$(app_of "$job")/state\")" put &&
	jq_ok ".body | fromjson | .state == \"KILLED\"" put &&
	jq_ok ".body | fromjson | .diagnostics | test(\"$job\")" put &&
	jq_ok ".headers[\"content-type\"] | test(\"^application/json\")" put &&
	jq -r ".event" data/audit/*.jsonl >got &&
	printf "%s\n" kill killed >expected && test_cmp expected got &&
	sa-yarn kill "$job" >again 2>err &&
	test_match "$job had ended before: KILLED" err
'

for word in KILLED FINAL_SAVING
do
	test_expect_success "the first answer is $word" '
		running_run &&
		scenario ".apps = [$(app "$job" ACCEPTED UNDEFINED)] |
			.kill = [\"$word\", \"KILLED\"]" &&
		sa-yarn kill "$job" >out 2>err &&
		jq_ok ".state == \"KILLED\"" out
	'
done

test_expect_success 'ended before, unseen: said, nothing is asked' '
	running_run && scenario ".apps = [$(app "$job" FINISHED SUCCEEDED)]" &&
	forget && sa-yarn kill "$job" >out 2>err &&
	test_match "$job had ended before: SUCCEEDED" err &&
	jq_ok ".state == \"SUCCEEDED\" and .kill_requested_at == null" out &&
	test "$(asked "$puts")" -eq 0
'

test_expect_success 'before the id is known: by the tag, all that carry it' '
	new_cluster_run &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED) +
		{id: \"application_1700000000000_8001\"},
		$(app "$job" ACCEPTED UNDEFINED) +
		{id: \"application_1700000000000_8002\"},
		$(app j_other RUNNING UNDEFINED) +
		{id: \"application_1700000000000_8003\"}] |
		.kill = [\"KILLED\"]" &&
	forget && sa-yarn kill "$job" >out 2>err &&
	jq_ok ".state == \"KILLED\"" out &&
	test "$(asked "$puts and (.path | contains(\"_8001/\"))")" -eq 1 &&
	test "$(asked "$puts and (.path | contains(\"_8002/\"))")" -eq 1 &&
	test "$(asked "$puts")" -eq 2
'

test_expect_success 'one of several alone' '
	new_cluster_run &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED) +
		{id: \"application_1700000000000_8101\", startedTime: 5},
		$(app "$job" RUNNING UNDEFINED) +
		{id: \"application_1700000000000_8102\", startedTime: 9},
		$(app j_other RUNNING UNDEFINED) +
		{id: \"application_1700000000000_8103\"}] |
		.kill = [\"KILLING\", \"KILLED\"]" &&
	sa-yarn status "$job" >out 2>err &&
	jq_ok ".note | test(\"--application ID $job\")" out &&
	forget && extra=application_1700000000000_8101 &&
	sa-yarn kill --application "$extra" "$job" >out 2>err &&
	test_match "$extra is KILLED; the job goes on" err &&
	jq_ok ".state == \"RUNNING\" and .kill_requested_at == null" out &&
	jq_ok ".application_id | endswith(\"_8102\")" out &&
	test "$(asked "$puts and (.path | contains(\"_8101/\"))")" -ge 1 &&
	test "$(asked "$puts and (.path | contains(\"_8102/\"))")" -eq 0 &&
	jq -r "select(.id == \"$job\") | .event + \" \" + .note" \
		data/audit/*.jsonl >got &&
	printf "%s\n" "kill $extra" "killed $extra KILLED" >expected &&
	test_cmp expected got &&

	echo "{\"job_id\":\"$job\",\"application\":\"$extra\"}" >in &&
	sa-yarn kill --request <in >out 2>err &&
	test_expect_code 77 sa-yarn kill --application \
		application_1700000000000_8103 "$job" >out 2>err &&
	test_match "does not carry.*--force" err &&
	test_expect_code 65 sa-yarn kill --application \
		application_1700000000000_8102 "$job" >out 2>err &&
	test_match "sa-yarn kill $job" err &&
	test_expect_code 65 sa-yarn kill --application ../cluster/kill \
		"$job" >out 2>err &&
	test_expect_code 66 sa-yarn kill --application \
		application_1700000000000_8109 "$job" >out 2>err &&
	test_expect_code 64 sa-yarn kill --application "$extra" --grace 1 \
		"$job" >out 2>err && test_empty out
'

test_expect_success 'one of several: none for a job without a tag' '
	running_run && jq -c ".tag = null" "$run/record.json" >"$run/.new" &&
	mv "$run/.new" "$run/record.json" &&
	extra=application_1700000000000_8201 &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED),
		$(app j_other RUNNING UNDEFINED) + {id: \"$extra\"}]" &&
	forget && echo "{\"job_id\":\"$job\",\"application\":\"$extra\"}" \
		>in && test_expect_code 77 sa-yarn kill --request <in \
		>out 2>err && test_empty out &&
	test_expect_code 77 sa-yarn kill --application "$extra" "$job" \
		>out 2>err && test "$(asked "$puts")" -eq 0
'

test_expect_success 'one of several alone: 75 while it goes on' '
	new_cluster_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED)] |
		.kill = [\"KILLING\"]" && extra=$(app_of "$job") &&
	test_expect_code 75 sa-yarn kill -t 0 --application "$extra" "$job" \
		>out 2>err &&
	test_empty out && test_match "$extra has not ended.*RUNNING" err
'

test_expect_success 'before spark-submit had one: it is ended itself' '
	new_cluster_run && rm "$run/exit.json" && supervise &&
	start_driver sleep 300 && scenario ".apps = []" &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	{ wait "$driver" || :; } && ended 143 && wait "$killer" &&
	jq_ok ".state == \"KILLED\" and .application_id == null" out &&
	jq_ok ".diagnostics == \"killed before YARN had it\"" out
'

test_expect_success 'the wish is kept, and a late application ended' '
	new_cluster_run && scenario ".rms = [{state: \"REFUSED\"}]" &&
	test_expect_code 75 sa-yarn kill -t 1 "$job" >out 2>err &&
	test_empty out && test_match "has not ended after 1 s" err &&
	test_match "wish|asked for and stays" err &&
	jq_ok ".kill_requested_at != null" "$run/record.json" &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED)] |
		.kill = [\"KILLED\"]" && forget &&
	wait_for grep -q . "$TMPDIR/ports" &&
	rm_is_there () {
		sa-yarn status "$job" 2>err >out && test_empty err
	} &&
	wait_for rm_is_there && test "$(asked "$puts")" -eq 1 &&
	sa-yarn status "$job" >out && jq_ok ".state == \"KILLED\"" out
'

test_expect_success 'client mode: the application, and the driver here' '
	new_cluster_run "{deploy_mode: \"client\", state: \"RUNNING\"}" &&
	rm "$run/exit.json" && supervise && start_driver sh -c \
		"trap \"exit 0\" TERM; while :; do sleep 0.05; done" &&
	scenario ".apps = [$(app "$job" RUNNING UNDEFINED)] |
		.kill = [\"KILLED\"]" && forget &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	{ wait "$driver" || :; } && ended 0 &&
	wait_for jq_ok ".yarn_state == \"KILLED\"" "$run/record.json" &&
	{ kill -9 "$supervisor"; wait "$supervisor" || :; } &&
	wait "$killer" && test "$(asked "$puts")" -ge 1 &&
	jq_ok ".state == \"KILLED\" and .exit_code == 0" out
'

test_expect_success 'client mode, no ResourceManager known: the driver ends' '
	new_cluster_run "{deploy_mode: \"client\", state: \"RUNNING\",
		yarn_rm_url: null}" && rm "$run/exit.json" && supervise &&
	start_driver sleep 300 &&
	{ sa-yarn kill "$job" >out 2>err & } && killer=$! &&
	{ wait "$driver" || :; } && ended null 15 && wait "$killer" &&
	jq_ok ".state == \"KILLED\" and .signal == 15" out &&
	test_match "only its driver is ended" err
'

test_expect_success 'an application without our tag: 77, but by --force' '
	running_run && scenario ".apps = [$(app "$job" RUNNING UNDEFINED) +
		{applicationTags: \"theirs\"}] | .kill = [\"KILLED\"]" &&
	forget && test_expect_code 77 sa-yarn kill "$job" >out 2>err &&
	test_empty out && test "$(asked "$puts")" -eq 0 &&
	test_match "does not carry the tag.*--force" err &&
	sa-yarn kill --force "$job" >out 2>err &&
	jq_ok ".state == \"KILLED\"" out &&
	echo "{\"job_id\":\"$job\",\"force\":true}" >in &&
	test_expect_code 64 sa-yarn kill --request <in >out 2>err
'

test_expect_success 'not allowed: 77, with the cluster'\''s words' '
	running_run && scenario ".acl = true |
		.apps = [$(app "$job" RUNNING UNDEFINED "{user: \"bob\"}")]" &&
	test_expect_code 77 sa-yarn kill "$job" >out 2>err &&
	test_empty out && test_match "Unauthorized attempt" err
'

test_expect_success 'it does not end: 75 with the last state' '
	running_run && scenario ".kill = [\"KILLING\"] |
		.apps = [$(app "$job" RUNNING UNDEFINED)]" &&
	SA_ERROR_FD=9 test_expect_code 75 sa-yarn kill -t 1 "$job" \
		>out 2>err 9>object &&
	test_empty out && test_match "RUNNING, on YARN RUNNING" err &&
	jq_ok ".error.detail.state == \"RUNNING\"" object
'

test_expect_success 'an answer that fails is asked for again' '
	running_run && scenario ".kill = [\"KILLED\"] |
		.apps = [$(app "$job" RUNNING UNDEFINED)] |
		.rules = [{method: \"PUT\", status: 500, times: 2,
			body: \"oops\"}]" &&
	sa-yarn kill "$job" >out 2>err && jq_ok ".state == \"KILLED\"" out
'

test_done
