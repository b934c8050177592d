#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# What a sandbox at rest costs, in which only what commands left goes on.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox
test -r /proc/self/smaps_rollup ||
	skip_all "this kernel does not tell what a process has"

# start: a sandbox at rest; its init's number in the file init.
start () {
	box=$(sa-sandbox create "$@" | jq -r .sandbox) &&
	sa-sandbox exec --in "$box" -- sh -c "sleep $mark &" </dev/null &&
	wait_for marked && pid=$(marked | head -n 1) &&
	sed -n "s/^PPid:[^0-9]*//p" "/proc/$pid/status" >init
}

# field FILE NAME: the number there.
field () {
	sed -n "s/^$2:[^0-9]*\([0-9]*\).*/\1/p" "$1"
}

# kib: private memory, clean and dirty, of the program's pages too; anonymous:
# without these, which are the file's and which holders share.
kib () {
	file=/proc/$(cat init)/smaps_rollup &&
	clean=$(field "$file" Private_Clean) &&
	dirty=$(field "$file" Private_Dirty) && echo $((clean + dirty))
}
anonymous () {
	field "/proc/$(cat init)/smaps_rollup" Anonymous
}

# is_small: a quarter of 0.4 MB where it goes on in the program that was made
# for that, else at most that.
is_small () {
	if took_over
	then test "$(anonymous)" -le 100
	else test "$(kib)" -le 400
	fi
}
took_over () {
	readlink "/proc/$(cat init)/exe" | grep -q "/sa-sandbox-init$"
}

# Instrumented programs are of another size.
if tl_have_SANITIZERS
then
	test_skip 'a holder is small' 'built with a sanitizer'
else
	test_expect_success ROOT,jq 'a holder is small' '
		start && wait_for is_small && anonymous &&
		sa-sandbox exec --in "$box" -- true </dev/null &&
		wait_for is_small && anonymous &&
		sa-sandbox destroy "$box" >out
	'
fi

# woken: how often init was put to sleep until now.
woken () {
	field "/proc/$(cat init)/status" voluntary_ctxt_switches
}

sleeps () {
	before=$(woken) && sleep 1.5 && test $(($(woken) - before)) -le 2
}
woken_thrice () {
	test $(($(woken) - before)) -ge 3
}
test_expect_success jq 'and sleeps, unless a limit is looked at in turns' '
	start && wait_for sleeps && sa-sandbox destroy "$box" >out &&
	start --disk 64M && sleep 1 && before=$(woken) && sleep 1 &&
	wait_for woken_thrice && sa-sandbox destroy "$box" >out
'
# rests COMMAND...: what init knows as it comes to rest is known after it too:
# a log, an end that somebody waits for, a limit. COMMAND tells of it meanwhile.
rests () {
	start --disk 8M && sa-sandbox exec --in "$box" -d -- sh -c "
		echo before; until test -e go; do sleep 0.05; done
		echo after; exit 7" >exec.json &&
	id=$(jq -r .exec exec.json) && "$@" &&
	echo | sa-sandbox write "$box" go >out &&
	test_expect_code 7 sa-sandbox wait "$box" "$id" >out &&
	sa-sandbox logs "$box" "$id" >out &&
	printf "before\nafter\n" | test_cmp - out && marked &&
	{ sa-sandbox exec --in "$box" -- sh -c "
		dd if=/dev/zero of=big bs=1M count=64; sleep 60" >out 2>&1
		wait_for none_marked; } && sa-sandbox destroy "$box" >out
}

# Where it was configured: nothing is static where sanitizers are.
if grep -q '^sa_sandbox_init_SOURCES' "$SA_BUILDDIR/Makefile"
then
	test_expect_success 'that program is for nobody else' '
		init=$(dirname "$(command -v sa-sandbox)")/sa-sandbox-init &&
		test_expect_code 64 "$init" </dev/null 2>err &&
		test_match "started by sa-sandbox" err
	'
	test_expect_success ROOT,jq 'at rest another program goes on' '
		rests wait_for took_over
	'
fi
test_expect_success jq 'and without that one it goes on itself' '
	mkdir -p alone && cp "$(command -v sa-sandbox)" alone/ &&
	(PATH=$PWD/alone:$PATH && rests true)
'
both_users
test_done
