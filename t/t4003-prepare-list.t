#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare list, show, cancel and prune'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
sa-conn save dev --master 'local[2]' >/dev/null
echo 'print(1)' >a.py

# set_record ID EXPRESSION: changes what is stored
set_record () {
	jq -c "$2" "data/pending/$1/record.json" >record.new &&
	cat record.new >"data/pending/$1/record.json"
}

prepared () {
	sa-prepare -c dev "$@" a.py | jq -r .pending_id
}

test_expect_success 'an empty store has an empty list, and stays empty' '
	SPARK_EXECUTOR_DATA_DIR=$PWD/none sa-prepare list >out &&
	jq_ok ". == {v: 1, type: \"pending_list\", items: [],
		next: null}" out &&
	echo "{}" | SPARK_EXECUTOR_DATA_DIR=$PWD/none \
		sa-prepare list --request >out &&
	jq_ok ".items == []" out && test ! -e none
'

test_expect_success 'newest first, whole records' '
	one=$(prepared) && two=$(prepared) && three=$(prepared) &&
	sa-prepare list >out &&
	printf "%s\n" "$one" "$two" "$three" | sort -r >expected &&
	jq -r ".items[].pending_id" out >got && test_cmp expected got &&
	sa-prepare show "$one" >shown &&
	real_jq -c --arg i "$one" ".items[] | select(.pending_id == \$i)" out \
		>item &&
	test_cmp shown item
'

test_expect_success 'pages and lines' '
	sa-prepare list -n 2 >page && jq_ok "(.items | length) == 2" page &&
	next=$(jq -r .next page) && sa-prepare list --after "$next" >rest &&
	jq_ok "(.items | length) == 1 and .next == null" rest &&
	echo "{\"limit\": 2, \"after\": \"$next\"}" >request &&
	sa-prepare list --request <request >rest2 && test_cmp rest rest2 &&
	sa-prepare list --jsonl >lines && test "$(wc -l <lines)" -eq 3 &&
	real_jq -c ".items[]" out >items && sa-prepare list >out &&
	real_jq -c ".items[]" out >items && test_cmp items lines
'

test_expect_success 'a table at a terminal' '
	: >script &&
	"$SA_BUILDDIR/t/in-terminal" script sa-prepare list >out &&
	test_match "PENDING +STATUS +CONNECTION" out &&
	test "$(grep -c "^p_" out)" -eq 3
'

test_expect_success 'what is over its time is EXPIRED, wherever it is seen' '
	old=$(prepared) &&
	set_record "$old" ".expires_at = \"2026-01-01T00:00:00Z\"" &&
	cp "data/pending/$old/record.json" stored &&
	sa-prepare show "$old" >out && jq_ok ".status == \"EXPIRED\"" out &&
	sa-prepare list >out && jq_ok "[.items[] | select(.status ==
		\"EXPIRED\").pending_id] == [\$i]" out --arg i "$old" &&
	test_expect_code 65 sa-prepare cancel "$old" 2>err &&
	test_match "EXPIRED" err &&
	test_cmp stored "data/pending/$old/record.json"
'

test_expect_success 'one whose time cannot be read is EXPIRED too' '
	p=$(prepared) &&
	for at in null 99999999999 "\"99999999999999999999\"" "\"\""
	do
		set_record "$p" ".status = \"PENDING\" | .expires_at = $at" &&
		sa-prepare show "$p" >out &&
		jq_ok ".status == \"EXPIRED\"" out &&
		test_expect_code 65 sa-confirm --yes "$p" 2>err &&
		test_match "EXPIRED" err || return 1
	done &&
	rm -r "data/pending/$p"
'

test_expect_success 'a broken record is skipped with a warning' '
	sa-prepare list >before &&
	mkdir data/pending/p_20990101T000000_000000 &&
	echo "{\"v\":1,\"type\":\"pending\",\"pending_id\":1,\"v\":1}" \
		>data/pending/p_20990101T000000_000000/record.json &&
	sa-prepare list >after 2>err && test_cmp before after &&
	test_match "p_20990101T000000_000000" err &&
	test_expect_code 65 sa-prepare show p_20990101T000000_000000 &&
	rm -r data/pending/p_20990101T000000_000000
'

test_expect_success 'show: by operand, record, request' '
	id=$(prepared) && sa-prepare show "$id" >out &&
	sa-prepare show <out >out2 && test_cmp out out2 &&
	jq -c "{v, type: \"job\", pending_id}" out >job &&
	sa-prepare show <job >out2 && test_cmp out out2 &&
	jq -c "{pending_id}" out >request &&
	sa-prepare show --request <request >out2 && test_cmp out out2
'

test_expect_success 'show --reveal: at a terminal only' '
	sa-conn save vault --master local \
		--conf spark.hadoop.fs.password=hunter2 >/dev/null &&
	sa-prepare -c vault a.py >out && id=$(jq -r .pending_id out) &&
	test_expect_code 64 sa-prepare show --reveal "$id" >out 2>err &&
	test_empty out && : >script &&
	"$SA_BUILDDIR/t/in-terminal" script sa-prepare show "$id" >out &&
	test_match "next +sa-confirm $id" out &&
	test_expect_code 1 grep hunter2 out &&
	"$SA_BUILDDIR/t/in-terminal" script sa-prepare show --reveal "$id" \
		>out && test_match hunter2 out && rm -r "data/pending/$id"
'

test_expect_success 'unknown ids are 66, other words too' '
	for id in p_20990101T000000_000000 x ../a "" p_1 "$(printf "a\033b")"
	do
		test_expect_code 66 sa-prepare show "$id" >out 2>err &&
		test_empty out && test_match "unknown pending_id" err &&
		test_expect_code 66 sa-prepare cancel "$id" 2>err || return 1
	done &&
	echo "{}" | test_expect_code 65 sa-prepare show --request &&
	test_expect_code 65 sa-prepare show </dev/null
'

test_expect_success 'cancel: once, with a reason, in the audit log' '
	id=$(prepared) && sa-prepare cancel --reason "wrong month" "$id" >out &&
	jq_ok ".status == \"CANCELLED\" and .reason == \"wrong month\"" out &&
	sa-prepare show "$id" >shown && test_cmp out shown &&
	test_expect_code 65 env SA_ERROR_FD=3 sa-prepare cancel "$id" \
		>out 2>err 3>object &&
	test_empty out && test_match "$id.*CANCELLED" err &&
	jq_ok ".error.detail.status == \"CANCELLED\"" object &&
	cat data/audit/*.jsonl >audit &&
	jq -r "select(.id == \"$id\").event" audit >got &&
	printf "%s\n" prepare prepared cancel cancelled >expected &&
	test_cmp expected got
'

test_expect_success 'a submitted one is refused, with its job' '
	id=$(prepared) && set_record "$id" ".status = \"SUBMITTED\" |
		.job_id = \"j_20261129T101502_91ab33\"" &&
	test_expect_code 65 sa-prepare cancel "$id" 2>err &&
	test_match "SUBMITTED.*j_20261129T101502_91ab33" err
'

test_expect_success '20 cancels at once: one does it' '
	id=$(prepared) && pids= && done=0 &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	do
		sa-prepare cancel "$id" >/dev/null 2>&1 &
		pids="$pids $!"
	done &&
	for pid in $pids
	do
		if wait "$pid"
		then
			done=$((done + 1))
		fi
	done &&
	test "$done" -eq 1
'

test_expect_success 'prune takes what is over and old' '
	rm -rf data/pending && cancelled=$(prepared) && recent=$(prepared) &&
	expired=$(prepared) && open=$(prepared) && gone=$(prepared --key k) &&
	sa-prepare cancel "$cancelled" >/dev/null &&
	sa-prepare cancel "$recent" >/dev/null &&
	set_record "$expired" ".expires_at = \"2026-01-01T00:00:00Z\"" &&
	set_record "$gone" ".status = \"SUBMITTED\" |
		.job_id = \"j_20261129T101502_91ab33\"" &&
	touch -d "40 days ago" "data/pending/$cancelled/record.json" \
		"data/pending/$open/record.json" \
		"data/pending/$gone/record.json" data/keys/* &&
	sa-prepare prune --dry-run >dry && ls data/pending >there &&
	test "$(wc -l <there)" -eq 5 &&
	sa-prepare prune >out &&
	jq_ok ".type == \"prune_report\" and (.dry_run | not)" out &&
	jq -r ".items[] | select(.what == \"pending\").id" out | sort >got &&
	printf "%s\n" "$cancelled" "$expired" "$gone" | sort >pruned &&
	test_cmp pruned got &&
	ls data/pending | sort >got &&
	printf "%s\n" "$recent" "$open" | sort >expected &&
	test_cmp expected got &&
	jq_ok "any(.items[]; .what == \"key\")" out &&
	ls data/keys >left && test_empty left &&
	jq -c ".items | map(select(.what == \"pending\"))" dry >items.dry &&
	jq -c ".items | map(select(.what == \"pending\"))" out >items &&
	test_cmp items.dry items
'

test_expect_success 'what was pruned is in the audit log' '
	cat data/audit/*.jsonl >audit &&
	jq -r "select(.event == \"prune\").id" audit | sort >got &&
	test_cmp pruned got
'

test_expect_success 'prune of a store that is not there makes none' '
	SPARK_EXECUTOR_DATA_DIR=$PWD/none sa-prepare prune >out &&
	jq_ok ".items == []" out && test ! -e none
'

test_expect_success 'prune --older-than' '
	sa-prepare prune --older-than 1d >out &&
	test_expect_code 65 sa-prepare prune --older-than never 2>err &&
	test_match "never" err && touch -d "2 days ago" \
		"data/pending/$(ls data/pending | head -n 1)/record.json" &&
	sa-prepare list >before && sa-prepare prune --older-than 3d >out &&
	sa-prepare list >after && test_cmp before after
'

job=j_20261129T101502_91ab33
# run STATE FINISHED PENDING-ID: a run directory
run () {
	rm -rf data/runs && mkdir -p "data/runs/$job" && jq -nc \
		--arg j "$job" --arg s "$1" --arg f "$2" --arg p "$3" \
		"{v: 1, type: \"job\", job_id: \$j, pending_id: \$p,
		state: \$s, finished_at: \$f}" >"data/runs/$job/record.json" &&
	: >"data/runs/$job/lock" && : >"data/runs/$job/alive"
}

test_expect_success 'a job that ended long ago goes with its pending' '
	id=$(prepared) && run SUCCEEDED 2026-01-01T00:00:00Z "$id" &&
	set_record "$id" ".status = \"SUBMITTED\" | .job_id = \"$job\"" &&
	mkdir -p data/approvals && echo "{}" >"data/approvals/$id.json" &&
	sa-prepare prune >out &&
	jq_ok "any(.items[]; .id == \$j) and any(.items[]; .id == \$p)" out \
		--arg j "$job" --arg p "$id" &&
	test ! -e "data/runs/$job" && test ! -e "data/pending/$id" &&
	test ! -e "data/approvals/$id.json"
'

test_expect_success 'a job that ended just now stays with its pending' '
	id=$(prepared) && run FAILED "$(date -u +%FT%TZ)" "$id" &&
	set_record "$id" ".status = \"SUBMITTED\" | .job_id = \"$job\"" &&
	touch -d "40 days ago" "data/pending/$id/record.json" &&
	sa-prepare prune >out && jq_ok ".items == []" out &&
	test -e "data/runs/$job" && test -e "data/pending/$id"
'

test_expect_success 'a run that no pending claimed goes at once' '
	id=$(prepared) && run SUBMITTING "" "$id" && sa-prepare prune >out &&
	jq_ok "[.items[] | .id + \" \" + .reason] == [\$j + \" unclaimed\"]" \
		out --arg j "$job" && test ! -e "data/runs/$job" &&
	sa-prepare show "$id" >out && jq_ok ".status == \"PENDING\"" out
'

test_expect_success 'answers that cannot be written are 74' '
	test_expect_code 74 sa-prepare list >/dev/full &&
	test_expect_code 74 sa-prepare prune >/dev/full &&
	id=$(prepared) && test_expect_code 74 sa-prepare show "$id" >/dev/full
'

test_expect_success 'a reader that goes away ends it, quietly' '
	i=0 && sa-prepare -c dev a.py >out &&
	id=$(jq -r .pending_id out) &&
	while test $((i += 1)) -le 200
	do
		cp -r "data/pending/$id" \
			"data/pending/p_20261129T101500_$(printf %06x $i)" ||
			return 1
	done &&
	{ sa-prepare list --jsonl 2>err; echo $? >status; } | head -n 1 &&
	test_empty err && test "$(cat status)" -eq 141
'

test_done
