#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-genjob write: where, what, and the guard in front'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
jobs=$SPARK_EXECUTOR_DATA_DIR/jobs
in_terminal=$SA_BUILDDIR/t/in-terminal

echo 'spark.sql("SELECT 1").show()' >good.py
echo 'spark.sql("DROP TABLE t")' >drop.py

test_expect_success 'JF-1, JF-4: a draft becomes a file of its own' '
	sa-genjob <good.py >out 2>err &&
	test_empty err &&
	path=$(jq -r .script_path out) &&
	test_cmp good.py "$path" &&
	test "$(dirname "$path")" = "$jobs" &&
	expr "$path" : ".*/job_[0-9]\{8\}T[0-9]\{6\}_[0-9a-f]\{6\}\.py$" &&
	test "$(stat -c %a "$path")" = 640
'

test_expect_success 'the record of a job file' '
	cat >expected <<-E &&
	{"v":1,"type":"job_file","script_path":"PATH","size":29,\
	"sha256":"$(sha256sum good.py | cut -d " " -f 1)",\
	"guard":{"verdict":"allow","findings":[]}}
	E
	tr -d "\t" <expected >expected.1 &&
	real_jq -c ".script_path = \"PATH\"" out >got &&
	test_cmp expected.1 got
'

test_expect_success 'JF-2, JF-3: option, environment, default; made at once' '
	sa-genjob --jobs-dir a/b/c <good.py >out &&
	jq_ok ".script_path | startswith(\"$PWD/a/b/c/job_\")" out &&
	SPARK_EXECUTOR_JOBS_DIR=e sa-genjob --jobs-dir f <good.py >out &&
	jq_ok ".script_path | startswith(\"$PWD/f/job_\")" out &&
	SPARK_EXECUTOR_JOBS_DIR=e sa-genjob <good.py >out &&
	jq_ok ".script_path | startswith(\"$PWD/e/job_\")" out &&
	mkdir cwd && cd cwd &&
	unset SPARK_EXECUTOR_DATA_DIR &&
	sa-genjob <../good.py >out &&
	jq_ok ".script_path | startswith(\"$PWD/data/jobs/job_\")" out
'

test_expect_success git 'JF-7: the default directory is ignored by git' '
	cd cwd &&
	git init -q . &&
	git status --porcelain --untracked-files=all >status &&
	test_expect_code 1 grep data status
'

test_expect_success 'JF-5, SG-9: a refused draft leaves no file' '
	rm -rf data &&
	test_expect_code 65 sa-genjob <drop.py >out 2>err &&
	test_empty out &&
	test_match "^-:1:[0-9]+: .*DROP" err &&
	test_match "^sa-genjob: " err &&
	test ! -e data &&
	test_expect_code 65 sa-genjob --file drop.py 2>err &&
	test_match "^drop.py:1:[0-9]+: " err &&
	test_match "^sa-genjob: .*drop.py" err
'

test_expect_success 'the report is the detail of the error object' '
	SA_ERROR_FD=5 test_expect_code 65 sa-genjob <drop.py 5>object 2>err &&
	jq_ok ".error.kind == \"invalid\" and .error.http == 400" object &&
	jq_ok ".error.detail.type == \"guard_report\"" object &&
	jq_ok ".error.detail.verdict == \"reject\"" object &&
	jq_ok ".error.detail.findings[0].line == 1" object
'

test_expect_success '--file reads a file, "-" is stdin' '
	sa-genjob -f good.py </dev/null >out &&
	test_cmp good.py "$(jq -r .script_path out)" &&
	sa-genjob write --file - <good.py >out &&
	test_cmp good.py "$(jq -r .script_path out)" &&
	test_expect_code 66 sa-genjob --file nowhere.py 2>err &&
	test_match "nowhere.py" err &&
	test_expect_code 65 sa-genjob --file . 2>err &&
	test_match "directory" err
'

test_expect_success 'the request of write has one member' '
	jq -n --rawfile c good.py "{code: \$c}" >request &&
	sa-genjob write --request <request >out &&
	test_cmp good.py "$(jq -r .script_path out)" &&
	sa-genjob --request <request >out &&
	test_cmp good.py "$(jq -r .script_path out)" &&
	jq -n "{code: \"x\", file: \"/etc/passwd\"}" >request &&
	test_expect_code 64 sa-genjob --request <request 2>err &&
	test_match "unknown member .file." err &&
	for r in "{}" "{\"code\":null}" "{\"code\":1}" "{\"code\":\"\"}"
	do
		echo "$r" >request &&
		test_expect_code 65 sa-genjob --request <request 2>err &&
		test_match "^sa-genjob: " err || return
	done
'

test_expect_success 'JF-6: a long script travels whole' '
	i=0 &&
	while test $((i += 1)) -le 2000
	do
		echo "print(\"line $i of a script longer than any URL\")"
	done >long.py &&
	jq -n --rawfile c long.py "{code: \$c}" >request &&
	sa-genjob --request <request >out &&
	test_cmp long.py "$(jq -r .script_path out)"
'

test_expect_success 'JF-12: exactly 1 MiB passes, one byte more does not' '
	rm -rf data &&
	printf "# " >max.py &&
	head -c 1048573 /dev/zero | tr "\0" x >>max.py && echo >>max.py &&
	test "$(wc -c <max.py)" -eq 1048576 &&
	sa-genjob <max.py >out &&
	jq_ok ".size == 1048576" out &&
	jq -n --rawfile c max.py "{code: \$c}" >request &&
	sa-genjob --request <request >out &&
	jq_ok ".size == 1048576" out &&
	echo >>max.py &&
	test_expect_code 65 sa-genjob <max.py >out 2>err &&
	test_empty out &&
	test_match "1048576" err &&
	test_expect_code 65 sa-genjob --file max.py &&
	jq -n --rawfile c max.py "{code: \$c}" >request &&
	test_expect_code 65 sa-genjob --request <request 2>err &&
	test_match "1048577.*1048576" err &&
	test "$(ls data/jobs/*.py | wc -l)" -eq 2
'

test_expect_success 'JF-4: fifty at once are fifty files' '
	rm -rf data &&
	i=0 &&
	while test $((i += 1)) -le 50
	do
		{ sa-genjob <good.py >"out.$i" & }
	done &&
	wait &&
	test "$(ls data/jobs/job_*.py | wc -l)" -eq 50 &&
	jq -r .script_path out.? out.?? | sort -u >paths &&
	test "$(wc -l <paths)" -eq 50 &&
	ls -A data/jobs >names &&
	test "$(wc -l <names)" -eq 50
'

test_expect_success 'a terminal: no script is 64, an answer is text' '
	>script &&
	test_expect_code 64 "$in_terminal" script sa-genjob >out &&
	test_match "no script on stdin" out &&
	"$in_terminal" script sa-genjob --file good.py >out &&
	test_match "^/.*/job_.*\.py" out &&
	printf "import os\nos.system(\"date\")\n" >warn.py &&
	"$in_terminal" script sa-genjob --file warn.py >out &&
	test_match "2:[0-9]+: warning: " out &&
	"$in_terminal" script sa-genjob --file good.py --json >out &&
	test_match "\"type\":.*\"job_file\"" out
'

test_expect_success 'ST-6: what happens is logged' '
	SPARK_EXECUTOR_LOG_LEVEL=INFO sa-genjob <good.py 2>err >out &&
	test_match "\|INFO\|.*wrote .*job_" err &&
	test_match "\|DEBUG\|.*write 29 bytes" data/log/debug.log
'

test_done
