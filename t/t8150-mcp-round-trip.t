#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='a job from connection to logs, by a model and a person'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-call-lib.sh"
fake_spark

mkdir data || skip_all 'no data directory'
PAGER='cat'
export PAGER

# with JQ [OPTION...]: the arguments of the next call, from the record before.
with () {
	jq -c "$@" record >arguments
}

# reviewed ID: what a person does, at a terminal of their own.
reviewed () {
	code=$(jq -r .plan_sha256 "data/pending/$1/record.json" | tail -c 5) &&
	printf '%s\n' 'expect anything else' "send $code" >script &&
	"$SA_BUILDDIR/t/in-terminal" script sa-confirm approve "$1" >shown
}

# submitted TEXT: a script of these lines, up to its job in record.
submitted () {
	jq -n --arg c "$1" '{code: $c}' >arguments &&
	gives generate_job_file - .script_path &&
	with '{connection: "dev", script_path}' &&
	gives prepare_submit_job - .pending_id &&
	p=$(jq -r .pending_id record) &&
	reviewed "$p" &&
	gives confirm_submit_job "{\"pending_id\": \"$p\"}" .job_id
}

test_expect_success 'a job, step by step' '
	gives save_connection "{\"name\": \"dev\", \"master\": \"local[2]\",
		\"spark_conf\": {\"spark.executor.memory\": \"1g\",
		\"spark.sql.shuffle.partitions\": 8}}" .name &&
	gives generate_job_file "{\"code\": \"# fake: say one\\n\"}" \
		.script_path &&
	with "{script_path}" && cp arguments ask &&
	gives read_job_file - ".content == \"# fake: say one\\n\"" &&
	with "{path: .script_path, expected_sha256: .sha256,
		content: (.content + \"# fake: log INFO token=hunter2\\n\")}" &&
	gives update_job_file - ".bytes_written > 20" &&
	with "{connection: \"dev\", script_path: .path, args: [\"x\"]}" &&
	gives prepare_submit_job - ".status == \"PENDING\"" &&
	with "{pending_id}" && cp arguments pending &&
	gives list_pending_submissions "{}" "(.items | length) == 1" &&
	cp pending arguments && gives get_pending_submission - \
		".plan.conf[\"spark.sql.shuffle.partitions\"].value == \"8\"" &&
	cp pending arguments &&
	fails refused 403 "is not approved" confirm_submit_job - &&
	reviewed "$(jq -r .pending_id pending)" &&
	test_match "# fake: say one" shown &&
	test_match "spark.sql.shuffle.partitions.*8.*agent" shown &&
	cp pending arguments && gives confirm_submit_job - .job_id &&
	with "{job_id, wait_seconds: 45}" &&
	gives get_job_status - ".state == \"SUCCEEDED\" and .exit_code == 0" &&
	with "{job_id}" && cp arguments job &&
	gives get_job_logs - ".content == \"one\\n\"" &&
	jq -c ". + {stream: \"stderr\"}" job >arguments &&
	gives get_job_logs - ".content | test(\"token=[*]{4}\")" &&
	gives list_jobs "{}" ".items[0].state == \"SUCCEEDED\"" &&
	test "$(wc -l <"$SPARK_HOME/starts.jsonl")" -eq 1
'

test_expect_success 'another is killed' '
	submitted "# fake: say begun
# fake: sleep 300
" &&
	with "{job_id}" && cp arguments job &&
	has_begun () {
		cp job arguments && call get_job_logs - &&
		jq_ok ".content == \"begun\\n\" and .next == 6" record
	} &&
	wait_for has_begun &&
	cp job arguments && gives get_job_status - ".state == \"RUNNING\"" &&
	cp job arguments && gives kill_job - ".state == \"KILLED\"" &&
	cp job arguments && gives get_job_status - ".state == \"KILLED\"" &&
	cp job arguments && gives get_job_logs - "has(\"next\") | not"
'

test_expect_success 'one that fails says why, its log too' '
	submitted "# fake: traceback ValueError: no such column
" &&
	with "{job_id, wait_seconds: 45}" &&
	gives get_job_status - ".state == \"FAILED\" and
		(.diagnostics | test(\"no such column\"))" &&
	with "{job_id}" && gives get_job_logs - \
		".content | test(\"ValueError: no such column\")"
'

test_expect_success 'CN-9: jobs outlive their connection' '
	gives delete_connection "{\"name\": \"dev\"}" ".name == \"dev\"" &&
	gives list_jobs "{}" "all(.items[]; .connection == \"dev\")" &&
	with "{job_id: .items[] | select(.state == \"FAILED\").job_id}" &&
	gives get_job_status - ".state == \"FAILED\""
'

test_expect_success 'who did what is in the audit log' '
	sa-confirm audit >audit &&
	jq_ok "[.items[] | select(.event == \"approve\") | .actor.origin] |
		unique == [\"person\"]" audit &&
	jq_ok "[.items[] | select(.event == \"submit\") | .actor.origin] |
		unique == [\"agent\"]" audit
'

test_done
