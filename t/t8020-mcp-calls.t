#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-mcp: programs that do not do as they should'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp-lib.sh"

# There is a log from the first record on.
sa-conn save one -m local >/dev/null || skip_all 'sa-conn saves nothing'

catalog
tool bad_text 'printf "{\"a\":\"\377\376\"}"'
tool no_reader 'exec <&-; echo "{\"a\":1}"'
tool flood 'exec head -c 100000000 /dev/zero'
tool flood_stderr 'head -c 3000000 /dev/zero | tr "\0" x >&2
	echo "the end" >&2; echo "{\"a\":1}"'
tool early 'exec >&-; echo secret-on-stderr >&2; sleep 0.3'
tool crash 'kill -11 $$'
tool silent 'exit 3'
tool text 'echo "no JSON"'
tool two 'echo "{}"; echo "{}"'
tool leave 'sleep 600 & echo "{\"left\":$!}"'
tool refuse 'echo "{\"error\":{\"kind\":\"refused\",\"http\":403,
	\"message\":\"not you\",\"hint\":\"ask\",\"retryable\":false,
	\"detail\":{\"d\":1}}}" >&"$SA_ERROR_FD"; echo "{\"a\":1}"; exit 77'
tool verdict 'echo "{\"verdict\":\"no\"}"; exit 1' '"exit_ok":[1]'
tool late 'sleep 600' '"timeout_seconds":1'
tool content 'echo "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}"' \
	'"output":"content"'
tool environment 'echo "{\"origin\":\"$SA_ORIGIN\",\"fd\":\"$SA_ERROR_FD\",
	\"data\":\"$SPARK_EXECUTOR_DATA_DIR\",\"level\":
	\"$SPARK_EXECUTOR_LOG_LEVEL\",\"pid\":$$,
	\"group\":$(ps -o pgid= -p $$)}"; exec ls -1 /proc/self/fd >fds'

# The last one lists the directory that it reads as well.

# gives JQ NAME [ARGUMENTS]: the result of a call, and no more than that.
gives () {
	call "$2" "${3:-{\}}" |
		says "length == 1 and (.[0].result | $1)" \
			--catalog catalog.json
}
# fails REGEX NAME
fails () {
	gives ".isError and has(\"structuredContent\") == false and
		(.content[0].text | test(\"$1\"))" "$2"
}

test_expect_success 'bytes that are not UTF-8 are replaced' '
	gives ".structuredContent.a == \"\\ufffd\\ufffd\"" bad_text
'

test_expect_success 'a program that does not read its input' '
	big=$(head -c 1000000 /dev/zero | tr "\0" x) &&
	gives ".structuredContent.a == 1" no_reader "{\"a\":\"$big\"}"
'

test_expect_success 'a program that prints 100 MB is ended' '
	fails "^invalid .400.: the answer is too large" flood
'

test_expect_success 'of stderr the end is kept, in the log alone' '
	gives ".structuredContent == {a: 1}" flood_stderr &&
	test_empty err &&
	test_match "flood_stderr: stderr: x*the end" data/log/debug.log &&
	test "$(wc -c <data/log/debug.log)" -lt 200000
'

test_expect_success 'a program that closes its stdout has said nothing' '
	fails "^internal .500.: .*no JSON object" early &&
	test_expect_code 1 grep secret out
'

test_expect_success 'programs that fail without a word' '
	fails "^internal .500.: .*ended by signal 11" crash &&
	fails "^internal .500.: .*ended with status 3" silent &&
	fails "^internal .500.: .*no JSON object" text &&
	fails "^internal .500.: .*no JSON object" two
'

test_expect_success 'the error object is the text' '
	gives ".isError and .content[0].text == \"refused (403): not you\\n\" +
		\"next: ask\\ndetail: {\\\"d\\\":1}\"" refuse
'

test_expect_success 'an exit code that the catalogue calls good' '
	gives ".structuredContent.verdict == \"no\"" verdict
'

test_expect_success 'a call that takes too long' '
	rm -f out &&
	{ call late && wait_for test -s out; } | says "length == 1 and
		(.[0].result |
		.isError and (.content[0].text |
			test(\"^busy .503.: .*over 1 sec\")))" \
		--catalog catalog.json
'

test_expect_success 'what a program leaves behind is not waited for' '
	gives ".structuredContent.left > 0" leave &&
	kill "$(jq .[0].result.structuredContent.left answers)"
'

test_expect_success 'nor outlives a server that is killed' '
	tool nest "sleep 600 & echo \$! >nested; sleep 600" &&
	mkfifo in.fifo &&
	{ exec sa-mcp --catalog catalog.json <in.fifo >out 2>err & } &&
	server=$! && exec 5>in.fifo &&
	call nest >&5 && wait_for test -s nested &&
	child=$(cat nested) && kill -0 "$child" &&
	kill -9 "$server" && exec 5>&- &&
	{ wait "$server" || :; } &&
	dead () { ! test -e "/proc/$child" ||
		grep -q "^State:.Z" "/proc/$child/status"; } &&
	wait_for dead
'

test_expect_success 'what goes on by itself outlives it' '
	tool alone "setsid sh -c \"echo \\\$\$ >alone; exec sleep 600\" &
		sleep 600" &&
	{ exec sa-mcp --catalog catalog.json <in.fifo >out 2>err & } &&
	server=$! && exec 5>in.fifo &&
	call alone >&5 && wait_for test -s alone &&
	kill -9 "$server" && exec 5>&- &&
	{ wait "$server" || :; } &&
	sleep 0.5 && kill "$(cat alone)"
'

test_expect_success 'text is the text of the result' '
	tool words "printf \"one\\ntwo \\377\\000\\n\"" \
		"\"output\":\"text\"" &&
	gives ".content == [{type: \"text\",
			text: \"one\\ntwo \ufffd\ufffd\"}] and
		has(\"structuredContent\") == false and
		has(\"isError\") == false" words &&
	tool no_words "exit 3" "\"output\":\"text\"" &&
	fails "^internal .500.: .*status 3" no_words
'

test_expect_success 'content of its own is passed on' '
	gives ".content == [{type: \"text\", text: \"t\"}] and
		has(\"structuredContent\") == false" content
'

test_expect_success 'what a program gets' '
	call environment | says ".[0].result.structuredContent |
		.origin == \"agent\" and .fd == \"3\" and
		.level == \"ERROR\" and .data == \"$PWD/d\" and
		.group == .pid" --catalog catalog.json \
		--data-dir d --log-level ERROR &&
	printf "%s\n" 0 1 2 3 4 >want &&
	test_cmp want fds
'

test_expect_success 'a program that is not there, or not allowed' '
	jq ".tools |= (map(.run.argv = [\"./none\"] | .name = \"none\") |
		.[:1])" catalog.json >none.json &&
	call none | says "(.[0].result | .isError and (.content[0].text |
		test(\"^config .400.: .*none\")))" --catalog none.json &&
	jq ".tools |= (map(.run.argv = [\"sa-none\"] | .name = \"own\") |
		.[:1])" catalog.json >own.json &&
	call own | says "(.[0].result | .isError and (.content[0].text |
		test(\"^config .400.: .*sa-none\")))" --catalog own.json &&
	echo "not a program" >broken && chmod +x broken &&
	jq ".tools |= (map(.run.argv = [\"broken\"] | .name = \"broken\") |
		.[:1])" catalog.json >broken.json &&
	call broken | says "(.[0].result | .isError and (.content[0].text |
		test(\"^config .400.: .*Exec format\")))" --catalog broken.json
'

test_expect_success 'each call is in the log, its arguments are not' '
	call echo "{\"a\":\"very-private\"}" |
		says "length == 1" --catalog catalog.json &&
	test_match "echo: done, status 0, [0-9]+ ms" data/log/debug.log &&
	test_expect_code 1 grep -r very-private data/log
'

test_done
