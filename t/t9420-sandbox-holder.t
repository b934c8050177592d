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

# kib: private memory, clean and dirty, of the program's pages too, which
# several holders share.
kib () {
	file=/proc/$(cat init)/smaps_rollup &&
	clean=$(field "$file" Private_Clean) &&
	dirty=$(field "$file" Private_Dirty) && echo $((clean + dirty))
}

# is_small: at most 0.4 MB of its own.
is_small () {
	test "$(kib)" -le 400
}

# Instrumented programs are of another size.
if ldd "$(command -v sa-sandbox)" | grep -q -e asan -e tsan
then
	test_skip 'a holder is small' 'built with a sanitizer'
else
	test_expect_success ROOT,jq 'a holder is small' '
		start && wait_for is_small && kib &&
		sa-sandbox exec --in "$box" -- true </dev/null &&
		wait_for is_small && kib &&
		sa-sandbox destroy "$box" >out
	'
fi

# woken: how often init was put to sleep until now.
woken () {
	field "/proc/$(cat init)/status" voluntary_ctxt_switches
}

test_expect_success jq 'and sleeps, unless a limit is looked at in turns' '
	start && sleep 0.5 && before=$(woken) && sleep 1.5 &&
	test $(($(woken) - before)) -le 2 &&
	sa-sandbox destroy "$box" >out &&
	start --disk 64M && sleep 0.5 && before=$(woken) && sleep 1.5 &&
	test $(($(woken) - before)) -ge 3 && sa-sandbox destroy "$box" >out
'
both_users
test_done
