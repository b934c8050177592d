#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-confirm review shows all that matters, and nothing secret'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

test_expect_success 'what it is, where it runs, what it carries' '
	echo "a,b" >data.csv &&
	sa-conn save demo --conf spark.ui.enabled=false >/dev/null &&
	prepare_with --name nightly --files data.csv --arg one --arg --two \
		--conf spark.driver.extraJavaOptions=-Xss1m \
		--conf spark.hadoop.fs.s3a.secret.key=hushhush -- \
		"say hello" "exit 0" &&
	sa-confirm review "$p" >out 2>err &&
	test_empty err &&
	for line in "^pending +$p$" "^status +PENDING$" "^name +nightly$" \
		"^connection +demo$" "^master +local.2.$" \
		"^directory +$PWD$" \
		"^spark-submit +$SPARK_HOME/bin/spark-submit .* sha256" \
		"^  spark.ui.enabled = false  .person.$" \
		"^! spark.driver.extraJavaOptions = -Xss1m" \
		"^! spark.hadoop.fs.s3a.secret.key = [*]{4}  .person.$" \
		"^  --two$" "^  files data.csv  sha256 [0-9a-f]{64}" \
		"^     1  # fake: say hello$" "^     2  # fake: exit 0$" \
		"^  $SPARK_HOME/bin/spark-submit --master" \
		"^  sha256 $(jq -r .plan_sha256 pending.json)$"
	do
		test_match "$line" out || return 1
	done &&
	test_expect_code 1 grep hushhush out &&
	sa-confirm review <pending.json >out2 && test_cmp out out2
'

test_expect_success 'a risk is said, line by line' '
	prepare_with --conf spark.driver.extraJavaOptions=-Xss1m -- "exit 0" &&
	sa-confirm review "$p" >out &&
	grep -A 1 "^! spark.driver.extraJavaOptions" out >risk &&
	test "$(grep -c "^!" risk)" -eq 2
'

test_expect_success 'as a record' '
	prepare "exit 0" &&
	sa-confirm review --json "$p" >out &&
	jq_ok ".type == \"pending\" and (.review | contains(\"fake: exit 0\"))
		and (.command_line | startswith(\"/\"))" out
'

test_expect_success '--diff: what is not as it was in the last run' '
	prepare_with --name report -- "say one" "exit 0" &&
	test_expect_code 66 sa-confirm review --diff "$p" 2>err &&
	test_match "report" err &&
	submit && ended "$j" && old=$p &&
	prepare_with --name report -- "say one" "exit 0" &&
	sa-confirm review --diff "$p" >out && test_empty out &&
	prepare_with --name report --arg new -- "say two" "exit 0" &&
	sa-confirm review --diff "$p" >out &&
	test_match "^--- $old" out && test_match "^\+\+\+ $p" out &&
	test_match "^-  # fake: say one$" out &&
	test_match "^\+  # fake: say two$" out &&
	test_match "^\+  new$" out &&
	test_expect_code 1 grep -E "^[-+].*fake: exit 0" out
'

test_expect_success 'reviewing changes nothing' '
	prepare "exit 0" && find data ! -path "*/log*" | sort >before &&
	cksum "data/pending/$p/record.json" >>before &&
	sa-confirm review "$p" >out &&
	find data ! -path "*/log*" | sort >after &&
	cksum "data/pending/$p/record.json" >>after &&
	test_cmp before after
'

test_done
