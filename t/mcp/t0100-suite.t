#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='the conformance suite finds no fault, in both eras'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_NPM
servers

# The suite asks over HTTP.
node "$js/relay.mjs" wire.log "$server" >url 2>relay.err &
relay=$!
at_end 'kill "$relay" 2>/dev/null'
wait_for test -s url

names=$(list_tools "$server" | jq -r '.result.tools[].name')
for revision in 2026-07-28 2025-11-25
do
	timeout 200 conformance server --url "$(cat url)" \
		--requirements "$revision" -o "$revision" >suite.log 2>&1
	# shellcheck disable=SC2086
	client node "$js/suite.mjs" "$SA_SRCDIR/t/mcp/scenarios.tsv" \
		"$revision" "$revision" $names
done

kill "$relay"
wait "$relay"
status=$?
test_expect_success 'only JSON on stdout, and every process ended in time' '
	test_empty relay.err &&
	test "$status" -eq 0 &&
	test_match "^> .*\"2026-07-28\"" wire.log
'

test_done
