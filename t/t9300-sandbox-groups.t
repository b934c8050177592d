#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Control groups: what they hold, who may have them, that none is left.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox

# has_groups FILE: a check record says that both can be made.
has_groups () {
	jq_ok '[.items[] | select((.name == "--memory" or .name == "--cpus")
		and (.detail | startswith("by a control group")))] |
		length == 2' "$1"
}
groups_left () {
	find /sys/fs/cgroup -type d -name "$1" 2>/dev/null | grep .
}
cat >burn.py <<\EOF
import time
end, spent = time.monotonic() + 2, time.process_time()
while time.monotonic() < end:
    pass
print(int(1000 * (time.process_time() - spent) / 2))
EOF
cat >shared.py <<\EOF
import mmap
m = mmap.mmap(-1, 400 << 20)
for i in range(0, len(m), 4096):
    m[i] = 1
print("all of it", flush=True)
EOF
can=
sa-sandbox check --json >check.json
if has_groups check.json >/dev/null 2>&1
then
	can=yes
fi

test_expect_success 'the record tells what holds each limit' '
	sa-sandbox create --pids 10 --disk 1M >box.json &&
	jq_ok ".isolation == \"namespaces\" and (.enforced |
		.pids == \"RLIMIT_NPROC\" and
		.disk == \"RLIMIT_FSIZE, watch\" and
		(has(\"memory\") or has(\"cpus\") | not))" box.json &&
	sa-sandbox destroy <box.json >out
'

if test -n "$can"
then
	test_expect_success 'a control group holds processors' '
		sa-sandbox exec -i --cpus 0.2 -- python3 - <burn.py >out &&
		cat out && test "$(cat out)" -le 300
	'
	test_expect_success 'and memory, of which no byte is too much' '
		sa-sandbox create -m 100M --cpus 1.5 >box.json &&
		jq_ok ".enforced | .memory == \"control group\" and
			.cpus == \"control group\"" box.json &&
		box=$(jq -r .sandbox box.json) &&
		test_expect_code 137 sa-sandbox exec -i --json --in "$box" -- \
			python3 - <shared.py >result.json &&
		jq_ok ".exit_code == 137 and .limit == \"memory\" and
			.stdout == \"\"" result.json &&
		sa-sandbox exec --in "$box" -- true </dev/null
	'
	test_expect_success 'a sandbox sees nothing of its groups' '
		box=$(jq -r .sandbox box.json) &&
		sa-sandbox exec --in "$box" -- cat /proc/self/cgroup \
			</dev/null >out &&
		test_expect_code 1 grep -v ":/\$" out
	'
	test_expect_success 'they go with it' '
		box=$(jq -r .sandbox box.json) &&
		groups_left "$box" &&
		sa-sandbox destroy "$box" >out &&
		test_expect_code 1 groups_left "$box"
	'
	test_expect_success 'many at once, of two stores, do not meet' '
		for i in 1 2 3 4 5 6
		do
			{ SPARK_EXECUTOR_DATA_DIR=$PWD/store$((i % 2)) \
				sa-sandbox exec -m 64M --cpus 1 -- sh -c "
				echo $i >f; sleep 0.2; cat f" \
				</dev/null >many$i & } || exit
		done &&
		wait &&
		test "$(cat many* | sort | tr -d "\n")" = 123456 &&
		for i in 0 1
		do
			test -z "$(ls -A "store$i/sandboxes")" || exit
		done
	'
	test_expect_success 'gc removes those of who was killed' '
		sa-sandbox create -m 100M --expires 1s >box.json &&
		box=$(jq -r .sandbox box.json) &&
		sa-sandbox create -m 100M >torn.json &&
		torn=$(jq -r .sandbox torn.json) &&
		echo "{" >"data/sandboxes/$torn/record.json" &&
		groups_left "$torn" &&
		collected () {
			sa-sandbox gc >items.json &&
			test ! -e "data/sandboxes/$box"
		} &&
		wait_for collected &&
		test_expect_code 1 groups_left "$box" &&
		test_expect_code 1 groups_left "$torn"
	'
	test_expect_success 'whoever is killed as they are made' '
		for after in 0.01 0.03 0.05 0.07
		do
			{ sa-sandbox exec -m 64M --cpus 1 --expires 2s -- \
				sleep 100 </dev/null >out 2>&1 & } &&
			pid=$! && sleep $after &&
			{ kill -9 $pid; wait $pid || :; } || exit
		done 2>err &&
		names=$(ls -A data/sandboxes | sed "s/^\.[a-z]*-//") &&
		all_collected () {
			sa-sandbox gc >items &&
			test -z "$(ls -A data/sandboxes)"
		} &&
		wait_for all_collected &&
		for name in $names
		do
			test_expect_code 1 groups_left "$name" || exit
		done
	'
fi

test_expect_success 'who may make no group gets no --cpus, and no claim' '
	mkdir -m 777 nobody && cd nobody &&
	export SPARK_EXECUTOR_DATA_DIR="$PWD/data" &&
	as_nobody env TMPDIR="$PWD" sa-sandbox check --json >check.json &&
	test_expect_code 77 as_nobody sa-sandbox create --cpus 1 2>err &&
	test_match "no control group .*--cpus" err &&
	test_match Delegate err &&
	as_nobody sa-sandbox create -m 100M >box.json &&
	jq_ok ".enforced.memory == \"RLIMIT_DATA, watch\"" box.json &&
	as_nobody sa-sandbox destroy <box.json >out
'

# Groups of a user: of version 1 the own ones, of version 2 the one above.
own=''
made=''
give () {
	dir=$1/sa-test-$$
	mkdir "$dir" && made="$dir $made" && own="$own $dir" || return
	test "$1" = /sys/fs/cgroup || return 0
	echo +cpu +memory >"$1/cgroup.subtree_control" &&
		mkdir "$dir/user" && made="$dir/user $made" && own=$dir/user
}
if test_have_prereq ROOT && test -n "$can"
then
	for dir in /sys/fs/cgroup/cpu /sys/fs/cgroup/memory /sys/fs/cgroup
	do
		test ! -e "$dir/cgroup.procs" || give "$dir" 2>/dev/null || :
	done
fi
# delegated COMMAND...: as a user whose own groups those are.
delegated () (
	for dir in $own
	do
		# shellcheck disable=SC2016 # the inner one's
		sh -c 'echo $PPID >"$1/cgroup.procs"' sh "$dir" || exit
	done
	as_nobody "$@"
)
if test -n "$own"
then
	test_expect_success 'a user has the groups that are delegated to it' '
		chown -R 65534 $made && cd nobody &&
		export SPARK_EXECUTOR_DATA_DIR="$PWD/data" &&
		delegated sa-sandbox create -m 100M --cpus 0.2 >box.json &&
		jq_ok ".enforced | .memory == \"control group\" and
			.cpus == \"control group\"" box.json &&
		box=$(jq -r .sandbox box.json) &&
		delegated sa-sandbox exec -i --in "$box" -- python3 - \
			<../burn.py >out &&
		test "$(cat out)" -le 300 &&
		test_expect_code 137 delegated sa-sandbox exec -i --in "$box" \
			-- python3 - <../shared.py 2>err
	'
	test_expect_success 'no command runs without what its sandbox has' '
		cd nobody &&
		export SPARK_EXECUTOR_DATA_DIR="$PWD/data" &&
		box=$(jq -r .sandbox box.json) &&
		test_expect_code 125 as_nobody sa-sandbox exec --in "$box" -- \
			true </dev/null 2>err &&
		test_match "no control group" err &&
		delegated sa-sandbox destroy "$box" >out &&
		test_expect_code 1 groups_left "$box"
	'
	# shellcheck disable=SC2086 # a list
	rmdir $made
fi
test_done
