#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Sandboxes of this host beside each other and one after the other, what goes
# on between commands, and what is left when processes of ours are killed.
# With SA_TEST_LONG there are more of each.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox
if test_have_prereq LONG
then
	cycles=100 kills=30 many=50
else
	cycles=10 kills=8 many=12
fi

# Of this test's sandbox, so that one that failed does not fail the others.
none_left () {
	test ! -e "data/sandboxes/${box:-none}"
}
create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
in_box () {
	sa-sandbox exec --in "$box" "$@" </dev/null
}

test_expect_success 'what a command left goes on, and others see it' '
	create &&
	in_box -- sh -c "(sleep $mark & echo \$! >pid)" &&
	wait_for marked &&
	in_box -- sh -c "kill -0 \$(cat pid) && hostname" >out &&
	echo sandbox | test_cmp - out &&
	sa-sandbox list >list.json &&
	jq_ok ".items[0].state == \"running\"" list.json
'

test_expect_success 'one whose files are removed by other means ends' '
	kept=$(jq -r .sandbox box.json) &&
	create --disk 1G &&
	in_box -- sh -c "sleep 2$mark &" &&
	wait_for grep -qsa "^sleep.2$mark" /proc/[0-9]*/cmdline &&
	rm -rf "data/sandboxes/$box" &&
	wait_for sh -c "! grep -qsa \"^sleep.2$mark\" /proc/[0-9]*/cmdline" &&
	sa-sandbox list | jq -c ".items[] | select(.sandbox == \"$kept\")" \
		>box.json && box=$kept
'

test_expect_success 'a time-out of one leaves alone what others left' '
	box=$(jq -r .sandbox box.json) &&
	test_expect_code 124 sa-sandbox exec --in "$box" -t 0.5 -- \
		sh -c "setsid sh -c \"trap : TERM; sleep 1$mark\" &
			sleep 1$mark" </dev/null 2>err &&
	marked &&
	in_box -- sh -c "kill -0 \$(cat pid)" &&
	! grep -qsa "^sleep.1$mark" /proc/[0-9]*/cmdline &&
	sa-sandbox list >list.json &&
	jq_ok ".items[0].state == \"running\"" list.json
'

test_expect_success 'destroying it ends what it left' '
	box=$(jq -r .sandbox box.json) &&
	sa-sandbox destroy "$box" >out &&
	none_marked && none_left
'

test_expect_success 'what goes on ends as the sandbox expires' '
	create --expires 10s &&
	in_box -- sh -c "sleep $mark &" &&
	wait_for marked &&
	wait_for none_marked &&
	test_expect_code 125 sa-sandbox exec --in "$box" -- true </dev/null \
		2>err &&
	test_match "has expired" err &&
	sa-sandbox gc >items && none_left
'

# run_marked: its exit status goes to the file code.
run_marked () {
	in_box -- sleep "$mark" 2>err
	echo $? >code
}

test_expect_success 'destroying it ends what runs' '
	create &&
	{ run_marked & } &&
	wait_for marked &&
	sa-sandbox destroy "$(jq -r .sandbox box.json)" >out &&
	wait && test "$(cat code)" -ne 0 && none_marked && none_left
'

test_expect_success 'commands at once share one sandbox' '
	create &&
	for i in 1 2 3 4 5 6
	do
		{ in_box -- sh -c "echo $i >f$i; sleep 0.2" & } || exit
	done &&
	wait &&
	in_box -- sh -c "cat f?" >out &&
	test "$(wc -l <out)" -eq 6 &&
	sa-sandbox destroy "$box" >out && none_left
'

test_expect_success 'many sandboxes at once' '
	i=0 &&
	while test $i -lt $many
	do
		{ sa-sandbox exec -- sh -c "echo $i >f; sleep 0.3; cat f" \
			</dev/null >many$i & } &&
		i=$((i + 1)) || exit
	done &&
	wait &&
	test "$(cat many* | sort -n | uniq | wc -l)" -eq $many &&
	none_left
'

test_expect_success 'one after the other' '
	i=0 &&
	while test $i -lt $cycles
	do
		create && in_box -- true && sa-sandbox destroy "$box" >out ||
			exit
		i=$((i + 1))
	done &&
	none_left
'

test_expect_success 'links in place of its directories are not followed' '
	create &&
	mkdir outside && echo secret >outside/f &&
	rmdir "data/sandboxes/$box/tree/workspace" &&
	ln -s "$PWD/outside" "data/sandboxes/$box/tree/workspace" &&
	test_expect_code 125 sa-sandbox exec --in "$box" -- cat f </dev/null \
		>out 2>err &&
	test_empty out &&
	sa-sandbox destroy "$box" >out && none_left &&
	test "$(cat outside/f)" = secret
'

test_expect_success 'a directory that is open to others is refused' '
	create && chmod 755 "data/sandboxes/$box" &&
	test_expect_code 125 sa-sandbox exec --in "$box" -- true </dev/null \
		2>err &&
	test_match "open to others" err &&
	chmod 700 "data/sandboxes/$box" &&
	sa-sandbox destroy "$box" >out && none_left
'

# The first child of a process: init, where there is one already.
init_of () {
	cut -d " " -f 1 "/proc/$1/task/$1/children" 2>/dev/null
}

test_expect_success 'whatever is killed, nothing is left' '
	i=0 &&
	while test $i -lt $kills
	do
		{ sa-sandbox exec --expires 3s -- sh -c \
			"setsid sleep $mark & sleep $mark" </dev/null \
			>out 2>&1 & } &&
		pid=$! &&
		sleep "0.0$((i * 7 % 10))" &&
		{ init=$(init_of $pid) || :; } &&
		if test $((i % 2)) -eq 0 && test -n "$init"
		then kill -9 "$init" 2>/dev/null || :
		fi &&
		{ kill -9 $pid 2>/dev/null || :; } &&
		{ wait $pid 2>/dev/null || :; } &&
		i=$((i + 1)) || exit
	done &&
	wait_for none_marked &&
	all_collected () {
		sa-sandbox gc >items && test -z "$(ls -A data/sandboxes)"
	} &&
	wait_for all_collected &&
	test_expect_code 1 grep -F "$PWD" /proc/mounts
'

both_users
test_done
