#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Processes in a sandbox of this host that breed, hide, wait for ever, or end
# by the thousand; with SA_TEST_LONG by the ten thousand.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq jq || skip_all "no jq"
need_sandbox
all=$SPARK_EXECUTOR_DATA_DIR/sandboxes
test_have_prereq LONG && short=10000 || short=1000

# A word that only our processes have in their arguments.
mark=mark$$$(date +%N | tail -c 4)
none_marked () {
	test "$(grep -lsa "[i]nside$mark" /proc/[0-9]*/cmdline | wc -l)" -eq 0
}
create () {
	sa-sandbox create "$@" >box.json && box=$(jq -r .sandbox box.json)
}
in_box () {
	sa-sandbox exec --in "$box" "$@" </dev/null
}
destroy () {
	sa-sandbox destroy "$box" >out && test ! -e "$all/$box"
}

# Each forks as fast as it can; the word is its last argument.
cat >plain.py <<'PY'
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
PY
cat >sessions.py <<'PY'
import os
while True:
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
    except OSError:
        pass
PY
cat >deaf.py <<'PY'
import os
import signal
for s in range(1, signal.NSIG):
    if s not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, 32, 33):
        signal.signal(s, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    try:
        os.fork()
        os.setsid()
    except OSError:
        pass
PY
# most_of BOMB TIME: how many there were at most goes to most, how it ended to
# code.
run_bomb () {
	sa-sandbox exec -i --pids 60 -t "$2" -- python3 -c \
		"import sys; exec(sys.stdin.read())" "inside$mark" \
		<"$1.py" >out 2>err
	echo $? >code
}
most_of () {
	rm -f code
	run_bomb "$1" "$2" &
	most=0
	until test -s code
	do
		now=$(grep -lsa "[i]nside$mark" /proc/[0-9]*/cmdline | wc -l)
		test "$now" -le "$most" || most=$now
		sleep 0.1
	done
	echo "at most $most"
}
for bomb in plain sessions deaf
do
	test_expect_success python3 "a fork bomb is ended in time ($bomb)" '
		# a machine that is busy sees nothing of it in three seconds
		for time in 3 15 60
		do
			most_of $bomb $time && test "$(cat code)" -eq 124 &&
				none_marked || return
			test "$most" -le 20 || break
		done &&
		# the command that waits for it has the word too
		test "$most" -gt 20 && test "$most" -le 62
	'
done

test_expect_success 'what forks away twice and leaves its session is ended' '
	cat >away.sh <<-\S &&
	nohup sh -c "sleep 1000; : $1" >/dev/null 2>&1 &
	setsid sh -c "(setsid sh -c \"sleep 1000; : $1\" &)" &
	(trap "" HUP TERM INT; (sleep 1000; : "$1") &) &
	echo started
	S
	sa-sandbox exec -i -- sh -s -- "inside$mark" <away.sh >out &&
	echo started | test_cmp - out && wait_for none_marked
'

# ends_in_time COMMAND...: with the time-out's status.
ends_in_time () {
	test_expect_code 124 sa-sandbox exec -t 0.5 -- "$@" </dev/null 2>err &&
	none_marked
}
test_expect_success 'a time-out ends one that is stopped' '
	ends_in_time sh -c "kill -STOP \$\$" "inside$mark"
'
test_expect_success python3 'or waits in vfork' '
	ends_in_time python3 -c "import ctypes
c = ctypes.CDLL(None)
if c.vfork() == 0:
    c.pause()" "inside$mark"
'
test_expect_success 'or waits for a full pipe that nobody reads' '
	{ test_expect_code 124 sa-sandbox exec -t 0.5 -- yes "inside$mark" \
		</dev/null 2>err && echo fine >code; } |
		wait_for test -s code &&
	none_marked
'
test_expect_success 'or waits for a pipe without an end' '
	ends_in_time sh -c "mkfifo f; cat f" "inside$mark"
'

# few: no more than init, what looks at limits, and a shell.
few () {
	in_box -- sh -c "printf \"%s\\n\" /proc/[0-9]*" >seen &&
		test "$(wc -l <seen)" -le 3
}
test_expect_success 'killing all that it sees kills nothing of the host' '
	{ sleep 1000 & } &&
	pid=$! && create && in_box -- sh -c "sleep 1000 & sleep 1000 &" &&
	{ in_box -- sh -c "kill -9 -1; echo lives" >out || :; } &&
	wait_for few && kill -0 "$pid" && kill "$pid" && destroy
'

test_expect_success "$short short children leave no defunct one" '
	create --pids 100 &&
	in_box -t 600 -- sh -c "i=0
		while [ \$i -lt $short ]; do (: &); i=\$((i + 1)); done" &&
	in_box -- sh -c "sleep 1000 & grep -l \"^State:.Z\" \
		/proc/[0-9]*/status | wc -l" >out &&
	echo 0 | test_cmp - out && destroy
'

logged () {
	test "$(in_box -- wc -l log | cut -d " " -f 1)" -gt "$1"
}
test_expect_success 'what writes on in the background is not held up' '
	create --expires 1h &&
	in_box -- sh -c "while :; do
		printf %08000d 0; echo x >>log; done & echo started" >out &&
	test_match "started$" out &&
	# more than any pipe holds
	wait_for logged 100 && destroy
'

test_expect_success 'nothing is left' '
	test -z "$(ls -A "$all")" && none_marked
'

both_users
test_done
