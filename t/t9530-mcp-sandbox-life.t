#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sandboxes of sessions: beside each other, attached, killed'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-box-lib.sh"

# The keeper of the only session.
keeper () {
	grep -lsa "^sa-sandbox.exec.--session" /proc/[0-9]*/cmdline |
		while read -r file
		do
			dir=${file%/cmdline}
			if test "$(readlink "$dir/cwd")" = "$PWD" &&
				test "$(cut -d " " -f 6 "$dir/stat")" = \
					"${dir#/proc/}"
			then echo "${dir#/proc/}"
			fi
		done
}

has_keeper () {
	test -n "$(keeper)"
}

# session_in DIR: one that begins and ends there.
session_in () (
	cd "$1" && open_session --pids 64 &&
	run "echo $1 >f; sleep 1; cat f" && says "[stdout]
$1
[exit code: 0]" && exec 5>&- && wait "$server"
)

test_expect_success 'two servers on one data directory: a sandbox each' '
	mkdir a b && { session_in a & } && one=$! &&
	session_in b && wait "$one" && wait_for all_gone
'

test_expect_success 'killed in the middle of a command: nothing is left' '
	open_session && run "sleep $mark & echo started" &&
	send sandbox_run_command "{\"command\":\"setsid sleep $mark & \
sleep $mark\"}" &&
	two () { test "$(marked | wc -l)" -ge 3; } &&
	wait_for two && kill -9 "$server" && exec 5>&- &&
	{ wait "$server" || :; } &&
	wait_for none_marked && wait_for all_gone
'

test_expect_success 'by SIGTERM' '
	open_session && run "sleep $mark & echo started" &&
	wait_for marked &&
	kill "$server" && wait "$server" &&
	wait_for none_marked && wait_for all_gone && exec 5>&-
'

test_expect_success 'the keeper is killed too: gc does its work' '
	open_session && run "sleep $mark & echo started" &&
	wait_for marked &&
	sa-sandbox gc >items && jq_ok ".items == []" items &&
	wait_for has_keeper && k=$(keeper) && kill -9 $k &&
	kill -9 "$server" && exec 5>&- && { wait "$server" || :; } &&
	b=$(box) && released () {
		sa-sandbox gc --dry-run >items &&
		jq_ok ".items == [{sandbox: \$b,
			why: \"its session is over\"}]" items --arg b "$b"
	} && wait_for released && ! all_gone &&
	sa-sandbox gc >items && jq_ok ".items | length == 1" items &&
	wait_for none_marked && all_gone
'

test_expect_success 'a keeper that was killed alone is replaced' '
	open_session && run "sleep $mark & echo started" &&
	kill -9 $(keeper) && b=$(box) && run true && test "$(box)" = "$b" &&
	test -n "$(keeper)" && close_session && wait_for none_marked
'

test_expect_success 'the operator attaches one, which stays' '
	sa-sandbox create --pids 99 >box.json && b=$(jq -r .sandbox box.json) &&
	echo "of the operator" | sa-sandbox write "$b" note >out &&
	open_session --sandbox "$b" && run "cat note; echo x >mine" &&
	says "[stdout]
of the operator
[exit code: 0]" &&
	exec 5>&- && wait "$server" &&
	test -z "$(ls -A "$SPARK_EXECUTOR_DATA_DIR/sessions")" &&
	sa-sandbox read "$b" mine >out && echo x | test_cmp - out &&
	SA_MCP_SANDBOX=$b sa-mcp --self-test >out &&
	jq_ok ".ok and any(.items[]; .detail == \$b)" out --arg b "$b" &&
	sa-sandbox destroy "$b" >out
'

test_expect_success 'one that is held, is for its holder' '
	sa-sandbox create --owner team >box.json &&
	b=$(jq -r .sandbox box.json) &&
	sa-sandbox attach "$b" --owner team --holder ada >out &&
	open_session --sandbox "$b" && run true &&
	fails "^refused .403.: .*held by .ada." &&
	test_match "^next: .*tell the user" text &&
	exec 5>&- && wait "$server" &&
	open_session --sandbox "$b" --holder ada && run true &&
	says "(no output)
[exit code: 0]" &&
	sa-sandbox destroy "$b" >out && run true &&
	fails "^not_found .404.: " && exec 5>&- && wait "$server"
'

test_expect_success '--self-test makes one, and tells where none can be' '
	sa-mcp --self-test --sandbox-tools >out &&
	jq_ok ".ok and any(.items[]; .name == \"sandbox\" and .ok) and
		any(.items[]; .name == \"sandbox_run_command\")" out &&
	test_expect_code 78 sa-mcp --self-test --sandbox-tools \
		--root "$PWD/none" >out &&
	jq_ok "any(.items[]; .name == \"sandbox\" and (.ok | not) and
		(.detail | test(\"none\")))" out
'

test_expect_success '--session without a session is refused' '
	echo "{\"command\":\"true\"}" >in &&
	test_expect_code 77 sa-sandbox exec --session --request <in 2>err &&
	test_match "no session" err &&
	test_expect_code 77 sa-sandbox ls --session 2>err </dev/null
'

both_users
test_done
