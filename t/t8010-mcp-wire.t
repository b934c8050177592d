#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-mcp: floods, broken lines, many calls, readers, the end'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-lib.sh"

catalog

# Those need memory of their own.
if test_have_prereq SANITIZERS || test_have_prereq VALGRIND
then
	SA_TEST_MEMORY=no
	export SA_TEST_MEMORY
fi

wire () {
	python3 "$SA_SRCDIR/t/mcp-wire.py" "$1" \
		sa-mcp --catalog catalog.json
}

# each PREREQ CHECK NAME
each () {
	test_expect_success "$1" "$3" "wire $2"
}

each python3 pings '10,000 requests, one after the other'
each python3 flood '10,000 pings at once'
each python3 broken 'broken lines, one error each'
each python3 noise 'random bytes'
each python3 long_line 'a line of 40 MiB is refused and not kept'
each python3 pieces 'a line byte by byte'
each python3 large_argument 'an argument of 3 MB there and back'
each python3 many '600 calls: each is answered, once'
each python3 slow_reader 'a reader that stops while 20 calls run'
each python3 at_once 'a short call does not wait for a long one'
each python3 progress 'progress rises, for those who asked'
each python3 cancel 'what is cancelled ends and is not answered'
each python3 stubborn 'a program that ignores SIGTERM is killed, with its own'
each python3 same_id 'a call with the id of a running one is refused'
each python3 end_of_input 'end of input: no child is left, what ended counts'
each python3 end_by_term 'SIGTERM ends it the same way'
each python3 end_by_int 'SIGINT too'
each python3 end_by_hup 'and SIGHUP'
each python3 end_by_kill 'SIGKILL leaves no child'
each python3 file_of_requests 'a file of requests gets all its answers'
each python3 reader_gone 'it ends when nobody reads its answers'

test_expect_success 'it ends when its parent dies' '
	mkfifo in out.fifo in.parent &&
	{ sh -c "sa-mcp --catalog catalog.json <in >out.fifo & echo \$! >pid
		read -r line <in.parent" & } &&
	parent=$! &&
	exec 8>in 9<out.fifo &&
	call nap "{\"seconds\":600}" >&8 &&
	wait_for test -s pid &&
	server=$(cat pid) &&
	wait_for pgrep -P "$server" &&
	kill -9 "$parent" &&
	wait_for test ! -e "/proc/$server" &&
	exec 8>&- 9<&-
'

test_done
