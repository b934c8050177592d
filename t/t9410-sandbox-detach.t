#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Commands that go on when exec has gone: what they write, how they end, and
# what is known of them afterwards, by whoever asks.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox
test_have_prereq jq || skip_all "no jq"

create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
destroy () {
	sa-sandbox destroy "$box" >destroyed && test ! -e "data/sandboxes/$box"
}

# in_list FILTER: what list says of $box.
in_list () {
	sa-sandbox list --jsonl >list.json &&
	jq -es ".[] | select(.sandbox == \"$box\") | $1" list.json
}

# start [OPTION...] -- WORD...: detached in $box; its record in exec.json, its
# id in $id.
start () {
	sa-sandbox exec --detach --in "$box" "$@" >exec.json &&
	id=$(jq -r .exec exec.json)
}

test_expect_success 'it returns, and others see its output and its end' '
	create && start -- sh -c "echo begun; while test ! -e go; do sleep 0.1
		done; echo out; echo err >&2; exit 7" &&
	jq_ok ".type == \"exec\" and .sandbox == \"$box\" and
		.state == \"running\" and .finished_at == null and
		.exit_code == null and (.exec | startswith(\"e_2\"))" \
		exec.json &&
	has_begun () {
		test "$(sa-sandbox logs "$box" "$id")" = begun
	} &&
	wait_for has_begun &&
	in_list ".commands == 1" &&
	{ sa-sandbox logs -f "$box" "$id" >followed 2>followed.err & } &&
	test_expect_code 75 sa-sandbox wait -t 0.2 "$box" "$id" >out 2>err &&
	test_empty out && test_match "$id. still runs" err &&
	echo | sa-sandbox write "$box" go >out &&
	test_expect_code 7 sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".type == \"exec_result\" and .exit_code == 7 and
		.exec == \"$id\" and .state == \"ended\" and
		.stdout == \"begun\nout\n\" and .stderr == \"err\n\" and
		(.timed_out or .stdout_truncated | not)" result.json &&
	wait && printf "begun\nout\n" | test_cmp - followed &&
	echo err | test_cmp - followed.err &&
	sa-sandbox list "$box" >list.json &&
	jq_ok ".type == \"exec_list\" and (.items | length == 1) and
		.items[0].exit_code == 7 and
		.items[0].finished_at != null" list.json &&
	in_list ".commands == 0 and .state == \"ready\"" &&
	sa-sandbox logs "$box" --json >log.json &&
	jq_ok ".type == \"exec_log\" and .stdout == \"begun\nout\n\"" log.json
'

test_expect_success python3,curl 'a server beside other commands' '
	create && echo served | sa-sandbox write "$box" page >out &&
	start -- python3 -u -m http.server 8000 && is_up () {
		sa-sandbox exec --in "$box" -- \
			curl -s http://127.0.0.1:8000/page >page
	} &&
	wait_for is_up && echo served | test_cmp - page &&
	sa-sandbox logs "$box" "$id" >out 2>err && test_match "GET /page" err &&
	sa-sandbox kill "$box" "$id" >out && destroy
'

test_expect_success 'a pipeline' '
	create &&
	sa-sandbox exec -d -- sh -c "echo piped; exit 3" <box.json >exec.json &&
	test_expect_code 3 sa-sandbox wait <exec.json >result.json &&
	jq_ok ".stdout == \"piped\n\"" result.json &&
	sa-sandbox logs <result.json >out && echo piped | test_cmp - out &&
	sa-sandbox exec -- echo beside <exec.json >out &&
	jq_ok ".stdout == \"beside\n\"" out && destroy
'

test_expect_success 'a sandbox that is made for it stays' '
	sa-sandbox exec -d -- sh -c "echo x >file" </dev/null >exec.json &&
	sa-sandbox wait <exec.json >out &&
	box=$(jq -r .sandbox exec.json) &&
	sa-sandbox read "$box" file >out && echo x | test_cmp - out &&
	in_list ".expires_at != null" && destroy
'

test_expect_success 'the status is that of exec' '
	create &&
	for code in 0 1 75 124 255
	do
		start -- sh -c "exit $code" &&
		test_expect_code $code sa-sandbox wait "$box" "$id" >out ||
			return 1
	done &&
	start -- sh -c "kill -9 \$\$" &&
	test_expect_code 137 sa-sandbox wait "$box" "$id" >out &&
	for word in no-such-program /
	do
		sa-sandbox exec -d --in "$box" -- $word >out 2>err
		echo $? >>codes
		test_empty out && test_match "cannot execute" err || return 1
	done &&
	printf "127\n126\n" | test_cmp - codes &&
	sa-sandbox list "$box" >list.json &&
	jq_ok ".items | length == 6" list.json && destroy
'

test_expect_success 'its time ends, for all that it started' '
	create && start -t 3 -- sh -c "trap : TERM; echo before
		setsid sh -c \"trap : TERM; sleep $mark; sleep $mark\" &
		sleep $mark; sleep $mark" &&
	test_expect_code 124 sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".timed_out and .exit_code == null and
		.stdout == \"before\n\"" result.json &&
	wait_for none_marked && destroy
'

test_expect_success 'it is ended, with what it left, and nothing else is' '
	create && start -- sh -c "sleep 1$mark & sleep 1$mark" && other=$id &&
	start -- sh -c "setsid sleep $mark & sleep $mark" && wait_for marked &&
	test_expect_code 64 sa-sandbox kill "$box" 2>err &&
	test_match "kill wants the name of a command" err &&
	sa-sandbox kill "$box" "$id" >killed &&
	jq_ok ".state == \"ended\" and .exit_code == 143 and
		(.timed_out | not)" killed &&
	wait_for none_marked &&
	test_expect_code 143 sa-sandbox wait "$box" "$id" >out &&
	sa-sandbox kill "$box" "$id" >again && test_cmp killed again &&
	sa-sandbox list "$box" >list.json &&
	jq_ok ".items[] | select(.exec == \"$other\") | .state == \"running\"" \
		list.json && destroy
'

test_expect_success 'who follows misses no line and gets none twice' '
	create && start -- sh -c "for i in 0 1 2 3 4 5 6 7 8 9
		do seq \$((i * 1500)) \$((i * 1500 + 1499)); sleep 0.05
		done" &&
	for i in 1 2 3
	do
		{ sa-sandbox logs -f "$box" "$id" >f$i & } && sleep 0.1 ||
			return 1
	done &&
	wait && seq 0 14999 >want &&
	test_cmp want f1 && test_cmp want f2 && test_cmp want f3 &&
	sa-sandbox logs "$box" -n 2 >out &&
	printf "%s\n" 14998 14999 | test_cmp - out &&
	sa-sandbox logs "$box" -n 1 --json >out &&
	jq_ok ".stdout == \"14999\n\" and .stdout_truncated" out && destroy
'

test_expect_success 'of much output the end is kept, on a bounded disk' '
	create && start -- sh -c "seq 3000000; seq 5 >&2" &&
	sa-sandbox wait "$box" >result.json &&
	jq_ok ".stdout_truncated and (.stderr_truncated | not) and
		(.stdout | endswith(\"\n2999999\n3000000\n\")) and
		(.stdout | length) <= 51200 and
		(.stdout | split(\"\n\")[0] | length) == 7" result.json &&
	sa-sandbox logs "$box" >out 2>err && seq 5 | test_cmp - err &&
	first=$(head -n 1 out) && seq "$first" 3000000 | test_cmp - out &&
	test "$(wc -c <out)" -gt 250000 &&
	test "$(du -k "data/sandboxes/$box/log" | cut -f 1)" -lt 700 && destroy
'

test_expect_success 'a reader that is too slow is told what it missed' '
	create && start -- sh -c "while test ! -e go; do sleep 0.1; done
		seq 1000000" && mkfifo slow &&
	{ sa-sandbox logs -f "$box" "$id" >slow 2>slow.err & } && exec 7<slow &&
	echo | sa-sandbox write "$box" go >out &&
	sa-sandbox wait "$box" "$id" >out &&
	cat <&7 >got && exec 7<&- && wait &&
	test_match "sa-sandbox: [0-9]+ bytes of stdout were overwritten" \
		slow.err &&
	tail -n 1 got >last && echo 1000000 | test_cmp - last &&
	awk "\$1 > 1000000 || \$1 == last { exit 1 } { last = \$1 }" got &&
	destroy
'

# init_of PID: the process 1 that started it.
init_of () {
	sed -n "s/^PPid:[^0-9]*//p" "/proc/$1/status"
}

test_expect_success 'its init is killed' '
	create && start -- sleep "$mark" && wait_for marked &&
	pid=$(marked | head -n 1) &&
	{ { sa-sandbox wait "$box" >result.json 2>err; echo $? >code; } & } &&
	sleep 0.2 && kill -9 "$(init_of "$pid")" && wait &&
	echo 137 | test_cmp - code &&
	jq_ok ".state == \"lost\" and .exit_code == 137" result.json &&
	test_match "was killed with its sandbox" err && none_marked &&
	sa-sandbox list "$box" >list.json &&
	jq_ok ".items[0].state == \"lost\" and
		.items[0].finished_at == null" list.json &&
	start -- echo alive && sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".stdout == \"alive\n\"" result.json && destroy
'

test_expect_success 'the sandbox is destroyed under it, or expires' '
	create && start -- sleep "$mark" &&
	{ sa-sandbox wait "$box" "$id" >result.json 2>err & } && waiter=$! &&
	wait_for sh -c "ls -l /proc/$waiter/fd | grep -q log/$id" &&
	wait_for marked && destroy && test_expect_code 137 wait "$waiter" &&
	none_marked &&
	create --expires 3s && start -- sleep "$mark" &&
	test_expect_code 137 sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".limit == \"expired\" and .state == \"ended\"" result.json &&
	wait_for none_marked && sa-sandbox gc >out &&
	test ! -e "data/sandboxes/$box"
'

test_expect_success 'a limit that ends it is named' '
	create --memory 64M && start -- python3 -c "
import mmap
keep = []
while True:
    m = mmap.mmap(-1, 8 << 20)
    m.write(b\"x\" * (8 << 20))
    keep.append(m)" &&
	test_expect_code 137 sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".limit == \"memory\"" result.json && destroy
'

test_expect_success 'old ones are forgotten, and not too many run' '
	create && i=0 &&
	while test $i -lt 35
	do
		start -- true && i=$((i + 1)) || return 1
	done &&
	sa-sandbox wait "$box" "$id" >out &&
	sa-sandbox list "$box" >list.json &&
	jq_ok ".items | length <= 32" list.json && i=0 &&
	while test $i -lt 32
	do
		start -- sleep "$mark" && i=$((i + 1)) || return 1
	done &&
	test_expect_code 125 sa-sandbox exec -d --in "$box" -- true 2>err &&
	test_match "32 commands run in the sandbox" err &&
	in_list ".commands == 32" && destroy && wait_for none_marked
'

test_expect_success 'nothing inside sees or changes what is kept' '
	create && start -- sh -c "cat /proc/1/fd/*; ls /proc/1/fd;
		ls -A /; echo mine" && test_expect_code 0 \
		sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".stdout | endswith(\"mine\n\")" result.json &&
	sa-sandbox exec --in "$box" -- sh -c \
		"find / -path /proc -prune -o -name \"e_2*\" -print; true" \
		</dev/null >out 2>err && test_empty out && destroy
'

test_expect_success 'without a name it is the one that was started last' '
	create &&
	for i in 1 2 3 4 5 6
	do
		start -- echo $i && sa-sandbox wait "$box" >result.json &&
		jq_ok ".exec == \"$id\" and .stdout == \"$i\n\"" result.json ||
			return 1
	done &&
	sa-sandbox list "$box" >list.json &&
	jq_ok "[.items[].command] == [range(6) | \"echo \(6 - .)\"]" \
		list.json && destroy
'

test_expect_success 'one that nobody knows' '
	create &&
	test_expect_code 66 sa-sandbox logs "$box" 2>err &&
	test_match "no command was detached in the sandbox" err &&
	for id in x ../record e_20200101T000000_000000
	do
		test_expect_code 66 sa-sandbox logs "$box" "$id" 2>err &&
		test_match "has no command .*; sa-sandbox list $box" err ||
			return 1
	done &&
	test_expect_code 125 sa-sandbox wait "$box" x 2>err &&
	test_expect_code 66 sa-sandbox kill "$box" x 2>err &&
	for option in --pty -i
	do
		test_expect_code 64 sa-sandbox exec -d $option -- true 2>err &&
		test_match "is for a command that is not detached" err ||
			return 1
	done && destroy
'

test_expect_success 'a log that is broken, or was put there' '
	create && start -- echo x && sa-sandbox wait "$box" "$id" >out &&
	log=data/sandboxes/$box/log/$id.log && echo garbage >"$log" &&
	test_expect_code 65 sa-sandbox logs "$box" "$id" 2>err &&
	test_match "is broken" err && rm "$log" && ln -s /etc/passwd "$log" &&
	test_expect_code 66 sa-sandbox logs "$box" "$id" >out 2>err &&
	test_empty out && start -- echo y &&
	sa-sandbox wait "$box" "$id" >out && destroy
'

test_expect_success 'only for whoever holds the sandbox' '
	create --owner team && start -- sleep "$mark" &&
	sa-sandbox attach "$box" --owner team --holder a >out &&
	for verb in logs wait kill list
	do
		sa-sandbox $verb "$box" >out 2>err && return 1
		test_empty out && test_match "is held by .a." err || return 1
	done &&
	sa-sandbox list --holder a "$box" >list.json &&
	sa-sandbox kill --holder a "$box" "$id" >out && destroy
'

# request VERB JSON
request () {
	printf %s "$2" >request &&
	SA_ORIGIN=agent sa-sandbox "$1" --request <request >out
}

test_expect_success 'a request has it too' '
	create && in="\"sandbox\":\"$box\"" &&
	request exec "{$in,\"detach\":true,\"command\":\"echo a; exit 4\"}" &&
	id=$(jq -r .exec out) &&
	request wait "{$in,\"exec\":\"$id\",\"timeout_seconds\":50}" &&
	jq_ok ".exit_code == 4 and .stdout == \"a\n\"" out &&
	request logs "{$in,\"exec\":\"$id\"}" &&
	jq_ok ".stdout == \"a\n\"" out &&
	request exec "{$in,\"detach\":true,\"command\":\"sleep $mark\"}" &&
	id=$(jq -r .exec out) &&
	request kill "{$in,\"exec\":\"$id\"}" &&
	jq_ok ".exit_code == 143" out &&
	request list "{$in}" && jq_ok ".items | length == 2" out && destroy
'

test_expect_success 'as one text, as exec gives it' '
	create &&
	start -- sh -c "seq 3000; printf \"a\\033[1mb\" >&2; exit 3" &&
	test_expect_code 3 sa-sandbox wait "$box" "$id" --text >waited &&
	test_expect_code 3 sa-sandbox exec --in "$box" --text -- \
		sh -c "seq 3000; printf \"a\\033[1mb\" >&2; exit 3" >want &&
	test_cmp want waited && sa-sandbox logs "$box" --text >out &&
	test_cmp want out && sa-sandbox logs -n 1 "$box" --text >out &&
	cat >want <<-\EOF &&
	[stdout]
	[... earlier output truncated]
	3000
	[stderr]
	a\x1b[1mb
	[exit code: 3]
	EOF
	test_cmp want out && destroy
'

test_expect_success 'as one text, of those that have no status' '
	create && start -t 0.2 -- sleep "$mark" &&
	test_expect_code 124 sa-sandbox wait --text "$box" >out &&
	printf "%s\n" "(no output)" "[timed out after 0.2s]" >want &&
	test_cmp want out &&
	sa-sandbox exec -d --text --in "$box" -- sleep "$mark" >out &&
	test_match "^state +running" out &&
	id=$(sed -n "s/^exec *//p" out) && wait_for marked &&
	sa-sandbox logs --text "$box" >out &&
	printf "%s\n" "(no output)" "[it still runs]" >want &&
	test_cmp want out && sa-sandbox kill --text "$box" "$id" >out &&
	test_match "^exit_code +143" out && start -- sleep "$mark" &&
	wait_for marked && pid=$(marked | head -n 1) &&
	kill -9 "$(init_of "$pid")" &&
	test_expect_code 137 sa-sandbox wait --text "$box" >out 2>err &&
	printf "%s\n" "(no output)" "[exit code: 137]" \
		"[it was killed with its sandbox]" >want &&
	test_cmp want out && test_empty err && destroy
'

test_expect_success 'at a terminal it is text, and harmless' '
	create && start -- sh -c "printf \"a\\033[1mb\\n\"; exit 2" &&
	>script && test_expect_code 2 "$SA_BUILDDIR/t/in-terminal" script \
		sa-sandbox wait "$box" >out && test_match "^state +ended" out &&
	"$SA_BUILDDIR/t/in-terminal" script sa-sandbox logs "$box" >out &&
	test_match "^a.x1b.1mb" out &&
	"$SA_BUILDDIR/t/in-terminal" script sa-sandbox list "$box" >out &&
	test_match "^e_.* ended +2 " out && destroy
'

both_users
test_done
