#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-prepare --key, many at once, and a death in the middle'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

fake_spark
sa-conn save dev --master 'local[2]' >/dev/null
echo 'print(1)' >a.py

pendings () {
	find data/pending -mindepth 1 -maxdepth 1 -name 'p_*' | wc -l
}

test_expect_success 'a key gives its pending again' '
	sa-prepare -c dev --key k a.py >out &&
	sa-prepare -c dev --key k --expires 1h a.py >out2 &&
	test_cmp out out2 && test "$(pendings)" -eq 1 &&
	sa-prepare -c dev --key k2 a.py >out2 && test "$(pendings)" -eq 2
'

test_expect_success 'a key is of one plan' '
	test_expect_code 65 env SA_ERROR_FD=3 sa-prepare -c dev --key k a.py x \
		>out2 2>err 3>object &&
	test_empty out2 && id=$(jq -r .pending_id out) &&
	test_match "$id" err &&
	jq_ok ".error.detail.pending_id == \$i" object --arg i "$id" &&
	test "$(pendings)" -eq 2
'

test_expect_success 'a cancelled one is what the key gives' '
	sa-prepare cancel <out >/dev/null &&
	sa-prepare -c dev --key k a.py >out2 &&
	jq_ok ".status == \"CANCELLED\"" out2
'

test_expect_success 'a key whose pending is gone is a new one' '
	rm -r "data/pending/$(jq -r .pending_id out)" &&
	sa-prepare -c dev --key k a.py >out2 &&
	jq_ok ".status == \"PENDING\"" out2 &&
	sa-prepare -c dev --key k a.py >out3 && test_cmp out2 out3
'

test_expect_success 'keys of no bytes or too many' '
	test_expect_code 65 sa-prepare -c dev --key "" a.py &&
	long=$(printf "%0200d" 0) &&
	sa-prepare -c dev --key "$long" a.py &&
	test_expect_code 65 sa-prepare -c dev --key "x$long" a.py
'

test_expect_success 'a key is no path' '
	sa-prepare -c dev --key ../../x a.py && test ! -e x && test ! -e data/x
'

test_expect_success '20 at once with one key give one pending' '
	before=$(pendings) && pids= &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	do
		sa-prepare -c dev --key race a.py >"race.$i" &
		pids="$pids $!"
	done &&
	for pid in $pids
	do
		wait "$pid" || return 1
	done &&
	cat race.* | jq -r .pending_id | sort -u >ids &&
	test "$(wc -l <ids)" -eq 1 &&
	test "$(pendings)" -eq $((before + 1))
'

test_expect_success '20 at once without a key give 20' '
	before=$(pendings) && pids= &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	do
		sa-prepare -c dev a.py >"race.$i" &
		pids="$pids $!"
	done &&
	for pid in $pids
	do
		wait "$pid" || return 1
	done &&
	test "$(pendings)" -eq $((before + 20)) &&
	sa-prepare list >list && jq_ok "(.items | length) == \$n" list \
		--argjson n $((before + 20))
'

# Each one is killed a bit later; some come through.
test_expect_success 'killed at any moment: a whole pending or none' '
	truncate -s 8M big && i=0 &&
	while test $((i += 1)) -le 25
	do
		sa-prepare -c dev --files big --key "kill$i" a.py >killed &
		pid=$! &&
		sleep "0.00$((i / 5))$((i % 5 * 2))" &&
		{ kill -9 $pid 2>/dev/null || :; } &&
		{ wait $pid || :; } || return 1
	done &&
	for d in data/pending/p_*
	do
		test -f "$d/lock" && test_cmp a.py "$d/script/a.py" &&
		jq -e ".pending_id == \$i" --arg i "$(basename "$d")" \
			"$d/record.json" >/dev/null || return 1
	done &&
	sa-prepare list >list 2>err && test_empty err &&
	jq_ok "(.items | length) == \$n" list --argjson n "$(pendings)"
'

test_expect_success 'the killed ones can be prepared, once' '
	i=0 &&
	while test $((i += 1)) -le 25
	do
		sa-prepare -c dev --files big --key "kill$i" a.py >one &&
		sa-prepare -c dev --files big --key "kill$i" a.py >two &&
		test_cmp one two || return 1
	done
'

test_expect_success 'what was left half made is pruned, when it is old' '
	mkdir -p data/pending/.p_20261129T101500_4f0c9a.1234abcd/script &&
	sa-prepare prune >out &&
	test -d data/pending/.p_20261129T101500_4f0c9a.1234abcd &&
	touch -d "2 hours ago" data/pending/.p_* &&
	sa-prepare prune --dry-run >out &&
	jq_ok "any(.items[]; .what == \"leftover\")" out &&
	test -d data/pending/.p_20261129T101500_4f0c9a.1234abcd &&
	sa-prepare prune >out &&
	jq_ok "all(.items[]; .what == \"leftover\")" out &&
	find data/pending -name ".p_*" >left && test_empty left
'

test_expect_success 'and so is a file that was never put in place' '
	id=$(ls data/pending | head -n 1) &&
	for d in connections jobs "pending/$id"
	do
		mkdir -p "data/$d" && : >"data/$d/.x.json.0123abcd" &&
		: >"data/$d/.x.json.fresh000" || return
	done &&
	sa-prepare prune >out && jq_ok ".items == []" out &&
	find data -name ".x.json.0123abcd" -exec touch -d "2 hours ago" {} + &&
	sa-prepare prune >out &&
	jq_ok "[.items[].what] | length == 3 and all(. == \"leftover\")" out &&
	find data -name ".x.json.*" >left &&
	test "$(grep -c fresh000 left)" = 3 &&
	test "$(wc -l <left)" = 3
'

cat >fill.sh <<'SH'
cp -r data full/ && cd full || exit
sa-prepare -c dev ../a.py >../kept || exit
dd if=/dev/zero of=fill bs=4k 2>/dev/null
cp -r data/pending ../before
sa-prepare -c dev ../a.py >../out 2>../err
echo $? >../status
cp -r data/pending ../after
SH
test_expect_success TMPFS 'a full file system: an error, the rest as it was' '
	rm -rf data/pending && mkdir full &&
	SPARK_EXECUTOR_DATA_DIR=data with_tmpfs size=1m full sh fill.sh &&
	test "$(cat status)" -eq 74 && test_empty out &&
	test_match "No space left" err &&
	diff -r before after
'

test_expect_success 'a store that may not be written' '
	cp -r data foreign && chmod -R go+rX foreign &&
	SPARK_EXECUTOR_DATA_DIR=$PWD/foreign &&
	export SPARK_EXECUTOR_DATA_DIR &&
	test_expect_code 74 as_nobody sa-prepare -c dev a.py >out 2>err &&
	test_empty out && test_match "foreign" err
'

test_done
