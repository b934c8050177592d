#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the harness itself: what must fail does fail'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

# script BODY...: run a test script of these lines, its output in out.
script () {
	{
		echo '. "$SA_SRCDIR/t/test-lib.sh"'
		printf '%s\n' "$@"
	} >script.sh
	mkdir -p tmp
	TMPDIR=$PWD/tmp sh script.sh >out 2>&1
}

test_expect_success 'a test that holds' '
	script "test_expect_success one true" test_done &&
	printf "%s\n" "ok 1 - one" 1..1 >expected &&
	test_cmp expected out
'

test_expect_success 'a test that does not hold prints what it printed' '
	test_expect_code 1 script \
		"test_expect_success one \"echo because; false\"" \
		"test_expect_success two \"echo because && false\"" \
		test_done &&
	test_match "^not ok 1 - one .broken && chain.$" out &&
	test_match "^not ok 2 - two$" out &&
	test_match "^# because$" out
'

test_expect_success 'variables and directories end with their test' '
	script "test_expect_success one \"cd / && a=1\"" \
		"test_expect_success two \"test -z \\\"\\\$a\\\" && touch x\"" \
		test_done &&
	test_match "^ok 2 - two$" out
'

test_expect_success 'a missing tool or privilege is a skip with a reason' '
	script "test_expect_success no-such-tool one false" \
		"test_skip two because" test_done &&
	test_match "^ok 1 - one # skip no no-such-tool$" out &&
	test_match "^ok 2 - two # skip because$" out &&
	script "skip_all because" false &&
	echo "1..0 # SKIP because" >expected &&
	test_cmp expected out
'

test_expect_success 'a script that stops early has no plan' '
	test_expect_code 3 script "test_expect_success one true" "exit 3" &&
	test_expect_code 1 grep -q "^1\.\." out
'

test_expect_success 'no setting of the caller gets in' '
	SA_ORIGIN=agent SPARK_HOME=/x YARN_RESOURCE_MANAGER_URL=http://x/ \
		JAVA_HOME=/x script env &&
	test_expect_code 1 grep -E "^(SA_ORIGIN|SPARK_HOME|YARN_|JAVA_)" out
'

test_expect_success 'nothing is left behind' '
	test_expect_code 1 script "at_end \"echo bye\"" "touch x" false exit &&
	test_match "^bye$" out &&
	ls -A tmp >left &&
	test_empty left
'

test_expect_success 'test_expect_code wants the very status' '
	test_expect_code 3 sh -c "exit 3" &&
	test_expect_code 1 test_expect_code 3 sh -c "exit 4" &&
	test_expect_code 1 test_expect_code 0 false
'

test_expect_success jq 'jq_ok shows what it looked at' '
	echo "{\"a\":1}" >x.json &&
	jq_ok ".a == 1" x.json &&
	jq_ok ".a == \$v" x.json --argjson v 1 &&
	test_expect_code 1 jq_ok ".a == 2" x.json 2>err &&
	test_match "\"a\":1" err
'

test_expect_success 'test_empty, test_match, test_cmp' '
	>empty && echo word >full &&
	test_empty empty &&
	test_expect_code 1 test_empty full &&
	test_expect_code 1 test_empty missing &&
	test_match "^w.rd$" full &&
	test_expect_code 1 test_match "^x" full &&
	test_expect_code 1 test_cmp empty full
'

test_expect_success 'wait_for polls until the command succeeds' '
	{ sleep 0.2 && touch there & } &&
	wait_for test -e there
'

test_expect_success ROOT,setpriv 'as_nobody is somebody else' '
	as_nobody id -u >out &&
	echo 65534 >expected &&
	test_cmp expected out &&
	test_expect_code 1 as_nobody touch mine
'

test_expect_success TMPFS 'with_tmpfs is small and seen by one alone' '
	mkdir mnt &&
	test_expect_code 1 with_tmpfs size=4k mnt \
		dd if=/dev/zero of=mnt/x bs=64k count=1 &&
	test ! -e mnt/x
'

test_done
