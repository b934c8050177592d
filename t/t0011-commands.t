#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='what is the same in all commands: files, help, libraries'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test -n "$SA_COMMANDS" || skip_all 'no command has been built'
man=$SA_SRCDIR/man

# What DESIGN keeps out of commands without network: each library costs start.
network='libcurl|libcrypto|libssl|libexpat|libyaml'

for c in $SA_COMMANDS
do
	test_expect_success "$c: a program, a page, a test" '
		test -x "$SA_BUILDDIR/$c" &&
		test -e "$man/$c.1" &&
		ls "$SA_SRCDIR"/t/t[1-9]*-"${c#sa-}"*.t
	'

	test_expect_success mandoc "$c: mandoc has nothing to say" '
		mandoc -T lint -W warning "$man/$c.1"
	'

	test_expect_success "$c: the page has its sections, in order" '
		sed -n "s/^\.Sh //p" "$man/$c.1" >sections &&
		for s in NAME SYNOPSIS DESCRIPTION ENVIRONMENT FILES \
			"EXIT STATUS" EXAMPLES "SEE ALSO"
		do
			echo "$s"
		done >expected &&
		grep -vxE "STANDARDS|CAVEATS" sections >got &&
		test_cmp expected got &&
		test_match "^\.Xr sa 7" "$man/$c.1"
	'

	test_expect_success "$c: --help and --version" '
		"$c" --help >out 2>err &&
		test_match "^usage: $c" out &&
		test_empty err &&
		"$c" -h >out.short &&
		test_cmp out out.short &&
		"$c" --version >out 2>err &&
		test_match "^$c .*[0-9]" out &&
		test_empty err
	'

	test_expect_success "$c: misuse is 64, the reason on stderr" '
		test_expect_code 64 "$c" --no-such-option >out 2>err &&
		test_empty out &&
		test_match "^$c: .*no-such-option" err
	'

	test_expect_success "$c: a lost answer is 74" '
		test_expect_code 74 "$c" --help >/dev/full 2>err &&
		test_match "^$c: " err
	'
done

for c in $SA_COMMANDS sa-supervise
do
	case $c in
	sa-export|sa-yarn) continue ;;
	esac
	test -e "$SA_SRCDIR/cmd/$c.c" || continue
	test_expect_success readelf "$c: no library of the network" '
		readelf -d "$SA_BUILDDIR/$c" >dynamic &&
		test_match "NEEDED" dynamic &&
		test_expect_code 1 grep -E "NEEDED.*($network)" dynamic
	'
done

test_expect_success mandoc 'sa(7): mandoc has nothing to say' '
	mandoc -T lint -W warning "$man/sa.7"
'

test_expect_success 'sa(7) names each command' '
	for c in $SA_COMMANDS
	do
		test_match "^\.(It )?Xr $c 1" "$man/sa.7" || return 1
	done
'

test_done
