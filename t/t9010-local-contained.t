#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# What is tried inside a sandbox of this host, by root and by another user: a
# test for each line of box-probe.py. All of it in one whose files are in a
# directory, and in one for a single command, which has them in memory.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

# Not one that only this user can execute: both users need it.
python=/usr/bin/python3
test -x "$python" || skip_all "no $python"
need_sandbox "$SA_BUILDDIR/t/in-sandbox" '{}' 30 true

# probe SPEC
probe () {
	SPARK_EXECUTOR_DATA_DIR=$PWD/data \
		"$python" "$SA_SRCDIR/t/box-host.py" \
		"$SA_BUILDDIR/t/in-sandbox" "$1" 120 python3 - \
		@PORT @ABSTRACT @SOCKET @MARKER @UID @PID \
		<"$SA_SRCDIR/t/box-probe.py" >lines
}

count=$("$python" "$SA_SRCDIR/t/box-probe.py" --count)

# try_in KIND SPEC
try_in () {
	test_expect_success "$1: a prober runs to its end" '
		probe '"'$2'"' &&
		test "$(wc -l <lines)" -eq '"$count"'
	'
	while IFS='|' read -r verdict name why
	do
		test "$verdict" = contained || echo "# $name: $why"
		test_expect_success "$1: $name" "test $verdict = contained"
	done <lines
}

try_in 'a directory' '{}'
try_in 'in memory' '{"once":true}'

test_expect_success 'nothing is left of it' '
	test -z "$(ls -A data/sandboxes)"
'

both_users
test_done
