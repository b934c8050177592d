#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-mcp: the protocol of both eras, one line after the other'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test -x "$SA_BUILDDIR/sa-mcp" || skip_all 'sa-mcp has not been built'
command -v jq >/dev/null || skip_all 'no jq'

p=io.modelcontextprotocol
meta='"_meta":{"'$p'/protocolVersion":"2026-07-28"'
meta=$meta',"'$p'/clientCapabilities":{}}'

# req ID METHOD [PARAMS]: a request without _meta; mod: with it.
req () {
	printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s}}\n' \
		"$1" "$2" "${3:-}"
}
mod () {
	req "$1" "$2" "${3:+$3,}$meta"
}
init () {
	req "$1" initialize "\"protocolVersion\":\"$2\""
}

# says JQ [OPTION...] <LINES: all answers in one array are so.
says () {
	expr=$1
	shift
	sa-mcp "$@" >out 2>err &&
	jq -s . out >answers &&
	jq_ok "$expr" answers
}

test_expect_success 'server/discover' '
	mod 1 server/discover | says "length == 1 and (.[0] | .id == 1 and
		.jsonrpc == \"2.0\" and (keys - [\"id\", \"jsonrpc\",
			\"result\"]) == []) and
		(.[0].result | .resultType == \"complete\" and
		.supportedVersions == [\"2026-07-28\"] and .ttlMs >= 0 and
		.cacheScope == \"public\" and
		.capabilities == {tools: {}, prompts: {}, resources: {}} and
		(.instructions | length) > 100 and
		._meta[\"$p/serverInfo\"].name == \"sa-mcp\")" &&
	test_empty err
'

test_expect_success 'a call runs the command and gives its record twice' '
	mod \"c\" tools/call "\"name\":\"list_connections\"" |
		says "length == 1 and .[0].id == \"c\" and (.[0].result |
			.structuredContent.type == \"connection_list\" and
			(.content[0].text | fromjson) == .structuredContent and
			has(\"isError\") == false)"
'

test_done
