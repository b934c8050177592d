#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# A sandbox of this host ends when it must, and leaves nothing: time, output,
# processes, memory, disk, and whoever started it.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

box () {
	"$SA_BUILDDIR/t/in-sandbox" "$@"
}
need_sandbox box '{}' 30 true

if test_have_prereq LONG
then
	output=10G children=1000
	tl_have_ROOT || output=1G
else
	output=300M children=20
fi

test_expect_success 'exit statuses and signals are those of the command' '
	test_expect_code 7 box {} 30 sh -c "exit 7" &&
	test_expect_code 143 box {} 30 sh -c "kill \$\$" &&
	test_expect_code 127 box {} 30 no-such-program 2>err &&
	test_match "no-such-program" err &&
	test_expect_code 126 box {} 30 /etc 2>err
'

test_expect_success 'input reaches it, and its end does' '
	head -c 3000000 /dev/zero | box {} 30 wc -c >out &&
	test "$(cat out)" -eq 3000000 &&
	box {} 30 true </dev/zero &&
	echo x | box {} 30 cat >out &&
	test "$(cat out)" = x
'

test_expect_success 'a file for input cannot be written through it' '
	echo mine >file &&
	{ box {} 30 sh -c "echo theirs >/proc/self/fd/0" <file 2>err || :; } &&
	test "$(cat file)" = mine
'

test_expect_success 'a time-out ends what ignores signals and forks away' '
	test_expect_code 124 box {} 1 sh -c "
		trap : TERM INT HUP
		for i in 1 2 3 4 5 6 7 8 9
		do
			setsid sh -c \"trap : TERM; (sleep $mark &)\" &
		done
		(trap \"\" TERM; sleep $mark) &
		kill -STOP \$!
		while :; do sleep 1; done" &&
	wait_for none_marked
'

test_expect_success 'what runs on is not waited for' '
	box {} 30 sh -c "nohup sleep $mark >/dev/null & echo started" >out &&
	test "$(cat out)" = started &&
	box {} 30 sh -c "sleep $mark & echo started" >out &&
	test "$(cat out)" = started &&
	wait_for none_marked
'

test_expect_success 'a fork bomb stops at the limit and is ended' '
	cat >bomb <<-\EOF2 &&
	import os, time
	made = 0
	try:
	    while True:
	        if os.fork() == 0:
	            time.sleep(100)
	        made += 1
	except OSError:
	    print(made, flush=True)
	while True:
	    try:
	        os.fork()
	    except OSError:
	        pass
	EOF2
	for seconds in 3 30 300
	do
		test_expect_code 124 box "{\"pids\": 40}" $seconds \
			python3 - <bomb >out || exit
		test ! -s out || break
	done &&
	test "$(head -n 1 out)" -gt 20 &&
	test "$(head -n 1 out)" -le 40
'

test_expect_success 'memory of one process is refused over the limit' '
	test_expect_code 1 box "{\"memory\": \"100M\"}" 60 python3 -c \
		"x = bytearray(300 << 20)" 2>err &&
	test_match MemoryError err
'

test_expect_success 'children that forked twice are ended too' '
	cat >forks <<-EOF2 &&
	import os, signal
	signal.signal(signal.SIGTERM, signal.SIG_IGN)
	for i in range($children):
	    if os.fork() == 0:
	        os.setsid()
	        if os.fork() == 0:
	            os.execvp("sleep", ["sleep", "$mark"])
	        os._exit(0)
	    os.wait()
	print("all", flush=True)
	EOF2
	box "{\"pids\": 1100}" 300 python3 - <forks >out &&
	test "$(cat out)" = all &&
	wait_for none_marked
'

# The limits of all processes together are looked at now and then, where no
# control group holds them.
code=
for what in shared many memfd segments files
do
	case $what in
	shared) code='import mmap
m = mmap.mmap(-1, 400 << 20)
while True:
    for i in range(0, len(m), 4096): m[i] = 1' ;;
	many) code='import os, time
for i in range(8):
    if os.fork() == 0:
        x = bytearray(60 << 20)
        time.sleep(100)
time.sleep(100)' ;;
	memfd) code='import os, time
for i in range(8):
    fd = os.memfd_create("x")
    for j in range(50): os.write(fd, b"x" * (1 << 20))
time.sleep(100)' ;;
	segments) code='import ctypes, time
c = ctypes.CDLL(None)
c.shmat.restype = ctypes.c_void_p
for i in range(8):
    at = c.shmat(c.shmget(0, 50 << 20, 0o1600), None, 0)
    ctypes.memset(at, 1, 50 << 20)
    c.shmdt(ctypes.c_void_p(at))
time.sleep(100)' ;;
	files) code='import time
with open("/dev/shm/file", "wb") as f:
    for i in range(60): f.write(b"x" * (1 << 20))
x = bytearray(60 << 20)
time.sleep(100)' ;;
	esac
	test_expect_success "memory of all processes is limited ($what)" '
		test_expect_code 137 box "{\"memory\": \"100M\"}" 60 \
			python3 -c "$code" 2>err &&
		test_match "limit: memory" err
	'
done

test_expect_success 'processes that share what they inherited count once' '
	box "{\"memory\": \"300M\"}" 60 python3 -c "
import os, time
x = bytearray(100 << 20)
for i in range(6):
    if os.fork() == 0:
        time.sleep(2)
        os._exit(0)
for i in range(6): os.wait()"
'

test_expect_success 'a file does not grow over the disk limit' '
	test_expect_code 153 box "{\"disk\": \"1M\"}" 30 \
		sh -c "exec dd if=/dev/zero of=x bs=64k count=100" 2>err
'

test_expect_success 'many files do not either' '
	test_expect_code 137 box "{\"disk\": \"4M\"}" 60 sh -c "
		i=0
		while :
		do
			head -c 1000000 /dev/zero >f\$i
			i=\$((i + 1))
			sleep 0.1
		done" 2>err &&
	test_match "limit: disk" err
'

test_expect_success 'nor do many that hold nothing' '
	test_expect_code 137 box "{\"disk\": \"1M\"}" 60 python3 -c "
import time
for i in range(3000): open(str(i), \"w\").close()
time.sleep(100)" 2>err &&
	test_match "limit: disk" err
'

test_expect_success 'what measures the disk cannot be got rid of' '
	test_expect_code 137 box "{\"disk\": \"4M\"}" 60 sh -c "
		i=0
		while :
		do
			kill -9 -1 2>/dev/null
			head -c 100000 /dev/zero >f\$i
			i=\$((i + 1))
		done" 2>err &&
	{ test_match "limit: disk" err || test_empty err; }
'

# most_private PID FILE: what a process and its first child have at most of
# memory that is theirs alone, in KiB, until it ends.
most_private () {
	: >"$2"
	# one that has ended has none, as it waits to be waited for
	while grep -q . "/proc/$1/smaps_rollup" 2>/dev/null
	do
		for process in "$1" \
			$(cat "/proc/$1/task/$1/children" 2>/dev/null)
		do
			awk '/^Private_(Clean|Dirty)/ { n += $2 }
				END { print n + 0 }' \
				"/proc/$process/smaps_rollup" >>"$2" \
				2>/dev/null
		done
		sleep 0.1
	done
	sort -n "$2" | tail -n 1
}

tl_have_SANITIZERS ||
test_expect_success "output of $output on each stream takes no memory" '
	{ box {} 300 sh -c "head -c $output /dev/zero &
		head -c $output /dev/zero >&2; wait" \
		>/dev/null 2>&1 & } &&
	pid=$! &&
	most=$(most_private $pid private) && echo "$most KiB" &&
	wait $pid &&
	test "$most" -gt 0 && test "$most" -lt 4096
'

test_expect_success 'a gigabyte without a line break' '
	box {} 60 sh -c "head -c 1G /dev/zero" >/dev/null
'

test_expect_success 'whoever starts it may be killed: nothing is left' '
	{ "$SA_BUILDDIR/t/in-sandbox" "{\"expires\": \"5s\"}" 100 sh -c "
		setsid sh -c \"sleep $mark\" &
		sleep $mark" & } &&
	pid=$! &&
	wait_for marked &&
	kill -9 $pid &&
	wait_for none_marked
'

test_expect_success 'what is shown of the host is read only' '
	box "{\"ro\": [\"/etc/passwd\"]}" 30 cat /etc/passwd >out &&
	test_cmp /etc/passwd out &&
	test_expect_code 2 box "{\"ro\": [\"/etc/passwd\"]}" 30 \
		sh -c "echo x >>/etc/passwd" 2>err &&
	test_match "Read-only|Permission" err &&
	test_expect_code 125 box "{\"ro\": [\"/proc\"]}" 30 true 2>err &&
	test_match ".proc. is about this host" err
'

test_expect_success 'a tree of its own takes the place of the host' '
	mkdir -p root/bin root/etc root/none && chmod -R 755 root &&
	echo other >root/etc/name &&
	test_expect_code 127 box "{\"root\": \"$PWD/root\"}" 30 ls 2>err &&
	{ ldd /bin/cat | grep -o "/[^ ]*" | sort -u >libraries || :; } &&
	while read -r lib
	do
		mkdir -p "root$(dirname "$lib")" && cp "$lib" "root$lib" ||
			exit
	done <libraries &&
	cp /bin/cat root/bin/ &&
	box "{\"root\": \"$PWD/root\"}" 30 /bin/cat /etc/name >out &&
	test "$(cat out)" = other
'

test_expect_success 'no sandbox is left but the one of who was killed' '
	expired () {
		"$SA_BUILDDIR/t/in-sandbox" --gc >items &&
			jq_ok "length == 1" items
	} &&
	wait_for expired &&
	jq_ok "length == 1 and .[0].why == \"it expired\"" items &&
	test -z "$(ls -A data/sandboxes)"
'

both_users
test_done
