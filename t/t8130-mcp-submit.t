#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='prepare_submit_job to confirm_submit_job, and cancelling'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-call-lib.sh"
. "$SA_SRCDIR/t/confirm-lib.sh"

printf '# fake: %s\n' 'say hello' 'args' >x.py
script=$PWD/x.py

# ready [MEMBERS]: prepares x.py through the tool: $p, record.
ready () {
	jq -nc --arg s "$script" '{connection: "demo", script_path: $s} +
		('"${1:-{\}}"')' >arguments &&
	gives prepare_submit_job - '.status == "PENDING"' &&
	p=$(jq -r .pending_id record)
}
id () {
	printf '{"pending_id": "%s"}' "$1"
}

test_expect_success 'MC-10: prepare gives a pending_id and what will run' '
	ready "{name: \"n\", args: [\"one\", \"two words\"], spark_conf:
		{\"spark.executor.cores\": 2}, expires: \"15m\"}" &&
	jq_ok ".plan | .args == [\"one\", \"two words\"] and .name == \"n\" and
		.conf[\"spark.executor.cores\"] ==
			{value: \"2\", origin: \"agent\"}" record &&
	jq_ok ".origin == \"agent\" and (.warnings | type) == \"array\"" \
		record &&
	test ! -e "$SPARK_HOME/starts.jsonl"
'

test_expect_success 'SB-10, MC-8: prepare, list, get' '
	ready && gives list_pending_submissions "" ".next == null" &&
	jq_ok "any(.items[]; .pending_id == \$p)" record --arg p "$p" &&
	gives list_pending_submissions "{\"limit\": 1}" \
		"(.items | length) == 1 and (.next | type) == \"string\" and
		(.items[0] | (has(\"plan\") | not) and
			.status == \"PENDING\" and
			.guard.verdict == \"allow\")" &&
	gives get_pending_submission "$(id "$p")" \
		".plan.master == \"local[2]\" and .status == \"PENDING\""
'

test_expect_success 'SB-5, SB-3: the connection is judged before the script' '
	fails not_found 404 "unknown connection: nope" prepare_submit_job \
		"{\"connection\": \"nope\", \"script_path\": \"/nope.py\"}" &&
	test_match "^next: list_connections" text &&
	fails invalid 400 "nope.py.*No such file" prepare_submit_job \
		"{\"connection\": \"demo\", \"script_path\": \"/nope.py\"}" &&
	test_match "^next: generate_job_file.code=" text &&
	test_match "mounted" text &&
	>empty.py &&
	fails invalid 400 "empty" prepare_submit_job \
		"{\"connection\": \"demo\",
		\"script_path\": \"$PWD/empty.py\"}" &&
	fails invalid 400 "is a directory" prepare_submit_job \
		"{\"connection\": \"demo\", \"script_path\": \"$PWD\"}"
'

test_expect_success 'the guard looks again, and more strictly' '
	echo "spark.sql(\"DROP TABLE t\")" >drop.py &&
	fails invalid 400 "DROP TABLE" prepare_submit_job \
		"{\"connection\": \"demo\",
		\"script_path\": \"$PWD/drop.py\"}" &&
	echo "import os; os.system(\"id\")" >os.py &&
	fails invalid 400 "os.py" prepare_submit_job \
		"{\"connection\": \"demo\", \"script_path\": \"$PWD/os.py\"}"
'

test_expect_success 'what is not for a model is refused by name' '
	ask () {
		jq -nc --arg s "$script" "{connection: \"demo\",
			script_path: \$s} + $1" >arguments
	} &&
	ask "{spark_conf: {\"spark.jars\": \"x.jar\"}}" &&
	fails refused 403 "conf .spark.jars. is not for an agent" \
		prepare_submit_job - &&
	ask "{spark_conf: {\"spark.master\": \"local\"}}" &&
	fails invalid 400 "conf .spark.master. cannot be set" \
		prepare_submit_job - &&
	for m in waive workdir files py_files runtime_guard unresolved plan
	do
		ask "{$m: [\"x\"]}" &&
		fails usage 400 "there is no argument $m" \
			prepare_submit_job - || return 1
	done &&
	ask "{expires: \"soon\"}" &&
	fails invalid 400 "expires .soon. is no duration" prepare_submit_job -
'

test_expect_success 'without a Spark a model is told whose matter that is' '
	jq -nc --arg s "$script" "{connection: \"demo\",
		script_path: \$s}" >arguments &&
	unset SPARK_HOME && PATH=$SA_BUILDDIR:/usr/bin:/bin &&
	fails config 400 "no spark-submit" prepare_submit_job - &&
	test_match "^next: .*tell the user" text
'

test_expect_success 'a key makes a retry safe' '
	ready "{key: \"k1\"}" && first=$p && ready "{key: \"k1\"}" &&
	test "$first" = "$p" &&
	jq -nc --arg s "$script" "{connection: \"demo\", script_path: \$s,
		key: \"k1\", args: [\"other\"]}" >arguments &&
	fails invalid 400 "whose plan is another" prepare_submit_job - &&
	test_match "^next: get_pending_submission" text
'

for policy in shell other-uid signed
do
	test_expect_success "$policy: not without a person" '
		ready && SA_CONFIRM='"$policy"' && export SA_CONFIRM &&
		fails refused 403 "$p is not approved" confirm_submit_job \
			"$(id "$p")" &&
		test_match "^next: a person has to review it" text &&
		test_match "they will see the script" text &&
		test_match "You cannot" text &&
		test_match "$(jq -r ".plan_sha256[:12]" \
			"data/pending/$p/record.json")" text &&
		test_expect_code 1 grep -iE "sa-|approve |--|command" text &&
		status_is PENDING && test "$(starts "$p")" -eq 0
	'
done

test_expect_success 'a model cannot say that it is a person' '
	ready &&
	for m in yes plan force policy once
	do
		fails usage 400 "there is no argument $m" confirm_submit_job \
			"{\"pending_id\": \"$p\", \"$m\": true}" || return 1
	done &&
	SA_ORIGIN=person && export SA_ORIGIN &&
	fails refused 403 "not approved" confirm_submit_job "$(id "$p")" &&
	test "$(starts "$p")" -eq 0
'

test_expect_success 'with an approval it is submitted, once' '
	ready && sa-confirm approve --yes "$p" >approval &&
	gives confirm_submit_job "$(id "$p")" \
		".state == \"RUNNING\" or .state == \"SUCCEEDED\"" &&
	j=$(jq -r .job_id record) && ended "$j" &&
	test "$(starts "$p")" -eq 1 &&
	fails invalid 400 "was submitted already, as $j" confirm_submit_job \
		"$(id "$p")" &&
	test_match "^next: follow it with get_job_status" text &&
	fails invalid 400 "status SUBMITTED as job $j" \
		cancel_pending_submission "$(id "$p")" &&
	test_match "^next: get_job_status, job_id $j" text &&
	gives get_pending_submission "$(id "$p")" \
		".status == \"SUBMITTED\" and (.job_id | startswith(\"j_\"))" &&
	test "$(starts "$p")" -eq 1
'

test_expect_success 'an approval of another plan is none' '
	ready && sa-confirm approve --yes "$p" >approval &&
	jq ".plan_sha256 = \"$(printf %064d 0)\"" approval \
		>"data/approvals/$p.json" &&
	fails refused 403 "is for another plan" confirm_submit_job \
		"$(id "$p")" &&
	test_match "^next: a person has to review it" text &&
	test "$(starts "$p")" -eq 0
'

test_expect_success 'what drifted since is refused' '
	ready && sa-confirm approve --yes "$p" >approval &&
	echo "# changed" >>"data/pending/$p/script/x.py" &&
	fails refused 403 "x.py" confirm_submit_job "$(id "$p")" &&
	test "$(starts "$p")" -eq 0
'

test_expect_success 'open: the operator may leave it to the model' '
	mkdir -p "$HOME/.config/sa" &&
	echo "confirm = open" >"$HOME/.config/sa/config" && ready &&
	gives confirm_submit_job "$(id "$p")" ".job_id | startswith(\"j_\")" &&
	rm "$HOME/.config/sa/config" && ended "$(jq -r .job_id record)"
'

test_expect_success 'SB-7: a cancelled one stays so' '
	ready &&
	gives cancel_pending_submission "{\"pending_id\": \"$p\",
		\"reason\": \"not wanted\"}" \
		".status == \"CANCELLED\" and .reason == \"not wanted\"" &&
	fails invalid 400 "has the status CANCELLED" confirm_submit_job \
		"$(id "$p")" &&
	test_match "^next: .*prepare it again" text &&
	fails invalid 400 "has the status CANCELLED" \
		cancel_pending_submission "$(id "$p")"
'

test_expect_success 'SB-8: an unknown id is 404, for each of them' '
	for t in get_pending_submission confirm_submit_job \
		cancel_pending_submission
	do
		for i in p_20261130T000000_000000 p_nope ../x "" demo
		do
			fails not_found 404 "unknown pending_id" $t \
				"$(id "$i")" &&
			test_match "^next: list_pending_submissions" text ||
				return 1
		done &&
		fails usage 400 "pending_id is missing" $t "{}" || return 1
	done
'

test_expect_success 'no answer of a model told anybody how to approve' '
	ready && gives list_pending_submissions "{}" ".items | length > 5" &&
	gives get_pending_submission "$(id "$p")" ".pending_id != null" &&
	test_expect_code 1 grep -E "sa-confirm|--yes" answer err
'

test_done
