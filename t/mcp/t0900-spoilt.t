#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='the checks notice what a client would stumble over'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_NPM MCP_PYTHON2 MCP_GO
servers
jq 'del(.slow, .big)' "$SA_SRCDIR/t/mcp/calls.json" >calls.json
SA_TEST_MCP_CALLS=$PWD/calls.json

# spoilt NAME SED-EXPRESSION: the server, with its answers changed.
spoilt () {
	cat >"$1" <<-SH &&
	#!/bin/sh
	'$server' | exec sed -u -e '$2'
	SH
	chmod +x "$1"
}

sdk1 () {
	node "$js/sdk1.mjs" "$PWD/$1" >out
}

sdk2 () {
	node "$js/sdk2.mjs" modern "$PWD/$1" >out
}

python () {
	"$MCP_PYTHON2" "$SA_SRCDIR/t/mcp/clients.py" mcp2-auto "$PWD/$1" >out
}

go () {
	"$MCP_GO" default "$PWD/$1" >out
}

spoilt succeeds 's/"isError": *true/"isError":false/'
spoilt other-text 's/漢字/--/g; s/\\u6f22/-/g'
spoilt other-code 's/-32602/-32601/g'
spoilt chatty '1i started'
cat >stays <<-SH
#!/bin/sh
'$server'
exec sleep 20
SH
chmod +x stays

for sdk in sdk1 sdk2 python go
do
	test_expect_success "$sdk: an error without isError" '
		test_expect_code 1 $sdk succeeds &&
		test_match "^not ok - .*: a tool that fails says so" out &&
		test_match "^ok - .*: a call$" out
	'
	test_expect_success "$sdk: another text" '
		test_expect_code 1 $sdk other-text &&
		test_match "^not ok - .*: text comes back" out
	'
	test_expect_success "$sdk: another code" '
		test_expect_code 1 $sdk other-code &&
		test_match "^not ok - .*: there is no such tool" out
	'
	test_expect_success "$sdk: a server that stays" '
		test_expect_code 1 $sdk stays &&
		test_match "^not ok - .*: the server ends with" out
	'
done

test_expect_success 'sdk1: a line that is no JSON' '
	test_expect_code 1 sdk1 chatty &&
	test_match "^not ok - .*: nothing else was on the wire" out
'

test_expect_success 'go: a line that is no JSON' '
	test_expect_code 1 go chatty &&
	test_match "^not ok - .*: connect" out
'

test_expect_success 'a client that says one thing and ends with another' '
	(client sh -c "echo ok - fine; exit 3") >out &&
	test_match "^not ok .* came to its end" out &&
	(client sh -c "echo not ok - bad; echo ok - fine") >out &&
	test_match "^not ok .* noticed that" out &&
	(client true) >out &&
	test_match "^not ok .* did anything" out
'

# scenario NAME SERVER: the suite's, its results in results-SERVER; the status
# is the relay's.
scenario () {
	node "$js/relay.mjs" wire.log "$PWD/$2" >"url-$2" 2>"relay-$2.err" &
	relay=$!
	wait_for test -s "url-$2" || return
	timeout 60 conformance server --url "$(cat "url-$2")" --scenario "$1" \
		--spec-version 2026-07-28 -o "results-$2" >suite.log 2>&1
	kill "$relay"
	wait "$relay"
}

test_expect_success 'the suite: results without their type' '
	spoilt untyped "s/\"resultType\": *\"complete\",*//g" &&
	scenario tools-list untyped &&
	test_expect_code 1 node "$js/suite.mjs" \
		"$SA_SRCDIR/t/mcp/scenarios.tsv" results-untyped 2026-07-28 \
		>out &&
	test_match "^not ok - 2026-07-28: tools-list" out
'

test_expect_success 'the relay: a line that is no JSON, one that stays' '
	test_expect_code 1 scenario tools-list chatty &&
	test_match "^relay: .*started" relay-chatty.err &&
	test_expect_code 1 scenario tools-list stays &&
	test_match "^relay: the server did not end" relay-stays.err
'

test_done
