#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Commands on a terminal of their own: what they see of it, what is typed, and
# that ours is as it was, whatever ends them.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

need_sandbox

# script LINE...: what is typed.
script () {
	printf "%s\n" "$@" >script
}

# at_terminal WORD...: exec --pty with these words at a terminal of ours, whose
# settings before and after are compared. What it shows is in out, the process
# in pid.
cat >at_terminal.sh <<\S
stty -g >before
sh -c 'echo $$ >pid; exec sa-sandbox exec --pty "$@"' sh "$@"
code=$?
stty -g >after
exit $code
S
at_terminal () {
	"$SA_BUILDDIR/t/in-terminal" script sh at_terminal.sh "$@" >out
	code=$?
	test_cmp before after && return "$code"
}

none_left () {
	test -z "$(ls -A data/sandboxes)"
}

test_expect_success 'without a terminal of ours it has one' '
	sa-sandbox exec --pty -- sh -c "test -t 0 && test -t 1 && test -t 2 &&
		stty size && tty && echo \$TERM; echo error >&2;
		echo tty >/dev/tty" >out 2>err </dev/null &&
	tr -d "\r" <out >got && test_empty err &&
	printf "%s\n" "24 80" /dev/pts/0 xterm error tty | test_cmp - got &&
	none_left
'

test_expect_success jq 'the record has one stream, and the status is passed' '
	test_expect_code 5 sa-sandbox exec --json --pty -- \
		sh -c "echo out; echo err >&2; exit 5" </dev/null >out &&
	jq_ok ".stdout == \"out\r\nerr\r\n\" and .stderr == \"\" and
		.exit_code == 5 and .stdout_truncated == false" out
'

test_expect_success 'bytes of ours are typed, and their end is one' '
	echo hello | sa-sandbox exec --pty -- sh -c "stty -echo; cat" >out &&
	tr -d "\r" <out | test_match "^hello$" - &&
	printf half | sa-sandbox exec --pty -- cat >out &&
	test_match half out &&
	sa-sandbox exec --pty -- sh </dev/null >out
'

test_expect_success python3 'an interpreter that talks with a person' '
	script "expect >>>" "send 6*7" "expect 42" "expect >>>" \
		"send import os; os.isatty(0), os.get_terminal_size()" \
		"expect True" "expect columns=80, lines=24" "expect >>>" \
		"type \\x04" &&
	at_terminal -- python3 -i -q && none_left
'

test_expect_success 'a size that changes is carried' '
	script "expect 24 80" "size 40 100" "expect 40 100" &&
	at_terminal -- sh -c "trap \"stty size; exit\" WINCH
		stty size; while :; do sleep 0.1; done"
'

test_expect_success 'keys that signal reach the command as such' '
	script "expect up" "type \\x03" "expect interrupted" \
		"type \\x1c" "expect quit" "send last" "expect got last" &&
	at_terminal -- sh -c "trap \"echo interrupted\" INT;
		trap \"echo quit\" QUIT; echo up;
		until read -r line; do :; done; echo got \$line"
'

test_expect_success 'job control' '
	script "expect \$" "send cat" "send one" "expect one" "expect one" \
		"type \\x1a" "expect topped" \
		"send jobs; echo li\"\"sted" "expect topped" "expect listed" \
		"send fg" "expect cat" "send word" "expect word" "expect word" \
		"type \\x04" "send exit 7" &&
	test_expect_code 7 at_terminal --env "PS1=\$ " -- sh -i
'

test_expect_success vi 'a program that has the whole screen' '
	script "expect VIM" "send :set term?" "expect xterm" "type iwritten" \
		"type \\x1b" "send :w file" "expect written" "send :q" \
		"expect written" "expect in the end" &&
	at_terminal -- sh -c "vi -u NONE; cat file; echo \" in the end\""
'

test_expect_success python3 'it types at no terminal' '
	cat >typing.py <<-\P &&
	import fcntl, termios
	for fd in 0, open("/dev/tty").fileno():
	    for request in termios.TIOCSTI, termios.TIOCSTI | 1 << 32:
	        try:
	            fcntl.ioctl(fd, request, b"x")
	            print("typed")
	        except (OSError, OverflowError) as e:
	            print("refused", e)
	P
	sa-sandbox exec --pty -- python3 -c "$(cat typing.py)" </dev/null \
		>out &&
	test "$(grep -c ^refused out)" -eq 4 &&
	test_expect_code 1 grep typed out
'

test_expect_success 'none but those of the sandbox are there' '
	sa-sandbox exec --pty -- sh -c "ls /dev/pts | cat" </dev/null >out &&
	tr -d "\r" <out >got && printf "%s\n" 0 ptmx | test_cmp - got &&
	sa-sandbox exec -- ls /dev/pts </dev/null >out &&
	echo ptmx | test_cmp - out &&
	test_expect_code 2 sa-sandbox exec -- sh -c ": </dev/tty" </dev/null
'

test_expect_success python3 'a command without one makes its own' '
	sa-sandbox exec -- python3 -c "import pty; pty.spawn([\"tty\"])" \
		</dev/null >out && tr -d "\r" <out >got &&
	echo /dev/pts/0 | test_cmp - got
'

test_expect_success python3 'and no more than a sandbox may have' '
	cat >many.py <<-\P &&
	import os
	have = []
	try:
	    while len(have) < 1000:
	        have.append(os.openpty())
	except OSError:
	    print("had", len(have))
	P
	sa-sandbox exec --pty -- python3 -c "$(cat many.py)" </dev/null >out &&
	test_match "^had 63" out
'

test_expect_success jq 'beside others, and gone with the command' '
	box=$(sa-sandbox create | jq -r .sandbox) &&
	sa-sandbox exec --in "$box" -- sh -c "sleep $mark & echo" </dev/null \
		>out &&
	sa-sandbox exec --in "$box" --pty -- tty </dev/null >out &&
	test_match "^/dev/pts/0" out &&
	sa-sandbox exec --in "$box" --pty -- sh -c "tty; nohup sleep $mark &
		sleep 0.1" </dev/null >out &&
	test_match "^/dev/pts/0" out &&
	sa-sandbox exec --in "$box" -- ls /dev/pts </dev/null >out &&
	marked && sa-sandbox destroy "$box" >out
'

test_expect_success 'a time-out gives the terminal back' '
	script "expect up" "expect timed out after 3" &&
	test_expect_code 124 at_terminal -t 3 -- \
		sh -c "trap : TERM; echo up; sleep $mark; sleep $mark" &&
	none_left
'

test_expect_success 'what cannot be executed' '
	script "expect cannot execute" &&
	test_expect_code 127 at_terminal -- no-such-program
'

test_expect_success 'so does a signal' '
	script "expect up" &&
	for sig in TERM HUP INT QUIT USR1 ALRM
	do
		{ { wait_for marked && kill -s $sig "$(cat pid)"; } & } &&
		{ at_terminal -- sh -c "echo up; sleep $mark"; code=$?; } &&
		wait && test "$code" -gt 128 && test "$code" -lt 150 &&
		none_left || return 1
	done
'

stopped () {
	test "$(cut -d " " -f 3 "/proc/$1/stat")" = T
}

# stop_it: stopped from elsewhere and continued; the settings meanwhile.
stop_it () {
	wait_for marked && pid=$(cat pid) && kill -TSTP "$pid" &&
	wait_for stopped "$pid" && stty -g <"/proc/$pid/fd/0" >meanwhile
	kill -CONT "$pid" && echo resumed >"/proc/$pid/fd/1"
}

test_expect_success 'stopped, it gives the terminal back for that time' '
	script "expect up" "expect resumed" "type x" "expect got x" &&
	{ stop_it & } &&
	at_terminal -- sh -c "stty raw -echo; sleep $mark & echo up
		echo got \$(head -c 1); kill \$!" &&
	wait && test_cmp before meanwhile && none_left
'

test_expect_success 'a terminal that goes away ends it' '
	script "expect up" hangup &&
	test_expect_code 129 "$SA_BUILDDIR/t/in-terminal" script \
		sa-sandbox exec --pty -- sh -c "echo up; sleep $mark" >out &&
	none_left && ! marked
'

test_expect_success 'no request has it' '
	echo "{\"command\":\"id\",\"pty\":true}" >request &&
	test_expect_code 64 sa-sandbox exec --request <request 2>err &&
	test_match "unknown member .pty." err &&
	echo "{\"command\":\"id\"}" >request &&
	test_expect_code 64 sa-sandbox exec --pty --request <request 2>err &&
	test_match "[-]-pty is for people" err
'

both_users
test_done
