#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='kill -9 of sa-confirm and sa-supervise at any moment'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
command -v pgrep >/dev/null || skip_all 'no pgrep'
. "$SA_SRCDIR/t/confirm-lib.sh"

rounds=30
test -z "${SA_TEST_LONG:-}" || rounds=120
seed=$(date +%s)
echo "# $rounds rounds, seed $seed"
awk -v n="$rounds" -v seed="$seed" 'BEGIN {
	srand(seed)
	for (i = 0; i < n; i++)
		printf "%.4f %s\n", rand() * (i % 2 ? 0.12 : 0.04),
			i % 3 ? "confirm" : "supervise"
}' >plan

# What must hold whoever died when: both records can be read; spark-submit was
# started at most once and its program ran to its end; nothing that was claimed
# is started again; a pending that was not claimed still can be.
settled () {
	sa-confirm --yes --once "$p" >once 2>err || {
		# claimed, yet the run can only be told by its record
		cat err && return 1
	}
	jq -e '.state | IN("SUCCEEDED", "FAILED", "LOST")' once >/dev/null
}

holds () {
	jq_ok '.status | IN("PENDING", "SUBMITTING", "SUBMITTED", "FAILED")' \
		"data/pending/$p/record.json" &&
	before=$(jq -r .job_id "data/pending/$p/record.json") &&
	wait_for settled &&
	n=$(starts "$p") && state=$(jq -r .state once) &&
	job=$(jq -r .job_id once) &&
	case $before.$n.$state in
	null.1.SUCCEEDED) ;;		# confirmed again, as it may be
	j_*.1.SUCCEEDED|j_*.1.LOST) test "$before" = "$job" ;;
	j_*.0.FAILED|j_*.0.LOST) test "$before" = "$job" ;;
	*) echo "job $before, $n starts, $state" && false ;;
	esac &&
	if test "$n" -eq 1
	then wait_for grep -q "^end$" "data/runs/$job/stdout"
	fi &&
	echo "$before.$n.$state" | sed 's/^j_[^.]*/claimed/' >>outcomes
}

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
		else pkill -KILL -f "^[^ ]*sa-supervise --data-dir=$PWD/" || :
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
