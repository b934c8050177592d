#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='kill -9 of sa-confirm and sa-supervise at any moment'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
command -v ps >/dev/null || skip_all 'no ps'
. "$SA_SRCDIR/t/confirm-lib.sh"

rounds=30
test -z "${SA_TEST_LONG:-}" || rounds=120
seed=$(date +%s)
echo "# $rounds rounds, seed $seed"
awk -v n="$rounds" -v seed="$seed" 'BEGIN {
	srand(seed)
	for (i = 0; i < n; i++)
		printf "%.4f %s\n", rand() * 0.1,
			i % 2 ? "confirm" : "supervise"
}' >plan

i=0
while read -r delay who
do
	i=$((i + 1))
	test_expect_success "round $i: $who after $delay s" '
		prepare "sleep 0.03" "say end" &&
		{ sa-confirm --yes "$p" >job.json 2>err & } && pid=$! &&
		sleep "$delay" &&
		if test "$who" = confirm
		then kill -KILL "$pid" 2>/dev/null || :
		else kill_supervisor 2>/dev/null
		fi &&
		{ wait "$pid" || :; } &&
		holds
	'
done <plan
sort outcomes | uniq -c | sed 's/^/#/'

test_expect_success 'the audit is whole' '
	sa-confirm audit --verify >out && jq_ok .ok out
'

test_done
