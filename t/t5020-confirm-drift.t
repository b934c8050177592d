#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='what was pinned has to be what runs'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

# drifted CODE REGEX: refused with this code, for this reason; no run is left.
drifted () {
	ls data/runs 2>/dev/null >before
	test_expect_code "$1" sa-confirm --yes "$p" >out 2>err &&
	test_empty out &&
	test_match "$2" err &&
	status_is PENDING &&
	{ ls data/runs 2>/dev/null >after; test_cmp before after; } &&
	test "$(starts "$p")" -eq 0
}

test_expect_success 'the pinned script' '
	prepare "exit 0" &&
	chmod u+w "data/pending/$p/script/x.py" &&
	echo "# more" >>"data/pending/$p/script/x.py" &&
	drifted 77 "x\.py" &&
	test_expect_code 77 sa-confirm review "$p" &&
	rm "data/pending/$p/script/x.py" &&
	test_expect_code 77 sa-confirm --yes "$p"
'

test_expect_success 'the script it was made of may change' '
	prepare "say one" &&
	echo "# fake: exit 7" >x.py &&
	submit && ended "$j" &&
	jq_ok ".state == \"SUCCEEDED\"" "data/runs/$j/record.json"
'

test_expect_success 'a file that it carries' '
	echo 1 >data.csv && echo "x = 1" >mod.py &&
	prepare_with --files data.csv --py-files mod.py -- "exit 0" &&
	for f in data.csv mod.py
	do
		chmod u+w "data/pending/$p/deps/$f" &&
		cp "data/pending/$p/deps/$f" kept &&
		echo more >>"data/pending/$p/deps/$f" &&
		drifted 77 "$f" &&
		cp kept "data/pending/$p/deps/$f" || return 1
	done &&
	submit
'

test_expect_success 'spark-submit, Java and their configuration' '
	cp -r "$SPARK_HOME" other && SPARK_HOME=$PWD/other &&
	export SPARK_HOME &&
	rm -f other/starts.jsonl other/conf/* &&
	echo "spark.a 1" >other/conf/spark-defaults.conf &&
	prepare "exit 0" &&
	echo >>other/bin/spark-submit &&
	drifted 77 "spark-submit" &&
	rm other/bin/spark-submit &&
	drifted 78 "spark-submit" &&
	cp "$SA_BUILDDIR/t/fake-spark-submit" other/bin/spark-submit &&
	echo "spark.driver.extraJavaOptions -javaagent:x" \
		>>other/conf/spark-defaults.conf &&
	drifted 77 "spark-defaults.conf" &&
	echo "spark.a 1" >other/conf/spark-defaults.conf &&
	echo "export X=1" >other/conf/spark-env.sh &&
	drifted 77 "spark-env.sh" &&
	rm other/conf/spark-env.sh &&
	mv "$JAVA_HOME/bin/java" java.away &&
	{ drifted 78 "[Jj]ava"; code=$?; } &&
	mv java.away "$JAVA_HOME/bin/java" &&
	test "$code" -eq 0 &&
	submit
'

test_expect_success 'the plan in the record' '
	prepare "exit 0" && record=data/pending/$p/record.json &&
	cp "$record" kept &&
	for change in ".plan.master = \"local[9]\"" ".plan.args = [\"x\"]" \
		".plan.workdir = \"/\"" ".plan.conf.x = {value: \"y\"}" \
		".plan.env.LD_PRELOAD = \"x\"" \
		".plan.spark_submit.path = \"/bin/true\"" \
		".plan.script.sha256 = (\"0\" * 64)" \
		".plan_sha256 = (\"0\" * 64)"
	do
		jq -c "$change" kept >"$record" &&
		drifted 77 "$p" || return 1
	done &&
	cp kept "$record" && submit
'

test_done
