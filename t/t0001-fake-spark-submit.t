#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the fake spark-submit behaves as the tests count on'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
submit=$SPARK_HOME/bin/spark-submit
starts=$SPARK_HOME/starts.jsonl

# script COMMAND...: write x.py with these commands.
script () {
	printf '# fake: %s\n' "$@" >x.py
}

test_expect_success jq 'a start is recorded with all that came' '
	script args &&
	echo "spark.a 1" >"$SPARK_HOME/conf/spark-defaults.conf" &&
	FAKE=yes "$submit" --master "local[2]" --name "a b" --conf spark.x=1=2 \
		--py-files p.py x.py one --two >out 2>err &&
	printf "%s\n" one --two >expected &&
	test_cmp expected out &&
	jq_ok ".master == \"local[2]\" and .name == \"a b\" and
		.conf == {\"spark.a\": \"1\", \"spark.x\": \"1=2\"} and
		.args == [\"one\", \"--two\"] and .env.FAKE == \"yes\" and
		(.argv | length) == 12 and .script == \"x.py\"" "$starts" &&
	test_match "^../../.. ..:..:.. INFO SparkContext: Submitted" err
'

test_expect_success 'statuses' '
	script "exit 3" &&
	test_expect_code 3 "$submit" --master local x.py &&
	script "traceback ValueError: no" &&
	test_expect_code 1 "$submit" --master local x.py >out &&
	test_match "^ValueError: no$" out &&
	script "die 9" &&
	test_expect_code 137 "$submit" --master local x.py &&
	test_expect_code 2 "$submit" --master local missing.py >out &&
	test_match "open file .missing.py.: .Errno 2." out &&
	test_expect_code 1 "$submit" --master nowhere x.py &&
	test_expect_code 1 "$submit" --no-such-option &&
	script "no-such-command" &&
	test_expect_code 96 "$submit" --master local x.py
'

test_expect_success 'sizes are exact, streams are told apart' '
	script "print 100000" "stderr 10k" "log WARN Some: thing" &&
	"$submit" --master local x.py >out 2>err &&
	test "$(wc -c <out)" -eq 100000 &&
	test "$(grep -c "^00000.*[.]$" err)" -eq 160 &&
	test_match "WARN Some: thing" err
'

test_expect_success 'the id of an application in client mode' '
	script "say hello" &&
	"$submit" --master yarn x.py >out 2>err &&
	test_match "Submitted application application_[0-9]+_[0-9]+$" err &&
	"$submit" --master spark://h:1 x.py 2>err &&
	test_match "with app ID app-[0-9]+-[0-9]+$" err
'

test_expect_success 'the child outlives a parent that is killed' '
	script "kill 9" "touch alive" "await go" "touch late" &&
	test_expect_code 137 "$submit" --master local x.py &&
	wait_for test -e alive &&
	test ! -e late &&
	touch go &&
	wait_for test -e late
'

test_expect_success 'TERM ends the parent as it ends a JVM' '
	script "touch up" "await never-there" &&
	{ "$submit" --master local x.py >out 2>err & } &&
	pid=$! &&
	wait_for test -e up &&
	kill -TERM $pid &&
	test_expect_code 143 wait $pid &&
	touch never-there
'

test_expect_success 'commands of the environment, and what comes before' '
	script "say two" &&
	FAKE_SPARK_DO="before touch first; say one" \
		"$submit" --master local x.py >out 2>err &&
	printf "%s\n" one two >expected &&
	test_cmp expected out &&
	test -e first
'

test_expect_success 'submit: an application for t/fake-yarn.py' '
	FAKE_SPARK_APPS=$PWD/apps && export FAKE_SPARK_APPS &&
	script "submit quiet" "submit pace 0.01" "submit with {\"life\":[1]}" &&
	"$submit" --master yarn --deploy-mode cluster --name n \
		--conf spark.yarn.tags=a,b x.py >out 2>err &&
	test_expect_code 1 grep application_ err &&
	jq_ok ".name == \"n\" and .tags == \"a,b\" and .life == [1] and
		.pid == null and (.id | test(\"^application_\"))" apps &&
	"$submit" --master yarn x.py >out 2>err && tail -n 1 apps >last &&
	jq_ok ".pid | type == \"number\"" last
'

test_done
