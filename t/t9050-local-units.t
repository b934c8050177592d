#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# Root's unit tests of sandboxes, once more as another user; with SA_TEST_LONG,
# which they know too, also by root.
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq ROOT || skip_all "they run as this user by themselves"

chmod 1777 "$TMPDIR"
for unit in unit-local unit-localfile unit-sandbox
do
	test_expect_success LONG "$unit, long" '
		{ "$SA_BUILDDIR/t/$unit" >out 2>&1 ||
			{ grep -A 4 "^not ok" out; false; }; }
	'
	test_expect_success "$unit" '
		cp "$SA_BUILDDIR/t/$unit" . &&
		{ as_nobody "./$unit" >out 2>err; echo $? >code; } &&
		cat err && { grep -E -A 2 "^not ok|skip" out || :; } &&
		test "$(cat code)" -eq 0
	'
done
test_done
