#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare: what a script carries, and what it imports'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
sa-conn save dev --master 'local[2]' >/dev/null
echo 'print(1)' >a.py

# deps FILE: the directory of the copies of the pending in FILE
deps () {
	echo "data/pending/$(jq -r .pending_id "$1")/deps"
}

# refused CODE REGEX COMMAND...: nothing on stdout, nothing in the store
refused () {
	want=$1 regex=$2
	shift 2
	test_expect_code "$want" "$@" >out 2>err || return
	test_empty out && test_match "$regex" err &&
	find data/pending ! -name "p_*" -name ".*" >left && test_empty left
}

test_expect_success 'Python files and files are copied and described' '
	mkdir -p lib && echo "X = 1" >lib/b.py && echo zip >c.zip &&
	echo data >"d e.csv" &&
	sa-prepare -c dev --py-files lib/b.py --py-files c.zip \
		--files "d e.csv" a.py >out &&
	test_cmp lib/b.py "$(deps out)/b.py" &&
	test_cmp "d e.csv" "$(deps out)/d e.csv" &&
	test "$(stat -c %a "$(deps out)/b.py")" = 440 &&
	jq_ok "[.plan.py_files[].name] == [\"b.py\", \"c.zip\"]" out &&
	jq_ok ".plan.files == [{name: \"d e.csv\", sha256: \$s, size: 5,
		source: \$p}]" out --arg p "$PWD/d e.csv" \
		--arg s "$(sha256sum <"d e.csv" | cut -d " " -f 1)" &&
	jq_ok ".plan.py_files[0].source == \$p" out --arg p "$PWD/lib/b.py"
'

test_expect_success 'the same file twice is one copy' '
	sa-prepare -c dev --files c.zip --files ./c.zip --py-files c.zip \
		a.py >out &&
	jq_ok "(.plan.files | length) == 1 and
		(.plan.py_files | length) == 1" out &&
	test "$(ls "$(deps out)")" = c.zip
'

test_expect_success 'two files of one name are refused' '
	mkdir -p x && echo other >x/c.zip &&
	refused 65 "same name" sa-prepare -c dev --files c.zip \
		--files x/c.zip a.py
'

for path in a,b.py '*.py' 'a?.py' '[a].py' '{a}.py' 'a.py#b' http://h/a.py \
	ftp://h/a.py hdfs:///a.py file:/a.py 'a%20b.py' ''
do
	test_expect_success "'$path' is what Spark would expand or fetch" '
		refused 65 "files" sa-prepare -c dev --files "$path" a.py &&
		refused 65 "files" sa-prepare -c dev --py-files "$path" a.py
	'
done

test_expect_success 'a comma: the message says how to give two files' '
	refused 65 "once for each" sa-prepare -c dev --files a.py,c.zip a.py
'

test_expect_success 'a script whose name Spark would expand' '
	cp a.py "a#b.py" && refused 65 "#" sa-prepare -c dev "a#b.py"
'

test_expect_success 'Python files end in .py, .zip or .egg' '
	refused 65 "d e.csv" sa-prepare -c dev --py-files "d e.csv" a.py
'

test_expect_success 'no file, a directory, a FIFO' '
	mkfifo fifo &&
	refused 66 "missing.csv" sa-prepare -c dev --files missing.csv a.py &&
	refused 65 "lib" sa-prepare -c dev --files lib a.py &&
	refused 65 "fifo" sa-prepare -c dev --files fifo a.py
'

test_expect_success '64 MiB in all pass, a byte more does not' '
	truncate -s 33554432 half1 && truncate -s 33554432 half2 &&
	sa-prepare -c dev --files half1 --files half2 a.py >out &&
	jq_ok "[.plan.files[].size] == [33554432, 33554432]" out &&
	rm -rf "data/pending/$(jq -r .pending_id out)" &&
	truncate -s 33554433 half2 &&
	refused 65 "67108864" sa-prepare -c dev --files half1 --files half2 a.py
'

# Siblings: main imports one, which imports two; pk is a package; no import
# mentions unused.py, and os and json lie nowhere near.
mkdir -p s/pk/sub s/pk/__pycache__
cat >s/main.py <<'PY'
import os, one as o, json  # two
from pk.sub import m
def f():
    import late
x = "import unused"
PY
echo 'from two import Y' >s/one.py
echo 'Y = 2' >s/two.py
echo >s/late.py
echo >s/unused.py
echo >s/pk/__init__.py
echo 'Z = 3' >s/pk/sub/m.py
echo >s/pk/__pycache__/m.pyc

test_expect_success 'an import that is not pinned gives a warning' '
	sa-prepare -c dev s/main.py >out 2>err &&
	test_match "warning: .*/s/one.py.*--with-siblings" err &&
	test_match "warning: .*/s/pk" err &&
	test_match "warning: .*/s/late.py" err &&
	test_expect_code 1 grep unused err &&
	test "$(wc -l <err)" -eq 3 &&
	jq_ok "(.warnings | length) == 3" out &&
	jq_ok ".plan.siblings == []" out
'

test_expect_success '--py-files pins as well' '
	sa-prepare -c dev --py-files s/one.py s/main.py >out 2>err &&
	test_expect_code 1 grep one.py err
'

test_expect_success '--with-siblings pins what is imported, however far' '
	sa-prepare -c dev --with-siblings s/main.py >out 2>err &&
	test_empty err && jq_ok ".warnings == []" out &&
	jq_ok "[.plan.siblings[].name] | sort ==
		[\"late.py\", \"one.py\", \"pk.zip\", \"two.py\"]" out &&
	ls "$(deps out)" >got && test "$(wc -l <got)" -eq 4
'

test_expect_success python3 'the archive of a package can be imported' '
	sa-prepare -c dev --with-siblings s/main.py >out &&
	PYTHONPATH=$(deps out)/pk.zip python3 -P -c "
from pk.sub import m
print(m.Z, m.__file__)" >got &&
	test_match "^3 .*/deps/pk.zip/" got
'

test_expect_success python3 'it holds the package and nothing more' '
	sa-prepare -c dev --with-siblings s/main.py >out &&
	python3 -m zipfile -l "$(deps out)/pk.zip" >list &&
	test_match "pk/__init__.py" list && test_match "pk/sub/m.py" list &&
	test_expect_code 1 grep pycache list &&
	python3 -m zipfile -t "$(deps out)/pk.zip"
'

test_expect_success 'siblings alter the plan, their order and age do not' '
	sa-prepare -c dev --with-siblings s/main.py >out &&
	touch -d 2001-01-01 s/pk/sub/m.py s/one.py &&
	sa-prepare -c dev --with-siblings s/main.py >out2 &&
	test "$(jq -r .plan_sha256 out)" = "$(jq -r .plan_sha256 out2)" &&
	echo "Z = 4" >s/pk/sub/m.py &&
	sa-prepare -c dev --with-siblings s/main.py >out2 &&
	test "$(jq -r .plan_sha256 out)" != "$(jq -r .plan_sha256 out2)"
'

test_expect_success 'cyclic imports end' '
	echo "import two" >s/one.py && echo "import one" >s/two.py &&
	sa-prepare -c dev --with-siblings s/main.py >out &&
	jq_ok "(.plan.siblings | length) == 4" out
'

test_expect_success 'copies are hashed as they lie there' '
	sa-prepare -c dev --with-siblings --files c.zip s/main.py >out &&
	jq -r ".plan.siblings[], .plan.files[] |
		.sha256 + \"  \" + .name" out >sums &&
	(cd "$(deps out)" && sha256sum -c) <sums
'

test_done
