#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='submissions to a real YARN where something breaks'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"
. "$SA_SRCDIR/t/confirm-lib.sh"
. "$SA_SRCDIR/t/faults-lib.sh"

engine yarn
# shellcheck disable=SC2086
sa-conn save cluster --master yarn --deploy-mode cluster $small >/dev/null
# shellcheck disable=SC2086
sa-conn save client --master yarn $small >/dev/null

# 30 and 270 in t7200 are a whole run: SA_TEST_ROUNDS, after a change of the
# protocol.
rounds=${SA_TEST_ROUNDS:-3}
test -z "${SA_TEST_LONG:-}" || rounds=${SA_TEST_ROUNDS:-5}
patience=300
grace=20
seed=${SA_TEST_SEED:-$(date +%s)}
echo "# $rounds rounds, seed $seed"

# A round: MODE FAULT RM MOMENT DELAY. RM is whether it dies at that moment,
# and comes back.
awk -v n="$rounds" -v seed="$seed" '
	function one(list, v, k) {
		k = split(list, v, " ")
		return v[1 + int(rand() * k)]
	}
	BEGIN {
		srand(seed)
		k = split("submit-KILL kill supervise-KILL host-KILL " \
			"confirm-KILL kill-KILL submit-TERM reconcile-KILL " \
			"wait-KILL none", faults, " ")
		for (i = 0; i < n; i++)
			printf "%s %s %s %s %.3f\n",
				one("cluster cluster cluster client"),
				faults[1 + i % k],
				one(faults[1 + i % k] == "none" ? "dies" : \
					"ok ok ok ok ok ok ok dies"),
				one("claimed marked started submitted ended"),
				rand() * 4
	}' >plan || tl_fatal 'no plan'

# Without a SparkContext the driver is all there is in cluster mode.
write_program () {
	{
		echo "import time"
		test "$mode" = cluster ||
			echo "from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()"
		case $fault in
		kill*) echo "time.sleep(3000)" ;;
		*) echo "time.sleep(1)" ;;
		esac
		echo 'print("end", flush=True)'
	} >x.py
}

rm_apps () {
	rm_get "/ws/v1/cluster/apps?applicationTags=$1"
}

submitted () {
	rm_apps "$(jq -r .tag "data/runs/$1/record.json")" |
		jq -e '.apps.app | length > 0' >/dev/null
}

rm_dies () {
	test "$rm_fault" = ok || engines yarn kill rm >/dev/null 2>&1
}

rm_returns () {
	test "$rm_fault" = ok || engines yarn start rm >/dev/null 2>&1
}

i=0
while read -r mode fault rm_fault moment delay
do
	i=$((i + 1))
	test_expect_success "$i: $mode, $fault, RM $rm_fault, $moment" '
		: >outcome && first_part && rm_dies && break_it &&
		rm_returns && all_is_true
	'
	sed "s/^/# /" outcome
done <plan
sort outcomes | uniq -c | sed 's/^/#/'

test_done
