#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# What whoever writes an agent meets sooner or later: sandboxes that go under
# a command, too much at once, files that are nearly as they should be.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox
test_have_prereq jq || skip_all "no jq"

create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
destroy () {
	sa-sandbox destroy "$box" >destroyed && test ! -e "data/sandboxes/$box"
}

# in_background WORD...: exec in $box; its status comes to "status".
in_background () {
	rm -f status &&
	{ { sa-sandbox exec --in "$box" "$@" >out 2>err
		echo $? >status; } & } &&
	wait_for marked
}

test_expect_success 'commands that begin at once are in one sandbox' '
	create && i=0 && mkdir once &&
	while test $i -lt 12
	do
		{ sa-sandbox exec --in "$box" -- sh -c "
			readlink /proc/self/ns/pid; touch \$1; exec sleep $mark" \
			sh begun.$i >once/$i 2>&1 & } && i=$((i + 1)) || return 1
	done &&
	all_run () {
		test "$(ls "data/sandboxes/$box/tree/workspace" | wc -l)" = 12
	} &&
	wait_for all_run && sort -u once/* >spaces &&
	test "$(wc -l <spaces)" = 1 && sa-sandbox list >list.json &&
	jq_ok ".items[].commands == 12" list.json && destroy && wait &&
	none_marked
'

test_expect_success 'more commands at once than one sandbox has room for' '
	create && i=0 && mkdir many &&
	while test $i -lt 64
	do
		{ sa-sandbox exec --in "$box" -- sh -c \
			"touch \$1; exec sleep $mark" sh $i >many/$i 2>&1 & } &&
		i=$((i + 1)) || return 1
	done &&
	all_run () {
		test "$(ls "data/sandboxes/$box/tree/workspace" | wc -l)" = 64
	} &&
	wait_for all_run &&
	test_expect_code 125 sa-sandbox exec --in "$box" -- true 2>err &&
	test_match "64 commands run in this sandbox already; wait" err &&
	destroy && wait
'

both_users
test_done
