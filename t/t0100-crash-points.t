#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='a state change that ends anywhere leaves the old or the new'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

tl_have_SANITIZERS && skip_all 'sanitizers want to be the first library'
test_have_prereq jq || skip_all 'no jq'
library=$SA_BUILDDIR/t/crashpoint.so
test -e "$library" || skip_all 'no library for LD_PRELOAD'
data=$SPARK_EXECUTOR_DATA_DIR
fake_spark

# crash COMMAND...: ended at its point $n, $mode is after it or before it.
crash () {
	env LD_PRELOAD="$library" SA_CRASH_DIR="$data" SA_CRASH_AT="$n" \
		SA_CRASH_MODE="$mode" "$@"
}

# at_each_point SETUP CHANGE CHECK: calls SETUP, then CHANGE, in which crash
# ends a command at its first point, then its second, until it gets through.
# CHECK is called each time with how it ended, killed or done. In the end there
# is how many points there were, in points.
at_each_point () {
	# before one point is after the one before it, but for the first
	for mode in ${SA_TEST_LONG:+before} after
	do
		n=0
		how=killed
		while test "$how" = killed
		do
			n=$((n + 1))
			rm -rf "$data" && "$1" || return
			code=0
			"$2" >out 2>err </dev/null || code=$?
			case $code in
			137) ;;
			0) how="done" ;;
			*)	echo "exit status $code at $n, $mode"
				cat err
				return 1 ;;
			esac
			"$3" "$how" || {
				echo "point $n, $mode"
				cat err
				find "$data"
				return 1
			}
		done
	done
	echo "$n" >points
}

at_least () {
	test "$(cat points)" -gt "$1" || {
		echo "only $(cat points) points" && return 1
	}
}

# Everything that is there can be read, whatever the state.
all_readable () {
	mkdir -p "$data" &&
	find "$data" -name "*.json" ! -name ".*" \
		-exec jq -e "type == \"object\"" {} + >readable &&
	test_expect_code 1 grep -v true readable &&
	for command in conn prepare genjob
	do
		"sa-$command" list >"list.$command" 2>err.list &&
		test_empty err.list || return
	done
}

nothing () {
	:
}
save_first () {
	crash sa-conn save c
}
check_first () {
	all_readable &&
	case $1 in
	done) jq_ok '[.items[].name] == ["c"]' list.conn ;;
	*) jq_ok '[.items[].name] | . == [] or . == ["c"]' list.conn ;;
	esac &&
	sa-conn save c --conf spark.app.name=again >again &&
	jq_ok '.spark_conf."spark.app.name" == "again"' again
}
test_expect_success 'the first connection of a new store' '
	at_each_point nothing save_first check_first &&
	at_least 10
'

old_connection () {
	sa-conn save c --master 'local[2]' --conf spark.app.name=old >saved
}
change_connection () {
	crash sa-conn save c --conf spark.app.name=new
}
check_changed () {
	all_readable && sa-conn show c >now &&
	case $1 in
	done) jq_ok '.spark_conf."spark.app.name" == "new"' now ;;
	*) jq_ok '.spark_conf."spark.app.name" |
		. == "old" or . == "new"' now ;;
	esac &&
	sa-conn save c --conf spark.app.name=newer >again
}
test_expect_success 'a connection that is changed' '
	at_each_point old_connection change_connection check_changed &&
	at_least 4
'

delete_connection () {
	crash sa-conn delete c
}
check_deleted () {
	all_readable &&
	case $1 in
	done) jq_ok '.items == []' list.conn ;;
	*) jq_ok '[.items[].name] | . == [] or . == ["c"]' list.conn ;;
	esac &&
	old_connection
}
test_expect_success 'a connection that is deleted' '
	at_each_point old_connection delete_connection check_deleted &&
	at_least 1
'

echo 'print("new")' >new.py
echo 'print("old")' >old.py
write_job () {
	crash sa-genjob <new.py
}
check_written () {
	all_readable &&
	for file in "$data"/jobs/*.py
	do
		test ! -e "$file" || test_cmp new.py "$file" || return
	done &&
	sa-genjob <old.py >again
}
test_expect_success 'a job file that is written' '
	at_each_point nothing write_job check_written &&
	at_least 4
'

old_job () {
	sa-genjob <old.py >job.json && job=$(jq -r .script_path job.json)
}
update_job () {
	crash sa-genjob update "$job" <new.py
}
check_updated () {
	all_readable &&
	case $1 in
	done) test_cmp new.py "$job" ;;
	*) cmp -s new.py "$job" || test_cmp old.py "$job" ;;
	esac &&
	sa-genjob update "$job" <old.py >again
}
test_expect_success 'a job file that is updated' '
	at_each_point old_job update_job check_updated &&
	at_least 2
'

make_pending () {
	crash sa-prepare -c c new.py
}
check_prepared () {
	all_readable &&
	case $1 in
	done) jq_ok '.items | length == 1' list.prepare ;;
	*) jq_ok '.items | length <= 1' list.prepare ;;
	esac &&
	jq_ok '.items | all(.status == "PENDING")' list.prepare &&
	sa-prepare -c c new.py >again
}
test_expect_success 'a pending that is made' '
	at_each_point old_connection make_pending check_prepared &&
	at_least 6
'

pending () {
	old_connection &&
	echo "# fake: exit 0" >quick.py &&
	sa-prepare -c c quick.py >pending.json &&
	p=$(jq -r .pending_id pending.json)
}
cancel () {
	crash sa-prepare cancel "$p"
}
check_cancelled () {
	all_readable &&
	case $1 in
	done) jq_ok '.items[0].status == "CANCELLED"' list.prepare ;;
	*) jq_ok '.items[0].status |
		. == "PENDING" or . == "CANCELLED"' list.prepare ;;
	esac &&
	if jq -e '.items[0].status == "PENDING"' list.prepare >/dev/null
	then sa-prepare cancel "$p" >again
	fi
}
test_expect_success 'a pending that is cancelled' '
	at_each_point pending cancel check_cancelled &&
	at_least 2
'

approve () {
	crash sa-confirm approve --yes "$p"
}
check_approved () {
	all_readable &&
	jq_ok '.items[0].status == "PENDING"' list.prepare &&
	sa-confirm audit --verify >chain
}
test_expect_success 'a pending that is approved' '
	at_each_point pending approve check_approved &&
	at_least 4
'

# Whatever was under way ends, and nothing is started a second time.
settled () {
	sa-yarn list >list.job &&
	jq_ok '.items | all(.state | test("SUCC|FAIL|KILL|LOST"))' list.job
}
starts () {
	if test -e "$SPARK_HOME/starts.jsonl"
	then jq -c --arg p "$p" 'select(.script | contains($p))' \
		"$SPARK_HOME/starts.jsonl" | wc -l
	else echo 0
	fi
}
confirm () {
	crash sa-confirm --yes "$p"
}
check_confirmed () {
	wait_for settled && all_readable &&
	{ sa-confirm --yes "$p" >again 2>err.again || :; } &&
	wait_for settled && all_readable &&
	test "$(starts)" -le 1 &&
	case $1 in
	done) test "$(starts)" -eq 1 ;;
	esac &&
	sa-confirm audit --verify >chain
}
test_expect_success 'a pending that is confirmed' '
	at_each_point pending confirm check_confirmed &&
	at_least 10
'

test_done
