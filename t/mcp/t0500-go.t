#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='a client of the Go SDK gets what it asks for, in both eras'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/mcp/mcp-lib.sh"

have_clients MCP_GO
servers

for mode in default legacy
do
	each_client "$MCP_GO" "$mode"
done

test_done
