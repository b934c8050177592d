#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the table of options, --help and the page say the same'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test -n "$SA_COMMANDS" || skip_all 'no command has been built'

# Each as "--long -s ARG", "-" for no short option and for no argument.
from_table () {
	"$1" --print-options |
	awk -F '\t' '{
		sub(/^-/, "", $3)
		print $2, ($3 == "" ? "-" : "-" $3), ($4 == "-" ? "-" : "ARG")
	}' | sort -u
}

from_page () {
	awk '/^\.It Fl / {
		long = short = arg = "-"
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl" && $(i + 1) ~ /^-/)
				long = "-" $(i + 1)
			else if ($i == "Fl")
				short = "-" $(i + 1)
			else if ($i == "Ar" || $i == "Cm")
				arg = "ARG"
		}
		gsub(/\\-/, "-", long)
		print long, short, arg
	}' "$SA_SRCDIR/man/$1.1" | sort -u
}

for c in $SA_COMMANDS
do
	test_expect_success "$c: the page lists the options" '
		from_table "$c" >table &&
		test -s table &&
		from_page "$c" >page &&
		test_cmp table page
	'

	test_expect_success "$c: --help lists the options" '
		from_table "$c" | cut -d " " -f 1 >longs &&
		"$c" --help >help &&
		while read -r long
		do
			grep -qwF -e "$long" help || {
				echo "not in --help: $long" && return 1
			}
		done <longs
	'

	test_expect_success "$c: completions name each option" '
		for shell in bash zsh fish
		do
			"$c" --print-completion $shell >got &&
			while read -r long
			do
				grep -qF -e "${long#--}" got || {
					echo "$shell: no $long" && return 1
				}
			done <longs || return 1
		done
	'

	for shell in bash zsh fish
	do
		test_expect_success "$shell" "$c: $shell reads its completion" '
			"$c" --print-completion $shell >got &&
			"$shell" -n got
		'
	done
done

test_done
