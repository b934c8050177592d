# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2034
#
# For t/t8*.t, after test-lib.sh: lines of MCP, and the tools of a server that
# is being tested.

test -x "$SA_BUILDDIR/sa-mcp" || skip_all 'sa-mcp has not been built'
command -v jq >/dev/null || skip_all 'no jq'

p=io.modelcontextprotocol
meta='"_meta":{"'$p'/protocolVersion":"2026-07-28"'
meta=$meta',"'$p'/clientCapabilities":{}}'

# req ID METHOD [PARAMS]: a legacy request; mod: a modern one.
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
# call NAME [ARGUMENTS]: a modern call, whose id is the name.
call () {
	mod "\"$1\"" tools/call "\"name\":\"$1\",\"arguments\":${2:-{\}}"
}

# says JQ [OPTION...] <LINES: all answers in one array are so.
says () {
	tl_says=$1
	shift
	sa-mcp "$@" >out 2>err &&
	jq -s . out >answers &&
	jq_ok "$tl_says" answers --arg p "$p"
}

# A catalogue of tools that need nothing, each a shell script; tool NAME
# SCRIPT [RUN-MEMBERS] adds one that takes any arguments.
catalog () {
	echo '{"tools":[]}' >catalog.json
	tool echo 'cat'
	tool nap 'read -r a && a=${a#*:} && sleep "${a%\}*}" && echo "{}"'
	tool sleep 'exec sleep 600'
	tool fill 'read -r a && a=${a#*:} && printf "{\"a\":\"" &&
		head -c "${a%\}*}" /dev/zero | tr "\0" x && echo "\"}"'
	tool stubborn 'trap "" TERM; sleep 600 & sleep 600; sleep 600; wait'
}
tool () {
	jq --arg name "$1" --arg script "$2" \
		--argjson run "{${3:-}}" '.tools += [{name: $name,
		title: $name, description: "For a test.",
		inputSchema: {type: "object"}, annotations:
		{readOnlyHint: ($name == "echo")}, run: ({argv: ["/bin/sh",
		"-c", $script]} + $run)}]' catalog.json >catalog.tmp &&
	mv catalog.tmp catalog.json
}
