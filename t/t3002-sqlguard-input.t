#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-sqlguard: broken input, lost output, wrong words'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
echo 'spark.sql("SELECT 1")' >good.py

# source VERDICT RULE: what stdin holds is judged so.
source_is () {
	sa-sqlguard >out
	jq_ok '.verdict == $v and .findings[0].rule == $r' out \
		--arg v "$1" --arg r "$2"
}

test_expect_success 'what is not Python, with its likely cause' '
	printf "\`\`\`python\nx = 1\n\`\`\`\n" |
		source_is reject python-fence &&
	printf "%%sql SELECT 1\n" | source_is reject python-magic &&
	printf "!pip install x\n" | source_is reject python-magic &&
	printf "def (\n" | source_is reject python-syntax &&
	printf "x = (1\n" | source_is reject python-syntax &&
	printf "x = \"abc\n" | source_is reject python-syntax &&
	printf "if x:\n\ty\n        z\n" | source_is reject python-syntax
'

# Python refuses these; the guard reads on.
test_expect_success 'targets that nothing can be assigned to' '
	for target in True None ... "(yield)" "f()" "-1" "\"b\"" "a if b else c"
	do
		echo "(a, $target, c) = (1, 2, [3])" >target.py &&
		echo "for [a, $target] in d: pass" >>target.py &&
		echo "spark.sql(\"SELECT 1\")" >>target.py &&
		sa-sqlguard target.py >out &&
		jq_ok ".statements | length == 1" out || return 1
	done
'

test_expect_success 'encodings' '
	printf "x = \"\\377\"\n" | source_is reject python-encoding &&
	printf "x = 1\\000\n" | source_is reject python-encoding &&
	printf "# coding: utf-7\nx = 1\n" | source_is reject python-encoding &&
	printf "#!/usr/bin/python\n# -*- coding: gbk -*-\n" |
		source_is reject python-encoding &&
	printf "\\357\\273\\277# coding: utf-8\nx = 1\n" | sa-sqlguard -q &&
	printf "# coding: latin-1\nx = 1\n" | sa-sqlguard -q &&
	printf "# -*- coding: utf-8-unix -*-\nx = 1\n" | sa-sqlguard -q &&
	printf "x = 1\n\n# coding: utf-7\n" | sa-sqlguard -q
'

test_expect_success 'encodings of one byte a character' '
	for c in latin-1 iso-8859-15 cp1252 ISO-8859-1
	do
		printf "#!python3\n# coding: %s\ns = \"\\344\\366\"; %s" $c \
			"spark.sql(f\"SELECT \\244\\n {x}\")" >ok.py &&
		sa-sqlguard -q ok.py &&
		printf "# vim: fileencoding=%s :\ns = \"\\344\\366\"; %s\n" $c \
			"spark.sql(\"DROP TABLE t\")" >no.py &&
		test_expect_code 1 sa-sqlguard --format=text no.py >out &&
		test_match "^no.py:2:22: error" out &&
		test_match "^ {25}\^$" out &&
		test_match "s = .äö.; spark" out || return 1
	done
'

test_expect_success 'and what Python does not decode either' '
	printf "# coding: cp1252\nx = \"\\201\"\n" |
		source_is reject python-encoding &&
	printf "# coding: ascii\nx = \"\\344\"\n" |
		source_is reject python-encoding &&
	printf "x = 1\n\n# coding: latin-1\ny = \"\\344\"\n" |
		source_is reject python-encoding &&
	printf "\\357\\273\\277# coding: latin-1\nx = \"\\344\"\n" |
		source_is reject python-encoding &&
	printf "# coding: shift_jis\nx = \"\\203\\\\\"\n" >s.py &&
	test_expect_code 1 sa-sqlguard s.py >out &&
	jq_ok ".findings[0].message | contains(\"shift_jis\")" out
'

test_expect_success 'exactly 1 MiB passes, one more byte does not' '
	{ cat good.py && head -c 1048554 /dev/zero | tr "\\0" "#"; } >most.py &&
	test "$(wc -c <most.py)" -eq 1048576 &&
	sa-sqlguard -q most.py &&
	sa-sqlguard -q <most.py &&
	{ cat most.py && printf x; } >over.py &&
	test_expect_code 65 sa-sqlguard over.py >out 2>err &&
	test_empty out &&
	test_match "over.py.*1048576" err &&
	test_expect_code 65 sa-sqlguard <over.py
'

test_expect_success 'nesting ends in a finding' '
	for c in "(" "[" "{" "-" "not " "lambda: " "f(" "a if b else "
	do
		awk -v c="$c" "BEGIN { for (i = 0; i < 50000; i++) printf c }" |
			test_expect_code 1 sa-sqlguard >out &&
		jq_ok ".verdict == \"reject\"" out ||
			return 1
	done
'

test_expect_success 'an empty stdin, a directory, a missing file' '
	test_expect_code 65 sa-sqlguard </dev/null >out 2>err &&
	test_empty out &&
	test_match "nothing came on stdin" err &&
	>empty.py &&
	sa-sqlguard -q empty.py &&
	mkdir dir &&
	test_expect_code 65 sa-sqlguard dir 2>err &&
	test_match "dir" err &&
	test_expect_code 66 sa-sqlguard missing.py 2>err &&
	test_match "missing.py" err
'

test_expect_success '64: wrong words' '
	for w in --unresolved=maybe --nosuch -0 "--sql -0 x"
	do
		test_expect_code 64 sa-sqlguard $w good.py >out 2>err &&
		test_empty out ||
			return 1
	done
'

test_expect_success 'requests: truncated, a key twice, nothing to judge' '
	for r in "{\"code\": \"x\"" "{\"code\": \"a\", \"code\": \"b\"}" "[]" \
		"{}" "{\"path\": \"a\", \"code\": \"b\"}" "{\"code\": 1}" \
		"{\"path\": \"good.py\", \"sql\": true}"
	do
		echo "$r" | test_expect_code 65 sa-sqlguard --request >out &&
		test_empty out ||
			return 1
	done
'

test_expect_success 'closed descriptors, a full device, a reader gone' '
	test_expect_code 65 sa-sqlguard <&- 2>err &&
	test_expect_code 74 sa-sqlguard good.py >&- 2>err &&
	test_match "stdout" err &&
	test_expect_code 74 sa-sqlguard good.py >/dev/full 2>err &&
	sa-sqlguard good.py >out 2>&- &&
	jq_ok ".verdict == \"allow\"" out
'

test_done
