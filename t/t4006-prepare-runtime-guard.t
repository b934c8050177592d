#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare --runtime-guard: the wrapper is pinned and run'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
wrapper=$SA_BUILDDIR/sa-runguard.py
test -e "$wrapper" || skip_all 'the commands are not those of a build directory'
sa-conn save dev --master 'local[2]' >/dev/null
sa-conn save guarded --master 'local[2]' --runtime-guard wrapper >/dev/null
cat >computed.py <<'PY'
import sys
q = sys.argv[1]
spark.sql(q)
spark.sql(f"{q} x")
spark.range(3).selectExpr(q)
for text in map(spark.sql, sys.argv): pass
PY

test_expect_success 'without it such a script is refused, and told so' '
	test_expect_code 65 sa-prepare -c dev computed.py >out 2>err &&
	test_empty out && test_match "give --runtime-guard" err
'

test_expect_success 'with it what is not known only warns' '
	sa-prepare -c dev --runtime-guard computed.py x >out 2>err &&
	jq_ok ".guard.verdict == \"warn\"" out &&
	jq_ok "[.guard.findings[].rule] | index(\"python-unresolved\") and
		index(\"sql-hole-at-head\")" out &&
	jq_ok ".plan.runtime_guard == \"wrapper\"" out &&
	sum=$(sha256sum <"$wrapper" | cut -d " " -f 1) &&
	jq_ok ".plan.guard_wrapper | del(.rules) == {name: \"sa-runguard.py\",
		path: \$p, sha256: \$s, size: \$n}" out \
		--arg p "$wrapper" --arg s "$sum" \
		--argjson n "$(wc -c <"$wrapper")" &&
	jq_ok ".plan.guard_wrapper.rules | index(\"sql-statement\") and
		(index(\"sql-insert-overwrite\") | not)" out &&
	jq_ok ".plan.forced | length == 3" out &&
	test_cmp "$wrapper" \
		"data/pending/$(jq -r .pending_id out)/guard/sa-runguard.py"
'

test_expect_success 'the mode is part of the hash, null where it is another' '
	echo "print(1)" >a.py &&
	sa-prepare -c dev a.py >out && sa-prepare -c guarded a.py >out2 &&
	jq_ok ".plan.guard_wrapper == null and
		.plan.runtime_guard == \"conf\"" out &&
	jq_ok ".plan.runtime_guard == \"wrapper\"" out2 &&
	test "$(jq -r .plan_sha256 out)" != "$(jq -r .plan_sha256 out2)"
'

test_expect_success 'every other finding stands' '
	for line in "spark.sql(\"DROP TABLE t\")" \
		"spark.read.format(\"jdbc\").option(\"query\", sys.argv[1])" \
		"pandas.read_sql(sys.argv[1], c)" \
		"spark.conf.set(\"spark.sql.scripting.enabled\", \"true\")"
	do
		printf "import sys, pandas\n%s\n" "$line" >b.py &&
		test_expect_code 65 sa-prepare -c guarded b.py >out 2>err &&
		test_empty out || return 1
	done
'

test_expect_success 'such a script is not said to want the wrapper' '
	test_expect_code 65 sa-prepare -c dev b.py 2>err &&
	test_expect_code 1 grep runtime-guard err
'

test_expect_success 'the command line: the wrapper, the hash, the script' '
	sa-prepare -c guarded --strict-insert computed.py one two >out 2>err &&
	sa-confirm --yes <out >job && sa-yarn wait <job >end &&
	id=$(jq -r .pending_id out) && dir=$(pwd -P)/data/pending/$id &&
	jq -s ".[-1].argv[-6:]" "$SPARK_HOME/starts.jsonl" >got &&
	jq_ok ".[1] | endswith(\",sql-insert-overwrite,sql-insert-replace\")" \
		got &&
	jq_ok "del(.[1]) == [\$d + \"/guard/sa-runguard.py\", \$s,
		\$d + \"/script/computed.py\", \"one\", \"two\"]" got \
		--arg d "$dir" --arg s "$(jq -r .script_sha256 out)"
'

test_expect_success 'the review names the wrapper and its hash' '
	sa-prepare -c guarded a.py >out && sa-confirm review <out >review &&
	test_match "^runtime guard +wrapper" review &&
	test_match "^guard wrapper +/.*sha256 [0-9a-f]{64}" review
'

test_expect_success 'a wrapper that was changed is drift' '
	sa-prepare -c guarded a.py >out && id=$(jq -r .pending_id out) &&
	copy=data/pending/$id/guard/sa-runguard.py &&
	chmod u+w "$copy" && echo "# more" >>"$copy" &&
	test_expect_code 77 sa-confirm --yes "$id" >job 2>err &&
	test_empty job && test_match "sa-runguard.py.*changed" err &&
	rm "$copy" &&
	test_expect_code 77 sa-confirm --yes "$id" 2>err &&
	test_match "gone" err
'

test_expect_success 'the policy says what the wrapper refuses' '
	echo "sql-insert-overwrite = reject" >policy &&
	sa-prepare -c guarded a.py >out && id=$(jq -r .pending_id out) &&
	SA_GUARD_POLICY=$PWD/policy && export SA_GUARD_POLICY &&
	test_expect_code 77 sa-confirm --yes "$id" 2>err &&
	test_match "refuses .sql-insert-overwrite. now" err &&
	sa-prepare -c guarded a.py >out2 && sa-confirm --yes <out2 >job &&
	jq_ok ".plan.guard_wrapper.rules | index(\"sql-insert-overwrite\")" \
		out2
'

test_expect_success 'an agent has it where the connection says so, only there' '
	SA_ORIGIN=agent && export SA_ORIGIN &&
	sa-prepare -c guarded computed.py x >out 2>err &&
	jq_ok ".plan.runtime_guard == \"wrapper\"" out &&
	test_expect_code 77 sa-prepare -c dev --runtime-guard a.py 2>err &&
	test_match "runtime-guard is for people" err &&
	test_expect_code 77 sa-conn save mine --master "local[2]" \
		--runtime-guard wrapper 2>err &&
	test_expect_code 65 sa-prepare -c dev computed.py 2>err &&
	test_match "for who runs .dev. to decide" err &&
	test_expect_code 1 grep -e --runtime-guard err
'

test_expect_success 'the wrapper has the rules of the guard' '
	sed -n "/^MESSAGES/,/^}/s/^ *\"\(sql-[a-z-]*\)\".*/\1/p" "$wrapper" \
		>rules && test "$(wc -l <rules)" -gt 8 &&
	while read -r rule
	do
		grep -q "SA_RULE(\"$rule\"" "$SA_SRCDIR/lib/guard/rules.def" ||
			return 1
	done <rules
'

test_done
