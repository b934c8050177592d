#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-sqlguard: policies, and what they may not do'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/operator-lib.sh"
. "$SA_SRCDIR/t/confirm-lib.sh"

command -v jq >/dev/null || skip_all 'no jq'
echo 'eval("1")' >code.py
echo 'spark.sql("INSERT OVERWRITE t SELECT 1")' >over.py
echo 'spark.sql(q)' >open.py
echo 'spark.sql("DROP TABLE t")' >drop.py
echo 'spark.sql("SELECT \"")' >broken.py

# is VERDICT FILE [OPTION...]
is () {
	want=$1 file=$2
	shift 2
	sa-sqlguard "$@" "$file" >out
	jq_ok '.verdict == $v' out --arg v "$want"
}

# says CODE REGEX COMMAND...: fails so, and writes nothing.
says () {
	code=$1 want=$2
	shift 2
	test_expect_code "$code" "$@" >out 2>err &&
	test_empty out &&
	test_match "$want" err
}

test_expect_success 'the default is printed, read again, and says the same' '
	sa-sqlguard --print-policy >default &&
	sa-sqlguard --policy default --print-policy >again &&
	test_cmp default again &&
	test_match "^python-code = warn, agent reject$" default &&
	test_match "^sql-statement = reject$" default &&
	test_match "\(may not be loosened\)" default &&
	grep -c "^# " default >comments &&
	grep -c " = " default >rules &&
	test "$(cat comments)" -ge "$(cat rules)"
'

test_expect_success 'it tightens' '
	cat >strict <<-\P &&
	# comment, then a blank line

	python-code=reject # all of it
	  sql-insert-overwrite = unresolved , agent reject
	python-unresolved = reject
	P
	is warn code.py && is reject code.py --policy strict &&
	is warn over.py && is unresolved over.py --policy strict &&
	is reject over.py --policy strict --strict &&
	is unresolved open.py && is reject open.py --policy strict &&
	is reject open.py --policy strict --unresolved=warn
'

test_expect_success 'an option does not loosen, in whatever order' '
	echo "python-code = allow" >loose &&
	echo "sql-statement = allow" >>loose &&
	is warn code.py --policy loose &&
	is reject drop.py --policy loose &&
	is reject code.py --policy strict --policy loose &&
	is reject code.py --policy loose --policy strict &&
	SA_GUARD_POLICY=$PWD/loose is reject drop.py
'

test_expect_success 'a model is judged by its own column' '
	echo "python-code = warn, agent unresolved" >both &&
	is warn code.py --policy both &&
	SA_ORIGIN=agent is reject code.py --policy both &&
	echo "sql-insert-overwrite = warn, agent reject" >both &&
	is warn over.py --policy both &&
	SA_ORIGIN=agent is reject over.py --policy both &&
	is reject over.py --policy both --strict
'

test_expect_success '78: what is no policy, with file and line' '
	printf "\npython-coed = warn\n" >bad &&
	says 78 "bad:2: unknown rule .python-coed.; near it are python-code" \
		sa-sqlguard --policy bad code.py &&
	echo "python-code = maybe" >bad &&
	says 78 "bad:1: unknown verdict .maybe." \
		sa-sqlguard --policy bad code.py &&
	echo "python-code = warn, model reject" >bad &&
	says 78 "bad:1: .*model reject" sa-sqlguard --policy bad code.py &&
	echo "python-code warn" >bad &&
	says 78 "bad:1: " sa-sqlguard --policy bad code.py &&
	printf "python-code = warn\npython-code = allow\n" >bad &&
	says 78 "bad:2: a second line" sa-sqlguard --policy bad code.py &&
	says 78 "nosuch" sa-sqlguard --policy nosuch code.py &&
	says 78 "policy .\..*" sa-sqlguard --policy . code.py &&
	printf "python-code\\000 = warn\n" >bad &&
	says 78 "NUL" sa-sqlguard --policy bad code.py &&
	SA_GUARD_POLICY=loose says 78 "absolute" sa-sqlguard code.py
'

test_expect_success 'what cannot be read cannot be let pass' '
	for rule in sql-lexical sql-too-large python-syntax python-work
	do
		echo "$rule = warn" >bad &&
		says 78 "bad:1: no policy may loosen .$rule." \
			sa-sqlguard --policy bad code.py || return 1
	done &&
	echo "sql-variable = reject" >good &&
	sa-sqlguard --policy good code.py >out
'

test_expect_success '--explain' '
	sa-sqlguard --explain python-code >out &&
	test_match "^python-code: this runs code" out &&
	test_match "why: the guard does not see" out &&
	test_match "rewrite: do the work" out &&
	test_match "verdict: warn, for an agent reject" out &&
	sa-sqlguard --policy strict --explain python-code >out &&
	test_match "verdict: reject, for an agent reject" out &&
	sa-sqlguard --explain sql-lexical >out &&
	test_match "no policy loosens it" out &&
	says 66 "no rule .sql-lexicl.; near it are sql-lexical," \
		sa-sqlguard --explain sql-lexicl &&
	says 66 "near it are" sa-sqlguard --explain "" &&
	says 64 "explain" sa-sqlguard --explain
'

test_expect_success TMPFS "the operator's file changes it in both directions" '
	cat >lib.pol <<-\P &&
	python-code = allow
	sql-insert-overwrite = reject
	python-unresolved = warn, agent unresolved
	P
	op="guard_policy = $PWD/lib.pol" &&
	as_operator "$op" sa-sqlguard code.py >out &&
	jq_ok ".verdict == \"allow\" and .findings == []" out &&
	test_expect_code 1 as_operator "$op" sa-sqlguard over.py >out &&
	as_operator "$op" sa-sqlguard open.py >out &&
	jq_ok ".verdict == \"warn\"" out &&
	test_expect_code 1 as_operator "$op" \
		sa-sqlguard --strict open.py >out &&
	jq_ok ".verdict == \"unresolved\"" out
'

test_expect_success TMPFS 'what comes after it tightens it only' '
	op="guard_policy = $PWD/lib.pol" &&
	echo "python-code = warn" >mine &&
	as_operator "$op" sa-sqlguard --policy mine code.py >out &&
	jq_ok ".verdict == \"warn\"" out &&
	as_operator "$op" env SA_GUARD_POLICY="$PWD/mine" \
		sa-sqlguard code.py >out &&
	jq_ok ".verdict == \"warn\"" out &&
	as_operator "$op" env SA_GUARD_POLICY="$PWD/loose" \
		sa-sqlguard --print-policy >got &&
	as_operator "$op" sa-sqlguard --print-policy >expected &&
	test_cmp expected got &&
	mkdir -p "$XDG_CONFIG_HOME/sa" &&
	echo "guard_policy = $PWD/loose" >"$XDG_CONFIG_HOME/sa/config" &&
	as_operator "$op" sa-sqlguard --print-policy >got &&
	test_cmp expected got &&
	as_operator "log_level = ERROR" sa-sqlguard --print-policy >got &&
	test_cmp default got &&
	rm "$XDG_CONFIG_HOME/sa/config"
'

test_expect_success "a person's file does the same where no operator's is" '
	{ test ! -e /etc/sa/config || return 0; } &&
	mkdir -p "$XDG_CONFIG_HOME/sa" &&
	echo "python-code = allow" >person.pol &&
	echo "guard_policy = $PWD/person.pol" >"$XDG_CONFIG_HOME/sa/config" &&
	is allow code.py &&
	SA_GUARD_POLICY=$PWD/strict is reject code.py &&
	SA_GUARD_POLICY=$PWD/strict sa-conn config --json >out &&
	jq_ok ".items[] | select(.key == \"guard_policy\") |
		.value == \"$PWD/person.pol:$PWD/strict\"" out &&
	rm "$XDG_CONFIG_HOME/sa/config"
'

test_expect_success 'genjob and prepare use it too' '
	fake_spark && sa-conn save dev --master "local[2]" >out &&
	sa-genjob <code.py >out &&
	SA_GUARD_POLICY=$PWD/strict says 65 "python-code" sa-genjob <code.py &&
	SA_GUARD_POLICY=$PWD/strict says 65 "python-code" \
		sa-prepare -c dev code.py &&
	SA_GUARD_POLICY=$PWD/bad says 78 "bad" sa-genjob <code.py
'

test_expect_success 'a stricter one than at prepare refuses the submission' '
	sa-prepare -c dev code.py >pending &&
	p=$(jq -r .pending_id pending) &&
	jq_ok ".plan.policy | test(\"^1-[0-9a-f]{12}$\")" pending &&
	SA_GUARD_POLICY=$PWD/strict says 77 "through no more.*python-code" \
		sa-confirm --yes "$p" &&
	echo "sql-statement = reject" >same &&
	echo "python-destructive = reject" >>same &&
	SA_GUARD_POLICY=$PWD/same sa-confirm --yes "$p" >out
'

test_expect_success 'a milder one than at prepare changes nothing' '
	echo "python-destructive = reject" >same &&
	SA_GUARD_POLICY=$PWD/same sa-prepare -c dev code.py >pending &&
	test "$(jq -r .plan.policy pending)" != \
		"$(sa-prepare -c dev code.py | jq -r .plan.policy)" &&
	sa-confirm --yes "$(jq -r .pending_id pending)" >out
'

test_done
