#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-confirm: from a pending to a job, once'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

test_expect_success 'a pending becomes a job' '
	prepare "say hello" args &&
	sa-confirm --yes "$p" >job.json 2>err &&
	jq_ok ".v == 1 and .type == \"job\" and .pending_id == \$p and
		.connection == \"demo\" and .master == \"local[2]\" and
		(.state | IN(\"RUNNING\", \"SUCCEEDED\")) and
			.application_id == null" \
		job.json --arg p "$p" &&
	j=$(jq -r .job_id job.json) &&
	test_match "^sa-confirm: submitted $j$" err &&
	status_is SUBMITTED &&
	jq_ok ".job_id == \$j" "data/pending/$p/record.json" --arg j "$j" &&
	ended "$j" &&
	jq_ok ".state == \"SUCCEEDED\" and .exit_code == 0 and
		.signal == null and .started_at != null" \
		"data/runs/$j/record.json" &&
	echo hello >expected &&
	test_cmp expected "data/runs/$j/stdout" &&
	test_match "Submitted application: x" "data/runs/$j/stderr" &&
	test "$(starts "$p")" -eq 1
'

test_expect_success 'the job has all members, in their order' '
	prepare "exit 0" && submit &&
	real_jq -c keys_unsorted job.json >got &&
	cat >expected <<-\E &&
	["v","type","job_id","pending_id","connection","name","master",
	"deploy_mode","state","application_id","tag","yarn_state",
	"final_status","exit_code","signal","diagnostics","yarn_rm_url",
	"yarn_user","tracking_url","submitted_at","started_at","finished_at",
	"kill_requested_at","checked_at"]
	E
	tr -d "\n" <expected | sed "s/$/\n/" >expected.line &&
	test_cmp expected.line got
'

test_expect_success 'the second of two is refused and told the job' '
	prepare "exit 0" && submit && ended "$j" &&
	SA_ERROR_FD=3 test_expect_code 65 sa-confirm --yes "$p" \
		>out 2>err 3>object &&
	test_empty out &&
	test_match "^sa-confirm: $p .*$j" err &&
	jq_ok ".error.kind == \"invalid\" and .error.detail.job_id == \$j" \
		object --arg j "$j" &&
	test "$(starts "$p")" -eq 1
'

test_expect_success '--once: the job that there is is the answer' '
	prepare "exit 0" &&
	sa-confirm --yes --once "$p" >first &&
	j=$(jq -r .job_id first) && ended "$j" &&
	sa-confirm --yes --once "$p" >second &&
	jq_ok ".job_id == \$j and .state == \"SUCCEEDED\"" second \
		--arg j "$j" &&
	test "$(starts "$p")" -eq 1
'

test_expect_success 'of a piped record only the id counts' '
	prepare "say real" &&
	jq -c ".plan.args = [\"other\"] | .script_path = \"/nowhere\"" \
		pending.json | sa-confirm --yes >job.json &&
	j=$(jq -r .job_id job.json) && ended "$j" &&
	echo real >expected &&
	test_cmp expected "data/runs/$j/stdout"
'

test_expect_success 'a record or --plan with another hash is 77' '
	prepare "exit 0" &&
	jq -c ".plan_sha256 |= sub(\"^.\"; \"x\")" pending.json >other &&
	test_expect_code 77 sa-confirm --yes <other >out 2>err &&
	test_empty out &&
	test_match "$p" err &&
	test_expect_code 77 sa-confirm --yes --plan 0123 "$p" >out 2>err &&
	test_match "0123" err &&
	status_is PENDING &&
	sa-confirm --yes --plan "$(jq -r .plan_sha256 pending.json)" "$p"
'

test_expect_success 'without a terminal it stays, and says what to do' '
	prepare "exit 0" &&
	test_expect_code 1 setsid -w sa-confirm "$p" >out 2>err &&
	jq_ok ".type == \"pending\" and .status == \"PENDING\" and
		.pending_id == \$p" out --arg p "$p" &&
	test_match "sa-confirm --yes $p" err &&
	status_is PENDING &&
	test_expect_code 1 setsid -w sa-confirm <pending.json >out2 &&
	test_cmp out out2
'

test_expect_success 'cron has no terminal and next to no environment' '
	prepare "exit 0" &&
	bare () {
		env -i PATH=/usr/bin:/bin SPARK_EXECUTOR_DATA_DIR="$PWD/data" \
			setsid -w "$(command -v sa-confirm)" "$@"
	} &&
	test_expect_code 1 bare "$p" &&
	bare --yes "$p" >job.json &&
	j=$(jq -r .job_id job.json) && ended "$j" &&
	jq_ok ".state == \"SUCCEEDED\"" "data/runs/$j/record.json"
'

test_expect_success 'closed descriptors, a full disk, a reader gone' '
	prepare "exit 0" &&
	sa-confirm --yes "$p" <&- >job.json &&
	prepare "exit 0" &&
	test_expect_code 74 sa-confirm --yes "$p" >/dev/full 2>err &&
	test_match "submitted j_" err &&
	status_is SUBMITTED &&
	prepare "exit 0" &&
	{ sa-confirm --yes "$p" 2>err; echo $? >code; } | true &&
	status_is SUBMITTED &&
	test_match "submitted j_" err &&
	prepare "exit 0" &&
	test_expect_code 74 sa-confirm --yes "$p" >&- 2>err &&
	status_is SUBMITTED
'

test_expect_success '--dry-run checks, prints the command line, does nothing' '
	prepare_with --arg "a\$b" --conf spark.hadoop.x.password=hidden -- \
		args &&
	sa-confirm --dry-run "$p" >out &&
	test "$(wc -l <out)" -eq 1 &&
	test_match "^$SPARK_HOME/bin/spark-submit --master .local.2.. .*$p" \
		out &&
	test_match " .a.b.\$" out &&
	test_expect_code 1 grep hidden out &&
	status_is PENDING &&
	test "$(starts "$p")" -eq 0 &&
	sa-confirm --dry-run --json "$p" >out &&
	jq_ok ".type == \"pending\" and (.command_line | length) > 20" out &&
	chmod -x "$SPARK_HOME/bin/spark-submit" &&
	{ sa-confirm --dry-run "$p"; code=$?; } &&
	chmod +x "$SPARK_HOME/bin/spark-submit" && test "$code" -eq 78
'

test_expect_success 'what is no pending' '
	test_expect_code 65 sa-confirm --yes </dev/null 2>err &&
	test_match "stage before" err &&
	test_expect_code 66 sa-confirm --yes p_20261129T101500_4f0c9a 2>err &&
	test_match "p_20261129T101500_4f0c9a" err &&
	test_expect_code 66 sa-confirm --yes ../../etc 2>err &&
	test_expect_code 64 sa-confirm --yes a b 2>err &&
	prepare "exit 0" &&
	for change in ".v = 2" ".type = \"job\"" "del(.pending_id)" \
		".pending_id = 7" "del(.v)"
	do
		jq -c "$change" pending.json >bad &&
		test_expect_code 65 sa-confirm --yes <bad >out 2>err &&
		test_empty out || return 1
	done &&
	head -c 40 pending.json >bad &&
	test_expect_code 65 sa-confirm --yes <bad &&
	sed "s/^{/{\"v\":1,/" pending.json >bad &&
	test_expect_code 65 sa-confirm --yes <bad 2>err &&
	test_match "^sa-confirm: stdin:1:" err &&
	status_is PENDING
'

test_expect_success 'cancelled and expired ones cannot be confirmed' '
	prepare "exit 0" &&
	sa-confirm reject "$p" --reason "not today" >out &&
	jq_ok ".status == \"CANCELLED\" and .reason == \"not today\"" out &&
	test_expect_code 65 sa-confirm --yes "$p" 2>err &&
	test_match "$p.*CANCELLED" err &&
	test_expect_code 65 sa-confirm reject "$p" &&
	SA_PENDING_TTL=1s && export SA_PENDING_TTL && prepare "exit 0" &&
	sleep 1.1 &&
	test_expect_code 65 sa-confirm --yes "$p" 2>err &&
	test_match "$p.*EXPIRED" err &&
	test "$(starts "$p")" -eq 0
'

test_expect_success 'a spark-submit that cannot be executed' '
	prepare "exit 0" &&
	printf "#!/no/such/interpreter\n" >"$SPARK_HOME/bin/spark-submit" &&
	prepare "exit 0" &&
	{
		SA_ERROR_FD=3 sa-confirm --yes "$p" >out 2>err 3>object
		code=$?
	} &&
	cp "$SA_BUILDDIR/t/fake-spark-submit" \
		"$SPARK_HOME/bin/spark-submit" &&
	test "$code" -eq 78 &&
	test_empty out &&
	test_match "cannot execute .$SPARK_HOME/bin/spark-submit" err &&
	jq_ok ".error.detail.state == \"FAILED\"" object &&
	status_is FAILED &&
	j=$(jq -r .job_id "data/pending/$p/record.json") &&
	jq_ok ".state == \"FAILED\" and .exit_code == null and
		(.diagnostics | contains(\"cannot execute\"))" \
		"data/runs/$j/record.json" &&
	test_expect_code 65 sa-confirm --yes "$p"
'

test_expect_success 'the id of an application is waited for' '
	sa-conn save yarn --master yarn --yarn-rm-url http://127.0.0.1:1 \
		>/dev/null &&
	mkdir -p hadoop && HADOOP_CONF_DIR=$PWD/hadoop &&
	export HADOOP_CONF_DIR &&
	echo "<configuration/>" >hadoop/core-site.xml &&
	cp hadoop/core-site.xml hadoop/yarn-site.xml &&
	printf "# fake: await go\n" >x.py &&
	p=$(sa-prepare -c yarn x.py | jq -r .pending_id) &&
	submit &&
	jq_ok ".application_id | test(\"^application_[0-9]+_[0-9]+$\")" \
		job.json &&
	app=$(jq -r .application_id job.json) &&
	test_match "Submitted application $app$" "data/runs/$j/stderr" &&
	running () {
		sa-confirm --yes --once "$p" | jq -e ".state == \"RUNNING\""
	} &&
	wait_for running &&
	jq_ok ".started_at != null" "data/runs/$j/record.json" &&
	touch go && ended "$j" &&
	jq_ok ".application_id == \$a and .state == \"SUCCEEDED\"" \
		"data/runs/$j/record.json" --arg a "$app"
'

test_expect_success 'with an id, but not running yet, it is SUBMITTED' '
	HADOOP_CONF_DIR=$PWD/hadoop && export HADOOP_CONF_DIR &&
	mv "$SPARK_HOME/bin/spark-submit" kept &&
	line="26/11/29 20:58:35 INFO Client: Application ID is assigned:" &&
	printf "%s\n" "#!/bin/sh" "echo $line application_17_0042 >&2" \
		"until test -e go || test ! -d data; do sleep 0.1; done" \
		>"$SPARK_HOME/bin/spark-submit" &&
	chmod +x "$SPARK_HOME/bin/spark-submit" && rm -f go &&
	p=$(sa-prepare -c yarn x.py | jq -r .pending_id) && submit &&
	mv kept "$SPARK_HOME/bin/spark-submit" &&
	jq_ok ".state == \"SUBMITTED\" and .started_at == null and
		.application_id == \"application_17_0042\"" job.json &&
	touch go && ended "$j"
'

test_expect_success 'on_event gets the records, and blocks nothing' '
	prepare "exit 0" &&
	cat >hook <<-\S &&
	#!/bin/sh
	cat >"event.$SA_EVENT.$$.tmp" && mv "event.$SA_EVENT.$$.tmp" \
		"event.$SA_EVENT"
	S
	chmod +x hook && at=$PWD &&
	sa-confirm --yes --on-event "cd \"$at\" && ./hook" "$p" >job.json &&
	wait_for test -e event.submitted -a -e event.ended &&
	jq_ok ".type == \"job\" and .pending_id == \$p" event.submitted \
		--arg p "$p" &&
	jq_ok ".state == \"SUCCEEDED\"" event.ended &&
	prepare "exit 0" &&
	sa-confirm --yes --on-event "exec sleep 600" "$p" >job.json &&
	prepare "exit 0" &&
	sa-confirm --yes --on-event false "$p" >job.json &&
	wait_for grep "on_event .false. for submitted: exit 1" \
		data/log/info.log
'

test_expect_success 'a request' '
	prepare "exit 0" &&
	echo "{\"pending_id\":\"$p\",\"yes\":true}" >request &&
	test_expect_code 64 sa-confirm confirm --request <request 2>err &&
	test_match "yes" err &&
	echo "{\"pending_id\":\"$p\"}" >request &&
	test_expect_code 1 setsid -w sa-confirm confirm --request <request &&
	status_is PENDING
'

test_done
