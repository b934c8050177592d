#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-conn list, show, delete, config; old records; terminals'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
in_terminal=$SA_BUILDDIR/t/in-terminal

test_expect_success 'CN-8: an empty store has an empty list, and stays so' '
	cat >expected <<-\E &&
	{"v":1,"type":"connection_list","items":[],"next":null}
	E
	sa-conn >out 2>err &&
	test_cmp expected out &&
	test_empty err &&
	sa-conn list >out &&
	test_cmp expected out &&
	echo "{}" | sa-conn list --request >out &&
	test_cmp expected out &&
	test ! -e data
'

test_expect_success 'CN-10: an unknown connection is 66 and named' '
	for v in show delete
	do
		test_expect_code 66 sa-conn $v nobody >out 2>err &&
		test_empty out &&
		test_match "^sa-conn: unknown connection: nobody; " err ||
			return
	done &&
	test ! -e data
'

test_expect_success 'the list is by name, in pages' '
	for n in c a b d
	do
		sa-conn save $n --conf spark.k.password=pw >/dev/null || return
	done &&
	sa-conn list >all &&
	jq_ok "[.items[].name] == [\"a\", \"b\", \"c\", \"d\"]" all &&
	jq_ok ".v == 1 and .type == \"connection_list\" and .next == null" \
		all &&
	test_expect_code 1 grep -e pw all &&
	sa-conn list -n 2 >page &&
	jq_ok "[.items[].name] == [\"a\", \"b\"] and .next == \"b\"" page &&
	sa-conn list -n 2 --after "$(jq -r .next page)" >page &&
	jq_ok "[.items[].name] == [\"c\", \"d\"] and .next == null" page &&
	echo "{\"limit\": 1, \"after\": \"c\"}" |
		sa-conn list --request >page &&
	jq_ok "[.items[].name] == [\"d\"]" page &&
	sa-conn list --jsonl >lines &&
	real_jq -c ".items[]" all >expected &&
	test_cmp expected lines
'

test_expect_success 'bounds of a page' '
	test_expect_code 64 sa-conn list -n 0 2>err &&
	test_match "from 1 to 1000000" err &&
	test_expect_code 64 sa-conn list -n 1x &&
	test_expect_code 64 sa-conn list a
'

test_expect_success 'a record that cannot be read is left out and told of' '
	echo "{" >data/connections/bb.json &&
	sa-conn list >out 2>err &&
	test_cmp all out &&
	test_match "WARNING.*bb" err &&
	test_expect_code 65 sa-conn show bb 2>err &&
	test_match "bb.json" err &&
	rm data/connections/bb.json
'

test_expect_success 'temporary files are no connections' '
	cp data/connections/a.json data/connections/.a.json.0123abcd &&
	sa-conn list >out &&
	test_cmp all out &&
	rm data/connections/.a.json.0123abcd
'

test_expect_success 'show by operand, record, pending, request' '
	sa-conn show a >out &&
	jq_ok ".type == \"connection\" and .name == \"a\"" out &&
	jq_ok ".spark_conf[\"spark.k.password\"] == \"****\"" out &&
	sa-conn show <out >again &&
	test_cmp out again &&
	sa-conn show - <out >again &&
	test_cmp out again &&
	jq -cn "{v: 1, type: \"pending\", name: \"x\", connection: \"a\"}" \
		>pending &&
	sa-conn show <pending >again &&
	test_cmp out again &&
	echo "{\"name\":\"a\"}" | sa-conn show --request >again &&
	test_cmp out again &&
	echo "{}" >request &&
	test_expect_code 65 sa-conn show --request <request 2>err &&
	test_match "expected: name" err
'

test_expect_success 'secrets are shown at a terminal only' '
	test_expect_code 64 sa-conn show a --reveal >out 2>err &&
	test_empty out &&
	>script &&
	"$in_terminal" script sa-conn show a --reveal >out &&
	test_match "spark.k.password=pw" out &&
	"$in_terminal" script sa-conn show a --reveal --json >out &&
	test_match "spark.k.password.*pw" out &&
	"$in_terminal" script sa-conn show a >out &&
	test_match "spark.k.password=\*\*\*\*" out
'

test_expect_success 'a terminal gets tables' '
	"$in_terminal" script sa-conn list >out &&
	test_match "^NAME +MASTER" out &&
	test_match "^a +yarn" out &&
	"$in_terminal" script sa-conn </dev/null >out &&
	test_match "^NAME +MASTER" out &&
	"$in_terminal" script sa-conn list --json >out &&
	test_match "connection_list" out &&
	"$in_terminal" script sa-conn show a >out &&
	test_match "^master +yarn" out &&
	"$in_terminal" script sa-conn save a --master local >out &&
	test_match "^master +local" out &&
	SA_ORIGIN=agent sa-conn save bot >out &&
	"$in_terminal" script sa-conn show bot >out &&
	test_match "^master +yarn +\(agent\)" out &&
	sa-conn delete bot >out &&
	test_expect_code 64 "$in_terminal" script sa-conn show
'

test_expect_success 'text of others cannot move the cursor' '
	jq ".spark_home = \"/x\\u001b[2J\"" data/connections/a.json >esc &&
	cp esc data/connections/esc.json &&
	"$in_terminal" script sa-conn show esc >out &&
	test_match "x1b" out &&
	test_expect_code 1 grep "$(printf "\033")" out &&
	rm data/connections/esc.json
'

test_expect_success 'delete gives what was, by operand, record, request' '
	sa-conn show b >expected &&
	sa-conn delete b >out &&
	test_cmp expected out &&
	test ! -e data/connections/b.json &&
	sa-conn show c | sa-conn delete >out &&
	test ! -e data/connections/c.json &&
	echo "{\"name\":\"d\"}" | sa-conn delete --request >out &&
	jq_ok ".name == \"d\"" out &&
	test_expect_code 66 sa-conn delete d
'

test_expect_success 'CN-5: what the predecessor saved loads' '
	cat >data/connections/old.json <<-\E &&
	{
	  "name": "old",
	  "deploy_mode": "cluster",
	  "spark_conf": {"spark.executor.instances": 4, "spark.a": "x"},
	  "note": "kept"
	}
	E
	cat >expected <<-\E &&
	{"v":1,"type":"connection","name":"old","master":"yarn",\
	"deploy_mode":"cluster","spark_conf":{"spark.executor.instances":"4",\
	"spark.a":"x"},"yarn_rm_url":null,"spark_home":null,"env":{},\
	"yarn_user":null,"auth_file":null,"ca_file":null,\
	"runtime_guard":null,"origin":{},"created_at":null,\
	"updated_at":null,"note":"kept"}
	E
	tr -d "\\\\\n" <expected >expected.1 && echo >>expected.1 &&
	sa-conn show old >out &&
	test_cmp expected.1 out &&
	sa-conn list >list &&
	real_jq -c ".items[] | select(.name == \"old\")" list >out &&
	test_cmp expected.1 out &&
	sa-conn save old --conf spark.b=y >out &&
	jq_ok ".note == \"kept\" and .deploy_mode == \"cluster\"" out &&
	jq_ok ".spark_conf[\"spark.executor.instances\"] == \"4\"" out &&
	jq_ok ".v == 1 and .master == \"yarn\"" data/connections/old.json
'

test_expect_success 'a stored record of another kind is refused' '
	for change in ".v = 2" ".type = \"job\"" ".master = 7" "del(.v)" \
		".spark_conf = \"{}\"" ".spark_conf[\"spark.a\"] = []" \
		".env = 1"
	do
		jq "$change" data/connections/a.json >bad &&
		cp bad data/connections/bad.json &&
		test_expect_code 65 sa-conn show bad >out 2>err &&
		test_empty out &&
		test_match "bad" err &&
		test_expect_code 65 sa-conn save bad --master yarn &&
		test_cmp bad data/connections/bad.json || return
	done &&
	rm data/connections/bad.json
'

test_expect_success 'config: each setting, its value and its source' '
	cat >extra <<-\E &&
	pending_ttl = 2h
	E
	SA_CONFIG=extra SPARK_EXECUTOR_LOG_LEVEL=ERROR \
		sa-conn config --data-dir here >out &&
	test_match "^SETTING +VALUE +SOURCE" out &&
	test_match "^pending_ttl +2h +extra:1" out &&
	test_match "^log_level +ERROR +environment" out &&
	test_match "^data_dir +here +option --data-dir" out &&
	test_match "^jobs_dir +here/jobs +default" out &&
	SA_CONFIG=extra sa-conn config --json >out &&
	jq_ok ".type == \"setting_list\" and .next == null" out &&
	jq_ok ".items[] | select(.key == \"pending_ttl\") |
		.value == \"2h\" and .environment == \"SA_PENDING_TTL\"" out
'

test_done
