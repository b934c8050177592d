#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-sqlguard --sql: statements as operands and on stdin'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'

test_expect_success 'operands are texts' '
	test_expect_code 1 sa-sqlguard --sql "SELECT 1" "DROP TABLE t" >out &&
	jq -rc "[.verdict, .path, (.statements | map(.head))]" out >got &&
	cat >expected <<-\E &&
	["allow",null,["SELECT"]]
	["reject",null,["DROP TABLE"]]
	E
	test_cmp expected got &&
	sa-sqlguard check --sql -- "-- c
	SELECT 1" >out &&
	jq_ok ".statements[0].line == 2" out
'

test_expect_success 'stdin is one text' '
	printf "SELECT 1;\nDROP TABLE t" |
		test_expect_code 1 sa-sqlguard --sql >out &&
	jq_ok ".path == \"-\" and (.statements | length) == 2" out &&
	jq_ok ".findings[0].line == 2 and .findings[0].column == 1" out
'

test_expect_success 'a NUL behind each' '
	printf "SELECT 1\\0DROP TABLE t\\0SELECT\n2\\0" |
		test_expect_code 1 sa-sqlguard --sql -0 >out &&
	jq -r .verdict out >got &&
	printf "%s\n" allow reject allow >expected &&
	test_cmp expected got &&
	printf "SELECT 1\\0SELECT 2" | sa-sqlguard --sql --null >out &&
	test "$(wc -l <out)" -eq 2
'

test_expect_success 'thousands in one process' '
	i=0 &&
	while test $i -lt 5000
	do
		printf "SELECT %d\\0" $i &&
		i=$((i + 1))
	done >many &&
	sa-sqlguard --sql -0 <many >out &&
	test "$(wc -l <out)" -eq 5000
'

test_expect_success 'an empty statement is an answer, an empty stdin is not' '
	printf "\\0" | test_expect_code 1 sa-sqlguard --sql -0 >out &&
	jq_ok ".findings[0].rule == \"sql-empty\"" out &&
	test_expect_code 65 sa-sqlguard --sql -0 </dev/null >out &&
	test_empty out
'

test_expect_success 'exactly 1 MiB passes, one more byte does not' '
	{ printf "SELECT 1 --"; head -c 1048565 /dev/zero | tr "\\0" x; } \
		>most &&
	test "$(wc -c <most)" -eq 1048576 &&
	sa-sqlguard -q --sql <most &&
	sa-sqlguard -q --sql -0 <most &&
	{ cat most && printf x; } >over &&
	test_expect_code 65 sa-sqlguard --sql <over >out 2>err &&
	test_empty out &&
	test_expect_code 65 sa-sqlguard --sql -0 <over >out 2>err &&
	test_match "1048576" err
'

test_expect_success 'bytes that are no text' '
	printf "SELECT \\377" | test_expect_code 1 sa-sqlguard --sql >out &&
	jq_ok ".verdict == \"reject\"" out
'

test_done
