#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='clients of the TypeScript SDKs get what they ask for'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_NPM
servers

each_client node "$js/sdk1.mjs"
for era in legacy auto modern
do
	each_client node "$js/sdk2.mjs" "$era"
done

test_done
