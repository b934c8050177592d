#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the store: its directory, its records, their lists'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

PATH=$SA_BUILDDIR/t:$PATH
in_terminal=$SA_BUILDDIR/t/in-terminal
data=$SPARK_EXECUTOR_DATA_DIR

# record NAME [MEMBERS]: a record put into the store by hand.
record () {
	mkdir -p "$data/samples" &&
	printf '{"v":1,"type":"sample","name":"%s"%s}\n' "$1" "${2:-}" \
		>"$data/samples/$1.json"
}

test_expect_success jq 'reading makes nothing' '
	cli-sample list >out 2>err &&
	jq_ok ". == {v: 1, type: \"sample_list\", items: [], next: null}" out &&
	test_empty err &&
	test_expect_code 66 cli-sample show one 2>err &&
	test_match "^cli-sample: unknown sample .one." err &&
	test ! -e "$data"
'

save_at_once () {
	for i in 1 2 3 4 5 6 7 8
	do
		{ cli-sample save "s$i" >"out.$i"; echo $? >"code.$i"; } &
	done
	wait
}

test_expect_success jq 'who come first at once make one store' '
	save_at_once &&
	cat code.* >codes &&
	test_expect_code 1 grep -vx 0 codes &&
	cli-sample list >out &&
	jq_ok "[.items[].name] ==
		[\"s1\",\"s2\",\"s3\",\"s4\",\"s5\",\"s6\",\"s7\",\"s8\"]" out
'

test_expect_success 'what it is made of' '
	test_match "^[0-9a-f]{12}$" "$data/store-id" &&
	echo "*" >expected && test_cmp expected "$data/.gitignore" &&
	stat -c %a "$data" "$data/samples" "$data/store-id" \
		"$data/samples/s1.json" >modes &&
	printf "%s\n" 2770 2770 640 640 >expected &&
	test_cmp expected modes &&
	find "$data" -name ".?*.*" ! -name .gitignore >left &&
	test_empty left
'

test_expect_success jq 'a record is kept as it was given' '
	cli-sample save s1 -m yarn --conf a=b >saved &&
	cli-sample show s1 >out && test_cmp saved out &&
	test_cmp saved "$data/samples/s1.json"
'

test_expect_success 'names that leave the store' '
	test_expect_code 66 cli-sample show nothing/x 2>err &&
	test_expect_code 74 cli-sample show ../../x 2>err &&
	test_match "cannot open .*/samples/../../x.json" err &&
	mkdir outside && echo "{}" >outside/in.json &&
	ln -s ../../outside "$data/samples/link" &&
	ln -s ../../outside/in.json "$data/samples/alink.json" &&
	test_expect_code 74 cli-sample show link/in 2>err &&
	test_expect_code 74 cli-sample show alink 2>err &&
	test_match "alink.json.: Too many levels of symbolic links" err &&
	rm "$data/samples/link" "$data/samples/alink.json"
'

test_expect_success jq 'pages' '
	cli-sample list -n 3 >out &&
	jq_ok "[.items[].name] == [\"s1\",\"s2\",\"s3\"] and .next == \"s3\"" \
		out &&
	cli-sample list -n 3 --after s3 >out &&
	jq_ok "[.items[].name] == [\"s4\",\"s5\",\"s6\"] and .next == \"s6\"" \
		out &&
	cli-sample list --limit 3 --after s6 >out &&
	jq_ok "[.items[].name] == [\"s7\",\"s8\"] and .next == null" out &&
	cli-sample list -n 2 --after s6 >out &&
	jq_ok ".next == null" out &&
	cli-sample list --after s8 >out &&
	jq_ok ".items == []" out &&
	cli-sample list --down -n 2 --after s7 >out &&
	jq_ok "[.items[].name] == [\"s6\",\"s5\"] and .next == \"s5\"" out &&
	cli-sample list --jsonl -n 2 >out 2>err &&
	jq -s "[.[].name]" out >names && jq_ok ". == [\"s1\",\"s2\"]" names &&
	test_match "^cli-sample: more follow: --after s2$" err &&
	echo "{\"limit\":1,\"after\":\"s1\"}" |
		cli-sample list --request >out &&
	jq_ok ".next == \"s2\"" out &&
	test_expect_code 64 cli-sample list -n 0 2>err
'

test_expect_success jq 'what cannot be read is skipped, with a warning' '
	echo "{\"v\":1" >"$data/samples/broken.json" &&
	echo "{\"v\":9,\"type\":\"sample\"}" >"$data/samples/later.json" &&
	echo "{\"v\":1,\"type\":\"other\"}" >"$data/samples/other.json" &&
	: >"$data/samples/empty.json" &&
	mkdir "$data/samples/dir.json" &&
	mkfifo "$data/samples/fifo.json" &&
	exec 9<>"$data/samples/fifo.json" && # one that somebody writes to
	: >"$data/samples/README" &&
	cli-sample list >out 2>err &&
	exec 9>&- &&
	jq_ok ".items | length == 8" out &&
	for name in broken later other empty dir fifo
	do
		test_match "WARNING.*skipped: .*$name.json" err || return 1
	done &&
	test "$(wc -l <err)" -eq 6 &&
	test_expect_code 65 cli-sample show broken 2>err &&
	test_match "samples/broken.json:2:" err &&
	test_expect_code 65 cli-sample show later 2>err &&
	test_match "record version 9 is unknown" err &&
	rm -r "$data"/samples/*[a-z].json
'

test_expect_success jq 'records of the predecessor, and some left out' '
	printf "{\n \"master\": \"yarn\"\n}\n" >"$data/samples/old.json" &&
	record t1 ",\"force\":true" &&
	cli-sample list --after s8 >out &&
	jq_ok ".items == []" out &&
	cli-sample list >out &&
	jq_ok ".items[0] == {master: \"yarn\", name: \"old\"} and
		(.items | length) == 9" out &&
	cli-sample list --raw --jsonl >out &&
	test "$(wc -l <out)" -eq 10 &&
	cli-sample show old >out
'

test_expect_success jq 'a table at a terminal' '
	record u1 ",\"master\":\"$(printf "%0100d" 1)\",\"a\":{\"b\":5}" &&
	record u2 ",\"master\":\"a\\u001b\\u00e9\"" &&
	>script &&
	"$in_terminal" script cli-sample list >out &&
	tr -d "\r" <out >table &&
	test_match "^NAME  MASTER +DEEP$" table &&
	test_match "^u1    0{60}  5$" table &&
	test_match "^u2    a.x1b" table &&
	test_match "^old   yarn +-$" table &&
	"$in_terminal" script cli-sample list -n 1 >out &&
	test_match "more follow: --after old" out &&
	"$in_terminal" script cli-sample list --after zzz >out &&
	test_empty out
'

test_expect_success jq 'a page ends at 64 MiB' '
	rm "$data"/samples/*.json &&
	for i in 1 2 3 4 5 6
	do
		{
			printf "{\"v\":1,\"type\":\"sample\"," &&
			printf "\"name\":\"b$i\"" &&
			printf ",\"pad\":\"" &&
			head -c 15000000 /dev/zero | tr "\0" x &&
			printf "\"}\n"
		} >"$data/samples/b$i.json" || return 1
	done &&
	cli-sample list >out &&
	test "$(wc -c <out)" -le 67108864 &&
	tail -c 20 out >end &&
	test_match "\],\"next\":\"b4\"}" end &&
	cli-sample list --after b4 >out &&
	tail -c 20 out >end &&
	test_match "\],\"next\":null}" end &&
	rm "$data"/samples/*.json
'

test_expect_success 'a record over the limit is neither read nor written' '
	head -c 17000000 /dev/zero | tr "\0" " " >"$data/samples/big.json" &&
	test_expect_code 65 cli-sample show big 2>err &&
	test_match "over the limit of 16777216 bytes" err &&
	rm "$data/samples/big.json" &&
	{
		printf "{\"name\":\"big\",\"file\":[\"" &&
		head -c 16777180 /dev/zero | tr "\0" x &&
		printf "\"]}"
	} >request &&
	test_expect_code 65 cli-sample save --request <request 2>err &&
	test_match "sample .big. is over the limit" err &&
	test ! -e "$data/samples/big.json"
'

test_expect_success 'a place that is no directory' '
	echo x >file &&
	test_expect_code 74 cli-sample list --data-dir file 2>err &&
	test_match "data directory .*/file.: Not a directory" err &&
	test_expect_code 74 cli-sample save x --data-dir file/y 2>err &&
	ln -s nowhere dangling &&
	test_expect_code 74 cli-sample save x --data-dir dangling 2>err &&
	test_match "dangling" err &&
	mkdir odd && echo nonsense >odd/store-id &&
	test_expect_code 65 cli-sample list --data-dir odd 2>err &&
	test_match "odd/store-id. does not hold 12" err
'

test_expect_success 'a directory that was there without a store' '
	mkdir plain && mkdir plain/samples &&
	cli-sample list --data-dir plain >out &&
	test ! -e plain/store-id &&
	cli-sample save x --data-dir plain >out &&
	test -e plain/store-id && test -e plain/.gitignore
'

test_expect_success flock 'a lock that is not had is busy' '
	cli-sample save x >out &&
	{ flock "$data/samples/.lock" sleep 60 & echo $! >pid; } &&
	wait_for test_expect_code 1 flock -n "$data/samples/.lock" true &&
	test_expect_code 75 cli-sample save x >out 2>err &&
	test_match "the samples is locked" err &&
	kill "$(cat pid)"
'

test_done
