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

test_expect_success 'one that is destroyed under a command' '
	create && in_background -- sleep "$mark" && destroy && wait &&
	echo 137 | test_cmp - status && test_empty out &&
	echo "sa-sandbox: the sandbox .$box. was destroyed" >want &&
	test_match "$(cat want)" err &&
	create && in_background --json -- sleep "$mark" && destroy && wait &&
	jq_ok ".sandbox_terminated and .exit_code == 137 and .limit == null" \
		out && test_empty err &&
	create && in_background --text -- sleep "$mark" && destroy && wait &&
	printf "%s\n" "(no output)" "[exit code: 137]" \
		"[the sandbox is gone, and its files with it]" >want &&
	test_cmp want out
'

test_expect_success 'one of whose commands kills itself is not gone' '
	create && test_expect_code 137 sa-sandbox exec --json --in "$box" -- \
		sh -c "kill -9 \$\$" >out &&
	jq_ok ".exit_code == 137 and (.sandbox_terminated | not)" out && destroy
'

# opened PID FILE: by the command that it becomes, not by the shell before that.
opened () {
	grep -qx sa-sandbox "/proc/$1/comm" && ls -l "/proc/$1/fd" >fds &&
	grep -q "$2" fds
}
test_expect_success flock 'one that is destroyed before a command begins' '
	create && dir=data/sandboxes/$box && exec 7>"$dir/lock" && flock 7 &&
	{ sa-sandbox exec --in "$box" -- true >out 2>err 7>&- & } &&
	pid=$! && wait_for opened "$pid" "$box/lock" &&
	mv "$dir" data/sandboxes/.trash-"$box" && exec 7>&- &&
	test_expect_code 125 wait $pid && test_empty out &&
	test_match "the sandbox .$box. was destroyed" err &&
	sa-sandbox gc >out && test ! -e data/sandboxes/.trash-"$box"
'

test_expect_success 'one that is destroyed while a file is written' '
	create && mkfifo slow &&
	{ { sa-sandbox write "$box" file <slow >out 2>err
		echo $? >status; } & } && exec 7>slow && echo x >&7 &&
	has_begun () {
		ls -A "data/sandboxes/$box/tree/workspace" | grep -q "^.sa-"
	} &&
	wait_for has_begun && destroy && echo y >&7 && exec 7>&- && wait &&
	echo 69 | test_cmp - status && test_empty out &&
	test_match "the sandbox .$box. was destroyed" err
'

test_expect_success 'one that expires under a command is always told so' '
	for i in 1 2
	do
		create --expires 3s && test_expect_code 137 sa-sandbox exec \
			--json --in "$box" -- sleep "$mark" >out &&
		jq_ok ".limit == \"expired\" and .sandbox_terminated and
			(.timed_out | not) and .exit_code == 137" out &&
		sa-sandbox destroy "$box" >out || return 1
	done
'

test_expect_success 'destroy removes what has expired or is broken' '
	for broken in "" record.json private.json tree
	do
		create --expires 1s && gone () {
			test_expect_code 66 sa-sandbox ls "$box" 2>/dev/null
		} &&
		wait_for gone &&
		case $broken in
		?*) rm -r "data/sandboxes/$box/$broken" ;;
		esac &&
		destroy && jq_ok ".state == \"destroyed\"" destroyed || return 1
	done
'

test_expect_success 'commands that begin at once are in one sandbox' '
	create && i=0 && mkdir once &&
	while test $i -lt 12
	do
		{ sa-sandbox exec --in "$box" -- sh -c "
			readlink /proc/self/ns/pid; touch \$1
			exec sleep $mark" sh begun.$i >once/$i 2>&1 & } &&
		i=$((i + 1)) || return 1
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

# Its end is told at once with what it wrote, and what it left holds the pipe.
test_expect_success 'what a command leaves holds up nobody' '
	create && i=0 &&
	while test $i -lt 6
	do
		sa-sandbox exec -d --in "$box" -- \
			sh -c "sleep $mark & echo begun" >exec.json &&
		sa-sandbox wait "$box" >out && jq_ok ".stdout == \"begun\n\"" \
			out && i=$((i + 1)) || return 1
	done && destroy && none_marked
'

cat >steal.py <<'PY'
import os, sys, time
try:
    r = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
except PermissionError:  # it is of another user
    r = os.open("/dev/null", os.O_RDONLY)
end = time.monotonic() + 0.3
while time.monotonic() < end:
    os.write(1, b"x")
    try:
        os.read(r, 99)
    except BlockingIOError:
        pass
time.sleep(1000)
PY
test_expect_success python3 'one that reads its own output holds up nobody' '
	create && sa-sandbox write "$box" steal.py <steal.py >out && i=0 &&
	while test $i -lt 4
	do
		test_expect_code 124 timeout -s KILL 30 sa-sandbox exec -t 1 \
			--in "$box" -- python3 steal.py >out 2>err &&
		test_match "timed out after 1 seconds" err &&
		sa-sandbox exec -d -t 1 --in "$box" -- python3 steal.py \
			>out && i=$((i + 1)) || return 1
	done &&
	test_expect_code 124 sa-sandbox wait -t 30 "$box" >out && destroy
'

# vars TEXT: the variables that a file of that text gives.
vars () {
	printf %b "$1" >vars && sa-sandbox exec --env-file vars -- \
		sh -c "env | grep \"^[AB]=\"" </dev/null 2>err
}
test_expect_success 'a file of variables, and what is nearly one' '
	echo A=1 >want && vars "A=1" >got && test_cmp want got &&
	vars "# c\n\n \t\n  # c\nA=1\n" >got && test_cmp want got &&
	vars "A=1\r\n\r\n# c\r\n" >got && test_cmp want got &&
	sa-sandbox exec --env-file /dev/null -- true </dev/null &&
	mkfifo pipe && { printf "A=1\n" >pipe & } &&
	sa-sandbox exec --env-file pipe -- sh -c "echo A=\$A" </dev/null >got &&
	wait && test_cmp want got &&
	for text in "X=y\nexport A=hush" "X=y\n A=hush" "X=y\nhush" \
		"X=y\n=hush" "X=y\n1A=hush" "X=y\nA=hush\0377"
	do
		test_expect_code 125 vars "$text" &&
		test_match "vars:2: the line is not NAME=VALUE" err &&
		! grep hush err || return 1
	done &&
	test_expect_code 125 vars "A=x\0000\nB=hush\n" &&
	test_match ".vars. is no text" err &&
	test_expect_code 65 sa-sandbox create -e 1A=hush 2>err &&
	! grep hush err &&
	for file in none .
	do
		sa-sandbox create --env-file $file >out 2>err && return 1
		test_empty out && test_match "$file" err || return 1
	done
'

test_expect_success 'the environment and the streams of cron' '
	env -i "$(command -v sa-sandbox)" exec --data-dir data -- \
		sh -c "echo fine" </dev/null >out 2>err &&
	echo fine | test_cmp - out && test_empty err &&
	{ test_expect_code 3 sa-sandbox exec -- sh -c "exit 3" <&- >&- 2>&-; }
'

both_users
test_done
