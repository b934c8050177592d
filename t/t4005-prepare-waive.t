#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare --waive: a person lets one finding pass'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/confirm-lib.sh"

fake_spark
sa-conn save dev --master 'local[2]' >/dev/null
cat >a.py <<'PY'
import os
os.system("ls")
spark.sql("DROP TABLE a"); spark.sql("DROP TABLE b")
spark.sql("TRUNCATE TABLE c")
PY

test_expect_success 'a waiver that leaves a reason to refuse is not enough' '
	test_expect_code 65 sa-prepare -c dev --waive sql-statement:3 a.py \
		>out 2>err &&
	test_empty out &&
	test_match "a.py:3:[0-9]+: waived: .*\[sql-statement\]" err &&
	test_match "line 4: .*\[sql-statement\]" err &&
	sa-prepare list >list &&
	jq_ok ".items == []" list
'

test_expect_success 'each finding of the rule and line is waived, by name' '
	sa-prepare -c dev --waive sql-statement:3 --waive sql-statement:4 \
		--waive sql-statement:3 a.py >out 2>err &&
	jq_ok "[.plan.waivers[] | [.rule, .line]] == [[\"sql-statement\",3],
		[\"sql-statement\",3],[\"sql-statement\",4]]" out &&
	jq_ok "[.plan.waivers[].message | contains(\"only queries\")] | all" \
		out &&
	jq_ok ".plan.waivers[0].column != .plan.waivers[1].column" out &&
	jq_ok ".guard.verdict == \"warn\"" out &&
	jq_ok "[.guard.findings[] | select(.waived) | .line] == [3,3,4]" out &&
	real_jq -jcS .plan out | sha256sum | cut -d " " -f 1 >sum &&
	jq -r .plan_sha256 out >said &&
	test_cmp sum said
'

test_expect_success 'a waived warning is out of the verdict too' '
	sa-prepare -c dev --waive sql-statement:3 --waive sql-statement:4 \
		--waive python-code:2 a.py >out &&
	jq_ok ".guard.verdict == \"allow\"" out
'

test_expect_success 'the review shows what was let pass' '
	sa-prepare -c dev --waive sql-statement:3 --waive sql-statement:4 \
		--waive forced:spark.sql.scripting.enabled a.py >out &&
	sa-confirm review <out >review &&
	test_match "^WAIVERS" review &&
	test_match "^! line 4: TRUNCATE.*only queries.*\[sql-statement\]" \
		review &&
	test_match "^! spark.sql.scripting.enabled is not forced" review
'

test_expect_success 'it runs: the guard asks again and hears the same' '
	sa-prepare -c dev --waive sql-statement:3 --waive sql-statement:4 \
		a.py >out &&
	sa-confirm --yes <out >job &&
	jq_ok ".pending_id == \$id" job --arg id "$(jq -r .pending_id out)"
'

test_expect_success 'a waiver that was added later changes the hash' '
	printf "spark.sql(\"SELECT 1\")\n" >b.py &&
	sa-prepare -c dev b.py >out && id=$(jq -r .pending_id out) &&
	record=data/pending/$id/record.json &&
	jq -c ".plan.waivers = [{rule:\"sql-statement\",line:1,column:1,
		message:\"x\"}]" "$record" >new && cat new >"$record" &&
	test_expect_code 77 sa-confirm --yes "$id" >out 2>err &&
	test_match "changed" err
'

test_expect_success 'forced:KEY drops one property and no other' '
	printf "print(1)\n" >b.py &&
	sa-prepare -c dev --waive forced:spark.sql.variable.substitute \
		--conf spark.sql.variable.substitute=true b.py >out &&
	jq_ok ".plan.forced == {\"spark.sql.reflect.allowList\":\"none\",
		\"spark.sql.scripting.enabled\":\"false\"}" out &&
	jq_ok ".plan.waivers == [{forced:\"spark.sql.variable.substitute\"}]" \
		out &&
	jq_ok ".plan.conf[\"spark.sql.variable.substitute\"].value ==
		\"true\"" out
'

test_expect_success 'what is waived must be there' '
	test_expect_code 65 sa-prepare -c dev --waive sql-statement:2 a.py \
		>out 2>err && test_empty out &&
	test_match "python-code:2, sql-statement:3" err &&
	test_expect_code 65 sa-prepare -c dev --waive sql-statement:1 b.py \
		2>err &&
	test_match "it found nothing" err &&
	test_expect_code 65 sa-prepare -c dev --waive forced:spark.master \
		b.py 2>err &&
	test_match "it sets spark.sql.reflect.allowList, " err
'

test_expect_success 'what is no waiver is said to be none' '
	for w in "" x : sql-statement: :3 sql-statement:0 sql-statement:x
	do
		test_expect_code 65 sa-prepare -c dev --waive "$w" a.py \
			2>err && test_match "is no waiver" err || return 1
	done
'

test_expect_success 'a forced property cannot be contradicted, only repeated' '
	sa-prepare -c dev --conf spark.sql.scripting.enabled=false b.py >out &&
	test_expect_code 65 sa-prepare -c dev \
		--conf spark.sql.scripting.enabled=true b.py 2>err &&
	test_match "contradicts the runtime guard" err
'

test_expect_success 'an agent waives nothing' '
	SA_ORIGIN=agent && export SA_ORIGIN &&
	test_expect_code 77 sa-prepare -c dev --waive sql-statement:3 a.py \
		>out 2>err &&
	test_empty out && test_match "waive is for people" err
'

test_expect_success 'a request cannot waive' '
	echo "{\"connection\":\"dev\",\"script_path\":\"a.py\",\"waive\":[]}" |
		test_expect_code 64 sa-prepare --request >out 2>err &&
	test_empty out
'

test_done
