#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the terminal that tests type at'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

in_terminal=$SA_BUILDDIR/t/in-terminal

test_expect_success 'it is a terminal, and one answers on it' '
	cat >script <<-\S &&
	expect name?
	send Ada
	S
	"$in_terminal" script sh -c "
		test -t 0 && test -t 1 && test -t 2 &&
		printf \"name? \" >/dev/tty && read -r n && echo hello \$n
	" >out &&
	test_match "^hello Ada" out
'

test_expect_success 'the status, of an exit and of a signal' '
	>script &&
	test_expect_code 3 "$in_terminal" script sh -c "exit 3" &&
	test_expect_code 137 "$in_terminal" script sh -c "kill -9 \$\$"
'

test_expect_success 'Control-C interrupts' '
	printf "%s\n" "expect up" "type \\x03" >script &&
	test_expect_code 130 "$in_terminal" script sh -c "
		trap \"exit 130\" INT; echo up; while :; do sleep 0.1; done
	"
'

test_expect_success 'a size, and another' '
	printf "%s\n" "expect 24 80" "size 40 100" send "expect 40 100" \
		>script &&
	"$in_terminal" script sh -c "stty size; read -r n; stty size" >out
'

test_expect_success 'a terminal that goes away' '
	printf "%s\n" "expect up" hangup >script &&
	test_expect_code 129 "$in_terminal" script sh -c "
		trap \"exit 129\" HUP; echo up; while :; do sleep 0.1; done
	"
'

test_expect_success 'what is never shown is a failure' '
	echo "expect never" >script &&
	test_expect_code 99 "$in_terminal" script echo something 2>err &&
	test_match "never shown: never" err
'

test_done
