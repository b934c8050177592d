#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='file operations in a guest that has nothing but busybox'
. "${SA_SRCDIR:-$(dirname "$0")/..}/t/test-lib.sh"

test_have_prereq busybox || skip_all "busybox is missing"

# Only what failed, and why.
in_busybox () {
	PATH=$PWD/bin:$PATH "$@" >out 2>err && return
	grep "^not ok" -A 3 out
	cat err
	return 1
}

test_expect_success 'as in one with the GNU programs' '
	mkdir bin &&
	for name in $(busybox --list)
	do
		ln -s "$(command -v busybox)" "bin/$name" || return 1
	done &&
	in_busybox "$SA_BUILDDIR/t/unit-sandbox"
'

both_users
test_done
