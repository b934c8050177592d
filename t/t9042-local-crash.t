#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# sa-sandbox is killed at one system call after the other, as it makes a
# sandbox, runs a command and destroys one: nothing is left that gc does not
# remove. With SA_TEST_LONG at every call, else at every fifth.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq jq || skip_all "no jq"
test_have_prereq strace || skip_all "no strace"
strace -qq -o /dev/null true 2>/dev/null || skip_all 'strace may not trace'
need_sandbox
all=$SPARK_EXECUTOR_DATA_DIR/sandboxes
test_have_prereq LONG && stride=1 || stride=5
# Looking for leaks does not go together with being traced.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
export ASAN_OPTIONS

# What changes something, here or in the sandbox.
calls='?write,?sendmsg,?bind,?connect,?socketpair,?clone3,?fork,?vfork,?clone,
?mkdir,?mkdirat,?openat,?openat2,?rename,?renameat,?renameat2,?unlink,
?unlinkat,?fchmod,?fchmodat,?fchown,?fchownat,?fsync,?ftruncate,?flock,
?fchdir,?pidfd_send_signal,?waitid,?wait4,?poll,?recvmsg,?memfd_create'
calls=$(echo "$calls" | tr -d '\n')

# killing_at N COMMAND...: KILL in place of the Nth call.
killing_at () {
	at=$1
	shift
	strace -D -qq -o /dev/null -e "trace=$calls" \
		-e "inject=$calls:signal=KILL:when=$at" "$@" </dev/null
}

create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
in_box () {
	sa-sandbox exec --in "$box" "$@" </dev/null
}

# at_each_call LEAST COMMAND...: calls it with a number that grows until it
# gets through, which is then in calls and above LEAST.
at_each_call () {
	least=$1
	shift
	n=1
	code=137
	while test "$code" -eq 137
	do
		code=0
		"$@" "$n" >out 2>err || code=$?
		case $code in
		0) ;;
		137) n=$((n + stride)) ;;
		*)
			echo "exit status $code at call $n"
			cat err
			return 1 ;;
		esac
	done
	echo "$n calls" | tee calls
	test "$n" -gt "$least"
}

gone () {
	sa-sandbox gc >gc.json && jq -r ".items[].sandbox" gc.json >>boxes &&
	test -z "$(ls -A "$all")"
}
create_at () {
	killing_at "$1" sa-sandbox create --expires 1s --memory 200M
}
test_expect_success 'create' '
	at_each_call 20 create_at && wait_for gone
'

exec_at () {
	killing_at "$1" sa-sandbox exec --expires 3s -t 2 \
		--memory 200M -- sh -c "(setsid sleep $mark &); : >f"
}
test_expect_success 'exec of a command of its own' '
	at_each_call 20 exec_at && wait_for gone && wait_for none_marked
'

exec_in_at () {
	killing_at "$1" sa-sandbox exec --in "$box" -- \
		sh -c "sleep $mark & : >f"
}
test_expect_success 'exec in one that stands, which works on' '
	create && at_each_call 20 exec_in_at &&
	in_box -- sh -c "echo works >g; cat g" >out &&
	echo works | test_cmp - out &&
	sa-sandbox destroy "$box" >out && gone && none_marked
'

write_at () {
	echo new >content
	killing_at "$1" sh -c "exec sa-sandbox write $box f <content" &&
	return
	code=$?
	sa-sandbox read "$box" f >now && grep -qx "old\|new" now || exit 1
	return "$code"
}
test_expect_success 'write, which leaves the old file or the new one' '
	create && echo old | sa-sandbox write "$box" f >out &&
	at_each_call 10 write_at && sa-sandbox read "$box" f >out &&
	echo new | test_cmp - out && sa-sandbox destroy "$box" >out && gone
'

destroy_at () {
	test -e "$all/$box" || create || return
	in_box -- sh -c "mkdir -p a/b; : >a/b/c; sleep $mark &" || return
	killing_at "$1" sa-sandbox destroy "$box"
}
test_expect_success 'destroy' '
	create && at_each_call 20 destroy_at && gone && none_marked
'

gc_at () {
	create --expires 1h && in_box -- sh -c "mkdir -p a/b; : >a/b/c" &&
	sed "s/\"expires_at\":\"20[0-9]*/\"expires_at\":\"2020/" \
		"$all/$box/record.json" >new &&
	cat new >"$all/$box/record.json" && killing_at "$1" sa-sandbox gc
}
test_expect_success 'gc' '
	at_each_call 20 gc_at && gone
'

test_expect_success 'no mount, process or control group is left' '
	test_expect_code 1 grep -F "$PWD" /proc/mounts && none_marked &&
	test "$(wc -l <boxes)" -gt 5 &&
	sandbox_groups >groups &&
	test_expect_code 1 grep -F -f boxes groups
'

both_users
test_done
