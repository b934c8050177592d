# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2034,SC2119,SC2120
#
# A session of a model that runs commands: one server, many calls. After
# test-lib.sh:
#
#	open_session [ARG...]	starts sa-mcp --sandbox-tools ARG...; $server is
#				its process, descriptor 5 its input, err what
#				it says. In the body that uses it, or before all
#				that do
#	send TOOL ARGUMENTS	asks, and does not wait; the call is $asked
#	await [ID]		waits for its answer (the last one's): result,
#				and its text in text
#	ask TOOL ARGUMENTS	both
#	run COMMAND [SECONDS]	ask sandbox_run_command
#	says TEXT, fails REGEX	the text is this; the result is an error like
#				that
#	box			the name of the session's sandbox
#	close_session		ends the input, and waits for the server's end
#				and that of the sandbox; from where it was
#				opened
#
# ARGUMENTS is an object in JSON, or - for the file arguments. Each call has to
# be answered once.

test -x "$SA_BUILDDIR/sa-mcp" || skip_all 'sa-mcp has not been built'
command -v jq >/dev/null || skip_all 'no jq'
need_sandbox

mkdir -p "$SPARK_EXECUTOR_DATA_DIR"
bl_modern='{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
	"io.modelcontextprotocol/clientCapabilities":{}}'

open_session () {
	rm -f in.fifo && mkfifo in.fifo && : >answers && : >requests &&
	{ exec sa-mcp --sandbox-tools "$@" <in.fifo >answers 2>err & } &&
	server=$! && exec 5>in.fifo
}

send () {
	test "$2" = - || printf '%s' "$2" >arguments
	asked=$(($(wc -l <requests) + 1))
	jq -nc --arg name "$1" --argjson meta "$bl_modern" \
		--argjson id "$asked" --slurpfile a arguments '{jsonrpc: "2.0",
		id: $id, method: "tools/call", params: {name: $name,
		_meta: $meta, arguments: $a[0]}}' >request &&
	cat request >>requests && cat request >&5
}

await () {
	bl_left=3000
	until grep -q "\"id\":${1:-$asked}[,}]" answers
	do
		bl_left=$((bl_left - 1))
		test "$bl_left" -gt 0 || {
			echo "no answer to ${1:-$asked}:" && cat err
			return 1
		}
		sleep 0.02
	done
	jq -s --argjson id "${1:-$asked}" 'map(select(.id == $id)) |
		if length == 1 then .[0].result else
		error("answered \(length) times") end' answers >result &&
	jq -r '.content[0].text' result >text &&
	jq_ok '(.content | length) == 1 and .content[0].type == "text" and
		(has("structuredContent") | not)' result
}

ask () {
	send "$1" "${2:-{\}}" && await
}

run () {
	jq -n --arg c "$1" --argjson s "${2:-null}" '{command: $c} +
		if $s == null then {} else {timeout_seconds: $s} end' \
		>arguments &&
	ask sandbox_run_command -
}

says () {
	jq_ok 'has("isError") | not' result &&
	printf '%s\n' "$1" | test_cmp - text
}

fails () {
	jq_ok '.isError' result && test_match "$1" text
}

box () {
	cat "$SPARK_EXECUTOR_DATA_DIR"/sessions/*/record.json | jq -r .sandbox
}

# Nothing of it is left, but for what the log says.
all_gone () {
	test -z "$(ls -A "$SPARK_EXECUTOR_DATA_DIR/sessions" 2>/dev/null)" &&
	test -z "$(ls -A "$SPARK_EXECUTOR_DATA_DIR/sandboxes" 2>/dev/null)"
}

close_session () {
	exec 5>&- && wait "$server" && wait_for all_gone
}
