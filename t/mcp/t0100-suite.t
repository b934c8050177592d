#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='the conformance suite finds no fault, in both eras'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_NPM
servers

# suite DIR SERVER: it asks over HTTP.
suite () {
	dir=$1
	mkdir "$dir"
	names=$(list_tools "$2" | jq -r '.result.tools[].name')
	node "$js/relay.mjs" "$dir/wire" "$2" >"$dir/url" 2>"$dir/err" &
	relay=$!
	wait_for test -s "$dir/url"
	for revision in 2026-07-28 2025-11-25
	do
		timeout 200 conformance server --url "$(cat "$dir/url")" \
			--requirements "$revision" -o "$dir/$revision" \
			>"$dir/log" 2>&1
		# shellcheck disable=SC2086
		client node "$js/suite.mjs" \
			"$SA_SRCDIR/t/mcp/scenarios.tsv" \
			"$dir/$revision" "$dir, $revision" $names
	done
	kill "$relay"
	wait "$relay"
	status=$?
	relay=
	test_expect_success "$dir: only JSON, and every process ended in time" '
		test_empty "$dir/err" &&
		test "$status" -eq 0 &&
		test_match "^> .*\"2026-07-28\"" "$dir/wire"
	'
}

at_end 'test -z "$relay" || kill "$relay"'
suite of-tests "$server"
test -z "$product" || suite of-sa-mcp "$product"

test_done
