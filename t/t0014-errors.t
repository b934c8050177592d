#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa(7), the pages and the table of errors say the same'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

man=$SA_SRCDIR/man
test -e "$man/sa.7" || skip_all 'there are no pages'

# Rows of sa(7): .It CODE Ta KIND Ta HTTP Ta MEANING
test_expect_success 'sa(7) has the table' '
	"$SA_BUILDDIR/t/print-errors" | sort >table &&
	sed -nE "s/^\.It ([0-9]+) Ta (\w+) Ta ([0-9]+|-) Ta .*/\1\t\2\t\3/p" \
		"$man/sa.7" | sort >page &&
	test_cmp table page
'

# The codes that sa-sandbox exec hands on are not errors of ours; nor are those
# that it has for a command as a shell does.
for c in $SA_COMMANDS
do
	test_expect_success "$c: the codes of its page are in the table" '
		cut -f 1 table >codes &&
		case $c in
		sa-sandbox) printf "%s\n" 125 126 127 "128+ Ns Ar N" ;;
		esac >>codes &&
		sed -n "/^\.Sh EXIT STATUS/,/^\.Sh EXAMPLES/s/^\.It //p" \
			"$man/$c.1" >page &&
		test -s page &&
		{ grep -vxF -f codes page >unknown || :; } &&
		test_empty unknown &&
		test_match "^0$" page &&
		test_match "^64$" page
	'
done

test_done
