#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Sandboxes of this host by many at once, while all processes of ours are
# killed at random moments. With SA_TEST_LONG, by root and another user in all:
# 50 in parallel, 1,000 cycles of create, exec and destroy, 100 moments.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq jq,python3 || skip_all "no $tl_missing"
need_sandbox
all=$SPARK_EXECUTOR_DATA_DIR/sandboxes
if test_have_prereq LONG
then
	many=50 cycles=10 kills=50 expires=60s
else
	many=10 cycles=3 kills=8 expires=10s
fi

# killer.py WORD [TIMES]: kills at random moments, so many times, all that has
# the word in its mounts (what is inside a sandbox) or in its environment (and
# is sa-sandbox); how many there were is what it says. Without times it says
# their numbers.
here=$(basename "$(dirname "$PWD")")/trash/data
cat >killer.py <<'PY'
import os
import random
import signal
import sys
import time

word = sys.argv[1].encode()


def contents(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


def ours(quick):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        comm = contents(pid, "comm").strip()
        if quick and comm not in (b"sa-sandbox", b"sandbox-init", b"sh",
                                  b"sleep", b"cat"):
            continue
        if (word + b"/sandboxes/" in contents(pid, "mountinfo") or
                comm == b"sa-sandbox" and word in contents(pid, "environ")):
            yield int(pid)


if len(sys.argv) == 2:
    print(*ours(False))
    sys.exit()
killed = 0
for _ in range(int(sys.argv[2])):
    time.sleep(2 * random.random())
    for pid in ours(True):
        try:
            os.kill(pid, signal.SIGKILL)
            killed += 1
        except OSError:
            pass
print(killed)
PY
ours () {
	python3 killer.py "$here"
}
none_of_ours () {
	test -z "$(ours)"
}
names () {
	find "$all" -maxdepth 1 2>/dev/null |
		sed -n "s/.*\(sa-sandbox-[0-9a-f]*\)$/\1/p" >>names
}

# A cycle counts once each of its commands came to its end.
cycle () {
	sa-sandbox create --expires "$expires" --memory 500M >"box.$1" 2>>err &&
		box=$(jq -r .sandbox "box.$1") &&
		sa-sandbox exec --in "$box" -- sh -c "sleep 1000 & echo $1 >f
			sleep 0.2; cat f" </dev/null >"out.$1" 2>>err &&
		test "$(cat "out.$1")" = "$1" &&
		sa-sandbox destroy "$box" >"out.$1" 2>>err
}
worker () {
	done=0
	while test "$done" -lt "$cycles" || test ! -s killed
	do
		if cycle "$1"
		then done=$((done + 1))
		else echo x >>cuts
		fi
	done
	echo "$done" >>cycles
	test "$done" -ge "$cycles"
}
storm () {
	rm -f killed
	i=0
	while test $((i += 1)) -le "$many"
	do
		worker "$i" &
	done
	{ python3 killer.py "$here" "$kills" >numbers && mv numbers killed; } &
	killer=$!
	while kill -0 "$killer" 2>/dev/null
	do
		names
		sleep 0.2
	done
	wait
}

# What there is of the host's, but for what other tests make and remove.
state () {
	grep -F "$here" /proc/mounts
	ls -A "$TMPDIR" /dev/shm /dev/mqueue 2>/dev/null
	find . -type s
	ours
}

test_expect_success "$many at once, all killed $kills times" '
	: >names && : >cuts && : >err && : >cycles &&
	sa-sandbox gc >gc.json && state >before && storm &&
	test "$(wc -l <cycles)" -eq $many && test "$(cat killed)" -gt 0 &&
	test -s cuts
'
if test -s cycles
then
	whole=$(awk "{ n += \$1 } END { print n }" cycles)
	echo "# $(cat killed) killed, $(wc -l <cuts) cycles cut, $whole whole"
fi

test_expect_success 'what is left of it is removed by gc, once it expired' '
	collected () {
		names
		sa-sandbox gc >gc.json && test -z "$(ls -A "$all")"
	} &&
	wait_for collected && wait_for none_of_ours
'

test_expect_success 'there is no process, mount, socket or file more' '
	sed "/^before$/d; /^after$/d" before >want && state >after &&
	test_cmp want after
'

test_expect_success 'nor a control group' '
	test -s names && sort -u names >made &&
	sandbox_groups >groups &&
	test_expect_code 1 grep -F -f made groups
'

both_users
test_done
