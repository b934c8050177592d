#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-sqlguard: directories, many files, many processes'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
yes='spark.sql("SELECT 1")'
no='spark.sql("DROP TABLE t")'

mkdir -p src/b/c src/.git src/__pycache__ src/venv/lib src/a.py
for f in src/z.py src/b/a.py src/b/c/x.py src/a.py/in.py src/b.py
do
	echo "$yes" >"$f"
done
for f in src/.git/no.py src/__pycache__/no.py src/venv/lib/no.py src/no.txt \
	src/no.pyc
do
	echo "$no" >"$f"
done
: >src/venv/pyvenv.cfg
echo "$no" >away.py
ln -s ../away.py src/link.py
ln -s .. src/up
mkfifo src/fifo.py

# paths FILE: of its reports
paths () {
	jq -r .path "$1"
}

test_expect_success 'every source below it, sorted, and no other' '
	sa-sqlguard src >out &&
	paths out >got &&
	cat >expected <<-\X &&
	src/a.py/in.py
	src/b.py
	src/b/a.py
	src/b/c/x.py
	src/z.py
	X
	test_cmp expected got
'

test_expect_success 'what is named is looked at, whatever it is called' '
	test_expect_code 1 sa-sqlguard src/.git >out &&
	test_expect_code 1 sa-sqlguard src/venv >out &&
	test_expect_code 1 sa-sqlguard src/no.txt >out &&
	test_expect_code 1 sa-sqlguard src/link.py >out &&
	ln -s src/b other &&
	sa-sqlguard other >out &&
	paths out >got &&
	printf "%s\n" other/a.py other/c/x.py >expected &&
	test_cmp expected got
'

test_expect_success 'a request is about one file' '
	echo "{\"path\": \"src\"}" |
		test_expect_code 65 sa-sqlguard --request >out &&
	test_empty out &&
	echo "{\"path\": \"src/z.py\"}" | sa-sqlguard --request >out &&
	jq_ok ".path == \"src/z.py\"" out
'

test_expect_success 'a name that is not UTF-8' '
	mkdir odd && echo "$no" >"$(printf "odd/n\\377.py")" &&
	for format in json text sarif github
	do
		test_expect_code 1 sa-sqlguard --format=$format odd >out ||
			return 1
	done &&
	test_expect_code 1 sa-sqlguard odd >out &&
	jq_ok ".path == \"odd/n\ufffd.py\"" out
'

test_expect_success 'operands keep their order' '
	echo "$no" >no.py &&
	test_expect_code 1 sa-sqlguard src/z.py src/b no.py >out &&
	paths out >got &&
	printf "%s\n" src/z.py src/b/a.py src/b/c/x.py no.py >expected &&
	test_cmp expected got
'

test_expect_success 'a failure does not hide the rest' '
	mkdir empty &&
	test_expect_code 66 sa-sqlguard no.py missing src/b empty >out 2>err &&
	test "$(wc -l <out)" -eq 3 &&
	test_match "missing" err &&
	test_match "below the directory .empty. is no .py file" err &&
	test_expect_code 65 sa-sqlguard empty >out 2>err &&
	test_empty out
'

test_expect_success 'a file that is too large is told, and the rest judged' '
	mkdir big && echo "$yes" >big/a.py && echo "$yes" >big/c.py &&
	head -c 1048577 /dev/zero | tr "\\0" "#" >big/b.py &&
	test_expect_code 65 sa-sqlguard big >out 2>err &&
	test "$(wc -l <out)" -eq 2 &&
	test_match "big/b.py.*1048576" err
'

test_expect_success 'a directory too deep ends in a message' '
	d=deep && i=0 &&
	while test "$((i += 1))" -le 64; do d=$d/d; done &&
	mkdir -p "$d" && echo "$yes" >"$d/x.py" &&
	sa-sqlguard deep >out &&
	mkdir "$d/d" && echo "$no" >"$d/d/x.py" &&
	test_expect_code 65 sa-sqlguard deep >out 2>err &&
	test_empty out &&
	test_match "more than 64 directories deep" err
'

test_expect_success 'one that may not be read does, too' '
	mkdir -p shut/in && echo "$yes" >shut/x.py &&
	chmod 755 . shut && chmod 0 shut/in &&
	test_expect_code 74 as_nobody sa-sqlguard shut >out 2>err &&
	test_empty out &&
	test_match "shut/in.*Permission denied" err &&
	chmod 755 shut/in
'

test_expect_success 'processes: the same answers in the same order' '
	mkdir many && i=0 &&
	while test "$((i += 1))" -le 60
	do
		case $((i % 7)) in
		0) echo "$no" ;;
		1) echo "eval(\"1\")" ;;
		*) echo "$yes" ;;
		esac >"many/f$i.py" || return 1
	done &&
	i=0 && while test "$((i += 1))" -le 3000
	do
		echo "spark.sql(f\"SELECT {x$i}\")"
	done >many/f1.py &&
	for format in json text github sarif
	do
		test_expect_code 1 sa-sqlguard --format=$format many >one &&
		test_expect_code 1 sa-sqlguard --format=$format --jobs 4 many \
			>four &&
		test_cmp one four || return 1
	done &&
	test_expect_code 1 sa-sqlguard -q --jobs 64 many >out &&
	test_empty out
'

test_expect_success 'processes: failures, statements, one file' '
	test_expect_code 66 sa-sqlguard --jobs 3 no.py missing src/b \
		>out 2>err &&
	test "$(wc -l <out)" -eq 3 &&
	test_match "missing" err &&
	test_expect_code 1 sa-sqlguard --jobs 3 --sql "SELECT 1" \
		"DROP TABLE t" "SELECT 2" >out &&
	jq -r .verdict out >got &&
	printf "%s\n" allow reject allow >expected &&
	test_cmp expected got &&
	sa-sqlguard --jobs 8 src/z.py >out &&
	test_expect_code 66 sa-sqlguard --jobs 8 missing >out &&
	test_empty out
'

test_expect_success '64: stdin cannot be shared, numbers' '
	for w in "--jobs 2 - no.py" "--jobs 0 no.py" "--jobs 65 no.py" \
		"--jobs x no.py"
	do
		test_expect_code 64 sa-sqlguard $w <no.py >out 2>err &&
		test_empty out || return 1
	done
'

test_done
