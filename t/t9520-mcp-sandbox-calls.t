#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sandbox tools over MCP: bad arguments, bounds, accidents'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-box-lib.sh"

SA_TEST_SECRET=not-for-models
export SA_TEST_SECRET
open_session --disk 8M || tl_fatal 'no server'

test_expect_success 'BX-18: a time that is none, and one that is too long' '
	for s in 0 -1 1e-999
	do
		run true $s && fails "^invalid .400.: timeout_seconds" ||
			return 1
	done &&
	for s in "\"60\"" true "[60]"
	do
		ask sandbox_run_command \
			"{\"command\":\"true\",\"timeout_seconds\":$s}" &&
		fails "^invalid .400.: .*timeout_seconds" || return 1
	done &&
	run true 100000 && says "(no output)
[exit code: 0]" &&
	ask sandbox_run_command "{\"command\":\"true\",
		\"timeout_seconds\":null}" && says "(no output)
[exit code: 0]"
'

test_expect_success 'no argument says what the sandbox may do' '
	for m in sandbox env memory pids open_network allow_egress ro root \
		workdir session holder expires yes
	do
		for t in run_command read_file write_file list_directory
		do
			ask sandbox_$t "{\"command\":\"true\",\"path\":\"a\",
				\"content\":\"\",\"$m\":\"x\"}" &&
			fails "^usage .400.: " || return 1
		done
	done
'

test_expect_success 'what is missing, empty, or of another type' '
	ask sandbox_run_command "{}" && fails "^usage .400.: .*command" &&
	ask sandbox_run_command "{\"command\":\"\"}" &&
	fails "^invalid .400.: .*command is empty" &&
	ask sandbox_run_command "{\"command\":[\"ls\"]}" &&
	fails "^invalid .400.: .*command" &&
	ask sandbox_run_command "{\"command\":\"a\\u0000b\"}" &&
	fails "^invalid .400.: .*NUL" &&
	ask sandbox_read_file "{}" && fails "^usage .400.: .*path" &&
	ask sandbox_read_file "{\"path\":\"\"}" && fails "path is empty" &&
	ask sandbox_read_file "{\"path\":\"a\",\"offset\":0}" &&
	fails "^invalid .400.: .*offset" &&
	ask sandbox_read_file "{\"path\":\"a\",\"limit\":-1}" &&
	fails "^invalid .400.: .*limit" &&
	ask sandbox_write_file "{\"path\":\"a\"}" &&
	fails "^usage .400.: .*content" &&
	ask sandbox_write_file "{\"path\":\"a\\u0000\",\"content\":\"\"}" &&
	fails "NUL" &&
	ask sandbox_list_directory "{\"path\":7}" && fails "^invalid .400.: " &&
	ask sandbox_list_directory "{\"path\":\"\"}" && fails "path is empty"
'

test_expect_success 'a command that is too long for one word' '
	jq -n "{command: (\"true \" + \"x\" * 131066)}" >arguments &&
	ask sandbox_run_command - && jq_ok "has(\"isError\") | not" result &&
	jq -n "{command: (\"true \" + \"x\" * 131067)}" >arguments &&
	ask sandbox_run_command - &&
	fails "^invalid .400.: command has 131072 bytes, the most is 131071" &&
	test_match "^next: write it to a file" text
'

test_expect_success 'files: bytes of any kind of text, names of any kind' '
	for p in "with space" "with'\''quote" "semi;colon" "\$dollar" "-dash" \
		"a/b/c/d" "new
line" "é漢" ".hidden" "~" "-"
	do
		jq -n --arg p "$p" "{path: \$p, content: \"x\\ty é\\u202e\"}" \
			>arguments && ask sandbox_write_file - &&
		jq_ok "has(\"isError\") | not" result &&
		jq -n --arg p "$p" "{path: \$p}" >arguments &&
		ask sandbox_read_file - &&
		jq_ok ".content[0].text == \"x\\ty é\\u202e\"" result ||
			return 1
	done &&
	ask sandbox_list_directory && says "$(printf "%s\n" "\$dollar" - -dash \
		.hidden a/ "new\\nline" "semi;colon" "with space" \
		"with'\''quote" "~" "é漢")" &&
	ask sandbox_write_file "{\"path\":\"empty\",\"content\":\"\"}" &&
	says "Wrote 0 bytes to '\''empty'\''." &&
	ask sandbox_read_file "{\"path\":\"empty\"}" && says ""
'

test_expect_success 'files: what is none' '
	run "mkdir dir; mkfifo fifo; ln -s loop loop; mkdir no; chmod 0 no" &&
	ask sandbox_read_file "{\"path\":\"dir\"}" &&
	fails "^invalid .400.: .dir. is a directory" &&
	for p in fifo loop none/f empty/f
	do
		ask sandbox_read_file "{\"path\":\"$p\"}" &&
		fails "^(invalid|not_found) .40[04].: " || return 1
	done &&
	ask sandbox_list_directory "{\"path\":\"empty\"}" &&
	fails "^invalid .400.: " &&
	ask sandbox_list_directory "{\"path\":\"none\"}" &&
	fails "^not_found .404.: " &&
	for p in dir /proc/x /usr/x / . ..
	do
		ask sandbox_write_file "{\"path\":\"$p\",\"content\":\"x\"}" &&
		fails "^[a-z_]+ .[45]" || return 1
	done &&
	run "rm -rf dir fifo loop no"
'

test_expect_success 'BX-20: a line or a file that is too long' '
	run "head -c 60000 /dev/zero | tr \"\\\\0\" x >line; echo >>line;
		echo two >>line; head -c 5242881 /dev/zero >big" &&
	ask sandbox_read_file "{\"path\":\"line\"}" &&
	fails "^invalid .400.: line 1 is longer than the 50.0KB" &&
	test_match "^next: .*cut" text &&
	ask sandbox_read_file "{\"path\":\"line\",\"offset\":2}" && says two &&
	ask sandbox_read_file "{\"path\":\"big\"}" &&
	fails "^invalid .400.: .*5242881 bytes" &&
	test_match "^next: .*(head|grep)" text &&
	run "rm line big"
'

test_expect_success 'BX-21: a directory of too much' '
	run "mkdir many; cd many; seq -w 3000 | xargs touch" &&
	ask sandbox_list_directory "{\"path\":\"many\"}" &&
	test "$(wc -l <text)" -eq 2001 &&
	sed -n "1p;2000p;2001p" text >some &&
	printf "%s\n" 0001 2000 "[... 1000 more entries; list a part of them \
with a shell command]" | test_cmp - some &&
	run "rm -r many"
'

test_expect_success 'WR-10: each stream is cut by itself, and is bounded' '
	run "seq 3000; echo one >&2; head -c 300000 /dev/urandom >&2" &&
	test "$(wc -c <text)" -lt 130000 &&
	test "$(grep -c "^.... earlier output truncated.$" text)" -eq 2 &&
	run "head -c 100000 /dev/zero | tr \"\\\\0\" x" &&
	test "$(wc -c <text)" -lt 51400 &&
	run "yes | head -c 100000000; echo the end" &&
	test_match "^the end$" text
'

test_expect_success 'nothing of the server is seen in it' '
	run "env; cat /proc/*/environ 2>/dev/null; cat /proc/*/cmdline" &&
	test_expect_code 1 grep -aE \
		"$SA_TEST_SECRET|SA_|SPARK_|$PWD|sa-mcp|sa-sandbox" text &&
	run "cat <&3; ls /proc/self/fd" &&
	test_expect_code 1 grep -E "^[4-9]$" text
'

test_expect_success 'a limit that is reached is said, and files stay' '
	ask sandbox_write_file "{\"path\":\"kept\",\"content\":\"k\"}" &&
	run "for i in 1 2 3 4 5 6; do head -c 4000000 /dev/zero >f\$i; done;
		sleep 20" 25 &&
	test_match "^\[ended by the limit: disk\]$|No space|large" text &&
	run "rm -f f?" &&
	ask sandbox_read_file "{\"path\":\"kept\"}" && says k
'

test_expect_success 'calls at the same time, in one sandbox' '
	first=$(($(wc -l <requests) + 1)) &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12
	do
		send sandbox_run_command "{\"command\":
			\"echo $i >p$i; sleep 0.2; cat p$i\"}" || return 1
	done &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12
	do
		await $((first + i - 1)) && says "[stdout]
$i
[exit code: 0]" || return 1
	done
'

# cancel ID
cancel () {
	printf "%s%s\n" "{\"jsonrpc\":\"2.0\",\"method\":" \
		"\"notifications/cancelled\",\"params\":{\"requestId\":$1}}" >&5
}

test_expect_success 'a call that is cancelled ends its command, and no other' '
	run "sleep 600 & echo \$! >other" &&
	send sandbox_run_command "{\"command\":\"trap : TERM; \
echo \$\$ >begun; while :; do sleep 1; done\"}" && mine=$asked &&
	begun () { run "cat begun" && test_match "^[0-9]+$" text; } &&
	wait_for begun &&
	cancel $mine &&
	ended () {
		run "kill -0 \$(cat begun)" && test_match "code: 1" text
	} &&
	wait_for ended &&
	run "kill -0 \$(cat other) && echo lives; kill \$(cat other)" &&
	test_match "^lives$" text &&
	test_expect_code 1 grep "\"id\":$mine[,}]" answers
'

there () {
	ask sandbox_read_file "{\"path\":\"$1\"}" &&
	jq_ok "has(\"isError\") | not" result
}

test_expect_success 'nor one that came to the same sandbox after it' '
	run "kill -9 -1" &&
	send sandbox_run_command "{\"command\":\"touch first; sleep 600\"}" &&
	first=$asked && wait_for there first &&
	send sandbox_run_command "{\"command\":\"touch second; sleep 2; \
echo lives\"}" &&
	second=$asked && wait_for there second && cancel $first &&
	await $second && says "[stdout]
lives
[exit code: 0]"
'

test_expect_success 'one that is gone is replaced, and that is said once' '
	sa-sandbox destroy "$(box)" >out &&
	ask sandbox_read_file "{\"path\":\"kept\"}" &&
	fails "^not_found .404.: " &&
	test_match "^next: .*made anew, and the files of earlier calls" text &&
	run "ls" && says "(no output)
[exit code: 0]" &&
	sa-sandbox destroy "$(box)" >out &&
	run "echo new" && says "[stdout]
new
[exit code: 0]
[the sandbox was made anew, and the files of earlier calls are gone]" &&
	ask sandbox_list_directory && says "(empty)"
'

test_expect_success 'not many new ones for many calls' '
	sa-sandbox destroy "$(box)" >out &&
	first=$(($(wc -l <requests) + 1)) &&
	for i in 1 2 3 4 5 6 7 8
	do
		send sandbox_run_command "{\"command\":\"echo $i >>all\"}" ||
			return 1
	done &&
	for i in 1 2 3 4 5 6 7 8
	do
		await $((first + i - 1)) || return 1
	done &&
	run "sort all | tr -d \"\\\\n\"" && test_match "^12345678$" text &&
	sa-sandbox list >list && jq_ok ".items | length == 1" list
'

close_session
ended=$?
test_expect_success 'the session ends well' '
	test "$ended" -eq 0 && all_gone
'

# Where this takes longer than two seconds it has expired once more.
quiet_once () {
	for i in 1 2 3 4 5 6 7 8 9 10
	do
		run true && grep -q "made anew" text || break
	done &&
	says "(no output)
[exit code: 0]"
}

test_expect_success 'one that expires is replaced' '
	open_session --expires 2s &&
	run "echo x >f" && sleep 2.2 && run "ls" &&
	test_match "made anew" text && ! grep -q "^f$" text &&
	quiet_once && close_session
'

test_expect_success 'a host that cannot make one says so' '
	open_session --root "$PWD/none" &&
	run true && fails "^refused .403.: .*none" &&
	test_match "^next: .*tell the user" text && close_session
'

test_expect_success 'variables and paths are the operator'\''s' '
	echo "GREETING=good day" >vars &&
	open_session --env-file vars --ro /var/log &&
	run "echo \$GREETING; ls -d /var/log; touch /var/log/x" &&
	test_match "^good day$" text && test_match "^/var/log$" text &&
	test_match "^touch:" text &&
	close_session
'

both_users
test_done
