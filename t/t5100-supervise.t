#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-supervise: how drivers are run, and how they end'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

# supervisor JOB: its pid.
supervisor () {
	for f in /proc/[0-9]*/cmdline
	do
		tr '\0' ' ' <"$f" 2>/dev/null | grep -q "supervise.* $1 \$" &&
			echo "$f" | tr -dc 0-9 && return
	done
	return 1
}

# verdict STATE CODE SIGNAL: of the job $j.
verdict () {
	ended "$j" &&
	jq_ok '[.state, .exit_code, .signal] == $v' \
		"data/runs/$j/record.json" --argjson v "[\"$1\",$2,$3]"
}

up () {
	wait_for test -e "data/runs/$j/exec.json" &&
	wait_for grep -q up "data/runs/$j/stdout"
}

test_expect_success 'exit statuses and signals' '
	prepare "exit 0" && submit && verdict SUCCEEDED 0 null &&
	prepare "exit 3" && submit && verdict FAILED 3 null &&
	prepare "traceback ValueError: no" && submit && verdict FAILED 1 null &&
	jq_ok ".diagnostics | contains(\"ValueError: no\")" \
		"data/runs/$j/record.json" &&
	prepare "die 15" && submit && verdict FAILED 143 null &&
	prepare "kill 9" && submit && verdict FAILED null 9
'

test_expect_success 'its own process group and session, no terminal, no stdin' '
	prepare stdin cwd && submit && verdict SUCCEEDED 0 null &&
	printf "%s\n" "stdin: 0 bytes" "$PWD" >expected &&
	test_cmp expected "data/runs/$j/stdout" &&
	jq -c --arg p "$p" "select(.script | contains(\$p))" \
		"$SPARK_HOME/starts.jsonl" >start &&
	jq_ok ".pid == .pgid and .sid == .ppid and .sid != \$me" start \
		--argjson me "$(ps -o sid= -p $$ | tr -d " ")" &&
	jq_ok ".pid == \$s.pid and .pgid == \$s.pgid and .start_ticks > 0 and
		(.boot_id | length) == 36" "data/runs/$j/exec.json" \
		--argjson s "$(cat start)"
'

test_expect_success 'the environment is that of the plan, nothing else' '
	EVIL=1 && export EVIL && prepare "exit 0" &&
	SPARK_SUBMIT_OPTS=x && LD_LIBRARY_PATH=/nowhere &&
	export SPARK_SUBMIT_OPTS LD_LIBRARY_PATH &&
	submit && ended "$j" &&
	real_jq -cS --arg p "$p" "select(.script | contains(\$p)).env" \
		"$SPARK_HOME/starts.jsonl" >got &&
	real_jq -cS .plan.env "data/pending/$p/record.json" >expected &&
	test_cmp expected got
'

test_expect_success 'secrets are neither in ps nor left behind' '
	prepare_with --conf spark.hadoop.fs.s3a.secret.key=hushhush -- \
		"say up" "await go" && submit && up &&
	for f in /proc/[0-9]*/cmdline
	do
		tr "\0" " " <"$f" 2>/dev/null; echo
	done >all &&
	test_match "$p" all && test_expect_code 1 grep hushhush all &&
	test "$(stat -c %a "data/runs/$j/spark.properties")" = 600 &&
	touch go && verdict SUCCEEDED 0 null && rm go &&
	jq -c --arg p "$p" "select(.script | contains(\$p))" \
		"$SPARK_HOME/starts.jsonl" >start &&
	jq_ok ".conf[\"spark.hadoop.fs.s3a.secret.key\"] == \"hushhush\" and
		(.argv | tostring | contains(\"hushhush\") | not)" start &&
	test ! -e "data/runs/$j/spark.properties" &&
	test_expect_code 1 grep -r hushhush "data/runs/$j" data/log data/audit
'

test_expect_success 'TERM, INT and HUP do not reach it, nor the driver' '
	prepare "say up" "await go" "say end" && submit && up &&
	s=$(supervisor "$j") &&
	kill -TERM "$s" && kill -INT "$s" && kill -HUP "$s" &&
	sleep 0.2 && test -d "/proc/$s" && touch go &&
	verdict SUCCEEDED 0 null && rm go &&
	test_match "^end$" "data/runs/$j/stdout"
'

test_expect_success 'its death does not hurt the driver' '
	prepare "say up" "await go" "say more" "print 100k" "touch done" &&
	submit && up &&
	kill -KILL "$(supervisor "$j")" && touch go &&
	wait_for test -e done && rm go done &&
	wait_for grep -q "with exitCode" "data/runs/$j/stderr" &&
	test_match "^more$" "data/runs/$j/stdout" &&
	test "$(wc -c <"data/runs/$j/stdout")" -eq $((3 + 5 + 102400)) &&
	lost () {
		sa-confirm --yes --once "$p" >job.json &&
		jq -e ".state == \"LOST\"" job.json
	} &&
	wait_for lost &&
	test "$(starts "$p")" -eq 1
'

test_expect_success 'while the driver lives without it the job is running' '
	prepare "say up" "await go" && submit && up &&
	kill -KILL "$(supervisor "$j")" &&
	sa-confirm --yes --once "$p" >job.json &&
	jq_ok ".state == \"RUNNING\"" job.json &&
	touch go && sleep 0.1 && rm go
'

test_expect_success 'what spark-submit leaves running is not killed' '
	prepare "spawn 1" "exit 0" && submit && verdict SUCCEEDED 0 null &&
	jq_ok "(.finished_at | fromdate) - (.started_at | fromdate) >= 0" \
		"data/runs/$j/record.json" &&
	prepare "kill 9" "touch alive" "await go" "touch late" &&
	submit && verdict FAILED null 9 && test -e alive && touch go &&
	wait_for test -e late && rm go
'

test_expect_success 'what is adopted is reaped' '
	prepare "daemon 0" "daemon 0" "say up" "await go" && submit && up &&
	s=$(supervisor "$j") && sleep 0.3 &&
	cat "/proc/$s/task/$s/children" >children &&
	for pid in $(cat children)
	do
		grep "^State" "/proc/$pid/status"
	done >states &&
	touch go && verdict SUCCEEDED 0 null && rm go &&
	test_expect_code 1 grep Z states
'

test_expect_success 'only the newest output is kept, the rest is a hole' '
	SA_OUTPUT_MAX=1048576 && export SA_OUTPUT_MAX &&
	prepare "print 200M" "say last" && submit && verdict SUCCEEDED 0 null &&
	f=data/runs/$j/stdout &&
	test "$(stat -c %s "$f")" -eq $((200 * 1024 * 1024 + 5)) &&
	test "$(($(stat -c %b "$f") * 512))" -le 1048576 &&
	test "$(($(stat -c %b "$f") * 512))" -ge 190000 &&
	tail -c 5 "$f" >got && echo last >expected && test_cmp expected got &&
	tail -c 190000 "$f" | tr -d "\0" | wc -c >got &&
	echo 190000 >expected && test_cmp expected got &&
	test "$(stat -c %a "$f")" = 640
'

tl_have_SANITIZERS ||
test_expect_success 'private memory is below 2 MiB' '
	prepare "say up" "await go" && submit && up &&
	s=$(supervisor "$j") &&
	awk "/^Private_(Clean|Dirty)/ { n += \$2 } END { print n }" \
		"/proc/$s/smaps_rollup" >kib &&
	touch go && verdict SUCCEEDED 0 null && rm go &&
	echo "$(cat kib) KiB" && test "$(cat kib)" -lt 2048
'

test_expect_success 'nobody starts a job twice, by hand either' '
	prepare "say up" "await go" && submit && up &&
	s=$SA_BUILDDIR/sa-supervise &&
	test_expect_code 75 "$s" "$j" 2>err &&
	touch go && verdict SUCCEEDED 0 null && rm go &&
	test_expect_code 65 "$s" "$j" 2>err &&
	test_match "$j was started before" err &&
	test_expect_code 66 "$s" j_20261129T101502_91ab33 &&
	test_expect_code 64 "$s" 2>err && test_match "^usage:" err &&
	test_expect_code 64 "$s" --status-fd 99 "$j" &&
	test_expect_code 64 "$s" --status-fd x "$j" &&
	test_expect_code 64 "$s" --no-such "$j" &&
	"$s" --help >out && test_match "^usage: sa-supervise" out &&
	"$s" --version >out && test_match "^sa-supervise " out &&
	test "$(starts "$p")" -eq 1
'

test_done
