#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034 # tests see variables as they are evaluated
#
# Detached commands and the network of their sandbox, which lives as long as
# they do, whatever becomes of who started them.
. "${SA_SRCDIR:-$(dirname "$0")/..}/t/net-lib.sh"

test_have_prereq jq,curl || skip_all 'no jq or no curl'

test_expect_success 'servers run that only this network has' 'serve'
at_end end_serving

create () {
	sa-sandbox create --allow-egress web.example.com "$@" >box.json &&
	box=$(jq -r .sandbox box.json)
}
destroy () {
	sa-sandbox destroy "$box" >destroyed
}
# start WORD...: detached in $box by a group of processes that is killed then.
start () {
	rm -f exec.json &&
	{ setsid sh -c 'box=$1 && shift &&
		sa-sandbox exec -d --in "$box" -- "$@" >exec.new &&
		mv exec.new exec.json; kill -9 0' sh "$box" "$@" & } &&
	wait_for test -e exec.json && { wait "$!" || true; } &&
	id=$(jq -r .exec exec.json)
}
# A request each, and why it failed.
fetch='while test ! -e go; do sleep 0.1; done
	curl -sS http://web.example.com/allowed
	curl -sS --noproxy "*" http://web.example.com/direct
	curl -sSf http://evil.example.com/no && exit 1
	curl -sSf --noproxy "*" http://evil.example.com/no && exit 1
	curl -sSf http://web.example.com:8080/no && exit 1
	exit 5'

test_expect_success 'it reaches what is allowed when its starter is gone' '
	create && start sh -c "$fetch" &&
	echo | sa-sandbox write "$box" go >out &&
	test_expect_code 5 sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".stdout == \"web.example.com /allowed\n\" +
		\"web.example.com /direct\n\"" result.json &&
	jq_ok "[.egress[] | select(.allowed) | [.host, .port, .reason]] ==
		[[\"web.example.com\", 80, null],
			[\"web.example.com\", 80, null]]" result.json &&
	jq_ok "[.egress[] | select(.allowed | not) | .host] | unique ==
		[\"evil.example.com\", \"web.example.com\"]" result.json &&
	! grep /no seen &&
	test_expect_code 5 sa-sandbox wait "$box" "$id" >again.json &&
	test_cmp result.json again.json && destroy
'

test_expect_success 'what it did not reach is told as for the others' '
	create && start sh -c "curl -s http://evil.example.com/; exit 3" &&
	test_expect_code 3 sa-sandbox exec --json --in "$box" -- sh -c \
		"curl -s http://evil.example.com/; exit 3" >fore.json &&
	test_expect_code 3 sa-sandbox wait "$box" "$id" >result.json &&
	jq "[.egress[0] | .host, .port, .allowed, .reason]" fore.json >fore &&
	jq "[.egress[0] | .host, .port, .allowed, .reason]" result.json >back &&
	test_cmp fore back && jq_ok ".[0] == \"evil.example.com\"" back &&
	why="not reached: evil.example.com:80 (the host is not allowed)" &&
	test_expect_code 3 sa-sandbox wait --text "$box" "$id" >out 2>err &&
	grep -qxF "[$why]" out && test_empty err && >script &&
	test_expect_code 3 "$SA_BUILDDIR/t/in-terminal" script sa-sandbox \
		wait "$box" "$id" >out && grep -F "sa-sandbox: $why" out &&
	destroy
'

test_expect_success 'in a sandbox that is made for it' '
	sa-sandbox exec -d --allow-egress web.example.com -- sh -c "
		while test ! -e go; do sleep 0.1; done
		curl -sS http://web.example.com/made
		curl -sSf http://evil.example.com/no" </dev/null >exec.json &&
	box=$(jq -r .sandbox exec.json) &&
	echo | sa-sandbox write "$box" go >out &&
	test_expect_code 22 sa-sandbox wait <exec.json >result.json &&
	jq_ok ".stdout == \"web.example.com /made\n\" and
		[.egress[] | [.host, .allowed]] == [[\"web.example.com\", true],
			[\"evil.example.com\", false]]" result.json &&
	destroy
'

test_expect_success 'each has its own connections, also when they are old' '
	create && start curl -s http://web.example.com/one && one=$id &&
	sa-sandbox wait "$box" "$one" >one.json &&
	start sh -c "curl -s http://evil.example.com/two; true" && two=$id &&
	sa-sandbox wait "$box" "$two" >two.json &&
	start true && sa-sandbox wait "$box" "$id" >none.json &&
	for i in 1 2
	do
		sa-sandbox exec --in "$box" -- sh -c "i=0
			while test \$i -lt 60
			do
				curl -s http://web.example.com/more
				i=\$((i + 1))
			done" >out || exit
	done &&
	jq_ok ".egress == []" none.json &&
	jq_ok "[.egress[].allowed] == [true]" one.json &&
	jq_ok "[.egress[].allowed] == [false]" two.json &&
	sa-sandbox wait "$box" "$one" >later.json &&
	test_cmp one.json later.json && destroy
'

test_expect_success 'of one that was killed with its sandbox, what is known' '
	create && start sh -c "curl -s http://web.example.com/k
		sleep $mark" && wait_for marked &&
	pid=$(marked | head -n 1) &&
	init=$(sed -n "s/^PPid:[^0-9]*//p" "/proc/$pid/status") &&
	case $(cat "/proc/$init/comm") in
	sh) init=$(sed -n "s/^PPid:[^0-9]*//p" "/proc/$init/status") ;;
	esac &&
	kill -9 "$init" &&
	test_expect_code 137 sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".state == \"lost\" and
		[.egress[].host] == [\"web.example.com\"]" result.json &&
	sa-sandbox exec --in "$box" -- curl -s http://web.example.com/l \
		>out &&
	test_expect_code 137 sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok ".state == \"lost\" and (has(\"egress\") | not)" result.json &&
	destroy
'

test_expect_success 'without a network there is nothing to tell' '
	sa-sandbox create >box.json && box=$(jq -r .sandbox box.json) &&
	start true && sa-sandbox wait "$box" "$id" >result.json &&
	jq_ok "has(\"egress\") | not" result.json && destroy
'

end_serving
both_users
test_done
