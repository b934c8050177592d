#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-mcp: the protocol of both eras, one line after the other'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

. "$SA_SRCDIR/t/mcp-lib.sh"

# one JQ <LINE: there is one answer, with nothing beside what it has to have.
one () {
	says "length == 1 and (.[0] | .jsonrpc == \"2.0\" and (keys -
		[\"id\", \"jsonrpc\", \"error\", \"result\"]) == [] and ($1))"
}

test_expect_success 'server/discover' '
	mod 1 server/discover | one ".id == 1 and (.result |
		.resultType == \"complete\" and .ttlMs >= 0 and
		.supportedVersions == [\"2026-07-28\"] and
		.cacheScope == \"public\" and
		.capabilities == {tools: {}, prompts: {}, resources: {}} and
		(.instructions | length) > 100 and
		._meta[\"$p/serverInfo\"].name == \"sa-mcp\")" &&
	test_empty err
'

test_expect_success 'what a modern request has to say' '
	mod 2 tools/list | sed s/2026-07-28/1900-01-01/ |
		one ".id == 2 and .error.code == -32022 and .error.data ==
			{supported: [\"2026-07-28\"],
			requested: \"1900-01-01\"}" &&
	mod 2 tools/list | sed s/\"2026-07-28\"/7/ |
		one ".error.code == -32602" &&
	mod 2 tools/list | sed s/clientCapabilities/other/ |
		one ".error.code == -32602" &&
	mod 2 tools/list | sed s/\"_meta\":.*/\"_meta\":[]}}/ |
		one ".error.code == -32602" &&
	req 2 server/discover | one ".error.code == -32602"
'

test_expect_success 'what the modern era does not have is -32601' '
	for m in initialize ping logging/setLevel resources/subscribe \
		subscriptions/listen completion/complete no/such/method
	do
		mod 3 $m | one ".id == 3 and .error.code == -32601" || return 1
	done
'

test_expect_success 'initialize agrees on a legacy version' '
	for v in 2025-11-25 2025-06-18 2025-03-26 2024-11-05
	do
		init 4 $v | one ".id == 4 and (.result |
			.protocolVersion == \"$v\" and
			.capabilities.tools == {} and
			.serverInfo.name == \"sa-mcp\" and
			(.instructions | length) > 100 and
			has(\"resultType\") == false)" || return 1
	done &&
	init 4 1999-01-01 |
		one ".result.protocolVersion == \"2025-11-25\"" &&
	req 4 initialize | one ".error.code == -32602"
'

test_expect_success 'the legacy era' '
	{
		init 1 2025-11-25 &&
		echo "{\"jsonrpc\":\"2.0\"," \
			"\"method\":\"notifications/initialized\"}" &&
		req 2 ping && req 3 tools/list && req 4 prompts/list &&
		req 5 resources/list && req 6 resources/templates/list &&
		req 7 resources/read "\"uri\":\"a:b\"" &&
		req 8 prompts/get "\"name\":\"x\"" &&
		req 9 logging/setLevel "\"level\":\"debug\"" &&
		req 10 logging/setLevel "\"level\":\"loud\"" &&
		req 11 server/discover && req 12 no/such/method
	} | says "map(.id) == [range(1; 13)] and .[1].result == {} and
		(.[2].result | (.tools | length) == 16 and
			(keys == [\"tools\"])) and
		.[3].result == {prompts: []} and
		.[4].result == {resources: []} and
		.[5].result == {resourceTemplates: []} and
		.[6].error.code == -32002 and
		.[6].error.data.uri == \"a:b\" and
		.[7].error.code == -32602 and .[8].result == {} and
		.[9].error.code == -32602 and .[10].error.code == -32602 and
		.[11].error.code == -32601"
'

test_expect_success 'nothing legacy before an initialize but ping' '
	req 1 ping | one ".result == {}" &&
	req 1 tools/list | one ".error.code == -32602"
'

test_expect_success 'both eras take turns on one pipe' '
	{
		mod 1 server/discover && init 2 2025-06-18 &&
		req 3 tools/list && mod 4 tools/list && req 5 ping
	} | says "map(.id) == [1, 2, 3, 4, 5] and all(.[]; .result != null) and
		(.[2].result | has(\"resultType\") == false) and
		.[3].result.resultType == \"complete\""
'

test_expect_success 'lists have one page, and say how long they hold' '
	for m in tools/list prompts/list resources/list
	do
		mod 1 $m "\"cursor\":\"\"" | one ".error.code == -32602" &&
		mod 1 $m "\"cursor\":\"x\"" | one ".error.code == -32602" &&
		mod 1 $m | one ".result | .ttlMs >= 0 and
			.cacheScope == \"public\" and
			.resultType == \"complete\" and
			has(\"nextCursor\") == false" || return 1
	done
'

test_expect_success 'the list of tools: portable, within 24 KiB' '
	mod 1 tools/list | sa-mcp >list &&
	test "$(wc -c <list)" -le 24576 &&
	jq_ok "[.. | select(. == null)] == [] and
		([.result.tools[].name] | length == (unique | length)) and
		all(.result.tools[]; (keys - [\"name\", \"title\",
			\"description\", \"inputSchema\", \"outputSchema\",
			\"annotations\"]) == [] and
			(.annotations | length) == 4)" list
'

test_expect_success 'lines that are no message' '
	for line in "not json" "{" "[]" "[$(req 1 ping)]" 7 "\"x\"" \
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}" \
		"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}" "{}"
	do
		echo "$line" | one "(.error.code == -32700 or
			.error.code == -32600) and has(\"id\") == false" ||
			return 1
	done &&
	printf "\n \n\r\n" | says "length == 0"
'

test_expect_success 'a batch where its version was agreed on' '
	{
		init 1 2025-03-26 &&
		printf "[%s,%s,%s]\n" "$(req 2 ping)" "$(req 3 ping)" 7 &&
		echo "[]" &&
		printf "[%0101d]\n" 0 | sed "s/0/0,/g;s/,]/]/"
	} | says "map(.id) == [1, 2, 3, null, null, null] and
		.[1].result == {} and .[3].error.code == -32600 and
		.[4].error.code == -32600 and .[5].error.code == -32600"
'

test_expect_success 'notifications and responses are not answered' '
	{
		echo "{\"jsonrpc\":\"2.0\",\"method\":\"whatever\"}" &&
		echo "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":7}" &&
		echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"
	} | says "length == 0"
'

test_expect_success 'ids come back digit by digit' '
	for id in "\"1\"" 0 -7 9007199254740993 \
		123456789012345678901234567890 "\"\303\274\""
	do
		id=$(printf "%b" "$id") &&
		req "$id" ping | sa-mcp >out &&
		grep -qF "\"id\":$id," out || return 1
	done
'

test_expect_success 'a call runs the command and gives its record twice' '
	call list_connections | one ".id == \"list_connections\" and
		(.result | .resultType == \"complete\" and
			.structuredContent.type == \"connection_list\" and
			(.content[0].text | fromjson) == .structuredContent and
			has(\"isError\") == false)"
'

test_expect_success 'the commands are told that an agent asks' '
	call save_connection "{\"name\":\"one\",\"master\":\"local\"}" |
		one ".result.structuredContent.origin.master == \"agent\"" &&
	call save_connection "{\"name\":\"two\",\"master\":\"local\",
		\"spark_conf\":{\"spark.jars\":\"x\"}}" | tr -d "\n" |
		one ".result | .isError and (.content[0].text |
			startswith(\"refused (403): \"))"
'

test_expect_success 'a failure is a result: its kind, what, what next' '
	call get_connection "{\"name\":\"nope\"}" | one ".result | .isError and
		has(\"structuredContent\") == false and (.content[0].text |
			test(\"^not_found .404.: .*nope.*\\nnext: \"))"
'

test_expect_success 'bad arguments are a result too, that names them' '
	call get_connection "{}" | one ".result | .isError and
		(.content[0].text | test(\"^usage .400.: .*name\"))" &&
	call get_connection "{\"name\":7}" | one ".result.isError and
		(.result.content[0].text | test(\"^invalid .400.: .*name\"))" &&
	call get_connection "{\"name\":\"a\",\"b\":1}" |
		one ".result.isError" &&
	call get_connection "{\"name\":\"a\\\\u0000\"}" |
		one ".result.isError"
'

test_expect_success 'what is no call is -32602' '
	call no_such_tool | one ".error.code == -32602" &&
	mod 1 tools/call | one ".error.code == -32602" &&
	mod 1 tools/call "\"name\":\"list_jobs\",\"arguments\":[]" |
		one ".error.code == -32602" &&
	call list_jobs | sed "s/\"_meta\":{/&\"progressToken\":{},/" |
		one ".error.code == -32602"
'

test_expect_success 'with next to no environment' '
	mod 1 tools/list >in &&
	call list_connections >>in &&
	env -i "$SA_BUILDDIR/sa-mcp" --data-dir "$PWD/data" <in >out 2>err &&
	jq -s . out >answers &&
	jq_ok "length == 2 and .[1].result.structuredContent.items[0].name ==
		\"one\"" answers
'

test_expect_success 'an empty input: silent, 0' '
	sa-mcp </dev/null >out 2>err &&
	test_empty out &&
	test_empty err
'

test_expect_success 'closed descriptors, a full disk' '
	mod 1 tools/list >in &&
	test_expect_code 74 sa-mcp <in >/dev/full 2>err &&
	test_expect_code 74 sa-mcp <in >&- 2>err &&
	sa-mcp <&- >out 2>err &&
	test_empty out
'

test_done
