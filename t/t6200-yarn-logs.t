#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-yarn logs: parts, holes, following, records, limits'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
command -v jq >/dev/null || skip_all 'no jq'
. "$SA_SRCDIR/t/run-lib.sh"

in_terminal () {
	: >script &&
	"$SA_BUILDDIR/t/in-terminal" script "$@"
}

# lines FROM TO
lines () {
	i=$(($1 - 1))
	while test $((i += 1)) -le "$2"
	do
		echo "line $i"
	done
}

test_expect_success 'stdout, stderr, all' '
	new_run && ended 0 && echo out >"$run/stdout" &&
	echo err >"$run/stderr" &&
	sa-yarn logs "$job" >got && test_cmp "$run/stdout" got &&
	sa-yarn logs --stream stderr "$job" >got &&
	test_cmp "$run/stderr" got &&
	sa-yarn logs -s all "$job" >got &&
	printf "out\nerr\n" >expected && test_cmp expected got &&
	printf out >"$run/stdout" && sa-yarn logs -s all "$job" >got &&
	test_cmp expected got &&
	test_expect_code 64 sa-yarn logs -s both "$job" 2>err &&
	test_match "both.*stdout, stderr, all" err
'

test_expect_success 'no output yet is no failure' '
	new_run && sa-yarn logs "$job" >out 2>err && test_empty out &&
	test_empty err && sa-yarn logs -f "$job" >out && test_empty out &&
	sa-yarn logs --json "$job" >out &&
	jq_ok ".content == \"\" and .bytes == 0" out
'

test_expect_success 'tail, head, bytes, offset' '
	new_run && ended 0 && lines 1 100000 >"$run/stdout" &&
	sa-yarn logs "$job" >got && cmp "$run/stdout" got &&
	for n in 0 1 2 99 20000 100000 200000
	do
		tail -n $n "$run/stdout" >expected &&
		sa-yarn logs -n $n "$job" >got && cmp expected got &&
		head -n $n "$run/stdout" >expected &&
		sa-yarn logs --head $n "$job" >got && cmp expected got ||
			return 1
	done &&
	for n in 1 7 65536 65537 1000000 2000000
	do
		tail -c $n "$run/stdout" >expected &&
		sa-yarn logs --bytes $n "$job" >got && cmp expected got &&
		head -c $n "$run/stdout" >expected &&
		sa-yarn logs --offset 0 --bytes $n "$job" >got &&
		cmp expected got || return 1
	done &&
	tail -c +1001 "$run/stdout" >expected &&
	sa-yarn logs --offset 1000 "$job" >got && cmp expected got &&
	sa-yarn logs --offset 99999999 "$job" >got && test_empty got
'

test_expect_success 'a last line without line break counts' '
	new_run && ended 0 && printf "a\nb\nc" >"$run/stdout" &&
	sa-yarn logs -n 2 "$job" >got && printf "b\nc" >expected &&
	test_cmp expected got
'

test_expect_success 'golden: job_log' '
	new_run && ended 0 && printf "one\ntwo\n" >"$run/stdout" &&
	sa-yarn logs --json "$job" >out 2>err &&
	cat >expected <<-J &&
	{"v":1,"type":"job_log","job_id":"$job","source":"driver",\
"stream":"stdout","content":"one\ntwo\n","offset":0,"bytes":8,\
"truncated":false,"next":null,"tried":[]}
	J
	test_cmp expected out && test_empty err &&
	jq -nc --arg j "$job" "{job_id: \$j, stream: \"stdout\"}" |
		sa-yarn logs --request >got &&
	test_cmp out got
'

# agent REQUEST: what a model gets of $job.
agent () {
	jq -nc --arg j "$job" "{job_id: \$j} + $1" |
		SA_ORIGIN=agent sa-yarn logs --request >out
}

test_expect_success 'a model gets visible text that is called data' '
	new_run && ended 0 &&
	printf "a\033[2Jb\000c\r\n\342\200\256d\377\tpassword=hunter2\n" \
		>"$run/stdout" &&
	agent "{}" &&
	jq_ok ".content == \$c" out --arg c "a\\x1b[2Jb\\x00c\\r
\\u{202e}d\\xff	password=****
" &&
	jq_ok ".notice | test(\"not instructions\")" out &&
	jq_ok "(has(\"next\") | not) and .truncated == false" out &&
	sa-yarn logs --json "$job" >out &&
	jq_ok "has(\"notice\") | not" out
'

test_expect_success 'a model gets 30,000 characters, the newest, and pages' '
	new_run && ended 0 && lines 1 9999 >"$run/stdout" &&
	agent "{}" &&
	jq_ok "(.content | length) == 30000 and .bytes == 30000 and
		(.content | endswith(\"line 9999\n\")) and .truncated" out &&
	jq_ok ".offset == \$n - 30000" out \
		--argjson n "$(wc -c <"$run/stdout")" &&
	at=0 && >all &&
	while test "$at" != null
	do
		agent "{offset: $at, bytes: 1000000}" &&
		jq_ok "(.content | length) <= 30000 and .offset == $at" out &&
		jq -j .content out >>all && at=$(jq .next out) || return 1
	done &&
	test_cmp "$run/stdout" all
'

test_expect_success 'what becomes longer by being visible fills more pages' '
	new_run && ended 0 && head -c 20000 /dev/zero >"$run/stdout" &&
	echo end >>"$run/stdout" &&
	at=0 && >all &&
	while test "$at" != null
	do
		agent "{offset: $at}" &&
		jq_ok "(.content | length) <= 30000" out &&
		jq -j .content out >>all && at=$(jq .next out) || return 1
	done &&
	{ yes "\\x00" | head -n 20000 | tr -d "\n" && echo end; } >expected &&
	test_cmp expected all
'

test_expect_success 'no page begins within a secret' '
	new_run && ended 0 &&
	printf "first\npassword=hunter2 and more\nlast" >"$run/stdout" &&
	for at in 1 6 7 10 14 15 16 20 21
	do
		agent "{offset: $at}" &&
		jq_ok "(.content | test(\"ter2|hun\") | not) and
			(.content | endswith(\"and more\nlast\"))" out ||
			return 1
	done &&
	agent "{offset: 23}" &&
	jq_ok ".content == \"and more\nlast\"" out &&
	agent "{tail: 1}" &&
	jq_ok ".content == \"last\" and .offset == 32" out
'

test_expect_success 'a record of the first lines, and of the last' '
	new_run && ended 0 && lines 1 9 >"$run/stdout" &&
	sa-yarn logs --json --head 2 "$job" >out &&
	jq_ok ".content == \"line 1\nline 2\n\" and .next == 14" out &&
	jq_ok ".truncated" out &&
	sa-yarn logs --json --tail 1 "$job" >out &&
	jq_ok ".content == \"line 9\n\" and .next == null and .truncated" out
'

test_expect_success 'a record for each of two streams' '
	new_run && ended 0 && echo o >"$run/stdout" && echo e >"$run/stderr" &&
	sa-yarn logs --json -s all "$job" >out &&
	jq -c "[.stream, .content]" out >got &&
	cat >expected <<-\J &&
	["stdout","o\n"]
	["stderr","e\n"]
	J
	test_cmp expected got
'

test_expect_success 'next goes on from where a record ended' '
	new_run && supervise && lines 1 5000 >"$run/stdout" &&
	offset=0 && : >all &&
	while :
	do
		sa-yarn logs --json --bytes 1000 --offset "$offset" "$job" \
			>out &&
		jq_ok ".bytes <= 1000" out &&
		jq -j .content out >>all &&
		jq_ok ".next != null" out &&
		offset=$(jq .next out) || return 1
		test "$(jq .bytes out)" -gt 0 || break
	done &&
	cmp "$run/stdout" all &&
	echo more >>"$run/stdout" && ended 0 &&
	sa-yarn logs --json --offset "$offset" "$job" >out &&
	jq_ok ".content == \"more\n\" and .next == null" out &&
	jq_ok ".truncated | not" out
'

test_expect_success 'pages do not cut characters, whatever bytes there are' '
	new_run && ended 0 &&
	printf "\303\244\342\202\254\360\237\230\200\377\000x" \
		>"$run/stdout" &&
	sa-yarn logs --json "$job" >out &&
	jq_ok ".content == \"ä€😀\ufffd\ufffdx\" and .bytes == 12" out &&
	sa-yarn logs --json --offset 0 --bytes 4 "$job" >out &&
	jq_ok ".content == \"ä\" and .next == 2 and .truncated" out
'

test_expect_success 'records are masked, also of what is no text' '
	new_run && ended 0 &&
	printf "token=abc\000password: xyz\n" >"$run/stdout" &&
	sa-yarn logs --json "$job" >out &&
	jq_ok ".content | test(\"abc\") or test(\"xyz\") | not" out
'

# What bounds the output: a hole at the head of the file.
punch () {
	fallocate --punch-hole -o 0 -l "$1" "$2"
}
echo x >holes
if punch 1 holes 2>/dev/null
then
	test_expect_success 'a hole at the head is passed over, said once' '
		new_run && ended 0 && lines 1 200000 >"$run/stdout" &&
		punch 1000000 "$run/stdout" &&
		tail -c +1000001 "$run/stdout" >expected &&
		sa-yarn logs "$job" >got 2>err && cmp expected got &&
		test "$(wc -l <err)" -eq 1 &&
		test_match "stdout: 1000000 older" err &&
		sa-yarn wait --logs "$job" >got 2>err && cmp expected got &&
		test "$(grep -c older err)" -eq 1 &&
		sa-yarn logs --head 1 "$job" >got &&
		head -n 1 expected >first && test_cmp first got &&
		sa-yarn logs -n 3 "$job" >got 2>err && test_empty err &&
		tail -n 3 expected >last && test_cmp last got &&
		sa-yarn logs --json --bytes 100 --offset 0 "$job" >out &&
		jq_ok ".truncated and .next > 1000000" out &&
		jq_ok ".next <= 1000100" out
	'

	test_expect_success 'a file that is all hole' '
		new_run && ended 0 && head -c 65536 /dev/zero >"$run/stdout" &&
		punch 65536 "$run/stdout" &&
		sa-yarn logs "$job" >got && test_empty got &&
		sa-yarn logs --json "$job" >out && jq_ok ".bytes == 0" out
	'
else
	test_skip 'logs with a hole' 'this file system makes no holes'
fi

test_expect_success '-f follows a writer to the end of the job' '
	new_run && supervise &&
	start_driver sh -c "i=0; while test \$((i += 1)) -le 2000
		do echo line \$i; done" &&
	{ sa-yarn logs -f "$job" >out & } && a=$! &&
	{ sa-yarn logs -f "$job" | tail -n 1 >last & } && b=$! &&
	{ wait "$driver" || :; } && ended 3 && wait "$a" && wait "$b" &&
	lines 1 2000 >expected && cmp expected out &&
	echo "line 2000" >expected && test_cmp expected last
'

test_expect_success '-f -n begins with the last lines' '
	new_run && supervise && lines 1 10 >"$run/stdout" &&
	{ sa-yarn logs -f -n 2 "$job" >tailed & } && a=$! &&
	wait_for grep -q "line 10" tailed &&
	lines 11 12 >>"$run/stdout" && ended 0 && wait "$a" &&
	lines 9 12 >expected && test_cmp expected tailed
'

test_expect_success 'at most 64 MiB are printed, the newest, and it is said' '
	new_run && ended 0 &&
	yes 0123456789abcde | head -c 83886080 >"$run/stdout" &&
	sa-yarn logs "$job" 2>err | wc -c >size &&
	test "$(cat size)" -eq 67108864 &&
	test_match "stdout: 16777216 older bytes" err &&
	sa-yarn logs --json "$job" | wc -c >size &&
	test "$(cat size)" -lt 67108864 &&
	sa-yarn logs --json "$job" >out &&
	jq_ok ".bytes == 10485760 and .truncated" out &&
	sa-yarn logs --offset 0 "$job" 2>err | wc -c >size &&
	test "$(cat size)" -eq 67108864
'

has_size () {
	test "$(wc -c <"$2")" -eq "$1"
}

test_expect_success 'what follows after 64 MiB is counted, not printed' '
	new_run && supervise &&
	yes 0123456789abcde | head -c 67108864 >"$run/stdout" &&
	{ sa-yarn logs -f "$job" >big 2>err & } && a=$! &&
	wait_for has_size 67108864 big &&
	echo more >>"$run/stdout" && ended 0 && wait "$a" &&
	cmp -n 67108864 "$run/stdout" big &&
	test "$(wc -c <big)" -eq 67108864 &&
	test_match "5 bytes more.*--offset 67108864" err
'

test_expect_success 'output that is all escapes stays below the limit' '
	new_run && ended 0 &&
	yes "$(printf "\001\001\001\001\001\001")" | head -c 16777216 \
		>"$run/stdout" &&
	sa-yarn logs --json "$job" | wc -c >size &&
	test "$(cat size)" -lt 67108864
'

test_expect_success 'at a terminal: masked, controls visible, whole lines' '
	new_run && ended 0 &&
	printf "a\033[2Jb\npassword=hunter2 x\n\302\233m\n" >"$run/stdout" &&
	in_terminal sa-yarn logs "$job" >out &&
	test_match "^a.x1b.2Jb" out && test_match "^password=\*\*\*\* x" out &&
	test_match "^.x9bm" out && test_expect_code 1 grep hunter2 out
'

test_expect_success 'a line that is very long comes in pieces' '
	new_run && ended 0 &&
	head -c 200000 /dev/zero | tr "\000" x >"$run/stdout" &&
	in_terminal sa-yarn logs "$job" >out &&
	test "$(tr -dc x <out | wc -c)" -eq 200000
'

test_expect_success 'a reader that left, a full disk' '
	new_run && ended 0 && lines 1 20000 >"$run/stdout" &&
	sa-yarn logs "$job" | head -n 1 >out && echo "line 1" >expected &&
	test_cmp expected out &&
	test_expect_code 74 sa-yarn logs "$job" >/dev/full 2>err &&
	test_match "^sa-yarn: cannot write" err &&
	test_expect_code 74 sa-yarn logs --json "$job" >/dev/full 2>err
'

test_expect_success 'words that exclude each other' '
	new_run &&
	for words in "--tail 1 --head 1" "--tail 1 --offset 1" "-f --head 1" \
		"-f --json" "--offset 1 --stream all" "--tail -1" "--bytes 0" \
		"--grace 1" "$job"
	do
		test_expect_code 64 sa-yarn logs $words "$job" >out 2>err &&
		test_empty out && test_match "^sa-yarn: " err || return 1
	done
'

test_expect_success 'links and other things are not read as output' '
	new_run && ended 0 && echo secret >elsewhere &&
	ln -s "$PWD/elsewhere" "$run/stdout" &&
	test_expect_code 74 sa-yarn logs "$job" >out 2>err &&
	test_empty out &&
	rm "$run/stdout" && mkfifo "$run/stdout" &&
	{ sa-yarn logs "$job" >out 2>err || :; } && test_empty out
'

test_done
