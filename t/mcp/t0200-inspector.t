#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='the Inspector gets what it asks for, in each era'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_NPM
servers
# The tools of the tests are for tests.
listed=${product:-$server}

# inspect ERA SERVER ARG...: its answer goes to the file answer.
inspect () {
	era=$1
	shift
	timeout 60 mcp-inspector --cli -q --format json \
		--protocol-era "$era" "$@" >answer
}

# try NAME: sets what of the calls.
try () {
	name=$(jq -r ".$1.name // empty" "${SA_TEST_MCP_CALLS:-/dev/null}")
	arguments=$(jq -c ".$1.arguments // {}" \
		"${SA_TEST_MCP_CALLS:-/dev/null}")
	test -n "$name"
}

for era in legacy auto modern
do
	test_expect_success "$era: it connects" '
		inspect $era "$server" --method initialize &&
		jq_ok ".result.serverInfo.name | length > 0" answer
	'
done

test_expect_success 'strict about tools/list, it has nothing to say' '
	inspect legacy "$listed" --method tools/list --strict &&
	cp answer tools
'

test_expect_success 'what our own eyes know of clients, neither' '
	jq_ok ".result.tools | length > 0" tools &&
	jq -r -f "$SA_SRCDIR/t/mcp/lint.jq" tools >found &&
	test_empty found
'

test_expect_success 'the lint finds what is wrong' '
	jq ".result.tools[0] |= (
		.name = \"a.b\" | .title = \"\" | .description = \"short\"
		| del(.annotations.openWorldHint)
		| .inputSchema = {type: \"object\", anyOf: [], properties: {
			a: {type: [\"string\", \"null\"]},
			b: {type: \"array\", description: \"b\"},
			c: {enum: [1], description: \"c\"},
			d: {\"\$ref\": \"#\", description: \"d\"},
			e: {type: \"object\", description: \"e\"}
		}}
		| .outputSchema = {type: \"array\", items: {}}
	)" tools >wrong &&
	jq -r -f "$SA_SRCDIR/t/mcp/lint.jq" wrong >found &&
	test "$(wc -l <found)" -eq 12
'

test_expect_success 'the list of tools has 24 KiB at most' '
	size=$(jq -c .result tools | wc -c) &&
	echo "$size bytes" &&
	test "$size" -le 24576
'

for era in legacy modern
do
	if ! try call
	then
		test_skip "$era: a call" 'no tool is named for it'
		continue
	fi
	test_expect_success "$era: a call" '
		inspect $era "$server" --method tools/call \
			--tool-name "$name" --tool-args-json "$arguments" &&
		jq_ok ".result.content | length > 0" answer
	'
	test_expect_success "$era: 50 calls, eight at a time" '
		inspect $era "$server" --method tools/call \
			--tool-name "$name" --tool-args-json "$arguments" \
			--load --load-requests 50 --load-concurrency 8 &&
		jq_ok ".result | .ok == 50 and .errors == 0
			and .toolErrors == 0" answer
	'
done

for era in legacy modern
do
	if ! try fail
	then
		test_skip "$era: a call that fails" 'no tool is named for it'
		continue
	fi
	test_expect_success "$era: a call that fails" '
		test_expect_code 5 inspect $era "$server" \
			--method tools/call --tool-name "$name" \
			--tool-args-json "$arguments" &&
		jq_ok ".result.isError" answer
	'
done

test_done
