#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-genjob: broken input, lost output, bad directories'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
echo 'print(1)' >good.py

# refused CODE PATTERN FILE [WORD...]: stdin is refused, no file is made.
refused () {
	code=$1 pattern=$2 file=$3
	shift 3
	test_expect_code "$code" sa-genjob "$@" <"$file" >out 2>err &&
	test_empty out &&
	test_match "$pattern" err &&
	test ! -e data
}

test_expect_success 'an empty stdin, an empty file, an empty record' '
	>empty &&
	refused 65 "nothing came on stdin" empty &&
	refused 65 "nothing came on stdin" empty write &&
	refused 65 "empty" /dev/null --file empty &&
	refused 65 "no record on stdin" empty read &&
	refused 65 "no record on request" empty --request
'

test_expect_success 'text that is no Python, bytes that are no text' '
	echo "def (" >broken.py &&
	refused 65 "^-:1:" broken.py &&
	printf "x = \"\\377\"\\n" >latin.py &&
	refused 65 "^sa-genjob: " latin.py &&
	printf "x = 1\\000\\n" >nul.py &&
	refused 65 "^sa-genjob: " nul.py
'

test_expect_success 'requests: truncated, a key twice, not an object' '
	echo "{\"code\": \"print(1)\"" >request &&
	refused 65 "request:[0-9]+:[0-9]+: " request --request &&
	echo "{\"code\": \"a\", \"code\": \"b\"}" >request &&
	refused 65 "request:.*code" request --request &&
	echo "[\"print(1)\"]" >request &&
	refused 65 "request:" request --request &&
	printf "{\"code\": \"\\377\"}" >request &&
	refused 65 "request:" request --request &&
	echo "{\"code\": [\"x\"]}" >request &&
	refused 65 "code must be a string" request --request &&
	echo "{\"path\": 1}" >request &&
	refused 65 "path must be a string" request read --request
'

test_expect_success 'records: another type, another version' '
	echo "{\"v\":1,\"type\":\"job\",\"script_path\":\"x\"}" >record &&
	refused 65 "type .job." record read &&
	echo "{\"v\":9,\"type\":\"job_file\",\"script_path\":\"x\"}" >record &&
	refused 65 "version 9" record read &&
	echo "{\"v\":1,\"type\":\"job_file\"}" >record &&
	refused 65 "script_path" record read
'

test_expect_success '64: wrong words' '
	refused 64 "one too many" good.py write x &&
	refused 64 "one too many" good.py read a b &&
	refused 64 "unknown option" good.py read --file x &&
	refused 64 "operand" good.py update &&
	refused 64 "takes no argument" good.py --json=x &&
	refused 64 "exclude each other" good.py read x --request
'

test_expect_success 'closed standard descriptors' '
	test_expect_code 65 sa-genjob <&- 2>err &&
	test_match "stdin" err &&
	test_expect_code 74 sa-genjob <good.py >&- 2>err &&
	test_match "^sa-genjob: cannot write to stdout" err &&
	sa-genjob <good.py >out 2>&- &&
	jq_ok ".size == 9" out
'

test_expect_success 'a full device and a reader that is gone' '
	path=$(jq -r .script_path out) &&
	test_expect_code 74 sa-genjob <good.py >/dev/full 2>err &&
	test_match "^sa-genjob: cannot write to stdout" err &&
	test_expect_code 74 sa-genjob read "$path" >/dev/full &&
	test_expect_code 74 sa-genjob list >/dev/full &&
	head -c 1000000 /dev/zero | tr "\0" x >big &&
	{ sa-genjob read big; echo $? >status; } 2>err | : &&
	grep -qx -e 141 status &&
	test_empty err
'

test_expect_success '74: a jobs directory that cannot be made' '
	test_expect_code 74 sa-genjob --jobs-dir /dev/null/x <good.py 2>err &&
	test_match "/dev/null/x" err &&
	mkdir mine && chmod 755 mine . &&
	test_expect_code 74 as_nobody sa-genjob --jobs-dir "$PWD/mine/j" \
		--data-dir "$PWD/mine/d" <good.py 2>err &&
	test_match "mine/j.*[Dd]enied" err
'

test_expect_success TMPFS '74: a full file system leaves nothing behind' '
	mkdir full &&
	head -c 100000 /dev/zero | tr "\0" "#" >big.py &&
	cat >body <<-\S &&
	sa-genjob --jobs-dir full/jobs --data-dir full/d <big.py >out 2>err
	test $? -eq 74 || exit 1
	ls -A full/jobs >names
	S
	with_tmpfs size=64k full sh body &&
	test_empty out &&
	test_match "No space left" err &&
	test_empty names
'

test_expect_success '75: a file that somebody else updates' '
	cp good.py data/jobs/busy.py &&
	{ sh -c "flock 9 && : >locked && exec sleep 60" \
		9>>data/jobs/.lock & } &&
	holder=$! &&
	wait_for test -e locked &&
	test_expect_code 75 sa-genjob update data/jobs/busy.py <good.py \
		2>err &&
	kill $holder &&
	test_match "busy.py.*locked" err
'

test_expect_success '78: a setting that is not valid' '
	SPARK_EXECUTOR_LOG_LEVEL=x test_expect_code 78 sa-genjob <good.py \
		2>err &&
	test_match "SPARK_EXECUTOR_LOG_LEVEL" err
'

test_expect_success 'for an agent warnings are refusals' '
	cat >shell.py <<-\E &&
	import os
	os.system("date")
	E
	sa-genjob <shell.py >out &&
	jq_ok ".guard.verdict == \"warn\"" out &&
	SA_ORIGIN=agent test_expect_code 65 sa-genjob <shell.py >out 2>err &&
	test_empty out &&
	test_match "^-:2:" err
'

test_done
