#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# What is tried inside a sandbox of this host, by root and by another user: a
# test for each line of box-probe.py.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

# Not one that only this user can execute: both users need it.
python=/usr/bin/python3
test -x "$python" || skip_all "no $python"
"$SA_BUILDDIR/t/in-sandbox" '{}' 30 true 2>why ||
	skip_all "this host does not let us isolate: $(head -n 1 why)"

# Where both may read them, as they may not where these were built.
cp "$SA_BUILDDIR/t/in-sandbox" "$SA_SRCDIR/t/box-host.py" .

# probe WHO COMMAND...: the lines go to WHO.
probe () {
	who=$1
	shift
	mkdir -m 777 "$PWD/$who.d"
	SPARK_EXECUTOR_DATA_DIR=$PWD/$who.d/data TMPDIR=$PWD/$who.d "$@" \
		"$python" "$PWD/box-host.py" "$PWD/in-sandbox" '{}' 120 \
		python3 - \
		@PORT @ABSTRACT @SOCKET @MARKER @UID \
		<"$SA_SRCDIR/t/box-probe.py" >"$who"
}

# report WHO: a test for each line.
report () {
	while IFS='|' read -r verdict name why
	do
		test "$verdict" = contained || echo "# $name: $why"
		test_expect_success "$1: $name" "test $verdict = contained"
	done <"$1"
}

count=$("$python" "$SA_SRCDIR/t/box-probe.py" --count)

test_expect_success 'a prober runs to its end' '
	probe caller &&
	test "$(wc -l <caller)" -eq '"$count"'
'
report caller
if test_have_prereq ROOT
then
	test_expect_success 'and for another user' '
		probe nobody as_nobody &&
		test "$(wc -l <nobody)" -eq '"$count"'
	'
	report nobody
fi

test_expect_success 'nothing is left of it' '
	test_empty_dir () {
		test -z "$(ls -A "$1")"
	} &&
	test_empty_dir caller.d/data/sandboxes
'
test_done
