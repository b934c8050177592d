#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the audit: a chain that shows where it was broken'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/confirm-lib.sh"

chain () {
	find data/audit -name "*.jsonl" | sort | tail -n 1
}

test_expect_success 'who did what to which plan, in order' '
	prepare "exit 0" && submit && ended "$j" &&
	sa-confirm audit >out &&
	jq_ok ".type == \"audit_list\" and .next == null" out &&
	jq_ok "[.items[].seq] == [range(1; (.items | length) + 1)]" out &&
	jq -r ".items[].event" out | grep -v "^prepare" >got &&
	printf "%s\n" submit submitted >expected && test_cmp expected got &&
	jq_ok ".items[0].event == \"prepare\"" out &&
	jq_ok "all(.items[]; .actor.uid >= 0 and (.actor.user | length) > 0 and
		.actor.origin == \"person\" and .plan_sha256 == \$h)" out \
		--arg h "$(jq -r .plan_sha256 pending.json)" &&
	jq_ok ".items[-2].id == \$p and .items[-2].note == \$j and
		.items[-1].id == \$j" out --arg p "$p" --arg j "$j"
'

test_expect_success 'each line has the hash of the one before it' '
	sa-confirm audit --verify >out &&
	jq_ok ".type == \"check\" and .what == \"audit\" and .ok and
		.items[0].ok" out &&
	prev=$(printf %064d 0) &&
	while read -r line
	do
		printf "%s\n" "$line" >line &&
		jq_ok ".prev == \$x" line --arg x "$prev" &&
		prev=$(real_jq -cjS "del(.hash)" line | sha256sum |
			cut -c 1-64) &&
		jq_ok ".hash == \$x" line --arg x "$prev" || return 1
	done <"$(chain)"
'

test_expect_success 'lists go on where they stopped' '
	sa-confirm audit -n 2 >out &&
	jq_ok "[.items[].seq] == [1, 2]" out &&
	sa-confirm audit --after "$(jq -r .next out)" >out &&
	jq_ok ".items[0].seq == 3 and .next == null" out &&
	sa-confirm audit --jsonl >out &&
	test_cmp "$(chain)" out &&
	test_expect_code 65 sa-confirm audit --after x
'

# broken LINE: verification names this line, and it is a no.
broken () {
	test_expect_code 1 sa-confirm audit --verify >out &&
	jq_ok ".ok == false and (.items[-1].detail | startswith(\$l))" out \
		--arg l "line $1:"
}

test_expect_success 'a changed, removed, swapped, added line is found' '
	for i in 1 2 3
	do
		prepare "exit 0" || return 1
	done &&
	file=$(chain) && head -n 6 "$file" >kept &&
	sed "2s/\"event\":\"/&x/" kept >"$file" && broken 2 &&
	sed "3d" kept >"$file" && broken 3 &&
	sed "1d" kept >"$file" && broken 1 &&
	sed -n "2{h;d};3{p;x};p" kept >"$file" && broken 2 &&
	sed "2p" kept >"$file" && broken 3 &&
	sed "4s/^/garbage/" kept >"$file" && broken 4 &&
	{ cat kept && printf torn; } >"$file" && broken 7 &&
	cp kept "$file" && sa-confirm audit --verify
'

test_expect_success 'a torn last line is closed, and the chain goes on' '
	file=$(chain) && lines=$(wc -l <"$file") &&
	tail -n 1 "$file" | head -c 100 >>"$file" &&
	test_expect_code 1 sa-confirm audit --verify &&
	prepare "exit 0" &&
	sa-confirm audit --verify >out &&
	jq_ok .ok out &&
	sed "1,$((lines + 1))d" "$file" | jq -r .event | head -n 2 >got &&
	printf "%s\n" recovered prepare >expected && test_cmp expected got
'

test_expect_success 'months are one chain, also when the clock goes back' '
	rm -rf data/audit && prepare "exit 0" &&
	now=$(chain) && mv "$now" data/audit/2020-01.jsonl &&
	prepare "exit 0" && lines=$(wc -l <"$now") &&
	sa-confirm audit --verify >out && jq_ok "(.items | length) == 2" out &&
	mv "$now" data/audit/9999-12.jsonl &&
	prepare "exit 0" &&
	test "$(wc -l <data/audit/9999-12.jsonl)" -eq $((2 * lines)) &&
	test ! -e "$now" &&
	sa-confirm audit --verify &&
	mv data/audit/2020-01.jsonl kept &&
	test_expect_code 1 sa-confirm audit --verify &&
	mv kept data/audit/2020-01.jsonl &&
	sa-confirm audit --verify
'

test_expect_success 'what comes from outside stays in its line' '
	prepare "exit 0" &&
	sa-confirm reject "$p" --reason "$(printf "a\nb\033[1m")" >out &&
	sa-confirm audit --verify &&
	sa-confirm audit >out &&
	jq_ok ".items[-1].note == \"a\nb\u001b[1m\"" out
'

test_expect_success 'no change without its line in the audit' '
	prepare "exit 0" && file=$(chain) &&
	mv data/audit data/audit.away && : >data/audit &&
	test_expect_code 74 sa-confirm --yes "$p" &&
	test_expect_code 74 sa-confirm reject "$p" &&
	test_expect_code 74 sa-confirm approve --yes "$p" &&
	rm data/audit && mv data/audit.away data/audit &&
	status_is PENDING && test "$(starts "$p")" -eq 0
'

test_expect_success 'many who write at a time' '
	for i in 1 2 3 4 5 6 7 8 9 10 11 12
	do
		{ sa-prepare -c demo x.py >/dev/null & }
	done && wait && sa-confirm audit --verify
'

test_done
