#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='list_jobs, get_job_status, get_job_logs, kill_job'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-call-lib.sh"
. "$SA_SRCDIR/t/run-lib.sh"

mkdir data || skip_all 'no data directory'
id () {
	printf '{"job_id": "%s"}' "$1"
}
# ask MEMBERS: about $job.
ask () {
	jq -nc --arg j "$job" '{job_id: $j} + ('"${1:-{\}}"')' >arguments
}
# on_yarn: a job of a cluster where nothing answers.
on_yarn () {
	new_run '{master: "yarn", deploy_mode: "cluster", state: "RUNNING",
		application_id: "application_1700000000000_0001",
		tag: "sa-x", yarn_rm_url: "http://127.0.0.1:1"}' &&
	ended 0
}

test_expect_success 'a list without arguments, and in pages' '
	gives list_jobs "" ".items == []" &&
	new_run && ended 0 && first=$job && new_run && ended 0 &&
	gives list_jobs "{\"limit\": 1}" "(.items | length) == 1" &&
	jq_ok ".items[0].job_id == \$j and .next == \$j" record \
		--arg j "$job" &&
	gives list_jobs "{\"after\": \"$job\"}" "has(\"next\") | not" &&
	jq_ok ".items[0].job_id == \$j" record --arg j "$first"
'

test_expect_success 'a job that has ended' '
	new_run && ended 0 &&
	gives get_job_status "$(id "$job")" ".state == \"SUCCEEDED\" and
		.exit_code == 0 and (has(\"warnings\") | not)" &&
	new_run && ended 3 && printf "boom \\033[31mred\\n" >"$run/stdout" &&
	gives get_job_status "$(id "$job")" ".state == \"FAILED\" and
		.exit_code == 3 and (.diagnostics | contains(\"x1b[31mred\"))"
'

test_expect_success 'wait_seconds comes back at the end, or after that time' '
	new_run && supervise && start_driver sleep 60 &&
	ask "{wait_seconds: 1}" &&
	gives get_job_status - ".state == \"RUNNING\"" &&
	{ sh -c "sleep 1; kill -9 $supervisor $driver" & } &&
	ask "{wait_seconds: 45}" &&
	gives get_job_status - \
		".state | IN(\"LOST\", \"FAILED\", \"KILLED\")" &&
	ask "{wait_seconds: 46}" && fails invalid 400 "45" get_job_status - &&
	ask "{wait_seconds: -1}" && fails invalid 400 "wait_s" get_job_status -
'

# MC-7: a wrong id is one thing, a cluster that is down another.
test_expect_success 'an unknown id is 404, for each of them' '
	for t in get_job_status get_job_logs kill_job
	do
		for i in j_20261130T000000_000000 nope ../x "" \
			p_20261130T000000_000000
		do
			fails not_found 404 "unknown job_id" $t "$(id "$i")" &&
			test_match "^next: see list_jobs" text || return 1
		done &&
		fails usage 400 "job_id is missing" $t "{}" || return 1
	done
'

test_expect_success 'a cluster that is down is told in the record' '
	on_yarn &&
	gives get_job_status "$(id "$job")" ".state == \"RUNNING\" and
		(.warnings[0] | test(\"127.0.0.1:1.*last seen\"))" &&
	gives list_jobs "{\"limit\": 1}" \
		".items[0].warnings[0] | test(\"last seen\")" &&
	jq_ok "has(\"warnings\") | not" "$run/record.json"
'

test_expect_success 'logs and kills need the cluster: 502, not 404' '
	on_yarn &&
	fails remote 502 "no source has .stdout." get_job_logs \
		"$(id "$job")" &&
	test_match "ResourceManager.*127.0.0.1:1" text &&
	id "$job" | SA_ORIGIN=agent SA_ERROR_FD=3 test_expect_code 75 \
		sa-yarn kill --timeout 0 --request 3>object &&
	jq_ok ".error | (.message | test(\"127.0.0.1:1\")) and
		(.hint | test(\"get_job_status\"))" object
'

test_expect_success 'logs: the newest, masked, visible, called data' '
	new_run && ended 0 &&
	printf "start\\n\\033]0;x\\a password=hunter2\\nend\\n" \
		>"$run/stdout" &&
	gives get_job_logs "$(id "$job")" "(has(\"next\") | not) and
		.offset == 0 and (.notice | test(\"not instructions\"))" &&
	jq_ok ".content == \$c" record --arg c "start
\\x1b]0;x\\x07 password=****
end
" &&
	echo log >"$run/stderr" && ask "{stream: \"stderr\"}" &&
	gives get_job_logs - ".content == \"log\\n\"" &&
	ask "{tail: 1}" && gives get_job_logs - ".content == \"end\\n\""
'

test_expect_success 'logs: 30,000 characters, then a next page' '
	new_run && ended 0 && seq 1 20000 >"$run/stdout" &&
	gives get_job_logs "$(id "$job")" "(.content | length) <= 30000 and
		.truncated and (.content | endswith(\"\\n20000\\n\"))" &&
	at=0 && >all &&
	while test "$at" != null
	do
		ask "{offset: $at}" && gives get_job_logs - \
			"(.content | length) <= 30000" &&
		jq -j .content record >>all && at=$(jq .next record) || return 1
	done &&
	test_cmp "$run/stdout" all
'

# Nothing is before such a page that could be looked back at.
test_expect_success 'logs: a page that begins behind the end is empty' '
	for text in "" "a password=hunter2\\n"
	do
		new_run && ended 0 && printf "$text" >"$run/stdout" || return 1
		for at in 1 20 4097 1000000000000
		do
			test "$at" -gt 1 || test -z "$text" || continue
			ask "{offset: $at}" && gives get_job_logs - \
				".content == \"\" and .bytes == 0 and
				.truncated == false" &&
			jq_ok ".offset == $at" record || return 1
		done
	done
'

test_expect_success 'logs: wrong arguments' '
	new_run && ended 0 &&
	ask "{stream: \"all\"}" && fails invalid 400 "stream" get_job_logs - &&
	ask "{tail: 1, offset: 0}" &&
	fails invalid 400 "tail and offset exclude" get_job_logs - &&
	ask "{offset: -1}" && fails invalid 400 "offset" get_job_logs - &&
	ask "{output: \"/tmp/x\"}" && fails usage 400 "output" get_job_logs -
'

test_expect_success 'a kill ends the job with all that it started' '
	new_run && supervise && start_driver sleep 300 &&
	{ sh -c "while kill -0 $driver; do sleep 0.1; done
		jq -nc \"{exit_code: null, signal: 15,
			at: \\\"2026-11-29T10:16:00Z\\\"}\" >\"$run/.exit.tmp\"
		mv \"$run/.exit.tmp\" \"$run/exit.json\"
		kill -9 $supervisor" >/dev/null 2>&1 & } &&
	gives kill_job "$(id "$job")" ".state == \"KILLED\"" &&
	test_expect_code 1 kill -0 "$driver" &&
	gives kill_job "$(id "$job")" ".state == \"KILLED\""
'

test_expect_success 'what is not ours is not killed, whatever is asked' '
	new_run && ended 0 &&
	ask "{force: true}" && fails usage 400 "no argument force" kill_job - &&
	ask "{application: \"application_1_1\"}" &&
	fails usage 400 "no argument application" kill_job -
'

test_done
